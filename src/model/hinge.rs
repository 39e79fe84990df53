//! Edges that two triangles share, across which a cloth bends.

use glam::{DVec3, Vec3};

use super::Joins;
use super::sides::{Side, around_edges, sides};

/// Two triangles at an edge, held at an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The two ends of the edge, and the corners that face it in the one triangle and in the other; all differ.
    pub particles: [u32; 4],
    /// Angle between the triangles' normals at rest \[rad\], from -π to π; 0 where they are flat.
    pub rest_angle: f32,
    /// Area of both triangles over the square of the edge's length.
    pub area_ratio: f32,
}

impl Joins for Hinge {
    fn particles(&self) -> &[u32] {
        &self.particles
    }
}

/// The pairs of triangles that meet at one edge, each by the side that it has there.
///
/// More than two triangles are joined in a ring: three each to each, but a thousand pages of one spine with a thousand
/// pairs rather than half a million.
pub(super) fn pairs(around: &[Side]) -> impl Iterator<Item = [Side; 2]> {
    let count = if around.len() > 2 { around.len() } else { around.len() - 1 };
    around.iter().zip(around.iter().cycle().skip(1)).take(count).map(|(one, other)| [*one, *other])
}

/// The hinges of a cloth of `triangles`, edge by edge. Triangles that have all corners in common have none.
pub(super) fn hinges(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Hinge> {
    let sides = sides(triangles);
    let pairs = around_edges(&sides).flat_map(pairs);
    let hinge = |[one, other]: [Side; 2]| {
        let particles = [one.edge[0], one.edge[1], one.corner, other.corner];
        let [a, b, c, d] = particles.map(|index| positions[index as usize].as_dvec3());
        // Twice the area of each is the length of its normal.
        let [one, other] = [(b - a).cross(c - a), (d - a).cross(b - a)];
        let area_ratio = (one.length() + other.length()) / 2.0 / a.distance_squared(b);
        Hinge { particles, rest_angle: angle(b - a, one, other) as f32, area_ratio: area_ratio as f32 }
    };
    pairs.filter(|[one, other]| one.corner != other.corner).map(hinge).collect()
}

/// The angle about `axis` from one normal to the other \[rad\].
fn angle(axis: DVec3, one: DVec3, other: DVec3) -> f64 {
    f64::atan2(one.cross(other).dot(axis.normalize()), one.dot(other))
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::*;

    /// An edge of 2 m along x, and corners 1 m from it.
    fn wings(corners: &[Vec3]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let positions = [Vec3::ZERO, 2.0 * Vec3::X].iter().chain(corners).copied().collect();
        // Sides may go either way round.
        let triangles = (0..corners.len() as u32).map(|corner| [corner % 2, 1 - corner % 2, corner + 2]).collect();
        (positions, triangles)
    }

    #[test]
    fn a_fold_has_its_angle_and_its_area() {
        for (corner, rest_angle) in [(-Vec3::Y, 0.0), (Vec3::Z, -FRAC_PI_2), (-Vec3::Z, FRAC_PI_2)] {
            let (positions, triangles) = wings(&[Vec3::Y, corner]);
            let expected = Hinge { particles: [0, 1, 2, 3], rest_angle, area_ratio: 0.5 };
            assert_eq!(hinges(&positions, &triangles), [expected]);
        }
        let (positions, triangles) = wings(&[Vec3::Y, Vec3::Y]);
        assert!((hinges(&positions, &triangles)[0].rest_angle.abs() - 2.0 * FRAC_PI_2).abs() < 1e-6);
    }

    #[test]
    fn many_triangles_at_an_edge_are_joined_in_a_ring() {
        let opposite = |count: usize| -> Vec<[u32; 2]> {
            let corners: Vec<Vec3> = (0..count).map(|page| Vec3::new(1.0, 1.0, page as f32)).collect();
            let (positions, triangles) = wings(&corners);
            hinges(&positions, &triangles).iter().map(|hinge| [hinge.particles[2], hinge.particles[3]]).collect()
        };
        assert!(opposite(1).is_empty());
        assert_eq!(opposite(2), [[2, 3]]);
        assert_eq!(opposite(4), [[2, 3], [3, 4], [4, 5], [5, 2]]);
    }

    #[test]
    fn doubled_triangles_have_no_hinge_between_them() {
        let (positions, _) = wings(&[Vec3::Y]);
        assert!(hinges(&positions, &[[0, 1, 2], [1, 0, 2]]).is_empty());
    }
}
