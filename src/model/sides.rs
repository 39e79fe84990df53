//! The sides of triangles, in the order of the edges that they lie along.

/// A side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    /// Its ends, the lower index first.
    pub(super) edge: [u32; 2],
    /// The corner that faces it.
    pub(super) corner: u32,
    /// The index of its triangle.
    pub(super) triangle: u32,
    /// Whether the triangle goes along it from the lower index to the higher.
    pub(super) ascends: bool,
}

/// The sides of all triangles, those along one edge behind each other.
pub(super) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let of_triangle = |(triangle, &[a, b, c]): (u32, &[u32; 3])| {
        [[a, b, c], [b, c, a], [c, a, b]].map(|[from, to, corner]| Side {
            edge: in_order([from, to]),
            corner,
            triangle,
            ascends: from < to,
        })
    };
    let mut sides: Vec<Side> = (0..).zip(triangles).flat_map(of_triangle).collect();
    sides.sort_unstable();
    sides
}

/// Two vertices, the lower index first.
pub(super) fn in_order([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// The sides along each edge.
pub(super) fn around_edges(sides: &[Side]) -> impl Iterator<Item = &[Side]> {
    sides.chunk_by(|one, other| one.edge == other.edge)
}
