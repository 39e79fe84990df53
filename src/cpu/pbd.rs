//! The `xpbd`, `pbd` and `xpbd-document` solvers; [`reference::pbd`](crate::reference::pbd) says what they compute.

use std::ops::Range;

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::JOB;
use super::bend::Bending;
use super::limits::Limits;
use super::projection::{self, Four, Projection, Properties};
use super::quad::Quad;
use super::schedule::Schedule;
use super::{Air, Colliders, wind};
use crate::layout::{
    AirParameters, AttachPush, AttachedParticle, Attachment, CollidePush, Constraint, GripParticle, Hinge,
    LongLinkPush, LongRange, LongRangePush, PbdParameters, PullPush, StrainLimitPush,
};
use crate::model::{Blade, ends_at_particles};
use crate::reference::{attach, collide, cut, hand};

/// State of a set of particles held together by distance constraints and hinges.
#[derive(Clone)]
pub struct Pbd {
    /// xyz: position \[m\]; w: inverse mass \[1/kg\], 0 where pinned. Shape \[particle_count\].
    pub positions: Vec<Vec4>,
    previous_positions: Vec<Vec4>,
    /// xyz: velocity \[m/s\]; w: 0. Shape \[particle_count\].
    pub velocities: Vec<Vec4>,
    /// xyz: external force on each particle \[N\]. Shape \[particle_count\].
    pub forces: Vec<Vec4>,
    /// Constraints and their multipliers, in the order of the schedule.
    constraints: Vec<Constraint>,
    lambdas: Vec<f32>,
    /// Index that each of `constraints` had when they were given.
    order: Vec<u32>,
    schedule: Schedule,
    bending: Bending,
    limits: Limits,
    // The Jacobi variant's, empty until it is first used.
    /// As [`ends_at_particles`] gives them.
    first_ends: Vec<u32>,
    ends: Vec<u32>,
    /// Number of constraints at each particle.
    parts: Vec<f32>,
    /// Correction of each constraint in xyz, as in the twin.
    corrections: Vec<Vec4>,
}

impl Pbd {
    /// Particles at rest at `positions`, xyz \[m\] and inverse mass \[1/kg\]; `batches` are the ranges of `constraints`
    /// that share no particle.
    ///
    /// # Panics
    ///
    /// Where a constraint names a particle that is not there, or the batches, one after the other, are not all constraints.
    #[must_use]
    pub fn new(positions: &[Vec4], constraints: &[Constraint], batches: &[Range<u32>]) -> Self {
        let names_particles = |constraint: &Constraint| {
            [constraint.index_a, constraint.index_b].iter().all(|&index| (index as usize) < positions.len())
        };
        assert!(constraints.iter().all(names_particles), "a constraint names a particle that is not there");
        let in_batches = batches.iter().try_fold(0, |end, batch| (end == batch.start).then_some(batch.end));
        assert!(
            in_batches == Some(constraints.len() as u32),
            "the batches are not all constraints, one after the other"
        );
        let (schedule, order) = Schedule::new(positions.len(), constraints, batches);
        Self {
            positions: positions.to_vec(),
            previous_positions: positions.to_vec(),
            velocities: vec![Vec4::ZERO; positions.len()],
            forces: vec![Vec4::ZERO; positions.len()],
            constraints: order.iter().map(|&index| constraints[index as usize]).collect(),
            lambdas: vec![0.0; constraints.len()],
            order,
            schedule,
            bending: Bending::default(),
            limits: Limits::default(),
            first_ends: Vec::new(),
            ends: Vec::new(),
            parts: Vec::new(),
            corrections: Vec::new(),
        }
    }

    /// The same with hinges; `batches` are the ranges of `hinges` that share no particle.
    ///
    /// # Panics
    ///
    /// Where a hinge names a particle that is not there.
    #[must_use]
    pub fn with_hinges(self, hinges: &[Hinge], batches: &[Range<u32>]) -> Self {
        let names_particles =
            |hinge: &Hinge| hinge.particles.iter().all(|&index| (index as usize) < self.positions.len());
        assert!(hinges.iter().all(names_particles), "a hinge names a particle that is not there");
        Self { bending: Bending::new(hinges, batches), ..self }
    }

    /// Replaces the long range attachment of each particle, shape \[particle_count\], and the long links of each, level after
    /// level, as [`HeldWays`](crate::model::HeldWays) gives them.
    pub fn set_long_ranges(&mut self, ranges: Vec<LongRange>, long_links: Vec<LongRange>) {
        (self.limits.ranges, self.limits.long_links) = (ranges, long_links);
    }

    /// Says which constraints the strain limit keeps, at each particle, as
    /// [`links_at_particles`](crate::model::links_at_particles) gives them.
    pub fn set_links(&mut self, first_links: Vec<u32>, links: &[u32]) {
        let places = self.places();
        self.limits.first_links = first_links;
        self.limits.links = links.iter().map(|link| places[*link as usize]).collect();
    }

    /// Brings each particle back to where its long range attachment reaches.
    pub fn limit_long_range(&mut self, parameters: &PbdParameters, push: &LongRangePush) {
        self.limits.long_range(parameters, push, &self.previous_positions, &mut self.positions);
    }

    /// Brings each particle back below the one that its long link names, after [`Pbd::limit_long_range`].
    pub fn limit_long_link(&mut self, parameters: &PbdParameters, push: &LongLinkPush) {
        self.limits.long_link(parameters, push, &mut self.positions);
    }

    /// One iteration of the strain limit, after [`Pbd::limit_long_range`]; gives whether a link was longer than it can be without
    /// another round.
    pub fn limit_strain(&mut self, parameters: &PbdParameters, push: &StrainLimitPush) -> bool {
        self.limits.strain(parameters, push, &self.constraints, &mut self.positions)
    }

    /// v = (x - x_previous) / h, no faster than before the strain limit.
    pub fn limit_velocity(&mut self, parameters: &PbdParameters) {
        self.limits.velocity(parameters, &self.previous_positions, &self.positions, &mut self.velocities);
    }

    /// Multiplier of each hinge, as in the twin. Shape \[hinge_count\].
    #[must_use]
    pub fn hinge_lambdas(&self) -> &[f32] {
        &self.bending.lambdas
    }

    /// The hinges as they are now, as in the twin. Shape \[hinge_count\].
    #[must_use]
    pub fn hinges(&self) -> &[Hinge] {
        &self.bending.hinges
    }

    /// In how many batches the hinges are.
    #[must_use]
    pub fn hinge_batch_count(&self) -> usize {
        self.bending.batch_count()
    }

    /// Cuts the hinges that a blade goes through.
    pub fn cut_hinges(&mut self, blade: &Blade) {
        cut::hinges(&blade.push(self.bending.hinges.len() as u32), &self.positions, &mut self.bending.hinges);
    }

    /// Lets `sever` cut hinges: the edge of one that is cut goes from its first particle to itself.
    pub fn sever_hinges(&mut self, sever: impl FnOnce(&mut [Hinge])) {
        sever(&mut self.bending.hinges);
    }

    /// Projects batch number `batch` of the hinges; lambda starts from 0 in iteration 0.
    pub fn bend(&mut self, parameters: &PbdParameters, batch: usize, iteration: u32) {
        self.bending.bend(&mut self.positions, parameters.substep_dt, batch, iteration);
    }

    /// Multiplier of each constraint, as in the twin. Shape \[constraint_count\].
    #[must_use]
    pub fn lambdas(&self) -> Vec<f32> {
        let mut lambdas = vec![0.0; self.lambdas.len()];
        self.order.iter().zip(&self.lambdas).for_each(|(&index, &lambda)| lambdas[index as usize] = lambda);
        lambdas
    }

    /// The constraints as they are now, as in the twin. Shape \[constraint_count\].
    #[must_use]
    pub fn constraints(&self) -> Vec<Constraint> {
        let mut constraints = self.constraints.clone();
        self.order.iter().zip(&self.constraints).for_each(|(&index, &now)| constraints[index as usize] = now);
        constraints
    }

    /// How many constraints there are, those that are cut included.
    #[must_use]
    pub fn constraint_count(&self) -> usize {
        self.constraints.len()
    }

    /// Cuts the constraints that a blade goes through.
    pub fn cut(&mut self, blade: &Blade) {
        self.prepare_jacobi();
        cut::constraints(&blade.push(self.constraints.len() as u32), &self.positions, &mut self.constraints);
        self.schedule.heed_cuts(&self.constraints);
    }

    /// Lets `sever` cut constraints, which have an order of their own: what is cut joins its first particle to itself.
    pub fn sever(&mut self, sever: impl FnOnce(&mut [Constraint])) {
        self.prepare_jacobi();
        sever(&mut self.constraints);
        self.schedule.heed_cuts(&self.constraints);
    }

    /// Lets the force on each particle be that of air on `triangles`.
    pub fn blow(&mut self, air: &mut Air, parameters: &AirParameters, triangles: &[[u32; 3]]) {
        let Self { positions, velocities, forces, .. } = self;
        air.forces(parameters, triangles, positions, |particle| velocities[particle].truncate(), forces);
    }

    /// Lets a hand pull at particles.
    pub fn pull(&mut self, push: &PullPush, particles: &[GripParticle]) {
        hand::pull_velocities(push, particles, &self.positions, &mut self.velocities);
    }

    /// Moves attached particles to where they are at the end of a substep; after [`Pbd::predict`], which keeps where they
    /// were, so that what is let go keeps the velocity of its way.
    pub fn attach(&mut self, particles: &[AttachedParticle], attachments: &[Attachment], push: &AttachPush) {
        attach::move_attached(particles, attachments, push, &mut self.positions, &mut self.velocities);
    }

    /// Moves each free particle as gravity, wind and external forces alone would.
    ///
    /// `flutter_phase` is the phase of the wind's flutter \[rad\].
    pub fn predict(&mut self, parameters: &PbdParameters, flutter_phase: f32) {
        let substep_dt = parameters.substep_dt;
        let velocity_kept = (1.0 - parameters.damping * substep_dt).max(0.0);
        let PbdParameters { gravity, wind, flutter_wave_number, flutter_lift, .. } = *parameters;
        let wind = wind::acceleration(wind, flutter_wave_number, flutter_lift, flutter_phase);
        let particles = self.positions.par_iter_mut().zip(&mut self.previous_positions).zip(&mut self.velocities);
        let particles = particles.zip(&self.forces).with_min_len(JOB);
        particles.for_each(|(((position, previous_position), velocity), force)| {
            *previous_position = *position;
            if position.w == 0.0 {
                *velocity = Vec4::ZERO;
                return;
            }
            let acceleration = gravity.truncate() + wind(position.truncate()) + position.w * force.truncate();
            *velocity = (velocity.truncate() * velocity_kept + substep_dt * acceleration).extend(0.0);
            *position += substep_dt * *velocity;
        });
    }

    /// Projects all constraints, as if batch by batch; lambda starts from 0 in iteration 0.
    pub fn solve(&mut self, parameters: &PbdParameters, iteration: u32) {
        let Self { positions, constraints, lambdas, schedule, .. } = self;
        schedule.for_each(positions, constraints, lambdas, |job| projection::solve(job, parameters, iteration));
    }

    /// Moves each free particle out of the colliders.
    pub fn collide(&mut self, colliders: &Colliders<'_>, push: &CollidePush) {
        let colliders = colliders.moving(push);
        let particles = self.positions.par_iter_mut().zip(&self.previous_positions);
        particles.with_min_len(JOB).for_each(|(position, previous_position)| {
            if position.w > 0.0 {
                let collided = collide::collide(&colliders, previous_position.truncate(), position.truncate());
                *position = collided.extend(position.w);
            }
        });
    }

    /// Projects every constraint on its own, on particles split into an equal part for each of their constraints.
    pub fn jacobi_solve(&mut self, parameters: &PbdParameters, iteration: u32) {
        self.prepare_jacobi();
        let (particles, parts) = (&self.positions, &self.parts);
        let constraints = self.constraints.par_chunks(4).zip(self.lambdas.par_chunks_mut(4));
        let constraints = constraints.zip(self.corrections.par_chunks_mut(4)).with_min_len(JOB / 4);
        constraints.for_each(|((constraints, lambdas), corrections)| {
            let four = Four::of(constraints, 0, particles);
            let parts = |end: fn(&Constraint) -> u32| {
                projection::each(constraints, |constraint| parts[end(constraint) as usize])
            };
            let parts_a = Vec4::from_array(parts(|constraint| constraint.index_a));
            let parts_b = Vec4::from_array(parts(|constraint| constraint.index_b));
            let inverse_mass = parts_a * four.inverse_mass_a + parts_b * four.inverse_mass_b;
            let (properties, lambda) =
                (Properties::of(constraints, parameters), projection::started(lambdas, iteration));
            let Projection { correction, lambda, acts } = four.project(&properties, lambda, inverse_mass);
            let correction = correction.or_where_zero(acts, Quad::default()).particles(Vec4::ZERO);
            corrections.copy_from_slice(&correction[..corrections.len()]);
            lambdas.copy_from_slice(&lambda.to_array()[..lambdas.len()]);
        });
    }

    /// Puts each particle to the mean of its parts.
    pub fn jacobi_apply(&mut self) {
        self.prepare_jacobi();
        let Self { positions, parts, first_ends, ends, corrections, .. } = self;
        let particles = positions.par_iter_mut().zip(&*parts).zip(first_ends.par_windows(2));
        particles.with_min_len(JOB).for_each(|((position, &parts), ends_of)| {
            let gather = |displacement, &end: &u32| {
                let correction = corrections[end as usize / 2].truncate();
                displacement + parts * position.w * if end % 2 == 0 { correction } else { -correction }
            };
            let displacement = ends[ends_of[0] as usize..ends_of[1] as usize].iter().fold(Vec3::ZERO, gather);
            if parts > 0.0 {
                *position += (displacement / parts).extend(0.0);
            }
        });
    }

    /// Where each constraint, in the order in which they were given, is in `constraints`.
    fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.order.len()];
        self.order.iter().zip(0..).for_each(|(&index, place)| places[index as usize] = place);
        places
    }

    /// Makes what the Jacobi variant needs, where it is not made yet, from constraints of which none is cut.
    fn prepare_jacobi(&mut self) {
        if self.first_ends.is_empty() {
            let places = self.places();
            // A particle's corrections are added up in the order in which the constraints were given.
            let ends;
            (self.first_ends, ends) = ends_at_particles(self.positions.len(), &self.constraints());
            self.ends = ends.iter().map(|end| 2 * places[*end as usize / 2] + end % 2).collect();
            self.parts = self.first_ends.windows(2).map(|ends| (ends[1] - ends[0]) as f32).collect();
            self.corrections = vec![Vec4::ZERO; self.constraints.len()];
        }
    }

    /// v = (x - x_previous) / h.
    pub fn update_velocity(&mut self, parameters: &PbdParameters) {
        let particles = self.positions.par_iter().zip(&self.previous_positions).zip(&mut self.velocities);
        particles.with_min_len(JOB).for_each(|((position, previous_position), velocity)| {
            *velocity = (*position - *previous_position) / parameters.substep_dt;
        });
    }
}
