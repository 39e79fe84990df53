//! The passes of a substep of [`Pbd`] where passes of their own do it: predict, then all constraints again and again.

use super::list_pass::ListPass;
use super::{ConstraintSolver, Pbd, Step};
use crate::engine::{self, OneOf, Recorder, ShaderCode};
use crate::layout::PredictPush;
use crate::shaders;

impl Pbd {
    /// Records the passes of one substep.
    pub(super) fn record_substep(&self, recorder: &mut Recorder<'_>, substep: u32) -> engine::Result<()> {
        let particles = self.start.len() as u32;
        self.external.record_forces(recorder, 0)?;
        recorder.dispatch_each(&self.passes[0].predict, &PredictPush { substep }, particles)?;
        // After the positions before are kept, so that what is let go keeps the velocity of its way.
        self.external.record_attachments(recorder, 0, substep)?;
        let iterations = self.step.iterations;
        for iteration in 0..iterations {
            let label = OneOf("iteration", iteration, iterations);
            // Lambda starts from 0 in iteration 0. Source: XPBD 2016, eq. 18; document 002 has no lambda in it.
            let iteration = if self.settings.lambda_accumulated { iteration } else { 0 };
            if iterations == 1 {
                self.record_iteration(recorder, iteration)?;
            } else {
                recorder.within(&label, |recorder| self.record_iteration(recorder, iteration))?;
            }
        }
        self.record_end(recorder, substep)
    }

    /// Records the passes that go over all constraints and hinges once.
    pub(super) fn record_iteration(&self, recorder: &mut Recorder<'_>, iteration: u32) -> engine::Result<()> {
        if let (ConstraintSolver::Jacobi, Some(jacobi)) = (self.settings.constraint_solver, &self.jacobi) {
            jacobi.record(recorder, iteration)?;
        } else if let Some(clusters) = self.clusters_in_use() {
            return clusters.record(recorder, &self.batch_passes(), iteration);
        } else {
            self.solve.record_batches(recorder, &self.batches, iteration)?;
        }
        self.bending.as_ref().map_or(Ok(()), |bending| bending.record(recorder, iteration))
    }

    /// The passes over batches of constraints and of hinges, if there are some.
    fn batch_passes(&self) -> [Option<&ListPass>; 2] {
        [Some(&self.solve), self.bending.as_ref().map(|bending| &bending.bend)]
    }

    /// Appends the passes that go over the batches of so many iterations, with their calls.
    fn list_batches(&self, iterations: u32, passes: &mut Vec<(String, u32)>) {
        let mut add = |shader: ShaderCode<'_>, calls| passes.push((shader.name.to_string(), calls));
        match self.settings.constraint_solver {
            ConstraintSolver::GaussSeidel => add(shaders::PBD_SOLVE, iterations * self.solve.call_count(&self.batches)),
            ConstraintSolver::Jacobi => {
                add(shaders::PBD_JACOBI_SOLVE, iterations);
                add(shaders::PBD_JACOBI_APPLY, iterations);
            }
        }
        if let Some(bending) = &self.bending {
            add(shaders::PBD_BEND, iterations * bending.bend.call_count(&bending.batches));
        }
    }

    /// The passes of all substeps, with their calls a step.
    pub(super) fn substep_passes(&self) -> Vec<(String, u32)> {
        let Step { substeps, iterations, .. } = self.step;
        let iterations = substeps * iterations;
        let mut passes: Vec<_> = self.external.force_pass().into_iter().collect();
        passes.push((shaders::PBD_PREDICT.name.to_string(), substeps));
        passes.extend(self.external.attachment_pass());
        if let Some(clusters) = self.clusters_in_use() {
            passes.extend(
                clusters.passes(&self.batch_passes()).into_iter().map(|(name, calls)| (name, iterations * calls)),
            );
        } else {
            self.list_batches(iterations, &mut passes);
        }
        passes.extend(self.end_passes());
        passes
    }
}
