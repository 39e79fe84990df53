//! glTF 2.0: JSON beside a binary file, with a morph target for each frame after the first and weights that go from one
//! to the next.
//!
//! The binary file has the indices and texture coordinates, the times and weights, the first frame, and what each other
//! frame is off it; so it grows by frames. Texture coordinates belong to vertices: a vertex that has several stands
//! again behind all others, once for each more. Polygons become fans of triangles. A node turns and scales the file's
//! axes and unit to those of glTF, metres and y up.
//!
//! Each frame has a weight for each target. So their number is the square of that of the frames, and there are no more
//! than [`MOST_GLTF_FRAMES`].

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::Path;

use glam::{Vec2, Vec3};
use serde_json::{Value, json};

use super::{Cache, CacheForm, PartialFile, Stream};
use crate::model::{SourceMesh, UpAxis, bounds};

/// Most frames of a glTF file, whose weights take 4 MB then.
pub const MOST_GLTF_FRAMES: u32 = 1000;

/// Component types and modes, by OpenGL's numbers.
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

pub(super) struct Gltf {
    /// The vertex of the cache that each of the file's is.
    vertices: Vec<u32>,
    uvs: Option<Vec<Vec2>>,
    indices: Vec<u32>,
    /// The first frame, once it is known.
    first: Option<Vec<Vec3>>,
    /// What the JSON calls the binary file.
    binary: String,
    json: std::path::PathBuf,
}

impl Gltf {
    /// One whose JSON goes to `json`, and whose binary file is to be `binary`, beside it.
    pub(super) fn new(cache: &Cache, json: &Path, binary: &Path) -> Self {
        let (vertices, uvs, indices) = match &cache.form {
            CacheForm::Mesh(mesh) => split(mesh),
            form @ CacheForm::Ropes { .. } => {
                let indices = form.links().into_iter().flat_map(|link| [link, link + 1]).collect();
                ((0..cache.point_count() as u32).collect(), None, indices)
            }
        };
        let binary = binary.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { vertices, uvs, indices, first: None, binary, json: json.into() }
    }

    fn places(&self, positions: &[Vec3]) -> Vec<Vec3> {
        self.vertices.iter().map(|&vertex| positions[vertex as usize]).collect()
    }

    /// Bytes of indices, texture coordinates, times and weights, one after another.
    fn sizes(&self, cache: &Cache) -> [usize; 4] {
        let frames = cache.frames as usize;
        let uvs = self.uvs.as_ref().map_or(0, |uvs| size_of_val(&uvs[..]));
        let [times, weights] = if frames > 1 { [4 * frames, 4 * frames * (frames - 1)] } else { [0, 0] };
        [size_of_val(&self.indices[..]), uvs, times, weights]
    }

    /// Where the first frame starts.
    fn start(&self, cache: &Cache) -> usize {
        self.sizes(cache).iter().sum()
    }

    fn frame_size(&self) -> usize {
        self.vertices.len() * size_of::<Vec3>()
    }

    /// Reads so many vectors from where a reader is.
    fn read_places(&self, reader: &mut impl Read) -> io::Result<Vec<Vec3>> {
        let mut places = vec![Vec3::ZERO; self.vertices.len()];
        reader.read_exact(bytemuck::cast_slice_mut(&mut places))?;
        Ok(places)
    }

    /// The JSON of a binary file that is whole.
    fn document(&self, cache: &Cache, file: &mut PartialFile) -> io::Result<Value> {
        let mut parts = Parts { binary: self.binary.clone(), ..Parts::default() };
        let frames = cache.frames as usize;
        let [indices, uvs, times, weights] = self.sizes(cache);
        let indices = parts.accessor(indices, UNSIGNED_INT, "SCALAR", self.indices.len(), Some(34963), None);
        let uvs = self.uvs.as_ref().map(|list| parts.accessor(uvs, FLOAT, "VEC2", list.len(), Some(34962), None));
        let animation = (frames > 1).then(|| {
            let bounds = [0, cache.frames - 1].map(|frame| vec![cache.time(frame) as f32]);
            let times = parts.accessor(times, FLOAT, "SCALAR", frames, None, Some(bounds));
            (times, parts.accessor(weights, FLOAT, "SCALAR", frames * (frames - 1), None, None))
        });
        let mut reader = file.read_from(self.start(cache) as u64)?;
        let mut places = Vec::new();
        for _ in 0..frames {
            let list = self.read_places(&mut reader)?;
            let bounds = bounds(&list).map(|corner| corner.to_array().to_vec());
            places.push(parts.accessor(self.frame_size(), FLOAT, "VEC3", list.len(), Some(34962), Some(bounds)));
        }
        let mode = if matches!(cache.form, CacheForm::Mesh(_)) { TRIANGLES } else { LINES };
        let mut primitive = json!({ "attributes": { "POSITION": places[0] }, "indices": indices, "mode": mode });
        let mut mesh = json!({});
        if let Some(uvs) = uvs {
            primitive["attributes"]["TEXCOORD_0"] = uvs.into();
        }
        if frames > 1 {
            primitive["targets"] = places[1..].iter().map(|place| json!({ "POSITION": place })).collect();
            mesh["weights"] = vec![0.0; frames - 1].into();
        }
        mesh["primitives"] = json!([primitive]);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let rotation = match cache.up {
            UpAxis::X => [0.0, 0.0, half, half],
            UpAxis::Y => [0.0, 0.0, 0.0, 1.0],
            UpAxis::Z => [-half, 0.0, 0.0, half],
        };
        let scale = [cache.metres_per_unit; 3];
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("Tautline ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "mesh": 0, "rotation": rotation, "scale": scale }],
            "meshes": [mesh],
        });
        if let Some((times, weights)) = animation {
            document["animations"] = json!([{
                "samplers": [{ "input": times, "output": weights, "interpolation": "LINEAR" }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
            }]);
        }
        parts.put_into(&mut document);
        Ok(document)
    }
}

impl Stream for Gltf {
    fn begin(&mut self, cache: &Cache, file: &mut PartialFile) -> io::Result<()> {
        file.write_all(bytemuck::cast_slice(&self.indices))?;
        if let Some(uvs) = &self.uvs {
            // Images start at the top there.
            uvs.iter().try_for_each(|uv| file.write_all(bytemuck::cast_slice(&[uv.x, 1.0 - uv.y])))?;
        }
        if cache.frames < 2 {
            return Ok(());
        }
        for frame in 0..cache.frames {
            file.write_all(&(cache.time(frame) as f32).to_le_bytes())?;
        }
        for frame in 0..cache.frames {
            let weights: Vec<f32> = (1..cache.frames).map(|target| if target == frame { 1.0 } else { 0.0 }).collect();
            file.write_all(bytemuck::cast_slice(&weights))?;
        }
        Ok(())
    }

    fn frame(&mut self, cache: &Cache, number: u32, positions: &[Vec3], file: &mut PartialFile) -> io::Result<()> {
        let mut places = self.places(positions);
        if number == 0 {
            file.write_all(bytemuck::cast_slice(&places))?;
            self.first = Some(places);
            return Ok(());
        }
        if self.first.is_none() {
            let mut reader = file.read_from(self.start(cache) as u64)?;
            self.first = Some(self.read_places(&mut reader)?);
        }
        for (place, first) in places.iter_mut().zip(self.first.iter().flatten()) {
            *place -= *first;
        }
        file.write_all(bytemuck::cast_slice(&places))
    }

    fn finish(&mut self, cache: &Cache, file: &mut PartialFile) -> io::Result<()> {
        let text = serde_json::to_vec(&self.document(cache, file)?)?;
        crate::io::write_durably(&self.json, |file| file.write_all(&text)).map_err(|error| error.reason)
    }
}

/// The vertices of a mesh with one texture coordinate each, their coordinates, and the triangles.
fn split(mesh: &SourceMesh) -> (Vec<u32>, Option<Vec<Vec2>>, Vec<u32>) {
    let count = mesh.positions.len();
    let mut vertices: Vec<u32> = (0..count as u32).collect();
    let corners = match &mesh.uvs {
        None => mesh.corners.clone(),
        Some(uvs) => {
            let mut own: Vec<Option<Vec2>> = vec![None; count];
            let mut more = HashMap::new();
            let corner = |(&vertex, &uv): (&u32, &Vec2)| {
                let first = own[vertex as usize].get_or_insert(uv);
                if *first == uv {
                    return vertex;
                }
                *more.entry((vertex, uv.x.to_bits(), uv.y.to_bits())).or_insert_with(|| {
                    vertices.push(vertex);
                    own.push(Some(uv));
                    vertices.len() as u32 - 1
                })
            };
            let corners = mesh.corners.iter().zip(uvs).map(corner).collect();
            return (vertices, Some(own.into_iter().map(Option::unwrap_or_default).collect()), fans(mesh, corners));
        }
    };
    (vertices, None, fans(mesh, corners))
}

/// The triangles of polygons with these corners, around the first corner of each.
fn fans(mesh: &SourceMesh, corners: Vec<u32>) -> Vec<u32> {
    let fan = |face: std::ops::Range<usize>| {
        let corners = &corners[face];
        corners[1..].windows(2).flat_map(|pair| [corners[0], pair[0], pair[1]]).collect::<Vec<_>>()
    };
    mesh.faces().flat_map(fan).collect()
}

/// The views and accessors of a binary file, in order.
#[derive(Default)]
struct Parts {
    binary: String,
    views: Vec<Value>,
    accessors: Vec<Value>,
    size: usize,
}

impl Parts {
    /// The next part of so many bytes, with the least and the greatest of its numbers where they are asked for.
    fn accessor(
        &mut self,
        bytes: usize,
        component: u32,
        kind: &str,
        count: usize,
        target: Option<u32>,
        bounds: Option<[Vec<f32>; 2]>,
    ) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.size, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        let mut accessor =
            json!({ "bufferView": self.views.len(), "componentType": component, "type": kind, "count": count });
        if let Some([least, greatest]) = bounds {
            accessor["min"] = least.into();
            accessor["max"] = greatest.into();
        }
        self.size += bytes;
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn put_into(self, document: &mut Value) {
        document["buffers"] = json!([{ "uri": self.binary, "byteLength": self.size }]);
        document["bufferViews"] = self.views.into();
        document["accessors"] = self.accessors.into();
    }
}
