//! What a body does at a moment, in no solver's own terms, for another solver to go on from.

use std::collections::HashSet;

use glam::{Vec3, Vec4};

use crate::layout::{Constraint, Hinge};
use crate::model::{Blade, Fingerprint, Jump, Pins};

/// What a body does at a moment: every solver of the same body, on the GPU or on the CPU, can go on from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Simulated time \[s\].
    pub time: f64,
    /// What tells which body it is of.
    pub body: Fingerprint,
    /// Where each particle is \[m\]. Shape \[particle_count\].
    pub positions: Vec<Vec3>,
    /// Its way during the last substep, over the substep's duration \[m/s\]. Shape \[particle_count\].
    pub velocities: Vec<Vec3>,
    /// Where each particle was a substep ago \[m\], for a solver that keeps that instead of velocities; it holds where
    /// it goes with the velocities to the last bit. Shape \[particle_count\], or empty.
    pub previous: Vec<Vec3>,
    /// The level of detail of each rope. Shape \[rope_count\], or empty.
    pub levels: Vec<u32>,
    /// What has been cut.
    pub severed: Severed,
    /// What hands have pinned and let go.
    pub pins: Pins,
    /// How far hands have dragged each collider off its path \[m\]. Shape \[collider_count\].
    pub dragged: Vec<Vec3>,
    /// What cuts before the next step.
    pub blades: Vec<Blade>,
    /// Where the paths of what holds the body have been carried with it, where it has been put elsewhere.
    pub frame: Option<Jump>,
}

/// What of a cloth has been cut. A hinge is where a spring along one of its triangles' sides is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Severed {
    /// The springs, each by its two particles.
    pub springs: Vec<[u32; 2]>,
    /// The indices of the triangles.
    pub triangles: Vec<u32>,
}

impl State {
    /// Whether anything has been cut, or will be before the next step.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        !(self.severed.is_empty() && self.blades.is_empty())
    }

    /// The positions with the w of `particles`.
    ///
    /// # Panics
    /// Where there are not as many of both.
    pub(super) fn positions_as(&self, particles: &[Vec4]) -> Vec<Vec4> {
        assert_eq!(self.positions.len(), particles.len(), "a state of as many particles");
        self.positions.iter().zip(particles).map(|(position, particle)| position.extend(particle.w)).collect()
    }

    /// The velocities, with a w of 0.
    pub(super) fn velocity_vectors(&self) -> Vec<Vec4> {
        self.velocities.iter().map(|velocity| velocity.extend(0.0)).collect()
    }

    /// The state of particles that are at `now` and were at `before` a substep of `substep_dt` \[s\] ago.
    pub(super) fn of_places(time: f64, now: &[Vec3], before: &[Vec3], substep_dt: f32) -> Self {
        let velocities = now.iter().zip(before).map(|(now, before)| (now - before) / substep_dt).collect();
        Self { time, positions: now.to_vec(), velocities, previous: before.to_vec(), ..Self::default() }
    }

    /// Where `particles` were a substep of `substep_dt` \[s\] ago, and where they are.
    pub(super) fn places(&self, particles: &[Vec4], substep_dt: f32) -> [Vec<Vec4>; 2] {
        let before = |(index, now): (usize, &Vec4)| {
            let velocity = self.velocities[index];
            let known = self.previous.get(index).filter(|&&place| (now.truncate() - place) / substep_dt == velocity);
            known.map_or(*now - substep_dt * velocity.extend(0.0), |place| place.extend(now.w))
        };
        [particles.iter().enumerate().map(before).collect(), particles.to_vec()]
    }
}

impl Severed {
    /// Whether nothing has been cut.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.springs.is_empty() && self.triangles.is_empty()
    }

    /// What differs between the `springs` of a cloth, each by its particles, and its constraints and triangles as they
    /// are `now`: what is cut joins a particle to itself.
    pub(super) fn between(springs: impl Iterator<Item = [u32; 2]>, now: &[Constraint], triangles: &[[u32; 3]]) -> Self {
        let cut = springs.zip(now).filter(|(_, now)| now.index_a == now.index_b);
        let cut_triangles = triangles.iter().zip(0..).filter(|([a, b, c], _)| a == b && b == c);
        Self {
            springs: cut.map(|(spring, _)| spring).collect(),
            triangles: cut_triangles.map(|(_, index)| index).collect(),
        }
    }

    /// Cuts the same in constraints and triangles that are whole. What is not there is passed over.
    pub(super) fn sever(&self, constraints: &mut [Constraint], triangles: &mut [[u32; 3]]) {
        let springs: HashSet<[u32; 2]> = self.springs.iter().copied().collect();
        for constraint in constraints {
            if springs.contains(&[constraint.index_a, constraint.index_b]) {
                constraint.index_b = constraint.index_a;
            }
        }
        for &index in &self.triangles {
            if let Some(triangle) = triangles.get_mut(index as usize) {
                *triangle = [triangle[0]; 3];
            }
        }
    }

    /// Cuts the hinges, which are whole, beside the springs that are cut.
    pub(super) fn sever_hinges(&self, hinges: &mut [Hinge]) {
        let ordered = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let springs: HashSet<[u32; 2]> = self.springs.iter().copied().map(ordered).collect();
        for hinge in hinges {
            if hinge.edges().into_iter().any(|edge| springs.contains(&ordered(edge))) {
                hinge.particles[1] = hinge.particles[0];
            }
        }
    }
}

/// The xyz of vectors.
pub(super) fn truncated(vectors: &[Vec4]) -> Vec<Vec3> {
    vectors.iter().map(|vector| vector.truncate()).collect()
}
