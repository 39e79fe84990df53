//! The panels of the window: what runs, what it does and how long that takes, and all that can be changed.
//!
//! They change nothing themselves: what a person asks for comes out of [`Panels::update`] as [`Command`]s.

mod field;
mod hands;
mod keys;
mod parameters;
mod run;
mod style;
mod timings;
mod views;

use std::time::{Duration, Instant};

use anyhow::Result;
use egui::ViewportId;
use egui::epaint::ClippedPrimitive;
use tautline::engine::{Device, DeviceInfo, Image, Recorder, vk};
use tautline::render::{Overlay, Shown};
use tautline::scene::Scene;
use tautline::solver::Simulation;
use winit::event::WindowEvent;
use winit::window::Window;

use crate::run::Run;
use hands::HandsShown;
use parameters::Parameters;
use timings::Timings;

/// What a person asks for in a panel.
pub enum Command {
    Reset,
    Pause,
    Step,
    Show(Shown),
    /// Goes on with these settings, which the solver takes while it runs.
    Apply(Box<Scene>),
    /// Starts with this scene.
    Start(Box<Scene>),
    /// Starts with the scene of this preset.
    StartPreset(&'static str),
}

/// What there is to be shown.
pub struct Facts<'a> {
    pub scene: &'a Scene,
    pub run: &'a Run,
    pub dropped: u64,
    pub paused: bool,
    pub shown: Shown,
}

impl Facts<'_> {
    fn simulation(&self) -> &Simulation {
        &self.run.simulation
    }

    fn device(&self) -> &DeviceInfo {
        self.run.device.info()
    }
}

/// The panels, with what they remember between two frames.
pub struct Panels {
    context: egui::Context,
    input: egui_winit::State,
    overlay: Overlay,
    primitives: Vec<ClippedPrimitive>,
    pixels_per_point: f32,
    parameters: Parameters,
    timings: Timings,
    visible: bool,
    keys_visible: bool,
    /// What went wrong with the last command.
    error: Option<String>,
    pub hands: HandsShown,
    /// When egui wants to be drawn again, though nothing happens.
    wake_at: Option<Instant>,
}

impl Panels {
    pub fn new(window: &Window, device: &Device, format: vk::Format, scene: &Scene, visible: bool) -> Result<Self> {
        let context = egui::Context::default();
        style::apply(&context);
        let scale = window.scale_factor() as f32;
        let most = device.limits().max_image_dimension2_d as usize;
        Ok(Self {
            input: egui_winit::State::new(context.clone(), ViewportId::ROOT, window, Some(scale), None, Some(most)),
            context,
            overlay: Overlay::new(device, format)?,
            primitives: Vec::new(),
            pixels_per_point: scale,
            parameters: Parameters::new(scene),
            timings: Timings::default(),
            visible,
            keys_visible: false,
            error: None,
            hands: HandsShown::default(),
            wake_at: None,
        })
    }

    /// Whether an event is for the panels alone. `changed` becomes true where they have to be drawn again.
    pub fn take(&mut self, window: &Window, event: &WindowEvent, changed: &mut bool) -> bool {
        let response = self.input.on_window_event(window, event);
        if !self.open() {
            // egui is told of what is held down and where the mouse is, and not of what was done meanwhile.
            self.input.egui_input_mut().events.clear();
            return false;
        }
        // Every frame asks for a redraw itself.
        *changed |= response.repaint && !matches!(event, WindowEvent::RedrawRequested);
        // Esc closes what has popped up, before it closes the window.
        response.consumed
            || matches!(event, WindowEvent::KeyboardInput { .. }) && egui::Popup::is_any_open(&self.context)
    }

    /// Shows the panel at the side, or hides it.
    pub fn toggle(&mut self) {
        self.visible = !self.visible;
    }

    /// Shows the list of keys, or hides it.
    pub fn toggle_keys(&mut self) {
        self.keys_visible = !self.keys_visible;
    }

    /// Tells why a command failed; `None` takes that back.
    pub fn tell(&mut self, error: Option<String>) {
        self.error = error;
    }

    /// Shows another scene from now on.
    pub fn started(&mut self, scene: &Scene) {
        self.parameters = Parameters::new(scene);
        self.timings = Timings::default();
        self.error = None;
    }

    /// When the panels have to be drawn again, though nothing happens.
    pub fn wake_at(&self) -> Option<Instant> {
        self.wake_at.filter(|_| self.open() || self.hands.is_some())
    }

    /// Share of a window, so many pixels wide, that the panel at its side covers.
    pub fn covered(&self, width: u32) -> f32 {
        let points = width.max(1) as f32 / self.pixels_per_point;
        if self.visible { style::panel_width(points) / points } else { 0.0 }
    }

    fn open(&self) -> bool {
        self.visible || self.keys_visible
    }

    /// Lays the panels out, and returns what was asked for since the last time.
    pub fn update(&mut self, window: &Window, facts: &Facts<'_>) -> Result<Vec<Command>> {
        let mut commands = Vec::new();
        self.primitives.clear();
        if !self.open() && !self.hands.is_some() {
            return Ok(commands);
        }
        let input = self.input.take_egui_input(window);
        let context = self.context.clone();
        let output = context.run_ui(input, |ui| self.show(ui, facts, &mut commands));
        self.input.handle_platform_output(window, output.platform_output);
        self.overlay.update_textures(output.textures_delta)?;
        self.pixels_per_point = output.pixels_per_point;
        self.primitives = context.tessellate(output.shapes, self.pixels_per_point);
        let delay = output.viewport_output.get(&ViewportId::ROOT).map_or(Duration::MAX, |root| root.repaint_delay);
        self.wake_at = Instant::now().checked_add(delay);
        Ok(commands)
    }

    /// Records what was laid out over a finished picture.
    pub fn record(&mut self, recorder: &mut Recorder<'_>, picture: &Image) -> Result<()> {
        Ok(self.overlay.record(recorder, &self.primitives, self.pixels_per_point, picture)?)
    }

    fn show(&mut self, ui: &mut egui::Ui, facts: &Facts<'_>, commands: &mut Vec<Command>) {
        if self.visible {
            let width = style::panel_width(ui.available_width());
            let panel = egui::Panel::right("panel").exact_size(width).resizable(false).frame(style::frame());
            panel.show(ui, |ui| {
                egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| self.sections(ui, facts, commands));
            });
        }
        if self.keys_visible {
            keys::show(ui, &mut self.keys_visible);
        }
        let covered = if self.visible { style::panel_width(ui.ctx().content_rect().width()) } else { 0.0 };
        self.hands.show(ui.ctx(), covered);
    }

    fn sections(&mut self, ui: &mut egui::Ui, facts: &Facts<'_>, commands: &mut Vec<Command>) {
        run::show(ui, facts, commands);
        if let Some(error) = &self.error {
            ui.add_space(6.0);
            ui.colored_label(style::ERROR, error);
        }
        ui.add_space(6.0);
        style::section(ui, "View", true, |ui| views::show(ui, facts.shown, commands));
        style::section(ui, "Timings", true, |ui| self.timings.show(ui, facts));
        style::section(ui, "Parameters", true, |ui| self.parameters.show(ui, facts.scene, commands));
        ui.add_space(6.0);
        ui.weak("Tab hides this panel, F1 lists the keys");
    }
}
