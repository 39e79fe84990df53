//! What is printed on a cloth.

use std::sync::Arc;

/// What is printed on a cloth, on both of its sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Pattern {
    /// Stripes on a grid, nothing on a mesh.
    #[default]
    Plain,
    /// So many squares each way across the unit square of the texture coordinates, in two colours by turns.
    Checker(u32),
    /// An image, repeated beyond the unit square.
    Image(Arc<TextureImage>),
}

/// An image to be printed, 8-bit sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureImage {
    /// Width and height \[texels\], at least 1 each.
    pub extent: [u32; 2],
    /// Red, green, blue and alpha of each texel, row by row from the top. Shape \[width * height\].
    pub texels: Vec<[u8; 4]>,
}
