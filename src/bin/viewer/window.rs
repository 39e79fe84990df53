//! Runs a scene in a window.

#[cfg(feature = "capture")]
mod capture;
mod controls;
mod files;
mod hands;
#[cfg(feature = "hot-reload")]
mod hot_reload;
mod opening;
mod outputs;
mod pointer;
mod recovery;
mod states;
mod title;
mod watching;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tautline::engine::{Device, Surface, Swapchain};
use tautline::glam::Vec2;
use tautline::render::{self, Camera, Shown, ViewTargets};
use tautline::scene::{Playback, Scene};
use tautline::solver::{Backup, Clock};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use crate::arguments::{Arguments, Present};
#[cfg(feature = "capture")]
use crate::capture::FrameCapture;
use crate::interrupt;
use crate::mouse::{Mouse, zoom};
use crate::output;
use crate::panels::Panels;
use crate::run::{Run, open_device};
use crate::source::Source;
use crate::state_file;
use hands::{Hands, Tool};
pub use opening::Opening;
pub use outputs::Outputs;
use recovery::Kept;

/// How often a hidden window looks whether it is shown again; not every display says so.
const HIDDEN_CHECK: Duration = Duration::from_millis(250);
/// The most steps of a frame. At 60 frames a second, steps of 1/480 s keep up with the wall clock; where a device is too
/// slow for that, the cloth slows down and the window goes on answering.
const MAX_STEPS: u32 = 8;

pub fn run(arguments: &Arguments, opening: &Opening, display: EventLoop<()>) -> Result<()> {
    let mut application = Application { arguments, opening, view: None, outcome: Ok(()) };
    let ended = display.run_app(&mut application);
    if let Some(view) = &application.view {
        view.remember();
    }
    ended?;
    application.outcome?;
    match application.view {
        Some(view) => view.finish(arguments),
        None => Ok(()),
    }
}

struct Application<'a> {
    arguments: &'a Arguments,
    opening: &'a Opening,
    view: Option<View>,
    outcome: Result<()>,
}

/// The window and what it shows.
struct View {
    run: Run,
    backup: Backup,
    /// What runs, with what was changed since it started.
    scene: Scene,
    /// What it was loaded from.
    source: Source,
    /// A file that was dropped on the window, and is to be opened before the next frame.
    dropped: Option<PathBuf>,
    clock: Clock,
    /// When the clock was last read.
    read_at: Instant,
    drawing: render::View,
    /// It keeps the state before the last step, to draw what lies between.
    kept: bool,
    shown: Shown,
    panels: Panels,
    outputs: Outputs,
    targets: Option<ViewTargets>,
    swapchain: Swapchain,
    present: Present,
    window: Arc<Window>,
    camera: Camera,
    /// As the last event said: winit panics when a window that is gone is asked.
    size: PhysicalSize<u32>,
    /// Fully behind other windows.
    occluded: bool,
    /// The window has changed, and the swapchain has to be remade before the next frame.
    stale: bool,
    /// The picture has to be drawn again, even when no step runs.
    changed: bool,
    /// No frame was due, so the time since the last one is no frame's time.
    idle: bool,
    paused: bool,
    /// How many single steps are still to be run while it is paused.
    steps_due: u32,
    mouse: Mouse,
    tool: Tool,
    hands: Hands,
    frames_left: Option<u32>,
    title_due: Instant,
    /// When device or surface were lost lately.
    losses: Vec<Instant>,
    #[cfg(feature = "capture")]
    capture: FrameCapture,
    #[cfg(feature = "hot-reload")]
    hot_reload: Option<hot_reload::HotReload>,
}

impl View {
    /// Opens device and scene for a window.
    fn on(kept: Kept, arguments: &Arguments) -> Result<Self> {
        let Kept { window, instance, scene, source, size, shown, paused, frames_left, losses, .. } = kept;
        let surface = Surface::new(&instance, window.clone())?;
        let device = open_device(&instance, arguments, true)?;
        let mut run = Run::on(device, kept.backend, &scene)?;
        run.steps = kept.steps;
        if arguments.trace.is_some() {
            run.keep_timeline();
        }
        if let Some(state) = &kept.state {
            run.go_on_from(state)?;
        }
        let (swapchain, present) = swapchain(&run.device, &surface, arguments)?;
        let drawing = run.view(swapchain.format(), shown)?;
        let mut panels = Panels::new(&window, &run.device, swapchain.format(), &scene, kept.has_panel)?;
        if let Some(note) = kept.note.or_else(|| fallback(arguments, present)) {
            panels.tell(note);
        }
        let covered = panels.covered(size.width);
        let camera = kept.camera.unwrap_or_else(|| framing(&run, [size.width, size.height], covered));
        Ok(Self {
            // Once, even where the device is opened again.
            #[cfg(feature = "capture")]
            capture: FrameCapture::of(arguments.capture_frame.filter(|_| losses.is_empty()), &run.device)?,
            hands: Hands::new(&run)?,
            clock: Clock::new(run.simulation.step().dt, scene.time_scale, MAX_STEPS),
            scene,
            source,
            dropped: None,
            read_at: Instant::now(),
            backup: Backup::new(&run.device, &run.simulation, kept.state)?,
            run,
            drawing,
            kept: false,
            shown,
            panels,
            outputs: Outputs::new(kept.video_format),
            targets: None,
            swapchain,
            present,
            size,
            window,
            camera,
            occluded: false,
            stale: true,
            changed: true,
            // Opening the window was no frame either.
            idle: true,
            paused,
            steps_due: 0,
            mouse: kept.mouse,
            tool: kept.tool,
            frames_left,
            title_due: Instant::now(),
            losses,
            #[cfg(feature = "hot-reload")]
            hot_reload: arguments.hot_reload.as_deref().map(hot_reload::HotReload::new).transpose()?,
        })
    }

    /// Steps, draws and shows one frame; nothing happens while the window has no area.
    fn frame(&mut self) -> Result<()> {
        if std::mem::take(&mut self.idle) {
            self.run.start_clock();
            self.read_at = Instant::now();
        }
        // Right after the events, which notice when the display has gone: winit panics when a title cannot be sent.
        self.update_title();
        if self.stale && !self.resize()? {
            return Ok(());
        }
        // What is asked for from here on changes the next picture.
        self.changed = false;
        self.heed_guard()?;
        self.tell_outcomes()?;
        self.open_dropped();
        self.use_hands()?;
        self.update_panels()?;
        self.camera.covered = self.panels.covered(self.size.width);
        let start = Instant::now();
        let Some(frame) = self.swapchain.acquire()? else {
            self.stale = true;
            return Ok(());
        };
        self.run.note("wait for an image of the window", start);
        let steps = self.steps();
        let Some(targets) = &self.targets else {
            return Ok(());
        };
        self.run.simulation.set_camera(self.camera.position());
        self.drawing.scale(self.window.scale_factor() as f32);
        #[cfg(feature = "capture")]
        if let Err(error) = self.capture.start(self.run.frames.next_number()) {
            self.panels.tell(format!("{error:#}"));
        }
        let start = Instant::now();
        let mut recorder = self.run.frames.begin()?;
        let looks_at_work = self.panels.wants_work();
        if looks_at_work {
            recorder.keep_work();
        }
        if steps == 0 {
            self.run.simulation.record_hands(&mut recorder)?;
        }
        for left in (0..steps).rev() {
            if left == 0 {
                self.run.simulation.record_jumps(&mut recorder)?;
                self.drawing.keep(&mut recorder, &self.run.simulation)?;
                self.kept = true;
            }
            self.backup.record(&mut recorder, &mut self.run.simulation)?;
            self.run.guard.look(&mut recorder, &mut self.run.simulation, false)?;
        }
        self.run.guard.close(&mut recorder)?;
        if let Some(problem) = self.scene.playback.as_ref().and_then(Playback::take_failure) {
            self.panels.tell(problem);
        }
        let alpha = if self.kept && !self.paused { self.clock.alpha() } else { 1.0 };
        self.drawing.record(&mut recorder, &self.run.simulation, alpha, &self.camera, targets, &frame.image)?;
        self.panels.record(&mut recorder, &frame.image)?;
        if looks_at_work {
            self.panels.look(recorder.work());
        }
        self.outputs.record(&mut recorder, &self.drawing, &self.run.simulation, &self.camera, (steps, alpha))?;
        let extent = Vec2::new(self.size.width as f32, self.size.height as f32);
        self.hands.record(&mut recorder, &self.run.simulation, extent)?;
        self.window.pre_present_notify();
        let (ticket, fits) = self.swapchain.present(recorder, frame)?;
        self.run.note("record, submit and present", start);
        self.stale = !fits;
        self.outputs.submitted();
        self.hands.submitted(ticket);
        self.run.submitted(ticket, steps, false)?;
        self.backup.submitted();
        #[cfg(feature = "capture")]
        self.end_capture();
        if let Some(left) = &mut self.frames_left {
            *left -= steps;
        }
        Ok(())
    }

    /// How many steps the next frame has to run; never more than were asked for.
    fn steps(&mut self) -> u32 {
        let now = Instant::now();
        let wall = now - std::mem::replace(&mut self.read_at, now);
        let most = self.outputs.most_steps().min(self.frames_left.unwrap_or(u32::MAX));
        let steps = if self.paused { self.steps_due.min(1).min(most) } else { self.clock.advance_at_most(wall, most) };
        self.steps_due = self.steps_due.saturating_sub(steps);
        steps
    }

    /// Whether nobody can see the window.
    fn hidden(&self) -> bool {
        self.occluded || self.size.width == 0 || self.size.height == 0 || self.window.is_minimized() == Some(true)
    }

    /// Whether the picture differs from the one that the window shows.
    fn frame_due(&self) -> bool {
        let is_busy = self.outputs.busy() || self.hands.is_searching();
        !self.paused || self.steps_due > 0 || self.stale || self.changed || is_busy
    }

    /// False while the window has no area.
    fn resize(&mut self) -> Result<bool> {
        self.targets = None;
        let Some(extent) = self.swapchain.resize([self.size.width, self.size.height])? else {
            return Ok(false);
        };
        self.targets = Some(ViewTargets::new(&self.run.device, extent, self.swapchain.format())?);
        self.stale = false;
        Ok(true)
    }

    fn finish(self, arguments: &Arguments) -> Result<()> {
        let saved = state_file::save(arguments, || self.state());
        let before = self.drawing.kept(&self.run.simulation)?;
        let Self { run, scene, camera, outputs, .. } = self;
        let written = outputs.finish();
        // Pictures have no panel.
        let camera = Camera { covered: 0.0, ..camera };
        let ended = run.finish(arguments, &scene, arguments.image.as_deref(), Some(camera), before);
        state_file::told(ended.and(written), saved)
    }
}

/// A swapchain in the mode that was asked for, or in the one that every surface has, and which of them.
fn swapchain(device: &Device, surface: &Surface, arguments: &Arguments) -> Result<(Swapchain, Present)> {
    let swapchain = Swapchain::new(device, surface, arguments.present.mode())?;
    let present = if swapchain.mode() == arguments.present.mode() { arguments.present } else { Present::Fifo };
    Ok((swapchain, present))
}

/// What is told where frames are not shown in the mode that was asked for.
fn fallback(arguments: &Arguments, present: Present) -> Option<String> {
    if present == arguments.present {
        return None;
    }
    let text = format!("this window cannot show frames {}: they are shown {present}", arguments.present);
    output::tell(&text);
    Some(text)
}

/// A camera that sees all of a run in what the panel leaves of a window.
fn framing(run: &Run, [width, height]: [u32; 2], covered: f32) -> Camera {
    let aspect = (1.0 - covered) * width.max(1) as f32 / height.max(1) as f32;
    Camera { covered, ..Camera::framing(&run.room.corners(), aspect) }
}

impl Application<'_> {
    /// Opens again what was lost, or ends the loop with the error, if there is one.
    fn check(&mut self, event_loop: &ActiveEventLoop, result: Result<()>) {
        let Err(error) = result else {
            return;
        };
        let recovered = match self.view.take() {
            Some(view) => view.recover(error, self.arguments),
            None => Err(error),
        };
        match recovered {
            Ok(view) => self.view = Some(view),
            Err(error) => {
                self.outcome = Err(error);
                event_loop.exit();
            }
        }
    }
}

impl ApplicationHandler for Application<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.view.is_none() {
            match View::open(event_loop, self.arguments, self.opening) {
                Ok(view) => self.view = Some(view),
                Err(error) => self.check(event_loop, Err(error)),
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _window: WindowId, event: WindowEvent) {
        let Some(view) = &mut self.view else {
            return;
        };
        if event_loop.exiting() {
            // What comes after the end is for a window that may be gone.
            return;
        }
        // Before egui, which goes from field to field with Tab.
        let is_toggle = matches!(
            &event,
            WindowEvent::KeyboardInput { event: KeyEvent { logical_key, .. }, .. }
                if matches!(logical_key, Key::Named(NamedKey::Tab | NamedKey::F1))
        );
        let taken = !is_toggle && view.panels.take(&view.window, &event, &mut view.changed);
        let result = match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => {
                event_loop.exit();
                Ok(())
            }
            WindowEvent::Resized(size) => {
                view.size = size;
                view.stale = true;
                Ok(())
            }
            WindowEvent::DroppedFile(path) => {
                view.dropped = Some(path);
                view.changed = true;
                Ok(())
            }
            WindowEvent::Occluded(occluded) => {
                view.occluded = occluded;
                Ok(())
            }
            WindowEvent::KeyboardInput {
                event: KeyEvent { logical_key, state: ElementState::Pressed, repeat, .. },
                // Others tell which keys were down when the window got the focus: they were pressed elsewhere, or come again.
                is_synthetic: false,
                ..
            } if !taken => view.key(event_loop, &logical_key, repeat),
            WindowEvent::Focused(false) => {
                view.unfocused();
                Ok(())
            }
            WindowEvent::ModifiersChanged(modifiers) => {
                view.modifiers(modifiers);
                Ok(())
            }
            WindowEvent::CursorMoved { position, .. } => view.cursor_moved(position),
            // What was begun in the scene ends anywhere.
            WindowEvent::MouseInput { state, button, .. } if !taken || state == ElementState::Released => {
                view.mouse_button(state, button);
                Ok(())
            }
            WindowEvent::MouseWheel { delta, .. } if !taken => {
                view.camera.zoom(zoom(delta));
                view.changed = true;
                Ok(())
            }
            WindowEvent::RedrawRequested => view.frame(),
            _ => Ok(()),
        };
        if view.frames_left == Some(0) {
            event_loop.exit();
        }
        self.check(event_loop, result);
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(view) = &mut self.view else {
            return;
        };
        if interrupt::interrupted() {
            event_loop.exit();
            return;
        }
        #[cfg(feature = "hot-reload")]
        view.reload_shaders();
        // A window that nobody sees, or whose picture stays the same, gets no frames, and no processor time either.
        let wake_at = view.panels.wake_at();
        view.changed |= wake_at.is_some_and(|wake_at| wake_at <= Instant::now());
        #[cfg(feature = "hot-reload")]
        let wake_at = wake_at.into_iter().chain(view.hot_reload.as_ref().map(|files| files.due)).min();
        let hidden = view.hidden();
        let idle = hidden || !view.frame_due();
        if idle && !view.idle {
            view.title_due = Instant::now();
            view.update_title();
        }
        // Until the next frame, which may come after the reason for it.
        view.idle |= idle;
        event_loop.set_control_flow(match wake_at {
            _ if hidden => ControlFlow::wait_duration(HIDDEN_CHECK),
            Some(wake_at) => ControlFlow::WaitUntil(wake_at),
            None => ControlFlow::Wait,
        });
        if !idle {
            view.window.request_redraw();
        }
    }
}
