//! Draws what a simulation moves straight from the solver's particles.

use super::camera::{Bounds, Camera};
use super::cloth_view::ClothView;
use super::rope_view::RopeView;
use super::stage::{Look, Shown, Stage, ViewTargets};
use super::wave_view::{Wave, WaveView};
use crate::engine::{self, Device, Image, Recorder, vk};
use crate::model::Body;
use crate::solver::{Particles, Simulation, Triangles};

/// The draw passes of one simulation.
pub struct View {
    stage: Stage,
    subject: Subject,
    wave: Option<WaveView>,
    shown: Shown,
}

enum Subject {
    Cloth(ClothView),
    Ropes(RopeView),
}

impl View {
    /// Prepares to draw `simulation`, and beside it a `wave`, into targets of `format`; `room` is the space in which shadows fall, with the floor at
    /// its lower side.
    ///
    /// # Errors
    /// What the engine reports.
    ///
    /// # Panics
    /// Where a solver keeps a body in a place that it is not drawn from.
    pub fn new(
        device: &Device,
        simulation: &Simulation,
        wave: Option<Wave>,
        format: vk::Format,
        room: Bounds,
    ) -> engine::Result<Self> {
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
        let wave = wave.map(|wave| WaveView::new(device, wave, &stage, format)).transpose()?;
        Ok(Self { stage, subject, wave, shown: Shown::default() })
    }

    /// Chooses what the pictures that follow show.
    pub fn show(&mut self, shown: Shown) {
        self.shown = shown;
    }

    /// Keeps the particles of `simulation` as they are before the step that is recorded next, for pictures from before its
    /// end.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn keep(&self, recorder: &mut Recorder<'_>, simulation: &Simulation) -> engine::Result<()> {
        match &self.subject {
            Subject::Cloth(cloth) => cloth.keep(recorder, simulation.current()),
            Subject::Ropes(ropes) => ropes.keep(recorder),
        }
    }

    /// Records the passes of one picture of `simulation` into `picture`: `alpha`, from 0 to 1, of the way from the particles
    /// that were kept to those that it has now. An `alpha` of 1 needs none that were kept.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(
        &self,
        recorder: &mut Recorder<'_>,
        simulation: &Simulation,
        alpha: f32,
        camera: &Camera,
        targets: &ViewTargets,
        picture: &Image,
    ) -> engine::Result<()> {
        let (stripe_width, name) = match &self.subject {
            Subject::Cloth(cloth) => (cloth.stripe_width(), "view/cloth"),
            Subject::Ropes(_) => (0.0, "view/ropes"),
        };
        let look = Look { alpha, stripe_width, shown: self.shown };
        self.stage.begin(recorder, &look, camera, targets)?;
        let current = simulation.current();
        let mut subjects = match &self.subject {
            Subject::Cloth(cloth) => {
                cloth.prepare(recorder, current)?;
                vec![cloth.draws(current)]
            }
            Subject::Ropes(ropes) => {
                ropes.prepare(recorder)?;
                vec![ropes.draws()]
            }
        };
        let time = simulation.time() - f64::from((1.0 - alpha) * simulation.step().dt);
        let wave = self.wave.as_ref().map(|wave| (wave, wave.push(time)));
        if let Some((wave, push)) = &wave {
            subjects.push(wave.draws(push));
        }
        self.stage.record(recorder, name, subjects, targets, picture)
    }
}
