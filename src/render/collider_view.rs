//! Draws colliders from the buffer that the solvers read, meshes with their own triangles.

use bytemuck::bytes_of;

use super::solid::solid_vertices;
use super::stage::pipeline;
use crate::engine::{self, Bindings, Buffer, Device, Draw, DrawPipeline, Image, Vertices, vk};
use crate::layout::ColliderPush;
use crate::model::{Collider, Shape};
use crate::shaders;
use crate::solver::Colliders;

/// The draws of colliders, one each.
pub(super) struct ColliderView {
    colliders: Vec<Drawn>,
}

/// One collider: what draws it into the shadow map and into the picture, which one it is, and how many vertices it has.
struct Drawn {
    shadow: Bindings<DrawPipeline>,
    surface: Bindings<DrawPipeline>,
    push: ColliderPush,
    vertices: u32,
}

impl ColliderView {
    pub(super) fn new(
        device: &Device,
        colliders: &Colliders,
        format: vk::Format,
        parameters: &Buffer,
        shadow_map: &Image,
    ) -> engine::Result<Self> {
        let seen = [("Colliders", colliders.buffer().into()), ("ViewParameters", parameters.into())];
        let lit = [seen[0], seen[1], ("u_ShadowMap", shadow_map.into())];
        let fragment = Some((shaders::VIEW_COLLIDER_FRAG, format));
        let shadow = Bindings::new(&pipeline(device, shaders::VIEW_COLLIDER_SHADOW_VERT, None)?, &seen)?;
        let surface = Bindings::new(&pipeline(device, shaders::VIEW_COLLIDER_VERT, fragment)?, &lit)?;
        // Made for the first mesh, as few scenes have one.
        let mut solid = None;
        let drawn = |(collider, shape): (u32, &Collider)| {
            let push = ColliderPush { collider };
            let Shape::Mesh { surface: mesh, field } = &shape.shape else {
                let (shadow, surface) = (shadow.clone(), surface.clone());
                return Ok(Drawn { shadow, surface, push, vertices: vertex_count(shape) });
            };
            let vertices = solid_vertices(mesh, field);
            let buffer = Buffer::from_slice(device, &format!("view.solids[{collider}]"), &vertices)?;
            let own = ("SolidVertices", (&buffer).into());
            let (solid_shadow, solid_surface) = match &mut solid {
                Some(made) => made,
                none => none.insert((
                    pipeline(device, shaders::VIEW_SOLID_SHADOW_VERT, None)?,
                    pipeline(device, shaders::VIEW_SOLID_VERT, fragment)?,
                )),
            };
            Ok(Drawn {
                shadow: Bindings::new(solid_shadow, &[&seen[..], &[own]].concat())?,
                surface: Bindings::new(solid_surface, &[&lit[..], &[own]].concat())?,
                push,
                vertices: vertices.len() as u32,
            })
        };
        Ok(Self { colliders: (0..).zip(colliders.list()).map(drawn).collect::<engine::Result<_>>()? })
    }

    /// The draws into the shadow map.
    pub(super) fn shadows(&self) -> impl Iterator<Item = Draw<'_>> {
        self.colliders.iter().map(|drawn| drawn.draw(&drawn.shadow))
    }

    /// The draws into the picture.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = Draw<'_>> {
        self.colliders.iter().map(|drawn| drawn.draw(&drawn.surface))
    }
}

impl Drawn {
    fn draw<'a>(&'a self, bindings: &'a Bindings<DrawPipeline>) -> Draw<'a> {
        Draw { bindings, push: bytes_of(&self.push), vertices: Vertices::Count(self.vertices) }
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
