//! Meshes from files, one file a format; each as its file has it.

mod error;
mod format;
mod gltf;
mod groups;
mod obj;
mod ply;
mod stl;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::Read;
use std::path::Path;

pub(crate) use error::shortened;
pub use error::{Fault, Place, ReadError};
pub use format::{MESH_EXTENSIONS, MeshFormat, mesh_endings};

use crate::model::{MeshError, SourceMesh};

/// Most bytes of a file with a mesh, or of one with its buffers: 2 GiB.
pub const MOST_MESH_BYTES: u64 = 1 << 31;

/// Reads a mesh as its file has it, in the format that the ending of the file's name says ([`MESH_EXTENSIONS`]).
///
/// It has at least one face, each corner names a vertex that is there, and every coordinate is finite; faces without area,
/// vertices that lie on one another and the like are as the file has them. A file is read into memory once; it may have
/// [`MOST_MESH_BYTES`].
///
/// # Errors
///
/// Names the file and, wherever one is at fault, the line, element or accessor, and says what would be right.
pub fn read_mesh(path: &Path) -> Result<SourceMesh, ReadError> {
    let format = MeshFormat::of(path).ok_or_else(|| ReadError::Kind { path: path.into() })?;
    let bytes = read_file(path, MOST_MESH_BYTES)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse_mesh(&bytes, format, Some(folder)).map_err(|fault| fault.of(path))
}

/// The mesh that the bytes of a file hold, as [`read_mesh`] has it. Files that it names, as glTF may, lie in `folder`.
///
/// # Errors
///
/// Says where in the file something is wrong, and what would be right.
pub fn parse_mesh(bytes: &[u8], format: MeshFormat, folder: Option<&Path>) -> Result<SourceMesh, Fault> {
    let mesh = match format {
        MeshFormat::Obj => obj::parse(bytes)?,
        MeshFormat::Ply => ply::parse(bytes)?,
        MeshFormat::Stl => stl::parse(bytes)?,
        MeshFormat::Gltf => gltf::parse(bytes, folder)?,
    };
    if mesh.positions.is_empty() {
        return Err(Fault::in_file(MeshError::NoVertices.to_string()));
    }
    if mesh.face_sizes.is_empty() {
        return Err(Fault::in_file(MeshError::NoTriangles.to_string()));
    }
    Ok(mesh)
}

/// What a regular file of at most `most` bytes holds.
fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let unreadable = |reason| ReadError::File { path: path.into(), reason };
    // Before it is opened: a pipe would wait for someone to write into it.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(ReadError::NotAFile { path: path.into() });
    }
    let file = fs::File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut bytes = Vec::new();
    if size <= most {
        bytes.try_reserve_exact(size as usize).map_err(|reason| unreadable(reason.into()))?;
        // It may grow meanwhile, and what the system makes up has no size of its own.
        file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if size.max(bytes.len() as u64) > most {
        return Err(ReadError::TooLarge { path: path.into(), most });
    }
    Ok(bytes)
}
