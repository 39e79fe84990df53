//! Twin of `pbd/bend`: two triangles at an edge, held at an angle.
//!
//! Source: Grinspun, Hirani, Desbrun, Schröder 2003, Discrete Shells; Macklin, Müller, Chentanez 2016, eq. 17 and 18, with
//! C = θ - θ0.

use std::f32::consts::PI;

use glam::{Vec3, Vec4};

use crate::layout::Hinge;

/// What solving a hinge does: how far its particles move \[m\] and by how much its multiplier changes \[N m s²\].
pub type Bent = ([Vec3; 4], f32);

/// Solves one hinge of particles at `positions`, xyz \[m\] and inverse mass \[1/kg\], whose multiplier is `lambda`, in a
/// substep of `substep_dt` \[s\]. None where nothing can move, or a triangle has no area.
#[must_use]
pub fn project(hinge: &Hinge, positions: [Vec4; 4], lambda: f32, substep_dt: f32) -> Option<Bent> {
    let [a, b, c, d] = positions.map(Vec4::truncate);
    let length = a.distance(b);
    let axis = (b - a) / length;
    // From the edge's line to each corner: along the triangle, across the edge.
    let foot = |corner: Vec3| axis.dot(corner - a);
    let heights = [c, d].map(|corner| corner - a - axis * foot(corner));
    let [height_c, height_d] = heights.map(Vec3::length);
    if length == 0.0 || height_c == 0.0 || height_d == 0.0 {
        return None;
    }
    let [up_c, up_d] = [heights[0] / height_c, heights[1] / height_d];
    // Where both triangles go on as one plane, their heights point in opposite directions.
    let angle = f32::atan2(axis.dot(up_d.cross(up_c)), -up_c.dot(up_d));

    // A corner that goes once around the edge changes the angle by 2π; the edge's ends go the opposite way, as on a lever.
    let gradient_c = up_c.cross(axis) / height_c;
    let gradient_d = axis.cross(up_d) / height_d;
    let lever = |to: f32| -(gradient_c * (to - foot(c)) + gradient_d * (to - foot(d))) / length;
    let gradients = [lever(length), -lever(0.0), gradient_c, gradient_d];
    let inverse_masses = positions.map(|position| position.w);
    let weight: f32 = gradients.iter().zip(inverse_masses).map(|(gradient, w)| w * gradient.length_squared()).sum();
    if weight == 0.0 {
        return None;
    }
    let mut error = angle - hinge.rest_angle;
    if error.abs() > PI {
        error -= 2.0 * PI.copysign(error);
    }
    let time_scaled_compliance = hinge.compliance / (substep_dt * substep_dt);
    let delta_lambda = (-error - time_scaled_compliance * lambda) / (weight + time_scaled_compliance);
    let way = |index: usize| gradients[index] * (inverse_masses[index] * delta_lambda);
    Some((std::array::from_fn(way), delta_lambda))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The angle in f64, from the normals.
    fn angle(positions: [Vec4; 4]) -> f64 {
        let [a, b, c, d] = positions.map(|position| position.truncate().as_dvec3());
        let [one, other] = [(b - a).cross(c - a), (d - a).cross(b - a)];
        f64::atan2(one.cross(other).dot((b - a).normalize()), one.dot(other))
    }

    fn skew() -> [Vec4; 4] {
        [[0.1, 0.2, -0.1], [0.9, -0.2, 0.3], [0.2, 0.9, 0.4], [1.4, -0.8, 0.6]].map(|at| Vec3::from(at).extend(1.0))
    }

    /// With a compliance so large that lambda is -C h² / compliance, the ways are that times the gradients.
    #[test]
    fn particles_go_along_the_gradients_of_the_angle() {
        let positions = skew();
        let (compliance, step) = (1e6_f32, 1e-3_f64);
        let hinge = Hinge { rest_angle: angle(positions) as f32 - 0.5, compliance, ..Default::default() };
        let (ways, _) = project(&hinge, positions, 0.0, 1.0).expect("a hinge");
        for (particle, way) in ways.into_iter().enumerate() {
            for axis in 0..3 {
                let at = |sign: f64| {
                    let mut moved = positions;
                    moved[particle][axis] += (sign * step) as f32;
                    angle(moved)
                };
                let gradient = (at(1.0) - at(-1.0)) / (2.0 * step);
                let found = -f64::from(way[axis] * compliance) / 0.5;
                // The central difference is off by step² / 6 times a third derivative of about 10, and by the rounding of
                // places, 6e-8 over the step.
                assert!((found - gradient).abs() < 3e-4, "{particle} {axis}: {found}, by differences {gradient}");
            }
        }
    }

    #[test]
    fn a_rigid_hinge_that_is_nearly_at_rest_comes_to_rest() {
        let mut positions = skew();
        let hinge = Hinge { rest_angle: angle(positions) as f32 - 1e-3, ..Default::default() };
        let (ways, _) = project(&hinge, positions, 0.0, 1.0).expect("a hinge");
        positions.iter_mut().zip(ways).for_each(|(position, way)| *position += way.extend(0.0));
        // What is left is of second order, and the rounding of the angle.
        assert!((angle(positions) - f64::from(hinge.rest_angle)).abs() < 1e-5);
    }

    #[test]
    fn from_one_side_of_a_whole_fold_to_the_other_is_a_small_way() {
        let folded = |height: f32| [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, 1.0, height]];
        let positions = |height: f32| folded(height).map(|at| Vec3::from(at).extend(1.0));
        let hinge = Hinge { rest_angle: angle(positions(0.01)) as f32, compliance: 1.0, ..Default::default() };
        assert!(angle(positions(0.01)) * angle(positions(-0.01)) < 0.0);
        let (_, delta_lambda) = project(&hinge, positions(-0.01), 0.0, 1e-3).expect("a hinge");
        // The angle is 0.02 off, and lambda about that times h².
        assert!((delta_lambda.abs() - 2e-8).abs() < 1e-10, "{delta_lambda}");
    }

    #[test]
    fn what_has_no_area_or_is_held_does_nothing() {
        let mut positions = skew();
        let hinge = Hinge { rest_angle: 3.0, ..Default::default() };
        positions[3] = positions[0];
        assert_eq!(project(&hinge, positions, 0.5, 0.1), None);
        positions = skew();
        positions[1] = positions[0];
        assert_eq!(project(&hinge, positions, 0.5, 0.1), None);
        assert_eq!(project(&hinge, skew().map(|position| position.with_w(0.0)), 0.5, 0.1), None);
        // Folded onto each other, the angle is π either way.
        positions = skew();
        positions[3] = positions[2];
        let (ways, delta_lambda) = project(&hinge, positions, 0.5, 0.1).expect("a hinge");
        assert!(ways.iter().all(|way| way.is_finite()) && delta_lambda.is_finite());
    }
}
