//! Caches: where the vertices of a mesh or of ropes are in each frame, for other programs. One file a format.
//!
//! A cache is written frame by frame, beside where it belongs, and takes its place when it is whole; what has been
//! written can be gone on with after any end of the program ([`CacheWriter::resume`]). Memory does not grow with the
//! number of frames.

mod gltf;
mod mdd;
mod npz;
mod obj;
mod partial;
mod pc2;
mod ply;
mod reader;
mod shape;
mod target;
mod usda;
mod writer;
mod zip;

pub use gltf::MOST_GLTF_FRAMES;
pub use reader::{CacheReadError, CacheReader};
pub use shape::{Cache, CacheForm};
pub use target::{CacheFormat, CacheTarget, TargetError};
pub use writer::{CacheWriter, Progress};

use std::io::{self, Write};

use glam::Vec3;
use partial::PartialFile;

/// A format that has all frames in one file.
trait Stream: Send {
    /// Writes what stands before the first frame.
    fn begin(&mut self, cache: &Cache, file: &mut PartialFile) -> io::Result<()>;

    /// Writes a frame behind the one before it.
    fn frame(&mut self, cache: &Cache, number: u32, positions: &[Vec3], file: &mut PartialFile) -> io::Result<()>;

    /// Copies what each frame has in front of the first one from a cache of more frames, `from`, into one of fewer, `to`, that was
    /// begun.
    fn carry(&mut self, _from: (&Cache, &mut PartialFile), _to: (&Cache, &mut PartialFile)) -> io::Result<()> {
        Ok(())
    }

    /// Writes what stands behind the last frame. It may be called again on the same file, cut to where the last frame
    /// ended.
    fn finish(&mut self, _cache: &Cache, _file: &mut PartialFile) -> io::Result<()> {
        Ok(())
    }
}

/// A format that has a file for each frame.
trait Still: Send {
    /// Writes the whole file of a frame.
    fn write(&self, positions: &[Vec3], file: &mut dyn Write) -> io::Result<()>;
}
