//! What a window does when its device or its surface is lost: it opens them again and goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tautline::engine::{Error, Instance, Surface, vk};
use tautline::render::{Camera, Shown};
use tautline::scene::Scene;
use tautline::solver::State;
use winit::dpi::PhysicalSize;
use winit::window::Window;

use super::hands::Tool;
use super::{View, swapchain};
use crate::arguments::{Arguments, Backend};
use crate::memory::Memory;
use crate::mouse::Mouse;
use crate::source::Source;
use crate::video::Format;
use crate::{output, state_file};

/// What is lost more often than this within [`SPAN`] is given up.
const MOST_LOSSES: usize = 3;
const SPAN: Duration = Duration::from_secs(10);
/// What a driver gets to come back.
const PAUSE: Duration = Duration::from_millis(300);

/// What a view is opened with, and what of it outlives the device.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) window: Arc<Window>,
    pub(super) instance: Instance,
    pub(super) scene: Scene,
    pub(super) source: Source,
    pub(super) backend: Backend,
    /// None to start anew.
    pub(super) state: Option<State>,
    pub(super) steps: u64,
    pub(super) size: PhysicalSize<u32>,
    /// None to see all of the scene.
    pub(super) camera: Option<Camera>,
    pub(super) mouse: Mouse,
    pub(super) tool: Tool,
    /// None for what the machine can do.
    pub(super) video_format: Option<Format>,
    pub(super) shown: Shown,
    pub(super) has_panel: bool,
    pub(super) paused: bool,
    pub(super) frames_left: Option<u32>,
    /// What the window tells at first.
    pub(super) note: Option<String>,
    /// When something was lost, as far back as it counts.
    pub(super) losses: Vec<Instant>,
}

impl View {
    /// Remembers the scene and the size of the window for the next one.
    pub(super) fn remember(&self) {
        let size = [self.size.width, self.size.height];
        Memory { scene: self.source.absolute(), size: Some(size) }.write();
    }

    /// Opens again what was lost.
    ///
    /// # Errors
    /// The `error`, where it is of another kind or came too often.
    pub(super) fn recover(mut self, mut error: anyhow::Error, arguments: &Arguments) -> Result<Self> {
        // Whatever comes of it.
        self.remember();
        loop {
            let is_device = match error.downcast_ref::<Error>() {
                Some(Error::DeviceLost { .. }) => true,
                Some(Error::Vulkan { result: vk::Result::ERROR_SURFACE_LOST_KHR, .. }) => false,
                _ => return self.kept().give_up(error, arguments),
            };
            if let Err(error) = count_loss(&mut self.losses, &error) {
                return self.kept().give_up(error, arguments);
            }
            if is_device {
                return Self::reopen(self.kept(), error, arguments);
            }
            match self.renew_surface(arguments) {
                Ok(()) => return Ok(self),
                Err(next) => error = next,
            }
        }
    }

    /// Makes surface and swapchain anew, on the same device.
    fn renew_surface(&mut self, arguments: &Arguments) -> Result<()> {
        // Recordings in flight hold on to images of the old one, and a window has one swapchain.
        self.run.frames.finish()?;
        self.targets = None;
        let surface = Surface::new(self.run.device.instance(), self.window.clone())?;
        (self.swapchain, self.present) = swapchain(&self.run.device, &surface, arguments)?;
        self.stale = true;
        Ok(())
    }

    /// Opens device and scene anew, until they are open or have failed too often.
    fn reopen(mut kept: Kept, mut error: anyhow::Error, arguments: &Arguments) -> Result<Self> {
        loop {
            let from = match &kept.state {
                Some(state) => format!("goes on from {:.1} s", state.time),
                None => "starts from its beginning".into(),
            };
            let text = format!("{error}. It was opened again, and the scene {from}");
            kept.note = Some(text.clone());
            match Self::on(kept.clone(), arguments) {
                Ok(view) => {
                    output::tell(&text);
                    return Ok(view);
                }
                Err(next) => error = next,
            }
            std::thread::sleep(PAUSE);
            if let Err(error) = count_loss(&mut kept.losses, &error) {
                return kept.give_up(error, arguments);
            }
        }
    }

    /// Lets everything go that belongs to the device.
    fn kept(mut self) -> Kept {
        // The CPU still has what it computed; what a device had is lost with it.
        let backup = self.backup.state().cloned();
        let state = self.run.simulation.state().ok().or(backup).map(|state| self.repinned(state));
        self.mouse.let_go();
        Kept {
            instance: self.run.device.instance().clone(),
            window: self.window,
            scene: self.scene,
            source: self.source,
            backend: self.run.backend(),
            state,
            steps: self.run.steps,
            size: self.size,
            camera: Some(self.camera),
            mouse: self.mouse,
            tool: self.tool,
            video_format: Some(self.outputs.format),
            shown: self.shown,
            has_panel: self.panels.is_visible(),
            paused: self.paused,
            frames_left: self.frames_left,
            note: None,
            losses: self.losses,
        }
    }
}

impl Kept {
    /// Ends with the error, and saves what is known of the state, where that was asked for.
    fn give_up(self, error: anyhow::Error, arguments: &Arguments) -> Result<View> {
        let saved = self.state.map_or(Ok(()), |state| state_file::save(arguments, || Ok(state)));
        state_file::told(Err(error), saved)
    }
}

/// Fails where this is one loss too many.
fn count_loss(losses: &mut Vec<Instant>, error: &anyhow::Error) -> Result<()> {
    losses.retain(|loss| loss.elapsed() < SPAN);
    losses.push(Instant::now());
    if losses.len() > MOST_LOSSES {
        anyhow::bail!("given up after {MOST_LOSSES} new starts within {} s: {error:#}", SPAN.as_secs());
    }
    Ok(())
}
