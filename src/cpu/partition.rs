//! Which constraints threads may go through at the same time.
//!
//! The list of particles is cut into segments. In a first turn each segment is a thread's own, which goes through all
//! batches of the constraints with both ends in it and waits for no other. Most constraints join particles that are near
//! each other in the list. Those that cross a border have a second turn, in segments that lie across the borders, and what
//! fits into neither comes last, alone. Where a constraint waits for a later turn, those of later batches at its two
//! particles wait as well. So each particle meets its constraints in the order of the batches, and ends in the same bits
//! as if all threads went through batch after batch.

use std::ops::Range;

use crate::layout::Constraint;

/// Particles that stay in the caches near a processor (512 KiB): a segment of so many is read from memory once a sweep,
/// and a longer one once a batch.
const CACHED: usize = 1 << 15;
/// Constraints that a thread goes through in the time that it takes to hand work out to others, about 5 µs.
const HAND_OUT: usize = 1000;
/// Segments, those across their borders, and all particles.
const TURNS: usize = 3;

/// A list of particles cut into segments, for batches of constraints.
#[derive(Clone, Copy)]
pub(super) struct Partition {
    particle_count: usize,
    /// Particles in a segment.
    length: usize,
    /// After so many batches all threads wait for each other. More have fewer waits, but where many constraints join
    /// particles that are far apart, almost all of them end up in the last turn.
    batches_together: usize,
}

/// When a constraint has its turn, and in which of the segments of that turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    turn: u32,
    segment: u32,
}

impl Partition {
    /// The partition with which so many threads are done first, and the place of each constraint in it.
    pub(super) fn best(
        particle_count: usize,
        constraints: &[Constraint],
        batches: &[Range<u32>],
        threads: usize,
    ) -> (Self, Vec<Place>) {
        // More than one segment a thread, so that one that is done early takes from another.
        let least = threads * particle_count.div_ceil(threads * CACHED).max(1);
        let shapes = [1, least, 4 * least].map(|number| [(number, batches.len().max(1)), (number, 1)]);
        let partitions = shapes.into_iter().flatten().map(|(number, batches_together)| {
            let length = particle_count.div_ceil(number).max(1);
            let partition = Self { particle_count, length, batches_together };
            (partition, partition.places(constraints, batches))
        });
        let duration = |(partition, places): &(Self, Vec<Place>)| partition.duration(places, batches.len(), threads);
        partitions.min_by_key(duration).expect("there are some")
    }

    /// Where the segments of a turn start, and their length.
    pub(super) fn segments(&self, turn: usize) -> (usize, usize) {
        [(0, self.length), (self.length / 2, self.length), (0, self.particle_count.max(1))][turn % TURNS]
    }

    fn places(&self, constraints: &[Constraint], batches: &[Range<u32>]) -> Vec<Place> {
        let mut places = vec![Place::default(); constraints.len()];
        // Of the last constraint so far at each particle.
        let mut turns = vec![0; self.particle_count];
        for (number, batch) in batches.iter().enumerate() {
            let first_turn = number / self.batches_together * TURNS;
            for index in batch.start as usize..batch.end as usize {
                let ends = constraints[index].particles().map(|end| end as usize);
                let earliest = turns[ends[0]].max(turns[ends[1]]).max(first_turn);
                let place = (earliest..first_turn + TURNS).find_map(|turn| self.place(ends, turn));
                places[index] = place.expect("the last turn has all particles in one segment");
                ends.iter().for_each(|&end| turns[end] = places[index].turn as usize);
            }
        }
        places
    }

    /// Where a turn has both these particles, if in one segment.
    fn place(&self, ends: [usize; 2], turn: usize) -> Option<Place> {
        let (offset, length) = self.segments(turn);
        let [a, b] = ends.map(|end| end.checked_sub(offset).map(|end| end / length));
        (a == b).then_some(Place { turn: turn as u32, segment: a? as u32 })
    }

    /// How many constraints each segment of each turn has.
    pub(super) fn counts(&self, places: &[Place], batch_count: usize) -> Vec<Vec<usize>> {
        let number = |turn| {
            let (offset, length) = self.segments(turn);
            self.particle_count.saturating_sub(offset).div_ceil(length)
        };
        let turns = TURNS * batch_count.div_ceil(self.batches_together);
        let mut counts: Vec<_> = (0..turns).map(|turn| vec![0; number(turn)]).collect();
        places.iter().for_each(|place| counts[place.turn as usize][place.segment as usize] += 1);
        counts
    }

    /// How long so many threads take for a sweep, in constraints of one thread.
    fn duration(&self, places: &[Place], batch_count: usize, threads: usize) -> usize {
        let counts = self.counts(places, batch_count);
        let turn = |(turn, counts): (usize, &Vec<usize>)| {
            let (total, longest) = (counts.iter().sum::<usize>(), counts.iter().max().copied().unwrap_or(0));
            let work = longest.max(total.div_ceil(threads));
            let stays_cached =
                self.particle_count <= CACHED || self.segments(turn).1 <= CACHED && self.batches_together > 1;
            // Measured on grids of a million particles.
            let work = if stays_cached { work } else { work * 3 / 2 };
            if total > longest && threads > 1 { work + HAND_OUT } else { work }
        };
        counts.iter().enumerate().map(turn).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint((index_a, index_b): (u32, u32)) -> Constraint {
        Constraint { index_a, index_b, ..Default::default() }
    }

    /// Segments of four start at 0, 4 and 8; across their borders lie 2 to 5 and 6 to 9.
    fn places(batches_together: usize) -> Vec<(u32, u32)> {
        let partition = Partition { particle_count: 10, length: 4, batches_together };
        let constraints = [(9, 0), (7, 8), (4, 2), (1, 3), (6, 5), (3, 2), (8, 9), (1, 0)].map(constraint);
        let places = partition.places(&constraints, &[0..4, 4..6, 6..8]);
        places.iter().map(|place| (place.turn, place.segment)).collect()
    }

    #[test]
    fn constraints_have_their_turn_in_segments_then_across_borders_then_alone() {
        assert_eq!(places(1)[..4], [(2, 0), (1, 1), (1, 0), (0, 0)]);
    }

    #[test]
    fn what_waits_holds_up_later_batches_at_its_particles_and_nothing_else() {
        // 6 and 5 are free; 3 and 2 would be in the first segment but for 2, whose last constraint crosses a border; 8 and
        // 9, and 1 and 0, wait for the one of 9 and 0, which is alone.
        assert_eq!(places(3)[4..], [(0, 1), (1, 0), (2, 0), (2, 0)]);
        // Nothing of an earlier batch is left when each begins.
        assert_eq!(places(1)[4..], [(3, 1), (3, 0), (6, 2), (6, 0)]);
    }

    /// The chain of `count` particles in two batches.
    fn chain(count: u32) -> (Vec<Constraint>, [Range<u32>; 2]) {
        let batch = |first| (first..count - 1).step_by(2).map(|index| constraint((index, index + 1)));
        let constraints: Vec<_> = batch(0).chain(batch(1)).collect();
        let (half, all) = (count / 2, constraints.len() as u32);
        (constraints, [0..half, half..all])
    }

    #[test]
    fn one_thread_has_one_segment_and_several_have_more_where_that_is_faster() {
        let numbers = |count: u32, threads| {
            let (constraints, batches) = chain(count);
            let (partition, places) = Partition::best(count as usize, &constraints, &batches, threads);
            let counts = partition.counts(&places, batches.len());
            assert_eq!(counts.iter().flatten().sum::<usize>(), constraints.len());
            partition.particle_count.div_ceil(partition.length)
        };
        assert_eq!([1, 2].map(|threads| numbers(20_000, threads)), [1, 2]);
        assert!(numbers(20_000, 3) >= 3);
        assert_eq!(numbers(1000, 2), 1);
        // Segments that stay in the cache.
        assert_eq!(numbers(4 * CACHED as u32, 1), 4);
        assert!(Partition::best(0, &[], &[], 2).1.is_empty());
    }

    /// Batches of neighbours, and pairs far apart among them, which hold up more and more of the batches after theirs.
    #[test]
    fn threads_wait_after_each_batch_where_that_is_faster() {
        let best = |far: bool| {
            let (mut constraints, mut batches) = (Vec::new(), Vec::new());
            for batch in 0..40 {
                let first = constraints.len() as u32;
                let pairs = (0..10_000).map(|pair| (2 * pair + batch % 2, 2 * pair + batch % 2 + 1));
                let pairs = pairs.map(|(a, b)| if far && a % 40 < 2 { (a, (b + 10_000) % 20_000) } else { (a, b) });
                constraints.extend(pairs.filter(|(_, b)| *b < 20_000).map(constraint));
                batches.push(first..constraints.len() as u32);
            }
            Partition::best(20_000, &constraints, &batches, 2).0.batches_together
        };
        assert_eq!([false, true].map(best), [40, 1]);
    }
}
