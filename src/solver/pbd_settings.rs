//! What the solvers of constraints are set to.

use std::ops::Range;

use super::{Path, Step, Wind};
use crate::layout::{Constraint, Hinge, PbdParameters};
use crate::model::{Cloth, Patch, Spring, SpringKind};

/// Largest inverse stiffness of a hinge \[rad/(N m)\], which 32 bits can divide by the square of any substep; it is none to
/// be felt.
const MOST_COMPLIANCE: f32 = 1e9;

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
    /// Extension of the cloth along its weft under a force per width, \[m/N\]; 0 is rigid. On a grid the weft lies along the
    /// rows, and where it is not known how it lies, edges have this.
    pub compliance: f32,
    /// The same along its warp, which lies along the columns of a grid \[m/N\]; without it, as along the weft.
    pub warp_compliance: Option<f32>,
    /// The same along its bias, halfway between weft and warp; of the diagonals of a grid the inverse stiffness \[m/N\].
    pub shear_compliance: f32,
    /// Inverse stiffness of bending constraints \[m/N\].
    pub bending_compliance: f32,
    /// Flexural rigidity of a cloth with hinges: its moment per width and curvature \[N m\]; 0 for no hinges.
    pub bending_stiffness: f32,
    /// Rate at which velocities decay \[1/s\].
    pub damping: f32,
    /// Factor on the rest lengths of all constraints; document 002 has a slider for it.
    pub elongation: f32,
    /// Whether lambda is accumulated over the iterations of a substep, as published; else each of them starts from 0, as
    /// document 002 has it, and constraints stiffen with the number of iterations.
    pub lambda_accumulated: bool,
    /// The order in which the constraints of one iteration are solved.
    pub constraint_solver: ConstraintSolver,
    /// Whether particles stay within reach of what holds them, along the cloth at rest or what `max_strain` adds to that.
    pub long_range_attachments: bool,
    /// Largest strain that the structural springs keep, after every step and whatever hangs on them; 0 for no limit. Implies
    /// `long_range_attachments`.
    pub max_strain: f32,
    /// How the work is divided into dispatches, on the GPU; the result is the same. Other than the rest, a change from or to
    /// [`Path::Plain`] holds only where the solver was made for fewer dispatches.
    pub path: Path,
    /// Wind.
    pub wind: Wind,
}

impl Default for PbdSettings {
    /// Rigid constraints of their own lengths, in vacuum.
    fn default() -> Self {
        Self {
            compliance: 0.0,
            warp_compliance: None,
            shear_compliance: 0.0,
            bending_compliance: 0.0,
            bending_stiffness: 0.0,
            damping: 0.0,
            elongation: 1.0,
            lambda_accumulated: true,
            constraint_solver: ConstraintSolver::default(),
            long_range_attachments: false,
            max_strain: 0.0,
            path: Path::default(),
            wind: Wind::default(),
        }
    }
}

impl PbdSettings {
    /// The constraints of a cloth's springs, in the same order.
    #[must_use]
    pub fn constraints(&self, cloth: &Cloth) -> Vec<Constraint> {
        let columns = cloth.grid.map(|grid| grid.columns);
        let constraint = |(index, spring): (usize, &Spring)| {
            let [index_a, index_b] = spring.particles;
            let compliance = match (spring.kind, cloth.patches.get(index)) {
                (SpringKind::Structural, Some(patch)) => self.edge_compliance(patch),
                // A column goes on in the next row.
                (SpringKind::Structural, None) if Some(index_b - index_a) == columns => self.along_warp(),
                (SpringKind::Structural, None) => self.compliance,
                (SpringKind::Shear, _) => self.shear_compliance,
                (SpringKind::Bending, _) => self.bending_compliance,
            };
            Constraint { index_a, index_b, rest_length: spring.rest_length, compliance }
        };
        cloth.springs.iter().enumerate().map(constraint).collect()
    }

    fn along_warp(&self) -> f32 {
        self.warp_compliance.unwrap_or(self.compliance)
    }

    /// Inverse stiffness of a constraint along an edge \[m/N\], so that the cloth yields alike however fine its mesh is.
    /// Source: Van Gelder 1998, "Approximate Simulation of Elastic Membranes by Triangulated Spring Meshes".
    fn edge_compliance(&self, patch: &Patch) -> f32 {
        let compliance = patch.weft_share.map_or(self.compliance, |share| self.compliance_along(share));
        compliance / patch.area_ratio
    }

    /// Extension under a force per width \[m/N\] along a direction, of whose angle to the weft the cosine's square is given:
    /// that of any orthotropic sheet, through its values along weft, warp and bias. A bias that is stiffer than weft and warp
    /// together would let it be negative on the way; then it is 0.
    #[must_use]
    pub fn compliance_along(&self, weft_share: f32) -> f32 {
        let (weft, warp, bias) = (self.compliance, self.along_warp(), self.shear_compliance);
        let warp_share = 1.0 - weft_share;
        let mixed = weft_share * warp_share * (4.0 * bias - weft - warp);
        (weft_share * weft_share * weft + warp_share * warp_share * warp + mixed).max(0.0)
    }

    /// The hinges of a cloth, in the same order, and their batches; none where it has no flexural rigidity.
    ///
    /// A hinge stands for the rectangle beside its edge L that is as large as both triangles, of area A: turned by an angle t
    /// over its width A / L, a sheet of flexural rigidity B stores B t² L² / (2 A).
    #[must_use]
    pub fn hinges<'a>(&self, cloth: &'a Cloth) -> (Vec<Hinge>, &'a [Range<u32>]) {
        if self.bending_stiffness == 0.0 {
            return (Vec::new(), &[]);
        }
        let hinge = |hinge: &crate::model::Hinge| Hinge {
            particles: hinge.particles,
            rest_angle: hinge.rest_angle,
            compliance: (hinge.area_ratio / self.bending_stiffness).min(MOST_COMPLIANCE),
        };
        (cloth.hinges.iter().map(hinge).collect(), cloth.hinge_coloring.batches())
    }

    /// Whether anything keeps the cloth from stretching beyond what its constraints do.
    #[must_use]
    pub fn limits_stretch(&self) -> bool {
        self.long_range_attachments || self.max_strain > 0.0
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
