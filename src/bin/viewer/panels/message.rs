//! A message over the scene, which goes by itself after a while, or when it is clicked.

use std::time::{Duration, Instant};

use egui::{Align2, Frame, Label, Margin, RichText, Sense, Stroke, Ui};

use super::style;

/// For how long it stays: long enough to read two lines twice.
const SHOWN: Duration = Duration::from_secs(12);

/// What a person has to know.
pub struct Message {
    text: String,
    is_error: bool,
    until: Instant,
}

impl Message {
    /// What went wrong.
    pub fn of_error(text: String) -> Self {
        Self { text, is_error: true, until: Instant::now() + SHOWN }
    }

    /// What has been done.
    pub fn of_success(text: String) -> Self {
        Self { is_error: false, ..Self::of_error(text) }
    }

    /// Whether it is of what went wrong.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// Whether it has been there long enough.
    pub fn is_over(&self) -> bool {
        self.until <= Instant::now()
    }

    /// Lays it out at the lower edge of what the panel at the side, so many points wide, leaves of the window.
    pub fn show(&mut self, ui: &Ui, panel: f32) {
        const MARGIN: f32 = 12.0;
        let width = ui.ctx().content_rect().width() - panel - 4.0 * MARGIN;
        let area = egui::Area::new("message".into())
            .sense(Sense::click())
            .anchor(Align2::CENTER_BOTTOM, [-panel / 2.0, -MARGIN]);
        let color = if self.is_error { style::ERROR } else { ui.visuals().text_color() };
        let frame = Frame::new()
            .fill(style::BACKGROUND)
            .stroke(Stroke::new(1.0, color))
            .inner_margin(Margin::same(MARGIN as i8))
            .corner_radius(4.0);
        let inside = area.show(ui.ctx(), |ui| {
            frame.show(ui, |ui| {
                ui.set_max_width(width.max(1.0));
                ui.add(Label::new(RichText::new(&self.text).color(color)).wrap());
            })
        });
        if inside.response.clicked() {
            self.until = Instant::now();
        }
        ui.ctx().request_repaint_after(self.until.saturating_duration_since(Instant::now()));
    }
}
