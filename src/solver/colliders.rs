//! The colliders of a simulation on the device, shared by every solver.

use glam::Vec3;

use super::dragged::Dragged;
use super::span_of;
use crate::engine::{self, Buffer, Device, Recorder};
use crate::layout::{self, CollidePush, MOST_COLLIDERS};
use crate::model::{Collider, Drag, collider_samples, colliders_during};

/// Colliders, moved from step to step.
pub struct Colliders {
    list: Vec<Collider>,
    /// As many colliders as there can be, and after them the samples of height fields and meshes, which stay.
    buffer: Buffer,
    dragged: Dragged,
    /// What kernels see in the step that was recorded last, kept so that the next one takes no memory.
    seen: Vec<layout::Collider>,
    /// Whether they have been replaced since the last step that was recorded.
    are_set: bool,
}

impl Colliders {
    /// Puts colliders on the device.
    ///
    /// # Errors
    /// What the engine reports.
    ///
    /// # Panics
    /// Where there are more than [`MOST_COLLIDERS`].
    pub fn new(device: &Device, list: &[Collider]) -> engine::Result<Self> {
        Self::at(device, list, Dragged::new(list.len()), 0.0)
    }

    /// As [`Colliders::new`], where they have been dragged by `time` \[s\].
    pub(super) fn at(device: &Device, list: &[Collider], mut dragged: Dragged, time: f64) -> engine::Result<Self> {
        assert!(list.len() <= MOST_COLLIDERS, "at most {MOST_COLLIDERS} colliders");
        let seen = during(list, &mut dragged, time, time);
        let mut words = bytemuck::cast_slice::<_, u32>(&seen).to_vec();
        words.resize(MOST_COLLIDERS * size_of::<layout::Collider>() / size_of::<u32>(), 0);
        words.extend(collider_samples(list).into_iter().map(f32::to_bits));
        let buffer = Buffer::from_slice(device, "colliders.list", &words)?;
        Ok(Self { list: list.to_vec(), buffer, dragged, seen, are_set: false })
    }

    /// Replaces the colliders from the next recorded step on, for those who move them by other means than paths.
    ///
    /// # Panics
    /// Where there are not as many as before, or other samples of terrain and meshes: the device's buffer and the passes were made
    /// for those.
    pub fn set(&mut self, list: &[Collider]) {
        assert_eq!(list.len(), self.list.len(), "as many colliders as before");
        let (before, now) = (self.list.iter().map(Collider::samples), list.iter().map(Collider::samples));
        assert!(before.eq(now), "the same samples as before");
        self.list = list.to_vec();
        self.are_set = true;
    }

    /// Drags one of them from the next recorded step on, or none any more; what has been dragged stays off its path as far.
    ///
    /// # Panics
    /// Where there is no such collider.
    pub fn drag(&mut self, drag: Option<Drag>) {
        self.dragged.drag(drag);
    }

    /// How far each of them has been dragged off its path \[m\].
    #[must_use]
    pub fn offsets(&self) -> &[Vec3] {
        self.dragged.offsets()
    }

    /// Puts each of them where it is at `time` \[s\], as far off its path as `offsets` says \[m\], and waits until that is done.
    pub(super) fn go_on_from(&mut self, time: f64, offsets: &[Vec3]) -> engine::Result<()> {
        self.dragged = Dragged::at(offsets, self.list.len());
        self.advance(time, time);
        if self.seen.is_empty() { Ok(()) } else { self.buffer.write(&self.seen) }
    }

    /// Puts all of them back to where their paths start, and waits until that is done.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn reset(&mut self) -> engine::Result<()> {
        self.go_on_from(0.0, &[])
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Each of them.
    #[must_use]
    pub fn list(&self) -> &[Collider] {
        &self.list
    }

    /// The buffer that kernels bind as `Colliders`.
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// What kernels see of them in the step that was recorded last.
    pub(super) fn seen(&self) -> &[layout::Collider] {
        &self.seen
    }

    /// Whether any of them moves in the step from `start` to `end` \[s\], or has been replaced before it.
    pub(super) fn act_during(&self, start: f64, end: f64) -> bool {
        self.are_set || act_during(&self.list, &self.dragged, start, end)
    }

    /// Goes to the step from `start` to `end` \[s\], in which what is dragged moves on.
    fn advance(&mut self, start: f64, end: f64) {
        self.are_set = false;
        self.seen.clear();
        self.seen.extend(colliders_during(&self.list, start, end));
        self.dragged.advance(&mut self.seen, end - start);
    }

    /// Records where the colliders are during the step from `start` to `end` \[s\], in which what is dragged moves on.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(&mut self, recorder: &mut Recorder<'_>, start: f64, end: f64) -> engine::Result<()> {
        self.advance(start, end);
        if self.seen.is_empty() { Ok(()) } else { recorder.update(&self.buffer, &self.seen) }
    }

    /// The push constants of substep number `substep` of `substeps`.
    #[must_use]
    pub fn push(&self, substep: u32, substeps: u32) -> CollidePush {
        collide_push(self.list.len(), substep, substeps)
    }
}

/// What kernels see of colliders in the step from `start` to `end` \[s\], in which what is dragged moves on; where that is no
/// time, they rest.
pub(super) fn during(list: &[Collider], dragged: &mut Dragged, start: f64, end: f64) -> Vec<layout::Collider> {
    let mut seen: Vec<_> = colliders_during(list, start, end).collect();
    dragged.advance(&mut seen, end - start);
    seen
}

/// Whether any collider moves in the step from `start` to `end` \[s\], by itself or as it is dragged.
pub(super) fn act_during(list: &[Collider], dragged: &Dragged, start: f64, end: f64) -> bool {
    dragged.is_dragging() || list.iter().any(|collider| !collider.path.rests_during(start, end))
}

/// The push constants of substep number `substep` of `substeps`, for so many colliders.
pub(super) fn collide_push(collider_count: usize, substep: u32, substeps: u32) -> CollidePush {
    let [start, end] = span_of(substep, substeps);
    CollidePush { start, end, collider_count: collider_count as u32 }
}
