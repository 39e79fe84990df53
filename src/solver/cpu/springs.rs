//! `verlet` and `mass-spring` on the CPU.

use glam::Vec4;

use super::external::External;
use super::{CpuSolver, CpuTiming, HostParticles};
use crate::cpu::{self, Colliders};
use crate::model::{Carried, Cloth, Grid, Grip, Jump};
use crate::shaders;
use crate::solver::colliders::collide_push;
use crate::solver::state::truncated;
use crate::solver::verlet_memory::flagged;
use crate::solver::{MassSpringSettings, State, Step, Surroundings, VerletSettings};

pub(super) struct Verlet {
    step: Step,
    settings: VerletSettings,
    grid: Grid,
    start: Vec<Vec4>,
    state: cpu::Verlet,
    external: External,
}

impl Verlet {
    pub(super) fn new(
        cloth: &Cloth,
        grid: Grid,
        step: Step,
        settings: VerletSettings,
        surroundings: &Surroundings<'_>,
    ) -> Self {
        let start = flagged(&cloth.positions);
        let external = External::new(cloth, surroundings, &step, settings.mass);
        Self { step, settings, grid, state: cpu::Verlet::new(&start, &start), start, external }
    }
}

impl CpuSolver for Verlet {
    fn step(&mut self, time: f64, colliders: &Colliders<'_>, timing: &mut CpuTiming) {
        let Self { step, settings, state, external, .. } = self;
        let parameters = settings.parameters(step, &self.grid);
        external.start_step(time, step);
        for substep in 0..step.substeps {
            let time = step.start_of(substep, time);
            external.pull(step, timing, shaders::HAND_PULL_IMAGE, |push, particles| state.pull(push, particles));
            external.blow(timing, shaders::AIR_FORCE_IMAGE, |air, parameters, triangles| {
                state.blow(air, parameters, triangles);
            });
            timing.measure(shaders::VERLET_STEP.name, || {
                state.step(&parameters, settings.wind.flutter_phase(time));
                if !colliders.list.is_empty() {
                    state.collide(colliders, &collide_push(colliders.list.len(), substep, step.substeps));
                }
            });
            external.attach(substep, step, timing, shaders::ATTACH_MOVE_IMAGE, |particles, attachments, push| {
                state.attach(particles, attachments, push);
            });
        }
    }

    fn jump(&mut self, carried: &Carried) {
        let [mut previous, mut current] = [self.state.previous().to_vec(), self.state.current().to_vec()];
        carried.carry_points(&mut previous);
        carried.carry_points(&mut current);
        self.state = cpu::Verlet::new(&previous, &current);
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.external.frame = frame;
    }

    fn particles(&self) -> HostParticles<'_> {
        HostParticles::Buffer(self.state.current())
    }

    fn reset(&mut self) {
        self.external.reset();
        self.state = cpu::Verlet::new(&self.start, &self.start);
    }

    fn state(&self, time: f64) -> State {
        let (now, before) = (truncated(self.state.current()), truncated(self.state.previous()));
        State::of_places(time, &now, &before, self.step.substep_dt())
    }

    fn set_state(&mut self, state: &State) {
        self.external.reset();
        let particles = self.external.particles_at(state, &self.step, &flagged(&self.start));
        let [previous, current] = state.places(&particles, self.step.substep_dt());
        self.state = cpu::Verlet::new(&flagged(&previous), &flagged(&current));
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.external.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.state.set_pinned(particle, inverse_mass == 0.0);
        self.external.let_go(particle);
    }
}

pub(super) struct MassSpring {
    step: Step,
    settings: MassSpringSettings,
    grid: Grid,
    start: Vec<Vec4>,
    state: cpu::MassSpring,
    external: External,
}

impl MassSpring {
    pub(super) fn new(
        cloth: &Cloth,
        grid: Grid,
        step: Step,
        settings: MassSpringSettings,
        surroundings: &Surroundings<'_>,
    ) -> Self {
        let (start, external) = (cloth.positions.clone(), External::new(cloth, surroundings, &step, 0.0));
        Self { step, settings, grid, state: cpu::MassSpring::new(&start), start, external }
    }
}

impl CpuSolver for MassSpring {
    fn step(&mut self, time: f64, colliders: &Colliders<'_>, timing: &mut CpuTiming) {
        let Self { step, settings, state, external, .. } = self;
        let parameters = settings.parameters(step, &self.grid);
        external.start_step(time, step);
        for substep in 0..step.substeps {
            external.pull(step, timing, shaders::HAND_PULL, |push, particles| state.pull(push, particles));
            external.blow(timing, shaders::AIR_FORCE, |air, parameters, triangles| {
                state.blow(air, parameters, triangles);
            });
            let push = collide_push(colliders.list.len(), substep, step.substeps);
            timing.measure(shaders::MASS_SPRING_STEP.name, || state.substep(&parameters, colliders, &push));
            external.attach(substep, step, timing, shaders::ATTACH_MOVE, |particles, attachments, push| {
                state.attach(particles, attachments, push);
            });
        }
    }

    fn jump(&mut self, carried: &Carried) {
        let [mut positions, mut velocities] = [self.state.positions().to_vec(), self.state.velocities().to_vec()];
        carried.carry_points(&mut positions);
        carried.carry_vectors(&mut velocities);
        self.state = cpu::MassSpring::new(&positions);
        self.state.velocities_mut().copy_from_slice(&velocities);
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.external.frame = frame;
    }

    fn particles(&self) -> HostParticles<'_> {
        HostParticles::Buffer(self.state.positions())
    }

    fn reset(&mut self) {
        self.external.reset();
        self.state = cpu::MassSpring::new(&self.start);
    }

    fn state(&self, time: f64) -> State {
        let (positions, velocities) = (truncated(self.state.positions()), truncated(self.state.velocities()));
        State { time, positions, velocities, ..State::default() }
    }

    fn set_state(&mut self, state: &State) {
        self.external.reset();
        let particles = self.external.particles_at(state, &self.step, &self.start);
        self.state = cpu::MassSpring::new(&particles);
        self.state.velocities_mut().copy_from_slice(&state.velocity_vectors());
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.external.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.state.set_inverse_mass(particle, inverse_mass);
        self.external.let_go(particle);
    }
}
