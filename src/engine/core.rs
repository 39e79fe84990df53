//! What the engine needs of Vulkan beyond version 1.2: three extensions, which version 1.3 took in.
//!
//! A device of version 1.2 that has them will do as well. So does one that has come to 1.2 by a layer: RenderDoc shows a
//! device with 1.2 at most where it cannot capture and replay buffer addresses, as Mesa's software one.

use std::ffi::{CStr, CString, c_void};

use ash::{khr, vk};

use super::error::Result;
use super::instance::{Instance, version_text};

/// The extensions by which a device of version 1.2 has what is needed.
const EXTENSIONS: [&CStr; 3] = [khr::synchronization2::NAME, khr::dynamic_rendering::NAME, khr::maintenance4::NAME];

/// Where a device has what is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Core {
    /// In version 1.3 or newer.
    Version13,
    /// In version 1.2, with extensions.
    Version12,
}

impl Core {
    /// Where a device of version `version` has it, if it has.
    pub(super) fn of(version: u32) -> Self {
        if version >= vk::API_VERSION_1_3 { Self::Version13 } else { Self::Version12 }
    }

    /// What a device of version `version` lacks of it.
    pub(super) fn lacking(
        self,
        instance: &Instance,
        handle: vk::PhysicalDevice,
        version: u32,
    ) -> Result<Option<String>> {
        let told = |without: &str| {
            let version = version_text(version);
            Some(format!("Vulkan 1.3, or 1.2 with what 1.3 took in (it speaks {version}{without})"))
        };
        if version < vk::API_VERSION_1_2 {
            return Ok(told(""));
        }
        for name in self.extensions() {
            if !instance.has_device_extension(handle, name)? {
                return Ok(told(&format!(" without {}", name.to_string_lossy())));
            }
        }
        Ok(None)
    }

    /// What has to be enabled.
    pub(super) fn extensions(self) -> &'static [&'static CStr] {
        match self {
            Self::Version13 => &[],
            Self::Version12 => &EXTENSIONS,
        }
    }

    /// The functions of a device; with version 1.2 those of the extensions have other names.
    ///
    /// # Safety
    /// The device has to be one of this instance, made with [`Core::extensions`].
    pub(super) unsafe fn load(self, instance: &ash::Instance, device: vk::Device) -> ash::Device {
        let find = |name: &CStr| {
            // SAFETY: the caller vouches for the device.
            let found = unsafe { instance.get_device_proc_addr(device, name.as_ptr()) };
            found.map_or(std::ptr::null(), |function| function as *const c_void)
        };
        let of_extension = |name: &CStr| {
            let name = CString::new([name.to_bytes(), b"KHR"].concat()).unwrap_or_default();
            find(&name)
        };
        let find_either = |name: &CStr| match self {
            Self::Version13 => find(name),
            // A loader may have functions of newer versions than the device.
            Self::Version12 => Some(of_extension(name)).filter(|found| !found.is_null()).unwrap_or_else(|| find(name)),
        };
        // SAFETY: what is found by the name of a function is that function, and those of the extensions are the same as those
        // that version 1.3 has.
        unsafe { ash::Device::load_with(find_either, device) }
    }
}

/// The features that a device is opened with, to be filled in by what it has or to be asked for.
#[derive(Default)]
pub(super) struct Features {
    timeline_semaphore: vk::PhysicalDeviceTimelineSemaphoreFeatures<'static>,
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
    dynamic_rendering: vk::PhysicalDeviceDynamicRenderingFeatures<'static>,
    maintenance4: vk::PhysicalDeviceMaintenance4Features<'static>,
}

impl Features {
    /// All of them.
    pub(super) fn wanted() -> Self {
        Self {
            timeline_semaphore: vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true),
            synchronization2: vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true),
            dynamic_rendering: vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true),
            maintenance4: vk::PhysicalDeviceMaintenance4Features::default().maintenance4(true),
        }
    }

    /// Those of a device, which has a [`Core`].
    pub(super) fn of(instance: &ash::Instance, handle: vk::PhysicalDevice) -> Self {
        let mut found = Self::default();
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut found.timeline_semaphore)
            .push_next(&mut found.synchronization2)
            .push_next(&mut found.dynamic_rendering)
            .push_next(&mut found.maintenance4);
        // SAFETY: the device has the versions or extensions that the chained structures are part of.
        unsafe { instance.get_physical_device_features2(handle, &mut features) };
        found
    }

    /// Chains them to what a device is made with.
    pub(super) fn chain<'a>(&'a mut self, create: vk::DeviceCreateInfo<'a>) -> vk::DeviceCreateInfo<'a> {
        create
            .push_next(&mut self.timeline_semaphore)
            .push_next(&mut self.synchronization2)
            .push_next(&mut self.dynamic_rendering)
            .push_next(&mut self.maintenance4)
    }

    /// The names of those that are missing: Vulkan demands them, yet a driver under development may lack one.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        [
            (self.timeline_semaphore.timeline_semaphore, "timelineSemaphore"),
            (self.synchronization2.synchronization2, "synchronization2"),
            (self.dynamic_rendering.dynamic_rendering, "dynamicRendering"),
            (self.maintenance4.maintenance4, "maintenance4"),
        ]
        .into_iter()
        .filter(|(present, _)| *present == vk::FALSE)
        .map(|(_, name)| name)
        .collect()
    }
}
