//! Draws colliders from the buffer that the solvers read.

use bytemuck::bytes_of;

use super::stage::pipeline;
use crate::engine::{self, Bindings, Buffer, Device, Draw, DrawPipeline, Image, Vertices, vk};
use crate::layout::ColliderPush;
use crate::model::{Collider, Shape};
use crate::shaders;
use crate::solver::Colliders;

/// The draws of colliders, one each.
pub(super) struct ColliderView {
    shadow: Bindings<DrawPipeline>,
    surface: Bindings<DrawPipeline>,
    /// Which collider, and how many vertices it has.
    colliders: Vec<(ColliderPush, u32)>,
}

impl ColliderView {
    pub(super) fn new(
        device: &Device,
        colliders: &Colliders,
        format: vk::Format,
        parameters: &Buffer,
        shadow_map: &Image,
    ) -> engine::Result<Self> {
        let bound = ("Colliders", colliders.buffer().into());
        let view = ("ViewParameters", parameters.into());
        let shadow = Bindings::new(&pipeline(device, shaders::VIEW_COLLIDER_SHADOW_VERT, None)?, &[bound, view])?;
        let surface = pipeline(device, shaders::VIEW_COLLIDER_VERT, Some((shaders::VIEW_COLLIDER_FRAG, format)))?;
        let surface = Bindings::new(&surface, &[bound, view, ("u_ShadowMap", shadow_map.into())])?;
        let numbered = (0..).zip(colliders.list());
        let colliders = numbered.map(|(collider, shape)| (ColliderPush { collider }, vertex_count(shape))).collect();
        Ok(Self { shadow, surface, colliders })
    }

    /// The draws into the shadow map.
    pub(super) fn shadows(&self) -> impl Iterator<Item = Draw<'_>> {
        self.draws(&self.shadow)
    }

    /// The draws into the picture.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = Draw<'_>> {
        self.draws(&self.surface)
    }

    fn draws<'a>(&'a self, bindings: &'a Bindings<DrawPipeline>) -> impl Iterator<Item = Draw<'a>> {
        let draw = move |(push, vertices): &'a (ColliderPush, u32)| Draw {
            bindings,
            push: bytes_of(push),
            vertices: Vertices::Count(*vertices),
        };
        self.colliders.iter().map(draw)
    }
}

/// Vertices of a collider, as `glsl/lib/collider_vertex.glsl` and `glsl/lib/height_field_vertex.glsl` count them.
fn vertex_count(collider: &Collider) -> u32 {
    match &collider.shape {
        Shape::HeightField(field) => {
            let cells = field.grid_size() - 1;
            6 * (cells.element_product() + 2 * cells.element_sum())
        }
        _ => 32 * 16 * 6,
    }
}
