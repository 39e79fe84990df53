//! Wavefront OBJ.

use std::borrow::Cow;
use std::collections::HashMap;

use glam::{Vec2, Vec3};

use super::error::{Fault, shortened};
use super::groups::Groups;
use crate::model::{SourceMesh, UpAxis, VertexAttribute};

// Why no library. A cache needs the vertices of the file, in its order and number, and a user needs the line that is
// wrong. `tobj` 4 renumbers vertices by first use, drops unused ones, splits those that groups share and names no line;
// `obj` 0.10 keeps them, but lets NaN and faces out of range pass and panics at a `g` after a wide space (U+3000).

/// Most groups that a face may be in: each holds its vertices anew, so that a small file could ask for any amount of memory.
const MOST_GROUPS: usize = 32;

/// The mesh of a file's text.
///
/// Vertices keep their number and order, whatever object or group uses them. Normals, materials, lines and points are passed
/// over.
pub(super) fn parse(bytes: &[u8]) -> Result<SourceMesh, Fault> {
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        let line = 1 + bytes[..offset].iter().filter(|&&byte| byte == b'\n').count();
        return Err(Fault::at_line(line, "this is a binary file; give a Wavefront OBJ file, which is text"));
    }
    let mut file = Obj::default();
    for (line, statement) in statements(bytes) {
        let fault = |problem| Fault::at_line(line, problem);
        let statement = statement.trim();
        let (keyword, rest) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        match keyword {
            "v" => file.vertex(rest).map_err(fault)?,
            "vt" => file.texture_places.push(texture_place(rest)),
            "f" => file.face(rest, line as u32).map_err(fault)?,
            "o" => file.object(rest.trim()).map_err(fault)?,
            "g" => file.name_groups(rest).map_err(fault)?,
            _ => {}
        }
    }
    file.finish()
}

/// What has been read so far.
#[derive(Default)]
struct Obj {
    mesh: SourceMesh,
    /// Red, green and blue of each vertex until one has none. Shape \[vertex_count\].
    colors: Vec<Vec3>,
    texture_places: Vec<Option<Vec2>>,
    /// Index of the texture coordinates of each corner until one has none. Shape \[corner_count\].
    texture_corners: Vec<u32>,
    face_lines: Vec<u32>,
    /// Number of each name of an object; 0 is the one without a name.
    objects: HashMap<String, u32>,
    /// The object at each vertex and at each face.
    vertex_objects: Vec<u32>,
    face_objects: Vec<u32>,
    groups: Groups,
    /// The object and the groups that what follows is in.
    object: u32,
    object_group: Option<usize>,
    named_groups: Vec<usize>,
}

impl Obj {
    /// What follows a `v`: a place, and a colour or a weight.
    fn vertex(&mut self, rest: &str) -> Result<(), String> {
        let mut words = rest.split_whitespace();
        let mut position = Vec3::ZERO;
        for axis in 0..3 {
            let word =
                words.next().ok_or_else(|| format!("this vertex has {axis} of 3 coordinates; write `v x y z`"))?;
            position[axis] =
                word.parse().map_err(|_| format!("`{}` is not a number; write `v x y z`", shortened(word)))?;
            if !position[axis].is_finite() {
                return Err(format!(
                    "the coordinate {} is {} in 32 bits; give a finite one",
                    shortened(word),
                    position[axis]
                ));
            }
        }
        let mut number = || words.next()?.parse().ok().filter(|number: &f32| number.is_finite());
        if self.colors.len() == self.mesh.positions.len()
            && let (Some(red), Some(green), Some(blue)) = (number(), number(), number())
        {
            self.colors.push(Vec3::new(red, green, blue));
        }
        self.mesh.positions.push(position);
        self.vertex_objects.push(self.object);
        Ok(())
    }

    /// What follows an `f`: corners, each as `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    ///
    /// Numbers below 0 count back from the last vertex so far. Others may be ahead of them.
    fn face(&mut self, rest: &str, line: u32) -> Result<(), String> {
        let first = self.mesh.corners.len();
        let vertex_count = self.mesh.positions.len();
        for word in rest.split_whitespace() {
            let mut numbers = word.split('/');
            let number: i64 = numbers.next().and_then(|number| number.parse().ok()).ok_or_else(|| {
                format!("`{}` is not a vertex number; write `f 1 2 3` or `f 1/1/1 ...`", shortened(word))
            })?;
            let corner = index(number, vertex_count).ok_or_else(|| {
                format!("there is no vertex {number}; of the {vertex_count} so far, the first is 1 and the last is -1")
            })?;
            let place = numbers.next().and_then(|number| index(number.parse().ok()?, self.texture_places.len()));
            if let Some(place) = place.filter(|_| self.texture_corners.len() == self.mesh.corners.len()) {
                self.texture_corners.push(place);
            }
            self.mesh.corners.push(corner);
        }
        let size = self.mesh.corners.len() - first;
        if size < 3 {
            return Err(format!("this face has {size} corners; a face needs at least 3"));
        }
        self.mesh.face_sizes.push(size as u32);
        self.face_lines.push(line);
        self.face_objects.push(self.object);
        self.groups.add(&self.mesh.corners[first..], vertex_count);
        Ok(())
    }

    /// What follows an `o`: a name, also of several words.
    fn object(&mut self, name: &str) -> Result<(), String> {
        (self.object, self.object_group) = (0, None);
        if !name.is_empty() {
            self.object_group = Some(self.groups.number(name)?);
            let next = self.objects.len() as u32 + 1;
            self.object = *self.objects.entry(name.into()).or_insert(next);
        }
        self.groups.choose(self.object_group.into_iter().chain(self.named_groups.iter().copied()));
        Ok(())
    }

    /// What follows a `g`: names, none for no group.
    fn name_groups(&mut self, names: &str) -> Result<(), String> {
        self.named_groups.clear();
        for name in names.split_whitespace() {
            let group = self.groups.number(name)?;
            if !self.named_groups.contains(&group) {
                self.named_groups.push(group);
            }
            if self.named_groups.len() > MOST_GROUPS {
                return Err(format!("this line names more than {MOST_GROUPS} groups; put faces into fewer"));
            }
        }
        self.groups.choose(self.object_group.into_iter().chain(self.named_groups.iter().copied()));
        Ok(())
    }

    fn finish(self) -> Result<SourceMesh, Fault> {
        let Self { mut mesh, colors, texture_places, texture_corners, face_lines, groups, .. } = self;
        let vertex_count = mesh.positions.len();
        for (face, &line) in mesh.faces().zip(&face_lines) {
            if let Some(&vertex) = mesh.corners[face].iter().find(|&&vertex| vertex as usize >= vertex_count) {
                let problem = format!(
                    "this face uses vertex {}, but the file has vertices 1 to {vertex_count}; correct the face or add the vertex",
                    u64::from(vertex) + 1
                );
                return Err(Fault::at_line(line as usize, problem));
            }
        }
        mesh.surfaces = surfaces(&mesh, &self.vertex_objects, &self.face_objects, self.objects.len() + 1);
        if texture_corners.len() == mesh.corners.len() {
            mesh.uvs = texture_corners.iter().map(|&place| *texture_places.get(place as usize)?).collect();
        }
        if colors.len() == vertex_count {
            let channel = |(name, axis): (&str, usize)| VertexAttribute {
                name: name.into(),
                values: colors.iter().map(|color| color[axis]).collect(),
            };
            mesh.attributes = [("color.r", 0), ("color.g", 1), ("color.b", 2)].map(channel).into();
        }
        Ok(SourceMesh {
            groups: groups.finish(),
            face_lines: Some(face_lines),
            first_number: 1,
            metres_per_unit: None,
            up: UpAxis::Y,
            ..mesh
        })
    }
}

/// The surface of each vertex: an object, together with those that share vertices with it. They are numbered in the order of
/// their first vertices.
fn surfaces(mesh: &SourceMesh, vertex_objects: &[u32], face_objects: &[u32], object_count: usize) -> Vec<u32> {
    // Objects of one surface lead from one to the next and end at the same one.
    let mut leads_to: Vec<u32> = (0..object_count as u32).collect();
    let end = |leads_to: &mut [u32], mut object: u32| {
        while leads_to[object as usize] != object {
            leads_to[object as usize] = leads_to[leads_to[object as usize] as usize];
            object = leads_to[object as usize];
        }
        object
    };
    // A vertex belongs to what uses it, and where nothing does, to the object that it is written in.
    let mut owners: Vec<Option<u32>> = vec![None; vertex_objects.len()];
    for (face, &object) in mesh.faces().zip(face_objects) {
        for &vertex in &mesh.corners[face] {
            let owner = *owners[vertex as usize].get_or_insert(object);
            if owner != object {
                let [from, to] = [owner, object].map(|object| end(&mut leads_to, object));
                leads_to[from as usize] = to;
            }
        }
    }
    let mut numbers: Vec<Option<u32>> = vec![None; object_count];
    let mut count = 0;
    let number = |(owner, &written): (Option<u32>, &u32)| {
        *numbers[end(&mut leads_to, owner.unwrap_or(written)) as usize].get_or_insert_with(|| {
            count += 1;
            count - 1
        })
    };
    owners.into_iter().zip(vertex_objects).map(number).collect()
}

/// The index from 0 that a number means: from 1, or below 0 back from the last of the `count` so far.
fn index(number: i64, count: usize) -> Option<u32> {
    u32::try_from(if number < 0 { count as i64 + number } else { number - 1 }).ok()
}

/// The place in a texture that the words after a `vt` give; none where they give none.
fn texture_place(words: &str) -> Option<Vec2> {
    let mut numbers = words.split_whitespace().map(|word| word.parse().ok().filter(|number: &f32| number.is_finite()));
    let u = numbers.next()??;
    // A texture may be a line.
    let v = numbers.next().unwrap_or(Some(0.0))?;
    Some(Vec2::new(u, v))
}

/// The lines of a file without comments, joined where a backslash continues them, each with its number from 1.
fn statements(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    // A byte order mark would hide the first keyword, and a comment may end in a backslash that continues nothing.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|&byte| byte == b'\n').map(without_comment).zip(1..);
    std::iter::from_fn(move || {
        let (mut statement, number) = lines.next()?;
        while statement.ends_with('\\') {
            let joined = statement.to_mut();
            joined.pop();
            joined.push(' ');
            joined.push_str(&lines.next().map_or(Cow::default(), |(line, _)| line));
        }
        Some((number, statement))
    })
}

/// A line up to its comment. Names of objects and groups may be in any encoding; the numbers are ASCII in all of them.
fn without_comment(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::{MeshFormat, parse_mesh};
    use crate::model::VertexGroup;

    fn read(contents: impl AsRef<[u8]>) -> Result<SourceMesh, Fault> {
        parse_mesh(contents.as_ref(), MeshFormat::Obj, None)
    }

    fn sound(contents: impl AsRef<[u8]>) -> SourceMesh {
        read(contents).expect("a sound file")
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn every_form_of_a_face_is_read() {
        let faces =
            ["f 1 2 3 4", "f 1/1 2/2 3/3 4/4", "f 1//9 2//9 3//9 4//9", "f -4 -3/1/1 -2 -1 # back", "f 1 2\\\n 3 4"];
        for face in faces {
            let mesh = sound(format!("\u{feff}{SQUARE}# square in C:\\\r\nvt 0 0\nvn 0 0 1\n{face}\r\nl 1 2\nf 4 3 1"));
            assert_eq!((&mesh.face_sizes[..], &mesh.corners[..]), (&[4, 3][..], &[0, 1, 2, 3, 3, 2, 0][..]), "{face}");
            let lines = if face.contains('\\') { [8, 11] } else { [8, 10] };
            assert_eq!(mesh.face_lines, Some(lines.into()), "{face}");
            assert_eq!(mesh.positions[2], Vec3::new(1.0, 1.0, 0.0));
            assert_eq!((mesh.first_number, mesh.metres_per_unit, mesh.up), (1, None, UpAxis::Y));
        }
    }

    #[test]
    fn texture_coordinates_belong_to_corners() {
        // A strip of two quads that share an edge, at which the texture is cut: its vertices have two places there.
        let vertices = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n";
        let places = "vt 0 0\nvt 0.25 0\nvt 0.25 1\nvt 0 1\nvt 0.5 0 0\nvt 1 0\nvt 1 1\nvt 0.5 1\n";
        let mesh = sound(format!("{vertices}f 1/1 2/2/1 5/3 4/4\n{places}f 2/-4 3/-3 6/-2 5/-1\n"));
        assert_eq!(mesh.positions.len(), 6);
        let uvs = [[0.0, 0.0], [0.25, 0.0], [0.25, 1.0], [0.0, 1.0], [0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.0]];
        assert_eq!(mesh.uvs, Some(uvs.map(Vec2::from).into()));
        for incomplete in ["f 1/1 2/2 5", "f 1/1 2/9 5/3", "f 1/1 2/-9 5/3", "f 1//1 2//1 5//1", "f 1/1 2/x 5/3"] {
            let mesh = sound(format!("{vertices}{places}{incomplete}\nf 1/1 2/1 4/1"));
            assert_eq!(mesh.uvs, None, "{incomplete}");
        }
        for place in ["vt", "vt x", "vt 0 nan", "vt inf 0"] {
            let mesh = sound(format!("{vertices}{place}\nf 1/1 2/1 5/1\n"));
            assert_eq!(mesh.uvs, None, "{place}");
        }
        assert_eq!(sound(format!("{SQUARE}vt 0.5\nf 1/1 2/1 3/1")).uvs, Some(vec![Vec2::new(0.5, 0.0); 3]));
    }

    #[test]
    fn vertices_keep_their_order_and_are_shared_between_groups() {
        let text =
            format!("v 9 9 9\n{SQUARE}g one all\nf 4 5 2\no caf\u{e9} au lait\ng all all\nf 4 2 3\ng\nf 2 3 5\n");
        let latin_1: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
        let mesh = sound(latin_1);
        assert_eq!(mesh.positions.len(), 5);
        assert_eq!(mesh.corners, [3, 4, 1, 3, 1, 2, 1, 2, 4]);
        let group = |name: &str, vertices: &[u32]| VertexGroup { name: name.into(), vertices: vertices.into() };
        let expected =
            [group("one", &[1, 3, 4]), group("all", &[1, 2, 3, 4]), group("caf\u{fffd} au lait", &[1, 2, 3, 4])];
        assert_eq!(mesh.groups, expected);
    }

    #[test]
    fn objects_are_surfaces_unless_they_share_vertices() {
        let triangle = |object: &str, at: u32| format!("{object}\nv {at} 0 0\nv {at} 1 0\nv {at} 0 1\nf -3 -2 -1\n");
        let [a, b, c] = ["o a", "o b", "o c"].map(|object| triangle(object, 0));
        assert_eq!(sound(format!("{a}{b}{c}")).surfaces, [0, 0, 0, 1, 1, 1, 2, 2, 2]);
        assert_eq!(sound(format!("{a}{b}{c}f 1 5 9\n")).surfaces, [0; 9]);
        assert_eq!(sound(format!("{a}{b}{c}o a\nf 7 8 2\n")).surfaces, [0, 0, 0, 1, 1, 1, 0, 0, 0]);
        // What no face uses is where it is written; groups are no objects, and what comes before any is one.
        assert_eq!(sound(format!("v 0 0 0\n{}{b}o\nv 1 1 1", triangle("g a", 0))).surfaces, [0, 0, 0, 0, 1, 1, 1, 0]);
    }

    #[test]
    fn colours_behind_places_are_attributes_where_all_vertices_have_them() {
        let colored = |last: &str| sound(format!("v 0 0 0 1 0.5 0\nv 1 0 0 0 0.25 1 1\nv 0 1 0 {last}\nf 1 2 3"));
        let attribute = |name: &str, values: [f32; 3]| VertexAttribute { name: name.into(), values: values.into() };
        let expected = [
            attribute("color.r", [1.0, 0.0, 0.75]),
            attribute("color.g", [0.5, 0.25, 1.0]),
            attribute("color.b", [0.0, 1.0, 0.0]),
        ];
        assert_eq!(colored("0.75 1 0").attributes, expected);
        for none in ["", "1", "1 0", "1 0 x", "1 nan 0"] {
            assert_eq!(colored(none).attributes, [], "{none}");
        }
    }

    #[test]
    fn faces_may_come_before_their_vertices() {
        assert!(read(format!("f 1 2 3\n{SQUARE}")).is_ok());
    }

    #[test]
    fn faces_without_area_are_as_the_file_has_them() {
        assert_eq!(sound(format!("{SQUARE}f 1 2 2\nf 1 1 1 1")).corners, [0, 1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn errors_name_the_line_and_the_cure() {
        let groups: Vec<_> = (0..=MOST_GROUPS).map(|group| group.to_string()).collect();
        let cases = [
            ("v 0 0", ", line 5: this vertex has 2 of 3 coordinates; write `v x y z`"),
            ("v 0 0 zero", ", line 5: `zero` is not a number; write `v x y z`"),
            ("v 0 NaN 0", ", line 5: the coordinate NaN is NaN in 32 bits; give a finite one"),
            ("v 0 1e99 0", ", line 5: the coordinate 1e99 is inf in 32 bits; give a finite one"),
            ("f 1 2", ", line 5: this face has 2 corners; a face needs at least 3"),
            ("f", ", line 5: this face has 0 corners; a face needs at least 3"),
            ("f 1 2 x", ", line 5: `x` is not a vertex number; write `f 1 2 3` or `f 1/1/1 ...`"),
            ("f 0 1 2", ", line 5: there is no vertex 0; of the 4 so far, the first is 1 and the last is -1"),
            ("f 1 2 -5", ", line 5: there is no vertex -5; of the 4 so far, the first is 1 and the last is -1"),
            (
                "\n\nf 1 2 3\nf 1 2 7",
                ", line 8: this face uses vertex 7, but the file has vertices 1 to 4; correct the face or add the vertex",
            ),
            (&format!("g {}", groups.join(" ")), ", line 5: this line names more than 32 groups; put faces into fewer"),
            ("", ": the mesh has no faces; give it at least one triangle, for points and lines alone make no cloth"),
        ];
        for (lines, expected) in cases {
            assert_eq!(read(format!("{SQUARE}{lines}")).expect_err(lines).to_string(), expected);
        }
        assert_eq!(read("").expect_err("nothing").to_string(), ": the mesh has no vertices; give it at least three");
        let binary = ", line 2: this is a binary file; give a Wavefront OBJ file, which is text";
        assert_eq!(read(b"\x89PNG\r\n\x1a\0\n").expect_err("no text").to_string(), binary);
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
            changes in proptest::collection::vec((0..100_usize, prop_oneof![any::<u8>(), TELLING]), 1..6),
            length in 0..100_usize,
        ) {
            let mut bytes = format!("{SQUARE}vt 0 1\no a\nf 1/1/1 2 -2\ng a b\\\nc\nf 1 3 4 -4").into_bytes();
            for (offset, byte) in changes {
                let offset = offset % bytes.len();
                bytes[offset] = byte;
            }
            bytes.truncate(length);
            let _ = read(bytes);
        }
    }
}
