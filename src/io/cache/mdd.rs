//! MDD, LightWave's motion designer data, which Blender, Maya and Houdini read: the numbers of frames and points, the
//! time of each frame \[s\], then the positions of all points in each frame, all big endian.

use std::io::{self, Write};

use glam::Vec3;

use super::{Cache, PartialFile, Stream};

pub(super) struct Mdd;

impl Stream for Mdd {
    fn begin(&mut self, cache: &Cache, file: &mut PartialFile) -> io::Result<()> {
        file.write_all(&cache.frames.to_be_bytes())?;
        file.write_all(&(cache.point_count() as u32).to_be_bytes())?;
        (0..cache.frames).try_for_each(|frame| file.write_all(&(cache.time(frame) as f32).to_be_bytes()))
    }

    fn frame(&mut self, _cache: &Cache, _number: u32, positions: &[Vec3], file: &mut PartialFile) -> io::Result<()> {
        positions.iter().flat_map(Vec3::to_array).try_for_each(|number| file.write_all(&number.to_be_bytes()))
    }
}
