//! `bake`: simulates a scene and writes where its vertices are in each frame, for other programs.

mod arguments;
#[path = "../../src/bin/viewer/backend.rs"]
mod backend;
mod checkpoint;
mod identity;
#[path = "../../src/bin/viewer/interrupt.rs"]
mod interrupt;
#[path = "../../src/bin/viewer/output.rs"]
mod output;
mod pipeline;
mod runner;
#[path = "../../src/bin/viewer/scene_options.rs"]
mod scene_options;
#[path = "../../src/bin/viewer/setting.rs"]
mod setting;
mod writing;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use tautline::engine::Device;
use tautline::io::cache::{Cache, CacheTarget, CacheWriter};
use tautline::scene::Scene;
use tautline::solver::StateMismatch;

use arguments::Arguments;
use checkpoint::Checkpoint;
use pipeline::{Bake, End};
use runner::Runner;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let format = arguments.format()?;
    let mut scene = Scene::load(&arguments.scene, &arguments.changes.settings())?;
    // What is interrupted goes on awake, and ends in the same bits.
    scene.sleep_speed = 0.0;
    if let Some(mesh) = scene.scene_mesh()? {
        output::tell(&mesh.summary());
    }
    let steps = steps_a_frame(&mut scene, arguments.fps)?;
    let target = CacheTarget::new(format, &arguments.output, arguments.frames)?;
    let device = arguments.open_device()?;
    let mut runner = Runner::start(&scene, device.as_ref())?;
    let shape = scene.baked_shape(runner.body())?;
    let cache = Cache {
        form: shape.form.clone(),
        metres_per_unit: shape.preparation.metres_per_unit,
        up: shape.preparation.up,
        frames: arguments.frames,
        frames_per_second: arguments.fps,
    };
    let identity = identity::of(arguments, &scene, format, device.as_ref())?;
    let path = target.beside("checkpoint");
    let found = if arguments.restart { None } else { Checkpoint::read(&path, &identity)? };
    let (writer, checkpoint) = match found {
        None => {
            let replaces = arguments.force || arguments.restart;
            if let Some(existing) = target.existing(arguments.frames).filter(|_| !replaces) {
                bail!("'{}' is there already: give --force to replace it", existing.display());
            }
            let writer = CacheWriter::begin(cache, target.clone())?;
            let mut checkpoint = Checkpoint::new(identity);
            checkpoint.write(&path)?;
            (writer, checkpoint)
        }
        Some(checkpoint) if checkpoint.progress().frames() == arguments.frames && target.is_whole() => {
            return conclude(arguments, arguments.frames, &target, &path, steps, &scene);
        }
        Some(mut checkpoint) => {
            let progress = checkpoint.progress().clone();
            if let Some(kept) = checkpoint.kept.take() {
                let frames = kept.memory.step() / u64::from(steps) + 1;
                let fits =
                    if frames == u64::from(progress.frames()) { Ok(()) } else { Err(StateMismatch::Lists.into()) };
                let gone_on = fits.and_then(|()| runner.go_on_from(kept));
                gone_on.with_context(|| format!("cannot go on from '{}'", path.display()))?;
            }
            (CacheWriter::resume(cache, target.clone(), progress)?, checkpoint)
        }
    };
    interrupt::watch(|| {});
    let bake = Bake { frames: arguments.frames, steps, every: arguments.checkpoint, path: &path };
    match bake.run(&mut runner, shape, writer, checkpoint)? {
        End::Whole => {}
        End::Short { frames, reason } => {
            conclude(arguments, frames, &target, &path, steps, &scene)?;
            bail!("{reason}; the cache ends with the frame before");
        }
        End::Interrupted { frames } => {
            let of = arguments.frames;
            bail!("interrupted after {frames} of {of} frames: the same command again goes on from there");
        }
    }
    conclude(arguments, arguments.frames, &target, &path, steps, &scene)?;
    check_validation(device.as_ref())
}

/// Divides a frame into as few equal steps as are no longer than the scene's, and sets the scene to them.
fn steps_a_frame(scene: &mut Scene, frames_per_second: f64) -> Result<u32> {
    // An f32 that is meant to be a frame, or a whole part of one, is one to rounding.
    let steps = (1.0 / (frames_per_second * f64::from(scene.dt)) - 1e-6).ceil().max(1.0);
    scene.dt = (1.0 / (frames_per_second * steps)) as f32;
    scene.validate()?;
    Ok(steps as u32)
}

/// Fails where validation has said anything.
fn check_validation(device: Option<&Device>) -> Result<()> {
    let messages = device.map(|device| device.instance().validation_messages()).unwrap_or_default();
    match messages.first() {
        Some(first) => bail!("validation had {} messages, the first of them: {}", messages.len(), first.trim()),
        None => Ok(()),
    }
}

/// Takes away the checkpoint of a cache of so many frames that is whole, and says what has been written.
fn conclude(
    arguments: &Arguments,
    frames: u32,
    target: &CacheTarget,
    checkpoint: &std::path::Path,
    steps: u32,
    scene: &Scene,
) -> Result<()> {
    Checkpoint::remove(checkpoint)?;
    let fps = arguments.fps;
    let seconds = f64::from(frames - 1) / fps;
    let plural = if steps == 1 { "" } else { "s" };
    output::print(&format!(
        "wrote {} ({frames} frames from 0 to {seconds:.3} s, {fps} a second, each of {steps} step{plural} of {:.3} ms)\n",
        target.path().display(),
        f64::from(scene.dt) * 1e3,
    ))
}
