//! Batches of constraints, cut into jobs for threads: turn after turn, and in each a job a segment of the particles, as
//! [`Partition`] has them.
//!
//! A job has its segment to itself, so that no particle is shared, which the compiler can see.

use std::ops::Range;

use glam::Vec4;
use rayon::prelude::*;

use super::JOB;
use super::partition::Partition;
use super::runs::Run;
use crate::layout::Constraint;

/// Constraints of one job, batch after batch, and the particles that are its own.
pub(super) struct Job<'a> {
    /// Index of the first of `particles`.
    pub(super) first: usize,
    pub(super) particles: &'a mut [Vec4],
    /// In which runs `constraints` are.
    pub(super) runs: &'a [Run],
    pub(super) constraints: &'a [Constraint],
    pub(super) lambdas: &'a mut [f32],
}

/// The jobs that threads do at the same time.
#[derive(Clone)]
struct Turn {
    /// Where the segments start.
    offset: usize,
    /// Particles in a segment.
    length: usize,
    /// Those of the job of each segment; there may be none.
    runs: Vec<Vec<Run>>,
}

/// The jobs of a sweep over all batches.
#[derive(Clone)]
pub(super) struct Schedule {
    turns: Vec<Turn>,
}

impl Schedule {
    /// The schedule for the threads of this pool, and the order in which it has the constraints.
    pub(super) fn new(particle_count: usize, constraints: &[Constraint], batches: &[Range<u32>]) -> (Self, Vec<u32>) {
        let threads = rayon::current_num_threads();
        let (partition, places) = Partition::best(particle_count, constraints, batches, threads);
        let mut order: Vec<u32> = (0..constraints.len() as u32).collect();
        // Those of one place stay in the order of their batches.
        order.sort_by_key(|index| places[*index as usize]);
        let batch = |index: u32| batches.partition_point(|batch| batch.end <= index);
        let mut rest = &mut *order;
        let mut runs = |count| {
            let own = rest.split_off_mut(..count).expect("every constraint has a place");
            let batches = own.chunk_by_mut(|one, next| batch(*one) == batch(*next));
            batches.flat_map(|batch| Run::sort(constraints, batch)).collect()
        };
        let turn = |(turn, counts): (usize, Vec<usize>)| {
            let (offset, length) = partition.segments(turn);
            Turn { offset, length, runs: counts.into_iter().map(&mut runs).collect() }
        };
        let turns = partition.counts(&places, batches.len()).into_iter().enumerate().map(turn).collect();
        (Self { turns }, order)
    }

    /// Heeds that some of the constraints, which are in the order of the schedule, are cut now.
    pub(super) fn heed_cuts(&mut self, mut constraints: &[Constraint]) {
        for runs in self.turns.iter_mut().flat_map(|turn| &mut turn.runs) {
            let parts = runs.iter().flat_map(|run| {
                let own = constraints.split_off(..run.count).expect("there are as many as ever");
                run.around_cuts(own)
            });
            *runs = parts.collect();
        }
    }

    /// Does `work` to every constraint; they are in the order of the schedule.
    pub(super) fn for_each(
        &self,
        particles: &mut [Vec4],
        mut constraints: &[Constraint],
        mut lambdas: &mut [f32],
        work: impl Fn(Job<'_>) + Sync,
    ) {
        for Turn { offset, length, runs } in &self.turns {
            let segments = particles.get_mut(*offset..).unwrap_or_default().chunks_mut(*length).zip(runs);
            let mut jobs = Vec::with_capacity(runs.len());
            for (segment, (particles, runs)) in segments.enumerate().filter(|(_, (_, runs))| !runs.is_empty()) {
                let count = runs.iter().map(|run| run.count).sum();
                let constraints = constraints.split_off(..count).expect("there are as many as ever");
                let lambdas = lambdas.split_off_mut(..count).expect("there are as many as constraints");
                jobs.push(Job { first: offset + segment * length, particles, runs, constraints, lambdas });
            }
            let count: usize = jobs.iter().map(|job| job.constraints.len()).sum();
            let least_jobs = (JOB * jobs.len()).div_ceil(count.max(1));
            jobs.into_par_iter().with_min_len(least_jobs).for_each(&work);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::runs::Lanes;
    use std::sync::Mutex;

    /// A ladder of so many rungs: the rails in two batches, and the rungs.
    fn ladder(rungs: u32) -> (Vec<Constraint>, [Range<u32>; 3]) {
        let rails =
            |first| (first..rungs - 1).step_by(2).flat_map(|rung| [[rung, rung + 1], [rung + rungs, rung + 1 + rungs]]);
        let ends = rails(0).chain(rails(1)).chain((0..rungs).map(|rung| [rung, rung + rungs]));
        let constraints: Vec<_> =
            ends.map(|[index_a, index_b]| Constraint { index_a, index_b, ..Default::default() }).collect();
        let (first, second) = (rungs / 2 * 2, (rungs - 1) * 2);
        (constraints, [0..first, first..second, second..second + rungs])
    }

    fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    /// Each constraint once, in its segment, and each particle in the order of the batches.
    #[test]
    fn particles_meet_their_constraints_in_the_order_of_the_batches() {
        for (rungs, threads) in [(2, 2), (7, 3), (3000, 1), (3000, 2), (20_000, 5)] {
            let (constraints, batches) = ladder(rungs);
            let (schedule, order) = on_threads(threads, || Schedule::new(2 * rungs as usize, &constraints, &batches));
            let sorted: Vec<_> = order.iter().map(|&index| constraints[index as usize]).collect();
            let mut lambdas: Vec<f32> = order.iter().map(|&index| index as f32).collect();
            let seen = Mutex::new(vec![Vec::new(); 2 * rungs as usize]);
            let mut particles = vec![Vec4::ZERO; 2 * rungs as usize];
            on_threads(threads, || {
                schedule.for_each(&mut particles, &sorted, &mut lambdas, |job| {
                    assert_eq!(job.runs.iter().map(|run| run.count).sum::<usize>(), job.constraints.len());
                    for (constraint, index) in job.constraints.iter().zip(job.lambdas) {
                        let ends = constraint.particles().map(|end| end as usize);
                        assert!(ends.iter().all(|end| end - job.first < job.particles.len()));
                        ends.iter().for_each(|&end| seen.lock().unwrap()[end].push(*index as usize));
                    }
                });
            });
            let seen = seen.into_inner().unwrap();
            let ascend = |seen: &Vec<usize>| seen.is_sorted_by(|one, next| one < next);
            assert!(seen.iter().all(ascend), "{rungs} rungs on {threads} threads");
            assert_eq!(seen.iter().map(Vec::len).sum::<usize>(), 2 * constraints.len());
        }
    }

    #[test]
    fn cuts_make_runs_loose() {
        let (constraints, batches) = ladder(16);
        let (mut schedule, order) = Schedule::new(32, &constraints, &batches);
        let mut sorted: Vec<_> = order.iter().map(|&index| constraints[index as usize]).collect();
        let rungs = |schedule: &Schedule| {
            schedule.turns[0].runs[0]
                .iter()
                .filter(|run| run.lanes == Lanes::Consecutive)
                .map(|run| run.count)
                .sum::<usize>()
        };
        assert_eq!(rungs(&schedule), 16);
        let rung = sorted.iter_mut().find(|constraint| constraint.particles() == [9, 25]).unwrap();
        rung.index_b = rung.index_a;
        schedule.heed_cuts(&sorted);
        assert_eq!(rungs(&schedule), 12);
    }
}
