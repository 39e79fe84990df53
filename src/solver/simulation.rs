//! A cloth with its solver and its clock.

use glam::Vec4;

use super::{Colliders, CpuTiming, Particles, PbdSettings, Solver, Step};
use crate::engine::{self, Recorder};
use crate::model::{Cloth, Strain, strain};

/// What runs: the model, the solver that holds its state on the device, and the time.
pub struct Simulation {
    cloth: Cloth,
    solver: Box<dyn Solver>,
    step: Step,
    steps_recorded: u64,
}

impl Simulation {
    /// Joins a cloth with the solver that was made of it.
    #[must_use]
    pub fn new(cloth: Cloth, solver: Box<dyn Solver>, step: Step) -> Self {
        Self::after(0, cloth, solver, step)
    }

    /// As [`Simulation::new`], with a solver that has run so many steps.
    pub(super) fn after(steps_recorded: u64, cloth: Cloth, solver: Box<dyn Solver>, step: Step) -> Self {
        Self { cloth, solver, step, steps_recorded }
    }

    /// Records one step.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.solver.record(recorder, self.time())?;
        self.steps_recorded += 1;
        Ok(())
    }

    /// Settings to be changed between two steps, as [`Solver::pbd_settings_mut`].
    pub fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        self.solver.pbd_settings_mut()
    }

    /// Puts the cloth and the time back to how they started; settings that were changed since stay so.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn reset(&mut self) -> engine::Result<()> {
        self.steps_recorded = 0;
        self.solver.reset()
    }

    /// Simulated time after the steps recorded so far \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.steps_recorded as f64 * f64::from(self.step.dt)
    }

    /// The cloth as it started.
    #[must_use]
    pub fn cloth(&self) -> &Cloth {
        &self.cloth
    }

    /// Duration and division of a step.
    #[must_use]
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// Every place where the particles can be after a step, as [`Solver::particles`].
    #[must_use]
    pub fn particles(&self) -> Vec<Particles> {
        self.solver.particles()
    }

    /// Which of them holds the particles now, as [`Solver::current`].
    #[must_use]
    pub fn current(&self) -> usize {
        self.solver.current()
    }

    /// What the particles collide with.
    #[must_use]
    pub fn colliders(&self) -> &Colliders {
        self.solver.colliders()
    }

    /// How many constraints, in how many batches.
    #[must_use]
    pub fn constraint_counts(&self) -> (usize, usize) {
        (self.solver.constraint_count(), self.solver.batch_count())
    }

    /// The passes of a step, as [`Solver::passes`].
    #[must_use]
    pub fn passes(&self) -> Vec<(String, u32)> {
        self.solver.passes()
    }

    /// Times of passes on the CPU, as [`Solver::take_cpu_timing`].
    pub fn take_cpu_timing(&mut self) -> Option<CpuTiming> {
        self.solver.take_cpu_timing()
    }

    /// Waits for the device and reads the particles back, as [`Solver::positions`].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn positions(&self) -> engine::Result<Vec<Vec4>> {
        self.solver.positions()
    }

    /// Stretch of the cloth's structural springs at `positions`.
    #[must_use]
    pub fn strain(&self, positions: &[Vec4]) -> Strain {
        strain(positions, &self.cloth.springs)
    }
}
