//! The triangles of meshes that are colliders, as they are drawn.

use glam::DVec3;

use crate::layout::SolidVertex;
use crate::model::{ClosedMesh, DistanceField};

/// Cosine of the angle between two faces beyond which the edge between them is seen.
const CREASE: f64 = 0.766;

/// By how much of a cell of its field a mesh is drawn smaller. Cloth has no thickness and lies on the surface itself, its
/// triangles even a little below where that is round, and the mesh is not to show through.
const SUNK: f32 = 0.25;

/// Three vertices for each triangle of `surface`.
pub(super) fn solid_vertices(surface: &ClosedMesh, field: &DistanceField) -> Vec<SolidVertex> {
    let (faces, vertices) = (surface.face_normals(), surface.vertex_normals());
    let mut around = vec![Vec::new(); surface.positions().len()];
    for (triangle, normal) in surface.triangles().iter().zip(&faces) {
        triangle.iter().for_each(|&vertex| around[vertex as usize].push(*normal));
    }
    let corner = |vertex: u32, face: &DVec3| {
        let vertex = vertex as usize;
        let smooth = around[vertex].iter().filter(|normal| normal.dot(*face) > CREASE).sum::<DVec3>();
        let sunk = SUNK * field.grid().cell() * vertices[vertex].as_vec3();
        SolidVertex {
            position: (surface.positions()[vertex] - sunk).extend(0.0),
            normal: smooth.normalize_or(*face).as_vec3().extend(0.0),
        }
    };
    let triangles = surface.triangles().iter().zip(&faces);
    triangles.flat_map(|(triangle, face)| triangle.map(|vertex| corner(vertex, face))).collect()
}
