//! Twin of the `watch` kernels: what of particles and springs is not finite, and the greatest of the others.

use glam::Vec3;

use super::collide::Moving;
use crate::layout::{Constraint, Look};

/// Looks at particles at `positions` \[m\] that go with `velocities` \[m/s\], shapes \[particle_count\], among `colliders`, and
/// at springs, of which those are `structural` that say so; shapes \[spring_count\]. One that is cut joins a particle to itself.
/// The rest lengths of constraints are `elongation` times as long.
///
/// # Panics
/// Where a spring names a particle that is not there, or a collider's kind is not one of 0 to 5.
#[must_use]
pub fn look(
    positions: &[Vec3],
    velocities: &[Vec3],
    colliders: &[Moving<'_>],
    springs: &[Constraint],
    structural: &[bool],
    elongation: f32,
) -> Look {
    let mut look = Look::default();
    for (index, (&position, &velocity)) in (0..).zip(positions.iter().zip(velocities)) {
        if !(position.is_finite() && velocity.is_finite()) {
            look.non_finite_count += 1;
            look.first_non_finite = look.first_non_finite.min(index);
            continue;
        }
        raise((&mut look.speed, &mut look.speed_particle), velocity.length(), index);
        let depths = colliders.iter().map(|collider| -collider.distance(position));
        let depth = depths.fold(0.0, f32::max);
        if depth > 0.0 {
            raise((&mut look.depth, &mut look.depth_particle), depth, index);
        }
    }
    for (index, (spring, &is_structural)) in (0..).zip(springs.iter().zip(structural)) {
        let [a, b] = spring.particles().map(|particle| positions[particle as usize]);
        if spring.index_a == spring.index_b || !(a - b).is_finite() {
            continue;
        }
        let (length, rest_length) = (a.distance(b), elongation * spring.rest_length);
        raise((&mut look.error, &mut look.error_spring), (length - rest_length).abs() / rest_length, index);
        if is_structural {
            let strain = (length / spring.rest_length - 1.0).max(0.0);
            raise((&mut look.strain, &mut look.strain_spring), strain, index);
        }
    }
    look
}

/// Takes a value in place of one that is less; indices come in ascending order.
fn raise((greatest, at): (&mut f32, &mut u32), value: f32, index: u32) {
    let value = value.min(f32::MAX);
    if value > *greatest || *at == Look::NONE {
        (*greatest, *at) = (value, index);
    }
}
