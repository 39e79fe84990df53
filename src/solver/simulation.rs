//! What is simulated, with its solver and its time.

use glam::{Vec3, Vec4};

use super::{Colliders, ConstraintSolver, CpuTiming, Particles, PbdSettings, Solver, Step, Triangles};
use crate::engine::{self, Recorder};
use crate::model::{Blade, Body, Drag, Grip, Pins, Strain, strain};

/// What runs: the model, the solver that holds its state on the device, and the time.
pub struct Simulation {
    body: Body,
    solver: Box<dyn Solver>,
    step: Step,
    steps_recorded: u64,
    pins: Pins,
}

impl Simulation {
    /// Joins a body with the solver that was made of it.
    #[must_use]
    pub fn new(body: Body, solver: Box<dyn Solver>, step: Step) -> Self {
        Self::after(0, Pins::default(), body, solver, step)
    }

    /// As [`Simulation::new`], with a solver that has run so many steps and been told of `pins`.
    pub(super) fn after(steps_recorded: u64, pins: Pins, body: Body, solver: Box<dyn Solver>, step: Step) -> Self {
        Self { body, solver, step, steps_recorded, pins }
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

    /// Says where the camera is \[m\], as [`Solver::set_camera`].
    pub fn set_camera(&mut self, position: Vec3) {
        self.solver.set_camera(position);
    }

    /// Settings to be changed between two steps, as [`Solver::pbd_settings_mut`].
    pub fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        self.solver.pbd_settings_mut()
    }

    /// Cuts the body before the next step, as [`Solver::cut`].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn cut(&mut self, blade: Blade) -> engine::Result<bool> {
        self.solver.cut(blade)
    }

    /// Lets a hand pull at the body, or none any more, as [`Solver::set_grip`].
    pub fn set_grip(&mut self, grip: Option<Grip>) {
        self.solver.set_grip(grip);
    }

    /// Pins a particle where it is before the next step, or lets it go, with the mass that it has; what has carried it along
    /// a path lets it go in either case.
    ///
    /// # Panics
    /// Where there is no such particle.
    pub fn set_pinned(&mut self, particle: u32, pinned: bool) {
        let inverse_mass = if pinned { 0.0 } else { self.body.inverse_mass(particle) };
        // A vertex of no triangle has no mass to move with.
        self.pins.set(particle, inverse_mass == 0.0);
        self.solver.set_inverse_mass(particle, inverse_mass);
    }

    /// Whether a particle is held, be it since the start or by [`Simulation::set_pinned`].
    ///
    /// # Panics
    /// Where there is no such particle.
    #[must_use]
    pub fn is_pinned(&self, particle: u32) -> bool {
        self.pins.is_pinned(&self.body, particle, self.time())
    }

    /// How many particles are held.
    #[must_use]
    pub fn pinned_count(&self) -> usize {
        self.pins.count(&self.body, self.time())
    }

    /// Drags a collider off its path, or none any more, as [`Colliders::drag`].
    ///
    /// # Panics
    /// Where there is no such collider.
    pub fn drag(&mut self, drag: Option<Drag>) {
        self.solver.colliders_mut().drag(drag);
    }

    /// Puts the body and the time back to how they started, and takes all hands off; settings that were changed since stay so.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn reset(&mut self) -> engine::Result<()> {
        self.steps_recorded = 0;
        self.pins.clear();
        self.solver.reset()
    }

    /// Simulated time after the steps recorded so far \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.steps_recorded as f64 * f64::from(self.step.dt)
    }

    /// What is simulated, as it started.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The triangles of the cloth on the device, as [`Solver::triangles`].
    #[must_use]
    pub fn triangles(&self) -> Option<&Triangles> {
        self.solver.triangles()
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

    /// The errors that iterations leave, as [`Solver::residuals`].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn residuals(&mut self, order: ConstraintSolver, iterations: u32) -> engine::Result<Option<Vec<f64>>> {
        self.solver.residuals(order, iterations)
    }

    /// How many constraints have been cut.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn cut_count(&self) -> engine::Result<usize> {
        Ok(self.solver.intact()?.map_or(0, |intact| intact.iter().filter(|intact| !**intact).count()))
    }

    /// Stretch at `positions` of those of the body's structural springs that are not cut.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn strain(&self, positions: &[Vec4]) -> engine::Result<Strain> {
        Ok(intact_strain(&self.body, self.solver.intact()?, positions))
    }
}

/// Stretch at `positions` of those of a body's structural springs that are not cut, as [`Solver::intact`] says.
pub(super) fn intact_strain(body: &Body, intact: Option<Vec<bool>>, positions: &[Vec4]) -> Strain {
    match intact {
        None => strain(positions, body.springs()),
        Some(intact) => {
            let springs = body.springs().iter().zip(intact).filter_map(|(spring, intact)| intact.then_some(*spring));
            strain(positions, &springs.collect::<Vec<_>>())
        }
    }
}
