//! Colliders that a hand has dragged off their paths.

use glam::Vec3;

use crate::layout;
use crate::model::Drag;

/// How far each collider is off its path, and which one goes on.
#[derive(Clone, Debug)]
pub(super) struct Dragged {
    /// \[m\]; shape \[collider_count\].
    offsets: Vec<Vec3>,
    drag: Option<Drag>,
}

impl Dragged {
    /// So many colliders, all of them on their paths.
    pub(super) fn new(collider_count: usize) -> Self {
        Self { offsets: vec![Vec3::ZERO; collider_count], drag: None }
    }

    /// So many colliders, as far off their paths as `offsets` say \[m\]; those that it does not have are on them.
    pub(super) fn at(offsets: &[Vec3], collider_count: usize) -> Self {
        let mut offsets = offsets.to_vec();
        offsets.resize(collider_count, Vec3::ZERO);
        Self { offsets, drag: None }
    }

    pub(super) fn offsets(&self) -> &[Vec3] {
        &self.offsets
    }

    /// Whether one of them is being dragged.
    pub(super) fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// As [`Colliders::drag`](super::Colliders::drag).
    pub(super) fn drag(&mut self, drag: Option<Drag>) {
        if let Some(Drag { collider, .. }) = drag {
            assert!(collider < self.offsets.len(), "there is no collider {collider}");
        }
        self.drag = drag;
    }

    /// Moves the colliders of a step of `duration` \[s\] as far off their paths as they are, and what is dragged on from
    /// there, at constant speed; so the passes that mind the way of a collider mind this one as well.
    pub(super) fn advance(&mut self, seen: &mut [layout::Collider], duration: f64) {
        for (index, (seen, off)) in seen.iter_mut().zip(&mut self.offsets).enumerate() {
            seen.start_position += off.extend(0.0);
            if let Some(Drag { offset, speed, .. }) = self.drag.filter(|drag| drag.collider == index) {
                *off += (offset - *off).clamp_length_max(speed * duration as f32);
            }
            seen.end_position += off.extend(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dragged_follows_no_faster_than_it_may_and_stays_where_it_is_left() {
        let mut dragged = Dragged::new(2);
        let mut step = |drag| {
            dragged.drag(drag);
            let mut seen = [layout::Collider::default(); 2];
            dragged.advance(&mut seen, 0.25);
            assert_eq!((seen[0].start_position, seen[0].end_position), Default::default());
            (seen[1].start_position.x, seen[1].end_position.x)
        };
        let drag = |x| Some(Drag { collider: 1, offset: Vec3::X * x, speed: 2.0 });
        assert_eq!(step(drag(100.0)), (0.0, 0.5));
        assert_eq!(step(drag(0.75)), (0.5, 0.75));
        assert_eq!(step(None), (0.75, 0.75));
        assert_eq!(step(drag(-100.0)), (0.75, 0.25));
    }
}
