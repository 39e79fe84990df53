//! Heights from PNG images.

use std::path::Path;

use png::{BitDepth, ColorType, Transformations};

use super::image::{ImageError, PngImage};

/// Most rows and columns of an image of heights.
pub const MOST_HEIGHT_ROWS: u32 = 2048;

/// Numbers at the nodes of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightSamples {
    /// Numbers in a row.
    pub columns: u32,
    /// Row by row. Shape \[rows * columns\].
    pub values: Vec<f32>,
}

/// Reads a grey PNG image of 8 or 16 bits: black is 0 and white is 1, as the numbers in the file have it.
///
/// # Errors
/// Names the file and what is wrong with it.
pub fn read_heights(path: &Path) -> Result<HeightSamples, ImageError> {
    let image = PngImage::open(path, 2..=MOST_HEIGHT_ROWS, Transformations::IDENTITY)?;
    let [columns, _] = image.extent();
    let values = match image.kind() {
        (ColorType::Grayscale, BitDepth::Eight) => {
            image.bytes()?.into_iter().map(|byte| f32::from(byte) / 255.0).collect()
        }
        (ColorType::Grayscale, BitDepth::Sixteen) => {
            let pair = |pair: &[u8]| f32::from(u16::from_be_bytes([pair[0], pair[1]])) / 65535.0;
            image.bytes()?.chunks_exact(2).map(pair).collect()
        }
        (color, depth) => {
            let found = format!("{color:?} of {} bits", depth as u8);
            return Err(ImageError::Kind { path: path.into(), found });
        }
    };
    Ok(HeightSamples { columns, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(color: ColorType, depth: BitDepth, size: [u32; 2], bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut encoder = png::Encoder::new(file.reopen().unwrap(), size[0], size[1]);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        file
    }

    #[test]
    fn grey_is_read_from_black_to_white() {
        let file = written(ColorType::Grayscale, BitDepth::Eight, [3, 2], &[0, 51, 255, 255, 0, 102]);
        let read = read_heights(file.path()).unwrap();
        assert_eq!(read, HeightSamples { columns: 3, values: vec![0.0, 0.2, 1.0, 1.0, 0.0, 0.4] });
        let bytes = [0x00, 0x00, 0xff, 0xff, 0x33, 0x33, 0x00, 0x01];
        let file = written(ColorType::Grayscale, BitDepth::Sixteen, [2, 2], &bytes);
        assert_eq!(read_heights(file.path()).unwrap().values, [0.0, 1.0, 0.2, 1.0 / 65535.0]);
    }

    #[test]
    fn what_gives_no_heights_is_named() {
        let said = |path: &Path| {
            let error = read_heights(path).unwrap_err().to_string();
            error.replace(path.to_str().unwrap(), "*")
        };
        let color = written(ColorType::Rgb, BitDepth::Eight, [2, 2], &[0; 12]);
        let kind = "* has pixels of kind Rgb of 8 bits; save it in grey of 8 or 16 bits, without alpha";
        assert_eq!(said(color.path()), kind);
        let row = written(ColorType::Grayscale, BitDepth::Eight, [5, 1], &[0; 5]);
        assert_eq!(said(row.path()), "* has 5 x 1 pixels; give an image with 2 to 2048 each way");
        std::fs::write(row.path(), "no image").unwrap();
        assert!(said(row.path()).starts_with("* is no PNG image that can be read: "));
        assert!(said(Path::new("nowhere.png")).starts_with("* cannot be read: "));
    }
}
