//! Optional extensions of a device: nothing needs them, and what they give is missing where they are.

use std::ffi::CStr;

use ash::{ext, khr, vk};

use super::choice::DeviceInfo;
use super::error::Result;
use super::instance::Instance;
use super::subgroups::Subgroups;

/// Which of them a device has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extensions {
    /// What the driver says of kernels (VK_KHR_pipeline_executable_properties).
    pub(super) has_statistics: bool,
    /// The time of the device, to be read at any moment (VK_EXT_calibrated_timestamps, or KHR).
    pub(super) clock: Option<&'static CStr>,
    /// Subgroups that kernels can rely on (VK_EXT_subgroup_size_control).
    pub(super) subgroups: Option<Subgroups>,
}

impl Extensions {
    /// Those of a device.
    pub(super) fn of(instance: &Instance, info: &DeviceInfo) -> Result<Self> {
        let has = |name| instance.has_device_extension(info.handle, name);
        let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
        let has_executables = has(khr::pipeline_executable_properties::NAME)?;
        if has_executables {
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut executables);
            // SAFETY: the device has the extension that the chained structure belongs to.
            unsafe { instance.raw().get_physical_device_features2(info.handle, &mut features) };
        }
        let has_statistics = executables.pipeline_executable_info == vk::TRUE;
        let mut clock = None;
        // The older name first: validation layers that do not know the newer one warn of it.
        for name in [ext::calibrated_timestamps::NAME, khr::calibrated_timestamps::NAME] {
            if clock.is_none() && has(name)? {
                clock = Some(name);
            }
        }
        Ok(Self { has_statistics, clock, subgroups: Subgroups::of(instance, info)? })
    }

    /// What has to be enabled.
    pub(super) fn names(self) -> impl Iterator<Item = &'static CStr> {
        let statistics = self.has_statistics.then_some(khr::pipeline_executable_properties::NAME);
        let subgroups = self.subgroups.filter(|subgroups| subgroups.is_extension);
        let subgroups = subgroups.map(|_| ext::subgroup_size_control::NAME);
        statistics.into_iter().chain(self.clock).chain(subgroups)
    }
}
