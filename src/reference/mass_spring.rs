//! Twin of the `mass_spring` solver: damped springs on a grid, integrated by semi-implicit Euler (document 001).

use glam::{IVec2, Vec3, Vec4};

use crate::layout::{CollidePush, MassSpringParameters};
use crate::reference::collide::{Colliders, Moving};

/// State of a grid of masses and springs.
///
/// Particles are row-major: the one at `(column, row)` has index `row * columns + column`.
#[derive(Clone, Debug, PartialEq)]
pub struct MassSpring {
    /// xyz: position \[m\]; w: inverse mass \[1/kg\], 0 where pinned. Shape \[particle_count\].
    pub positions: Vec<Vec4>,
    /// xyz: velocity \[m/s\]; w: 0. Shape \[particle_count\].
    pub velocities: Vec<Vec4>,
    /// xyz: external force on each particle \[N\], that of the air. Shape \[particle_count\].
    pub forces: Vec<Vec4>,
}

impl MassSpring {
    /// A grid at rest at `positions`, of the same meaning and shape as [`MassSpring::positions`].
    pub fn new(positions: &[Vec4]) -> Self {
        Self {
            positions: positions.to_vec(),
            velocities: vec![Vec4::ZERO; positions.len()],
            forces: vec![Vec4::ZERO; positions.len()],
        }
    }

    /// Advances the grid by one substep of `substep_dt`: v' = v + h a, x' = x + h v', then collisions.
    ///
    /// # Panics
    ///
    /// When the grid has more particles than there are positions.
    pub fn substep(&mut self, parameters: &MassSpringParameters, colliders: &Colliders<'_>, push: &CollidePush) {
        let (size, colliders) = (parameters.grid_size, colliders.moving(push));
        let (positions, velocities) = (0..size.y)
            .flat_map(|row| (0..size.x).map(move |column| IVec2::new(column, row)))
            .map(|coordinate| {
                let force = self.force(parameters, coordinate);
                self.next(parameters, &colliders, index(parameters, coordinate), force)
            })
            .unzip();
        (self.positions, self.velocities) = (positions, velocities);
    }

    /// Position \[m\] and velocity \[m/s\] of one particle after the substep, in which `force` \[N\] acts on it.
    pub(crate) fn next(
        &self,
        parameters: &MassSpringParameters,
        colliders: &[Moving<'_>],
        index: usize,
        force: Vec3,
    ) -> (Vec4, Vec4) {
        let (previous, inverse_mass) = (self.positions[index].truncate(), self.positions[index].w);
        if inverse_mass == 0.0 {
            return (self.positions[index], Vec4::ZERO);
        }
        let substep_dt = parameters.substep_dt;
        let acceleration = parameters.acceleration.truncate() + inverse_mass * force;
        let mut velocity = self.velocities[index].truncate() + substep_dt * acceleration;
        let mut position = previous + substep_dt * velocity;
        for collider in colliders {
            if let Some(contact) = collider.contact(previous, position) {
                position = contact.position;
                let surface_velocity = contact.surface_displacement / substep_dt;
                velocity = bounded(velocity - surface_velocity, contact.normal, collider.friction()) + surface_velocity;
            }
        }
        (position.extend(inverse_mass), velocity.extend(0.0))
    }

    /// The external force on one particle and its 8 springs \[N\].
    pub(crate) fn force(&self, parameters: &MassSpringParameters, coordinate: IVec2) -> Vec3 {
        let at = |coordinate| {
            let index = index(parameters, coordinate);
            (self.positions[index].truncate(), self.velocities[index].truncate())
        };
        let (position, velocity) = at(coordinate);
        let mut force = self.forces[index(parameters, coordinate)].truncate();
        for (offset, rest_length) in springs(parameters) {
            let neighbor = coordinate + offset;
            if neighbor.cmpge(IVec2::ZERO).all() && neighbor.cmplt(parameters.grid_size).all() {
                let (neighbor_position, neighbor_velocity) = at(neighbor);
                force +=
                    spring_force(parameters, rest_length, neighbor_position - position, neighbor_velocity - velocity);
            }
        }
        force
    }
}

/// The springs of one particle: offset of the neighbor and rest length \[m\].
pub(crate) fn springs(parameters: &MassSpringParameters) -> [(IVec2, f32); 8] {
    let structural = |x, y| (IVec2::new(x, y), parameters.rest_length);
    let diagonal = |x, y| (IVec2::new(x, y), std::f32::consts::SQRT_2 * parameters.rest_length);
    [
        structural(1, 0),
        structural(-1, 0),
        structural(0, 1),
        structural(0, -1),
        diagonal(1, 1),
        diagonal(-1, 1),
        diagonal(1, -1),
        diagonal(-1, -1),
    ]
}

/// F = (k (|delta| - L0) + c v · n) n with n = delta / |delta|, and none where the ends coincide \[N\].
///
/// `delta` and `velocity` are those of the other end against this one. Source: document 001.
fn spring_force(parameters: &MassSpringParameters, rest_length: f32, delta: Vec3, velocity: Vec3) -> Vec3 {
    let distance = delta.length();
    if distance == 0.0 {
        return Vec3::ZERO;
    }
    let direction = delta / distance;
    let tension = parameters.stiffness * (distance - rest_length) + parameters.damping * velocity.dot(direction);
    tension * direction
}

/// A velocity relative to a surface \[m/s\], without what of it goes inwards, and slowed along the surface by Coulomb
/// friction for that.
fn bounded(velocity: Vec3, normal: Vec3, friction: f32) -> Vec3 {
    let outward = velocity.dot(normal);
    let tangential = velocity - outward * normal;
    let rubbed = friction * (-outward).max(0.0);
    let slowed = tangential - tangential.clamp_length_max(rubbed);
    slowed + outward.max(0.0) * normal
}

fn index(parameters: &MassSpringParameters, coordinate: IVec2) -> usize {
    (coordinate.y * parameters.grid_size.x + coordinate.x) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Collider;

    #[test]
    fn a_spring_pulls_by_its_stretch_and_brakes_along_itself() {
        let parameters = MassSpringParameters { stiffness: 8.0, damping: 2.0, ..Default::default() };
        let delta = Vec3::new(3.0, 4.0, 0.0);
        // Stretched by 1 m, and the ends part at 0.6 m/s along the spring.
        let force = spring_force(&parameters, 4.0, delta, Vec3::new(1.0, 0.0, 7.0));
        assert!(force.distance((8.0 + 2.0 * 0.6) * delta / 5.0) < 1e-5);
        assert_eq!(spring_force(&parameters, 1.0, Vec3::ZERO, Vec3::X), Vec3::ZERO);
    }

    #[test]
    fn every_spring_is_at_rest_in_the_flat_grid() {
        let parameters = MassSpringParameters { rest_length: 0.25, stiffness: 2400.0, ..Default::default() };
        for (offset, rest_length) in springs(&parameters) {
            let force = spring_force(&parameters, rest_length, 0.25 * offset.as_vec2().extend(0.0), Vec3::ZERO);
            // Rounding of the rest length and of the distance, one unit in the last place each.
            assert!(force.length() <= 2400.0 * 2.0 * f32::EPSILON * rest_length, "{offset}");
        }
    }

    #[test]
    fn an_inward_velocity_is_dropped_and_rubs() {
        let velocity = Vec3::new(3.0, -2.0, 4.0);
        assert!(bounded(velocity, Vec3::Y, 0.5).distance(0.8 * velocity.with_y(0.0)) < 1e-6);
        assert!(bounded(velocity, Vec3::Y, 2.5).length() < 1e-6);
        assert!(bounded(velocity, Vec3::Y, 0.0).distance(velocity.with_y(0.0)) < 1e-6);
        assert!(bounded(velocity, -Vec3::Y, 2.5).distance(velocity) < 1e-6);
    }

    #[test]
    fn a_pinned_particle_stays_even_inside_a_collider() {
        let parameters = MassSpringParameters {
            acceleration: Vec4::new(0.0, -10.0, 0.0, 0.0),
            grid_size: IVec2::new(2, 1),
            rest_length: 1.0,
            stiffness: 8.0,
            substep_dt: 0.125,
            ..Default::default()
        };
        let plane = Collider { kind: 2, start_rotation: Vec4::W, end_rotation: Vec4::W, ..Default::default() };
        let push = CollidePush { start: 0.0, end: 1.0, collider_count: 1 };
        let pinned = Vec4::new(0.0, -1.0, 0.0, 0.0);
        let mut mass_spring = MassSpring::new(&[pinned, Vec4::new(3.0, -1.0, 0.0, 0.5)]);
        mass_spring.velocities[0] = Vec4::ONE;
        mass_spring.substep(&parameters, &Colliders { list: &[plane], samples: &[] }, &push);
        assert_eq!((mass_spring.positions[0], mass_spring.velocities[0]), (pinned, Vec4::ZERO));
        // 16 N on 2 kg for 1/8 s, and lifted to the plane at once.
        assert!(mass_spring.positions[1].distance(Vec4::new(3.0 - 0.125, 0.0, 0.0, 0.5)) < 1e-6);
        assert!(mass_spring.velocities[1].distance(Vec4::new(-1.0, 0.0, 0.0, 0.0)) < 1e-6);
    }
}
