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

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn edges_of_a_pyramid_are_sharp_and_what_is_nearly_flat_is_smooth() {
        for (height, is_sharp) in [(1.0, true), (0.1, false)] {
            let corners = [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z, height * Vec3::Y, -height * Vec3::Y];
            let sides = [[1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4], [0, 1, 5], [1, 2, 5], [2, 3, 5], [3, 0, 5]];
            let surface = ClosedMesh::new(&corners, &sides).expect("it is closed");
            let field = DistanceField::new(&surface, 8);
            let vertices = solid_vertices(&surface, &field);
            assert_eq!(vertices.len(), 24);
            for (corners, face) in vertices.chunks(3).zip(surface.face_normals()) {
                let top = corners.iter().find(|vertex| vertex.position.y > 0.5 * height);
                let Some(SolidVertex { position, normal }) = top else { continue };
                let expected = if is_sharp { face.as_vec3() } else { Vec3::Y };
                assert!(normal.truncate().distance(expected) < 1e-6, "{normal}");
                let sunk = height - SUNK * field.grid().cell();
                assert!(position.truncate().distance(sunk * Vec3::Y) < 1e-6, "{position}");
            }
        }
    }
}
