//! A sentence over the picture that goes by itself.

use std::time::{Duration, Instant};

use egui::{Align2, Area, Context, Id};

use super::style;

/// How long it takes to read one.
const SHOWN: Duration = Duration::from_secs(6);
/// One that tells of an error comes unexpected.
const ERROR_SHOWN: Duration = Duration::from_secs(15);

pub struct Notice {
    text: String,
    is_error: bool,
    until: Instant,
}

impl Notice {
    pub fn new(text: String, is_error: bool) -> Self {
        let until = Instant::now() + if is_error { ERROR_SHOWN } else { SHOWN };
        Self { text, is_error, until }
    }

    /// Shows it at the lower left, and says how long it stays; none once its time is over.
    pub fn show(&self, context: &Context, width: f32) -> Option<Duration> {
        let left = self.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        let area = Area::new(Id::new("notice")).anchor(Align2::LEFT_BOTTOM, [10.0, -10.0]).interactable(false);
        area.show(context, |ui| {
            style::frame().show(ui, |ui| {
                ui.set_max_width((width - 40.0).max(20.0));
                let color = if self.is_error { style::ERROR } else { ui.visuals().text_color() };
                ui.add(egui::Label::new(egui::RichText::new(&self.text).color(color)).wrap());
            });
        });
        Some(left)
    }
}
