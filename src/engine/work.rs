//! What a recording was told to do, pass by pass, for people who read it.

use std::sync::Arc;

use super::hazard::{Barrier, ResourceId};
use super::reflect::Access;

/// What one call of a pass does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Its shaders, as paths below `glsl/`; none for a transfer.
    pub shaders: Arc<[String]>,
    /// What it runs over.
    pub extent: Extent,
    /// What its shaders bind.
    pub bound: Arc<[Bound]>,
}

/// What one call runs over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// A copy, a fill or a clear.
    #[default]
    Transfer,
    /// A dispatch.
    Dispatch {
        /// Invocations of a workgroup, in x, y and z.
        local_size: [u32; 3],
        /// How many workgroups, in x, y and z.
        groups: [u32; 3],
    },
    /// Draws into one target.
    Draw {
        /// How many draws.
        draws: u32,
        /// Their vertices or indices, in all.
        vertices: u64,
    },
}

/// A resource where a shader binds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Name of the block, or of the variable, in the shader.
    pub name: String,
    /// Name of the buffer or the image.
    pub resource: String,
    /// Which of all buffers and images it is.
    pub id: ResourceId,
    /// How the shader accesses it.
    pub access: Access,
}

/// All calls of one pass in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassWork {
    /// Name of the pass.
    pub name: String,
    /// What its calls do, in order, those that follow each other and do the same only once.
    pub calls: Vec<(Work, u32)>,
    /// The barriers before its calls, in order, each with how often it comes.
    pub barriers: Vec<(Barrier, u32)>,
}

impl PassWork {
    /// How often the pass is called.
    #[must_use]
    pub fn call_count(&self) -> u32 {
        self.calls.iter().map(|(_, count)| count).sum()
    }

    pub(super) fn add(&mut self, work: &Work, barriers: impl Iterator<Item = Barrier>) {
        match self.calls.last_mut() {
            Some((last, count)) if last == work => *count += 1,
            _ => self.calls.push((work.clone(), 1)),
        }
        for barrier in barriers {
            match self.barriers.iter_mut().find(|(known, _)| *known == barrier) {
                Some((_, count)) => *count += 1,
                None => self.barriers.push((barrier, 1)),
            }
        }
    }
}
