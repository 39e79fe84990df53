//! The calls of a recording one after the other, each with the barriers before it and why it waits, for people who read it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use ash::vk::{AccessFlags2 as Accesses, PipelineStageFlags2 as Stages};

use super::hazard::{Barrier, ResourceId, Use};
use super::trace::{Conflict, Trace};
use super::work::Work;

/// One call of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallWork {
    /// Name of the pass.
    pub pass: String,
    /// What it does.
    pub work: Work,
    /// The barriers right before it.
    pub barriers: Vec<Barrier>,
    /// Why they are there.
    pub waits: Vec<Wait>,
}

/// Why a call waits for another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wait {
    /// Name of the buffer or the image; none where no shader of the recording binds it.
    pub resource: Option<String>,
    /// The pass that it waits for.
    pub after: String,
    /// What would go wrong without.
    pub hazard: Hazard,
    /// The bit of `glMemoryBarrier` that stands for the wait where the same is done in OpenGL.
    pub gl_barrier: &'static str,
}

/// What would go wrong if a call did not wait for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hazard {
    /// It would read what has not been written yet.
    ReadAfterWrite,
    /// It would write over what has not been read yet.
    WriteAfterRead,
    /// It would write before what is to be written over.
    WriteAfterWrite,
    /// It would find the image in another layout.
    ChangeOfLayout,
}

impl fmt::Display for Hazard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ReadAfterWrite => "read after write",
            Self::WriteAfterRead => "write after read",
            Self::WriteAfterWrite => "write after write",
            Self::ChangeOfLayout => "change of layout",
        })
    }
}

impl Trace {
    /// Its calls in order.
    #[must_use]
    pub fn calls(&self) -> Vec<CallWork> {
        let bound = self.each().flat_map(|(_, work, ..)| work.bound.iter());
        let names: HashMap<ResourceId, &str> = bound.map(|bound| (bound.id, &*bound.resource)).collect();
        let mut calls: Vec<CallWork> = self
            .each()
            .map(|(pass, work, barriers)| CallWork {
                pass: pass.to_string(),
                work: work.clone(),
                barriers: barriers.cloned().collect(),
                waits: Vec::new(),
            })
            .collect();
        let mut known: HashSet<(usize, Wait)> = HashSet::new();
        for Conflict { earlier: (before, first), later: (index, second) } in self.waits() {
            let wait = Wait {
                resource: names.get(&second.resource).map(ToString::to_string),
                after: calls[before].pass.clone(),
                hazard: hazard(&first, &second),
                gl_barrier: gl_barrier(&second),
            };
            if known.insert((index, wait.clone())) {
                calls[index].waits.push(wait);
            }
        }
        calls
    }
}

fn hazard(first: &Use, second: &Use) -> Hazard {
    match (first.writes(), second.writes()) {
        (false, false) => Hazard::ChangeOfLayout,
        (false, true) => Hazard::WriteAfterRead,
        (true, _) if second.reads() => Hazard::ReadAfterWrite,
        (true, _) => Hazard::WriteAfterWrite,
    }
}

/// The bit says how the memory is used afterwards. Source: OpenGL 4.5 specification, section 7.13.2.
fn gl_barrier(later: &Use) -> &'static str {
    let accesses = |wanted: Accesses| later.accesses.intersects(wanted);
    let is_image = later.image.is_some();
    if later.stages.contains(Stages::HOST) {
        "GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT"
    } else if accesses(Accesses::TRANSFER_READ | Accesses::TRANSFER_WRITE) {
        if is_image { "GL_TEXTURE_UPDATE_BARRIER_BIT" } else { "GL_BUFFER_UPDATE_BARRIER_BIT" }
    } else if accesses(
        Accesses::COLOR_ATTACHMENT_READ
            | Accesses::COLOR_ATTACHMENT_WRITE
            | Accesses::DEPTH_STENCIL_ATTACHMENT_READ
            | Accesses::DEPTH_STENCIL_ATTACHMENT_WRITE,
    ) {
        "GL_FRAMEBUFFER_BARRIER_BIT"
    } else if accesses(Accesses::INDEX_READ) {
        "GL_ELEMENT_ARRAY_BARRIER_BIT"
    } else if accesses(Accesses::UNIFORM_READ) {
        "GL_UNIFORM_BARRIER_BIT"
    } else if accesses(Accesses::SHADER_SAMPLED_READ) {
        "GL_TEXTURE_FETCH_BARRIER_BIT"
    } else if is_image && accesses(Accesses::SHADER_STORAGE_READ | Accesses::SHADER_STORAGE_WRITE) {
        "GL_SHADER_IMAGE_ACCESS_BARRIER_BIT"
    } else if accesses(Accesses::SHADER_STORAGE_READ | Accesses::SHADER_STORAGE_WRITE) {
        "GL_SHADER_STORAGE_BARRIER_BIT"
    } else {
        "GL_ALL_BARRIER_BITS"
    }
}
