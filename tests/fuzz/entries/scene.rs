//! Scene files, without what they name.

use std::path::Path;

use tautline::scene::Scene;

/// Reads a scene and checks it.
pub fn parsed(bytes: &[u8]) -> bool {
    Scene::parse(bytes, Path::new("fuzzed.toml")).is_ok()
}
