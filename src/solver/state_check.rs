//! Whether a body can go on from a state that comes from elsewhere: nothing in a file is taken for granted.

use glam::Vec3;

use super::State;
use crate::model::{Blade, Body};

/// The coarsest level of detail of a rope.
const COARSEST: u32 = 3;

/// Why a body cannot go on from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateMismatch {
    /// It has another number of particles.
    #[error("it is of {found} particles, and the scene has {wanted}")]
    Particles {
        /// How many the state has.
        found: usize,
        /// How many the body has.
        wanted: usize,
    },
    /// It has another number of ropes.
    #[error("it is of {found} ropes, and the scene has {wanted}")]
    Ropes {
        /// How many the state has.
        found: usize,
        /// How many the body has.
        wanted: usize,
    },
    /// It has another number of colliders.
    #[error("it is of a scene with {found} colliders, and this one has {wanted}")]
    Colliders {
        /// How many the state has.
        found: usize,
        /// How many the scene has.
        wanted: usize,
    },
    /// Its particles make other triangles or ropes.
    #[error("it is of another body with as many particles: its triangles or ropes are not those of the scene")]
    Shape,
    /// Some of its numbers are none.
    #[error("it holds a number that is not finite, or a time before the start")]
    NotFinite,
    /// Its lists do not fit each other, or name what is not there; or a rotation is none.
    #[error("its lists do not fit each other or name what is not there")]
    Lists,
}

impl State {
    /// Whether all its numbers are finite, and its time is not before the start.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let vectors = [&self.positions, &self.velocities, &self.previous, &self.dragged];
        let is_sharp = |blade: &Blade| blade.numbers().iter().all(|number| number.is_finite());
        (0.0..f64::INFINITY).contains(&self.time)
            && vectors.into_iter().flatten().copied().all(Vec3::is_finite)
            && self.blades.iter().all(is_sharp)
            && self
                .frame
                .is_none_or(|frame| frame.from.is_finite() && frame.to.is_finite() && frame.rotation.is_finite())
    }

    /// Whether `body`, among so many colliders, can go on from this state.
    pub(super) fn check(&self, body: &Body, colliders: usize) -> Result<(), StateMismatch> {
        let particles = body.positions().len();
        let (triangles, ropes) = match body {
            Body::Cloth(cloth) => (cloth.triangles.len(), 0),
            Body::Ropes(ropes) => (0, ropes.ropes().len()),
        };
        if self.positions.len() != particles {
            return Err(StateMismatch::Particles { found: self.positions.len(), wanted: particles });
        }
        if !self.levels.is_empty() && self.levels.len() != ropes {
            return Err(StateMismatch::Ropes { found: self.levels.len(), wanted: ropes });
        }
        if self.dragged.len() != colliders {
            return Err(StateMismatch::Colliders { found: self.dragged.len(), wanted: colliders });
        }
        if self.body.shape != body.fingerprint().shape {
            return Err(StateMismatch::Shape);
        }
        if !self.is_finite() {
            return Err(StateMismatch::NotFinite);
        }
        let is_particle = |index: u32| (index as usize) < particles;
        let fits = self.velocities.len() == particles
            && (self.previous.is_empty() || self.previous.len() == particles)
            && self.levels.iter().all(|&level| level <= COARSEST)
            && self.severed.springs.as_flattened().iter().copied().all(is_particle)
            && self.severed.triangles.iter().all(|&index| (index as usize) < triangles)
            && self.pins.changes().all(|(particle, _)| is_particle(particle))
            && self.frame.is_none_or(|frame| frame.rotation.is_normalized());
        if fits { Ok(()) } else { Err(StateMismatch::Lists) }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::model::{Cloth, Grid, GridPlane, Jump, Pins, RopeStart, Ropes};
    use crate::solver::Severed;

    fn cloth(columns: u32, rows: u32) -> Body {
        Body::Cloth(Cloth::from_grid(Grid { columns, rows, spacing: 1.0 }, GridPlane::Vertical, 1.0, false))
    }

    /// Of six particles, in ropes of so many.
    fn ropes(counts: &[usize]) -> Body {
        let start = |&count: &usize| RopeStart { positions: vec![Vec3::ZERO; count], length: 1.0 };
        Body::Ropes(Ropes::new(&counts.iter().map(start).collect::<Vec<_>>(), Vec::new()).expect("ropes"))
    }

    /// That of six particles, two ropes where it is of ropes, and one collider.
    fn state(body: &Body) -> State {
        State {
            body: body.fingerprint(),
            positions: vec![Vec3::ZERO; 6],
            velocities: vec![Vec3::ZERO; 6],
            levels: if matches!(body, Body::Ropes(_)) { vec![0, 3] } else { Vec::new() },
            dragged: vec![Vec3::X],
            ..State::default()
        }
    }

    #[test]
    fn a_body_goes_on_from_its_own_states_alone() {
        let bodies = [cloth(3, 2), cloth(2, 3), ropes(&[3, 3]), ropes(&[2, 4])];
        for (index, body) in bodies.iter().enumerate() {
            for (other, from) in bodies.iter().enumerate() {
                let result = state(from).check(body, 1);
                let expected = if index == other { Ok(()) } else { Err(StateMismatch::Shape) };
                // Ropes count theirs before.
                let counted = Err(StateMismatch::Ropes { found: 2, wanted: 0 });
                assert!(result == expected || (index < 2 && other > 1 && result == counted), "{other} to {index}");
            }
        }
        let [found, wanted] = [6, 8];
        let mismatch = state(&cloth(3, 2)).check(&cloth(4, 2), 1).expect_err("another size");
        assert_eq!(mismatch, StateMismatch::Particles { found, wanted });
        assert_eq!(mismatch.to_string(), "it is of 6 particles, and the scene has 8");
        let mismatch = state(&ropes(&[3, 3])).check(&ropes(&[2, 2, 2]), 1);
        assert_eq!(mismatch, Err(StateMismatch::Ropes { found: 2, wanted: 3 }));
        let mismatch = state(&cloth(3, 2)).check(&cloth(3, 2), 0);
        assert_eq!(mismatch, Err(StateMismatch::Colliders { found: 1, wanted: 0 }));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        type Change = fn(&mut State);
        let body = cloth(3, 2);
        let frame = |rotation| Some(Jump { from: Vec3::ZERO, to: Vec3::X, rotation });
        assert_eq!(State { frame: frame(Quat::from_rotation_y(1.0)), ..state(&body) }.check(&body, 1), Ok(()));
        let lists: [Change; 7] = [
            |state| state.velocities.truncate(5),
            |state| state.previous = vec![Vec3::ZERO; 7],
            |state| state.pins = Pins::of_changes([(6, true)]),
            |state| state.severed = Severed { springs: vec![[0, 6]], triangles: Vec::new() },
            // Of two cells.
            |state| state.severed = Severed { springs: Vec::new(), triangles: vec![4] },
            |state| state.severed.springs.push([u32::MAX, 0]),
            |state| state.frame = Some(Jump { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..Jump::default() }),
        ];
        let numbers: [Change; 8] = [
            |state| state.time = f64::NAN,
            |state| state.time = f64::INFINITY,
            |state| state.time = -1.0,
            |state| state.positions[5].y = f32::NAN,
            |state| state.velocities[0].z = f32::INFINITY,
            |state| state.dragged[0].x = f32::NEG_INFINITY,
            |state| state.blades.push(Blade::of_numbers([f32::NAN; Blade::NUMBERS])),
            |state| state.frame = Some(Jump { to: Vec3::NAN, ..Jump::default() }),
        ];
        let told = |change: Change| {
            let mut state = state(&body);
            change(&mut state);
            state.check(&body, 1)
        };
        assert!(lists.map(told).iter().all(|result| *result == Err(StateMismatch::Lists)));
        assert!(numbers.map(told).iter().all(|result| *result == Err(StateMismatch::NotFinite)));
        let ropes = ropes(&[3, 3]);
        let coarse = State { levels: vec![0, 4], ..state(&ropes) };
        assert_eq!(coarse.check(&ropes, 1), Err(StateMismatch::Lists));
    }
}
