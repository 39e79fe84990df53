//! The colliders of a simulation on the device, shared by every solver.

use super::span_of;
use crate::engine::{self, Buffer, Device, Recorder};
use crate::layout::{self, CollidePush, MOST_COLLIDERS};
use crate::model::{Collider, collider_heights, colliders_during};

/// Colliders, moved from step to step.
pub struct Colliders {
    list: Vec<Collider>,
    /// As many colliders as there can be, and after them the heights of height fields, which stay.
    buffer: Buffer,
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
        assert!(list.len() <= MOST_COLLIDERS, "at most {MOST_COLLIDERS} colliders");
        let mut words = vec![0; MOST_COLLIDERS * size_of::<layout::Collider>() / size_of::<u32>()];
        words.extend(collider_heights(list).into_iter().map(f32::to_bits));
        Ok(Self { list: list.to_vec(), buffer: Buffer::from_slice(device, "colliders", &words)? })
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

    /// Records where the colliders are during the step from `start` to `end` \[s\].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(&self, recorder: &mut Recorder<'_>, start: f64, end: f64) -> engine::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        recorder.update(&self.buffer, &colliders_during(&self.list, start, end))
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
