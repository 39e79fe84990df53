//! Four vectors side by side, so that one instruction does the same to all of them.
//!
//! Four is the width that every 64-bit processor has; `Vec4` is its register. No operation fuses a multiplication with an
//! addition, and sums go in the order of `Vec3`, so that each lane rounds as a single vector does.

use std::ops::{Add, Div, Mul, Sub};

use glam::{Mat4, Vec4};

/// Four vectors of xyz, lane by lane.
#[derive(Clone, Copy, Default)]
pub(super) struct Quad {
    x: Vec4,
    y: Vec4,
    z: Vec4,
}

impl Quad {
    /// xyz of four particles, and their ws.
    #[inline(always)]
    pub(super) fn of([a, b, c, d]: [Vec4; 4]) -> (Self, Vec4) {
        let Mat4 { x_axis: x, y_axis: y, z_axis: z, w_axis: w } = Mat4::from_cols(a, b, c, d).transpose();
        (Self { x, y, z }, w)
    }

    /// The four particles that have these xyz and `w`.
    #[inline(always)]
    pub(super) fn particles(self, w: Vec4) -> [Vec4; 4] {
        let particles = Mat4::from_cols(self.x, self.y, self.z, w).transpose();
        [particles.x_axis, particles.y_axis, particles.z_axis, particles.w_axis]
    }

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> Vec4 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(super) fn length(self) -> Vec4 {
        self.dot(self).sqrt()
    }

    /// `other` in the lanes where `key` is 0.
    #[inline(always)]
    pub(super) fn or_where_zero(self, key: Vec4, other: Self) -> Self {
        let pick = |own, other| Vec4::select(key.cmpeq(Vec4::ZERO), other, own);
        Self { x: pick(self.x, other.x), y: pick(self.y, other.y), z: pick(self.z, other.z) }
    }
}

impl Add for Quad {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Quad {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

/// Each lane by its own factor.
impl Mul<Vec4> for Quad {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factors: Vec4) -> Self {
        Self { x: self.x * factors, y: self.y * factors, z: self.z * factors }
    }
}

/// Each lane by its own divisor.
impl Div<Vec4> for Quad {
    type Output = Self;

    #[inline(always)]
    fn div(self, divisors: Vec4) -> Self {
        Self { x: self.x / divisors, y: self.y / divisors, z: self.z / divisors }
    }
}
