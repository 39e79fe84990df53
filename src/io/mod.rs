//! Files in and out, one file a format.

mod atomic;
mod obj;

pub use atomic::{WriteError, write_atomically};
pub use obj::{ReadError, read_obj};
