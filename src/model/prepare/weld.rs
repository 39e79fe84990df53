//! Vertices that a file has split along a seam, as texture coordinates and normals make programs do, become one again.

use std::collections::{HashMap, HashSet};

use glam::{DVec3, Vec3};

use crate::model::SourceMesh;
use crate::model::bounds::extent;
use crate::model::components::Components;
use crate::model::sides::{around_edges, in_order, sides};

/// No vertices are welded that are further apart than this share of the mean length of the edges at open borders: two ends of
/// one edge never are, in a mesh as fine as it may be.
const MOST_OF_AN_EDGE: f64 = 0.01;

/// How many times as wide as the distance of welding the cells are by which near vertices are found: few lie so near to
/// the border of their cell that others have to be looked at.
const CELL_WIDTH: f64 = 16.0;

/// Which vertices are one.
pub(super) struct Welded {
    /// The vertex that stands for each, the one of the lowest index. Shape \[vertex_count\].
    pub(super) vertices: Vec<u32>,
    /// How far apart they may be \[m\].
    pub(super) distance: f64,
    /// Pieces of one surface that lie on each other all over and stay apart, by the lowest vertex of each.
    pub(super) layers: Vec<[u32; 2]>,
}

impl Welded {
    /// Welds vertices of one surface at its open borders that lie within `share` of the mesh's longest side.
    ///
    /// Vertices inside a surface are whole and stay apart from what lies on them, and so do pieces of a surface that lie on
    /// each other all over, as layers of cloth do.
    pub(super) fn new(source: &SourceMesh, positions: &[Vec3], triangles: &[[u32; 3]], share: f32) -> Self {
        let border = Border::of(positions, triangles);
        let size = f64::from(extent(positions).max_element());
        let reach = (f64::from(share) * size).min(MOST_OF_AN_EDGE * border.mean_edge_length);
        let surface = |vertex: u32| source.surfaces.get(vertex as usize).copied().unwrap_or_default();

        let pieces = Components::of_triangles(positions.len(), triangles);
        let piece = |vertex: u32| pieces.of[vertex as usize];
        let mut used = triangles.as_flattened().to_vec();
        used.sort_unstable();
        used.dedup();
        let on_others = near_pairs(positions, &used, reach, |a, b| surface(a) == surface(b) && piece(a) != piece(b));
        let layers = layers(&pieces, &border.is_inside, &on_others);

        used.retain(|&vertex| !border.is_inside[vertex as usize]);
        let is_seam = |a, b| surface(a) == surface(b) && !layers.contains(&in_order([piece(a), piece(b)]));
        let seams = near_pairs(positions, &used, reach, is_seam);
        let vertices = Components::of_pairs(positions.len(), seams.into_iter()).of;
        let mut layers: Vec<[u32; 2]> = layers.into_iter().collect();
        layers.sort_unstable();
        Self { vertices, distance: reach, layers }
    }
}

/// The open borders of triangles.
struct Border {
    /// Whether a vertex has triangles all around it. Shape \[vertex_count\].
    is_inside: Vec<bool>,
    mean_edge_length: f64,
}

impl Border {
    fn of(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut is_inside = vec![false; positions.len()];
        triangles.as_flattened().iter().for_each(|&vertex| is_inside[vertex as usize] = true);
        let (mut sum, mut count) = (0.0, 0.0);
        let sides = sides(triangles);
        for [a, b] in around_edges(&sides).filter(|sides| sides.len() == 1).map(|sides| sides[0].edge) {
            is_inside[a as usize] = false;
            is_inside[b as usize] = false;
            sum += f64::from(positions[a as usize].distance(positions[b as usize]));
            count += 1.0;
        }
        Self { is_inside, mean_edge_length: sum / f64::max(count, 1.0) }
    }
}

/// The pairs among `vertices` that are no further apart than `reach` and of which `may_join` holds; of many in one place, each
/// with the first that it may join.
fn near_pairs(positions: &[Vec3], vertices: &[u32], reach: f64, may_join: impl Fn(u32, u32) -> bool) -> Vec<[u32; 2]> {
    let place = |vertex: u32| positions[vertex as usize].as_dvec3();
    // Those in one place first, by far the most: they need no distance, and a crowd of them no pairs of all with all.
    // Adding 0 makes -0 and 0 the same.
    let bits = |vertex: u32| (positions[vertex as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut by_place: Vec<([u32; 3], u32)> = vertices.iter().map(|&vertex| (bits(vertex), vertex)).collect();
    by_place.sort_unstable();
    let (mut pairs, mut apart) = (Vec::new(), Vec::new());
    for together in by_place.chunk_by(|left, right| left.0 == right.0) {
        let first = apart.len();
        for &(_, vertex) in together {
            match apart[first..].iter().find(|&&other| may_join(other, vertex)) {
                Some(&other) => pairs.push([other, vertex]),
                None => apart.push(vertex),
            }
        }
    }
    if reach <= 0.0 {
        return pairs;
    }

    let width = CELL_WIDTH * reach;
    let cell = |place: DVec3| (place / width).floor().to_array().map(|index| index as i64);
    let mut cells: Vec<([i64; 3], u32)> = apart.iter().map(|&vertex| (cell(place(vertex)), vertex)).collect();
    cells.sort_unstable();
    for &(_, vertex) in &cells {
        let here = place(vertex);
        let [least, most] = [here - reach, here + reach].map(cell);
        for (x, y) in (least[0]..=most[0]).flat_map(|x| (least[1]..=most[1]).map(move |y| (x, y))) {
            // Cells along z lie behind each other.
            let first = cells.partition_point(|(cell, _)| *cell < [x, y, least[2]]);
            for &(_, other) in cells[first..].iter().take_while(|(cell, _)| *cell <= [x, y, most[2]]) {
                if vertex < other && may_join(vertex, other) && here.distance(place(other)) <= reach {
                    pairs.push([vertex, other]);
                }
            }
        }
    }
    pairs
}

/// The pairs of pieces of surface that lie on each other all over: each vertex of either has one of the other in its place. Those
/// without a vertex inside are not among them, as single faces are in meshes that do not share vertices.
fn layers(pieces: &Components, is_inside: &[bool], near: &[[u32; 2]]) -> HashSet<[u32; 2]> {
    let mut sizes: HashMap<u32, (usize, bool)> = HashMap::new();
    for (&piece, &is_inside) in pieces.of.iter().zip(is_inside) {
        let (count, has_inside) = sizes.entry(piece).or_default();
        *count += 1;
        *has_inside |= is_inside;
    }
    let mut shared: HashMap<[u32; 2], usize> = HashMap::new();
    for &[a, b] in near {
        *shared.entry(in_order([pieces.of[a as usize], pieces.of[b as usize]])).or_default() += 1;
    }
    let all_over = |pair: &[u32; 2], count: usize| pair.iter().all(|piece| sizes[piece].1 && count >= sizes[piece].0);
    shared.into_iter().filter(|(pair, count)| all_over(pair, *count)).map(|(pair, _)| pair).collect()
}
