//! Simulations on the CPU, by the solvers of [`cpu`](mod@crate::cpu).
//!
//! A [`CpuSimulation`] runs by itself, without Vulkan. To be drawn it goes on as a [`Simulation`](super::Simulation) on a
//! device, which copies the particles there after each step and otherwise does the same.

mod constraints;
mod on_device;
mod simulation;
mod springs;
mod timing;

pub use simulation::CpuSimulation;
pub use timing::{CpuPassTiming, CpuTiming};

use glam::Vec4;

use super::{PbdSettings, Step};
use crate::layout::Collider;

/// A solver on the CPU with the state of one cloth.
trait CpuSolver: Send {
    /// Runs one step that starts at `time` \[s\] and in which the colliders move as they say, and measures its passes.
    fn step(&mut self, step: &Step, time: f64, colliders: &[Collider], timing: &mut CpuTiming);

    /// xyz \[m\], and w as the solver keeps it. Shape \[particle_count\].
    fn positions(&self) -> &[Vec4];

    /// Puts the cloth back to how it started.
    fn reset(&mut self);

    /// As [`Solver::pbd_settings_mut`](super::Solver::pbd_settings_mut).
    fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
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
