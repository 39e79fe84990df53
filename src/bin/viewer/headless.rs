//! Runs a scene without a window, as fast as the device or the CPU can.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use tautline::engine::{COLOR_FORMAT, Recorder};
use tautline::glam::Vec3;
use tautline::model::Body;
use tautline::render::{Camera, Shown, View, Wave};
use tautline::scene::{Playback, Scene};
use tautline::solver::Simulation;

use crate::arguments::{Arguments, Backend};
#[cfg(feature = "capture")]
use crate::capture::FrameCapture;
use crate::outcome::{Outcome, picture, residuals};
use crate::report::{Report, State, Subject};
use crate::run::{Run, instance, open_device};
use crate::timeline::TimelineRecord;
use crate::video::{Target, Video};
use crate::{interrupt, output};

const DEFAULT_FRAMES: u32 = 150;

pub fn run(arguments: &Arguments, scene: &Scene, image: Option<&Path>) -> Result<()> {
    #[cfg(feature = "capture")]
    check_capture(arguments)?;
    // Every picture of a video is drawn by a device.
    if arguments.backend == Backend::Cpu && arguments.video.is_none() {
        return run_on_cpu(arguments, scene, image);
    }
    let mut run = Run::on(open_device(&instance(arguments, None)?, arguments, false)?, arguments.backend, scene)?;
    run.simulation.set_camera(camera(arguments, scene, run.simulation.body()));
    let mut movie = arguments.video.as_deref().map(|path| Movie::begin(path, arguments, &run)).transpose()?;
    #[cfg(feature = "capture")]
    let mut capture = FrameCapture::of(arguments.capture_frame, &run.device)?;
    run.start_clock();
    if arguments.trace.is_some() {
        run.keep_timeline();
    }
    if arguments.untimed {
        run.frames.stop_timing()?;
    } else if arguments.trace.is_none() && arguments.timings.is_none() && arguments.video.is_none() {
        // Timestamps cost time, nobody looks at single frames, and all have the same passes.
        run.frames.sample();
    }
    let mut before = None;
    for_each_frame(arguments, |is_last| {
        if is_last && arguments.view == Shown::Velocity {
            before = Some(run.simulation.positions()?);
        }
        #[cfg(feature = "capture")]
        capture.start(run.frames.next_number())?;
        run.step(|recorder, simulation| movie.as_mut().map_or(Ok(()), |movie| movie.record(recorder, simulation)))?;
        #[cfg(feature = "capture")]
        if let Some(path) = capture.end(&scene.name)? {
            output::print(&format!("wrote {}\n", path.display()))?;
        }
        Ok(movie.as_mut().is_none_or(Movie::goes_on))
    })?;
    check_playback(scene)?;
    if let Some(movie) = movie {
        movie.finish()?;
    }
    run.finish(arguments, scene, image, None, before)
}

/// A video of a run, seen by a camera that stands still.
struct Movie {
    view: View,
    camera: Camera,
    video: Video,
}

impl Movie {
    fn begin(path: &Path, arguments: &Arguments, run: &Run) -> Result<Self> {
        interrupt::watch(|| {});
        let [width, height] = arguments.picture_size().map(|side| side as f32);
        let dt = run.simulation.step().dt;
        Ok(Self {
            view: run.view(COLOR_FORMAT, arguments.view)?,
            camera: Camera::framing(&run.room.corners(), width / height),
            video: Video::begin(&run.device, Target::at(path)?, arguments.picture_size(), COLOR_FORMAT, dt)?,
        })
    }

    fn record(&mut self, recorder: &mut Recorder<'_>, simulation: &Simulation) -> Result<()> {
        self.video.record(recorder, &self.view, simulation, &self.camera, 1)
    }

    /// Passes on what was submitted, and says whether another frame is worth running.
    fn goes_on(&mut self) -> bool {
        self.video.submitted();
        !self.video.has_failed() && !interrupt::interrupted()
    }

    fn finish(self) -> Result<()> {
        let told = self.video.end().join()?;
        if interrupt::interrupted() {
            bail!("interrupted: {told}, up to then");
        }
        output::print(&format!("{told}\n"))
    }
}

/// Without a device, but where a picture has to be drawn at the end.
fn run_on_cpu(arguments: &Arguments, scene: &Scene, image: Option<&Path>) -> Result<()> {
    // Opened first, so that a run does not end in vain.
    let device = image.map(|_| open_device(&instance(arguments, None)?, arguments, false)).transpose()?;
    let mut simulation = scene.cpu_simulation()?;
    simulation.set_camera(camera(arguments, scene, simulation.body()));
    let (mut timings, mut wall) = (Vec::new(), Vec::new());
    let mut timeline = arguments.trace.as_ref().map(|_| TimelineRecord::begin(None));
    let mut before = None;
    for_each_frame(arguments, |is_last| {
        if is_last && arguments.view == Shown::Velocity {
            before = Some(simulation.positions());
        }
        let start = Instant::now();
        let mut timing = simulation.advance();
        wall.push(start.elapsed());
        let runs = std::mem::take(&mut timing.runs);
        if let Some(timeline) = &mut timeline {
            timeline.cpu("step", start);
            timeline.cpu_passes(&runs);
        }
        timings.push(timing);
        Ok(true)
    })?;
    check_playback(scene)?;
    let (steps, positions) = (wall.len() as u64, simulation.positions());
    let state = State::new(&positions, simulation.strain(), simulation.cut_count(), simulation.pinned_count());
    let residuals =
        arguments.residuals.map(|iterations| residuals(|order| Ok(simulation.residuals(order, iterations))));
    let residuals = residuals.transpose()?;
    let subject = Subject::from(&simulation);
    let picture = device.as_ref().map(|device| {
        let simulation = simulation.on_device(device)?;
        picture(device, &simulation, Wave::of(scene), &positions, before.as_deref(), arguments, None)
    });
    let messages = device.map(|device| device.instance().validation_messages()).unwrap_or_default();
    let report =
        Report::new(scene, subject, None, steps, state, messages.len()).with_cpu_timings(&timings).with_wall(&wall);
    let (gpu_timings, cpu_timings) = (Vec::new(), timings);
    Outcome { report, timings: gpu_timings, cpu_timings, timeline, picture, residuals, messages }
        .conclude(arguments, image)
}

/// Fails where a frame of a cache could not be read.
fn check_playback(scene: &Scene) -> Result<()> {
    scene.playback.as_ref().and_then(Playback::take_failure).map_or(Ok(()), |problem| bail!(problem))
}

/// From where levels of detail are chosen.
fn camera(arguments: &Arguments, scene: &Scene, body: &Body) -> Vec3 {
    let points: Vec<_> = body.positions().iter().map(|particle| particle.truncate()).collect();
    let [width, height] = arguments.picture_size().map(|side| side as f32);
    scene.rope_lod_camera.unwrap_or_else(|| Camera::framing(&points, width / height).position())
}

/// Runs as many frames as were asked for, with a progress bar, as long as they say that it goes on; each is told whether it is
/// the last.
fn for_each_frame(arguments: &Arguments, mut frame: impl FnMut(bool) -> Result<bool>) -> Result<()> {
    let frames = arguments.frames.unwrap_or(DEFAULT_FRAMES);
    // Draws on stderr, and nothing where that is no terminal.
    let bar = ProgressBar::new(frames.into());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    for left in (0..frames).rev() {
        let goes_on = frame(left == 0)?;
        bar.inc(1);
        if !goes_on {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Fails where the frame that is to be captured will not come.
#[cfg(feature = "capture")]
fn check_capture(arguments: &Arguments) -> Result<()> {
    let Some(frame) = arguments.capture_frame else {
        return Ok(());
    };
    let frames = arguments.frames.unwrap_or(DEFAULT_FRAMES);
    if frame > frames.into() {
        bail!("--capture-frame {frame} is past the last of {frames} frames: run more with --frames");
    }
    if arguments.backend == Backend::Cpu && arguments.video.is_none() {
        bail!("--capture-frame needs a Vulkan device at work: run without --backend cpu");
    }
    Ok(())
}
