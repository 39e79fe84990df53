//! What the files that a scene names hold, each read once.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Scene;
use super::error::SceneError;
use super::file::check_is_file;
use super::mesh::cannot_be_simulated;
use crate::io::{HeightSamples, mesh_endings, read_heights, read_mesh, read_texture};
use crate::model::{Preparation, PreparedMesh, SourceMesh, TextureImage, UpAxis};

/// What has been read of the files that a scene names; clones share it.
///
/// So a simulation that is made anew has the same body as the one before, even where a file has changed since or is gone.
/// It is no part of what a scene says: all of them are equal.
#[derive(Clone, Default)]
pub struct SceneFiles(Arc<Mutex<Content>>);

#[derive(Default)]
struct Content {
    source_meshes: HashMap<PathBuf, Arc<SourceMesh>>,
    /// By path, and how they were read: the bits of the unit and of how far seams may gape, and what points up.
    prepared_meshes: HashMap<(PathBuf, [u32; 2], UpAxis), Arc<PreparedMesh>>,
    textures: HashMap<PathBuf, Arc<TextureImage>>,
    heights: HashMap<PathBuf, Arc<HeightSamples>>,
}

impl SceneFiles {
    /// The mesh of a file, as that has it.
    pub(super) fn source_mesh(&self, path: &Path) -> Result<Arc<SourceMesh>, SceneError> {
        self.once(
            |content| &mut content.source_meshes,
            path.into(),
            || {
                check_is_file(path, &format!("a mesh ({})", mesh_endings()))?;
                Ok(read_mesh(path)?)
            },
        )
    }

    /// What is simulated of the mesh of a file.
    pub(super) fn prepared_mesh(
        &self,
        path: &Path,
        source: &SourceMesh,
        preparation: &Preparation,
    ) -> Result<Arc<PreparedMesh>, SceneError> {
        let Preparation { metres_per_unit, up, weld_share } = *preparation;
        self.once(
            |content| &mut content.prepared_meshes,
            (path.into(), [metres_per_unit, weld_share].map(f32::to_bits), up),
            || PreparedMesh::new(source, preparation).map_err(|problem| cannot_be_simulated(path, problem)),
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
