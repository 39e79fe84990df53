//! PLY, a binary file for each frame: polygons with the texture coordinates of their corners, or ropes as edges.

use std::io::{self, Write};

use glam::Vec3;

use super::{Cache, CacheForm, Still};
use crate::model::SourceMesh;

pub(super) struct Ply {
    head: String,
    /// What comes behind the vertices, the same in each frame.
    tail: Vec<u8>,
}

impl Ply {
    pub(super) fn new(cache: &Cache) -> Self {
        let (elements, tail) = match &cache.form {
            CacheForm::Mesh(mesh) => faces(mesh),
            form @ CacheForm::Ropes { .. } => {
                let links = form.links();
                let tail =
                    links.iter().flat_map(|link| [link.to_le_bytes(), (link + 1).to_le_bytes()]).flatten().collect();
                (format!("element edge {}\nproperty int vertex1\nproperty int vertex2\n", links.len()), tail)
            }
        };
        let head = format!(
            "ply\nformat binary_little_endian 1.0\ncomment a unit is {:?} m, {:?} is up\nelement vertex {}\nproperty float x\n\
             property float y\nproperty float z\n{elements}end_header\n",
            cache.metres_per_unit,
            cache.up,
            cache.point_count(),
        );
        Self { head, tail }
    }
}

impl Still for Ply {
    fn write(&self, positions: &[Vec3], file: &mut dyn Write) -> io::Result<()> {
        file.write_all(self.head.as_bytes())?;
        file.write_all(bytemuck::cast_slice(positions))?;
        file.write_all(&self.tail)
    }
}

/// The declaration of the faces, and the faces.
fn faces(mesh: &SourceMesh) -> (String, Vec<u8>) {
    let numbers = if mesh.uvs.is_some() { 2 } else { 1 };
    // Readers expect counts of 8 bits, which few meshes do not fit into.
    let is_small = mesh.face_sizes.iter().all(|size| size * numbers <= u8::MAX.into());
    let count_type = if is_small { "uchar" } else { "uint" };
    let count = |count: usize, bytes: &mut Vec<u8>| match u8::try_from(count) {
        Ok(count) if is_small => bytes.push(count),
        _ => bytes.extend((count as u32).to_le_bytes()),
    };
    let mut bytes = Vec::new();
    for face in mesh.faces() {
        count(face.len(), &mut bytes);
        bytes.extend(bytemuck::cast_slice(&mesh.corners[face.clone()]));
        if let Some(uvs) = &mesh.uvs {
            count(2 * face.len(), &mut bytes);
            bytes.extend(bytemuck::cast_slice(&uvs[face]));
        }
    }
    let uvs = mesh.uvs.iter().map(|_| format!("property list {count_type} float texcoord\n"));
    let faces = format!("element face {}\nproperty list {count_type} int vertex_indices\n", mesh.face_sizes.len());
    (faces + &uvs.collect::<String>(), bytes)
}
