//! How many bytes the passes of a frame access, each particle and constraint once a pass, with no cache in mind.

use tautline::solver::Simulation;

/// None where a pass is not known here.
pub fn bytes(simulation: &Simulation) -> Option<u64> {
    let particles = simulation.body().positions().len() as u64;
    let (constraints, batches) = simulation.constraint_counts();
    let (constraints, batches) = (constraints as u64, batches as u64);
    let substeps = u64::from(simulation.step().substeps);
    let of_pass = |(name, calls): (String, u32)| {
        let calls = u64::from(calls);
        Some(match &*name {
            // Reads and writes positions and velocities, and writes the positions before.
            "pbd/predict" => calls * particles * (2 * 32 + 16),
            // Reads a constraint, reads and writes two particles, and writes its lambda, which all iterations but the first
            // read.
            "pbd/solve" => {
                let sweeps = calls / batches.max(1);
                constraints * (sweeps * (16 + 2 * 32 + 4) + (sweeps - substeps) * 4)
            }
            // Reads positions; in each substep reads and writes velocities and positions, and in each iteration reads a
            // constraint, where it is rigid.
            "pbd/body" => {
                let sweeps = substeps * u64::from(simulation.step().iterations);
                calls * particles * 16 + substeps * particles * 64 + sweeps * constraints * 8
            }
            // Reads the positions now and before, and writes velocities.
            "pbd/velocity" => calls * particles * 48,
            // Reads and writes positions; of each substep it reads and writes velocities, and where it takes several, the
            // positions before.
            "pbd/tile" | "pbd/tile_subgroup" => {
                let whole = calls.min(substeps);
                let kept = if calls > substeps { 32 } else { 0 };
                calls * particles * 32 + whole * particles * (32 + kept)
            }
            // Reads the positions now and before, and writes the next.
            "verlet/step" | "verlet/step_buffer" => calls * particles * 48,
            // The same, and writes those before the next.
            "verlet/tile" => calls * particles * 64,
            // Reads the positions now and before, and writes them with a level of detail.
            "rope/step" | "rope/step_subgroup" => calls * particles * (6 + 7) * 4,
            _ => return None,
        })
    };
    simulation.passes().into_iter().map(of_pass).sum()
}
