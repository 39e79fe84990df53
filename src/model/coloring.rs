use std::ops::Range;

/// What joins particles: a spring two, a hinge four.
pub trait Joins: Copy {
    /// Indices of the particles; they differ.
    fn particles(&self) -> &[u32];
}

/// A partition of springs, or of hinges, into batches such that within a batch no particle appears twice.
///
/// The springs of one batch can therefore move their particles all at once, with no locks (document 003). Both
/// constructors check this, so whoever holds a `Coloring` need not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coloring {
    batches: Vec<Range<u32>>,
}

/// The colours that one particle's springs already have.
#[derive(Clone, Default)]
struct UsedColors {
    /// Every colour below this one is used.
    first_free: u32,
    /// The used colours above it. Short even at a hub, whose colours fill up from 0.
    above: Vec<u32>,
}

impl UsedColors {
    fn contains(&self, color: u32) -> bool {
        color < self.first_free || self.above.contains(&color)
    }

    fn insert(&mut self, color: u32) {
        self.above.push(color);
        while let Some(found) = self.above.iter().position(|&used| used == self.first_free) {
            self.above.swap_remove(found);
            self.first_free += 1;
        }
    }
}

impl Coloring {
    /// Colours springs first-fit, in their order: each gets the first colour that none of its particles has yet.
    ///
    /// Returns them sorted by batch, and within a batch by first particle so that neighbours in the list are neighbours
    /// in memory. There are at least as many batches as springs at the busiest particle, and fewer than twice as many; of
    /// hinges, fewer than four times.
    ///
    /// # Panics
    ///
    /// Where a spring joins a particle to itself.
    pub fn greedy<T: Joins>(springs: Vec<T>) -> (Vec<T>, Coloring) {
        let mut used = vec![UsedColors::default(); particle_bound(&springs)];
        let mut batches: Vec<Vec<T>> = Vec::new();
        for spring in springs {
            let particles = || spring.particles().iter().map(|&particle| particle as usize);
            let mut color = particles().map(|particle| used[particle].first_free).max().unwrap_or(0);
            while particles().any(|particle| used[particle].contains(color)) {
                color += 1;
            }
            particles().for_each(|particle| used[particle].insert(color));
            if color as usize == batches.len() {
                batches.push(Vec::new());
            }
            batches[color as usize].push(spring);
        }
        for batch in &mut batches {
            batch.sort_by(|one, other| one.particles().cmp(other.particles()));
        }
        Coloring::from_batches(batches)
    }

    /// Takes over batches that were found by other means, in their order, without the empty ones.
    ///
    /// # Panics
    ///
    /// Where a particle appears twice in one batch, or there are more springs than 32 bits count.
    pub fn from_batches<T: Joins>(batches: Vec<Vec<T>>) -> (Vec<T>, Coloring) {
        let springs = batches.concat();
        assert!(u32::try_from(springs.len()).is_ok(), "{} springs are more than 32 bits can number", springs.len());
        let mut ranges = Vec::with_capacity(batches.len());
        let mut last_batch = vec![0; particle_bound(&springs)];
        let mut first = 0;
        for batch in batches.iter().filter(|batch| !batch.is_empty()) {
            ranges.push(first..first + batch.len() as u32);
            first += batch.len() as u32;
            let number = ranges.len();
            for &particle in batch.iter().flat_map(T::particles) {
                let last = std::mem::replace(&mut last_batch[particle as usize], number);
                assert_ne!(last, number, "particle {particle} appears twice in batch {}", number - 1);
            }
        }
        (springs, Coloring { batches: ranges })
    }

    /// Where each batch lies in the list of springs. Shape \[batch_count\]; none is empty and together they are all.
    pub fn batches(&self) -> &[Range<u32>] {
        &self.batches
    }
}

/// One more than the highest particle index.
fn particle_bound<T: Joins>(springs: &[T]) -> usize {
    springs.iter().flat_map(T::particles).max().map_or(0, |&highest| highest as usize + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;
    use crate::model::{Hinge, Spring, SpringKind};

    fn spring(a: u32, b: u32) -> Spring {
        Spring { particles: [a, b], rest_length: 1.0, kind: SpringKind::Structural }
    }

    fn counted(springs: &[Spring]) -> HashMap<[u32; 2], usize> {
        let mut counts = HashMap::new();
        for spring in springs {
            *counts.entry(spring.particles).or_default() += 1;
        }
        counts
    }

    proptest! {
        #[test]
        fn greedy_shares_no_particle_and_keeps_every_spring(
            pairs in proptest::collection::vec((0..40_u32, 0..40_u32), 0..400)
        ) {
            let springs: Vec<Spring> = pairs.iter().filter(|(a, b)| a != b).map(|&(a, b)| spring(a, b)).collect();
            let (sorted, coloring) = Coloring::greedy(springs.clone());
            prop_assert_eq!(counted(&sorted), counted(&springs));

            let mut end = 0;
            for batch in coloring.batches() {
                prop_assert_eq!(batch.start, end);
                prop_assert!(!batch.is_empty());
                end = batch.end;
                let batch = &sorted[batch.start as usize..batch.end as usize];
                let particles: HashSet<u32> = batch.iter().flat_map(|spring| spring.particles).collect();
                prop_assert_eq!(particles.len(), 2 * batch.len());
                prop_assert!(batch.is_sorted_by_key(|spring| spring.particles[0]));
            }
            prop_assert_eq!(end as usize, sorted.len());

            let mut degree = [0_usize; 40];
            springs.iter().flat_map(|spring| spring.particles).for_each(|particle| degree[particle as usize] += 1);
            let busiest = degree.into_iter().max().unwrap_or(0);
            prop_assert!((busiest..(2 * busiest).max(1)).contains(&coloring.batches().len()));
        }
    }

    proptest! {
        #[test]
        fn hinges_share_no_particle_either(corners in proptest::collection::vec([0..40_u32, 0..40, 0..40, 0..40], 0..200)) {
            let hinge = |particles| Hinge { particles, rest_angle: 0.0, area_ratio: 1.0 };
            let differ = |corners: &[u32; 4]| corners.iter().collect::<HashSet<_>>().len() == 4;
            let hinges: Vec<Hinge> = corners.into_iter().filter(differ).map(hinge).collect();
            let (sorted, coloring) = Coloring::greedy(hinges.clone());
            prop_assert_eq!(sorted.len(), hinges.len());
            for batch in coloring.batches() {
                let batch = &sorted[batch.start as usize..batch.end as usize];
                prop_assert_eq!(batch.iter().flat_map(|hinge| hinge.particles).collect::<HashSet<u32>>().len(), 4 * batch.len());
            }
        }
    }

    #[test]
    fn a_hub_takes_as_many_colors_as_it_has_springs() {
        let (springs, coloring) = Coloring::greedy((1..=300).map(|leaf| spring(leaf, 0)).collect());
        assert_eq!(springs.len(), 300);
        assert_eq!(coloring.batches().len(), 300);
    }

    #[test]
    fn a_chain_takes_two_colors() {
        let (springs, coloring) = Coloring::greedy((0..5).map(|link| spring(link, link + 1)).collect());
        assert_eq!(springs.iter().map(|spring| spring.particles[0]).collect::<Vec<_>>(), [0, 2, 4, 1, 3]);
        assert_eq!(coloring.batches(), [0..3, 3..5]);
    }

    #[test]
    fn nothing_has_no_batches() {
        assert!(Coloring::greedy(Vec::<Spring>::new()).1.batches().is_empty());
        assert!(Coloring::from_batches(vec![Vec::<Spring>::new()]).1.batches().is_empty());
    }

    #[test]
    #[should_panic(expected = "particle 1 appears twice in batch 1")]
    fn a_batch_that_shares_a_particle_is_refused() {
        Coloring::from_batches(vec![vec![spring(7, 8)], Vec::new(), vec![spring(0, 1), spring(1, 2)]]);
    }
}
