//! Polygons cut into triangles.

use std::ops::Range;

use earcut::Earcut;
use earcut::utils3d::project3d_to_2d;
use glam::{DVec3, Vec3};

use crate::model::SourceMesh;

/// The triangles of a mesh's faces, in the order of the faces.
pub(super) struct Triangulated {
    /// Where the corners of each triangle lie among the corners of all faces. Shape \[triangle_count\].
    pub(super) corners: Vec<[u32; 3]>,
    /// The face of each triangle. Shape \[triangle_count\].
    pub(super) faces: Vec<u32>,
}

impl Triangulated {
    /// Cuts the faces of `source`, whose vertices lie at `positions`. A convex polygon becomes a fan around its first corner;
    /// of one that is not, ears are cut off.
    pub(super) fn new(source: &SourceMesh, positions: &[Vec3]) -> Self {
        let count = source.corners.len() - 2 * source.face_sizes.len();
        let (mut corners, mut faces) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut ears = Ears::default();
        for (face, range) in (0..).zip(source.faces()) {
            let places: Vec<DVec3> =
                source.corners[range.clone()].iter().map(|&vertex| positions[vertex as usize].as_dvec3()).collect();
            if is_convex(&places) || !ears.cut(&places, range.start as u32, &mut corners) {
                corners.extend(fan(&range));
            }
            faces.resize(corners.len(), face);
        }
        Self { corners, faces }
    }
}

/// Triangles around the first of a face's corners.
fn fan(corners: &Range<usize>) -> impl Iterator<Item = [u32; 3]> {
    let [first, end] = [corners.start as u32, corners.end as u32];
    (first + 1..end - 1).map(move |corner| [first, corner, corner + 1])
}

/// Twice the area of a polygon, along its normal. Source: Newell, in Sutherland et al. 1974.
fn area_vector(places: &[DVec3]) -> DVec3 {
    // Seen from a corner, so that a face far from the origin loses no digits.
    let from = places[0];
    places[1..].windows(2).map(|pair| (pair[0] - from).cross(pair[1] - from)).sum()
}

/// Whether a fan around the first corner covers the polygon, with every triangle facing the same way.
fn is_convex(places: &[DVec3]) -> bool {
    let normal = area_vector(places);
    let from = places[0];
    places.len() == 3 || places[1..].windows(2).all(|pair| (pair[0] - from).cross(pair[1] - from).dot(normal) > 0.0)
}

/// Cuts ears off polygons, with buffers that are kept between them.
#[derive(Default)]
struct Ears {
    earcut: Earcut<f64>,
    flat: Vec<[f64; 2]>,
    indices: Vec<u32>,
}

impl Ears {
    /// Adds the triangles of a polygon whose first corner has the number `first`; false where it cannot be cut, as it has no
    /// area or crosses itself.
    fn cut(&mut self, places: &[DVec3], first: u32, triangles: &mut Vec<[u32; 3]>) -> bool {
        let spatial: Vec<[f64; 3]> = places.iter().map(|place| (*place - places[0]).to_array()).collect();
        if !project3d_to_2d(&spatial, spatial.len(), &mut self.flat) {
            return false;
        }
        self.earcut.earcut(self.flat.iter().copied(), &[], &mut self.indices);
        if self.indices.len() != 3 * (places.len() - 2) {
            return false;
        }
        let normal = area_vector(places);
        triangles.extend(self.indices.chunks_exact(3).map(|corners| {
            let [a, b, c] = [corners[0], corners[1], corners[2]];
            let [pa, pb, pc] = [a, b, c].map(|corner| places[corner as usize]);
            let faces_back = (pb - pa).cross(pc - pa).dot(normal) < 0.0;
            (if faces_back { [a, c, b] } else { [a, b, c] }).map(|corner| first + corner)
        }));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangulated(polygon: &[[f32; 3]]) -> Vec<[u32; 3]> {
        let count = polygon.len() as u32;
        let positions: Vec<Vec3> = polygon.iter().copied().map(Vec3::from).collect();
        let source = SourceMesh { face_sizes: vec![count], corners: (0..count).collect(), ..SourceMesh::default() };
        Triangulated::new(&source, &positions).corners
    }

    #[test]
    fn a_convex_polygon_is_a_fan() {
        let hexagon: Vec<[f32; 3]> =
            (0..6).map(|corner| (corner as f32).sin_cos()).map(|(sin, cos)| [cos, sin, 5.0]).collect();
        assert_eq!(triangulated(&hexagon), [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
    }

    #[test]
    fn a_polygon_with_a_notch_is_covered_once_and_faces_one_way() {
        // An L of 3 square units, in a plane that slants, from every first corner and from both sides.
        let flat = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]].map(|[x, y]| [x as f32, y as f32]);
        let slanting = flat.map(|[x, y]| Vec3::new(x, 0.6 * y, 0.8 * y));
        for first in 0..6 {
            for turned in [false, true] {
                let mut polygon = slanting;
                polygon.rotate_left(first);
                if turned {
                    polygon.reverse();
                }
                let front = Vec3::new(0.0, -0.8, 0.6) * if turned { -1.0 } else { 1.0 };
                let triangles = triangulated(&polygon.map(|place| place.to_array()));
                assert_eq!(triangles.len(), 4);
                let areas: Vec<f32> = triangles
                    .iter()
                    .map(|triangle| {
                        let [a, b, c] = triangle.map(|corner| polygon[corner as usize]);
                        (b - a).cross(c - a).dot(front) / 2.0
                    })
                    .collect();
                assert!(areas.iter().all(|&area| area > 0.0), "{first}, {turned}: {areas:?}");
                assert!((areas.iter().sum::<f32>() - 3.0).abs() < 1e-5, "{first}, {turned}: {areas:?}");
            }
        }
    }

    #[test]
    fn what_has_no_area_still_becomes_as_many_triangles() {
        assert_eq!(triangulated(&[[0.0; 3]; 5]).len(), 3);
        assert_eq!(triangulated(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]).len(), 2);
    }
}
