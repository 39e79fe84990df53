//! A solver on the CPU whose particles are copied to a device after each step, for views to read.

use glam::Vec4;

use super::simulation::run;
use super::{CpuSolver, CpuTiming};
use crate::engine::{self, Buffer, Device, Recorder, Staging};
use crate::model::Collider;
use crate::solver::{Colliders, Particles, PbdSettings, Solver, Step};

pub(super) struct OnDevice {
    device: Device,
    solver: Box<dyn CpuSolver>,
    step: Step,
    colliders: Colliders,
    positions: Buffer,
    /// As many as there are steps in flight: what a recording copies from is not written until it is done.
    uploads: Vec<Staging>,
    /// Of the steps since it was last taken.
    timing: CpuTiming,
}

impl OnDevice {
    /// Puts the particles on the device, and the colliders as they are in the step that ends at `time` \[s\].
    pub(super) fn new(
        device: &Device,
        solver: Box<dyn CpuSolver>,
        colliders: &[Collider],
        step: Step,
        time: f64,
    ) -> engine::Result<Self> {
        let colliders = Colliders::new(device, colliders)?;
        if !colliders.is_empty() {
            colliders.buffer().write(&colliders.during(time - f64::from(step.dt), time))?;
        }
        Ok(Self {
            device: device.clone(),
            step,
            colliders,
            positions: Buffer::from_slice(device, "positions", solver.positions())?,
            solver,
            uploads: Vec::new(),
            timing: CpuTiming::default(),
        })
    }

    /// Records the copy of the particles as they are now.
    fn upload(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        let particles = self.solver.positions();
        let free = self.uploads.iter_mut().position(|staging| staging.write(particles));
        let staging = match free {
            Some(index) => &mut self.uploads[index],
            None => self.uploads.push_mut(Staging::upload(&self.device, particles)?),
        };
        recorder.upload(staging, &self.positions)
    }
}

impl Solver for OnDevice {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        let (start, end) = (time, time + f64::from(self.step.dt));
        self.colliders.record(recorder, start, end)?;
        run(&mut *self.solver, &self.step, time, &self.colliders.during(start, end), &mut self.timing);
        self.upload(recorder)
    }

    fn particles(&self) -> Vec<Particles> {
        vec![Particles::Buffer(self.positions.clone())]
    }

    fn current(&self) -> usize {
        0
    }

    fn reset(&mut self) -> engine::Result<()> {
        self.solver.reset();
        self.positions.write(self.solver.positions())
    }

    fn positions(&self) -> engine::Result<Vec<Vec4>> {
        Ok(self.solver.positions().to_vec())
    }

    fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        self.solver.pbd_settings_mut()
    }

    fn colliders(&self) -> &Colliders {
        &self.colliders
    }

    fn colliders_mut(&mut self) -> &mut Colliders {
        &mut self.colliders
    }

    fn constraint_count(&self) -> usize {
        self.solver.constraint_count()
    }

    fn batch_count(&self) -> usize {
        self.solver.batch_count()
    }

    fn passes(&self) -> Vec<(String, u32)> {
        vec![("upload".to_string(), 1)]
    }

    fn take_cpu_timing(&mut self) -> Option<CpuTiming> {
        Some(std::mem::take(&mut self.timing))
    }
}
