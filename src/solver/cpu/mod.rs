//! Simulations on the CPU, by the solvers of [`cpu`](mod@crate::cpu).
//!
//! A [`CpuSimulation`] runs by itself, without Vulkan. To be drawn it goes on as a [`Simulation`](super::Simulation) on
//! a device, which copies the particles there after each step and otherwise does the same.

mod constraints;
mod external;
mod guard;
mod on_device;
mod playback;
mod ropes;
mod simulation;
mod springs;
mod timing;

pub use guard::CpuGuard;
pub use playback::PlayedFrames;
pub use simulation::CpuSimulation;
pub use timing::{CpuPassTiming, CpuRunTiming, CpuTiming};

use glam::{Vec3, Vec4};

use super::{ConstraintSolver, PbdSettings, State, rope};
use crate::cpu::Colliders;
use crate::layout::Constraint;
use crate::model::{Blade, Carried, Grip, Jump};

/// A solver on the CPU with the state of what it moves.
trait CpuSolver: Send {
    /// Runs one step that starts at `time` \[s\] and in which the colliders move as they say, and measures its passes.
    fn step(&mut self, time: f64, colliders: &Colliders<'_>, timing: &mut CpuTiming);

    /// As [`Solver::record_jumps`](super::Solver::record_jumps), at once.
    fn jump(&mut self, carried: &Carried);

    /// As [`Solver::set_frame`](super::Solver::set_frame).
    fn set_frame(&mut self, frame: Option<Jump>);

    /// Cuts with the blades that wait for the next step, as a step does at first.
    fn cut_pending(&mut self, _timing: &mut CpuTiming) {}

    /// The particles now.
    fn particles(&self) -> HostParticles<'_>;

    /// Puts everything back to how it started.
    fn reset(&mut self);

    /// What the body does now, at simulated time `time` \[s\].
    fn state(&self, time: f64) -> State;

    /// As [`Solver::set_state`](super::Solver::set_state).
    fn set_state(&mut self, state: &State);

    /// As [`Solver::set_camera`](super::Solver::set_camera).
    fn set_camera(&mut self, _position: Vec3) {}

    /// As [`Solver::is_driven`](super::Solver::is_driven).
    fn is_driven(&self, _time: f64) -> bool {
        false
    }

    /// As [`Solver::set_grip`](super::Solver::set_grip).
    fn set_grip(&mut self, grip: Option<Grip>);

    /// As [`Solver::set_inverse_mass`](super::Solver::set_inverse_mass).
    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32);

    /// As [`Solver::pbd_settings_mut`](super::Solver::pbd_settings_mut).
    fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        None
    }

    /// As [`Solver::cut`](super::Solver::cut).
    fn cut(&mut self, _blade: Blade) -> bool {
        false
    }

    /// As [`Solver::intact`](super::Solver::intact).
    fn intact(&self) -> Option<Vec<bool>> {
        None
    }

    /// The triangles of the cloth, where cuts or a reset have changed them since the last call.
    fn take_changed_triangles(&mut self) -> Option<&[[u32; 3]]> {
        None
    }

    /// The constraints now, as [`Solver::constraints`](super::Solver::constraints) has them.
    fn constraints(&self) -> Option<Vec<Constraint>> {
        None
    }

    /// As [`Solver::residuals`](super::Solver::residuals).
    fn residuals(&mut self, _order: ConstraintSolver, _iterations: u32) -> Option<Vec<f64>> {
        None
    }

    /// As [`Solver::constraint_count`](super::Solver::constraint_count).
    fn constraint_count(&self) -> usize {
        0
    }

    /// As [`Solver::batch_count`](super::Solver::batch_count).
    fn batch_count(&self) -> usize {
        0
    }
}

/// The particles of a solver, as [`Particles`](super::Particles) on a device have them.
enum HostParticles<'a> {
    /// xyz \[m\], and w as the solver keeps it. Shape \[particle_count\].
    Buffer(&'a [Vec4]),
    /// As [`Particles::Planes`](super::Particles::Planes).
    Planes(Vec<f32>),
}

impl HostParticles<'_> {
    /// What a device's buffer of them holds.
    fn floats(&self) -> &[f32] {
        match self {
            Self::Buffer(particles) => bytemuck::cast_slice(particles),
            Self::Planes(planes) => planes,
        }
    }

    /// xyz \[m\], and w as the solver keeps it. Shape \[particle_count\].
    fn positions(&self) -> Vec<Vec4> {
        match self {
            Self::Buffer(particles) => particles.to_vec(),
            Self::Planes(planes) => rope::positions(planes),
        }
    }
}
