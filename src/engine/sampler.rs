//! How shaders sample images.

use ash::vk;

use super::device::Device;
use super::error::{Call, Result};
use super::image::ImageKind;

/// The sampler of images of a kind; none where they are not sampled.
pub(super) fn sampler(device: &Device, kind: ImageKind) -> Result<vk::Sampler> {
    let linear = vk::SamplerCreateInfo::default().mag_filter(vk::Filter::LINEAR).min_filter(vk::Filter::LINEAR);
    let at_edges = |mode| linear.address_mode_u(mode).address_mode_v(mode);
    let info = match kind {
        ImageKind::Storage | ImageKind::Color { .. } => return Ok(vk::Sampler::null()),
        // Compares a depth with four texels around and averages the results: soft edges for shadow maps.
        ImageKind::Depth { .. } => at_edges(vk::SamplerAddressMode::CLAMP_TO_BORDER)
            .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE)
            .compare_enable(true)
            .compare_op(vk::CompareOp::LESS_OR_EQUAL),
        // Interpolates between texels, and repeats those at the edges beyond them.
        ImageKind::Texture => at_edges(vk::SamplerAddressMode::CLAMP_TO_EDGE),
        // And between levels; beyond its edges it starts again.
        ImageKind::Mipmapped => at_edges(vk::SamplerAddressMode::REPEAT)
            .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
            .max_lod(vk::LOD_CLAMP_NONE),
    };
    // SAFETY: the device is alive.
    unsafe { device.raw().create_sampler(&info, None) }.call("vkCreateSampler")
}
