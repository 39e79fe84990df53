//! What hands do to ropes, on the GPU and on the CPU alike.

use std::collections::HashSet;

use crate::layout::{Rope, RopePush};
use crate::model::Grip;

/// The hands on a set of ropes. A rope in a hand, or with a particle that one has pinned or let go, is simulated in full.
#[derive(Clone, Debug, Default)]
pub(super) struct RopeHand {
    grip: Option<Grip>,
    /// Particles that have been pinned or let go; anchors hold none of them any more.
    touched: HashSet<u32>,
}

impl RopeHand {
    pub(super) fn set_grip(&mut self, grip: Option<Grip>) {
        self.grip = grip;
    }

    /// Notes that a particle is pinned, or let go.
    pub(super) fn touch(&mut self, particle: u32) {
        self.touched.insert(particle);
    }

    /// The particles that have been pinned or let go, in no order.
    pub(super) fn touched(&self) -> impl Iterator<Item = u32> {
        self.touched.iter().copied()
    }

    /// The particles by which it changes ropes, in no order.
    pub(super) fn particles(&self) -> impl Iterator<Item = u32> {
        self.touched().chain(self.grip.as_ref().map(Grip::particle))
    }

    /// Changes what the kernel sees of ropes.
    pub(super) fn act(&self, ropes: &mut [Rope]) {
        // From the end of each rope on begins the next.
        for particle in self.particles() {
            let rope = &mut ropes[ropes.partition_point(|rope| rope.first + rope.particle_count <= particle)];
            rope.coarsest = 0;
            if self.touched.contains(&particle) && particle == rope.first {
                (rope.first_start.w, rope.first_end.w) = (0.0, 0.0);
            }
            if self.touched.contains(&particle) && particle == rope.first + rope.particle_count - 1 {
                (rope.last_start.w, rope.last_end.w) = (0.0, 0.0);
            }
        }
    }

    /// The push constants of a step with the hand that pulls in it.
    pub(super) fn push(&self, push: RopePush) -> RopePush {
        match &self.grip {
            Some(grip) => RopePush {
                hand: grip.target.extend(grip.frequency),
                hand_reach: grip.reach,
                hand_radius: grip.radius(),
                held_particle: grip.particle(),
                ..push
            },
            None => push,
        }
    }
}
