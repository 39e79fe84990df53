//! Runs a scene without a window, as fast as the device or the CPU can.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use tautline::engine::{COLOR_FORMAT, Frames, Recorder};
use tautline::glam::Vec3;
use tautline::model::Body;
use tautline::render::{Camera, Shown, View, Wave};
use tautline::scene::{Playback, Scene, Watching};
use tautline::solver::{Simulation, Verdict};

use crate::arguments::{Arguments, Backend};
#[cfg(feature = "capture")]
use crate::capture::FrameCapture;
use crate::outcome::{Outcome, picture, residuals};
use crate::report::{Report, State, Subject};
use crate::run::{Run, instance, open_device};
use crate::timeline::TimelineRecord;
use crate::video::{Target, Video};
use crate::watch_report::WatchReport;
use crate::{interrupt, output, state_file};

const DEFAULT_FRAMES: u32 = 150;

pub fn run(arguments: &Arguments, scene: &Scene, image: Option<&Path>) -> Result<()> {
    #[cfg(feature = "capture")]
    check_capture(arguments)?;
    // Every picture of a video is drawn by a device.
    if arguments.backend == Backend::Cpu && arguments.video.is_none() {
        return run_on_cpu(arguments, scene, image);
    }
    let mut run = Run::on(open_device(&instance(arguments, None)?, arguments, false)?, arguments.backend, scene)?;
    let simulation = &mut run.simulation;
    if let Some(state) = state_file::load(arguments, scene, simulation.body(), |state| simulation.check(state))? {
        run.go_on_from(&state)?;
    }
    watch_interrupt(arguments);
    let seen_from = camera(arguments, scene, run.simulation.body());
    run.simulation.set_camera(seen_from);
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
            Frames::run_once(&run.device, |recorder| run.simulation.record_jumps(recorder))?;
            before = Some(run.simulation.positions()?);
        }
        #[cfg(feature = "capture")]
        capture.start(run.frames.next_number())?;
        let record = |recorder: &mut Recorder<'_>, simulation: &Simulation| {
            movie.as_mut().map_or(Ok(()), |movie| movie.record(recorder, simulation))
        };
        run.step(is_last, record)?;
        let is_of_use = movie.as_mut().is_none_or(Movie::goes_on);
        #[cfg(feature = "capture")]
        if let Some(path) = capture.end(&scene.name)? {
            output::print(&format!("wrote {}\n", path.display()))?;
        }
        // The run waits for the recording before this one anyway.
        let verdict = run.check(if is_last { 0 } else { 1 })?;
        let goes_on = obey(verdict, &mut run, scene, movie.as_mut())?;
        run.simulation.set_camera(seen_from);
        Ok((goes_on && is_of_use).then(|| run.guard.steps()))
    })?;
    check_playback(scene)?;
    // First of all, so that nothing else that fails can lose it; and whether or not it can be written, the rest is.
    let saved = state_file::save(arguments, || Ok(run.simulation.state()?));
    let ended = movie.map_or(Ok(()), Movie::finish).and_then(|()| run.finish(arguments, scene, image, None, before));
    state_file::told(ended, saved).and_then(|()| check_interrupt(arguments))
}

/// From now on, Ctrl-C ends a run that keeps its state as its last frame does.
fn watch_interrupt(arguments: &Arguments) {
    if arguments.save_state.is_some() {
        interrupt::watch(|| {});
    }
}

/// Fails where a run that keeps its state has been interrupted.
fn check_interrupt(arguments: &Arguments) -> Result<()> {
    match &arguments.save_state {
        Some(path) if interrupt::interrupted() => {
            bail!("interrupted: '{}' has the state up to then, for --load-state to go on from", path.display())
        }
        _ => Ok(()),
    }
}

/// Does what the guard of a run says, and returns whether the run goes on.
fn obey(verdict: Verdict, run: &mut Run, scene: &Scene, movie: Option<&mut Movie>) -> Result<bool> {
    run.say(&verdict);
    let to = match verdict {
        Verdict::Good | Verdict::Tell(_) => return Ok(true),
        Verdict::Stop(_) => return Ok(false),
        Verdict::GoBack(_, to) | Verdict::Relax(to) => to,
    };
    run.return_to(&to, scene)?;
    movie.map_or(Ok(()), |movie| movie.go_on_with(run))?;
    Ok(true)
}

/// A video of a run, seen by a camera that stands still.
struct Movie {
    view: View,
    shown: Shown,
    camera: Camera,
    video: Video,
}

impl Movie {
    fn begin(path: &Path, arguments: &Arguments, run: &Run) -> Result<Self> {
        interrupt::watch(|| {});
        let [width, height] = arguments.picture_size().map(|side| side as f32);
        let dt = run.simulation.step().dt;
        let target = Target::at(path)?.of_run(run.goes_back());
        Ok(Self {
            view: run.view(COLOR_FORMAT, arguments.view)?,
            shown: arguments.view,
            camera: Camera::framing(&run.room.corners(), width / height),
            video: Video::begin(&run.device, target, arguments.picture_size(), COLOR_FORMAT, dt)?,
        })
    }

    /// Shows another simulation of a run from where that has come to, or gone back to.
    fn go_on_with(&mut self, run: &Run) -> Result<()> {
        self.view = run.view(COLOR_FORMAT, self.shown)?;
        self.video.go_back_to(run.steps);
        Ok(())
    }

    fn record(&mut self, recorder: &mut Recorder<'_>, simulation: &Simulation) -> Result<()> {
        self.video.record(recorder, &self.view, simulation, &self.camera, 1)
    }

    /// Passes on what was submitted, and says whether another frame is worth running.
    fn goes_on(&mut self) -> bool {
        self.video.submitted();
        !self.video.has_failed()
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
    if let Some(state) = state_file::load(arguments, scene, simulation.body(), |state| simulation.check(state))? {
        simulation.go_on_from(&state);
    }
    watch_interrupt(arguments);
    let seen_from = camera(arguments, scene, simulation.body());
    simulation.set_camera(seen_from);
    let mut watching = Watching::of(scene);
    let mut guard = watching.cpu_guard(&mut simulation);
    let (mut timings, mut wall) = (Vec::new(), Vec::new());
    let mut timeline = arguments.trace.as_ref().map(|_| TimelineRecord::begin(None));
    let mut before = None;
    for_each_frame(arguments, |is_last| {
        if is_last && arguments.view == Shown::Velocity {
            simulation.jump();
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
        let verdict = guard.look(&mut simulation, is_last);
        let text = watching.note(&verdict, simulation.body());
        text.iter().for_each(|text| output::tell(&format!("watch: {text}")));
        match verdict {
            Verdict::Good | Verdict::Tell(_) => {}
            Verdict::Stop(_) => return Ok(None),
            Verdict::GoBack(_, to) | Verdict::Relax(to) => {
                simulation = scene.divided(to.factor).cpu_simulation()?;
                simulation.go_on_from(&to.state);
                guard.resume(&mut simulation);
                simulation.set_camera(seen_from);
            }
        }
        Ok(Some(guard.steps()))
    })?;
    check_playback(scene)?;
    let saved = state_file::save(arguments, || Ok(simulation.state()));
    let (steps, positions, slept) = (guard.steps(), simulation.positions(), simulation.steps_slept());
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
    let report = report.with_watch(WatchReport::of(&watching, guard.greatest(), guard.every(), slept));
    let (gpu_timings, cpu_timings) = (Vec::new(), timings);
    let ended = Outcome { report, timings: gpu_timings, cpu_timings, timeline, picture, residuals, messages }
        .conclude(arguments, image);
    state_file::told(ended, saved).and_then(|()| check_interrupt(arguments))
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

/// Runs as many frames as were asked for, with a progress bar, as long as they say that it goes on and nobody interrupts it;
/// each is told whether it is the last, and says how many frames have run then, as long as it goes on: fewer than before where
/// the run has gone back.
fn for_each_frame(arguments: &Arguments, mut frame: impl FnMut(bool) -> Result<Option<u64>>) -> Result<()> {
    let frames = u64::from(arguments.frames.unwrap_or(DEFAULT_FRAMES));
    // Draws on stderr, and nothing where that is no terminal.
    let bar = ProgressBar::new(frames);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    let mut run = 0;
    while run < frames {
        let Some(now) = frame(run + 1 == frames)? else { break };
        run = now;
        bar.set_position(run);
        if interrupt::interrupted() {
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
