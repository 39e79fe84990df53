use std::ops::Range;

use glam::{Vec3, Vec4};

use super::{Cloth, Coloring, Pattern, Spring, SpringKind};

/// A rectangle of particles, one row after the other, row 0 on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Number of particles across.
    pub columns: u32,
    /// Number of particles down.
    pub rows: u32,
    /// Distance between neighbours in a row and in a column \[m\].
    pub spacing: f32,
}

/// How a grid lies in space before it moves; y is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GridPlane {
    /// Row 0 on top at y = 0, the others below it; the front faces +z.
    Vertical,
    /// Flat at y = 0, row 0 at z = 0 and the others towards +z, about to swing down; the front faces up.
    Horizontal,
}

impl Grid {
    /// Number of particles.
    pub fn particle_count(&self) -> u64 {
        u64::from(self.columns) * u64::from(self.rows)
    }

    /// Index of the particle at `column`, `row`.
    pub fn index(&self, column: u32, row: u32) -> u32 {
        row * self.columns + column
    }

    /// Indices of the particles of `row`, left to right.
    pub fn row(&self, row: u32) -> Range<u32> {
        let first = self.index(0, row);
        first..first + self.columns
    }

    /// Index of the particle at the left end of row 0.
    pub fn top_left(&self) -> u32 {
        0
    }

    /// Index of the particle at the right end of row 0.
    pub fn top_right(&self) -> u32 {
        self.index(self.columns - 1, 0)
    }

    /// Index of the particle at the left end of the last row.
    pub fn bottom_left(&self) -> u32 {
        self.index(0, self.rows - 1)
    }

    /// Index of the particle at the right end of the last row.
    pub fn bottom_right(&self) -> u32 {
        self.index(self.columns - 1, self.rows - 1)
    }

    /// Every particle's column and row, in the order of their indices.
    fn cells(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| (column, row)))
    }

    /// The springs that go `across` columns and `down` rows, as two batches.
    ///
    /// Springs that follow one another along their direction alternate between the batches, so that none meets another
    /// of its own: even and odd columns, even and odd rows, and for the diagonals the rows again (document 002).
    fn batches(self, kind: SpringKind, across: i32, down: u32) -> [Vec<Spring>; 2] {
        let rest_length = self.spacing * (across as f32).hypot(down as f32);
        let mut batches = [Vec::new(), Vec::new()];
        for (column, row) in self.cells() {
            let end = column.checked_add_signed(across).filter(|&end| end < self.columns);
            let (Some(end), true) = (end, row + down < self.rows) else {
                continue;
            };
            let step = row.checked_div(down).unwrap_or_else(|| column / across.unsigned_abs());
            batches[step as usize % 2].push(Spring {
                particles: [self.index(column, row), self.index(end, row + down)],
                rest_length,
                kind,
            });
        }
        batches
    }
}

impl Cloth {
    /// A grid at rest with nothing pinned, every particle of mass `particle_mass` \[kg\].
    ///
    /// Structural springs along rows and columns and shear springs along both diagonals of every cell, in the 8 batches
    /// of document 002; with `bending`, springs over two cells in 4 more. Empty batches are left out, so that a grid
    /// one particle wide is a chain in two.
    ///
    /// # Panics
    ///
    /// Where the grid has more than 2^29 particles, whose springs could not be numbered in 32 bits, or where
    /// `particle_mass` or the spacing isn't positive and finite.
    pub fn from_grid(grid: Grid, plane: GridPlane, particle_mass: f32, bending: bool) -> Cloth {
        assert!(grid.particle_count() <= 1 << 29, "{grid:?} has more than 2^29 particles");
        assert!(grid.spacing.is_finite() && grid.spacing > 0.0, "{grid:?} needs a positive, finite spacing");
        assert!(
            particle_mass.is_finite() && particle_mass > 0.0,
            "a particle cannot have a mass of {particle_mass} kg"
        );

        let middle = (grid.columns as f32 - 1.0) / 2.0;
        let positions = grid.cells().map(|(column, row)| {
            let (x, drop) = ((column as f32 - middle) * grid.spacing, row as f32 * grid.spacing);
            let position = match plane {
                GridPlane::Vertical => Vec3::new(x, 0.0 - drop, 0.0),
                GridPlane::Horizontal => Vec3::new(x, 0.0, drop),
            };
            position.extend(1.0 / particle_mass)
        });

        let inner = Grid { columns: grid.columns.saturating_sub(1), rows: grid.rows.saturating_sub(1), ..grid };
        let triangles = inner.cells().flat_map(|(column, row)| {
            let [top_left, top_right] = [grid.index(column, row), grid.index(column + 1, row)];
            let [bottom_left, bottom_right] = [grid.index(column, row + 1), grid.index(column + 1, row + 1)];
            [[top_left, bottom_left, bottom_right], [top_left, bottom_right, top_right]]
        });

        let directions = [
            (SpringKind::Structural, 1, 0),
            (SpringKind::Structural, 0, 1),
            (SpringKind::Shear, 1, 1),
            (SpringKind::Shear, -1, 1),
            (SpringKind::Bending, 2, 0),
            (SpringKind::Bending, 0, 2),
        ];
        let batches = directions
            .into_iter()
            .filter(|&(kind, ..)| bending || kind != SpringKind::Bending)
            .flat_map(|(kind, across, down)| grid.batches(kind, across, down))
            .collect();
        let (springs, coloring) = Coloring::from_batches(batches);

        Cloth {
            positions: positions.collect::<Vec<Vec4>>(),
            inverse_masses: vec![1.0 / particle_mass; grid.particle_count() as usize],
            triangles: triangles.collect(),
            springs,
            coloring,
            patches: Vec::new(),
            hinges: Vec::new(),
            hinge_coloring: Coloring::default(),
            attachments: Vec::new(),
            grid: Some(grid),
            uvs: None,
            pattern: Pattern::Plain,
        }
    }

    /// Holds `particles` where they are, by giving them an inverse mass of 0.
    ///
    /// # Panics
    ///
    /// Where an index isn't below the number of particles.
    pub fn pin(&mut self, particles: impl IntoIterator<Item = u32>) {
        for particle in particles {
            self.positions[particle as usize].w = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch_sizes(cloth: &Cloth) -> Vec<usize> {
        cloth.coloring.batches().iter().map(ExactSizeIterator::len).collect()
    }

    fn grid(columns: u32, rows: u32) -> Grid {
        Grid { columns, rows, spacing: 0.5 }
    }

    /// Document 002: "39,402 distance constraints", "8 phases".
    #[test]
    fn the_grid_of_document_002_has_its_constraints_and_phases() {
        let cloth = Cloth::from_grid(grid(100, 100), GridPlane::Vertical, 1.0, false);
        assert_eq!(cloth.positions.len(), 10_000);
        assert_eq!(cloth.triangles.len(), 2 * 99 * 99);
        assert_eq!(cloth.springs.len(), 39_402);
        assert_eq!(batch_sizes(&cloth), [5000, 4900, 5000, 4900, 4950, 4851, 4950, 4851]);
    }

    #[test]
    fn bending_adds_springs_over_two_cells_in_four_batches() {
        let cloth = Cloth::from_grid(grid(100, 100), GridPlane::Vertical, 1.0, true);
        assert_eq!(cloth.springs.len(), 39_402 + 2 * 98 * 100);
        assert_eq!(batch_sizes(&cloth)[8..], [5000, 4800, 5000, 4800]);
    }

    #[test]
    fn every_spring_is_as_long_as_it_wants_to_be() {
        for plane in [GridPlane::Vertical, GridPlane::Horizontal] {
            let cloth = Cloth::from_grid(grid(7, 4), plane, 1.0, true);
            for spring in &cloth.springs {
                let [a, b] = spring.particles.map(|particle| cloth.positions[particle as usize]);
                assert!((a.distance(b) - spring.rest_length).abs() < 1e-6, "{spring:?}");
            }
        }
    }

    #[test]
    fn particles_lie_where_the_plane_says() {
        let vertical = Cloth::from_grid(grid(3, 2), GridPlane::Vertical, 4.0, false);
        assert_eq!(vertical.positions[0], Vec4::new(-0.5, 0.0, 0.0, 0.25));
        assert_eq!(vertical.positions[5], Vec4::new(0.5, -0.5, 0.0, 0.25));
        let horizontal = Cloth::from_grid(grid(3, 2), GridPlane::Horizontal, 4.0, false);
        assert_eq!(horizontal.positions[5], Vec4::new(0.5, 0.0, 0.5, 0.25));
    }

    #[test]
    fn triangles_face_the_front() {
        for (plane, front) in [(GridPlane::Vertical, Vec3::Z), (GridPlane::Horizontal, Vec3::Y)] {
            let cloth = Cloth::from_grid(grid(3, 3), plane, 1.0, false);
            assert_eq!(cloth.triangles.len(), 8);
            for triangle in &cloth.triangles {
                let [a, b, c] = triangle.map(|index| cloth.positions[index as usize].truncate());
                assert_eq!((b - a).cross(c - a).normalize(), front);
            }
        }
    }

    #[test]
    fn narrow_grids_drop_empty_batches() {
        let chain = Cloth::from_grid(grid(1, 5), GridPlane::Vertical, 1.0, false);
        assert_eq!(batch_sizes(&chain), [2, 2]);
        assert!(chain.triangles.is_empty());
        let nothing = Cloth::from_grid(grid(0, 5), GridPlane::Vertical, 1.0, true);
        assert!(nothing.positions.is_empty() && nothing.springs.is_empty());
    }

    #[test]
    fn particles_are_counted_without_overflow() {
        assert_eq!(grid(u32::MAX, u32::MAX).particle_count(), u64::from(u32::MAX).pow(2));
    }

    #[test]
    fn corners_and_rows_can_be_pinned() {
        let grid = grid(4, 3);
        let corners = [grid.top_left(), grid.top_right(), grid.bottom_left(), grid.bottom_right()];
        assert_eq!(corners, [0, 3, 8, 11]);
        let mut cloth = Cloth::from_grid(grid, GridPlane::Vertical, 1.0, false);
        cloth.pin(grid.row(1));
        assert!((0..12).all(|index| (cloth.positions[index].w == 0.0) == (4..8).contains(&index)));
    }
}
