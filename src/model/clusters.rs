//! An order of springs, or of hinges, in which most of the work lies within clusters of particles.
//!
//! Batches of a whole mesh are many, and each is a pass. So particles are divided into clusters, and what lies within them comes
//! first, batch by batch: all of that is one pass for those who take a cluster at a time. What is left joins particles along the
//! borders of clusters, which are divided anew, and so on.

use super::ends::places_of_particles;
use super::{Coloring, Joins};

/// Most particles of a cluster: what workgroups of nearly all devices have room for in 32 KiB.
const MOST_PARTICLES: usize = 2048;

/// Of no cluster yet.
const NONE: u32 = u32::MAX;

impl Coloring {
    /// Colours springs, or hinges, as [`Coloring::greedy`], those within clusters first. Where all of them fit into one cluster,
    /// or into several that nothing joins, the two are the same.
    ///
    /// # Panics
    ///
    /// As [`Coloring::greedy`].
    pub fn clustered<T: Joins>(springs: Vec<T>) -> (Vec<T>, Coloring) {
        let mut batches: Vec<Vec<T>> = Vec::new();
        let mut left = springs;
        loop {
            let cluster_of = clusters(&left, MOST_PARTICLES);
            let is_within = |spring: &T| {
                let [first, others @ ..] = spring.particles() else {
                    return true;
                };
                others.iter().all(|other| cluster_of[*other as usize] == cluster_of[*first as usize])
            };
            let (within, across): (Vec<T>, Vec<T>) = left.iter().partition(|spring| is_within(spring));
            // About a hub no cluster has much within itself.
            let gains = within.len() > across.len();
            let (colored, coloring) = Coloring::greedy(if gains { within } else { left });
            batches.extend(
                coloring.batches().iter().map(|range| colored[range.start as usize..range.end as usize].to_vec()),
            );
            left = if gains { across } else { Vec::new() };
            if left.is_empty() {
                return Coloring::from_batches(batches);
            }
        }
    }
}

/// The cluster of each particle: from the lowest that has none yet, what lies nearest along springs, up to `most` particles.
fn clusters<T: Joins>(springs: &[T], most: usize) -> Vec<u32> {
    let particles = springs.iter().flat_map(T::particles).copied();
    let count = particles.clone().max().map_or(0, |highest| highest as usize + 1);
    let (firsts, places) = places_of_particles(count, particles);
    // All springs join as many particles.
    let joined = springs.first().map_or(1, |spring| spring.particles().len());
    let mut cluster_of = vec![NONE; count];
    let mut members = Vec::with_capacity(most);
    let mut number = 0;
    for start in 0..count {
        if cluster_of[start] != NONE {
            continue;
        }
        members.clear();
        members.push(start);
        cluster_of[start] = number;
        let mut reached = 0;
        while reached < members.len() {
            let particle = members[reached];
            reached += 1;
            for &place in &places[firsts[particle] as usize..firsts[particle + 1] as usize] {
                for &neighbour in springs[place as usize / joined].particles() {
                    if cluster_of[neighbour as usize] == NONE && members.len() < most {
                        cluster_of[neighbour as usize] = number;
                        members.push(neighbour as usize);
                    }
                }
            }
        }
        number += 1;
    }
    cluster_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Spring, SpringKind};

    fn lattice(columns: u32, rows: u32) -> Vec<Spring> {
        let spring = |a, b| Spring { particles: [a, b], rest_length: 1.0, kind: SpringKind::Structural };
        let index = |column, row| row * columns + column;
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let around = cells.flat_map(|(column, row)| {
            let right = (column + 1 < columns).then(|| spring(index(column, row), index(column + 1, row)));
            let below = (row + 1 < rows).then(|| spring(index(column, row), index(column, row + 1)));
            right.into_iter().chain(below)
        });
        around.collect()
    }

    #[test]
    fn what_fits_one_cluster_is_coloured_as_ever() {
        let springs = lattice(32, 64);
        assert_eq!(Coloring::clustered(springs.clone()), Coloring::greedy(springs));
        assert_eq!(Coloring::clustered(Vec::<Spring>::new()), Coloring::greedy(Vec::<Spring>::new()));
    }

    #[test]
    fn clusters_are_no_larger_than_they_may_be_and_most_springs_lie_within() {
        let springs = lattice(90, 80);
        let cluster_of = clusters(&springs, 500);
        let mut sizes = vec![0; cluster_of.iter().max().map_or(0, |last| *last as usize + 1)];
        cluster_of.iter().for_each(|cluster| sizes[*cluster as usize] += 1);
        assert!(sizes.iter().all(|size| (1..=500).contains(size)), "{sizes:?}");
        let across = springs.iter().filter(|spring| {
            let [a, b] = spring.particles.map(|particle| cluster_of[particle as usize]);
            a != b
        });
        assert!(across.count() < springs.len() / 5);
    }

    #[test]
    fn every_spring_of_a_large_mesh_is_in_a_batch() {
        let springs = lattice(100, 90);
        let (sorted, coloring) = Coloring::clustered(springs.clone());
        assert_eq!(coloring.batches().last().map(|batch| batch.end as usize), Some(springs.len()));
        let pairs = |springs: &[Spring]| {
            let mut pairs: Vec<_> = springs.iter().map(|spring| spring.particles).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(pairs(&sorted), pairs(&springs));
    }

    #[test]
    fn a_hub_comes_to_an_end() {
        let spring = |leaf| Spring { particles: [0, leaf], rest_length: 1.0, kind: SpringKind::Structural };
        let (springs, coloring) = Coloring::clustered((1..=5000).map(spring).collect());
        assert_eq!((springs.len(), coloring.batches().len()), (5000, 5000));
    }
}
