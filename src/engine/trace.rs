//! Checks a finished recording for missing barriers, from the commands alone.
//!
//! Synchronization validation does not report two dispatches that bind the same storage buffer without a barrier
//! between them, and a software driver runs them in order, so nothing else here would notice. This check does not
//! share the tracker's bookkeeping: it looks at what was recorded and searches a barrier between every two conflicting
//! accesses.

use std::collections::HashMap;

use ash::vk;

use super::hazard::{Barrier, ResourceId, Use};
use super::work::{PassWork, Work};

/// What a recording did, in order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    passes: Vec<Pass>,
    /// Each barrier with the number of passes before it.
    barriers: Vec<(usize, Barrier)>,
}

/// One call of a pass.
#[derive(Clone, Debug)]
struct Pass {
    name: String,
    uses: Vec<Use>,
    work: Work,
}

/// Two accesses to one resource that have to keep their order, each with the number of its call.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub(super) earlier: (usize, Use),
    pub(super) later: (usize, Use),
}

#[derive(Default)]
struct History {
    /// Or the last change of layout, which is as good as a write, with the use that it was for.
    last_write: Option<(usize, Use)>,
    reads: Vec<(usize, Use)>,
}

impl Trace {
    /// Adds a call of a pass.
    pub fn pass(&mut self, name: &str, uses: &[Use]) {
        self.passes.push(Pass { name: name.to_string(), uses: uses.to_vec(), work: Work::default() });
    }

    /// Adds what the call that was added last does.
    pub fn describe(&mut self, work: Work) {
        if let Some(last) = self.passes.last_mut() {
            last.work = work;
        }
    }

    /// Adds a barrier.
    pub fn barrier(&mut self, barrier: &Barrier) {
        self.barriers.push((self.passes.len(), barrier.clone()));
    }

    /// One sentence for every two passes that race, and for every image that is not in the layout in which it is needed.
    #[must_use]
    pub fn races(&self) -> Vec<String> {
        let unordered = self.conflicts().into_iter().filter(|conflict| !self.is_ordered(conflict));
        let race = |Conflict { earlier: (before, first), later: (index, second) }: Conflict| {
            format!(
                "no barrier between pass {before} '{}' ({:?}) and pass {index} '{}' ({:?}) on the same resource",
                self.passes[before].name, first.accesses, self.passes[index].name, second.accesses
            )
        };
        unordered.map(race).chain(self.wrong_layouts()).collect()
    }

    /// Every two accesses to one resource that have to keep their order, as one of them writes: of those that come before an
    /// access only the ones that nothing between has followed already.
    pub(super) fn conflicts(&self) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        let mut histories: HashMap<ResourceId, History> = HashMap::new();
        for (index, Pass { uses, .. }) in self.passes.iter().enumerate() {
            for one in uses {
                let history = histories.entry(one.resource).or_default();
                let writes = one.writes() || self.transition_at(index, one.resource).is_some();
                let reads = history.reads.iter().filter(|_| writes);
                let earlier = history.last_write.iter().chain(reads);
                conflicts.extend(earlier.map(|earlier| Conflict { earlier: *earlier, later: (index, *one) }));
                if writes {
                    // What comes after this one comes after those that it has waited for.
                    *history = History { last_write: Some((index, *one)), reads: Vec::new() };
                } else {
                    history.reads.push((index, *one));
                }
            }
        }
        conflicts
    }

    fn is_ordered(&self, conflict: &Conflict) -> bool {
        let Conflict { earlier: (_, first), later: (index, second) } = conflict;
        match self.transition_at(*index, second.resource) {
            // The barrier that changes the layout has to follow the earlier access itself.
            Some(barrier) => orders(barrier, first, second),
            None => self.is_ordered_until(conflict, *index),
        }
    }

    /// Whether the barriers up to the one right before call `until` order two accesses in one layout.
    fn is_ordered_until(
        &self,
        Conflict { earlier: (before, first), later: (_, second) }: &Conflict,
        until: usize,
    ) -> bool {
        // A change of layout is seen by all that its own barrier is for.
        let was_for = |barrier: &Barrier| !first.writes() && !second.writes() && is_for(barrier, second);
        self.transition_at(*before, first.resource).is_some_and(was_for)
            || self.between(*before, until).any(|barrier| orders(barrier, first, second))
    }

    /// The conflicts that nothing orders but the barrier right before the later call.
    pub(super) fn waits(&self) -> Vec<Conflict> {
        let mut waits = self.conflicts();
        waits.retain(|wait| {
            let (index, one) = &wait.later;
            self.transition_at(*index, one.resource).is_some() || !self.is_ordered_until(wait, index - 1)
        });
        waits
    }

    fn wrong_layouts(&self) -> impl Iterator<Item = String> {
        let mut held: HashMap<ResourceId, vk::ImageLayout> = HashMap::new();
        let uses =
            self.passes.iter().enumerate().flat_map(|(index, pass)| pass.uses.iter().map(move |one| (index, one)));
        uses.filter_map(move |(index, one)| {
            let image = one.image?;
            let before = held.get(&one.resource).copied();
            let is = self.layout_before(index, one.resource).or(before).unwrap_or(image.home);
            held.insert(one.resource, is);
            let name = &self.passes[index].name;
            (is != image.layout)
                .then(|| format!("pass {index} '{name}' needs an image in {:?} that is in {is:?}", image.layout))
        })
    }

    /// The calls in order, each with its name, what it does, and the barriers right before it.
    pub(super) fn each(&self) -> impl Iterator<Item = (&str, &Work, impl Iterator<Item = &Barrier>)> {
        let passes = self.passes.iter().enumerate();
        passes.map(|(index, Pass { name, work, .. })| (&**name, work, self.barriers_before(index)))
    }

    /// What each pass was told to do, in the order of their first calls.
    #[must_use]
    pub fn work(&self) -> Vec<PassWork> {
        let mut all: Vec<PassWork> = Vec::new();
        for (index, Pass { name, work, .. }) in self.passes.iter().enumerate() {
            let place = all.iter().position(|pass| pass.name == *name).unwrap_or_else(|| {
                all.push(PassWork { name: name.clone(), calls: Vec::new(), barriers: Vec::new() });
                all.len() - 1
            });
            all[place].add(work, self.barriers_before(index).cloned());
        }
        all
    }

    /// The barriers right before a call.
    fn barriers_before(&self, pass: usize) -> impl DoubleEndedIterator<Item = &Barrier> {
        let from = self.barriers.partition_point(|(at, _)| *at < pass);
        let to = self.barriers.partition_point(|(at, _)| *at <= pass);
        self.barriers[from..to].iter().map(|(_, barrier)| barrier)
    }

    /// How many barriers were recorded.
    #[must_use]
    pub fn barrier_count(&self) -> usize {
        self.barriers.len()
    }

    /// The same recording without one of its barriers, to see whether it is missed.
    ///
    /// # Panics
    /// Where there are not so many.
    #[must_use]
    pub fn without_barrier(&self, index: usize) -> Self {
        let mut trace = self.clone();
        trace.barriers.remove(index);
        trace
    }

    /// The barriers after one call and before another, also the one right before that.
    fn between(&self, earlier: usize, later: usize) -> impl Iterator<Item = &Barrier> {
        // Barriers lie in the order of the passes.
        let from = self.barriers.partition_point(|(at, _)| *at <= earlier);
        let to = self.barriers.partition_point(|(at, _)| *at <= later).max(from);
        self.barriers[from..to].iter().map(|(_, barrier)| barrier)
    }

    /// The barrier right before a pass, where it changes the layout of `resource`.
    fn transition_at(&self, pass: usize, resource: ResourceId) -> Option<&Barrier> {
        let changes = |barrier: &&Barrier| barrier.transitions.iter().any(|transition| transition.resource == resource);
        self.barriers_before(pass).rev().find(changes)
    }

    fn layout_before(&self, pass: usize, resource: ResourceId) -> Option<vk::ImageLayout> {
        let transitions =
            self.barriers.iter().filter(|(at, _)| *at <= pass).flat_map(|(_, barrier)| &barrier.transitions);
        transitions.rev().find(|transition| transition.resource == resource).map(|last| last.image.layout)
    }
}

/// Whether `barrier` makes `second` wait for `first`, and see what it wrote.
fn orders(barrier: &Barrier, first: &Use, second: &Use) -> bool {
    let executes = barrier.source_stages.contains(first.stages) && barrier.target_stages.contains(second.stages);
    let made_visible =
        written(first).is_none_or(|writes| is_for(barrier, second) && barrier.source_accesses.contains(writes));
    executes && made_visible
}

/// Whether a use sees what `barrier` makes visible.
fn is_for(barrier: &Barrier, one: &Use) -> bool {
    barrier.target_stages.contains(one.stages) && barrier.target_accesses.contains(one.accesses)
}

/// The writing part of a use's accesses.
fn written(one: &Use) -> Option<vk::AccessFlags2> {
    let reads = vk::AccessFlags2::SHADER_READ
        | vk::AccessFlags2::SHADER_STORAGE_READ
        | vk::AccessFlags2::SHADER_SAMPLED_READ
        | vk::AccessFlags2::UNIFORM_READ
        | vk::AccessFlags2::INDEX_READ
        | vk::AccessFlags2::COLOR_ATTACHMENT_READ
        | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ
        | vk::AccessFlags2::TRANSFER_READ
        | vk::AccessFlags2::HOST_READ
        | vk::AccessFlags2::MEMORY_READ;
    Some(one.accesses & !reads).filter(|writes| !writes.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::hazard::{ImageUse, Tracker};
    use ash::vk::{AccessFlags2 as Accesses, PipelineStageFlags2 as Stages};

    /// The passes of two iterations of three colour batches between a predict and a velocity pass.
    fn passes() -> Vec<(&'static str, Vec<Use>)> {
        let [positions, previous, velocities, constraints] = std::array::from_fn(|_| ResourceId::next());
        let one = |resource, accesses| Use { resource, stages: Stages::COMPUTE_SHADER, accesses, image: None };
        let read = Accesses::SHADER_STORAGE_READ;
        let write = Accesses::SHADER_STORAGE_WRITE;
        let mut passes =
            vec![("predict", vec![one(positions, read | write), one(previous, write), one(velocities, read | write)])];
        for _ in 0..6 {
            passes.push(("solve", vec![one(positions, read | write), one(constraints, read)]));
        }
        passes.push(("velocity", vec![one(positions, read), one(previous, read), one(velocities, write)]));
        passes
    }

    fn record(passes: &[(&str, Vec<Use>)]) -> Trace {
        let mut tracker = Tracker::default();
        let mut trace = Trace::default();
        for (name, uses) in passes {
            if let Some(barrier) = tracker.before(uses) {
                trace.barrier(&barrier);
            }
            trace.pass(name, uses);
        }
        trace
    }

    /// A depth image that is drawn, sampled by two passes.
    fn drawn_and_sampled() -> Vec<(&'static str, Vec<Use>)> {
        let resource = ResourceId::next();
        let one = |stages, accesses, layout| {
            let (image, home) = (vk::Image::null(), vk::ImageLayout::UNDEFINED);
            let image = ImageUse { image, aspect: vk::ImageAspectFlags::DEPTH, home, layout };
            vec![Use { resource, stages, accesses, image: Some(image) }]
        };
        let (tests, write) = (Stages::LATE_FRAGMENT_TESTS, Accesses::DEPTH_STENCIL_ATTACHMENT_WRITE);
        let drawn = one(tests, write, vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL);
        let sampled = one(Stages::FRAGMENT_SHADER, Accesses::SHADER_SAMPLED_READ, vk::ImageLayout::READ_ONLY_OPTIMAL);
        vec![("draw", drawn), ("sample", sampled.clone()), ("sample again", sampled)]
    }

    #[test]
    fn an_image_that_is_drawn_twice_follows_those_that_sampled_it() {
        let passes = drawn_and_sampled();
        let whole = record(&[passes.clone(), passes].concat());
        assert_eq!(whole.races(), Vec::<String>::new());
        assert_eq!(whole.barrier_count(), 4);
        for index in 0..whole.barrier_count() {
            let trace = whole.without_barrier(index);
            assert!(!trace.races().is_empty(), "barrier {index} is missing and nothing was said");
            let mut narrow = whole.clone();
            narrow.barriers[index].1.source_stages = Stages::TRANSFER;
            assert!(index == 0 || !narrow.races().is_empty(), "barrier {index} waits for nobody and nothing was said");
        }
    }

    /// A storage image that one pass writes, that is copied, and that passes read and write again.
    fn written_and_copied() -> Vec<(&'static str, Vec<Use>)> {
        let resource = ResourceId::next();
        let one = |stages, accesses, layout| {
            let (image, home) = (vk::Image::null(), vk::ImageLayout::GENERAL);
            let image = ImageUse { image, aspect: vk::ImageAspectFlags::COLOR, home, layout };
            vec![Use { resource, stages, accesses, image: Some(image) }]
        };
        let read = one(Stages::COMPUTE_SHADER, Accesses::SHADER_STORAGE_READ, vk::ImageLayout::GENERAL);
        let write = one(Stages::COMPUTE_SHADER, Accesses::SHADER_STORAGE_WRITE, vk::ImageLayout::GENERAL);
        let copied = one(Stages::ALL_TRANSFER, Accesses::TRANSFER_READ, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        let passes = [("write", &write), ("copy", &copied), ("read", &read), ("read again", &read), ("write", &write)];
        passes.map(|(name, uses)| (name, uses.clone())).to_vec()
    }

    #[test]
    fn what_sees_a_change_of_layout_waits_for_nothing_more() {
        let waits: Vec<_> = record(&drawn_and_sampled()).calls().iter().map(|call| call.waits.len()).collect();
        assert_eq!(waits, [0, 1, 0]);
    }

    #[test]
    fn an_image_that_is_copied_between_two_passes_follows_the_copy() {
        let whole = record(&written_and_copied());
        assert_eq!(whole.races(), Vec::<String>::new());
        assert_eq!(whole.barrier_count(), 3);
        for index in 0..whole.barrier_count() {
            let trace = whole.without_barrier(index);
            assert!(!trace.races().is_empty(), "barrier {index} is missing and nothing was said");
            let mut narrow = whole.clone();
            narrow.barriers[index].1.source_stages = Stages::VERTEX_SHADER;
            assert!(!narrow.races().is_empty(), "barrier {index} waits for nobody and nothing was said");
        }
    }

    #[test]
    fn a_tracked_recording_has_no_race() {
        let trace = record(&passes());
        assert_eq!(trace.races(), Vec::<String>::new());
        assert_eq!(trace.barrier_count(), 7);
    }

    #[test]
    fn the_work_of_a_pass_is_told_with_its_barriers() {
        let work = record(&passes()).work();
        let told: Vec<_> = work.iter().map(|pass| (&*pass.name, pass.call_count(), pass.barriers.len())).collect();
        // The barrier before the first batch and the one between two are the same.
        assert_eq!(told, [("predict", 1, 0), ("solve", 6, 1), ("velocity", 1, 1)]);
        assert_eq!((work[1].barriers[0].1, work[1].barriers[0].0.source_accesses), (6, Accesses::SHADER_STORAGE_WRITE));
    }

    #[test]
    fn every_single_barrier_left_out_is_found() {
        let whole = record(&passes());
        for left_out in 0..whole.barrier_count() {
            let trace = whole.without_barrier(left_out);
            assert!(!trace.races().is_empty(), "barrier {left_out} is missing and nothing was said");
        }
    }

    #[test]
    fn a_barrier_with_too_narrow_a_scope_is_found() {
        let whole = record(&passes());
        for index in 0..whole.barrier_count() {
            let mut narrow = whole.clone();
            narrow.barriers[index].1.target_accesses = Accesses::UNIFORM_READ;
            assert!(!narrow.races().is_empty(), "barrier {index} shows the write to nobody and nothing was said");
            let mut narrow = whole.clone();
            narrow.barriers[index].1.source_stages = Stages::TRANSFER;
            assert!(!narrow.races().is_empty(), "barrier {index} waits for nobody and nothing was said");
        }
    }
}
