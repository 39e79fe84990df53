//! The sides of triangles, in the order of the edges that they lie along.

/// A side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::model) struct Side {
    /// Its two vertices, the lower index first.
    pub(in crate::model) edge: [u32; 2],
    /// The index of its triangle.
    pub(in crate::model) triangle: u32,
    /// Whether the triangle goes along it from the lower index to the higher.
    pub(in crate::model) ascends: bool,
}

/// Every side of `triangles`, those along one edge behind each other, and they in the order of the triangles.
pub(in crate::model) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let side = |from: u32, to: u32, triangle| Side { edge: [from.min(to), from.max(to)], triangle, ascends: from < to };
    let of_triangle =
        |(triangle, &[a, b, c]): (u32, &[u32; 3])| [side(a, b, triangle), side(b, c, triangle), side(c, a, triangle)];
    let mut sides: Vec<Side> = (0..).zip(triangles).flat_map(of_triangle).collect();
    sides.sort_unstable();
    sides
}

/// The sides along each edge.
pub(in crate::model) fn around_edges(sides: &[Side]) -> impl Iterator<Item = &[Side]> {
    sides.chunk_by(|left, right| left.edge == right.edge)
}
