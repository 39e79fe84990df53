//! Triangles turned to face as their neighbours do.

use crate::model::sides::{Side, around_edges};

/// How triangles face.
pub(super) struct Orientation {
    /// Whether each triangle has to be turned round. Shape \[triangle_count\].
    pub(super) turned: Vec<bool>,
    /// A triangle at which a surface meets itself turned over, as a Möbius strip does, where one does.
    pub(super) one_sided: Option<u32>,
}

/// Goes from triangle to triangle across the edges that exactly two share; of each piece of surface that is reached so, the
/// fewer triangles are turned.
pub(super) fn orient(triangle_count: usize, sides: &[Side]) -> Orientation {
    let mut neighbours = vec![[None; 3]; triangle_count];
    for pair in around_edges(sides) {
        if let [left, right] = *pair
            && left.triangle != right.triangle
        {
            // Two that face the same way go along their edge in opposite directions.
            let agree = left.ascends != right.ascends;
            for (side, other) in [(left, right), (right, left)] {
                let free = neighbours[side.triangle as usize].iter_mut().find(|neighbour| neighbour.is_none());
                *free.expect("three sides") = Some((other.triangle, agree));
            }
        }
    }

    let mut turned: Vec<Option<bool>> = vec![None; triangle_count];
    let mut one_sided = None;
    let mut surface = Vec::new();
    for start in 0..triangle_count {
        if turned[start].is_some() {
            continue;
        }
        turned[start] = Some(false);
        surface.clear();
        surface.push(start as u32);
        let mut next = 0;
        while let Some(&triangle) = surface.get(next) {
            next += 1;
            let this = turned[triangle as usize].expect("it was reached");
            for (other, agree) in neighbours[triangle as usize].iter().flatten() {
                let expected = this == *agree;
                match turned[*other as usize] {
                    None => {
                        turned[*other as usize] = Some(expected);
                        surface.push(*other);
                    }
                    Some(found) if found != expected => one_sided = one_sided.or(Some(triangle)),
                    Some(_) => {}
                }
            }
        }
        let count = surface.iter().filter(|&&triangle| turned[triangle as usize] == Some(true)).count();
        if 2 * count > surface.len() {
            for &triangle in &surface {
                turned[triangle as usize] = turned[triangle as usize].map(|turned| !turned);
            }
        }
    }
    Orientation { turned: turned.into_iter().map(|turned| turned == Some(true)).collect(), one_sided }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sides::sides;

    fn oriented(triangles: &[[u32; 3]]) -> Orientation {
        orient(triangles.len(), &sides(triangles))
    }

    #[test]
    fn the_fewer_turn_round() {
        // A fan of four, of which one faces the other way; and another piece, all of which does.
        let fan = [[0, 1, 2], [0, 3, 2], [0, 3, 4], [0, 4, 5], [9, 8, 7], [9, 7, 6]];
        let Orientation { turned, one_sided } = oriented(&fan);
        assert_eq!(turned, [false, true, false, false, false, false]);
        assert_eq!(one_sided, None);
        let mostly_turned = [[0, 1, 2], [0, 3, 2], [0, 4, 3], [0, 5, 4]];
        assert_eq!(oriented(&mostly_turned).turned, [true, false, false, false]);
    }

    #[test]
    fn a_moebius_strip_is_one_sided() {
        // The least one: five vertices, five triangles.
        let strip = [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0], [4, 0, 1]];
        assert!(oriented(&strip).one_sided.is_some());
        // A band of as many quads as it takes is not.
        let band: Vec<[u32; 3]> =
            (0..4).flat_map(|i| [[i, (i + 1) % 4, 4 + i], [(i + 1) % 4, 4 + (i + 1) % 4, 4 + i]]).collect();
        let Orientation { turned, one_sided } = oriented(&band);
        assert_eq!((turned, one_sided), (vec![false; 8], None));
    }

    #[test]
    fn an_edge_of_three_triangles_joins_none_of_them() {
        let spine = [[0, 1, 2], [0, 1, 3], [0, 1, 4]];
        assert_eq!(oriented(&spine).turned, [false; 3]);
    }
}
