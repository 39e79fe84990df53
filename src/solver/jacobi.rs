//! All constraints at once, instead of batch by batch: the Jacobi variant of document 003.
//!
//! The document has each constraint add its corrections to its particles with atomics, and a second pass divide each sum
//! by the number of constraints. Here the first pass keeps the corrections and the second gathers them, in the same order
//! on every run; and the division is done on the masses (Tonge et al. 2012, "Mass Splitting for Jitter-Free Parallel
//! Rigid Body Simulation"). Where both ends of a constraint have n constraints the two are the same, for
//! C / (n wa + n wb) = C / (wa + wb) / n. Where they have not, at the border of a cloth, the document's division moves
//! the ends by unequal impulses, which sets a free cloth in motion.

use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{Constraint, JacobiPush};
use crate::model::ends_at_particles;
use crate::shaders;

/// The two passes of an iteration.
pub(super) struct Jacobi {
    particle_count: u32,
    constraint_count: u32,
    solve: Bindings<Kernel>,
    apply: Bindings<Kernel>,
}

/// The buffers of the solver that they work on.
pub(super) struct PbdBuffers<'a> {
    pub(super) positions: &'a Buffer,
    pub(super) constraints: &'a Buffer,
    pub(super) lambdas: &'a Buffer,
    pub(super) parameters: &'a Buffer,
}

impl Jacobi {
    /// Adds 24 bytes to the device for each of the `constraints`, of which none is cut. Particles find what moves them anywhere
    /// among all constraints, so that there may be no more of these than what one binding takes.
    pub(super) fn new(
        device: &Device,
        particle_count: usize,
        constraints: &[Constraint],
        buffers: &PbdBuffers<'_>,
    ) -> engine::Result<Self> {
        let (first_ends, ends) = ends_at_particles(particle_count, constraints);
        let first_ends = Buffer::from_slice(device, "jacobi.first_ends", &first_ends)?;
        let ends = Buffer::from_slice(device, "jacobi.ends", &ends)?;
        let corrections = Buffer::zeroed(device, "jacobi.corrections", 16 * constraints.len() as u64)?;
        let solve = Kernel::new(device, &shaders::PBD_JACOBI_SOLVE)?.bind(&[
            ("Positions", buffers.positions.into()),
            ("Constraints", buffers.constraints.into()),
            ("Lambdas", buffers.lambdas.into()),
            ("FirstEnds", (&first_ends).into()),
            ("Corrections", (&corrections).into()),
            ("PbdParameters", buffers.parameters.into()),
        ])?;
        let apply = Kernel::new(device, &shaders::PBD_JACOBI_APPLY)?.bind(&[
            ("Positions", buffers.positions.into()),
            ("FirstEnds", (&first_ends).into()),
            ("Ends", (&ends).into()),
            ("Corrections", (&corrections).into()),
            ("PbdParameters", buffers.parameters.into()),
        ])?;
        let (particle_count, constraint_count) = (particle_count as u32, constraints.len() as u32);
        Ok(Self { particle_count, constraint_count, solve, apply })
    }

    /// Records one iteration.
    pub(super) fn record(&self, recorder: &mut Recorder<'_>, iteration: u32) -> engine::Result<()> {
        let push = JacobiPush { constraint_count: self.constraint_count, iteration };
        recorder.dispatch_each(&self.solve, &push, self.constraint_count)?;
        recorder.dispatch_each(&self.apply, &(), self.particle_count)
    }
}
