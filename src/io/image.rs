//! PNG images in, whatever they are for.

use std::fs::File;
use std::io::{self, BufReader};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Why an image cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
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
    /// The image has colours, or fewer bits than it needs.
    #[error("{} has pixels of kind {found}; save it in grey of 8 or 16 bits, without alpha", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What its pixels are.
        found: String,
    },
    /// The image has too few or too many pixels.
    #[error(
        "{} has {columns} x {rows} pixels; give an image with {} to {} each way",
        path.display(), sides.start(), sides.end()
    )]
    Size {
        /// The file.
        path: PathBuf,
        /// Pixels across.
        columns: u32,
        /// Pixels down.
        rows: u32,
        /// How many there may be each way.
        sides: RangeInclusive<u32>,
    },
}

/// A PNG image of which the header has been read.
pub(super) struct PngImage<'a> {
    path: &'a Path,
    reader: png::Reader<BufReader<File>>,
}

impl<'a> PngImage<'a> {
    /// Opens an image that has so many pixels each way, and whose pixels become what `transformations` make of them.
    pub(super) fn open(
        path: &'a Path,
        sides: RangeInclusive<u32>,
        transformations: png::Transformations,
    ) -> Result<Self, ImageError> {
        let file = File::open(path).map_err(|reason| ImageError::File { path: path.into(), reason })?;
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder.set_transformations(transformations);
        let reader = decoder.read_info().map_err(|reason| ImageError::Png { path: path.into(), reason })?;
        let (columns, rows) = reader.info().size();
        if [columns, rows].iter().any(|side| !sides.contains(side)) {
            return Err(ImageError::Size { path: path.into(), columns, rows, sides });
        }
        Ok(Self { path, reader })
    }

    /// Width and height.
    pub(super) fn extent(&self) -> [u32; 2] {
        self.reader.info().size().into()
    }

    /// What its pixels become, and of how many bits.
    pub(super) fn kind(&self) -> (png::ColorType, png::BitDepth) {
        self.reader.output_color_type()
    }

    /// All pixels, row by row from the top.
    pub(super) fn bytes(mut self) -> Result<Vec<u8>, ImageError> {
        let (color, depth) = self.kind();
        let [columns, rows] = self.extent().map(|side| side as usize);
        let row_bits = columns * color.samples() * depth as usize;
        let mut bytes = vec![0; row_bits.div_ceil(8) * rows];
        let frame = self.reader.next_frame(&mut bytes);
        frame.map_err(|reason| ImageError::Png { path: self.path.into(), reason })?;
        Ok(bytes)
    }
}
