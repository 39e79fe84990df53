//! Terrains: heights on a regular grid.

use std::sync::Arc;

use glam::{UVec2, Vec2};

/// Heights at the nodes of a grid around the origin of x and z, with two flat triangles a cell: each cell's diagonal goes
/// from its corner of least x and z to the one of greatest. It is solid below, and ends at its border in walls straight
/// down.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    sides: Vec2,
    grid_size: UVec2,
    heights: Arc<[f32]>,
}

impl HeightField {
    /// A field of `sides` along x and z \[m\] with `columns` nodes along x, from its heights \[m\], row by row: rows follow
    /// each other along z. `None` where there are fewer than 2 columns or rows, the last row is not full, a height is not
    /// finite, or a side is not positive.
    #[must_use]
    pub fn new(sides: Vec2, columns: u32, heights: Vec<f32>) -> Option<Self> {
        let rows = u32::try_from(heights.len() / columns.max(1) as usize).ok()?;
        let is_grid = columns >= 2 && rows >= 2 && heights.len().is_multiple_of(columns as usize);
        let is_sound =
            heights.iter().all(|height| height.is_finite()) && sides.is_finite() && sides.min_element() > 0.0;
        (is_grid && is_sound).then(|| Self { sides, grid_size: UVec2::new(columns, rows), heights: heights.into() })
    }

    /// Its extent along x and z \[m\].
    #[must_use]
    pub fn sides(&self) -> Vec2 {
        self.sides
    }

    /// Columns and rows.
    #[must_use]
    pub fn grid_size(&self) -> UVec2 {
        self.grid_size
    }

    /// Heights of the nodes \[m\], row by row. Shape \[rows * columns\].
    #[must_use]
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// The greatest of the heights \[m\].
    #[must_use]
    pub fn highest(&self) -> f32 {
        self.heights.iter().copied().fold(f32::NEG_INFINITY, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_full_grid_of_numbers() {
        let field = |columns, heights: &[f32]| HeightField::new(Vec2::new(1.0, 2.0), columns, heights.to_vec());
        let sound = field(2, &[0.0, 1.0, 5.0, 3.0, -1.0, 2.0]).unwrap();
        assert_eq!((sound.grid_size(), sound.highest()), (UVec2::new(2, 3), 5.0));
        for (columns, heights) in [(0, &[0.0; 4][..]), (1, &[0.0; 4]), (4, &[0.0; 4]), (2, &[0.0; 5]), (2, &[])] {
            assert_eq!(field(columns, heights), None, "{columns} columns, {} heights", heights.len());
        }
        assert_eq!(field(2, &[0.0, 0.0, f32::NAN, 0.0]), None);
        assert_eq!(HeightField::new(Vec2::new(1.0, 0.0), 2, vec![0.0; 4]), None);
    }
}
