//! Files in and out, one file a format.

mod atomic;
pub mod cache;
mod heights;
mod image;
mod obj;
mod texture;

pub use atomic::{WriteError, check_writable, write_atomically, write_durably, write_numbered};
pub use heights::{HeightSamples, MOST_HEIGHT_ROWS, read_heights};
pub use image::ImageError;
pub use obj::{ReadError, read_obj};
pub use texture::{MOST_TEXTURE_SIDE, read_texture};
