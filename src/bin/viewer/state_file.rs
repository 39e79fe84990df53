//! Files of states, from which another run goes on.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use tautline::io::write_durably;
use tautline::model::Body;
use tautline::scene::Scene;
use tautline::solver::{State, StateMismatch};

use crate::arguments::Arguments;
use crate::output;
use crate::run::check_cuts;

/// The state that a file holds.
pub fn read(path: &Path) -> Result<State> {
    let told = |reason: &dyn std::fmt::Display| anyhow!("cannot go on from '{}': {reason}", path.display());
    // Others might never end, or never begin.
    if !fs::metadata(path).map_err(|reason| told(&reason))?.is_file() {
        return Err(told(&"it is no file"));
    }
    let file = File::open(path).map_err(|reason| told(&reason))?;
    State::read_from(file).map_err(|reason| told(&reason))
}

/// Fails where a scene cannot go on from the state of a file, of which its simulation has `checked` whether it is of its body;
/// and returns what there is to tell where it can.
pub fn check(
    path: &Path,
    state: &State,
    checked: Result<(), StateMismatch>,
    body: &Body,
    scene: &Scene,
) -> Result<Option<String>> {
    let told = |reason: &dyn std::fmt::Display| anyhow!("cannot go on from '{}': {reason}", path.display());
    checked.map_err(|reason| told(&reason))?;
    check_cuts(state, scene).map_err(|reason| told(&reason))?;
    let starts_elsewhere = state.body.places != body.fingerprint().places;
    let text =
        || format!("'{}' is of a body of the same shape that starts elsewhere, or in another size", path.display());
    Ok(starts_elsewhere.then(text))
}

/// The state that a run has been asked to go on from, if it has: one of its scene and its `body`, of which its simulation can
/// `check` whether it is.
pub fn load(
    arguments: &Arguments,
    scene: &Scene,
    body: &Body,
    check_body: impl FnOnce(&State) -> Result<(), StateMismatch>,
) -> Result<Option<State>> {
    let Some(path) = &arguments.load_state else { return Ok(None) };
    let state = read(path)?;
    let note = check(path, &state, check_body(&state), body, scene)?;
    note.iter().for_each(|note| output::tell(note));
    Ok(Some(state))
}

/// What is told of a state that has been written.
pub fn wrote(path: &Path, state: &State) -> String {
    format!("wrote {} (the state at {:.3} s)", path.display(), state.time)
}

/// Writes the state of a run that has ended, where that was asked for, durably and in one go, and says so. One with particles
/// that are nowhere is not written, which is why the run fails.
pub fn save(arguments: &Arguments, state: impl FnOnce() -> Result<State>) -> Result<()> {
    let Some(path) = &arguments.save_state else { return Ok(()) };
    let state = state()?;
    if !state.positions.iter().all(|place| place.is_finite()) {
        return Ok(());
    }
    if !state.is_finite() {
        bail!("the state is not finite, so '{}' is left as it was", path.display());
    }
    write_durably(path, |file| file.write_all(&state.to_bytes()))?;
    output::print(&format!("{}\n", wrote(path, &state)))
}

/// How a run has `ended` whose state was to be `saved`: what went wrong with either is told.
pub fn told<T>(ended: Result<T>, saved: Result<()>) -> Result<T> {
    if let (Err(_), Err(reason)) = (&ended, &saved) {
        output::tell(&format!("error: {reason:#}"));
    }
    let ended = ended?;
    saved.map(|()| ended)
}
