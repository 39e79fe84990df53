//! What was found in a file's mesh, and why none can be made of it.

use std::fmt;

use glam::Vec3;

/// What was found in a mesh and mended, by indices from 0 of the file's vertices and faces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Vertices that were welded, each with the one that stands for it.
    pub welded: Vec<[u32; 2]>,
    /// Faces, or parts of such, without an area; they are left out.
    pub no_area: Vec<u32>,
    /// Faces that lie on another one, each with that; they are left out.
    pub duplicates: Vec<[u32; 2]>,
    /// Faces that lie on another one and face the other way, each with that; they are left out.
    pub opposites: Vec<[u32; 2]>,
    /// Faces that were turned round to face as their neighbours do.
    pub turned: Vec<u32>,
    /// A face at which a surface meets itself turned over, where one does; no turning helps.
    pub one_sided: Option<u32>,
    /// Pieces of one surface that lie on each other all over, by a vertex of each; they are simulated as layers of cloth.
    pub layers: Vec<[u32; 2]>,
    /// Edges of three faces and more, by two vertices; all of the faces are held together there.
    pub non_manifold_edges: Vec<[u32; 2]>,
    /// Vertices of no face; they have no mass and stay where they are.
    pub isolated: Vec<u32>,
}

impl Findings {
    /// What was mended, in a sentence without its end for each kind; none where all was well.
    #[must_use]
    pub fn mended(&self) -> Vec<String> {
        let told = |count: usize, one: &str, many: &str, what: &str| {
            (count > 0).then(|| format!("{count} {} {what}", if count == 1 { one } else { many }))
        };
        let (vertex, face) = (("vertex", "vertices"), ("face", "faces"));
        [
            told(self.welded.len(), vertex.0, vertex.1, "welded to others of a seam"),
            told(self.no_area.len(), face.0, face.1, "without an area left out"),
            told(self.duplicates.len(), face.0, face.1, "left out that lie on others"),
            told(self.opposites.len(), face.0, face.1, "left out that are the backs of others"),
            told(self.turned.len(), face.0, face.1, "turned to face as their neighbours do"),
            told(self.isolated.len(), vertex.0, vertex.1, "of no face held where they are"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Why a file's mesh cannot be simulated. Numbers are those of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum PrepareError {
    /// A vertex is not finite in metres.
    NotFinite {
        /// Its number.
        number: u32,
        /// Where it lies in the file.
        position: Vec3,
        /// Metres in a unit of the file.
        scale: f32,
    },
    /// No face has an area.
    NothingLeft {
        /// How many faces there are.
        face_count: usize,
        /// The number of the first.
        number: u32,
        /// Its line, in files that have lines.
        line: Option<u32>,
    },
}

impl std::error::Error for PrepareError {}

impl fmt::Display for PrepareError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { number, position, scale } => write!(
                formatter,
                "vertex {number} lies at ({}, {}, {}), which scaled by {scale} is not finite; correct it or the scale",
                position.x, position.y, position.z
            ),
            Self::NothingLeft { face_count: 0, .. } => {
                write!(
                    formatter,
                    "the mesh has no faces; give it at least one, for points and lines alone make no cloth"
                )
            }
            Self::NothingLeft { face_count, number, line } => {
                let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
                write!(
                    formatter,
                    "none of its faces has an area, {face_count} from face {number}{line}, for their corners coincide or lie \
                     on one line; give it at least one that has"
                )
            }
        }
    }
}
