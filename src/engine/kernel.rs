//! Compute pipelines.

use std::sync::Arc;

use ash::vk;

use super::bindings::{Bindings, Resource};
use super::device::Device;
use super::error::{Error, Result};
use super::interface::{Interface, Module, Pipeline, ShaderCode, reflect_shader};
use super::replaced::current;

/// A compute shader, ready to be bound and dispatched. Cheap to clone.
#[derive(Clone)]
pub struct Kernel {
    shared: Arc<RawKernel>,
}

struct RawKernel {
    raw: vk::Pipeline,
    local_size: [u32; 3],
    shaders: Arc<[String]>,
    interface: Interface,
    device: Device,
}

impl Kernel {
    /// Makes a pipeline of a compute shader; what it binds is read out of its SPIR-V.
    ///
    /// # Errors
    /// [`Error::Shader`] where the SPIR-V is malformed or no compute shader, [`Error::OverLimit`] where its workgroup is
    /// larger than the device allows, [`Error::DeviceLacks`] where it uses subgroups and the device has none to rely on, or
    /// what Vulkan reports.
    pub fn new(device: &Device, code: &ShaderCode<'_>) -> Result<Self> {
        Self::specialised(device, code, &[])
    }

    /// As [`Kernel::new`], where the shader's constant with `constant_id = i` has the value `constants[i]`: such as the size
    /// of its workgroups and of what they share, which the device limits.
    ///
    /// # Errors
    /// As [`Kernel::new`], and [`Error::Shader`] where it has no such constant.
    pub fn specialised(device: &Device, code: &ShaderCode<'_>, constants: &[u32]) -> Result<Self> {
        Self::with_flags(device, code, constants, vk::PipelineCreateFlags::empty())
    }

    /// As [`Kernel::specialised`], with flags for the driver.
    pub(super) fn with_flags(
        device: &Device,
        code: &ShaderCode<'_>,
        constants: &[u32],
        flags: vk::PipelineCreateFlags,
    ) -> Result<Self> {
        let words = current(device, code, "comp")?;
        let code = &ShaderCode { name: code.name, words: &words };
        let reflection = reflect_shader(code, spirv::ExecutionModel::GLCompute, constants)?;
        if reflection.local_size.contains(&0) {
            let reason = "its workgroup has no fixed size".into();
            return Err(Error::Shader { shader: code.name.into(), reason });
        }
        Self::check_workgroup(device, code.name, reflection.local_size, reflection.shared_memory)?;
        let subgroup_size = match reflection.uses_subgroups {
            true => Some(Self::check_subgroups(device, code.name, reflection.local_size)?),
            false => None,
        };
        let interface = Interface::new(device, code.name, &[(vk::ShaderStageFlags::COMPUTE, &reflection)])?;
        let shader = format!("{}.comp", code.name);
        let module = Module::new(device, code, &shader)?;
        let entry = |id: u32| vk::SpecializationMapEntry { constant_id: id, offset: 4 * id, size: size_of::<u32>() };
        let entries: Vec<_> = (0..constants.len() as u32).map(entry).collect();
        let specialisation =
            vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(constants));
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module.raw)
            .name(c"main")
            .specialization_info(&specialisation);
        let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
        if let Some(size) = subgroup_size {
            required.required_subgroup_size = size;
            stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS).push_next(&mut required);
        }
        let info = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(interface.layout())];
        // SAFETY: module and layout are alive, and the layout was made from the module's reflection.
        let made = unsafe { device.raw().create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
        let raw = made.map_err(|(_, result)| Error::of("vkCreateComputePipelines", result))?[0];
        device.name(raw, code.name);
        let shared = RawKernel {
            raw,
            local_size: reflection.local_size,
            shaders: [shader].into(),
            interface,
            device: device.clone(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// A driver may accept a workgroup beyond its limits and lose the device when it runs, so they are checked here.
    fn check_workgroup(device: &Device, name: &str, local_size: [u32; 3], shared_memory: u32) -> Result<()> {
        let limits = device.limits();
        let what = format!("the workgroup of '{name}'");
        let invocations: u64 = local_size.iter().map(|&size| u64::from(size)).product();
        let most = u64::from(limits.max_compute_work_group_invocations);
        Device::check_limit(&what, invocations, "invocations", ("maxComputeWorkGroupInvocations", most))?;
        for (size, most) in local_size.into_iter().zip(limits.max_compute_work_group_size) {
            Device::check_limit(&what, size.into(), "invocations", ("maxComputeWorkGroupSize", most.into()))?;
        }
        let most = u64::from(limits.max_compute_shared_memory_size);
        Device::check_limit(&what, shared_memory.into(), "bytes", ("maxComputeSharedMemorySize", most))
    }

    /// The size of its subgroups, into which its workgroup has to divide.
    fn check_subgroups(device: &Device, name: &str, [width, height, depth]: [u32; 3]) -> Result<u32> {
        let Some(subgroups) = device.extensions().subgroups else {
            let what = format!("full subgroups of one size and shuffles within them, which '{name}' uses");
            return Err(Error::DeviceLacks { device: device.info().name.clone(), what });
        };
        if !width.is_multiple_of(subgroups.size) {
            let reason = format!("its workgroup is {width} wide, and no multiple of a subgroup of {}", subgroups.size);
            return Err(Error::Shader { shader: name.into(), reason });
        }
        let needed = u64::from(width / subgroups.size) * u64::from(height) * u64::from(depth);
        let limit = ("maxComputeWorkgroupSubgroups", subgroups.most_in_workgroup.into());
        Device::check_limit(format_args!("the workgroup of '{name}'"), needed, "subgroups", limit)?;
        Ok(subgroups.size)
    }

    /// Binds each of `resources` where the shader declares its name: the name of the block for buffers, of the variable
    /// for images.
    ///
    /// # Errors
    /// [`Error::Binding`] where a name is missing, unknown, or names another kind of resource.
    pub fn bind(&self, resources: &[(&str, Resource<'_>)]) -> Result<Bindings<Self>> {
        Bindings::new(self, resources)
    }

    /// Name of the pass.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        self.shared.interface.name()
    }

    /// Invocations in a workgroup, in x, y and z.
    #[must_use]
    pub fn local_size(&self) -> [u32; 3] {
        self.shared.local_size
    }

    pub(super) fn shaders(&self) -> &Arc<[String]> {
        &self.shared.shaders
    }

    pub(super) fn raw(&self) -> vk::Pipeline {
        self.shared.raw
    }
}

impl Pipeline for Kernel {
    fn interface(&self) -> &Interface {
        &self.shared.interface
    }
}

impl Drop for RawKernel {
    fn drop(&mut self) {
        // SAFETY: bindings hold the kernel, and recordings hold bindings until the device is done with them.
        unsafe { self.device.raw().destroy_pipeline(self.raw, None) };
    }
}
