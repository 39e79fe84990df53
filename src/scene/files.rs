//! What the files that a scene names hold, each read once.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Scene;
use super::colliders::MeshSource;
use super::error::SceneError;
use super::file::check_is_file;
use super::mesh::cannot_be_simulated;
use crate::io::{FieldCache, HeightSamples, mesh_endings, read_heights, read_mesh, read_texture};
use crate::model::{ClosedMesh, Preparation, PreparedMesh, Shape, SourceMesh, TextureImage, UpAxis, WELD_SHARE};

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
    /// By path, the bits of the unit, what points up, and cells along the longest side.
    solids: HashMap<(PathBuf, u32, UpAxis, u32), Arc<Shape>>,
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

    /// What the mesh of a file encloses.
    pub(super) fn solid(&self, mesh: &MeshSource<'_>) -> Result<Shape, SceneError> {
        let source = self.source_mesh(mesh.path)?;
        let preparation = source.preparation(mesh.scale, mesh.up, WELD_SHARE);
        let prepared = self.prepared_mesh(mesh.path, &source, &preparation)?;
        let make = || {
            let surface = closed_mesh(mesh.path, &source, &prepared, preparation.metres_per_unit)?;
            let field = FieldCache::of_user().field(&surface, mesh.cells);
            Ok(Shape::Mesh { surface: surface.into(), field })
        };
        let key = (mesh.path.into(), preparation.metres_per_unit.to_bits(), preparation.up, mesh.cells);
        Ok(Shape::clone(&*self.once(|content| &mut content.solids, key, make)?))
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

/// The mesh of a file whose unit is `scale` metres, where it encloses something of a size to reckon with.
fn closed_mesh(
    path: &Path,
    source: &SourceMesh,
    prepared: &PreparedMesh,
    scale: f32,
) -> Result<ClosedMesh, SceneError> {
    let mesh = ClosedMesh::new(prepared.mesh.positions(), prepared.mesh.triangles()).map_err(|reason| {
        let vertices = prepared.first_vertices();
        let reason = reason.numbered(|particle| vertices[particle as usize] + source.first_number);
        SceneError::Solid { path: path.into(), reason }
    })?;
    let [least, greatest] = mesh.bounds();
    let (longest, farthest) = ((greatest - least).max_element(), least.abs().max(greatest.abs()).max_element());
    // Beyond that, 32 bits do not tell the nodes of its grid from each other.
    let problem = if !(1e-6..=1e6).contains(&longest) {
        format!("is {longest} m long where its unit is {scale} m; set `scale` so that it is 1e-6 to 1e6 m long")
    } else if farthest > 1e3 * longest {
        format!("lies {farthest} m from its origin and is {longest} m long; move it to within 1000 times its length")
    } else {
        return Ok(mesh);
    };
    Err(SceneError::File { path: path.into(), problem })
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
