//! Subgroups: invocations of a workgroup that run together, and hand each other values without a barrier.

use ash::{ext, vk};

use super::choice::DeviceInfo;
use super::core::Core;
use super::error::Result;
use super::instance::Instance;

/// What kernels that use subgroups rely on, where a device has all of it: subgroups of one known size, that all their
/// invocations are there, and shuffles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subgroups {
    /// Invocations of each.
    pub(super) size: u32,
    /// Most of them in a workgroup.
    pub(super) most_in_workgroup: u32,
    /// Whether the device has to be opened with VK_EXT_subgroup_size_control, which version 1.3 took in.
    pub(super) is_extension: bool,
}

impl Subgroups {
    /// Those of a device, if it has them.
    pub(super) fn of(instance: &Instance, info: &DeviceInfo) -> Result<Option<Self>> {
        let is_extension = info.core == Core::Version12;
        if is_extension && !instance.has_device_extension(info.handle, ext::subgroup_size_control::NAME)? {
            return Ok(None);
        }
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup).push_next(&mut sizes);
        let mut control = vk::PhysicalDeviceSubgroupSizeControlFeatures::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut control);
        // SAFETY: the device has the version or the extension that the chained structures are part of.
        unsafe {
            instance.raw().get_physical_device_properties2(info.handle, &mut properties);
            instance.raw().get_physical_device_features2(info.handle, &mut features);
        }
        let operations = vk::SubgroupFeatureFlags::BASIC | vk::SubgroupFeatureFlags::SHUFFLE;
        let compute = vk::ShaderStageFlags::COMPUTE;
        let are_there = subgroup.supported_operations.contains(operations)
            && subgroup.supported_stages.contains(compute)
            && sizes.required_subgroup_size_stages.contains(compute)
            && control.subgroup_size_control == vk::TRUE
            && control.compute_full_subgroups == vk::TRUE;
        let most_in_workgroup = sizes.max_compute_workgroup_subgroups;
        Ok(are_there.then_some(Self { size: subgroup.subgroup_size, most_in_workgroup, is_extension }))
    }
}
