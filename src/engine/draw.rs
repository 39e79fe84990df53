//! Graphics pipelines and passes that draw, with dynamic rendering.

use std::sync::Arc;

use ash::vk;

use super::bindings::{Bindings, add_use};
use super::buffer::Buffer;
use super::device::Device;
use super::error::{Error, Result};
use super::hazard::Use;
use super::image::{DEPTH_FORMAT, Image, ImageKind};
use super::interface::{Interface, Module, Pipeline, ShaderCode, reflect_shader};
use super::recorder::Recorder;
use super::replaced::current;
use super::work::{Bound, Extent, Work};

/// How a pipeline draws. Vertices are not fed: vertex shaders index the buffers that they bind.
#[derive(Clone, Copy, Debug)]
pub struct DrawDescription<'a> {
    /// Vertex shader; the pass takes its name.
    pub vertex: ShaderCode<'a>,
    /// Fragment shader; without one only depth is drawn.
    pub fragment: Option<ShaderCode<'a>>,
    /// Format of the colour target, `UNDEFINED` where there is none.
    pub color_format: vk::Format,
    /// Samples a pixel of the targets.
    pub samples: u32,
    /// What each group of vertices is drawn as.
    pub topology: vk::PrimitiveTopology,
    /// Whether the target has depth, by which what is near hides what is behind it. Without, the last is on top.
    pub depth: bool,
    /// Whether colours come multiplied by their alpha, which says how much of what is behind them they hide.
    pub premultiplied: bool,
}

/// A graphics pipeline. Cheap to clone.
#[derive(Clone)]
pub struct DrawPipeline {
    shared: Arc<RawDrawPipeline>,
}

struct RawDrawPipeline {
    raw: vk::Pipeline,
    color_format: vk::Format,
    samples: u32,
    depth: bool,
    shaders: Vec<String>,
    interface: Interface,
    device: Device,
}

impl DrawPipeline {
    /// Makes a pipeline; what it binds is read out of its shaders' SPIR-V.
    ///
    /// # Errors
    /// [`Error::Shader`] where the SPIR-V is malformed, [`Error::DeviceLacks`] where the device cannot draw, or what
    /// Vulkan reports.
    pub fn new(device: &Device, description: &DrawDescription<'_>) -> Result<Self> {
        if !device.info().draws {
            return Err(Error::DeviceLacks { device: device.info().name.clone(), what: "a graphics queue".into() });
        }
        let name = description.vertex.name;
        let vertex_words = current(device, &description.vertex, "vert")?;
        let vertex_code = ShaderCode { name, words: &vertex_words };
        let fragment_words = description.fragment.map(|code| current(device, &code, "frag")).transpose()?;
        let fragment_code = description.fragment.zip(fragment_words.as_deref());
        let fragment_code = fragment_code.map(|(code, words)| ShaderCode { name: code.name, words });
        let vertex = reflect_shader(&vertex_code, spirv::ExecutionModel::Vertex, &[])?;
        let reflect_fragment = |code| reflect_shader(code, spirv::ExecutionModel::Fragment, &[]);
        let fragment = fragment_code.as_ref().map(reflect_fragment).transpose()?;
        let mut stages = vec![(vk::ShaderStageFlags::VERTEX, &vertex)];
        stages.extend(fragment.as_ref().map(|fragment| (vk::ShaderStageFlags::FRAGMENT, fragment)));
        let interface = Interface::new(device, name, &stages)?;
        let mut shaders = vec![format!("{name}.vert")];
        shaders.extend(description.fragment.map(|fragment| format!("{}.frag", fragment.name)));

        let vertex_module = Module::new(device, &vertex_code, &shaders[0])?;
        let fragment_module = fragment_code.as_ref().map(|code| Module::new(device, code, &shaders[1])).transpose()?;
        let stage = |stage, module: &Module<'_>| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module.raw).name(c"main")
        };
        let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, &vertex_module)];
        stages.extend(fragment_module.iter().map(|module| stage(vk::ShaderStageFlags::FRAGMENT, module)));

        let vertex_input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(description.topology);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        // Cloth is seen from both sides, so nothing is culled.
        let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
            .cull_mode(vk::CullModeFlags::NONE)
            .front_face(vk::FrontFace::COUNTER_CLOCKWISE)
            .line_width(1.0);
        if fragment_module.is_none() {
            // A depth-only pass draws a shadow map: a bias that grows with the slope keeps surfaces from shading
            // themselves.
            raster = raster.depth_bias_enable(true).depth_bias_constant_factor(2.0).depth_bias_slope_factor(2.5);
        }
        let samples = vk::SampleCountFlags::from_raw(description.samples);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(description.depth)
            .depth_write_enable(description.depth)
            .depth_compare_op(vk::CompareOp::LESS_OR_EQUAL);
        let source = if description.premultiplied { vk::BlendFactor::ONE } else { vk::BlendFactor::SRC_ALPHA };
        let attachments = [vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA)
            .blend_enable(true)
            .src_color_blend_factor(source)
            .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
            .src_alpha_blend_factor(vk::BlendFactor::ONE)
            .dst_alpha_blend_factor(vk::BlendFactor::ONE)];
        let formats = [description.color_format];
        let has_color = description.color_format != vk::Format::UNDEFINED;
        let blend =
            vk::PipelineColorBlendStateCreateInfo::default().attachments(if has_color { &attachments } else { &[] });
        let dynamic_states = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic_states);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(if has_color { &formats } else { &[] })
            .depth_attachment_format(if description.depth { DEPTH_FORMAT } else { vk::Format::UNDEFINED });
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex_input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(interface.layout())
            .push_next(&mut rendering)];
        // SAFETY: modules and layout are alive, and the layout was made from the modules' reflection.
        let made = unsafe { device.raw().create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        let raw = made.map_err(|(_, result)| Error::of("vkCreateGraphicsPipelines", result))?[0];
        device.name(raw, name);
        Ok(Self {
            shared: Arc::new(RawDrawPipeline {
                raw,
                color_format: description.color_format,
                samples: description.samples,
                depth: description.depth,
                shaders,
                interface,
                device: device.clone(),
            }),
        })
    }
}

impl Pipeline for DrawPipeline {
    fn interface(&self) -> &Interface {
        &self.shared.interface
    }
}

impl Drop for RawDrawPipeline {
    fn drop(&mut self) {
        // SAFETY: bindings hold the pipeline, and recordings hold bindings until the device is done with them.
        unsafe { self.device.raw().destroy_pipeline(self.raw, None) };
    }
}

/// What a pass draws into: colour, depth or both.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Colour, with what it starts from.
    pub color: Option<(&'a Image, Start)>,
    /// Where the samples of `color` are averaged into.
    pub resolve: Option<&'a Image>,
    /// Depth, cleared to the far plane.
    pub depth: Option<&'a Image>,
}

/// What the colour of a pass starts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// This linear RGBA everywhere.
    Clear([f32; 4]),
    /// What earlier passes of the recording drew.
    Keep,
}

impl<'a> Target<'a> {
    fn images(self) -> impl Iterator<Item = &'a Image> {
        self.color.map(|(image, _)| image).into_iter().chain(self.resolve).chain(self.depth)
    }

    /// The image whose size and number of samples the others share.
    fn first(self, name: &str) -> Result<&'a Image> {
        self.images().next().ok_or_else(|| Error::binding(name, "its target has neither colour nor depth"))
    }
}

/// One draw of a pass.
pub struct Draw<'a> {
    /// Pipeline and resources.
    pub bindings: &'a Bindings<DrawPipeline>,
    /// Push constants.
    pub push: &'a [u8],
    /// Which vertices.
    pub vertices: Vertices<'a>,
}

/// Which vertices a draw runs over.
#[derive(Clone, Copy, Debug)]
pub enum Vertices<'a> {
    /// This many, from 0.
    Count(u32),
    /// The first so many 32-bit indices of a buffer.
    Indexed(&'a Buffer, u32),
}

impl Recorder<'_> {
    /// Draws into all of a target, in Vulkan's clip space: y down, depth from 0 near to 1 far.
    ///
    /// # Errors
    /// [`Error::Binding`] where push constants have another size than the shaders', indices exceed their buffer, or the
    /// parts of the target do not fit each other or a pipeline; [`Error::OverLimit`] where the device cannot count as far
    /// as the vertices.
    pub fn draw(&mut self, name: &str, target: &Target<'_>, draws: &[Draw<'_>]) -> Result<()> {
        check_target(name, target)?;
        for draw in draws {
            let pipeline = &draw.bindings.pipeline().shared;
            let interface = &pipeline.interface;
            interface.check_push(draw.push)?;
            let format = target.color.map_or(vk::Format::UNDEFINED, |(image, _)| image.format());
            let fits = pipeline.samples == samples(target.first(name)?) && pipeline.depth == target.depth.is_some();
            if pipeline.color_format != format || !fits {
                let reason = "its pipeline draws into another format, number of samples or depth than the target has";
                return Err(Error::binding(interface.name(), reason));
            }
            if let Vertices::Count(count) = draw.vertices {
                let limit = ("maxDrawIndexedIndexValue", self.device.most_vertices());
                Device::check_limit(format_args!("the pass '{name}'"), count.into(), "vertices", limit)?;
            }
            if let Vertices::Indexed(buffer, count) = draw.vertices
                && u64::from(count) * 4 > buffer.size()
            {
                let reason = format!("it draws {count} indices, and '{}' holds fewer", buffer.name());
                return Err(Error::binding(interface.name(), reason));
            }
        }
        let uses = uses(name, target, draws)?;
        for draw in draws {
            self.keep_alive(draw.bindings);
            if let Vertices::Indexed(buffer, _) = draw.vertices {
                self.keep_alive(buffer);
            }
        }
        for image in target.images() {
            self.keep_alive(image);
        }
        let pass = self.slot.shared_name(name);
        self.start_pass(&pass, None, &uses);
        self.describe(|| work(draws));
        let commands = self.commands;
        begin_rendering(self.device.raw(), commands, target, target.first(name)?.extent());
        for draw in draws {
            self.open_label(draw.bindings.pipeline().shared.interface.name());
            // SAFETY: the pipeline, its layout and the set belong together, the recorder keeps them alive, and the
            // sizes of push constants and indices were checked just now.
            unsafe {
                let raw = self.device.raw();
                raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, draw.bindings.pipeline().shared.raw);
                draw.bindings.bind(raw, commands, vk::PipelineBindPoint::GRAPHICS, draw.push);
                match draw.vertices {
                    Vertices::Count(count) => raw.cmd_draw(commands, count, 1, 0, 0),
                    Vertices::Indexed(buffer, count) => {
                        raw.cmd_bind_index_buffer(commands, buffer.raw(), 0, vk::IndexType::UINT32);
                        raw.cmd_draw_indexed(commands, count, 1, 0, 0, 0);
                    }
                }
            }
            self.close_label();
        }
        // SAFETY: rendering was begun above.
        unsafe { self.device.raw().cmd_end_rendering(commands) };
        Ok(())
    }
}

/// What draws do together.
fn work(draws: &[Draw<'_>]) -> Work {
    let mut shaders: Vec<String> = Vec::new();
    let mut bound: Vec<Bound> = Vec::new();
    let mut vertices = 0;
    for draw in draws {
        let new = |name: &&String| !shaders.contains(name);
        let of_draw = &draw.bindings.pipeline().shared.shaders;
        shaders.extend(of_draw.iter().filter(new).cloned().collect::<Vec<_>>());
        for one in draw.bindings.bound().iter() {
            if !bound.contains(one) {
                bound.push(one.clone());
            }
        }
        vertices += u64::from(match draw.vertices {
            Vertices::Count(count) | Vertices::Indexed(_, count) => count,
        });
    }
    let extent = Extent::Draw { draws: draws.len() as u32, vertices };
    Work { shaders: shaders.into(), extent, bound: bound.into() }
}

fn begin_rendering(raw: &ash::Device, commands: vk::CommandBuffer, target: &Target<'_>, [width, height]: [u32; 2]) {
    let area = vk::Rect2D::default().extent(vk::Extent2D { width, height });
    let colors: Vec<_> = target
        .color
        .iter()
        .map(|(image, start)| {
            let attachment = vk::RenderingAttachmentInfo::default()
                .image_view(image.view())
                .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .store_op(vk::AttachmentStoreOp::STORE);
            let attachment = match *start {
                Start::Clear(float32) => attachment
                    .load_op(vk::AttachmentLoadOp::CLEAR)
                    .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32 } }),
                Start::Keep => attachment.load_op(vk::AttachmentLoadOp::LOAD),
            };
            match target.resolve {
                Some(resolve) => attachment
                    .store_op(vk::AttachmentStoreOp::DONT_CARE)
                    .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                    .resolve_image_view(resolve.view())
                    .resolve_image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL),
                None => attachment,
            }
        })
        .collect();
    let depth_value = vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 };
    let depth = target.depth.map_or(vk::ImageView::null(), Image::view);
    let depth = vk::RenderingAttachmentInfo::default()
        .image_view(depth)
        .image_layout(vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .clear_value(vk::ClearValue { depth_stencil: depth_value });
    let info = vk::RenderingInfo::default()
        .render_area(area)
        .layer_count(1)
        .color_attachments(&colors)
        .depth_attachment(&depth);
    let viewport = vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..Default::default() };
    // SAFETY: the command buffer is recording, and the barrier before brought the targets into these layouts.
    unsafe {
        raw.cmd_begin_rendering(commands, &info);
        raw.cmd_set_viewport(commands, 0, &[viewport]);
        raw.cmd_set_scissor(commands, 0, &[area]);
    }
}

/// What a pass uses: its targets, and what its draws bind, each resource once.
fn uses(name: &str, target: &Target<'_>, draws: &[Draw<'_>]) -> Result<Vec<Use>> {
    let color_stage = vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT;
    let color_accesses = vk::AccessFlags2::COLOR_ATTACHMENT_READ | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE;
    let depth_stages = vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS;
    let depth_accesses =
        vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE;
    let mut uses: Vec<Use> = target
        .color
        .map(|(image, _)| image)
        .into_iter()
        .chain(target.resolve)
        .map(|image| image.used(color_stage, color_accesses, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL))
        .collect();
    let depth = target.depth.into_iter();
    uses.extend(depth.map(|image| image.used(depth_stages, depth_accesses, vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL)));
    let indices = draws.iter().filter_map(|draw| match draw.vertices {
        Vertices::Indexed(buffer, _) => Some(Use {
            resource: buffer.id(),
            stages: vk::PipelineStageFlags2::INDEX_INPUT,
            accesses: vk::AccessFlags2::INDEX_READ,
            image: None,
        }),
        Vertices::Count(_) => None,
    });
    for one in draws.iter().flat_map(|draw| draw.bindings.uses().iter().copied()).chain(indices) {
        add_use(&mut uses, one, name)?;
    }
    Ok(uses)
}

/// Fails where the images of a target are of the wrong kind, or of different sizes.
fn check_target(name: &str, target: &Target<'_>) -> Result<()> {
    let wrong = |reason: &str| Err(Error::binding(name, reason));
    let first = target.first(name)?;
    let extent = first.extent();
    let colors = target.color.map(|(image, _)| image).into_iter().chain(target.resolve);
    for image in colors {
        if !matches!(image.kind(), ImageKind::Color { .. }) || image.extent() != extent {
            return wrong("colour is drawn into colour images that are all of one size");
        }
    }
    if target.depth.is_some_and(|depth| !matches!(depth.kind(), ImageKind::Depth { .. }) || depth.extent() != extent) {
        return wrong("depth is drawn into a depth image of the colour's size");
    }
    match (target.color, target.resolve) {
        _ if target.depth.is_some_and(|depth| samples(depth) != samples(first)) => {
            wrong("colour and depth have different numbers of samples")
        }
        (Some((color, _)), Some(resolve))
            if samples(color) == 1 || samples(resolve) != 1 || color.format() != resolve.format() =>
        {
            wrong("several samples are averaged into one, in the same format")
        }
        (None, Some(_)) => wrong("there is no colour to average"),
        _ => Ok(()),
    }
}

fn samples(image: &Image) -> u32 {
    match image.kind() {
        ImageKind::Color { samples, .. } | ImageKind::Depth { samples } => samples,
        ImageKind::Storage | ImageKind::Texture | ImageKind::Mipmapped => 1,
    }
}
