//! The panels of the window: what runs, what it does and how long that takes, and all that can be changed.
//!
//! They change nothing themselves: what a person asks for comes out of [`Panels::update`] as [`Command`]s.

mod field;
mod keys;
mod message;
mod outputs;
mod parameters;
mod pass;
mod pointer;
mod run;
mod stroke;
mod style;
mod timings;
mod views;

use std::time::{Duration, Instant};

use anyhow::Result;
use egui::ViewportId;
use egui::epaint::ClippedPrimitive;
use tautline::engine::{Device, DeviceInfo, Image, PassWork, Recorder, vk};
use tautline::render::{Overlay, Shown};
use tautline::scene::Scene;
use tautline::solver::Simulation;
use winit::event::WindowEvent;
use winit::window::Window;

use crate::arguments::{Backend, Present};
use crate::run::Run;
use crate::video::Format;
use crate::window::Outputs;
use message::Message;
use parameters::Parameters;
use stroke::Stroke;
use timings::Timings;

/// What a person asks for in a panel.
pub enum Command {
    Reset,
    Pause,
    Step,
    /// Goes to a frame of the cache that is played back.
    Seek(u32),
    Show(Shown),
    TakePicture,
    /// Begins to record a video, or ends it.
    ToggleRecording,
    SaveState,
    /// Chooses how the next video is written.
    RecordAs(Format),
    /// Goes on with this scene: from where the body is now, if it is still the same body.
    Change(Box<Scene>),
    /// Goes on with another backend.
    Compute(Backend),
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
    pub outputs: &'a Outputs,
    pub present: Present,
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
    /// The mouse is over one of them.
    pointed_at: bool,
    message: Option<Message>,
    pub stroke: Stroke,
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
            pointed_at: false,
            message: None,
            stroke: Stroke::default(),
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
        *changed |= response.repaint
            && match event {
                // Every frame asks for a redraw itself.
                WindowEvent::RedrawRequested => false,
                WindowEvent::CursorMoved { position, .. } => self.shows_motion(*position),
                _ => true,
            };
        match event {
            // egui itself would go by where the mouse was when the panels were drawn last.
            WindowEvent::MouseInput { .. } | WindowEvent::MouseWheel { .. } => self.has_pointer(),
            // Esc closes what has popped up, before it closes the window.
            WindowEvent::KeyboardInput { .. } => response.consumed || egui::Popup::is_any_open(&self.context),
            _ => response.consumed,
        }
    }

    /// Shows the panel at the side, or hides it.
    pub fn toggle(&mut self) {
        self.visible = !self.visible;
    }

    pub fn is_visible(&self) -> bool {
        self.visible
    }

    /// Shows the list of keys, or hides it.
    pub fn toggle_keys(&mut self) {
        self.keys_visible = !self.keys_visible;
    }

    /// Tells over the scene what went wrong.
    pub fn tell(&mut self, error: String) {
        self.message = Some(Message::of_error(error));
    }

    /// Takes back what went wrong, since it goes well now.
    pub fn take_back(&mut self) {
        self.message.take_if(|message| message.is_error());
    }

    /// Tells over the scene what has been done.
    pub fn announce(&mut self, text: String) {
        self.message = Some(Message::of_success(text));
    }

    /// Shows another scene from now on.
    pub fn started(&mut self, scene: &Scene) {
        self.parameters.started(scene);
        self.timings = Timings::default();
        self.take_back();
    }

    /// When the panels have to be drawn again, though nothing happens.
    pub fn wake_at(&self) -> Option<Instant> {
        self.wake_at.filter(|_| self.open() || !self.stroke.is_empty())
    }

    /// Share of a window, so many pixels wide, that the panel at its side covers.
    pub fn covered(&self, width: u32) -> f32 {
        let points = width.max(1) as f32 / self.pixels_per_point;
        if self.visible { style::panel_width(points) / points } else { 0.0 }
    }

    fn open(&self) -> bool {
        self.visible || self.keys_visible || self.message.is_some()
    }

    /// Whether the work of the next frame is to be kept, for [`Panels::look`].
    pub fn wants_work(&self) -> bool {
        self.visible && self.timings.pass.wants_work()
    }

    /// Takes the work of a frame.
    pub fn look(&mut self, frame: Vec<PassWork>) {
        self.timings.pass.look(frame);
    }

    /// Lays the panels out, and returns what was asked for since the last time.
    pub fn update(&mut self, window: &Window, facts: &Facts<'_>) -> Result<Vec<Command>> {
        let mut commands = Vec::new();
        self.primitives.clear();
        self.message.take_if(|message| message.is_over());
        if !self.open() && self.stroke.is_empty() {
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

    /// Makes the pipeline anew that draws into pictures of `format`.
    #[cfg(feature = "hot-reload")]
    pub fn renew_pipeline(&mut self, format: vk::Format) -> Result<()> {
        Ok(self.overlay.renew_pipeline(format)?)
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
        let width = if self.visible { style::panel_width(ui.ctx().content_rect().width()) } else { 0.0 };
        if let Some(message) = &mut self.message {
            message.show(ui, width);
        }
        self.stroke.show(ui.ctx());
    }

    fn sections(&mut self, ui: &mut egui::Ui, facts: &Facts<'_>, commands: &mut Vec<Command>) {
        run::show(ui, facts, commands);
        ui.add_space(6.0);
        style::section(ui, "View", true, |ui| views::show(ui, facts, commands));
        outputs::show(ui, facts, commands);
        style::section(ui, "Timings", true, |ui| self.timings.show(ui, facts));
        style::section(ui, "Parameters", true, |ui| self.parameters.show(ui, facts.scene, commands));
        ui.add_space(6.0);
        ui.weak("Tab hides this panel, F1 lists the keys");
    }
}
