//! `verlet`: mass-spring Verlet on images, after document 000, or on buffers, in the same bits.

use glam::Vec4;

use super::external::External;
use super::state::truncated;
use super::verlet_memory::VerletMemory;
use super::{Colliders, Particles, Solver, State, Step, Surroundings, Triangles, VerletSettings, Wind};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{CollidePush, VerletParameters, VerletPush};
use crate::model::{Grid, Grip};

/// The solver on the GPU.
pub struct Verlet {
    step: Step,
    wind: Wind,
    grid: Grid,
    /// xyz \[m\] and inverse mass.
    start: Vec<Vec4>,
    memory: VerletMemory,
    external: External,
    /// The pass of a substep from each place of the memory.
    steps: Vec<Bindings<Kernel>>,
    /// Where the particles are now.
    place: usize,
}

impl Verlet {
    /// Puts a grid on the device: `particles` row by row, xyz \[m\] and inverse mass, at rest.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the grid is larger than the device's images, or what the engine reports.
    ///
    /// # Panics
    /// Where there are not as many particles as the grid has nodes.
    pub fn new(
        device: &Device,
        grid: Grid,
        particles: &[Vec4],
        step: Step,
        settings: VerletSettings,
        surroundings: &Surroundings<'_>,
    ) -> engine::Result<Self> {
        assert_eq!(particles.len() as u64, grid.particle_count(), "a particle for each node of the grid");
        let memory = VerletMemory::new(device, settings.storage, 1, &grid, particles)?;
        let external = External::new(device, surroundings, particles.len(), &memory.places(settings.mass), step)?;
        let parameters = VerletParameters { has_forces: external.has_forces(), ..settings.parameters(&step, &grid) };
        let parameters = Buffer::from_slice(device, "cloth.parameters", &[parameters])?;
        let shared = [
            ("VerletParameters", (&parameters).into()),
            ("Colliders", external.colliders.buffer().into()),
            ("Forces", external.forces().into()),
        ];
        let steps = memory.bind_steps(device, &shared)?;
        let start = particles.to_vec();
        Ok(Self { step, wind: settings.wind, grid, start, memory, external, steps, place: 0 })
    }

    /// Sets the positions before and now, each xyz \[m\] and inverse mass, row by row.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn write(&mut self, previous: &[Vec4], current: &[Vec4]) -> engine::Result<()> {
        self.memory.write(self.memory.previous(self.place), previous)?;
        self.memory.write(self.place, current)
    }

    /// Phase of the wind's flutter in a substep of the step that starts at `time` \[s\], \[rad\].
    fn flutter_phase(&self, time: f64, substep: u32) -> f32 {
        self.wind.flutter_phase(time + f64::from(substep) * f64::from(self.step.substep_dt()))
    }

    /// Records the passes of one substep of the step that starts at `time` \[s\].
    fn record_substep(&mut self, recorder: &mut Recorder<'_>, time: f64, substep: u32) -> engine::Result<()> {
        self.external.record_forces(recorder, self.place)?;
        let CollidePush { start, end, collider_count } = self.external.push(substep);
        let push = VerletPush { start, end, collider_count, flutter_phase: self.flutter_phase(time, substep) };
        recorder.dispatch(&self.steps[self.place], &push, [self.grid.columns, self.grid.rows, 1])?;
        self.place = self.memory.next(self.place);
        self.external.record_attachments(recorder, self.place, substep)
    }
}

impl Solver for Verlet {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.record_hands(recorder)?;
        self.external.record(recorder, time)?;
        for substep in 0..self.step.substeps {
            recorder.within(&self.step.label(substep), |recorder| self.record_substep(recorder, time, substep))?;
        }
        Ok(())
    }

    fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.external.record_pins(recorder, self.place)
    }

    fn particles(&self) -> Vec<Particles> {
        self.memory.particles()
    }

    fn current(&self) -> usize {
        self.place
    }

    fn reset(&mut self) -> engine::Result<()> {
        self.external.reset()?;
        let start = std::mem::take(&mut self.start);
        let written = self.write(&start, &start);
        self.start = start;
        written
    }

    fn state(&self, time: f64) -> engine::Result<State> {
        let [now, before] = [self.place, self.memory.previous(self.place)].map(|place| self.memory.read(place));
        Ok(State::of_places(time, &truncated(&now?), &truncated(&before?), self.step.substep_dt()))
    }

    fn set_state(&mut self, state: &State) -> engine::Result<()> {
        self.external.reset()?;
        let particles = self.external.particles_at(state, &self.start);
        let [previous, current] = state.places(&particles, self.step.substep_dt());
        self.write(&previous, &current)
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.external.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.external.set_inverse_mass(particle, inverse_mass);
    }

    fn triangles(&self) -> Option<&Triangles> {
        self.external.triangles.as_ref()
    }

    fn colliders(&self) -> &Colliders {
        &self.external.colliders
    }

    fn colliders_mut(&mut self) -> &mut Colliders {
        &mut self.external.colliders
    }

    fn passes(&self) -> Vec<(String, u32)> {
        let step = (self.steps[0].pipeline().name().to_string(), self.step.substeps);
        [self.external.force_pass(), Some(step), self.external.attachment_pass()].into_iter().flatten().collect()
    }
}
