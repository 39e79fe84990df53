//! Vertices that lie on an edge without being one of its ends: the surface is open there, though it looks closed.

use glam::DVec3;

use crate::model::TriangleMesh;
use crate::model::TriangleTree;
use crate::model::sides::{around_edges, sides};

/// A vertex on an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TJunction {
    /// The vertex.
    pub vertex: u32,
    /// The ends of the edge.
    pub edge: [u32; 2],
}

/// The vertices at open borders that lie within `reach` \[m\] of another open edge, between its ends.
pub(super) fn t_junctions(mesh: &TriangleMesh, reach: f64, in_file: impl Fn(u32) -> u32) -> Vec<TJunction> {
    let sides = sides(mesh.triangles());
    let open: Vec<[u32; 2]> =
        around_edges(&sides).filter(|sides| sides.len() == 1).map(|sides| sides[0].edge).collect();
    let place = |particle: u32| mesh.positions()[particle as usize].as_dvec3();
    // An edge is a triangle of which two corners are one.
    let edges: Vec<[u32; 3]> = open.iter().map(|&[a, b]| [a, b, b]).collect();
    let mut junctions = Vec::new();
    let mut look = |edge: [u32; 2], vertex: u32| {
        if !edge.contains(&vertex) && lies_between(place(vertex), edge.map(place), reach) {
            junctions.push(TJunction { vertex: in_file(vertex), edge: edge.map(&in_file) });
        }
    };
    TriangleTree::new(mesh.positions(), &edges).pairs(reach, |left, right| {
        let [left, right] = [open[left as usize], open[right as usize]];
        right.into_iter().for_each(|vertex| look(left, vertex));
        left.into_iter().for_each(|vertex| look(right, vertex));
    });
    // Each vertex ends two open edges, and so is seen twice.
    junctions.sort_unstable();
    junctions.dedup();
    junctions
}

/// Whether a place is within `reach` of an edge and further than that from its ends.
fn lies_between(place: DVec3, [start, end]: [DVec3; 2], reach: f64) -> bool {
    let along = end - start;
    let share = (place - start).dot(along) / along.length_squared();
    let nearest = start + share * along;
    place.distance(nearest) <= reach
        && nearest.distance(start).min(nearest.distance(end)) > reach
        && share > 0.0
        && share < 1.0
}
