//! Files in and out, one file a format.

mod atomic;
mod heights;
mod obj;

pub use atomic::{WriteError, check_writable, write_atomically, write_numbered};
pub use heights::{HeightSamples, HeightsError, MOST_HEIGHT_ROWS, read_heights};
pub use obj::{ReadError, read_obj};
