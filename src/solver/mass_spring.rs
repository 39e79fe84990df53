//! `mass-spring`: positions and velocities on a grid of springs, in many small substeps, after document 001.
//!
//! Each substep is one pass that reads one pair of buffers and writes another; the pairs take turns.

use glam::{IVec2, Vec3, Vec4};

use super::attachments::{Attachments, Moved};
use super::{Colliders, Particles, Solver, Step};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::MassSpringParameters;
use crate::model::{Attachment, Collider, Grid};
use crate::shaders;

/// What the solver is set to, beyond the [`Step`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassSpringSettings {
    /// Stiffness of all 8 springs \[N/m\].
    pub stiffness: f32,
    /// Damping of all 8 springs, along the spring \[N s/m\].
    pub damping: f32,
    /// An acceleration beside gravity, of every particle \[m/s²\].
    pub external_acceleration: Vec3,
}

impl MassSpringSettings {
    /// The uniform block of a step on `grid`.
    #[must_use]
    pub fn parameters(&self, step: &Step, grid: &Grid) -> MassSpringParameters {
        MassSpringParameters {
            acceleration: (step.gravity + self.external_acceleration).extend(0.0),
            grid_size: IVec2::new(grid.columns as i32, grid.rows as i32),
            rest_length: grid.spacing,
            stiffness: self.stiffness,
            damping: self.damping,
            substep_dt: step.substep_dt(),
            padding: [0; 2],
        }
    }
}

/// The solver on the GPU.
pub struct MassSpring {
    step: Step,
    grid: Grid,
    start: Vec<Vec4>,
    positions: [Buffer; 2],
    velocities: [Buffer; 2],
    colliders: Colliders,
    attachments: Option<Attachments>,
    /// Bindings of turn `t`, which reads pair `t` and writes the other one.
    turns: [Bindings<Kernel>; 2],
    turn: usize,
}

impl MassSpring {
    /// Puts a grid on the device: `particles` row by row, xyz \[m\] and inverse mass \[1/kg\], at rest.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the grid is larger than the device can bind, or what the engine reports.
    ///
    /// # Panics
    /// Where there are not as many particles as the grid has nodes.
    pub fn new(
        device: &Device,
        grid: Grid,
        particles: &[Vec4],
        colliders: &[Collider],
        step: Step,
        settings: MassSpringSettings,
    ) -> engine::Result<Self> {
        assert_eq!(particles.len() as u64, grid.particle_count(), "a particle for each node of the grid");
        let position_buffer = |name| Buffer::from_slice(device, name, particles);
        let positions = [position_buffer("positions 0")?, position_buffer("positions 1")?];
        let velocity_buffer = |name| Buffer::zeroed(device, name, size_of_val(particles) as u64);
        let velocities = [velocity_buffer("velocities 0")?, velocity_buffer("velocities 1")?];
        let colliders = Colliders::new(device, colliders)?;
        let parameters = Buffer::from_slice(device, "mass-spring parameters", &[settings.parameters(&step, &grid)])?;
        let kernel = Kernel::new(device, &shaders::MASS_SPRING_STEP)?;
        let bind = |turn: usize| {
            kernel.bind(&[
                ("Positions", (&positions[turn]).into()),
                ("Velocities", (&velocities[turn]).into()),
                ("NextPositions", (&positions[1 - turn]).into()),
                ("NextVelocities", (&velocities[1 - turn]).into()),
                ("MassSpringParameters", (&parameters).into()),
                ("Colliders", colliders.buffer().into()),
            ])
        };
        let turns = [bind(0)?, bind(1)?];
        Ok(Self {
            step,
            grid,
            start: particles.to_vec(),
            positions,
            velocities,
            colliders,
            attachments: None,
            turns,
            turn: 0,
        })
    }

    /// Sets positions, xyz \[m\] and inverse mass, and velocities, xyz \[m/s\]; shapes \[particle_count\].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn write(&mut self, positions: &[Vec4], velocities: &[Vec4]) -> engine::Result<()> {
        self.positions[self.turn].write(positions)?;
        self.velocities[self.turn].write(velocities)
    }

    /// Velocities now, xyz \[m/s\], shape \[particle_count\].
    #[must_use]
    pub fn velocities(&self) -> &Buffer {
        &self.velocities[self.turn]
    }
}

impl Solver for MassSpring {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.colliders.record(recorder, time, time + f64::from(self.step.dt))?;
        if let Some(attachments) = &self.attachments {
            attachments.record(recorder, time, &self.step)?;
        }
        for substep in 0..self.step.substeps {
            let push = self.colliders.push(substep, self.step.substeps);
            recorder.dispatch(&self.turns[self.turn], &push, [self.grid.columns, self.grid.rows, 1])?;
            self.turn = 1 - self.turn;
            if let Some(attachments) = &self.attachments {
                attachments.record_substep(recorder, self.turn, substep, &self.step)?;
            }
        }
        Ok(())
    }

    fn particles(&self) -> Vec<Particles> {
        self.positions.iter().cloned().map(Particles::Buffer).collect()
    }

    fn current(&self) -> usize {
        self.turn
    }

    fn reset(&mut self) -> engine::Result<()> {
        let start = std::mem::take(&mut self.start);
        let written = self.write(&start, &vec![Vec4::ZERO; start.len()]);
        self.start = start;
        written
    }

    fn colliders(&self) -> &Colliders {
        &self.colliders
    }

    fn colliders_mut(&mut self) -> &mut Colliders {
        &mut self.colliders
    }

    fn attach(&mut self, device: &Device, attachments: &[Attachment]) -> engine::Result<()> {
        let places = [0, 1].map(|place| Moved::Buffers(&self.positions[place], &self.velocities[place]));
        self.attachments = Attachments::new(device, attachments, &places)?;
        Ok(())
    }

    fn passes(&self) -> Vec<(String, u32)> {
        let step = self.turns[0].pipeline().name().to_string();
        let attaches = self.attachments.iter().map(Attachments::pass);
        std::iter::once(step).chain(attaches).map(|pass| (pass, self.step.substeps)).collect()
    }
}
