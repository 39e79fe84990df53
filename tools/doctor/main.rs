//! `doctor`: what this machine has for the viewer, what a step of a scene waits for, and what the driver makes of kernels.

mod barriers;
#[path = "../../src/bin/viewer/display.rs"]
mod display;
mod kernels;
mod machine;
#[path = "../../src/bin/viewer/output.rs"]
mod output;
#[path = "../../src/bin/viewer/program.rs"]
mod program;
#[path = "../../src/bin/viewer/setting.rs"]
mod setting;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use setting::key_and_value;

/// Says what this machine has for the viewer, in a text for bug reports; ends with 'ready', or with what to install
#[derive(Debug, Parser)]
#[command(name = "doctor", version)]
struct Arguments {
    /// Prints each pass of one step of a scene (a preset, a scene file or a mesh) with what it reads and writes, the barrier
    /// before it, and the bit of glMemoryBarrier that this stands for
    #[arg(long, value_name = "SCENE")]
    barriers: Option<OsString>,

    /// Prints what the driver makes of each kernel: its subgroups, registers, shared memory, and what else it tells
    #[arg(long, conflicts_with = "barriers")]
    kernels: bool,

    /// Changes a parameter of the scene of --barriers; may be given many times
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "barriers", value_parser = key_and_value)]
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
        Some(scene) => (barriers::report(scene, &arguments.settings, device)?, true),
        None if arguments.kernels => (kernels::report(device)?, true),
        None => machine::report(device),
    };
    output::print(&text)?;
    Ok(is_well)
}
