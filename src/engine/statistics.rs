//! What a driver says of a kernel that it has compiled: registers, instructions, subgroup size, and what else it has.
//!
//! Source: VK_KHR_pipeline_executable_properties.

use std::ffi::CStr;

use ash::{khr, vk};

use super::device::Device;
use super::error::{Call, Result};
use super::instance::loader_lock;
use super::interface::ShaderCode;
use super::kernel::Kernel;

/// A kernel as its driver has compiled it.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelStatistics {
    /// What the driver calls it, as it may compile a kernel in several parts.
    pub name: String,
    /// Invocations of its subgroups; 0 where the driver does not say.
    pub subgroup_size: u32,
    /// Name and value of each statistic, in the driver's order.
    pub values: Vec<(String, String)>,
}

impl Device {
    /// Whether the driver says anything of kernels.
    #[must_use]
    pub fn has_statistics(&self) -> bool {
        self.extensions().has_statistics
    }

    /// Compiles a kernel once more, and says what the driver says of it; empty where the device has no statistics.
    ///
    /// # Errors
    /// As [`Kernel::new`].
    pub fn statistics(&self, code: &ShaderCode<'_>) -> Result<Vec<KernelStatistics>> {
        if !self.has_statistics() {
            return Ok(Vec::new());
        }
        let kernel = Kernel::with_flags(self, code, &[], vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)?;
        let loader = {
            let _loader = loader_lock();
            khr::pipeline_executable_properties::Device::new(self.instance().raw(), self.raw())
        };
        let info = vk::PipelineInfoKHR::default().pipeline(kernel.raw());
        // SAFETY: the device was made with the extension and its feature, and the pipeline is alive.
        let parts =
            unsafe { loader.get_pipeline_executable_properties(&info) }.call("vkGetPipelineExecutablePropertiesKHR")?;
        let part = |(index, part): (u32, &vk::PipelineExecutablePropertiesKHR<'_>)| {
            let info = vk::PipelineExecutableInfoKHR::default().pipeline(kernel.raw()).executable_index(index);
            // SAFETY: as above, and the pipeline was made to keep its statistics.
            let values = unsafe { loader.get_pipeline_executable_statistics(&info) }
                .call("vkGetPipelineExecutableStatisticsKHR")?;
            Ok(KernelStatistics {
                name: text(part.name_as_c_str()),
                subgroup_size: part.subgroup_size,
                values: values.iter().map(|value| (text(value.name_as_c_str()), value_text(value))).collect(),
            })
        };
        (0..).zip(&parts).map(part).collect()
    }
}

fn value_text(statistic: &vk::PipelineExecutableStatisticKHR<'_>) -> String {
    let value = statistic.value;
    // SAFETY: the format says which member the driver has written.
    unsafe {
        match statistic.format {
            vk::PipelineExecutableStatisticFormatKHR::BOOL32 => (value.b32 == vk::TRUE).to_string(),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => value.i64.to_string(),
            vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => value.f64.to_string(),
            _ => value.u64.to_string(),
        }
    }
}

fn text(name: std::result::Result<&CStr, std::ffi::FromBytesUntilNulError>) -> String {
    name.unwrap_or_default().to_string_lossy().into_owned()
}
