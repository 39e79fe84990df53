//! Why a scene cannot be had, told so that a person can act on it.

use std::fmt;
use std::path::PathBuf;

use super::file::PRESET_KEY;
use super::keys::KEYS;
use super::presets::{names, presets};
use super::suggest::did_you_mean;
use crate::engine;
use crate::io::cache::CacheReadError;
pub(super) use crate::io::shortened;
use crate::io::{ImageError, ReadError, mesh_endings};
use crate::model::{ClosedMeshError, RopeError};

/// Everything that can be wrong with a scene. The text is one sentence that names the place and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// What was asked for is no preset, and no path of a file that could be read.
    #[error(
        "there is no preset `{asked}`{}: give one of the presets {}, or the path of a scene file (.toml) or of a mesh \
         ({})",
        did_you_mean(asked, presets().map(|(name, _)| name)), names(), mesh_endings()
    )]
    UnknownPreset {
        /// The name as given.
        asked: String,
    },
    /// A file can't be read, or holds no scene.
    #[error("{} {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// Something isn't TOML.
    #[error("{place}: this is not TOML: {problem}")]
    Syntax {
        /// Where.
        place: Place,
        /// What the parser says.
        problem: String,
    },
    /// A key doesn't exist.
    #[error(
        "{place}: there is no key `{key}`{}; the keys are {}",
        did_you_mean(key, key_names(place)),
        key_list(place)
    )]
    UnknownKey {
        /// Where.
        place: Place,
        /// The key as given.
        key: String,
    },
    /// A value has another type than its key, or lies outside its range.
    #[error("{place}: `{key}` must be {expected}, not {found}")]
    Value {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What it must be, with the range.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The mesh can't be read.
    #[error(transparent)]
    Mesh(#[from] ReadError),
    /// The mesh of a collider has no inside.
    #[error("{}: {reason}", path.display())]
    Solid {
        /// Its file.
        path: PathBuf,
        /// Why.
        reason: ClosedMeshError,
    },
    /// A texture, or a terrain's image, can't be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The cache that is to be played back can't be read.
    #[error(transparent)]
    Cache(#[from] CacheReadError),
    /// The ropes can't be laid out.
    #[error(transparent)]
    Ropes(#[from] RopeError),
    /// The device can't hold the scene, or what else the engine reports.
    #[error(transparent)]
    Engine(#[from] engine::Error),
}

/// What is wrong with a table: the key, what it must be, and what was found.
pub(super) type Wrong = (&'static str, String, String);

/// Where a mistake is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a line of a file.
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    /// In an override.
    Override {
        /// The override, as `key=value`.
        setting: String,
    },
    /// In the scene as a whole.
    Scene {
        /// Its name.
        name: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { path, line } => write!(formatter, "{}, line {line}", path.display()),
            Self::Override { setting } => write!(formatter, "the setting `{setting}`"),
            Self::Scene { name } => write!(formatter, "the scene `{name}`"),
        }
    }
}

/// What may be set at a place: only a file chooses a preset.
fn key_names(place: &Place) -> impl Iterator<Item = &'static str> {
    let preset = matches!(place, Place::Line { .. }).then_some(PRESET_KEY);
    preset.into_iter().chain(KEYS.iter().map(|key| key.name))
}

fn key_list(place: &Place) -> String {
    key_names(place).collect::<Vec<_>>().join(", ")
}
