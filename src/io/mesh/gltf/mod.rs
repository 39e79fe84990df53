//! glTF 2.0, as JSON with buffers beside it or in it, and as GLB.

mod accessor;
mod assembly;
mod buffer;
mod container;
mod node;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(super) mod writer;

use std::path::Path;

use accessor::Accessors;
use assembly::Assembly;
use buffer::Buffers;
use gltf::json;

use super::error::Fault;
use crate::model::{MeshError, SourceMesh};

// The library gives the JSON a type. Bytes are read here: its own readers trust counts and offsets, and panic or overflow where
// they are wrong; and its check of a whole file refuses much that has nothing to do with shapes.

/// Most numbers of a mesh in all: a small file can repeat its accessors as often as it likes.
const MOST_NUMBERS: usize = 1 << 28;

/// The mesh of a file: those of all nodes of its scene, or of all nodes where no scene is the default one.
///
/// Buffers may be files in `folder`. Normals, points and lines, skins, animations and morph targets are passed over.
pub(super) fn parse(bytes: &[u8], folder: Option<&Path>) -> Result<SourceMesh, Fault> {
    parse_within(bytes, folder, MOST_NUMBERS)
}

/// The mesh of a file, which may have `most` numbers.
fn parse_within(bytes: &[u8], folder: Option<&Path>, most: usize) -> Result<SourceMesh, Fault> {
    let (root, blob) = container::open(bytes)?;
    let accessors = Accessors::new(&root, Buffers::new(&root, blob, folder), most);
    let mut assembly = Assembly::new(&root, &accessors);
    for placed in node::placed(&root)? {
        assembly.add(&placed)?;
    }
    let mesh = assembly.finish()?;
    if mesh.face_sizes.is_empty() {
        return Err(Fault::in_file(MeshError::NoTriangles.to_string()));
    }
    Ok(mesh)
}

/// What a list of the file has at an index.
fn item<'a, T>(items: &'a [T], index: json::Index<T>, kind: &str, asked_by: &str) -> Result<&'a T, Fault> {
    items.get(index.value()).ok_or_else(|| {
        let problem =
            format!("there is no {kind} {}, for the file has {}, numbered from 0", index.value(), items.len());
        Fault::at(asked_by, problem)
    })
}
