//! What is simulated, with its solver and its time.

use std::mem;

use glam::{Quat, Vec3, Vec4};

use super::sleep::Sleep;
use super::{
    Colliders, ConstraintSolver, CpuTiming, Motion, Particles, PbdSettings, Solver, State, StateMismatch, Step,
    Triangles,
};
use crate::engine::{self, Buffer, Recorder};
use crate::model::{Blade, Body, Carried, Carriers, Drag, Grip, Jump, Pins, Strain, strain};

/// What runs: the model, the solver that holds its state on the device, and the time.
pub struct Simulation {
    body: Body,
    solver: Box<dyn Solver>,
    step: Step,
    time: SimulatedTime,
    pins: Pins,
    jumping: Jumping,
    sleep: Sleep,
}

/// Simulated time: whole steps from a start. The `f32` of a step has 24 bits, so its multiples and their sums are exact up to
/// 2^29 of them, and it makes no difference from which of them a simulation has gone on.
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

/// How far a body has come, and how it goes on.
pub(super) struct Course {
    pub(super) time: SimulatedTime,
    pub(super) pins: Pins,
    pub(super) jumping: Jumping,
    pub(super) sleep: Sleep,
}

/// How a body jumps: with what holds it, and wherever it is put.
#[derive(Clone, Debug)]
pub(super) struct Jumping {
    carriers: Carriers,
    /// Where the paths of what holds the body have been carried.
    pub(super) frame: Option<Jump>,
    /// Whether the jumps before the next step have been made.
    has_jumped: bool,
}

impl Jumping {
    pub(super) fn new(body: &Body) -> Self {
        Self { carriers: Carriers::new(body), frame: None, has_jumped: false }
    }

    /// Whether anything that holds the body moves, or lets go, in the step from `start` to `end` \[s\].
    pub(super) fn acts_during(&self, start: f64, end: f64) -> bool {
        self.carriers.act_during(start, end)
    }

    /// What jumps before the step from `start` to `end` \[s\], unless that has been said.
    pub(super) fn take_due(&mut self, body: &Body, pins: &Pins, start: f64, end: f64) -> Option<Carried> {
        let is_made = mem::replace(&mut self.has_jumped, true);
        if is_made { None } else { self.carriers.carried(body, pins, self.frame, start, end) }
    }

    /// Goes to the next step.
    pub(super) fn step(&mut self) {
        self.has_jumped = false;
    }

    /// Starts anew at any time, with paths that have been carried to `frame`.
    pub(super) fn go_on(&mut self, frame: Option<Jump>) {
        (self.frame, self.has_jumped) = (frame, false);
    }

    /// All particles of the body, with the paths of what holds them, by one jump.
    ///
    /// # Panics
    /// Where that is no place, or the rotation has no direction.
    pub(super) fn put(&mut self, rotation: Quat, translation: Vec3) -> Carried {
        assert!(rotation.is_finite() && rotation.length_squared() > 0.0, "a rotation, not {rotation}");
        assert!(translation.is_finite(), "a finite translation, not {translation}");
        let jump = Jump { from: Vec3::ZERO, to: translation, rotation: rotation.normalize() };
        self.frame = Some(self.frame.map_or(jump, |frame| frame.then(&jump)));
        self.carriers.all_carried(jump)
    }
}

impl Simulation {
    /// Joins a body with the solver that was made of it.
    #[must_use]
    pub fn new(body: Body, solver: Box<dyn Solver>, step: Step) -> Self {
        let jumping = Jumping::new(&body);
        let course = Course { time: SimulatedTime::default(), pins: Pins::default(), jumping, sleep: Sleep::default() };
        Self::on(course, body, solver, step)
    }

    /// As [`Simulation::new`], with a solver that has come that far in a course and been told of it.
    pub(super) fn on(course: Course, body: Body, solver: Box<dyn Solver>, step: Step) -> Self {
        let Course { time, pins, jumping, sleep } = course;
        Self { body, solver, step, time, pins, jumping, sleep }
    }

    /// Records one step; of a body that sleeps, only that time goes on.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        if !self.sleeps_through_step() {
            self.record_jumps(recorder)?;
            self.solver.record(recorder, self.time())?;
        }
        self.time.steps += 1;
        self.jumping.step();
        Ok(())
    }

    /// Begins a step, and says whether the body sleeps through it.
    fn sleeps_through_step(&mut self) -> bool {
        let (time, settings) = (self.time(), self.solver.pbd_settings_mut().copied());
        let acts = |start, end| {
            self.jumping.acts_during(start, end)
                || self.solver.colliders().act_during(start, end)
                || self.solver.is_driven(start)
        };
        self.sleep.begin_step(time, &self.step, settings, acts)
    }

    /// Lets the body sleep once looks have found it slower than `speed` \[m/s\] for a second; at 0 it never does. A
    /// [`Guard`](super::Guard) looks. Steps of a body that sleeps take no work, and it stays where it is to the bit, until
    /// something acts on it that did not: what holds it or a collider moves or lets go, a wind that changes, a cut, a hand, other
    /// settings, a teleport, or for ropes another camera. It goes on awake from a state.
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

    /// How many steps it has slept through since the start, the last reset or the last state that it has gone on from.
    #[must_use]
    pub fn steps_slept(&self) -> u64 {
        self.sleep.steps_slept()
    }

    pub(super) fn sleep(&self) -> &Sleep {
        &self.sleep
    }

    pub(super) fn sleep_mut(&mut self) -> &mut Sleep {
        &mut self.sleep
    }

    /// Records the jumps that [`Simulation::record`] would otherwise record at the start of its step, for those who look at what
    /// is before the step: between that and what is after it, nothing jumps.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record_jumps(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        let (start, end) = (self.time(), self.time() + f64::from(self.step.dt));
        match self.jumping.take_due(&self.body, &self.pins, start, end) {
            Some(carried) => self.solver.record_jumps(recorder, &carried),
            None => Ok(()),
        }
    }

    /// Records that the whole body is elsewhere at once, turned about the origin and then moved \[m\], together with the paths of
    /// what holds it: it keeps its shape, and moves on as before, seen from there. Colliders stay; [`Colliders::set`] moves them.
    ///
    /// # Errors
    /// What the engine reports.
    ///
    /// # Panics
    /// Where the rotation or the translation is not finite, or the rotation is 0.
    pub fn record_teleport(
        &mut self,
        recorder: &mut Recorder<'_>,
        rotation: Quat,
        translation: Vec3,
    ) -> engine::Result<()> {
        self.sleep.wake(self.time());
        let carried = self.jumping.put(rotation, translation);
        self.solver.set_frame(self.jumping.frame);
        self.solver.record_jumps(recorder, &carried)
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
        // Which levels of detail follow.
        if matches!(self.body, Body::Ropes(_)) {
            self.sleep.set_camera(position, self.time());
        }
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
        self.sleep.wake(self.time());
        self.solver.cut(blade)
    }

    /// Lets a hand pull at the body, or none any more, as [`Solver::set_grip`].
    pub fn set_grip(&mut self, grip: Option<Grip>) {
        self.sleep.set_gripped(grip.is_some(), self.time());
        self.solver.set_grip(grip);
    }

    /// Pins a particle where it is with the next recording, or lets it go, with the mass that it has; what has carried it along
    /// a path lets it go in either case.
    ///
    /// # Panics
    /// Where there is no such particle.
    pub fn set_pinned(&mut self, particle: u32, pinned: bool) {
        self.sleep.wake(self.time());
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
        self.sleep.begin_at(self.time());
        self.pins.clear();
        self.jumping.go_on(None);
        self.solver.set_frame(None);
        self.solver.reset()
    }

    /// Waits for the device and says what the body does now.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn state(&self) -> engine::Result<State> {
        let (pins, dragged) = self.hands();
        let (body, frame) = (self.body.fingerprint(), self.frame());
        Ok(State { body, pins, dragged, frame, ..self.solver.state(self.time())? })
    }

    /// As [`Simulation::state`], of the particles alone.
    pub(super) fn moving(&self) -> engine::Result<State> {
        self.solver.state(self.time())
    }

    /// What hands have pinned and let go, and how far they have dragged each collider off its path \[m\].
    pub(super) fn hands(&self) -> (Pins, Vec<Vec3>) {
        (self.pins.clone(), self.colliders().offsets().to_vec())
    }

    /// As [`State::frame`].
    pub(super) fn frame(&self) -> Option<Jump> {
        self.jumping.frame
    }

    /// Whether this simulation can go on from a state that comes from elsewhere, as from a file.
    ///
    /// # Errors
    /// [`StateMismatch`] where it is of another body, or makes no sense.
    pub fn check(&self, state: &State) -> Result<(), StateMismatch> {
        state.check(&self.body, self.colliders().list().len())
    }

    /// Goes on from a state of the same body, whatever solver it comes from, as [`Solver::set_state`]; [`Simulation::reset`]
    /// still goes back to how this simulation started. With the same solver it goes on in the same bits as what the state is of.
    ///
    /// # Errors
    /// What the engine reports.
    ///
    /// # Panics
    /// Where the state is of another body, which [`Simulation::check`] tells.
    pub fn go_on_from(&mut self, state: &State) -> engine::Result<()> {
        self.time = SimulatedTime::from(state.time);
        self.sleep.begin_at(state.time);
        self.jumping.go_on(state.frame);
        self.solver.set_frame(state.frame);
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

    /// How fast those in each of these places go, as [`Solver::motions`].
    #[must_use]
    pub fn motions(&self) -> Vec<Motion> {
        self.solver.motions()
    }

    /// Which constraints are not cut, as [`Solver::intact`].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn intact(&self) -> engine::Result<Option<Vec<bool>>> {
        self.solver.intact()
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
