//! What is simulated, with its solver and its time.

use glam::{Vec3, Vec4};

use super::{Colliders, ConstraintSolver, CpuTiming, Particles, PbdSettings, Solver, State, Step, Triangles};
use crate::engine::{self, Buffer, Recorder};
use crate::model::{Blade, Body, Drag, Grip, Pins, Strain, strain};

/// What runs: the model, the solver that holds its state on the device, and the time.
pub struct Simulation {
    body: Body,
    solver: Box<dyn Solver>,
    step: Step,
    time: SimulatedTime,
    pins: Pins,
}

/// Simulated time: whole steps from a start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SimulatedTime {
    /// Where the steps are counted from \[s\].
    start: f64,
    pub(super) steps: u64,
}

impl From<f64> for SimulatedTime {
    fn from(start: f64) -> Self {
        Self { start, steps: 0 }
    }
}

impl SimulatedTime {
    /// The time after its steps \[s\].
    pub(super) fn after(&self, step: &Step) -> f64 {
        self.start + self.steps as f64 * f64::from(step.dt)
    }
}

impl Simulation {
    /// Joins a body with the solver that was made of it.
    #[must_use]
    pub fn new(body: Body, solver: Box<dyn Solver>, step: Step) -> Self {
        Self::at(SimulatedTime::default(), Pins::default(), body, solver, step)
    }

    /// As [`Simulation::new`], with a solver that has come to a time and been told of `pins`.
    pub(super) fn at(time: SimulatedTime, pins: Pins, body: Body, solver: Box<dyn Solver>, step: Step) -> Self {
        Self { body, solver, step, time, pins }
    }

    /// Records one step.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.solver.record(recorder, self.time())?;
        self.time.steps += 1;
        Ok(())
    }

    /// Records what hands have cut, pinned and let go, without a step: so it is seen while time stands still.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.solver.record_hands(recorder)
    }

    /// Says where the camera is \[m\], as [`Solver::set_camera`].
    pub fn set_camera(&mut self, position: Vec3) {
        self.solver.set_camera(position);
    }

    /// Settings to be changed between two steps, as [`Solver::pbd_settings_mut`].
    pub fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        self.solver.pbd_settings_mut()
    }

    /// Cuts the body with the next recording, as [`Solver::cut`].
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

    /// Pins a particle where it is with the next recording, or lets it go, with the mass that it has; what has carried it along
    /// a path lets it go in either case.
    ///
    /// # Panics
    /// Where there is no such particle.
    pub fn set_pinned(&mut self, particle: u32, pinned: bool) {
        let inverse_mass = self.pins.set(&self.body, particle, pinned);
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
        self.time = SimulatedTime::default();
        self.pins.clear();
        self.solver.reset()
    }

    /// Waits for the device and says what the body does now.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn state(&self) -> engine::Result<State> {
        let (pins, dragged) = self.hands();
        Ok(State { pins, dragged, ..self.solver.state(self.time())? })
    }

    /// What hands have pinned and let go, and how far they have dragged each collider off its path \[m\].
    pub(super) fn hands(&self) -> (Pins, Vec<Vec3>) {
        (self.pins.clone(), self.colliders().offsets().to_vec())
    }

    /// Goes on from a state of the same body, whatever solver it comes from, as [`Solver::set_state`]; [`Simulation::reset`]
    /// still goes back to how this simulation started.
    ///
    /// # Errors
    /// What the engine reports.
    ///
    /// # Panics
    /// Where the state is not of as many particles.
    pub fn go_on_from(&mut self, state: &State) -> engine::Result<()> {
        self.time = SimulatedTime::from(state.time);
        self.solver.set_state(state)?;
        self.pins.clear();
        for (particle, pinned) in state.pins.changes() {
            self.set_pinned(particle, pinned);
        }
        self.solver.colliders_mut().go_on_from(state.time, &state.dragged)
    }

    /// Simulated time after the steps recorded so far \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time.after(&self.step)
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

    /// The constraints on the device, as [`Solver::constraints`].
    #[must_use]
    pub fn constraints(&self) -> Option<&Buffer> {
        self.solver.constraints()
    }

    /// How many steps have been recorded since the start or the last reset.
    #[must_use]
    pub fn steps_recorded(&self) -> u64 {
        self.time.steps
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

    /// Whether anything has been cut since the start.
    #[must_use]
    pub fn has_cut(&self) -> bool {
        self.solver.has_cut()
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
