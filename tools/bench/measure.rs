//! Runs a case again and again, each time from its start.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tautline::engine::{self, Device, Error, Extent, Frames};
use tautline::glam::Vec4;
use tautline::model::{Body, Strain};
use tautline::scene::{Scene, SceneError};
use tautline::solver::{CpuSimulation, Simulation, Step};
use xxhash_rust::xxh3::xxh3_64;

use crate::arguments::Arguments;
use crate::backend::Backend;
use crate::cases::Case;
use crate::spread::median;
use crate::traffic;

/// How many frames are in flight: the CPU records one while the device works on another.
const FRAMES_IN_FLIGHT: usize = 2;
/// How long a case runs before it is measured, so that clocks have risen and all is loaded.
const WARM_UP: Duration = Duration::from_millis(200);

/// What was measured of a case, or why it cannot be.
pub enum Measured {
    Done(Box<Measurement>),
    /// The device cannot hold it, in a sentence.
    TooLarge(String),
}

pub struct Measurement {
    pub particles: usize,
    pub constraints: usize,
    pub step: Step,
    /// Dispatches a frame; none on the CPU.
    pub dispatches: Option<u32>,
    /// What the passes of a frame access, where that is known.
    pub bytes: Option<u64>,
    pub repetitions: Vec<Repetition>,
    /// Simulated time at the end of each repetition \[s\].
    pub end_time: f64,
    /// Of the positions at the end of each repetition.
    pub checksums: Vec<u64>,
    /// Whether all particles were at finite places then.
    pub finite: bool,
    /// At the end of the last repetition, where it is asked for.
    pub strain: Option<Strain>,
}

/// Medians over the frames of a repetition.
pub struct Repetition {
    /// On the device, from the start of a frame to its end \[ms\].
    pub gpu_ms: Option<f64>,
    /// Recording and submitting on the CPU \[µs\].
    pub record_us: Option<f64>,
    /// From the end of a frame to the end of the next, as the CPU sees them \[ms\].
    pub wall_ms: f64,
    /// The mean of that \[ms\].
    pub mean_wall_ms: f64,
}

/// Measures a case, of which `scene` is the scene.
pub fn case(case: &Case, scene: &Scene, device: Option<&Device>, arguments: &Arguments) -> Result<Measured> {
    let measured = match case.backend {
        Backend::Gpu => on_device(case, scene, device.context("it needs a device")?, arguments),
        Backend::Cpu => on_cpu(case, scene, arguments),
    };
    match measured {
        Ok(measurement) => Ok(Measured::Done(Box::new(measurement))),
        Err(error) => match engine_error(&error) {
            Some(told @ (Error::OverLimit { .. } | Error::OutOfMemory { .. })) => {
                Ok(Measured::TooLarge(told.to_string()))
            }
            _ => Err(error),
        },
    }
}

fn engine_error(error: &anyhow::Error) -> Option<&Error> {
    error.downcast_ref().or(match error.downcast_ref() {
        Some(SceneError::Engine(error)) => Some(error),
        _ => None,
    })
}

fn on_device(case: &Case, scene: &Scene, device: &Device, arguments: &Arguments) -> Result<Measurement> {
    let mut simulation = scene.simulation(device)?;
    let mut frames = Frames::new(device, FRAMES_IN_FLIGHT)?;
    frames.time_whole_frames();
    let dispatches = count_dispatches(&mut frames, &mut simulation)?;
    warm_up(|| repeat(device, &mut frames, &mut simulation, 2).map(drop))?;
    let constraints = simulation.constraint_counts().0;
    let mut measurement = Measurement {
        dispatches: Some(dispatches),
        bytes: traffic::bytes(&simulation),
        ..Measurement::new(simulation.body(), constraints, simulation.step())
    };
    for _ in 0..arguments.repetitions {
        simulation.reset()?;
        measurement.repetitions.push(repeat(device, &mut frames, &mut simulation, case.frame_count(arguments))?);
        let positions = simulation.positions()?;
        measurement.end(&positions, simulation.time());
    }
    if case.strain {
        measurement.strain = Some(simulation.strain(&simulation.positions()?)?);
    }
    Ok(measurement)
}

fn on_cpu(case: &Case, scene: &Scene, arguments: &Arguments) -> Result<Measurement> {
    let mut simulation = scene.cpu_simulation()?;
    warm_up(|| {
        simulation.advance();
        Ok(())
    })?;
    let mut measurement = Measurement::new(simulation.body(), simulation.constraint_counts().0, simulation.step());
    for _ in 0..arguments.repetitions {
        simulation.reset();
        let walls: Vec<f64> = (0..case.frame_count(arguments)).map(|_| advance(&mut simulation)).collect();
        measurement.repetitions.push(Repetition::new(&[], &[], &walls)?);
        measurement.end(&simulation.positions(), simulation.time());
    }
    measurement.strain = case.strain.then(|| simulation.strain());
    Ok(measurement)
}

/// Wall time of a step \[ms\].
fn advance(simulation: &mut CpuSimulation) -> f64 {
    let start = Instant::now();
    simulation.advance();
    milliseconds(start.elapsed())
}

impl Measurement {
    /// Before the first repetition.
    fn new(body: &Body, constraints: usize, step: &Step) -> Self {
        Self {
            particles: body.positions().len(),
            constraints,
            step: *step,
            dispatches: None,
            bytes: None,
            repetitions: Vec::new(),
            end_time: 0.0,
            checksums: Vec::new(),
            finite: true,
            strain: None,
        }
    }

    /// Notes where a repetition has ended.
    fn end(&mut self, positions: &[Vec4], time: f64) {
        self.finite &= positions.iter().all(|position| position.is_finite());
        // What else a solver keeps there differs from one to another.
        let places: Vec<_> = positions.iter().map(|position| position.truncate()).collect();
        self.checksums.push(xxh3_64(bytemuck::cast_slice(&places)));
        self.end_time = time;
    }
}

/// How many dispatches a frame has, as it goes when it is not the first.
fn count_dispatches(frames: &mut Frames, simulation: &mut Simulation) -> engine::Result<u32> {
    let mut dispatches = 0;
    for _ in 0..2 {
        let mut recorder = frames.begin()?;
        recorder.keep_work();
        simulation.record(&mut recorder)?;
        let work = recorder.work();
        let calls = work.iter().flat_map(|pass| &pass.calls);
        let is_dispatch = |extent| matches!(extent, Extent::Dispatch { .. });
        dispatches = calls.filter(|(work, _)| is_dispatch(work.extent)).map(|(_, count)| count).sum();
        recorder.submit()?;
    }
    frames.finish()?;
    Ok(dispatches)
}

fn warm_up(mut run: impl FnMut() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        run()?;
    }
    Ok(())
}

/// Runs so many frames and waits for them.
pub fn repeat(
    device: &Device,
    frames: &mut Frames,
    simulation: &mut Simulation,
    frame_count: u32,
) -> Result<Repetition> {
    frames.finish()?;
    frames.take_timings();
    let (mut records, mut walls) = (Vec::new(), Vec::new());
    let mut in_flight = VecDeque::new();
    let mut last_end = Instant::now();
    let mut wait = |ticket| -> engine::Result<()> {
        device.wait(ticket)?;
        let end = Instant::now();
        walls.push(milliseconds(end - last_end));
        last_end = end;
        Ok(())
    };
    for _ in 0..frame_count {
        // Waited for here, recording does not wait for a place in the ring.
        if in_flight.len() == FRAMES_IN_FLIGHT {
            in_flight.pop_front().map_or(Ok(()), &mut wait)?;
        }
        let start = Instant::now();
        let mut recorder = frames.begin()?;
        simulation.record(&mut recorder)?;
        let ticket = recorder.submit()?;
        records.push(1e3 * milliseconds(start.elapsed()));
        in_flight.push_back(ticket);
    }
    in_flight.into_iter().try_for_each(wait)?;
    frames.finish()?;
    let times: Vec<f64> = frames.take_timings().flatten().map(|timing| timing.gpu_ns as f64 / 1e6).collect();
    Repetition::new(&times, &records, &walls)
}

impl Repetition {
    /// Of times on the device \[ms\], times of recording \[µs\], of which there may be none, and times on the wall \[ms\].
    fn new(gpu: &[f64], records: &[f64], walls: &[f64]) -> Result<Self> {
        Ok(Self {
            gpu_ms: median(gpu),
            record_us: median(records),
            wall_ms: median(walls).context("there are no frames")?,
            mean_wall_ms: walls.iter().sum::<f64>() / walls.len() as f64,
        })
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
