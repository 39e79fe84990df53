//! Fast versions of the solvers on the CPU, for machines without a GPU.
//!
//! Each has the same buffers, structs and functions as its kernels and its twin in [`reference`](mod@crate::reference),
//! and ends in the same bits as the twin, on any number of threads: particles, constraints and whole ropes are shared out
//! to the threads of the rayon pool that calls, four particles or constraints go through each instruction, and what the
//! formula does to one of them is done in the twin's order. A particle meets its constraints in the order of their batches
//! and everything else is a gather, so the order in which threads come to their work changes nothing.

mod air;
mod bend;
mod grid;
mod limits;
mod mass_spring;
mod partition;
mod pbd;
mod projection;
mod quad;
mod rope;
mod runs;
mod schedule;
mod verlet;
mod wind;

pub use air::Air;
pub use mass_spring::MassSpring;
pub use pbd::Pbd;
pub use rope::RopeVerlet;
pub use verlet::Verlet;

pub use crate::reference::collide::Colliders;
pub use crate::reference::cut::triangles as cut_triangles;
pub use crate::reference::watch::look;

/// Particles or constraints that one thread takes at a time, or more: fewer would take longer to hand out than to do.
const JOB: usize = 2048;
