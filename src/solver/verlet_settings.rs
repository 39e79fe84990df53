//! What the `verlet` solver is set to.

use glam::IVec2;

use super::{Path, Step, Wind};
use crate::layout::VerletParameters;
use crate::model::Grid;

/// Where the particles are kept on the device; they end in the same bits wherever that is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VerletStorage {
    /// In three images that take turns, as document 000 has it, with pin flags.
    #[default]
    Images,
    /// In buffers, with inverse masses as other solvers have them: two that take turns, or two pairs where several substeps
    /// are computed at once.
    Buffers,
}

/// What the solver is set to, beyond the [`Step`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VerletSettings {
    /// Mass of one particle \[kg\].
    pub mass: f32,
    /// Stiffness of the 4 structural springs \[N/m\].
    pub structural_stiffness: f32,
    /// Stiffness of the 4 shear springs \[N/m\].
    pub shear_stiffness: f32,
    /// Stiffness of the 4 flexion springs \[N/m\].
    pub flexion_stiffness: f32,
    /// Share of the implicit velocity that one substep loses, 0 to 1.
    pub damping: f32,
    /// Wind, an external force of document 000.
    pub wind: Wind,
    /// Where the particles are kept.
    pub storage: VerletStorage,
    /// Whether several substeps are computed in one dispatch, on buffers.
    pub path: Path,
}

impl VerletSettings {
    /// The substep above which a grid at rest is unstable \[s\], whatever its size.
    ///
    /// With the springs' largest eigenvalue λ, a wave of them has x_next - (2 - d - h² λ / m) x + (1 - d) x_prev = 0, whose
    /// roots stay within the unit circle while h² λ / m < 4 - 2 d. A wave along a grid line that turns by the angle t
    /// from cell to cell has λ = 2 K (1 - cos t) + 4 k sin² t, with the structural and shear stiffness together as K and
    /// the flexion stiffness as k: from cell to cell in turn, 4 K, unless flexion is stiff enough for a longer wave.
    #[must_use]
    pub fn stability_limit(&self) -> f64 {
        let stiffness = f64::from(self.structural_stiffness) + f64::from(self.shear_stiffness);
        let flexion = f64::from(self.flexion_stiffness);
        let largest = if 4.0 * flexion > stiffness {
            2.0 * stiffness + 4.0 * flexion + stiffness * stiffness / (4.0 * flexion)
        } else {
            4.0 * stiffness
        };
        ((4.0 - 2.0 * f64::from(self.damping)) * f64::from(self.mass) / largest).sqrt()
    }

    /// The uniform block of a step on `grid`.
    #[must_use]
    pub fn parameters(&self, step: &Step, grid: &Grid) -> VerletParameters {
        VerletParameters {
            gravity: step.gravity.extend(0.0),
            wind: self.wind.acceleration.extend(self.wind.flutter),
            grid_size: IVec2::new(grid.columns as i32, grid.rows as i32),
            rest_length: grid.spacing,
            mass: self.mass,
            structural_stiffness: self.structural_stiffness,
            shear_stiffness: self.shear_stiffness,
            flexion_stiffness: self.flexion_stiffness,
            damping: self.damping,
            substep_dt: step.substep_dt(),
            flutter_wave_number: self.wind.wave_number,
            flutter_lift: self.wind.lift,
            padding: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(structural_stiffness: f32, shear_stiffness: f32, flexion_stiffness: f32, damping: f32) -> f64 {
        let settings = VerletSettings {
            mass: 1.0,
            structural_stiffness,
            shear_stiffness,
            flexion_stiffness,
            damping,
            ..Default::default()
        };
        settings.stability_limit()
    }

    #[test]
    fn the_limit_is_that_of_the_stiffest_wave() {
        // The constants of document 000: 2 sqrt(1 / 10,000).
        assert!((limit(1500.0, 1000.0, 500.0, 0.0) - 0.02).abs() < 1e-12);
        for [structural, shear, flexion, damping] in
            [[1500.0, 1000.0, 500.0, 0.1], [10.0, 0.0, 40.0, 0.0], [10.0, 5.0, 3.75, 1.0]]
        {
            let wave = |number: u32| {
                let cosine = (f64::from(number) * std::f64::consts::PI / 100_000.0).cos();
                2.0 * f64::from(structural + shear) * (1.0 - cosine)
                    + 4.0 * f64::from(flexion) * (1.0 - cosine * cosine)
            };
            let stiffest = (0..=100_000).map(wave).fold(0.0, f64::max);
            let expected = ((4.0 - 2.0 * f64::from(damping)) / stiffest).sqrt();
            assert!((limit(structural, shear, flexion, damping) / expected - 1.0).abs() < 1e-8);
        }
    }
}
