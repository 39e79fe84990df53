//! The `verlet` solver; [`reference::verlet`](crate::reference::verlet) says what it computes.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::JOB;
use super::grid::{for_each_force, four_at, rows_of_job, shifted};
use super::quad::Quad;
use super::{Air, Colliders, wind};
use crate::layout::{
    AirParameters, AttachPush, AttachedParticle, Attachment, CollidePush, GripParticle, PullPush, VerletParameters,
};
use crate::reference::{attach, collide, hand, verlet};

/// State of a mass-spring grid: its positions now and one step ago.
pub struct Verlet {
    twin: verlet::Verlet,
    /// Where the next positions go, before the three lists take turns.
    next: Vec<Vec4>,
}

impl Verlet {
    /// A grid, row by row: the positions one step ago and now, each xyz \[m\] and 1 where pinned, 0 where free.
    ///
    /// # Panics
    ///
    /// Where there are not as many of both.
    #[must_use]
    pub fn new(previous: &[Vec4], current: &[Vec4]) -> Self {
        assert_eq!(previous.len(), current.len(), "two positions of each particle");
        let twin = verlet::Verlet { previous: previous.to_vec(), ..verlet::Verlet::new(current) };
        Self { twin, next: current.to_vec() }
    }

    /// xyz: position now \[m\]; w: 1 where pinned, 0 where free. Shape \[particle_count\].
    #[must_use]
    pub fn current(&self) -> &[Vec4] {
        &self.twin.current
    }

    /// As [`Verlet::current`], one step ago.
    #[must_use]
    pub fn previous(&self) -> &[Vec4] {
        &self.twin.previous
    }

    /// External force on each particle, xyz \[N\], to be set. Shape \[particle_count\].
    pub fn forces_mut(&mut self) -> &mut [Vec4] {
        &mut self.twin.forces
    }

    /// Lets the force on each particle be that of air on `triangles`; how fast a particle goes is its way of the last step.
    pub fn blow(&mut self, air: &mut Air, parameters: &AirParameters, triangles: &[[u32; 3]]) {
        let verlet::Verlet { previous, current, forces } = &mut self.twin;
        let velocity = |particle: usize| (current[particle] - previous[particle]).truncate() / parameters.substep_dt;
        air.forces(parameters, triangles, current, velocity, forces);
    }

    /// Lets a hand pull at particles, whose velocities are their ways of the last step.
    pub fn pull(&mut self, push: &PullPush, particles: &[GripParticle]) {
        hand::pull_ways(push, particles, &self.twin.current, &mut self.twin.previous);
    }

    /// Pins a particle where it is, or lets it go.
    pub fn set_pinned(&mut self, particle: u32, pinned: bool) {
        self.twin.current[particle as usize].w = if pinned { 1.0 } else { 0.0 };
    }

    /// Moves attached particles to where they are at the end of a step.
    pub fn attach(&mut self, particles: &[AttachedParticle], attachments: &[Attachment], push: &AttachPush) {
        for particle in &particles[..push.attached_count as usize] {
            if let Some((position, _)) = attach::moved(particle, attachments, push) {
                let pinned = if position.w == 0.0 { 1.0 } else { 0.0 };
                self.twin.current[particle.index as usize] = position.with_w(pinned);
            }
        }
    }

    /// Advances the grid by one step of `substep_dt`; `flutter_phase` is the phase of the wind's flutter \[rad\].
    ///
    /// # Panics
    ///
    /// Where the grid has not as many particles as there are positions.
    pub fn step(&mut self, parameters: &VerletParameters, flutter_phase: f32) {
        let (size, twin) = (parameters.grid_size, &self.twin);
        assert_eq!(twin.current.len(), (size.x * size.y) as usize, "a particle for each node of the grid");
        let springs = verlet::springs(parameters);
        let wind =
            wind::acceleration(parameters.wind, parameters.flutter_wave_number, parameters.flutter_lift, flutter_phase);
        let of_one = |coordinate| twin.force(parameters, flutter_phase, coordinate);
        let of_four = |index| {
            let position = four_at(&twin.current, index);
            let wind = |index: usize| wind(twin.current[index].truncate());
            let load = |lane| twin.load(parameters, wind(index + lane), index + lane).extend(0.0);
            let (mut force, _) = Quad::of(std::array::from_fn(load));
            for &(offset, rest_length, stiffness) in &springs {
                let delta = position - four_at(&twin.current, shifted(size, index, offset));
                let distance = delta.length();
                let pull = -stiffness * (distance - rest_length);
                force = force + (delta / distance * pull).or_where_zero(distance, Quad::default());
            }
            force.particles(Vec4::ZERO).map(Vec4::truncate)
        };
        let columns = (size.x as usize).max(1);
        let rows = self.next.par_chunks_mut(columns).enumerate().with_min_len(rows_of_job(columns));
        rows.for_each(|(row, next)| {
            let take = |index: usize, force: Vec3| next[index % columns] = twin.next_position(parameters, index, force);
            for_each_force(size, row, 2, of_one, of_four, take);
        });
        let Self { twin, next } = self;
        std::mem::swap(&mut twin.previous, &mut twin.current);
        std::mem::swap(&mut twin.current, next);
    }

    /// Moves each free particle out of the colliders; after [`Verlet::step`], whose way it cuts short.
    pub fn collide(&mut self, colliders: &Colliders<'_>, push: &CollidePush) {
        let colliders = colliders.moving(push);
        let particles = self.twin.current.par_iter_mut().zip(&self.twin.previous).with_min_len(JOB);
        particles.for_each(|(current, previous)| {
            if current.w < 0.5 {
                let collided = collide::collide(&colliders, previous.truncate(), current.truncate());
                *current = collided.extend(current.w);
            }
        });
    }
}
