//! NPZ, for `numpy.load`: `positions` of shape (frames, points, 3), `frames_per_second`, and what joins the points:
//! `face_sizes`, `corners` and `uvs`, or `rope_sizes` and `width`; `metres_per_unit`, and `up` as the index of the
//! axis.

use std::io::{self, Write};

use bytemuck::Pod;
use glam::Vec3;

use super::zip::{Entry, write_directory};
use super::{Cache, CacheForm, PartialFile, Stream};
use crate::model::UpAxis;

pub(super) struct Npz;

/// An array whose content is known before the first frame.
struct Array {
    name: &'static str,
    bytes: Vec<u8>,
}

impl Array {
    fn new<T: Pod>(name: &'static str, kind: &str, shape: &[u64], numbers: &[T]) -> Self {
        let bytes = [&header(kind, shape)[..], bytemuck::cast_slice(numbers)].concat();
        Self { name, bytes }
    }
}

/// The arrays before the positions.
fn arrays(cache: &Cache) -> Vec<Array> {
    let up = [UpAxis::X, UpAxis::Y, UpAxis::Z].iter().position(|&axis| axis == cache.up).unwrap_or_default();
    let count = |length: usize| length as u64;
    let mut arrays = vec![
        Array::new("metres_per_unit", "<f4", &[], &[cache.metres_per_unit]),
        Array::new("up", "<i4", &[], &[up as u32]),
        Array::new("frames_per_second", "<f8", &[], &[cache.frames_per_second]),
    ];
    match &cache.form {
        CacheForm::Mesh(mesh) => {
            arrays.push(Array::new("face_sizes", "<u4", &[count(mesh.face_sizes.len())], &mesh.face_sizes));
            arrays.push(Array::new("corners", "<u4", &[count(mesh.corners.len())], &mesh.corners));
            arrays.extend(mesh.uvs.as_ref().map(|uvs| Array::new("uvs", "<f4", &[count(uvs.len()), 2], uvs)));
        }
        CacheForm::Ropes { sizes, width } => {
            arrays.push(Array::new("rope_sizes", "<u4", &[count(sizes.len())], sizes));
            arrays.push(Array::new("width", "<f4", &[], &[*width]));
        }
    }
    arrays
}

/// What stands before the numbers of an array: magic, version 1.0, and a description that ends at a multiple of 64
/// bytes.
fn header(kind: &str, shape: &[u64]) -> Vec<u8> {
    let shape: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", shape.trim_end_matches(' '));
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\0".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{text:<width$}\n", width = length - 1).bytes());
    header
}

/// The entries of the arrays before the positions, and that of the positions.
fn entries(cache: &Cache, arrays: &[Array]) -> (Vec<Entry>, Entry, Vec<u8>) {
    let mut offset = 0;
    let mut entry = |name: &str, size: u64| {
        let entry = Entry::at(offset, format!("{name}.npy"), size);
        offset = entry.end();
        entry
    };
    let before = arrays.iter().map(|array| entry(array.name, array.bytes.len() as u64)).collect();
    let points = cache.point_count() as u64;
    let header = header("<f4", &[cache.frames.into(), points, 3]);
    let size = header.len() as u64 + u64::from(cache.frames) * points * size_of::<Vec3>() as u64;
    (before, entry("positions", size), header)
}

impl Stream for Npz {
    fn begin(&mut self, cache: &Cache, file: &mut PartialFile) -> io::Result<()> {
        let arrays = arrays(cache);
        let (before, positions, header) = entries(cache, &arrays);
        for (entry, array) in before.iter().zip(&arrays) {
            entry.begin(file)?;
            file.write_all(&array.bytes)?;
        }
        positions.begin(file)?;
        file.write_all(&header)
    }

    fn frame(&mut self, _cache: &Cache, _number: u32, positions: &[Vec3], file: &mut PartialFile) -> io::Result<()> {
        file.write_all(bytemuck::cast_slice(positions))
    }

    fn finish(&mut self, cache: &Cache, file: &mut PartialFile) -> io::Result<()> {
        let (before, positions, _) = entries(cache, &arrays(cache));
        let mut sealed = Vec::new();
        for entry in before.into_iter().chain([positions]) {
            let checksum = entry.seal(file)?;
            sealed.push((entry, checksum));
        }
        write_directory(&sealed, file)
    }
}
