//! How far iterations come: the error that each leaves.

use glam::Vec4;

use crate::engine::{self, Frames};
use crate::layout::{Constraint, PredictPush};

use super::{ConstraintSolver, Pbd, Solver};

impl Pbd {
    /// What [`Solver::residuals`] asks for.
    pub(super) fn measure_residuals(
        &mut self,
        constraint_solver: ConstraintSolver,
        iterations: u32,
    ) -> engine::Result<Vec<f64>> {
        let before = std::mem::replace(&mut self.settings.constraint_solver, constraint_solver);
        let found = self.iterate_and_restore(iterations);
        self.settings.constraint_solver = before;
        found
    }

    fn iterate_and_restore(&mut self, iterations: u32) -> engine::Result<Vec<f64>> {
        self.prepare_jacobi()?;
        self.return_now()?;
        let (positions, velocities) = (self.positions()?, self.velocities.read::<Vec4>()?);
        let constraints: Vec<Constraint> = self.constraints.read()?;
        let error = |positions: Vec<Vec4>| rms_error(&positions, &constraints, self.settings.elongation);
        let push = PredictPush::default();
        Frames::run_once(&self.device, |recorder| {
            self.flutter_phases.record_zero(recorder)?;
            recorder.dispatch_each(&self.passes[0].predict, &push, positions.len() as u32)
        })?;
        let mut residuals = vec![error(self.positions()?)];
        for iteration in 0..iterations {
            Frames::run_once(&self.device, |recorder| self.record_iteration(recorder, iteration))?;
            residuals.push(error(self.positions()?));
        }
        self.positions.write(&positions)?;
        self.velocities.write(&velocities)?;
        Ok(residuals)
    }
}

/// Root mean square of |xa - xb| - elongation rest length over the constraints that are not cut \[m\].
pub(super) fn rms_error(positions: &[Vec4], constraints: &[Constraint], elongation: f32) -> f64 {
    let intact = || constraints.iter().filter(|constraint| constraint.index_a != constraint.index_b);
    let square = |constraint: &Constraint| {
        let [a, b] =
            [constraint.index_a, constraint.index_b].map(|index| positions[index as usize].truncate().as_dvec3());
        (a.distance(b) - f64::from(elongation * constraint.rest_length)).powi(2)
    };
    (intact().map(square).sum::<f64>() / intact().count().max(1) as f64).sqrt()
}
