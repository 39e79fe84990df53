use glam::{DVec3, Vec2, Vec3};

use super::components::Components;
use super::hinge::pairs;
use super::patch::{Facet, Patch};
use super::sides::{Side, around_edges, in_order, sides};
use super::{BendingForm, Cloth, Coloring, Pattern, Spring, SpringKind};

/// Share of a garment's height, from its top, that best holds it ([`TriangleMesh::tops`]).
///
/// Of a T-shirt it holds the back and sides of the collar and the neck ends of both shoulders, as a hanger
/// does: 164 of 6,436 vertices. A share of 0.02 is a peg at the nape, 0.1 the shoulders up to the sleeves.
pub const HANGING_PIN_FRACTION: f32 = 0.05;

/// Least height of a triangle over its longest edge, as a share of that edge. Flatter ones are taken for rounding
/// errors of a triangle without area, which has no front and no mass.
const LEAST_HEIGHT: f64 = 1e-6;

/// A surface made of triangles, each of them with an area.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    uvs: Option<Vec<[Vec2; 3]>>,
}

/// Why vertices and triangles make no [`TriangleMesh`]. Messages count from 1, as OBJ files do; fields from 0.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// There are no vertices.
    #[error("the mesh has no vertices; give it at least three")]
    NoVertices,
    /// There are no triangles.
    #[error("the mesh has no faces; give it at least one triangle, for points and lines alone make no cloth")]
    NoTriangles,
    /// A coordinate is NaN or infinite.
    #[error(
        "vertex {} lies at ({}, {}, {}); make every coordinate a finite number",
        vertex + 1, position.x, position.y, position.z
    )]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Where it lies \[m\].
        position: Vec3,
    },
    /// A triangle names a vertex that doesn't exist.
    #[error(
        "triangle {} uses vertex {}, but the mesh has vertices 1 to {vertex_count}; correct the face or add the vertex",
        triangle + 1, u64::from(*vertex) + 1
    )]
    OutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The index that is too high.
        vertex: u32,
        /// Number of vertices.
        vertex_count: usize,
    },
    /// A triangle's corners coincide or lie on one line.
    #[error(
        "triangle {} of vertices {}, {} and {} has no area, for they coincide or lie on one line; remove the face",
        triangle + 1, vertices[0] + 1, vertices[1] + 1, vertices[2] + 1
    )]
    NoArea {
        /// Index of the triangle.
        triangle: usize,
        /// Its corners.
        vertices: [u32; 3],
    },
}

impl MeshError {
    /// Index of the triangle at fault, where one is.
    pub fn triangle(&self) -> Option<usize> {
        match *self {
            MeshError::OutOfRange { triangle, .. } | MeshError::NoArea { triangle, .. } => Some(triangle),
            MeshError::NoVertices | MeshError::NoTriangles | MeshError::NotFinite { .. } => None,
        }
    }
}

impl TriangleMesh {
    /// A mesh of vertices at `positions` \[m\], shape \[vertex_count\], and triangles between them, shape
    /// \[triangle_count\], counter-clockwise seen from the front.
    ///
    /// Vertices that no triangle uses are fine.
    ///
    /// # Errors
    ///
    /// Where there is nothing, where a coordinate isn't finite, an index is out of range or a triangle has no area.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if positions.is_empty() {
            return Err(MeshError::NoVertices);
        }
        if triangles.is_empty() {
            return Err(MeshError::NoTriangles);
        }
        if let Some(vertex) = positions.iter().position(|position| !position.is_finite()) {
            return Err(MeshError::NotFinite { vertex, position: positions[vertex] });
        }
        let vertex_count = positions.len();
        let mesh = TriangleMesh { positions, triangles, uvs: None };
        for (triangle, &vertices) in mesh.triangles.iter().enumerate() {
            if let Some(vertex) = vertices.into_iter().find(|&vertex| vertex as usize >= vertex_count) {
                return Err(MeshError::OutOfRange { triangle, vertex, vertex_count });
            }
            if !has_area(vertices.map(|vertex| mesh.position(vertex))) {
                return Err(MeshError::NoArea { triangle, vertices });
            }
        }
        Ok(mesh)
    }

    /// The same with places in a texture, from 0 to 1 across and down it, for the corners of each triangle: a vertex may have
    /// several, where the texture is cut. Shape \[triangle_count\].
    ///
    /// # Panics
    ///
    /// Where there are not as many as triangles.
    #[must_use]
    pub fn with_uvs(self, uvs: Option<Vec<[Vec2; 3]>>) -> Self {
        assert!(uvs.as_ref().is_none_or(|uvs| uvs.len() == self.triangles.len()), "corners of each triangle");
        Self { uvs, ..self }
    }

    /// As [`TriangleMesh::with_uvs`] has them, if any.
    #[must_use]
    pub fn uvs(&self) -> Option<&[[Vec2; 3]]> {
        self.uvs.as_deref()
    }

    /// Where the vertices lie \[m\]. Shape \[vertex_count\].
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Corners of each triangle, counter-clockwise seen from the front. Shape \[triangle_count\].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    fn position(&self, vertex: u32) -> DVec3 {
        self.positions[vertex as usize].as_dvec3()
    }

    /// Area of a triangle \[m²\].
    fn area(&self, triangle: [u32; 3]) -> f64 {
        let [a, b, c] = triangle.map(|vertex| self.position(vertex));
        (b - a).cross(c - a).length() / 2.0
    }

    /// Mass of each vertex \[kg\], a third of the triangles around it, at `area_density` \[kg/m²\].
    fn masses(&self, area_density: f64) -> Vec<f64> {
        let mut masses = vec![0.0; self.positions.len()];
        for &triangle in &self.triangles {
            let third = area_density * self.area(triangle) / 3.0;
            triangle.into_iter().for_each(|vertex| masses[vertex as usize] += third);
        }
        masses
    }

    /// The patch of each edge, edge by edge.
    fn patches(&self, sides: &[Side]) -> Vec<Patch> {
        let facet = |triangle: u32| Facet {
            corners: self.triangles[triangle as usize].map(|vertex| self.position(vertex)),
            uvs: self.uvs.as_ref().map(|uvs| uvs[triangle as usize]),
        };
        let patch = |around: &[Side]| Patch::new(around[0].edge.map(|vertex| self.position(vertex)), around, facet);
        around_edges(sides).map(patch).collect()
    }

    /// The vertices within `fraction` of the height of their connected component below its top.
    ///
    /// A vertex that no triangle uses is a component of its own, and therefore its top.
    fn highest_vertices(&self, fraction: f64) -> Vec<u32> {
        let vertices = 0..self.positions.len() as u32;
        let components = Components::of_triangles(self.positions.len(), &self.triangles);

        let mut extents = vec![(f64::INFINITY, f64::NEG_INFINITY); self.positions.len()];
        for vertex in vertices.clone() {
            let (bottom, top) = &mut extents[components.of[vertex as usize] as usize];
            let height = self.position(vertex).y;
            (*bottom, *top) = (bottom.min(height), top.max(height));
        }
        let is_high = |&vertex: &u32| {
            let (bottom, top) = extents[components.of[vertex as usize] as usize];
            top - self.position(vertex).y <= fraction * (top - bottom)
        };
        vertices.filter(is_high).collect()
    }

    /// A cloth of this mesh, of which nothing is pinned but the vertices that no triangle uses.
    ///
    /// Particle `i` is vertex `i`. Edges become structural springs. Across every edge that two triangles share it resists
    /// bending: by a hinge, or by a spring that joins their opposite corners. A vertex weighs `area_density` \[kg/m²\] times a
    /// third of the area of the triangles around it.
    ///
    /// # Panics
    ///
    /// Where `area_density` isn't positive and finite.
    pub fn cloth(&self, area_density: f32, bending: BendingForm) -> Cloth {
        assert!(area_density.is_finite() && area_density > 0.0, "a cloth cannot weigh {area_density} kg/m²");
        let sides = sides(&self.triangles);
        let edges: Vec<[u32; 2]> = around_edges(&sides).map(|around| around[0].edge).collect();
        let edge_patches = self.patches(&sides);
        let spring = |particles: [u32; 2], kind| {
            let [a, b] = particles.map(|particle| self.position(particle));
            Spring { particles, rest_length: a.distance(b) as f32, kind }
        };
        let mut springs: Vec<Spring> = edges.iter().map(|edge| spring(*edge, SpringKind::Structural)).collect();
        if bending == BendingForm::Distance {
            let across = opposites(&sides, &edges).into_iter().map(|pair| spring(pair, SpringKind::Bending));
            // Corners that already touch, of triangles folded onto each other, have no direction to be pushed apart in.
            springs.extend(across.filter(|spring| spring.rest_length > 0.0));
        }
        let (springs, coloring) = Coloring::clustered(springs);
        let patch = |spring: &Spring| {
            edges.binary_search(&spring.particles).map_or_else(|_| Patch::default(), |index| edge_patches[index])
        };
        let patches = springs.iter().map(patch).collect();

        let inverse_mass = |mass: f64| if mass > 0.0 { (1.0 / mass) as f32 } else { 0.0 };
        let masses = self.masses(f64::from(area_density));
        let inverse_masses: Vec<f32> = masses.into_iter().map(inverse_mass).collect();
        let positions = self.positions.iter().zip(&inverse_masses).map(|(position, &w)| position.extend(w)).collect();
        let mut cloth = Cloth {
            positions,
            inverse_masses,
            triangles: self.triangles.clone(),
            springs,
            coloring,
            patches,
            hinges: Vec::new(),
            hinge_coloring: Coloring::default(),
            attachments: vec![],
            grid: None,
            uvs: self.uvs.clone(),
            pattern: Pattern::Plain,
        };
        if bending == BendingForm::Dihedral {
            cloth.add_hinges();
        }
        cloth
    }

    /// The vertices by which a garment hangs: in every connected component those within `fraction` (0 to 1) of its height
    /// below its own top. A component that lies quite flat is all top, and a vertex that no triangle uses is one as well.
    ///
    /// # Panics
    ///
    /// Where `fraction` isn't from 0 to 1.
    pub fn tops(&self, fraction: f32) -> Vec<u32> {
        assert!((0.0..=1.0).contains(&fraction), "the pinned share of the height must be 0 to 1, not {fraction}");
        self.highest_vertices(f64::from(fraction))
    }
}

/// Whether a triangle has an area, beyond rounding; one that has none has no front and no mass.
pub(super) fn has_area([a, b, c]: [DVec3; 3]) -> bool {
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    // Twice the area is the longest edge times the height over it.
    (b - a).cross(c - a).length() > LEAST_HEIGHT * longest * longest
}

/// Every pair of corners that face each other across an edge, once; no pair is one of `edges`, which are in order.
fn opposites(sides: &[Side], edges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let across = around_edges(sides).flat_map(pairs);
    let mut opposites: Vec<[u32; 2]> = across.map(|[one, other]| in_order([one.corner, other.corner])).collect();
    opposites.sort_unstable();
    opposites.dedup();
    opposites.retain(|pair| pair[0] != pair[1] && edges.binary_search(pair).is_err());
    opposites
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit square in the xy plane cut along the diagonal 0-2; area 1 m².
    fn square() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        (positions, vec![[0, 1, 2], [0, 2, 3]])
    }

    fn mesh((positions, triangles): (Vec<Vec3>, Vec<[u32; 3]>)) -> TriangleMesh {
        TriangleMesh::new(positions, triangles).expect("a sound mesh")
    }

    fn hang(mesh: &TriangleMesh, area_density: f32, pin_fraction: f32) -> Cloth {
        let mut cloth = mesh.cloth(area_density, BendingForm::Distance);
        cloth.pin(mesh.tops(pin_fraction));
        cloth
    }

    fn joined(cloth: &Cloth, kind: SpringKind) -> Vec<[u32; 2]> {
        let springs = cloth.springs.iter().filter(|spring| spring.kind == kind);
        let mut pairs: Vec<_> = springs.map(|spring| spring.particles).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn a_square_hangs_by_its_upper_edge() {
        let cloth = hang(&mesh(square()), 0.3, 0.1);
        assert_eq!(joined(&cloth, SpringKind::Structural), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]);
        assert_eq!(joined(&cloth, SpringKind::Bending), [[1, 3]]);
        // Vertex 0 carries a third of both halves, vertex 1 a third of one: 0.1 kg and 0.05 kg.
        for (position, inverse_mass) in cloth.positions.iter().zip([10.0, 20.0, 0.0, 0.0]) {
            assert!((position.w - inverse_mass).abs() < 1e-5);
        }
    }

    #[test]
    fn masses_add_up_to_density_times_area() {
        let total: f64 = mesh(square()).masses(0.2).iter().sum();
        assert!((total - 0.2).abs() < 1e-15);
    }

    #[test]
    fn each_component_hangs_by_its_own_top_and_loose_vertices_stay() {
        let (mut positions, mut triangles) = square();
        positions.push(Vec3::splat(7.0));
        positions.extend(square().0.iter().map(|position| position - Vec3::Y * 100.0));
        triangles.extend(square().1.iter().map(|triangle| triangle.map(|vertex| vertex + 5)));
        let cloth = hang(&mesh((positions, triangles)), 1.0, 0.0);
        let pinned: Vec<usize> = (0..9).filter(|&vertex| cloth.positions[vertex].w == 0.0).collect();
        assert_eq!(pinned, [2, 3, 4, 7, 8]);
    }

    #[test]
    fn non_manifold_edges_and_doubled_triangles_are_joined_once() {
        let (mut positions, mut triangles) = square();
        positions.push(Vec3::new(0.5, 0.5, 1.0));
        triangles.extend([[0, 2, 4], [0, 2, 4], [2, 1, 0]]);
        let cloth = hang(&mesh((positions, triangles)), 1.0, 0.0);
        assert_eq!(joined(&cloth, SpringKind::Bending), [[1, 3], [1, 4], [3, 4]]);
        assert_eq!(joined(&cloth, SpringKind::Structural).len(), 7);
    }

    #[test]
    fn a_closed_tetrahedron_has_no_bending_springs_beside_its_edges() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let cloth = hang(&mesh((positions, triangles)), 1.0, 0.0);
        assert_eq!(joined(&cloth, SpringKind::Structural).len(), 6);
        assert!(joined(&cloth, SpringKind::Bending).is_empty());
    }

    #[test]
    fn hinges_take_the_place_of_bending_springs() {
        let mesh = mesh(square());
        let cloth = mesh.cloth(1.0, BendingForm::Dihedral);
        assert!(joined(&cloth, SpringKind::Bending).is_empty());
        assert_eq!(cloth.hinges.iter().map(|hinge| hinge.particles).collect::<Vec<_>>(), [[0, 2, 1, 3]]);
        assert_eq!((cloth.hinges[0].rest_angle, cloth.hinges[0].area_ratio), (0.0, 0.5));
        assert!(mesh.cloth(1.0, BendingForm::Distance).hinges.is_empty());
        // The diagonal has both halves, each side one.
        let patches = cloth.springs.iter().zip(&cloth.patches);
        for (spring, patch) in patches {
            let expected = Patch { area_ratio: 0.5, weft_share: None };
            assert_eq!(*patch, expected, "{spring:?}");
        }
    }

    #[test]
    fn unsound_meshes_are_refused_in_a_sentence() {
        let with = |vertex: Vec3, triangle: [u32; 3]| {
            let mut positions = square().0;
            positions.push(vertex);
            TriangleMesh::new(positions, vec![[0, 1, 2], triangle]).expect_err("an unsound mesh").to_string()
        };
        assert_eq!(
            with(Vec3::Z, [0, 1, 9]),
            "triangle 2 uses vertex 10, but the mesh has vertices 1 to 5; correct the face or add the vertex"
        );
        assert_eq!(
            with(Vec3::new(0.0, f32::NAN, 1.0), [0, 1, 2]),
            "vertex 5 lies at (0, NaN, 1); make every coordinate a finite number"
        );
        for (vertex, triangle) in [(Vec3::Z, [0, 1, 1]), (Vec3::X, [0, 1, 4]), (Vec3::X * 0.3, [0, 1, 4])] {
            let [a, b, c] = triangle.map(|vertex| vertex + 1);
            let reason = "has no area, for they coincide or lie on one line; remove the face";
            assert_eq!(with(vertex, triangle), format!("triangle 2 of vertices {a}, {b} and {c} {reason}"));
        }
        assert_eq!(TriangleMesh::new(Vec::new(), Vec::new()), Err(MeshError::NoVertices));
        assert_eq!(TriangleMesh::new(square().0, Vec::new()), Err(MeshError::NoTriangles));
        assert!(with(Vec3::Z, [0, 1, u32::MAX]).contains("vertex 4294967296"));
    }

    #[test]
    fn what_has_no_area_does_not_depend_on_the_unit() {
        for unit in [1e-12, 1e-3, 1.0, 1e6] {
            let scaled = |positions: &[Vec3]| positions.iter().map(|position| position * unit).collect::<Vec<_>>();
            assert!(TriangleMesh::new(scaled(&square().0), square().1).is_ok());
            let flat = [Vec3::ZERO, Vec3::new(1.0, 1.0, 1.0), Vec3::new(3.0, 3.0, 3.000_000_2)];
            assert!(TriangleMesh::new(scaled(&flat), vec![[0, 1, 2]]).is_err());
        }
    }
}
