//! What runs, and the buttons that stop it and start it again.

use egui::Ui;
use tautline::engine::MOST_SAMPLES;
use tautline::scene::{Scene, SolverKind, presets};

use super::style::fact;
use super::{Command, Facts};
use crate::arguments::Backend;

pub fn show(ui: &mut Ui, facts: &Facts<'_>, commands: &mut Vec<Command>) {
    let Facts { scene, paused, .. } = *facts;
    let simulation = facts.simulation();
    egui::ComboBox::from_id_salt("preset").width(ui.available_width()).selected_text(&scene.name).show_ui(ui, |ui| {
        for (name, description) in presets() {
            if ui.selectable_label(scene.name == name, name).on_hover_text(description).clicked() {
                commands.push(Command::StartPreset(name));
            }
        }
    });
    ui.add_space(2.0);
    ui.columns(3, |columns| {
        columns.iter_mut().for_each(|column| column.spacing_mut().button_padding.x = 2.0);
        let mut button = |index: usize, text: &str, key: &str, command: Command| {
            let size = egui::vec2(columns[index].available_width(), 24.0);
            if columns[index].add_sized(size, egui::Button::new(text).truncate()).on_hover_text(key).clicked() {
                commands.push(command);
            }
        };
        button(0, "Reset", "R", Command::Reset);
        button(1, if paused { "Go on" } else { "Pause" }, "Space", Command::Pause);
        button(2, "Step", "N", Command::Step);
    });
    pace(ui, scene, commands);
    frame(ui, facts, commands);
    ui.add_space(2.0);
    let (constraints, batches) = simulation.constraint_counts();
    let device = facts.device();
    egui::Grid::new("facts").num_columns(2).spacing([12.0, 4.0]).show(ui, |ui| {
        fact(ui, "Time", format!("{:.2} s", simulation.time()));
        if let Some(playback) = &scene.playback {
            fact(ui, "Cache", format!("{} frames", grouped(playback.frame_count() as usize)));
        } else {
            choice(ui, "Solver", scene.solver, solvers(scene), SolverKind::to_string, |solver| {
                commands.push(Command::Change(Box::new(Scene { solver, ..scene.clone() })));
            });
            let name = |backend: &Backend| if *backend == Backend::Cpu { "CPU".into() } else { "GPU".to_string() };
            choice(ui, "Runs on", facts.run.backend(), [Backend::Gpu, Backend::Cpu], name, |backend| {
                commands.push(Command::Compute(backend));
            });
        }
        if let Ok(Some(mesh)) = scene.scene_mesh() {
            let size = mesh.size();
            let text = format!("{:.2} x {:.2} x {:.2} m", size.x, size.y, size.z);
            fact(ui, "Mesh", text).on_hover_ui(|ui| drop(ui.label(mesh.summary())));
        }
        fact(ui, "Particles", grouped(simulation.body().positions().len()));
        if constraints > 0 {
            fact(ui, "Constraints", format!("{} in {batches} batches", grouped(constraints)));
        }
        fact(ui, "Device", &device.name);
        fact(ui, "Driver", &device.driver);
        if device.samples < MOST_SAMPLES {
            fact(ui, "Samples", format!("{} of {MOST_SAMPLES} a pixel", device.samples));
        }
    });
}

/// Solvers that can move the body of a scene.
fn solvers(scene: &Scene) -> impl Iterator<Item = SolverKind> {
    let moves_ropes = |solver| solver == SolverKind::Rope;
    SolverKind::ALL.into_iter().filter(move |solver| {
        let is_one_grid = scene.mesh.is_none() && scene.cloth_count == 1;
        moves_ropes(*solver) == moves_ropes(scene.solver) && (is_one_grid || !solver.needs_grid())
    })
}

/// One line of a table of two columns: a name, and a list of what can be chosen instead.
fn choice<T: Copy + PartialEq>(
    ui: &mut Ui,
    name: &str,
    chosen: T,
    choices: impl IntoIterator<Item = T>,
    text: impl Fn(&T) -> String,
    mut choose: impl FnMut(T),
) {
    ui.weak(name);
    egui::ComboBox::from_id_salt(name).width(ui.available_width()).selected_text(text(&chosen)).show_ui(ui, |ui| {
        for one in choices {
            if ui.selectable_label(one == chosen, text(&one)).clicked() && one != chosen {
                choose(one);
            }
        }
    });
    ui.end_row();
}

/// The slider of slow motion.
fn pace(ui: &mut Ui, scene: &Scene, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.weak("Speed").on_hover_text("Seconds of simulated time in one of wall time");
        ui.spacing_mut().slider_width = (ui.available_width() - 64.0).max(20.0);
        let mut pace = scene.time_scale;
        let slider = egui::Slider::new(&mut pace, 0.0..=2.0).fixed_decimals(2).step_by(0.01).suffix("x");
        if ui.add(slider.clamping(egui::SliderClamping::Edits)).changed() {
            commands.push(Command::Change(Box::new(Scene { time_scale: pace, ..scene.clone() })));
        }
    });
}

/// The slider of the frames of a cache, where one is played back.
fn frame(ui: &mut Ui, facts: &Facts<'_>, commands: &mut Vec<Command>) {
    let Some(playback) = &facts.scene.playback else { return };
    ui.horizontal(|ui| {
        ui.weak("Frame").on_hover_text("The frame of the cache; the first is 0");
        ui.spacing_mut().slider_width = (ui.available_width() - 64.0).max(20.0);
        let mut frame = playback.frame_at(facts.simulation().time());
        let slider = egui::Slider::new(&mut frame, 0..=playback.frame_count() - 1);
        if ui.add(slider).changed() {
            commands.push(Command::Seek(frame));
        }
    });
}

/// A count with a comma before every three digits.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
