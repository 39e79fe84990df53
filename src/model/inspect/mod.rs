//! What a person should know of a mesh before simulating it, beyond what is mended.

mod borders;
mod intersections;
mod t_junctions;
#[cfg(test)]
mod tests;

use glam::DVec3;

use super::components::Components;
use super::{PreparedMesh, TriangleMesh};

pub use borders::Border;
pub use intersections::Intersections;
pub use t_junctions::TJunction;

/// A triangle is a sliver where its least height is less than this share of its longest edge.
pub const SLIVER: f64 = 0.02;

/// What is there and worth a look, by indices from 0 of the file's vertices and faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// Area of the surface \[m²\].
    pub area: f64,
    /// Length of the shortest edge, the mean of all, and that of the longest \[m\].
    pub edge_lengths: [f64; 3],
    /// Pieces that hang together, by the lowest vertex of each, in ascending order.
    pub components: Vec<u32>,
    /// The open borders, each once round.
    pub borders: Vec<Border>,
    /// Vertices on an open edge that belongs to others.
    pub t_junctions: Vec<TJunction>,
    /// Faces with a triangle that is long and thin.
    pub slivers: Vec<u32>,
    /// Where the surface goes through itself.
    pub intersections: Intersections,
}

impl Inspection {
    /// Looks at a mesh.
    #[must_use]
    pub fn new(prepared: &PreparedMesh) -> Self {
        let PreparedMesh { mesh, faces, .. } = prepared;
        let vertices = prepared.first_vertices();
        let in_file = |particle: u32| vertices[particle as usize];

        let pieces = Components::of_triangles(mesh.positions().len(), mesh.triangles());
        let mut lowest = vec![u32::MAX; mesh.positions().len()];
        for &corner in mesh.triangles().as_flattened() {
            let lowest = &mut lowest[pieces.of[corner as usize] as usize];
            *lowest = in_file(corner).min(*lowest);
        }
        let mut components: Vec<u32> = lowest.into_iter().filter(|&vertex| vertex != u32::MAX).collect();
        components.sort_unstable();
        let mut slivers: Vec<u32> = mesh
            .triangles()
            .iter()
            .zip(faces)
            .filter(|(triangle, _)| is_sliver(corners(mesh, **triangle)))
            .map(|(_, &face)| face)
            .collect();
        slivers.dedup();
        let (area, edge_lengths) = sizes(mesh);
        Self {
            area,
            edge_lengths,
            components,
            borders: borders::borders(mesh, in_file),
            t_junctions: t_junctions::t_junctions(mesh, prepared.weld_distance, in_file),
            slivers,
            intersections: intersections::intersections(mesh, |triangle| faces[triangle as usize]),
        }
    }
}

fn corners(mesh: &TriangleMesh, triangle: [u32; 3]) -> [DVec3; 3] {
    triangle.map(|corner| mesh.positions()[corner as usize].as_dvec3())
}

/// The area \[m²\], and the lengths of edges \[m\], each as often as triangles have it.
fn sizes(mesh: &TriangleMesh) -> (f64, [f64; 3]) {
    let (mut area, mut sum) = (0.0, 0.0);
    let (mut shortest, mut longest) = (f64::INFINITY, 0.0_f64);
    for &triangle in mesh.triangles() {
        let [a, b, c] = corners(mesh, triangle);
        area += (b - a).cross(c - a).length() / 2.0;
        for length in [a.distance(b), b.distance(c), c.distance(a)] {
            sum += length;
            (shortest, longest) = (shortest.min(length), longest.max(length));
        }
    }
    (area, [shortest, sum / (3.0 * mesh.triangles().len() as f64), longest])
}

fn is_sliver([a, b, c]: [DVec3; 3]) -> bool {
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    (b - a).cross(c - a).length() < SLIVER * longest * longest
}
