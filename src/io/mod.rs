//! Files in and out, one file a format.

mod atomic;
pub mod cache;
mod field_cache;
mod heights;
mod image;
mod mesh;
mod texture;

pub use atomic::{WriteError, check_writable, write_atomically, write_durably, write_numbered};
pub use field_cache::FieldCache;
pub use heights::{HeightSamples, MOST_HEIGHT_ROWS, read_heights};
pub use image::ImageError;
pub(crate) use mesh::shortened;
pub use mesh::{
    Fault, MESH_EXTENSIONS, MOST_MESH_BYTES, MeshFormat, Place, ReadError, mesh_endings, parse_mesh, read_mesh,
};
pub use texture::{MOST_TEXTURE_SIDE, read_texture};
