//! `verlet`: mass-spring Verlet on images, after document 000, or on buffers, in the same bits.

use std::ops::Range;

use glam::Vec4;

use super::external::External;
use super::flutter::FlutterPhases;
use super::state::truncated;
use super::verlet_memory::VerletMemory;
use super::verlet_tile::TilePass;
use super::{
    Colliders, Motion, Particles, Solver, State, Step, Surroundings, Triangles, VerletSettings, VerletStorage,
    VerletTile, Wind,
};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{CollidePush, VerletPush, VerletTilePush};
use crate::model::{Carried, Grid, Grip, Jump};

/// The solver on the GPU.
pub struct Verlet {
    step: Step,
    wind: Wind,
    grid: Grid,
    /// xyz \[m\] and inverse mass.
    start: Vec<Vec4>,
    memory: VerletMemory,
    external: External,
    flutter_phases: FlutterPhases,
    /// The pass of a substep from each place of the memory.
    steps: Vec<Bindings<Kernel>>,
    /// The pass of several substeps, where nothing acts between them.
    tile: Option<TilePass>,
    /// Where the particles are now.
    place: usize,
}

impl Verlet {
    /// Puts a grid on the device: `particles` row by row, xyz \[m\] and inverse mass, at rest. On buffers several substeps are
    /// computed in one dispatch where [`VerletTile::of`] says so.
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
        let tile = VerletTile::of(device, &grid, &step, settings.path);
        Self::with_tile(device, grid, particles, step, settings, surroundings, tile)
    }

    /// As [`Verlet::new`], with a tile of one's own for several substeps a dispatch on buffers, or one substep a dispatch without.
    /// Where there are attachments or air, which act between substeps, or a hand that pulls, it is one as well.
    ///
    /// # Errors
    /// As [`Verlet::new`], and [`engine::Error::OverLimit`] where the tile takes more than the device's workgroups have.
    ///
    /// # Panics
    /// As [`Verlet::new`], and where the tile has no nodes, or other numbers of substeps than it says.
    pub fn with_tile(
        device: &Device,
        grid: Grid,
        particles: &[Vec4],
        step: Step,
        settings: VerletSettings,
        surroundings: &Surroundings<'_>,
        tile: Option<VerletTile>,
    ) -> engine::Result<Self> {
        assert_eq!(particles.len() as u64, grid.particle_count(), "a particle for each node of the grid");
        let is_tiled = settings.storage == VerletStorage::Buffers && !surroundings.act_between_substeps();
        let tile = tile.filter(|_| is_tiled);
        let pairs = if tile.is_some() { 2 } else { 1 };
        let memory = VerletMemory::new(device, settings.storage, pairs, &grid, particles)?;
        let external = External::new(device, surroundings, particles.len(), &memory.places(settings.mass), step)?;
        let parameters = Buffer::from_slice(device, "cloth.parameters", &[settings.parameters(&step, &grid)])?;
        let colliders = ("Colliders", external.colliders.buffer().into());
        let flutter_phases = FlutterPhases::new(device, &step)?;
        let shared = [
            ("VerletParameters", (&parameters).into()),
            colliders,
            ("FlutterPhases", flutter_phases.buffer().into()),
            ("Forces", external.forces().into()),
        ];
        let has_colliders = !external.colliders.is_empty();
        let steps = memory.bind_steps(device, has_colliders, external.has_forces(), &shared)?;
        let pass = |tile| TilePass::new(device, tile, &grid, &memory, has_colliders, &shared[..3]);
        let tile = tile.map(pass).transpose()?;
        let start = particles.to_vec();
        let wind = settings.wind;
        Ok(Self { step, wind, grid, start, memory, external, flutter_phases, steps, tile, place: 0 })
    }

    /// Sets the positions before and now, each xyz \[m\] and inverse mass, row by row.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn write(&mut self, previous: &[Vec4], current: &[Vec4]) -> engine::Result<()> {
        self.memory.write(self.memory.previous(self.place), previous)?;
        self.memory.write(self.place, current)
    }

    /// Records the passes of one substep.
    fn record_substep(&mut self, recorder: &mut Recorder<'_>, substep: u32) -> engine::Result<()> {
        self.external.record_forces(recorder, self.place)?;
        let CollidePush { start, end, collider_count } = self.external.push(substep);
        let push = VerletPush { start, end, collider_count, substep };
        recorder.dispatch(&self.steps[self.place], &push, [self.grid.columns, self.grid.rows, 1])?;
        self.place = self.memory.next(self.place);
        self.external.record_attachments(recorder, self.place, substep)
    }

    /// The push constants of substeps in one dispatch.
    fn tile_push(&self, substeps: Range<u32>) -> VerletTilePush {
        let (first_substep, substep_count) = (substeps.start, substeps.len() as u32);
        let mut push = VerletTilePush { first_substep, substep_count, ..Default::default() };
        for (number, substep) in substeps.enumerate() {
            let CollidePush { start, end, collider_count } = self.external.push(substep);
            push.shares[number] = start;
            push.shares[number + 1] = end;
            push.collider_count = collider_count;
        }
        push
    }

    /// The substeps of a step, by dispatches of at most so many.
    fn dispatches(&self, most: u32) -> impl Iterator<Item = Range<u32>> + use<> {
        let substeps = self.step.substeps;
        (0..substeps).step_by(most as usize).map(move |first| first..substeps.min(first + most))
    }

    /// Records one dispatch, of one substep or several.
    fn record_dispatch(&mut self, recorder: &mut Recorder<'_>, substeps: Range<u32>) -> engine::Result<()> {
        match &self.tile {
            Some(tile) if substeps.len() > 1 => {
                let label = self.step.label_of(substeps.clone());
                let push = self.tile_push(substeps);
                recorder.within(&label, |recorder| tile.record(recorder, self.place, &push))?;
                self.place = VerletMemory::in_other_pair(self.place);
                Ok(())
            }
            _ => {
                let substep = substeps.start;
                recorder.within(&self.step.label(substep), |recorder| self.record_substep(recorder, substep))
            }
        }
    }
}

impl Solver for Verlet {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.record_hands(recorder)?;
        self.external.record(recorder, time)?;
        self.flutter_phases.record(recorder, &self.wind, &self.step, time)?;
        let most = self.tile.as_ref().filter(|_| !self.external.pulls()).map_or(1, TilePass::substeps);
        recorder.replayed(|recorder| {
            self.dispatches(most).try_for_each(|substeps| self.record_dispatch(recorder, substeps))
        })
    }

    fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.external.record_pins(recorder, self.place)
    }

    fn record_jumps(&mut self, recorder: &mut Recorder<'_>, carried: &Carried) -> engine::Result<()> {
        let Self { memory, external, place, .. } = self;
        external.record_jumps(recorder, &memory.place(*place, 0.0), carried)
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.external.set_frame(frame);
    }

    fn particles(&self) -> Vec<Particles> {
        self.memory.particles()
    }

    fn motions(&self) -> Vec<Motion> {
        self.memory.motions()
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

    fn is_driven(&self, _time: f64) -> bool {
        self.wind.changes()
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
        let step = self.steps[0].pipeline().name().to_string();
        if let Some(tile) = &self.tile {
            let single = self.dispatches(tile.substeps()).filter(|substeps| substeps.len() == 1).count() as u32;
            let several = self.dispatches(tile.substeps()).count() as u32 - single;
            return [(tile.pass(), several), (step, single)].into_iter().filter(|(_, calls)| *calls > 0).collect();
        }
        let step = Some((step, self.step.substeps));
        [self.external.force_pass(), step, self.external.attachment_pass()].into_iter().flatten().collect()
    }
}
