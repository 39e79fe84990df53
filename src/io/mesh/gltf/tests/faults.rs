//! All that may be wrong with a file.

use proptest::prelude::*;
use serde_json::Value;

use super::super::parse_within;
use super::super::writer::{SHORT, UNSIGNED_BYTE, Writer, glb};
use super::*;

#[test]
fn errors_name_what_is_wrong_and_the_cure() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut writer = square();
        change(&mut writer.json);
        complaint(&writer)
    };
    macro_rules! set {
        ($($path:tt)*) => { changed(&|json| { json $($path)*; }) };
    }
    let cases = [
        (set!(["asset"]["version"] = json!("1.0")), ": this is glTF 1.0; save it as glTF 2.0"),
        (
            set!(["extensionsRequired"] = json!(["KHR_draco_mesh_compression"])),
            ": its meshes are compressed (KHR_draco_mesh_compression); save it without compression",
        ),
        (
            set!(["extensionsRequired"] = json!(["EXT_meshopt_compression"])),
            ": its meshes are compressed (EXT_meshopt_compression); save it without compression",
        ),
        (
            set!(["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"])),
            ": it needs the extension EXT_mesh_gpu_instancing, which is not read; save it without",
        ),
        (set!(["scene"] = json!(3)), ", scene: there is no scene 3, for the file has 0, numbered from 0"),
        (set!(["nodes"] = json!([{}])), ": no node of its scene has a mesh; give one a `mesh`"),
        (set!(["nodes"][0]["mesh"] = json!(9)), ", node 0: there is no mesh 9, for the file has 1, numbered from 0"),
        (
            set!(["nodes"][0]["children"] = json!([4])),
            ", node 0: there is no node 4, for the file has 1, numbered from 0",
        ),
        (
            set!(
                ["nodes"] = json!([{"children": [1], "name": "a"}, {"children": [2], "name": "b"}, {"children": [0], "mesh": 0}])
            ),
            ", node 0 (`a`): it is above itself, or below such a node; glTF's nodes form trees",
        ),
        (
            set!(["nodes"] = json!([{"children": [2]}, {"children": [2]}, {"mesh": 0, "name": "c"}])),
            ", node 2 (`c`): it is a child of node 0 and of node 1; glTF's nodes have one parent at most",
        ),
        (
            changed(&|json| {
                json["scenes"] = json!([{"nodes": [0, 0]}]);
                json["scene"] = json!(0);
            }),
            ", node 0: the scene has it twice; list it once, or below one node",
        ),
        (
            set!(["nodes"][0]["rotation"] = json!([0, 0, 0, 0])),
            ", node 0: its transform is not finite; give it one of finite numbers",
        ),
        (
            set!(["nodes"][0] = json!({"mesh": 0, "scale": [3e38, 1, 1], "translation": [3e38, 0, 0]})),
            ", accessor 0: its element 1 is [1, 0, 0], which node 0 takes to [inf, 0, 0]; make every coordinate a finite number",
        ),
        (
            set!(["meshes"][0]["primitives"][0]["mode"] = json!(7)),
            ", primitive 0 of mesh 0: its `mode` is none; give 4, 5 or 6, for triangles",
        ),
        (
            set!(["meshes"][0]["primitives"][0]["mode"] = json!(1)),
            ": the mesh has no faces; give it at least one triangle, for points and lines alone make no cloth",
        ),
        (
            set!(["meshes"][0]["primitives"][0]["attributes"] = json!({})),
            ": the mesh has no faces; give it at least one triangle, for points and lines alone make no cloth",
        ),
        (
            set!(["meshes"][0]["primitives"][0]["material"] = json!(0)),
            ", primitive 0 of mesh 0: there is no material 0, for the file has 0, numbered from 0",
        ),
        (
            set!(["meshes"][0]["primitives"][0]["indices"] = json!(5)),
            ", primitive 0 of mesh 0: there is no accessor 5, for the file has 2, numbered from 0",
        ),
        (
            set!(["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(0)),
            ", accessor 0: its `type` must be \"VEC2\" for TEXCOORD_0",
        ),
        (
            set!(["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(1)),
            ", accessor 1: its `type` must be \"VEC3\" or \"VEC4\" for COLOR_0",
        ),
        (
            set!(["meshes"][0]["primitives"][0]["attributes"]["_MASS"] = json!(1)),
            ", accessor 1: it has 6 elements for _MASS, but accessor 0 has 4 for POSITION; give both as many",
        ),
        (set!(["accessors"][0]["type"] = json!("VEC5")), ", accessor 0: its `type` is none; give one such as \"VEC3\""),
        (
            set!(["accessors"][0]["componentType"] = json!(5)),
            ", accessor 0: its `componentType` is none; give one such as 5126, for numbers of 32 bits",
        ),
        (
            set!(["accessors"][1]["componentType"] = json!(SHORT)),
            ", accessor 1: its elements are no indices; give it the `type` \"SCALAR\" and unsigned integers",
        ),
        (
            changed(&|json| drop(json["accessors"][0].as_object_mut().expect("an accessor").remove("bufferView"))),
            ", accessor 0: it has no data; give it a `bufferView`, or values that are `sparse`",
        ),
        (
            set!(["accessors"][0]["count"] = json!(3)),
            ", accessor 1: its element 5 is vertex 3, but accessor 0 has 3 vertices, numbered from 0; correct it or add the vertex",
        ),
        (
            set!(["accessors"][0]["count"] = json!(5)),
            ", accessor 0: its 5 elements end at byte 60 of buffer view 0, which has 48",
        ),
        (
            set!(["accessors"][0]["byteOffset"] = json!(4)),
            ", accessor 0: its 4 elements end at byte 52 of buffer view 0, which has 48",
        ),
        (
            set!(["accessors"][0]["byteOffset"] = json!(u64::MAX)),
            ", accessor 0: its 4 elements end at byte 18446744073709551615 of buffer view 0, which has 48",
        ),
        (
            set!(["accessors"][0]["count"] = json!(89_478_486)),
            ", accessor 0: with it the mesh has more than 268435456 numbers; give a smaller one",
        ),
        (
            set!(["accessors"][0]["count"] = json!(u64::MAX)),
            ", accessor 0: with it the mesh has more than 268435456 numbers; give a smaller one",
        ),
        (
            set!(["accessors"][0]["bufferView"] = json!(2)),
            ", accessor 0: there is no buffer view 2, for the file has 2, numbered from 0",
        ),
        (
            set!(["bufferViews"][0]["buffer"] = json!(1)),
            ", buffer view 0: there is no buffer 1, for the file has 1, numbered from 0",
        ),
        (
            set!(["bufferViews"][0]["byteStride"] = json!(8)),
            ", accessor 0: its elements have 12 bytes, but lie 8 apart in buffer view 0",
        ),
        (
            set!(["bufferViews"][0]["byteLength"] = json!(61)),
            ", buffer view 0: it ends at byte 61, but buffer 0 has 60 bytes",
        ),
        (
            set!(["bufferViews"][0]["byteOffset"] = json!(u64::MAX)),
            ", buffer view 0: it ends at byte 18446744073709551615, but buffer 0 has 60 bytes",
        ),
    ];
    for (said, expected) in cases {
        assert_eq!(said, expected);
    }
    let mut writer = square();
    writer.bytes[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    let expected = ", accessor 0: its element 1 is [NaN, 0, 0], which node 0 takes to [NaN, NaN, NaN]; make every coordinate a \
                    finite number";
    assert_eq!(complaint(&writer), expected);
    let places = writer.view(&[4]);
    writer.json["accessors"][0]["sparse"] = json!({"count": 1, "indices": {"bufferView": places, "componentType": UNSIGNED_BYTE}, "values": {"bufferView": 0}});
    let expected = ", accessor 0: its sparse index 0 is 4, but it has 4 elements, numbered from 0";
    assert_eq!(complaint(&writer), expected);
    for (uri, expected) in [
        ("data:text/plain,abc", "not in base64; write `data:application/octet-stream;base64,...`"),
        ("data:;base64,a%b", "that is no base64: Invalid symbol 37, offset 1."),
    ] {
        let said = read(&writer.with_uri(uri)).expect_err(uri).to_string();
        assert!(said.starts_with(", buffer 0: its `uri` has data") && said.ends_with(expected), "{said}");
    }
}

#[test]
fn what_is_no_gltf_is_told_with_its_line() {
    let json = r#"{"asset": {"version": "2.0"},"#;
    let latin_1 = b"{\"asset\": {\"version\": \"2.0\"},\n\"nodes\": [{\"name\": \"caf\xe9\"}]}";
    let cases: [(&[u8], &str); 10] = [
        (b"", ", line 1: this is not glTF 2.0: EOF while parsing a value"),
        (b"solid a\nendsolid", ", line 1: this is not glTF 2.0: expected value"),
        (b"{\n\"nodes\": [}", ", line 2: this is not glTF 2.0: expected value"),
        (b"{\n}", ", line 2: this is not glTF 2.0: missing field `asset`"),
        (latin_1, ", line 2: this is not glTF 2.0: invalid unicode code point"),
        (&glb(json.as_bytes(), Some(&[0])), ", line 1 of its JSON: this is not glTF 2.0: EOF while parsing a value"),
        (b"glTF", ": this GLB file is unsound: its header says that it has 0 bytes, and it has 4"),
        (
            &square().glb()[..100],
            &format!(
                ": this GLB file is unsound: its header says that it has {} bytes, and it has 100",
                square().glb().len()
            ),
        ),
        (&with(square().glb(), 4, 1), ": this GLB file is unsound: unsupported version"),
        (&with(square().glb(), 12, u32::MAX), ": this GLB file is unsound: JSON chunk length exceeds that of slice"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(read(bytes).expect_err(expected).to_string(), expected);
    }
    // There are no bytes behind the JSON.
    let mut json = square().json;
    json["buffers"] = json!([{"byteLength": 60}]);
    let expected = ", buffer 0: it has no `uri`, and is not the binary chunk of a GLB file";
    for bytes in [json.to_string().into_bytes(), glb(json.to_string().as_bytes(), None)] {
        assert_eq!(read(&bytes).expect_err("no buffer").to_string(), expected);
    }
}

/// The bytes with another number of 32 bits in them.
fn with(mut bytes: Vec<u8>, at: usize, number: u32) -> Vec<u8> {
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    bytes
}

#[test]
fn what_is_cut_off_is_refused_at_every_byte() {
    // A GLB file is filled up to a multiple of 4 by its buffer, which ends with an index.
    for bytes in [square().glb(), square().gltf()] {
        (0..bytes.len()).for_each(|length| assert!(read(&bytes[..length]).is_err(), "{length} bytes"));
        read(&bytes).expect("a sound file");
    }
}

#[test]
fn trees_may_be_deep_and_wide() {
    const COUNT: usize = 100_000;
    let mut writer = square();
    let below = |node: usize| json!({"children": [node + 1], "translation": [0, 0.5, 0]});
    let mut nodes: Vec<Value> = (0..COUNT).map(below).collect();
    nodes.push(json!({"mesh": 0}));
    writer.json["nodes"] = nodes.into();
    let sound = |writer: &Writer| read(&writer.glb()).expect("a sound file");
    assert_eq!(sound(&writer).positions[1], Vec3::new(1.0, COUNT as f32 / 2.0, 0.0));
    // The last closes a ring.
    writer.json["nodes"][COUNT]["children"] = json!([0]);
    assert_eq!(complaint(&writer), ", node 0: it is above itself, or below such a node; glTF's nodes form trees");
    writer.json["nodes"] = vec![json!({"mesh": 0}); COUNT].into();
    let mesh = sound(&writer);
    assert_eq!((mesh.positions.len(), mesh.surfaces[4 * COUNT - 1]), (4 * COUNT, COUNT as u32 - 1));
}

#[test]
fn deep_json_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for key in ["extensions", "extras", "nodes", "scene"] {
            let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
            let json = format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"{key}\": {deep}}}");
            let said = read(json.as_bytes()).expect_err("no mesh").to_string();
            assert!(
                said.starts_with(", line 1: this is not glTF 2.0: ") || said.starts_with(": no node"),
                "{key}: {said}"
            );
        }
    }
}

#[test]
fn small_files_do_not_ask_for_much_memory() {
    let json = format!(r#"{{"asset": {{"version": "2.0"}}, "nodes": [{}{{}}]}}"#, "{},".repeat(1 << 20));
    let expected = ": its JSON has more than 1048576 objects or 16777216 commas; give a file with fewer nodes";
    assert_eq!(read(json.as_bytes()).expect_err("many nodes").to_string(), expected);
    let said = |writer: &Writer, most| parse_within(&writer.glb(), None, most).expect_err("a large mesh").to_string();
    // Nodes repeat numbers: with 4 positions and 6 indices a node, and no more than 4 nodes fit.
    let mut writer = square();
    writer.json["nodes"] = vec![json!({"mesh": 0}); 5].into();
    assert_eq!(said(&writer, 80), ", accessor 0: with it the mesh has more than 80 numbers; give a smaller one");
    assert_eq!(said(&writer, 89), ", accessor 1: with it the mesh has more than 89 numbers; give a smaller one");
    assert!(parse_within(&writer.glb(), None, 90).is_ok());
    // Sparse accessors make them up.
    let mut writer = square();
    let places = writer.view(&[0, 0]);
    writer.json["accessors"][0] = json!({
        "count": 1_000,
        "type": "VEC3",
        "componentType": 5126,
        "sparse": {"count": 1, "indices": {"bufferView": places, "componentType": 5123}, "values": {"bufferView": 0}},
    });
    assert_eq!(said(&writer, 2_999), ", accessor 0: with it the mesh has more than 2999 numbers; give a smaller one");
    assert!(parse_within(&writer.glb(), None, 3_006).is_ok());
    // So do attributes that other vertices lack, and primitives without indices.
    let mut writer = Writer::new();
    let (one, number) = (writer.floats("VEC3", &SQUARE[..9]), writer.floats("SCALAR", &[0.0; 3]));
    let many = |index: usize| json!({"attributes": {"POSITION": one, format!("_{index}"): number}});
    writer.mesh((0..10).map(many).collect());
    // 9 numbers of positions, 3 of indices and 3 of an attribute each, and 10 attributes of which each vertex lacks 9.
    assert!(parse_within(&writer.glb(), None, 10 * 15 + 9 * 30).is_ok());
    let expected = ", the last node: with it the mesh has more than 419 numbers; give a smaller one";
    assert_eq!(said(&writer, 10 * 15 + 9 * 30 - 1), expected);
}

/// Files that have nearly everything.
fn rich() -> Writer {
    let mut writer = square();
    let uvs = writer.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    let colors = writer.accessor("VEC4", UNSIGNED_BYTE, 4, &[7; 16]);
    let (places, mass) = (writer.view(&[0, 2]), writer.floats("SCALAR", &[1.0; 4]));
    writer.json["accessors"][0]["sparse"] =
        json!({"count": 2, "indices": {"bufferView": places, "componentType": 5121}, "values": {"bufferView": 2}});
    writer.json["materials"] = json!([{"name": "m"}]);
    writer.json["meshes"][0]["primitives"] = json!([
        {"attributes": {"POSITION": 0, "TEXCOORD_0": uvs, "COLOR_0": colors, "_M": mass}, "indices": 1, "material": 0},
        {"attributes": {"POSITION": 0, "TEXCOORD_0": uvs}, "indices": 1, "mode": 5},
        {"attributes": {"POSITION": 0}, "mode": 6},
    ]);
    writer.json["nodes"] = json!([{"mesh": 0, "scale": [1, 2, 3]}, {"children": [0, 2], "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}, {"mesh": 0, "name": "n"}]);
    writer.json["scenes"] = json!([{"nodes": [1]}]);
    writer.json["scene"] = json!(0);
    writer
}

/// Every number in a value.
fn numbers(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(values) => values.iter_mut().flat_map(numbers).collect(),
        Value::Object(values) => values.values_mut().flat_map(numbers).collect(),
        Value::Number(_) => vec![value],
        _ => Vec::new(),
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
        let _ = read(&[b"glTF", &bytes[..]].concat());
        let _ = read(&glb(&bytes, Some(&bytes)));
    }

    #[test]
    fn no_mutation_makes_it_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), b' '..=b'9']), 1..6),
        is_glb: bool,
    ) {
        let mut bytes = if is_glb { rich().glb() } else { rich().gltf() };
        for (offset, byte) in changes {
            let offset = offset.index(bytes.len());
            bytes[offset] = byte;
        }
        let _ = read(&bytes);
    }

    #[test]
    fn no_numbers_make_it_panic(
        changes in proptest::collection::vec(
            (any::<prop::sample::Index>(), prop_oneof![0..10_u64, 5120..5127_u64, any::<u64>(), Just(u64::MAX), Just(u32::MAX.into())]),
            1..4,
        ),
    ) {
        let mut writer = rich();
        for (place, number) in changes {
            let mut numbers = numbers(&mut writer.json);
            let place = place.index(numbers.len());
            *numbers[place] = json!(number);
        }
        let _ = read(&writer.glb());
    }
}
