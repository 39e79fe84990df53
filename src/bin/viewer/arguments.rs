//! The command line.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Parser;
use tautline::scene::{Scene, SolverKind};

/// Cloth on raw Vulkan: runs a scene in a window, or headless with a report.
///
/// In the window: drag to orbit, drag with the right button to pan, scroll to zoom; Space pauses, N steps once, R starts
/// again, Esc quits.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Arguments {
    /// A preset (see --list-scenes), a scene file (.toml) or a mesh (.obj) that is hung up
    #[arg(default_value = "flag")]
    pub scene: String,

    /// Solver to use instead of the scene's: verlet, xpbd or pbd
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<SolverKind>,

    /// Changes a parameter of the scene; may be given many times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub settings: Vec<(String, String)>,

    /// Metres in one unit of a mesh file: 0.01 for centimetres
    #[arg(long, value_name = "METRES")]
    pub scale: Option<f32>,

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

    /// Writes timings and final state as JSON
    #[arg(long, value_name = "JSON")]
    pub report: Option<PathBuf>,

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

impl Arguments {
    /// Reads the scene, with what the command line changes in it.
    pub fn scene(&self) -> Result<Scene> {
        let mut settings = self.settings.clone();
        settings.extend(self.solver.map(|solver| ("solver".to_string(), solver.to_string())));
        settings.extend(self.scale.map(|scale| ("scale".to_string(), scale.to_string())));
        Ok(Scene::load(&self.scene, &settings)?)
    }

    /// Fails before anything is run where what is asked for could not be written.
    pub fn check_outputs(&self) -> Result<()> {
        for path in [&self.image, &self.report].into_iter().flatten() {
            check_writable(path)?;
        }
        match (&self.image, &self.report) {
            (Some(image), Some(report)) if image == report => {
                bail!("--image and --report both name '{}': give each a file of its own", image.display())
            }
            (Some(image), _) if !image.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) => {
                bail!("--image '{}' has to end in .png: pictures are written as PNG", image.display())
            }
            _ => Ok(()),
        }
    }
}

fn check_writable(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        bail!("cannot write '{}': it is a folder, and a file name is needed", path.display());
    }
    if !folder.is_dir() {
        bail!("cannot write '{}': the folder '{}' does not exist", path.display(), folder.display());
    }
    Ok(())
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
