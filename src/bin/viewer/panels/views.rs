//! What the picture shows, with a legend of its colours.

use egui::epaint::Mesh;
use egui::{Color32, Rgba, Sense, Ui, pos2, vec2};
use tautline::glam::Vec3;
use tautline::model::Body;
use tautline::render::{LEVEL_COLORS, PIN_COLORS, Shown, batch_color, distance_color, full_speed, reach, scale_color};

use super::{Command, Facts};
use crate::arguments::VIEWS;

pub fn show(ui: &mut Ui, facts: &Facts<'_>, commands: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        for (view, name) in VIEWS {
            if ui.selectable_label(facts.shown == view, name).clicked() {
                commands.push(Command::Show(view));
            }
        }
    });
    match facts.shown.absence(facts.simulation()) {
        Some(reason) => {
            ui.weak(reason);
        }
        None => legend(ui, facts),
    }
}

fn legend(ui: &mut Ui, facts: &Facts<'_>) {
    match facts.shown {
        Shown::Looks | Shown::Wireframe => {}
        Shown::Stretch => scale(ui, ["0 %", "5 %", "10 % and more"], scale_color),
        Shown::Velocity => {
            let full = full_speed(facts.run.room);
            let ends = ["0 m/s".to_string(), format!("{} m/s", full / 2.0), format!("{full} m/s and more")];
            scale(ui, ends.each_ref().map(String::as_str), scale_color);
        }
        Shown::Contacts => {
            let reach = length(reach(facts.simulation().body()));
            let ends = [format!("{reach} inside"), "touching".to_string(), format!("{reach} away")];
            scale(ui, ends.each_ref().map(String::as_str), |share| distance_color(2.0 * share - 1.0));
        }
        Shown::Levels => {
            let levels = ["0: every particle", "1: every second", "2: every fourth", "3: baked motion"];
            LEVEL_COLORS.into_iter().zip(levels).for_each(|(color, level)| patch(ui, color, level));
        }
        Shown::Batches => batches(ui, facts),
        Shown::Pins => {
            patch(ui, PIN_COLORS[0], "held");
            patch(ui, PIN_COLORS[1], "held; an attachment carries it, or did");
        }
    }
}

/// A length in metres, in a unit that suits it, to two digits.
fn length(metres: f32) -> String {
    let two_digits = |value: f32| {
        let decimals = (1.0 - value.max(1e-9).log10().floor()).max(0.0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    };
    match metres {
        0.0..0.01 => format!("{} mm", two_digits(1e3 * metres)),
        0.01..1.0 => format!("{} cm", two_digits(1e2 * metres)),
        _ => format!("{} m", two_digits(metres)),
    }
}

/// A bar of the colours that `color` has for shares from 0 to 1, with what its ends and its middle stand for.
fn scale(ui: &mut Ui, [start, middle, end]: [&str; 3], color: impl Fn(f32) -> Vec3) {
    const PARTS: u32 = 40;
    let (bar, _) = ui.allocate_exact_size(vec2(ui.available_width(), 12.0), Sense::hover());
    let mut mesh = Mesh::default();
    for part in 0..=PARTS {
        let share = part as f32 / PARTS as f32;
        let x = egui::lerp(bar.left()..=bar.right(), share);
        let color = displayed(color(share));
        mesh.colored_vertex(pos2(x, bar.top()), color);
        mesh.colored_vertex(pos2(x, bar.bottom()), color);
        if part > 0 {
            let last = 2 * part;
            mesh.add_triangle(last - 2, last - 1, last);
            mesh.add_triangle(last - 1, last, last + 1);
        }
    }
    ui.painter().add(mesh);
    ui.columns(3, |columns| {
        columns[0].weak(start);
        columns[1].vertical_centered(|ui| ui.weak(middle));
        columns[2].with_layout(egui::Layout::right_to_left(egui::Align::Min), |ui| ui.weak(end));
    });
}

/// The number of each batch and of its constraints, in its colour.
fn batches(ui: &mut Ui, facts: &Facts<'_>) {
    let Body::Cloth(cloth) = facts.simulation().body() else { return };
    let sizes = cloth.coloring.batches().iter().map(ExactSizeIterator::len);
    let columns = (ui.available_width() / 80.0).max(1.0) as usize;
    egui::Grid::new("batches").num_columns(columns).spacing([8.0, 2.0]).show(ui, |ui| {
        for (batch, size) in sizes.enumerate() {
            patch(ui, batch_color(batch), &format!("{batch}: {size}"));
            if (batch + 1).is_multiple_of(columns) {
                ui.end_row();
            }
        }
    });
    if facts.simulation().constraint_counts().1 < cloth.coloring.batches().len() {
        ui.weak("Jacobi solves all of them at once; these are the batches of Gauss-Seidel.");
    }
}

/// A patch of colour and a word for it.
fn patch(ui: &mut Ui, color: Vec3, word: &str) {
    ui.horizontal(|ui| {
        let (patch, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
        ui.painter().rect_filled(patch, 2.0, displayed(color));
        ui.weak(word);
    });
}

/// Linear light as egui has colours.
fn displayed(color: Vec3) -> Color32 {
    Rgba::from_rgb(color.x, color.y, color.z).into()
}
