//! What a pipeline binds, as its shaders declare it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ash::vk;

use super::device::Device;
use super::error::{Call, Error, Result};
use super::reflect::{Access, Binding, BindingKind, Reflection, reflect_specialised};

/// A compiled shader: its name, by which captures, timings and errors call it, and its SPIR-V.
#[derive(Clone, Copy, Debug)]
pub struct ShaderCode<'a> {
    /// Name of the pass, the path of the GLSL file without its ending.
    pub name: &'a str,
    /// SPIR-V.
    pub words: &'a [u32],
}

/// The layouts of a pipeline, from the reflection of its shaders.
pub struct Interface {
    pub(super) name: Arc<str>,
    pub(super) slots: Vec<(Binding, vk::ShaderStageFlags)>,
    push_constant_size: u32,
    pub(super) push_stages: vk::ShaderStageFlags,
    pub(super) set_layout: vk::DescriptorSetLayout,
    pub(super) layout: vk::PipelineLayout,
    pub(super) device: Device,
}

impl Interface {
    pub(super) fn new(device: &Device, name: &str, stages: &[(vk::ShaderStageFlags, &Reflection)]) -> Result<Self> {
        let mut slots: BTreeMap<u32, (Binding, vk::ShaderStageFlags)> = BTreeMap::new();
        let (mut push_constant_size, mut push_stages) = (0, vk::ShaderStageFlags::empty());
        for &(stage, reflection) in stages {
            check_descriptor_counts(device, name, reflection)?;
            for binding in &reflection.bindings {
                let slot = slots.entry(binding.binding).or_insert_with(|| (binding.clone(), stage));
                if slot.0.name != binding.name || slot.0.kind != binding.kind {
                    let reason = format!("'{}' and '{}' share binding {}", slot.0.name, binding.name, binding.binding);
                    return Err(Error::Shader { shader: name.into(), reason });
                }
                // Stages that draw may write only where optional features are on.
                let stores = matches!(binding.kind, BindingKind::StorageBuffer | BindingKind::StorageImage);
                if stage != vk::ShaderStageFlags::COMPUTE && stores && binding.access != Access::Read {
                    let reason = format!("'{}' is not readonly, and only compute shaders may write", binding.name);
                    return Err(Error::Shader { shader: name.into(), reason });
                }
                slot.1 |= stage;
                if slot.0.access != binding.access {
                    slot.0.access = Access::ReadWrite;
                }
            }
            if reflection.push_constant_size > 0 {
                push_constant_size = push_constant_size.max(reflection.push_constant_size);
                push_stages |= stage;
            }
        }
        let limit = ("maxPushConstantsSize", u64::from(device.limits().max_push_constants_size));
        Device::check_limit(format_args!("the push constants of '{name}'"), push_constant_size.into(), "bytes", limit)?;

        let slots: Vec<_> = slots.into_values().collect();
        let set_layout = Self::make_set_layout(device, &slots)?;
        let push_ranges = [vk::PushConstantRange::default().stage_flags(push_stages).size(push_constant_size)];
        let set_layouts = [set_layout];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&set_layouts)
            .push_constant_ranges(if push_constant_size > 0 { &push_ranges } else { &[] });
        // SAFETY: the set layout was made just now from this device.
        let layout = match unsafe { device.raw().create_pipeline_layout(&info, None) } {
            Ok(layout) => layout,
            Err(result) => {
                // SAFETY: nothing uses the set layout.
                unsafe { device.raw().destroy_descriptor_set_layout(set_layout, None) };
                return Err(Error::of("vkCreatePipelineLayout", result));
            }
        };
        device.name(set_layout, format_args!("{name}.set_layout"));
        device.name(layout, format_args!("{name}.layout"));
        let device = device.clone();
        Ok(Self { name: name.into(), slots, push_constant_size, push_stages, set_layout, layout, device })
    }

    fn make_set_layout(device: &Device, slots: &[(Binding, vk::ShaderStageFlags)]) -> Result<vk::DescriptorSetLayout> {
        let entries: Vec<_> = slots
            .iter()
            .map(|(binding, stages)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding.binding)
                    .descriptor_type(descriptor_type(binding.kind))
                    .descriptor_count(1)
                    .stage_flags(*stages)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&entries);
        // SAFETY: the device is alive.
        unsafe { device.raw().create_descriptor_set_layout(&info, None) }.call("vkCreateDescriptorSetLayout")
    }

    /// Name of the pipeline.
    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(super) fn layout(&self) -> vk::PipelineLayout {
        self.layout
    }

    pub(super) fn check_push(&self, push: &[u8]) -> Result<()> {
        let (needed, given) = (self.push_constant_size, push.len());
        if needed as usize == given {
            return Ok(());
        }
        Err(Error::binding(&self.name, format!("its push constants take {needed} bytes, and {given} were given")))
    }

    /// The names that it declares.
    pub(super) fn expected(&self) -> String {
        let names: Vec<_> = self.slots.iter().map(|(binding, _)| format!("'{}'", binding.name)).collect();
        names.join(", ")
    }
}

impl Drop for Interface {
    fn drop(&mut self) {
        // SAFETY: bindings and pipelines hold the interface's owner, so nothing uses the layouts any more.
        unsafe {
            self.device.raw().destroy_pipeline_layout(self.layout, None);
            self.device.raw().destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// A pipeline with an interface that resources can be bound to.
pub trait Pipeline: Clone + Send + Sync + 'static {
    /// What it binds.
    fn interface(&self) -> &Interface;
}

/// Fails where one shader binds more than the device can give it.
fn check_descriptor_counts(device: &Device, name: &str, reflection: &Reflection) -> Result<()> {
    let limits = device.limits();
    let of_kind = [
        (
            BindingKind::StorageBuffer,
            "maxPerStageDescriptorStorageBuffers",
            limits.max_per_stage_descriptor_storage_buffers,
        ),
        (
            BindingKind::UniformBuffer,
            "maxPerStageDescriptorUniformBuffers",
            limits.max_per_stage_descriptor_uniform_buffers,
        ),
        (
            BindingKind::StorageImage,
            "maxPerStageDescriptorStorageImages",
            limits.max_per_stage_descriptor_storage_images,
        ),
        (
            BindingKind::SampledImage,
            "maxPerStageDescriptorSampledImages",
            limits.max_per_stage_descriptor_sampled_images,
        ),
    ];
    for (kind, limit_name, limit) in of_kind {
        let count = reflection.bindings.iter().filter(|binding| binding.kind == kind).count() as u64;
        Device::check_limit(format_args!("'{name}'"), count, "bindings of one kind", (limit_name, limit.into()))?;
    }
    Ok(())
}

/// Reads the interface out of a shader with these constants and checks that it is one `main` of the stage `model`.
pub(super) fn reflect_shader(
    code: &ShaderCode<'_>,
    model: spirv::ExecutionModel,
    constants: &[u32],
) -> Result<Reflection> {
    let told = |reason| Error::Shader { shader: code.name.into(), reason };
    let reflection = reflect_specialised(code.words, constants).map_err(told)?;
    match &reflection.entry_points[..] {
        [(found, name)] if *found == model && name == "main" => Ok(reflection),
        found => Err(told(format!("it has to be one {model:?} shader with the entry point main, not {found:?}"))),
    }
}

/// A shader module that goes when it is dropped: pipelines do not need it once they are made.
pub(super) struct Module<'a> {
    pub(super) raw: vk::ShaderModule,
    device: &'a Device,
}

impl<'a> Module<'a> {
    /// Makes a module of the shader in the GLSL file `name`.
    pub(super) fn new(device: &'a Device, code: &ShaderCode<'_>, name: &str) -> Result<Self> {
        let info = vk::ShaderModuleCreateInfo::default().code(code.words);
        // SAFETY: the words have been reflected, so they are SPIR-V in form; beyond that the shader is code, trusted
        // like this program's own.
        let raw = unsafe { device.raw().create_shader_module(&info, None) }.call("vkCreateShaderModule")?;
        device.name(raw, name);
        Ok(Self { raw, device })
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: no pipeline is being made from the module any more.
        unsafe { self.device.raw().destroy_shader_module(self.raw, None) };
    }
}

pub(super) fn descriptor_type(kind: BindingKind) -> vk::DescriptorType {
    match kind {
        BindingKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
        BindingKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        BindingKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        BindingKind::SampledImage => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
    }
}
