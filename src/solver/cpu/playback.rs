//! Particles that something else than a solver moves.

use glam::Vec4;

use super::{CpuSolver, CpuTiming, HostParticles};
use crate::cpu::Colliders;
use crate::model::{Body, Carried, Grip, Jump};
use crate::solver::state::truncated;
use crate::solver::{State, Step};

/// What puts particles where they are at a time \[s\]: xyz \[m\], and w as it is. Shape \[particle_count\].
pub type PlayedFrames = Box<dyn FnMut(f64, &mut [Vec4]) + Send>;

pub(super) struct Playback {
    step: Step,
    frames: PlayedFrames,
    /// Now, and before the last step.
    now: Vec<Vec4>,
    before: Vec<Vec4>,
    is_rope: bool,
}

impl Playback {
    pub(super) fn new(body: &Body, step: Step, frames: PlayedFrames) -> Self {
        let now = body.positions().to_vec();
        let mut playback = Self { step, frames, before: now.clone(), now, is_rope: matches!(body, Body::Ropes(_)) };
        playback.reset();
        playback
    }

    fn go_to(&mut self, time: f64) {
        self.before.copy_from_slice(&self.now);
        (self.frames)(time, &mut self.now);
    }
}

impl CpuSolver for Playback {
    fn step(&mut self, time: f64, _colliders: &Colliders<'_>, timing: &mut CpuTiming) {
        let end = time + f64::from(self.step.dt);
        timing.measure("playback", || self.go_to(end));
    }

    /// So that nothing is between two frames of which the second is after a jump.
    fn jump(&mut self, carried: &Carried) {
        carried.carry_points(&mut self.now);
    }

    /// What is played back hangs on no path.
    fn set_frame(&mut self, _frame: Option<Jump>) {}

    fn particles(&self) -> HostParticles<'_> {
        if !self.is_rope {
            return HostParticles::Buffer(&self.now);
        }
        let plane = |places: &[Vec4], axis: usize| places.iter().map(|place| place[axis]).collect::<Vec<_>>();
        let places = [&self.now, &self.before].map(|places| [0, 1, 2].map(|axis| plane(places, axis)).concat());
        // All at level 0, and not touched by hands.
        HostParticles::Planes([places.concat(), vec![0.0; 2 * self.now.len()]].concat())
    }

    fn reset(&mut self) {
        self.go_to(0.0);
        self.before.copy_from_slice(&self.now);
    }

    fn state(&self, time: f64) -> State {
        State::of_places(time, &truncated(&self.now), &truncated(&self.before), self.step.dt)
    }

    /// Goes to the frame of the state's time.
    fn set_state(&mut self, state: &State) {
        self.go_to(state.time);
        self.before.copy_from_slice(&self.now);
    }

    fn is_driven(&self, _time: f64) -> bool {
        true
    }

    /// Nothing moves what is played back.
    fn set_grip(&mut self, _grip: Option<Grip>) {}

    fn set_inverse_mass(&mut self, _particle: u32, _inverse_mass: f32) {}
}
