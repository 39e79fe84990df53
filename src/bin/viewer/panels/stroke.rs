//! The stroke that is being cut, over the scene, with or without the panel.

use egui::{Color32, Context, Id, LayerId, Order, Painter, Pos2};

const LINE: egui::Stroke = egui::Stroke { width: 2.0, color: Color32::from_rgb(0xf4, 0xf1, 0xe8) };

#[derive(Default)]
pub struct Stroke {
    /// Its last places \[pixels\].
    pub trace: Vec<[f32; 2]>,
}

impl Stroke {
    pub fn is_empty(&self) -> bool {
        self.trace.is_empty()
    }

    pub fn show(&self, context: &Context) {
        let layer = LayerId::new(Order::Foreground, Id::new("stroke"));
        let scale = context.pixels_per_point();
        let trace: Vec<Pos2> = self.trace.iter().map(|&[x, y]| Pos2::new(x / scale, y / scale)).collect();
        Painter::new(context.clone(), layer, context.content_rect()).line(trace, LINE);
    }
}
