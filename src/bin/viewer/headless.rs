//! Runs a scene without a window, as fast as the device or the CPU can.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use tautline::glam::Vec3;
use tautline::model::Body;
use tautline::render::{Camera, Wave};
use tautline::scene::Scene;

use crate::arguments::{Arguments, Backend};
use crate::outcome::{Outcome, picture, residuals};
use crate::report::{Report, State, Subject};
use crate::run::{Run, instance, open_device};

const DEFAULT_FRAMES: u32 = 150;

pub fn run(arguments: &Arguments, scene: &Scene, image: Option<&Path>) -> Result<()> {
    if arguments.backend == Backend::Cpu {
        return run_on_cpu(arguments, scene, image);
    }
    let mut run = Run::new(&instance(arguments, None)?, arguments, scene, false)?;
    run.simulation.set_camera(camera(arguments, scene, run.simulation.body()));
    run.start_clock();
    for_each_frame(arguments, || run.step())?;
    run.finish(arguments, scene, image, None)
}

/// Without a device, but where a picture has to be drawn at the end.
fn run_on_cpu(arguments: &Arguments, scene: &Scene, image: Option<&Path>) -> Result<()> {
    // Opened first, so that a run does not end in vain.
    let device = image.map(|_| open_device(&instance(arguments, None)?, arguments, false)).transpose()?;
    let mut simulation = scene.cpu_simulation()?;
    simulation.set_camera(camera(arguments, scene, simulation.body()));
    let (mut timings, mut wall) = (Vec::new(), Vec::new());
    for_each_frame(arguments, || {
        let start = Instant::now();
        timings.push(simulation.advance());
        wall.push(start.elapsed());
        Ok(())
    })?;
    let (steps, positions) = (wall.len() as u64, simulation.positions());
    let state = State::new(&positions, simulation.strain(), simulation.cut_count(), simulation.pinned_count());
    let residuals =
        arguments.residuals.map(|iterations| residuals(|order| Ok(simulation.residuals(order, iterations))));
    let residuals = residuals.transpose()?;
    let subject = Subject::from(&simulation);
    let picture = device
        .as_ref()
        .map(|device| picture(device, &simulation.on_device(device)?, Wave::of(scene), &positions, arguments, None));
    let messages = device.map(|device| device.instance().validation_messages()).unwrap_or_default();
    let report =
        Report::new(scene, subject, None, steps, state, messages.len()).with_cpu_timings(&timings).with_wall(&wall);
    Outcome { report, picture, residuals, messages }.conclude(arguments, image)
}

/// From where levels of detail are chosen.
fn camera(arguments: &Arguments, scene: &Scene, body: &Body) -> Vec3 {
    let points: Vec<_> = body.positions().iter().map(|particle| particle.truncate()).collect();
    let [width, height] = arguments.size.map(|side| side as f32);
    scene.rope_lod_camera.unwrap_or_else(|| Camera::framing(&points, width / height).position())
}

/// Runs as many frames as were asked for, with a progress bar.
fn for_each_frame(arguments: &Arguments, mut frame: impl FnMut() -> Result<()>) -> Result<()> {
    let frames = arguments.frames.unwrap_or(DEFAULT_FRAMES);
    // Draws on stderr, and nothing where that is no terminal.
    let bar = ProgressBar::new(frames.into());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    for _ in 0..frames {
        frame()?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}
