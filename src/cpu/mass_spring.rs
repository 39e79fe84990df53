//! The `mass-spring` solver; [`reference::mass_spring`](crate::reference::mass_spring) says what it computes.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::grid::{for_each_force, four_at, rows_of_job, shifted};
use super::quad::Quad;
use crate::layout::{CollidePush, Collider, MassSpringParameters};
use crate::reference::mass_spring;

/// State of a grid of masses and springs.
pub struct MassSpring {
    twin: mass_spring::MassSpring,
    /// Where the next positions and velocities go, before the lists take turns.
    next: mass_spring::MassSpring,
}

impl MassSpring {
    /// A grid at rest at `positions`, row by row: xyz \[m\], w: inverse mass \[1/kg\], 0 where pinned.
    #[must_use]
    pub fn new(positions: &[Vec4]) -> Self {
        let twin = mass_spring::MassSpring::new(positions);
        Self { next: twin.clone(), twin }
    }

    /// xyz: position \[m\]; w: inverse mass \[1/kg\]. Shape \[particle_count\].
    #[must_use]
    pub fn positions(&self) -> &[Vec4] {
        &self.twin.positions
    }

    /// xyz: velocity \[m/s\]; w: 0. Shape \[particle_count\].
    #[must_use]
    pub fn velocities(&self) -> &[Vec4] {
        &self.twin.velocities
    }

    /// As [`MassSpring::velocities`], to be set.
    pub fn velocities_mut(&mut self) -> &mut [Vec4] {
        &mut self.twin.velocities
    }

    /// Advances the grid by one substep of `substep_dt`.
    ///
    /// # Panics
    ///
    /// Where the grid has not as many particles as there are positions.
    pub fn substep(&mut self, parameters: &MassSpringParameters, colliders: &[Collider], push: &CollidePush) {
        let (size, twin) = (parameters.grid_size, &self.twin);
        assert_eq!(twin.positions.len(), (size.x * size.y) as usize, "a particle for each node of the grid");
        let springs = mass_spring::springs(parameters);
        let of_one = |coordinate| twin.force(parameters, coordinate);
        let of_four = |index| {
            let (position, velocity) = (four_at(&twin.positions, index), four_at(&twin.velocities, index));
            let mut force = Quad::default();
            for &(offset, rest_length) in &springs {
                let neighbor = shifted(size, index, offset);
                let delta = four_at(&twin.positions, neighbor) - position;
                let distance = delta.length();
                let direction = delta / distance;
                let approach = (four_at(&twin.velocities, neighbor) - velocity).dot(direction);
                let tension = parameters.stiffness * (distance - rest_length) + parameters.damping * approach;
                force = force + (direction * tension).or_where_zero(distance, Quad::default());
            }
            force.particles(Vec4::ZERO).map(Vec4::truncate)
        };
        let columns = (size.x as usize).max(1);
        let positions = self.next.positions.par_chunks_mut(columns);
        let rows = positions.zip(self.next.velocities.par_chunks_mut(columns)).enumerate();
        rows.with_min_len(rows_of_job(columns)).for_each(|(row, (positions, velocities))| {
            let take = |index: usize, force: Vec3| {
                let column = index % columns;
                (positions[column], velocities[column]) = twin.next(parameters, colliders, push, index, force);
            };
            for_each_force(size, row, 1, of_one, of_four, take);
        });
        std::mem::swap(&mut self.twin, &mut self.next);
    }
}
