use std::path::Path;

/// How the names of the files end that [`super::read_mesh`] reads, in letters of either case.
pub const MESH_EXTENSIONS: [&str; 5] = ["obj", "gltf", "glb", "ply", "stl"];

/// A format of files with meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// glTF 2.0, as text or binary.
    Gltf,
    /// PLY, the polygon file format, as text or binary.
    Ply,
    /// STL of stereolithography, as text or binary.
    Stl,
}

impl MeshFormat {
    /// The format that the ending of a file's name says.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "gltf" | "glb" => Some(Self::Gltf),
            "ply" => Some(Self::Ply),
            "stl" => Some(Self::Stl),
            _ => None,
        }
    }
}

/// The endings as a sentence has them: `.obj, .gltf, .glb, .ply or .stl`.
#[must_use]
pub fn mesh_endings() -> String {
    let [others @ .., last] = MESH_EXTENSIONS.map(|extension| format!(".{extension}"));
    format!("{} or {last}", others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_known_in_letters_of_either_case() {
        for extension in MESH_EXTENSIONS {
            let name = format!("a.b.{extension}");
            assert!(MeshFormat::of(Path::new(&name)).is_some(), "{name}");
            assert_eq!(MeshFormat::of(Path::new(&name.to_uppercase())), MeshFormat::of(Path::new(&name)));
        }
        for name in ["obj", ".obj", "a.fbx", "a.obj.gz", ""] {
            assert_eq!(MeshFormat::of(Path::new(name)), None, "{name}");
        }
        assert_eq!(mesh_endings(), ".obj, .gltf, .glb, .ply or .stl");
    }
}
