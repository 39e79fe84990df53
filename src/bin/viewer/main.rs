//! `viewer`: runs a scene in a window, or headless with a report.

mod arguments;
mod headless;
mod report;
mod run;
mod window;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use tautline::engine::{Instance, InstanceOptions};
use tautline::scene;

use arguments::Arguments;

fn main() -> ExitCode {
    // clap ends the process with code 2 on wrong usage; everything else that goes wrong is code 1.
    match start(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: &Arguments) -> Result<()> {
    if arguments.list_scenes {
        for (name, description) in scene::presets() {
            println!("{name:<10} {description}");
        }
        return Ok(());
    }
    if arguments.list_devices {
        for device in Instance::new(&InstanceOptions::default())?.devices()? {
            println!("{device}");
        }
        return Ok(());
    }
    arguments.check_outputs()?;
    let scene = arguments.scene()?;
    if arguments.headless {
        return headless::run(arguments, &scene, arguments.image.as_deref());
    }
    match window::open_display() {
        Ok(display) => window::run(arguments, &scene, display),
        Err(reason) if arguments.window => Err(reason.context("no window can be opened: run with --headless instead")),
        Err(reason) => {
            eprintln!("no display ({reason}): running headless");
            let image = arguments.image.clone().unwrap_or_else(|| format!("tautline-{}.png", scene.name).into());
            headless::run(arguments, &scene, Some(&image))
        }
    }
}
