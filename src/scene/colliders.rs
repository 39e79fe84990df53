//! The key `collider`: an array of tables, each a shape with its place or its path.

use std::path::{Path, PathBuf};

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::error::Wrong;
use super::heights::Heights;
use super::path::{Keyframes, in_reach, rotation};
use super::values::Table;
use crate::io::{HeightSamples, mesh_endings};
use crate::model::{self, Collider, FIELD_CELLS, HeightField, Pose, Shape, UpAxis};

/// One `[[collider]]` of a scene file. Which sizes it has depends on its shape.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ColliderTable {
    /// `"sphere"`, `"capsule"`, `"plane"`, `"box"`, `"height-field"` or `"mesh"`.
    pub shape: String,
    /// Of a sphere, or of both ends of a capsule \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f32>,
    /// Of a capsule's lower and upper end \[m\], where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radii: Option<[f32; 2]>,
    /// Distance between the centres of a capsule's ends \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f32>,
    /// Sides of a box \[m\]; extent of a height field along x and z, and between them the height of 1 or white.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<Vec3>,
    /// Of a height field, in shares of the height that `sides` has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heights: Option<Heights>,
    /// Of a mesh: the path of its file, relative to the scene file. It must be closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<PathBuf>,
    /// Of a mesh: metres in one unit of its file, and what points up in it; as for the mesh of a cloth where they are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f32>,
    /// See `scale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<UpAxis>,
    /// Of a mesh: cells of its distance field along its longest side; 64 where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<u32>,
    /// Coefficient of friction; 0 where it is left out.
    #[serde(default)]
    pub friction: f32,
    /// Where it rests \[m\]; the origin where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Vec3>,
    /// Where it is when, and how it is turned there, if it turns; instead of `position` and `rotation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Keyframes>,
    /// How it is turned: an axis and an angle about it, `[x, y, z, degrees]`. Capsules lie along y, planes face y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f32; 4]>,
}

const SHAPES: &str = "\"sphere\", \"capsule\", \"plane\", \"box\", \"height-field\" or \"mesh\"";

/// Cells of a distance field along the longest side of its mesh, where nothing is said of them.
const DEFAULT_CELLS: u32 = 64;

impl Table for ColliderTable {
    fn expected() -> String {
        format!(
            "an array of tables such as {{shape = \"sphere\", radius = 0.5, position = [0, 0, 0]}}, where shape is {SHAPES}"
        )
    }
}

/// The mesh that a collider names.
pub(super) struct MeshSource<'a> {
    /// Its file.
    pub(super) path: &'a Path,
    /// Metres in one unit of that; none where it is to be guessed.
    pub(super) scale: Option<f32>,
    /// What points up in it; none where that is as usual.
    pub(super) up: Option<UpAxis>,
    /// Cells along its longest side.
    pub(super) cells: u32,
}

impl ColliderTable {
    /// The mesh that it names, where its shape is one.
    pub(super) fn mesh_source(&self) -> Result<Option<MeshSource<'_>>, Wrong> {
        if self.shape != "mesh" {
            return Ok(None);
        }
        let expected = || format!("the path of a closed mesh ({})", mesh_endings());
        let path = self.mesh.as_deref().ok_or_else(|| ("mesh", expected(), "left out".into()))?;
        if path.as_os_str().is_empty() {
            return Err(("mesh", expected(), "empty".into()));
        }
        let scale = self.scale.map(|scale| size("scale", Some(scale))).transpose()?;
        let cells = self.cells.unwrap_or(DEFAULT_CELLS);
        if !FIELD_CELLS.contains(&cells) {
            let (least, most) = (FIELD_CELLS.start(), FIELD_CELLS.end());
            let expected = format!("a number from {least} to {most}, as memory grows with its third power");
            return Err(("cells", expected, cells.to_string()));
        }
        Ok(Some(MeshSource { path, scale, up: self.up, cells }))
    }

    /// The collider, or what is wrong with the table; `heights` are what it has or names as such, and `mesh` is what the mesh
    /// that it names makes.
    pub(super) fn collider(&self, heights: Option<HeightSamples>, mesh: Option<Shape>) -> Result<Collider, Wrong> {
        let shape = self.shape(heights, mesh)?;
        if !(0.0..=1e3).contains(&self.friction) {
            return Err(("friction", "a number from 0 to 1000".into(), self.friction.to_string()));
        }
        Ok(Collider { shape, friction: self.friction, path: self.path()? })
    }

    fn shape(&self, heights: Option<HeightSamples>, mesh: Option<Shape>) -> Result<Shape, Wrong> {
        let shape = match self.shape.as_str() {
            "sphere" => Shape::Sphere { radius: size("radius", self.radius)? },
            "capsule" => {
                let radii = match self.radii {
                    Some(radii) => [size("radii", Some(radii[0]))?, size("radii", Some(radii[1]))?],
                    None => [size("radius", self.radius)?; 2],
                };
                Shape::Capsule { radii, half_length: size("length", self.length)? / 2.0 }
            }
            "plane" => Shape::Plane,
            "box" => Shape::Box { half_sides: self.sides()? / 2.0 },
            "height-field" => {
                let Vec3 { x, y, z } = self.sides()?;
                let missing =
                    || ("heights", "rows of numbers or the path of a grey PNG image".into(), "left out".into());
                let HeightSamples { columns, values } = heights.ok_or_else(missing)?;
                let heights = values.into_iter().map(|share| share * y).collect();
                let unsound = || ("sides", "such that 32 bits hold the heights".into(), y.to_string());
                Shape::HeightField(HeightField::new(Vec2::new(x, z), columns, heights).ok_or_else(unsound)?)
            }
            other => mesh.ok_or_else(|| ("shape", SHAPES.into(), format!("{other:?}")))?,
        };
        if self.radius.is_some() && self.radii.is_some() {
            return Err(("radius", "left out where `radii` is given".into(), "given".into()));
        }
        // A size that the shape does not have was meant for another one.
        let foreign = [
            (
                "radius",
                self.radius.is_some(),
                self.shape == "sphere" || self.shape == "capsule" && self.radii.is_none(),
            ),
            ("radii", self.radii.is_some(), self.shape == "capsule"),
            ("length", self.length.is_some(), self.shape == "capsule"),
            ("sides", self.sides.is_some(), matches!(self.shape.as_str(), "box" | "height-field")),
            ("heights", self.heights.is_some(), self.shape == "height-field"),
            ("mesh", self.mesh.is_some(), self.shape == "mesh"),
            ("scale", self.scale.is_some(), self.shape == "mesh"),
            ("up", self.up.is_some(), self.shape == "mesh"),
            ("cells", self.cells.is_some(), self.shape == "mesh"),
        ];
        match foreign.into_iter().find(|(_, given, fits)| *given && !fits) {
            Some((key, ..)) => Err((key, format!("left out, as a {} has none", self.shape), "given".into())),
            None => Ok(shape),
        }
    }

    fn sides(&self) -> Result<Vec3, Wrong> {
        let sides = self.sides.unwrap_or_default().to_array();
        let [x, y, z] = sides.map(|side| size("sides", self.sides.map(|_| side)));
        Ok(Vec3::new(x?, y?, z?))
    }

    fn path(&self) -> Result<model::Path, Wrong> {
        let rotation = self.rotation.map(rotation).transpose()?;
        let Some(keyframes) = &self.path else {
            let position = self.position.unwrap_or_default();
            if !in_reach(position) {
                return Err(("position", "three numbers, each from -1e9 to 1e9 m".into(), position.to_string()));
            }
            return Ok(model::Path::resting(Pose { position, rotation: rotation.unwrap_or_default() }));
        };
        if self.position.is_some() {
            return Err(("position", "left out where `path` is given".into(), "given".into()));
        }
        keyframes.path(rotation)
    }
}

fn size(key: &'static str, value: Option<f32>) -> Result<f32, Wrong> {
    let found = value.map_or("left out".to_string(), |value| value.to_string());
    value.filter(|value| (1e-9..=1e9).contains(value)).ok_or((key, "a number from 1e-9 to 1e9 m".into(), found))
}
