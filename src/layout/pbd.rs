//! The structs of the solvers of constraints.

use bytemuck::{Pod, Zeroable};
use glam::{UVec2, Vec4};

use super::{assert_same_layout, spirv};

/// One distance constraint between two particles, 16 bytes, as the pbd kernels read it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Constraint {
    /// Index of the first particle.
    pub index_a: u32,
    /// Index of the second particle.
    pub index_b: u32,
    /// Distance at which the constraint is satisfied \[m\].
    pub rest_length: f32,
    /// Inverse stiffness \[m/N\]; 0 is rigid.
    pub compliance: f32,
}

impl Constraint {
    /// The indices of its two particles.
    #[must_use]
    pub fn particles(&self) -> [u32; 2] {
        [self.index_a, self.index_b]
    }
}

/// Two triangles held at an angle about their common edge, 24 bytes, as `pbd/bend` reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Hinge {
    /// Indices of the edge's two ends, and of the corners that face it in the one triangle and in the other.
    pub particles: [u32; 4],
    /// Angle between the triangles' normals at which it is satisfied \[rad\].
    pub rest_angle: f32,
    /// Inverse stiffness \[rad/(N m)\].
    pub compliance: f32,
}

impl Hinge {
    /// The edge and the sides of the triangles that face it, each by its particles: what a hinge needs whole.
    #[must_use]
    pub fn edges(&self) -> [[u32; 2]; 5] {
        let [a, b, c, d] = self.particles;
        [[a, b], [a, c], [b, c], [a, d], [b, d]]
    }
}

/// What holds for every kernel of one step of the `xpbd`, `pbd` and `xpbd-document` solvers; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PbdParameters {
    /// Gravity in xyz \[m/s²\]; w is unused.
    pub gravity: Vec4,
    /// Mean wind in xyz, as an acceleration \[m/s²\]; w is the amplitude of its flutter \[m/s²\].
    pub wind: Vec4,
    /// Wave number of the flutter \[rad/m\].
    pub flutter_wave_number: f32,
    /// Upward share of the flutter, a factor of its amplitude (document 002 has 2).
    pub flutter_lift: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// Rate at which velocities decay \[1/s\].
    pub damping: f32,
    /// Number of particles.
    pub particle_count: u32,
    /// Factor on the rest lengths of all constraints (document 002).
    pub elongation: f32,
    /// 1 where there are external forces on particles, else 0.
    pub has_forces: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: u32,
}

impl Default for PbdParameters {
    /// All 0, but for rest lengths as the constraints have them.
    fn default() -> Self {
        Self { elongation: 1.0, ..Self::zeroed() }
    }
}

/// Push constants of `pbd/predict`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PredictPush {
    /// Number of the substep within its step.
    pub substep: u32,
}

/// Push constants of `pbd/solve` and `pbd/bend`: one colour batch of one iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SolvePush {
    /// Index of the batch's first constraint, or hinge.
    pub first: u32,
    /// Number of constraints, or hinges, in the batch.
    pub count: u32,
    /// Iteration within the substep; lambda starts from 0 in iteration 0.
    pub iteration: u32,
}

/// Push constants of `pbd/jacobi_solve`: one iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct JacobiPush {
    /// Number of constraints.
    pub constraint_count: u32,
    /// Iteration within the substep; lambda starts from 0 in iteration 0.
    pub iteration: u32,
}

/// What the kernels of tiles know of a grid; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct TileParameters {
    /// Columns and rows.
    pub grid_size: UVec2,
    /// Inverse mass of each node that is not held \[1/kg\].
    pub inverse_mass: f32,
    /// Fills up to the next member.
    pub padding: u32,
    /// Rest length \[m\] in x and compliance \[m/N\] in y of the constraints across a column, down a row, across a diagonal,
    /// across two columns and down two rows.
    pub families: [Vec4; 5],
}

/// Push constants of `pbd/tile` and `pbd/body`: some sweeps of a substep, or all sweeps of some substeps.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct FusedPush {
    /// How many substeps.
    pub substeps: u32,
    /// How many sweeps of each.
    pub sweeps: u32,
    /// 1 where these are the first sweeps of their substeps, else 0.
    pub predicts: u32,
    /// 1 where they are the last.
    pub finishes: u32,
    /// Number of the first of these substeps within its step.
    pub first_substep: u32,
    /// 1 where lambdas go on from sweep to sweep, which tiles cannot, else 0.
    pub accumulates: u32,
    /// Number of the first of these sweeps within its substep, where lambdas go on.
    pub first_sweep: u32,
}

/// Where the lists of `pbd/body` have a body, 32 bytes; bodies that are alike share their constraints and hinges.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PbdBody {
    /// Index of its first one in the list of particles.
    pub first_particle: u32,
    /// Number of particles.
    pub particle_count: u32,
    /// Index of its first one in the list of batches.
    pub first_batch: u32,
    /// Number of batches of constraints.
    pub batch_count: u32,
    /// Number of batches of hinges, which follow those of constraints.
    pub hinge_batch_count: u32,
    /// Index of its first constraint.
    pub first_constraint: u32,
    /// Index of its first hinge.
    pub first_hinge: u32,
    /// Index of the multiplier of its first constraint; those of its hinges follow those of its constraints.
    pub first_lambda: u32,
}

/// A distance constraint within a body, 8 bytes, without its compliance.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BodyConstraint {
    /// Its particles, counted within the body: the first one in the lower 16 bits.
    pub particles: u32,
    /// Distance at which it is satisfied \[m\].
    pub rest_length: f32,
}

/// A hinge within a body, 16 bytes; particles as in [`BodyConstraint`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BodyHinge {
    /// The edge's two ends.
    pub edge: u32,
    /// The corners that face it in the one triangle and in the other.
    pub corners: u32,
    /// Angle between the triangles' normals at which it is satisfied \[rad\].
    pub rest_angle: f32,
    /// Inverse stiffness \[rad/(N m)\].
    pub compliance: f32,
}

assert_same_layout!(Constraint { index_a, index_b, rest_length, compliance });
assert_same_layout!(Hinge { particles, rest_angle, compliance });
assert_same_layout!(PbdParameters {
    gravity,
    wind,
    flutter_wave_number,
    flutter_lift,
    substep_dt,
    damping,
    particle_count,
    elongation,
    has_forces,
});
assert_same_layout!(PredictPush { substep });
assert_same_layout!(TileParameters { grid_size, inverse_mass, families });
assert_same_layout!(FusedPush { substeps, sweeps, predicts, finishes, first_substep, accumulates, first_sweep });
assert_same_layout!(PbdBody {
    first_particle,
    particle_count,
    first_batch,
    batch_count,
    hinge_batch_count,
    first_constraint,
    first_hinge,
    first_lambda,
});
assert_same_layout!(BodyConstraint { particles, rest_length });
assert_same_layout!(BodyHinge { edge, corners, rest_angle, compliance });
assert_same_layout!(SolvePush { first, count, iteration });
assert_same_layout!(JacobiPush { constraint_count, iteration });
