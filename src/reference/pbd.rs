//! Twin of the `xpbd`, `pbd` and `xpbd-document` solvers: distance constraints, and then hinges, projected batch by batch.
//!
//! Source: Macklin, Müller, Chentanez 2016, XPBD: Position-Based Simulation of Compliant Constrained Dynamics.
//! Compliance 0 gives Müller et al. 2007, Position Based Dynamics, and document 003.

use std::ops::Range;

use glam::{Vec3, Vec4};

use crate::layout::{CollidePush, Constraint, CutPush, Hinge, JacobiPush, PbdParameters, SolvePush};
use crate::reference::collide::{self, Colliders};
use crate::reference::{cut, hinge, wind};

/// State of a set of particles held together by distance constraints and hinges.
#[derive(Clone, Debug, PartialEq)]
pub struct Pbd {
    /// xyz: position \[m\]; w: inverse mass \[1/kg\], 0 where pinned. Shape \[particle_count\].
    pub positions: Vec<Vec4>,
    /// `positions` at the start of the substep. Shape \[particle_count\].
    pub previous_positions: Vec<Vec4>,
    /// xyz: velocity \[m/s\]; w: 0. Shape \[particle_count\].
    pub velocities: Vec<Vec4>,
    /// Multiplier of each constraint, lambda / substep_dt² being the force along it \[N·s²\]; negative where the
    /// constraint pulls. Shape \[constraint_count\].
    pub lambdas: Vec<f32>,
    /// xyz: external force on each particle \[N\], that of the air. Shape \[particle_count\].
    pub forces: Vec<Vec4>,
    /// Whether each iteration continues with the lambdas of the one before, which document 002 leaves out.
    pub lambda_accumulated: bool,
    /// Whether an iteration solves all constraints at once (Jacobi) rather than batch by batch (Gauss-Seidel).
    pub jacobi: bool,
    /// What [`Pbd::jacobi_solve`] moves the part of each constraint's first particle by, over the part's inverse mass; the
    /// second particle's goes the opposite way \[kg m\]. Shape \[constraint_count\].
    pub corrections: Vec<Vec3>,
    /// Multiplier of each hinge, over substep_dt² its moment \[N m s²\]. Shape \[hinge_count\].
    pub hinge_lambdas: Vec<f32>,
    constraints: Vec<Constraint>,
    batches: Vec<Range<u32>>,
    hinges: Vec<Hinge>,
    hinge_batches: Vec<Range<u32>>,
    /// Number of constraints at each particle, those that are cut later included.
    parts: Vec<f32>,
}

impl Pbd {
    /// Particles at rest at `positions`; `batches` are the ranges of `constraints` that share no particle.
    pub fn new(positions: &[Vec4], constraints: &[Constraint], batches: &[Range<u32>]) -> Self {
        let mut parts = vec![0.0; positions.len()];
        for index in constraints.iter().flat_map(|constraint| [constraint.index_a, constraint.index_b]) {
            parts[index as usize] += 1.0;
        }
        Self {
            positions: positions.to_vec(),
            previous_positions: positions.to_vec(),
            velocities: vec![Vec4::ZERO; positions.len()],
            lambdas: vec![0.0; constraints.len()],
            forces: vec![Vec4::ZERO; positions.len()],
            lambda_accumulated: true,
            jacobi: false,
            corrections: vec![Vec3::ZERO; constraints.len()],
            hinge_lambdas: Vec::new(),
            constraints: constraints.to_vec(),
            batches: batches.to_vec(),
            hinges: Vec::new(),
            hinge_batches: Vec::new(),
            parts,
        }
    }

    /// The same with hinges; `batches` are the ranges of `hinges` that share no particle.
    #[must_use]
    pub fn with_hinges(self, hinges: &[Hinge], batches: &[Range<u32>]) -> Self {
        let hinge_lambdas = vec![0.0; hinges.len()];
        Self { hinges: hinges.to_vec(), hinge_batches: batches.to_vec(), hinge_lambdas, ..self }
    }

    /// Cuts the constraints that a blade goes through.
    pub fn cut(&mut self, push: &CutPush) {
        cut::constraints(push, &self.positions, &mut self.constraints);
    }

    /// Cuts the hinges that a blade goes through.
    pub fn cut_hinges(&mut self, push: &CutPush) {
        cut::hinges(push, &self.positions, &mut self.hinges);
    }

    /// The hinges as they are now; the edge of one that is cut goes from a particle to itself. Shape \[hinge_count\].
    pub fn hinges(&self) -> &[Hinge] {
        &self.hinges
    }

    /// The constraints as they are now; one that is cut joins a particle to itself. Shape \[constraint_count\].
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Advances the particles by one substep of `substep_dt`, projecting every constraint `iterations` times.
    ///
    /// `flutter_phase` is the phase of the wind's flutter \[rad\].
    pub fn substep(&mut self, parameters: &PbdParameters, flutter_phase: f32, iterations: u32) {
        self.predict(parameters, flutter_phase);
        for iteration in 0..iterations {
            let iteration = if self.lambda_accumulated { iteration } else { 0 };
            if self.jacobi {
                let constraint_count = self.constraints.len() as u32;
                self.jacobi_solve(parameters, &JacobiPush { constraint_count, iteration });
                self.jacobi_apply();
            } else {
                for batch in 0..self.batches.len() {
                    let Range { start, end } = self.batches[batch];
                    self.solve(parameters, &SolvePush { first: start, count: end - start, iteration });
                }
            }
            for batch in 0..self.hinge_batches.len() {
                let Range { start, end } = self.hinge_batches[batch];
                self.bend(parameters, &SolvePush { first: start, count: end - start, iteration });
            }
        }
        self.update_velocity(parameters);
    }

    /// Moves each free particle as gravity, wind and external forces alone would. Source: XPBD 2016, algorithm 1, line 1.
    ///
    /// `flutter_phase` is the phase of the wind's flutter \[rad\].
    pub fn predict(&mut self, parameters: &PbdParameters, flutter_phase: f32) {
        let substep_dt = parameters.substep_dt;
        let velocity_kept = (1.0 - parameters.damping * substep_dt).max(0.0);
        let particles = self.positions.iter_mut().zip(&mut self.previous_positions).zip(&mut self.velocities);
        for (((position, previous_position), velocity), force) in particles.zip(&self.forces) {
            *previous_position = *position;
            if position.w == 0.0 {
                *velocity = Vec4::ZERO;
                continue;
            }
            let PbdParameters { gravity, wind, flutter_wave_number, flutter_lift, .. } = *parameters;
            let place = position.truncate();
            let wind = wind::acceleration(wind, flutter_wave_number, flutter_lift, flutter_phase, place);
            let acceleration = gravity.truncate() + wind + position.w * force.truncate();
            *velocity = (velocity.truncate() * velocity_kept + substep_dt * acceleration).extend(0.0);
            *position += substep_dt * *velocity;
        }
    }

    /// Projects one batch of constraints. Source: XPBD 2016, eq. 17 and 18, with C = |xa - xb| - elongation
    /// rest_length (document 002).
    pub fn solve(&mut self, parameters: &PbdParameters, push: &SolvePush) {
        for index in (push.first..push.first + push.count).map(|index| index as usize) {
            let Constraint { index_a, index_b, rest_length, compliance } = self.constraints[index];
            let (index_a, index_b) = (index_a as usize, index_b as usize);
            let (a, b) = (self.positions[index_a], self.positions[index_b]);
            let lambda = if push.iteration == 0 { 0.0 } else { self.lambdas[index] };
            self.lambdas[index] = lambda;

            let delta = a.truncate() - b.truncate();
            let distance = delta.length();
            let inverse_mass = a.w + b.w;
            if distance == 0.0 || inverse_mass == 0.0 {
                continue;
            }
            let time_scaled_compliance = compliance / (parameters.substep_dt * parameters.substep_dt);
            let error = distance - parameters.elongation * rest_length;
            let delta_lambda = (-error - time_scaled_compliance * lambda) / (inverse_mass + time_scaled_compliance);
            let correction = (delta / distance * delta_lambda).extend(0.0);
            self.positions[index_a] += a.w * correction;
            self.positions[index_b] -= b.w * correction;
            self.lambdas[index] = lambda + delta_lambda;
        }
    }

    /// Projects one batch of hinges.
    pub fn bend(&mut self, parameters: &PbdParameters, push: &SolvePush) {
        for index in (push.first..push.first + push.count).map(|index| index as usize) {
            let hinge = &self.hinges[index];
            let particles = hinge.particles.map(|particle| particle as usize);
            let lambda = if push.iteration == 0 { 0.0 } else { self.hinge_lambdas[index] };
            self.hinge_lambdas[index] = lambda;
            let positions = particles.map(|particle| self.positions[particle]);
            if let Some((ways, delta_lambda)) = hinge::project(hinge, positions, lambda, parameters.substep_dt) {
                for (particle, way) in particles.into_iter().zip(ways) {
                    self.positions[particle] += way.extend(0.0);
                }
                self.hinge_lambdas[index] = lambda + delta_lambda;
            }
        }
    }

    /// Moves each free particle out of the colliders; after the last projection and before [`Pbd::update_velocity`].
    pub fn collide(&mut self, colliders: &Colliders<'_>, push: &CollidePush) {
        let colliders = colliders.moving(push);
        for (position, previous_position) in self.positions.iter_mut().zip(&self.previous_positions) {
            if position.w > 0.0 {
                let collided = collide::collide(&colliders, previous_position.truncate(), position.truncate());
                *position = collided.extend(position.w);
            }
        }
    }

    /// Projects every constraint on its own, on particles split into an equal part for each of their constraints.
    ///
    /// Source: document 003, Jacobi; Tonge et al. 2012 for the parts; XPBD 2016, eq. 18.
    pub fn jacobi_solve(&mut self, parameters: &PbdParameters, push: &JacobiPush) {
        for index in 0..push.constraint_count as usize {
            let Constraint { index_a, index_b, rest_length, compliance } = self.constraints[index];
            let (index_a, index_b) = (index_a as usize, index_b as usize);
            let (a, b) = (self.positions[index_a], self.positions[index_b]);
            let lambda = if push.iteration == 0 { 0.0 } else { self.lambdas[index] };
            self.lambdas[index] = lambda;
            self.corrections[index] = Vec3::ZERO;

            let delta = a.truncate() - b.truncate();
            let distance = delta.length();
            let inverse_mass = self.parts[index_a] * a.w + self.parts[index_b] * b.w;
            if distance == 0.0 || inverse_mass == 0.0 {
                continue;
            }
            let time_scaled_compliance = compliance / (parameters.substep_dt * parameters.substep_dt);
            let error = distance - parameters.elongation * rest_length;
            let delta_lambda = (-error - time_scaled_compliance * lambda) / (inverse_mass + time_scaled_compliance);
            self.corrections[index] = delta / distance * delta_lambda;
            self.lambdas[index] = lambda + delta_lambda;
        }
    }

    /// Puts each particle to the mean of its parts. Source: document 003, "divides the accumulated displacement by the
    /// number of connected constraints".
    pub fn jacobi_apply(&mut self) {
        let mut displacements = vec![Vec3::ZERO; self.positions.len()];
        for (constraint, &correction) in self.constraints.iter().zip(&self.corrections) {
            for (index, correction) in [(constraint.index_a, correction), (constraint.index_b, -correction)] {
                let index = index as usize;
                displacements[index] += self.parts[index] * self.positions[index].w * correction;
            }
        }
        for ((position, displacement), parts) in self.positions.iter_mut().zip(displacements).zip(&self.parts) {
            if *parts > 0.0 {
                *position += (displacement / parts).extend(0.0);
            }
        }
    }

    /// v = (x - x_previous) / h. Source: XPBD 2016, algorithm 1, line 14.
    pub fn update_velocity(&mut self, parameters: &PbdParameters) {
        let particles = self.positions.iter().zip(&self.previous_positions).zip(&mut self.velocities);
        for ((position, previous_position), velocity) in particles {
            *velocity = (*position - *previous_position) / parameters.substep_dt;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predict_adds_gravity_wind_and_flutter() {
        let parameters = PbdParameters {
            gravity: Vec4::new(0.0, -10.0, 0.0, 0.0),
            wind: Vec4::new(3.0, 0.0, 4.0, 2.0),
            flutter_wave_number: 0.5,
            flutter_lift: 2.0,
            substep_dt: 0.5,
            damping: 0.5,
            ..Default::default()
        };
        let mut pbd = Pbd::new(&[Vec4::new(1.0, 2.0, 3.0, 1.0), Vec4::ZERO], &[], &[]);
        pbd.velocities.fill(Vec4::new(4.0, 0.0, 0.0, 0.0));
        // sin(0.5 (1 + 2) + phase) = 1: the flutter is 2 m/s² along (0.6, 2, 0.8).
        let flutter_phase = std::f32::consts::FRAC_PI_2 - 1.5;
        pbd.predict(&parameters, flutter_phase);
        let velocity = Vec4::new(3.0 + 0.5 * (3.0 + 1.2), 0.5 * (-10.0 + 4.0), 0.5 * (4.0 + 1.6), 0.0);
        assert!(pbd.velocities[0].distance(velocity) < 1e-5);
        assert!(pbd.positions[0].distance(Vec4::new(1.0, 2.0, 3.0, 1.0) + 0.5 * velocity) < 1e-5);
        assert_eq!(pbd.previous_positions[0], Vec4::new(1.0, 2.0, 3.0, 1.0));
        assert_eq!((pbd.positions[1], pbd.velocities[1]), (Vec4::ZERO, Vec4::ZERO));
    }

    #[test]
    fn damping_stops_a_particle_and_never_turns_it_round() {
        let parameters = PbdParameters { substep_dt: 0.5, damping: 5.0, ..Default::default() };
        let mut pbd = Pbd::new(&[Vec4::ONE], &[], &[]);
        pbd.velocities.fill(Vec4::new(4.0, 0.0, 0.0, 0.0));
        pbd.predict(&parameters, 0.0);
        assert_eq!((pbd.positions[0], pbd.velocities[0]), (Vec4::ONE, Vec4::ZERO));
    }

    #[test]
    fn a_constraint_without_direction_or_mass_does_nothing() {
        let positions = [Vec4::ONE, Vec4::ONE, Vec4::ZERO, Vec4::new(2.0, 0.0, 0.0, 0.0)];
        let constraint = |index_a, index_b| Constraint { index_a, index_b, rest_length: 1.0, compliance: 0.0 };
        let mut pbd = Pbd::new(&positions, &[constraint(0, 1), constraint(2, 3)], std::slice::from_ref(&(0..2)));
        pbd.lambdas.fill(7.0);
        pbd.substep(&PbdParameters { substep_dt: 0.01, ..Default::default() }, 0.0, 2);
        assert_eq!(pbd.positions, positions);
        assert_eq!(pbd.lambdas, [0.0, 0.0]);
    }
}
