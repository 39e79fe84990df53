//! What a window and a headless run have in common: the device, the simulation, the frames in flight and what was
//! measured.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use raw_window_handle::RawDisplayHandle;
use tautline::engine::{Device, Error, FrameTiming, Frames, Instance, InstanceOptions, Recorder, Ticket, vk};
use tautline::glam::Vec4;
use tautline::render::{Bounds, Camera, Shown, View, Wave};
use tautline::scene::{Scene, Watching};
use tautline::solver::{CpuTiming, Guard, Return, Simulation, State as BodyState, Verdict};

use crate::arguments::{Arguments, Backend};
use crate::outcome::{Outcome, picture, residuals, room};
use crate::output;
use crate::report::{Report, State, Subject};
use crate::timeline::TimelineRecord;
use crate::watch_report::WatchReport;

/// How many frames are in flight: the CPU records one while the device works on another.
const FRAMES_IN_FLIGHT: usize = 2;
/// Of how many frames at least the times are kept, for the report and the panels: of the last ones.
const TIMES_KEPT: usize = 10_000;

/// A scene that runs on a device.
pub struct Run {
    // Frames wait for the device when they are dropped, so they come first.
    pub frames: Frames,
    pub simulation: Simulation,
    pub guard: Guard,
    /// What the guard has had to say, and what came of it.
    pub watching: Watching,
    pub device: Device,
    pub room: Bounds,
    wave: Option<Wave>,
    backend: Backend,
    timings: Vec<Option<FrameTiming>>,
    /// Of the frames in which steps ran on the CPU.
    cpu_timings: Vec<CpuTiming>,
    /// What the CPU and the device did when, where that is kept.
    timeline: Option<TimelineRecord>,
    /// Submitted frames that have not been seen to finish, oldest first.
    in_flight: VecDeque<Ticket>,
    /// When the frames were submitted whose times are still to come, oldest first, and whether the body slept through them and
    /// nothing else is in them: their times say nothing of a step.
    submissions: VecDeque<(Instant, bool)>,
    /// From the end of each frame to the end of the next, as the CPU saw them.
    wall: Vec<Duration>,
    last_end: Instant,
    /// How many have run.
    pub steps: u64,
}

impl Run {
    /// Starts another scene on the same device.
    pub fn starting(&self, scene: &Scene) -> Result<Self> {
        Self::on(self.device.clone(), self.backend, scene)
    }

    /// Goes on from where the body is now with a scene of the same body, whatever solver it has and wherever it runs; and what
    /// it goes on from.
    pub fn going_on(&self, scene: &Scene, backend: Backend) -> Result<(Self, BodyState)> {
        let state = self.simulation.state()?;
        check_cuts(&state, scene).map_err(|reason| anyhow!("{reason}: reset it first"))?;
        let mut run = Self::on(self.device.clone(), backend, scene)?;
        run.go_on_from(&state)?;
        run.steps = self.steps;
        Ok((run, state))
    }

    /// Where the steps are computed.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Starts a scene on a device.
    pub fn on(device: Device, backend: Backend, scene: &Scene) -> Result<Self> {
        let mut simulation = match backend {
            Backend::Gpu => scene.simulation(&device)?,
            Backend::Cpu => scene.cpu_simulation()?.on_device(&device)?,
        };
        let wave = Wave::of(scene);
        let watching = Watching::of(scene);
        Ok(Self {
            guard: watching.guard(&device, &mut simulation)?,
            watching,
            frames: Frames::new(&device, FRAMES_IN_FLIGHT)?,
            room: room(&simulation, wave),
            wave,
            backend,
            simulation,
            device,
            timings: Vec::new(),
            cpu_timings: Vec::new(),
            timeline: None,
            in_flight: VecDeque::new(),
            submissions: VecDeque::new(),
            wall: Vec::new(),
            last_end: Instant::now(),
            steps: 0,
        })
    }

    /// Goes on from a state of the same body.
    pub fn go_on_from(&mut self, state: &BodyState) -> Result<()> {
        self.simulation.go_on_from(state)?;
        self.guard_anew()
    }

    /// Puts the body back to how it started.
    pub fn reset(&mut self) -> Result<()> {
        self.simulation.reset()?;
        self.guard_anew()
    }

    /// Watches from here on for what `scene` says.
    pub fn watch(&mut self, scene: &Scene) -> Result<()> {
        self.watching = Watching::of(scene);
        self.guard_anew()
    }

    /// Guards the run from here on, as if it had begun here.
    fn guard_anew(&mut self) -> Result<()> {
        self.guard = self.watching.guard(&self.device, &mut self.simulation)?;
        Ok(())
    }

    /// Says what the guard has said, and returns it.
    pub fn say(&mut self, verdict: &Verdict) -> Option<String> {
        let text = self.watching.note(verdict, self.simulation.body());
        text.inspect(|text| output::tell(&format!("watch: {text}")))
    }

    /// What the looks at all recordings but the last `in_flight` mean for the run.
    pub fn check(&mut self, in_flight: usize) -> Result<Verdict> {
        let steps = self.guard.steps();
        let verdict = self.guard.check(&mut self.simulation, in_flight)?;
        // Where the run has gone back, as much is to be run again.
        self.steps = self.steps.saturating_sub(steps - self.guard.steps());
        Ok(verdict)
    }

    /// Whether it may go back to where it has been.
    pub fn goes_back(&self) -> bool {
        self.guard.settings().may_go_back()
    }

    /// Goes on from where the guard says, with a simulation of its own.
    pub fn return_to(&mut self, to: &Return, scene: &Scene) -> Result<()> {
        let scene = scene.divided(to.factor);
        self.simulation = match self.backend {
            Backend::Gpu => scene.simulation(&self.device)?,
            Backend::Cpu => scene.cpu_simulation()?.on_device(&self.device)?,
        };
        self.simulation.go_on_from(&to.state)?;
        Ok(self.guard.resume(&mut self.simulation)?)
    }

    /// What draws it, into targets of `format`.
    pub fn view(&self, format: vk::Format, shown: Shown) -> Result<View> {
        let mut view = View::new(&self.device, &self.simulation, self.wave, format, self.room)?;
        view.show(shown);
        Ok(view)
    }

    /// Keeps from here on what the CPU and the device do when.
    pub fn keep_timeline(&mut self) {
        self.frames.keep_timelines();
        self.timeline = Some(TimelineRecord::begin(Some(&self.device.info().name)));
    }

    /// Goes on with the time line of another run on the same device, where it keeps one.
    pub fn continue_timeline(&mut self, before: Self) {
        if let Some(timeline) = before.timeline {
            self.frames.keep_timelines();
            self.timeline = Some(timeline);
        }
    }

    /// Notes what the CPU did from `start` until now, where that is kept.
    pub fn note(&mut self, what: &str, start: Instant) {
        if let Some(timeline) = &mut self.timeline {
            timeline.cpu(what, start);
        }
    }

    /// Records and submits one step, which may be the `last`, and after it what `and_then` records.
    pub fn step(
        &mut self,
        last: bool,
        and_then: impl FnOnce(&mut Recorder<'_>, &Simulation) -> Result<()>,
    ) -> Result<()> {
        let start = Instant::now();
        let mut recorder = self.frames.begin()?;
        self.simulation.record(&mut recorder)?;
        self.guard.look(&mut recorder, &mut self.simulation, last)?;
        self.guard.close(&mut recorder)?;
        and_then(&mut recorder, &self.simulation)?;
        let ticket = recorder.submit()?;
        self.note("record and submit", start);
        let slept = self.simulation.is_asleep();
        self.submitted(ticket, 1, slept)
    }

    /// Counts a frame that was submitted with so many steps in it, all of which the body slept through, or not; and waits until
    /// no more than the one before it is at work.
    pub fn submitted(&mut self, ticket: Ticket, steps: u32, slept: bool) -> Result<()> {
        self.steps += u64::from(steps);
        if let Some(mut timing) = self.simulation.take_cpu_timing().filter(|_| steps > 0) {
            let runs = std::mem::take(&mut timing.runs);
            if let Some(timeline) = &mut self.timeline {
                timeline.cpu_passes(&runs);
            }
            self.cpu_timings.push(timing);
            forget(&mut self.cpu_timings);
        }
        self.in_flight.push_back(ticket);
        self.submissions.push_back((Instant::now(), slept));
        while self.in_flight.len() >= FRAMES_IN_FLIGHT {
            self.await_oldest()?;
        }
        self.take_timings();
        forget(&mut self.timings);
        Ok(())
    }

    /// Takes in the times of the frames that have finished.
    fn take_timings(&mut self) {
        for mut timing in self.frames.take_timings() {
            let (submitted, slept) = self.submissions.pop_front().unzip();
            if let (Some(timeline), Some(timing), Some(submitted)) = (&mut self.timeline, &mut timing, submitted) {
                timeline.device(timing, submitted);
                // It has been taken in.
                timing.timeline = None;
            }
            self.timings.push(timing.filter(|_| slept != Some(true)));
        }
    }

    fn await_oldest(&mut self) -> Result<()> {
        if let Some(ticket) = self.in_flight.pop_front() {
            let start = Instant::now();
            self.device.wait(ticket)?;
            self.note("wait for the device", start);
            let now = Instant::now();
            self.wall.push(now - self.last_end);
            forget(&mut self.wall);
            self.last_end = now;
        }
        Ok(())
    }

    /// Starts the clock of the next frame, so that what happened before counts for none.
    pub fn start_clock(&mut self) {
        self.last_end = Instant::now();
    }

    /// Times of the last frames on the device, oldest first.
    pub fn timings(&self) -> &[Option<FrameTiming>] {
        &self.timings
    }

    /// Times from the end of each frame to the end of the next, oldest first.
    pub fn wall(&self) -> &[Duration] {
        &self.wall
    }

    /// Time of the last steps on the CPU.
    pub fn last_cpu_time(&self) -> Option<Duration> {
        self.cpu_timings.last().map(CpuTiming::total)
    }

    /// GPU time of the frame that finished last.
    pub fn last_gpu_time(&self) -> Option<Duration> {
        self.timings.last()?.as_ref().map(|timing| Duration::from_nanos(timing.gpu_ns))
    }

    /// Waits for the device, writes what was asked for, prints the timings, and fails where the state or the validation
    /// does. `before` is where the particles were before the last step, for a picture of speeds.
    pub fn finish(
        mut self,
        arguments: &Arguments,
        scene: &Scene,
        image: Option<&Path>,
        camera: Option<Camera>,
        before: Option<Vec<Vec4>>,
    ) -> Result<()> {
        while !self.in_flight.is_empty() {
            self.await_oldest()?;
        }
        self.frames.finish()?;
        self.take_timings();
        let steps = self.steps;
        // Whatever the last recordings of a window have found: it is too late to go back.
        if let Verdict::Tell(alarm) | Verdict::Stop(alarm) | Verdict::GoBack(alarm, _) = self.check(0)? {
            self.say(&Verdict::Tell(alarm));
        }
        self.steps = steps;
        let positions = self.simulation.positions()?;
        let residuals = arguments
            .residuals
            .map(|iterations| residuals(|order| Ok(self.simulation.residuals(order, iterations)?)));
        let residuals = residuals.transpose()?;
        // Drawn before the report, which counts what validation says of it.
        let draw =
            |simulation| picture(&self.device, simulation, self.wave, &positions, before.as_deref(), arguments, camera);
        let picture = image.map(|_| draw(&self.simulation));
        let messages = self.device.instance().validation_messages();
        let simulation = &self.simulation;
        let (strain, cut) = (simulation.strain(&positions)?, simulation.cut_count()?);
        let state = State::new(&positions, strain, cut, simulation.pinned_count());
        let device = (self.backend == Backend::Gpu).then(|| self.device.info());
        let report = Report::new(scene, Subject::from(&self.simulation), device, self.steps, state, messages.len())
            .with_timings(&self.timings)
            .with_cpu_timings(&self.cpu_timings)
            .with_wall(&self.wall)
            .with_watch(WatchReport::of(
                &self.watching,
                self.guard.greatest(),
                self.guard.every(),
                self.simulation.steps_slept(),
            ));
        let Self { timings, cpu_timings, timeline, .. } = self;
        Outcome { report, timings, cpu_timings, timeline, picture, residuals, messages }.conclude(arguments, image)
    }
}

/// Vulkan, for a window's display where there is one.
pub fn instance(arguments: &Arguments, display: Option<RawDisplayHandle>) -> Result<Instance> {
    let options = InstanceOptions {
        validation: arguments.validate,
        #[cfg(feature = "capture")]
        capture: arguments.capture_frame.is_some(),
        display,
    };
    Instance::new(&options).map_err(or_cpu)
}

/// The device that was asked for, or the best one.
pub fn open_device(instance: &Instance, arguments: &Arguments, presents: bool) -> Result<Device> {
    Device::open(instance, arguments.device.as_deref(), presents).map_err(or_cpu)
}

/// Says what can be done on a machine without Vulkan.
fn or_cpu(error: Error) -> anyhow::Error {
    match error {
        Error::NoLoader { .. } | Error::OldLoader { .. } | Error::NoDevice | Error::NoUsableDevice { .. } => {
            anyhow!("{error}; or run with --headless --backend cpu and without pictures, which needs no Vulkan")
        }
        other => other.into(),
    }
}

/// Fails where a cloth has been cut, and the scene's solver cannot have it so.
pub fn check_cuts(state: &BodyState, scene: &Scene) -> Result<()> {
    if state.is_cut() && scene.solver.needs_grid() {
        bail!("the cloth has been cut, and the springs of `{}` cannot be", scene.solver);
    }
    Ok(())
}

/// Drops the oldest half once there are twice as many as are kept.
fn forget<T>(times: &mut Vec<T>) {
    if times.len() >= 2 * TIMES_KEPT {
        times.drain(..TIMES_KEPT);
    }
}
