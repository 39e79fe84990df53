//! The draw passes of a cloth, straight from the solver's particles.

use bytemuck::bytes_of;

use super::stage::{Stage, pipeline};
use crate::engine::{self, Bindings, Buffer, Device, Draw, DrawPipeline, Kernel, Recorder, Vertices, vk};
use crate::layout::NormalsPush;
use crate::model::{Cloth, Pattern};
use crate::shaders;
use crate::solver::{Particles, Triangles};

/// The draw passes of one cloth.
pub(super) struct ClothView {
    particle_count: u32,
    index_count: u32,
    indices: Buffer,
    /// Positions before the last step.
    previous: Buffer,
    /// One set for each place where the solver keeps its particles.
    places: Vec<Place>,
    /// Whether the cloth is drawn corner by corner, each with its own place in the pattern.
    by_corner: bool,
}

/// What is bound to the particles in one place.
struct Place {
    keep: Bindings<Kernel>,
    normals: Bindings<Kernel>,
    shadow: Bindings<DrawPipeline>,
    cloth: Bindings<DrawPipeline>,
}

impl ClothView {
    /// Prepares to draw `cloth` on `stage` into targets of `format`, with its `triangles`, from the places where its solver keeps it.
    pub(super) fn new(
        device: &Device,
        cloth: &Cloth,
        triangles: &Triangles,
        all_particles: &[Particles],
        stage: &Stage,
        format: vk::Format,
    ) -> engine::Result<Self> {
        let limit = ("maxDrawIndexedIndexValue", device.most_vertices());
        Device::check_limit("a picture of the cloth", cloth.positions.len() as u64, "vertices", limit)?;
        let buffers = Buffers {
            normals: Buffer::zeroed(device, "view.normals", size_of_val(&*cloth.positions) as u64)?,
            previous: Buffer::from_slice(device, "view.previous", &cloth.positions)?,
            rest: Buffer::from_slice(device, "view.rest_positions", &cloth.positions)?,
            particle_triangles: triangles.around.clone(),
            corners: triangles.corners.clone(),
            corner_places: corner_places(device, cloth)?,
        };
        // A solver keeps its particles in places of one kind, so that one set of pipelines serves them all.
        let pipelines = Pipelines::new(device, &all_particles[0], buffers.corner_places.is_some(), format)?;
        let places = all_particles
            .iter()
            .map(|particles| Place::new(&pipelines, particles, &buffers, stage))
            .collect::<engine::Result<_>>()?;
        Ok(Self {
            particle_count: cloth.positions.len() as u32,
            index_count: 3 * triangles.count,
            indices: triangles.corners.clone(),
            previous: buffers.previous,
            places,
            by_corner: buffers.corner_places.is_some(),
        })
    }

    /// Where the particles were before the last step, as shaders bind it. Shape \[particle_count\].
    pub(super) fn previous(&self) -> &Buffer {
        &self.previous
    }

    /// As [`super::View::keep`].
    pub(super) fn keep(&self, recorder: &mut Recorder<'_>, current: usize) -> engine::Result<()> {
        recorder.dispatch_each(&self.places[current].keep, &(), self.particle_count)
    }

    /// Records what its draws need beside the particles.
    pub(super) fn prepare(&self, recorder: &mut Recorder<'_>, current: usize) -> engine::Result<()> {
        let push = NormalsPush { particle_count: self.particle_count };
        recorder.dispatch_each(&self.places[current].normals, &push, self.particle_count)
    }

    /// Its draws as the light and as the camera see it.
    pub(super) fn draws(&self, current: usize) -> [Draw<'_>; 2] {
        let place = &self.places[current];
        let indexed = Vertices::Indexed(&self.indices, self.index_count);
        let cloth = if self.by_corner { Vertices::Count(self.index_count) } else { indexed };
        let draw = |bindings, vertices| Draw { bindings, push: bytes_of(&()), vertices };
        [draw(&place.shadow, indexed), draw(&place.cloth, cloth)]
    }
}

/// Buffers that every place shares.
struct Buffers {
    normals: Buffer,
    /// Positions before the last step.
    previous: Buffer,
    rest: Buffer,
    particle_triangles: Buffer,
    corners: Buffer,
    /// Two floats a corner, where each has its own place in the pattern.
    corner_places: Option<Buffer>,
}

/// The places in the pattern of the corners of a mesh on which there is one.
fn corner_places(device: &Device, cloth: &Cloth) -> engine::Result<Option<Buffer>> {
    let uvs = cloth.uvs.as_ref().filter(|_| cloth.pattern != Pattern::Plain);
    uvs.map(|uvs| Buffer::from_slice(device, "view.corner_places", uvs.as_flattened())).transpose()
}

/// The passes that read particles, for the kind of place that a solver keeps them in.
struct Pipelines {
    keep: Kernel,
    normals: Kernel,
    shadow: DrawPipeline,
    cloth: DrawPipeline,
}

impl Pipelines {
    fn new(device: &Device, particles: &Particles, by_corner: bool, format: vk::Format) -> engine::Result<Self> {
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
            Particles::Planes(_) => panic!("solvers of cloth keep it in buffers or images"),
        };
        let (cloth, fragment) = match by_corner {
            true => (shaders::VIEW_CLOTH_CORNERS_VERT, shaders::VIEW_CLOTH_CORNERS_FRAG),
            false => (cloth, shaders::VIEW_CLOTH_FRAG),
        };
        Ok(Self {
            keep: Kernel::new(device, &keep)?,
            normals: Kernel::new(device, &normals)?,
            shadow: pipeline(device, shadow, None)?,
            cloth: pipeline(device, cloth, Some((fragment, format)))?,
        })
    }
}

impl Place {
    fn new(pipelines: &Pipelines, particles: &Particles, buffers: &Buffers, stage: &Stage) -> engine::Result<Self> {
        let particles = particles.resource();
        let previous = ("PreviousPositions", (&buffers.previous).into());
        let normals = ("Normals", (&buffers.normals).into());
        let view = stage.parameters();
        let triangles = ("ParticleTriangles", (&buffers.particle_triangles).into());
        let rest = ("RestPositions", (&buffers.rest).into());
        let mut cloth =
            vec![particles, previous, normals, rest, view, stage.palette(), stage.texture(), stage.shadow_map()];
        if let Some(places) = &buffers.corner_places {
            cloth.extend([("Triangles", (&buffers.corners).into()), ("CornerPlaces", places.into())]);
        }
        Ok(Self {
            keep: pipelines.keep.bind(&[particles, previous])?,
            normals: pipelines.normals.bind(&[particles, previous, normals, triangles, view])?,
            shadow: Bindings::new(&pipelines.shadow, &[particles, previous, view])?,
            cloth: Bindings::new(&pipelines.cloth, &cloth)?,
        })
    }
}
