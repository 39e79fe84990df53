//! `xpbd`, `pbd` and `xpbd-document` on the CPU: the passes of [`Pbd`](crate::solver::Pbd) in the same order.

use glam::Vec4;

use super::{CpuSolver, CpuTiming};
use crate::cpu::Pbd;
use crate::layout::{Collider, PredictPush};
use crate::model::Cloth;
use crate::shaders;
use crate::solver::colliders::collide_push;
use crate::solver::{ConstraintSolver, PbdSettings, Step};

pub(super) struct Constraints {
    settings: PbdSettings,
    start: Vec<Vec4>,
    constraint_count: usize,
    batch_count: usize,
    state: Pbd,
}

impl Constraints {
    pub(super) fn new(cloth: &Cloth, settings: PbdSettings) -> Self {
        let (constraints, batches) = (settings.constraints(cloth), cloth.coloring.batches());
        Self {
            settings,
            start: cloth.positions.clone(),
            constraint_count: constraints.len(),
            batch_count: batches.len(),
            state: Pbd::new(&cloth.positions, &constraints, batches),
        }
    }
}

impl CpuSolver for Constraints {
    fn step(&mut self, step: &Step, time: f64, colliders: &[Collider], timing: &mut CpuTiming) {
        let Self { settings, state, .. } = self;
        let parameters = settings.parameters(step, self.start.len());
        for substep in 0..step.substeps {
            let time = time + f64::from(substep) * f64::from(step.substep_dt());
            let push = PredictPush { flutter_phase: settings.flutter_phase(time) };
            timing.measure(shaders::PBD_PREDICT.name, || state.predict(&parameters, &push));
            for iteration in 0..step.iterations {
                let iteration = if settings.lambda_accumulated { iteration } else { 0 };
                match settings.constraint_solver {
                    ConstraintSolver::GaussSeidel => {
                        for batch in 0..self.batch_count {
                            timing.measure(shaders::PBD_SOLVE.name, || state.solve(&parameters, batch, iteration));
                        }
                    }
                    ConstraintSolver::Jacobi => {
                        timing.measure(shaders::PBD_JACOBI_SOLVE.name, || state.jacobi_solve(&parameters, iteration));
                        timing.measure(shaders::PBD_JACOBI_APPLY.name, || state.jacobi_apply());
                    }
                }
            }
            if !colliders.is_empty() {
                let push = collide_push(colliders.len(), substep, step.substeps);
                timing.measure(shaders::PBD_COLLIDE.name, || state.collide(colliders, &push));
            }
            timing.measure(shaders::PBD_VELOCITY.name, || state.update_velocity(&parameters));
        }
    }

    fn positions(&self) -> &[Vec4] {
        &self.state.positions
    }

    fn reset(&mut self) {
        self.state.positions.copy_from_slice(&self.start);
        self.state.velocities.fill(Vec4::ZERO);
    }

    fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        Some(&mut self.settings)
    }

    fn constraint_count(&self) -> usize {
        self.constraint_count
    }

    fn batch_count(&self) -> usize {
        match self.settings.constraint_solver {
            ConstraintSolver::GaussSeidel => self.batch_count,
            ConstraintSolver::Jacobi => 1,
        }
    }
}
