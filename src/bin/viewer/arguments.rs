//! The command line.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use tautline::engine::vk;
use tautline::io::check_writable;
use tautline::render::Shown;

pub use crate::backend::Backend;
use crate::scene_options::{SceneOptions, quoted};
use crate::source::{Cache, Source};

/// The preset that runs where nothing else was asked for.
pub const DEFAULT_SCENE: &str = "flag";
/// Width and height of a window or a picture \[pixels\] where nothing else was asked for.
pub const DEFAULT_SIZE: [u32; 2] = [1280, 720];

use crate::video::Target;

/// Cloth and ropes on raw Vulkan: runs a scene in a window, or headless with a report.
///
/// In the window: drag cloth, ropes and colliders to move them, and what is beside them to orbit; drag with Ctrl to
/// cut, click with Shift to pin or let go; drag with the right button to pan, scroll to zoom; Space pauses, N steps
/// once, R starts again, F5 loads the scene's file again, + and - change the elongation, J the constraint solver, V
/// changes the view, P takes a picture, M records a video, S saves the state, Tab hides the panel, F1 lists the keys, Esc
/// quits. A scene file, a mesh or a saved state that is dropped on it is opened.
#[derive(Debug, Parser)]
#[command(version, allow_negative_numbers = true)]
pub struct Arguments {
    /// A preset (see --list-scenes), a scene file (.toml) or a mesh (.obj, .gltf, .glb, .ply or .stl) that is hung up; else what
    /// the last window showed, or the preset flag
    pub scene: Option<OsString>,

    #[command(flatten)]
    pub changes: SceneOptions,

    /// PNG image to print on the cloth
    #[arg(long, value_name = "PNG")]
    pub texture: Option<String>,

    /// Plays a cache (.pc2 or .mdd) back over the scene's vertices instead of simulating; each step is a frame
    #[arg(long, value_name = "PC2|MDD", requires = "scene")]
    pub cache: Option<PathBuf>,

    /// Frames a second of the cache: else as it says, or 24
    #[arg(long, value_name = "F", requires = "cache")]
    pub fps: Option<f64>,

    /// What computes: the Vulkan device, or the CPU, which headless and without pictures needs no Vulkan
    #[arg(long, value_enum, default_value_t = Backend::Gpu)]
    pub backend: Backend,

    /// Device to run on: its index, or part of its name (see --list-devices); else TAUTLINE_DEVICE, else the best one
    #[arg(long, value_name = "NAME|INDEX")]
    pub device: Option<String>,

    /// Runs without a window
    #[arg(long, conflicts_with = "window")]
    pub headless: bool,

    /// Insists on a window; without this, a machine without a display runs headless
    #[arg(long)]
    pub window: bool,

    /// How many frames to run: 150 headless, until it is closed in a window
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,

    /// Writes what the scene does at the end, for --load-state to go on from; in a window S does so at any time
    #[arg(long, value_name = "FILE", conflicts_with = "cache")]
    pub save_state: Option<PathBuf>,

    /// Goes on from what --save-state has written of the same scene, as if it had not stopped
    #[arg(long, value_name = "FILE", requires = "scene", conflicts_with = "cache")]
    pub load_state: Option<PathBuf>,

    /// Writes a PNG picture of the last frame
    #[arg(long, value_name = "PNG")]
    pub image: Option<PathBuf>,

    /// Records the run: an MP4 file, encoded by the program ffmpeg, or a new folder of PNG pictures
    #[arg(long, value_name = "MP4|FOLDER/", requires = "headless")]
    pub video: Option<PathBuf>,

    /// Size of the window, the picture and the video: else 1280x720, or for a window that of the last one
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<[u32; 2]>,

    /// How a window's frames are shown: fifo waits for the display, mailbox shows the newest, immediate may tear
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Present::Fifo, conflicts_with = "headless")]
    pub present: Present,

    /// What the picture and the window show: looks, wireframe, stretch, velocity, batches (constraints in the colours
    /// of their batches), pins, contacts (particles near colliders) or lod (ropes by their level of detail)
    #[arg(long, value_name = "VIEW", default_value = "looks", value_parser = shown)]
    pub view: Shown,

    /// Hides the panel of the window until Tab shows it
    #[arg(long)]
    pub no_panel: bool,

    /// Writes timings and final state as JSON
    #[arg(long, value_name = "JSON")]
    pub report: Option<PathBuf>,

    /// Writes the time of each pass in each frame as a table
    #[arg(long, value_name = "CSV")]
    pub timings: Option<PathBuf>,

    /// Writes what the CPU and the device did when, as a time line that ui.perfetto.dev opens
    #[arg(long, value_name = "JSON")]
    pub trace: Option<PathBuf>,

    /// Takes no times of passes, to see what the timestamps cost; the wall's are still told
    #[arg(long, requires = "headless", conflicts_with_all = ["timings", "trace"])]
    pub untimed: bool,

    /// Prints, at the end, the error that each of N iterations would leave, with either constraint solver
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub residuals: Option<u32>,

    /// Turns on the Vulkan validation layer and fails if it, or the engine's own race check, has anything to say
    #[arg(long)]
    pub validate: bool,

    /// Captures frame N for RenderDoc, into tautline-SCENE-1.rdc or the next number that is free; in a window F12
    /// captures more
    #[cfg(feature = "capture")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub capture_frame: Option<u64>,

    /// Folder of the shaders (glsl), which a window compiles and takes in again whenever one of them changes
    #[cfg(feature = "hot-reload")]
    #[arg(long, value_name = "FOLDER", conflicts_with = "headless")]
    pub hot_reload: Option<PathBuf>,

    /// Lists the presets and exits
    #[arg(long)]
    pub list_scenes: bool,

    /// Lists the fabrics, with the sources of their numbers, and exits
    #[arg(long)]
    pub list_fabrics: bool,

    /// Lists the Vulkan devices, with what any of them lacks, and exits
    #[arg(long)]
    pub list_devices: bool,
}

/// How frames come to the display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Present {
    Fifo,
    Mailbox,
    Immediate,
}

impl Present {
    /// Vulkan's name of it.
    pub fn mode(self) -> vk::PresentModeKHR {
        match self {
            Self::Fifo => vk::PresentModeKHR::FIFO,
            Self::Mailbox => vk::PresentModeKHR::MAILBOX,
            Self::Immediate => vk::PresentModeKHR::IMMEDIATE,
        }
    }
}

impl fmt::Display for Present {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Fifo => "with the display (fifo)",
            Self::Mailbox => "the newest (mailbox)",
            Self::Immediate => "at once (immediate)",
        })
    }
}

/// What can be shown, and its name.
pub const VIEWS: [(Shown, &str); 8] = [
    (Shown::Looks, "looks"),
    (Shown::Wireframe, "wireframe"),
    (Shown::Stretch, "stretch"),
    (Shown::Velocity, "velocity"),
    (Shown::Batches, "batches"),
    (Shown::Pins, "pins"),
    (Shown::Contacts, "contacts"),
    (Shown::Levels, "lod"),
];

impl Arguments {
    /// The scene that was asked for or else `default`, with what the command line changes in it.
    pub fn source(&self, default: &str) -> Source {
        let mut settings = self.changes.settings();
        settings.extend(self.texture.iter().map(|path| ("texture".to_string(), quoted(path))));
        let cache = self.cache.clone().map(|path| Cache { path, frames_per_second: self.fps });
        Source { path: self.scene.clone().unwrap_or_else(|| default.into()), settings, cache }
    }

    /// Width and height of a picture \[pixels\].
    pub fn picture_size(&self) -> [u32; 2] {
        self.size.unwrap_or(DEFAULT_SIZE)
    }

    /// Where the report, the table of timings and the time line are to be written.
    pub fn measured(&self) -> [Option<&Path>; 3] {
        [&self.report, &self.timings, &self.trace].map(|path| path.as_deref())
    }

    /// Fails before anything is run where what was asked for could not be written.
    pub fn check_outputs(&self, image: Option<&Path>) -> Result<()> {
        let state = self.save_state.as_deref();
        for path in [image, state].into_iter().chain(self.measured()).flatten() {
            check_writable(path)?;
        }
        let [report, timings, trace] = self.measured();
        let files = [
            ("--image", image),
            ("--report", report),
            ("--timings", timings),
            ("--trace", trace),
            ("--video", self.video.as_deref()),
            ("--save-state", state),
            ("--load-state", self.load_state.as_deref()),
        ];
        let files: Vec<_> = files.into_iter().filter_map(|(name, path)| Some((name, path?))).collect();
        for (index, (first, path)) in files.iter().enumerate() {
            for (second, other) in &files[index + 1..] {
                // A run may go on from a state and replace it.
                let are_states = [first, second] == [&"--save-state", &"--load-state"];
                if !are_states && resolved(path) == resolved(other) {
                    bail!("{first} and {second} both name '{}': give each a file of its own", path.display());
                }
            }
        }
        self.video.as_deref().map(Target::at).transpose()?;
        match image {
            Some(image) if !image.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) => {
                bail!("--image '{}' has to end in .png: pictures are written as PNG", image.display())
            }
            _ => Ok(()),
        }
    }
}

/// The same path for every spelling of one file, whether it is there yet or not.
fn resolved(path: &Path) -> PathBuf {
    let beside = |name| Some(path.parent()?.join(".").canonicalize().ok()?.join(name));
    path.canonicalize().ok().or_else(|| beside(path.file_name()?)).unwrap_or_else(|| path.into())
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let parsed =
        text.split_once(['x', 'X']).and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    let size: [u32; 2] = parsed.ok_or("it has to be WIDTHxHEIGHT in pixels, as in 1280x720")?;
    if size.iter().all(|side| (1..=16_384).contains(side)) {
        Ok(size)
    } else {
        Err("width and height have to be from 1 to 16384 pixels".into())
    }
}

fn shown(text: &str) -> Result<Shown, String> {
    let named = VIEWS.into_iter().find(|(_, name)| *name == text);
    named
        .map(|(shown, _)| shown)
        .ok_or_else(|| format!("it has to be one of {}", VIEWS.map(|(_, name)| name).join(", ")))
}
