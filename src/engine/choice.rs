//! Which device to use: what each can do, and which is best.

use std::ffi::CStr;
use std::fmt;

use ash::{khr, vk};

use super::core::{Core, Features};
use super::error::{Call, Error, Result};
use super::instance::{Instance, version_text};

/// Environment variable that chooses a device by name or index when the program itself did not.
pub const DEVICE_VARIABLE: &str = "TAUTLINE_DEVICE";

/// Samples a pixel that are drawn where a device has as many: more would cost time that is better spent otherwise.
pub const MOST_SAMPLES: u32 = 4;

/// What kind of device one is, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceType {
    /// A graphics card of its own.
    Discrete,
    /// Part of the processor's package.
    Integrated,
    /// A share of a device, inside a virtual machine.
    Virtual,
    /// Software.
    Cpu,
    /// None of the above.
    Other,
}

impl fmt::Display for DeviceType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Cpu => "cpu",
            Self::Other => "other",
        })
    }
}

/// A device as a person chooses it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceInfo {
    /// Position in Vulkan's own order.
    pub index: usize,
    /// Name that the driver gives it.
    pub name: String,
    /// Name and version of the driver.
    pub driver: String,
    /// Kind of device.
    pub device_type: DeviceType,
    /// Vulkan version that it speaks.
    pub api_version: String,
    /// What it lacks to be used here; empty where it can be.
    pub lacks: Vec<String>,
    /// Samples a pixel with which pictures are drawn: 4, which every device should have, or what it has below that.
    pub samples: u32,
    pub(crate) handle: vk::PhysicalDevice,
    pub(crate) queue_family: u32,
    pub(crate) draws: bool,
    pub(crate) core: Core,
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, name, driver, device_type, api_version, lacks, samples, .. } = self;
        let with = if self.core == Core::Version12 && lacks.is_empty() { " with what 1.3 took in" } else { "" };
        write!(formatter, "{index}: {name} ({device_type}, Vulkan {api_version}{with}, {driver})")?;
        if *samples < MOST_SAMPLES {
            write!(formatter, " draws {samples} of {MOST_SAMPLES} samples a pixel")?;
        }
        if !lacks.is_empty() {
            write!(formatter, " cannot be used: it lacks {}", lacks.join(", "))?;
        }
        Ok(())
    }
}

impl Instance {
    /// Every device that the loader finds, in its order, also those that cannot be used.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where there is none, or what Vulkan reports.
    pub fn devices(&self) -> Result<Vec<DeviceInfo>> {
        // SAFETY: the instance is alive.
        let handles = match unsafe { self.raw().enumerate_physical_devices() } {
            Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Vec::new(),
            result => result.call("vkEnumeratePhysicalDevices")?,
        };
        if handles.is_empty() {
            return Err(Error::NoDevice);
        }
        handles.into_iter().enumerate().map(|(index, handle)| self.describe(index, handle)).collect()
    }

    fn describe(&self, index: usize, handle: vk::PhysicalDevice) -> Result<DeviceInfo> {
        let raw = self.raw();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default();
        // SAFETY: the handle comes from this instance; properties of Vulkan 1.0 can be asked of every device.
        let plain = unsafe { raw.get_physical_device_properties(handle) };
        let core = Core::of(plain.api_version);
        let lacking = core.lacking(self, handle, plain.api_version)?;
        if lacking.is_none() {
            properties = properties.push_next(&mut driver);
            // SAFETY: the device speaks Vulkan 1.2 at least, of which the chained structure is part.
            unsafe { raw.get_physical_device_properties2(handle, &mut properties) };
        }
        let text = |name: std::result::Result<&CStr, _>| name.map_or_else(|_| String::new(), lossy);
        // SAFETY: the handle comes from this instance.
        let families = unsafe { raw.get_physical_device_queue_family_properties(handle) };
        let supporting = |flags: vk::QueueFlags| families.iter().position(|family| family.queue_flags.contains(flags));
        let drawing = supporting(vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE);
        let queue_family = drawing.or_else(|| supporting(vk::QueueFlags::COMPUTE));

        let mut lacks = match lacking {
            Some(lacking) => vec![lacking],
            None => Features::of(raw, handle).missing().into_iter().map(str::to_string).collect(),
        };
        if queue_family.is_none() {
            lacks.push("a compute queue".to_string());
        }
        Ok(DeviceInfo {
            index,
            name: text(plain.device_name_as_c_str()),
            driver: format!("{} {}", text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str()))
                .trim()
                .to_string(),
            device_type: match plain.device_type {
                vk::PhysicalDeviceType::DISCRETE_GPU => DeviceType::Discrete,
                vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceType::Integrated,
                vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceType::Virtual,
                vk::PhysicalDeviceType::CPU => DeviceType::Cpu,
                _ => DeviceType::Other,
            },
            api_version: version_text(plain.api_version),
            lacks,
            samples: most_samples(
                plain.limits.framebuffer_color_sample_counts & plain.limits.framebuffer_depth_sample_counts,
            ),
            handle,
            queue_family: queue_family.unwrap_or(0) as u32,
            draws: drawing.is_some(),
            core,
        })
    }

    pub(crate) fn has_device_extension(&self, handle: vk::PhysicalDevice, name: &CStr) -> Result<bool> {
        // SAFETY: the handle comes from this instance.
        let extensions = unsafe { self.raw().enumerate_device_extension_properties(handle) }
            .call("vkEnumerateDeviceExtensionProperties")?;
        Ok(extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name)))
    }

    /// Extensions to enable on a device: those of its [`Core`], the swapchain, and the subset that MoltenVK has to be told of.
    pub(crate) fn wanted_extensions(&self, info: &DeviceInfo, presents: bool) -> Result<Vec<&'static CStr>> {
        let mut wanted = info.core.extensions().to_vec();
        if presents {
            wanted.push(khr::swapchain::NAME);
        }
        if self.has_device_extension(info.handle, khr::portability_subset::NAME)? {
            wanted.push(khr::portability_subset::NAME);
        }
        Ok(wanted)
    }
}

/// Picks the device that `asked` names (an index, or part of a name), else the best one that lacks nothing.
///
/// # Errors
/// [`Error::UnknownDevice`] where nothing matches, [`Error::DeviceLacks`] where the match cannot be used,
/// [`Error::NoUsableDevice`] where none can.
pub fn choose<'a>(devices: &'a [DeviceInfo], asked: Option<&str>) -> Result<&'a DeviceInfo> {
    let best = |candidates: Vec<&'a DeviceInfo>| {
        candidates.into_iter().min_by_key(|device| (!device.lacks.is_empty(), device.device_type, device.index))
    };
    let Some(asked) = asked else {
        return best(devices.iter().filter(|device| device.lacks.is_empty()).collect()).ok_or_else(|| {
            let lacking = devices.iter().map(|device| format!("'{}' lacks {}", device.name, device.lacks.join(", ")));
            Error::NoUsableDevice { lacking: lacking.collect() }
        });
    };
    let wanted = asked.trim().to_lowercase();
    let index = wanted.parse::<usize>().ok().filter(|index| devices.iter().any(|device| device.index == *index));
    let matches = |device: &&DeviceInfo| match index {
        Some(index) => device.index == index,
        None => !wanted.is_empty() && device.name.to_lowercase().contains(&wanted),
    };
    let matching = devices.iter().filter(matches).collect();
    let device = best(matching).ok_or_else(|| Error::UnknownDevice {
        asked: asked.to_string(),
        available: devices.iter().map(|device| format!("{}: {}", device.index, device.name)).collect(),
    })?;
    if device.lacks.is_empty() {
        Ok(device)
    } else {
        Err(Error::DeviceLacks { device: device.name.clone(), what: device.lacks.join(", ") })
    }
}

/// The most of `supported`, up to [`MOST_SAMPLES`].
fn most_samples(supported: vk::SampleCountFlags) -> u32 {
    // A flag is the number that it stands for.
    let fitting = supported.as_raw() & (2 * MOST_SAMPLES - 1);
    fitting.checked_ilog2().map_or(1, |power| 1 << power)
}

fn lossy(text: &CStr) -> String {
    text.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize, name: &str, device_type: DeviceType, lacks: &[&str]) -> DeviceInfo {
        DeviceInfo {
            index,
            name: name.into(),
            driver: "driver 1".into(),
            device_type,
            api_version: "1.3.0".into(),
            lacks: lacks.iter().map(ToString::to_string).collect(),
            samples: MOST_SAMPLES,
            handle: vk::PhysicalDevice::null(),
            queue_family: 0,
            draws: true,
            core: Core::Version13,
        }
    }

    fn machine() -> Vec<DeviceInfo> {
        vec![
            device(0, "llvmpipe (LLVM 15)", DeviceType::Cpu, &[]),
            device(1, "Integrated Graphics", DeviceType::Integrated, &[]),
            device(2, "Old Card", DeviceType::Discrete, &["Vulkan 1.3 (it speaks 1.1.0)"]),
            device(3, "New Card", DeviceType::Discrete, &[]),
        ]
    }

    #[test]
    fn the_best_usable_device_is_chosen() {
        let devices = machine();
        assert_eq!(choose(&devices, None).unwrap().index, 3);
        assert_eq!(choose(&devices[..3], None).unwrap().index, 1);
        assert_eq!(choose(&devices[..1], None).unwrap().index, 0);
    }

    #[test]
    fn a_name_or_an_index_overrides() {
        let devices = machine();
        assert_eq!(choose(&devices, Some("LLVMPIPE")).unwrap().index, 0);
        assert_eq!(choose(&devices, Some("1")).unwrap().index, 1);
        assert_eq!(choose(&devices, Some("card")).unwrap().index, 3);
    }

    #[test]
    fn four_samples_are_drawn_or_what_there_is_below() {
        for (supported, samples) in [(0b111_1111, 4), (0b0101, 4), (0b1011, 2), (0b1001, 1), (0, 1)] {
            assert_eq!(most_samples(vk::SampleCountFlags::from_raw(supported)), samples, "{supported:b}");
        }
        let one = DeviceInfo { samples: 1, ..device(0, "Card", DeviceType::Discrete, &[]) };
        assert_eq!(one.to_string(), "0: Card (discrete, Vulkan 1.3.0, driver 1) draws 1 of 4 samples a pixel");
    }

    #[test]
    fn version_1_2_is_said_to_do_where_it_does() {
        let old = DeviceInfo { core: Core::Version12, api_version: "1.2.9".into(), ..machine()[0].clone() };
        let told = old.to_string();
        assert_eq!(told, "0: llvmpipe (LLVM 15) (cpu, Vulkan 1.2.9 with what 1.3 took in, driver 1)");
        let lacking = DeviceInfo { lacks: vec!["a compute queue".into()], ..old };
        assert!(!lacking.to_string().contains("took in"), "{lacking}");
    }

    #[test]
    fn what_cannot_be_had_is_said() {
        let devices = machine();
        let unknown = choose(&devices, Some("riva")).unwrap_err().to_string();
        assert!(unknown.contains("'riva'") && unknown.contains("3: New Card"), "{unknown}");
        assert!(choose(&devices, Some("4")).is_err());
        assert_eq!(choose(&devices, Some("15")).unwrap().index, 0, "no index, but part of a name");
        assert!(choose(&devices, Some("")).is_err());
        let lacking = choose(&devices, Some("old")).unwrap_err().to_string();
        assert!(lacking.contains("'Old Card' lacks Vulkan 1.3"), "{lacking}");
        let none = choose(&devices[2..3], None).unwrap_err().to_string();
        assert!(none.contains("'Old Card' lacks Vulkan 1.3"), "{none}");
    }
}
