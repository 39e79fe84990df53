//! How [`Pbd`] goes through a step in fewer dispatches than the plain path, in the same bits: in tiles of a grid, or body by
//! body.

use super::bodies::Bodies;
use super::body_lists::{Batched, BodyLists};
use super::clusters::{Clusters, Runs};
use super::tiles::{SecondPlace, TiledGrid, Tiles};
use super::{ConstraintSolver, Path, Pbd, PbdSettings, Step, Surroundings, TileShape};
use crate::engine::{self, Buffer, Device, Recorder, SomeOf};
use crate::layout::{Constraint, FusedPush, Hinge, PredictPush};
use crate::model::{Cloth, Grid};
use crate::shaders;

/// Most substeps of one dispatch. A device does nothing else before a dispatch has ended, and by then has long made up for what a
/// dispatch costs by itself.
const MOST_SUBSTEPS: u32 = 24;

/// How a cloth is divided among workgroups.
pub(super) enum Division {
    Tiles(TiledGrid, TileShape),
    Bodies(BodyLists),
    Clusters(Runs<BodyLists>),
}

/// What takes whole sweeps of a cloth in a dispatch.
pub(super) enum Fused {
    /// With a second place for the particles: tiles move them from one to the other.
    Tiles(Tiles, SecondPlace),
    /// In one place.
    Bodies(Bodies),
}

/// The buffers of the solver that they work on.
pub(super) struct FusedBuffers<'a> {
    pub(super) positions: &'a Buffer,
    pub(super) velocities: &'a Buffer,
    pub(super) previous_positions: &'a Buffer,
    pub(super) forces: &'a Buffer,
    pub(super) parameters: &'a Buffer,
    pub(super) flutter_phases: &'a Buffer,
}

impl Division {
    /// How a cloth is best divided, or none where the plain path is faster or the device has no room for anything else.
    pub(super) fn best(
        device: &Device,
        cloth: &Cloth,
        constraints: Batched<'_, Constraint>,
        hinges: Batched<'_, Hinge>,
        step: &Step,
        settings: &PbdSettings,
        surroundings: &Surroundings<'_>,
    ) -> Option<Self> {
        if !settings.path.joins_on(device) {
            return None;
        }
        let tiles = TiledGrid::of(cloth, constraints.0)
            .filter(|grid| hinges.0.is_empty() && !keeps_lambdas(grid, step, settings));
        let tiles = tiles.and_then(|grid| {
            let most_sweeps = step.iterations * if is_interrupted(surroundings, settings) { 1 } else { step.substeps };
            let shape = TileShape::fastest(device, &grid.grid, grid.bends, most_sweeps.max(1))?;
            Some(Self::Tiles(grid, shape))
        });
        let count = cloth.positions.len();
        tiles
            .or_else(|| BodyLists::fitting(device, count, constraints, hinges).map(Self::Bodies))
            .or_else(|| Runs::fitting(device, count, constraints, hinges).map(Self::Clusters))
    }
}

/// Whether lambdas go on from iteration to iteration.
fn accumulates(step: &Step, settings: &PbdSettings) -> bool {
    step.iterations > 1 && settings.lambda_accumulated
}

/// Whether they make a difference.
fn keeps_lambdas(grid: &TiledGrid, step: &Step, settings: &PbdSettings) -> bool {
    accumulates(step, settings) && grid.is_compliant()
}

/// Whether other passes come between two substeps.
pub(super) fn is_interrupted(surroundings: &Surroundings<'_>, settings: &PbdSettings) -> bool {
    surroundings.act_between_substeps() || !surroundings.colliders.is_empty() || settings.limits_stretch()
}

/// How many whole substeps tiles of a shape can make in a dispatch.
fn whole_substeps(shape: &TileShape, grid: &Grid, step: &Step) -> u32 {
    if shape.holds(grid) { u32::MAX } else { shape.sweeps / step.iterations.max(1) }
}

impl Division {
    /// Divides a cloth whose particles have a second place, where they need one: what takes whole sweeps of it in a dispatch, or
    /// else runs of batches.
    pub(super) fn on_device(
        self,
        device: &Device,
        buffers: &FusedBuffers<'_>,
        second: Option<SecondPlace>,
        step: &Step,
        is_interrupted: bool,
    ) -> engine::Result<(Option<Fused>, Option<Clusters>)> {
        let most = if is_interrupted { 0 } else { MOST_SUBSTEPS };
        Ok(match self {
            Self::Tiles(grid, shape) => {
                let second = second.expect("a second place for tiles");
                let most = most.min(whole_substeps(&shape, &grid.grid, step));
                let tiles = Tiles::new(device, grid, shape, most, buffers, &second)?;
                (Some(Fused::Tiles(tiles, second)), None)
            }
            Self::Bodies(lists) => (Some(Fused::Bodies(Bodies::new(device, &lists, most, buffers)?)), None),
            Self::Clusters(runs) => (None, Some(runs.on_device(device, buffers)?)),
        })
    }
}

impl Fused {
    /// The second place of the particles, if they have one.
    pub(super) fn second(&self) -> Option<&SecondPlace> {
        match self {
            Self::Tiles(_, second) => Some(second),
            Self::Bodies(_) => None,
        }
    }

    /// Inverse mass that every particle has which is not held, if it has to have one.
    pub(super) fn inverse_mass(&self) -> Option<f32> {
        match self {
            Self::Tiles(tiles, _) => Some(tiles.tiled.inverse_mass()),
            Self::Bodies(_) => None,
        }
    }

    /// How many whole substeps a dispatch makes; 0 where one takes several dispatches, or where other passes come between its
    /// parts.
    fn most_substeps(&self) -> u32 {
        match self {
            Self::Tiles(tiles, _) => tiles.most_substeps,
            Self::Bodies(bodies) => bodies.most_substeps,
        }
    }

    /// How many sweeps of one substep.
    fn sweeps_at_once(&self) -> u32 {
        match self {
            Self::Tiles(tiles, _) => tiles.sweeps_at_once(),
            Self::Bodies(_) => u32::MAX,
        }
    }

    /// Name of the pass.
    fn pass(&self) -> String {
        match self {
            Self::Tiles(tiles, _) => tiles.pass(),
            Self::Bodies(bodies) => bodies.pass(),
        }
    }
}

impl Pbd {
    /// Whether the next step can be other than batch by batch; what has been cut cannot.
    fn can_join_batches(&self) -> bool {
        self.settings.path != Path::Plain
            && self.settings.constraint_solver == ConstraintSolver::GaussSeidel
            && self.step.iterations > 0
            && self.cutter.is_none()
    }

    /// What takes whole sweeps of the next step in a dispatch, if anything does.
    fn fused_in_use(&self) -> Option<&Fused> {
        self.fused.as_ref().filter(|fused| {
            self.can_join_batches()
                && match fused {
                    Fused::Tiles(tiles, _) => {
                        !self.has_other_masses && !keeps_lambdas(&tiles.tiled, &self.step, &self.settings)
                    }
                    Fused::Bodies(_) => true,
                }
        })
    }

    /// What takes runs of batches of the next step in a dispatch, if anything does.
    pub(super) fn clusters_in_use(&self) -> Option<&Clusters> {
        self.clusters.as_ref().filter(|_| self.can_join_batches())
    }

    /// Whether the next step takes whole sweeps in a dispatch.
    pub(super) fn is_fused(&self) -> bool {
        self.fused_in_use().is_some()
    }

    /// Records the substeps of a step.
    pub(super) fn record_fused(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        let substeps = self.step.substeps;
        let at_once = self.substeps_at_once();
        if at_once == 0 {
            for substep in 0..substeps {
                let label = self.step.label(substep);
                recorder.within(&label, |recorder| self.record_fused_substep(recorder, substep))?;
            }
            return Ok(());
        }
        for first in (0..substeps).step_by(at_once as usize) {
            let count = at_once.min(substeps - first);
            let label = self.step.label_of(first..first + count);
            recorder.within(&label, |recorder| self.record_whole_substeps(recorder, first, count))?;
        }
        Ok(())
    }

    /// Records a dispatch that makes `count` substeps.
    fn record_whole_substeps(&mut self, recorder: &mut Recorder<'_>, first: u32, count: u32) -> engine::Result<()> {
        let push = FusedPush {
            substeps: count,
            sweeps: self.step.iterations,
            predicts: 1,
            finishes: 1,
            first_substep: first,
            accumulates: accumulates(&self.step, &self.settings).into(),
            first_sweep: 0,
        };
        self.external.record_forces(recorder, self.place)?;
        self.record_sweeps(recorder, &push)
    }

    /// How many whole substeps a dispatch makes in the next step, as [`Fused::most_substeps`].
    fn substeps_at_once(&self) -> u32 {
        let most = self.fused_in_use().map_or(0, Fused::most_substeps);
        // A hand that pulls comes before each.
        if self.external.pulls() { most.min(1) } else { most }
    }

    /// Records one substep with all that acts on the cloth from outside.
    fn record_fused_substep(&mut self, recorder: &mut Recorder<'_>, substep: u32) -> engine::Result<()> {
        let particles = self.start.len() as u32;
        self.external.record_forces(recorder, self.place)?;
        let predicts_apart = self.external.has_attachments();
        if predicts_apart {
            recorder.dispatch_each(&self.passes[self.place].predict, &PredictPush { substep }, particles)?;
            self.external.record_attachments(recorder, self.place, substep)?;
        }
        let ends_apart = !self.external.colliders.is_empty() || self.limits.is_some();
        let iterations = self.step.iterations;
        let most = self.fused_in_use().map_or(1, Fused::sweeps_at_once);
        let mut iteration = 0;
        while iteration < iterations {
            let sweeps = most.min(iterations - iteration);
            let is_last = iteration + sweeps == iterations;
            let push = FusedPush {
                substeps: 1,
                sweeps,
                predicts: (iteration == 0 && !predicts_apart).into(),
                finishes: (is_last && !ends_apart).into(),
                first_substep: substep,
                accumulates: accumulates(&self.step, &self.settings).into(),
                first_sweep: iteration,
            };
            let label = SomeOf("iterations", iteration..iteration + sweeps, iterations);
            recorder.within(&label, |recorder| self.record_sweeps(recorder, &push))?;
            iteration += sweeps;
        }
        if ends_apart { self.record_end(recorder, substep) } else { Ok(()) }
    }

    fn record_sweeps(&mut self, recorder: &mut Recorder<'_>, push: &FusedPush) -> engine::Result<()> {
        match &self.fused {
            Some(Fused::Tiles(tiles, _)) => {
                tiles.record(recorder, self.place, push)?;
                self.place = 1 - self.place;
            }
            Some(Fused::Bodies(bodies)) => bodies.record(recorder, push)?,
            None => {}
        }
        Ok(())
    }

    /// What [`Solver::passes`](super::Solver::passes) says of them.
    pub(super) fn fused_passes(&self) -> Vec<(String, u32)> {
        let Some(fused) = self.fused_in_use() else {
            return Vec::new();
        };
        let Step { substeps, iterations, .. } = self.step;
        let mut passes: Vec<_> = self.external.force_pass().into_iter().collect();
        if self.external.has_attachments() {
            passes.push((shaders::PBD_PREDICT.name.to_string(), substeps));
            passes.extend(self.external.attachment_pass());
        }
        let calls = match self.substeps_at_once() {
            0 => substeps * iterations.div_ceil(fused.sweeps_at_once()),
            at_once => substeps.div_ceil(at_once),
        };
        passes.push((fused.pass(), calls));
        if !self.external.colliders.is_empty() || self.limits.is_some() {
            passes.extend(self.end_passes());
        }
        passes
    }
}
