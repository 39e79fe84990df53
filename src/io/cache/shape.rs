use std::sync::Arc;

use crate::model::{SourceMesh, UpAxis};

/// What a cache is of: what moves, in which unit and axes, and in how many frames.
#[derive(Clone, Debug)]
pub struct Cache {
    /// What moves.
    pub form: CacheForm,
    /// The length of the unit of all positions \[m\].
    pub metres_per_unit: f32,
    /// What points up in all positions.
    pub up: UpAxis,
    /// How many frames there are, 1 or more; the first is at 0 s.
    pub frames: u32,
    /// How many frames make a second.
    pub frames_per_second: f64,
}

/// What joins the points of a cache.
#[derive(Clone, Debug)]
pub enum CacheForm {
    /// The polygons of a mesh, whose vertices are the points.
    Mesh(Arc<SourceMesh>),
    /// Ropes, one after another.
    Ropes {
        /// Points of each rope. Shape \[rope_count\].
        sizes: Vec<u32>,
        /// Thickness of all of them, in the unit of the positions.
        width: f32,
    },
}

impl Cache {
    /// How many points each frame has.
    #[must_use]
    pub fn point_count(&self) -> usize {
        match &self.form {
            CacheForm::Mesh(mesh) => mesh.positions.len(),
            CacheForm::Ropes { sizes, .. } => sizes.iter().map(|&size| size as usize).sum(),
        }
    }

    /// When a frame is \[s\].
    #[must_use]
    pub fn time(&self, frame: u32) -> f64 {
        f64::from(frame) / self.frames_per_second
    }
}

impl CacheForm {
    /// The first points of all links of ropes, each of which goes to the next point; none of a mesh.
    pub(super) fn links(&self) -> Vec<u32> {
        let Self::Ropes { sizes, .. } = self else { return Vec::new() };
        let mut first = 0;
        let links = sizes.iter().flat_map(|&size| {
            let rope = first..first + size;
            first = rope.end;
            rope.start..(rope.end).saturating_sub(1).max(rope.start)
        });
        links.collect()
    }
}
