//! Hinges on the device: two triangles at an edge that resist a change of their angle.
//!
//! They come batch by batch after the constraints of an iteration, whichever [`ConstraintSolver`](super::ConstraintSolver)
//! solves those: bending is weak, and converges in either order.

use std::ops::Range;

use super::list_pass::{List, ListPass};
use crate::engine::{self, Buffer, Device, Recorder};
use crate::layout::Hinge;
use crate::shaders;

pub(super) struct Bending {
    pub(super) hinges: Buffer,
    pub(super) batches: Vec<Range<u32>>,
    pub(super) bend: ListPass,
}

impl Bending {
    /// Puts hinges of particles at `positions` on the device; `batches` are ranges of them that share no particle.
    pub(super) fn new(
        device: &Device,
        hinges: &[Hinge],
        batches: &[Range<u32>],
        positions: &Buffer,
        parameters: &Buffer,
    ) -> engine::Result<Self> {
        let lambdas = Buffer::zeroed(device, "cloth.hinge_lambdas", size_of::<f32>() as u64 * hinges.len() as u64)?;
        let count = hinges.len() as u32;
        let hinges = Buffer::from_slice(device, "cloth.hinges", hinges)?;
        let whole = [("Positions", positions.into()), ("PbdParameters", parameters.into())];
        let lists = [List::of::<Hinge>("Hinges", &hinges), List::of::<f32>("HingeLambdas", &lambdas)];
        let bend = ListPass::new(device, &shaders::PBD_BEND, count, &whole, &lists)?;
        Ok(Self { hinges, batches: batches.to_vec(), bend })
    }

    /// Records one iteration.
    pub(super) fn record(&self, recorder: &mut Recorder<'_>, iteration: u32) -> engine::Result<()> {
        self.bend.record_batches(recorder, &self.batches, iteration)
    }
}
