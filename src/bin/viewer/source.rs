//! What a scene is loaded from.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use tautline::scene::{Playback, Scene, presets};

use crate::output;

/// A preset or a file, with what is changed in it; kept, so that it can be loaded again.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: OsString,
    pub settings: Vec<(String, String)>,
    pub cache: Option<Cache>,
}

/// A cache that is played back, and at which rate \[Hz\], where that was asked for.
#[derive(Clone, Debug)]
pub struct Cache {
    pub path: PathBuf,
    pub frames_per_second: Option<f64>,
}

impl Source {
    /// A preset or a file as it is.
    pub fn plain(path: impl Into<OsString>) -> Self {
        Self { path: path.into(), settings: Vec::new(), cache: None }
    }

    /// Reads the scene, and says how its mesh was taken, where it has one.
    pub fn load(&self) -> Result<Scene> {
        let scene = Scene::load(&self.path, &self.settings)?;
        let playback =
            self.cache.as_ref().map(|cache| Playback::open(&cache.path, cache.frames_per_second)).transpose()?;
        if let Some(mesh) = scene.scene_mesh()? {
            output::tell(&mesh.summary());
        }
        Ok(Scene { playback, ..scene })
    }

    /// What names it from any folder; `None` where that is no text.
    pub fn absolute(&self) -> Option<String> {
        if presets().any(|(name, _)| self.path == name) {
            return self.path.to_str().map(str::to_string);
        }
        std::path::absolute(Path::new(&self.path)).ok()?.to_str().map(str::to_string)
    }
}
