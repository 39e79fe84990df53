use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::Preparation;
use super::bounds::extent;

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// x, as few programs have it.
    X,
    /// y, as glTF, most OBJ files and the simulation have it.
    #[default]
    Y,
    /// z, as CAD, scans and 3D printing have it.
    Z,
}

impl UpAxis {
    /// Its letter.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }

    /// A place or a direction, turned so that y points up.
    #[must_use]
    pub fn to_y_up(self, Vec3 { x, y, z }: Vec3) -> Vec3 {
        match self {
            Self::X => Vec3::new(-y, x, z),
            Self::Y => Vec3::new(x, y, z),
            Self::Z => Vec3::new(x, z, -y),
        }
    }

    /// The way back from [`UpAxis::to_y_up`].
    #[must_use]
    pub fn from_y_up(self, Vec3 { x, y, z }: Vec3) -> Vec3 {
        match self {
            Self::X => Vec3::new(y, -x, z),
            Self::Y => Vec3::new(x, y, z),
            Self::Z => Vec3::new(x, -z, y),
        }
    }
}

/// A mesh as its file has it: in the file's unit, axes, order and numbering, with its polygons, and not mended in any way.
///
/// Whoever makes one sees to it that corners name vertices that are there and that lists are as long as they say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceMesh {
    /// Where the vertices lie, in the file's unit and axes. Shape \[vertex_count\].
    pub positions: Vec<Vec3>,
    /// Number of corners of each face, 3 or more. Shape \[face_count\].
    pub face_sizes: Vec<u32>,
    /// The vertex at each corner of one face after another. Shape \[corner_count\], the sum of `face_sizes`.
    pub corners: Vec<u32>,
    /// Place of each corner in a texture, u across and v up it; none where any corner has none. Shape \[corner_count\].
    pub uvs: Option<Vec<Vec2>>,
    /// Number of the surface that each vertex belongs to: what a file has as separate objects is never welded to each other.
    /// Shape \[vertex_count\].
    pub surfaces: Vec<u32>,
    /// Vertices that the file has named: groups and objects of OBJ, nodes and materials of glTF.
    pub groups: Vec<VertexGroup>,
    /// Numbers that the file has for each vertex.
    pub attributes: Vec<VertexAttribute>,
    /// The line of each face, in files that have lines. Shape \[face_count\].
    pub face_lines: Option<Vec<u32>>,
    /// What the format calls the first vertex and the first face: 1 in OBJ files, 0 elsewhere.
    pub first_number: u32,
    /// The length of the file's unit, where the format says it \[m\].
    pub metres_per_unit: Option<f32>,
    /// What points up, by the format's convention.
    pub up: UpAxis,
}

/// Vertices under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexGroup {
    /// As the file has it.
    pub name: String,
    /// Their indices from 0, in ascending order and each once.
    pub vertices: Vec<u32>,
}

/// A number for each vertex, under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexAttribute {
    /// As the file has it, for one of several numbers with its letter, as in `color.r`.
    pub name: String,
    /// Shape \[vertex_count\].
    pub values: Vec<f32>,
}

impl SourceMesh {
    /// The corners of each face: where they lie in `corners`, in order.
    pub fn faces(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.face_sizes.iter().scan(0, |end, &size| {
            let start = *end;
            *end += size as usize;
            Some(start..*end)
        })
    }

    /// The longest side of the box around it, in the file's unit.
    #[must_use]
    pub fn size(&self) -> f32 {
        extent(&self.positions).max_element()
    }

    /// How it is to be read: with a unit and an axis that were given, or else its own.
    #[must_use]
    pub fn preparation(&self, metres_per_unit: Option<f32>, up: Option<UpAxis>, weld_share: f32) -> Preparation {
        let metres_per_unit = metres_per_unit.unwrap_or_else(|| self.guess_metres_per_unit());
        Preparation { metres_per_unit, up: up.unwrap_or(self.up), weld_share }
    }

    /// The length of the file's unit \[m\]: what the format says, or else a guess from the size: up to 10 it is in metres, up to 300
    /// in centimetres, and beyond in millimetres. So a garment from 30 cm to 3 m is guessed right, whichever it is in.
    #[must_use]
    pub fn guess_metres_per_unit(&self) -> f32 {
        self.metres_per_unit.unwrap_or(match self.size() {
            size if size <= 10.0 => 1.0,
            size if size <= 300.0 => 0.01,
            _ => 0.001,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_turned_and_not_mirrored() {
        for (up, axis) in [(UpAxis::X, Vec3::X), (UpAxis::Y, Vec3::Y), (UpAxis::Z, Vec3::Z)] {
            assert_eq!(up.to_y_up(axis), Vec3::Y);
            let turned = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| up.to_y_up(axis));
            assert_eq!(turned[0].cross(turned[1]), turned[2], "{up:?} keeps left and right apart");
            let place = Vec3::new(1.0, 2.0, 3.0);
            assert_eq!(up.from_y_up(up.to_y_up(place)), place);
        }
    }

    #[test]
    fn units_are_guessed_from_the_size_where_the_format_has_none() {
        let shirt = |unit: f32| SourceMesh {
            positions: vec![Vec3::ZERO, Vec3::new(0.6, 0.75, 0.3) / unit],
            ..SourceMesh::default()
        };
        for unit in [1.0, 0.01, 0.001] {
            assert_eq!(shirt(unit).guess_metres_per_unit(), unit);
        }
        let said = SourceMesh { metres_per_unit: Some(1.0), ..shirt(0.01) };
        assert_eq!(said.guess_metres_per_unit(), 1.0);
    }
}
