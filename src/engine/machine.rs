//! What there is of Vulkan on a machine, for people who have to find out why something does not run.

use ash::vk;

use super::choice::DeviceInfo;
use super::error::{Call, Result};
use super::instance::{Instance, load_entry, loader_lock, version_text};

/// The Vulkan loader, and the layers that it finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderInfo {
    /// Version of Vulkan that it speaks.
    pub version: String,
    /// Name and version of each layer, whether it is on or not, in the loader's order.
    pub layers: Vec<(String, String)>,
}

impl LoaderInfo {
    /// Loads the loader, if that has not been done yet, and asks it.
    ///
    /// # Errors
    /// [`Error::NoLoader`](super::Error::NoLoader), or what Vulkan reports.
    pub fn find() -> Result<Self> {
        let _loader = loader_lock();
        let entry = load_entry()?;
        // SAFETY: the entry is loaded.
        let (version, layers) =
            unsafe { (entry.try_enumerate_instance_version(), entry.enumerate_instance_layer_properties()) };
        let version = version.call("vkEnumerateInstanceVersion")?.unwrap_or(vk::API_VERSION_1_0);
        let layers = layers.call("vkEnumerateInstanceLayerProperties")?;
        let layers = layers.iter().map(|layer| {
            let name = layer.layer_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned();
            // What the Khronos layers state as theirs is always 1; the version of Vulkan they are made for tells them apart.
            (name, version_text(layer.spec_version))
        });
        Ok(Self { version: version_text(version), layers: layers.collect() })
    }
}

impl Instance {
    /// What matters of a device here, each with a name that people know it by; none where it speaks no Vulkan 1.1.
    #[must_use]
    pub fn facts(&self, device: &DeviceInfo) -> Vec<(&'static str, String)> {
        let raw = self.raw();
        // SAFETY: the handle comes from this instance, as its devices are found by no other means.
        let properties = unsafe { raw.get_physical_device_properties(device.handle) };
        if properties.api_version < vk::API_VERSION_1_1 {
            return Vec::new();
        }
        let mut subgroups = vk::PhysicalDeviceSubgroupProperties::default();
        let mut more = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroups);
        // SAFETY: as above, and the chained structure is part of Vulkan 1.1.
        unsafe { raw.get_physical_device_properties2(device.handle, &mut more) };
        // SAFETY: as above.
        let families = unsafe { raw.get_physical_device_queue_family_properties(device.handle) };
        let limits = &properties.limits;
        let bits = families.get(device.queue_family as usize).map_or(0, |family| family.timestamp_valid_bits);
        let timestamps = match bits {
            0 => "none, so passes have no times".to_string(),
            bits => format!("{bits} bits of {} ns", limits.timestamp_period),
        };
        vec![
            ("memory of its own", mebibytes(self.own_memory_bytes(device))),
            ("bytes of a buffer in one binding", mebibytes(limits.max_storage_buffer_range.into())),
            ("shared memory", format!("{} KiB", limits.max_compute_shared_memory_size / 1024)),
            ("invocations of a workgroup", limits.max_compute_work_group_invocations.to_string()),
            ("invocations of a subgroup", subgroups.subgroup_size.to_string()),
            ("push constants", format!("{} bytes", limits.max_push_constants_size)),
            ("texels across an image", limits.max_image_dimension2_d.to_string()),
            ("samples a pixel", device.samples.to_string()),
            ("timestamps", timestamps),
            ("windows", if device.draws { "drawn on its queue" } else { "none: its queue only computes" }.to_string()),
        ]
    }

    /// How much memory a device has of its own \[bytes\].
    pub(super) fn own_memory_bytes(&self, device: &DeviceInfo) -> u64 {
        // SAFETY: the handle comes from this instance, as its devices are found by no other means.
        let memory = unsafe { self.raw().get_physical_device_memory_properties(device.handle) };
        let heaps = memory.memory_heaps_as_slice().iter();
        let local = heaps.filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL)).map(|heap| heap.size);
        local.max().unwrap_or_default()
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
