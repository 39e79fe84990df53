//! The structs of what hands do: pull, pin, and pick.

use bytemuck::{Pod, Zeroable};
use glam::Vec4;

use super::{assert_same_layout, spirv};

/// A particle that a hand pulls at, 8 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct GripParticle {
    /// Its index.
    pub index: u32,
    /// Its share of the pull, 0 to 1.
    pub weight: f32,
}

/// Push constants of `hand/pull`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PullPush {
    /// Where the hand is, in xyz \[m\]; w is the frequency of its spring \[rad/s\].
    pub target: Vec4,
    /// The way beyond which the pull grows no more \[m\].
    pub reach: f32,
    /// Duration of the substep \[s\].
    pub substep_dt: f32,
    /// How many particles it pulls at.
    pub count: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: u32,
}

/// Push constants of `hand/pin_image`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PinPush {
    /// Index of the particle.
    pub index: u32,
    /// 1 pins it, 0 lets it go.
    pub flag: f32,
}

/// Push constants of `pick/nearest`: a ray, and how far from it a particle may be.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PickPush {
    /// Where the ray begins, in xyz \[m\]; w is how far from it a particle may be \[m\].
    pub origin: Vec4,
    /// Unit vector along it, in xyz; w is how far from it a particle may be for each metre along it.
    pub direction: Vec4,
    /// Number of particles.
    pub particle_count: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 3],
}

/// What `pick/nearest` has found, 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Picked {
    /// Where the particle is, in xyz \[m\]; w is how far along the ray that is \[m\].
    pub position: Vec4,
    /// Its index, or [`Picked::NONE`].
    pub index: u32,
    /// Fills the struct up to a multiple of 16 bytes.
    pub padding: [u32; 3],
}

impl Picked {
    /// The index where there was no particle near the ray.
    pub const NONE: u32 = u32::MAX;
}

assert_same_layout!(GripParticle { index, weight });
assert_same_layout!(PullPush { target, reach, substep_dt, count, padding });
assert_same_layout!(PinPush { index, flag });
assert_same_layout!(PickPush { origin, direction, particle_count, padding });
assert_same_layout!(Picked { position, index, padding });
