mod faults;
mod features;

use glam::Vec3;
use serde_json::json;

use super::writer::Writer;
use crate::io::{Fault, MeshFormat, parse_mesh};
use crate::model::{SourceMesh, VertexAttribute, VertexGroup};

fn read(bytes: &[u8]) -> Result<SourceMesh, Fault> {
    parse_mesh(bytes, MeshFormat::Gltf, None)
}

/// What a file says, in each of its two forms.
fn sound(writer: &Writer) -> SourceMesh {
    let mesh = read(&writer.glb()).expect("a sound file");
    assert_eq!(read(&writer.gltf()).as_ref(), Ok(&mesh));
    mesh
}

/// What is said of a file.
fn complaint(writer: &Writer) -> String {
    read(&writer.glb()).expect_err("an unsound file").to_string()
}

/// The corners of a square, and its two triangles.
const SQUARE: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
const HALVES: [u16; 6] = [0, 1, 2, 0, 2, 3];

/// A node with a square.
fn square() -> Writer {
    let mut writer = Writer::new();
    let (positions, indices) = (writer.floats("VEC3", &SQUARE), writer.shorts(&HALVES));
    writer.mesh(json!([{"attributes": {"POSITION": positions}, "indices": indices}]));
    writer
}

fn places<const N: usize>(places: [[f32; 3]; N]) -> Vec<Vec3> {
    places.map(Vec3::from).into()
}

fn attribute(name: &str, values: &[f32]) -> VertexAttribute {
    VertexAttribute { name: name.into(), values: values.into() }
}

fn group(name: &str, vertices: &[u32]) -> VertexGroup {
    VertexGroup { name: name.into(), vertices: vertices.into() }
}
