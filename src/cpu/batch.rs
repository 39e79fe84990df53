//! Batches of constraints, cut into jobs for threads.
//!
//! A batch shares no particle, which the compiler cannot see. So the list of particles is cut into segments, and a job has
//! one of them to itself, with the constraints that have both ends in it. Most constraints join particles that are near
//! each other in the list. Those that cross a border have their turn afterwards in segments that lie across the borders,
//! and what fits into neither comes last, alone. Within a batch any order ends in the same bits.

use std::ops::Range;

use glam::Vec4;
use rayon::prelude::*;

use super::JOB;
use crate::layout::Constraint;

/// Constraints of one job, and the particles that are its own.
pub(super) struct Job<'a> {
    /// Index of the first of `particles`.
    pub(super) first: usize,
    pub(super) particles: &'a mut [Vec4],
    pub(super) constraints: &'a [Constraint],
    pub(super) lambdas: &'a mut [f32],
}

/// How many constraints of a batch, sorted by [`Segments::sort`], lie in each segment, and then in each across borders.
#[derive(Clone)]
pub(super) struct Batch {
    range: Range<usize>,
    counts: [Vec<usize>; 2],
}

/// A list of particles cut into segments.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    length: usize,
    particle_count: usize,
}

impl Segments {
    /// The segments with which the threads of this pool are done first.
    pub(super) fn for_constraints(particle_count: usize, constraints: &[Constraint]) -> Self {
        let halved = |length: &usize| Some(length / 2).filter(|length| *length >= JOB);
        let lengths = std::iter::successors(Some(particle_count.max(1)), halved);
        let segments = lengths.map(|length| Self { length, particle_count });
        let threads = rayon::current_num_threads();
        segments.min_by_key(|segments| segments.duration(constraints, threads)).expect("there is one at least")
    }

    /// How long so many threads take, in constraints of one thread.
    fn duration(&self, constraints: &[Constraint], threads: usize) -> usize {
        let mut counts = [0; 2];
        constraints.iter().filter_map(|constraint| self.segment(constraint)).for_each(|(cut, _)| counts[cut] += 1);
        let alone = constraints.len() - counts.iter().sum::<usize>();
        let cut = |(count, segments): (usize, usize)| count.div_ceil(threads.min(segments).max(1));
        alone + counts.into_iter().zip(self.numbers()).map(cut).sum::<usize>()
    }

    /// How many segments there are, and how many across their borders.
    fn numbers(&self) -> [usize; 2] {
        self.offsets().map(|offset| self.particle_count.saturating_sub(offset).div_ceil(self.length))
    }

    /// Where the segments start, and those across their borders.
    fn offsets(&self) -> [usize; 2] {
        [0, self.length / 2]
    }

    /// In which of the two cuts, and in which segment there, a constraint has both its ends; none where in neither.
    fn segment(&self, constraint: &Constraint) -> Option<(usize, usize)> {
        let ends = [constraint.index_a as usize, constraint.index_b as usize];
        self.offsets().into_iter().enumerate().find_map(|(cut, offset)| {
            let [a, b] = ends.map(|end| end.checked_sub(offset).map(|end| end / self.length));
            (a == b).then_some((cut, a?))
        })
    }

    /// Puts the constraints in `range` of `order` in the order of their segments, and counts them.
    pub(super) fn sort(&self, constraints: &[Constraint], order: &mut [u32], range: &Range<u32>) -> Batch {
        let range = range.start as usize..range.end as usize;
        // What is in no segment comes last.
        let key = |index: &u32| self.segment(&constraints[*index as usize]).unwrap_or((usize::MAX, 0));
        order[range.clone()].sort_by_key(key);
        let mut counts = self.numbers().map(|number| vec![0; number]);
        for (cut, segment) in constraints[range.clone()].iter().filter_map(|constraint| self.segment(constraint)) {
            counts[cut][segment] += 1;
        }
        Batch { range, counts }
    }

    /// Does `work` to every constraint of a batch.
    pub(super) fn for_each(
        &self,
        batch: &Batch,
        particles: &mut [Vec4],
        constraints: &[Constraint],
        lambdas: &mut [f32],
        work: impl Fn(Job<'_>) + Sync,
    ) {
        let (mut constraints, mut lambdas) = (&constraints[batch.range.clone()], &mut lambdas[batch.range.clone()]);
        for (offset, counts) in self.offsets().into_iter().zip(&batch.counts) {
            let mut jobs = Vec::with_capacity(counts.len());
            let segments = particles.get_mut(offset..).unwrap_or_default().chunks_mut(self.length);
            for (segment, (&count, particles)) in counts.iter().zip(segments).enumerate() {
                let (own_constraints, rest) = constraints.split_at(count);
                let (own_lambdas, rest_lambdas) = lambdas.split_at_mut(count);
                (constraints, lambdas) = (rest, rest_lambdas);
                let first = offset + segment * self.length;
                if count > 0 {
                    jobs.push(Job { first, particles, constraints: own_constraints, lambdas: own_lambdas });
                }
            }
            let least_jobs = (JOB * jobs.len()).div_ceil(counts.iter().sum::<usize>().max(1));
            jobs.into_par_iter().with_min_len(least_jobs).for_each(&work);
        }
        work(Job { first: 0, particles, constraints, lambdas });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraints(ends: &[(u32, u32)]) -> Vec<Constraint> {
        ends.iter().map(|&(index_a, index_b)| Constraint { index_a, index_b, ..Default::default() }).collect()
    }

    #[test]
    fn constraints_have_their_turn_in_segments_then_across_borders_then_alone() {
        let segments = Segments { length: 4, particle_count: 10 };
        // Segments start at 0, 4 and 8; across their borders lie 2 to 5 and 6 to 9.
        let given = constraints(&[(9, 0), (7, 8), (4, 2), (6, 5), (1, 3)]);
        let mut order = [0, 1, 2, 3, 4];
        let batch = segments.sort(&given, &mut order, &(0..5));
        assert_eq!(order, [4, 3, 2, 1, 0]);
        assert_eq!(batch.counts, [vec![1, 1, 0], vec![1, 1]]);

        let sorted: Vec<_> = order.iter().map(|&index| given[index as usize]).collect();
        let seen = std::sync::Mutex::new(Vec::new());
        segments.for_each(&batch, &mut [Vec4::ZERO; 10], &sorted, &mut [0.0; 5], |job| {
            for Constraint { index_a, index_b, .. } in job.constraints {
                assert!([index_a, index_b].iter().all(|&&index| index as usize - job.first < job.particles.len()));
                seen.lock().unwrap().push((*index_a, *index_b));
            }
        });
        let seen = seen.into_inner().unwrap();
        assert!(seen.len() == 5 && seen[4] == (9, 0) && seen[..2].contains(&(1, 3)), "{seen:?}");
    }

    #[test]
    fn one_thread_has_one_segment_and_several_have_more() {
        let chain = constraints(&(1..10_000).map(|end| (end - 1, end)).collect::<Vec<_>>());
        let segments = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Segments::for_constraints(10_000, &chain).numbers()[0])
        };
        assert_eq!([1, 2, 3, 100].map(segments), [1, 2, 4, 4]);
        assert_eq!(Segments::for_constraints(0, &[]).numbers()[0], 0);
    }
}
