//! Draws what a simulation moves straight from the solver's particles.

use super::camera::{Bounds, Camera};
use super::cloth_view::ClothView;
use super::rope_view::RopeView;
use super::stage::{Stage, ViewTargets};
use crate::engine::{self, Device, Image, Recorder, vk};
use crate::model::Body;
use crate::solver::{Particles, Simulation, Triangles};

/// The draw passes of one simulation.
pub struct View {
    stage: Stage,
    subject: Subject,
}

enum Subject {
    Cloth(ClothView),
    Ropes(RopeView),
}

impl View {
    /// Prepares to draw `simulation` into targets of `format`; `room` is the space in which shadows fall, with the floor at
    /// its lower side.
    ///
    /// # Errors
    /// What the engine reports.
    ///
    /// # Panics
    /// Where a solver keeps a body in a place that it is not drawn from.
    pub fn new(device: &Device, simulation: &Simulation, format: vk::Format, room: Bounds) -> engine::Result<Self> {
        let stage = Stage::new(device, simulation.colliders(), format, room)?;
        let particles = simulation.particles();
        let subject = match (simulation.body(), &particles[..]) {
            (Body::Ropes(ropes), [Particles::Planes(planes)]) => {
                Subject::Ropes(RopeView::new(device, ropes, planes, &stage, format)?)
            }
            (Body::Cloth(cloth), _) => {
                let triangles = match simulation.triangles() {
                    Some(triangles) => triangles.clone(),
                    None => Triangles::new(device, cloth)?,
                };
                Subject::Cloth(ClothView::new(device, cloth, &triangles, &particles, &stage, format)?)
            }
            (Body::Ropes(_), _) => panic!("the solver of ropes keeps them in planes"),
        };
        Ok(Self { stage, subject })
    }

    /// Colours ropes by their level of detail, or as ropes; cloth has no levels.
    pub fn show_levels(&mut self, shown: bool) {
        if let Subject::Ropes(ropes) = &mut self.subject {
            ropes.show_levels(shown);
        }
    }

    /// Keeps the particles in place `current` (see [`Simulation::current`]) as they are before the step that is recorded
    /// next, for pictures from before its end.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn keep(&self, recorder: &mut Recorder<'_>, current: usize) -> engine::Result<()> {
        match &self.subject {
            Subject::Cloth(cloth) => cloth.keep(recorder, current),
            Subject::Ropes(ropes) => ropes.keep(recorder),
        }
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
        match &self.subject {
            Subject::Cloth(cloth) => {
                self.stage.begin(recorder, alpha, cloth.stripe_width(), camera, targets)?;
                cloth.prepare(recorder, current)?;
                self.stage.record(recorder, "view/cloth", cloth.draws(current), targets, picture)
            }
            Subject::Ropes(ropes) => {
                self.stage.begin(recorder, alpha, 0.0, camera, targets)?;
                ropes.prepare(recorder)?;
                self.stage.record(recorder, "view/ropes", ropes.draws(), targets, picture)
            }
        }
    }
}
