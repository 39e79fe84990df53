//! Pictures without a window.

use std::io::{self, Write};
use std::path::Path;

use super::camera::Camera;
use super::stage::ViewTargets;
use super::view::View;
use crate::engine::{self, COLOR_FORMAT, Device, Frames, Image, ImageKind, Staging};
use crate::io::WriteError;
use crate::io::write_atomically;
use crate::solver::Simulation;

/// An image in the computer's memory, 8-bit sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height \[pixels\].
    pub extent: [u32; 2],
    /// Red, green, blue and alpha of each pixel, row by row from the top. Shape \[width * height * 4\].
    pub rgba: Vec<u8>,
}

impl Picture {
    /// Draws `simulation` as it is now.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn draw(
        device: &Device,
        view: &View,
        simulation: &Simulation,
        camera: &Camera,
        extent: [u32; 2],
    ) -> engine::Result<Self> {
        let targets = ViewTargets::new(device, extent, COLOR_FORMAT)?;
        let kind = ImageKind::Color { format: COLOR_FORMAT, samples: 1 };
        let image = Image::new(device, "picture.image", kind, extent)?;
        let staging = Staging::readback(device, "picture.image", image.byte_size())?;
        Frames::run_once(device, |recorder| {
            view.record(recorder, simulation, 1.0, camera, &targets, &image)?;
            recorder.download_image(&image, &staging)
        })?;
        Ok(Self { extent, rgba: staging.read()? })
    }

    /// Writes a PNG file, whole or not at all.
    ///
    /// # Errors
    /// [`WriteError`] with the path.
    pub fn write_png(&self, path: &Path) -> Result<(), WriteError> {
        write_atomically(path, |file| self.encode_png(file))
    }

    /// Writes the bytes of a PNG file.
    ///
    /// # Errors
    /// What `file` reports.
    pub fn encode_png(&self, file: &mut impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(&mut *file, self.extent[0], self.extent[1]);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgba)?;
        writer.finish()?;
        file.flush()
    }
}
