//! What is no file, the same shape in every format, and large meshes.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};

use glam::{Vec2, Vec3};
use serde_json::json;

use super::gltf::writer::{UNSIGNED_BYTE, Writer};
use super::*;
use crate::model::{UpAxis, VertexAttribute};

#[test]
fn what_is_no_file_of_a_format_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = |path: &Path| {
        let error = read_mesh(path).expect_err("no mesh").to_string();
        error.replace(folder.path().to_str().expect("a path"), "*")
    };
    let written = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path
    };
    let kinds = "give a file that ends in .obj, .gltf, .glb, .ply or .stl";
    assert_eq!(said(&written("a.fbx", "f 1 2 3")), format!("*/a.fbx ends like no mesh; {kinds}"));
    let inside = folder.path().join("folder.obj");
    fs::create_dir(&inside).expect("a folder");
    assert_eq!(said(&inside), format!("*/folder.obj is no regular file; {kinds}"));
    assert!(said(&folder.path().join("gone.OBJ")).starts_with("*/gone.OBJ cannot be read: "));
    let bad = written("bad.Obj", "v 0 0 0\nv 1 0\n");
    assert_eq!(said(&bad), "*/bad.Obj, line 2: this vertex has 2 of 3 coordinates; write `v x y z`");
    #[cfg(unix)]
    {
        let pipe = folder.path().join("socket.ply");
        let _socket = std::os::unix::net::UnixListener::bind(&pipe).expect("a socket");
        assert_eq!(said(&pipe), format!("*/socket.ply is no regular file; {kinds}"));
    }
}

#[test]
fn files_are_read_up_to_a_size() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), "four").expect("a file");
    assert_eq!(read_file(file.path(), 4).expect("a small file"), b"four");
    let error = read_file(file.path(), 3).expect_err("a large file").to_string();
    assert!(error.ends_with(" is too large; give a file of at most 3 bytes"), "{error}");
    // It is refused for its size, before memory is taken for it.
    file.as_file().set_len(MOST_MESH_BYTES + 1).expect("a hole");
    assert!(matches!(read_file(file.path(), MOST_MESH_BYTES), Err(ReadError::TooLarge { .. })));
}

/// A strip of two squares, red at the left and green at the right, whose texture is cut where they meet.
const PLACES: [[f32; 3]; 6] =
    [[0.0, 0.0, 0.5], [1.0, 0.0, 0.25], [2.0, 0.0, 0.5], [0.0, 1.0, 0.5], [1.0, 1.0, 0.25], [2.0, 1.0, 0.5]];
const COLORS: [[u8; 3]; 6] = [[255, 0, 0], [51, 102, 0], [0, 255, 0], [255, 0, 0], [51, 102, 0], [0, 255, 0]];
const FACES: [[u32; 4]; 2] = [[0, 1, 4, 3], [1, 2, 5, 4]];
const UVS: [[[f32; 2]; 4]; 2] =
    [[[0.0, 0.0], [0.25, 0.0], [0.25, 1.0], [0.0, 1.0]], [[0.5, 0.0], [1.0, 0.0], [1.0, 0.75], [0.5, 0.75]]];

/// The strip as formats have it that know polygons and texture coordinates of corners.
fn strip() -> SourceMesh {
    let channel = |(name, channel): (&str, usize)| VertexAttribute {
        name: name.into(),
        values: COLORS.iter().map(|color| f32::from(color[channel]) / 255.0).collect(),
    };
    SourceMesh {
        positions: PLACES.map(Vec3::from).into(),
        face_sizes: vec![4, 4],
        corners: FACES.concat(),
        uvs: Some(UVS.concat().into_iter().map(Vec2::from).collect()),
        surfaces: vec![0; 6],
        attributes: [("color.r", 0), ("color.g", 1), ("color.b", 2)].map(channel).into(),
        ..SourceMesh::default()
    }
}

fn obj() -> Vec<u8> {
    let mut text = String::new();
    for ([x, y, z], color) in PLACES.iter().zip(COLORS) {
        let [red, green, blue] = color.map(|channel| f32::from(channel) / 255.0);
        writeln!(text, "v {x} {y} {z} {red} {green} {blue}").expect("a string");
    }
    UVS.concat().iter().for_each(|[u, v]| writeln!(text, "vt {u} {v}").expect("a string"));
    for (face, first) in FACES.iter().zip([1, 5]) {
        let corners: Vec<_> = face.iter().zip(first..).map(|(vertex, uv)| format!("{}/{uv}", vertex + 1)).collect();
        writeln!(text, "f {}", corners.join(" ")).expect("a string");
    }
    text.into_bytes()
}

/// A PLY file whose numbers are written as text, or as bytes in the order that is asked for.
fn ply(encoding: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {encoding} 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n\
         property uchar green\nproperty uchar blue\nelement face 2\nproperty list uchar int vertex_indices\nproperty list uchar \
         float texcoord\nend_header\n"
    )
    .into_bytes();
    let number = |number: f64, is_byte: bool, is_whole: bool| match (encoding, is_byte, is_whole) {
        ("ascii", ..) => format!("{number} ").into_bytes(),
        (_, true, _) => vec![number as u8],
        ("binary_little_endian", _, true) => (number as i32).to_le_bytes().into(),
        ("binary_little_endian", ..) => (number as f32).to_le_bytes().into(),
        (_, _, true) => (number as i32).to_be_bytes().into(),
        _ => (number as f32).to_be_bytes().into(),
    };
    let end: &[u8] = if encoding == "ascii" { b"\n" } else { b"" };
    for (place, color) in PLACES.iter().zip(COLORS) {
        bytes.extend(place.iter().flat_map(|&axis| number(axis.into(), false, false)));
        bytes.extend(color.iter().flat_map(|&channel| number(channel.into(), true, true)));
        bytes.extend(end);
    }
    for (face, uvs) in FACES.iter().zip(UVS) {
        bytes.extend(number(4.0, true, true));
        bytes.extend(face.iter().flat_map(|&vertex| number(vertex.into(), false, true)));
        bytes.extend(number(8.0, true, true));
        bytes.extend(uvs.as_flattened().iter().flat_map(|&place| number(place.into(), false, false)));
        bytes.extend(end);
    }
    bytes
}

/// The corners of the triangles around the first corner of each face, as numbers of faces and of their corners.
const TRIANGLES: [[(usize, usize); 3]; 4] =
    [[(0, 0), (0, 1), (0, 2)], [(0, 0), (0, 2), (0, 3)], [(1, 0), (1, 1), (1, 2)], [(1, 0), (1, 2), (1, 3)]];

/// glTF has texture coordinates at vertices: the strip has eight there, four a square.
fn gltf() -> Writer {
    let mut writer = Writer::new();
    let vertices = FACES.concat();
    let positions =
        writer.floats("VEC3", &vertices.iter().flat_map(|&vertex| PLACES[vertex as usize]).collect::<Vec<_>>());
    let uvs = UVS.concat().iter().flat_map(|[u, v]| [*u, 1.0 - v]).collect::<Vec<_>>();
    let uvs = writer.floats("VEC2", &uvs);
    let colors: Vec<u8> = vertices.iter().flat_map(|&vertex| COLORS[vertex as usize]).collect();
    let colors = writer.accessor("VEC3", UNSIGNED_BYTE, 8, &colors);
    writer.json["accessors"][colors]["normalized"] = json!(true);
    let indices: Vec<u16> = TRIANGLES.concat().iter().map(|(face, corner)| (4 * face + corner) as u16).collect();
    let indices = writer.shorts(&indices);
    writer.mesh(
        json!([{"attributes": {"POSITION": positions, "TEXCOORD_0": uvs, "COLOR_0": colors}, "indices": indices}]),
    );
    writer
}

fn stl_text() -> Vec<u8> {
    let mut text = String::from("solid\n");
    for triangle in TRIANGLES {
        text += "facet normal 0 0 0\nouter loop\n";
        for (face, corner) in triangle {
            let [x, y, z] = PLACES[FACES[face][corner] as usize];
            writeln!(text, "vertex {x} {y} {z}").expect("a string");
        }
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid\n").into_bytes()
}

fn stl_binary() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(4_u32.to_le_bytes());
    for triangle in TRIANGLES {
        bytes.extend([0; 12]);
        let places = triangle.map(|(face, corner)| PLACES[FACES[face][corner] as usize]);
        bytes.extend(places.as_flattened().iter().flat_map(|axis| axis.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn read(format: MeshFormat, bytes: &[u8]) -> SourceMesh {
    parse_mesh(bytes, format, None).expect("a sound file")
}

#[test]
fn the_same_shape_is_the_same_mesh_in_every_format() {
    let mesh = read(MeshFormat::Obj, &obj());
    assert_eq!(mesh, SourceMesh { face_lines: Some(vec![15, 16]), first_number: 1, ..strip() });
    let mesh = read(MeshFormat::Ply, &ply("ascii"));
    assert_eq!(mesh, SourceMesh { face_lines: Some(vec![20, 21]), up: UpAxis::Z, ..strip() });
    for encoding in ["binary_little_endian", "binary_big_endian"] {
        assert_eq!(read(MeshFormat::Ply, &ply(encoding)), SourceMesh { up: UpAxis::Z, ..strip() });
    }

    // What others have is triangles. Corner by corner they have the same place, place in the texture and colour.
    let strip = strip();
    let at = |(face, corner): (usize, usize)| 4 * face + corner;
    let corners: Vec<usize> = TRIANGLES.concat().into_iter().map(at).collect();
    let vertices: Vec<usize> = corners.iter().map(|&corner| strip.corners[corner] as usize).collect();
    let places: Vec<Vec3> = vertices.iter().map(|&vertex| strip.positions[vertex]).collect();
    let of_corners = |mesh: &SourceMesh| -> Vec<Vec3> {
        assert_eq!(mesh.face_sizes, [3; 4]);
        mesh.corners.iter().map(|&vertex| mesh.positions[vertex as usize]).collect()
    };
    for bytes in [gltf().gltf(), gltf().glb()] {
        let mesh = read(MeshFormat::Gltf, &bytes);
        assert_eq!(of_corners(&mesh), places);
        let uvs = strip.uvs.as_ref().expect("places");
        assert_eq!(mesh.uvs, Some(corners.iter().map(|&corner| uvs[corner]).collect()));
        let colors = |mesh: &SourceMesh, vertices: &[usize]| -> Vec<(String, Vec<f32>)> {
            let values =
                |attribute: &VertexAttribute| vertices.iter().map(|&vertex| attribute.values[vertex]).collect();
            mesh.attributes.iter().map(|attribute| (attribute.name.clone(), values(attribute))).collect()
        };
        let own: Vec<usize> = mesh.corners.iter().map(|&vertex| vertex as usize).collect();
        assert_eq!(colors(&mesh, &own), colors(&strip, &vertices));
        assert_eq!((mesh.surfaces, mesh.up, mesh.metres_per_unit), (vec![0; 8], UpAxis::Y, Some(1.0)));
    }
    for bytes in [stl_text(), stl_binary()] {
        let mesh = read(MeshFormat::Stl, &bytes);
        assert_eq!(of_corners(&mesh), places);
        assert_eq!((mesh.surfaces, mesh.up, mesh.attributes), (vec![0; 12], UpAxis::Z, vec![]));
    }
}

/// Vertices of each side of a square grid that has ten million of them, and two triangles a cell.
const SIDE: u32 = 3163;

fn grid_place(vertex: u32) -> [f32; 3] {
    [(vertex % SIDE) as f32, (vertex / SIDE) as f32, 0.0]
}

fn grid_triangles() -> impl Iterator<Item = [u32; 3]> {
    let cells = (0..SIDE - 1).flat_map(|row| (0..SIDE - 1).map(move |column| row * SIDE + column));
    cells.flat_map(|a| [[a, a + 1, a + SIDE], [a + 1, a + SIDE + 1, a + SIDE]])
}

/// Writes a file of ten million vertices, 380 MB of them in most formats, and reads it.
fn ten_million(name: &str, write: impl FnOnce(&mut BufWriter<fs::File>) -> std::io::Result<()>) -> SourceMesh {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    let mut file = BufWriter::new(fs::File::create(&path).expect("a file"));
    write(&mut file).and_then(|()| file.flush()).expect("a file");
    let start = std::time::Instant::now();
    let mesh = read_mesh(&path).expect("a sound file");
    println!("{name}: {} vertices in {:.1} s", mesh.positions.len(), start.elapsed().as_secs_f64());
    mesh
}

fn check_grid(mesh: &SourceMesh) {
    assert_eq!(mesh.positions.len() as u32, SIDE * SIDE);
    assert_eq!(mesh.corners.len() as u32, 6 * (SIDE - 1) * (SIDE - 1));
    let last = SIDE * SIDE - 1;
    assert_eq!(mesh.positions[last as usize], Vec3::from(grid_place(last)));
    assert!(mesh.corners.chunks(3).eq(grid_triangles()));
}

#[test]
#[ignore = "takes minutes without optimisation, and 2 GB of memory and 1 GB of disk"]
fn ten_million_vertices_are_read_from_every_format() {
    let vertices = || (0..SIDE * SIDE).map(grid_place);
    let (vertex_count, face_count) = (SIDE * SIDE, 2 * (SIDE - 1) * (SIDE - 1));
    check_grid(&ten_million("grid.obj", |file| {
        writeln!(file, "o sheet\ng left right")?;
        vertices().try_for_each(|[x, y, z]| writeln!(file, "v {x} {y} {z}"))?;
        grid_triangles().try_for_each(|corners| {
            let [a, b, c] = corners.map(|vertex| vertex + 1);
            writeln!(file, "f {a} {b} {c}")
        })
    }));
    check_grid(&ten_million("grid.ply", |file| {
        write!(
            file,
            "ply\nformat binary_little_endian 1.0\nelement vertex {vertex_count}\nproperty float x\nproperty float y\nproperty \
             float z\nelement face {face_count}\nproperty list uchar uint vertex_indices\nend_header\n"
        )?;
        vertices().try_for_each(|place| file.write_all(bytemuck::bytes_of(&place)))?;
        grid_triangles().try_for_each(|corners| {
            file.write_all(&[3])?;
            file.write_all(bytemuck::bytes_of(&corners))
        })
    }));
    check_grid(&ten_million("grid.glb", |file| {
        let [places, indices] = [12 * vertex_count, 12 * face_count];
        let json = json!({
            "asset": {"version": "2.0"},
            "nodes": [{"mesh": 0, "name": "node"}],
            "materials": [{"name": "cotton"}],
            "meshes": [{"name": "sheet", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": vertex_count, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5125, "count": 3 * face_count, "type": "SCALAR"},
            ],
            "bufferViews": [
                {"buffer": 0, "byteLength": places},
                {"buffer": 0, "byteOffset": places, "byteLength": indices},
            ],
            "buffers": [{"byteLength": places + indices}],
        });
        let mut json = json.to_string();
        json += &" ".repeat(json.len().next_multiple_of(4) - json.len());
        let (chunk, size) = (places + indices, 28 + json.len() as u32 + places + indices);
        file.write_all(b"glTF")?;
        [2, size, json.len() as u32].iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        write!(file, "JSON{json}")?;
        file.write_all(&chunk.to_le_bytes())?;
        file.write_all(b"BIN\0")?;
        vertices().try_for_each(|place| file.write_all(bytemuck::bytes_of(&place)))?;
        grid_triangles().try_for_each(|corners| file.write_all(bytemuck::bytes_of(&corners)))
    }));
    let mesh = ten_million("grid.stl", |file| {
        file.write_all(&[b' '; 80])?;
        file.write_all(&face_count.to_le_bytes())?;
        grid_triangles().try_for_each(|corners| {
            file.write_all(&[0; 12])?;
            corners.iter().try_for_each(|&vertex| file.write_all(bytemuck::bytes_of(&grid_place(vertex))))?;
            file.write_all(&[0; 2])
        })
    });
    let places = grid_triangles().flatten().map(|vertex| Vec3::from(grid_place(vertex)));
    assert!(mesh.positions.iter().copied().eq(places));
}
