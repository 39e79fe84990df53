//! The CPU twin of each solver.
//!
//! A twin holds the same buffers as its solver and has one function per kernel, of the same name, but is written from
//! the published formula and not from the GLSL, so that each exposes the other's mistakes. It computes in `f32`, as the
//! kernels do, and in the order of the formula; it is plain rather than fast.

pub mod air;
pub mod attach;
pub mod collide;
pub mod cut;
pub mod hand;
pub mod hinge;
pub mod limit;
pub mod mass_spring;
pub mod pbd;
pub mod rope;
pub mod verlet;
pub mod watch;
pub mod wind;
