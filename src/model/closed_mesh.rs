//! Meshes that enclose something, and on which side of them a point is.

use std::collections::HashMap;

use glam::{DVec3, Vec3};

use super::sides::{around_edges, in_order, sides};
use super::triangle_tree::{Feature, TriangleTree};

/// A surface of triangles that encloses a body and faces out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedMesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// Why triangles enclose nothing. Vertices are counted from 0, or as [`ClosedMeshError::numbered`] has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosedMeshError {
    /// Some edges have a triangle on one side only.
    #[error(
        "the mesh is not closed: {edges} of its edges have a face on one side only, one of them between the vertices {} \
         and {}; close its holes, for only what is closed has an inside",
        vertices[0], vertices[1]
    )]
    Open {
        /// How many.
        edges: usize,
        /// The ends of the first.
        vertices: [u32; 2],
    },
    /// More than two triangles share an edge.
    #[error(
        "{faces} faces of the mesh share the edge between the vertices {} and {}; let two do so, as of several surfaces \
         along one edge it cannot be told which encloses what",
        vertices[0], vertices[1]
    )]
    Crowded {
        /// How many.
        faces: usize,
        /// The ends of the first such edge.
        vertices: [u32; 2],
    },
    /// Two triangles at an edge face opposite ways.
    #[error(
        "the faces of the mesh at the edge between the vertices {} and {} face opposite ways; turn one of them, so that all \
         face outwards",
        vertices[0], vertices[1]
    )]
    Opposed {
        /// The ends of the first such edge.
        vertices: [u32; 2],
    },
    /// It has no volume.
    #[error("the mesh encloses no volume; give it a thickness, for only what has an inside can keep cloth out of it")]
    Flat,
}

impl ClosedMeshError {
    /// The same with the numbers that vertices have elsewhere.
    #[must_use]
    pub fn numbered(mut self, number: impl Fn(u32) -> u32) -> Self {
        if let Self::Open { vertices, .. } | Self::Crowded { vertices, .. } | Self::Opposed { vertices } = &mut self {
            *vertices = vertices.map(number);
        }
        self
    }
}

impl ClosedMesh {
    /// A body within `triangles` between vertices at `positions` \[m\]. Vertices in one place are one; what is turned inside
    /// out as a whole is turned back.
    ///
    /// # Errors
    /// Where there is an edge that is not shared by two triangles which face the same way, or the volume is none.
    ///
    /// # Panics
    /// Where a triangle names a vertex that does not exist.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ClosedMeshError> {
        // Of each vertex the first one in its place: files split vertices along seams.
        let mut places = HashMap::new();
        let firsts: Vec<u32> = (0_u32..)
            .zip(positions)
            // Adding 0 makes -0 the same as 0.
            .map(|(index, position)| {
                *places.entry((*position + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert(index)
            })
            .collect();
        let joined = triangles.iter().map(|triangle| triangle.map(|vertex| firsts[vertex as usize]));
        let triangles: Vec<[u32; 3]> = joined.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        check_edges(&triangles)?;
        let volume = volume(positions, &triangles);
        let mut mesh = Self { positions: positions.to_vec(), triangles };
        let [least, greatest] = mesh.bounds();
        // Less is the rounding of its coordinates.
        if mesh.triangles.is_empty() || volume.abs() <= 1e-9 * f64::from((greatest - least).max_element()).powi(3) {
            return Err(ClosedMeshError::Flat);
        }
        if volume < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Ok(mesh)
    }

    /// Where the vertices lie \[m\]. Shape \[vertex_count\].
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Corners of each triangle, counter-clockwise seen from outside. Shape \[triangle_count\].
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The least and the greatest coordinates of what is used \[m\].
    #[must_use]
    pub fn bounds(&self) -> [Vec3; 2] {
        let used = || self.triangles.iter().flatten().map(|&vertex| self.positions[vertex as usize]);
        [used().fold(Vec3::INFINITY, Vec3::min), used().fold(Vec3::NEG_INFINITY, Vec3::max)]
    }

    /// The normal of each triangle, a unit vector. Shape \[triangle_count\].
    #[must_use]
    pub fn face_normals(&self) -> Vec<DVec3> {
        let normal = |triangle: &[u32; 3]| {
            let [a, b, c] = self.corners(*triangle);
            (b - a).cross(c - a).normalize_or_zero()
        };
        self.triangles.iter().map(normal).collect()
    }

    /// The normal at each vertex, a unit vector: those of the triangles around it, by their angles there; 0 where there are
    /// none. Shape \[vertex_count\].
    #[must_use]
    pub fn vertex_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.positions.len()];
        for (triangle, normal) in self.triangles.iter().zip(self.face_normals()) {
            let corners = self.corners(*triangle);
            for (number, &vertex) in triangle.iter().enumerate() {
                let [next, last] = [1, 2].map(|step| corners[(number + step) % 3] - corners[number]);
                normals[vertex as usize] += next.angle_between(last) * normal;
            }
        }
        normals.iter().map(|normal| normal.normalize_or_zero()).collect()
    }

    fn corners(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|vertex| self.positions[vertex as usize].as_dvec3())
    }
}

/// Fails for the first edge that is not one of two triangles which face the same way.
fn check_edges(triangles: &[[u32; 3]]) -> Result<(), ClosedMeshError> {
    let sides = sides(triangles);
    let mut open = Vec::new();
    for around in around_edges(&sides) {
        let vertices = around[0].edge;
        match around {
            [_] => open.push(vertices),
            [first, second] if first.ascends == second.ascends => return Err(ClosedMeshError::Opposed { vertices }),
            [_, _] => {}
            more => return Err(ClosedMeshError::Crowded { faces: more.len(), vertices }),
        }
    }
    open.first().map_or(Ok(()), |&vertices| Err(ClosedMeshError::Open { edges: open.len(), vertices }))
}

/// What the triangles enclose \[m³\], by tetrahedra between each of them and one place; negative where they face inwards.
fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let Some(place) = triangles.first().map(|triangle| positions[triangle[0] as usize].as_dvec3()) else {
        return 0.0;
    };
    let tetrahedron = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| positions[vertex as usize].as_dvec3() - place);
        a.dot(b.cross(c)) / 6.0
    };
    triangles.iter().map(tetrahedron).sum()
}

/// Signed distances from a closed mesh, exact but for rounding.
///
/// A point is inside where it lies behind the part of the surface that is nearest to it: a face, or an edge or a vertex,
/// whose normal is that of the faces around it, weighed by their angles there. Where parts of the surface go through each
/// other, each of them tells of its own body.
/// Source: Baerentzen and Aanaes 2005, "Signed Distance Computation Using the Angle Weighted Pseudonormal".
pub struct SignedDistance<'a> {
    mesh: &'a ClosedMesh,
    tree: TriangleTree<'a>,
    face_normals: Vec<DVec3>,
    vertex_normals: Vec<DVec3>,
    /// Of each edge, by its ends in order of their index.
    edge_normals: HashMap<[u32; 2], DVec3>,
}

impl<'a> SignedDistance<'a> {
    /// From `mesh`.
    #[must_use]
    pub fn new(mesh: &'a ClosedMesh) -> Self {
        let face_normals = mesh.face_normals();
        let mut edge_normals = HashMap::new();
        for (&[a, b, c], normal) in mesh.triangles().iter().zip(&face_normals) {
            for ends in [[a, b], [b, c], [c, a]] {
                *edge_normals.entry(in_order(ends)).or_insert(DVec3::ZERO) += *normal;
            }
        }
        let tree = TriangleTree::new(mesh.positions(), mesh.triangles());
        Self { mesh, tree, face_normals, vertex_normals: mesh.vertex_normals(), edge_normals }
    }

    /// The distance of `point` \[m\], negative inside.
    #[must_use]
    pub fn at(&self, point: DVec3) -> f64 {
        self.within(point, f64::INFINITY).expect("a closed mesh has triangles")
    }

    /// As [`SignedDistance::at`]; `None` where the surface is farther than `reach` \[m\].
    #[must_use]
    pub fn within(&self, point: DVec3, reach: f64) -> Option<f64> {
        let closest = self.tree.closest(point, reach)?;
        let triangle = self.mesh.triangles()[closest.triangle as usize];
        let normal = match closest.feature {
            Feature::Face => self.face_normals[closest.triangle as usize],
            Feature::Edge(number) => self.edge_normals[&in_order([triangle[number], triangle[(number + 1) % 3]])],
            Feature::Vertex(number) => self.vertex_normals[triangle[number] as usize],
        };
        let distance = closest.distance_squared.sqrt();
        Some(if (point - closest.point).dot(normal) < 0.0 { -distance } else { distance })
    }
}
