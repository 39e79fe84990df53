//! What every picture has, whatever runs in it: targets, camera and light, shadow map, floor and colliders.

use bytemuck::bytes_of;
use glam::camera::rh::{proj, view};
use glam::{Mat4, Vec2, Vec3, Vec4};

use super::camera::{Bounds, Camera};
use super::collider_view::ColliderView;
use super::colors::palette;
use super::print::Print;
use super::shown::{Shown, full_speed};
use crate::engine::{
    self, Bindings, Buffer, Device, Draw, DrawDescription, DrawPipeline, Image, ImageKind, Recorder, Resource,
    ShaderCode, Start, Target, Vertices, vk,
};
use crate::layout::ViewParameters;
use crate::shaders;
use crate::solver::Simulation;

/// Side of the shadow map \[texels\].
const SHADOW_MAP_SIZE: u32 = 2048;

const FRONT_COLOR: Vec3 = Vec3::new(0.37, 0.016, 0.024);
const BACK_COLOR: Vec3 = Vec3::new(0.26, 0.014, 0.02);
const SECOND_COLOR: Vec3 = Vec3::new(0.78, 0.68, 0.50);
const COLLIDER_COLOR: Vec3 = Vec3::new(0.12, 0.19, 0.24);
const BACKGROUND: Vec3 = Vec3::new(0.42, 0.46, 0.50);

/// Targets of one size that pictures are drawn into, before their samples are averaged into their final image.
pub struct ViewTargets {
    /// None where a pixel has one sample, which goes into the final image at once.
    color: Option<Image>,
    depth: Image,
}

impl ViewTargets {
    /// Targets for pictures of `extent` (width, height) in `format`.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, extent: [u32; 2], format: vk::Format) -> engine::Result<Self> {
        let samples = device.info().samples;
        let color = || Image::new(device, "view.color", ImageKind::Color { format, samples }, extent);
        let depth = Image::new(device, "view.depth", ImageKind::Depth { samples }, extent)?;
        Ok(Self { color: (samples > 1).then(color).transpose()?, depth })
    }

    fn extent(&self) -> Vec2 {
        Vec2::from_array(self.depth.extent().map(|side| side as f32))
    }
}

/// What is the same in all of one picture.
pub(super) struct Look {
    /// Share of the last step that has passed, 0 to 1.
    pub(super) alpha: f32,
    pub(super) shown: Shown,
    /// Duration of a step \[s\].
    pub(super) step_dt: f32,
    /// Of the display.
    pub(super) pixels_per_point: f32,
}

/// What a picture is made of, beside the stage itself.
pub(super) struct Scenery<'a> {
    /// What casts shadows: each as the light and as the camera see it.
    pub(super) subjects: Vec<[Draw<'a>; 2]>,
    /// What lies over it as the camera sees it.
    pub(super) marks: Vec<Draw<'a>>,
}

/// What the pictures of one simulation share.
pub(super) struct Stage {
    parameters: Buffer,
    palette: Buffer,
    print: Print,
    shadow_map: Image,
    floor: Bindings<DrawPipeline>,
    colliders: ColliderView,
    room: Bounds,
}

impl Stage {
    /// Sets the stage in `room`, the space in which shadows fall, with the floor at its lower side.
    pub(super) fn new(
        device: &Device,
        simulation: &Simulation,
        format: vk::Format,
        room: Bounds,
    ) -> engine::Result<Self> {
        let print = Print::new(device, simulation.body())?;
        let parameters = Buffer::zeroed(device, "view.parameters", size_of::<ViewParameters>() as u64)?;
        let palette = Buffer::from_slice(device, "view.palette", &[palette()])?;
        let shadow_extent = [SHADOW_MAP_SIZE; 2];
        let shadow_map = Image::new(device, "view.shadow_map", ImageKind::Depth { samples: 1 }, shadow_extent)?;
        let floor = pipeline(device, shaders::VIEW_FLOOR_VERT, Some((shaders::VIEW_FLOOR_FRAG, format)))?;
        let floor =
            Bindings::new(&floor, &[("ViewParameters", (&parameters).into()), ("u_ShadowMap", (&shadow_map).into())])?;
        let colliders = ColliderView::new(device, simulation.colliders(), format, &parameters, &shadow_map)?;
        Ok(Self { parameters, palette, print, shadow_map, floor, colliders, room })
    }

    /// What a shader binds as `ViewParameters`.
    pub(super) fn parameters(&self) -> (&'static str, Resource<'_>) {
        ("ViewParameters", (&self.parameters).into())
    }

    /// What a shader binds as `Palette`.
    pub(super) fn palette(&self) -> (&'static str, Resource<'_>) {
        ("Palette", (&self.palette).into())
    }

    /// What a shader binds as `u_Texture`.
    pub(super) fn texture(&self) -> (&'static str, Resource<'_>) {
        ("u_Texture", (&self.print.texture).into())
    }

    /// What a shader binds as `u_ShadowMap`.
    pub(super) fn shadow_map(&self) -> (&'static str, Resource<'_>) {
        ("u_ShadowMap", (&self.shadow_map).into())
    }

    /// Records what holds for the picture: before every pass that reads [`Stage::parameters`].
    pub(super) fn begin(
        &self,
        recorder: &mut Recorder<'_>,
        look: &Look,
        camera: &Camera,
        targets: &ViewTargets,
    ) -> engine::Result<()> {
        recorder.update(&self.parameters, &[self.view_parameters(look, camera, targets.extent())])
    }

    /// Records the shadow map, and then the picture in a pass called `name`, of what the stage was set for.
    pub(super) fn record(
        &self,
        recorder: &mut Recorder<'_>,
        name: &str,
        scenery: Scenery<'_>,
        targets: &ViewTargets,
        picture: &Image,
    ) -> engine::Result<()> {
        let (mut shadows, mut draws): (Vec<_>, Vec<_>) =
            scenery.subjects.into_iter().map(|[shadow, surface]| (shadow, surface)).unzip();
        shadows.extend(self.colliders.shadows());
        draws.extend(self.colliders.surfaces());
        // After what may be behind it, as it fades.
        draws.push(Draw { bindings: &self.floor, push: bytes_of(&()), vertices: Vertices::Count(6) });
        draws.extend(scenery.marks);
        let shadow_target = Target { color: None, resolve: None, depth: Some(&self.shadow_map) };
        recorder.draw("view/shadow", &shadow_target, &shadows)?;
        let (color, resolve) = match &targets.color {
            Some(color) => (color, Some(picture)),
            None => (picture, None),
        };
        let start = Start::Clear(BACKGROUND.extend(1.0).to_array());
        let target = Target { color: Some((color, start)), resolve, depth: Some(&targets.depth) };
        recorder.draw(name, &target, &draws)
    }

    fn view_parameters(&self, look: &Look, camera: &Camera, extent: Vec2) -> ViewParameters {
        let (centre, radius) = (self.room.centre(), self.room.radius());
        let to_light = Vec3::new(0.45, 0.80, 0.55).normalize();
        // The light sees the room and the floor around it, onto which the shadow falls slanted.
        let reach = 2.0 * radius;
        let light_from_world: Mat4 = proj::vulkan::orthographic(-reach, reach, -reach, reach, 0.0, 4.0 * reach)
            * view::look_at_mat4(centre + 2.0 * reach * to_light, centre, Vec3::Y);
        let floor_height = self.room.least.y - 0.04 * radius;
        ViewParameters {
            clip_from_world: camera.clip_from_world(extent.x / extent.y),
            light_from_world,
            camera_position: camera.position().extend(0.0),
            light_direction: to_light.extend(0.0),
            front_color: FRONT_COLOR.extend(1.0),
            back_color: BACK_COLOR.extend(1.0),
            second_color: SECOND_COLOR.extend(1.0),
            collider_color: COLLIDER_COLOR.extend(1.0),
            background: BACKGROUND.extend(1.0),
            floor_disc: Vec4::new(centre.x, floor_height, centre.z, 5.0 * radius),
            alpha: look.alpha,
            shown: look.shown as u32,
            extent,
            pixels_per_point: look.pixels_per_point,
            full_speed: full_speed(self.room),
            step_dt: look.step_dt,
            pattern: self.print.kind,
            cloth_size: self.print.cloth_size,
            squares: self.print.squares,
            padding: 0,
        }
    }
}

/// A pipeline into the view's targets, or without a fragment shader into the shadow map.
pub(super) fn pipeline(
    device: &Device,
    vertex: ShaderCode<'_>,
    fragment: Option<(ShaderCode<'_>, vk::Format)>,
) -> engine::Result<DrawPipeline> {
    let description = DrawDescription {
        vertex,
        fragment: fragment.map(|(code, _)| code),
        color_format: fragment.map_or(vk::Format::UNDEFINED, |(_, format)| format),
        samples: if fragment.is_some() { device.info().samples } else { 1 },
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        depth: true,
        premultiplied: false,
    };
    DrawPipeline::new(device, &description)
}
