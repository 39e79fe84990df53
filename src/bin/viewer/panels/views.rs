//! What the picture shows, with a legend of its colours.

use egui::epaint::Mesh;
use egui::{Color32, Rgba, Sense, Ui, pos2};
use tautline::render::Shown;

use super::Command;
use crate::arguments::VIEWS;

pub fn show(ui: &mut Ui, shown: Shown, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        for (view, name) in VIEWS {
            if ui.selectable_label(shown == view, name).clicked() {
                commands.push(Command::Show(view));
            }
        }
    });
    match shown {
        Shown::Looks => {}
        Shown::Stretch => stretch(ui),
        Shown::Levels => levels(ui),
    }
}

/// The colours of `glsl/lib/stretch.glsl`, at none, 2.5 %, 5 %, 7.5 %, and 10 % and more.
const STRETCH: [Color32; 5] = [
    Color32::from_rgb(0x44, 0x01, 0x54),
    Color32::from_rgb(0x3b, 0x52, 0x8b),
    Color32::from_rgb(0x21, 0x91, 0x8c),
    Color32::from_rgb(0x5e, 0xc9, 0x62),
    Color32::from_rgb(0xfd, 0xe7, 0x25),
];

/// The colours of `glsl/view/rope.frag`, linear, and what they stand for.
const LEVELS: [(Rgba, &str); 4] = [
    (Rgba::from_rgb(0.03, 0.40, 0.12), "0: every particle"),
    (Rgba::from_rgb(0.75, 0.52, 0.02), "1: every second"),
    (Rgba::from_rgb(0.70, 0.10, 0.03), "2: every fourth"),
    (Rgba::from_rgb(0.14, 0.12, 0.60), "3: baked motion"),
];

/// A bar from none to 10 %.
fn stretch(ui: &mut Ui) {
    const PARTS: u32 = 40;
    let (bar, _) = ui.allocate_exact_size(egui::vec2(ui.available_width(), 12.0), Sense::hover());
    let mut mesh = Mesh::default();
    for part in 0..=PARTS {
        let share = part as f32 / PARTS as f32;
        let x = egui::lerp(bar.left()..=bar.right(), share);
        mesh.colored_vertex(pos2(x, bar.top()), stretch_color(share));
        mesh.colored_vertex(pos2(x, bar.bottom()), stretch_color(share));
        if part > 0 {
            let last = 2 * part;
            mesh.add_triangle(last - 2, last - 1, last);
            mesh.add_triangle(last - 1, last, last + 1);
        }
    }
    ui.painter().add(mesh);
    ui.columns(3, |columns| {
        columns[0].weak("0 %");
        columns[1].vertical_centered(|ui| ui.weak("5 %"));
        columns[2].with_layout(egui::Layout::right_to_left(egui::Align::Min), |ui| ui.weak("10 % and more"));
    });
}

/// Between two colours as the shader has it, in linear light.
fn stretch_color(share: f32) -> Color32 {
    let place = share * (STRETCH.len() - 1) as f32;
    let below = (place as usize).min(STRETCH.len() - 2);
    let (from, to) = (Rgba::from(STRETCH[below]), Rgba::from(STRETCH[below + 1]));
    let between = place - below as f32;
    (from * (1.0 - between) + to * between).into()
}

/// A patch of colour and a word for each level.
fn levels(ui: &mut Ui) {
    for (color, level) in LEVELS {
        ui.horizontal(|ui| {
            let (patch, _) = ui.allocate_exact_size(egui::vec2(12.0, 12.0), Sense::hover());
            ui.painter().rect_filled(patch, 2.0, color);
            ui.weak(level);
        });
    }
}
