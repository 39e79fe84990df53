//! What a window and a headless run have in common: the device, the simulation, the frames in flight and what was
//! measured.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tautline::engine::{COLOR_FORMAT, Device, FrameTiming, Frames, Instance};
use tautline::render::{Bounds, Camera, ClothView, Picture};
use tautline::scene::Scene;
use tautline::solver::Simulation;

use crate::arguments::Arguments;
use crate::report::{Report, State, table};

/// How many frames are in flight: the CPU records one while the device works on another.
const FRAMES_IN_FLIGHT: usize = 2;

/// A scene that runs on a device.
pub struct Run {
    // Frames wait for the device when they are dropped, so they come first.
    pub frames: Frames,
    pub simulation: Simulation,
    pub device: Device,
    pub room: Bounds,
    timings: Vec<Option<FrameTiming>>,
    wall: Vec<Duration>,
    last_frame: Option<Instant>,
    steps: u64,
}

impl Run {
    pub fn new(instance: &Instance, arguments: &Arguments, scene: &Scene, presents: bool) -> Result<Self> {
        let device = Device::open(instance, arguments.device.as_deref(), presents)?;
        let simulation = scene.simulation(&device)?;
        Ok(Self {
            frames: Frames::new(&device, FRAMES_IN_FLIGHT)?,
            room: Bounds::around(simulation.cloth().positions.iter().map(|particle| particle.truncate()))
                .with_room_to_hang(),
            simulation,
            device,
            timings: Vec::new(),
            wall: Vec::new(),
            last_frame: None,
            steps: 0,
        })
    }

    /// Records and submits one step.
    pub fn step(&mut self) -> Result<()> {
        let mut recorder = self.frames.begin()?;
        self.simulation.record(&mut recorder)?;
        recorder.submit()?;
        self.steps += 1;
        self.frame_ended();
        Ok(())
    }

    /// Counts a step that was recorded elsewhere.
    pub fn count_step(&mut self) {
        self.steps += 1;
    }

    /// Takes in the time since the last frame, and the timings of frames that have finished.
    pub fn frame_ended(&mut self) {
        let now = Instant::now();
        self.wall.extend(self.last_frame.replace(now).map(|last| now - last));
        self.timings.extend(self.frames.take_timings());
    }

    /// Starts the clock of the next frame, so that what happened in between counts for none.
    pub fn frame_started_afresh(&mut self) {
        self.last_frame = Some(Instant::now());
    }

    /// GPU time of the frame that finished last.
    pub fn last_gpu_time(&self) -> Option<Duration> {
        self.timings.last()?.as_ref().map(|timing| Duration::from_nanos(timing.gpu_ns))
    }

    /// Waits for the device, writes what was asked for, prints the timings, and fails where the state or the validation
    /// does.
    pub fn finish(
        mut self,
        arguments: &Arguments,
        scene: &Scene,
        image: Option<&Path>,
        camera: Option<Camera>,
    ) -> Result<()> {
        self.frames.finish()?;
        self.timings.extend(self.frames.take_timings());
        let positions = self.simulation.positions()?;
        if let Some(path) = image {
            let [width, height] = arguments.size;
            let camera = camera.unwrap_or_else(|| {
                let points: Vec<_> = positions.iter().map(|position| position.truncate()).collect();
                Camera::framing(&points, width as f32 / height as f32)
            });
            let view = ClothView::new(&self.device, &self.simulation, COLOR_FORMAT, self.room)?;
            let current = self.simulation.current();
            Picture::draw(&self.device, &view, current, &camera, arguments.size)?.write_png(path)?;
        }
        let messages = self.device.instance().validation_messages();
        let state = State::new(&positions, self.simulation.strain(&positions));
        let report = Report::new(scene, &self.simulation, self.device.info(), self.steps)
            .with_timings(&self.timings, &self.wall)
            .with_outcome(state, messages.len());
        if let Some(path) = &arguments.report {
            report.write(path)?;
        }
        print!("{}", table(&report));
        for path in [image, arguments.report.as_deref()].into_iter().flatten() {
            println!("wrote {}", path.display());
        }
        for message in &messages {
            eprintln!("validation: {message}");
        }
        if !report.state.finite {
            bail!(
                "the state is not finite after {} steps: the solver was unstable; try a smaller dt or more substeps",
                self.steps
            );
        }
        if !messages.is_empty() {
            bail!("validation had {} messages, listed above", messages.len());
        }
        Ok(())
    }
}
