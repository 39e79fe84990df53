use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use glam::Vec3;

/// A point cache that is read frame by frame: PC2 or MDD.
#[derive(Debug)]
pub struct CacheReader {
    path: PathBuf,
    file: BufReader<File>,
    layout: Layout,
}

/// What the header of a cache says.
#[derive(Clone, Copy, Debug)]
struct Layout {
    points: u32,
    frames: u32,
    frames_per_second: Option<f64>,
    /// Where the first frame starts.
    start: u64,
    is_big_endian: bool,
}

/// Why a file is no cache that can be played back.
#[derive(Debug, thiserror::Error)]
pub enum CacheReadError {
    /// It cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// It is of another kind.
    #[error("{} is no cache that can be played back; give a .pc2 or .mdd file", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
    },
    /// It says that there is nothing in it.
    #[error("{} has {frames} frames of {points} points; a cache needs at least one of each", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// How many frames it says it has.
        frames: u32,
        /// How many points it says each has.
        points: u32,
    },
    /// It ends early.
    #[error(
        "{} ends early: of its {frames} frames, {} missing; write it again",
        path.display(),
        missing(*whole, *frames)
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// How many frames it says it has.
        frames: u32,
        /// How many are there.
        whole: u32,
    },
}

fn missing(whole: u32, frames: u32) -> String {
    let last = frames - 1;
    if whole == last { format!("frame {last} is") } else { format!("frames {whole} to {last} are") }
}

impl CacheReader {
    /// Opens a cache, and checks that all of it is there.
    ///
    /// # Errors
    /// [`CacheReadError`] where it is not.
    pub fn open(path: &Path) -> Result<Self, CacheReadError> {
        let owned = path.to_path_buf();
        let failed = |reason| CacheReadError::File { path: owned.clone(), reason };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(CacheReadError::Kind { path: owned });
        }
        let mut file = BufReader::new(file);
        let layout = match path.extension().and_then(|ending| ending.to_str()) {
            Some(ending) if ending.eq_ignore_ascii_case("pc2") => pc2(&mut file),
            Some(ending) if ending.eq_ignore_ascii_case("mdd") => mdd(&mut file),
            _ => Ok(None),
        };
        let layout = match layout {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(failed(error)),
            Err(_) | Ok(None) => return Err(CacheReadError::Kind { path: owned }),
            Ok(Some(layout)) => layout,
        };
        let Layout { points, frames, start, .. } = layout;
        if points == 0 || frames == 0 {
            return Err(CacheReadError::Empty { path: owned, frames, points });
        }
        let whole = metadata.len().saturating_sub(start) / layout.frame_size();
        if whole < frames.into() {
            return Err(CacheReadError::Truncated { path: owned, frames, whole: whole as u32 });
        }
        Ok(Self { path: owned, file, layout })
    }

    /// How many frames there are, 1 or more.
    #[must_use]
    pub fn frame_count(&self) -> u32 {
        self.layout.frames
    }

    /// How many points each frame has, 1 or more.
    #[must_use]
    pub fn point_count(&self) -> u32 {
        self.layout.points
    }

    /// How many frames make a second, in formats that tell it.
    #[must_use]
    pub fn frames_per_second(&self) -> Option<f64> {
        self.layout.frames_per_second
    }

    /// Reads a frame: where all points are, in the cache's unit and axes. Shape \[point_count\].
    ///
    /// # Errors
    /// [`CacheReadError::File`] where the file cannot be read any more.
    ///
    /// # Panics
    /// Where there is no such frame.
    pub fn read(&mut self, frame: u32) -> Result<Vec<Vec3>, CacheReadError> {
        let Layout { points, frames, start, is_big_endian, .. } = self.layout;
        assert!(frame < frames, "there is no frame {frame}");
        let mut positions = vec![Vec3::ZERO; points as usize];
        let words: &mut [u32] = bytemuck::cast_slice_mut(&mut positions);
        let place = SeekFrom::Start(start + u64::from(frame) * self.layout.frame_size());
        let read = self.file.seek(place).and_then(|_| self.file.read_exact(bytemuck::cast_slice_mut(words)));
        read.map_err(|reason| CacheReadError::File { path: self.path.clone(), reason })?;
        let to_native = if is_big_endian { u32::from_be } else { u32::from_le };
        words.iter_mut().for_each(|word| *word = to_native(*word));
        Ok(positions)
    }
}

impl Layout {
    fn frame_size(&self) -> u64 {
        u64::from(self.points) * size_of::<Vec3>() as u64
    }
}

fn pc2(file: &mut impl Read) -> io::Result<Option<Layout>> {
    let mut magic = [0; 12];
    file.read_exact(&mut magic)?;
    let mut word = || {
        let mut bytes = [0; 4];
        file.read_exact(&mut bytes).map(|()| u32::from_le_bytes(bytes))
    };
    // Behind the version and the number of points are the first frame and the frames from sample to sample, which are
    // floats.
    let [version, points, _first, _step, frames] = [word()?, word()?, word()?, word()?, word()?];
    let layout = Layout { points, frames, frames_per_second: None, start: 32, is_big_endian: false };
    Ok((&magic == b"POINTCACHE2\0" && version == 1).then_some(layout))
}

fn mdd(file: &mut (impl Read + Seek)) -> io::Result<Option<Layout>> {
    let mut word = || {
        let mut bytes = [0; 4];
        file.read_exact(&mut bytes).map(|()| u32::from_be_bytes(bytes))
    };
    let [frames, points] = [word()?, word()?];
    let start = 8 + 4 * u64::from(frames);
    let mut layout = Layout { points, frames, frames_per_second: None, start, is_big_endian: true };
    if frames > 1 {
        let first = f32::from_bits(word()?);
        let mut bytes = [0; 4];
        file.seek(SeekFrom::Start(start - 4))?;
        file.read_exact(&mut bytes)?;
        let duration = f64::from(f32::from_be_bytes(bytes)) - f64::from(first);
        let rate = f64::from(frames - 1) / duration;
        layout.frames_per_second = Some(rate).filter(|rate| rate.is_finite() && *rate > 0.0);
    }
    Ok(Some(layout))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two points in three frames, at 25 frames a second where the format tells that.
    fn written(name: &str, length: usize) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let numbers = (0..18).map(|number| number as f32 / 8.0);
        let bytes: Vec<u8> = if name.ends_with("pc2") {
            let words = [1, 2, 0, 1.0_f32.to_bits(), 3].map(u32::to_le_bytes);
            [b"POINTCACHE2\0", words.as_flattened(), &numbers.flat_map(f32::to_le_bytes).collect::<Vec<_>>()].concat()
        } else {
            let times = [0.0_f32, 0.04, 0.08].map(f32::to_be_bytes);
            let counts = [3_u32, 2].map(u32::to_be_bytes);
            let numbers: Vec<_> = numbers.flat_map(f32::to_be_bytes).collect();
            [counts.as_flattened(), times.as_flattened(), &numbers].concat()
        };
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes[..length.min(bytes.len())]).expect("a file");
        (folder, path)
    }

    #[test]
    fn frames_are_read_in_any_order() {
        for name in ["a.pc2", "a.MDD"] {
            let (_folder, path) = written(name, usize::MAX);
            let mut reader = CacheReader::open(&path).expect(name);
            assert_eq!((reader.frame_count(), reader.point_count()), (3, 2));
            let rate = reader.frames_per_second();
            assert_eq!(rate.map(|rate| (rate * 1e4).round() / 1e4), name.ends_with("MDD").then_some(25.0));
            for frame in [2, 0, 1, 1] {
                let number = |index: u32| (6 * frame + index) as f32 / 8.0;
                let expected = [0, 3].map(|index| Vec3::new(number(index), number(index + 1), number(index + 2)));
                assert_eq!(reader.read(frame).expect("a frame"), expected, "{name}");
            }
        }
    }

    #[test]
    fn what_ends_early_or_is_something_else_is_told() {
        for (name, length, says) in [
            ("a.pc2", 103, " ends early: of its 3 frames, frame 2 is missing; write it again"),
            ("a.pc2", 60, " ends early: of its 3 frames, frames 1 to 2 are missing; write it again"),
            ("a.mdd", 20, " ends early: of its 3 frames, frames 0 to 2 are missing; write it again"),
            ("a.pc2", 31, " is no cache that can be played back; give a .pc2 or .mdd file"),
            ("a.mdd", 7, " is no cache that can be played back; give a .pc2 or .mdd file"),
            ("a.abc", 90, " is no cache that can be played back; give a .pc2 or .mdd file"),
        ] {
            let (_folder, path) = written(name, length);
            let error = CacheReader::open(&path).expect_err(name).to_string();
            assert_eq!(error, format!("{}{says}", path.display()));
        }
        let (folder, _) = written("a.pc2", 32);
        assert!(matches!(CacheReader::open(folder.path()), Err(CacheReadError::Kind { .. })));
        let missing = CacheReader::open(Path::new("/none.pc2")).expect_err("no file").to_string();
        assert!(missing.starts_with("/none.pc2 cannot be read: "), "{missing}");
        let (_folder, path) = written("other.pc2", usize::MAX);
        std::fs::write(&path, [&b"POINTCACHE2\0"[..], &[2; 20]].concat()).expect("a file");
        assert!(matches!(CacheReader::open(&path), Err(CacheReadError::Kind { .. })));
        std::fs::write(&path, [&b"POINTCACHE2\0\x01\0\0\0"[..], &[0; 16]].concat()).expect("a file");
        assert!(matches!(CacheReader::open(&path), Err(CacheReadError::Empty { frames: 0, points: 0, .. })));
    }
}
