//! A device that is held to the limits of a smaller one, to see on any device what happens there.

use ash::vk;

/// Limits of a smaller device. Where the device itself has lower ones, those hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallerLimits {
    /// Most bytes of a buffer that one binding takes: Vulkan's maxStorageBufferRange.
    pub storage_buffer_range: u32,
    /// What the place in its buffer at which a binding starts is a multiple of \[bytes\]: Vulkan's
    /// minStorageBufferOffsetAlignment. Rounded up to a power of two.
    pub storage_buffer_alignment: u32,
    /// Most workgroups of a dispatch each way: Vulkan's maxComputeWorkGroupCount.
    pub workgroup_count: u32,
}

impl Default for SmallerLimits {
    /// Those of no smaller device.
    fn default() -> Self {
        Self { storage_buffer_range: u32::MAX, storage_buffer_alignment: 1, workgroup_count: u32::MAX }
    }
}

impl SmallerLimits {
    /// Brings what a driver states down to these.
    pub(super) fn hold(&self, limits: &mut vk::PhysicalDeviceLimits) {
        let alignment = u64::from(self.storage_buffer_alignment).next_power_of_two();
        limits.max_storage_buffer_range = limits.max_storage_buffer_range.min(self.storage_buffer_range);
        limits.min_storage_buffer_offset_alignment = limits.min_storage_buffer_offset_alignment.max(alignment);
        limits.max_compute_work_group_count =
            limits.max_compute_work_group_count.map(|count| count.min(self.workgroup_count));
    }
}
