//! Heights from PNG images.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

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

/// Why an image gives no heights.
#[derive(Debug, thiserror::Error)]
pub enum HeightsError {
    /// The file can't be read.
    #[error("{} cannot be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The file is no PNG image, or a damaged one.
    #[error("{} is no PNG image that can be read: {reason}", path.display())]
    Png {
        /// The file.
        path: PathBuf,
        /// What the decoder says.
        reason: png::DecodingError,
    },
    /// The image has colours, or fewer bits than heights need.
    #[error("{} has pixels of kind {found}; save it in grey of 8 or 16 bits, without alpha", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What its pixels are.
        found: String,
    },
    /// The image has too few or too many pixels.
    #[error("{} has {columns} x {rows} pixels; give an image with 2 to {MOST_HEIGHT_ROWS} each way", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Pixels across.
        columns: u32,
        /// Pixels down.
        rows: u32,
    },
}

/// Reads a grey PNG image of 8 or 16 bits: black is 0 and white is 1, as the numbers in the file have it.
///
/// # Errors
/// Names the file and what is wrong with it.
pub fn read_heights(path: &Path) -> Result<HeightSamples, HeightsError> {
    let file = File::open(path).map_err(|reason| HeightsError::File { path: path.into(), reason })?;
    let of_png = |reason| HeightsError::Png { path: path.into(), reason };
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().map_err(of_png)?;
    let (columns, rows) = reader.info().size();
    if [columns, rows].iter().any(|size| !(2..=MOST_HEIGHT_ROWS).contains(size)) {
        return Err(HeightsError::Size { path: path.into(), columns, rows });
    }
    let bytes_a_pixel = match reader.info() {
        png::Info { color_type: png::ColorType::Grayscale, bit_depth: png::BitDepth::Eight, .. } => 1,
        png::Info { color_type: png::ColorType::Grayscale, bit_depth: png::BitDepth::Sixteen, .. } => 2,
        other => {
            let found = format!("{:?} of {} bits", other.color_type, other.bit_depth as u8);
            return Err(HeightsError::Kind { path: path.into(), found });
        }
    };
    let mut bytes = vec![0; bytes_a_pixel * columns as usize * rows as usize];
    reader.next_frame(&mut bytes).map_err(of_png)?;
    let values = match bytes_a_pixel {
        1 => bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect(),
        _ => bytes.chunks_exact(2).map(|pair| f32::from(u16::from_be_bytes([pair[0], pair[1]])) / 65535.0).collect(),
    };
    Ok(HeightSamples { columns, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(color: png::ColorType, depth: png::BitDepth, size: [u32; 2], bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut encoder = png::Encoder::new(file.reopen().unwrap(), size[0], size[1]);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        file
    }

    #[test]
    fn grey_is_read_from_black_to_white() {
        let file = written(png::ColorType::Grayscale, png::BitDepth::Eight, [3, 2], &[0, 51, 255, 255, 0, 102]);
        let read = read_heights(file.path()).unwrap();
        assert_eq!(read, HeightSamples { columns: 3, values: vec![0.0, 0.2, 1.0, 1.0, 0.0, 0.4] });
        let bytes = [0x00, 0x00, 0xff, 0xff, 0x33, 0x33, 0x00, 0x01];
        let file = written(png::ColorType::Grayscale, png::BitDepth::Sixteen, [2, 2], &bytes);
        assert_eq!(read_heights(file.path()).unwrap().values, [0.0, 1.0, 0.2, 1.0 / 65535.0]);
    }

    #[test]
    fn what_gives_no_heights_is_named() {
        let said = |path: &Path| {
            let error = read_heights(path).unwrap_err().to_string();
            error.replace(path.to_str().unwrap(), "*")
        };
        let color = written(png::ColorType::Rgb, png::BitDepth::Eight, [2, 2], &[0; 12]);
        let kind = "* has pixels of kind Rgb of 8 bits; save it in grey of 8 or 16 bits, without alpha";
        assert_eq!(said(color.path()), kind);
        let row = written(png::ColorType::Grayscale, png::BitDepth::Eight, [5, 1], &[0; 5]);
        assert_eq!(said(row.path()), "* has 5 x 1 pixels; give an image with 2 to 2048 each way");
        std::fs::write(row.path(), "no image").unwrap();
        assert!(said(row.path()).starts_with("* is no PNG image that can be read: "));
        assert!(said(Path::new("nowhere.png")).starts_with("* cannot be read: "));
    }
}
