//! What is simulated, with its solver and its time, on the CPU.

use glam::{Quat, Vec3, Vec4};

use super::constraints::Constraints;
use super::on_device::OnDevice;
use super::playback::{Playback, PlayedFrames};
use super::ropes::Ropes;
use super::springs::{MassSpring, Verlet};
use super::{CpuSolver, CpuTiming};
use crate::cpu::Colliders;
use crate::engine::{self, Device};
use crate::layout::{self, Look};
use crate::model::{self, Blade, Body, Cloth, Collider, Drag, Grid, Grip, Pins, Strain, collider_samples};
use crate::solver::colliders::{act_during, during};
use crate::solver::dragged::Dragged;
use crate::solver::simulation::{Course, Jumping, SimulatedTime, intact_strain};
use crate::solver::sleep::Sleep;
use crate::solver::watched_springs::WatchedSprings;
use crate::solver::{
    ConstraintSolver, MassSpringSettings, PbdSettings, RopeSettings, Simulation, State, StateMismatch, Step,
    Surroundings, VerletSettings,
};

/// What runs on the CPU alone: the model, the solver that holds its state, and the time. It works on the threads of the
/// rayon pool that it is called in, and ends in the same bits on any number of them.
///
/// Of [`Surroundings`] it needs no [`triangles`](Surroundings::triangles), which are on a device: it takes those of the
/// cloth.
pub struct CpuSimulation {
    body: Body,
    solver: Box<dyn CpuSolver>,
    colliders: Vec<Collider>,
    /// As [`collider_samples`] has them.
    samples: Vec<f32>,
    dragged: Dragged,
    /// Where the colliders were during the last step.
    seen: Vec<layout::Collider>,
    step: Step,
    time: SimulatedTime,
    pins: Pins,
    jumping: Jumping,
    sleep: Sleep,
}

impl CpuSimulation {
    fn new(body: Body, solver: Box<dyn CpuSolver>, colliders: &[Collider], step: Step) -> Self {
        let (dragged, pins) = (Dragged::new(colliders.len()), Pins::default());
        let (samples, colliders) = (collider_samples(colliders), colliders.to_vec());
        let (time, jumping, sleep, seen) =
            (SimulatedTime::default(), Jumping::new(&body), Sleep::default(), Vec::new());
        Self { body, solver, colliders, samples, dragged, seen, step, time, pins, jumping, sleep }
    }

    /// A cloth by the `xpbd`, `pbd` or `xpbd-document` solver.
    #[must_use]
    pub fn of_constraints(cloth: Cloth, step: Step, settings: PbdSettings, surroundings: &Surroundings<'_>) -> Self {
        let solver = Box::new(Constraints::new(&cloth, step, settings, surroundings));
        Self::new(Body::Cloth(cloth), solver, surroundings.colliders, step)
    }

    /// A cloth made of `grid` by the `verlet` solver.
    #[must_use]
    pub fn verlet(
        cloth: Cloth,
        grid: Grid,
        step: Step,
        settings: VerletSettings,
        surroundings: &Surroundings<'_>,
    ) -> Self {
        let solver = Box::new(Verlet::new(&cloth, grid, step, settings, surroundings));
        Self::new(Body::Cloth(cloth), solver, surroundings.colliders, step)
    }

    /// A cloth made of `grid` by the `mass-spring` solver.
    #[must_use]
    pub fn mass_spring(
        cloth: Cloth,
        grid: Grid,
        step: Step,
        settings: MassSpringSettings,
        surroundings: &Surroundings<'_>,
    ) -> Self {
        let solver = Box::new(MassSpring::new(&cloth, grid, step, settings, surroundings));
        Self::new(Body::Cloth(cloth), solver, surroundings.colliders, step)
    }

    /// Ropes by the `rope` solver.
    #[must_use]
    pub fn ropes(ropes: model::Ropes, colliders: &[Collider], step: Step, settings: RopeSettings) -> Self {
        let solver = Box::new(Ropes::new(&ropes, step, settings));
        Self::new(Body::Ropes(ropes), solver, colliders, step)
    }

    /// A body that `frames` move, each step to where it is at the step's end.
    #[must_use]
    pub fn played_back(body: Body, colliders: &[Collider], step: Step, frames: PlayedFrames) -> Self {
        let solver = Box::new(Playback::new(&body, step, frames));
        Self::new(body, solver, colliders, step)
    }

    /// Runs one step, and says how long its passes took; of a body that sleeps, only time goes on.
    pub fn advance(&mut self) -> CpuTiming {
        let mut timing = CpuTiming::default();
        if !self.sleeps_through_step() {
            self.jump();
            let time = self.time();
            self.seen = during(&self.colliders, &mut self.dragged, time, time + f64::from(self.step.dt));
            run(&mut *self.solver, time, &Colliders { list: &self.seen, samples: &self.samples }, &mut timing);
        }
        self.time.steps += 1;
        self.jumping.step();
        timing
    }

    /// Begins a step, and says whether the body sleeps through it.
    fn sleeps_through_step(&mut self) -> bool {
        let (time, settings) = (self.time(), self.solver.pbd_settings_mut().copied());
        let acts = |start, end| {
            self.jumping.acts_during(start, end)
                || act_during(&self.colliders, &self.dragged, start, end)
                || self.solver.is_driven(start)
        };
        self.sleep.begin_step(time, &self.step, settings, acts)
    }

    /// Lets the body sleep once looks have found it slower than `speed` \[m/s\] for a second, as
    /// [`Simulation::sleep_below`]. A [`CpuGuard`](super::CpuGuard) looks.
    ///
    /// # Panics
    /// Where that is no speed.
    pub fn sleep_below(&mut self, speed: f32) {
        self.sleep.set_speed(speed);
    }

    /// Whether the body sleeps.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.sleep.is_asleep()
    }

    /// How many steps it has slept through, as [`Simulation::steps_slept`].
    #[must_use]
    pub fn steps_slept(&self) -> u64 {
        self.sleep.steps_slept()
    }

    pub(in crate::solver) fn sleep(&self) -> &Sleep {
        &self.sleep
    }

    pub(in crate::solver) fn sleep_mut(&mut self) -> &mut Sleep {
        &mut self.sleep
    }

    /// Looks at the body as it is after the last step, with its `springs`.
    pub(in crate::solver) fn look(&mut self, springs: &WatchedSprings) -> Look {
        let elongation = self.solver.pbd_settings_mut().map_or(1.0, |settings| settings.elongation);
        let (state, intact) = (self.solver.state(self.time()), self.solver.intact());
        springs.look(&state, intact.as_deref(), (&self.seen, &self.samples), elongation)
    }

    /// Makes the jumps that [`CpuSimulation::advance`] would otherwise make at the start of its step, as
    /// [`Simulation::record_jumps`].
    pub fn jump(&mut self) {
        let (start, end) = (self.time(), self.time() + f64::from(self.step.dt));
        if let Some(carried) = self.jumping.take_due(&self.body, &self.pins, start, end) {
            self.solver.jump(&carried);
        }
    }

    /// Puts the whole body elsewhere, as [`Simulation::record_teleport`].
    ///
    /// # Panics
    /// As there.
    pub fn teleport(&mut self, rotation: Quat, translation: Vec3) {
        self.sleep.wake(self.time());
        let carried = self.jumping.put(rotation, translation);
        self.solver.set_frame(self.jumping.frame);
        self.solver.jump(&carried);
    }

    /// Says where the camera is \[m\], as [`Solver::set_camera`](crate::solver::Solver::set_camera).
    pub fn set_camera(&mut self, position: Vec3) {
        if matches!(self.body, Body::Ropes(_)) {
            self.sleep.set_camera(position, self.time());
        }
        self.solver.set_camera(position);
    }

    /// Cuts the body before the next step, as [`Solver::cut`](crate::solver::Solver::cut).
    pub fn cut(&mut self, blade: Blade) -> bool {
        self.sleep.wake(self.time());
        self.solver.cut(blade)
    }

    /// Puts the body and the time back to how they started, as [`Simulation::reset`].
    pub fn reset(&mut self) {
        self.time = SimulatedTime::default();
        self.sleep.begin_at(self.time());
        self.pins.clear();
        self.dragged = Dragged::new(self.colliders.len());
        self.jumping.go_on(None);
        self.solver.set_frame(None);
        self.solver.reset();
    }

    /// Lets a hand pull at the body, as [`Simulation::set_grip`].
    pub fn set_grip(&mut self, grip: Option<Grip>) {
        self.sleep.set_gripped(grip.is_some(), self.time());
        self.solver.set_grip(grip);
    }

    /// Pins a particle where it is, or lets it go, as [`Simulation::set_pinned`].
    ///
    /// # Panics
    /// Where there is no such particle.
    pub fn set_pinned(&mut self, particle: u32, pinned: bool) {
        self.sleep.wake(self.time());
        let inverse_mass = self.pins.set(&self.body, particle, pinned);
        self.solver.set_inverse_mass(particle, inverse_mass);
    }

    /// How many particles are held.
    #[must_use]
    pub fn pinned_count(&self) -> usize {
        self.pins.count(&self.body, self.time())
    }

    /// Drags a collider off its path, as [`Simulation::drag`].
    ///
    /// # Panics
    /// Where there is no such collider.
    pub fn drag(&mut self, drag: Option<Drag>) {
        self.dragged.drag(drag);
    }

    /// Goes on from here on a device, to be drawn: it still runs on the CPU, and each recorded step copies the
    /// particles.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the device cannot bind so many particles, or what the engine reports.
    pub fn on_device(self, device: &Device) -> engine::Result<Simulation> {
        let time = self.time();
        let colliders = (&*self.colliders, self.samples, self.dragged);
        let solver = OnDevice::new(device, self.solver, &self.body, colliders, self.step, time)?;
        let course = Course { time: self.time, pins: self.pins, jumping: self.jumping, sleep: self.sleep };
        Ok(Simulation::on(course, self.body, Box::new(solver), self.step))
    }

    /// What the body does now.
    #[must_use]
    pub fn state(&self) -> State {
        let (body, pins, dragged) = (self.body.fingerprint(), self.pins.clone(), self.dragged.offsets().to_vec());
        State { body, pins, dragged, frame: self.jumping.frame, ..self.solver.state(self.time()) }
    }

    /// Whether this simulation can go on from a state, as [`Simulation::check`].
    ///
    /// # Errors
    /// As [`Simulation::check`].
    pub fn check(&self, state: &State) -> Result<(), StateMismatch> {
        state.check(&self.body, self.colliders.len())
    }

    /// Goes on from a state of the same body, as [`Simulation::go_on_from`].
    ///
    /// # Panics
    /// As [`Simulation::go_on_from`].
    pub fn go_on_from(&mut self, state: &State) {
        self.time = SimulatedTime::from(state.time);
        self.sleep.begin_at(state.time);
        self.jumping.go_on(state.frame);
        self.solver.set_frame(state.frame);
        self.solver.set_state(state);
        self.pins.clear();
        for (particle, pinned) in state.pins.changes() {
            self.set_pinned(particle, pinned);
        }
        self.dragged = Dragged::at(&state.dragged, self.colliders.len());
    }

    /// Simulated time after the steps run so far \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time.after(&self.step)
    }

    /// What is simulated, as it started.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.body
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
    pub fn positions(&self) -> Vec<Vec4> {
        self.solver.particles().positions()
    }

    /// The errors that iterations leave, as [`Solver::residuals`](crate::solver::Solver::residuals).
    pub fn residuals(&mut self, order: ConstraintSolver, iterations: u32) -> Option<Vec<f64>> {
        self.solver.residuals(order, iterations)
    }

    /// How many constraints have been cut.
    #[must_use]
    pub fn cut_count(&self) -> usize {
        self.solver.intact().map_or(0, |intact| intact.iter().filter(|intact| !**intact).count())
    }

    /// Stretch of those of the body's structural springs now that are not cut.
    #[must_use]
    pub fn strain(&self) -> Strain {
        intact_strain(&self.body, self.solver.intact(), &self.positions())
    }
}

/// Runs the step that starts at `time` \[s\] inside the pool, so that its passes need not go there one by one.
pub(super) fn run(solver: &mut dyn CpuSolver, time: f64, colliders: &Colliders<'_>, timing: &mut CpuTiming) {
    rayon::scope(|_| solver.step(time, colliders, timing));
}
