//! The structs of the solver of ropes.

use bytemuck::{Pod, Zeroable};
use glam::Vec4;

use super::{assert_same_layout, spirv};

/// One rope during one step, in which the ends that are held move at constant speed; 96 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Rope {
    /// Index of its first particle.
    pub first: u32,
    /// Number of its particles.
    pub particle_count: u32,
    /// Distance between two neighbours at rest \[m\].
    pub link_length: f32,
    /// The coarsest level of detail that it may have, 0 to 3; 0 where a hand pulls at it, or has pinned a particle or let one
    /// go, and only then kernels look for what is pinned.
    pub coarsest: u32,
    /// Where its first particle is held at the start of the step, in xyz \[m\]; w is 1 where it is held, else 0.
    pub first_start: Vec4,
    /// Where its first particle is held at the end of the step, as [`Rope::first_start`].
    pub first_end: Vec4,
    /// Where its last particle is held at the start of the step, as [`Rope::first_start`].
    pub last_start: Vec4,
    /// Where its last particle is held at the end of the step, as [`Rope::first_start`].
    pub last_end: Vec4,
    /// What it sways about at level 3: a unit vector through the end that is held, in xyz; w is how often a second \[Hz\].
    pub sway: Vec4,
}

/// What holds for every step of the `rope` solver; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RopeParameters {
    /// Gravity and the external acceleration together, in xyz \[m/s²\]; w is unused.
    pub acceleration: Vec4,
    /// Distances from the camera beyond which a rope is at level 1, 2 and 3, in xyz \[m\]; w is the share of them that a
    /// rope has to be beyond or within, so as not to go back and forth.
    pub level_distances: Vec4,
    /// Share of the implicit velocity that one substep loses, 0 to 1.
    pub velocity_loss: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// Substeps of a step.
    pub substeps: u32,
    /// How often a substep goes over all links of a rope at level 0.
    pub iterations: u32,
    /// Share of a deviation from where a level places a particle that one substep leaves, 0 to 1.
    pub deviation_kept: f32,
    /// How far ropes at level 3 sway to either side \[rad\].
    pub sway_angle: f32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

/// Push constants of `rope/step` and `rope/step_subgroup`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RopePush {
    /// Camera in xyz \[m\]; w is the time at the start of the step within the loop of the sway \[s\].
    pub camera: Vec4,
    /// Where a hand is, in xyz \[m\]; w is the frequency of its spring \[rad/s\], 0 where there is none.
    pub hand: Vec4,
    /// The way beyond which its pull grows no more \[m\].
    pub hand_reach: f32,
    /// How far along the rope from what it holds it pulls at particles too \[m\].
    pub hand_radius: f32,
    /// Index of the particle that it holds.
    pub held_particle: u32,
    /// Number of colliders.
    pub collider_count: u32,
    /// The coarsest level of detail of any rope.
    pub coarsest: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 3],
}

assert_same_layout!(Rope {
    first,
    particle_count,
    link_length,
    coarsest,
    first_start,
    first_end,
    last_start,
    last_end,
    sway,
});
assert_same_layout!(RopeParameters {
    acceleration,
    level_distances,
    velocity_loss,
    substep_dt,
    substeps,
    iterations,
    deviation_kept,
    sway_angle,
});
assert_same_layout!(RopePush {
    camera,
    hand,
    hand_reach,
    hand_radius,
    held_particle,
    collider_count,
    coarsest,
    padding,
});
