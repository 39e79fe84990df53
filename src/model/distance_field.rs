//! Signed distances from a closed mesh at the nodes of a grid.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use glam::{UVec3, Vec3};
use rayon::prelude::*;

use super::closed_mesh::{ClosedMesh, SignedDistance};

/// How many cells of a distance field may lie along the longest side of its mesh: with 256 it has at most 18 million nodes.
pub const FIELD_CELLS: RangeInclusive<u32> = 8..=256;

/// Cells between the mesh and the border of the grid: what lies there is outside whatever is interpolated.
const MARGIN: u32 = 2;

/// By how much of its excess a cell is lowered: by more than that, or a plate between two nodes would be 0 and not solid.
const LOWERING: f32 = 1.5;

/// Places looked at along the side of a cell, to see where the interpolated surface is.
const PLACES_A_CELL: f32 = 8.0;

/// A grid of cubes around a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldGrid {
    least: Vec3,
    cell: f32,
    size: UVec3,
}

impl FieldGrid {
    /// The grid of so many cells along the longest side of `mesh`, with some more around it.
    ///
    /// # Panics
    /// Where there are fewer or more cells than [`FIELD_CELLS`].
    #[must_use]
    pub fn around(mesh: &ClosedMesh, cells: u32) -> Self {
        assert!(FIELD_CELLS.contains(&cells), "from {} to {} cells", FIELD_CELLS.start(), FIELD_CELLS.end());
        let [least, greatest] = mesh.bounds();
        let sides = greatest - least;
        let cell = sides.max_element() / cells as f32;
        let size = (sides / cell).ceil().as_uvec3().min(UVec3::splat(cells)) + 2 * MARGIN + 1;
        Self { least: (least + greatest) / 2.0 - cell * (size - 1).as_vec3() / 2.0, cell, size }
    }

    /// Where its node of least coordinates is \[m\].
    #[must_use]
    pub fn least(&self) -> Vec3 {
        self.least
    }

    /// Side of a cell \[m\].
    #[must_use]
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// Nodes along x, y and z.
    #[must_use]
    pub fn size(&self) -> UVec3 {
        self.size
    }

    /// How many nodes there are.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.size.to_array().into_iter().map(|nodes| nodes as usize).product()
    }

    fn node(&self, x: u32, y: u32, z: u32) -> usize {
        (z as usize * self.size.y as usize + y as usize) * self.size.x as usize + x as usize
    }

    /// The nodes at the corners of a cell, first along x, then along y, then along z.
    fn corners(&self, cell: UVec3) -> [usize; 8] {
        std::array::from_fn(|corner| {
            let bit = |axis: usize| (corner >> axis & 1) as u32;
            self.node(cell.x + bit(0), cell.y + bit(1), cell.z + bit(2))
        })
    }

    /// The cell in which a place of the grid is, and where it is in there, 0 to 1 along each axis.
    fn cell_at(&self, place: Vec3) -> (UVec3, Vec3) {
        let place = ((place - self.least) / self.cell).clamp(Vec3::ZERO, (self.size - 1).as_vec3());
        let cell = place.as_uvec3().min(self.size - 2);
        (cell, place - cell.as_vec3())
    }
}

/// Signed distances around a closed mesh, negative inside, which are interpolated linearly along each axis between nodes.
///
/// Far from the surface a node has its exact distance from the mesh. Where the mesh bends within a cell, what is interpolated
/// from exact distances is too large there, and a plate thinner than a cell may lie between nodes that all are outside. So
/// the nodes of such a cell are lowered by half as much again: nowhere on the mesh is the interpolated distance positive,
/// and what keeps to places where it is not negative stays out of the mesh. As distances change by no more than the way,
/// interpolation is off by half the diagonal of a cell at most; so all in all the field is by 2.2 cells at most, and at flat
/// parts only by rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceField {
    grid: FieldGrid,
    distances: Arc<[f32]>,
}

impl DistanceField {
    /// The field of `mesh`, with so many cells along its longest side.
    ///
    /// # Panics
    /// Where there are fewer or more cells than [`FIELD_CELLS`].
    #[must_use]
    pub fn new(mesh: &ClosedMesh, cells: u32) -> Self {
        let grid = FieldGrid::around(mesh, cells);
        let mut distances = exact_distances(mesh, &grid);
        lower(mesh, &grid, &mut distances);
        Self { grid, distances: distances.into() }
    }

    /// A field that was made before. `None` where it does not have a finite number for each node.
    #[must_use]
    pub fn from_distances(grid: FieldGrid, distances: Vec<f32>) -> Option<Self> {
        let is_sound = distances.len() == grid.node_count() && distances.iter().all(|distance| distance.is_finite());
        is_sound.then(|| Self { grid, distances: distances.into() })
    }

    /// Where its nodes are.
    #[must_use]
    pub fn grid(&self) -> &FieldGrid {
        &self.grid
    }

    /// Distance of each node \[m\], first along x, then along y, then along z.
    #[must_use]
    pub fn distances(&self) -> &[f32] {
        &self.distances
    }

    /// The distance at a place \[m\]. Outside of the grid it is that at its border and the way from there.
    #[must_use]
    pub fn at(&self, place: Vec3) -> f32 {
        let Self { grid, distances } = self;
        let within = place.clamp(grid.least, grid.least + grid.cell * (grid.size - 1).as_vec3());
        interpolated(grid, distances, within) + place.distance(within)
    }
}

/// The distance of each node from the mesh, exact but for rounding.
fn exact_distances(mesh: &ClosedMesh, grid: &FieldGrid) -> Vec<f32> {
    let signed = SignedDistance::new(mesh);
    let mut distances = vec![0.0; grid.node_count()];
    let rows = distances.par_chunks_mut(grid.size.x as usize).enumerate();
    rows.for_each(|(row, distances)| {
        let (y, z) = (row as u32 % grid.size.y, row as u32 / grid.size.y);
        // From one node to the next the distance grows by no more than the way.
        let mut reach = f64::INFINITY;
        for (distance, x) in distances.iter_mut().zip(0..) {
            let node = grid.least + grid.cell * UVec3::new(x, y, z).as_vec3();
            let found = signed.within(node.as_dvec3(), reach).unwrap_or_else(|| signed.at(node.as_dvec3()));
            reach = found.abs() + 1.001 * f64::from(grid.cell);
            *distance = found as f32;
        }
    });
    distances
}

/// Lowers the nodes of each cell by the most by which what is interpolated in it is positive on the mesh, and more.
fn lower(mesh: &ClosedMesh, grid: &FieldGrid, distances: &mut [f32]) {
    let mut of_cells: HashMap<UVec3, f32> = HashMap::new();
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|vertex| mesh.positions()[vertex as usize]);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let parts = (PLACES_A_CELL * longest / grid.cell).ceil().max(1.0) as u32;
        for along_b in 0..=parts {
            for along_c in 0..=parts - along_b {
                let [share_b, share_c] = [along_b, along_c].map(|along| along as f32 / parts as f32);
                let place = a + share_b * (b - a) + share_c * (c - a);
                let excess = interpolated(grid, distances, place);
                if excess > 0.0 {
                    let most = of_cells.entry(grid.cell_at(place).0).or_default();
                    *most = most.max(excess);
                }
            }
        }
    }
    let mut of_nodes: HashMap<usize, f32> = HashMap::new();
    for (cell, excess) in of_cells {
        for node in grid.corners(cell) {
            let most = of_nodes.entry(node).or_default();
            *most = most.max(excess);
        }
    }
    of_nodes.into_iter().for_each(|(node, most)| distances[node] -= LOWERING * most);
}

/// Between the nodes around a place of the grid.
fn interpolated(grid: &FieldGrid, distances: &[f32], place: Vec3) -> f32 {
    let (cell, within) = grid.cell_at(place);
    let corners = grid.corners(cell).map(|node| distances[node]);
    let mix = |from: f32, to: f32, share: f32| from * (1.0 - share) + to * share;
    let rows = [0, 2, 4, 6].map(|first| mix(corners[first], corners[first + 1], within.x));
    mix(mix(rows[0], rows[1], within.y), mix(rows[2], rows[3], within.y), within.z)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::model::ClosedMeshError;

    /// Two triangles for each four corners, which go around counter-clockwise.
    fn halved(quads: &[[u32; 4]]) -> Vec<[u32; 3]> {
        quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
    }

    /// What an outline around the origin of x and y, counter-clockwise, is between two heights z; `caps` are quadrangles
    /// that fill it.
    fn prism(outline: &[[f32; 2]], caps: &[[u32; 4]], depth: [f32; 2]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let count = outline.len() as u32;
        let positions = depth.iter().flat_map(|&z| outline.iter().map(move |&[x, y]| Vec3::new(x, y, z))).collect();
        let sides = (0..count).map(|a| [a, (a + 1) % count, (a + 1) % count + count, a + count]);
        let lower = caps.iter().map(|&[a, b, c, d]| [d, c, b, a]);
        let upper = caps.iter().map(|cap| cap.map(|corner| corner + count));
        (positions, halved(&sides.chain(lower).chain(upper).collect::<Vec<_>>()))
    }

    fn block(half_sides: Vec3) -> ClosedMesh {
        let Vec3 { x, y, z } = half_sides;
        let (positions, triangles) = prism(&[[-x, -y], [x, -y], [x, y], [-x, y]], &[[0, 1, 2, 3]], [-z, z]);
        ClosedMesh::new(&positions, &triangles).unwrap()
    }

    /// An L of the squares 0 to 2 times 0 to 1 and 0 to 1 times 1 to 2, one deep. Its vertex 4 is the inner corner.
    fn bracket() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let outline = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0], [0.0, 1.0]];
        prism(&outline, &[[0, 1, 4, 7], [1, 2, 3, 4], [7, 4, 5, 6]], [0.0, 1.0])
    }

    /// From a box, by a closed form.
    fn from_box(point: DVec3, half_sides: DVec3) -> f64 {
        let beyond = point.abs() - half_sides;
        beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
    }

    /// From [`bracket`], by its sections: outside, the nearer of its two boxes; inside, the nearest of its faces and of the
    /// edge where it turns.
    fn from_bracket(point: DVec3) -> f64 {
        let corner_box =
            |least: DVec3, greatest: DVec3| from_box(point - (least + greatest) / 2.0, (greatest - least) / 2.0);
        let (flat, tall) =
            (corner_box(DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0)), corner_box(DVec3::ZERO, DVec3::new(1.0, 2.0, 1.0)));
        if flat > 0.0 && tall > 0.0 {
            return flat.min(tall);
        }
        let DVec3 { x, y, z } = point;
        // In the section, the way to the two faces that meet at (1, 1), each of which ends there.
        let to_upper = if x >= 1.0 { 1.0 - y } else { (1.0 - x).hypot((1.0 - y).max(0.0)) };
        let to_right = if y >= 1.0 { 1.0 - x } else { (1.0 - y).hypot((1.0 - x).max(0.0)) };
        let faces = [x, y, 2.0 - x, 2.0 - y, z, 1.0 - z, to_upper, to_right];
        -faces.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Places all over a cube of four around (0.5, 0.5, 0.5) that no plane of symmetry holds.
    fn places() -> impl Iterator<Item = DVec3> {
        (0..8000_u32).map(|index| {
            let at = |step: u32, offset: f64| f64::from(index / step % 20) * 0.2 - 1.5 + offset;
            DVec3::new(at(1, 0.0113), at(20, 0.0171), at(400, 0.0237))
        })
    }

    #[test]
    fn distances_are_exact_and_signed_for_a_box_and_for_what_is_not_convex() {
        let half_sides = Vec3::new(0.7, 0.4, 1.1);
        let block = block(half_sides);
        let (positions, triangles) = bracket();
        let bracket = ClosedMesh::new(&positions, &triangles).unwrap();
        for point in places() {
            // The vertices are rounded to 32 bits.
            let of_box = SignedDistance::new(&block).at(point) - from_box(point, half_sides.as_dvec3());
            assert!(of_box.abs() < 1e-12, "{of_box} from the box at {point}");
            let of_bracket = SignedDistance::new(&bracket).at(point) - from_bracket(point);
            assert!(of_bracket.abs() < 1e-12, "{of_bracket} from the bracket at {point}");
        }
    }

    #[test]
    fn a_hollow_is_outside() {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for (half_side, inwards) in [(1.0, false), (0.5, true)] {
            let block = block(Vec3::splat(half_side));
            let first = positions.len() as u32;
            positions.extend_from_slice(block.positions());
            triangles.extend(block.triangles().iter().map(|triangle| {
                let [a, b, c] = triangle.map(|vertex| vertex + first);
                if inwards { [a, c, b] } else { [a, b, c] }
            }));
        }
        let hollow = ClosedMesh::new(&positions, &triangles).unwrap();
        let signed = SignedDistance::new(&hollow);
        for (x, distance) in [(0.0, 0.48), (0.375, 0.125), (0.625, -0.125), (0.875, -0.125), (1.5, 0.5)] {
            assert!((signed.at(DVec3::new(x, 0.01, 0.02)) - distance).abs() < 1e-12, "at {x}");
        }
    }

    /// The bound that [`DistanceField`] states, and rounding.
    #[test]
    fn fields_are_as_near_as_their_cells_are_small() {
        let half_sides = Vec3::new(0.7, 0.4, 1.1);
        let (positions, triangles) = bracket();
        let bracket = ClosedMesh::new(&positions, &triangles).unwrap();
        for cells in [8, 13, 32] {
            let of_box = DistanceField::new(&block(half_sides), cells);
            let of_bracket = DistanceField::new(&bracket, cells);
            for point in places() {
                for (field, exact) in
                    [(&of_box, from_box(point, half_sides.as_dvec3())), (&of_bracket, from_bracket(point))]
                {
                    let FieldGrid { least, cell, size } = *field.grid();
                    let greatest = least + cell * (size - 1).as_vec3();
                    let place = point.as_vec3();
                    if place.clamp(least, greatest) == place {
                        let off = (f64::from(field.at(place)) - exact).abs();
                        let bound = (1.0 + f64::from(LOWERING)) * 0.75_f64.sqrt() * f64::from(cell) + 1e-6;
                        assert!(off <= bound, "{off} m off at {point} with {cells} cells");
                    } else {
                        assert!(field.at(place) > 0.0, "{point} is outside");
                    }
                }
            }
        }
    }

    /// Of a ball, whose radius r is large beside a cell h: half the second derivatives, 1 / 2r along each of two axes across,
    /// times at most h² / 4 each, and half as much again for what nodes are lowered by; and the ball's own facets.
    #[test]
    fn a_ball_is_nearly_exact() {
        let (around, down, radius) = (64, 32, 0.5_f64);
        let at = |ring: u32, segment: u32| {
            let (down_angle, angle) = (
                f64::from(ring) * std::f64::consts::PI / f64::from(down),
                f64::from(segment) * std::f64::consts::TAU / f64::from(around),
            );
            let (x, y, z) = (down_angle.sin() * angle.cos(), down_angle.cos(), down_angle.sin() * angle.sin());
            (radius * DVec3::new(x, y, z)).as_vec3()
        };
        let mut positions = vec![at(0, 0), at(down, 0)];
        positions.extend((1..down).flat_map(|ring| (0..around).map(move |segment| at(ring, segment))));
        let index = |ring: u32, segment: u32| match ring {
            0 => 0,
            ring if ring == down => 1,
            ring => 2 + (ring - 1) * around + segment % around,
        };
        let quads = (0..down).flat_map(|ring| {
            (0..around).map(move |segment| {
                [index(ring, segment), index(ring, segment + 1), index(ring + 1, segment + 1), index(ring + 1, segment)]
            })
        });
        let ball = ClosedMesh::new(&positions, &halved(&quads.collect::<Vec<_>>())).unwrap();
        let field = DistanceField::new(&ball, 32);
        let cell = f64::from(field.grid().cell());
        // How far a facet of 1/64 of a turn each way lies below the ball, along both of its diagonals.
        let facets = 2.0 * radius * (1.0 - (std::f64::consts::PI / 64.0).cos());
        let mut seen = 0;
        for point in places() {
            let exact = point.length() - radius;
            if exact.abs() < 2.0 * cell {
                let off = (f64::from(field.at(point.as_vec3())) - exact).abs();
                let curved = cell * cell / (4.0 * (radius - 3.0 * cell));
                assert!(off <= 2.5 * curved + facets + 1e-6, "{off} m off at {point}");
                seen += 1;
            }
        }
        assert!(seen > 30, "{seen} places near the surface");
    }

    /// On the mesh, between the places that were looked at as well: there what is interpolated is off by half its second
    /// derivatives, which are at most 2 / h, times a quarter of their distance squared along each of three pairs of axes.
    #[test]
    fn nothing_of_the_mesh_is_outside_of_the_field() {
        let (positions, triangles) = bracket();
        let bracket = ClosedMesh::new(&positions, &triangles).unwrap();
        // Thinner than a cell of 1 / 16, wherever it lies.
        let plate = |thickness: f32| block(Vec3::new(1.0, thickness / 2.0, 0.8));
        for mesh in [bracket, block(Vec3::new(0.7, 0.4, 1.1)), plate(0.02), plate(0.0621)] {
            let field = DistanceField::new(&mesh, 32);
            let least = 3.0 * field.grid().cell() / 4.0 / (PLACES_A_CELL * PLACES_A_CELL);
            for triangle in mesh.triangles() {
                let [a, b, c] = triangle.map(|vertex| mesh.positions()[vertex as usize]);
                for index in 0..10_000 {
                    let (share_b, share_c) = ((index % 100) as f32 / 99.0, (index / 100) as f32 / 99.0);
                    let place = a + share_b * (b - a) + (1.0 - share_b) * share_c * (c - a);
                    assert!(field.at(place) <= least, "{} m at {place}", field.at(place));
                }
            }
        }
    }

    #[test]
    fn what_is_inside_out_is_turned_and_seams_are_joined() {
        let (positions, triangles) = bracket();
        let turned: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        // Every triangle with vertices of its own.
        let split: Vec<Vec3> = triangles.iter().flatten().map(|&vertex| positions[vertex as usize]).collect();
        let of_split: Vec<[u32; 3]> =
            (0..triangles.len() as u32).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
        for mesh in [ClosedMesh::new(&positions, &turned), ClosedMesh::new(&split, &of_split)] {
            let mesh = mesh.unwrap();
            let signed = SignedDistance::new(&mesh);
            assert!((signed.at(DVec3::new(0.5, 1.5, 0.5)) + 0.5).abs() < 1e-12);
            assert!((signed.at(DVec3::new(1.5, 1.5, 0.5)) - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn what_encloses_nothing_is_named() {
        let (positions, triangles) = bracket();
        let said = |triangles: &[[u32; 3]]| ClosedMesh::new(&positions, triangles).unwrap_err();
        assert_eq!(said(&triangles[1..]), ClosedMeshError::Open { edges: 3, vertices: [0, 1] });
        let mut opposed = triangles.clone();
        opposed[3].swap(0, 1);
        assert!(matches!(said(&opposed), ClosedMeshError::Opposed { .. }));
        let twice = [&triangles[..], &triangles[..1]].concat();
        assert_eq!(said(&twice), ClosedMeshError::Crowded { faces: 3, vertices: [0, 1] });
        assert_eq!(said(&[[0, 1, 4], [0, 4, 1]]), ClosedMeshError::Flat);
        assert_eq!(said(&[]), ClosedMeshError::Flat);
        let text = ClosedMeshError::Open { edges: 3, vertices: [0, 1] }.to_string();
        assert!(text.contains("3 of its edges") && text.contains("between the vertices 0 and 1"), "{text}");
    }

    #[test]
    fn a_field_made_before_has_a_number_for_each_node() {
        let field = DistanceField::new(&block(Vec3::ONE), 8);
        assert_eq!(field.grid().size(), UVec3::splat(13));
        let again = |distances: &[f32]| DistanceField::from_distances(*field.grid(), distances.to_vec());
        assert_eq!(again(field.distances()), Some(field.clone()));
        assert_eq!(again(&field.distances()[1..]), None);
        assert_eq!(again(&vec![f32::NAN; field.distances().len()]), None);
    }
}
