//! The JSON of a GLB file up to the first byte 0, and its buffer behind that: mutations of either leave the container sound.

use tautline::io::MeshFormat;

use super::prepared::prepared;

/// Goes with the file as far as [`prepared`] does.
pub fn contained(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (json, buffer) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let mut file =
        [&b"glTF"[..], &2_u32.to_le_bytes(), &(28 + (json.len() + buffer.len()) as u32).to_le_bytes()].concat();
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", buffer)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    prepared(&file, MeshFormat::Gltf)
}
