//! A cloth with its solver and its clock, on the CPU.

use glam::Vec4;

use super::constraints::Constraints;
use super::on_device::OnDevice;
use super::springs::{MassSpring, Verlet};
use super::{CpuSolver, CpuTiming};
use crate::engine::{self, Device};
use crate::model::{Cloth, Collider, Grid, Strain, strain};
use crate::solver::{MassSpringSettings, PbdSettings, Simulation, Step, VerletSettings};

/// What runs on the CPU alone: the model, the solver that holds its state, and the time. It works on the threads of the
/// rayon pool that it is called in, and ends in the same bits on any number of them.
pub struct CpuSimulation {
    cloth: Cloth,
    solver: Box<dyn CpuSolver>,
    colliders: Vec<Collider>,
    step: Step,
    steps_run: u64,
}

impl CpuSimulation {
    /// A cloth by the `xpbd`, `pbd` or `xpbd-document` solver.
    #[must_use]
    pub fn of_constraints(cloth: Cloth, colliders: Vec<Collider>, step: Step, settings: PbdSettings) -> Self {
        let solver = Box::new(Constraints::new(&cloth, settings));
        Self { cloth, solver, colliders, step, steps_run: 0 }
    }

    /// A cloth made of `grid` by the `verlet` solver.
    #[must_use]
    pub fn verlet(cloth: Cloth, grid: Grid, colliders: Vec<Collider>, step: Step, settings: VerletSettings) -> Self {
        let solver = Box::new(Verlet::new(grid, &cloth.positions, settings));
        Self { cloth, solver, colliders, step, steps_run: 0 }
    }

    /// A cloth made of `grid` by the `mass-spring` solver.
    #[must_use]
    pub fn mass_spring(
        cloth: Cloth,
        grid: Grid,
        colliders: Vec<Collider>,
        step: Step,
        settings: MassSpringSettings,
    ) -> Self {
        let solver = Box::new(MassSpring::new(grid, &cloth.positions, settings));
        Self { cloth, solver, colliders, step, steps_run: 0 }
    }

    /// Runs one step, and says how long its passes took.
    pub fn advance(&mut self) -> CpuTiming {
        let mut timing = CpuTiming::default();
        let (start, end) = (self.time(), self.time() + f64::from(self.step.dt));
        let colliders: Vec<_> = self.colliders.iter().map(|collider| collider.during(start, end)).collect();
        run(&mut *self.solver, &self.step, start, &colliders, &mut timing);
        self.steps_run += 1;
        timing
    }

    /// Goes on from here on a device, to be drawn: it still runs on the CPU, and each recorded step copies the particles.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the device cannot bind so many particles, or what the engine reports.
    pub fn on_device(self, device: &Device) -> engine::Result<Simulation> {
        let time = self.time();
        let solver = OnDevice::new(device, self.solver, &self.colliders, self.step, time)?;
        Ok(Simulation::after(self.steps_run, self.cloth, Box::new(solver), self.step))
    }

    /// Simulated time after the steps run so far \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.steps_run as f64 * f64::from(self.step.dt)
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

    /// How many constraints, in how many batches.
    #[must_use]
    pub fn constraint_counts(&self) -> (usize, usize) {
        (self.solver.constraint_count(), self.solver.batch_count())
    }

    /// The particles now: xyz \[m\], and w as the solver keeps it. Shape \[particle_count\].
    #[must_use]
    pub fn positions(&self) -> &[Vec4] {
        self.solver.positions()
    }

    /// Stretch of the cloth's structural springs now.
    #[must_use]
    pub fn strain(&self) -> Strain {
        strain(self.positions(), &self.cloth.springs)
    }
}

/// Runs one step inside the pool, so that its passes need not go there one by one.
pub(super) fn run(
    solver: &mut dyn CpuSolver,
    step: &Step,
    time: f64,
    colliders: &[crate::layout::Collider],
    timing: &mut CpuTiming,
) {
    rayon::scope(|_| solver.step(step, time, colliders, timing));
}
