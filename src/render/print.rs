//! What is printed on a cloth, on the device.

use glam::Vec2;

use super::colors::{light_of, srgb_of};
use crate::engine::{self, Device, Image, ImageKind};
use crate::model::{Body, Pattern, TextureImage};

/// The pattern of one cloth.
pub(super) struct Print {
    /// As [`ViewParameters::pattern`](crate::layout::ViewParameters::pattern) numbers it.
    pub(super) kind: u32,
    /// Squares of a checkerboard each way.
    pub(super) squares: f32,
    /// Size of a grid across and down \[m\]; 1 m where there is none.
    pub(super) cloth_size: Vec2,
    /// One white texel where there is no image.
    pub(super) texture: Image,
}

impl Print {
    /// Puts what is printed on a body on the device.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the device has no images as large, or what else the engine reports.
    pub(super) fn new(device: &Device, body: &Body) -> engine::Result<Self> {
        let (grid, pattern) = match body {
            Body::Cloth(cloth) => (cloth.grid, &cloth.pattern),
            Body::Ropes(_) => (None, &Pattern::Plain),
        };
        let white = TextureImage { extent: [1, 1], texels: vec![[255; 4]] };
        let (kind, squares, image) = match pattern {
            Pattern::Plain => (grid.is_some().into(), 0, &white),
            Pattern::Checker(squares) => (2, *squares, &white),
            Pattern::Image(image) => (3, 0, &**image),
        };
        let texture = Image::new(device, "view.texture", ImageKind::Mipmapped, image.extent)?;
        texture.write(&with_levels(image))?;
        let sides = grid.map(|grid| grid.spacing * Vec2::new(grid.columns as f32 - 1.0, grid.rows as f32 - 1.0));
        // A chain has no height, and no triangles either.
        let cloth_size = sides.map_or(Vec2::ONE, |sides| sides.max(Vec2::splat(f32::MIN_POSITIVE)));
        Ok(Self { kind, squares: squares as f32, cloth_size, texture })
    }
}

/// The texels of an image and of all its levels, each half as large as the one before: the mean light of two by two texels.
fn with_levels(image: &TextureImage) -> Vec<[u8; 4]> {
    let light: Vec<f32> = (0..=255).map(light_of).collect();
    let mut all = image.texels.clone();
    let (mut start, mut extent) = (0, image.extent.map(|side| side as usize));
    while extent != [1, 1] {
        let [width, height] = extent;
        let next = extent.map(|side| (side / 2).max(1));
        for y in 0..next[1] {
            for x in 0..next[0] {
                let (right, below) = ((2 * x + 1).min(width - 1), (2 * y + 1).min(height - 1));
                let places = [(2 * x, 2 * y), (right, 2 * y), (2 * x, below), (right, below)];
                let four = places.map(|(x, y)| all[start + y * width + x]);
                all.push(mean(four, &light));
            }
        }
        start += width * height;
        extent = next;
    }
    all
}

/// The mean of four texels, in which those count more that hide more of what is behind them.
fn mean(four: [[u8; 4]; 4], light: &[f32]) -> [u8; 4] {
    let total: f32 = four.iter().map(|texel| f32::from(texel[3])).sum();
    // Where all are clear, their colours count alike.
    let weight = |texel: &[u8; 4]| if total > 0.0 { f32::from(texel[3]) / total } else { 0.25 };
    let color =
        |channel: usize| srgb_of(four.iter().map(|texel| weight(texel) * light[usize::from(texel[channel])]).sum());
    [color(0), color(1), color(2), (total / 4.0).round() as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_halve_down_to_one_texel_and_keep_the_light() {
        let (black, white) = ([0, 0, 0, 255], [255; 4]);
        let texels = [[black, white, black, white, white], [white, black, white, black, white]].concat();
        let levels = with_levels(&TextureImage { extent: [5, 2], texels: texels.clone() });
        // 5 x 2, 2 x 1, 1 x 1; half of all light is the sRGB value 188.
        assert_eq!(levels[..10], texels);
        assert_eq!(levels[10..], [[188, 188, 188, 255]; 3]);
    }

    #[test]
    fn clear_texels_have_no_colour_to_give() {
        let texels = vec![[255, 0, 0, 255], [0, 255, 0, 0], [255, 0, 0, 255], [0, 255, 0, 0]];
        assert_eq!(with_levels(&TextureImage { extent: [2, 2], texels })[4], [255, 0, 0, 128]);
        let clear = vec![[10, 20, 30, 0]; 2];
        assert_eq!(with_levels(&TextureImage { extent: [1, 2], texels: clear })[2], [10, 20, 30, 0]);
    }
}
