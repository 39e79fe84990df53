//! Textures from PNG images.

use std::path::Path;

use png::{ColorType, Transformations};

use super::image::{ImageError, PngImage};
use crate::model::TextureImage;

/// Most pixels of a texture each way; a device may take fewer.
pub const MOST_TEXTURE_SIDE: u32 = 16_384;

/// Reads a PNG image of any kind as 8-bit sRGB with alpha.
///
/// # Errors
/// Names the file and what is wrong with it.
pub fn read_texture(path: &Path) -> Result<TextureImage, ImageError> {
    let transformations = Transformations::ALPHA | Transformations::STRIP_16;
    let image = PngImage::open(path, 1..=MOST_TEXTURE_SIDE, transformations)?;
    let (extent, (color, _)) = (image.extent(), image.kind());
    let bytes = image.bytes()?;
    // With alpha, pixels are either grey or coloured.
    let texels = match color {
        ColorType::GrayscaleAlpha => {
            bytes.chunks_exact(2).map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect()
        }
        _ => bytes.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2], pixel[3]]).collect(),
    };
    Ok(TextureImage { extent, texels })
}

#[cfg(test)]
mod tests {
    use png::BitDepth;

    use super::*;

    fn read(color: ColorType, depth: BitDepth, palette: bool, bytes: &[u8]) -> Vec<[u8; 4]> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut encoder = png::Encoder::new(file.reopen().unwrap(), 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if palette {
            encoder.set_palette(vec![1, 2, 3, 250, 100, 50]);
            encoder.set_trns(vec![255, 7]);
        }
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        let image = read_texture(file.path()).unwrap();
        assert_eq!(image.extent, [2, 1]);
        image.texels
    }

    #[test]
    fn every_kind_of_pixel_becomes_red_green_blue_and_alpha() {
        use BitDepth::{Eight, One, Sixteen};
        let opaque = [[1, 2, 3, 255], [250, 100, 50, 255]];
        assert_eq!(read(ColorType::Rgb, Eight, false, &[1, 2, 3, 250, 100, 50]), opaque);
        assert_eq!(read(ColorType::Rgb, Sixteen, false, &[1, 9, 2, 9, 3, 9, 250, 9, 100, 9, 50, 9]), opaque);
        let glass = [[1, 2, 3, 4], [250, 100, 50, 0]];
        assert_eq!(read(ColorType::Rgba, Eight, false, &glass.concat()), glass);
        assert_eq!(read(ColorType::Grayscale, One, false, &[0b0100_0000]), [[0, 0, 0, 255], [255; 4]]);
        assert_eq!(read(ColorType::Grayscale, Sixteen, false, &[7, 0, 200, 0]), [[7, 7, 7, 255], [200, 200, 200, 255]]);
        assert_eq!(read(ColorType::GrayscaleAlpha, Eight, false, &[7, 8, 9, 10]), [[7, 7, 7, 8], [9, 9, 9, 10]]);
        assert_eq!(read(ColorType::Indexed, One, true, &[0b0100_0000]), [[1, 2, 3, 255], [250, 100, 50, 7]]);
    }

    #[test]
    fn what_is_no_image_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "no image").unwrap();
        let said = read_texture(file.path()).unwrap_err().to_string();
        assert!(said.contains("is no PNG image that can be read: "), "{said}");
        let mut encoder = png::Encoder::new(file.reopen().unwrap(), MOST_TEXTURE_SIDE + 1, 1);
        encoder.set_color(ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&vec![0; MOST_TEXTURE_SIDE as usize + 1]).unwrap();
        let said = read_texture(file.path()).unwrap_err().to_string();
        assert!(said.ends_with("has 16385 x 1 pixels; give an image with 1 to 16384 each way"), "{said}");
    }
}
