//! The structs of what bounds the stretch of a cloth.

use bytemuck::{Pod, Zeroable};

use super::{assert_same_layout, spirv};

/// How far from another particle one can get, 8 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct LongRange {
    /// Index of the other one, a held one or one on the way there; its own where there is none.
    pub anchor: u32,
    /// How far it is from there along that way at rest \[m\].
    pub distance: f32,
}

/// Push constants of `limit/long_range`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct LongRangePush {
    /// How much longer than at rest a way along the cloth can get, as a factor.
    pub most: f32,
    /// How many elements of `Rounds` are set to 0.
    pub round_count: u32,
}

/// Push constants of `limit/strain`: one iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct StrainLimitPush {
    /// How much longer than at rest links are left, as a factor.
    pub target: f32,
    /// How much longer than at rest they can be without another round, as a factor.
    pub most: f32,
    /// Weight of this iteration's places against those of the one before the last, 1 for no weight on the latter.
    pub relaxation: f32,
    /// Number of the round of iterations, of which each has work to do where the one before has left some; 0 always has.
    pub round: u32,
    /// 1 where this iteration says whether there is work left, else 0.
    pub looks: u32,
}

/// Push constants of `limit/long_link`: one level.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct LongLinkPush {
    /// How much longer than at rest ways are left, as a factor.
    pub most: f32,
    /// Number of the level.
    pub level: u32,
    /// Number of the round, as in [`StrainLimitPush::round`].
    pub round: u32,
}

/// Push constants of `limit/collide`: which part of the step a substep is, as [`CollidePush`](super::CollidePush).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct LimitCollidePush {
    /// Where in the step the substep starts, 0 to 1.
    pub start: f32,
    /// Where in the step the substep ends, 0 to 1.
    pub end: f32,
    /// Number of colliders.
    pub collider_count: u32,
    /// Number of the round, as in [`StrainLimitPush::round`].
    pub round: u32,
}

assert_same_layout!(LimitCollidePush { start, end, collider_count, round });
assert_same_layout!(LongRange { anchor, distance });
assert_same_layout!(LongRangePush { most, round_count });
assert_same_layout!(LongLinkPush { most, level, round });
assert_same_layout!(StrainLimitPush { target, most, relaxation, round, looks });
