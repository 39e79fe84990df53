//! A hand that holds a body by one of its particles, softly.

use glam::Vec3;

use super::{Body, Spring};
use crate::layout::{GripParticle, PullPush};

/// Most particles that a hand pulls at.
pub const MOST_GRIPPED: usize = 1024;

/// How far around what it holds a soft hand pulls, as a share of the body's size.
const SOFT_RADIUS: f32 = 0.05;
/// The way beyond which its pull grows no more, likewise.
const SOFT_REACH: f32 = 0.1;
/// How strongly it pulls there, as a multiple of what weighs the body down on earth.
const SOFT_STRENGTH: f32 = 2.0;
/// What weighs a body down on earth \[m/s²\].
const EARTH: f32 = 9.81;

/// A hand that pulls a particle towards where it is, and those around it along, each the less the farther it is away.
///
/// It pulls as a critically damped spring does, whose force grows no more beyond [`Grip::reach`]; so a particle of mass m
/// feels m f² reach at most, with the frequency f, and hands pull it no faster than f reach / 2 however far away they are.
/// In a substep of h the spring is integrated by backward Euler, which is stable for any f h. What is pinned stays.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
    particles: Vec<GripParticle>,
    radius: f32,
    /// Where the hand is \[m\].
    pub target: Vec3,
    /// Of the spring \[rad/s\].
    pub frequency: f32,
    /// The way beyond which the pull grows no more \[m\].
    pub reach: f32,
}

impl Grip {
    /// A hand at `target` \[m\] that holds `particle` of a body and, with falling shares, what lies around it: up to
    /// `radius` \[m\] along springs at rest. It is so soft that it moves the body as a whole, and lifts it just so.
    ///
    /// # Panics
    /// Where the body has no such particle.
    #[must_use]
    pub fn soft(body: &Body, particle: u32, target: Vec3) -> Self {
        let (size, whole) = match body {
            Body::Cloth(cloth) => (body.size(), cloth.inverse_masses.iter().copied().map(mass).sum()),
            Body::Ropes(ropes) => {
                let rope = ropes.ropes().iter().find(|rope| rope.particles.contains(&particle)).expect("a rope");
                (rope.length(), rope.particles.len() as f32)
            }
        };
        let mut grip = Self::new(body, particle, SOFT_RADIUS * size, target);
        let pulled: f32 = grip.particles.iter().map(|held| held.weight * mass(body.inverse_mass(held.index))).sum();
        grip.reach = SOFT_REACH * size;
        // F = (pulled mass) f² reach.
        grip.frequency = (SOFT_STRENGTH * whole * EARTH / (pulled * grip.reach)).sqrt();
        if !grip.frequency.is_finite() {
            // What has no mass or no size cannot be pulled.
            grip.frequency = 0.0;
        }
        grip
    }

    /// A hand at `target` \[m\] that holds `particle` of a body and what lies up to `radius` \[m\] around it along springs
    /// at rest, with a frequency and a reach of 0 to be set.
    ///
    /// # Panics
    /// Where the body has no such particle.
    #[must_use]
    pub fn new(body: &Body, particle: u32, radius: f32, target: Vec3) -> Self {
        let radius = radius.max(f32::MIN_POSITIVE);
        let distances = distances(body.springs(), body.positions().len(), particle, radius);
        let mut particles: Vec<(f32, u32)> = distances
            .iter()
            .zip(0..)
            .filter(|(distance, _)| **distance < radius)
            .map(|(&d, index)| (d, index))
            .collect();
        particles.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        particles.truncate(MOST_GRIPPED);
        let gripped = |(distance, index)| GripParticle { index, weight: weight(distance / radius) };
        let particles = particles.into_iter().map(gripped).collect();
        Self { particles, radius, target, frequency: 0.0, reach: 0.0 }
    }

    /// The particle that it holds.
    #[must_use]
    pub fn particle(&self) -> u32 {
        self.particles[0].index
    }

    /// The particles that it pulls at, the one that it holds first, and those nearest to that.
    #[must_use]
    pub fn particles(&self) -> &[GripParticle] {
        &self.particles
    }

    /// How far around what it holds it pulls \[m\].
    #[must_use]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The push constants of a substep of `substep_dt` \[s\].
    #[must_use]
    pub fn push(&self, substep_dt: f32) -> PullPush {
        let Self { target, frequency, reach, ref particles, .. } = *self;
        PullPush { target: target.extend(frequency), reach, substep_dt, count: particles.len() as u32, padding: 0 }
    }
}

/// The share of a pull at a share of the hand's radius: 1 in the middle, and smoothly 0 at the edge.
fn weight(share: f32) -> f32 {
    (1.0 - share * share).max(0.0).powi(2)
}

/// How far each particle is from one of them along springs at rest \[m\], where that is less than `radius`; infinite
/// elsewhere. Shape \[particle_count\].
fn distances(springs: &[Spring], particle_count: usize, particle: u32, radius: f32) -> Vec<f32> {
    let mut distances = vec![f32::INFINITY; particle_count];
    distances[particle as usize] = 0.0;
    let mut count = 1;
    loop {
        let mut changed = false;
        for Spring { particles: [a, b], rest_length, .. } in springs {
            for [from, to] in [[a, b], [b, a]].map(|pair| pair.map(|index| *index as usize)) {
                let distance = distances[from] + rest_length;
                if distance < radius && distance < distances[to] {
                    count += usize::from(distances[to].is_infinite());
                    distances[to] = distance;
                    changed = true;
                }
            }
        }
        // Where there are more than enough, all that is missing is farther away than most of them.
        if !changed || count > 2 * MOST_GRIPPED {
            return distances;
        }
    }
}

fn mass(inverse_mass: f32) -> f32 {
    if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cloth, Grid, GridPlane, RopeStart, Ropes};

    fn sheet() -> Body {
        let grid = Grid { columns: 9, rows: 5, spacing: 0.5 };
        Body::Cloth(Cloth::from_grid(grid, GridPlane::Vertical, 0.25, false))
    }

    #[test]
    fn a_hand_holds_what_is_near_along_the_springs() {
        // Row 2, column 4; neighbours at 0.5 m in the row and the column, and at 0.71 m across.
        let grip = Grip::new(&sheet(), 22, 0.75, Vec3::ZERO);
        assert_eq!(
            grip.particles().iter().map(|held| held.index).collect::<Vec<_>>(),
            [22, 13, 21, 23, 31, 12, 14, 30, 32]
        );
        // (1 - (2/3)²)² and (1 - 8/9)².
        let weights = [1.0, 25.0 / 81.0, 25.0 / 81.0, 25.0 / 81.0, 25.0 / 81.0, 1.0 / 81.0];
        for (held, weight) in grip.particles().iter().zip(weights) {
            assert!((held.weight - weight).abs() < 1e-6, "{held:?}");
        }
        let alone = Grip::new(&sheet(), 22, 0.0, Vec3::ZERO);
        assert_eq!(alone.particles(), [GripParticle { index: 22, weight: 1.0 }]);
    }

    #[test]
    fn a_soft_hand_pulls_with_twice_the_weight_at_most() {
        let grip = Grip::soft(&sheet(), 22, Vec3::ZERO);
        let pulled: f32 = grip.particles().iter().map(|held| held.weight * 0.25).sum();
        let force = pulled * grip.frequency.powi(2) * grip.reach;
        assert!((force / (2.0 * 45.0 * 0.25 * 9.81) - 1.0).abs() < 1e-5, "{force} N");
        assert!((grip.reach - 0.4).abs() < 1e-6);
    }

    #[test]
    fn of_ropes_it_holds_one() {
        let straight =
            |z: f32| RopeStart { positions: (0..11).map(|x| Vec3::new(x as f32, 0.0, z)).collect(), length: 10.0 };
        let ropes = Body::Ropes(Ropes::new(&[straight(0.0), straight(1.0)], vec![]).expect("ropes"));
        let grip = Grip::soft(&ropes, 11, Vec3::ZERO);
        assert_eq!(grip.particles(), [GripParticle { index: 11, weight: 1.0 }]);
        assert!((grip.frequency.powi(2) * grip.reach / (2.0 * 11.0 * 9.81) - 1.0).abs() < 1e-5);
    }
}
