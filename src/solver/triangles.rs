//! The triangles of a cloth on the device, for what acts on them and what draws them.

use crate::engine::{self, Buffer, Device};
use crate::model::{Cloth, triangles_around};

/// The triangles of one cloth, as a list of corners and as lists around each particle.
#[derive(Clone, Debug)]
pub struct Triangles {
    /// `uint corners[]`, three of each triangle; shape \[3 count\].
    pub corners: Buffer,
    /// `uint entries[]`, as [`triangles_around`] has them.
    pub around: Buffer,
    /// How many triangles.
    pub count: u32,
}

impl Triangles {
    /// Puts the triangles of `cloth` on the device.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, cloth: &Cloth) -> engine::Result<Self> {
        let around = triangles_around(cloth.positions.len(), &cloth.triangles);
        Ok(Self {
            corners: Buffer::from_slice(device, "cloth.triangles", cloth.triangles.as_flattened())?,
            around: Buffer::from_slice(device, "cloth.triangles_around", &around)?,
            count: cloth.triangles.len() as u32,
        })
    }
}
