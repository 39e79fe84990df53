//! `verlet`: mass-spring Verlet on images, after document 000.
//!
//! Three images take turns as the positions before, now and next; there is one set of bindings for each turn.

use glam::{IVec2, Vec4};

use super::{Colliders, Particles, Solver, Step};
use crate::engine::{self, Bindings, Buffer, Device, Image, ImageKind, Kernel, Recorder};
use crate::layout::VerletParameters;
use crate::model::{Collider, Grid};
use crate::shaders;

/// What the solver is set to, beyond the [`Step`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerletSettings {
    /// Mass of one particle \[kg\].
    pub mass: f32,
    /// Stiffness of the 4 structural springs \[N/m\].
    pub structural_stiffness: f32,
    /// Stiffness of the 4 shear springs \[N/m\].
    pub shear_stiffness: f32,
    /// Stiffness of the 4 flexion springs \[N/m\].
    pub flexion_stiffness: f32,
    /// Share of the implicit velocity that one substep loses, 0 to 1.
    pub damping: f32,
}

impl VerletSettings {
    /// The uniform block of a step on `grid`.
    #[must_use]
    pub fn parameters(&self, step: &Step, grid: &Grid) -> VerletParameters {
        VerletParameters {
            gravity: step.gravity.extend(0.0),
            grid_size: IVec2::new(grid.columns as i32, grid.rows as i32),
            rest_length: grid.spacing,
            mass: self.mass,
            structural_stiffness: self.structural_stiffness,
            shear_stiffness: self.shear_stiffness,
            flexion_stiffness: self.flexion_stiffness,
            damping: self.damping,
            substep_dt: step.substep_dt(),
            padding: [0; 3],
        }
    }
}

/// The solver on the GPU.
pub struct Verlet {
    step: Step,
    grid: Grid,
    start: Vec<Vec4>,
    images: [Image; 3],
    colliders: Colliders,
    /// Bindings of turn `t`: the positions before, now and next are in images `t`, `t + 1` and `t + 2`, modulo 3.
    turns: [Bindings<Kernel>; 3],
    turn: usize,
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
        colliders: &[Collider],
        step: Step,
        settings: VerletSettings,
    ) -> engine::Result<Self> {
        assert_eq!(particles.len() as u64, grid.particle_count(), "a particle for each node of the grid");
        let start: Vec<Vec4> = particles.iter().map(|particle| flag_pin(*particle)).collect();
        let image = |name| {
            let image = Image::new(device, name, ImageKind::Storage, [grid.columns, grid.rows])?;
            image.write(&start)?;
            engine::Result::Ok(image)
        };
        let images = [image("positions 0")?, image("positions 1")?, image("positions 2")?];
        let parameters = Buffer::from_slice(device, "verlet parameters", &[settings.parameters(&step, &grid)])?;
        let colliders = Colliders::new(device, colliders)?;
        let kernel = Kernel::new(device, &shaders::VERLET_STEP)?;
        let bind = |turn: usize| {
            kernel.bind(&[
                ("u_PrevPos", (&images[turn]).into()),
                ("u_CurrPos", (&images[(turn + 1) % 3]).into()),
                ("u_NextPos", (&images[(turn + 2) % 3]).into()),
                ("VerletParameters", (&parameters).into()),
                ("Colliders", colliders.buffer().into()),
            ])
        };
        let turns = [bind(0)?, bind(1)?, bind(2)?];
        Ok(Self { step, grid, start, images, colliders, turns, turn: 0 })
    }

    /// Sets the positions before and now, each xyz \[m\] and the pin flag, row by row.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn write(&mut self, previous: &[Vec4], current: &[Vec4]) -> engine::Result<()> {
        self.turn = 0;
        self.images[0].write(previous)?;
        self.images[1].write(current)
    }
}

/// Document 000 keeps a pin flag where the other solvers keep the inverse mass.
pub(super) fn flag_pin(particle: Vec4) -> Vec4 {
    particle.truncate().extend(if particle.w == 0.0 { 1.0 } else { 0.0 })
}

impl Solver for Verlet {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.colliders.record(recorder, time, time + f64::from(self.step.dt))?;
        for substep in 0..self.step.substeps {
            let push = self.colliders.push(substep, self.step.substeps);
            recorder.dispatch(&self.turns[self.turn], &push, [self.grid.columns, self.grid.rows, 1])?;
            self.turn = (self.turn + 1) % 3;
        }
        Ok(())
    }

    fn particles(&self) -> Vec<Particles> {
        self.images.iter().cloned().map(Particles::Image).collect()
    }

    fn current(&self) -> usize {
        (self.turn + 1) % 3
    }

    fn reset(&mut self) -> engine::Result<()> {
        let start = std::mem::take(&mut self.start);
        let written = self.write(&start, &start);
        self.start = start;
        written
    }

    fn colliders(&self) -> &Colliders {
        &self.colliders
    }

    fn colliders_mut(&mut self) -> &mut Colliders {
        &mut self.colliders
    }

    fn passes(&self) -> Vec<(String, u32)> {
        vec![(self.turns[0].pipeline().name().to_string(), self.step.substeps)]
    }
}
