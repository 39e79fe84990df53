//! All that a file may have.

use std::f32::consts::FRAC_1_SQRT_2;
use std::fs;

use glam::{Vec2, Vec3};
use serde_json::{Value, json};

use super::super::writer::{BYTE, FLOAT, SHORT, UNSIGNED_BYTE, UNSIGNED_INT, UNSIGNED_SHORT, Writer};
use super::*;
use crate::io::read_mesh;
use crate::model::UpAxis;

#[test]
fn a_square_is_read() {
    let mesh = sound(&square());
    let expected = SourceMesh {
        positions: SQUARE.chunks(3).map(Vec3::from_slice).collect(),
        face_sizes: vec![3, 3],
        corners: HALVES.map(u32::from).into(),
        surfaces: vec![0; 4],
        metres_per_unit: Some(1.0),
        up: UpAxis::Y,
        ..SourceMesh::default()
    };
    assert_eq!(mesh, expected);
    let marked = [b"\xef\xbb\xbf", &square().gltf()[..]].concat();
    assert_eq!(read(&marked), Ok(expected));
}

#[test]
fn indices_have_any_width_or_are_left_out() {
    for (component, bytes) in [
        (UNSIGNED_BYTE, HALVES.map(|index| index as u8).to_vec()),
        (UNSIGNED_SHORT, HALVES.iter().flat_map(|index| index.to_le_bytes()).collect()),
        (UNSIGNED_INT, HALVES.iter().flat_map(|&index| u32::from(index).to_le_bytes()).collect()),
    ] {
        let mut writer = Writer::new();
        let (positions, indices) = (writer.floats("VEC3", &SQUARE), writer.accessor("SCALAR", component, 6, &bytes));
        writer.mesh(json!([{"attributes": {"POSITION": positions}, "indices": indices}]));
        assert_eq!(sound(&writer), sound(&square()), "{component}");
    }
    let mut writer = Writer::new();
    let positions = writer.floats("VEC3", &SQUARE);
    writer.mesh(json!([{"attributes": {"POSITION": positions}}]));
    // The last corner makes no triangle.
    assert_eq!(sound(&writer).corners, [0, 1, 2]);
}

/// A pentagon by its rim and as a zigzag, in three ways with the same fronts.
#[test]
fn strips_and_fans_keep_their_fronts() {
    let mut writer = Writer::new();
    let positions = writer.floats("VEC3", &[&SQUARE[..], &[0.5, 2.0, 0.0]].concat());
    let (rim, zigzag) = (writer.shorts(&[0, 1, 2, 4, 3]), writer.shorts(&[0, 1, 3, 2, 4]));
    let lines = writer.shorts(&[0, 1]);
    let primitive =
        |mode: u32, indices| json!({"attributes": {"POSITION": positions}, "indices": indices, "mode": mode});
    let primitives: Vec<Value> = [(0, lines), (1, lines), (2, lines), (3, lines), (5, zigzag), (6, rim)]
        .map(|(mode, indices)| primitive(mode, indices))
        .into();
    writer.mesh(primitives.into());
    let mesh = sound(&writer);
    assert_eq!(mesh.positions.len(), 5);
    assert_eq!(mesh.corners, [0, 1, 3, 1, 2, 3, 3, 2, 4, 1, 2, 0, 2, 4, 0, 4, 3, 0]);
    let fronts = mesh.corners.chunks(3).map(|corners| {
        let [a, b, c] = [0, 1, 2].map(|corner| mesh.positions[corners[corner] as usize]);
        (b - a).cross(c - a).z
    });
    assert!(fronts.into_iter().all(|front| front > 0.0));
}

#[test]
fn transforms_go_down_the_tree_and_mirrors_turn_faces() {
    let mut writer = square();
    // Turned by a right angle about z, and then moved; x goes to y.
    let rotation = [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2];
    writer.json["nodes"] = json!([
        {"mesh": 0, "scale": [2, 1, 1], "name": "below"},
        {"children": [0], "translation": [10, 0, 0], "rotation": rotation, "scale": [3, 3, 3]},
        {"mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1], "name": "mirrored"},
    ]);
    let mesh = sound(&writer);
    // Parents come before children, and roots in their order.
    let expected = places([
        [10.0, 0.0, 0.0],
        [10.0, 6.0, 0.0],
        [7.0, 6.0, 0.0],
        [7.0, 0.0, 0.0],
        [0.0, 0.0, 5.0],
        [-1.0, 0.0, 5.0],
        [-1.0, 1.0, 5.0],
        [0.0, 1.0, 5.0],
    ]);
    // The quaternion has 24 bits, and the largest coordinate is 10.
    let error = mesh.positions.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(error <= 10.0 * f32::EPSILON * 4.0, "{error}");
    assert_eq!(mesh.corners, [0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6]);
    assert_eq!(mesh.surfaces, [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(mesh.groups, [group("below", &[0, 1, 2, 3]), group("mirrored", &[4, 5, 6, 7])]);
}

#[test]
fn the_default_scene_is_read_or_else_all_roots() {
    let mut writer = square();
    writer.json["nodes"] = json!([{"mesh": 0}, {"mesh": 0, "translation": [7, 0, 0]}, {"children": [1]}]);
    writer.json["scenes"] = json!([{"nodes": [0]}, {"nodes": [2]}]);
    assert_eq!(sound(&writer).positions.len(), 8);
    writer.json["scene"] = json!(1);
    assert_eq!(sound(&writer).positions[0], Vec3::new(7.0, 0.0, 0.0));
    assert_eq!(sound(&writer).positions.len(), 4);
}

#[test]
fn primitives_of_a_node_share_vertices_and_have_names() {
    let mut writer = Writer::new();
    let positions = writer.floats("VEC3", &SQUARE);
    let [first, second] = [[0, 1, 2], [0, 2, 3]].map(|corners| writer.shorts(&corners));
    let other = writer.floats("VEC3", &SQUARE);
    writer.json["materials"] = json!([{"name": "red"}, {"name": "blue"}, {}]);
    writer.mesh(json!([
        {"attributes": {"POSITION": positions}, "indices": first, "material": 0},
        {"attributes": {"POSITION": positions}, "indices": second, "material": 1},
        {"attributes": {"POSITION": other}, "indices": first, "material": 2},
    ]));
    writer.json["meshes"][0]["name"] = json!("sheet");
    writer.json["nodes"] = json!([{"mesh": 0, "name": "left"}, {"mesh": 0, "name": "sheet"}]);
    let mesh = sound(&writer);
    assert_eq!(mesh.corners, [0, 1, 2, 0, 2, 3, 4, 5, 6, 8, 9, 10, 8, 10, 11, 12, 13, 14]);
    assert_eq!(mesh.surfaces, [[0; 8], [1; 8]].concat());
    let used = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14];
    let expected = [
        group("left", &used[..7]),
        group("sheet", &used),
        group("red", &[0, 1, 2, 8, 9, 10]),
        group("blue", &[0, 2, 3, 8, 10, 11]),
    ];
    assert_eq!(mesh.groups, expected);
}

#[test]
fn sparse_accessors_change_what_they_name() {
    for (component, bytes) in
        [(UNSIGNED_BYTE, vec![1, 3]), (UNSIGNED_SHORT, vec![1, 0, 3, 0]), (UNSIGNED_INT, vec![1, 0, 0, 0, 3, 0, 0, 0])]
    {
        let mut writer = square();
        let named = writer.view(&bytes);
        let values: Vec<u8> =
            [5.0_f32, 6.0, 7.0, -5.0, -6.0, -7.0].iter().flat_map(|number| number.to_le_bytes()).collect();
        let values = writer.view(&values);
        let sparse = json!({
            "count": 2,
            "indices": {"bufferView": named, "componentType": component},
            "values": {"bufferView": values},
        });
        writer.json["accessors"][0]["sparse"] = sparse;
        let expected = places([[0.0, 0.0, 0.0], [5.0, 6.0, 7.0], [1.0, 1.0, 0.0], [-5.0, -6.0, -7.0]]);
        assert_eq!(sound(&writer).positions, expected);
        // Where nothing is changed, all is 0.
        writer.json["accessors"][0].as_object_mut().expect("an accessor").remove("bufferView");
        let expected = places([[0.0; 3], [5.0, 6.0, 7.0], [0.0; 3], [-5.0, -6.0, -7.0]]);
        assert_eq!(sound(&writer).positions, expected);
    }
}

#[test]
fn views_may_be_interleaved() {
    let mut writer = Writer::new();
    let vertices: Vec<u8> = SQUARE
        .chunks(3)
        .zip([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
        .flat_map(|(place, uv)| [&[9.0], place, &uv[..]].concat())
        .flat_map(f32::to_le_bytes)
        .collect();
    let view = writer.view(&vertices);
    writer.json["bufferViews"][view]["byteStride"] = json!(24);
    let accessor = |kind, offset| json!({"bufferView": view, "byteOffset": offset, "componentType": FLOAT, "count": 4, "type": kind});
    let [positions, uvs] =
        [("VEC3", 4), ("VEC2", 16)].map(|(kind, offset)| writer.push("accessors", accessor(kind, offset)));
    let indices = writer.shorts(&HALVES);
    writer.mesh(json!([{"attributes": {"POSITION": positions, "TEXCOORD_0": uvs}, "indices": indices}]));
    let mesh = sound(&writer);
    assert_eq!(mesh.positions, sound(&square()).positions);
    // They count downwards in the file.
    let [a, b, c, d] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(Vec2::from);
    assert_eq!(mesh.uvs, Some(vec![a, b, c, a, c, d]));
}

#[test]
fn numbers_may_be_quantized() {
    for (component, normalized, bytes, expected) in [
        (UNSIGNED_BYTE, true, [[0, 255], [51, 0], [102, 204]].concat(), [[0.0, 0.0], [0.2, 1.0], [0.4, 0.2]]),
        (BYTE, true, [[0, 127], [0x81, 0], [0x80, 0]].concat(), [[0.0, 0.0], [-1.0, 1.0], [-1.0, 1.0]]),
        (UNSIGNED_BYTE, false, [[0, 255], [51, 0], [2, 3]].concat(), [[0.0, -254.0], [51.0, 1.0], [2.0, -2.0]]),
        (BYTE, false, [[0, 0xff], [0x80, 0], [2, 3]].concat(), [[0.0, 2.0], [-128.0, 1.0], [2.0, -2.0]]),
        (
            UNSIGNED_SHORT,
            true,
            vec![0, 0, 255, 255, 0x33, 0x33, 0, 0, 255, 255, 0, 0],
            [[0.0, 0.0], [0.2, 1.0], [1.0, 1.0]],
        ),
        (SHORT, true, vec![0, 0, 255, 127, 1, 128, 0, 0, 0, 128, 0, 0], [[0.0, 0.0], [-1.0, 1.0], [-1.0, 1.0]]),
        (SHORT, false, vec![0, 0, 255, 255, 1, 0, 0, 0, 0, 128, 0, 0], [[0.0, 2.0], [1.0, 1.0], [-32_768.0, 1.0]]),
    ] {
        let mut writer = Writer::new();
        let positions = writer.floats("VEC3", &SQUARE[..9]);
        let uvs = writer.accessor("VEC2", component, 3, &bytes);
        writer.json["accessors"][uvs]["normalized"] = json!(normalized);
        writer.json["extensionsRequired"] = json!(["KHR_mesh_quantization", "KHR_texture_transform"]);
        writer.mesh(json!([{"attributes": {"POSITION": positions, "TEXCOORD_0": uvs}}]));
        let uvs = sound(&writer).uvs.expect("places");
        let error = uvs.iter().zip(expected).map(|(a, b)| a.distance(b.into())).fold(0.0, f32::max);
        // 1 - v is rounded where v is no sum of few powers of 2.
        assert!(error <= f32::EPSILON, "{component} {normalized}: {uvs:?}");
    }
    let mut writer = Writer::new();
    let positions: Vec<u8> = [0_i16, 0, 0, 1, 0, 0, 1, -1, 0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let positions = writer.accessor("VEC3", SHORT, 3, &positions);
    writer.mesh(json!([{"attributes": {"POSITION": positions}}]));
    writer.json["nodes"][0]["scale"] = json!([0.5, 0.5, 0.5]);
    assert_eq!(sound(&writer).positions, places([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, -0.5, 0.0]]));
}

#[test]
fn colours_and_numbers_of_ones_own_are_attributes() {
    let mut writer = Writer::new();
    let positions = writer.floats("VEC3", &SQUARE[..9]);
    let colors = writer.floats("VEC4", &[1.0, 0.5, 0.0, 0.25, 0.0, 0.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.0]);
    let bytes = writer.accessor("VEC3", UNSIGNED_BYTE, 3, &[255, 0, 51, 0, 0, 0, 102, 0, 0]);
    writer.json["accessors"][bytes]["normalized"] = json!(true);
    let (mass, vector) = (writer.floats("SCALAR", &[3.0, 4.0, 5.0]), writer.floats("VEC3", &SQUARE[..9]));
    let other = writer.floats("VEC3", &SQUARE[..9]);
    writer.mesh(json!([
        {"attributes": {"POSITION": positions, "COLOR_0": colors, "_MASS": mass, "_FORCE": vector, "NORMAL": vector}},
        {"attributes": {"POSITION": other}},
        {"attributes": {"POSITION": other, "COLOR_0": bytes, "_AGE": mass, "COLOR_1": colors, "ODD": mass}},
    ]));
    let mut attributes = sound(&writer).attributes;
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    // Vertices without a colour are white, and without a number of one's own have 0.
    let expected = [
        attribute("_AGE", &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 4.0, 5.0]),
        attribute("_MASS", &[3.0, 4.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        attribute("color.a", &[0.25, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        attribute("color.b", &[0.0, 1.0, 0.5, 1.0, 1.0, 1.0, 0.2, 0.0, 0.0]),
        attribute("color.g", &[0.5, 0.0, 0.5, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        attribute("color.r", &[1.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.0, 0.4]),
    ];
    assert_eq!(attributes, expected);
}

#[test]
fn places_in_a_texture_are_those_of_all_or_of_none() {
    let mut writer = Writer::new();
    let (positions, other) = (writer.floats("VEC3", &SQUARE[..9]), writer.floats("VEC3", &SQUARE[..9]));
    let uvs = writer.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 1.0, f32::NAN]);
    writer.mesh(json!([{"attributes": {"POSITION": positions, "TEXCOORD_0": uvs}}]));
    assert_eq!(sound(&writer).uvs, None);
    let uvs = writer.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 1.0, 1.0]);
    writer.json["meshes"][0]["primitives"] = json!([
        {"attributes": {"POSITION": positions, "TEXCOORD_0": uvs}},
        {"attributes": {"POSITION": other}},
        {"attributes": {"POSITION": other, "TEXCOORD_0": uvs}},
    ]);
    assert_eq!(sound(&writer).uvs, None);
}

#[test]
fn buffers_lie_beside_their_file() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("parts")).expect("a folder");
    let writer = square();
    let path = folder.path().join("square.gltf");
    let said = |uri: &str| {
        fs::write(&path, writer.with_uri(uri)).expect("a file");
        let error = read_mesh(&path).expect_err("no buffer").to_string();
        error.replace(folder.path().to_str().expect("a path"), "*")
    };
    fs::write(folder.path().join("parts/a b.bin"), &writer.bytes).expect("a file");
    for uri in ["parts/a b.bin", "parts/a%20b.bin", "./parts/a%20b.bin"] {
        fs::write(&path, writer.with_uri(uri)).expect("a file");
        assert_eq!(read_mesh(&path).expect("a sound file"), sound(&writer), "{uri}");
    }
    assert!(
        said("gone.bin").starts_with("*/square.gltf, buffer 0: */gone.bin cannot be read: "),
        "{}",
        said("gone.bin")
    );
    assert!(said("parts").starts_with("*/square.gltf, buffer 0: */parts is no regular file"));
    for uri in ["../square.bin", "/dev/zero", "https://example.org/a.bin", "parts/%2e%2e/a.bin"] {
        let shown = uri.replace("%2e", ".");
        let expected =
            format!("*/square.gltf, buffer 0: its `uri` is {shown}; put the file beside this one, and name it so");
        assert_eq!(said(uri), expected);
    }
    fs::write(folder.path().join("short.bin"), &writer.bytes[1..]).expect("a file");
    assert_eq!(
        said("short.bin"),
        "*/square.gltf, buffer 0: its `byteLength` is 60, but it has 59 bytes; it is cut off"
    );
    let error = read(&writer.with_uri("a.bin")).expect_err("no folder").to_string();
    assert_eq!(error, ", buffer 0: its `uri` is a.bin, and there is no folder to look for it in");
}
