//! Writes the files that tests read.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// A file as it comes together: its JSON, and the bytes of its buffer.
pub(in super::super) struct Writer {
    pub(in super::super) json: Value,
    pub(in super::super) bytes: Vec<u8>,
}

pub(in super::super) const BYTE: u32 = 5120;
pub(in super::super) const UNSIGNED_BYTE: u32 = 5121;
pub(in super::super) const SHORT: u32 = 5122;
pub(in super::super) const UNSIGNED_SHORT: u32 = 5123;
pub(in super::super) const UNSIGNED_INT: u32 = 5125;
pub(in super::super) const FLOAT: u32 = 5126;

impl Writer {
    pub(in super::super) fn new() -> Self {
        Self { json: json!({"asset": {"version": "2.0"}}), bytes: Vec::new() }
    }

    /// Appends something to one of the lists, and says its index.
    pub(in super::super) fn push(&mut self, list: &str, value: Value) -> usize {
        let list = &mut self.json[list];
        if list.is_null() {
            *list = json!([]);
        }
        let list = list.as_array_mut().expect("a list");
        list.push(value);
        list.len() - 1
    }

    /// Appends bytes to the buffer, and says the index of their view.
    pub(in super::super) fn view(&mut self, bytes: &[u8]) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0xee);
        }
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        self.push("bufferViews", json!({"buffer": 0, "byteOffset": start, "byteLength": bytes.len()}))
    }

    /// Appends an accessor with a view of its own.
    pub(in super::super) fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        self.push("accessors", json!({"bufferView": view, "componentType": component, "count": count, "type": kind}))
    }

    pub(in super::super) fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            kind => kind[3..].parse().expect("a vector"),
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.accessor(kind, FLOAT, numbers.len() / width, &bytes)
    }

    pub(in super::super) fn shorts(&mut self, indices: &[u16]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.accessor("SCALAR", UNSIGNED_SHORT, indices.len(), &bytes)
    }

    /// Appends a mesh of primitives, and a node of its own for it.
    pub(in super::super) fn mesh(&mut self, primitives: Value) -> usize {
        let mesh = self.push("meshes", json!({"primitives": primitives}));
        self.push("nodes", json!({"mesh": mesh}))
    }

    /// JSON with its buffer in it.
    pub(in super::super) fn gltf(&self) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&self.bytes));
        self.with_uri(&uri)
    }

    /// JSON with its buffer elsewhere.
    pub(in super::super) fn with_uri(&self, uri: &str) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri}]);
        serde_json::to_vec_pretty(&json).expect("JSON")
    }

    pub(in super::super) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        glb(&serde_json::to_vec(&json).expect("JSON"), Some(&self.bytes))
    }
}

/// A GLB file of JSON and a buffer.
pub(in super::super) fn glb(json: &[u8], buffer: Option<&[u8]>) -> Vec<u8> {
    let mut chunks = Vec::new();
    let mut chunk = |kind: &[u8; 4], bytes: &[u8], filling: u8| {
        let length = bytes.len().next_multiple_of(4);
        chunks.extend((length as u32).to_le_bytes());
        chunks.extend(kind);
        chunks.extend(bytes);
        chunks.resize(chunks.len() + length - bytes.len(), filling);
    };
    chunk(b"JSON", json, b' ');
    if let Some(buffer) = buffer {
        chunk(b"BIN\0", buffer, 0);
    }
    let length = 12 + chunks.len() as u32;
    [&b"glTF"[..], &2_u32.to_le_bytes(), &length.to_le_bytes(), &chunks].concat()
}
