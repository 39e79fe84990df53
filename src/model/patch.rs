//! What of a mesh's cloth each of its edges stands for.

use glam::{DVec2, DVec3, Vec2};

use super::sides::Side;

/// Least height of a triangle of texture coordinates over its longest edge, as a share of that edge: a flatter one says
/// nothing of directions.
const LEAST_HEIGHT: f64 = 1e-6;

/// The cloth of the triangles at an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Patch {
    /// Its area over the square of the edge's length.
    pub area_ratio: f32,
    /// Square of the cosine of the angle between the edge and the weft, at rest; none where nothing says where the weft
    /// runs.
    pub weft_share: Option<f32>,
}

/// A triangle at rest.
pub(super) struct Facet {
    pub(super) corners: [DVec3; 3],
    pub(super) uvs: Option<[Vec2; 3]>,
}

impl Facet {
    /// Area \[m²\].
    fn area(&self) -> f64 {
        self.normal().length() / 2.0
    }

    fn normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a)
    }

    /// Direction of the weft, along which u grows: the one that lies as near to it as the direction across the warp, along
    /// which v grows, for a pattern may be skew. None where the triangle has no area in the pattern.
    fn weft(&self) -> Option<DVec3> {
        let [a, b, c] = self.corners;
        let [from, along, across] = self.uvs?.map(Vec2::as_dvec2);
        let (along, across) = (along - from, across - from);
        let longest = along.length_squared().max(across.length_squared()).max(along.distance_squared(across));
        let area = along.perp_dot(across);
        if !area.is_finite() || area.abs() <= LEAST_HEIGHT * longest {
            return None;
        }
        // The gradient's inverse: how the place in space changes with u, and with v.
        let change = |weights: DVec2| ((b - a) * weights.x + (c - a) * weights.y) * area.signum();
        let u = change(DVec2::new(across.y, -along.y)).try_normalize()?;
        let v = change(DVec2::new(-across.x, along.x)).try_normalize()?;
        let across_warp = v.cross(self.normal()).try_normalize()?;
        (u + across_warp * across_warp.dot(u).signum()).try_normalize()
    }
}

impl Patch {
    /// The patch of an edge from one place to another \[m\], with the triangles `around` it.
    pub(super) fn new(edge: [DVec3; 2], around: &[Side], facet: impl Fn(u32) -> Facet) -> Self {
        let edge = edge[1] - edge[0];
        let (mut area, mut directed, mut share) = (0.0, 0.0, 0.0);
        for side in around {
            let facet = facet(side.triangle);
            area += facet.area();
            if let Some(weft) = facet.weft() {
                directed += facet.area();
                share += facet.area() * weft.dot(edge).powi(2) / edge.length_squared();
            }
        }
        let weft_share = (directed > 0.0).then(|| (share / directed).min(1.0) as f32);
        Self { area_ratio: (area / edge.length_squared()) as f32, weft_share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of a unit square, turned in space, whose first side lies along x of the square.
    fn facet(uvs: Option<[Vec2; 3]>) -> Facet {
        let turn = glam::DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -2.0) / 3.0, 0.7);
        Facet { corners: [DVec3::ZERO, DVec3::X, DVec3::ONE.with_z(0.0)].map(|corner| turn * corner), uvs }
    }

    fn share(uvs: [Vec2; 3]) -> Option<f32> {
        let [a, b, _] = facet(None).corners;
        let side = Side { edge: [0, 1], corner: 2, triangle: 0, ascends: true };
        let patch = Patch::new([a, b], &[side, side], |_| facet(Some(uvs)));
        assert!((patch.area_ratio - 1.0).abs() < 1e-6, "{patch:?}");
        patch.weft_share
    }

    #[test]
    fn edges_have_their_angle_to_the_weft_however_the_pattern_is_turned_stretched_or_mirrored() {
        for degrees in [0.0_f32, 30.0, 45.0, 90.0, 200.0] {
            // The pattern's u axis lies so many degrees from the first side.
            let turned = |at: Vec2| Vec2::from_angle(-degrees.to_radians()).rotate(at);
            let uvs = [Vec2::ZERO, Vec2::X, Vec2::ONE].map(turned);
            for pattern in [Vec2::ONE, Vec2::new(1.0, -1.0), Vec2::splat(0.01), Vec2::splat(-3.0)] {
                let share = share(uvs.map(|uv| uv * pattern)).expect("a direction");
                assert!((share - degrees.to_radians().cos().powi(2)).abs() < 1e-5, "{share} at {degrees} degrees");
            }
        }
    }

    /// u along the first side, and v 60 degrees from it instead of 90: the weft is taken to lie 15 degrees aside.
    #[test]
    fn a_skew_pattern_is_off_by_as_much_for_both_threads() {
        let up = Vec2::new(-1.0 / 3.0_f32.sqrt(), 2.0 / 3.0_f32.sqrt());
        let share = share([Vec2::ZERO, Vec2::X, Vec2::X + up]).expect("a direction");
        assert!((share - 15.0_f32.to_radians().cos().powi(2)).abs() < 1e-5, "{share}");
    }

    #[test]
    fn a_pattern_without_area_says_nothing() {
        assert_eq!(share([Vec2::ZERO; 3]), None);
        assert_eq!(share([Vec2::ZERO, Vec2::X, Vec2::new(0.3, 1e-8)]), None);
        assert_eq!(share([Vec2::ZERO, Vec2::X, Vec2::new(f32::NAN, 1.0)]), None);
    }
}
