//! `viewer`: runs a scene in a window, or headless with a report.

mod arguments;
mod backend;
#[cfg(feature = "capture")]
mod capture;
#[cfg(feature = "hot-reload")]
mod compile;
mod display;
mod headless;
mod interrupt;
mod memory;
mod mouse;
mod outcome;
mod output;
mod panels;
mod program;
mod report;
mod run;
mod scene_options;
mod setting;
mod source;
mod state_file;
mod timeline;
mod timings_file;
mod video;
mod watch_report;
mod window;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use tautline::engine::{Instance, InstanceOptions};
use tautline::scene;

use arguments::{Arguments, DEFAULT_SCENE};
use memory::Memory;
use window::Opening;

fn main() -> ExitCode {
    // clap ends the process with code 2 on wrong usage; everything else that goes wrong is code 1.
    match start(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: &Arguments) -> Result<()> {
    if arguments.list_scenes {
        let lines = scene::presets().map(|(name, description)| format!("{name:<10} {description}\n"));
        return output::print(&lines.collect::<String>());
    }
    if arguments.list_fabrics {
        let line = |fabric: &scene::Fabric| format!("{:<10} {} ({})\n", fabric.name, fabric.description, fabric.source);
        return output::print(&scene::fabrics().iter().map(line).collect::<String>());
    }
    if arguments.list_devices {
        let devices = Instance::new(&InstanceOptions::default())?.devices()?;
        return output::print(&devices.iter().map(|device| format!("{device}\n")).collect::<String>());
    }
    arguments.check_outputs(arguments.image.as_deref())?;
    if arguments.headless {
        let scene = arguments.source(DEFAULT_SCENE).load()?;
        return headless::run(arguments, &scene, arguments.image.as_deref());
    }
    match display::open_display() {
        Ok(display) => window::run(arguments, &Opening::new(arguments, Memory::read())?, display),
        Err(reason) if arguments.window => Err(reason.context("no window can be opened: run with --headless instead")),
        Err(reason) => {
            let scene = arguments.source(DEFAULT_SCENE).load()?;
            output::tell(&format!("no display ({reason}): running headless"));
            let image = arguments.image.clone().unwrap_or_else(|| format!("tautline-{}.png", scene.name).into());
            arguments.check_outputs(Some(&image))?;
            headless::run(arguments, &scene, Some(&image))
        }
    }
}
