use proptest::prelude::*;

use super::*;
use crate::io::{MeshFormat, parse_mesh};

fn read(contents: impl AsRef<[u8]>) -> Result<SourceMesh, Fault> {
    parse_mesh(contents.as_ref(), MeshFormat::Ply, None)
}

fn sound(contents: impl AsRef<[u8]>) -> SourceMesh {
    read(contents).expect("a sound file")
}

fn attribute(name: &str, values: &[f32]) -> VertexAttribute {
    VertexAttribute { name: name.into(), values: values.into() }
}

/// Two triangles and a quad over five vertices, with all that a vertex may have.
const TEXT: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 5\nproperty float x\nproperty double y\n\
    property short z\nproperty float nx\nproperty uchar red\nproperty ushort green\nproperty float blue\n\
    property float s\nproperty float t\nproperty int age\nelement camera 1\nproperty float view\n\
    element face 3\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n\
    0 0.5 1 9 255 65535 0.25 0 0 -3\n1 0.5 1 9 0 0 1 1 0 4\n\n1 1.5e0 -1 9 51 0 0 1 1 5\n0 1 2 9 0 0 0 0 1 6\n\
    3 1 2 9 0 13107 0 0.5 0.5 7\n0.5\n7 3 0 1 2\n7 4 0 1 2 3 \n7 3 4 3 2\n";

#[test]
fn texts_are_read_with_all_that_vertices_have() {
    for text in [TEXT.to_owned(), TEXT.replace('\n', "\r\n"), TEXT.replace("_indices", "_index")] {
        let mesh = sound(text);
        let places = [[0.0, 0.5, 1.0], [1.0, 0.5, 1.0], [1.0, 1.5, -1.0], [0.0, 1.0, 2.0], [3.0, 1.0, 2.0]];
        assert_eq!(mesh.positions, places.map(Vec3::from));
        assert_eq!((&mesh.face_sizes[..], &mesh.corners[..]), (&[3, 4, 3][..], &[0, 1, 2, 0, 1, 2, 3, 4, 3, 2][..]));
        let [a, b, c, d, e] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]].map(Vec2::from);
        assert_eq!(mesh.uvs, Some(vec![a, b, c, a, b, c, d, e, d, c]));
        let attributes = [
            attribute("color.r", &[1.0, 0.0, 0.2, 0.0, 0.0]),
            attribute("color.g", &[1.0, 0.0, 0.0, 0.0, 0.2]),
            attribute("color.b", &[0.25, 1.0, 0.0, 0.0, 0.0]),
            attribute("age", &[-3.0, 4.0, 5.0, 6.0, 7.0]),
        ];
        assert_eq!(mesh.attributes, attributes);
        assert_eq!(mesh.face_lines, Some(vec![28, 29, 30]));
        assert_eq!((mesh.surfaces, mesh.groups, mesh.first_number), (vec![0; 5], vec![], 0));
        assert_eq!((mesh.metres_per_unit, mesh.up), (None, UpAxis::Z));
    }
}

/// The same numbers in each of the eight types, of which the binary formats write the bytes of one or the other order.
fn of_types(encoding: &str, [x, y, z, other]: [&str; 4], count: &str, index: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {encoding} 1.0\nelement vertex 4\nproperty {x} x\nproperty {y} y\nproperty {z} z\n\
         property {other} other\nelement face 1\nproperty list {count} {index} vertex_indices\nend_header\n"
    )
    .into_bytes();
    let mut write = |kind: &str, number: i8| {
        let mut little = match kind {
            "char" | "uchar" | "int8" | "uint8" => number.to_le_bytes().to_vec(),
            "short" | "ushort" | "int16" | "uint16" => i16::from(number).to_le_bytes().to_vec(),
            "int" | "uint" | "int32" | "uint32" => i32::from(number).to_le_bytes().to_vec(),
            "float" | "float32" => f32::from(number).to_le_bytes().to_vec(),
            _ => f64::from(number).to_le_bytes().to_vec(),
        };
        if encoding == "binary_big_endian" {
            little.reverse();
        }
        if encoding == "ascii" {
            little = format!("{number} ").into_bytes();
        }
        bytes.extend(little);
    };
    let rows = [[0, 0, 0, 7], [1, 0, 0, 8], [1, 1, 0, 9], [0, 1, 3, 10]];
    for row in rows {
        [x, y, z, other].into_iter().zip(row).for_each(|(kind, number)| write(kind, number));
        if encoding == "ascii" {
            write("line", 0);
        }
    }
    write(count, 4);
    (0..4).for_each(|corner| write(index, corner));
    bytes
}

#[test]
fn every_type_of_number_is_read_in_either_order_of_bytes() {
    let kinds = [
        ["char", "uchar", "short", "ushort"],
        ["int", "uint", "float", "double"],
        ["int8", "uint8", "int16", "uint16"],
        ["int32", "uint32", "float32", "float64"],
    ];
    for (kinds, encoding) in kinds
        .into_iter()
        .flat_map(|kinds| ["binary_little_endian", "binary_big_endian"].map(|encoding| (kinds, encoding)))
    {
        for (count, index) in [
            ("uchar", "int"),
            ("int", "uchar"),
            ("ushort", "ushort"),
            ("uint", "uint"),
            ("char", "char"),
            ("short", "short"),
        ] {
            let mesh = sound(of_types(encoding, kinds, count, index));
            let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 3.0]];
            assert_eq!(mesh.positions, places.map(Vec3::from), "{encoding} {kinds:?}");
            assert_eq!((mesh.face_sizes, mesh.corners), (vec![4], vec![0, 1, 2, 3]), "{count} {index}");
            assert_eq!(mesh.attributes, [attribute("other", &[7.0, 8.0, 9.0, 10.0])]);
            assert_eq!(mesh.face_lines, None);
        }
    }
}

#[test]
fn texture_coordinates_of_faces_belong_to_corners() {
    let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n";
    let mesh = sound(format!("{header}0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 1\n3 0 2 1 6 0.5 0 0.5 1 0.25 0\n"));
    let uvs = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 1.0], [0.25, 0.0]];
    assert_eq!(mesh.uvs, Some(uvs.map(Vec2::from).into()));
    let mesh = sound(format!("{header}0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 1\n3 0 2 1 0\n"));
    assert_eq!(mesh.uvs, None);
}

#[test]
fn comments_may_be_in_any_encoding_and_elements_without_properties_hold_nothing() {
    let text =
        TEXT.replace("hand", "caf\u{e9}").replace("element camera", "element nothing 99999999999\nelement camera");
    let latin_1: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    assert_eq!(sound(latin_1).face_sizes.len(), 3);
}

#[test]
fn errors_name_the_place_and_the_cure() {
    let swapped = |from: &str, to: &str| {
        assert!(TEXT.contains(from), "{from}");
        TEXT.replace(from, to).into_bytes()
    };
    let header = "write `element NAME COUNT`, `property TYPE NAME`, `property list TYPE TYPE NAME` or `end_header`";
    let format = ": its header has no sound format; write `format ascii 1.0`, `format binary_little_endian 1.0` or \
                  `format binary_big_endian 1.0`";
    let no_vertex = "this is no `vertex` as the header has it; write its numbers: x y z nx red green blue s t age";
    let binary = |cut: usize| {
        let mut bytes = of_types("binary_little_endian", ["float"; 4], "int", "int");
        bytes.truncate(bytes.len() - cut);
        bytes
    };
    let changed = |at_end: usize, number: [u8; 4]| {
        let mut bytes = binary(0);
        let at = bytes.len() - at_end;
        bytes[at..at + 4].copy_from_slice(&number);
        bytes
    };
    let cases: Vec<(Vec<u8>, String)> = vec![
        (Vec::new(), ", line 1: this is no PLY file, for it does not start with a line `ply`".into()),
        (swapped("format ascii 1.0\n", ""), format.into()),
        (swapped("ascii", "asciii"), format!(", line 2: `format asciii 1.0` has no place in the header; {header}")),
        (swapped("float x", "flaot x"), format!(", line 5: `property flaot x` has no place in the header; {header}")),
        (
            swapped("end_header\n", "")[..400].into(),
            format!(", line 20: `0 0.5 1 9 255 65535 0.25 0 0 -3` has no place in the header; {header}"),
        ),
        (
            TEXT.as_bytes()[..59].into(),
            ", line 5: the file ends before its header does; it is cut off, or `end_header` is missing".into(),
        ),
        (
            swapped("float nx", "float y"),
            ", line 8: `property float y` has the name of one before; give it another".into(),
        ),
        (
            swapped("element camera", "element vertex"),
            ", line 15: `element vertex 1` has the name of one before; give it another".into(),
        ),
        (
            swapped("element vertex", "element point"),
            ": its header has no element `vertex`; give it one with the properties `x`, `y` and `z`".into(),
        ),
        (
            swapped("short z", "short depth"),
            ", element `vertex`: it has no property `z`; give it `x`, `y` and `z`, each a number".into(),
        ),
        (
            swapped("vertex_indices", "corners"),
            ", element `face`: it has no list `vertex_indices` or `vertex_index`; give it one with its corners".into(),
        ),
        (
            swapped("element camera", "element tristrips"),
            ", element `tristrips`: triangle strips are not read; save the mesh with an element `face` in their place".into(),
        ),
        (
            swapped("vertex 5", "vertex 4000000000"),
            ", element `vertex`: the header has 4000000000 of them, for which the 166 bytes that are left are too few; the \
             file is cut off, or the number is wrong"
                .into(),
        ),
        (swapped("1 1.5e0 -1", "1 nan -1"), format!(", line 24: {no_vertex}")),
        (swapped("1 1.5e0 -1", "1 1e99 -1"), ", line 24: this vertex lies at [1, inf, -1]; make every coordinate a \
            finite number of 32 bits".into()),
        (swapped("9 51 0", "9 256 0"), format!(", line 24: {no_vertex}")),
        (
            swapped("7 3 4 3 2\n", "7 3 4 3 5\n"),
            ", line 30: this face uses vertex 5, but the file has 5 vertices, numbered from 0; correct the face or add \
             the vertex"
                .into(),
        ),
        (swapped("7 3 4 3 2\n", "7 2 4 3\n"), ", line 30: this face has 2 corners; a face needs at least 3".into()),
        (
            swapped("7 3 4 3 2\n", "7 3 4 3 -1\n"),
            ", line 30: a corner of this face is no whole number from 0 upwards; give it the number of a vertex".into(),
        ),
        (
            swapped("7 3 4 3 2\n", "7 3 4 3\n"),
            ", line 30: this is no `face` as the header has it; write its numbers: flags vertex_indices".into(),
        ),
        (
            swapped("7 3 4 3 2\n", ""),
            ", line 29: the file ends before the 3 of `face` that its header has; it is cut off, or the number is wrong".into(),
        ),
        (binary(1), ", face 0: the file ends before its numbers do; it is cut off, or the header is wrong".into()),
        (
            binary(20),
            ", element `face`: the header has 1 of them, for which the 0 bytes that are left are too few; the file is cut \
             off, or the number is wrong"
                .into(),
        ),
        (
            changed(20, [255; 4]),
            ", face 0: the length of its list is no whole number from 0 upwards; correct it, or its type in the header".into(),
        ),
        (
            changed(20, [0, 0, 0, 127]),
            ", face 0: the file ends before its numbers do; it is cut off, or the header is wrong".into(),
        ),
        (
            changed(8, [255; 4]),
            ", face 0: a corner of this face is no whole number from 0 upwards; give it the number of a vertex".into(),
        ),
        (
            changed(60, f32::NAN.to_le_bytes()),
            ", vertex 1: this vertex lies at [1, 0, NaN]; make every coordinate a finite number of 32 bits".into(),
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(read(bytes).expect_err(&expected).to_string(), expected);
    }
}

#[test]
fn what_is_cut_off_is_refused_at_every_byte() {
    // Of a text, the line break at the end may be cut off.
    let text = TEXT.trim_end();
    let binary = of_types("binary_big_endian", ["float"; 4], "uchar", "int");
    for bytes in [text.as_bytes(), &binary] {
        (0..bytes.len()).for_each(|length| assert!(read(&bytes[..length]).is_err(), "{length} bytes"));
        read(bytes).expect("a sound file");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read([b"ply\n", &bytes[..]].concat());
        let header = &TEXT[..TEXT.find("0 0.5 1").expect("a row")];
        for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
            let _ = read([header.replace("ascii", encoding).as_bytes(), &bytes].concat());
        }
    }

    #[test]
    fn no_mutation_makes_it_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), b' '..=b'9']), 1..6),
        is_text: bool,
    ) {
        let binary = of_types("binary_little_endian", ["float", "char", "double", "short"], "uchar", "int");
        let mut bytes = if is_text { TEXT.as_bytes().to_vec() } else { binary };
        for (offset, byte) in changes {
            let offset = offset.index(bytes.len());
            bytes[offset] = byte;
        }
        let _ = read(bytes);
    }
}
