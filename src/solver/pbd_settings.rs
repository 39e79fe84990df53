//! What the solvers of constraints are set to.

use super::{Step, Wind};
use crate::layout::{Constraint, PbdParameters};
use crate::model::{Cloth, SpringKind};

/// The order in which the constraints of one iteration are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ConstraintSolver {
    /// Batch by batch, each from the positions that the batch before has left: converges faster.
    #[default]
    GaussSeidel,
    /// All at once from the same positions, in two passes however many batches there would be.
    Jacobi,
}

/// What the solver is set to, beyond the [`Step`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PbdSettings {
    /// Inverse stiffness of structural constraints \[m/N\]; 0 is rigid.
    pub compliance: f32,
    /// Inverse stiffness of shear constraints \[m/N\].
    pub shear_compliance: f32,
    /// Inverse stiffness of bending constraints \[m/N\].
    pub bending_compliance: f32,
    /// Rate at which velocities decay \[1/s\].
    pub damping: f32,
    /// Factor on the rest lengths of all constraints; document 002 has a slider for it.
    pub elongation: f32,
    /// Whether lambda is accumulated over the iterations of a substep, as published; else each of them starts from 0, as
    /// document 002 has it, and constraints stiffen with the number of iterations.
    pub lambda_accumulated: bool,
    /// The order in which the constraints of one iteration are solved.
    pub constraint_solver: ConstraintSolver,
    /// Wind.
    pub wind: Wind,
}

impl Default for PbdSettings {
    /// Rigid constraints of their own lengths, in vacuum.
    fn default() -> Self {
        Self {
            compliance: 0.0,
            shear_compliance: 0.0,
            bending_compliance: 0.0,
            damping: 0.0,
            elongation: 1.0,
            lambda_accumulated: true,
            constraint_solver: ConstraintSolver::default(),
            wind: Wind::default(),
        }
    }
}

impl PbdSettings {
    /// The constraints of a cloth's springs, in the same order.
    #[must_use]
    pub fn constraints(&self, cloth: &Cloth) -> Vec<Constraint> {
        let compliance = |kind| match kind {
            SpringKind::Structural => self.compliance,
            SpringKind::Shear => self.shear_compliance,
            SpringKind::Bending => self.bending_compliance,
        };
        cloth
            .springs
            .iter()
            .map(|spring| Constraint {
                index_a: spring.particles[0],
                index_b: spring.particles[1],
                rest_length: spring.rest_length,
                compliance: compliance(spring.kind),
            })
            .collect()
    }

    /// The uniform block of a step without external forces.
    #[must_use]
    pub fn parameters(&self, step: &Step, particle_count: usize) -> PbdParameters {
        PbdParameters {
            gravity: step.gravity.extend(0.0),
            wind: self.wind.acceleration.extend(self.wind.flutter),
            flutter_wave_number: self.wind.wave_number,
            flutter_lift: self.wind.lift,
            substep_dt: step.substep_dt(),
            damping: self.damping,
            particle_count: particle_count as u32,
            elongation: self.elongation,
            has_forces: 0,
            padding: 0,
        }
    }
}
