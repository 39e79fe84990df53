//! Dots and lines over cloth and ropes, as large on every picture: pins, contacts, edges and batches.

use bytemuck::{Pod, bytes_of};

use super::shown::{Shown, reach};
use super::stage::{Stage, pipeline};
use crate::engine::{
    self, Bindings, Buffer, Device, Draw, DrawPipeline, Resource, ShaderCode, Vertices, WindowLimits, Windows, vk,
};
use crate::layout::{BatchViewPush, Constraint, ContactsPush, HeldEndsPush};
use crate::model::{Cloth, Ropes, SpringKind};
use crate::shaders;
use crate::solver::{Particles, Simulation, Triangles};

/// Corners of the quad of each dot and line.
const CORNERS: u32 = 6;

/// The marks of one simulation.
pub(super) struct Marks {
    /// One set for each place where the solver keeps its particles.
    places: Vec<Place>,
    particle_count: u32,
    edge_count: u32,
    contacts: ContactsPush,
    batches: Vec<BatchPart>,
    /// When the ends of ropes that are held are let go \[s\], those that are held longest first; none of a cloth, whose inverse
    /// masses say what is held.
    releases: Option<Vec<f64>>,
}

/// What is bound to the particles in one place; what has no meaning for them is missing.
struct Place {
    pins: Bindings<DrawPipeline>,
    contacts: Bindings<DrawPipeline>,
    edges: Option<Bindings<DrawPipeline>>,
    /// One for each window of the constraints, which may be more than what one binding takes.
    batches: Vec<Bindings<DrawPipeline>>,
}

/// What lies of one batch in one window.
struct BatchPart {
    window: usize,
    push: BatchViewPush,
    count: u32,
}

impl Marks {
    /// Prepares to mark a cloth, drawn from `previous` to where its solver has it, with its `triangles`.
    pub(super) fn of_cloth(
        device: &Device,
        simulation: &Simulation,
        cloth: &Cloth,
        triangles: &Triangles,
        previous: &Buffer,
        stage: &Stage,
        format: vk::Format,
    ) -> engine::Result<Self> {
        let maker = Maker { device, previous, stage, format };
        let carried = Buffer::from_slice(device, "view.carried_particles", &carried(cloth))?;
        let element_bytes = [size_of::<Constraint>() as u64];
        let windows = Windows::new(cloth.springs.len() as u32, &element_bytes, &WindowLimits::of(device));
        let place = |particles: &Particles| {
            let (pins, contacts, edges) = match particles {
                Particles::Image(_) => {
                    (shaders::VIEW_PINS_IMAGE_VERT, shaders::VIEW_CONTACTS_IMAGE_VERT, shaders::VIEW_EDGES_IMAGE_VERT)
                }
                _ => (shaders::VIEW_PINS_VERT, shaders::VIEW_CONTACTS_VERT, shaders::VIEW_EDGES_VERT),
            };
            let colliders = ("Colliders", simulation.colliders().buffer().into());
            let batches = |constraints: &Buffer| {
                let lines = |window| {
                    let list = windows.resource(&window, constraints, size_of::<Constraint>() as u64);
                    maker.lines(shaders::VIEW_BATCHES_VERT, particles, ("Constraints", list))
                };
                windows.each().map(lines).collect::<engine::Result<Vec<_>>>()
            };
            Ok(Place {
                pins: maker.dots(pins, particles, ("Carried", (&carried).into()))?,
                contacts: maker.dots(contacts, particles, colliders)?,
                edges: Some(maker.lines(edges, particles, ("Triangles", (&triangles.corners).into()))?),
                batches: simulation.constraints().map_or_else(|| Ok(Vec::new()), batches)?,
            })
        };
        let batches = (0..).zip(cloth.coloring.batches()).flat_map(|(batch, range)| {
            let springs = &cloth.springs[range.start as usize..range.end as usize];
            let resists_bending = springs.iter().all(|spring| spring.kind == SpringKind::Bending).into();
            windows.parts(range).map(move |part| BatchPart {
                window: part.window,
                push: BatchViewPush { first: part.elements.start, batch, resists_bending },
                count: part.elements.len() as u32,
            })
        });
        Ok(Self {
            places: simulation.particles().iter().map(place).collect::<engine::Result<_>>()?,
            particle_count: cloth.positions.len() as u32,
            edge_count: 3 * triangles.count,
            contacts: contacts(simulation, 0.0),
            batches: batches.collect(),
            releases: None,
        })
    }

    /// Prepares to mark ropes, drawn from `previous` to where their solver has them.
    pub(super) fn of_ropes(
        device: &Device,
        simulation: &Simulation,
        ropes: &Ropes,
        previous: &Buffer,
        stage: &Stage,
        format: vk::Format,
    ) -> engine::Result<Self> {
        let maker = Maker { device, previous, stage, format };
        let (ends, releases) = held_ends(ropes);
        let ends = Buffer::from_slice(device, "view.held_ends", &ends)?;
        let place = |particles: &Particles| {
            let colliders = ("Colliders", simulation.colliders().buffer().into());
            Ok(Place {
                pins: maker.dots(shaders::VIEW_PINS_PLANES_VERT, particles, ("HeldEnds", (&ends).into()))?,
                contacts: maker.dots(shaders::VIEW_CONTACTS_PLANES_VERT, particles, colliders)?,
                edges: None,
                batches: Vec::new(),
            })
        };
        Ok(Self {
            places: simulation.particles().iter().map(place).collect::<engine::Result<_>>()?,
            particle_count: ropes.positions().len() as u32,
            edge_count: 0,
            // Out of the tube, whose middle the particles are.
            contacts: contacts(simulation, 1.5 * ropes.radius()),
            batches: Vec::new(),
            releases: Some(releases),
        })
    }

    /// What the dots on ropes need to know of `time` \[s\]; none for a cloth.
    pub(super) fn pins(&self, time: f64) -> Option<HeldEndsPush> {
        let held = self.releases.as_ref()?.iter().take_while(|release| time < **release);
        Some(HeldEndsPush { held_count: held.count() as u32 })
    }

    /// What lies over the particles in place `current`, with `pins` as [`Marks::pins`] has them.
    pub(super) fn draws<'a>(&'a self, shown: Shown, current: usize, pins: Option<&'a HeldEndsPush>) -> Vec<Draw<'a>> {
        let place = &self.places[current];
        match shown {
            Shown::Pins => vec![match pins {
                Some(pins) => draw(&place.pins, pins, self.particle_count),
                None => draw(&place.pins, &(), self.particle_count),
            }],
            Shown::Contacts => vec![draw(&place.contacts, &self.contacts, self.particle_count)],
            Shown::Wireframe => place.edges.iter().map(|edges| draw(edges, &(), self.edge_count)).collect(),
            Shown::Batches => {
                let bound = self.batches.iter().filter_map(|part| Some((place.batches.get(part.window)?, part)));
                bound.map(|(bindings, part)| draw(bindings, &part.push, part.count)).collect()
            }
            Shown::Looks | Shown::Stretch | Shown::Levels | Shown::Velocity => Vec::new(),
        }
    }
}

fn draw<'a, T: Pod>(bindings: &'a Bindings<DrawPipeline>, push: &'a T, count: u32) -> Draw<'a> {
    Draw { bindings, push: bytes_of(push), vertices: Vertices::Count(CORNERS * count) }
}

fn contacts(simulation: &Simulation, lift: f32) -> ContactsPush {
    let collider_count = simulation.colliders().list().len() as u32;
    ContactsPush { reach: reach(simulation.body()), lift, collider_count }
}

/// A bit for each particle of a cloth, the lowest first: whether something carries it.
fn carried(cloth: &Cloth) -> Vec<u32> {
    let mut bits = vec![0; cloth.positions.len().div_ceil(32)];
    for particle in cloth.attachments.iter().flat_map(|attachment| &attachment.particles) {
        bits[particle.index as usize / 32] |= 1 << (particle.index % 32);
    }
    bits
}

/// Of each particle that starts as a held end, twice its place among those, the longest held first, and 1 more where what holds
/// it moves; of all others, beyond any place. And when each of those ends is let go, in that order.
fn held_ends(ropes: &Ropes) -> (Vec<u32>, Vec<f64>) {
    let mut ends = Vec::new();
    for rope in ropes.ropes() {
        let [first, last] = &rope.anchors;
        for (particle, hold) in [(rope.particles.start, first), (rope.particles.end - 1, last)] {
            if let Some(hold) = hold {
                ends.push((particle, hold.path.moves(), hold.release.unwrap_or(f64::INFINITY)));
            }
        }
    }
    ends.sort_by(|(.., a), (.., b)| b.total_cmp(a));
    let mut places = vec![u32::MAX; ropes.positions().len()];
    for (place, &(particle, is_carried, _)) in (0..).zip(&ends) {
        places[particle as usize] = 2 * place + u32::from(is_carried);
    }
    (places, ends.into_iter().map(|(.., release)| release).collect())
}

/// Makes pipelines of marks and binds them.
struct Maker<'a> {
    device: &'a Device,
    previous: &'a Buffer,
    stage: &'a Stage,
    format: vk::Format,
}

impl Maker<'_> {
    fn dots(
        &self,
        vertex: ShaderCode<'_>,
        particles: &Particles,
        more: (&str, Resource<'_>),
    ) -> engine::Result<Bindings<DrawPipeline>> {
        self.marks(vertex, shaders::VIEW_DOT_FRAG, particles, more)
    }

    fn lines(
        &self,
        vertex: ShaderCode<'_>,
        particles: &Particles,
        more: (&str, Resource<'_>),
    ) -> engine::Result<Bindings<DrawPipeline>> {
        self.marks(vertex, shaders::VIEW_LINE_FRAG, particles, more)
    }

    fn marks(
        &self,
        vertex: ShaderCode<'_>,
        fragment: ShaderCode<'_>,
        particles: &Particles,
        more: (&str, Resource<'_>),
    ) -> engine::Result<Bindings<DrawPipeline>> {
        let pipeline = pipeline(self.device, vertex, Some((fragment, self.format)))?;
        let previous = ("PreviousPositions", self.previous.into());
        let resources = [particles.resource(), previous, more, self.stage.parameters(), self.stage.palette()];
        Bindings::new(&pipeline, &resources)
    }
}
