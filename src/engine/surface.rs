//! Windows: a surface, and the swapchain of images that it shows.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ash::{khr, vk};
use raw_window_handle::{RawDisplayHandle, RawWindowHandle};

use super::device::{Device, Ticket};
use super::error::{Call, Error, Result};
use super::image::Image;
use super::instance::{Instance, loader_lock};
use super::recorder::{Owned, Recorder};

/// The part of a window that Vulkan draws into. Cheap to clone.
#[derive(Clone)]
pub struct Surface {
    shared: Arc<RawSurface>,
}

struct RawSurface {
    loader: khr::surface::Instance,
    raw: vk::SurfaceKHR,
    _window: Arc<dyn Any + Send + Sync>,
    _instance: Instance,
}

impl Surface {
    /// Makes a surface of a window; the window lives as long as the surface.
    ///
    /// # Errors
    /// [`Error::Window`] where the window gives no handle, or what Vulkan reports.
    pub fn new<W>(instance: &Instance, window: Arc<W>) -> Result<Self>
    where
        W: raw_window_handle::HasDisplayHandle + raw_window_handle::HasWindowHandle + Send + Sync + 'static,
    {
        if !instance.presents() {
            return Err(Error::Window { reason: "the instance was made without a display".into() });
        }
        let no_handle = |error: raw_window_handle::HandleError| Error::Window { reason: error.to_string() };
        let display: RawDisplayHandle = window.display_handle().map_err(no_handle)?.as_raw();
        let handle: RawWindowHandle = window.window_handle().map_err(no_handle)?.as_raw();
        // SAFETY: the handles come from a live window, which the surface keeps alive.
        let raw = unsafe { ash_window::create_surface(instance.entry(), instance.raw(), display, handle, None) }
            .call("surface creation")?;
        let loader = khr::surface::Instance::new(instance.entry(), instance.raw());
        Ok(Self { shared: Arc::new(RawSurface { loader, raw, _window: window, _instance: instance.clone() }) })
    }
}

impl Drop for RawSurface {
    fn drop(&mut self) {
        // SAFETY: swapchains hold the surface, so none is left.
        unsafe { self.loader.destroy_surface(self.raw, None) };
    }
}

/// The images that a surface shows, remade when its size changes.
pub struct Swapchain {
    images: Vec<Shown>,
    /// Signalled when an image can be drawn into, with the recording that waited for it last; taken in turn, one more
    /// than there are images.
    acquired: Vec<(vk::Semaphore, Option<Ticket>)>,
    next_acquired: usize,
    /// `None` until the window first has an area; without images while it has none.
    current: Option<Arc<RawSwapchain>>,
    loader: khr::swapchain::Device,
    surface: Surface,
    format: vk::SurfaceFormatKHR,
    mode: vk::PresentModeKHR,
    device: Device,
}

/// The Vulkan swapchain; its images hold it.
struct RawSwapchain {
    raw: vk::SwapchainKHR,
    loader: khr::swapchain::Device,
    // A swapchain goes before its surface and its device.
    _surface: Surface,
    _device: Device,
}

impl Drop for RawSwapchain {
    fn drop(&mut self) {
        // SAFETY: the images, which hold the swapchain, are kept by recordings until the device is done with them, and
        // whoever drops the last of them has waited for the queue, on which images are shown.
        unsafe { self.loader.destroy_swapchain(self.raw, None) };
    }
}

/// An image of the swapchain, with the semaphore that says that it has been drawn.
struct Shown {
    image: Image,
    drawn: vk::Semaphore,
}

/// One image to draw into, between acquiring and presenting it.
pub struct SwapchainFrame {
    /// The image.
    pub image: Image,
    swapchain: Arc<RawSwapchain>,
    index: u32,
    /// Which of the semaphores is signalled when the image can be drawn into.
    acquired: usize,
}

impl Swapchain {
    /// Prepares to show images on `surface`, in the mode `preferred` or, where the surface lacks it, in FIFO, which every
    /// device has and which shows no torn images. None exist until [`Swapchain::resize`].
    ///
    /// # Errors
    /// [`Error::DeviceLacks`] where the device cannot show on this surface, or what Vulkan reports.
    pub fn new(device: &Device, surface: &Surface, preferred: vk::PresentModeKHR) -> Result<Self> {
        let info = device.info();
        if !device.presents() {
            let what = "a swapchain: it was opened without one".into();
            return Err(Error::DeviceLacks { device: info.name.clone(), what });
        }
        let SurfaceParts { loader, raw } = surface.parts();
        // SAFETY: device and surface belong to one instance and are alive.
        let (supported, formats, modes) = unsafe {
            (
                loader.get_physical_device_surface_support(info.handle, info.queue_family, raw),
                loader.get_physical_device_surface_formats(info.handle, raw),
                loader.get_physical_device_surface_present_modes(info.handle, raw),
            )
        };
        if !supported.call("vkGetPhysicalDeviceSurfaceSupportKHR")? {
            return Err(Error::DeviceLacks { device: info.name.clone(), what: "a way to show on this window".into() });
        }
        let formats = formats.call("vkGetPhysicalDeviceSurfaceFormatsKHR")?;
        let srgb = [vk::Format::B8G8R8A8_SRGB, vk::Format::R8G8B8A8_SRGB];
        let format = formats.iter().find(|format| srgb.contains(&format.format)).or(formats.first());
        let format = *format.ok_or_else(|| Error::DeviceLacks {
            device: info.name.clone(),
            what: "a format that this window can show".into(),
        })?;
        let modes = modes.call("vkGetPhysicalDeviceSurfacePresentModesKHR")?;
        let _loader = loader_lock();
        Ok(Self {
            mode: if modes.contains(&preferred) { preferred } else { vk::PresentModeKHR::FIFO },
            loader: khr::swapchain::Device::new(device.instance().raw(), device.raw()),
            surface: surface.clone(),
            format,
            current: None,
            images: Vec::new(),
            acquired: Vec::new(),
            next_acquired: 0,
            device: device.clone(),
        })
    }

    /// Format of the images.
    #[must_use]
    pub fn format(&self) -> vk::Format {
        self.format.format
    }

    /// The mode in which images are shown.
    #[must_use]
    pub fn mode(&self) -> vk::PresentModeKHR {
        self.mode
    }

    /// Remakes the images for a window of `extent` (width, height) and returns their size; `None` where the window has no
    /// area, as when it is minimised, and nothing can be shown.
    ///
    /// # Errors
    /// What Vulkan reports.
    pub fn resize(&mut self, extent: [u32; 2]) -> Result<Option<[u32; 2]>> {
        // Presenting is not on the timeline, so the whole queue is waited for.
        // SAFETY: the device serialises its queue.
        self.device.with_queue(|queue| unsafe { self.device.raw().queue_wait_idle(queue) }).call("vkQueueWaitIdle")?;
        let SurfaceParts { loader, raw: surface } = self.surface.parts();
        // SAFETY: device and surface belong to one instance and are alive.
        let capabilities =
            unsafe { loader.get_physical_device_surface_capabilities(self.device.info().handle, surface) }
                .call("vkGetPhysicalDeviceSurfaceCapabilitiesKHR")?;
        let (least, most) = (capabilities.min_image_extent, capabilities.max_image_extent);
        // A current extent of all ones leaves the choice to us.
        let extent = if capabilities.current_extent.width == u32::MAX {
            vk::Extent2D {
                width: extent[0].clamp(least.width, most.width.max(least.width)),
                height: extent[1].clamp(least.height, most.height.max(least.height)),
            }
        } else {
            capabilities.current_extent
        };
        self.drop_images();
        if extent.width == 0 || extent.height == 0 {
            return Ok(None);
        }
        let most_images = if capabilities.max_image_count == 0 { u32::MAX } else { capabilities.max_image_count };
        let composite = [
            vk::CompositeAlphaFlagsKHR::OPAQUE,
            vk::CompositeAlphaFlagsKHR::INHERIT,
            vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED,
            vk::CompositeAlphaFlagsKHR::POST_MULTIPLIED,
        ];
        let composite = composite.into_iter().find(|alpha| capabilities.supported_composite_alpha.contains(*alpha));
        let old = self.current.take();
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count((capabilities.min_image_count + 1).min(most_images))
            .image_format(self.format.format)
            .image_color_space(self.format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(capabilities.current_transform)
            .composite_alpha(composite.unwrap_or(vk::CompositeAlphaFlagsKHR::OPAQUE))
            .present_mode(self.mode)
            .clipped(true)
            .old_swapchain(old.as_ref().map_or(vk::SwapchainKHR::null(), |old| old.raw));
        // SAFETY: surface and old swapchain are alive, and the old one's images are no longer used.
        let raw = unsafe { self.loader.create_swapchain(&info, None) }.call("vkCreateSwapchainKHR")?;
        self.device.name(raw, "swapchain");
        let swapchain = Arc::new(RawSwapchain {
            raw,
            loader: self.loader.clone(),
            _surface: self.surface.clone(),
            _device: self.device.clone(),
        });
        if let Err(error) = self.make_images(&swapchain, [extent.width, extent.height]) {
            self.drop_images();
            return Err(error);
        }
        self.current = Some(swapchain);
        Ok(Some([extent.width, extent.height]))
    }

    fn make_images(&mut self, swapchain: &Arc<RawSwapchain>, extent: [u32; 2]) -> Result<()> {
        // SAFETY: the swapchain was made just now.
        let raw_images = unsafe { self.loader.get_swapchain_images(swapchain.raw) }.call("vkGetSwapchainImagesKHR")?;
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        for (number, raw) in raw_images.into_iter().enumerate() {
            let info = vk::ImageViewCreateInfo::default()
                .image(raw)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(self.format.format)
                .subresource_range(range);
            // SAFETY: the image belongs to the swapchain, which the wrapped image holds with the view.
            let view = unsafe { self.device.raw().create_image_view(&info, None) }.call("vkCreateImageView")?;
            let name = format!("swapchain.images[{number}]");
            self.device.name(raw, &name);
            self.device.name(view, format_args!("{name}.view"));
            let (device, format) = (&self.device, self.format.format);
            let image = Image::of_swapchain(device, name, swapchain.clone(), raw, view, extent, format);
            self.images.push(Shown { image, drawn: self.semaphore(format_args!("swapchain.drawn[{number}]"))? });
        }
        for number in 0..=self.images.len() {
            let semaphore = self.semaphore(format_args!("swapchain.acquired[{number}]"))?;
            self.acquired.push((semaphore, None));
        }
        Ok(())
    }

    fn semaphore(&self, name: fmt::Arguments<'_>) -> Result<vk::Semaphore> {
        // SAFETY: the device is alive.
        let semaphore = unsafe { self.device.raw().create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }
            .call("vkCreateSemaphore")?;
        self.device.name(semaphore, name);
        Ok(semaphore)
    }

    /// Waits for an image to draw into; `None` where the window has changed and [`Swapchain::resize`] is due.
    ///
    /// # Errors
    /// What Vulkan reports.
    pub fn acquire(&mut self) -> Result<Option<SwapchainFrame>> {
        let Some(swapchain) = self.current.clone().filter(|_| !self.images.is_empty()) else {
            return Ok(None);
        };
        let turn = self.next_acquired;
        // The recording that waited for this semaphore last has to be done before it is signalled again.
        if let Some(ticket) = self.acquired[turn].1.take() {
            self.device.wait(ticket)?;
        }
        let semaphore = self.acquired[turn].0;
        // SAFETY: nothing waits for the semaphore.
        let result = unsafe { self.loader.acquire_next_image(swapchain.raw, u64::MAX, semaphore, vk::Fence::null()) };
        match result {
            Ok((index, _)) => {
                self.next_acquired = (turn + 1) % self.acquired.len();
                let image = self.images[index as usize].image.clone();
                Ok(Some(SwapchainFrame { image, swapchain, index, acquired: turn }))
            }
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => Ok(None),
            Err(result) => Err(result).call("vkAcquireNextImageKHR"),
        }
    }

    /// Submits the recording that drew into `frame` and shows it; the flag is false where the window has changed and
    /// [`Swapchain::resize`] is due.
    ///
    /// # Errors
    /// [`Error::Window`] where the swapchain has been resized since `frame` was acquired, or what Vulkan reports.
    pub fn present(&mut self, mut recorder: Recorder<'_>, frame: SwapchainFrame) -> Result<(Ticket, bool)> {
        let is_current = self.current.as_ref().is_some_and(|current| Arc::ptr_eq(current, &frame.swapchain));
        if !is_current || self.images.is_empty() {
            let reason = "its image was acquired before the last resize; acquire another".into();
            return Err(Error::Window { reason });
        }
        let stages = vk::PipelineStageFlags2::ALL_COMMANDS;
        let layout = vk::ImageLayout::PRESENT_SRC_KHR;
        recorder.keep_alive(&frame.image as &dyn Owned);
        recorder.order("present", &[frame.image.used(stages, vk::AccessFlags2::MEMORY_READ, layout)]);
        let drawn = self.images[frame.index as usize].drawn;
        let ticket = recorder.submit_between(Some(self.acquired[frame.acquired].0), Some(drawn))?;
        self.acquired[frame.acquired].1 = Some(ticket);
        let (waits, swapchains, indices) = ([drawn], [frame.swapchain.raw], [frame.index]);
        let info =
            vk::PresentInfoKHR::default().wait_semaphores(&waits).swapchains(&swapchains).image_indices(&indices);
        // SAFETY: the image was acquired from this swapchain and the semaphore is signalled by the submission above; the
        // device serialises its queue.
        let result = self.device.with_queue(|queue| unsafe { self.loader.queue_present(queue, &info) });
        match result {
            Ok(suboptimal) => Ok((ticket, !suboptimal)),
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => Ok((ticket, false)),
            Err(result) => Err(result).call("vkQueuePresentKHR"),
        }
    }

    /// Drops images and semaphores; the device must be idle.
    fn drop_images(&mut self) {
        for shown in self.images.drain(..) {
            // SAFETY: the device is idle.
            unsafe { self.device.raw().destroy_semaphore(shown.drawn, None) };
        }
        for (semaphore, _) in self.acquired.drain(..) {
            // SAFETY: the device is idle.
            unsafe { self.device.raw().destroy_semaphore(semaphore, None) };
        }
        self.next_acquired = 0;
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        // SAFETY: the device serialises its queue. Waiting can only fail on a lost device, which uses nothing any more.
        let _ = self.device.with_queue(|queue| unsafe { self.device.raw().queue_wait_idle(queue) });
        self.drop_images();
    }
}

struct SurfaceParts<'a> {
    loader: &'a khr::surface::Instance,
    raw: vk::SurfaceKHR,
}

impl Surface {
    fn parts(&self) -> SurfaceParts<'_> {
        SurfaceParts { loader: &self.shared.loader, raw: self.shared.raw }
    }
}
