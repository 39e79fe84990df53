//! How far from what is held each particle of a cloth can get.
//!
//! Source: Kim, Chentanez, Müller 2012, "Long Range Attachments - A Method to Simulate Inextensible Clothing in Computer Games".

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec4;

use super::ends::places_of_particles;
use super::{Spring, SpringKind};
use crate::layout::LongRange;

/// The ways along a cloth from each particle to the nearest one that is held.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldWays {
    /// The nearest held particle of each particle, along the springs that resist stretching and shearing, and how far it is along
    /// them at rest: never less than across the cloth. A particle that hangs on nothing has itself. Shape \[particle_count\].
    pub ranges: Vec<LongRange>,
    /// The next particle on that way; a particle that is held or hangs on nothing has itself. Shape \[particle_count\].
    pub parents: Vec<u32>,
}

impl HeldWays {
    /// Finds them; `particles` are held where their w is 0.
    ///
    /// # Panics
    /// Where a spring names a particle that is not there.
    #[must_use]
    pub fn new(particles: &[Vec4], springs: &[Spring]) -> Self {
        let along: Vec<&Spring> = springs.iter().filter(|spring| spring.kind != SpringKind::Bending).collect();
        let (firsts, places) = places_of_particles(particles.len(), along.iter().flat_map(|spring| spring.particles));
        let parents: Vec<_> = (0..particles.len() as u32).collect();
        let ranges = parents.iter().map(|&index| LongRange { anchor: index, distance: 0.0 }).collect();
        let mut ways = Self { ranges, parents };
        let mut nearest = vec![f32::INFINITY; particles.len()];
        // Dijkstra 1959, from all that is held at once. Distances are not negative, so that their bits are in their order; equal
        // ones go by the index, so that the result is always the same.
        let mut frontier = BinaryHeap::new();
        for (index, _) in particles.iter().enumerate().filter(|(_, particle)| particle.w == 0.0) {
            nearest[index] = 0.0;
            frontier.push(Reverse((0.0_f32.to_bits(), index as u32)));
        }
        while let Some(Reverse((bits, index))) = frontier.pop() {
            let (distance, here) = (f32::from_bits(bits), index as usize);
            if distance > nearest[here] {
                continue;
            }
            for &place in &places[firsts[here] as usize..firsts[here + 1] as usize] {
                let spring = along[place as usize / 2];
                let other = spring.particles[1 - place as usize % 2];
                let farther = distance + spring.rest_length;
                if farther < nearest[other as usize] {
                    nearest[other as usize] = farther;
                    ways.ranges[other as usize] = LongRange { anchor: ways.ranges[here].anchor, distance: farther };
                    ways.parents[other as usize] = index;
                    frontier.push(Reverse((farther.to_bits(), other)));
                }
            }
        }
        ways
    }

    /// The particle `2^level` steps up the way of each, or where the way ends, and how far it is, for each of so many levels: one
    /// level after the other. Shape \[level_count * particle_count\].
    #[must_use]
    pub fn long_links(&self, level_count: u32) -> Vec<LongRange> {
        let mut above = self.parents.clone();
        let mut links = Vec::with_capacity(level_count as usize * above.len());
        for _ in 0..level_count {
            let link = |(range, &anchor): (&LongRange, &u32)| {
                let distance = range.distance - self.ranges[anchor as usize].distance;
                LongRange { anchor, distance }
            };
            links.extend(self.ranges.iter().zip(&above).map(link));
            above = above.iter().map(|&index| above[index as usize]).collect();
        }
        links
    }
}

/// The structural springs at each particle: those of particle `i` are the second list's from the first list's `[i]` up to its
/// `[i + 1]`, as indices of `springs`, in ascending order.
#[must_use]
pub fn links_at_particles(particle_count: usize, springs: &[Spring]) -> (Vec<u32>, Vec<u32>) {
    let structural = (0..).zip(springs).filter(|(_, spring)| spring.kind == SpringKind::Structural);
    let (indices, ends): (Vec<u32>, Vec<_>) = structural.map(|(index, spring)| (index, spring.particles)).unzip();
    let (firsts, places) = places_of_particles(particle_count, ends.as_flattened().iter().copied());
    (firsts, places.into_iter().map(|place| indices[place as usize / 2]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spring(particles: [u32; 2], rest_length: f32, kind: SpringKind) -> Spring {
        Spring { particles, rest_length, kind }
    }

    fn particles(inverse_masses: &[f32]) -> Vec<Vec4> {
        inverse_masses.iter().map(|&inverse_mass| Vec4::new(0.0, 0.0, 0.0, inverse_mass)).collect()
    }

    #[test]
    fn the_shortest_way_counts_and_bending_springs_are_none() {
        // 0 - 1 - 2 - 3 with 0 and 3 held, a detour from 0 to 2, and 4 alone.
        let springs = [
            spring([0, 1], 1.0, SpringKind::Structural),
            spring([2, 1], 1.5, SpringKind::Structural),
            spring([2, 3], 4.0, SpringKind::Structural),
            spring([0, 2], 3.0, SpringKind::Shear),
            spring([0, 4], 0.5, SpringKind::Bending),
        ];
        let found = HeldWays::new(&particles(&[0.0, 1.0, 1.0, 0.0, 1.0]), &springs);
        let expected = [(0, 0.0), (0, 1.0), (0, 2.5), (3, 0.0), (4, 0.0)];
        assert_eq!(found.ranges, expected.map(|(anchor, distance)| LongRange { anchor, distance }));
        assert_eq!(found.parents, [0, 0, 1, 3, 4]);
    }

    #[test]
    fn links_are_structural_springs() {
        let springs = [
            spring([0, 1], 1.0, SpringKind::Structural),
            spring([1, 2], 1.0, SpringKind::Shear),
            spring([2, 0], 1.0, SpringKind::Structural),
        ];
        assert_eq!(links_at_particles(4, &springs), (vec![0, 2, 3, 4, 4], vec![0, 2, 0, 2]));
    }

    #[test]
    fn equally_far_anchors_do_not_depend_on_the_order_of_springs() {
        let mut springs = vec![
            spring([0, 1], 1.0, SpringKind::Structural),
            spring([2, 1], 1.0, SpringKind::Structural),
            spring([1, 3], 1.0, SpringKind::Structural),
        ];
        let masses = particles(&[0.0, 1.0, 0.0, 1.0]);
        let found = HeldWays::new(&masses, &springs);
        springs.reverse();
        assert_eq!(found, HeldWays::new(&masses, &springs));
        assert_eq!((found.ranges[1].anchor, found.ranges[3].distance), (0, 2.0));
    }

    #[test]
    fn long_links_double_from_level_to_level_until_the_way_ends() {
        let springs: Vec<_> = (0..5).map(|index| spring([index, index + 1], 1.5, SpringKind::Structural)).collect();
        let links = HeldWays::new(&particles(&[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]), &springs).long_links(3);
        let expected = [[0, 0, 1, 2, 3, 4], [0, 0, 0, 1, 2, 3], [0, 0, 0, 0, 0, 1]];
        for (level, above) in expected.into_iter().enumerate() {
            for (index, anchor) in (0_u32..).zip(above) {
                let distance = 1.5 * (index - anchor) as f32;
                assert_eq!(links[6 * level + index as usize], LongRange { anchor, distance });
            }
        }
    }
}
