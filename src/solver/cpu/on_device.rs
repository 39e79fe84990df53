//! A solver on the CPU whose particles are copied to a device after each step, for views to read.

use glam::{Vec3, Vec4};

use super::simulation::run;
use super::{CpuSolver, CpuTiming, HostParticles};
use crate::cpu;
use crate::engine::{self, Buffer, Device, Recorder};
use crate::model::{Blade, Body, Carried, Collider, Grip, Jump, triangles_around};
use crate::solver::dragged::Dragged;
use crate::solver::uploads::Uploads;
use crate::solver::{Colliders, ConstraintSolver, Motion, Particles, PbdSettings, Solver, State, Step, Triangles};

pub(super) struct OnDevice {
    solver: Box<dyn CpuSolver>,
    step: Step,
    colliders: Colliders,
    /// Of all of them, as the solver reads them.
    samples: Vec<f32>,
    triangles: Option<Triangles>,
    constraints: Option<Buffer>,
    particles: Particles,
    particle_uploads: Uploads,
    /// Of what cuts change, as [`OnDevice::changed_lists`] has it.
    list_uploads: Vec<Uploads>,
    /// A hand has changed the particles since they were last uploaded.
    particles_changed: bool,
    /// Of the steps since it was last taken.
    timing: CpuTiming,
}

impl OnDevice {
    /// Puts `body` on the device as it is now, and the colliders where they are at `time` \[s\].
    pub(super) fn new(
        device: &Device,
        solver: Box<dyn CpuSolver>,
        body: &Body,
        (list, samples, dragged): (&[Collider], Vec<f32>, Dragged),
        step: Step,
        time: f64,
    ) -> engine::Result<Self> {
        let colliders = Colliders::at(device, list, dragged, time)?;
        let triangles = match body {
            Body::Cloth(cloth) => Some(Triangles::new(device, cloth)?),
            Body::Ropes(_) => None,
        };
        let host = solver.particles();
        let (name, kind): (_, fn(Buffer) -> Particles) = match host {
            HostParticles::Buffer(_) => ("cloth.positions", Particles::Buffer),
            HostParticles::Planes(_) => ("ropes.planes", Particles::Planes),
        };
        let particles = Buffer::from_slice(device, name, host.floats())?;
        let constraints = solver.constraints();
        let constraints =
            constraints.map(|constraints| Buffer::from_slice(device, "cloth.constraints", &constraints)).transpose()?;
        let lists = triangles.iter().flat_map(|Triangles { corners, around, .. }| [corners, around]);
        let list_uploads = lists.chain(&constraints).map(|buffer| Uploads::new(device, buffer)).collect();
        let mut on_device = Self {
            solver,
            step,
            colliders,
            samples,
            triangles,
            constraints,
            particle_uploads: Uploads::new(device, &particles),
            particles: kind(particles),
            list_uploads,
            particles_changed: false,
            timing: CpuTiming::default(),
        };
        on_device.write_lists()?;
        Ok(on_device)
    }

    /// Records the copy of the particles as they are now.
    fn upload_particles(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.particles_changed = false;
        self.particle_uploads.record(recorder, self.solver.particles().floats())
    }

    fn write_particles(&mut self) -> engine::Result<()> {
        self.particles_changed = false;
        self.particle_uploads.write(self.solver.particles().floats())
    }

    /// The corners of triangles, the lists around particles, and the constraints, where a cut or a reset has changed them.
    fn changed_lists(&mut self) -> Option<[Vec<u32>; 3]> {
        let particle_count = self.solver.particles().positions().len();
        let triangles = self.solver.take_changed_triangles()?;
        let (corners, around) = (triangles.as_flattened().to_vec(), triangles_around(particle_count, triangles));
        let constraints = self.solver.constraints().unwrap_or_default();
        Some([corners, around, bytemuck::cast_slice(&constraints).to_vec()])
    }

    fn write_lists(&mut self) -> engine::Result<()> {
        let lists = self.changed_lists().into_iter().flatten();
        self.list_uploads.iter().zip(lists).try_for_each(|(uploads, list)| uploads.write(&list))
    }

    fn upload_lists(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        let lists = self.changed_lists().into_iter().flatten();
        self.list_uploads.iter_mut().zip(lists).try_for_each(|(uploads, list)| uploads.record(recorder, &list))
    }
}

impl Solver for OnDevice {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.colliders.record(recorder, time, time + f64::from(self.step.dt))?;
        let colliders = cpu::Colliders { list: self.colliders.seen(), samples: &self.samples };
        run(&mut *self.solver, time, &colliders, &mut self.timing);
        self.upload_lists(recorder)?;
        self.upload_particles(recorder)
    }

    fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.solver.cut_pending(&mut self.timing);
        self.upload_lists(recorder)?;
        if self.particles_changed { self.upload_particles(recorder) } else { Ok(()) }
    }

    fn record_jumps(&mut self, recorder: &mut Recorder<'_>, carried: &Carried) -> engine::Result<()> {
        self.solver.jump(carried);
        self.upload_particles(recorder)
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.solver.set_frame(frame);
    }

    fn particles(&self) -> Vec<Particles> {
        vec![self.particles.clone()]
    }

    fn motions(&self) -> Vec<Motion> {
        vec![Motion::OnHost]
    }

    fn current(&self) -> usize {
        0
    }

    fn reset(&mut self) -> engine::Result<()> {
        self.colliders.reset()?;
        self.solver.reset();
        self.write_lists()?;
        self.write_particles()
    }

    fn positions(&self) -> engine::Result<Vec<Vec4>> {
        Ok(self.solver.particles().positions())
    }

    fn state(&self, time: f64) -> engine::Result<State> {
        Ok(self.solver.state(time))
    }

    fn set_state(&mut self, state: &State) -> engine::Result<()> {
        self.solver.set_state(state);
        self.write_lists()?;
        self.write_particles()
    }

    fn is_driven(&self, time: f64) -> bool {
        self.solver.is_driven(time)
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.solver.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.solver.set_inverse_mass(particle, inverse_mass);
        self.particles_changed = true;
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
