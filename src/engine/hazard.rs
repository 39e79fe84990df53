//! Derives barriers from declared accesses. Pure data: no Vulkan call, so it is tested without a device.
//!
//! Within one recording the tracker remembers, for each resource, who wrote it last, who has been made to see that
//! write, and who has read it since. A pass that would race with one of them gets one merged barrier before it.
//! Source: Vulkan specification 1.3, chapter 7 (execution and memory dependencies).

use std::sync::atomic::{AtomicU64, Ordering};

use ash::vk::{AccessFlags2 as Accesses, Image, ImageAspectFlags, ImageLayout, PipelineStageFlags2 as Stages};

/// Identity of a buffer, an image or bindings, unique within the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(u64);

impl ResourceId {
    /// An identity that nothing else has.
    #[must_use]
    pub fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// The layout in which a pass needs an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageUse {
    /// The image.
    pub image: Image,
    /// Which of its aspects.
    pub aspect: ImageAspectFlags,
    /// The layout that the image has between recordings; `UNDEFINED` where its contents are not kept.
    pub home: ImageLayout,
    /// The layout that the pass needs.
    pub layout: ImageLayout,
}

/// How one pass uses one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The buffer or image.
    pub resource: ResourceId,
    /// Pipeline stages in which it is accessed.
    pub stages: Stages,
    /// Kinds of access.
    pub accesses: Accesses,
    /// The layout that is needed, for images.
    pub image: Option<ImageUse>,
}

/// A change of an image's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Identity of the image.
    pub resource: ResourceId,
    /// The image, with the layout that it gets.
    pub image: ImageUse,
    /// The layout that it had.
    pub from: ImageLayout,
}

/// One merged pipeline barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    /// Stages that have to finish.
    pub source_stages: Stages,
    /// Writes that have to become available.
    pub source_accesses: Accesses,
    /// Stages that have to wait.
    pub target_stages: Stages,
    /// Accesses that have to see the writes.
    pub target_accesses: Accesses,
    /// Changes of image layouts.
    pub transitions: Vec<Transition>,
}

const WRITES: Accesses = Accesses::from_raw(
    Accesses::SHADER_WRITE.as_raw()
        | Accesses::SHADER_STORAGE_WRITE.as_raw()
        | Accesses::COLOR_ATTACHMENT_WRITE.as_raw()
        | Accesses::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw()
        | Accesses::TRANSFER_WRITE.as_raw()
        | Accesses::HOST_WRITE.as_raw()
        | Accesses::MEMORY_WRITE.as_raw(),
);

impl Use {
    /// Whether the use looks at what the resource holds.
    #[must_use]
    pub fn reads(&self) -> bool {
        !(self.accesses & !WRITES).is_empty()
    }

    /// Whether the use changes the resource.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.accesses.intersects(WRITES)
    }
}

/// To how many the tracker remembers that a write has been made visible.
const MOST_SEEN: usize = 8;

#[derive(Clone, Copy, Default, PartialEq)]
struct State {
    write: Option<(Stages, Accesses)>,
    /// To whom the last write has been made visible; what is empty is to nobody.
    visible_to: [(Stages, Accesses); MOST_SEEN],
    /// Stages that have read since the last write.
    readers: Stages,
    /// Stages that wait for all of those reads.
    readers_precede: Stages,
    image: Option<ImageUse>,
}

impl State {
    fn is_visible_to(&self, stages: Stages, accesses: Accesses) -> bool {
        self.visible_to.iter().any(|&(seen_in, seen_by)| seen_in.contains(stages) && seen_by.contains(accesses))
    }

    /// Where there is no room left it forgets whom it has shown the write first, which can cost a barrier and saves none.
    fn show_to(&mut self, stages: Stages, accesses: Accesses) {
        if !self.is_visible_to(stages, accesses) {
            self.visible_to.rotate_right(1);
            self.visible_to[0] = (stages, accesses);
        }
    }
}

/// Follows one recording, pass by pass.
#[derive(Default, PartialEq)]
pub struct Tracker {
    /// What has been used, and in the same order its states.
    resources: Vec<ResourceId>,
    states: Vec<State>,
}

impl Clone for Tracker {
    fn clone(&self) -> Self {
        Self { resources: self.resources.clone(), states: self.states.clone() }
    }

    /// Takes no memory where there is room for as much already.
    fn clone_from(&mut self, source: &Self) {
        self.resources.clone_from(&source.resources);
        self.states.clone_from(&source.states);
    }
}

impl Tracker {
    /// Starts a recording.
    pub fn restart(&mut self) {
        self.resources.clear();
        self.states.clear();
    }

    /// Takes in the next pass and returns the barrier that has to come before it.
    ///
    /// A resource that one pass uses twice has to be given as one use with all stages and accesses.
    pub fn before(&mut self, uses: &[Use]) -> Option<Barrier> {
        let mut barrier = Barrier::default();
        for one in uses {
            self.add_hazards(one, &mut barrier);
        }
        let needed = !barrier.source_stages.is_empty() || !barrier.transitions.is_empty();
        if needed {
            self.apply(&barrier);
        }
        for one in uses {
            self.take_in(one);
        }
        needed.then_some(barrier)
    }

    /// Brings every image back to the layout that it has between recordings.
    pub fn finish(&mut self) -> Option<Barrier> {
        let states = self.resources.iter().zip(&self.states);
        let mut uses: Vec<Use> = states
            .filter_map(|(&resource, state)| state.image.map(|image| (resource, image)))
            .filter(|(_, image)| image.home != ImageLayout::UNDEFINED && image.layout != image.home)
            .map(|(resource, image)| Use {
                resource,
                stages: Stages::ALL_COMMANDS,
                accesses: Accesses::MEMORY_READ | Accesses::MEMORY_WRITE,
                image: Some(ImageUse { layout: image.home, ..image }),
            })
            .collect();
        uses.sort_by_key(|one| one.resource);
        self.before(&uses)
    }

    fn place_of(&self, resource: ResourceId) -> Option<usize> {
        self.resources.iter().position(|known| *known == resource)
    }

    fn add_hazards(&self, one: &Use, barrier: &mut Barrier) {
        let state = self.place_of(one.resource).map_or_else(State::default, |place| self.states[place]);
        let transition = one.image.and_then(|image| {
            let from = state.image.map_or(image.home, |held| held.layout);
            (from != image.layout).then_some(Transition { resource: one.resource, image, from })
        });
        // A change of layout writes the image.
        let writes = one.writes() || transition.is_some();
        let mut source_stages = Stages::empty();
        // A change of layout has to follow the last write itself, whoever that has been made visible to.
        if let Some((stages, accesses)) = state.write
            && (transition.is_some() || !state.is_visible_to(one.stages, one.accesses))
        {
            source_stages |= stages;
            barrier.source_accesses |= accesses;
        }
        if writes && (transition.is_some() || !state.readers_precede.contains(one.stages)) {
            // Write after read needs no memory dependency, only the order.
            source_stages |= state.readers;
        }
        if let Some(transition) = transition {
            // The first use in a recording chains onto the full barrier that the recording starts with.
            if source_stages.is_empty() {
                source_stages = one.stages;
            }
            barrier.transitions.push(transition);
        }
        if !source_stages.is_empty() {
            barrier.source_stages |= source_stages;
            barrier.target_stages |= one.stages;
            barrier.target_accesses |= one.accesses;
        }
    }

    /// A memory barrier covers every resource, not only those that asked for it.
    fn apply(&mut self, barrier: &Barrier) {
        for state in &mut self.states {
            if let Some((stages, accesses)) = state.write
                && barrier.source_stages.contains(stages)
                && barrier.source_accesses.contains(accesses)
            {
                state.show_to(barrier.target_stages, barrier.target_accesses);
            }
            if barrier.source_stages.contains(state.readers) {
                state.readers_precede |= barrier.target_stages;
            }
        }
    }

    fn take_in(&mut self, one: &Use) {
        let place = self.place_of(one.resource).unwrap_or_else(|| {
            self.resources.push(one.resource);
            self.states.push(State::default());
            self.states.len() - 1
        });
        let state = &mut self.states[place];
        let moved = one.image.is_some_and(|image| state.image.map_or(image.home, |held| held.layout) != image.layout);
        if one.writes() || moved {
            state.write = Some((one.stages, one.accesses & WRITES));
            state.visible_to = Default::default();
            if !one.writes() {
                state.show_to(one.stages, one.accesses);
            }
            (state.readers, state.readers_precede) = (Stages::empty(), Stages::empty());
        }
        if !one.writes() {
            state.readers |= one.stages;
            state.readers_precede = Stages::empty();
        }
        if one.image.is_some() {
            state.image = one.image;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPUTE: Stages = Stages::COMPUTE_SHADER;

    fn compute(resource: ResourceId, accesses: Accesses) -> Use {
        Use { resource, stages: COMPUTE, accesses, image: None }
    }

    fn read(resource: ResourceId) -> Use {
        compute(resource, Accesses::SHADER_STORAGE_READ)
    }

    fn write(resource: ResourceId) -> Use {
        compute(resource, Accesses::SHADER_STORAGE_WRITE)
    }

    fn both(resource: ResourceId) -> Use {
        compute(resource, Accesses::SHADER_STORAGE_READ | Accesses::SHADER_STORAGE_WRITE)
    }

    #[test]
    fn batches_get_what_gl_memory_barrier_meant() {
        let positions = ResourceId::next();
        let constraints = ResourceId::next();
        let mut tracker = Tracker::default();
        assert_eq!(tracker.before(&[both(positions), read(constraints)]), None);
        let barrier = tracker.before(&[both(positions), read(constraints)]).unwrap();
        assert_eq!(barrier.source_stages, COMPUTE);
        assert_eq!(barrier.source_accesses, Accesses::SHADER_STORAGE_WRITE);
        assert_eq!(barrier.target_stages, COMPUTE);
        assert_eq!(barrier.target_accesses, Accesses::SHADER_STORAGE_READ | Accesses::SHADER_STORAGE_WRITE);
        assert!(barrier.transitions.is_empty());
    }

    #[test]
    fn readers_share_and_a_write_after_them_waits_without_a_memory_dependency() {
        let buffer = ResourceId::next();
        let mut tracker = Tracker::default();
        assert_eq!(tracker.before(&[read(buffer)]), None);
        assert_eq!(tracker.before(&[read(buffer)]), None);
        let barrier = tracker.before(&[write(buffer)]).unwrap();
        assert_eq!((barrier.source_stages, barrier.source_accesses), (COMPUTE, Accesses::empty()));
    }

    #[test]
    fn a_write_that_already_waits_for_the_readers_needs_no_other_barrier() {
        let [first, second] = [ResourceId::next(), ResourceId::next()];
        let copied =
            |resource| Use { resource, stages: Stages::ALL_TRANSFER, accesses: Accesses::TRANSFER_WRITE, image: None };
        let mut tracker = Tracker::default();
        assert_eq!(tracker.before(&[read(first), read(second)]), None);
        assert!(tracker.before(&[copied(first)]).is_some());
        assert_eq!(tracker.before(&[copied(second)]), None, "copies wait for the pass that reads both");
        // Not so those that are read in the meantime, nor a write in another stage.
        let third = ResourceId::next();
        tracker.before(&[read(third)]);
        assert!(tracker.before(&[copied(third)]).is_some());
        let fourth = ResourceId::next();
        tracker.before(&[read(fourth)]);
        tracker.before(&[copied(ResourceId::next())]);
        assert!(tracker.before(&[write(fourth)]).is_some());
    }

    #[test]
    fn one_barrier_serves_every_resource_of_a_pass_and_those_it_covers_anyway() {
        let [first, second, third] = [ResourceId::next(), ResourceId::next(), ResourceId::next()];
        let mut tracker = Tracker::default();
        assert_eq!(tracker.before(&[write(first), write(second), write(third)]), None);
        assert!(tracker.before(&[read(first), read(second)]).is_some());
        assert_eq!(tracker.before(&[read(third)]), None, "the barrier before made all three writes visible");
    }

    #[test]
    fn a_write_is_made_visible_to_each_new_stage() {
        let buffer = ResourceId::next();
        let vertex = Use {
            resource: buffer,
            stages: Stages::VERTEX_SHADER,
            accesses: Accesses::SHADER_STORAGE_READ,
            image: None,
        };
        let mut tracker = Tracker::default();
        tracker.before(&[write(buffer)]);
        assert!(tracker.before(&[read(buffer)]).is_some());
        assert!(tracker.before(&[vertex]).is_some(), "the compute stage saw the write, the vertex stage has not");
        assert_eq!(tracker.before(&[vertex]), None);
        let barrier = tracker.before(&[write(buffer)]).unwrap();
        assert!(barrier.source_stages.contains(COMPUTE | Stages::VERTEX_SHADER));
    }

    #[test]
    fn a_change_of_layout_follows_the_write_though_another_barrier_has_shown_it() {
        let drawn = |resource| Use {
            resource,
            stages: Stages::COLOR_ATTACHMENT_OUTPUT,
            accesses: Accesses::COLOR_ATTACHMENT_WRITE,
            image: Some(ImageUse {
                image: Image::null(),
                aspect: ImageAspectFlags::COLOR,
                home: ImageLayout::UNDEFINED,
                layout: ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            }),
        };
        let copied = |resource| {
            let one = drawn(resource);
            let image = one.image.map(|image| ImageUse { layout: ImageLayout::TRANSFER_SRC_OPTIMAL, ..image });
            Use { stages: Stages::ALL_TRANSFER, accesses: Accesses::TRANSFER_READ, image, ..one }
        };
        let [first, second] = [ResourceId::next(), ResourceId::next()];
        let mut tracker = Tracker::default();
        tracker.before(&[drawn(first), drawn(second)]);
        tracker.before(&[copied(first)]);
        let barrier = tracker.before(&[copied(second)]).unwrap();
        assert_eq!(barrier.source_stages, Stages::COLOR_ATTACHMENT_OUTPUT);
        assert_eq!(barrier.source_accesses, Accesses::COLOR_ATTACHMENT_WRITE);
    }

    #[test]
    fn images_change_layout_once_and_come_home() {
        let resource = ResourceId::next();
        let in_layout = |layout, accesses| Use {
            resource,
            stages: COMPUTE,
            accesses,
            image: Some(ImageUse {
                image: Image::null(),
                aspect: ImageAspectFlags::COLOR,
                home: ImageLayout::GENERAL,
                layout,
            }),
        };
        let mut tracker = Tracker::default();
        assert_eq!(tracker.before(&[in_layout(ImageLayout::GENERAL, Accesses::SHADER_STORAGE_WRITE)]), None);
        let copy = in_layout(ImageLayout::TRANSFER_SRC_OPTIMAL, Accesses::TRANSFER_READ);
        let barrier = tracker.before(&[copy]).unwrap();
        assert_eq!(barrier.transitions.len(), 1);
        assert_eq!(barrier.transitions[0].from, ImageLayout::GENERAL);
        assert_eq!(barrier.source_accesses, Accesses::SHADER_STORAGE_WRITE);
        assert_eq!(tracker.before(&[copy]), None);
        let home = tracker.finish().unwrap();
        assert_eq!(home.transitions[0].from, ImageLayout::TRANSFER_SRC_OPTIMAL);
        assert_eq!(home.transitions[0].image.layout, ImageLayout::GENERAL);
        assert_eq!(tracker.finish(), None);
    }
}
