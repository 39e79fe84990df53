//! Which particles are held while a body runs: those that it starts with, until they are let go, and those of hands.

use std::collections::{HashMap, HashSet};

use glam::Vec4;

use super::{Body, Rope};

/// What hands have pinned and let go since a body started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pins {
    /// True where a hand has pinned a particle, false where it has let it go.
    changed: HashMap<u32, bool>,
}

impl Pins {
    /// What [`Pins::changes`] says.
    pub fn of_changes(changes: impl IntoIterator<Item = (u32, bool)>) -> Self {
        Self { changed: changes.into_iter().collect() }
    }

    /// Notes that a hand has pinned a particle of `body`, or let it go, and returns the inverse mass that it has then
    /// \[1/kg\].
    ///
    /// # Panics
    /// Where there is no such particle.
    pub fn set(&mut self, body: &Body, particle: u32, pinned: bool) -> f32 {
        let inverse_mass = if pinned { 0.0 } else { body.inverse_mass(particle) };
        // A vertex of no triangle has no mass to move with.
        self.changed.insert(particle, inverse_mass == 0.0);
        inverse_mass
    }

    /// What hands have done: each particle that they have pinned (true) or let go (false), by its index.
    pub fn changes(&self) -> impl Iterator<Item = (u32, bool)> {
        let mut changes: Vec<_> = self.changed.iter().map(|(&particle, &pinned)| (particle, pinned)).collect();
        changes.sort_unstable();
        changes.into_iter()
    }

    /// Forgets what hands have done.
    pub fn clear(&mut self) {
        self.changed.clear();
    }

    /// Whether a particle of `body` is held at `time` \[s\].
    ///
    /// # Panics
    /// Where there is no such particle.
    #[must_use]
    pub fn is_pinned(&self, body: &Body, particle: u32, time: f64) -> bool {
        let starts_held = || body.positions()[particle as usize].w == 0.0 && !let_go(body, time).contains(&particle);
        self.changed.get(&particle).copied().unwrap_or_else(starts_held)
    }

    /// How many particles of `body` are held at `time` \[s\].
    #[must_use]
    pub fn count(&self, body: &Body, time: f64) -> usize {
        let let_go = let_go(body, time);
        let is_held = |(position, particle): (&Vec4, u32)| {
            self.changed.get(&particle).copied().unwrap_or(position.w == 0.0 && !let_go.contains(&particle))
        };
        body.positions().iter().zip(0..).filter(|&particle| is_held(particle)).count()
    }
}

/// The particles of `body` that something holds as it starts, and has let go by `time` \[s\].
fn let_go(body: &Body, time: f64) -> HashSet<u32> {
    let is_past = |release| is_past(release, time);
    match body {
        Body::Cloth(cloth) => {
            let released = cloth.attachments.iter().filter(|attachment| is_past(attachment.release));
            released.flat_map(|attachment| attachment.particles.iter().map(|attached| attached.index)).collect()
        }
        Body::Ropes(ropes) => {
            let ends = ropes.ropes().iter().flat_map(|Rope { particles, anchors: [first, last], .. }| {
                [(particles.start, first), (particles.end - 1, last)]
            });
            ends.filter(|(_, hold)| hold.as_ref().is_some_and(|hold| is_past(hold.release)))
                .map(|(end, _)| end)
                .collect()
        }
    }
}

/// Whether what holds until `release` \[s\], if it ever lets go, has let go by `time` \[s\]: what a step reaches to rounding, it
/// reaches.
pub(super) fn is_past(release: Option<f64>, time: f64) -> bool {
    release.is_some_and(|release| time >= release * (1.0 - 1e-9))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::model::{Anchor, Cloth, Grid, GridPlane, Hold, Path, Pose, RopeEnd, RopeStart, Ropes};

    #[test]
    fn what_is_held_is_what_starts_so_and_what_hands_have_done() {
        let path = Path::resting(Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY });
        let grid = Grid { columns: 4, rows: 1, spacing: 1.0 };
        let mut cloth = Cloth::from_grid(grid, GridPlane::Vertical, 1.0, false);
        cloth.attach([0, 1], path.clone(), Some(2.0));
        cloth.pin([3]);
        let straight = RopeStart { positions: (0..4).map(|x| Vec3::X * x as f32).collect(), length: 3.0 };
        let hold = |end, release| Anchor { rope: 0, end, hold: Hold { path: path.clone(), release } };
        let anchors = vec![hold(RopeEnd::First, Some(2.0)), hold(RopeEnd::Last, None)];
        let ropes = Ropes::new(&[straight], anchors).expect("ropes");
        for (body, held) in [(Body::Cloth(cloth), 3), (Body::Ropes(ropes), 2)] {
            let mut pins = Pins::default();
            assert_eq!((pins.count(&body, 1.0), pins.count(&body, 2.0)), (held, 1));
            assert!(pins.is_pinned(&body, 0, 1.0) && !pins.is_pinned(&body, 0, 2.0) && pins.is_pinned(&body, 3, 2.0));
            pins.set(&body, 3, false);
            pins.set(&body, 2, true);
            pins.set(&body, 0, true);
            assert_eq!(pins.count(&body, 2.0), 2);
            assert!(pins.is_pinned(&body, 0, 2.0) && pins.is_pinned(&body, 2, 2.0) && !pins.is_pinned(&body, 3, 2.0));
            pins.clear();
            assert_eq!(pins.count(&body, 2.0), 1);
        }
    }
}
