//! Meshes from files, one file a format; each as its file has it.

mod error;
mod format;
mod gltf;
mod groups;
mod obj;
mod ply;
mod stl;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_of_a_format_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = |path: &Path| {
            let error = read_mesh(path).expect_err("no mesh").to_string();
            error.replace(folder.path().to_str().expect("a path"), "*")
        };
        let written = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("a file");
            path
        };
        let kinds = "give a file that ends in .obj, .gltf, .glb, .ply or .stl";
        assert_eq!(said(&written("a.fbx", "f 1 2 3")), format!("*/a.fbx ends like no mesh; {kinds}"));
        let inside = folder.path().join("folder.obj");
        fs::create_dir(&inside).expect("a folder");
        assert_eq!(said(&inside), format!("*/folder.obj is no regular file; {kinds}"));
        assert!(said(&folder.path().join("gone.OBJ")).starts_with("*/gone.OBJ cannot be read: "));
        let bad = written("bad.Obj", "v 0 0 0\nv 1 0\n");
        assert_eq!(said(&bad), "*/bad.Obj, line 2: this vertex has 2 of 3 coordinates; write `v x y z`");
        #[cfg(unix)]
        {
            let pipe = folder.path().join("socket.ply");
            let _socket = std::os::unix::net::UnixListener::bind(&pipe).expect("a socket");
            assert_eq!(said(&pipe), format!("*/socket.ply is no regular file; {kinds}"));
        }
    }

    #[test]
    fn files_are_read_up_to_a_size() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "four").expect("a file");
        assert_eq!(read_file(file.path(), 4).expect("a small file"), b"four");
        let error = read_file(file.path(), 3).expect_err("a large file").to_string();
        assert!(error.ends_with(" is too large; give a file of at most 3 bytes"), "{error}");
        // It is refused for its size, before memory is taken for it.
        file.as_file().set_len(MOST_MESH_BYTES + 1).expect("a hole");
        assert!(matches!(read_file(file.path(), MOST_MESH_BYTES), Err(ReadError::TooLarge { .. })));
    }
}
