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

#[cfg(test)]
mod tests {
    use glam::Vec4;

    use super::*;
    use crate::io::cache::CacheForm;
    use crate::model::Body;

    fn scene(settings: &[(&str, &str)]) -> Scene {
        let small = [("columns", "3"), ("rows", "2"), ("spacing", "0.5"), ("cloth_count", "5"), ("cloth_columns", "2")];
        let mut scene = Scene::default();
        for (key, value) in small.iter().chain(settings) {
            scene.change(key, value).expect(key);
        }
        scene
    }

    #[test]
    fn grids_lie_in_rows_around_the_middle_and_each_has_its_pins() {
        for (plane, depth) in [("vertical", 0.0), ("horizontal", 0.5)] {
            let cloth = scene(&[("plane", plane), ("pins", "[0, 4]")]).cloth().expect("a cloth");
            let first: Vec<Vec3> = cloth.positions.chunks(6).map(|copy| copy[0].truncate()).collect();
            // 1 m wide and 0.25 m apart; the first particle is the upper left one.
            let (left, right, row) = (-1.125, 0.125, depth + 0.25);
            let expected = [(left, -row), (right, -row), (left, 0.0), (right, 0.0), (left, row)];
            assert_eq!(first, expected.map(|(x, z)| Vec3::new(x, 0.0, z)), "{plane}");
            let held = |at: &Vec4| at.w == 0.0;
            let pins: Vec<usize> = (0..30).filter(|&index| held(&cloth.positions[index])).collect();
            assert_eq!(pins, [0, 4, 6, 10, 12, 16, 18, 22, 24, 28]);
        }
    }

    #[test]
    fn a_cache_has_all_grids() {
        let scene = scene(&[]);
        let body = Body::Cloth(scene.cloth().expect("a cloth"));
        let CacheForm::Mesh(mesh) = scene.baked_shape(&body).expect("a shape").form else {
            panic!("a mesh");
        };
        assert_eq!((mesh.positions.len(), mesh.face_sizes.len()), (30, 10));
        assert_eq!(mesh.corners[..8], [0, 3, 4, 1, 1, 4, 5, 2]);
        assert_eq!(mesh.corners[32..], [24, 27, 28, 25, 25, 28, 29, 26]);
        assert_eq!(mesh.uvs.as_ref().map(|uvs| uvs.len()), Some(40));
    }

    #[test]
    fn what_several_grids_do_not_go_with_is_told() {
        let refused = |settings: &[(&str, &str)]| scene(settings).validate().expect_err("refused").to_string();
        let verlet = refused(&[("solver", "verlet"), ("substeps", "1000")]);
        assert!(
            verlet.ends_with("`cloth_count` must be 1 where `solver` is \"verlet\", which moves one grid, not 5"),
            "{verlet}"
        );
        let many = refused(&[("columns", "6000"), ("rows", "6000")]);
        assert!(many.contains("`cloth_count` must be at most 1 where"), "{many}");
        let row = scene(&[("pin", "[{row = 0}]")]).cloth().expect_err("refused").to_string();
        assert!(row.contains("pin 1: row") && row.contains("left out where the cloth is not one grid"), "{row}");
    }
}
