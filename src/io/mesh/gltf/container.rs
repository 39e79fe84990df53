use std::borrow::Cow;

use gltf::{Glb, json};

use super::super::error::{Fault, shortened};

/// Most objects, and most commas, of the JSON: each of them may take some hundred bytes of memory, or some ten.
const MOST_OBJECTS: usize = 1 << 20;
const MOST_COMMAS: usize = 1 << 24;

/// Size of the header of a GLB file and of that of its first chunk.
const GLB_HEADERS: usize = 20;

/// Extensions whose meshes are another's work to unpack.
const COMPRESSIONS: [&str; 3] = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Starts of the names of extensions that change nothing about shapes, or no more than is read here.
const HARMLESS: [&str; 7] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
];

/// What the JSON of a file says, and the bytes that a GLB file has behind it.
pub(super) fn open(bytes: &[u8]) -> Result<(json::Root, Option<&[u8]>), Fault> {
    let is_glb = bytes.starts_with(b"glTF");
    let (text, blob) = if is_glb { split(bytes)? } else { (bytes, None) };
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let count = |mark| text.iter().filter(|&&byte| byte == mark).count();
    if count(b'{') > MOST_OBJECTS || count(b',') > MOST_COMMAS {
        let problem = format!(
            "its JSON has more than {MOST_OBJECTS} objects or {MOST_COMMAS} commas; give a file with fewer nodes"
        );
        return Err(Fault::in_file(problem));
    }
    let root: json::Root = json::deserialize::from_slice(text).map_err(|error| {
        let said = error.to_string();
        let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
        let problem = format!("this is not glTF 2.0: {}", shortened(said));
        if is_glb {
            Fault::at(format!("line {} of its JSON", error.line()), problem)
        } else {
            Fault::at_line(error.line(), problem)
        }
    })?;
    if !root.asset.version.starts_with("2.") {
        let problem = format!("this is glTF {}; save it as glTF 2.0", shortened(&root.asset.version));
        return Err(Fault::in_file(problem));
    }
    for name in &root.extensions_required {
        let name = name.as_str();
        if COMPRESSIONS.contains(&name) {
            return Err(Fault::in_file(format!("its meshes are compressed ({name}); save it without compression")));
        }
        if !HARMLESS.iter().any(|harmless| name.starts_with(harmless)) {
            let problem = format!("it needs the extension {}, which is not read; save it without", shortened(name));
            return Err(Fault::in_file(problem));
        }
    }
    Ok((root, blob))
}

/// The JSON and the binary chunk of a GLB file.
fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    // The library subtracts from the length before it looks at it.
    let length = number(8).map_or(0, |length| length as usize);
    let cut_off = |problem: String| Err(Fault::in_file(format!("this GLB file is unsound: {problem}")));
    if length < GLB_HEADERS || length > bytes.len() {
        return cut_off(format!("its header says that it has {length} bytes, and it has {}", bytes.len()));
    }
    match Glb::from_slice(&bytes[..length]) {
        // They are not copied, and so outlive what the library made of them.
        Ok(Glb { json: Cow::Borrowed(json), bin, .. }) => {
            let blob = match bin {
                Some(Cow::Borrowed(blob)) => Some(blob),
                _ => None,
            };
            Ok((json, blob))
        }
        Ok(_) => cut_off("it has no JSON".into()),
        Err(error) => cut_off(shortened(&error.to_string())),
    }
}
