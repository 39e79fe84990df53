//! `capture`: runs a scene up to a frame and captures that for RenderDoc, without a window and without drawing.

#[path = "../src/bin/viewer/setting.rs"]
mod setting;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use tautline::engine::{Capturer, Device, Frames, Instance, InstanceOptions};
use tautline::io::check_writable;
use tautline::scene::Scene;

use setting::key_and_value;

/// Captures one frame of a scene for RenderDoc: all passes of one step, on the device, without a window.
#[derive(Debug, Parser)]
#[command(version, name = "capture", allow_negative_numbers = true)]
struct Arguments {
    /// A preset, a scene file (.toml) or a mesh (.obj, .gltf, .glb, .ply or .stl) that is hung up, as the viewer takes it
    scene: OsString,

    /// Which frame, from 1 on; those before it run first
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    frame: u64,

    /// The capture to write
    #[arg(long, value_name = "RDC")]
    output: PathBuf,

    /// Changes a parameter of the scene; may be given many times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    settings: Vec<(String, String)>,

    /// Device to run on: its index, or part of its name; else TAUTLINE_DEVICE, else the best one
    #[arg(long, value_name = "NAME|INDEX")]
    device: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => {
            println!("wrote {}", arguments.output.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    check_writable(&arguments.output)?;
    let scene = Scene::load(&arguments.scene, &arguments.settings)?;
    let instance = Instance::new(&InstanceOptions { capture: true, ..InstanceOptions::default() })?;
    let device = Device::open(&instance, arguments.device.as_deref(), false)?;
    let mut capturer = Capturer::new(&device)?;
    let mut simulation = scene.simulation(&device)?;
    let mut frames = Frames::new(&device, 1)?;
    for frame in 1..=arguments.frame {
        if frame == arguments.frame {
            capturer.start(folder_of(&arguments.output))?;
        }
        let mut recorder = frames.begin()?;
        simulation.record(&mut recorder)?;
        recorder.submit()?;
    }
    capturer.end(&arguments.output)?;
    Ok(())
}

/// The folder that a file lies in.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
