//! `verlet`: mass-spring Verlet on images, after document 000.
//!
//! Three images take turns as the positions before, now and next; there is one set of bindings for each turn.

use glam::{IVec2, Vec4};

use super::external::{External, Place};
use super::state::truncated;
use super::{Colliders, Particles, Solver, State, Step, Surroundings, Triangles, Wind};
use crate::engine::{self, Bindings, Buffer, Device, Image, ImageKind, Kernel, Recorder};
use crate::layout::{CollidePush, VerletParameters, VerletPush};
use crate::model::{Grid, Grip};
use crate::shaders;

/// What the solver is set to, beyond the [`Step`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    /// Wind, an external force of document 000.
    pub wind: Wind,
}

impl VerletSettings {
    /// The substep above which a grid at rest is unstable \[s\], whatever its size.
    ///
    /// With the springs' largest eigenvalue λ, a wave of them has x_next - (2 - d - h² λ / m) x + (1 - d) x_prev = 0, whose
    /// roots stay within the unit circle while h² λ / m < 4 - 2 d. A wave along a grid line that turns by the angle t
    /// from cell to cell has λ = 2 K (1 - cos t) + 4 k sin² t, with the structural and shear stiffness together as K and
    /// the flexion stiffness as k: from cell to cell in turn, 4 K, unless flexion is stiff enough for a longer wave.
    #[must_use]
    pub fn stability_limit(&self) -> f64 {
        let stiffness = f64::from(self.structural_stiffness) + f64::from(self.shear_stiffness);
        let flexion = f64::from(self.flexion_stiffness);
        let largest = if 4.0 * flexion > stiffness {
            2.0 * stiffness + 4.0 * flexion + stiffness * stiffness / (4.0 * flexion)
        } else {
            4.0 * stiffness
        };
        ((4.0 - 2.0 * f64::from(self.damping)) * f64::from(self.mass) / largest).sqrt()
    }

    /// The uniform block of a step on `grid`, without external forces.
    #[must_use]
    pub fn parameters(&self, step: &Step, grid: &Grid) -> VerletParameters {
        VerletParameters {
            gravity: step.gravity.extend(0.0),
            wind: self.wind.acceleration.extend(self.wind.flutter),
            grid_size: IVec2::new(grid.columns as i32, grid.rows as i32),
            rest_length: grid.spacing,
            mass: self.mass,
            structural_stiffness: self.structural_stiffness,
            shear_stiffness: self.shear_stiffness,
            flexion_stiffness: self.flexion_stiffness,
            damping: self.damping,
            substep_dt: step.substep_dt(),
            flutter_wave_number: self.wind.wave_number,
            flutter_lift: self.wind.lift,
            has_forces: 0,
        }
    }
}

/// The solver on the GPU.
pub struct Verlet {
    step: Step,
    wind: Wind,
    grid: Grid,
    start: Vec<Vec4>,
    images: [Image; 3],
    external: External,
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
        step: Step,
        settings: VerletSettings,
        surroundings: &Surroundings<'_>,
    ) -> engine::Result<Self> {
        assert_eq!(particles.len() as u64, grid.particle_count(), "a particle for each node of the grid");
        let start = flagged(particles);
        let image = |name| {
            let image = Image::new(device, name, ImageKind::Storage, [grid.columns, grid.rows])?;
            image.write(&start)?;
            engine::Result::Ok(image)
        };
        let images = [image("cloth.positions[0]")?, image("cloth.positions[1]")?, image("cloth.positions[2]")?];
        let places = [0, 1, 2].map(|place| Place::Images {
            current: &images[place],
            previous: &images[(place + 2) % 3],
            particle_mass: settings.mass,
        });
        let external = External::new(device, surroundings, particles.len(), &places, step)?;
        let parameters = VerletParameters { has_forces: external.has_forces(), ..settings.parameters(&step, &grid) };
        let parameters = Buffer::from_slice(device, "cloth.parameters", &[parameters])?;
        let kernel = Kernel::new(device, &shaders::VERLET_STEP)?;
        let bind = |turn: usize| {
            kernel.bind(&[
                ("u_PrevPos", (&images[turn]).into()),
                ("u_CurrPos", (&images[(turn + 1) % 3]).into()),
                ("u_NextPos", (&images[(turn + 2) % 3]).into()),
                ("VerletParameters", (&parameters).into()),
                ("Colliders", external.colliders.buffer().into()),
                ("Forces", external.forces().into()),
            ])
        };
        let turns = [bind(0)?, bind(1)?, bind(2)?];
        Ok(Self { step, wind: settings.wind, grid, start, images, external, turns, turn: 0 })
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

    /// Records the passes of one substep of the step that starts at `time` \[s\].
    fn record_substep(&mut self, recorder: &mut Recorder<'_>, time: f64, substep: u32) -> engine::Result<()> {
        self.external.record_forces(recorder, self.current())?;
        let CollidePush { start, end, collider_count } = self.external.push(substep);
        let time = time + f64::from(substep) * f64::from(self.step.substep_dt());
        let push = VerletPush { start, end, collider_count, flutter_phase: self.wind.flutter_phase(time) };
        recorder.dispatch(&self.turns[self.turn], &push, [self.grid.columns, self.grid.rows, 1])?;
        self.turn = (self.turn + 1) % 3;
        self.external.record_attachments(recorder, self.current(), substep)
    }
}

/// Document 000 keeps a pin flag where the other solvers keep the inverse mass. Flags turn back into inverse masses, of 0
/// and 1, in the same way.
pub(super) fn flagged(particles: &[Vec4]) -> Vec<Vec4> {
    particles.iter().map(|particle| particle.with_w(if particle.w == 0.0 { 1.0 } else { 0.0 })).collect()
}

impl Solver for Verlet {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.record_hands(recorder)?;
        self.external.record(recorder, time)?;
        for substep in 0..self.step.substeps {
            recorder.within(&self.step.label(substep), |recorder| self.record_substep(recorder, time, substep))?;
        }
        Ok(())
    }

    fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.external.record_pins(recorder, self.current())
    }

    fn particles(&self) -> Vec<Particles> {
        self.images.iter().cloned().map(Particles::Image).collect()
    }

    fn current(&self) -> usize {
        (self.turn + 1) % 3
    }

    fn reset(&mut self) -> engine::Result<()> {
        self.external.reset()?;
        let start = std::mem::take(&mut self.start);
        let written = self.write(&start, &start);
        self.start = start;
        written
    }

    fn state(&self, time: f64) -> engine::Result<State> {
        let [now, before] = [self.current(), self.turn].map(|image| self.images[image].read::<Vec4>());
        Ok(State::of_places(time, &truncated(&now?), &truncated(&before?), self.step.substep_dt()))
    }

    fn set_state(&mut self, state: &State) -> engine::Result<()> {
        self.external.reset()?;
        let particles = self.external.particles_at(state, &flagged(&self.start));
        let [previous, current] = state.places(&particles, self.step.substep_dt());
        self.write(&flagged(&previous), &flagged(&current))
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

    fn limit(structural_stiffness: f32, shear_stiffness: f32, flexion_stiffness: f32, damping: f32) -> f64 {
        let settings = VerletSettings {
            mass: 1.0,
            structural_stiffness,
            shear_stiffness,
            flexion_stiffness,
            damping,
            ..Default::default()
        };
        settings.stability_limit()
    }

    #[test]
    fn the_limit_is_that_of_the_stiffest_wave() {
        // The constants of document 000: 2 sqrt(1 / 10,000).
        assert!((limit(1500.0, 1000.0, 500.0, 0.0) - 0.02).abs() < 1e-12);
        for [structural, shear, flexion, damping] in
            [[1500.0, 1000.0, 500.0, 0.1], [10.0, 0.0, 40.0, 0.0], [10.0, 5.0, 3.75, 1.0]]
        {
            let wave = |number: u32| {
                let cosine = (f64::from(number) * std::f64::consts::PI / 100_000.0).cos();
                2.0 * f64::from(structural + shear) * (1.0 - cosine)
                    + 4.0 * f64::from(flexion) * (1.0 - cosine * cosine)
            };
            let stiffest = (0..=100_000).map(wave).fold(0.0, f64::max);
            let expected = ((4.0 - 2.0 * f64::from(damping)) / stiffest).sqrt();
            assert!((limit(structural, shear, flexion, damping) / expected - 1.0).abs() < 1e-8);
        }
    }
}
