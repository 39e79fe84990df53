//! `rope` on the CPU.

use glam::Vec3;

use super::{CpuSolver, CpuTiming, HostParticles};
use crate::cpu::{self, Colliders};
use crate::model::{self, Carried, Grip, Jump};
use crate::shaders;
use crate::solver::rope::{LET_GO, PINNED};
use crate::solver::rope_hand::RopeHand;
use crate::solver::rope_list::RopeList;
use crate::solver::state::truncated;
use crate::solver::{RopeSettings, State, Step};

pub(super) struct Ropes {
    step: Step,
    settings: RopeSettings,
    ropes: model::Ropes,
    list: RopeList,
    rests: Vec<Vec3>,
    camera: Option<Vec3>,
    hand: RopeHand,
    state: cpu::RopeVerlet,
}

impl Ropes {
    pub(super) fn new(ropes: &model::Ropes, step: Step, settings: RopeSettings) -> Self {
        let (sways, rests) = settings.baked(ropes, &step);
        Self {
            step,
            settings,
            list: RopeList::new(ropes, sways, 0.0, f64::from(step.dt)),
            rests: truncated(&rests),
            camera: None,
            hand: RopeHand::default(),
            state: at_rest(ropes),
            ropes: ropes.clone(),
        }
    }
}

fn at_rest(ropes: &model::Ropes) -> cpu::RopeVerlet {
    let start = truncated(ropes.positions());
    cpu::RopeVerlet::new(&start, &start, ropes.ropes().len())
}

impl CpuSolver for Ropes {
    fn step(&mut self, time: f64, colliders: &Colliders<'_>, timing: &mut CpuTiming) {
        let Self { step, settings, ropes, .. } = self;
        self.list.advance(ropes, &self.hand, time, time + f64::from(step.dt));
        let push = self.hand.push(settings.push(self.camera, time, colliders.list.len()));
        let parameters = settings.parameters(step);
        timing.measure(shaders::ROPE_STEP.name, || {
            self.state.step(&parameters, self.list.list(), &self.rests, colliders, &push)
        });
    }

    fn jump(&mut self, carried: &Carried) {
        let (state, rope_count) = (&self.state, self.ropes.ropes().len());
        let extended = |places: &[Vec3]| places.iter().map(|place| place.extend(0.0)).collect::<Vec<_>>();
        let [mut previous, mut current] = [state.previous(), state.positions()].map(extended);
        carried.carry_points(&mut previous);
        carried.carry_points(&mut current);
        let mut jumped = cpu::RopeVerlet::new(&truncated(&previous), &truncated(&current), rope_count);
        jumped.levels_mut().copy_from_slice(state.levels());
        jumped.pinned_mut().copy_from_slice(state.pinned());
        self.state = jumped;
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.list.set_frame(frame);
    }

    fn particles(&self) -> HostParticles<'_> {
        let (state, ropes) = (&self.state, self.ropes.ropes().iter());
        let places = [state.positions(), state.previous()];
        let plane = |places: &[Vec3], axis: usize| places.iter().map(|place| place[axis]).collect::<Vec<_>>();
        let mut planes = places.map(|places| [0, 1, 2].map(|axis| plane(places, axis)).concat()).concat();
        planes.extend(
            ropes.zip(state.levels()).flat_map(|(rope, &level)| rope.particles.clone().map(move |_| level as f32)),
        );
        let mut hands = vec![0.0; state.pinned().len()];
        for particle in self.hand.touched() {
            hands[particle as usize] = if state.pinned()[particle as usize] { PINNED } else { LET_GO };
        }
        planes.extend(hands);
        HostParticles::Planes(planes)
    }

    fn reset(&mut self) {
        self.hand = RopeHand::default();
        self.state = at_rest(&self.ropes);
    }

    fn state(&self, time: f64) -> State {
        let (now, before) = (self.state.positions(), self.state.previous());
        let levels = self.state.levels().to_vec();
        State { levels, ..State::of_places(time, now, before, self.step.substep_dt()) }
    }

    fn set_state(&mut self, state: &State) {
        self.reset();
        let particles = state.positions_as(self.ropes.positions());
        let [previous, current] = state.places(&particles, self.step.substep_dt()).map(|places| truncated(&places));
        self.state = cpu::RopeVerlet::new(&previous, &current, self.ropes.ropes().len());
        for (level, known) in self.state.levels_mut().iter_mut().zip(&state.levels) {
            *level = *known;
        }
    }

    fn set_camera(&mut self, position: Vec3) {
        self.camera = Some(position);
    }

    fn is_driven(&self, _time: f64) -> bool {
        self.settings.sways()
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.hand.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.hand.touch(particle);
        self.state.pinned_mut()[particle as usize] = inverse_mass == 0.0;
    }

    fn constraint_count(&self) -> usize {
        self.ropes.links().len()
    }

    fn batch_count(&self) -> usize {
        2
    }
}
