//! Twin of what bounds the stretch of a cloth: long range attachments, a limit to the strain, and the velocities after both.
//!
//! Sources: Kim, Chentanez, Müller 2012, "Long Range Attachments"; Provot 1995, "Deformation Constraints in a Mass-Spring Model to
//! Describe Rigid Cloth Behavior"; Wang 2015, "A Chebyshev Semi-Iterative Approach for Accelerating Projective and Position-Based
//! Dynamics", algorithm 1.

use glam::{Vec3, Vec4};

use crate::layout::{Constraint, LongLinkPush, LongRange, LongRangePush, PbdParameters, StrainLimitPush};

/// The structural constraints at each particle, as [`links_at_particles`](crate::model::links_at_particles) gives them.
#[derive(Clone, Copy, Debug)]
pub struct Links<'a> {
    /// Where those of each particle start in `links`, and behind the last one its end. Shape \[particle_count + 1\].
    pub firsts: &'a [u32],
    /// Indices of constraints.
    pub links: &'a [u32],
}

/// Brings each particle back to where its long range attachment reaches, and gives how far it has come since
/// `previous_positions` \[m\]. Positions are xyz \[m\] and inverse mass. Shapes \[particle_count\].
///
/// # Panics
/// Where an anchor is named that is not there.
pub fn long_range(
    parameters: &PbdParameters,
    push: &LongRangePush,
    ranges: &[LongRange],
    previous_positions: &[Vec4],
    positions: &mut [Vec4],
) -> Vec<f32> {
    let before = positions.to_vec();
    for (position, range) in positions.iter_mut().zip(ranges) {
        *position = within_reach(parameters, push, range, &before, *position);
    }
    positions.iter().zip(previous_positions).map(|(position, previous)| way(*position, *previous).length()).collect()
}

/// Where one particle is once its attachment has brought it back.
pub(crate) fn within_reach(
    parameters: &PbdParameters,
    push: &LongRangePush,
    range: &LongRange,
    positions: &[Vec4],
    position: Vec4,
) -> Vec4 {
    let anchor = positions[range.anchor as usize];
    let reach = push.most * parameters.elongation * range.distance;
    let from_anchor = (position - anchor).truncate();
    let distance = from_anchor.length();
    let hangs = position.w > 0.0 && anchor.w == 0.0;
    if hangs && distance > reach {
        (anchor.truncate() + reach / distance * from_anchor).extend(position.w)
    } else {
        position
    }
}

/// One level of long links: from `positions` to `other_positions`. Shapes \[particle_count\]; of `links` a multiple of that.
///
/// # Panics
/// Where a particle or a level is named that is not there.
pub fn long_link(
    parameters: &PbdParameters,
    push: &LongLinkPush,
    links: &[LongRange],
    positions: &[Vec4],
    other_positions: &mut [Vec4],
) {
    for (index, other) in other_positions.iter_mut().enumerate() {
        *other = below(parameters, push, links, positions, index);
    }
}

/// Where one particle goes, below the one that its link names.
pub(crate) fn below(
    parameters: &PbdParameters,
    push: &LongLinkPush,
    links: &[LongRange],
    positions: &[Vec4],
    index: usize,
) -> Vec4 {
    let particle = positions[index];
    let LongRange { anchor, distance: rest } = links[push.level as usize * positions.len() + index];
    let above = positions[anchor as usize];
    let from_above = (particle - above).truncate();
    let (distance, reach) = (from_above.length(), push.most * parameters.elongation * rest);
    if particle.w > 0.0 && anchor as usize != index && distance > reach {
        (above.truncate() + reach / distance * from_above).extend(particle.w)
    } else {
        particle
    }
}

/// One iteration of the strain limit: from `positions` to `other_positions`, which hold those before the last iteration. Gives
/// whether a link was longer than it can be without another round. Shapes \[particle_count\].
///
/// # Panics
/// Where a constraint or a particle is named that is not there.
pub fn strain(
    parameters: &PbdParameters,
    push: &StrainLimitPush,
    constraints: &[Constraint],
    links: Links<'_>,
    positions: &[Vec4],
    other_positions: &mut [Vec4],
) -> bool {
    let mut is_too_long = false;
    for (index, other) in other_positions.iter_mut().enumerate() {
        let (place, found) = limited(parameters, push, constraints, links, positions, (index, *other));
        *other = place;
        is_too_long |= found;
    }
    is_too_long
}

/// Where one particle, of which the place before the last iteration is given, goes in an iteration, and whether a link of it was
/// too long.
pub(crate) fn limited(
    parameters: &PbdParameters,
    push: &StrainLimitPush,
    constraints: &[Constraint],
    links: Links<'_>,
    positions: &[Vec4],
    (index, before): (usize, Vec4),
) -> (Vec4, bool) {
    let particle = positions[index];
    let (mut wanted, mut count, mut is_too_long) = (Vec3::ZERO, 0.0_f32, false);
    for &link in &links.links[links.firsts[index] as usize..links.firsts[index + 1] as usize] {
        let Constraint { index_a, index_b, rest_length, .. } = constraints[link as usize];
        let other = positions[if index_a as usize == index { index_b } else { index_a } as usize];
        let is_cut = index_a == index_b;
        if is_cut || (particle.w == 0.0 && other.w == 0.0) {
            continue;
        }
        let to_other = (other - particle).truncate();
        let (distance, rest_length) = (to_other.length(), parameters.elongation * rest_length);
        is_too_long |= distance > push.most * rest_length;
        let excess = distance - push.target * rest_length;
        if excess > 0.0 {
            // As if both weighed the same, or the other one without end.
            let share = if other.w == 0.0 { 1.0 } else { 0.5 };
            wanted += share * excess / distance * to_other;
            count += 1.0;
        }
    }
    // Whoever looks moves nothing, so that what it says holds of what it leaves.
    if particle.w == 0.0 || push.looks != 0 {
        return (particle, is_too_long);
    }
    let mut place = particle.truncate();
    if count > 0.0 {
        place += wanted / count;
    }
    if push.relaxation != 1.0 {
        let before = before.truncate();
        place = before + push.relaxation * (place - before);
    }
    (place.extend(particle.w), is_too_long)
}

/// Velocities in xyz \[m/s\] from the change of positions, no faster than `ways` \[m\] in a substep. Shapes \[particle_count\].
pub fn velocity(
    parameters: &PbdParameters,
    previous_positions: &[Vec4],
    positions: &[Vec4],
    ways: &[f32],
) -> Vec<Vec4> {
    let particles = positions.iter().zip(previous_positions).zip(ways);
    particles.map(|((position, previous), most)| no_faster(parameters, *previous, *position, *most)).collect()
}

/// The velocity of one particle.
pub(crate) fn no_faster(parameters: &PbdParameters, previous: Vec4, position: Vec4, most: f32) -> Vec4 {
    let mut way = way(position, previous);
    let distance = way.length();
    if distance > most {
        way *= most / distance;
    }
    (way / parameters.substep_dt).extend(0.0)
}

/// How far a particle has come.
pub(crate) fn way(position: Vec4, previous: Vec4) -> Vec3 {
    (position - previous).truncate()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, inverse_mass: f32) -> Vec4 {
        Vec4::new(x, 0.0, 0.0, inverse_mass)
    }

    fn push(target: f32) -> StrainLimitPush {
        StrainLimitPush { target, most: target, relaxation: 1.0, round: 0, looks: 0 }
    }

    #[test]
    fn a_particle_comes_back_along_the_line_to_its_anchor() {
        let ranges = [(0, 0.0), (0, 2.0), (0, 4.0), (3, 0.0)].map(|(anchor, distance)| LongRange { anchor, distance });
        let mut positions = [at(1.0, 0.0), at(6.0, 1.0), at(4.0, 1.0), at(99.0, 1.0)];
        let previous = [at(1.0, 0.0), at(3.0, 1.0), at(1.0, 1.0), at(98.0, 1.0)];
        let push = LongRangePush { most: 1.25, round_count: 0 };
        let ways = long_range(&PbdParameters::default(), &push, &ranges, &previous, &mut positions);
        // 2 m can become 2.5 m; the third is within reach, and the last hangs on nothing.
        assert_eq!(positions, [at(1.0, 0.0), at(3.5, 1.0), at(4.0, 1.0), at(99.0, 1.0)]);
        assert_eq!(ways, [0.0, 0.5, 3.0, 1.0]);
    }

    #[test]
    fn a_level_of_long_links_brings_each_particle_below_the_one_above_it() {
        let links = [(0, 0.0), (0, 1.0), (1, 1.0), (0, 0.0), (0, 1.0), (0, 2.0)];
        let links = links.map(|(anchor, distance)| LongRange { anchor, distance });
        let positions = [at(0.0, 0.0), at(3.0, 1.0), at(5.0, 1.0)];
        let mut other = [Vec4::NAN; 3];
        let push = LongLinkPush { most: 1.5, level: 1, round: 0 };
        long_link(&PbdParameters::default(), &push, &links, &positions, &mut other);
        assert_eq!(other, [at(0.0, 0.0), at(1.5, 1.0), at(3.0, 1.0)]);
        // All from the places before.
        long_link(&PbdParameters::default(), &LongLinkPush { level: 0, ..push }, &links, &positions, &mut other);
        assert_eq!(other, [at(0.0, 0.0), at(1.5, 1.0), at(4.5, 1.0)]);
    }

    #[test]
    fn what_hangs_on_an_anchor_that_is_free_now_is_free() {
        let ranges = [LongRange { anchor: 0, distance: 0.0 }, LongRange { anchor: 0, distance: 1.0 }];
        let mut positions = [at(0.0, 1.0), at(5.0, 1.0)];
        let push = LongRangePush { most: 1.0, round_count: 0 };
        long_range(&PbdParameters::default(), &push, &ranges, &[Vec4::ZERO; 2], &mut positions);
        assert_eq!(positions[1], at(5.0, 1.0));
    }

    #[test]
    fn a_link_is_shortened_from_both_free_ends_and_by_the_mean_of_what_they_want() {
        // A chain of a held particle and two free ones, of links of 1 m, the second of which has a heavy end.
        let constraint = |index_a, index_b| Constraint { index_a, index_b, rest_length: 1.0, compliance: 0.0 };
        let constraints = [constraint(0, 1), constraint(1, 2)];
        let links = Links { firsts: &[0, 1, 3, 4], links: &[0, 0, 1, 1] };
        let positions = [at(0.0, 0.0), at(2.0, 1.0), at(5.0, 1e-4)];
        let mut other = positions;
        assert!(strain(&PbdParameters::default(), &push(1.5), &constraints, links, &positions, &mut other));
        // The middle one wants 0.5 m to the left, and half of 1.5 m to the right.
        assert_eq!(other, [at(0.0, 0.0), at(2.125, 1.0), at(4.25, 1e-4)]);
        // Whoever looks finds the same, and moves nothing.
        let looks = StrainLimitPush { looks: 1, ..push(1.5) };
        assert!(strain(&PbdParameters::default(), &looks, &constraints, links, &positions, &mut other));
        assert_eq!(other, positions);
        // What is short enough stays, and nobody finds work.
        let positions = [at(0.0, 0.0), at(1.5, 1.0), at(3.0, 1e-4)];
        assert!(!strain(&PbdParameters::default(), &push(1.5), &constraints, links, &positions, &mut other));
        assert_eq!(other, positions);
    }

    #[test]
    fn relaxation_goes_beyond_by_so_many_times_the_way_since_before() {
        let links = Links { firsts: &[0, 0], links: &[] };
        let mut other = [at(1.0, 1.0)];
        let push = StrainLimitPush { relaxation: 1.5, ..push(1.0) };
        strain(&PbdParameters::default(), &push, &[], links, &[at(3.0, 1.0)], &mut other);
        assert_eq!(other, [at(4.0, 1.0)]);
    }

    #[test]
    fn limits_slow_particles_and_never_hasten_them() {
        let parameters = PbdParameters { substep_dt: 0.5, ..PbdParameters::default() };
        let found = velocity(&parameters, &[Vec4::ZERO; 2], &[at(4.0, 1.0), at(1.0, 1.0)], &[3.0, 3.0]);
        assert_eq!(found, [at(6.0, 0.0), at(2.0, 0.0)]);
    }
}
