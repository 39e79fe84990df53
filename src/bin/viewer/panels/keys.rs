//! The list of keys.

use egui::{Align2, Ui};

/// Each key of the window, and what it does.
const KEYS: &[(&str, &str)] = &[
    ("Drag", "pull at cloth and ropes, move a collider, or orbit"),
    ("Ctrl drag", "cut"),
    ("Shift click", "pin, or let go"),
    ("Right drag", "pan"),
    ("Scroll", "zoom"),
    ("Space", "pause, or go on"),
    ("N", "pause, and step once"),
    ("R", "start again"),
    ("F5", "load the scene's file again"),
    ("V", "the next view"),
    ("J", "Gauss-Seidel or Jacobi"),
    ("+", "constraints 1 % longer"),
    ("-", "constraints 1 % shorter"),
    ("P", "take a picture"),
    ("M", "record a video, or end it"),
    ("S", "save the state"),
    #[cfg(feature = "capture")]
    ("F12", "capture the next frame for RenderDoc"),
    ("Tab", "show or hide the panel"),
    ("F1", "show or hide this list"),
    ("Esc", "quit"),
];

pub fn show(ui: &Ui, open: &mut bool) {
    let window = egui::Window::new("Keys").open(open).collapsible(false).resizable(false);
    window.anchor(Align2::CENTER_CENTER, [0.0, 0.0]).show(ui.ctx(), |ui| {
        egui::Grid::new("keys").num_columns(2).spacing([24.0, 5.0]).show(ui, |ui| {
            for &(key, meaning) in KEYS {
                ui.strong(key);
                ui.label(meaning);
                ui.end_row();
            }
        });
    });
}
