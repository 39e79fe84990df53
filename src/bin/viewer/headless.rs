//! Runs a scene without a window, as fast as the device can.

use std::path::Path;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use tautline::engine::{Instance, InstanceOptions};
use tautline::render::Camera;
use tautline::scene::Scene;

use crate::arguments::Arguments;
use crate::run::Run;

const DEFAULT_FRAMES: u32 = 150;

pub fn run(arguments: &Arguments, scene: &Scene, image: Option<&Path>) -> Result<()> {
    let instance = Instance::new(&InstanceOptions { validation: arguments.validate, ..Default::default() })?;
    let mut run = Run::new(&instance, arguments, scene, false)?;
    let frames = arguments.frames.unwrap_or(DEFAULT_FRAMES);
    // Draws on stderr, and nothing where that is no terminal.
    let bar = ProgressBar::new(frames.into());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    let points: Vec<_> = run.simulation.body().positions().iter().map(|particle| particle.truncate()).collect();
    let [width, height] = arguments.size.map(|side| side as f32);
    let camera = scene.rope_lod_camera.unwrap_or_else(|| Camera::framing(&points, width / height).position());
    run.simulation.set_camera(camera);
    run.start_clock();
    for _ in 0..frames {
        run.step()?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    run.finish(arguments, scene, image, None)
}
