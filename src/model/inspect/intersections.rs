//! Triangles that go through each other.

use glam::DVec3;
use robust::{Coord3D, orient3d};

use super::corners;
use crate::model::{TriangleMesh, TriangleTree};

/// Where a surface goes through itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intersections {
    /// How many pairs of triangles go through each other.
    pub count: u64,
    /// The first of their faces, [`Intersections::MOST_KEPT`] at most: a crumpled scan has millions.
    pub faces: Vec<[u32; 2]>,
}

impl Intersections {
    /// Of so many pairs the faces are kept.
    pub const MOST_KEPT: usize = 1000;
}

/// The pairs of triangles of which an edge of one goes through the other. Those that only touch, or lie in one plane, do
/// not; nor do neighbours at an edge, which can only be folded onto each other.
pub(super) fn intersections(mesh: &TriangleMesh, face: impl Fn(u32) -> u32) -> Intersections {
    let mut found = Intersections::default();
    let triangles = mesh.triangles();
    TriangleTree::new(mesh.positions(), triangles).pairs(0.0, |left, right| {
        let (a, b) = (triangles[left as usize], triangles[right as usize]);
        if cross(mesh, a, b) || cross(mesh, b, a) {
            found.count += 1;
            if found.faces.len() < Intersections::MOST_KEPT {
                found.faces.push([face(left), face(right)]);
            }
        }
    });
    // Two polygons may do so in several of their triangles.
    found.faces.sort_unstable();
    found.faces.dedup();
    found
}

/// Whether an edge of `triangle` goes through `other`.
fn cross(mesh: &TriangleMesh, triangle: [u32; 3], other: [u32; 3]) -> bool {
    let is_shared = |vertex: u32| other.contains(&vertex);
    if triangle.into_iter().filter(|&vertex| is_shared(vertex)).count() > 1 {
        return false;
    }
    let place = |vertex: u32| mesh.positions()[vertex as usize].as_dvec3();
    let [a, b, c] = triangle;
    [[a, b], [b, c], [c, a]]
        .into_iter()
        .filter(|edge| !edge.iter().any(|&vertex| is_shared(vertex)))
        .any(|edge| goes_through(edge.map(place), corners(mesh, other)))
}

/// Whether a line from `from` to `to` has them on both sides of a triangle and meets it, by exact predicates.
fn goes_through([from, to]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    if side(a, b, c, from) * side(a, b, c, to) >= 0.0 {
        return false;
    }
    let turns = [side(from, to, a, b), side(from, to, b, c), side(from, to, c, a)];
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

/// 1 where `place` lies on one side of the plane through three others, -1 on the other side, 0 in it.
fn side(a: DVec3, b: DVec3, c: DVec3, place: DVec3) -> f64 {
    let coordinates = |DVec3 { x, y, z }| Coord3D { x, y, z };
    let volume = orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(place));
    if volume == 0.0 { 0.0 } else { volume.signum() }
}
