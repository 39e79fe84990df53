//! What acts on a cloth from outside, on the CPU: attachments, the air, and hands.

use glam::Vec4;

use super::CpuTiming;
use crate::cpu::Air;
use crate::engine::ShaderCode;
use crate::layout::{self, AirParameters, AttachPush, AttachedParticle, GripParticle, PullPush};
use crate::model::{Attachment, Cloth, Grip, Jump};
use crate::solver::attachments::{attach_push, attached_particles, attachments_during, place_of, release_past};
use crate::solver::{State, Step, Surroundings};

pub(super) struct External {
    attachments: Vec<Attachment>,
    attached: Vec<AttachedParticle>,
    /// Where the paths of the attachments have been carried.
    pub(super) frame: Option<Jump>,
    /// Where `attachments` are during the step.
    moving: Vec<layout::Attachment>,
    air: Option<(Air, AirParameters)>,
    grip: Option<Grip>,
    /// Of the cloth, as they are now.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl External {
    /// `particle_mass` is that of [`AirParameters`].
    pub(super) fn new(cloth: &Cloth, surroundings: &Surroundings<'_>, step: &Step, particle_mass: f32) -> Self {
        let particle_count = cloth.positions.len();
        let has_air = surroundings.air.density > 0.0;
        let air = has_air.then(|| {
            let parameters = surroundings.air.parameters(step, particle_count, particle_mass);
            (Air::new(particle_count, &cloth.triangles), parameters)
        });
        Self {
            attachments: surroundings.attachments.to_vec(),
            attached: attached_particles(surroundings.attachments),
            frame: None,
            moving: Vec::new(),
            air,
            grip: None,
            triangles: cloth.triangles.clone(),
        }
    }

    /// Moves the attachments to the step that starts at `time` \[s\].
    pub(super) fn start_step(&mut self, time: f64, step: &Step) {
        self.moving = attachments_during(&self.attachments, time, step, self.frame).collect();
    }

    /// `particles` as a state has them at its time, as those of a solver on a device.
    pub(super) fn particles_at(&self, state: &State, step: &Step, particles: &[Vec4]) -> Vec<Vec4> {
        let mut particles = state.positions_as(particles);
        release_past(&self.attachments, state.time, step, &mut particles);
        particles
    }

    pub(super) fn set_grip(&mut self, grip: Option<Grip>) {
        self.grip = grip;
    }

    /// Lets go of a particle that is attached.
    pub(super) fn let_go(&mut self, particle: u32) {
        if let Some(place) = place_of(&self.attached, particle) {
            // Behind all others is one that has let go.
            self.attached[place].attachment = self.attachments.len() as u32;
        }
    }

    /// Takes all hands off.
    pub(super) fn reset(&mut self) {
        self.grip = None;
        self.attached = attached_particles(&self.attachments);
    }

    /// Lets a hand, where there is one, pull as `pull` does, and measures the pass.
    pub(super) fn pull(
        &self,
        step: &Step,
        timing: &mut CpuTiming,
        pass: ShaderCode<'static>,
        pull: impl FnOnce(&PullPush, &[GripParticle]),
    ) {
        if let Some(grip) = &self.grip {
            timing.measure(pass.name, || pull(&grip.push(step.substep_dt()), grip.particles()));
        }
    }

    /// Lets the air, where there is some, blow as `blow` does, and measures the pass.
    pub(super) fn blow(
        &mut self,
        timing: &mut CpuTiming,
        pass: ShaderCode<'static>,
        blow: impl FnOnce(&mut Air, &AirParameters, &[[u32; 3]]),
    ) {
        if let Some((air, parameters)) = &mut self.air {
            timing.measure(pass.name, || blow(air, parameters, &self.triangles));
        }
    }

    /// Moves attached particles, where there are some, in a substep as `attach` does, and measures the pass.
    pub(super) fn attach(
        &self,
        substep: u32,
        step: &Step,
        timing: &mut CpuTiming,
        pass: ShaderCode<'static>,
        attach: impl FnOnce(&[AttachedParticle], &[layout::Attachment], &AttachPush),
    ) {
        if !self.attached.is_empty() {
            let push = attach_push(self.attached.len() as u32, substep, step);
            timing.measure(pass.name, || attach(&self.attached, &self.moving, &push));
        }
    }
}
