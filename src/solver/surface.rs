//! The triangles of a cloth on the device, for what acts on them and what draws them.

use crate::engine::{self, Buffer, Device};
use crate::model::{Cloth, triangles_around};

/// The triangles of one cloth, as lists of corners and as lists around each particle.
#[derive(Clone, Debug)]
pub struct Surface {
    /// `uint triangles[]`, corners of each triangle; shape \[3 triangle_count\].
    pub triangles: Buffer,
    /// `uint entries[]`, as [`triangles_around`] has them.
    pub particle_triangles: Buffer,
    /// How many triangles.
    pub triangle_count: u32,
}

impl Surface {
    /// Puts the triangles of `cloth` on the device.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where there are more than the device can bind, or what else the engine reports.
    pub fn new(device: &Device, cloth: &Cloth) -> engine::Result<Self> {
        Ok(Self {
            triangles: Buffer::from_slice(device, "triangles", cloth.triangles.as_flattened())?,
            particle_triangles: Buffer::from_slice(
                device,
                "particle triangles",
                &triangles_around(cloth.positions.len(), &cloth.triangles),
            )?,
            triangle_count: cloth.triangles.len() as u32,
        })
    }
}
