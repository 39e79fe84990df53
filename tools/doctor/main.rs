//! `doctor`: what this machine has for the viewer, what a mesh file holds, what a step of a scene waits for, and what the
//! driver makes of kernels.

mod barriers;
#[path = "../../src/bin/viewer/display.rs"]
mod display;
mod kernels;
mod machine;
mod mesh;
#[path = "../../src/bin/viewer/output.rs"]
mod output;
#[path = "../../src/bin/viewer/program.rs"]
mod program;
#[path = "../../src/bin/viewer/setting.rs"]
mod setting;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgGroup, Parser};

use setting::key_and_value;

/// Says what this machine has for the viewer, in a text for bug reports, and ends with 'ready' or with what to install; or says
/// what is in a mesh file, what of it is mended, and what the simulation makes of it
#[derive(Debug, Parser)]
#[command(name = "doctor", version)]
#[command(group = ArgGroup::new("scene").args(["mesh", "barriers"]))]
struct Arguments {
    /// A mesh file, or a scene with a mesh, to be looked at
    #[arg(value_name = "FILE", conflicts_with_all = ["barriers", "kernels"])]
    mesh: Option<OsString>,

    /// Prints what is found in a mesh file as JSON
    #[arg(long, requires = "mesh")]
    json: bool,

    /// Metres in one unit of a mesh file, as 0.01 for centimetres; else what its format says, or a guess from its size
    #[arg(long, value_name = "METRES", requires = "mesh")]
    scale: Option<f32>,

    /// What points up in a mesh file: x, y or z; else what is usual for its kind, z for PLY and STL and y for the others
    #[arg(long, value_name = "AXIS", requires = "mesh", value_parser = ["x", "y", "z"])]
    up: Option<String>,

    /// Prints each pass of one step of a scene (a preset, a scene file or a mesh) with what it reads and writes, the barrier
    /// before it, and the bit of glMemoryBarrier that this stands for
    #[arg(long, value_name = "SCENE")]
    barriers: Option<OsString>,

    /// Prints what the driver makes of each kernel: its subgroups, registers, shared memory, and what else it tells
    #[arg(long, conflicts_with = "barriers")]
    kernels: bool,

    /// Changes a parameter of the scene of FILE or --barriers; may be given many times
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "scene", value_parser = key_and_value)]
    settings: Vec<(String, String)>,

    /// Device to look at: its index, or part of its name; else TAUTLINE_DEVICE, else the best one
    #[arg(long, value_name = "NAME|INDEX")]
    device: Option<String>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            output::tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Whether all is as it should be.
fn run(arguments: &Arguments) -> Result<bool> {
    let device = arguments.device.as_deref();
    let (text, is_well) = match &arguments.barriers {
        None if let Some(mesh) = &arguments.mesh => {
            let mut settings = arguments.settings.clone();
            settings.extend(arguments.scale.map(|scale| ("scale".to_string(), scale.to_string())));
            settings.extend(arguments.up.iter().map(|up| ("up".to_string(), up.clone())));
            (mesh::report(mesh, &settings, arguments.json)?, true)
        }
        Some(scene) => (barriers::report(scene, &arguments.settings, device)?, true),
        None if arguments.kernels => (kernels::report(device)?, true),
        None => machine::report(device),
    };
    output::print(&text)?;
    Ok(is_well)
}
