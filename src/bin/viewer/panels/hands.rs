//! What is shown of hands over the scene, with or without the panel: the stroke that is being cut, and a word to the person.

use std::time::{Duration, Instant};

use egui::{Align2, Color32, Context, FontId, Id, LayerId, Order, Painter, Pos2, Stroke};

use super::style;

/// How long a word stays.
const WORD: Duration = Duration::from_secs(4);
const STROKE: Stroke = Stroke { width: 2.0, color: Color32::from_rgb(0xf4, 0xf1, 0xe8) };

#[derive(Default)]
pub struct HandsShown {
    /// The last places of the stroke that is being cut \[pixels\].
    pub trace: Vec<[f32; 2]>,
    word: Option<(String, Instant)>,
}

impl HandsShown {
    /// Says something for a while.
    pub fn say(&mut self, word: &str) {
        self.word = Some((word.to_string(), Instant::now() + WORD));
    }

    /// Whether there is anything to be shown.
    pub fn is_some(&self) -> bool {
        !self.trace.is_empty() || self.word.is_some()
    }

    /// Shows it beside a panel that covers so many points at the right.
    pub fn show(&mut self, context: &Context, covered: f32) {
        let painter =
            Painter::new(context.clone(), LayerId::new(Order::Foreground, Id::new("hands")), context.content_rect());
        let scale = context.pixels_per_point();
        let trace: Vec<Pos2> = self.trace.iter().map(|&[x, y]| Pos2::new(x / scale, y / scale)).collect();
        painter.line(trace, STROKE);
        let now = Instant::now();
        self.word.take_if(|(_, end)| *end <= now);
        if let Some((word, end)) = &self.word {
            let scene = context.content_rect();
            let place = Pos2::new((scene.width() - covered) / 2.0, scene.bottom() - 28.0);
            let galley =
                painter.layout(word.clone(), FontId::proportional(14.0), style::ERROR, 0.9 * (scene.width() - covered));
            let text = Align2::CENTER_BOTTOM.anchor_size(place, galley.size());
            painter.rect_filled(text.expand2(egui::vec2(12.0, 7.0)), 4.0, style::BACKGROUND);
            painter.galley(text.min, galley, style::ERROR);
            context.request_repaint_after(*end - now);
        }
    }
}
