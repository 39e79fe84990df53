//! How [`Pbd`] goes through a step in tiles: the passes of the plain path joined into fewer dispatches.

use super::tiles::{TiledGrid, Tiles};
use super::{ConstraintSolver, Path, Pbd, PbdSettings, Step, Surroundings, TileShape};
use crate::engine::{self, Device, Recorder};
use crate::layout::{MOST_PBD_TILE_SUBSTEPS, PredictPush, TilePush};
use crate::model::Grid;
use crate::shaders;

/// The shape of tiles for a grid, or none where the plain path is faster or the device has no room for them.
pub(super) fn fastest_shape(
    device: &Device,
    grid: &TiledGrid,
    step: &Step,
    settings: &PbdSettings,
    surroundings: &Surroundings<'_>,
) -> Option<TileShape> {
    let is_interrupted = surroundings.act_between_substeps() || !surroundings.colliders.is_empty();
    let most_sweeps = step.iterations * if is_interrupted { 1 } else { step.substeps };
    let choose = if settings.path == Path::Fused { TileShape::possible } else { TileShape::fastest };
    choose(device, &grid.grid, grid.bends, most_sweeps.max(1))
}

/// How many whole substeps tiles of a shape make in a dispatch; 0 where one takes several dispatches, or where other passes
/// come between its parts.
pub(super) fn most_substeps(shape: &TileShape, grid: &Grid, step: &Step, surroundings: &Surroundings<'_>) -> u32 {
    if surroundings.act_between_substeps() || !surroundings.colliders.is_empty() {
        return 0;
    }
    let most = MOST_PBD_TILE_SUBSTEPS as u32;
    if shape.holds(grid) { most } else { (shape.sweeps / step.iterations.max(1)).min(most) }
}

impl Pbd {
    /// The tiles, where the next step goes through them.
    fn tiles_in_use(&self) -> Option<&Tiles> {
        let (_, tiles) = self.tiles.as_ref()?;
        let settings = &self.settings;
        // Tiles keep no lambdas, and do not know of cuts.
        let keeps_lambdas = self.step.iterations > 1 && settings.lambda_accumulated && tiles.tiled.is_compliant();
        let is_able = settings.path != Path::Plain
            && settings.constraint_solver == ConstraintSolver::GaussSeidel
            && self.step.iterations > 0
            && !keeps_lambdas
            && self.cutter.is_none()
            && !self.has_other_masses;
        is_able.then_some(tiles)
    }

    /// Whether the next step goes through tiles.
    pub(super) fn goes_in_tiles(&self) -> bool {
        self.tiles_in_use().is_some()
    }

    /// Records a step that starts at `time` \[s\].
    pub(super) fn record_in_tiles(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        let substeps = self.step.substeps;
        let at_once = self.substeps_at_once();
        if at_once == 0 {
            for substep in 0..substeps {
                let label = self.step.label(substep);
                recorder.within(&label, |recorder| self.record_tiled_substep(recorder, time, substep))?;
            }
            return Ok(());
        }
        for first in (0..substeps).step_by(at_once as usize) {
            let count = at_once.min(substeps - first);
            let label = format!("substeps {} to {} of {substeps}", first + 1, first + count);
            recorder.within(&label, |recorder| self.record_whole_substeps(recorder, time, first, count))?;
        }
        Ok(())
    }

    /// Records a dispatch that makes `count` substeps.
    fn record_whole_substeps(
        &mut self,
        recorder: &mut Recorder<'_>,
        time: f64,
        first: u32,
        count: u32,
    ) -> engine::Result<()> {
        let flutter_phases = self.flutter_phases(time, first, count);
        let push = TilePush { substeps: count, sweeps: self.step.iterations, predicts: 1, finishes: 1, flutter_phases };
        self.external.record_forces(recorder, self.place)?;
        self.record_tiles(recorder, &push)
    }

    /// How many whole substeps a dispatch makes in the next step, as [`Tiles::most_substeps`].
    fn substeps_at_once(&self) -> u32 {
        let most = self.tiles_in_use().map_or(0, |tiles| tiles.most_substeps);
        // A hand that pulls comes before each.
        if self.external.pulls() { most.min(1) } else { most }
    }

    /// Records one substep with all that acts on the cloth from outside.
    fn record_tiled_substep(&mut self, recorder: &mut Recorder<'_>, time: f64, substep: u32) -> engine::Result<()> {
        let particles = [self.start.len() as u32, 1, 1];
        let flutter_phases = self.flutter_phases(time, substep, 1);
        self.external.record_forces(recorder, self.place)?;
        let predicts_apart = self.external.has_attachments();
        if predicts_apart {
            let push = PredictPush { flutter_phase: flutter_phases[0] };
            recorder.dispatch(&self.passes[self.place].predict, &push, particles)?;
            self.external.record_attachments(recorder, self.place, substep)?;
        }
        let collides = !self.external.colliders.is_empty();
        let iterations = self.step.iterations;
        let most = self.tiles_in_use().map_or(1, Tiles::sweeps_at_once);
        let mut iteration = 0;
        while iteration < iterations {
            let sweeps = most.min(iterations - iteration);
            let is_last = iteration + sweeps == iterations;
            let push = TilePush {
                substeps: 1,
                sweeps,
                predicts: (iteration == 0 && !predicts_apart).into(),
                finishes: (is_last && !collides).into(),
                flutter_phases,
            };
            let label = format!("iterations {} to {} of {iterations}", iteration + 1, iteration + sweeps);
            recorder.within(&label, |recorder| self.record_tiles(recorder, &push))?;
            iteration += sweeps;
        }
        if collides {
            let passes = &self.passes[self.place];
            recorder.dispatch(&passes.collide, &self.external.push(substep), particles)?;
            recorder.dispatch(&passes.velocity, &(), particles)?;
        }
        Ok(())
    }

    fn record_tiles(&mut self, recorder: &mut Recorder<'_>, push: &TilePush) -> engine::Result<()> {
        if let Some((_, tiles)) = &self.tiles {
            tiles.record(recorder, self.place, push)?;
            self.place = 1 - self.place;
        }
        Ok(())
    }

    /// The phase of the wind's flutter at each of `count` substeps from `first` on \[rad\].
    fn flutter_phases(&self, time: f64, first: u32, count: u32) -> [f32; MOST_PBD_TILE_SUBSTEPS] {
        let mut phases = [0.0; MOST_PBD_TILE_SUBSTEPS];
        for (phase, substep) in phases.iter_mut().zip(first..first + count) {
            *phase = self.flutter_phase(time, substep);
        }
        phases
    }

    /// What [`Solver::passes`](super::Solver::passes) says of tiles.
    pub(super) fn tiled_passes(&self) -> Vec<(String, u32)> {
        let Some(tiles) = self.tiles_in_use() else {
            return Vec::new();
        };
        let Step { substeps, iterations, .. } = self.step;
        let mut passes: Vec<_> = self.external.force_pass().into_iter().collect();
        if self.external.has_attachments() {
            passes.push((shaders::PBD_PREDICT.name.to_string(), substeps));
            passes.extend(self.external.attachment_pass());
        }
        let calls = match self.substeps_at_once() {
            0 => substeps * iterations.div_ceil(tiles.sweeps_at_once()),
            at_once => substeps.div_ceil(at_once),
        };
        passes.push((tiles.pass(), calls));
        if !self.external.colliders.is_empty() {
            passes.push((shaders::PBD_COLLIDE.name.to_string(), substeps));
            passes.push((shaders::PBD_VELOCITY.name.to_string(), substeps));
        }
        passes
    }
}
