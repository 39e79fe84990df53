//! A solver on the CPU whose particles are copied to a device after each step, for views to read.

use glam::{Vec3, Vec4};

use super::simulation::run;
use super::{CpuSolver, CpuTiming, HostParticles};
use crate::engine::{self, Buffer, Device, Recorder, Staging};
use crate::model::{Blade, Body, Collider, Grip, colliders_during, triangles_around};
use crate::solver::dragged::Dragged;
use crate::solver::{Colliders, ConstraintSolver, Particles, PbdSettings, Solver, State, Step, Triangles};

pub(super) struct OnDevice {
    device: Device,
    solver: Box<dyn CpuSolver>,
    step: Step,
    colliders: Colliders,
    triangles: Option<Triangles>,
    constraints: Option<Buffer>,
    particles: Particles,
    /// As many as there are steps in flight: what a recording copies from is not written until it is done.
    uploads: Vec<Staging>,
    /// Of the steps since it was last taken.
    timing: CpuTiming,
}

impl OnDevice {
    /// Puts `body` on the device as it is now, and the colliders as they are in the step that ends at `time` \[s\].
    pub(super) fn new(
        device: &Device,
        solver: Box<dyn CpuSolver>,
        body: &Body,
        (list, mut dragged): (&[Collider], Dragged),
        step: Step,
        time: f64,
    ) -> engine::Result<Self> {
        let mut seen = colliders_during(list, time - f64::from(step.dt), time);
        dragged.advance(&mut seen, 0.0);
        let colliders = Colliders::with_dragged(device, list, dragged)?;
        if !colliders.is_empty() {
            colliders.buffer().write(&seen)?;
        }
        let triangles = match body {
            Body::Cloth(cloth) => Some(Triangles::new(device, cloth)?),
            Body::Ropes(_) => None,
        };
        let particles = match solver.particles() {
            HostParticles::Buffer(positions) => {
                Particles::Buffer(Buffer::from_slice(device, "cloth.positions", positions)?)
            }
            HostParticles::Planes(planes) => Particles::Planes(Buffer::from_slice(device, "ropes.planes", &planes)?),
        };
        let constraints = solver.constraints();
        let constraints =
            constraints.map(|constraints| Buffer::from_slice(device, "cloth.constraints", &constraints)).transpose()?;
        let device = device.clone();
        let (uploads, timing) = (Vec::new(), CpuTiming::default());
        let mut on_device =
            Self { device, solver, step, colliders, triangles, constraints, particles, uploads, timing };
        on_device.write_triangles()?;
        Ok(on_device)
    }

    fn buffer(&self) -> &Buffer {
        match &self.particles {
            Particles::Buffer(buffer) | Particles::Planes(buffer) => buffer,
            Particles::Image(_) => unreachable!("a solver on the CPU keeps no image"),
        }
    }

    /// Records the copy of the particles as they are now.
    fn upload(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        let particles = self.solver.particles();
        let free = self.uploads.iter_mut().position(|staging| staging.write(particles.floats()));
        let index = match free {
            Some(index) => index,
            None => {
                self.uploads.push(Staging::upload(&self.device, self.buffer().name(), particles.floats())?);
                self.uploads.len() - 1
            }
        };
        recorder.upload(&self.uploads[index], self.buffer())
    }

    /// What the buffers of the triangles have to hold, where they have changed.
    fn changed_triangles(&mut self) -> Option<(&Triangles, [Vec<u32>; 2])> {
        let particle_count = self.solver.particles().positions().len();
        let changed = self.solver.take_changed_triangles()?;
        let lists = [changed.as_flattened().to_vec(), triangles_around(particle_count, changed)];
        Some((self.triangles.as_ref()?, lists))
    }

    fn write_triangles(&mut self) -> engine::Result<()> {
        if let Some((triangles, [corners, around])) = self.changed_triangles() {
            triangles.corners.write(&corners)?;
            triangles.around.write(&around)?;
            if let (Some(buffer), Some(constraints)) = (&self.constraints, self.solver.constraints()) {
                buffer.write(&constraints)?;
            }
        }
        Ok(())
    }

    fn upload_triangles(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        let device = self.device.clone();
        if let Some((triangles, [corners, around])) = self.changed_triangles() {
            recorder.upload(&Staging::upload(&device, triangles.corners.name(), &corners)?, &triangles.corners)?;
            recorder.upload(&Staging::upload(&device, triangles.around.name(), &around)?, &triangles.around)?;
            if let (Some(buffer), Some(constraints)) = (&self.constraints, self.solver.constraints()) {
                recorder.upload(&Staging::upload(&device, buffer.name(), &constraints)?, buffer)?;
            }
        }
        Ok(())
    }
}

impl Solver for OnDevice {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        let seen = self.colliders.during(time, time + f64::from(self.step.dt));
        self.colliders.record_seen(recorder, &seen)?;
        run(&mut *self.solver, time, &seen, self.colliders.list(), &mut self.timing);
        self.upload_triangles(recorder)?;
        self.upload(recorder)
    }

    fn particles(&self) -> Vec<Particles> {
        vec![self.particles.clone()]
    }

    fn current(&self) -> usize {
        0
    }

    fn reset(&mut self) -> engine::Result<()> {
        self.colliders.reset();
        self.solver.reset();
        self.write_triangles()?;
        self.buffer().write(self.solver.particles().floats())
    }

    fn positions(&self) -> engine::Result<Vec<Vec4>> {
        Ok(self.solver.particles().positions())
    }

    fn state(&self, time: f64) -> engine::Result<State> {
        Ok(self.solver.state(time))
    }

    fn set_state(&mut self, state: &State) -> engine::Result<()> {
        self.solver.set_state(state);
        self.write_triangles()?;
        self.buffer().write(self.solver.particles().floats())
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.solver.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.solver.set_inverse_mass(particle, inverse_mass);
    }

    fn set_camera(&mut self, position: Vec3) {
        self.solver.set_camera(position);
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

    fn triangles(&self) -> Option<&Triangles> {
        self.triangles.as_ref()
    }

    fn constraints(&self) -> Option<&Buffer> {
        self.constraints.as_ref()
    }

    fn cut(&mut self, blade: Blade) -> engine::Result<bool> {
        Ok(self.solver.cut(blade))
    }

    fn residuals(&mut self, order: ConstraintSolver, iterations: u32) -> engine::Result<Option<Vec<f64>>> {
        Ok(self.solver.residuals(order, iterations))
    }

    fn intact(&self) -> engine::Result<Option<Vec<bool>>> {
        Ok(self.solver.intact())
    }

    fn has_cut(&self) -> bool {
        self.solver.intact().is_some()
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
