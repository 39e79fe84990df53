//! Runs a scene in a window.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use raw_window_handle::HasDisplayHandle;
use tautline::engine::{Instance, InstanceOptions, Surface, Swapchain};
use tautline::render::{Camera, ClothView, ViewTargets};
use tautline::scene::Scene;
use winit::application::ApplicationHandler;
use winit::dpi::{PhysicalPosition, PhysicalSize};
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use crate::arguments::Arguments;
use crate::run::Run;

/// Connects to the display.
pub fn open_display() -> Result<EventLoop<()>> {
    // winit's own error for a Unix machine without a display does not say so. It comes to windows through X11 there.
    let has_x11 = std::env::var_os("DISPLAY").is_some_and(|value| !value.is_empty());
    if cfg!(all(unix, not(target_os = "macos"))) && !has_x11 {
        return Err(anyhow!("DISPLAY is not set"));
    }
    EventLoop::new().map_err(|error| {
        // winit puts the line of its source that failed before the reason.
        let text = error.to_string();
        let reason = text.split_once(".rs:").and_then(|(_, after)| after.split_once(": ")).map(|(_, reason)| reason);
        anyhow!("{}", reason.unwrap_or(&text))
    })
}

pub fn run(arguments: &Arguments, scene: &Scene, display: EventLoop<()>) -> Result<()> {
    let mut application = Application { arguments, scene, view: None, outcome: Ok(()) };
    display.set_control_flow(ControlFlow::Poll);
    display.run_app(&mut application)?;
    application.outcome?;
    match application.view {
        Some(view) => view.finish(arguments, scene),
        None => Ok(()),
    }
}

struct Application<'a> {
    arguments: &'a Arguments,
    scene: &'a Scene,
    view: Option<View>,
    outcome: Result<()>,
}

/// The window and what it shows.
struct View {
    run: Run,
    cloth: ClothView,
    targets: Option<ViewTargets>,
    swapchain: Swapchain,
    window: Arc<Window>,
    camera: Camera,
    /// The window has changed, and the swapchain has to be remade before the next frame.
    stale: bool,
    paused: bool,
    single_step: bool,
    drag: Option<Drag>,
    cursor: PhysicalPosition<f64>,
    frames_left: Option<u32>,
    title_due: Instant,
}

/// What moving the mouse does.
#[derive(Clone, Copy, PartialEq)]
enum Drag {
    Orbit,
    Pan,
}

impl View {
    fn open(event_loop: &ActiveEventLoop, arguments: &Arguments, scene: &Scene) -> Result<Self> {
        let [width, height] = arguments.size;
        let attributes = Window::default_attributes()
            .with_title(format!("tautline: {}", scene.name))
            .with_inner_size(PhysicalSize::new(width, height));
        let window = Arc::new(event_loop.create_window(attributes).context("no window can be opened")?);
        let display = window.display_handle().context("the window has no display")?.as_raw();
        let instance = Instance::new(&InstanceOptions { validation: arguments.validate, display: Some(display) })?;
        let surface = Surface::new(&instance, window.clone())?;
        let run = Run::new(&instance, arguments, scene, true)?;
        let swapchain = Swapchain::new(&run.device, &surface)?;
        let cloth = ClothView::new(&run.device, &run.simulation, swapchain.format(), run.room)?;
        let camera = Camera::framing(&run.room.corners(), width as f32 / height as f32);
        Ok(Self {
            run,
            cloth,
            targets: None,
            swapchain,
            window,
            camera,
            stale: true,
            paused: false,
            single_step: false,
            drag: None,
            cursor: PhysicalPosition::default(),
            frames_left: arguments.frames,
            title_due: Instant::now(),
        })
    }

    /// Steps, draws and shows one frame; nothing happens while the window has no area.
    fn frame(&mut self) -> Result<()> {
        if self.stale && !self.resize()? {
            return Ok(());
        }
        let Some(frame) = self.swapchain.acquire()? else {
            self.stale = true;
            return Ok(());
        };
        let Some(targets) = &self.targets else {
            return Ok(());
        };
        let mut recorder = self.run.frames.begin()?;
        let steps = !self.paused || std::mem::take(&mut self.single_step);
        if steps {
            self.run.simulation.record(&mut recorder)?;
        }
        self.cloth.record(&mut recorder, self.run.simulation.current(), &self.camera, targets, &frame.image)?;
        self.window.pre_present_notify();
        let (ticket, fits) = self.swapchain.present(recorder, &frame)?;
        self.stale = !fits;
        self.run.submitted(ticket, steps)?;
        if let (true, Some(left)) = (steps, &mut self.frames_left) {
            *left = left.saturating_sub(1);
        }
        self.update_title();
        Ok(())
    }

    /// False while the window has no area.
    fn resize(&mut self) -> Result<bool> {
        let size = self.window.inner_size();
        self.targets = None;
        let Some(extent) = self.swapchain.resize([size.width, size.height])? else {
            return Ok(false);
        };
        self.targets = Some(ViewTargets::new(&self.run.device, extent, self.swapchain.format())?);
        self.stale = false;
        Ok(true)
    }

    fn update_title(&mut self) {
        let now = Instant::now();
        if now < self.title_due {
            return;
        }
        self.title_due = now + Duration::from_millis(500);
        let gpu =
            self.run.last_gpu_time().map_or("n/a".to_string(), |time| format!("{:.2} ms", time.as_secs_f64() * 1e3));
        let paused = if self.paused { ", paused" } else { "" };
        let time = self.run.simulation.time();
        self.window.set_title(&format!("tautline: {time:.1} s, GPU {gpu}{paused}"));
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, key: &Key) -> Result<()> {
        match key {
            Key::Named(NamedKey::Escape) => event_loop.exit(),
            Key::Named(NamedKey::Space) => {
                self.paused = !self.paused;
                self.title_due = Instant::now();
            }
            Key::Character(text) if text.eq_ignore_ascii_case("n") => {
                self.paused = true;
                self.single_step = true;
                self.title_due = Instant::now();
            }
            Key::Character(text) if text.eq_ignore_ascii_case("r") => self.run.simulation.reset()?,
            _ => {}
        }
        Ok(())
    }

    fn cursor_moved(&mut self, to: PhysicalPosition<f64>) {
        let (right, down) = ((to.x - self.cursor.x) as f32, (to.y - self.cursor.y) as f32);
        self.cursor = to;
        let height = self.window.inner_size().height.max(1) as f32;
        match self.drag {
            // Across the height of the window, half a turn; what was grabbed follows the mouse.
            Some(Drag::Orbit) => {
                let half_turn = std::f32::consts::PI / height;
                self.camera.orbit(-right * half_turn, down * half_turn);
            }
            Some(Drag::Pan) => self.camera.pan(-right / height, down / height),
            None => {}
        }
    }

    fn button(&mut self, state: ElementState, button: MouseButton) {
        let drag = match button {
            MouseButton::Left => Drag::Orbit,
            MouseButton::Right | MouseButton::Middle => Drag::Pan,
            _ => return,
        };
        match state {
            ElementState::Pressed => self.drag = Some(drag),
            ElementState::Released if self.drag == Some(drag) => self.drag = None,
            ElementState::Released => {}
        }
    }

    fn wheel(&mut self, delta: MouseScrollDelta) {
        let lines = match delta {
            MouseScrollDelta::LineDelta(_, lines) => lines,
            MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / 40.0,
        };
        self.camera.zoom(0.9_f32.powf(lines.clamp(-20.0, 20.0)));
    }

    fn finish(self, arguments: &Arguments, scene: &Scene) -> Result<()> {
        let Self { run, camera, .. } = self;
        run.finish(arguments, scene, arguments.image.as_deref(), Some(camera))
    }
}

impl Application<'_> {
    /// Ends the loop with the error, if there is one.
    fn check(&mut self, event_loop: &ActiveEventLoop, result: Result<()>) {
        if let Err(error) = result {
            self.outcome = Err(error);
            event_loop.exit();
        }
    }
}

impl ApplicationHandler for Application<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.view.is_none() {
            match View::open(event_loop, self.arguments, self.scene) {
                Ok(view) => self.view = Some(view),
                Err(error) => self.check(event_loop, Err(error)),
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _window: WindowId, event: WindowEvent) {
        let Some(view) = &mut self.view else {
            return;
        };
        let result = match event {
            WindowEvent::CloseRequested => {
                event_loop.exit();
                Ok(())
            }
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => {
                view.stale = true;
                Ok(())
            }
            WindowEvent::KeyboardInput {
                event: KeyEvent { logical_key, state: ElementState::Pressed, .. }, ..
            } => view.key(event_loop, &logical_key),
            WindowEvent::CursorMoved { position, .. } => {
                view.cursor_moved(position);
                Ok(())
            }
            WindowEvent::MouseInput { state, button, .. } => {
                view.button(state, button);
                Ok(())
            }
            WindowEvent::MouseWheel { delta, .. } => {
                view.wheel(delta);
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
        if let Some(view) = &self.view {
            // A window without an area gets no frames, and no processor time either.
            let size = view.window.inner_size();
            let hidden = size.width == 0 || size.height == 0;
            event_loop.set_control_flow(if hidden { ControlFlow::Wait } else { ControlFlow::Poll });
            if !hidden {
                view.window.request_redraw();
            }
        }
    }
}
