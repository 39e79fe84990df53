//! Draws what a simulation moves straight from the solver's particles.

use super::camera::{Bounds, Camera};
use super::cloth_view::ClothView;
use super::stage::{Stage, ViewTargets};
use crate::engine::{self, Device, Image, Recorder, vk};
use crate::model::Body;
use crate::solver::{Simulation, Triangles};

/// The draw passes of one simulation.
pub struct View {
    stage: Stage,
    cloth: ClothView,
}

impl View {
    /// Prepares to draw `simulation` into targets of `format`; `room` is the space in which shadows fall, with the floor at
    /// its lower side.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, simulation: &Simulation, format: vk::Format, room: Bounds) -> engine::Result<Self> {
        let stage = Stage::new(device, simulation.colliders(), format, room)?;
        let Body::Cloth(cloth) = simulation.body();
        let triangles = match simulation.triangles() {
            Some(triangles) => triangles.clone(),
            None => Triangles::new(device, cloth)?,
        };
        let cloth = ClothView::new(device, cloth, &triangles, &simulation.particles(), &stage, format)?;
        Ok(Self { stage, cloth })
    }

    /// Keeps the particles in place `current` (see [`Simulation::current`]) as they are before the step that is recorded
    /// next, for pictures from before its end.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn keep(&self, recorder: &mut Recorder<'_>, current: usize) -> engine::Result<()> {
        self.cloth.keep(recorder, current)
    }

    /// Records the passes of one picture into `picture`: `alpha`, from 0 to 1, of the way from the particles that were
    /// kept to those in place `current` (see [`Simulation::current`]). An `alpha` of 1 needs none that were kept.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(
        &self,
        recorder: &mut Recorder<'_>,
        current: usize,
        alpha: f32,
        camera: &Camera,
        targets: &ViewTargets,
        picture: &Image,
    ) -> engine::Result<()> {
        let Self { stage, cloth } = self;
        stage.begin(recorder, alpha, cloth.stripe_width(), camera, targets)?;
        cloth.prepare(recorder, current)?;
        stage.record(recorder, "view/cloth", cloth.draws(current), targets, picture)
    }
}
