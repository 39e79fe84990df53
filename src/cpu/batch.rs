//! Batches of constraints, cut into jobs for threads.
//!
//! A batch shares no particle, which the compiler cannot see. So the list of particles is cut into segments, and a job has
//! one of them to itself, with the constraints that have both ends in it. Most constraints join particles that are near
//! each other in the list. Those that cross a border have their turn afterwards in segments that lie across the borders,
//! and what fits into neither comes last, alone. Within a batch any order ends in the same bits.

use std::ops::Range;

use glam::Vec4;
use rayon::prelude::*;

use crate::layout::Constraint;

/// Fewest particles of a segment: less work would cost more to hand out than to do.
const SHORTEST_SEGMENT: usize = 1024;

/// Length of a segment over that of constraints, so that few of these cross a border.
const SEGMENT_OVER_SPAN: usize = 8;

/// Constraints of one job, and the particles that are its own.
pub(super) struct Job<'a> {
    /// Index of the first of `particles`.
    pub(super) first: usize,
    pub(super) particles: &'a mut [Vec4],
    pub(super) constraints: &'a [Constraint],
    pub(super) lambdas: &'a mut [f32],
}

/// How many constraints of a batch, sorted by [`Segments::sort`], lie in each segment, and then in each across borders.
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
    /// Segments several times as long as nine in ten constraints, measured in places of the list of particles.
    pub(super) fn for_constraints(particle_count: usize, constraints: &[Constraint]) -> Self {
        let mut spans: Vec<usize> =
            constraints.iter().map(|constraint| constraint.index_a.abs_diff(constraint.index_b) as usize).collect();
        let place = spans.len() * 9 / 10;
        let span = if spans.is_empty() { 0 } else { *spans.select_nth_unstable(place).1 };
        Self { length: (SEGMENT_OVER_SPAN * span).max(SHORTEST_SEGMENT), particle_count }
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
        let mut counts =
            self.offsets().map(|offset| vec![0; self.particle_count.saturating_sub(offset).div_ceil(self.length)]);
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
            let least_jobs = SHORTEST_SEGMENT * jobs.len() / counts.iter().sum::<usize>().max(1);
            jobs.into_par_iter().with_min_len(least_jobs).for_each(&work);
        }
        work(Job { first: 0, particles, constraints, lambdas });
    }
}
