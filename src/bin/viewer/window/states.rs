//! States that a window saves, and those that it goes on from.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Result, bail};
use tautline::io::write_numbered;
use tautline::solver::{Backup, State};

use super::View;
use crate::video::numbered;
use crate::{output, state_file};

/// How many bytes tell a state from other files.
const FIRST_BYTES: u64 = 8;

/// Whether a file is that of a state; what cannot be read is none.
pub(super) fn is_state(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let is_file = path.metadata().is_ok_and(|data| data.is_file());
    is_file
        && File::open(path).is_ok_and(|file| file.take(FIRST_BYTES).read_to_end(&mut bytes).is_ok())
        && State::begins(&bytes)
}

impl View {
    /// What the body does now; what a hand has taken off its pin is pinned, as it is where the hand lets go.
    pub(super) fn state(&self) -> Result<State> {
        Ok(self.repinned(self.run.simulation.state()?))
    }

    /// A state of the body in which what a hand has taken off its pin is pinned.
    pub(super) fn repinned(&self, mut state: State) -> State {
        if let Some(particle) = self.hands.unpinned() {
            state.pins.set(self.run.simulation.body(), particle, true);
        }
        state
    }

    /// Saves what the body does now, as the first `tautline-SCENE-N.state` that is free.
    pub(super) fn save_state(&mut self) {
        let saved = self.write_state();
        if let Ok(text) = &saved {
            // The window tells it as well.
            let _ = output::print(&format!("{text}\n"));
        }
        self.tell(saved);
    }

    fn write_state(&self) -> Result<String> {
        if self.scene.playback.is_some() {
            bail!("what is played back from a cache has no state to save");
        }
        let state = self.state()?;
        if !state.is_finite() {
            bail!("the state is not finite, so it is not saved");
        }
        let bytes = state.to_bytes();
        let path = write_numbered(numbered(&self.scene.name, ".state"), |file| file.write_all(&bytes))?;
        Ok(state_file::wrote(&path, &state))
    }

    /// Goes on from the state in a file, with the scene that runs.
    pub(super) fn load_state(&mut self, path: &Path) -> Result<()> {
        if self.scene.playback.is_some() {
            bail!("what is played back from a cache does not go on from '{}'", path.display());
        }
        let state = state_file::read(path)?;
        self.take_steps_of_scene()?;
        let simulation = &mut self.run.simulation;
        let note = state_file::check(path, &state, simulation.check(&state), simulation.body(), &self.scene)?;
        self.hands.let_go(simulation);
        self.run.go_on_from(&state)?;
        self.backup = Backup::new(&self.run.device, &self.run.simulation, Some(state))?;
        self.clock.reset();
        self.kept = false;
        self.steps_due = 0;
        if let Some(note) = note {
            output::tell(&note);
            self.panels.announce(note);
        }
        Ok(())
    }
}
