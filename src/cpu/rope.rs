//! The `rope` solver; [`reference::rope`](crate::reference::rope) says what it computes.
//!
//! Ropes are independent of each other, so each is a job that does what the twin does. Four links in each instruction
//! do not pay here: they took as long as one after the other, whose processor overlaps them by itself.

use glam::Vec3;
use rayon::prelude::*;

use super::Colliders;
use crate::layout::{Rope, RopeParameters, RopePush};
use crate::reference::rope::{self, Chain};

/// Ropes that one thread takes at a time, or more.
const JOB: usize = 4;

/// State of a set of ropes.
pub struct RopeVerlet {
    twin: rope::RopeVerlet,
}

impl RopeVerlet {
    /// Ropes, all at level 0: their particles one substep ago and now \[m\].
    ///
    /// # Panics
    /// Where there are not as many of both.
    #[must_use]
    pub fn new(previous: &[Vec3], positions: &[Vec3], rope_count: usize) -> Self {
        assert_eq!(previous.len(), positions.len(), "two positions of each particle");
        Self { twin: rope::RopeVerlet { previous: previous.to_vec(), ..rope::RopeVerlet::new(positions, rope_count) } }
    }

    /// Where each particle is \[m\]. Shape \[particle_count\].
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.twin.positions
    }

    /// Where it was one substep ago \[m\]. Shape \[particle_count\].
    #[must_use]
    pub fn previous(&self) -> &[Vec3] {
        &self.twin.previous
    }

    /// The level of detail of each rope, 0 to 3. Shape \[rope_count\].
    #[must_use]
    pub fn levels(&self) -> &[u32] {
        &self.twin.levels
    }

    /// As [`RopeVerlet::levels`], to be set.
    pub fn levels_mut(&mut self) -> &mut [u32] {
        &mut self.twin.levels
    }

    /// Whether a hand has pinned each particle. Shape \[particle_count\].
    #[must_use]
    pub fn pinned(&self) -> &[bool] {
        &self.twin.pinned
    }

    /// As [`RopeVerlet::pinned`], to be set.
    pub fn pinned_mut(&mut self) -> &mut [bool] {
        &mut self.twin.pinned
    }

    /// Advances all ropes by a step, as the twin does.
    ///
    /// # Panics
    /// Where the particles of the ropes, in order, are not all particles.
    pub fn step(
        &mut self,
        parameters: &RopeParameters,
        ropes: &[Rope],
        rests: &[Vec3],
        colliders: &Colliders<'_>,
        push: &RopePush,
    ) {
        let rope::RopeVerlet { positions, previous, levels, pinned } = &mut self.twin;
        let (mut now, mut before, mut rests, mut pinned) = (&mut positions[..], &mut previous[..], rests, &pinned[..]);
        let mut chains = Vec::with_capacity(ropes.len());
        for (index, rope) in ropes.iter().enumerate() {
            let count = rope.particle_count as usize;
            let own_now = now.split_off_mut(..count).expect("the rope's particles");
            let own_before = before.split_off_mut(..count).expect("the rope's particles");
            let own_rests = rests.split_off(..count).expect("the rope's particles");
            let pinned = pinned.split_off(..count).expect("the rope's particles");
            let (now, before, rests) = (own_now, own_before, own_rests);
            chains.push(Chain { rope, index, now, before, rests, pinned, parameters, push });
        }
        assert!(now.is_empty(), "particles of no rope");
        let jobs = chains.into_par_iter().zip(levels).with_min_len(JOB);
        jobs.for_each(|(mut chain, level)| *level = chain.step(*level, colliders));
    }
}
