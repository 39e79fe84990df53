//! What a bake that was interrupted goes on from, beside its output.
//!
//! A line of JSON with what the bake is and how far it has come, the state of the simulation then, what the guard of the run
//! knows of it, and a CRC-32 of all.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use tautline::io::cache::Progress;
use tautline::io::write_durably;
use tautline::solver::{GuardMemory, State};

use crate::identity::Identity;

pub struct Checkpoint {
    head: Head,
    /// None before the first frame, and none needed after the last.
    pub kept: Option<Kept>,
}

/// What a run goes on from.
pub struct Kept {
    /// What the body does: in the last frame that is written, or up to a frame later, where the run has gone back to then.
    pub state: State,
    /// What is known of how it came there.
    pub memory: GuardMemory,
}

#[derive(Deserialize, Serialize)]
struct Head {
    identity: Identity,
    progress: Progress,
    /// How long the state is.
    state_bytes: usize,
}

impl Checkpoint {
    /// That of a bake with no frames yet.
    pub fn new(identity: Identity) -> Self {
        Self { head: Head { identity, progress: Progress::default(), state_bytes: 0 }, kept: None }
    }

    /// How far the cache has come.
    pub fn progress(&self) -> &Progress {
        &self.head.progress
    }

    /// Comes so far, with what is kept of then.
    pub fn advance(&mut self, progress: Progress, kept: Option<Kept>) {
        (self.head.progress, self.kept) = (progress, kept);
    }

    /// Replaces the one before, in one go.
    pub fn write(&mut self, path: &Path) -> Result<()> {
        let [state, memory] = match &self.kept {
            Some(kept) => [kept.state.to_bytes(), kept.memory.to_bytes()],
            None => [Vec::new(), Vec::new()],
        };
        self.head.state_bytes = state.len();
        let head = serde_json::to_vec(&self.head)?;
        let mut bytes = [head, vec![b'\n'], state, memory].concat();
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(write_durably(path, |file| file.write_all(&bytes))?)
    }

    /// Reads what is there, if anything is, of a bake with this identity.
    pub fn read(path: &Path, identity: &Identity) -> Result<Option<Self>> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.with_context(|| format!("cannot read '{}'", path.display()))?,
        };
        let checkpoint = Self::parse(&bytes).ok_or_else(|| {
            anyhow!("'{}' is damaged, from which this bake would go on: begin anew with --restart", path.display())
        })?;
        if let Some(difference) = checkpoint.head.identity.difference(identity) {
            bail!(
                "'{}' is of another bake that was interrupted: {difference}; finish that one, or give --restart to \
                 begin anew",
                path.display()
            );
        }
        Ok(Some(checkpoint))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let end = content.iter().position(|&byte| byte == b'\n')?;
        let (head, rest) = (serde_json::from_slice::<Head>(&content[..end]).ok()?, &content[end + 1..]);
        let (state, memory) = rest.split_at_checked(head.state_bytes)?;
        let kept = || Some(Kept { state: State::from_bytes(state).ok()?, memory: GuardMemory::from_bytes(memory)? });
        let kept = if rest.is_empty() { None } else { Some(kept()?) };
        Some(Self { head, kept })
    }

    pub fn remove(path: &Path) -> Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove '{}'", path.display()))
            }
            _ => Ok(()),
        }
    }
}
