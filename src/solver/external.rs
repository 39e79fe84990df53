//! What acts on a cloth from outside, the same for every solver: colliders, attachments, the air, and hands.

use glam::Vec4;

use super::air::{Air, AirForces};
use super::attachments::Attachments;
use super::hand::Hand;
use super::teleport::Teleport;
use super::{Colliders, State, Step, Triangles};
use crate::engine::{self, Buffer, Device, Image, Recorder, Resource};
use crate::layout::CollidePush;
use crate::model::{Attachment, Carried, Collider, Cut, Grip, Jump};

/// What a solver is given to act on its cloth; nothing by default.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// What the particles collide with.
    pub colliders: &'a [Collider],
    /// What carries particles; each names particles of an inverse mass of 0.
    pub attachments: &'a [Attachment],
    /// The air, which blows on the triangles.
    pub air: Air,
    /// When and how the cloth is cut; only [`Pbd`](super::Pbd) can.
    pub cuts: &'a [Cut],
    /// The triangles of the cloth.
    pub triangles: Option<&'a Triangles>,
}

impl Surroundings<'_> {
    /// Whether anything acts in passes between two substeps, beside a hand that pulls.
    pub(super) fn act_between_substeps(&self) -> bool {
        self.air.density > 0.0 || !self.attachments.is_empty()
    }
}

/// One of the places where a solver keeps its particles, with what says how fast they go.
pub(super) enum Place<'a> {
    /// Positions with inverse masses, and velocities.
    Buffers { positions: &'a Buffer, velocities: &'a Buffer },
    /// Positions with inverse masses, now and a substep ago, of particles of one mass \[kg\].
    PreviousBuffers { current: &'a Buffer, previous: &'a Buffer, particle_mass: f32 },
    /// Positions with pin flags, now and a substep ago, of particles of one mass \[kg\].
    Images { current: &'a Image, previous: &'a Image, particle_mass: f32 },
}

impl<'a> Place<'a> {
    /// What holds the positions, and what the velocities are read from.
    pub(super) fn resources(&self) -> [Resource<'a>; 2] {
        match *self {
            Self::Buffers { positions, velocities } => [positions.into(), velocities.into()],
            Self::PreviousBuffers { current, previous, .. } => [current.into(), previous.into()],
            Self::Images { current, previous, .. } => [current.into(), previous.into()],
        }
    }
}

/// The surroundings on the device.
pub(super) struct External {
    pub(super) colliders: Colliders,
    attachments: Option<Attachments>,
    air: Option<AirForces>,
    hand: Hand,
    teleport: Teleport,
    /// Of the air on each particle, xyz \[N\]; one element that nothing reads where there is no air.
    forces: Buffer,
    pub(super) triangles: Option<Triangles>,
    step: Step,
}

impl External {
    /// Puts the surroundings of `particle_count` particles on the device.
    ///
    /// # Panics
    /// Where there is air and no triangles.
    pub(super) fn new(
        device: &Device,
        surroundings: &Surroundings<'_>,
        particle_count: usize,
        places: &[Place<'_>],
        step: Step,
    ) -> engine::Result<Self> {
        let has_air = surroundings.air.density > 0.0;
        let forces = if has_air { particle_count } else { 1 };
        let forces = Buffer::zeroed(device, "air.forces", (forces * size_of::<Vec4>()) as u64)?;
        let air = has_air.then(|| AirForces::new(device, surroundings, places, &forces, &step)).transpose()?;
        Ok(Self {
            colliders: Colliders::new(device, surroundings.colliders)?,
            attachments: Attachments::new(device, surroundings.attachments, places)?,
            air,
            hand: Hand::new(device, places)?,
            teleport: Teleport::default(),
            forces,
            triangles: surroundings.triangles.cloned(),
            step,
        })
    }

    /// Whether particles are moved along paths.
    pub(super) fn has_attachments(&self) -> bool {
        self.attachments.is_some()
    }

    /// The buffer that kernels bind as `Forces`.
    pub(super) fn forces(&self) -> &Buffer {
        &self.forces
    }

    /// 1 where there are forces, for the solver's kernels.
    pub(super) fn has_forces(&self) -> u32 {
        self.air.is_some().into()
    }

    /// As [`Solver::set_grip`](super::Solver::set_grip).
    pub(super) fn set_grip(&mut self, grip: Option<Grip>) {
        self.hand.set_grip(grip);
    }

    /// As [`Solver::set_inverse_mass`](super::Solver::set_inverse_mass).
    pub(super) fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.hand.set_inverse_mass(particle, inverse_mass);
        if let Some(attachments) = &mut self.attachments {
            attachments.let_go(particle);
        }
    }

    /// As [`Solver::set_frame`](super::Solver::set_frame).
    pub(super) fn set_frame(&mut self, frame: Option<Jump>) {
        if let Some(attachments) = &mut self.attachments {
            attachments.frame = frame;
        }
    }

    /// Puts everything back to how it started, and waits until that is done.
    pub(super) fn reset(&mut self) -> engine::Result<()> {
        self.hand.reset();
        self.colliders.reset()?;
        self.attachments.as_mut().map_or(Ok(()), Attachments::reset)
    }

    /// Records what hands have pinned and let go of the particles in place `place`.
    pub(super) fn record_pins(&mut self, recorder: &mut Recorder<'_>, place: usize) -> engine::Result<()> {
        self.hand.record_pins(recorder, place)
    }

    /// Records that the particles in `place` jump.
    pub(super) fn record_jumps(
        &mut self,
        recorder: &mut Recorder<'_>,
        place: &Place<'_>,
        carried: &Carried,
    ) -> engine::Result<()> {
        self.teleport.record(recorder, place, carried)
    }

    /// Records where everything is during the step that starts at `time` \[s\].
    pub(super) fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.hand.record_grip(recorder)?;
        self.colliders.record(recorder, time, time + f64::from(self.step.dt))?;
        match &mut self.attachments {
            Some(attachments) => attachments.record(recorder, time, &self.step),
            None => Ok(()),
        }
    }

    /// Records the pull of a hand and the forces on the particles in place `place`, at the start of a substep.
    pub(super) fn record_forces(&self, recorder: &mut Recorder<'_>, place: usize) -> engine::Result<()> {
        self.hand.record_pull(recorder, place, self.step.substep_dt())?;
        match &self.air {
            Some(air) => air.record(recorder, place),
            None => Ok(()),
        }
    }

    /// `particles` as a state has them at its time, xyz \[m\]: with the inverse masses in w that they started with, but for
    /// those that have been let go since.
    pub(super) fn particles_at(&self, state: &State, particles: &[Vec4]) -> Vec<Vec4> {
        let mut particles = state.positions_as(particles);
        if let Some(attachments) = &self.attachments {
            attachments.release_past(state.time, &self.step, &mut particles);
        }
        particles
    }

    /// Records the way of the attached particles in place `place` to where they are at the end of a substep.
    pub(super) fn record_attachments(
        &self,
        recorder: &mut Recorder<'_>,
        place: usize,
        substep: u32,
    ) -> engine::Result<()> {
        match &self.attachments {
            Some(attachments) => attachments.record_substep(recorder, place, substep, &self.step),
            None => Ok(()),
        }
    }

    /// The push constants for the colliders in a substep.
    pub(super) fn push(&self, substep: u32) -> CollidePush {
        self.colliders.push(substep, self.step.substeps)
    }

    /// Whether a hand pulls, between two substeps.
    pub(super) fn pulls(&self) -> bool {
        self.hand.pulls()
    }

    /// The pass of [`External::record_forces`], where there is one, with its calls a step.
    pub(super) fn force_pass(&self) -> Option<(String, u32)> {
        self.air.as_ref().map(|air| (air.pass(), self.step.substeps))
    }

    /// The pass of [`External::record_attachments`], where there is one, with its calls a step.
    pub(super) fn attachment_pass(&self) -> Option<(String, u32)> {
        self.attachments.as_ref().map(|attachments| (attachments.pass(), self.step.substeps))
    }
}
