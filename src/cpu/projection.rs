//! The projection of distance constraints, four at a time; [`reference::pbd`](crate::reference::pbd) says what it computes.

use std::mem::take;

use glam::Vec4;

use super::quad::Quad;
use super::runs::Lanes;
use super::schedule::Job;
use crate::layout::{Constraint, PbdParameters};

/// Projects the constraints of a job, run by run; lambda starts from 0 in iteration 0.
pub(super) fn solve(job: Job<'_>, parameters: &PbdParameters, iteration: u32) {
    let Job { first, particles, runs, mut constraints, mut lambdas } = job;
    for run in runs {
        let (own, own_lambdas);
        (own, constraints) = constraints.split_at(run.count);
        (own_lambdas, lambdas) = take(&mut lambdas).split_at_mut(run.count);
        match run.lanes {
            Lanes::Loose => loose(first, particles, parameters, iteration, own, own_lambdas),
            Lanes::Consecutive => consecutive(first, particles, parameters, iteration, own, own_lambdas),
            Lanes::Alternating => alternating(first, particles, parameters, iteration, own, own_lambdas),
        }
    }
}

fn loose(
    first: usize,
    particles: &mut [Vec4],
    parameters: &PbdParameters,
    iteration: u32,
    constraints: &[Constraint],
    lambdas: &mut [f32],
) {
    let (fours, rest) = constraints.as_chunks::<4>();
    let (four_lambdas, rest_lambdas) = lambdas.as_chunks_mut::<4>();
    for (constraints, lambdas) in fours.iter().zip(four_lambdas) {
        gather(first, particles, parameters, iteration, constraints, lambdas);
    }
    gather(first, particles, parameters, iteration, rest, rest_lambdas);
}

/// Projects up to four constraints, whose particles lie anyhow.
#[inline(always)]
fn gather(
    first: usize,
    particles: &mut [Vec4],
    parameters: &PbdParameters,
    iteration: u32,
    constraints: &[Constraint],
    lambdas: &mut [f32],
) {
    let four = Four::of(constraints, first, particles);
    let (a, b) = four.solve(&Properties::of(constraints, parameters), iteration, lambdas);
    for (lane, constraint) in constraints.iter().enumerate() {
        particles[constraint.index_a as usize - first] = a[lane];
        particles[constraint.index_b as usize - first] = b[lane];
    }
}

/// Projects constraints of a [`Lanes::Consecutive`] run.
fn consecutive(
    first: usize,
    particles: &mut [Vec4],
    parameters: &PbdParameters,
    iteration: u32,
    constraints: &[Constraint],
    lambdas: &mut [f32],
) {
    let ends = constraints[0].particles().map(|end| end as usize - first).map(|end| end..end + constraints.len());
    let [a, b] = particles.get_disjoint_mut(ends).expect("constraints of a batch share no particle");
    let properties = Properties::of(&[constraints[0]; 4], parameters);
    let fours = a.as_chunks_mut().0.iter_mut().zip(b.as_chunks_mut().0).zip(lambdas.as_chunks_mut::<4>().0);
    for ((a, b), lambdas) in fours {
        (*a, *b) = Four::between(*a, *b).solve(&properties, iteration, lambdas);
    }
}

/// Projects constraints of a [`Lanes::Alternating`] run.
fn alternating(
    first: usize,
    particles: &mut [Vec4],
    parameters: &PbdParameters,
    iteration: u32,
    constraints: &[Constraint],
    lambdas: &mut [f32],
) {
    let start = constraints[0].index_a as usize - first;
    let (eights, _) = particles[start..start + 2 * constraints.len()].as_chunks_mut::<8>();
    let properties = Properties::of(&[constraints[0]; 4], parameters);
    for (particles, lambdas) in eights.iter_mut().zip(lambdas.as_chunks_mut::<4>().0) {
        let [a0, b0, a1, b1, a2, b2, a3, b3] = *particles;
        let four = Four::between([a0, a1, a2, a3], [b0, b1, b2, b3]);
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = four.solve(&properties, iteration, lambdas);
        *particles = [a0, b0, a1, b1, a2, b2, a3, b3];
    }
}

/// Particles of up to four constraints, lane by lane. Lanes without a constraint are all zero and do nothing.
pub(super) struct Four {
    a: Quad,
    b: Quad,
    pub(super) inverse_mass_a: Vec4,
    pub(super) inverse_mass_b: Vec4,
}

/// What up to four constraints are like, lane by lane.
pub(super) struct Properties {
    /// Distance at which the constraint is satisfied, elongation included.
    length: Vec4,
    time_scaled_compliance: Vec4,
}

/// What constraints do to their particles.
pub(super) struct Projection {
    /// What the first particle is moved by, over its inverse mass; the second particle goes the opposite way.
    pub(super) correction: Quad,
    pub(super) lambda: Vec4,
    /// 0 where the constraint has no direction or nothing to move; there `correction` means nothing.
    pub(super) acts: Vec4,
}

impl Properties {
    #[inline(always)]
    pub(super) fn of(constraints: &[Constraint], parameters: &PbdParameters) -> Self {
        let rest_length: Vec4 = each(constraints, |constraint| constraint.rest_length).into();
        let compliance: Vec4 = each(constraints, |constraint| constraint.compliance).into();
        let time_scaled_compliance = compliance / (parameters.substep_dt * parameters.substep_dt);
        Self { length: parameters.elongation * rest_length, time_scaled_compliance }
    }
}

impl Four {
    /// Of constraints among `particles`, which start with number `first`.
    #[inline(always)]
    pub(super) fn of(constraints: &[Constraint], first: usize, particles: &[Vec4]) -> Self {
        Self::between(
            each(constraints, |constraint| particles[constraint.index_a as usize - first]),
            each(constraints, |constraint| particles[constraint.index_b as usize - first]),
        )
    }

    #[inline(always)]
    fn between(a: [Vec4; 4], b: [Vec4; 4]) -> Self {
        let ((a, inverse_mass_a), (b, inverse_mass_b)) = (Quad::of(a), Quad::of(b));
        Self { a, b, inverse_mass_a, inverse_mass_b }
    }

    #[inline(always)]
    pub(super) fn project(&self, properties: &Properties, lambda: Vec4, inverse_mass: Vec4) -> Projection {
        let Properties { length, time_scaled_compliance } = *properties;
        let delta = self.a - self.b;
        let distance = delta.length();
        let error = distance - length;
        let delta_lambda = (-error - time_scaled_compliance * lambda) / (inverse_mass + time_scaled_compliance);
        let acts = Vec4::select(distance.cmpeq(Vec4::ZERO), Vec4::ZERO, inverse_mass);
        let lambda = Vec4::select(acts.cmpeq(Vec4::ZERO), lambda, lambda + delta_lambda);
        Projection { correction: delta / distance * delta_lambda, lambda, acts }
    }

    /// Where the constraints move the particles.
    #[inline(always)]
    fn solve(&self, properties: &Properties, iteration: u32, lambdas: &mut [f32]) -> ([Vec4; 4], [Vec4; 4]) {
        let inverse_mass = self.inverse_mass_a + self.inverse_mass_b;
        let Projection { correction, lambda, acts } =
            self.project(properties, started(lambdas, iteration), inverse_mass);
        let mut a = self.a + correction * self.inverse_mass_a;
        let mut b = self.b - correction * self.inverse_mass_b;
        if acts.cmpeq(Vec4::ZERO).any() {
            (a, b) = (a.or_where_zero(acts, self.a), b.or_where_zero(acts, self.b));
        }
        lambdas.copy_from_slice(&lambda.to_array()[..lambdas.len()]);
        (a.particles(self.inverse_mass_a), b.particles(self.inverse_mass_b))
    }
}

/// What `of` says of each of up to four constraints.
#[inline(always)]
pub(super) fn each<T: Default>(constraints: &[Constraint], of: impl Fn(&Constraint) -> T) -> [T; 4] {
    std::array::from_fn(|lane| constraints.get(lane).map(&of).unwrap_or_default())
}

/// Lambda at the start of an iteration: 0 in iteration 0.
#[inline(always)]
pub(super) fn started(lambdas: &[f32], iteration: u32) -> Vec4 {
    let lambda = |lane| if iteration == 0 { 0.0 } else { lambdas.get(lane).copied().unwrap_or_default() };
    std::array::from_fn(lambda).into()
}
