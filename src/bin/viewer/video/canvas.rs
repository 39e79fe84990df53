//! What pictures are drawn into that are read back while frames go on.

use anyhow::{Result, bail};
use tautline::engine::{Device, Image, ImageKind, Recorder, Staging, vk};
use tautline::render::{Camera, Picture, View, ViewTargets};
use tautline::solver::Simulation;

/// An image with its targets, apart from those of the window: not every device can copy what a window shows.
pub struct Canvas {
    targets: ViewTargets,
    image: Image,
    layout: Layout,
}

/// How the bytes of a picture lie in memory.
#[derive(Clone, Copy)]
pub struct Layout {
    extent: [u32; 2],
    blue_first: bool,
}

impl Canvas {
    /// For pictures of `extent` by views that draw in `format`.
    pub fn new(device: &Device, extent: [u32; 2], format: vk::Format) -> Result<Self> {
        let blue_first = match format {
            vk::Format::R8G8B8A8_SRGB | vk::Format::R8G8B8A8_UNORM => false,
            vk::Format::B8G8R8A8_SRGB | vk::Format::B8G8R8A8_UNORM => true,
            _ => bail!("the window has the format {format:?}, of which no pictures can be taken"),
        };
        let kind = ImageKind::Color { format, samples: 1 };
        Ok(Self {
            targets: ViewTargets::new(device, extent, format)?,
            image: Image::new(device, "canvas.image", kind, extent)?,
            layout: Layout { extent, blue_first },
        })
    }

    /// Memory that a picture is read back into.
    pub fn staging(&self, device: &Device) -> Result<Staging> {
        Ok(Staging::readback(device, "canvas.image", self.image.byte_size())?)
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Records a picture, which is in `staging` once the recording is done.
    pub fn draw(
        &self,
        recorder: &mut Recorder<'_>,
        view: &View,
        simulation: &Simulation,
        alpha: f32,
        camera: &Camera,
        staging: &Staging,
    ) -> Result<()> {
        // Pictures have no panel that could cover them.
        let camera = Camera { covered: 0.0, ..*camera };
        view.record(recorder, simulation, alpha, &camera, &self.targets, &self.image)?;
        Ok(recorder.download_image(&self.image, staging)?)
    }
}

impl Layout {
    /// Waits for the recording that reads back into `staging`, and returns its picture.
    pub fn read(self, staging: &Staging) -> Result<Picture> {
        let mut rgba: Vec<u8> = staging.read()?;
        if self.blue_first {
            rgba.chunks_exact_mut(4).for_each(|texel| texel.swap(0, 2));
        }
        Ok(Picture { extent: self.extent, rgba })
    }
}
