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

/// Pulls at `particles`, of which the hand holds the first: `state` gives the position and the velocity of one, or none
/// where it is pinned, and `change` adds to its velocity.
pub(crate) fn pull_all<S>(
    push: &PullPush,
    particles: &[GripParticle],
    state: &mut S,
    get: impl Fn(&S, usize) -> Option<(Vec3, Vec3)>,
    change: impl Fn(&mut S, usize, Vec3),
) {
    let Some((position, velocity)) = get(state, particles[0].index as usize) else {
        return;
    };
    let pull = pull(push, position, velocity);
    for particle in &particles[..push.count as usize] {
        let index = particle.index as usize;
        if get(state, index).is_some() {
            change(state, index, particle.weight * pull);
        }
    }
}

/// Pulls at particles of `positions`, xyz \[m\] and inverse mass, by their `velocities`, xyz \[m/s\]; shapes
/// \[particle_count\].
///
/// # Panics
/// Where a particle is named that is not there.
pub fn pull_velocities(push: &PullPush, particles: &[GripParticle], positions: &[Vec4], velocities: &mut [Vec4]) {
    let get = |velocities: &&mut [Vec4], index: usize| {
        let is_free = positions[index].w > 0.0;
        is_free.then(|| (positions[index].truncate(), velocities[index].truncate()))
    };
    let change = |velocities: &mut &mut [Vec4], index: usize, change: Vec3| velocities[index] += change.extend(0.0);
    pull_all(push, particles, &mut &mut *velocities, get, change);
}

/// The same for particles at `current`, xyz \[m\] and 1 where pinned, whose velocity is the way from `previous`.
///
/// # Panics
/// As [`pull_velocities`].
pub fn pull_ways(push: &PullPush, particles: &[GripParticle], current: &[Vec4], previous: &mut [Vec4]) {
    let get = |previous: &&mut [Vec4], index: usize| {
        let way = (current[index] - previous[index]).truncate();
        (current[index].w < 0.5).then(|| (current[index].truncate(), way / push.substep_dt))
    };
    let change = |previous: &mut &mut [Vec4], index: usize, change: Vec3| {
        previous[index] -= (push.substep_dt * change).extend(0.0);
    };
    pull_all(push, particles, &mut &mut *previous, get, change);
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
