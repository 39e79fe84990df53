//! What the keys `cloth_...` make: many grids alike, in rows.

use glam::Vec3;

use super::error::SceneError;
use super::{MOST_PARTICLES, Scene};
use crate::model::{Cloth, Grid, GridPlane};

/// Most grids that a scene may have.
pub(super) const MOST_CLOTHS: u32 = 65_535;

impl Scene {
    /// The cloth of a grid as often as the scene has it.
    pub(super) fn copied(&self, cloth: Cloth) -> Cloth {
        if self.cloth_count == 1 { cloth } else { cloth.copies(&self.offsets()) }
    }

    /// How far each grid is from where one alone would be \[m\]: in rows along x, around the middle of all.
    fn offsets(&self) -> Vec<Vec3> {
        let Grid { columns, rows, spacing } = self.grid();
        let in_row = self.cloth_columns.min(self.cloth_count);
        let depth = if self.plane == GridPlane::Horizontal { (rows - 1) as f32 * spacing } else { 0.0 };
        let pitch =
            Vec3::new((columns - 1) as f32 * spacing, 0.0, depth) + self.cloth_spacing * Vec3::new(1.0, 0.0, 1.0);
        let last = Vec3::new((in_row - 1) as f32, 0.0, (self.cloth_count.div_ceil(in_row) - 1) as f32);
        let place = |number: u32| Vec3::new((number % in_row) as f32, 0.0, (number / in_row) as f32);
        (0..self.cloth_count).map(|number| pitch * (place(number) - last / 2.0)).collect()
    }

    /// Indices of the particles of one grid in each of them.
    pub(super) fn in_each(&self, particles: &[u32]) -> Vec<u32> {
        let count = self.columns * self.rows;
        (0..self.cloth_count).flat_map(|copy| particles.iter().map(move |particle| copy * count + particle)).collect()
    }

    /// Fails where there are too many particles, or several grids with a solver that moves one.
    pub(super) fn check_copies(&self) -> Result<(), SceneError> {
        let Self { columns, rows, cloth_count, .. } = *self;
        let most = MOST_PARTICLES / (u64::from(columns) * u64::from(rows));
        if u64::from(cloth_count) > most {
            let expected = format!(
                "at most {most} where `columns` is {columns} and `rows` is {rows}, for {MOST_PARTICLES} particles in all"
            );
            return Err(self.wrong("cloth_count".into(), expected, cloth_count.to_string()));
        }
        if cloth_count > 1 && self.solver.needs_grid() {
            let expected = format!("1 where `solver` is \"{}\", which moves one grid", self.solver);
            return Err(self.wrong("cloth_count".into(), expected, cloth_count.to_string()));
        }
        Ok(())
    }
}
