//! Draws a cloth straight from the solver's particles: normals, shadow map, then cloth and floor.

use bytemuck::bytes_of;
use glam::camera::rh::{proj, view};
use glam::{Mat4, Vec2, Vec3, Vec4};

use super::camera::{Bounds, Camera};
use super::collider_view::ColliderView;
use crate::engine::{
    self, Bindings, Buffer, Device, Draw, DrawDescription, DrawPipeline, Image, ImageKind, Kernel, Recorder, Resource,
    ShaderCode, Target, Vertices, vk,
};
use crate::layout::{NormalsPush, ViewParameters};
use crate::model::Cloth;
use crate::shaders;
use crate::solver::{Particles, Simulation};

/// Samples a pixel; every Vulkan device has 4.
const SAMPLES: u32 = 4;
/// Side of the shadow map \[texels\].
const SHADOW_MAP_SIZE: u32 = 2048;

const FRONT_COLOR: Vec3 = Vec3::new(0.37, 0.016, 0.024);
const BACK_COLOR: Vec3 = Vec3::new(0.26, 0.014, 0.02);
const STRIPE_COLOR: Vec3 = Vec3::new(0.78, 0.68, 0.50);
const COLLIDER_COLOR: Vec3 = Vec3::new(0.12, 0.19, 0.24);
const BACKGROUND: Vec3 = Vec3::new(0.42, 0.46, 0.50);

/// Targets of one size that pictures are drawn into before they are averaged into their final image.
pub struct ViewTargets {
    color: Image,
    depth: Image,
}

impl ViewTargets {
    /// Targets for pictures of `extent` (width, height) in `format`.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, extent: [u32; 2], format: vk::Format) -> engine::Result<Self> {
        let color = Image::new(device, "view color", ImageKind::Color { format, samples: SAMPLES }, extent)?;
        let depth = Image::new(device, "view depth", ImageKind::Depth { samples: SAMPLES }, extent)?;
        Ok(Self { color, depth })
    }

    fn aspect(&self) -> f32 {
        let [width, height] = self.color.extent();
        width as f32 / height as f32
    }
}

/// The draw passes of one cloth.
pub struct ClothView {
    particle_count: u32,
    index_count: u32,
    indices: Buffer,
    parameters: Buffer,
    shadow_map: Image,
    floor: Bindings<DrawPipeline>,
    colliders: ColliderView,
    /// One set for each place where the solver keeps its particles.
    places: Vec<Place>,
    stripe_width: f32,
    room: Bounds,
}

/// What is bound to the particles in one place.
struct Place {
    keep: Bindings<Kernel>,
    normals: Bindings<Kernel>,
    shadow: Bindings<DrawPipeline>,
    cloth: Bindings<DrawPipeline>,
}

impl ClothView {
    /// Prepares to draw the cloth of `simulation` into targets of `format`; `room` is the space in which shadows fall,
    /// with the floor at its lower side.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, simulation: &Simulation, format: vk::Format, room: Bounds) -> engine::Result<Self> {
        let cloth = simulation.cloth();
        let limit = ("maxDrawIndexedIndexValue", device.most_vertices());
        Device::check_limit("a picture of the cloth", cloth.positions.len() as u64, "vertices", limit)?;
        let corners = cloth.triangles.as_flattened();
        let parameters = Buffer::zeroed(device, "view parameters", size_of::<ViewParameters>() as u64)?;
        let shadow_extent = [SHADOW_MAP_SIZE; 2];
        let shadow_map = Image::new(device, "shadow map", ImageKind::Depth { samples: 1 }, shadow_extent)?;
        let buffers = Buffers {
            indices: Buffer::from_slice(device, "triangles", corners)?,
            normals: Buffer::zeroed(device, "normals", size_of_val(&*cloth.positions) as u64)?,
            previous: Buffer::from_slice(device, "drawn from", &cloth.positions)?,
            coordinates: Buffer::from_slice(device, "coordinates", &coordinates(cloth))?,
            particle_triangles: Buffer::from_slice(device, "particle triangles", &triangles_around(cloth))?,
        };
        let floor = pipeline(device, shaders::VIEW_FLOOR_VERT, Some((shaders::VIEW_FLOOR_FRAG, format)))?;
        let floor =
            Bindings::new(&floor, &[("ViewParameters", (&parameters).into()), ("u_ShadowMap", (&shadow_map).into())])?;
        let colliders = ColliderView::new(device, simulation.colliders(), format, &parameters, &shadow_map)?;
        let all_particles = simulation.particles();
        // A solver keeps its particles in places of one kind, so that one set of pipelines serves them all.
        let pipelines = Pipelines::new(device, &all_particles[0], format)?;
        let places = all_particles
            .iter()
            .map(|particles| Place::new(&pipelines, particles, &buffers, &parameters, &shadow_map))
            .collect::<engine::Result<_>>()?;
        let stripe_width = cloth.grid.map_or(0.0, |grid| grid.spacing * (grid.columns as f32 - 1.0) / 9.0);
        Ok(Self {
            particle_count: cloth.positions.len() as u32,
            index_count: corners.len() as u32,
            indices: buffers.indices,
            parameters,
            shadow_map,
            floor,
            colliders,
            places,
            stripe_width,
            room,
        })
    }

    /// Keeps the particles in place `current` (see [`Simulation::current`]) as they are before the step that is recorded
    /// next, for pictures from before its end.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn keep(&self, recorder: &mut Recorder<'_>, current: usize) -> engine::Result<()> {
        recorder.dispatch(&self.places[current].keep, &(), [self.particle_count, 1, 1])
    }

    /// Records the passes of one picture into `picture`: `alpha`, from 0 to 1, of the way from the particles that were
    /// kept to those in place `current` (see [`Simulation::current`]). An `alpha` of 1 needs none that were kept.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(
        &self,
        recorder: &mut Recorder<'_>,
        current: usize,
        alpha: f32,
        camera: &Camera,
        targets: &ViewTargets,
        picture: &Image,
    ) -> engine::Result<()> {
        let place = &self.places[current];
        recorder.update(&self.parameters, &[self.view_parameters(alpha, camera, targets.aspect())])?;
        let push = NormalsPush { particle_count: self.particle_count };
        recorder.dispatch(&place.normals, &push, [self.particle_count, 1, 1])?;
        let cloth = Vertices::Indexed(&self.indices, self.index_count);
        let shadow_target = Target { color: None, resolve: None, depth: &self.shadow_map };
        let mut shadows = vec![Draw { bindings: &place.shadow, push: bytes_of(&()), vertices: cloth }];
        let mut draws = vec![Draw { bindings: &place.cloth, push: bytes_of(&()), vertices: cloth }];
        shadows.extend(self.colliders.shadows());
        draws.extend(self.colliders.surfaces());
        // Last, as it fades into what is behind it.
        draws.push(Draw { bindings: &self.floor, push: bytes_of(&()), vertices: Vertices::Count(6) });
        recorder.draw("view/shadow", &shadow_target, &shadows)?;
        let target = Target {
            color: Some((&targets.color, BACKGROUND.extend(1.0).to_array())),
            resolve: Some(picture),
            depth: &targets.depth,
        };
        recorder.draw("view/cloth", &target, &draws)
    }

    fn view_parameters(&self, alpha: f32, camera: &Camera, aspect: f32) -> ViewParameters {
        let (centre, radius) = (self.room.centre(), self.room.radius());
        let to_light = Vec3::new(0.45, 0.80, 0.55).normalize();
        // The light sees the room and the floor around it, onto which the shadow falls slanted.
        let reach = 2.0 * radius;
        let light_from_world: Mat4 = proj::vulkan::orthographic(-reach, reach, -reach, reach, 0.0, 4.0 * reach)
            * view::look_at_mat4(centre + 2.0 * reach * to_light, centre, Vec3::Y);
        let floor_height = self.room.least.y - 0.04 * radius;
        ViewParameters {
            clip_from_world: camera.clip_from_world(aspect),
            light_from_world,
            camera_position: camera.position().extend(0.0),
            light_direction: to_light.extend(0.0),
            front_color: FRONT_COLOR.extend(1.0),
            back_color: BACK_COLOR.extend(1.0),
            stripe_color: STRIPE_COLOR.extend(self.stripe_width),
            collider_color: COLLIDER_COLOR.extend(1.0),
            background: BACKGROUND.extend(1.0),
            floor_disc: Vec4::new(centre.x, floor_height, centre.z, 5.0 * radius),
            alpha,
            padding: [0; 3],
        }
    }
}

/// Buffers that every place shares.
struct Buffers {
    indices: Buffer,
    normals: Buffer,
    /// Positions before the last step.
    previous: Buffer,
    coordinates: Buffer,
    particle_triangles: Buffer,
}

/// The passes that read particles, for the kind of place that a solver keeps them in.
struct Pipelines {
    keep: Kernel,
    normals: Kernel,
    shadow: DrawPipeline,
    cloth: DrawPipeline,
}

impl Pipelines {
    fn new(device: &Device, particles: &Particles, format: vk::Format) -> engine::Result<Self> {
        let (keep, normals, shadow, cloth) = match particles {
            Particles::Buffer(_) => {
                (shaders::VIEW_KEEP, shaders::VIEW_NORMALS, shaders::VIEW_SHADOW_VERT, shaders::VIEW_CLOTH_VERT)
            }
            Particles::Image(_) => (
                shaders::VIEW_KEEP_IMAGE,
                shaders::VIEW_NORMALS_IMAGE,
                shaders::VIEW_SHADOW_IMAGE_VERT,
                shaders::VIEW_CLOTH_IMAGE_VERT,
            ),
        };
        Ok(Self {
            keep: Kernel::new(device, &keep)?,
            normals: Kernel::new(device, &normals)?,
            shadow: pipeline(device, shadow, None)?,
            cloth: pipeline(device, cloth, Some((shaders::VIEW_CLOTH_FRAG, format)))?,
        })
    }
}

impl Place {
    fn new(
        pipelines: &Pipelines,
        particles: &Particles,
        buffers: &Buffers,
        parameters: &Buffer,
        shadow_map: &Image,
    ) -> engine::Result<Self> {
        let particles: (&str, Resource<'_>) = match particles {
            Particles::Buffer(buffer) => ("Positions", buffer.into()),
            Particles::Image(image) => ("u_Positions", image.into()),
        };
        let previous = ("PreviousPositions", (&buffers.previous).into());
        let normals = ("Normals", (&buffers.normals).into());
        let view = ("ViewParameters", parameters.into());
        let triangles = ("ParticleTriangles", (&buffers.particle_triangles).into());
        let coordinates = ("Coordinates", (&buffers.coordinates).into());
        let shadow_map = ("u_ShadowMap", shadow_map.into());
        let cloth = [particles, previous, normals, coordinates, view, shadow_map];
        Ok(Self {
            keep: pipelines.keep.bind(&[particles, previous])?,
            normals: pipelines.normals.bind(&[particles, previous, normals, triangles, view])?,
            shadow: Bindings::new(&pipelines.shadow, &[particles, previous, view])?,
            cloth: Bindings::new(&pipelines.cloth, &cloth)?,
        })
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
        samples: if fragment.is_some() { SAMPLES } else { 1 },
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        depth_write: true,
    };
    DrawPipeline::new(device, &description)
}

/// Each particle's place on the cloth at rest \[m\]; zero where the cloth is no grid.
fn coordinates(cloth: &Cloth) -> Vec<Vec2> {
    let place = |index: usize| {
        cloth.grid.map_or(Vec2::ZERO, |grid| {
            let (column, row) = (index % grid.columns as usize, index / grid.columns as usize);
            grid.spacing * Vec2::new(column as f32, row as f32)
        })
    };
    (0..cloth.positions.len()).map(place).collect()
}

/// The triangles around each particle `i`: the other two corners of each, in order, from `entries[entries[i]]` up to
/// `entries[entries[i + 1]]`.
fn triangles_around(cloth: &Cloth) -> Vec<u32> {
    let particle_count = cloth.positions.len();
    let mut entries = vec![0_u32; particle_count + 1];
    for &corner in cloth.triangles.as_flattened() {
        entries[corner as usize + 1] += 2;
    }
    entries[0] = particle_count as u32 + 1;
    for index in 1..=particle_count {
        entries[index] += entries[index - 1];
    }
    let mut next = entries[..particle_count].to_vec();
    entries.resize(entries.len() + cloth.triangles.len() * 6, 0);
    for &[a, b, c] in &cloth.triangles {
        for [corner, others @ ..] in [[a, b, c], [b, c, a], [c, a, b]] {
            let place = next[corner as usize] as usize;
            entries[place..place + 2].copy_from_slice(&others);
            next[corner as usize] += 2;
        }
    }
    entries
}
