//! Which scene a window opens with, and how large it is.

use std::sync::Arc;

use anyhow::{Context, Result};
use raw_window_handle::HasDisplayHandle;
use tautline::scene::Scene;
use winit::dpi::PhysicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::window::Window;

use super::View;
use super::hands::Tool;
use super::recovery::Kept;
use crate::arguments::{Arguments, DEFAULT_SCENE, DEFAULT_SIZE};
use crate::interrupt;
use crate::memory::Memory;
use crate::mouse::Mouse;
use crate::run::instance;
use crate::source::Source;

/// What a window opens with.
pub struct Opening {
    source: Source,
    scene: Scene,
    size: [u32; 2],
    /// The scene is that of the last window, and nobody asked for it now.
    is_remembered: bool,
    /// Why it is not the scene of the last window.
    note: Option<String>,
}

impl Opening {
    /// The scene that was asked for, or else that of the last window, where it can still be loaded.
    pub fn new(arguments: &Arguments, memory: Memory) -> Result<Self> {
        let size = arguments.size.or(memory.size).unwrap_or(DEFAULT_SIZE);
        match memory.scene.filter(|_| arguments.scene.is_none()) {
            Some(last) => {
                let source = arguments.source(&last);
                match source.load() {
                    Ok(scene) => Ok(Self { source, scene, size, is_remembered: true, note: None }),
                    Err(reason) => Self::by_default(arguments, size, Some(&reason)),
                }
            }
            None => Self::by_default(arguments, size, None),
        }
    }

    /// The scene that was asked for, or else the default, because the last one fails for a `reason`.
    fn by_default(arguments: &Arguments, size: [u32; 2], reason: Option<&anyhow::Error>) -> Result<Self> {
        let source = arguments.source(DEFAULT_SCENE);
        let scene = source.load()?;
        let note = reason.map(|reason| format!("the last scene cannot be opened: {reason:#}"));
        Ok(Self { source, scene, size, is_remembered: false, note })
    }

    fn kept(&self, window: Arc<Window>, arguments: &Arguments) -> Result<Kept> {
        let display = window.display_handle().context("the window has no display")?.as_raw();
        Ok(Kept {
            instance: instance(arguments, Some(display))?,
            size: window.inner_size(),
            window,
            scene: self.scene.clone(),
            source: self.source.clone(),
            backend: arguments.backend,
            state: None,
            steps: 0,
            camera: None,
            mouse: Mouse::default(),
            tool: Tool::default(),
            video_format: None,
            shown: arguments.view,
            has_panel: !arguments.no_panel,
            paused: false,
            frames_left: arguments.frames,
            note: self.note.clone(),
            losses: Vec::new(),
        })
    }
}

impl View {
    pub(super) fn open(event_loop: &ActiveEventLoop, arguments: &Arguments, opening: &Opening) -> Result<Self> {
        let [width, height] = opening.size;
        let attributes = Window::default_attributes()
            .with_title(format!("tautline: {}", opening.scene.name))
            .with_inner_size(PhysicalSize::new(width, height));
        let window = Arc::new(event_loop.create_window(attributes).context("no window can be opened")?);
        let mut view = match Self::on(opening.kept(window.clone(), arguments)?, arguments) {
            Err(reason) if opening.is_remembered => {
                let default = Opening::by_default(arguments, opening.size, Some(&reason))?;
                Self::on(default.kept(window.clone(), arguments)?, arguments)?
            }
            result => result?,
        };
        if let Some(path) = &arguments.load_state {
            view.load_state(path)?;
        }
        if arguments.save_state.is_some() {
            // Ends it as closing the window does.
            interrupt::watch(move || window.request_redraw());
        }
        Ok(view)
    }
}
