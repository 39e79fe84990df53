//! Twin of the `verlet` solver: a mass-spring grid, integrated by Verlet's formula (document 000).

use glam::{IVec2, Vec3, Vec4};

use crate::layout::{CollidePush, VerletParameters};
use crate::reference::collide::{self, Colliders};
use crate::reference::wind;

/// State of a mass-spring grid: its positions now and one step ago.
///
/// Particles are row-major: the one at `(column, row)` has index `row * columns + column`.
#[derive(Clone, Debug, PartialEq)]
pub struct Verlet {
    /// xyz: position one step ago \[m\]; w: 1 where pinned, 0 where free. Shape \[particle_count\].
    pub previous: Vec<Vec4>,
    /// xyz: position now \[m\]; w: 1 where pinned, 0 where free. Shape \[particle_count\].
    pub current: Vec<Vec4>,
    /// xyz: external force on each particle \[N\], that of the air. Shape \[particle_count\].
    pub forces: Vec<Vec4>,
}

impl Verlet {
    /// A grid at rest at `positions`, of the same meaning and shape as [`Verlet::current`].
    pub fn new(positions: &[Vec4]) -> Self {
        Self { previous: positions.to_vec(), current: positions.to_vec(), forces: vec![Vec4::ZERO; positions.len()] }
    }

    /// Advances the grid by one step of `substep_dt`; `flutter_phase` is the phase of the wind's flutter \[rad\].
    ///
    /// # Panics
    ///
    /// When the grid has more particles than there are positions.
    pub fn step(&mut self, parameters: &VerletParameters, flutter_phase: f32) {
        let size = parameters.grid_size;
        let next = (0..size.y)
            .flat_map(|row| (0..size.x).map(move |column| IVec2::new(column, row)))
            .map(|coordinate| {
                let force = self.force(parameters, flutter_phase, coordinate);
                self.next_position(parameters, index(parameters, coordinate), force)
            })
            .collect();
        self.previous = std::mem::replace(&mut self.current, next);
    }

    /// Moves each free particle out of the colliders; after [`Verlet::step`], whose way it cuts short.
    pub fn collide(&mut self, colliders: &Colliders<'_>, push: &CollidePush) {
        let colliders = colliders.moving(push);
        for (current, previous) in self.current.iter_mut().zip(&self.previous) {
            if current.w < 0.5 {
                let collided = collide::collide(&colliders, previous.truncate(), current.truncate());
                *current = collided.extend(current.w);
            }
        }
    }

    /// x_next = x + (1 - d) (x - x_previous) + F / m dt². Source: document 000, damped Verlet.
    pub(crate) fn next_position(&self, parameters: &VerletParameters, index: usize, force: Vec3) -> Vec4 {
        let current = self.current[index];
        if current.w > 0.5 {
            return current;
        }
        let position = current.truncate();
        let displacement = (position - self.previous[index].truncate()) * (1.0 - parameters.damping);
        let acceleration = force / parameters.mass;
        (position + displacement + acceleration * (parameters.substep_dt * parameters.substep_dt)).extend(0.0)
    }

    /// Weight, wind, external force and the 12 springs of one particle \[N\].
    pub(crate) fn force(&self, parameters: &VerletParameters, flutter_phase: f32, coordinate: IVec2) -> Vec3 {
        let position = self.current[index(parameters, coordinate)].truncate();
        let VerletParameters { wind, flutter_wave_number, flutter_lift, .. } = *parameters;
        let wind = wind::acceleration(wind, flutter_wave_number, flutter_lift, flutter_phase, position);
        let mut force = self.load(parameters, wind, index(parameters, coordinate));
        for (offset, rest_length, stiffness) in springs(parameters) {
            let neighbor = coordinate + offset;
            if neighbor.cmpge(IVec2::ZERO).all() && neighbor.cmplt(parameters.grid_size).all() {
                let neighbor_position = self.current[index(parameters, neighbor)].truncate();
                force += spring_force(position - neighbor_position, rest_length, stiffness);
            }
        }
        force
    }

    /// Weight, wind \[m/s²\] and external force of one particle \[N\].
    pub(crate) fn load(&self, parameters: &VerletParameters, wind: Vec3, index: usize) -> Vec3 {
        parameters.mass * (parameters.gravity.truncate() + wind) + self.forces[index].truncate()
    }
}

/// The springs of one particle, in the order of document 000: offset of the neighbor, rest length, stiffness.
pub(crate) fn springs(parameters: &VerletParameters) -> [(IVec2, f32, f32); 12] {
    let structural = |x, y| (IVec2::new(x, y), parameters.rest_length, parameters.structural_stiffness);
    let diagonal = std::f32::consts::SQRT_2 * parameters.rest_length;
    let shear = |x, y| (IVec2::new(x, y), diagonal, parameters.shear_stiffness);
    let flexion = |x, y| (IVec2::new(x, y), 2.0 * parameters.rest_length, parameters.flexion_stiffness);
    [
        structural(1, 0),
        structural(-1, 0),
        structural(0, 1),
        structural(0, -1),
        shear(1, 1),
        shear(-1, 1),
        shear(1, -1),
        shear(-1, -1),
        flexion(2, 0),
        flexion(-2, 0),
        flexion(0, 2),
        flexion(0, -2),
    ]
}

/// F = -k (|delta| - L0) delta / |delta|, and none where the ends coincide. Source: document 000, Hooke's law.
fn spring_force(delta: Vec3, rest_length: f32, stiffness: f32) -> Vec3 {
    let distance = delta.length();
    if distance == 0.0 {
        return Vec3::ZERO;
    }
    -stiffness * (distance - rest_length) * (delta / distance)
}

fn index(parameters: &VerletParameters, coordinate: IVec2) -> usize {
    (coordinate.y * parameters.grid_size.x + coordinate.x) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spring_is_at_rest_in_the_flat_grid() {
        let parameters = VerletParameters {
            rest_length: 0.25,
            structural_stiffness: 1500.0,
            shear_stiffness: 1000.0,
            flexion_stiffness: 500.0,
            ..Default::default()
        };
        for (offset, rest_length, stiffness) in springs(&parameters) {
            let delta = 0.25 * offset.as_vec2().extend(0.0);
            // Rounding of the rest length and of the distance, one unit in the last place each.
            let tolerance = stiffness * 2.0 * f32::EPSILON * rest_length;
            assert!(spring_force(delta, rest_length, stiffness).length() <= tolerance, "{offset}");
        }
    }

    #[test]
    fn coincident_particles_exert_no_force() {
        assert_eq!(spring_force(Vec3::ZERO, 1.0, 1500.0), Vec3::ZERO);
    }

    #[test]
    fn a_pinned_particle_stays() {
        let positions = [Vec4::new(0.0, 0.0, 0.0, 1.0), Vec4::new(3.0, 0.0, 0.0, 0.0)];
        let parameters = VerletParameters {
            gravity: Vec4::new(0.0, -10.0, 0.0, 0.0),
            grid_size: IVec2::new(2, 1),
            rest_length: 1.0,
            mass: 1.0,
            structural_stiffness: 1500.0,
            substep_dt: 0.01,
            ..Default::default()
        };
        let mut verlet = Verlet::new(&positions);
        verlet.step(&parameters, 0.0);
        assert_eq!(verlet.previous, positions);
        assert_eq!(verlet.current[0], positions[0]);
        assert!(verlet.current[1].distance(Vec4::new(2.7, -0.001, 0.0, 0.0)) < 1e-6);
    }
}
