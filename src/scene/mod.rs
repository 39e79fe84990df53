//! Scenes: everything that a simulation starts from, as one flat table of keys in a TOML file.
//!
//! The presets are such files themselves. A file may start from one with `preset = "flag"` and set only what differs;
//! a key that nothing sets has the default that the fields of [`Scene`] state.

mod baked;
mod build;
mod colliders;
mod copies;
mod cut_tables;
mod effect;
mod error;
mod fabrics;
mod file;
mod files;
mod heights;
mod keys;
mod mesh;
mod path;
mod pin_tables;
mod playback;
mod presets;
mod ropes;
mod suggest;
#[cfg(test)]
mod tests;
mod texture;
mod values;
mod watched;
mod watching;

use std::path::Path;

pub use baked::BakedShape;
pub use colliders::ColliderTable;
pub use cut_tables::CutTable;
pub use effect::Effect;
pub use error::{Place, SceneError};
pub use fabrics::{Fabric, FabricName, fabrics};
pub use files::SceneFiles;
pub use heights::Heights;
pub use keys::{Key, Scene};
pub use mesh::SceneMesh;
pub use path::Keyframes;
pub use pin_tables::PinTable;
pub use playback::Playback;
pub use presets::presets;
pub use texture::ImagePath;
pub use values::{Form, Pins, SolverKind, UnknownSolver};
pub use watching::Watching;

use error::shortened;
use fabrics::FABRIC_KEY;
use keys::KEYS;

/// Most particles that a grid may have.
const MOST_PARTICLES: u64 = 1 << 26;

/// Most iterations of all substeps of a step: a step is one recording, which grows with each of them.
const MOST_ITERATIONS: u64 = 200_000;

impl Scene {
    /// Loads a scene and sets single keys of it.
    ///
    /// `source` is the name of a preset, the path of a scene file (`.toml`), or the path of a mesh (`.obj`, `.gltf`, `.glb`,
    /// `.ply` or `.stl`), which is hung up as the preset `mesh` says. Each override is a key and its value as TOML; a word without quotes is a
    /// string. A preset counts less than the file that names it, and a file less than the overrides; among the keys of a file,
    /// and among the overrides, the fabric counts least.
    ///
    /// # Errors
    /// Where the source cannot be read, a key is unknown, or a value has the wrong type or lies outside its range.
    pub fn load(source: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Self, SceneError> {
        Self::changed(file::load(source.as_ref())?, overrides)
    }

    /// A scene and whether the mass of a grid's particles follows from its fabric, with single keys set.
    fn changed((mut scene, of_fabric): (Self, bool), overrides: &[(String, String)]) -> Result<Self, SceneError> {
        let (fabric, others): (Vec<_>, Vec<_>) = overrides.iter().partition(|(key, _)| key.trim() == FABRIC_KEY);
        for (key, text) in fabric.iter().chain(&others) {
            scene.change(key, text)?;
        }
        if (of_fabric || !fabric.is_empty()) && !others.iter().any(|(key, _)| key.trim() == "particle_mass") {
            scene.weigh_grid();
        }
        scene.validate()?;
        Ok(scene)
    }

    /// The scene of what a scene file at `path` holds. Paths in it are relative to that file, which need not be there.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, SceneError> {
        Self::changed(file::from_bytes(bytes.to_vec(), path)?, &[])
    }

    /// Sets one key to its value as TOML; a word without quotes is a string. The fabric sets those that belong to it as well.
    /// Whether it goes together with the others says [`Scene::validate`].
    ///
    /// # Errors
    /// Where the key is unknown, or the value has the wrong type or lies outside its range.
    pub fn change(&mut self, key: &str, text: &str) -> Result<(), SceneError> {
        let place = Place::Override { setting: shortened(&format!("{key}={text}")) };
        self.set(key.trim(), &file::override_value(text, &place)?, place)?;
        if key.trim() == FABRIC_KEY {
            self.take_fabric();
        }
        Ok(())
    }

    /// Checks every value, for the fields are public, whether the values go together, and whether an explicit solver is
    /// stable with them.
    ///
    /// # Errors
    /// [`SceneError::Value`], for the first one that is wrong.
    pub fn validate(&self) -> Result<(), SceneError> {
        let place = || Place::Scene { name: self.name.clone() };
        let mut copy = Scene::default();
        for key in KEYS {
            if let Some(value) = (key.get)(self) {
                copy.set(key.name, &value, place())?;
            }
        }
        let wrong = |key: &str, expected: String, found: String| Err(self.wrong(key.into(), expected, found));
        let passes = u64::from(self.substeps) * u64::from(self.iterations);
        if self.solver.takes_mesh() && passes > MOST_ITERATIONS {
            let most = MOST_ITERATIONS / u64::from(self.substeps);
            let expected =
                format!("at most {most} where `substeps` is {}, for {MOST_ITERATIONS} in a step", self.substeps);
            return wrong("iterations", expected, self.iterations.to_string());
        }
        self.check_colliders()?;
        self.check_pattern()?;
        self.cuts()?;
        self.check_stability()?;
        if self.solver == SolverKind::Rope {
            self.validate_ropes()?;
        }
        if let Some(mesh) = &self.mesh {
            if mesh.as_os_str().is_empty() {
                let expected = "the path of a mesh (give that path as the scene, or set the key)";
                return wrong("mesh", expected.into(), "empty".into());
            }
            if let Pins::Particles(indices) = &self.pins {
                let expected =
                    "\"none\" or left out where the key `mesh` is set: give a table, [[pin]] with `particles`";
                return wrong("pins", expected.into(), format!("{indices:?}"));
            }
            if !self.solver.takes_mesh() {
                let expected = "\"xpbd\", \"pbd\" or \"xpbd-document\" where the key `mesh` is set, as the others \
                                move no mesh";
                return wrong("solver", expected.into(), format!("\"{}\"", self.solver));
            }
            return Ok(());
        }
        let Self { columns, rows, .. } = *self;
        let particle_count = u64::from(columns) * u64::from(rows);
        if particle_count > MOST_PARTICLES {
            let most = MOST_PARTICLES / u64::from(rows);
            let expected = format!("at most {most} where `rows` is {rows}, for {MOST_PARTICLES} particles in all");
            return wrong("columns", expected, columns.to_string());
        }
        self.check_copies()?;
        if let Pins::Particles(indices) = &self.pins
            && let Some(index) = indices.iter().find(|&&index| u64::from(index) >= particle_count)
        {
            let most = particle_count - 1;
            let expected =
                format!("indices from 0 to {most}, for `columns` times `rows` make {particle_count} particles");
            return wrong("pins", expected, index.to_string());
        }
        Ok(())
    }

    /// Fails where an explicit solver would be unstable from the start, with the limit that it has.
    fn check_stability(&self) -> Result<(), SceneError> {
        let limit = match self.solver {
            SolverKind::Verlet => self.verlet_settings().stability_limit(),
            SolverKind::MassSpring => self.mass_spring_settings().stability_limit(self.particle_mass),
            SolverKind::Xpbd | SolverKind::Pbd | SolverKind::XpbdDocument | SolverKind::Rope => return Ok(()),
        };
        let (dt, substep) = (f64::from(self.dt), f64::from(self.dt) / f64::from(self.substeps));
        if substep < limit || self.allow_unstable {
            return Ok(());
        }
        let least = (dt / limit).floor() + 1.0;
        let expected = format!(
            "at least {least}, as these springs and masses let `{}` blow up with substeps of more than {limit:.3e} s (or \
             set `allow_unstable` to see it happen)",
            self.solver
        );
        Err(self.wrong("substeps".into(), expected, format!("{}, which is {substep:.3e} s", self.substeps)))
    }

    /// A sentence about a value that is wrong.
    fn wrong(&self, key: String, expected: String, found: String) -> SceneError {
        SceneError::Value { place: Place::Scene { name: self.name.clone() }, key, expected, found }
    }
}
