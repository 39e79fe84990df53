//! `verlet` and `mass-spring` on the CPU.

use glam::Vec4;

use super::{CpuSolver, CpuTiming};
use crate::cpu;
use crate::layout::Collider;
use crate::model::Grid;
use crate::shaders;
use crate::solver::colliders::collide_push;
use crate::solver::verlet::flag_pin;
use crate::solver::{MassSpringSettings, Step, VerletSettings};

pub(super) struct Verlet {
    settings: VerletSettings,
    grid: Grid,
    start: Vec<Vec4>,
    state: cpu::Verlet,
}

impl Verlet {
    pub(super) fn new(grid: Grid, particles: &[Vec4], settings: VerletSettings) -> Self {
        let start: Vec<Vec4> = particles.iter().map(|particle| flag_pin(*particle)).collect();
        Self { settings, grid, state: cpu::Verlet::new(&start, &start), start }
    }
}

impl CpuSolver for Verlet {
    fn step(&mut self, step: &Step, _time: f64, colliders: &[Collider], timing: &mut CpuTiming) {
        let parameters = self.settings.parameters(step, &self.grid);
        for substep in 0..step.substeps {
            timing.measure(shaders::VERLET_STEP.name, || {
                self.state.step(&parameters);
                if !colliders.is_empty() {
                    self.state.collide(colliders, &collide_push(colliders.len(), substep, step.substeps));
                }
            });
        }
    }

    fn positions(&self) -> &[Vec4] {
        self.state.current()
    }

    fn reset(&mut self) {
        self.state = cpu::Verlet::new(&self.start, &self.start);
    }
}

pub(super) struct MassSpring {
    settings: MassSpringSettings,
    grid: Grid,
    start: Vec<Vec4>,
    state: cpu::MassSpring,
}

impl MassSpring {
    pub(super) fn new(grid: Grid, particles: &[Vec4], settings: MassSpringSettings) -> Self {
        Self { settings, grid, start: particles.to_vec(), state: cpu::MassSpring::new(particles) }
    }
}

impl CpuSolver for MassSpring {
    fn step(&mut self, step: &Step, _time: f64, colliders: &[Collider], timing: &mut CpuTiming) {
        let parameters = self.settings.parameters(step, &self.grid);
        for substep in 0..step.substeps {
            let push = collide_push(colliders.len(), substep, step.substeps);
            timing.measure(shaders::MASS_SPRING_STEP.name, || self.state.substep(&parameters, colliders, &push));
        }
    }

    fn positions(&self) -> &[Vec4] {
        self.state.positions()
    }

    fn reset(&mut self) {
        self.state = cpu::MassSpring::new(&self.start);
    }
}
