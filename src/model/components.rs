//! What hangs together.

/// Which vertices hang together: for each, the lowest that it hangs together with. A union-find forest, flattened.
pub(crate) struct Components {
    /// Shape \[vertex_count\].
    pub(crate) of: Vec<u32>,
}

impl Components {
    /// Vertices that triangles join; one that no triangle uses is a component of its own.
    pub(crate) fn of_triangles(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        // Two sides of a triangle join its three corners.
        Self::of_pairs(vertex_count, triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c]]))
    }

    /// Vertices that pairs join.
    pub(crate) fn of_pairs(vertex_count: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut parents: Vec<u32> = (0..vertex_count as u32).collect();
        for [a, b] in pairs {
            let (a, b) = (root(&mut parents, a), root(&mut parents, b));
            // Roots are the lowest, so that who stands for all does not depend on the order of the pairs.
            parents[a.max(b) as usize] = a.min(b);
        }
        // No parent is higher than its child, so it knows its root already.
        for vertex in 0..vertex_count {
            parents[vertex] = parents[parents[vertex] as usize];
        }
        Self { of: parents }
    }
}

/// The root of the tree of `vertex` in a union-find forest, shortening the way to it.
pub(crate) fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        parents[vertex as usize] = parents[parents[vertex as usize] as usize];
        vertex = parents[vertex as usize];
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_stands_for_all_in_any_order() {
        let pairs = [[5, 4], [1, 2], [4, 2], [7, 6]];
        let expected = [0, 1, 1, 3, 1, 1, 6, 6];
        assert_eq!(Components::of_pairs(8, pairs.into_iter()).of, expected);
        let backwards = Components::of_pairs(8, pairs.into_iter().rev().map(|[a, b]| [b, a]));
        assert_eq!(backwards.of, expected);
    }
}
