//! The device's clock beside the CPU's.
//!
//! Source: VK_KHR_calibrated_timestamps. Of its clocks only the device's own is read, between two looks at the CPU's, so that
//! this needs to know none of the names that systems have for theirs.

use std::ffi::CStr;
use std::time::{Duration, Instant};

use ash::{ext, khr, vk};

use super::device::Device;
use super::error::{Call, Result};
use super::instance::loader_lock;

/// How often both clocks are read; the closest two readings count.
const READINGS: usize = 4;

/// What both clocks said at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The device's clock \[ticks\].
    pub(super) ticks: u64,
    /// The CPU's.
    pub(super) instant: Instant,
    /// How far apart they may have been read.
    pub(super) deviation: Duration,
}

impl Moment {
    /// Reads both clocks; none where the device's cannot be.
    pub(super) fn now(device: &Device) -> Result<Option<Self>> {
        let Some(extension) = device.extensions().clock else {
            return Ok(None);
        };
        let clock = Clock::of(device, extension);
        let mut best: Option<Self> = None;
        for _ in 0..READINGS {
            let before = Instant::now();
            let ticks = clock.read()?;
            let deviation = before.elapsed() / 2;
            if best.is_none_or(|best| deviation < best.deviation) {
                best = Some(Self { ticks, instant: before + deviation, deviation });
            }
        }
        Ok(best)
    }
}

/// The device's clock, by the extension under its newer or its older name.
enum Clock {
    Khr(khr::calibrated_timestamps::Device),
    Ext(ext::calibrated_timestamps::Device),
}

impl Clock {
    fn of(device: &Device, extension: &CStr) -> Self {
        let (instance, raw) = (device.instance().raw(), device.raw());
        let _loader = loader_lock();
        if extension == khr::calibrated_timestamps::NAME {
            Self::Khr(khr::calibrated_timestamps::Device::new(instance, raw))
        } else {
            Self::Ext(ext::calibrated_timestamps::Device::new(instance, raw))
        }
    }

    /// What it says now \[ticks\].
    fn read(&self) -> Result<u64> {
        let info = [vk::CalibratedTimestampInfoKHR::default().time_domain(vk::TimeDomainKHR::DEVICE)];
        // SAFETY: the device was made with the extension, every implementation of which has the device's own domain.
        let read = unsafe {
            match self {
                Self::Khr(device) => device.get_calibrated_timestamps(&info),
                Self::Ext(device) => device.get_calibrated_timestamps(&info),
            }
        };
        Ok(read.call("vkGetCalibratedTimestamps")?.0[0])
    }
}
