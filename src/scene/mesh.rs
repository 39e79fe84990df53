//! The mesh of a scene: its file, how that is read, and what is simulated of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;

use super::error::SceneError;
use super::values::{Form, Value};
use super::{Pins, Scene};
use crate::model::{BendingForm, Cloth, Preparation, PreparedMesh, SourceMesh, UpAxis};

/// A mesh from a file, as it was read and as it is simulated.
#[derive(Clone, Debug)]
pub struct SceneMesh {
    /// The file.
    pub path: PathBuf,
    /// As the file has it.
    pub source: Arc<SourceMesh>,
    /// How it was read: its unit, its axes, and how far seams may gape.
    pub preparation: Preparation,
    /// What is simulated of it.
    pub prepared: Arc<PreparedMesh>,
    /// Whether the unit was guessed, and neither the scene nor the format says it.
    pub unit_is_guessed: bool,
}

impl SceneMesh {
    /// The sides of the box around it \[m\].
    #[must_use]
    pub fn size(&self) -> Vec3 {
        self.prepared.size
    }

    /// What a person has to know of it in a line: how large it is, in which unit and axes it was taken, and what was mended.
    #[must_use]
    pub fn summary(&self) -> String {
        let Preparation { metres_per_unit, up, .. } = self.preparation;
        let size = self.size();
        let guessed = if self.unit_is_guessed { ", guessed from its size (--scale sets it)" } else { "" };
        let mended: String = self.prepared.findings.mended().iter().map(|what| format!("; {what}")).collect();
        let faces = self.source.face_sizes.len();
        format!(
            "{}: {} vertices and {faces} face{}, {:.3} x {:.3} x {:.3} m, {} up, in {}{guessed}{mended}",
            self.path.display(),
            self.source.positions.len(),
            if faces == 1 { "" } else { "s" },
            size.x,
            size.y,
            size.z,
            up.name(),
            unit_name(metres_per_unit),
        )
    }
}

/// What a unit of so many metres is called.
fn unit_name(metres: f32) -> String {
    let known = [(1.0, "metres"), (0.01, "centimetres"), (0.001, "millimetres"), (0.0254, "inches"), (0.3048, "feet")];
    let found = known.into_iter().find(|(unit, _)| *unit == metres);
    found.map_or_else(|| format!("units of {metres} m"), |(_, name)| name.into())
}

impl Scene {
    /// Its mesh, where it has one. The file is read once, as [`SceneFiles`](super::SceneFiles) has it.
    ///
    /// # Errors
    /// Where it cannot be read, or nothing in it can be simulated.
    pub fn scene_mesh(&self) -> Result<Option<SceneMesh>, SceneError> {
        let Some(path) = &self.mesh else {
            return Ok(None);
        };
        let source = self.files.source_mesh(path)?;
        let preparation = source.preparation(self.scale, self.up, self.weld);
        let prepared = self.files.prepared_mesh(path, &source, &preparation)?;
        let unit_is_guessed = self.scale.is_none() && source.metres_per_unit.is_none();
        Ok(Some(SceneMesh { path: path.clone(), source, preparation, prepared, unit_is_guessed }))
    }

    /// The cloth of a mesh, and the particles that it hangs by.
    pub(super) fn mesh_cloth(&self, mesh: &SceneMesh) -> Result<(Cloth, Vec<u32>), SceneError> {
        let surface = &mesh.prepared.mesh;
        let cloth = surface.cloth(self.area_density, self.bending_form.unwrap_or(BendingForm::Dihedral));
        let has_mass = |&corner: &u32| cloth.inverse_masses[corner as usize].is_normal();
        let are_finite = cloth.positions.iter().all(|position| position.is_finite())
            && cloth.triangles.as_flattened().iter().all(has_mass)
            && cloth.springs.iter().all(|spring| spring.rest_length.is_normal())
            && cloth.patches.iter().all(|patch| patch.area_ratio.is_finite());
        if !are_finite {
            let expected = format!("such that 32 bits hold the lengths and masses of {}", mesh.path.display());
            return Err(self.wrong("scale".into(), expected, mesh.preparation.metres_per_unit.to_string()));
        }
        let tops = if self.pins == Pins::None { Vec::new() } else { surface.tops(self.pin_fraction) };
        Ok((cloth, tops))
    }
}

impl Value for Option<UpAxis> {
    const FORM: Form = Form::Choice(&["guess", "x", "y", "z"]);

    fn expected() -> String {
        "\"x\", \"y\", \"z\" or \"guess\"".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value.as_str()? {
            "guess" => Some(None),
            "x" => Some(Some(UpAxis::X)),
            "y" => Some(Some(UpAxis::Y)),
            "z" => Some(Some(UpAxis::Z)),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        Some(self.map_or("guess", UpAxis::name).into())
    }
}

/// What `path` is called in a sentence about how it was prepared.
pub(super) fn cannot_be_simulated(path: &Path, problem: impl std::fmt::Display) -> SceneError {
    SceneError::File { path: path.into(), problem: format!("cannot be simulated: {problem}") }
}
