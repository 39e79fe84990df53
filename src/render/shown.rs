//! What pictures show beside shapes.

use super::camera::Bounds;
use crate::model::Body;
use crate::solver::Simulation;

/// Strength of gravity that speeds are compared with \[m/s²\].
const GRAVITY: f32 = 9.81;

/// What pictures show beside shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Everything in its colours.
    #[default]
    Looks = 0,
    /// Cloth and ropes in the colour of their stretch, from none to 10 % and more.
    Stretch = 1,
    /// Ropes in the colour of their level of detail.
    Levels = 2,
    /// Cloth and ropes in the colour of their speed, from none to [`full_speed`] and more.
    Velocity = 3,
    /// A dot on each particle that is nearer than [`reach`] to the surface of a collider, or inside, in the colour of its signed
    /// distance.
    Contacts = 4,
    /// The edges of triangles as lines.
    Wireframe = 5,
    /// Each constraint as a line in the colour of its batch.
    Batches = 6,
    /// A dot on each particle that is held.
    Pins = 7,
}

impl Shown {
    /// Why pictures of a simulation show its looks instead, where they do.
    #[must_use]
    pub fn absence(self, simulation: &Simulation) -> Option<&'static str> {
        let is_rope = matches!(simulation.body(), Body::Ropes(_));
        match self {
            Self::Levels if !is_rope => Some("Cloth has no levels of detail."),
            Self::Velocity if simulation.steps_recorded() == 0 => Some("Nothing has moved yet."),
            Self::Contacts if simulation.colliders().is_empty() => Some("There are no colliders."),
            Self::Wireframe if is_rope => Some("Ropes have no triangles."),
            Self::Batches if is_rope => Some("The links of a rope come in two batches, the even and the odd ones."),
            Self::Batches if simulation.constraints().is_none() => Some("Springs have forces, and no batches."),
            _ => None,
        }
    }
}

/// The speed that has the last colour of the scale \[m/s\]: what falls through the height of `room` comes to as much or more;
/// 1, 2 or 5 times a power of ten.
#[must_use]
pub fn full_speed(room: Bounds) -> f32 {
    // A room that is quite flat has some height all the same.
    let height = room.size().y.max(0.1 * room.radius());
    let fall = (2.0 * GRAVITY * height).sqrt();
    let power = 10.0_f32.powf(fall.log10().floor());
    let fitting = [5.0, 2.0, 1.0].into_iter().map(|factor| factor * power).find(|speed| *speed <= fall);
    fitting.unwrap_or(power)
}

/// How far from the surface of a collider particles are told to be near it \[m\]: as far as neighbours are from each other at
/// rest, in the mean.
#[must_use]
pub fn reach(body: &Body) -> f32 {
    body.mean_spacing()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn speeds_are_told_up_to_what_a_fall_comes_to() {
        // A fall of 1 m ends at 4.4 m/s, of 2 m at 6.3 m/s, of 5.2 m at 10.1 m/s.
        for (height, speed) in [(1.0, 2.0), (2.0, 5.0), (5.2, 10.0)] {
            let room = Bounds { least: Vec3::ZERO, greatest: Vec3::new(0.1, height, 0.1) };
            assert!((full_speed(room) / speed - 1.0).abs() < 1e-5, "{height} m: {} m/s", full_speed(room));
        }
    }
}
