//! The structs of the solvers of springs on grids.

use bytemuck::{Pod, Zeroable};
use glam::{IVec2, Vec4};

use super::{assert_same_layout, spirv};

/// What holds for every step of the `verlet` solver; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct VerletParameters {
    /// Gravity in xyz \[m/s²\]; w is unused.
    pub gravity: Vec4,
    /// Mean wind in xyz, as an acceleration \[m/s²\]; w is the amplitude of its flutter \[m/s²\].
    pub wind: Vec4,
    /// Columns and rows of the grid.
    pub grid_size: IVec2,
    /// Rest length of the structural springs, the side of a cell \[m\].
    pub rest_length: f32,
    /// Mass of one particle \[kg\].
    pub mass: f32,
    /// Stiffness of the 4 structural springs \[N/m\].
    pub structural_stiffness: f32,
    /// Stiffness of the 4 shear springs \[N/m\].
    pub shear_stiffness: f32,
    /// Stiffness of the 4 flexion springs \[N/m\].
    pub flexion_stiffness: f32,
    /// Share of the implicit velocity that one step loses, 0 to 1.
    pub damping: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// Wave number of the flutter \[rad/m\].
    pub flutter_wave_number: f32,
    /// Upward share of the flutter, a factor of its amplitude (document 002 has 2).
    pub flutter_lift: f32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: u32,
}

/// Push constants of `verlet/step`: which part of the step a substep is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct VerletPush {
    /// Where in the step the substep starts, 0 to 1.
    pub start: f32,
    /// Where in the step the substep ends, 0 to 1.
    pub end: f32,
    /// Number of colliders.
    pub collider_count: u32,
    /// Number of the substep within its step.
    pub substep: u32,
}

/// Most substeps that `verlet/tile` computes in one dispatch.
pub const MOST_VERLET_TILE_SUBSTEPS: usize = 8;

/// Push constants of `verlet/tile`: which part of the step each of its substeps is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct VerletTilePush {
    /// Where in the step each substep starts, and after them where the last one ends, 0 to 1.
    pub shares: [f32; MOST_VERLET_TILE_SUBSTEPS + 1],
    /// Number of the first substep within its step.
    pub first_substep: u32,
    /// Number of colliders.
    pub collider_count: u32,
    /// Number of substeps.
    pub substep_count: u32,
}

/// What holds for every substep of the `mass_spring` solver; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct MassSpringParameters {
    /// Gravity and the external acceleration together, in xyz \[m/s²\]; w is unused.
    pub acceleration: Vec4,
    /// Columns and rows of the grid.
    pub grid_size: IVec2,
    /// Rest length of the structural springs, the side of a cell \[m\].
    pub rest_length: f32,
    /// Stiffness of all 8 springs \[N/m\].
    pub stiffness: f32,
    /// Damping of all 8 springs, along the spring \[N s/m\].
    pub damping: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// 1 where there are external forces on particles, else 0.
    pub has_forces: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: u32,
}

assert_same_layout!(VerletPush { start, end, collider_count, substep });
assert_same_layout!(VerletTilePush { shares, first_substep, collider_count, substep_count });
assert_same_layout!(VerletParameters {
    gravity,
    wind,
    grid_size,
    rest_length,
    mass,
    structural_stiffness,
    shear_stiffness,
    flexion_stiffness,
    damping,
    substep_dt,
    flutter_wave_number,
    flutter_lift,
    padding,
});
assert_same_layout!(MassSpringParameters {
    acceleration,
    grid_size,
    rest_length,
    stiffness,
    damping,
    substep_dt,
    has_forces
});
