//! The colliders of a simulation on the device, shared by every solver.

use glam::Vec3;

use super::dragged::Dragged;
use super::span_of;
use crate::engine::{self, Buffer, Device, Recorder};
use crate::layout::{self, CollidePush, MOST_COLLIDERS};
use crate::model::{Collider, Drag, collider_heights, colliders_during};

/// Colliders, moved from step to step.
pub struct Colliders {
    list: Vec<Collider>,
    /// As many colliders as there can be, and after them the heights of height fields, which stay.
    buffer: Buffer,
    dragged: Dragged,
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
        Self::with_dragged(device, list, Dragged::new(list.len()))
    }

    /// As [`Colliders::new`], where they have been dragged.
    pub(super) fn with_dragged(device: &Device, list: &[Collider], dragged: Dragged) -> engine::Result<Self> {
        assert!(list.len() <= MOST_COLLIDERS, "at most {MOST_COLLIDERS} colliders");
        let mut words = vec![0; MOST_COLLIDERS * size_of::<layout::Collider>() / size_of::<u32>()];
        words.extend(collider_heights(list).into_iter().map(f32::to_bits));
        let buffer = Buffer::from_slice(device, "colliders.list", &words)?;
        Ok(Self { list: list.to_vec(), buffer, dragged })
    }

    /// Replaces the colliders from the next recorded step on, for those who move them by other means than paths.
    ///
    /// # Panics
    /// Where there are not as many as before, or other heights of terrain: the device's buffer and the passes were made
    /// for those.
    pub fn set(&mut self, list: &[Collider]) {
        assert_eq!(list.len(), self.list.len(), "as many colliders as before");
        assert!(collider_heights(list) == collider_heights(&self.list), "the same heights as before");
        self.list = list.to_vec();
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

    /// Has each of them be as far off its path as `offsets` says \[m\], from the next recorded step on.
    pub(super) fn set_offsets(&mut self, offsets: &[Vec3]) {
        self.dragged = Dragged::at(offsets, self.list.len());
    }

    /// Puts what has been dragged back onto its path.
    pub fn reset(&mut self) {
        self.dragged = Dragged::new(self.list.len());
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

    /// What kernels see of them in the step from `start` to `end` \[s\], in which what is dragged moves on.
    pub(super) fn during(&mut self, start: f64, end: f64) -> Vec<layout::Collider> {
        let mut seen = colliders_during(&self.list, start, end);
        self.dragged.advance(&mut seen, end - start);
        seen
    }

    /// Records where the colliders are during the step from `start` to `end` \[s\], in which what is dragged moves on.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(&mut self, recorder: &mut Recorder<'_>, start: f64, end: f64) -> engine::Result<()> {
        let seen = self.during(start, end);
        self.record_seen(recorder, &seen)
    }

    /// Records where the colliders are during a step, as [`Colliders::during`] says.
    pub(super) fn record_seen(&self, recorder: &mut Recorder<'_>, seen: &[layout::Collider]) -> engine::Result<()> {
        if seen.is_empty() { Ok(()) } else { recorder.update(&self.buffer, seen) }
    }

    /// The push constants of substep number `substep` of `substeps`.
    #[must_use]
    pub fn push(&self, substep: u32, substeps: u32) -> CollidePush {
        collide_push(self.list.len(), substep, substeps)
    }
}

/// The push constants of substep number `substep` of `substeps`, for so many colliders.
pub(super) fn collide_push(collider_count: usize, substep: u32, substeps: u32) -> CollidePush {
    let [start, end] = span_of(substep, substeps);
    CollidePush { start, end, collider_count: collider_count as u32 }
}
