//! Copies between images and buffers.

use ash::vk;

use super::buffer::{Buffer, Staging};
use super::error::{Error, Result};
use super::hazard::ResourceId;
use super::image::{Image, ImageKind};
use super::recorder::Recorder;

impl Recorder<'_> {
    /// Copies the contents of an image, row by row, into memory that the CPU can read once this recording is done.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where `target` is smaller than the image, [`Error::Binding`] where the image cannot be
    /// copied: depth, several samples a pixel, or a swapchain's.
    pub fn download_image(&mut self, source: &Image, target: &Staging) -> Result<()> {
        self.keep_alive(target);
        self.copy_out("download image", source, (target.raw(), target.id()), target.size())?;
        self.host_will_read(target);
        Ok(())
    }

    /// As [`Recorder::download_image`], into a buffer on the device.
    ///
    /// # Errors
    /// As [`Recorder::download_image`].
    pub fn copy_image(&mut self, source: &Image, target: &Buffer) -> Result<()> {
        self.keep_alive(target);
        self.copy_out("copy image", source, (target.raw(), target.id()), target.size())
    }

    /// Copies an image into a buffer of `size` bytes, which the recorder keeps alive.
    fn copy_out(
        &mut self,
        name: &str,
        source: &Image,
        (target, target_id): (vk::Buffer, ResourceId),
        size: u64,
    ) -> Result<()> {
        let copies = matches!(source.kind(), ImageKind::Storage | ImageKind::Color { samples: 1, .. });
        if !copies || !source.is_owned() {
            return Err(Error::binding(name, format!("{source:?} cannot be copied")));
        }
        if source.byte_size() > size {
            return Err(source.size_mismatch(size));
        }
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let stages = vk::PipelineStageFlags2::ALL_TRANSFER;
        let image_use = source.used(stages, vk::AccessFlags2::TRANSFER_READ, layout);
        self.keep_alive(source);
        self.transfer(name, &[], &[target_id], &[image_use], |device, commands| {
            let regions = source.copy_regions([0, 0], source.extent());
            // SAFETY: both are kept alive by the recorder, the image is in this layout and the buffer is large enough.
            unsafe { device.cmd_copy_image_to_buffer(commands, source.raw(), layout, target, &regions) };
        });
        Ok(())
    }

    pub(super) fn upload_image(
        &mut self,
        source: &Buffer,
        target: &Image,
        corner: [u32; 2],
        extent: [u32; 2],
    ) -> Result<()> {
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        let stages = vk::PipelineStageFlags2::ALL_TRANSFER;
        let mut image_use = target.used(stages, vk::AccessFlags2::TRANSFER_WRITE, layout);
        // Where all of the image is written, what it held need not be kept; a fresh one has no layout to keep it in.
        if extent == target.extent()
            && let Some(image) = &mut image_use.image
        {
            image.home = vk::ImageLayout::UNDEFINED;
        }
        self.keep_alive(source);
        self.keep_alive(target);
        self.transfer("upload image", &[source.id()], &[], &[image_use], |device, commands| {
            let regions = target.copy_regions(corner, extent);
            // SAFETY: both are kept alive by the recorder, the image is in this layout, and the caller saw that the regions
            // are within it and together as large as the buffer.
            unsafe { device.cmd_copy_buffer_to_image(commands, source.raw(), target.raw(), layout, &regions) };
        });
        let settled = vk::PipelineStageFlags2::ALL_COMMANDS;
        self.order("settle", &[target.used(settled, vk::AccessFlags2::MEMORY_READ, target.home_use().home)]);
        Ok(())
    }
}
