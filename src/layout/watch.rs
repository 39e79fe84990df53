//! The structs of a look at particles and springs after a step.

use bytemuck::{Pod, Zeroable};

use super::{assert_same_layout, spirv};

/// How many looks the device keeps until they are read, in turns.
pub const LOOKS_KEPT: usize = 16;
/// Most workgroups of a look.
pub const MOST_LOOK_WORKGROUPS: usize = 512;

/// Push constants of `watch/look`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct LookPush {
    /// Number of particles that the call looks at.
    pub particle_count: u32,
    /// Number of springs.
    pub spring_count: u32,
    /// What the first of them is counted as.
    pub first_spring: u32,
    /// Which of the looks that are kept this is.
    pub slot: u32,
    /// 1 where a call before has begun it.
    pub goes_on: u32,
    /// Number of colliders.
    pub collider_count: u32,
    /// Duration of the substep \[s\].
    pub substep_dt: f32,
    /// Factor on the rest lengths of constraints.
    pub elongation: f32,
}

/// What a look has found, 48 bytes: of each greatest value, the least index that has it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Look {
    /// How many particles have a place or a velocity that is not finite.
    pub non_finite_count: u32,
    /// The first of them, or [`Look::NONE`].
    pub first_non_finite: u32,
    /// Greatest speed of the others \[m/s\].
    pub speed: f32,
    /// The particle that has it.
    pub speed_particle: u32,
    /// How deep a particle is inside a collider at most \[m\].
    pub depth: f32,
    /// The particle, or [`Look::NONE`] where all are outside.
    pub depth_particle: u32,
    /// Greatest strain of the structural springs that are not cut, 0.01 for 1 %.
    pub strain: f32,
    /// The spring that has it, or [`Look::NONE`].
    pub strain_spring: u32,
    /// Greatest error of all springs that are not cut, as a share of their rest length.
    pub error: f32,
    /// The spring that has it, or [`Look::NONE`].
    pub error_spring: u32,
    /// Fills the struct up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

impl Look {
    /// The index where nothing was found.
    pub const NONE: u32 = u32::MAX;
}

impl Default for Look {
    /// A look at nothing.
    fn default() -> Self {
        Self {
            non_finite_count: 0,
            first_non_finite: Self::NONE,
            speed: 0.0,
            speed_particle: Self::NONE,
            depth: 0.0,
            depth_particle: Self::NONE,
            strain: 0.0,
            strain_spring: Self::NONE,
            error: 0.0,
            error_spring: Self::NONE,
            padding: [0; 2],
        }
    }
}

assert_same_layout!(LookPush {
    particle_count,
    spring_count,
    first_spring,
    slot,
    goes_on,
    collider_count,
    substep_dt,
    elongation,
});
assert_same_layout!(Look {
    non_finite_count,
    first_non_finite,
    speed,
    speed_particle,
    depth,
    depth_particle,
    strain,
    strain_spring,
    error,
    error_spring,
    padding,
});
