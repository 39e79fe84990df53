//! Twin of `air/force`: drag and lift of moving air on triangles.

use glam::{Vec3, Vec4};

use crate::layout::AirParameters;

/// The force on each particle \[N\], a third of that on each of its triangles. Positions are xyz \[m\], velocities xyz
/// \[m/s\]; shapes \[particle_count\].
///
/// # Panics
/// Where a triangle names a particle that is not there.
#[must_use]
pub fn forces(
    parameters: &AirParameters,
    triangles: &[[u32; 3]],
    positions: &[Vec4],
    velocities: &[Vec4],
) -> Vec<Vec4> {
    let mut forces = vec![Vec4::ZERO; positions.len()];
    for triangle in triangles {
        let corners = triangle.map(|corner| corner as usize);
        let [a, b, c] = corners.map(|corner| positions[corner].truncate());
        let [va, vb, vc] = corners.map(|corner| velocities[corner].truncate());
        let share = share(parameters, [a, b, c], [va, vb, vc]);
        corners.into_iter().for_each(|corner| forces[corner] += share.extend(0.0));
    }
    for ((force, position), velocity) in forces.iter_mut().zip(positions).zip(velocities) {
        *force = bounded(parameters, *force, *position, velocity.truncate());
    }
    forces
}

/// The force on a particle \[N\], or so much of it that the particle's velocity against the air \[m/s\] changes by no more
/// than itself in a substep.
pub(crate) fn bounded(parameters: &AirParameters, force: Vec4, position: Vec4, velocity: Vec3) -> Vec4 {
    let inverse_mass = if parameters.particle_mass > 0.0 { 1.0 / parameters.particle_mass } else { position.w };
    let change = force.length() * inverse_mass * parameters.substep_dt;
    let most = (parameters.velocity.truncate() - velocity).length();
    if change > most { force * (most / change) } else { force }
}

/// The force on each corner of a triangle \[N\], from where its corners are \[m\] and how fast they go \[m/s\].
pub(crate) fn share(parameters: &AirParameters, [a, b, c]: [Vec3; 3], [va, vb, vc]: [Vec3; 3]) -> Vec3 {
    let past = parameters.velocity.truncate() - (va + vb + vc) / 3.0;
    plate_force(parameters, (b - a).cross(c - a) / 2.0, past) / 3.0
}

/// The force on a flat plate \[N\], with its area along its normal \[m²\], that air moves past at `past` \[m/s\].
///
/// With the angle t between the plate and the air's way, drag is rho/2 cd A |past|² sin t along that way, and lift is
/// rho/2 cl A |past|² sin t cos t across it, to the side that the plate turns the air away from. Source: Keckeisen,
/// Kimmerle, Thomaszewski, Wacker 2004, "Modelling Effects of Wind Fields in Cloth Animations", for the directions; the
/// lift of a flat plate goes with sin t cos t (Hoerner, "Fluid-Dynamic Lift").
fn plate_force(parameters: &AirParameters, area: Vec3, past: Vec3) -> Vec3 {
    let (Some(way), Some(normal)) = (past.try_normalize(), area.try_normalize()) else {
        return Vec3::ZERO;
    };
    // The side of the plate that the air leaves.
    let normal = if normal.dot(way) < 0.0 { -normal } else { normal };
    let sine = normal.dot(way);
    let across = normal - sine * way;
    let pressure = parameters.density / 2.0 * past.length_squared() * area.length();
    pressure * sine * (parameters.drag * way + parameters.lift * across)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AIR: AirParameters = AirParameters {
        velocity: Vec4::new(4.0, 0.0, 0.0, 0.0),
        density: 1.25,
        drag: 1.5,
        lift: 0.5,
        substep_dt: 0.0,
        particle_count: 3,
        particle_mass: 0.0,
        padding: [0; 2],
    };

    #[test]
    fn a_plate_across_the_air_is_dragged_and_one_along_it_feels_nothing() {
        // 1.25 / 2 x 4² x 2 m² = 20 N, times the coefficient.
        for side in [1.0, -1.0] {
            assert_eq!(plate_force(&AIR, Vec3::X * 2.0 * side, Vec3::X * 4.0), Vec3::X * 30.0);
        }
        assert_eq!(plate_force(&AIR, Vec3::Y * 2.0, Vec3::X * 4.0), Vec3::ZERO);
        assert_eq!(plate_force(&AIR, Vec3::X, Vec3::ZERO), Vec3::ZERO);
        assert_eq!(plate_force(&AIR, Vec3::ZERO, Vec3::X), Vec3::ZERO);
    }

    #[test]
    fn a_slanted_plate_is_lifted_to_the_side_that_it_faces() {
        // sin 45° of the drag, and sin 45° cos 45° of the lift towards +y, for the air is turned down.
        let slanted = Vec3::new(2.0, 2.0, 0.0) / std::f32::consts::SQRT_2;
        let expected = 20.0 * Vec3::new(1.5 / std::f32::consts::SQRT_2, 0.5 / 2.0, 0.0);
        for side in [1.0, -1.0] {
            assert!(plate_force(&AIR, slanted * side, Vec3::X * 4.0).distance(expected) < 1e-5);
        }
    }

    #[test]
    fn the_corners_share_the_force_and_move_with_the_air_without_one() {
        let positions = [Vec4::ZERO, Vec4::new(0.0, 2.0, 0.0, 0.0), Vec4::new(0.0, 0.0, 2.0, 0.0)];
        let at_rest = forces(&AIR, &[[0, 1, 2]], &positions, &[Vec4::ZERO; 3]);
        assert_eq!(at_rest, [Vec4::new(10.0, 0.0, 0.0, 0.0); 3]);
        assert_eq!(forces(&AIR, &[[0, 1, 2]], &positions, &[AIR.velocity; 3]), [Vec4::ZERO; 3]);
    }
}
