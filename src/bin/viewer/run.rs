//! What a window and a headless run have in common: the device, the simulation, the frames in flight and what was
//! measured.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tautline::engine::{COLOR_FORMAT, Device, FrameTiming, Frames, Instance, Ticket};
use tautline::glam::Vec4;
use tautline::render::{Bounds, Camera, Picture, View, Wave};
use tautline::scene::Scene;
use tautline::solver::{ConstraintSolver, Simulation};

use crate::arguments::Arguments;
use crate::output;
use crate::report::{Report, State, residual_table, table};

/// How many frames are in flight: the CPU records one while the device works on another.
const FRAMES_IN_FLIGHT: usize = 2;

/// A scene that runs on a device.
pub struct Run {
    // Frames wait for the device when they are dropped, so they come first.
    pub frames: Frames,
    pub simulation: Simulation,
    pub device: Device,
    pub room: Bounds,
    wave: Option<Wave>,
    timings: Vec<Option<FrameTiming>>,
    /// Submitted frames that have not been seen to finish, oldest first.
    in_flight: VecDeque<Ticket>,
    /// From the end of each frame to the end of the next, as the CPU saw them.
    wall: Vec<Duration>,
    last_end: Instant,
    steps: u64,
}

impl Run {
    pub fn new(instance: &Instance, arguments: &Arguments, scene: &Scene, presents: bool) -> Result<Self> {
        let device = Device::open(instance, arguments.device.as_deref(), presents)?;
        let simulation = scene.simulation(&device)?;
        let (room, wave) = (Bounds::room(simulation.body(), simulation.colliders().list()), Wave::of(scene));
        Ok(Self {
            frames: Frames::new(&device, FRAMES_IN_FLIGHT)?,
            room: wave.map_or(room, |wave| room.joined(wave.bounds())),
            wave,
            simulation,
            device,
            timings: Vec::new(),
            in_flight: VecDeque::new(),
            wall: Vec::new(),
            last_end: Instant::now(),
            steps: 0,
        })
    }

    /// Records and submits one step.
    pub fn step(&mut self) -> Result<()> {
        let mut recorder = self.frames.begin()?;
        self.simulation.record(&mut recorder)?;
        let ticket = recorder.submit()?;
        self.submitted(ticket, 1)
    }

    /// Counts a frame that was submitted with so many steps in it, and waits until no more than the one before it is at
    /// work.
    pub fn submitted(&mut self, ticket: Ticket, steps: u32) -> Result<()> {
        self.steps += u64::from(steps);
        self.in_flight.push_back(ticket);
        while self.in_flight.len() >= FRAMES_IN_FLIGHT {
            self.await_oldest()?;
        }
        self.timings.extend(self.frames.take_timings());
        Ok(())
    }

    fn await_oldest(&mut self) -> Result<()> {
        if let Some(ticket) = self.in_flight.pop_front() {
            self.device.wait(ticket)?;
            let now = Instant::now();
            self.wall.push(now - self.last_end);
            self.last_end = now;
        }
        Ok(())
    }

    /// Starts the clock of the next frame, so that what happened before counts for none.
    pub fn start_clock(&mut self) {
        self.last_end = Instant::now();
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
        while !self.in_flight.is_empty() {
            self.await_oldest()?;
        }
        self.frames.finish()?;
        self.timings.extend(self.frames.take_timings());
        let positions = self.simulation.positions()?;
        // Drawn before the report, which counts what validation says of it, and written after it, which does not depend
        // on it.
        let picture = image.map(|_| self.picture(&positions, arguments, camera));
        let messages = self.device.instance().validation_messages();
        let state = State::new(&positions, self.simulation.strain(&positions)?, self.simulation.cut_count()?);
        let report = Report::new(scene, &self.simulation, self.device.info(), self.steps, state, messages.len())
            .with_timings(&self.timings, &self.wall);
        if let Some(path) = &arguments.report {
            report.write(path)?;
        }
        if let (Some(path), Some(picture)) = (image, picture.transpose()?) {
            picture.write_png(path)?;
        }
        let mut text = table(&report);
        if let Some(iterations) = arguments.residuals {
            text += &self.residuals(iterations)?;
        }
        for path in [image, arguments.report.as_deref()].into_iter().flatten() {
            text += &format!("wrote {}\n", path.display());
        }
        output::print(&text)?;
        // A message that comes with every frame is told once.
        let mut distinct: Vec<(&str, usize)> = Vec::new();
        for message in messages.iter().map(|message| message.trim()) {
            match distinct.iter_mut().find(|(known, _)| *known == message) {
                Some((_, count)) => *count += 1,
                None => distinct.push((message, 1)),
            }
        }
        for (message, count) in distinct {
            output::tell(&format!("validation, {count} times: {message}"));
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

    /// A table of the errors that iterations leave, with either constraint solver.
    fn residuals(&mut self, iterations: u32) -> Result<String> {
        let [gauss_seidel, jacobi] = [ConstraintSolver::GaussSeidel, ConstraintSolver::Jacobi]
            .map(|order| self.simulation.residuals(order, iterations));
        Ok(match (gauss_seidel?, jacobi?) {
            (Some(gauss_seidel), Some(jacobi)) => residual_table(&gauss_seidel, &jacobi),
            _ => "\nno residuals: the solver has no constraints\n".into(),
        })
    }

    /// Draws `positions`, seen by `camera` or else in full.
    fn picture(&self, positions: &[Vec4], arguments: &Arguments, camera: Option<Camera>) -> Result<Picture> {
        let Arguments { size: extent, view: shown, .. } = *arguments;
        let camera = camera.unwrap_or_else(|| {
            let particles = positions.iter().map(|position| position.truncate());
            let corners = self.wave.iter().flat_map(|wave| wave.bounds().corners());
            let points: Vec<_> = particles.chain(corners).collect();
            Camera::framing(&points, extent[0] as f32 / extent[1] as f32)
        });
        let mut view = View::new(&self.device, &self.simulation, self.wave, COLOR_FORMAT, self.room)?;
        view.show(shown);
        Ok(Picture::draw(&self.device, &view, &self.simulation, &camera, extent)?)
    }
}
