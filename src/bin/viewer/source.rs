//! What a scene is loaded from.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;
use tautline::scene::{Scene, presets};

use crate::output;

/// A preset or a file, with what is changed in it; kept, so that it can be loaded again.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: OsString,
    pub settings: Vec<(String, String)>,
}

impl Source {
    /// A preset or a file as it is.
    pub fn plain(path: impl Into<OsString>) -> Self {
        Self { path: path.into(), settings: Vec::new() }
    }

    /// Reads the scene, and says how its mesh was taken, where it has one.
    pub fn load(&self) -> Result<Scene> {
        let scene = Scene::load(&self.path, &self.settings)?;
        if let Some(mesh) = scene.scene_mesh()? {
            output::tell(&mesh.summary());
        }
        Ok(scene)
    }

    /// What names it from any folder; `None` where that is no text.
    pub fn absolute(&self) -> Option<String> {
        if presets().any(|(name, _)| self.path == name) {
            return self.path.to_str().map(str::to_string);
        }
        std::path::absolute(Path::new(&self.path)).ok()?.to_str().map(str::to_string)
    }
}
