//! The command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use serde::Serialize;
use tautline::io::check_writable;
use tautline::render::Shown;
use tautline::scene::{Scene, SolverKind};

/// Cloth and ropes on raw Vulkan: runs a scene in a window, or headless with a report.
///
/// In the window: drag cloth, ropes and colliders to move them, and what is beside them to orbit; drag with Ctrl to cut,
/// click with Shift to pin or let go; drag with the right button to pan, scroll to zoom; Space pauses, N steps once, R
/// starts again, + and - change the elongation, J the constraint solver, V changes the view, Tab hides the panel, F1 lists
/// the keys, Esc quits.
#[derive(Debug, Parser)]
#[command(version, allow_negative_numbers = true)]
pub struct Arguments {
    /// A preset (see --list-scenes), a scene file (.toml) or a mesh (.obj) that is hung up
    #[arg(default_value = "flag")]
    pub scene: OsString,

    /// Solver to use instead of the scene's: verlet, mass-spring, xpbd, pbd, xpbd-document or rope
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<SolverKind>,

    /// Changes a parameter of the scene; may be given many times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub settings: Vec<(String, String)>,

    /// Metres in one unit of a mesh file: 0.01 for centimetres
    #[arg(long, value_name = "METRES")]
    pub scale: Option<f32>,

    /// What computes: the Vulkan device, or the CPU, which headless and without --image needs no Vulkan
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

    /// Writes a PNG picture of the last frame
    #[arg(long, value_name = "PNG")]
    pub image: Option<PathBuf>,

    /// Size of the window and the picture
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub size: [u32; 2],

    /// What the picture and the window show: looks, stretch (cloth coloured by it) or lod (ropes by their level of detail)
    #[arg(long, value_name = "VIEW", default_value = "looks", value_parser = shown)]
    pub view: Shown,

    /// Hides the panel of the window until Tab shows it
    #[arg(long)]
    pub no_panel: bool,

    /// Writes timings and final state as JSON
    #[arg(long, value_name = "JSON")]
    pub report: Option<PathBuf>,

    /// Prints, at the end, the error that each of N iterations would leave, with either constraint solver
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub residuals: Option<u32>,

    /// Turns on the Vulkan validation layer and fails if it, or the engine's own race check, has anything to say
    #[arg(long)]
    pub validate: bool,

    /// Lists the presets and exits
    #[arg(long)]
    pub list_scenes: bool,

    /// Lists the Vulkan devices, with what any of them lacks, and exits
    #[arg(long)]
    pub list_devices: bool,
}

/// What computes the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    Gpu,
    Cpu,
}

/// What can be shown, and its name.
pub const VIEWS: [(Shown, &str); 3] = [(Shown::Looks, "looks"), (Shown::Stretch, "stretch"), (Shown::Levels, "lod")];

impl Arguments {
    /// Reads the scene, with what the command line changes in it.
    pub fn scene(&self) -> Result<Scene> {
        let mut settings = self.settings.clone();
        settings.extend(self.solver.map(|solver| ("solver".to_string(), solver.to_string())));
        settings.extend(self.scale.map(|scale| ("scale".to_string(), scale.to_string())));
        Ok(Scene::load(&self.scene, &settings)?)
    }

    /// Fails before anything is run where the picture or the report could not be written.
    pub fn check_outputs(&self, image: Option<&Path>) -> Result<()> {
        for path in [image, self.report.as_deref()].into_iter().flatten() {
            check_writable(path)?;
        }
        match (image, &self.report) {
            (Some(image), Some(report)) if resolved(image) == resolved(report) => {
                bail!("--image and --report both name '{}': give each a file of its own", image.display())
            }
            (Some(image), _) if !image.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) => {
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

fn key_and_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("it has to be KEY=VALUE, as in substeps=20")?;
    if key.trim().is_empty() || value.trim().is_empty() {
        return Err("both KEY and VALUE are needed, as in substeps=20".into());
    }
    Ok((key.trim().to_string(), value.trim().to_string()))
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
