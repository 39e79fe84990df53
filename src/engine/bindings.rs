//! Resources bound to a pipeline, where its shaders declare them.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use ash::vk;

use super::buffer::Buffer;
use super::device::Device;
use super::error::{Call, Error, Result};
use super::hazard::{ImageUse, ResourceId, Use};
use super::image::{Image, ImageKind};
use super::interface::{Interface, Pipeline, descriptor_type};
use super::kernel::Kernel;
use super::recorder::Owned;
use super::reflect::{Access, Binding, BindingKind};
use super::work::{Bound, Extent, Work};

/// A buffer or an image, to be bound.
#[derive(Clone, Copy, Debug)]
pub enum Resource<'a> {
    /// For storage and uniform blocks.
    Buffer(&'a Buffer),
    /// Bytes of a buffer, for storage blocks: as [`Buffer::part`] has them.
    Part {
        /// The buffer.
        buffer: &'a Buffer,
        /// Its first byte.
        first: u64,
        /// How many bytes.
        size: u64,
    },
    /// For storage and sampled images.
    Image(&'a Image),
}

impl Resource<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Buffer(buffer) | Self::Part { buffer, .. } => buffer.name(),
            Self::Image(image) => image.name(),
        }
    }

    fn id(&self) -> ResourceId {
        match self {
            Self::Buffer(buffer) | Self::Part { buffer, .. } => buffer.id(),
            Self::Image(image) => image.id(),
        }
    }
}

impl Buffer {
    /// A part of the buffer, to be bound by itself, as of a buffer that is larger than what one binding takes. Shaders count
    /// elements from its first byte on.
    #[must_use]
    pub fn part(&self, bytes: Range<u64>) -> Resource<'_> {
        Resource::Part { buffer: self, first: bytes.start, size: bytes.end.saturating_sub(bytes.start) }
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
    id: ResourceId,
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
    /// [`Error::Binding`] where a name is missing, unknown, or names another kind of resource, or a part of a buffer is none
    /// that can be bound; [`Error::OverLimit`] where a buffer, or a part, is larger than what one binding takes.
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
                Resource::Buffer(buffer) | Resource::Part { buffer, .. } => *buffer,
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
            id: resource.id(),
            access: binding.access,
        });
        let bound = bound.collect();
        let id = ResourceId::next();
        let raw = RawBindings { id, pool, set, uses, bound, pipeline: pipeline.clone(), _owners: owners, device };
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
                device.name(pool, format_args!("{}.descriptor_pool", interface.name));
                device.name(sets[0], format_args!("{}.descriptor_set", interface.name));
                Ok((pool, sets[0]))
            }
            Err(result) => {
                // SAFETY: nothing uses the pool.
                unsafe { device.raw().destroy_descriptor_pool(pool, None) };
                Err(Error::of("vkAllocateDescriptorSets", result))
            }
        }
    }

    /// The pipeline that the resources are bound to.
    #[must_use]
    pub fn pipeline(&self) -> &P {
        &self.shared.pipeline
    }

    /// Identity of the bindings, which no others get.
    pub(super) fn id(&self) -> ResourceId {
        self.shared.id
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

impl Bindings<Kernel> {
    /// What a dispatch of so many workgroups does.
    pub(super) fn work(&self, groups: [u32; 3]) -> Work {
        let kernel = self.pipeline();
        let extent = Extent::Dispatch { local_size: kernel.local_size(), groups };
        Work { shaders: kernel.shaders().clone(), extent, bound: self.bound().clone() }
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
        (BindingKind::UniformBuffer, Resource::Buffer(buffer)) => {
            let limit = ("maxUniformBufferRange", u64::from(buffer.device().limits().max_uniform_buffer_range));
            Device::check_limit(format_args!("the uniform block '{}'", binding.name), buffer.size(), "bytes", limit)?;
            Ok(Use { resource: buffer.id(), stages, accesses, image: None })
        }
        (BindingKind::StorageBuffer, Resource::Buffer(buffer)) => {
            check_range(pass, binding, buffer, buffer.size())?;
            Ok(Use { resource: buffer.id(), stages, accesses, image: None })
        }
        (BindingKind::StorageBuffer, Resource::Part { buffer, first, size }) => {
            check_range(pass, binding, buffer, size)?;
            let alignment = buffer.device().limits().min_storage_buffer_offset_alignment;
            let is_inside = size > 0 && first.checked_add(size).is_some_and(|end| end <= buffer.size());
            if !is_inside || !first.is_multiple_of(alignment) {
                let held = buffer.size();
                let reason = format!(
                    "'{}' takes a part of the {held} bytes of '{}' that starts at a multiple of {alignment}, not {size} \
                     bytes from {first} on",
                    binding.name,
                    buffer.name()
                );
                return Err(Error::binding(pass, reason));
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

/// Fails where a storage block would have more of a buffer than one binding takes.
fn check_range(pass: &str, binding: &Binding, buffer: &Buffer, size: u64) -> Result<()> {
    let limit = ("maxStorageBufferRange", u64::from(buffer.device().limits().max_storage_buffer_range));
    let what = format!("the buffer '{}', bound at once as '{}' of the pass '{pass}',", buffer.name(), binding.name);
    Device::check_limit(&what, size, "bytes", limit)
}

fn write_set(device: &Device, set: vk::DescriptorSet, bound: &[(&Binding, Resource<'_>)]) {
    let infos: Vec<_> = bound
        .iter()
        .map(|(binding, resource)| match resource {
            Resource::Buffer(buffer) => (
                [vk::DescriptorBufferInfo::default().buffer(buffer.raw()).range(vk::WHOLE_SIZE)],
                [vk::DescriptorImageInfo::default()],
            ),
            Resource::Part { buffer, first, size } => (
                [vk::DescriptorBufferInfo::default().buffer(buffer.raw()).offset(*first).range(*size)],
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
                Resource::Buffer(_) | Resource::Part { .. } => write.buffer_info(buffers),
                Resource::Image(_) => write.image_info(images),
            }
        })
        .collect();
    // SAFETY: the set is not in use yet, and each resource was seen to be of the kind that its binding takes.
    unsafe { device.raw().update_descriptor_sets(&writes, &[]) };
}
