//! The last state of a simulation that is known to be whole, for when its device is lost.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use glam::Vec3;

use super::{Particles, Severed, Simulation, State};
use crate::engine::{self, Buffer, Device, Recorder, Staging};
use crate::layout::Constraint;
use crate::model::{Fingerprint, Jump, Pins};

/// How often the particles are copied.
const EVERY: Duration = Duration::from_secs(1);

/// Copies what a body does beside what is recorded, about once a second. Neither the recording nor who submits it waits
/// for the device: a thread does, and reads the copies, as what is in a device's memory is undefined once the device is
/// lost.
///
/// Velocities are those of a whole step, as a substep ago nobody looked.
pub struct Backup {
    device: Device,
    copies: Copies,
    /// What has been recorded, and not submitted yet.
    recorded: Option<Moment>,
    /// The thread that reads the copies.
    reading: Option<JoinHandle<engine::Result<State>>>,
    state: Option<State>,
    due: Instant,
}

/// Memory that the device copies to.
#[derive(Clone)]
struct Copies {
    /// The particles before a step, and after it.
    particles: [Staging; 2],
    /// Made when something is cut.
    cuts: Option<CutCopies>,
    body: Fingerprint,
}

/// Of a cloth that has been cut.
#[derive(Clone)]
struct CutCopies {
    /// The particles of each spring, before any cut. Shape \[spring_count\].
    springs: Arc<[[u32; 2]]>,
    constraints: Staging,
    /// None where the solver has no triangles.
    corners: Option<Staging>,
}

/// A step whose particles are copied.
struct Moment {
    time: f64,
    dt: f32,
    particles: Particles,
    hands: (Pins, Vec<Vec3>),
    frame: Option<Jump>,
    has_cut: bool,
}

impl Backup {
    /// Prepares to copy what `simulation` does, and no other; `state` is what it went on from, and none where it
    /// started anew.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, simulation: &Simulation, state: Option<State>) -> engine::Result<Self> {
        let copy = |name| simulation.particles()[0].staging(device, name);
        let particles = [copy("backup.before")?, copy("backup.after")?];
        let copies = Copies { particles, cuts: None, body: simulation.body().fingerprint() };
        Ok(Self { device: device.clone(), copies, recorded: None, reading: None, state, due: Instant::now() })
    }

    /// Records one step as [`Simulation::record`], and copies the particles before and after it where that is due.
    ///
    /// # Errors
    /// What the engine reports, also of the copies before.
    pub fn record(&mut self, recorder: &mut Recorder<'_>, simulation: &mut Simulation) -> engine::Result<()> {
        if self.reading.as_ref().is_some_and(JoinHandle::is_finished) {
            self.take_in()?;
        }
        if self.recorded.is_some() || self.reading.is_some() || self.due > Instant::now() {
            return simulation.record(recorder);
        }
        self.due = Instant::now() + EVERY;
        // What lies between the two copies is the way of the particles.
        simulation.record_jumps(recorder)?;
        now(simulation).download(recorder, &self.copies.particles[0])?;
        simulation.record(recorder)?;
        let particles = now(simulation);
        particles.download(recorder, &self.copies.particles[1])?;
        let has_cut = simulation.has_cut();
        if has_cut {
            self.copy_cuts(recorder, simulation)?;
        }
        let (time, dt, hands, frame) =
            (simulation.time(), simulation.step().dt, simulation.hands(), simulation.frame());
        self.recorded = Some(Moment { time, dt, particles, hands, frame, has_cut });
        Ok(())
    }

    /// Has the copies that were recorded be read as soon as they are made, now that the recordings so far are
    /// submitted.
    pub fn submitted(&mut self) {
        if let Some(moment) = self.recorded.take() {
            let copies = self.copies.clone();
            // Where the system has no thread left, the copies before stay the last.
            self.reading = thread::Builder::new().spawn(move || copies.read(&moment)).ok();
        }
    }

    /// The last state that was copied, at most a little over a second old; before the first, the one that the
    /// simulation went on from, if there is one. Waits for the copies that are submitted, and passes over them where
    /// the device was lost.
    pub fn state(&mut self) -> Option<&State> {
        // What went wrong, whoever uses the device is told as well.
        let _ = self.take_in();
        self.state.as_ref()
    }

    /// Forgets what was copied, as after a reset.
    pub fn forget(&mut self) {
        let _ = self.take_in();
        (self.recorded, self.state) = (None, None);
    }

    /// Waits for the copies that are being read, if there are some, and keeps them.
    fn take_in(&mut self) -> engine::Result<()> {
        if let Some(reading) = self.reading.take() {
            self.state = Some(reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(())
    }

    /// Records copies of what cuts change.
    fn copy_cuts(&mut self, recorder: &mut Recorder<'_>, simulation: &Simulation) -> engine::Result<()> {
        let Some(constraints) = simulation.constraints() else {
            return Ok(());
        };
        let corners = simulation.triangles().map(|triangles| &triangles.corners);
        let copies = match self.copies.cuts.take() {
            Some(copies) => copies,
            None => {
                let readback = |buffer: &Buffer| Staging::readback(&self.device, buffer.name(), buffer.size());
                let springs = simulation.body().springs().iter().map(|spring| spring.particles).collect();
                let (constraints, corners) = (readback(constraints)?, corners.map(readback).transpose()?);
                CutCopies { springs, constraints, corners }
            }
        };
        let copies = self.copies.cuts.insert(copies);
        recorder.download(constraints, &copies.constraints)?;
        if let (Some(corners), Some(copy)) = (corners, &copies.corners) {
            recorder.download(corners, copy)?;
        }
        Ok(())
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        // Whoever drops it last may be waiting for the device to be gone.
        self.forget();
    }
}

impl Copies {
    /// Waits until what was recorded at `moment` is copied, and makes a state of it.
    fn read(&self, moment: &Moment) -> engine::Result<State> {
        let [before, after] = &self.particles;
        let [before, after] = [before.read()?, after.read()?].map(|words| moment.particles.places(&words));
        let (pins, dragged) = moment.hands.clone();
        let cuts = self.cuts.as_ref().filter(|_| moment.has_cut);
        let severed = cuts.map_or_else(|| Ok(Severed::default()), CutCopies::read)?;
        let (body, frame) = (self.body, moment.frame);
        Ok(State { body, pins, dragged, severed, frame, ..State::of_places(moment.time, &after, &before, moment.dt) })
    }
}

impl CutCopies {
    fn read(&self) -> engine::Result<Severed> {
        let constraints: Vec<Constraint> = self.constraints.read()?;
        let corners: Vec<u32> = self.corners.as_ref().map_or_else(|| Ok(Vec::new()), Staging::read)?;
        Ok(Severed::between(self.springs.iter().copied(), &constraints, corners.as_chunks().0))
    }
}

/// Where the particles are after the steps recorded so far.
fn now(simulation: &Simulation) -> Particles {
    simulation.particles()[simulation.current()].clone()
}
