//! What the files that a scene names hold, each read once.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec2;

use super::Scene;
use super::error::SceneError;
use super::file::check_is_file;
use crate::io::{Fault, HeightSamples, Place, mesh_endings, read_heights, read_mesh, read_texture};
use crate::model::{TextureImage, TriangleMesh};

/// What has been read of the files that a scene names; clones share it.
///
/// So a simulation that is made anew has the same body as the one before, even where a file has changed since or is gone.
/// It is no part of what a scene says: all of them are equal.
#[derive(Clone, Default)]
pub struct SceneFiles(Arc<Mutex<Content>>);

#[derive(Default)]
struct Content {
    /// By path, and the bits of the scale.
    meshes: HashMap<(PathBuf, u32), Arc<TriangleMesh>>,
    textures: HashMap<PathBuf, Arc<TextureImage>>,
    heights: HashMap<PathBuf, Arc<HeightSamples>>,
}

impl SceneFiles {
    /// The mesh of a file whose unit is `scale` metres.
    pub(super) fn mesh(&self, path: &Path, scale: f32) -> Result<Arc<TriangleMesh>, SceneError> {
        self.once(
            |content| &mut content.meshes,
            (path.into(), scale.to_bits()),
            || {
                check_is_file(path, &format!("a mesh ({})", mesh_endings()))?;
                triangle_mesh(path, scale)
            },
        )
    }

    /// The image of a file, to be printed.
    pub(super) fn texture(&self, path: &Path) -> Result<Arc<TextureImage>, SceneError> {
        self.once(
            |content| &mut content.textures,
            path.into(),
            || {
                check_is_file(path, "a PNG image (.png)")?;
                Ok(read_texture(path)?)
            },
        )
    }

    /// The heights in a file.
    pub(super) fn heights(&self, path: &Path) -> Result<Arc<HeightSamples>, SceneError> {
        self.once(
            |content| &mut content.heights,
            path.into(),
            || {
                check_is_file(path, "a grey PNG image (.png)")?;
                Ok(read_heights(path)?)
            },
        )
    }

    /// What `kept` has under `key`; where it has nothing, what `read` says. What cannot be read is tried again the next time.
    fn once<K: Eq + Hash, V>(
        &self,
        kept: impl FnOnce(&mut Content) -> &mut HashMap<K, Arc<V>>,
        key: K,
        read: impl FnOnce() -> Result<V, SceneError>,
    ) -> Result<Arc<V>, SceneError> {
        // A panic elsewhere leaves it whole, as what is read is put in at the end.
        let mut content = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept(&mut content);
        if let Some(known) = kept.get(&key) {
            return Ok(known.clone());
        }
        let value = Arc::new(read()?);
        kept.insert(key, value.clone());
        Ok(value)
    }
}

/// The mesh of a file whose unit is `scale` metres; a polygon becomes a fan of triangles around its first corner.
fn triangle_mesh(path: &Path, scale: f32) -> Result<TriangleMesh, SceneError> {
    let source = read_mesh(path)?;
    let (mut corners, mut lines) = (Vec::new(), Vec::new());
    for (index, face) in source.faces().enumerate() {
        corners.extend((face.start + 1..face.end - 1).map(|corner| [face.start, corner, corner + 1]));
        lines.resize(corners.len(), source.face_lines.as_ref().map(|lines| lines[index]));
    }
    let triangles = corners.iter().map(|corners| corners.map(|corner| source.corners[corner])).collect();
    let positions = source.positions.iter().map(|&position| position * scale).collect();
    let mesh = TriangleMesh::new(positions, triangles).map_err(|reason| {
        let line = reason.triangle().and_then(|triangle| lines[triangle]);
        let place = line.map_or(Place::File, |line| Place::Line(line as usize));
        Fault { place, problem: reason.to_string() }.of(path)
    })?;
    // Images count downwards.
    let uv = |uvs: &[Vec2], corner: usize| Vec2::new(uvs[corner].x, 1.0 - uvs[corner].y);
    Ok(mesh
        .with_uvs(source.uvs.map(|uvs| corners.iter().map(|corners| corners.map(|corner| uv(&uvs, corner))).collect())))
}

impl PartialEq for SceneFiles {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl fmt::Debug for SceneFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SceneFiles").finish_non_exhaustive()
    }
}

impl Scene {
    /// Has this scene read its files anew when it needs them; its clones keep what they have.
    pub fn forget_files(&mut self) {
        self.files = SceneFiles::default();
    }
}
