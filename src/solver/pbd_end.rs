//! How a substep of [`Pbd`] ends where passes of their own do it: colliders, what limits the stretch, and the velocities.

use super::cutter::Cutter;
use super::limits::Limits;
use super::{Pbd, Solver};
use crate::engine::{self, Recorder};
use crate::shaders;

impl Pbd {
    /// Records what comes after the sweeps of a substep where passes of their own do it: colliders, what limits the stretch, and
    /// the velocities.
    pub(super) fn record_end(&self, recorder: &mut Recorder<'_>, substep: u32) -> engine::Result<()> {
        let particles = self.start.len() as u32;
        let passes = &self.passes[self.place];
        let collide = self.external.push(substep);
        if !self.colliders().is_empty() {
            recorder.dispatch_each(&passes.collide, &collide, particles)?;
        }
        match &self.limits {
            Some(limits) => limits.record(recorder, self.place, substep + 1 == self.step.substeps, collide),
            None => recorder.dispatch_each(&passes.velocity, &(), particles),
        }
    }

    /// The passes of [`Pbd::record_end`], with their calls a step.
    pub(super) fn end_passes(&self) -> Vec<(String, u32)> {
        let substeps = self.step.substeps;
        let mut passes = Vec::new();
        if !self.colliders().is_empty() {
            passes.push((shaders::PBD_COLLIDE.name.to_string(), substeps));
        }
        match &self.limits {
            Some(limits) => passes.extend(limits.passes(substeps)),
            None => passes.push((shaders::PBD_VELOCITY.name.to_string(), substeps)),
        }
        passes
    }

    /// Finds anew what the limits of the stretch depend on, where it has changed, and then waits for the device.
    pub(super) fn refresh_limits(&mut self) -> engine::Result<()> {
        if self.limits.as_ref().is_some_and(Limits::is_stale) {
            let intact = self.intact()?;
            if let Some(limits) = &mut self.limits {
                limits.refresh(intact.as_deref())?;
            }
        }
        Ok(())
    }

    /// Tells what limits the stretch of cuts that have been recorded.
    pub(super) fn tell_limits_of_cuts(&mut self) {
        let has_cut = self.cutter.as_mut().is_some_and(Cutter::take_cuts);
        if let Some(limits) = self.limits.as_mut().filter(|_| has_cut) {
            limits.has_been_cut();
        }
    }
}
