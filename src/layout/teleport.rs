//! The structs of what carries particles along with a jump.

use bytemuck::{Pod, Zeroable};
use glam::Vec4;

use super::{assert_same_layout, spirv};

/// A rigid motion that takes no time: what was at one place is at another, turned about it; 48 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Jump {
    /// In xyz \[m\]; w is unused.
    pub from: Vec4,
    /// In xyz \[m\]; w is unused.
    pub to: Vec4,
    /// A unit quaternion xyzw.
    pub rotation: Vec4,
}

/// Push constants of `teleport/carry`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct TeleportPush {
    /// Number of particles.
    pub particle_count: u32,
}

assert_same_layout!(Jump { from, to, rotation });
assert_same_layout!(TeleportPush { particle_count });
