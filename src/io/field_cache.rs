//! Distance fields that have been made before, in files of the user's.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, io};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::write_atomically;
use crate::model::{ClosedMesh, DistanceField, FieldGrid};

/// What each file begins with. The number goes up whenever fields or their files become others.
const HEADER: &[u8; 16] = b"tautline field 1";

/// Most fields that are kept: beyond that, those go that were written longest ago.
const MOST_FILES: usize = 64;

/// Distance fields in a folder, or nowhere: then each is made anew.
///
/// A file that is of another mesh, of another version or damaged counts for nothing and is replaced. Where a file cannot be
/// written, nothing is kept, which costs only time.
#[derive(Clone, Debug, Default)]
pub struct FieldCache {
    folder: Option<PathBuf>,
}

impl FieldCache {
    /// In the folder where the user's programs keep what can be made again: `tautline` in `XDG_CACHE_HOME` or `~/.cache`, on
    /// macOS in `~/Library/Caches`, on Windows in `LOCALAPPDATA`.
    #[must_use]
    pub fn of_user() -> Self {
        let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = if cfg!(windows) {
            absolute("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            absolute("HOME").map(|home| home.join("Library/Caches"))
        } else {
            absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        };
        Self { folder: folder.map(|folder| folder.join("tautline")) }
    }

    /// In `folder`, which is made when there is something to keep.
    #[must_use]
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    /// The field of `mesh` with so many cells along its longest side: the one that was made before, or a new one.
    ///
    /// # Panics
    /// As [`DistanceField::new`].
    #[must_use]
    pub fn field(&self, mesh: &ClosedMesh, cells: u32) -> DistanceField {
        let Some(folder) = &self.folder else { return DistanceField::new(mesh, cells) };
        let key = key(mesh, cells);
        let path = folder.join(format!("{key:032x}.field"));
        let grid = FieldGrid::around(mesh, cells);
        if let Ok(Some(distances)) = read(&path, key, grid.node_count())
            && let Some(field) = DistanceField::from_distances(grid, distances)
        {
            return field;
        }
        let field = DistanceField::new(mesh, cells);
        // It was to save time only.
        let _ = write(folder, &path, key, field.distances());
        field
    }
}

/// Another one for another mesh, other cells, or another version.
fn key(mesh: &ClosedMesh, cells: u32) -> u128 {
    let positions = bytemuck::cast_slice::<_, u32>(mesh.positions());
    let counts = [cells, positions.len() as u32];
    let words = counts.iter().chain(positions).chain(mesh.triangles().as_flattened());
    let bytes: Vec<u8> = HEADER.iter().copied().chain(words.flat_map(|word| word.to_le_bytes())).collect();
    xxh3_128(&bytes)
}

/// The distances in a file, if it is the one that [`write`] wrote.
fn read(path: &Path, key: u128, count: usize) -> io::Result<Option<Vec<f32>>> {
    let metadata = fs::metadata(path)?;
    let length = HEADER.len() + size_of_val(&key) + count * size_of::<f32>() + size_of::<u64>();
    if !metadata.is_file() || metadata.len() != length as u64 {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(length);
    File::open(path)?.take(length as u64).read_to_end(&mut bytes)?;
    let Some((content, checksum)) = bytes.split_last_chunk() else { return Ok(None) };
    let content = if xxh3_64(content) == u64::from_le_bytes(*checksum) { content } else { &[] };
    let distances = content.strip_prefix(HEADER).and_then(|rest| rest.strip_prefix(&key.to_le_bytes()));
    let numbers = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
    Ok(distances.map(numbers))
}

fn write(folder: &Path, path: &Path, key: u128, distances: &[f32]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let numbers = distances.iter().flat_map(|distance| distance.to_le_bytes());
    let mut bytes: Vec<u8> = HEADER.iter().copied().chain(key.to_le_bytes()).chain(numbers).collect();
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    write_atomically(path, |file| file.write_all(&bytes)).map_err(|error| error.reason)?;
    let mut fields: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "field"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    fields.sort();
    let too_many = fields.len().saturating_sub(MOST_FILES);
    fields[..too_many].iter().try_for_each(|(_, path)| fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn tetrahedron(size: f32) -> ClosedMesh {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| size * corner);
        ClosedMesh::new(&corners, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]).unwrap()
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    #[test]
    fn what_is_kept_is_read_again_and_others_lie_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let cache = FieldCache::in_folder(folder.path().join("new/folder"));
        let field = cache.field(&tetrahedron(1.0), 8);
        assert_eq!(field, DistanceField::new(&tetrahedron(1.0), 8));
        let file = files(&folder.path().join("new/folder")).pop().unwrap();
        // Other distances, and a sum that is theirs: they are what is read.
        let mut bytes = fs::read(&file).unwrap();
        let end = bytes.len() - 8;
        bytes[32..36].copy_from_slice(&7.0_f32.to_le_bytes());
        let checksum = xxh3_64(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&checksum);
        fs::write(&file, &bytes).unwrap();
        assert_eq!(cache.field(&tetrahedron(1.0), 8).distances()[0], 7.0);
        let others = [cache.field(&tetrahedron(1.5), 8), cache.field(&tetrahedron(1.0), 9)];
        assert_eq!(others, [DistanceField::new(&tetrahedron(1.5), 8), DistanceField::new(&tetrahedron(1.0), 9)]);
        assert_eq!(files(&folder.path().join("new/folder")).len(), 3);
    }

    #[test]
    fn what_is_damaged_is_made_anew_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let cache = FieldCache::in_folder(folder.path().into());
        let field = cache.field(&tetrahedron(1.0), 8);
        let file = files(folder.path()).pop().unwrap();
        let sound = fs::read(&file).unwrap();
        let mut versions =
            vec![sound[..100].to_vec(), Vec::new(), [&sound[..], b"more"].concat(), b"no field".to_vec()];
        // One bit of each part: the header, the key, a distance and the sum.
        versions.extend([3, 20, 100, sound.len() - 1].map(|byte| {
            let mut damaged = sound.clone();
            damaged[byte] ^= 4;
            damaged
        }));
        for damaged in versions {
            fs::write(&file, damaged).unwrap();
            assert_eq!(cache.field(&tetrahedron(1.0), 8), field);
            assert_eq!(fs::read(&file).unwrap(), sound);
        }
        assert_eq!(files(folder.path()), [file], "nothing else is left");
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_costs_only_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "no folder").unwrap();
        let field = DistanceField::new(&tetrahedron(1.0), 8);
        for cache in [FieldCache::default(), FieldCache::in_folder(file.join("below"))] {
            assert_eq!(cache.field(&tetrahedron(1.0), 8), field);
        }
        // Nor does something else that has the place of a file.
        let cache = FieldCache::in_folder(folder.path().join("fields"));
        let _ = cache.field(&tetrahedron(1.0), 8);
        let path = files(&folder.path().join("fields")).pop().unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(cache.field(&tetrahedron(1.0), 8), field);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let cache = FieldCache::in_folder(folder.path().into());
        for number in 0..MOST_FILES as u64 + 2 {
            let path = folder.path().join(format!("{number}.field"));
            let file = File::create(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number)).unwrap();
        }
        fs::write(folder.path().join("other.txt"), "of somebody else").unwrap();
        let _ = cache.field(&tetrahedron(1.0), 8);
        let left = files(folder.path());
        let has = |name: &str| left.contains(&folder.path().join(name));
        assert_eq!(left.len(), MOST_FILES + 1);
        assert!(!has("2.field") && has("3.field") && has("other.txt"), "{left:?}");
    }
}
