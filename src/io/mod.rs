//! Meshes in, caches out: one file a format.

mod obj;

pub use obj::{ReadError, read_obj};
