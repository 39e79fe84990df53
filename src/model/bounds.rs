//! The box around places.

use glam::Vec3;

/// The least and the greatest coordinates of places; 0 of none.
#[must_use]
pub fn bounds(places: &[Vec3]) -> [Vec3; 2] {
    let reduced = |pick: fn(Vec3, Vec3) -> Vec3| places.iter().copied().reduce(pick).unwrap_or_default();
    [reduced(Vec3::min), reduced(Vec3::max)]
}

/// The sides of the box around places.
pub(super) fn extent(places: &[Vec3]) -> Vec3 {
    let [least, greatest] = bounds(places);
    greatest - least
}
