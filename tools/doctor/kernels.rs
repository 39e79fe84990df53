//! What a driver makes of the kernels.

use std::fmt::Write as _;

use anyhow::Result;
use tautline::engine::{Device, Error, Kernel};
use tautline::shaders::KERNELS;

/// Each kernel, with its workgroup and what the driver says of it.
pub fn report(device: Option<&str>) -> Result<String> {
    let device = Device::headless(device)?;
    let mut text = format!("{}, {}\n", device.info().name, device.info().driver);
    if !device.has_statistics() {
        text += "It says nothing of compiled kernels, as it lacks VK_KHR_pipeline_executable_properties.\n";
    }
    // Writing to a string cannot fail.
    for code in &KERNELS {
        let kernel = match Kernel::new(&device, code) {
            Err(Error::DeviceLacks { what, .. }) => {
                let _ = writeln!(text, "\nglsl/{}.comp  cannot be used here, as the device lacks {what}", code.name);
                continue;
            }
            kernel => kernel?,
        };
        let local_size: Vec<String> = kernel.local_size().iter().map(u32::to_string).collect();
        let _ = writeln!(text, "\nglsl/{}.comp  workgroup {}", code.name, local_size.join(" x "));
        for part in device.statistics(code)? {
            let _ = writeln!(text, "  {}: subgroups of {}", part.name, part.subgroup_size);
            for (name, value) in &part.values {
                let _ = writeln!(text, "    {name}: {value}");
            }
        }
    }
    Ok(text)
}
