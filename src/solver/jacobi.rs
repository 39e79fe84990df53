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
    /// Reads the constraints back from the device, and adds 24 bytes there for each of them.
    pub(super) fn new(device: &Device, particle_count: usize, buffers: &PbdBuffers<'_>) -> engine::Result<Self> {
        let constraints: Vec<Constraint> = buffers.constraints.read()?;
        let (first_ends, ends) = ends_at_particles(particle_count, &constraints);
        let first_ends = Buffer::from_slice(device, "first ends", &first_ends)?;
        let ends = Buffer::from_slice(device, "ends", &ends)?;
        let corrections = Buffer::zeroed(device, "corrections", 16 * constraints.len() as u64)?;
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
        recorder.dispatch(&self.solve, &push, [self.constraint_count, 1, 1])?;
        recorder.dispatch(&self.apply, &(), [self.particle_count, 1, 1])
    }
}

/// The ends of constraints at each particle: those of particle `i` are the second list's from the first list's `[i]` up
/// to its `[i + 1]`, each twice the constraint's index, plus 1 at its second particle, in ascending order.
fn ends_at_particles(particle_count: usize, constraints: &[Constraint]) -> (Vec<u32>, Vec<u32>) {
    let particles = || constraints.iter().flat_map(|constraint| [constraint.index_a, constraint.index_b]);
    let mut first_ends = vec![0; particle_count + 1];
    for particle in particles() {
        first_ends[particle as usize + 1] += 1;
    }
    for index in 0..particle_count {
        first_ends[index + 1] += first_ends[index];
    }
    let mut next = first_ends.clone();
    let mut ends = vec![0; 2 * constraints.len()];
    for (end, particle) in particles().enumerate() {
        let next = &mut next[particle as usize];
        ends[*next as usize] = end as u32;
        *next += 1;
    }
    (first_ends, ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_particle_has_the_ends_of_its_constraints() {
        let constraint = |index_a, index_b| Constraint { index_a, index_b, ..Default::default() };
        let constraints = [constraint(0, 1), constraint(3, 1), constraint(1, 0)];
        assert_eq!(ends_at_particles(4, &constraints), (vec![0, 2, 5, 5, 6], vec![0, 5, 1, 3, 4, 2]));
    }
}
