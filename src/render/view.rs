//! Draws what a simulation moves straight from the solver's particles.

use glam::Vec4;

use super::camera::{Bounds, Camera};
use super::cloth_view::ClothView;
use super::marks::Marks;
use super::rope_view::RopeView;
use super::shown::Shown;
use super::stage::{Look, Scenery, Stage, ViewTargets};
use super::wave_view::{Wave, WaveView};
use crate::engine::{self, Buffer, Device, Image, Recorder, vk};
use crate::model::Body;
use crate::solver::{Particles, Simulation, Triangles};

/// The draw passes of one simulation.
pub struct View {
    stage: Stage,
    subject: Subject,
    marks: Marks,
    wave: Option<WaveView>,
    shown: Shown,
    pixels_per_point: f32,
    /// After how many steps the state was that has been kept, if any.
    kept_after: Option<u64>,
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
        let stage = Stage::new(device, simulation, format, room)?;
        let particles = simulation.particles();
        let (subject, marks) = match (simulation.body(), &particles[..]) {
            (Body::Ropes(ropes), [Particles::Planes(planes)]) => {
                let view = RopeView::new(device, ropes, planes, &stage, format)?;
                let marks = Marks::of_ropes(device, simulation, ropes, view.previous(), &stage, format)?;
                (Subject::Ropes(view), marks)
            }
            (Body::Cloth(cloth), _) => {
                let triangles = match simulation.triangles() {
                    Some(triangles) => triangles.clone(),
                    None => Triangles::new(device, cloth)?,
                };
                let view = ClothView::new(device, cloth, &triangles, &particles, &stage, format)?;
                let previous = view.previous();
                let marks = Marks::of_cloth(device, simulation, cloth, &triangles, previous, &stage, format)?;
                (Subject::Cloth(view), marks)
            }
            (Body::Ropes(_), _) => panic!("the solver of ropes keeps them in planes"),
        };
        let wave = wave.map(|wave| WaveView::new(device, wave, &stage, format)).transpose()?;
        let shown = Shown::default();
        Ok(Self { stage, subject, marks, wave, shown, pixels_per_point: 1.0, kept_after: None })
    }

    /// Chooses what the pictures that follow show.
    pub fn show(&mut self, shown: Shown) {
        self.shown = shown;
    }

    /// Says how many pixels of the pictures that follow are a point of the display, for what is as large on each of them; 1 to
    /// begin with.
    pub fn scale(&mut self, pixels_per_point: f32) {
        self.pixels_per_point = pixels_per_point;
    }

    /// Keeps the particles of `simulation` as they are before the step that is recorded next, for pictures from before its
    /// end and of speeds; where that starts with a jump, they should have made it by then ([`Simulation::record_jumps`]).
    ///
    /// # Errors
    /// What the engine reports.
    pub fn keep(&mut self, recorder: &mut Recorder<'_>, simulation: &Simulation) -> engine::Result<()> {
        self.kept_after = Some(simulation.steps_recorded());
        match &self.subject {
            Subject::Cloth(cloth) => cloth.keep(recorder, simulation.current()),
            Subject::Ropes(ropes) => ropes.keep(recorder),
        }
    }

    /// Takes `positions`, xyz \[m\], for those before the last step that has been recorded, in place of [`View::keep`] and
    /// after it, and waits until that is done. Shape \[particle_count\].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn set_kept(&mut self, positions: &[Vec4], simulation: &Simulation) -> engine::Result<()> {
        self.kept_after = simulation.steps_recorded().checked_sub(1);
        let starts = simulation.body().positions();
        // What cannot be drawn stays where it started.
        let drawn = positions.iter().zip(starts).map(|(place, start)| if place.is_finite() { *place } else { *start });
        self.previous().write(&drawn.collect::<Vec<_>>())
    }

    /// Waits for the device and reads the particles before the last step that was recorded, where they were kept.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn kept(&self, simulation: &Simulation) -> engine::Result<Option<Vec<Vec4>>> {
        if self.has_kept(simulation) { self.previous().read().map(Some) } else { Ok(None) }
    }

    /// Whether it is the state before the last step that has been kept.
    fn has_kept(&self, simulation: &Simulation) -> bool {
        self.kept_after.is_some_and(|steps| steps + 1 == simulation.steps_recorded())
    }

    fn previous(&self) -> &Buffer {
        match &self.subject {
            Subject::Cloth(cloth) => cloth.previous(),
            Subject::Ropes(ropes) => ropes.previous(),
        }
    }

    /// What pictures show: looks where there is nothing of what was chosen.
    fn shown(&self, simulation: &Simulation) -> Shown {
        let lacks_speeds = self.shown == Shown::Velocity && !self.has_kept(simulation);
        if lacks_speeds || self.shown.absence(simulation).is_some() { Shown::Looks } else { self.shown }
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
        let name = match &self.subject {
            Subject::Cloth(_) => "view/cloth",
            Subject::Ropes(_) => "view/ropes",
        };
        let shown = self.shown(simulation);
        let (step_dt, pixels_per_point) = (simulation.step().dt, self.pixels_per_point);
        let look = Look { alpha, shown, step_dt, pixels_per_point };
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
        let pins = self.marks.pins(simulation.time());
        let marks = self.marks.draws(shown, current, pins.as_ref());
        self.stage.record(recorder, name, Scenery { subjects, marks }, targets, picture)
    }
}
