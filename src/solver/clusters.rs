//! Meshes that are larger than a workgroup: runs of batches in one dispatch, cluster by cluster, in the same bits as batch by
//! batch. [`Coloring::clustered`](crate::model::Coloring::clustered) has batches in an order that makes for long runs.

use std::ops::Range;

use super::bodies::Bodies;
use super::body_lists::{Batched, BodyLists};
use super::list_pass::ListPass;
use super::pbd_fused::FusedBuffers;
use crate::engine::{self, Device, Recorder};
use crate::layout::{Constraint, FusedPush, Hinge};
use crate::model::root;
use crate::shaders;

/// A run of batches.
pub(super) enum Run<T> {
    /// What hangs together in it is small: one dispatch.
    Clusters(T),
    /// One batch, of constraints or of hinges.
    Batch(Range<u32>),
}

/// The runs of an iteration: of its constraints, and then of its hinges.
pub(super) struct Runs<T> {
    constraints: Vec<Run<T>>,
    hinges: Vec<Run<T>>,
}

/// The runs on the device.
pub(super) type Clusters = Runs<Bodies>;

impl Runs<BodyLists> {
    /// The runs of a cloth, where there are at most half as many as batches.
    pub(super) fn fitting(
        device: &Device,
        particle_count: usize,
        constraints: Batched<'_, Constraint>,
        hinges: Batched<'_, Hinge>,
    ) -> Option<Self> {
        let most = BodyLists::most_particles_on(device)?;
        let of_constraints =
            runs(particle_count, constraints.1, |index| constraints.0[index as usize].particles(), most);
        let of_hinges = runs(particle_count, hinges.1, |index| hinges.0[index as usize].particles, most);
        if 2 * (of_constraints.len() + of_hinges.len()) > constraints.1.len() + hinges.1.len() {
            return None;
        }
        let lists = |batches: &[Range<u32>], hinge_batches: &[Range<u32>]| {
            let (constraints, hinges) = ((constraints.0, batches), (hinges.0, hinge_batches));
            BodyLists::new(particle_count, constraints, hinges, most, false).filter(|lists| lists.fit(device))
        };
        let run = |batches: &[Range<u32>], lists: &dyn Fn() -> Option<BodyLists>| match batches {
            [batch] => Some(Run::Batch(batch.clone())),
            _ => lists().map(Run::Clusters),
        };
        let of_constraints = of_constraints.into_iter().map(|batches| run(batches, &|| lists(batches, &[])));
        let of_hinges = of_hinges.into_iter().map(|batches| run(batches, &|| lists(&[], batches)));
        Some(Self { constraints: of_constraints.collect::<Option<_>>()?, hinges: of_hinges.collect::<Option<_>>()? })
    }

    /// Puts them on the device.
    pub(super) fn on_device(self, device: &Device, buffers: &FusedBuffers<'_>) -> engine::Result<Clusters> {
        let put = |runs: Vec<Run<BodyLists>>| {
            let run = |run| {
                Ok(match run {
                    Run::Clusters(lists) => Run::Clusters(Bodies::new(device, &lists, 0, buffers)?),
                    Run::Batch(batch) => Run::Batch(batch),
                })
            };
            runs.into_iter().map(run).collect::<engine::Result<Vec<_>>>()
        };
        Ok(Runs { constraints: put(self.constraints)?, hinges: put(self.hinges)? })
    }
}

impl Clusters {
    /// Records one iteration, with the passes for single batches of constraints and of hinges, if there are some.
    pub(super) fn record(
        &self,
        recorder: &mut Recorder<'_>,
        batch_passes: &[Option<&ListPass>; 2],
        iteration: u32,
    ) -> engine::Result<()> {
        let push = FusedPush { substeps: 1, sweeps: 1, first_sweep: iteration, accumulates: 1, ..FusedPush::default() };
        let passes = [&self.constraints, &self.hinges].into_iter().zip(batch_passes);
        for (run, pass) in passes.flat_map(|(runs, pass)| runs.iter().map(move |run| (run, pass))) {
            match (run, pass) {
                (Run::Clusters(bodies), _) => bodies.record(recorder, &push)?,
                (Run::Batch(batch), Some(pass)) => {
                    pass.record_batches(recorder, std::slice::from_ref(batch), iteration)?;
                }
                (Run::Batch(_), None) => {}
            }
        }
        Ok(())
    }

    /// The passes of one iteration, each with its calls; `batch_passes` as [`Clusters::record`] has them.
    pub(super) fn passes(&self, [solve, bend]: &[Option<&ListPass>; 2]) -> Vec<(String, u32)> {
        let single = |runs: &[Run<Bodies>], pass: &Option<&ListPass>| {
            let calls = |run: &Run<Bodies>| match run {
                Run::Clusters(_) => 0,
                Run::Batch(batch) => pass.map_or(0, |pass| pass.call_count(std::slice::from_ref(batch))),
            };
            runs.iter().map(calls).sum()
        };
        let [constraints, hinges] = [single(&self.constraints, solve), single(&self.hinges, bend)];
        let runs = self.constraints.iter().chain(&self.hinges);
        let clusters = runs.filter(|run| matches!(run, Run::Clusters(_))).count() as u32;
        let names = [shaders::PBD_BODY.name, shaders::PBD_SOLVE.name, shaders::PBD_BEND.name];
        let calls = names.map(str::to_string).into_iter().zip([clusters, constraints, hinges]);
        calls.filter(|(_, calls)| *calls > 0).collect()
    }
}

/// Divides batches into runs, each as long as what hangs together in it has at most `most` particles.
fn runs<const N: usize>(
    particle_count: usize,
    batches: &[Range<u32>],
    particles: impl Fn(u32) -> [u32; N],
    most: u32,
) -> Vec<&[Range<u32>]> {
    let mut found = Vec::new();
    let mut first = 0;
    while first < batches.len() {
        let mut sets = Sets { parents: (0..particle_count as u32).collect(), sizes: vec![1; particle_count] };
        let fit = batches[first..].iter().take_while(|batch| {
            let joined = (*batch).clone().flat_map(|index| {
                let particles = particles(index);
                (1..N).map(move |other| [particles[0], particles[other]])
            });
            joined.fold(0, |largest, pair| largest.max(sets.join(pair))) <= most
        });
        let end = first + fit.count().max(1);
        found.push(&batches[first..end]);
        first = end;
    }
    found
}

/// Which particles hang together, and how many.
struct Sets {
    parents: Vec<u32>,
    /// Of a root.
    sizes: Vec<u32>,
}

impl Sets {
    /// Joins the sets of two particles, and says how large theirs is then.
    fn join(&mut self, pair: [u32; 2]) -> u32 {
        let [one, other] = pair.map(|particle| root(&mut self.parents, particle));
        let [large, small] =
            if self.sizes[one as usize] < self.sizes[other as usize] { [other, one] } else { [one, other] };
        if large != small {
            self.parents[small as usize] = large;
            self.sizes[large as usize] += self.sizes[small as usize];
        }
        self.sizes[large as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_before_what_hangs_together_is_too_large() {
        // A chain of 9 particles: links of even numbers, links 1 and 5, links 3 and 7.
        let links = [0_u32, 2, 4, 6, 1, 5, 3, 7];
        let particles = |index: u32| [links[index as usize], links[index as usize] + 1];
        let batches = [0..4, 4..6, 6..8];
        let lengths = |most| runs(9, &batches, particles, most).iter().map(|run| run.len()).collect::<Vec<_>>();
        // In pairs; then in fours; then all.
        assert_eq!(lengths(9), [3]);
        assert_eq!(lengths(8), [2, 1]);
        assert_eq!(lengths(4), [2, 1]);
        assert_eq!(lengths(3), [1, 2]);
        // A batch is a run by itself, however small a run may be.
        assert_eq!(lengths(1), [1, 1, 1]);
    }
}
