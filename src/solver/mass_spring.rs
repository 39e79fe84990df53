//! `mass-spring`: positions and velocities on a grid of springs, in many small substeps, after document 001.
//!
//! Each substep is one pass that reads one pair of buffers and writes another; the pairs take turns.

use glam::{IVec2, Vec3, Vec4};

use super::external::{External, Place};
use super::state::truncated;
use super::{Colliders, Motion, Particles, Solver, State, Step, Surroundings, Triangles};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::MassSpringParameters;
use crate::model::{Carried, Grid, Grip, Jump};
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
    /// The substep above which a grid at rest, of particles of `particle_mass` \[kg\], is unstable \[s\], whatever its
    /// size.
    ///
    /// The stiffest wave turns from cell to cell, and feels 4 springs along its way and 4 halves of diagonals:
    /// K = 8 stiffness / m, and D = 8 damping / m in the same way. Semi-implicit Euler has z² - (2 - h D - h² K) z +
    /// 1 - h D = 0 for it, whose roots stay within the unit circle while 4 - 2 h D - h² K > 0.
    #[must_use]
    pub fn stability_limit(&self, particle_mass: f32) -> f64 {
        let [stiffness, damping] =
            [self.stiffness, self.damping].map(|spring| 8.0 * f64::from(spring) / f64::from(particle_mass));
        4.0 / (damping + (damping * damping + 4.0 * stiffness).sqrt())
    }

    /// The uniform block of a step on `grid`, without external forces.
    #[must_use]
    pub fn parameters(&self, step: &Step, grid: &Grid) -> MassSpringParameters {
        MassSpringParameters {
            acceleration: (step.gravity + self.external_acceleration).extend(0.0),
            grid_size: IVec2::new(grid.columns as i32, grid.rows as i32),
            rest_length: grid.spacing,
            stiffness: self.stiffness,
            damping: self.damping,
            substep_dt: step.substep_dt(),
            has_forces: 0,
            padding: 0,
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
    external: External,
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
        step: Step,
        settings: MassSpringSettings,
        surroundings: &Surroundings<'_>,
    ) -> engine::Result<Self> {
        assert_eq!(particles.len() as u64, grid.particle_count(), "a particle for each node of the grid");
        let position_buffer = |name| Buffer::from_slice(device, name, particles);
        let positions = [position_buffer("cloth.positions[0]")?, position_buffer("cloth.positions[1]")?];
        let velocity_buffer = |name| Buffer::zeroed(device, name, size_of_val(particles) as u64);
        let velocities = [velocity_buffer("cloth.velocities[0]")?, velocity_buffer("cloth.velocities[1]")?];
        let places =
            [0, 1].map(|place| Place::Buffers { positions: &positions[place], velocities: &velocities[place] });
        let external = External::new(device, surroundings, particles.len(), &places, step)?;
        let parameters =
            MassSpringParameters { has_forces: external.has_forces(), ..settings.parameters(&step, &grid) };
        let parameters = Buffer::from_slice(device, "cloth.parameters", &[parameters])?;
        let kernel = Kernel::new(device, &shaders::MASS_SPRING_STEP)?;
        let bind = |turn: usize| {
            kernel.bind(&[
                ("Positions", (&positions[turn]).into()),
                ("Velocities", (&velocities[turn]).into()),
                ("NextPositions", (&positions[1 - turn]).into()),
                ("NextVelocities", (&velocities[1 - turn]).into()),
                ("MassSpringParameters", (&parameters).into()),
                ("Colliders", external.colliders.buffer().into()),
                ("Forces", external.forces().into()),
            ])
        };
        let turns = [bind(0)?, bind(1)?];
        Ok(Self { step, grid, start: particles.to_vec(), positions, velocities, external, turns, turn: 0 })
    }

    /// Sets positions, xyz \[m\] and inverse mass, and velocities, xyz \[m/s\]; shapes \[particle_count\].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn write(&mut self, positions: &[Vec4], velocities: &[Vec4]) -> engine::Result<()> {
        self.positions[self.turn].write(positions)?;
        self.velocities[self.turn].write(velocities)
    }

    fn record_substep(&mut self, recorder: &mut Recorder<'_>, substep: u32) -> engine::Result<()> {
        self.external.record_forces(recorder, self.turn)?;
        let size = [self.grid.columns, self.grid.rows, 1];
        recorder.dispatch(&self.turns[self.turn], &self.external.push(substep), size)?;
        self.turn = 1 - self.turn;
        self.external.record_attachments(recorder, self.turn, substep)
    }

    /// Velocities now, xyz \[m/s\], shape \[particle_count\].
    #[must_use]
    pub fn velocities(&self) -> &Buffer {
        &self.velocities[self.turn]
    }
}

impl Solver for MassSpring {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.record_hands(recorder)?;
        self.external.record(recorder, time)?;
        recorder.replayed(|recorder| {
            (0..self.step.substeps).try_for_each(|substep| {
                recorder.within(&self.step.label(substep), |recorder| self.record_substep(recorder, substep))
            })
        })
    }

    fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.external.record_pins(recorder, self.turn)
    }

    fn record_jumps(&mut self, recorder: &mut Recorder<'_>, carried: &Carried) -> engine::Result<()> {
        let Self { positions, velocities, external, turn, .. } = self;
        let place = Place::Buffers { positions: &positions[*turn], velocities: &velocities[*turn] };
        external.record_jumps(recorder, &place, carried)
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.external.set_frame(frame);
    }

    fn particles(&self) -> Vec<Particles> {
        self.positions.iter().cloned().map(Particles::Buffer).collect()
    }

    fn motions(&self) -> Vec<Motion> {
        self.velocities.iter().cloned().map(Motion::Velocities).collect()
    }

    fn current(&self) -> usize {
        self.turn
    }

    fn reset(&mut self) -> engine::Result<()> {
        self.external.reset()?;
        let start = std::mem::take(&mut self.start);
        let written = self.write(&start, &vec![Vec4::ZERO; start.len()]);
        self.start = start;
        written
    }

    fn state(&self, time: f64) -> engine::Result<State> {
        let (positions, velocities) = (truncated(&self.positions()?), truncated(&self.velocities().read::<Vec4>()?));
        Ok(State { time, positions, velocities, ..State::default() })
    }

    fn set_state(&mut self, state: &State) -> engine::Result<()> {
        self.external.reset()?;
        let particles = self.external.particles_at(state, &self.start);
        self.write(&particles, &state.velocity_vectors())
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
        let step = (self.turns[0].pipeline().name().to_string(), self.step.substeps);
        [self.external.force_pass(), Some(step), self.external.attachment_pass()].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_that_of_document_001() {
        let limit = |damping| {
            let settings = MassSpringSettings { stiffness: 2400.0, damping, ..Default::default() };
            settings.stability_limit(4.0 / 4096.0)
        };
        // 2 sqrt(m / 19,200 N/m) without damping; with it, 8 c / m = 4915.2 /s.
        assert!((limit(0.0) - 4.5105e-4).abs() < 1e-8);
        assert!((limit(0.6) - 2.6570e-4).abs() < 1e-8, "{}", limit(0.6));
    }
}
