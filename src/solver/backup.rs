//! The last state of a simulation that is known to be whole, for when its device is lost.

use std::time::{Duration, Instant};

use glam::{Vec3, Vec4};

use super::state::truncated;
use super::{Particles, Simulation, State, rope};
use crate::engine::{self, Device, Recorder, Staging, Ticket};
use crate::model::Pins;

/// How often the particles are copied.
const EVERY: Duration = Duration::from_secs(1);

/// Copies particles beside what is recorded, about once a second, without ever waiting for the device.
///
/// Velocities are those of a whole step, as a substep ago nobody looked. A cloth that has been cut has no backup: what joins
/// it would have to be copied as well.
pub struct Backup {
    device: Device,
    /// Before a step, and after it.
    copies: [Staging; 2],
    copying: Option<Copying>,
    state: Option<State>,
    due: Instant,
}

/// A step whose particles are being copied.
struct Copying {
    time: f64,
    dt: f32,
    particles: Particles,
    hands: (Pins, Vec<Vec3>),
    /// None until it is submitted.
    ticket: Option<Ticket>,
}

impl Backup {
    /// Prepares to copy the particles of `simulation`, and of no other.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, simulation: &Simulation) -> engine::Result<Self> {
        let size = match &simulation.particles()[0] {
            Particles::Buffer(buffer) | Particles::Planes(buffer) => buffer.size(),
            Particles::Image(image) => image.byte_size(),
        };
        let copies =
            [Staging::readback(device, "backup.before", size)?, Staging::readback(device, "backup.after", size)?];
        Ok(Self { device: device.clone(), copies, copying: None, state: None, due: Instant::now() })
    }

    /// Records one step as [`Simulation::record`], and copies the particles before and after it where that is due.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(&mut self, recorder: &mut Recorder<'_>, simulation: &mut Simulation) -> engine::Result<()> {
        if self.copying.is_some() || self.due > Instant::now() {
            return simulation.record(recorder);
        }
        self.due = Instant::now() + EVERY;
        if simulation.has_cut() {
            // What joins it would be missing, so that there is nothing to copy for.
            self.state = None;
            return simulation.record(recorder);
        }
        copy(recorder, &now(simulation), &self.copies[0])?;
        simulation.record(recorder)?;
        let particles = now(simulation);
        copy(recorder, &particles, &self.copies[1])?;
        let (time, dt) = (simulation.time(), simulation.step().dt);
        if simulation.has_cut() {
            self.state = None;
        } else {
            self.copying = Some(Copying { time, dt, particles, hands: simulation.hands(), ticket: None });
        }
        Ok(())
    }

    /// Says with which ticket the recordings so far were submitted, and takes in what has been copied by now.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn submitted(&mut self, ticket: Ticket) -> engine::Result<()> {
        let Some(copying) = &mut self.copying else {
            return Ok(());
        };
        let ticket = *copying.ticket.get_or_insert(ticket);
        if self.device.is_done(ticket)? {
            let [before, after] = [self.copies[0].read()?, self.copies[1].read()?];
            let [before, after] = [before, after].map(|words| places(&copying.particles, &words));
            let (pins, dragged) = copying.hands.clone();
            self.state = Some(State { pins, dragged, ..State::of_places(copying.time, &after, &before, copying.dt) });
            self.copying = None;
        }
        Ok(())
    }

    /// The last state that was copied, at most a little over a second old; none before the first, or where the cloth has
    /// been cut.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Forgets what was copied, as after a reset.
    pub fn forget(&mut self) {
        (self.copying, self.state) = (None, None);
    }
}

/// Where the particles are after the steps recorded so far.
fn now(simulation: &Simulation) -> Particles {
    simulation.particles()[simulation.current()].clone()
}

fn copy(recorder: &mut Recorder<'_>, particles: &Particles, target: &Staging) -> engine::Result<()> {
    match particles {
        Particles::Buffer(buffer) | Particles::Planes(buffer) => recorder.download(buffer, target),
        Particles::Image(image) => recorder.download_image(image, target),
    }
}

/// The places in what was copied from `particles`.
fn places(particles: &Particles, words: &[f32]) -> Vec<Vec3> {
    match particles {
        Particles::Buffer(_) | Particles::Image(_) => truncated(bytemuck::cast_slice::<f32, Vec4>(words)),
        Particles::Planes(_) => truncated(&rope::positions(words)),
    }
}
