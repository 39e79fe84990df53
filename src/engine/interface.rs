//! What a pipeline binds, as its shaders declare it, and sets of resources that fit it.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use ash::vk;

use super::buffer::Buffer;
use super::device::Device;
use super::error::{Call, Error, Result};
use super::hazard::{ImageUse, Use};
use super::image::{Image, ImageKind};
use super::recorder::Owned;
use super::reflect::{Access, Binding, BindingKind, Reflection, reflect};
use super::work::Bound;

/// A compiled shader: its name, by which captures, timings and errors call it, and its SPIR-V.
#[derive(Clone, Copy, Debug)]
pub struct ShaderCode<'a> {
    /// Name of the pass, the path of the GLSL file without its ending.
    pub name: &'a str,
    /// SPIR-V.
    pub words: &'a [u32],
}

/// A buffer or an image, to be bound.
#[derive(Clone, Copy, Debug)]
pub enum Resource<'a> {
    /// For storage and uniform blocks.
    Buffer(&'a Buffer),
    /// For storage and sampled images.
    Image(&'a Image),
}

impl Resource<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Buffer(buffer) => buffer.name(),
            Self::Image(image) => image.name(),
        }
    }
}

impl<'a> From<&'a Buffer> for Resource<'a> {
    fn from(buffer: &'a Buffer) -> Self {
        Self::Buffer(buffer)
    }
}

impl<'a> From<&'a Image> for Resource<'a> {
    fn from(image: &'a Image) -> Self {
        Self::Image(image)
    }
}

/// The layouts of a pipeline, from the reflection of its shaders.
pub struct Interface {
    name: Arc<str>,
    slots: Vec<(Binding, vk::ShaderStageFlags)>,
    push_constant_size: u32,
    push_stages: vk::ShaderStageFlags,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    device: Device,
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
        Device::check_limit(&format!("the push constants of '{name}'"), push_constant_size.into(), "bytes", limit)?;

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
                return Err(Error::Vulkan { call: "vkCreatePipelineLayout", result });
            }
        };
        device.name(set_layout, name);
        device.name(layout, name);
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

    fn expected(&self) -> String {
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

/// Resources bound to a pipeline: built once, used in every recording. Cheap to clone.
pub struct Bindings<P: Pipeline> {
    shared: Arc<RawBindings<P>>,
}

impl<P: Pipeline> Clone for Bindings<P> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

struct RawBindings<P> {
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    uses: Vec<Use>,
    bound: Arc<[Bound]>,
    // The pipeline and the resources live as long as the set that refers to them.
    pipeline: P,
    _owners: Vec<Arc<dyn Any + Send + Sync>>,
    device: Device,
}

impl<P: Pipeline> Bindings<P> {
    /// Binds each of `resources` where the shaders of `pipeline` declare its name: the name of the block for buffers,
    /// of the variable for images.
    ///
    /// # Errors
    /// [`Error::Binding`] where a name is missing, unknown, or names another kind of resource; [`Error::OverLimit`] where
    /// a buffer is larger than the device can bind as a uniform block.
    ///
    /// # Panics
    /// Where a resource belongs to another device than the pipeline.
    pub fn new(pipeline: &P, resources: &[(&str, Resource<'_>)]) -> Result<Self> {
        let interface = pipeline.interface();
        let known = |name: &str| interface.slots.iter().any(|(binding, _)| binding.name == name);
        if let Some((name, _)) = resources.iter().find(|(name, _)| !known(name)) {
            let reason = format!("it declares no '{name}', only {}", interface.expected());
            return Err(Error::binding(&interface.name, reason));
        }
        let mut uses: Vec<Use> = Vec::new();
        let mut owners = Vec::new();
        let mut bound = Vec::new();
        for (binding, stages) in &interface.slots {
            let resource = resources.iter().find(|(name, _)| *name == binding.name).map(|(_, resource)| *resource);
            let resource = resource.ok_or_else(|| {
                Error::binding(&interface.name, format!("'{}' is missing of {}", binding.name, interface.expected()))
            })?;
            let one = use_of(&interface.name, binding, *stages, resource)?;
            add_use(&mut uses, one, &interface.name)?;
            let owned: &dyn Owned = match &resource {
                Resource::Buffer(buffer) => *buffer,
                Resource::Image(image) => *image,
            };
            interface.device.assert_same(owned.device());
            owners.push(owned.owner());
            bound.push((binding, resource));
        }
        let device = interface.device.clone();
        let (pool, set) = Self::allocate(&device, interface)?;
        write_set(&device, set, &bound);
        let bound = bound.iter().map(|(binding, resource)| Bound {
            name: binding.name.clone(),
            resource: resource.name().to_string(),
            access: binding.access,
        });
        let bound = bound.collect();
        let raw = RawBindings { pool, set, uses, bound, pipeline: pipeline.clone(), _owners: owners, device };
        Ok(Self { shared: Arc::new(raw) })
    }

    fn allocate(device: &Device, interface: &Interface) -> Result<(vk::DescriptorPool, vk::DescriptorSet)> {
        let sizes: Vec<_> = interface
            .slots
            .iter()
            .map(|(binding, _)| vk::DescriptorPoolSize::default().ty(descriptor_type(binding.kind)).descriptor_count(1))
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let pool = unsafe { device.raw().create_descriptor_pool(&info, None) }.call("vkCreateDescriptorPool")?;
        let layouts = [interface.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool has room for exactly this set.
        match unsafe { device.raw().allocate_descriptor_sets(&info) } {
            Ok(sets) => {
                device.name(pool, &interface.name);
                device.name(sets[0], &interface.name);
                Ok((pool, sets[0]))
            }
            Err(result) => {
                // SAFETY: nothing uses the pool.
                unsafe { device.raw().destroy_descriptor_pool(pool, None) };
                Err(Error::Vulkan { call: "vkAllocateDescriptorSets", result })
            }
        }
    }

    /// The pipeline that the resources are bound to.
    #[must_use]
    pub fn pipeline(&self) -> &P {
        &self.shared.pipeline
    }

    /// What is bound, in the order of the binding numbers.
    pub(super) fn bound(&self) -> &Arc<[Bound]> {
        &self.shared.bound
    }

    pub(super) fn uses(&self) -> &[Use] {
        &self.shared.uses
    }

    /// Binds the set and pushes the constants.
    ///
    /// # Safety
    /// `commands` must be recording, with the bindings kept alive until it is done, and `push` must have passed the
    /// interface's check.
    pub(super) unsafe fn bind(
        &self,
        raw: &ash::Device,
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        push: &[u8],
    ) {
        let interface = self.shared.pipeline.interface();
        // SAFETY: the set was made for this layout; the caller vouches for the rest.
        unsafe {
            if !interface.slots.is_empty() {
                raw.cmd_bind_descriptor_sets(commands, point, interface.layout, 0, &[self.shared.set], &[]);
            }
            if !push.is_empty() {
                raw.cmd_push_constants(commands, interface.layout, interface.push_stages, 0, push);
            }
        }
    }
}

impl<P: Pipeline> Owned for Bindings<P> {
    fn owner(&self) -> Arc<dyn Any + Send + Sync> {
        self.shared.clone()
    }

    fn device(&self) -> &Device {
        &self.shared.device
    }
}

impl<P> Drop for RawBindings<P> {
    fn drop(&mut self) {
        // SAFETY: recordings hold the owner of what they use until the device is done with it.
        unsafe { self.device.raw().destroy_descriptor_pool(self.pool, None) };
    }
}

/// Adds what one binding or target does to a resource to what the pass does.
pub(super) fn add_use(uses: &mut Vec<Use>, one: Use, pass: &str) -> Result<()> {
    match uses.iter_mut().find(|other| other.resource == one.resource) {
        Some(other) if other.image != one.image => Err(Error::binding(pass, "it needs one image in two layouts")),
        Some(other) => {
            other.stages |= one.stages;
            other.accesses |= one.accesses;
            Ok(())
        }
        None => {
            uses.push(one);
            Ok(())
        }
    }
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
        Device::check_limit(&format!("'{name}'"), count, "bindings of one kind", (limit_name, limit.into()))?;
    }
    Ok(())
}

/// Reads the interface out of a shader and checks that it is one `main` of the stage `model`.
pub(super) fn reflect_shader(code: &ShaderCode<'_>, model: spirv::ExecutionModel) -> Result<Reflection> {
    let told = |reason| Error::Shader { shader: code.name.into(), reason };
    let reflection = reflect(code.words).map_err(told)?;
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
    pub(super) fn new(device: &'a Device, code: &ShaderCode<'_>) -> Result<Self> {
        let info = vk::ShaderModuleCreateInfo::default().code(code.words);
        // SAFETY: the words have been reflected, so they are SPIR-V in form; beyond that the shader is code, trusted
        // like this program's own.
        let raw = unsafe { device.raw().create_shader_module(&info, None) }.call("vkCreateShaderModule")?;
        device.name(raw, code.name);
        Ok(Self { raw, device })
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: no pipeline is being made from the module any more.
        unsafe { self.device.raw().destroy_shader_module(self.raw, None) };
    }
}

fn descriptor_type(kind: BindingKind) -> vk::DescriptorType {
    match kind {
        BindingKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
        BindingKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        BindingKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        BindingKind::SampledImage => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
    }
}

fn image_layout(kind: BindingKind) -> vk::ImageLayout {
    match kind {
        BindingKind::SampledImage => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        _ => vk::ImageLayout::GENERAL,
    }
}

/// What a binding does to a resource, for the hazard tracker.
fn use_of(pass: &str, binding: &Binding, stages: vk::ShaderStageFlags, resource: Resource<'_>) -> Result<Use> {
    let accesses = match (binding.kind, binding.access) {
        (BindingKind::UniformBuffer, _) => vk::AccessFlags2::UNIFORM_READ,
        (BindingKind::SampledImage, _) => vk::AccessFlags2::SHADER_SAMPLED_READ,
        (_, Access::Read) => vk::AccessFlags2::SHADER_STORAGE_READ,
        (_, Access::Write) => vk::AccessFlags2::SHADER_STORAGE_WRITE,
        (_, Access::ReadWrite) => vk::AccessFlags2::SHADER_STORAGE_READ | vk::AccessFlags2::SHADER_STORAGE_WRITE,
    };
    let stages = [
        (vk::ShaderStageFlags::COMPUTE, vk::PipelineStageFlags2::COMPUTE_SHADER),
        (vk::ShaderStageFlags::VERTEX, vk::PipelineStageFlags2::VERTEX_SHADER),
        (vk::ShaderStageFlags::FRAGMENT, vk::PipelineStageFlags2::FRAGMENT_SHADER),
    ]
    .into_iter()
    .filter(|(shader, _)| stages.contains(*shader))
    .fold(vk::PipelineStageFlags2::empty(), |sum, (_, stage)| sum | stage);
    match (binding.kind, resource) {
        (BindingKind::StorageBuffer | BindingKind::UniformBuffer, Resource::Buffer(buffer)) => {
            if binding.kind == BindingKind::UniformBuffer {
                let limit = ("maxUniformBufferRange", u64::from(buffer.device().limits().max_uniform_buffer_range));
                Device::check_limit(&format!("the uniform block '{}'", binding.name), buffer.size(), "bytes", limit)?;
            }
            Ok(Use { resource: buffer.id(), stages, accesses, image: None })
        }
        (BindingKind::StorageImage | BindingKind::SampledImage, Resource::Image(image))
            if matches!(
                (binding.kind, image.kind()),
                (BindingKind::StorageImage, ImageKind::Storage)
                    | (
                        BindingKind::SampledImage,
                        ImageKind::Depth { samples: 1 } | ImageKind::Texture | ImageKind::Mipmapped
                    )
            ) =>
        {
            let layout = image_layout(binding.kind);
            let image_use = ImageUse { layout, ..image.home_use() };
            Ok(Use { resource: image.id(), stages, accesses, image: Some(image_use) })
        }
        _ => Err(Error::binding(pass, format!("'{}' takes a {:?}, not a {resource:?}", binding.name, binding.kind))),
    }
}

fn write_set(device: &Device, set: vk::DescriptorSet, bound: &[(&Binding, Resource<'_>)]) {
    let infos: Vec<_> = bound
        .iter()
        .map(|(binding, resource)| match resource {
            Resource::Buffer(buffer) => (
                [vk::DescriptorBufferInfo::default().buffer(buffer.raw()).range(vk::WHOLE_SIZE)],
                [vk::DescriptorImageInfo::default()],
            ),
            Resource::Image(image) => (
                [vk::DescriptorBufferInfo::default()],
                [vk::DescriptorImageInfo::default()
                    .image_view(image.view())
                    .image_layout(image_layout(binding.kind))
                    .sampler(image.sampler())],
            ),
        })
        .collect();
    let writes: Vec<_> = bound
        .iter()
        .zip(&infos)
        .map(|((binding, resource), (buffers, images))| {
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding.binding)
                .descriptor_type(descriptor_type(binding.kind));
            match resource {
                Resource::Buffer(_) => write.buffer_info(buffers),
                Resource::Image(_) => write.image_info(images),
            }
        })
        .collect();
    // SAFETY: the set is not in use yet, and each resource was seen to be of the kind that its binding takes.
    unsafe { device.raw().update_descriptor_sets(&writes, &[]) };
}
