//! Twin of the `hand` and `pick` kernels: a pull by a critically damped spring, and the particle that a ray means.

use glam::{Vec3, Vec4};

use crate::layout::{GripParticle, PickPush, Picked, PullPush};

/// What a hand changes of the velocity of the particle that it holds, in a substep \[m/s\].
///
/// The spring x'' = f² (target - x) - 2 f x' by backward Euler: v' = v + h (f² (target - x - h v') - 2 f v'), that is
/// v' (1 + f h)² = v + h f² (target - x), where the way to the target counts up to the reach only.
#[must_use]
pub fn pull(push: &PullPush, position: Vec3, velocity: Vec3) -> Vec3 {
    let (frequency, h) = (push.target.w, push.substep_dt);
    let way = (push.target.truncate() - position).clamp_length_max(push.reach);
    (velocity + h * frequency * frequency * way) / (1.0 + frequency * h).powi(2) - velocity
}

/// The share of a pull at a share of the hand's radius.
#[must_use]
pub fn weight(share: f32) -> f32 {
    if share < 1.0 { (1.0 - share.powi(2)).powi(2) } else { 0.0 }
}

/// Pulls at particles of `positions`, xyz \[m\] and inverse mass, of which the hand holds the first, by their `velocities`,
/// xyz \[m/s\]; shapes \[particle_count\]. What is pinned stays.
///
/// # Panics
/// Where a particle is named that is not there.
pub fn pull_velocities(push: &PullPush, particles: &[GripParticle], positions: &[Vec4], velocities: &mut [Vec4]) {
    let held = particles[0].index as usize;
    if positions[held].w == 0.0 {
        return;
    }
    let pull = pull(push, positions[held].truncate(), velocities[held].truncate());
    for &GripParticle { index, weight } in &particles[..push.count as usize] {
        if positions[index as usize].w > 0.0 {
            velocities[index as usize] += (weight * pull).extend(0.0);
        }
    }
}

/// The same for particles at `current`, xyz \[m\] and 1 where pinned, whose velocity is the way from `previous`.
///
/// # Panics
/// As [`pull_velocities`].
pub fn pull_ways(push: &PullPush, particles: &[GripParticle], current: &[Vec4], previous: &mut [Vec4]) {
    let held = particles[0].index as usize;
    if current[held].w == 1.0 {
        return;
    }
    let velocity = (current[held] - previous[held]).truncate() / push.substep_dt;
    let pull = pull(push, current[held].truncate(), velocity);
    for &GripParticle { index, weight } in &particles[..push.count as usize] {
        if current[index as usize].w == 0.0 {
            previous[index as usize] -= (push.substep_dt * weight * pull).extend(0.0);
        }
    }
}

/// Of the particles near the ray, the one with the shortest way along the ray and across it together; of equal ones, the
/// first. Positions are xyz \[m\], shape \[particle_count\].
#[must_use]
pub fn nearest(push: &PickPush, positions: &[Vec3]) -> Picked {
    let (origin, direction) = (push.origin.truncate(), push.direction.truncate());
    let near = positions[..push.particle_count as usize].iter().zip(0..).filter_map(|(&position, index)| {
        let along = (position - origin).dot(direction);
        let across = (position - origin - along * direction).length();
        let is_near = along > 0.0 && across <= push.origin.w.max(push.direction.w * along);
        is_near.then_some((along + across, index, position.extend(along)))
    });
    let first = near.min_by(|left, right| left.0.total_cmp(&right.0));
    first.map_or(Picked { index: Picked::NONE, ..Default::default() }, |(_, index, position)| Picked {
        position,
        index,
        padding: [0; 3],
    })
}
