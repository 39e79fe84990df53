//! Twin of the `cut` kernels: what a blade goes through is removed.

use glam::Vec4;

use crate::layout::{Constraint, CutPush, Hinge};

/// Lets each constraint that the blade goes through join its first particle to itself. Positions are xyz \[m\], shape
/// \[particle_count\].
///
/// # Panics
/// Where a constraint names a particle that is not there.
pub fn constraints(push: &CutPush, positions: &[Vec4], constraints: &mut [Constraint]) {
    for constraint in &mut constraints[..push.count as usize] {
        if is_cut(push, positions, [constraint.index_a, constraint.index_b]) {
            constraint.index_b = constraint.index_a;
        }
    }
}

/// Lets each hinge that the blade goes through, at its edge or at another side of its triangles, have an edge from its first
/// particle to itself.
///
/// # Panics
/// Where a hinge names a particle that is not there.
pub fn hinges(push: &CutPush, positions: &[Vec4], hinges: &mut [Hinge]) {
    for hinge in &mut hinges[..push.count as usize] {
        if hinge.edges().into_iter().any(|edge| is_cut(push, positions, edge)) {
            hinge.particles[1] = hinge.particles[0];
        }
    }
}

/// Lets the corners of each triangle that the blade goes through be one.
///
/// # Panics
/// Where a triangle names a particle that is not there.
pub fn triangles(push: &CutPush, positions: &[Vec4], triangles: &mut [[u32; 3]]) {
    for triangle in &mut triangles[..push.count as usize] {
        let [a, b, c] = *triangle;
        if [[a, b], [b, c], [c, a]].into_iter().any(|edge| is_cut(push, positions, edge)) {
            *triangle = [a; 3];
        }
    }
}

/// Whether the straight way between two particles passes the blade: from one side of its plane to the other (the plane
/// itself belongs to the side of the normal), within the length of its stroke.
fn is_cut(push: &CutPush, positions: &[Vec4], [first, second]: [u32; 2]) -> bool {
    let from_origin = |index: u32| positions[index as usize].truncate() - push.origin.truncate();
    let [a, b] = [first.min(second), first.max(second)].map(from_origin);
    let [height_a, height_b] = [a, b].map(|place| place.dot(push.normal.truncate()));
    let passes = (height_a >= 0.0) != (height_b >= 0.0);
    let met = a.lerp(b, height_a / (height_a - height_b));
    let depth = met.dot(push.depth.truncate()) + push.depth.w;
    passes && (0.0..=depth).contains(&met.dot(push.along.truncate()))
}
