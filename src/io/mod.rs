//! Files in and out, one file a format.

mod atomic;
mod obj;

pub use atomic::{WriteError, check_writable, write_atomically};
pub use obj::{ReadError, read_obj};
