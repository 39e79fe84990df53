//! Good states that are kept on the device, in a ring, for a simulation to go back to.

use std::collections::VecDeque;

use glam::{Vec3, Vec4};

use super::{Motion, Particles, Severed, Simulation, State, rope, state};
use crate::engine::{self, Buffer, Device, Recorder};
use crate::layout::Constraint;
use crate::model::{Body, Jump, Pins};

/// How many are kept.
pub(super) const KEPT: usize = 4;

/// The last states of one simulation, each after a step.
pub(super) struct KeptStates {
    device: Device,
    /// Oldest first.
    ring: VecDeque<Kept>,
}

/// A state.
struct Kept {
    step: u64,
    time: f64,
    hands: (Pins, Vec<Vec3>),
    frame: Option<Jump>,
    content: Content,
}

enum Content {
    /// Copies of where the particles are and what says how fast they go, and of what cuts change, where something has been cut.
    Copies { particles: Buffer, motion: Option<Buffer>, cuts: Option<CutCopies>, has_cut: bool },
    /// Of a solver on the CPU, or from another guard.
    Known(Box<State>),
}

/// Copies of the constraints, and of the corners of triangles where there are some.
struct CutCopies {
    constraints: Buffer,
    corners: Option<Buffer>,
}

impl KeptStates {
    pub(super) fn new(device: &Device) -> Self {
        Self { device: device.clone(), ring: VecDeque::new() }
    }

    /// Keeps states that were kept elsewhere, each after a step, oldest first.
    pub(super) fn recall(&mut self, states: Vec<(u64, State)>) {
        let kept = |(step, state): (u64, State)| Kept {
            step,
            time: state.time,
            hands: (state.pins.clone(), state.dragged.clone()),
            frame: state.frame,
            content: Content::Known(Box::new(state)),
        };
        self.ring = states.into_iter().map(kept).collect();
    }

    /// Forgets all of them, as another simulation goes on.
    pub(super) fn forget(&mut self) {
        self.ring.clear();
    }

    /// Records that `simulation` is kept as it is after the steps recorded so far, of which this is number `step`.
    pub(super) fn record(
        &mut self,
        recorder: &mut Recorder<'_>,
        simulation: &Simulation,
        step: u64,
    ) -> engine::Result<()> {
        let before = if self.ring.len() < KEPT { None } else { self.ring.pop_front() };
        let (particles, motion) = now(simulation);
        let content = if matches!(motion, Motion::OnHost) {
            Content::Known(Box::new(simulation.state()?))
        } else {
            self.copy(recorder, simulation, &particles, &motion, before.map(|kept| kept.content))?
        };
        self.ring.push_back(Kept {
            step,
            time: simulation.time(),
            hands: simulation.hands(),
            frame: simulation.frame(),
            content,
        });
        Ok(())
    }

    fn copy(
        &self,
        recorder: &mut Recorder<'_>,
        simulation: &Simulation,
        particles: &Particles,
        motion: &Motion,
        before: Option<Content>,
    ) -> engine::Result<Content> {
        let (to_particles, to_motion, cuts) = match before {
            Some(Content::Copies { particles, motion, cuts, .. }) => (particles, motion, cuts),
            _ => {
                let room = |name, size| Buffer::zeroed(&self.device, name, size);
                let size = match particles {
                    Particles::Buffer(buffer) | Particles::Planes(buffer) => buffer.size(),
                    Particles::Image(image) => image.byte_size(),
                };
                let has_motion = !matches!(motion, Motion::InPlanes);
                let motion = has_motion.then(|| room("kept.motion", size)).transpose()?;
                (room("kept.particles", size)?, motion, None)
            }
        };
        match particles {
            Particles::Buffer(buffer) | Particles::Planes(buffer) => recorder.copy(buffer, &to_particles)?,
            Particles::Image(image) => recorder.copy_image(image, &to_particles)?,
        }
        match (motion, &to_motion) {
            (Motion::Velocities(buffer) | Motion::Previous(buffer), Some(target)) => recorder.copy(buffer, target)?,
            (Motion::PreviousImage(image), Some(target)) => recorder.copy_image(image, target)?,
            _ => {}
        }
        let has_cut = simulation.has_cut();
        let cuts = if has_cut { self.copy_cuts(recorder, simulation, cuts)? } else { cuts };
        Ok(Content::Copies { particles: to_particles, motion: to_motion, cuts, has_cut })
    }

    fn copy_cuts(
        &self,
        recorder: &mut Recorder<'_>,
        simulation: &Simulation,
        before: Option<CutCopies>,
    ) -> engine::Result<Option<CutCopies>> {
        let Some(constraints) = simulation.constraints() else { return Ok(None) };
        let corners = simulation.triangles().map(|triangles| &triangles.corners);
        let room = |name, buffer: &Buffer| Buffer::zeroed(&self.device, name, buffer.size());
        let copies = match before {
            Some(copies) => copies,
            None => CutCopies {
                constraints: room("kept.constraints", constraints)?,
                corners: corners.map(|corners| room("kept.corners", corners)).transpose()?,
            },
        };
        recorder.copy(constraints, &copies.constraints)?;
        if let (Some(corners), Some(target)) = (corners, &copies.corners) {
            recorder.copy(corners, target)?;
        }
        Ok(Some(copies))
    }

    /// The steps after which there are states, oldest first.
    pub(super) fn steps(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.ring.iter().map(|kept| kept.step)
    }

    /// Waits for the device and reads the state after a step, of what `simulation` was then. The recording in which it was kept
    /// has to be submitted.
    ///
    /// # Panics
    /// Where there is none.
    pub(super) fn read(&self, step: u64, simulation: &Simulation) -> engine::Result<State> {
        let kept = self.ring.iter().find(|kept| kept.step == step).expect("a step after which a state was kept");
        let (pins, dragged) = kept.hands.clone();
        let body = simulation.body();
        let state = match &kept.content {
            Content::Known(state) => return Ok(State::clone(state)),
            Content::Copies { particles, motion, cuts, has_cut } => {
                let cuts = cuts.as_ref().filter(|_| *has_cut);
                let severed = cuts.map_or_else(|| Ok(Severed::default()), |cuts| cuts.read(body))?;
                State { severed, ..read(kept.time, particles, motion.as_ref(), simulation)? }
            }
        };
        Ok(State { body: body.fingerprint(), pins, dragged, frame: kept.frame, ..state })
    }
}

impl CutCopies {
    fn read(&self, body: &Body) -> engine::Result<Severed> {
        let constraints: Vec<Constraint> = self.constraints.read()?;
        let corners: Vec<u32> = self.corners.as_ref().map_or_else(|| Ok(Vec::new()), Buffer::read)?;
        let springs = body.springs().iter().map(|spring| spring.particles);
        Ok(Severed::between(springs, &constraints, corners.as_chunks().0))
    }
}

/// The state at `time` \[s\] of copies of the particles and of their motion.
fn read(time: f64, particles: &Buffer, motion: Option<&Buffer>, simulation: &Simulation) -> engine::Result<State> {
    let substep_dt = simulation.step().substep_dt();
    let motion = match (simulation.body(), motion) {
        (Body::Ropes(ropes), _) => return Ok(rope::state_of(&particles.read::<f32>()?, ropes, time, substep_dt)),
        (Body::Cloth(_), motion) => motion.expect("a cloth's velocities, or places a substep ago, are copied"),
    };
    let [positions, motion] = [particles, motion].map(Buffer::read::<Vec4>);
    let (positions, motion) = (state::truncated(&positions?), state::truncated(&motion?));
    Ok(match now(simulation).1 {
        Motion::Velocities(_) => State { time, positions, velocities: motion, ..State::default() },
        _ => State::of_places(time, &positions, &motion, substep_dt),
    })
}

/// Where the particles are after the steps recorded so far, and what says how fast they go.
fn now(simulation: &Simulation) -> (Particles, Motion) {
    let place = simulation.current();
    (simulation.particles()[place].clone(), simulation.motions()[place].clone())
}
