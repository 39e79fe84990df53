//! Many cloths alike: one for each of some places.

use glam::{Vec2, Vec3};

use super::{Cloth, Coloring, Grid, Hinge, Joins, Patch, Spring, SpringKind};

impl Cloth {
    /// This cloth of a grid once for each of `offsets` \[m\], moved by it; nothing joins two of them, and nothing is attached
    /// yet. Particle `i` of copy `c` has the index `c` times the particles of one plus `i`, and a copy's lengths at rest are those
    /// of this one to the bit.
    ///
    /// # Panics
    ///
    /// Where this is no grid's cloth, something is attached, or 32 bits cannot number the particles or springs of all.
    #[must_use]
    pub fn copies(&self, offsets: &[Vec3]) -> Self {
        let grid = self.grid.expect("the cloth of a grid");
        assert!(self.attachments.is_empty(), "copies are made before anything is attached");
        let count = self.positions.len();
        assert!(u32::try_from(count * offsets.len()).is_ok(), "more particles than 32 bits can number");
        let firsts = || (0..offsets.len()).map(|copy| (copy * count) as u32);

        let positions = offsets.iter().flat_map(|offset| self.positions.iter().map(|at| *at + offset.extend(0.0)));
        let triangles =
            firsts().flat_map(|first| self.triangles.iter().map(move |corners| corners.map(|corner| first + corner)));
        let (springs, coloring) = copied(&self.springs, &self.coloring, firsts, |spring, first| Spring {
            particles: spring.particles.map(|particle| first + particle),
            ..*spring
        });
        let (hinges, hinge_coloring) = copied(&self.hinges, &self.hinge_coloring, firsts, |hinge, first| Hinge {
            particles: hinge.particles.map(|particle| first + particle),
            ..*hinge
        });
        let uvs: Vec<_> = self.triangles.iter().map(|corners| corners.map(|corner| place(corner, &grid))).collect();
        Self {
            positions: positions.collect(),
            inverse_masses: self.inverse_masses.repeat(offsets.len()),
            triangles: triangles.collect(),
            patches: springs.iter().map(|spring| patch(spring, &grid)).collect(),
            springs,
            coloring,
            hinges,
            hinge_coloring,
            attachments: Vec::new(),
            grid: None,
            uvs: Some(uvs.repeat(offsets.len())),
            pattern: self.pattern.clone(),
        }
    }
}

/// What joins particles, batch by batch, in each batch copy by copy.
fn copied<T: Joins, Firsts: Iterator<Item = u32>>(
    one: &[T],
    coloring: &Coloring,
    firsts: impl Fn() -> Firsts,
    moved: impl Fn(&T, u32) -> T,
) -> (Vec<T>, Coloring) {
    let of_batch = |batch: &std::ops::Range<u32>| {
        let batch = &one[batch.start as usize..batch.end as usize];
        firsts().flat_map(|first| batch.iter().map(|joint| moved(joint, first)).collect::<Vec<_>>()).collect()
    };
    Coloring::from_batches(coloring.batches().iter().map(of_batch).collect())
}

/// By which a spring along the rows yields as the weft does, and one along the columns as the warp, as springs of a grid do.
fn patch(spring: &Spring, grid: &Grid) -> Patch {
    let [a, b] = spring.particles;
    let weft_share = (spring.kind == SpringKind::Structural).then_some(if b - a == grid.columns { 0.0 } else { 1.0 });
    Patch { area_ratio: 1.0, weft_share }
}

/// Where a particle of a grid is in its pattern, from 0 to 1 across and down it.
fn place(particle: u32, grid: &Grid) -> Vec2 {
    let [column, row] = [particle % grid.columns, particle / grid.columns].map(|number| number as f32);
    Vec2::new(column / (grid.columns - 1) as f32, row / (grid.rows - 1) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GridPlane;

    #[test]
    fn each_copy_is_the_grid_moved() {
        let grid = Grid { columns: 4, rows: 3, spacing: 0.1 };
        let mut one = Cloth::from_grid(grid, GridPlane::Horizontal, 0.2, true);
        one.add_hinges();
        let offsets = [Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), Vec3::NEG_X];
        let all = one.copies(&offsets);
        assert_eq!((all.grid, all.positions.len(), all.inverse_masses.len()), (None, 36, 36));
        assert_eq!((all.springs.len(), all.patches.len()), (3 * one.springs.len(), 3 * one.springs.len()));
        assert_eq!(all.coloring.batches().len(), one.coloring.batches().len());
        assert_eq!(all.hinge_coloring.batches().len(), one.hinge_coloring.batches().len());
        for (copy, offset) in offsets.iter().enumerate() {
            let first = 12 * copy as u32;
            for (at, alone) in all.positions[12 * copy..].iter().zip(&one.positions) {
                assert_eq!(*at, *alone + offset.extend(0.0));
            }
            for (batch, alone) in all.coloring.batches().iter().zip(one.coloring.batches()) {
                let found = &all.springs[batch.start as usize + copy * alone.len()..][..alone.len()];
                for (found, alone) in found.iter().zip(&one.springs[alone.start as usize..]) {
                    let particles = alone.particles.map(|particle| first + particle);
                    assert_eq!(*found, Spring { particles, ..*alone });
                }
            }
            let triangles = one.triangles.iter().map(|corners| corners.map(|corner| first + corner));
            assert_eq!(
                all.triangles[copy * one.triangles.len()..][..one.triangles.len()],
                triangles.collect::<Vec<_>>()
            );
        }
        // The pattern covers each copy once, from its upper left corner on.
        let uvs = all.uvs.expect("places");
        assert_eq!(uvs.len(), all.triangles.len());
        for (corners, places) in all.triangles.iter().zip(&uvs) {
            for (corner, found) in corners.iter().zip(places) {
                let at = one.positions[*corner as usize % 12];
                assert!((Vec2::new(at.x / 0.3 + 0.5, at.z / 0.2) - *found).abs().max_element() < 1e-6);
            }
        }
    }
}
