//! Images on the device: storage images, and targets that passes draw into.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ash::vk;
use bytemuck::Pod;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::Allocation;

use super::buffer::{Buffer, Staging, allocate};
use super::device::Device;
use super::error::{Call, Error, Result};
use super::frames::Frames;
use super::hazard::{ImageUse, ResourceId, Use};
use super::instance::lock;
use super::recorder::Owned;
use super::sampler::sampler;

/// What an image is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// `imageLoad` and `imageStore`, four 32-bit floats a texel; its contents are kept.
    Storage,
    /// Drawn into; its contents last for one recording.
    Color {
        /// Format, one of 4 bytes a texel: [`COLOR_FORMAT`], or what a swapchain has.
        format: vk::Format,
        /// Samples a pixel.
        samples: u32,
    },
    /// Depth of what is drawn, 32-bit float; its contents last for one recording, in which they can also be sampled.
    Depth {
        /// Samples a pixel.
        samples: u32,
    },
    /// Sampled by shaders, which interpolate between its texels; 8 bits each of red, green, blue and alpha, as they are.
    /// Its contents are kept.
    Texture,
    /// A texture of 8-bit sRGB and alpha that is also seen small: it comes with levels, each half as large as the one before, down
    /// to one texel, and repeats beyond its edges. Its contents are kept.
    Mipmapped,
}

impl ImageKind {
    /// Whether contents are kept from one recording to the next.
    fn is_kept(self) -> bool {
        matches!(self, Self::Storage | Self::Texture | Self::Mipmapped)
    }
}

/// Format of pictures, 8-bit sRGB.
pub const COLOR_FORMAT: vk::Format = vk::Format::R8G8B8A8_SRGB;
/// Format of depth targets.
pub const DEPTH_FORMAT: vk::Format = vk::Format::D32_SFLOAT;

/// An image in the device's memory. Cheap to clone, kept alive like a [`Buffer`].
#[derive(Clone)]
pub struct Image {
    shared: Arc<RawImage>,
}

impl Image {
    /// An image of `extent` (width, height), at least one texel each way. Contents that are kept start as zero.
    ///
    /// # Errors
    /// [`Error::OverLimit`] where the device has no images as large, [`Error::DeviceLacks`] where it has none of this
    /// kind, [`Error::OutOfMemory`], or what Vulkan reports.
    pub fn new(device: &Device, name: &str, kind: ImageKind, extent: [u32; 2]) -> Result<Self> {
        let limit = ("maxImageDimension2D", u64::from(device.limits().max_image_dimension2_d));
        for size in extent {
            Device::check_limit(format_args!("the image '{name}'"), size.into(), "pixels", limit)?;
        }
        check_kind(device, kind)?;
        let image = Self { shared: Arc::new(RawImage::new(device, name, kind, extent)?) };
        if kind.is_kept() {
            image.initialise()?;
        }
        Ok(image)
    }

    /// Wraps an image that a swapchain owns, which lives as long.
    #[cfg(feature = "viewer")]
    pub(super) fn of_swapchain(
        device: &Device,
        name: String,
        swapchain: Arc<dyn Any + Send + Sync>,
        raw: vk::Image,
        view: vk::ImageView,
        extent: [u32; 2],
        format: vk::Format,
    ) -> Self {
        let shared = RawImage {
            id: ResourceId::next(),
            name,
            kind: ImageKind::Color { format, samples: 1 },
            format,
            extent,
            raw,
            view,
            sampler: vk::Sampler::null(),
            owned: false,
            _swapchain: Some(swapchain),
            allocation: None,
            device: device.clone(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Brings a fresh image into the layout that it keeps, filled with zeros.
    fn initialise(&self) -> Result<()> {
        self.write(&vec![0_u8; self.byte_size() as usize])
    }

    /// Replaces the contents of a storage image or a texture, row by row, and waits until that is done; all levels of one, the
    /// largest first.
    ///
    /// # Errors
    /// As [`Image::write_part`].
    pub fn write<T: Pod>(&self, texels: &[T]) -> Result<()> {
        self.write_part([0, 0], self.extent(), texels)
    }

    /// Replaces a rectangle of a storage image or a texture, row by row from its upper left `corner`, and waits until that
    /// is done.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where `texels` are not as many as the rectangle has, [`Error::Binding`] where the rectangle
    /// is not within the image, is not all of one with levels, or the image is of another kind, or what Vulkan reports.
    pub fn write_part<T: Pod>(&self, corner: [u32; 2], extent: [u32; 2], texels: &[T]) -> Result<()> {
        if !self.kind().is_kept() {
            return Err(Error::binding("upload image", format!("{self:?} is no storage image and no texture")));
        }
        let fits = |axis: usize| {
            let end = u64::from(corner[axis]) + u64::from(extent[axis]);
            extent[axis] > 0 && end <= u64::from(self.extent()[axis])
        };
        let is_all = corner == [0, 0] && extent == self.extent();
        if !fits(0) || !fits(1) || self.kind() == ImageKind::Mipmapped && !is_all {
            let reason = format!("{extent:?} texels from {corner:?} on are not within {self:?}");
            return Err(Error::binding("upload image", reason));
        }
        let bytes = byte_size(self.shared.kind, extent);
        if size_of_val(texels) as u64 != bytes {
            let buffer = self.shared.name.clone();
            return Err(Error::SizeMismatch { buffer, held: bytes, given: size_of_val(texels) as u64 });
        }
        let staging = Buffer::from_slice(&self.shared.device, &format!("{}.texels", self.name()), texels)?;
        Frames::run_once(&self.shared.device, |recorder| recorder.upload_image(&staging, self, corner, extent))
    }

    /// Waits for the device and reads the contents of a storage image, row by row.
    ///
    /// # Errors
    /// What Vulkan reports.
    pub fn read<T: Pod>(&self) -> Result<Vec<T>> {
        let staging = Staging::readback(&self.shared.device, self.name(), self.byte_size())?;
        Frames::run_once(&self.shared.device, |recorder| recorder.download_image(self, &staging))?;
        staging.read()
    }

    /// Width and height.
    #[must_use]
    pub fn extent(&self) -> [u32; 2] {
        self.shared.extent
    }

    /// Size of the contents \[bytes\].
    #[must_use]
    pub fn byte_size(&self) -> u64 {
        byte_size(self.shared.kind, self.shared.extent)
    }

    /// What the image is for.
    #[must_use]
    pub fn kind(&self) -> ImageKind {
        self.shared.kind
    }

    /// The Vulkan handle, for code that mixes this engine with its own Vulkan.
    #[must_use]
    pub fn raw(&self) -> vk::Image {
        self.shared.raw
    }

    /// Format of its texels.
    #[must_use]
    pub fn format(&self) -> vk::Format {
        self.shared.format
    }

    pub(super) fn name(&self) -> &str {
        &self.shared.name
    }

    pub(super) fn id(&self) -> ResourceId {
        self.shared.id
    }

    pub(super) fn view(&self) -> vk::ImageView {
        self.shared.view
    }

    pub(super) fn sampler(&self) -> vk::Sampler {
        self.shared.sampler
    }

    /// The use of the image that leaves it where it is between recordings.
    pub(super) fn home_use(&self) -> ImageUse {
        let home = match self.shared.kind {
            ImageKind::Storage => vk::ImageLayout::GENERAL,
            ImageKind::Texture | ImageKind::Mipmapped => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            ImageKind::Color { .. } | ImageKind::Depth { .. } => vk::ImageLayout::UNDEFINED,
        };
        ImageUse { image: self.shared.raw, aspect: aspect(self.shared.kind), home, layout: home }
    }

    /// The use of the image in `layout`, for the hazard tracker.
    pub(super) fn used(
        &self,
        stages: vk::PipelineStageFlags2,
        accesses: vk::AccessFlags2,
        layout: vk::ImageLayout,
    ) -> Use {
        Use { resource: self.id(), stages, accesses, image: Some(ImageUse { layout, ..self.home_use() }) }
    }

    pub(super) fn size_mismatch(&self, given: u64) -> Error {
        Error::SizeMismatch { buffer: self.shared.name.clone(), held: self.byte_size(), given }
    }

    pub(super) fn is_owned(&self) -> bool {
        self.shared.owned
    }

    /// The rectangle of `extent` at `corner` in each level, one after the other in a buffer.
    pub(super) fn copy_regions(&self, corner: [u32; 2], extent: [u32; 2]) -> Vec<vk::BufferImageCopy> {
        // Within the image, whose sides are far below 2^31.
        let [x, y] = corner.map(|place| place as i32);
        let mut offset = 0;
        let region = |(level, [width, height]): (u32, [u32; 2])| {
            let layers = vk::ImageSubresourceLayers::default()
                .aspect_mask(aspect(self.shared.kind))
                .mip_level(level)
                .layer_count(1);
            let start = offset;
            offset += texel_bytes(self.shared.kind) * u64::from(width) * u64::from(height);
            vk::BufferImageCopy::default()
                .buffer_offset(start)
                .image_subresource(layers)
                .image_offset(vk::Offset3D { x, y, z: 0 })
                .image_extent(vk::Extent3D { width, height, depth: 1 })
        };
        (0..).zip(levels(self.shared.kind, extent)).map(region).collect()
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Image").field("name", &self.shared.name).field("extent", &self.extent()).finish()
    }
}

impl Owned for Image {
    fn owner(&self) -> Arc<dyn Any + Send + Sync> {
        self.shared.clone()
    }

    fn device(&self) -> &Device {
        &self.shared.device
    }
}

/// A Vulkan image with its view and memory; all go when the last clone does.
struct RawImage {
    id: ResourceId,
    name: String,
    kind: ImageKind,
    format: vk::Format,
    extent: [u32; 2],
    raw: vk::Image,
    view: vk::ImageView,
    sampler: vk::Sampler,
    /// Whether the image is destroyed with its view; a swapchain's is not.
    owned: bool,
    _swapchain: Option<Arc<dyn Any + Send + Sync>>,
    allocation: Option<Allocation>,
    device: Device,
}

impl RawImage {
    fn new(device: &Device, name: &str, kind: ImageKind, extent: [u32; 2]) -> Result<Self> {
        let (format, usage, samples) = match kind {
            ImageKind::Storage => {
                let usage = vk::ImageUsageFlags::STORAGE
                    | vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST;
                (vk::Format::R32G32B32A32_SFLOAT, usage, 1)
            }
            ImageKind::Color { format, samples } => {
                let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
                (format, usage, samples)
            }
            ImageKind::Depth { samples } => {
                let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | vk::ImageUsageFlags::SAMPLED;
                (DEPTH_FORMAT, usage, samples)
            }
            ImageKind::Texture => {
                let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
                (vk::Format::R8G8B8A8_UNORM, usage, 1)
            }
            ImageKind::Mipmapped => {
                let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
                (vk::Format::R8G8B8A8_SRGB, usage, 1)
            }
        };
        let level_count = levels(kind, extent).count() as u32;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: extent[0].max(1), height: extent[1].max(1), depth: 1 })
            .mip_levels(level_count)
            .array_layers(1)
            .samples(vk::SampleCountFlags::from_raw(samples))
            .usage(usage);
        // SAFETY: the device is alive; the kind was checked, and every device has storage images of rgba32f and samples
        // rgba8, also as sRGB.
        let raw = unsafe { device.raw().create_image(&info, None) }.call("vkCreateImage")?;
        let mut image = Self {
            id: ResourceId::next(),
            name: name.into(),
            kind,
            format,
            extent: extent.map(|size| size.max(1)),
            raw,
            view: vk::ImageView::null(),
            sampler: vk::Sampler::null(),
            owned: true,
            _swapchain: None,
            allocation: None,
            device: device.clone(),
        };
        // From here on, an error drops `image`, which destroys what was made so far.
        image.back_with_memory()?;
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(aspect(kind)).level_count(level_count).layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(range);
        // SAFETY: the image was made and bound to memory just now.
        image.view = unsafe { device.raw().create_image_view(&info, None) }.call("vkCreateImageView")?;
        image.sampler = sampler(device, kind)?;
        device.name(raw, name);
        device.name(image.view, format_args!("{name}.view"));
        device.name(image.sampler, format_args!("{name}.sampler"));
        Ok(image)
    }

    fn back_with_memory(&mut self) -> Result<()> {
        // SAFETY: the image was made from this device.
        let requirements = unsafe { self.device.raw().get_image_memory_requirements(self.raw) };
        let allocation = allocate(&self.device, &self.name, requirements, MemoryLocation::GpuOnly, false)?;
        let (memory, offset) = {
            // SAFETY: the memory is freed only after the image is destroyed.
            unsafe { (allocation.memory(), allocation.offset()) }
        };
        self.allocation = Some(allocation);
        // SAFETY: the memory was allocated for this image's requirements and nothing is bound to the image yet.
        unsafe { self.device.raw().bind_image_memory(self.raw, memory, offset) }.call("vkBindImageMemory")
    }
}

impl Drop for RawImage {
    fn drop(&mut self) {
        let raw = self.device.raw();
        // SAFETY: recordings hold clones of what they use until the device is done, so the last owner is dropped only
        // when no work refers to the image. Destroying a null handle does nothing. A swapchain's image is not ours, its
        // view is.
        unsafe {
            raw.destroy_sampler(self.sampler, None);
            raw.destroy_image_view(self.view, None);
            if self.owned {
                raw.destroy_image(self.raw, None);
            }
            if let Some(allocation) = self.allocation.take() {
                let _ = lock(self.device.allocator()).free(allocation);
            }
        }
    }
}

/// Fails where the device has no images of this kind.
fn check_kind(device: &Device, kind: ImageKind) -> Result<()> {
    let lacks = |what: String| Error::DeviceLacks { device: device.info().name.clone(), what };
    let limits = device.limits();
    let (format, samples, supported, feature) = match kind {
        ImageKind::Storage | ImageKind::Texture | ImageKind::Mipmapped => return Ok(()),
        ImageKind::Color { format, samples } => {
            let four_bytes = [
                vk::Format::R8G8B8A8_SRGB,
                vk::Format::B8G8R8A8_SRGB,
                vk::Format::R8G8B8A8_UNORM,
                vk::Format::B8G8R8A8_UNORM,
            ];
            if !four_bytes.contains(&format) {
                return Err(lacks(format!("pictures in {format:?}: only 8-bit RGBA and BGRA are drawn into")));
            }
            (format, samples, limits.framebuffer_color_sample_counts, vk::FormatFeatureFlags::COLOR_ATTACHMENT)
        }
        ImageKind::Depth { samples } => {
            if !device.compares_depth() {
                return Err(lacks("sampling of depths with a comparison".into()));
            }
            let feature = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;
            (DEPTH_FORMAT, samples, limits.framebuffer_depth_sample_counts, feature)
        }
    };
    if !samples.is_power_of_two() || !supported.contains(vk::SampleCountFlags::from_raw(samples)) {
        return Err(lacks(format!("images with {samples} samples a pixel")));
    }
    let raw_instance = device.instance().raw();
    // SAFETY: the device belongs to this instance.
    let has = unsafe { raw_instance.get_physical_device_format_properties(device.info().handle, format) };
    if !has.optimal_tiling_features.contains(feature) {
        return Err(lacks(format!("targets in {format:?}")));
    }
    Ok(())
}

/// Width and height of each level of an image.
fn levels(kind: ImageKind, extent: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    let halved = move |[width, height]: &[u32; 2]| {
        let is_last = kind != ImageKind::Mipmapped || (*width <= 1 && *height <= 1);
        (!is_last).then(|| [width / 2, height / 2].map(|side| side.max(1)))
    };
    std::iter::successors(Some(extent), halved)
}

fn texel_bytes(kind: ImageKind) -> u64 {
    if kind == ImageKind::Storage { 16 } else { 4 }
}

/// Bytes of a rectangle of an image, in all of its levels.
fn byte_size(kind: ImageKind, extent: [u32; 2]) -> u64 {
    let texels = levels(kind, extent).map(|[width, height]| u64::from(width) * u64::from(height));
    texel_bytes(kind) * texels.sum::<u64>()
}

fn aspect(kind: ImageKind) -> vk::ImageAspectFlags {
    match kind {
        ImageKind::Depth { .. } => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    }
}
