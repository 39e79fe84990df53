use std::path::{Path, PathBuf};
use std::{fs, io};

use glam::{Vec2, Vec3};

use crate::model::{MeshError, TriangleMesh};

// Why no library. A cache needs the vertices of the file, in its order and number, and a user needs the line that is
// wrong. `tobj` 4 renumbers vertices by first use, drops unused ones, splits those that groups share and names no line;
// `obj` 0.10 keeps them, but lets NaN and faces out of range pass and panics at a `g` after a wide space (U+3000).

/// Why a file gives no mesh.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The scale is no length.
    #[error(
        "a scale of {scale} cannot turn a file's unit into metres; give a positive, finite one, such as 0.01 for cm"
    )]
    Scale {
        /// The scale.
        scale: f32,
    },
    /// The file can't be read: it is missing, a directory, or not ours.
    #[error("{} cannot be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The file holds bytes that no text has.
    #[error("{}, line {line}: this is a binary file; give a Wavefront OBJ file, which is text", path.display())]
    Binary {
        /// The file.
        path: PathBuf,
        /// Line of the first such byte, from 1.
        line: usize,
    },
    /// A line doesn't say what its keyword requires.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// The lines are fine, but don't make a mesh.
    #[error("{}{}: {reason}", path.display(), line.map(|line| format!(", line {line}")).unwrap_or_default())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// Line of the face at fault, from 1, where one is.
        line: Option<usize>,
        /// What is wrong with the mesh.
        reason: MeshError,
    },
}

/// Reads a Wavefront OBJ file whose unit is `scale` metres (0.01 for centimetres).
///
/// Vertices keep their number and order, whatever object or group uses them. A polygon becomes a fan of triangles
/// around its first corner. Where every corner of a face has texture coordinates they are kept; normals, materials, lines and
/// points are passed over.
///
/// # Errors
///
/// Names the file and, wherever a line is at fault, the line.
pub fn read_obj(path: &Path, scale: f32) -> Result<TriangleMesh, ReadError> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(ReadError::Scale { scale });
    }
    let bytes = fs::read(path).map_err(|reason| ReadError::File { path: path.to_owned(), reason })?;
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        let line = 1 + bytes[..offset].iter().filter(|&&byte| byte == b'\n').count();
        return Err(ReadError::Binary { path: path.to_owned(), line });
    }

    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let mut texture_places = Vec::new();
    // Of each corner of each triangle, where it has one. Shape [triangle_count].
    let mut texture_corners = Vec::new();
    // Line of each triangle. Shape [triangle_count].
    let mut triangle_lines = Vec::new();
    // Names of objects and materials may be in any encoding; the numbers are ASCII in all of them.
    for (line, statement) in statements(&String::from_utf8_lossy(&bytes)) {
        let fault = |problem| ReadError::Line { path: path.to_owned(), line, problem };
        let mut words = statement.split_whitespace();
        match words.next() {
            Some("v") => positions.push(vertex(words, scale).map_err(fault)?),
            Some("f") => {
                let words: Vec<&str> = words.collect();
                triangles.extend(fan(&face(&words, positions.len()).map_err(fault)?));
                texture_corners.extend(fan(&texture_indices(&words, texture_places.len())));
                triangle_lines.resize(triangles.len(), line);
            }
            Some("vt") => texture_places.push(texture_place(words)),
            _ => {}
        }
    }
    let place = |index: Option<usize>| texture_places.get(index?).copied().flatten();
    let place_all = |[a, b, c]: [Option<usize>; 3]| Some([place(a)?, place(b)?, place(c)?]);
    let uvs = texture_corners.into_iter().map(place_all).collect();
    TriangleMesh::new(positions, triangles).map(|mesh| mesh.with_uvs(uvs)).map_err(|reason| {
        let line = reason.triangle().map(|triangle| triangle_lines[triangle]);
        ReadError::Mesh { path: path.to_owned(), line, reason }
    })
}

/// The lines of `text` without comments, joined where a backslash continues them, each with its number from 1.
fn statements(text: &str) -> impl Iterator<Item = (usize, String)> {
    // A byte order mark would hide the first keyword, and a comment may end in a backslash that continues nothing.
    let lines = text.trim_start_matches('\u{feff}').lines();
    let mut lines = lines.map(|line| line.split('#').next().unwrap_or_default()).zip(1..);
    std::iter::from_fn(move || {
        let (first, number) = lines.next()?;
        let mut statement = first.to_owned();
        while statement.ends_with('\\') {
            statement.pop();
            statement.push(' ');
            statement.push_str(lines.next().map_or("", |(line, _)| line));
        }
        Some((number, statement))
    })
}

/// The position \[m\] that the words after a `v` give. A weight or a colour may follow it.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>, scale: f32) -> Result<Vec3, String> {
    let mut position = Vec3::ZERO;
    for axis in 0..3 {
        let word = words.next().ok_or_else(|| format!("this vertex has {axis} of 3 coordinates; write `v x y z`"))?;
        let coordinate = word.parse::<f32>().map_err(|_| format!("`{word}` is not a number; write `v x y z`"))?;
        position[axis] = coordinate * scale;
        if !position[axis].is_finite() {
            return Err(format!("the coordinate {word}, scaled by {scale}, is {}; give a finite one", position[axis]));
        }
    }
    Ok(position)
}

/// The triangles of a face, around its first corner.
fn fan<T: Copy>(corners: &[T]) -> impl Iterator<Item = [T; 3]> {
    corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]])
}

/// The place in a texture that the words after a `vt` give, counted downwards as images are; none where they give none.
fn texture_place<'a>(words: impl Iterator<Item = &'a str>) -> Option<Vec2> {
    let mut numbers = words.map(|word| word.parse::<f32>().ok().filter(|number| number.is_finite()));
    let u = numbers.next()??;
    // A texture may be a line.
    let v = numbers.next().unwrap_or(Some(0.0))?;
    Some(Vec2::new(u, 1.0 - v))
}

/// The indices from 0 of the texture coordinates at the corners that the words after an `f` give, where they have one that
/// can be meant; numbers below 0 count back from the last of the `count` so far.
fn texture_indices(words: &[&str], count: usize) -> Vec<Option<usize>> {
    let index = |word: &&str| {
        let number: i64 = word.split('/').nth(1)?.parse().ok()?;
        usize::try_from(if number < 0 { count as i64 + number } else { number - 1 }).ok()
    };
    words.iter().map(index).collect()
}

/// The vertex indices from 0 that the words after an `f` give, each as `v`, `v/vt`, `v//vn` or `v/vt/vn`.
///
/// Numbers below 0 count back from the last of the `vertex_count` vertices so far. Others may be ahead of them.
fn face(words: &[&str], vertex_count: usize) -> Result<Vec<u32>, String> {
    let corner = |word: &&str| {
        let number = word.split('/').next().and_then(|number| number.parse::<i64>().ok());
        let number =
            number.ok_or_else(|| format!("`{word}` is not a vertex number; write `f 1 2 3` or `f 1/1/1 ...`"))?;
        let index = if number < 0 { vertex_count as i64 + number } else { number - 1 };
        u32::try_from(index).map_err(|_| {
            format!("there is no vertex {number}; of the {vertex_count} so far, the first is 1 and the last is -1")
        })
    };
    let corners = words.iter().map(corner).collect::<Result<Vec<u32>, String>>()?;
    match corners.len() {
        count @ 0..3 => Err(format!("this face has {count} corners; a face needs at least 3")),
        _ => Ok(corners),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{HANGING_PIN_FRACTION, SpringKind};

    /// Writes `contents` to a file of its own and reads it.
    fn read(contents: impl AsRef<[u8]>) -> Result<TriangleMesh, ReadError> {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("cloth.obj");
        fs::write(&path, contents).expect("a file");
        read_obj(&path, 1.0)
    }

    /// The error without the path in front of it.
    fn complaint(contents: impl AsRef<[u8]>) -> String {
        let error = read(contents).expect_err("an unsound file").to_string();
        error.split_once("cloth.obj").expect("the file's name").1.to_owned()
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn every_form_of_a_face_is_read() {
        let faces =
            ["f 1 2 3 4", "f 1/1 2/2 3/3 4/4", "f 1//9 2//9 3//9 4//9", "f -4 -3/1/1 -2 -1 # back", "f 1 2\\\n 3 4"];
        for face in faces {
            let mesh =
                read(format!("\u{feff}{SQUARE}# square in C:\\\r\no a\ng b\nvt 0 0\nvn 0 0 1\n{face}\r\nl 1 2\n"))
                    .expect(face);
            assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
            assert_eq!(mesh.positions()[2], Vec3::new(1.0, 1.0, 0.0));
        }
    }

    #[test]
    fn texture_coordinates_belong_to_corners() {
        // A strip of two quads that share an edge, at which the texture is cut: its vertices have two places there.
        let vertices = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n";
        let places = "vt 0 0\nvt 0.25 0\nvt 0.25 1\nvt 0 1\nvt 0.5 0 0\nvt 1 0\nvt 1 1\nvt 0.5 1\n";
        let mesh =
            read(format!("{vertices}{places}f 1/1 2/2/1 5/3 4/4\nf 2/-4 3/-3 6/-2 5/-1\n")).expect("a sound file");
        assert_eq!(mesh.positions().len(), 6);
        let [a, b, c, d] = [[0.0, 1.0], [0.25, 1.0], [0.25, 0.0], [0.0, 0.0]].map(Vec2::from);
        let [e, f, g, h] = [[0.5, 1.0], [1.0, 1.0], [1.0, 0.0], [0.5, 0.0]].map(Vec2::from);
        assert_eq!(mesh.uvs(), Some(&[[a, b, c], [a, c, d], [e, f, g], [e, g, h]][..]));
        for incomplete in ["f 1/1 2/2 5", "f 1/1 2/9 5/3", "f 1/1 2/-9 5/3", "f 1//1 2//1 5//1", "f 1/1 2/x 5/3"] {
            let mesh = read(format!("{vertices}{places}{incomplete}\n")).expect(incomplete);
            assert_eq!(mesh.uvs(), None, "{incomplete}");
        }
        for place in ["vt", "vt x", "vt 0 nan", "vt inf 0"] {
            let mesh = read(format!("{vertices}{place}\nf 1/1 2/1 5/1\n")).expect(place);
            assert_eq!(mesh.uvs(), None, "{place}");
        }
    }

    #[test]
    fn vertices_keep_their_order_and_are_shared_between_groups() {
        let text = format!("v 9 9 9 1 0 0\n{SQUARE}g one\nf 4 5 2\no caf\u{e9}\nf 4 2 3\n");
        let latin_1: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
        let mesh = read(latin_1).expect("a sound file");
        assert_eq!(mesh.positions().len(), 5);
        assert_eq!(mesh.triangles(), [[3, 4, 1], [3, 1, 2]]);
    }

    #[test]
    fn faces_may_come_before_their_vertices() {
        assert!(read(format!("f 1 2 3\n{SQUARE}")).is_ok());
    }

    #[test]
    fn errors_name_the_line_and_the_cure() {
        let cases = [
            ("v 0 0", ", line 5: this vertex has 2 of 3 coordinates; write `v x y z`"),
            ("v 0 0 zero", ", line 5: `zero` is not a number; write `v x y z`"),
            ("v 0 NaN 0", ", line 5: the coordinate NaN, scaled by 1, is NaN; give a finite one"),
            ("v 0 1e99 0", ", line 5: the coordinate 1e99, scaled by 1, is inf; give a finite one"),
            ("f 1 2", ", line 5: this face has 2 corners; a face needs at least 3"),
            ("f", ", line 5: this face has 0 corners; a face needs at least 3"),
            ("f 1 2 x", ", line 5: `x` is not a vertex number; write `f 1 2 3` or `f 1/1/1 ...`"),
            ("f 0 1 2", ", line 5: there is no vertex 0; of the 4 so far, the first is 1 and the last is -1"),
            ("f 1 2 -5", ", line 5: there is no vertex -5; of the 4 so far, the first is 1 and the last is -1"),
            (
                "\n\nf 1 2 3\nf 1 2 7",
                ", line 8: triangle 2 uses vertex 7, but the mesh has vertices 1 to 4; correct the face or add \
                 the vertex",
            ),
            (
                "f 1 2 2",
                ", line 5: triangle 1 of vertices 1, 2 and 2 has no area, for they coincide or lie on one line; \
                 remove the face",
            ),
            ("", ": the mesh has no faces; give it at least one triangle, for points and lines alone make no cloth"),
        ];
        for (lines, expected) in cases {
            assert_eq!(complaint(format!("{SQUARE}{lines}")), expected);
        }
        assert_eq!(complaint(""), ": the mesh has no vertices; give it at least three");
        let binary = ", line 2: this is a binary file; give a Wavefront OBJ file, which is text";
        assert_eq!(complaint(b"\x89PNG\r\n\x1a\0\n"), binary);
    }

    #[test]
    fn files_that_cannot_be_read_and_scales_that_are_none_are_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let missing = directory.path().join("missing.obj");
        for path in [directory.path(), &missing] {
            let error = read_obj(path, 1.0).expect_err("no file").to_string();
            assert!(error.starts_with(&format!("{} cannot be read: ", path.display())), "{error}");
        }
        for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(matches!(read_obj(&missing, scale), Err(ReadError::Scale { .. })));
        }
    }

    /// Bytes that mean something in an OBJ file: `#`, `-`, `.`, `/` and the digits are among them.
    const TELLING: std::ops::RangeInclusive<u8> = b'#'..=b'9';

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(bytes);
        }

        #[test]
        fn no_mutation_makes_it_panic(
            changes in proptest::collection::vec((0..60_usize, prop_oneof![any::<u8>(), TELLING]), 1..6),
            length in 0..60_usize,
        ) {
            let mut bytes = format!("{SQUARE}f 1/1/1 2 -2\nf 1 3 4 -4").into_bytes();
            for (offset, byte) in changes {
                let offset = offset % bytes.len();
                bytes[offset] = byte;
            }
            bytes.truncate(length);
            let _ = read(bytes);
        }
    }

    /// One sheet of 0.706 m² with 4 holes (collar, hem, 2 sleeves), 19,174 edges of which 140 are on a rim.
    #[test]
    fn the_shirt_hangs() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/shirt-cm.obj"));
        if !path.exists() {
            return;
        }
        let mesh = read_obj(path, 0.01).expect("the shirt");
        let mut cloth = mesh.cloth(0.2, crate::model::BendingForm::Distance);
        cloth.pin(mesh.tops(HANGING_PIN_FRACTION));
        assert_eq!((cloth.positions.len(), cloth.triangles.len()), (6_436, 12_736));
        let count = |kind| cloth.springs.iter().filter(|spring| spring.kind == kind).count();
        assert_eq!(count(SpringKind::Structural), 19_174);
        // Of 19,034 inner edges 566 are in between corners that another edge is in between too, where 4 triangles meet.
        assert_eq!(count(SpringKind::Bending), 18_468);
        assert_eq!(cloth.positions.iter().filter(|position| position.w == 0.0).count(), 164);
        let areas = mesh.triangles().iter().map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| mesh.positions()[vertex as usize].as_dvec3());
            (b - a).cross(c - a).length() / 2.0
        });
        assert!((areas.sum::<f64>() - 0.706).abs() < 1e-3);
    }
}
