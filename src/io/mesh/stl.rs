//! STL, text and binary: triangles, each with corners of its own.

use glam::Vec3;

use super::error::{Fault, shortened};
use super::groups::Groups;
use crate::model::{SourceMesh, UpAxis};

// Why no library. `stl_io` 0.11 takes every file that starts with `solid ` for text, as many binary ones do, reads the first
// solid alone and its name not at all, wants names in UTF-8, and names no line.

/// Bytes of a binary file before its triangles: 80 of any kind, and their number.
const HEADER: usize = 84;
/// Bytes of a triangle in a binary file: its normal, three corners, and two of any kind.
const TRIANGLE: usize = 50;

/// The mesh of a file: three vertices a triangle, in order. Normals are passed over.
///
/// Each solid of a text is a surface, and a group where it has a name.
pub(super) fn parse(bytes: &[u8]) -> Result<SourceMesh, Fault> {
    let mesh = if is_text(bytes) { parse_text(bytes)? } else { parse_binary(bytes)? };
    let vertex_count = mesh.positions.len() as u32;
    Ok(SourceMesh {
        face_sizes: vec![3; mesh.positions.len() / 3],
        corners: (0..vertex_count).collect(),
        up: UpAxis::Z,
        ..mesh
    })
}

/// Whether a file is a text. Binary ones may begin with the same word, but have exactly the size that their number of
/// triangles gives, or bytes that no text has.
fn is_text(bytes: &[u8]) -> bool {
    let begins = without_mark(bytes).trim_ascii_start();
    let is_whole_binary = triangle_count(bytes).is_some_and(|count| bytes.len() as u64 == binary_size(count));
    starts_with(begins, b"solid") && !is_whole_binary && !bytes.contains(&0)
}

/// A text without the byte order mark before it.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn starts_with(bytes: &[u8], word: &[u8]) -> bool {
    bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// The number of triangles that the header of a binary file has.
fn triangle_count(bytes: &[u8]) -> Option<u32> {
    bytes.get(HEADER - 4..HEADER)?.try_into().ok().map(u32::from_le_bytes)
}

fn binary_size(triangle_count: u32) -> u64 {
    HEADER as u64 + TRIANGLE as u64 * u64::from(triangle_count)
}

fn parse_binary(bytes: &[u8]) -> Result<SourceMesh, Fault> {
    let Some(count) = triangle_count(bytes) else {
        let size = bytes.len();
        return Err(Fault::in_file(format!(
            "this is no STL file, for it neither starts with `solid` nor has the {HEADER} bytes of a header, but {size}"
        )));
    };
    if (bytes.len() as u64) < binary_size(count) {
        return Err(Fault::in_file(format!(
            "its header has {count} triangles, which take {} bytes, but the file has {}; it is cut off, or no STL file",
            binary_size(count),
            bytes.len()
        )));
    }
    let mut positions = Vec::with_capacity(3 * count as usize);
    for (triangle, bytes) in bytes[HEADER..].chunks_exact(TRIANGLE).take(count as usize).enumerate() {
        // The normal comes first.
        for corner in bytes[12..48].chunks_exact(12) {
            let number = |at: usize| f32::from_le_bytes([corner[at], corner[at + 1], corner[at + 2], corner[at + 3]]);
            let position = Vec3::new(number(0), number(4), number(8));
            if !position.is_finite() {
                let problem = format!("a corner lies at {position}; make every coordinate a finite number");
                return Err(Fault::at(format!("triangle {triangle}"), problem));
            }
            positions.push(position);
        }
    }
    Ok(SourceMesh { surfaces: vec![0; positions.len()], positions, ..SourceMesh::default() })
}

/// What has been read of a text so far.
#[derive(Default)]
struct Text {
    mesh: SourceMesh,
    groups: Groups,
    face_lines: Vec<u32>,
    /// Number of solids that have begun.
    solid_count: u32,
    is_in_solid: bool,
    /// Corners of the facet that is being read.
    facet: Option<Vec<Vec3>>,
}

fn parse_text(bytes: &[u8]) -> Result<SourceMesh, Fault> {
    let bytes = without_mark(bytes);
    let mut text = Text::default();
    let mut last = 1;
    for (bytes, line) in bytes.split(|&byte| byte == b'\n').zip(1..) {
        // Names may be in any encoding; the numbers are ASCII in all of them.
        let content = String::from_utf8_lossy(bytes);
        text.line(content.trim(), line).map_err(|problem| Fault::at_line(line as usize, problem))?;
        last = line;
    }
    if text.is_in_solid {
        let problem = "the file ends before its solid does; it is cut off, or `endsolid` is missing";
        return Err(Fault::at_line(last as usize, problem));
    }
    let Text { mesh, groups, face_lines, .. } = text;
    Ok(SourceMesh { groups: groups.finish(), face_lines: Some(face_lines), ..mesh })
}

impl Text {
    fn line(&mut self, content: &str, line: u32) -> Result<(), String> {
        let (keyword, rest) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
        match (keyword.to_ascii_lowercase().as_str(), &mut self.facet, self.is_in_solid) {
            ("", ..) => {}
            ("solid", None, false) => {
                let name = rest.trim();
                let group = if name.is_empty() { None } else { Some(self.groups.number(name)?) };
                self.groups.choose(group);
                self.is_in_solid = true;
                self.solid_count += 1;
            }
            ("endsolid", None, true) => self.is_in_solid = false,
            ("facet", None, true) => {
                self.facet = Some(Vec::with_capacity(3));
                self.face_lines.push(line);
            }
            ("outer" | "endloop", Some(_), _) => {}
            ("vertex", Some(corners), _) => corners.push(vertex(rest)?),
            ("endfacet", Some(corners), _) => {
                let corners: [Vec3; 3] = std::mem::take(corners)
                    .try_into()
                    .map_err(|corners: Vec<Vec3>| format!("this facet has {} corners; give it 3", corners.len()))?;
                self.facet = None;
                let first = self.mesh.positions.len() as u32;
                self.mesh.positions.extend(corners);
                self.mesh.surfaces.extend([self.solid_count - 1; 3]);
                self.groups.add(&[first, first + 1, first + 2], first as usize + 3);
            }
            _ => {
                let expected = match (&self.facet, self.is_in_solid) {
                    (Some(_), _) => "`outer loop`, `vertex x y z`, `endloop` or `endfacet`",
                    (None, true) => "`facet normal x y z` or `endsolid`",
                    (None, false) => "`solid`",
                };
                return Err(format!("`{}` is out of place; {expected} can be here", shortened(content)));
            }
        }
        Ok(())
    }
}

/// The place that follows a `vertex`.
fn vertex(rest: &str) -> Result<Vec3, String> {
    let mut words = rest.split_whitespace();
    let mut position = Vec3::ZERO;
    for axis in 0..3 {
        let word =
            words.next().ok_or_else(|| format!("this vertex has {axis} of 3 coordinates; write `vertex x y z`"))?;
        position[axis] =
            word.parse().map_err(|_| format!("`{}` is not a number; write `vertex x y z`", shortened(word)))?;
        if !position[axis].is_finite() {
            return Err(format!(
                "the coordinate {} is {} in 32 bits; give a finite one",
                shortened(word),
                position[axis]
            ));
        }
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::{MeshFormat, parse_mesh};
    use crate::model::VertexGroup;

    fn read(contents: impl AsRef<[u8]>) -> Result<SourceMesh, Fault> {
        parse_mesh(contents.as_ref(), MeshFormat::Stl, None)
    }

    const FACET: &str =
        "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n endloop\nendfacet\n";

    /// A binary file of triangles that each have the corners (t, 0, 0), (t, 1, 0) and (t, 0, 1).
    fn binary(header: &[u8; 80], triangle_count: u32) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.extend(triangle_count.to_le_bytes());
        for triangle in 0..triangle_count {
            let t = triangle as f32;
            let numbers = [[9.0, 9.0, 9.0], [t, 0.0, 0.0], [t, 1.0, 0.0], [t, 0.0, 1.0]];
            bytes.extend(numbers.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
            bytes.extend([7, 7]);
        }
        bytes
    }

    const NO_NAME: [u8; 80] = [b' '; 80];

    #[test]
    fn solids_of_a_text_are_surfaces_with_names() {
        let second = FACET.replace(" 0 0 0", " -1.5e0 +2 .5").to_uppercase().replace('\n', "\r\n");
        let text = format!("\u{feff}solid my shirt\n{FACET}{FACET}endsolid my shirt\n\nSOLID\n{second}EndSolid");
        let mesh = read(&text).expect("a sound file");
        assert_eq!(mesh.positions.len(), 9);
        assert_eq!(mesh.positions[..3], [Vec3::ZERO, Vec3::X, Vec3::Y]);
        assert_eq!(mesh.positions[6], Vec3::new(-1.5, 2.0, 0.5));
        assert_eq!((mesh.face_sizes, mesh.corners), (vec![3; 3], (0..9).collect()));
        assert_eq!(mesh.surfaces, [0, 0, 0, 0, 0, 0, 1, 1, 1]);
        assert_eq!(mesh.groups, [VertexGroup { name: "my shirt".into(), vertices: (0..6).collect() }]);
        assert_eq!(mesh.face_lines, Some(vec![2, 9, 19]));
        assert_eq!((mesh.first_number, mesh.metres_per_unit, mesh.up), (0, None, UpAxis::Z));
        let latin_1 =
            text.replace("shirt", "\u{e9}t\u{e9}").chars().skip(1).map(|letter| letter as u8).collect::<Vec<_>>();
        assert_eq!(read(latin_1).expect("a sound file").groups[0].name, "my \u{fffd}t\u{fffd}");
    }

    #[test]
    fn binary_files_are_known_whatever_their_header_starts_with() {
        let mut solid = NO_NAME;
        solid[..6].copy_from_slice(b"solid ");
        for header in [NO_NAME, solid, [0; 80]] {
            let mesh = read(binary(&header, 2)).expect("a sound file");
            let expected =
                [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]];
            assert_eq!(mesh.positions, expected.map(Vec3::from));
            assert_eq!((mesh.face_sizes, mesh.corners), (vec![3; 2], (0..6).collect()));
            assert_eq!((mesh.surfaces, mesh.groups, mesh.face_lines), (vec![0; 6], vec![], None));
            assert_eq!(mesh.up, UpAxis::Z);
        }
        // Something may follow.
        let longer = [binary(&NO_NAME, 2), vec![1; 30]].concat();
        assert_eq!(read(longer).expect("a sound file").face_sizes.len(), 2);
    }

    #[test]
    fn errors_name_the_place_and_the_cure() {
        let solid = |lines: &str| format!("solid\n{lines}\nendsolid");
        let in_facet = |line: &str| solid(&FACET.replace("  vertex 1 0 0", line));
        let cases = [
            (in_facet("vertex 1 0"), ", line 5: this vertex has 2 of 3 coordinates; write `vertex x y z`"),
            (in_facet("vertex 1 0 x"), ", line 5: `x` is not a number; write `vertex x y z`"),
            (in_facet("vertex 1 0 nan"), ", line 5: the coordinate nan is NaN in 32 bits; give a finite one"),
            (in_facet(""), ", line 8: this facet has 2 corners; give it 3"),
            (in_facet("vertex 1 0 0\nvertex 1 1 1"), ", line 9: this facet has 4 corners; give it 3"),
            (
                in_facet("solid b"),
                ", line 5: `solid b` is out of place; `outer loop`, `vertex x y z`, `endloop` or `endfacet` can be here",
            ),
            (
                solid("vertex 1 0 0"),
                ", line 2: `vertex 1 0 0` is out of place; `facet normal x y z` or `endsolid` can be here",
            ),
            (format!("{}\nfacet", solid(FACET)), ", line 11: `facet` is out of place; `solid` can be here"),
            (
                format!("solid\n{FACET}"),
                ", line 9: the file ends before its solid does; it is cut off, or `endsolid` is missing",
            ),
            (solid(""), ": the mesh has no vertices; give it at least three"),
            (
                "what is this".into(),
                ": this is no STL file, for it neither starts with `solid` nor has the 84 bytes of a header, but 12",
            ),
            // Bytes 80 to 83 are `a bi`, which is a number as well.
            (
                "This is no mesh at all, but a text that happens to be longer than the header of a binary STL file."
                    .into(),
                ": its header has 1768038497 triangles, which take 88401924934 bytes, but the file has 98; it is cut off, \
                 or no STL file",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read(&text).expect_err(&text).to_string(), expected);
        }
        let mut bytes = binary(&NO_NAME, 2);
        bytes[HEADER + TRIANGLE + 16..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
        let expected = ", triangle 1: a corner lies at [1, NaN, 0]; make every coordinate a finite number";
        assert_eq!(read(bytes).expect_err("no place").to_string(), expected);
    }

    #[test]
    fn what_is_cut_off_is_refused_at_every_byte() {
        let bytes = binary(&NO_NAME, 3);
        (0..bytes.len()).for_each(|length| assert!(read(&bytes[..length]).is_err(), "{length} bytes"));
        // Of a text the name at the end may be cut off.
        let text = format!("solid a\n{FACET}{FACET}endsolid");
        (0..text.len()).for_each(|length| assert!(read(&text[..length]).is_err(), "{length} bytes"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), is_text: bool) {
            let _ = read([if is_text { &b"solid "[..] } else { b"" }, &bytes[..]].concat());
        }

        #[test]
        fn no_mutation_makes_it_panic(
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            is_text: bool,
        ) {
            let text = format!("solid a\n{FACET}endsolid a\nsolid\n{FACET}endsolid\n").into_bytes();
            let mut bytes = if is_text { text } else { binary(&NO_NAME, 2) };
            for (offset, byte) in changes {
                let offset = offset.index(bytes.len());
                bytes[offset] = byte;
            }
            let _ = read(bytes);
        }
    }
}
