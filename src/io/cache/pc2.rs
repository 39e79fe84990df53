//! PC2, the point cache of 3ds Max that Blender's modifier Mesh Cache reads: a header of 32 bytes, then the positions
//! of all points in each frame, all little endian.

use std::io::{self, Write};

use glam::Vec3;

use super::{Cache, PartialFile, Stream};

pub(super) struct Pc2;

impl Stream for Pc2 {
    fn begin(&mut self, cache: &Cache, file: &mut PartialFile) -> io::Result<()> {
        file.write_all(b"POINTCACHE2\0")?;
        let (version, start, frames_per_sample) = (1_u32, 0.0_f32, 1.0_f32);
        file.write_all(&version.to_le_bytes())?;
        file.write_all(&(cache.point_count() as u32).to_le_bytes())?;
        file.write_all(&start.to_le_bytes())?;
        file.write_all(&frames_per_sample.to_le_bytes())?;
        file.write_all(&cache.frames.to_le_bytes())
    }

    fn frame(&mut self, _cache: &Cache, _number: u32, positions: &[Vec3], file: &mut PartialFile) -> io::Result<()> {
        file.write_all(bytemuck::cast_slice(positions))
    }
}
