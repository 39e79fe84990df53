//! Open borders, followed once round each.

use std::collections::BTreeMap;

use crate::model::TriangleMesh;
use crate::model::sides::{around_edges, sides};

/// An open border.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Border {
    /// Its vertex of the lowest index.
    pub vertex: u32,
    /// How many edges it has.
    pub edge_count: usize,
    /// How long it is \[m\].
    pub length: f64,
}

/// The borders of a mesh, in the order of their first particles. Two that touch in a vertex are one or two, as they come.
pub(super) fn borders(mesh: &TriangleMesh, in_file: impl Fn(u32) -> u32) -> Vec<Border> {
    let sides = sides(mesh.triangles());
    // The edges from each particle, in the direction in which triangles go along them.
    let mut edges: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for side in around_edges(&sides).filter(|sides| sides.len() == 1).map(|sides| sides[0]) {
        let [low, high] = side.edge;
        let [from, to] = if side.ascends { [low, high] } else { [high, low] };
        edges.entry(from).or_default().push(to);
    }
    let mut borders = Vec::new();
    while let Some((&start, _)) = edges.first_key_value() {
        let mut border = Border { vertex: in_file(start), edge_count: 0, length: 0.0 };
        let mut from = start;
        while let Some(targets) = edges.get_mut(&from) {
            let to = targets.pop().expect("an edge");
            if targets.is_empty() {
                edges.remove(&from);
            }
            border.vertex = border.vertex.min(in_file(to));
            border.edge_count += 1;
            let [here, there] = [from, to].map(|particle| mesh.positions()[particle as usize]);
            border.length += f64::from(here.distance(there));
            from = to;
        }
        borders.push(border);
    }
    borders
}
