//! The draw passes of ropes, straight from the solver's particles: a ring around each, joined to a tube.

use std::ops::Range;

use bytemuck::bytes_of;

use super::stage::{Stage, pipeline};
use crate::engine::{self, Bindings, Buffer, Device, Draw, DrawPipeline, Kernel, Recorder, Resource, Vertices, vk};
use crate::layout::{RopeRange, RopeViewPush};
use crate::model::{Rope, Ropes};
use crate::shaders;

/// Vertices of a ring, as `glsl/lib/rope_vertex.glsl` counts them.
const SIDES: u32 = 8;

/// Two vec4s a particle.
const FRAME_BYTES: u64 = 32;

/// The draw passes of a set of ropes.
pub(super) struct RopeView {
    particle_count: u32,
    rope_count: u32,
    index_count: u32,
    indices: Buffer,
    /// Positions before the last step.
    previous: Buffer,
    push: RopeViewPush,
    keep: Bindings<Kernel>,
    frames: Bindings<Kernel>,
    shadow: Bindings<DrawPipeline>,
    surface: Bindings<DrawPipeline>,
}

impl RopeView {
    /// Prepares to draw `ropes` on `stage` into targets of `format`, from the `planes` that their solver keeps them in.
    pub(super) fn new(
        device: &Device,
        ropes: &Ropes,
        planes: &Buffer,
        stage: &Stage,
        format: vk::Format,
    ) -> engine::Result<Self> {
        let particle_count = ropes.positions().len();
        let limit = ("maxDrawIndexedIndexValue", device.most_vertices());
        Device::check_limit("a picture of the ropes", particle_count as u64 * u64::from(SIDES), "vertices", limit)?;
        let indices: Vec<u32> = ropes.ropes().iter().flat_map(|rope| triangles(rope.particles.clone())).collect();
        let ranges: Vec<_> = ropes.ropes().iter().map(range).collect();
        let ranges = Buffer::from_slice(device, "view.rope_ranges", &ranges)?;
        let frame_buffer = Buffer::zeroed(device, "view.rope_frames", FRAME_BYTES * particle_count as u64)?;
        let previous_buffer = Buffer::from_slice(device, "view.previous", ropes.positions())?;
        let particles: (&str, Resource<'_>) = ("Planes", planes.into());
        let previous = ("PreviousPositions", (&previous_buffer).into());
        let frames = ("Frames", (&frame_buffer).into());
        let ranges = ("RopeRanges", (&ranges).into());
        let view = stage.parameters();
        let shadow = pipeline(device, shaders::VIEW_ROPE_SHADOW_VERT, None)?;
        let surface = pipeline(device, shaders::VIEW_ROPE_VERT, Some((shaders::VIEW_ROPE_FRAG, format)))?;
        Ok(Self {
            particle_count: particle_count as u32,
            rope_count: ropes.ropes().len() as u32,
            index_count: indices.len() as u32,
            indices: Buffer::from_slice(device, "view.rope_triangles", &indices)?,
            previous: previous_buffer.clone(),
            push: RopeViewPush { radius: ropes.radius() },
            keep: Kernel::new(device, &shaders::VIEW_KEEP_PLANES)?.bind(&[particles, previous])?,
            frames: Kernel::new(device, &shaders::VIEW_ROPE_FRAMES)?
                .bind(&[particles, previous, frames, ranges, view])?,
            shadow: Bindings::new(&shadow, &[particles, previous, frames, view])?,
            surface: Bindings::new(
                &surface,
                &[particles, previous, frames, view, stage.palette(), stage.shadow_map()],
            )?,
        })
    }

    /// Where the particles were before the last step, as shaders bind it. Shape \[particle_count\].
    pub(super) fn previous(&self) -> &Buffer {
        &self.previous
    }

    /// As [`super::View::keep`].
    pub(super) fn keep(&self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        recorder.dispatch_each(&self.keep, &(), self.particle_count)
    }

    /// Records what its draws need beside the particles.
    pub(super) fn prepare(&self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        recorder.dispatch(&self.frames, &(), [self.rope_count, 1, 1])
    }

    /// Its draws as the light and as the camera see it.
    pub(super) fn draws(&self) -> [Draw<'_>; 2] {
        let vertices = Vertices::Indexed(&self.indices, self.index_count);
        [&self.shadow, &self.surface].map(|bindings| Draw { bindings, push: bytes_of(&self.push), vertices })
    }
}

fn range(rope: &Rope) -> RopeRange {
    let Range { start: first, end } = rope.particles;
    let particle_count = end - first;
    let link_length = rope.length() / (particle_count - 1) as f32;
    RopeRange { first, particle_count, link_length, padding: 0 }
}

/// The triangles of a rope's surface: two for each side of each link, and a fan that closes either end.
fn triangles(particles: Range<u32>) -> Vec<u32> {
    let vertex = |particle: u32, side: u32| particle * SIDES + side % SIDES;
    let mut corners = Vec::new();
    for particle in particles.start..particles.end - 1 {
        for side in 0..SIDES {
            let [a, b] = [side, side + 1].map(|side| vertex(particle, side));
            let [c, d] = [side, side + 1].map(|side| vertex(particle + 1, side));
            corners.extend([a, b, d, a, d, c]);
        }
    }
    for end in [particles.start, particles.end - 1] {
        for side in 1..SIDES - 1 {
            corners.extend([vertex(end, 0), vertex(end, side), vertex(end, side + 1)]);
        }
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surface_is_closed_and_stays_on_its_rope() {
        let corners = triangles(3..6);
        assert!(corners.iter().all(|corner| (3 * SIDES..6 * SIDES).contains(corner)));
        // Each edge is that of two triangles.
        let mut edges = std::collections::BTreeMap::new();
        for triangle in corners.chunks(3) {
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                let [a, b] = [triangle[a], triangle[b]];
                *edges.entry([a.min(b), a.max(b)]).or_insert(0) += 1;
            }
        }
        assert!(edges.values().all(|&count| count == 2), "{edges:?}");
    }
}
