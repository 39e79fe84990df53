//! What a bake that was interrupted goes on from, beside its output.
//!
//! A line of JSON with what the bake is and how far it has come, the state of the simulation then, and a CRC-32 of
//! both.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use tautline::io::cache::Progress;
use tautline::io::write_durably;
use tautline::solver::State;

use crate::identity::Identity;

pub struct Checkpoint {
    head: Head,
    /// What the body does in the last frame that is written; none before the first, and none needed after the last.
    pub state: Option<State>,
}

#[derive(Deserialize, Serialize)]
struct Head {
    identity: Identity,
    frames: u32,
    bytes: u64,
}

impl Checkpoint {
    /// That of a bake with no frames yet.
    pub fn new(identity: Identity) -> Self {
        Self { head: Head { identity, frames: 0, bytes: 0 }, state: None }
    }

    /// How far the cache has come.
    pub fn progress(&self) -> Progress {
        Progress { frames: self.head.frames, bytes: self.head.bytes }
    }

    /// Comes so far, with the state of then.
    pub fn advance(&mut self, progress: Progress, state: Option<State>) {
        (self.head.frames, self.head.bytes, self.state) = (progress.frames, progress.bytes, state);
    }

    /// Replaces the one before, in one go.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut bytes = serde_json::to_vec(&self.head)?;
        bytes.push(b'\n');
        bytes.extend(self.state.iter().flat_map(State::to_bytes));
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
        let (head, state) = (&content[..end], &content[end + 1..]);
        let state = if state.is_empty() { None } else { Some(State::from_bytes(state).ok()?) };
        Some(Self { head: serde_json::from_slice(head).ok()?, state })
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
