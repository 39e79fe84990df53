//! Every parameter of the scene: some hold at once, the others with the next start.

use egui::{Align, Button, Layout, TextEdit, Ui};
use tautline::scene::{Effect, Key, Scene};

use super::field::{Typed, field};
use super::{Command, style};

/// The parameters as they are edited, before they hold.
pub struct Parameters {
    draft: Scene,
    /// What is wrong with the last edit.
    error: Option<String>,
    /// Shows only keys whose names have this in them.
    search: String,
    typed: Option<Typed>,
}

impl Parameters {
    pub fn new(scene: &Scene) -> Self {
        Self { draft: scene.clone(), error: None, search: String::new(), typed: None }
    }

    /// Shows another scene, and of it what is searched for already.
    pub fn started(&mut self, scene: &Scene) {
        *self = Self { search: std::mem::take(&mut self.search), ..Self::new(scene) };
    }

    pub fn show(&mut self, ui: &mut Ui, scene: &Scene, commands: &mut Vec<Command>) {
        ui.add(TextEdit::singleline(&mut self.search).hint_text("Search").desired_width(f32::INFINITY));
        let keys = Scene::keys().iter().filter(|key| self.is_shown(key, scene));
        let (others, live): (Vec<&Key>, Vec<&Key>) = keys.partition(|key| key.effect(scene) == Effect::Body);
        if !live.is_empty() {
            ui.weak("At once");
            self.edit(ui, &live, scene, Some(commands));
            ui.add_space(4.0);
        }
        let differs = others.iter().any(|key| key.text(&self.draft) != key.text(scene));
        ui.horizontal(|ui| {
            ui.weak("With the next start");
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add_enabled(differs, Button::new("Restart with these")).clicked() {
                    commands.push(Command::Change(Box::new(self.draft(scene))));
                }
                if ui.add_enabled(differs, Button::new("Undo")).clicked() {
                    self.started(scene);
                }
            });
        });
        if let Some(error) = &self.error {
            ui.colored_label(style::ERROR, error);
        }
        self.edit(ui, &others, scene, None);
    }

    /// The scene with what is edited of its body.
    fn draft(&self, scene: &Scene) -> Scene {
        let mut draft = scene.clone();
        for key in Scene::keys().iter().filter(|key| key.effect(scene) == Effect::Body) {
            // It was valid when it was edited.
            let _ = key.text(&self.draft).map(|text| draft.change(key.name, &text));
        }
        draft
    }

    /// Whether a key does something here and is searched for. The pace has a slider of its own.
    fn is_shown(&self, key: &Key, scene: &Scene) -> bool {
        let has_field = key.effect(scene) != Effect::None && !["time_scale", "solver"].contains(&key.name);
        has_field && key.name.contains(self.search.trim())
    }

    /// Fields for some keys; those that hold at once show the running scene, and send what changes in it.
    fn edit(&mut self, ui: &mut Ui, keys: &[&'static Key], scene: &Scene, mut commands: Option<&mut Vec<Command>>) {
        for key in keys {
            let source = if commands.is_some() { scene } else { &self.draft };
            let before = key.text(source).unwrap_or_default();
            // A solver that is made anew on every pixel of the way would have the window stutter.
            let waits = key.effect(scene) == Effect::Solver;
            let after = ui.horizontal(|ui| {
                name(ui, key);
                field(ui, key, &before, waits, &mut self.typed)
            });
            let Some(after) = after.inner else { continue };
            let mut changed = source.clone();
            let result = changed.change(key.name, &after).and_then(|()| match &commands {
                Some(_) => changed.validate(),
                // Several may have to change before they go together.
                None => Ok(()),
            });
            self.error = result.as_ref().err().map(ToString::to_string);
            if result.is_ok() {
                match &mut commands {
                    Some(commands) => commands.push(Command::Change(Box::new(changed))),
                    None => self.draft = changed,
                }
            }
        }
    }
}

/// The name of a key and its unit, in a column of their own.
fn name(ui: &mut Ui, key: &Key) {
    let size = egui::vec2(0.54 * ui.available_width(), ui.spacing().interact_size.y);
    let column = ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.set_min_size(size);
        ui.weak(key.unit);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add(egui::Label::new(key.name.replace('_', " ")).truncate());
        });
    });
    column.response.on_hover_text(description(key));
}

/// What a key means, and what it can be.
fn description(key: &Key) -> String {
    format!(
        "{}\n\n{} has to be {}",
        key.documentation.replace("\\[", "[").replace("\\]", "]").trim(),
        key.name,
        key.expected()
    )
}
