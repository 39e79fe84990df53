//! The `mass-spring` solver; [`reference::mass_spring`](crate::reference::mass_spring) says what it computes.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::grid::{for_each_force, four_at, rows_of_job, shifted};
use super::quad::Quad;
use super::{Air, Colliders};
use crate::layout::{
    AirParameters, AttachPush, AttachedParticle, Attachment, CollidePush, GripParticle, MassSpringParameters, PullPush,
};
use crate::reference::{attach, hand, mass_spring};

/// State of a grid of masses and springs.
pub struct MassSpring {
    twin: mass_spring::MassSpring,
    /// Where the next positions and velocities go, before the lists take turns.
    next: [Vec<Vec4>; 2],
}

impl MassSpring {
    /// A grid at rest at `positions`, row by row: xyz \[m\], w: inverse mass \[1/kg\], 0 where pinned.
    #[must_use]
    pub fn new(positions: &[Vec4]) -> Self {
        let twin = mass_spring::MassSpring::new(positions);
        Self { next: [twin.positions.clone(), twin.velocities.clone()], twin }
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

    /// External force on each particle, xyz \[N\], to be set. Shape \[particle_count\].
    pub fn forces_mut(&mut self) -> &mut [Vec4] {
        &mut self.twin.forces
    }

    /// Lets the force on each particle be that of air on `triangles`.
    pub fn blow(&mut self, air: &mut Air, parameters: &AirParameters, triangles: &[[u32; 3]]) {
        let mass_spring::MassSpring { positions, velocities, forces } = &mut self.twin;
        air.forces(parameters, triangles, positions, |particle| velocities[particle].truncate(), forces);
    }

    /// Lets a hand pull at particles.
    pub fn pull(&mut self, push: &PullPush, particles: &[GripParticle]) {
        hand::pull_velocities(push, particles, &self.twin.positions, &mut self.twin.velocities);
    }

    /// Sets the inverse mass of a particle \[1/kg\], 0 to pin it where it is.
    pub fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.twin.positions[particle as usize].w = inverse_mass;
    }

    /// Moves attached particles to where they are at the end of a substep.
    pub fn attach(&mut self, particles: &[AttachedParticle], attachments: &[Attachment], push: &AttachPush) {
        let mass_spring::MassSpring { positions, velocities, .. } = &mut self.twin;
        attach::move_attached(particles, attachments, push, positions, velocities);
    }

    /// Advances the grid by one substep of `substep_dt`.
    ///
    /// # Panics
    ///
    /// Where the grid has not as many particles as there are positions.
    pub fn substep(&mut self, parameters: &MassSpringParameters, colliders: &Colliders<'_>, push: &CollidePush) {
        let (size, twin) = (parameters.grid_size, &self.twin);
        assert_eq!(twin.positions.len(), (size.x * size.y) as usize, "a particle for each node of the grid");
        let (springs, colliders) = (mass_spring::springs(parameters), colliders.moving(push));
        let of_one = |coordinate| twin.force(parameters, coordinate);
        let of_four = |index| {
            let (position, velocity) = (four_at(&twin.positions, index), four_at(&twin.velocities, index));
            let mut force = four_at(&twin.forces, index);
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
        let [next_positions, next_velocities] = &mut self.next;
        let rows = next_positions.par_chunks_mut(columns).zip(next_velocities.par_chunks_mut(columns)).enumerate();
        rows.with_min_len(rows_of_job(columns)).for_each(|(row, (positions, velocities))| {
            let take = |index: usize, force: Vec3| {
                let column = index % columns;
                (positions[column], velocities[column]) = twin.next(parameters, &colliders, index, force);
            };
            for_each_force(size, row, 1, of_one, of_four, take);
        });
        std::mem::swap(&mut self.twin.positions, next_positions);
        std::mem::swap(&mut self.twin.velocities, next_velocities);
    }
}
