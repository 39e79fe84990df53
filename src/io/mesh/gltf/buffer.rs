use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::path::{Component, Path};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gltf::json;
use percent_encoding::percent_decode_str;

use super::super::error::{Fault, shortened};
use super::super::{MOST_MESH_BYTES, read_file};
use super::item;

/// Base64 as files have it, some with and some without the signs that fill it up.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The buffers of a file, each read when it is first needed.
pub(super) struct Buffers<'a> {
    root: &'a json::Root,
    /// What a GLB file has behind its JSON.
    blob: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    read: Vec<OnceCell<Cow<'a, [u8]>>>,
    /// How many bytes buffers in other files may still have.
    left: Cell<u64>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(root: &'a json::Root, blob: Option<&'a [u8]>, folder: Option<&'a Path>) -> Self {
        let read = root.buffers.iter().map(|_| OnceCell::new()).collect();
        Self { root, blob, folder, read, left: Cell::new(MOST_MESH_BYTES) }
    }

    /// The bytes of a view and how far its elements are apart, if it says so.
    pub(super) fn view(
        &self,
        index: json::Index<json::buffer::View>,
        asked_by: &str,
    ) -> Result<(&[u8], Option<usize>), Fault> {
        let view = item(&self.root.buffer_views, index, "buffer view", asked_by)?;
        let name = format!("buffer view {}", index.value());
        let buffer = item(&self.root.buffers, view.buffer, "buffer", &name)?;
        let read = &self.read[view.buffer.value()];
        let bytes = match read.get() {
            Some(bytes) => bytes,
            None => {
                let bytes = self.load(buffer, view.buffer.value())?;
                read.get_or_init(|| bytes)
            }
        };
        let start = view.byte_offset.unwrap_or_default().0;
        let end = start.saturating_add(view.byte_length.0);
        let part =
            usize::try_from(start).ok().zip(usize::try_from(end).ok()).and_then(|(start, end)| bytes.get(start..end));
        let part = part.ok_or_else(|| {
            let problem =
                format!("it ends at byte {end}, but buffer {} has {} bytes", view.buffer.value(), bytes.len());
            Fault::at(name, problem)
        })?;
        Ok((part, view.byte_stride.map(|stride| stride.0).filter(|&stride| stride > 0)))
    }

    fn load(&self, buffer: &json::Buffer, index: usize) -> Result<Cow<'a, [u8]>, Fault> {
        let fault = |problem: String| Fault::at(format!("buffer {index}"), problem);
        let bytes = match (&buffer.uri, self.blob) {
            (None, Some(blob)) if index == 0 => Cow::Borrowed(blob),
            (None, _) => return Err(fault("it has no `uri`, and is not the binary chunk of a GLB file".into())),
            (Some(uri), _) => Cow::Owned(self.fetch(uri).map_err(fault)?),
        };
        let length = buffer.byte_length.0;
        if (bytes.len() as u64) < length {
            let problem = format!("its `byteLength` is {length}, but it has {} bytes; it is cut off", bytes.len());
            return Err(fault(problem));
        }
        // What a chunk is filled up with is no part of the buffer.
        Ok(match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..length as usize]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(length as usize);
                Cow::Owned(bytes)
            }
        })
    }

    /// What a URI stands for: its own data, or a file beside this one or in a folder there.
    fn fetch(&self, uri: &str) -> Result<Vec<u8>, String> {
        if let Some(data) = uri.strip_prefix("data:") {
            let coded = data.split_once(',').filter(|(kind, _)| kind.ends_with(";base64")).map(|(_, coded)| coded);
            let coded = coded
                .ok_or("its `uri` has data, but not in base64; write `data:application/octet-stream;base64,...`")?;
            return BASE64.decode(coded).map_err(|reason| format!("its `uri` has data that is no base64: {reason}"));
        }
        let name = percent_decode_str(uri).decode_utf8_lossy();
        let beside = Path::new(name.as_ref());
        // A file from elsewhere may be asked to read what lies outside its folder.
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !beside.components().all(is_inside) || name.contains("://") {
            return Err(format!("its `uri` is {}; put the file beside this one, and name it so", shortened(&name)));
        }
        let Some(folder) = self.folder else {
            return Err(format!("its `uri` is {}, and there is no folder to look for it in", shortened(&name)));
        };
        let bytes = read_file(&folder.join(beside), self.left.get()).map_err(|error| error.to_string())?;
        self.left.set(self.left.get() - bytes.len() as u64);
        Ok(bytes)
    }
}
