//! From a mesh as its file has it to one that can be simulated: triangles, welded seams, one orientation.

mod doubles;
mod findings;
mod orient;
#[cfg(test)]
mod tests;
mod triangulate;
mod weld;

use glam::Vec3;

use super::bounds::extent;
use super::sides::{around_edges, sides};
use super::{SourceMesh, TriangleMesh, UpAxis};
use doubles::{Kept, sound_triangles};
use orient::orient;
use triangulate::Triangulated;
use weld::Welded;

pub use findings::{Findings, PrepareError};

/// How far apart vertices of one surface may be, at most, to be taken for one: as a share of the mesh's longest side.
///
/// Coordinates in files have 6 digits or more; this is what is left of 6 after a transform.
pub const WELD_SHARE: f32 = 1e-5;

/// How a file is to be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparation {
    /// Length of the file's unit \[m\].
    pub metres_per_unit: f32,
    /// What points up in the file.
    pub up: UpAxis,
    /// How far apart the vertices of a seam may be, as a share of the longest side of the box around the mesh; 0 welds only
    /// those in one place.
    pub weld_share: f32,
}

impl Preparation {
    /// Where something lies that a file has at `position` \[m\].
    #[must_use]
    pub fn place(&self, position: Vec3) -> Vec3 {
        self.up.to_y_up(position) * self.metres_per_unit
    }

    /// Where a file has what lies at `place` \[m\].
    #[must_use]
    pub fn source_position(&self, place: Vec3) -> Vec3 {
        self.up.from_y_up((place.as_dvec3() / f64::from(self.metres_per_unit)).as_vec3())
    }
}

/// A mesh that can be simulated, and what it has to do with its file.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedMesh {
    /// In metres, with y up. Its vertices are the particles.
    pub mesh: TriangleMesh,
    /// The particle that stands for each vertex of the file. Shape \[source_vertex_count\].
    pub particles: Vec<u32>,
    /// The file's face that each triangle is part of. Shape \[triangle_count\].
    pub faces: Vec<u32>,
    /// The sides of the box around it \[m\].
    pub size: Vec3,
    /// How far apart vertices of a seam may have been \[m\].
    pub weld_distance: f64,
    /// What was found and mended.
    pub findings: Findings,
}

impl PreparedMesh {
    /// Cuts polygons into triangles; welds the seams of each surface; leaves out triangles without area and those that lie on
    /// others; turns triangles to face as their neighbours do; and numbers particles in the order in which faces name them. So
    /// a mesh whose faces have vertices of their own, as flat shading has it, becomes the same as one whose faces share them.
    ///
    /// # Errors
    /// [`PrepareError`] where no face has an area, or 32 bits do not hold what it comes to in metres.
    pub fn new(source: &SourceMesh, preparation: &Preparation) -> Result<Self, PrepareError> {
        let positions: Vec<Vec3> = source.positions.iter().map(|&position| preparation.place(position)).collect();
        if let Some(vertex) = positions.iter().position(|position| !position.is_finite()) {
            let (number, scale) = (vertex as u32 + source.first_number, preparation.metres_per_unit);
            return Err(PrepareError::NotFinite { number, position: source.positions[vertex], scale });
        }
        let triangulated = Triangulated::new(source, &positions);
        let of_file = |(triangle, corners): (u32, &[u32; 3])| Kept {
            triangle,
            vertices: corners.map(|corner| source.corners[corner as usize]),
        };
        let mut findings = Findings::default();
        let all = (0..).zip(&triangulated.corners).map(of_file).collect();
        // What is left out hides no border that is to be welded.
        let mut kept = sound_triangles(all, &triangulated.faces, &positions, &mut findings);
        let unwelded: Vec<[u32; 3]> = kept.iter().map(|kept| kept.vertices).collect();
        let Welded { vertices: welded, distance: weld_distance, layers } =
            Welded::new(source, &positions, &unwelded, preparation.weld_share);

        findings.layers = layers;
        findings.welded =
            (0..).zip(&welded).filter(|(vertex, to)| vertex != *to).map(|(from, &to)| [from, to]).collect();
        for kept in &mut kept {
            kept.vertices = kept.vertices.map(|vertex| welded[vertex as usize]);
        }
        let mut kept = sound_triangles(kept, &triangulated.faces, &positions, &mut findings);
        if kept.is_empty() {
            let line = source.face_lines.as_ref().and_then(|lines| lines.first().copied());
            let (face_count, number) = (source.face_sizes.len(), source.first_number);
            return Err(PrepareError::NothingLeft { face_count, number, line });
        }
        let faces: Vec<u32> = kept.iter().map(|kept| triangulated.faces[kept.triangle as usize]).collect();
        let turned = face_alike(&mut kept, &faces, &mut findings);

        let mut numbering = Numbering::new(positions.len());
        let triangles = kept.iter().map(|kept| kept.vertices.map(|vertex| numbering.particle(vertex))).collect();
        let moving = numbering.vertices.len() as u32;
        let particles: Vec<u32> = welded.iter().map(|&vertex| numbering.particle(vertex)).collect();
        findings.isolated =
            (0..).zip(&particles).filter(|(_, particle)| **particle >= moving).map(|(vertex, _)| vertex).collect();

        let uvs = source.uvs.as_ref().map(|uvs| {
            // In files v goes up, and in images down.
            let place = |corner: u32| glam::Vec2::new(uvs[corner as usize].x, 1.0 - uvs[corner as usize].y);
            let of = |(kept, turned): (&Kept, &bool)| {
                let [a, b, c] = triangulated.corners[kept.triangle as usize].map(place);
                if *turned { [a, c, b] } else { [a, b, c] }
            };
            kept.iter().zip(&turned).map(of).collect()
        });
        let places: Vec<Vec3> = numbering.vertices.iter().map(|&vertex| positions[vertex as usize]).collect();
        let size = extent(&places);
        let mesh = TriangleMesh::new(places, triangles).expect("every triangle has an area");
        Ok(Self { mesh: mesh.with_uvs(uvs), particles, faces, size, weld_distance, findings })
    }

    /// The first of the file's vertices that each particle stands for. Shape \[particle_count\].
    #[must_use]
    pub fn first_vertices(&self) -> Vec<u32> {
        let mut vertices = vec![u32::MAX; self.mesh.positions().len()];
        for (vertex, &particle) in (0..).zip(&self.particles) {
            let first = &mut vertices[particle as usize];
            *first = vertex.min(*first);
        }
        vertices
    }
}

/// Turns triangles to face as their neighbours do, and says which.
fn face_alike(kept: &mut [Kept], faces: &[u32], findings: &mut Findings) -> Vec<bool> {
    let triangles: Vec<[u32; 3]> = kept.iter().map(|kept| kept.vertices).collect();
    let sides = sides(&triangles);
    findings.non_manifold_edges =
        around_edges(&sides).filter(|sides| sides.len() > 2).map(|sides| sides[0].edge).collect();
    let orientation = orient(kept.len(), &sides);
    findings.one_sided = orientation.one_sided.map(|triangle| faces[triangle as usize]);
    for ((kept, &face), _) in kept.iter_mut().zip(faces).zip(&orientation.turned).filter(|(_, turned)| **turned) {
        kept.vertices.swap(1, 2);
        findings.turned.push(face);
    }
    findings.turned.dedup();
    orientation.turned
}

/// Particles in the order in which they are first asked for.
struct Numbering {
    /// Of each vertex; `u32::MAX` where it has none yet.
    particles: Vec<u32>,
    /// The vertex of each particle.
    vertices: Vec<u32>,
}

impl Numbering {
    fn new(vertex_count: usize) -> Self {
        Self { particles: vec![u32::MAX; vertex_count], vertices: Vec::new() }
    }

    fn particle(&mut self, vertex: u32) -> u32 {
        let particle = &mut self.particles[vertex as usize];
        if *particle == u32::MAX {
            *particle = self.vertices.len() as u32;
            self.vertices.push(vertex);
        }
        *particle
    }
}
