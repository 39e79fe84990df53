use std::fs;
use std::io::{self, Write};
use std::path::Path;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::gltf::Gltf;
use super::mdd::Mdd;
use super::npz::Npz;
use super::obj::Obj;
use super::pc2::Pc2;
use super::ply::Ply;
use super::usda::Usda;
use super::{Cache, CacheFormat, CacheTarget, PartialFile, Still, Stream};
use crate::io::atomic::sync_folder;
use crate::io::{WriteError, write_durably};

/// Writes a cache frame by frame. Until [`CacheWriter::finish`], nothing is where the cache belongs but the frames of a
/// sequence, each of them whole.
pub struct CacheWriter {
    cache: Cache,
    target: CacheTarget,
    file: PartialFile,
    encoder: Encoder,
    /// What has been written.
    progress: Progress,
}

enum Encoder {
    Stream(Box<dyn Stream>),
    Still(Box<dyn Still>),
}

/// How far a cache has been written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Progress {
    /// How long the file was that frames are in after each of them; 0 where each has a file of its own. Shape \[frame_count\].
    ends: Vec<u64>,
}

impl Progress {
    /// How many frames there are.
    #[must_use]
    pub fn frames(&self) -> u32 {
        self.ends.len() as u32
    }

    /// How far it was when there were no more than `frames`.
    #[must_use]
    pub fn after(&self, frames: u32) -> Self {
        Self { ends: self.ends.iter().copied().take(frames as usize).collect() }
    }

    /// How long the file is that they are in; 0 where each has a file of its own.
    fn bytes(&self) -> u64 {
        self.ends.last().copied().unwrap_or_default()
    }
}

impl CacheWriter {
    /// Begins a cache. Nothing of what an earlier writer has left stays.
    ///
    /// # Errors
    /// [`WriteError`] where its folder cannot be written to, or another program writes the same cache at the moment.
    pub fn begin(cache: Cache, target: CacheTarget) -> Result<Self, WriteError> {
        let mut writer = Self::open(cache, target, Progress::default())?;
        let Self { cache, file, encoder, .. } = &mut writer;
        let begun = match encoder {
            Encoder::Stream(stream) => stream.begin(cache, file),
            Encoder::Still(_) => Ok(()),
        };
        begun.map_err(|reason| writer.told(reason)).map(|()| writer)
    }

    /// Goes on with a cache that [`CacheWriter::sync`] said to have come so far; what was written later is dropped.
    ///
    /// # Errors
    /// As [`CacheWriter::begin`], or where less has been written than that.
    pub fn resume(cache: Cache, target: CacheTarget, progress: Progress) -> Result<Self, WriteError> {
        // What stands before the first frame may not be on the disk where no frame is.
        if progress.frames() == 0 { Self::begin(cache, target) } else { Self::open(cache, target, progress) }
    }

    fn open(cache: Cache, target: CacheTarget, progress: Progress) -> Result<Self, WriteError> {
        let stream = |stream: Box<dyn Stream>| Encoder::Stream(stream);
        let encoder = match target.format() {
            CacheFormat::Pc2 => stream(Box::new(Pc2)),
            CacheFormat::Mdd => stream(Box::new(Mdd)),
            CacheFormat::Usda => stream(Box::<Usda>::default()),
            CacheFormat::Npz => stream(Box::new(Npz)),
            CacheFormat::Gltf => stream(Box::new(Gltf::new(&cache, target.path(), &target.streamed()))),
            CacheFormat::Obj => Encoder::Still(Box::new(Obj::new(&cache.form))),
            CacheFormat::Ply => Encoder::Still(Box::new(Ply::new(&cache))),
        };
        let is_missing = |number: &u32| target.format().is_sequence() && !target.frame(*number).exists();
        if let Some(path) = (0..progress.frames()).find(is_missing).map(|number| target.frame(number)) {
            let reason =
                io::Error::new(io::ErrorKind::NotFound, "it was written and is gone: begin anew with --restart");
            return Err(WriteError { path, reason });
        }
        let opened = PartialFile::open(&target.partial(), progress.bytes());
        let file = opened.map_err(|reason| WriteError { path: target.path().into(), reason })?;
        Ok(Self { cache, target, file, encoder, progress })
    }

    /// Writes the next frame: where all points are, in the cache's unit and axes. Shape \[point_count\].
    ///
    /// # Errors
    /// [`WriteError`] where it could not be written.
    ///
    /// # Panics
    /// Where there are not as many positions as points, or all frames have been written.
    pub fn append(&mut self, positions: &[Vec3]) -> Result<(), WriteError> {
        assert_eq!(positions.len(), self.cache.point_count(), "a position of each point");
        let number = self.frames();
        assert!(number < self.cache.frames, "a cache of {} frames", self.cache.frames);
        match &mut self.encoder {
            Encoder::Stream(stream) => {
                let written = stream.frame(&self.cache, number, positions, &mut self.file);
                written.map_err(|reason| self.told(reason))?;
            }
            Encoder::Still(still) => write_durably(&self.target.frame(number), |file| still.write(positions, file))?,
        }
        self.progress.ends.push(self.file.length());
        Ok(())
    }

    /// Drops all frames but the first so many, of which there is one at least.
    ///
    /// # Errors
    /// [`WriteError`] where that fails.
    ///
    /// # Panics
    /// Where there are fewer.
    pub fn go_back(&mut self, frames: u32) -> Result<(), WriteError> {
        assert!((1..=self.frames()).contains(&frames), "{frames} of {} frames", self.frames());
        if let Encoder::Still(_) = self.encoder {
            for path in (frames..self.frames()).map(|number| self.target.frame(number)) {
                fs::remove_file(&path).map_err(|reason| WriteError { path, reason })?;
            }
        }
        self.progress.ends.truncate(frames as usize);
        self.file.cut(self.progress.bytes()).map_err(|reason| self.told(reason))
    }

    /// Waits until all frames so far are on the disk, and says how far that is.
    ///
    /// # Errors
    /// [`WriteError`] where they are not.
    pub fn sync(&mut self) -> Result<Progress, WriteError> {
        self.file.sync().map_err(|reason| self.told(reason))?;
        Ok(self.progress.clone())
    }

    /// How many frames have been written.
    #[must_use]
    pub fn frames(&self) -> u32 {
        self.progress.frames()
    }

    /// Makes it a cache of as many frames as have been written, which is whole once it is finished; it is written anew for that.
    ///
    /// # Errors
    /// [`WriteError`] where that fails: then it can be gone on with as before.
    ///
    /// # Panics
    /// Where there is no frame.
    pub fn shortened(mut self) -> Result<Self, WriteError> {
        assert!(self.frames() > 0, "a cache has a frame");
        let cache = Cache { frames: self.frames(), ..self.cache.clone() };
        if let Encoder::Stream(stream) = &mut self.encoder {
            let beside = self.target.beside("shorter");
            let shorter =
                shorten(&mut **stream, (&self.cache, &mut self.file), &cache, &beside).and_then(|mut file| {
                    file.move_to(&self.target.partial())?;
                    Ok(file)
                });
            self.file = shorter.map_err(|reason| {
                // As good as nothing.
                let _ = fs::remove_file(&beside);
                self.told(reason)
            })?;
        }
        self.cache = cache;
        Ok(self)
    }

    /// Writes what is left after the last frame, and puts the cache where it belongs.
    ///
    /// # Errors
    /// [`WriteError`] where that fails: then it can be gone on with from where the last frame ended.
    ///
    /// # Panics
    /// Where frames are missing.
    pub fn finish(mut self) -> Result<(), WriteError> {
        assert_eq!(self.frames(), self.cache.frames, "all frames");
        let Self { cache, file, encoder, .. } = &mut self;
        let finished = match encoder {
            Encoder::Stream(stream) => stream.finish(cache, file).and_then(|()| file.sync()),
            Encoder::Still(_) => Ok(()),
        };
        finished.map_err(|reason| self.told(reason))?;
        let (partial, path) = (self.target.partial(), self.target.streamed());
        let is_sequence = matches!(self.encoder, Encoder::Still(_));
        drop(self);
        put_in_place(&partial, &path, is_sequence).map_err(|reason| WriteError { path, reason })
    }

    fn told(&self, reason: io::Error) -> WriteError {
        WriteError { path: self.target.path().to_path_buf(), reason }
    }
}

/// Writes the frames of a cache into a file at `beside`, as `to` has them, which has no other frames.
fn shorten(
    stream: &mut dyn Stream,
    (from, file): (&Cache, &mut PartialFile),
    to: &Cache,
    beside: &Path,
) -> io::Result<PartialFile> {
    // How much stands before the frames.
    let mut shorter = PartialFile::open(beside, 0)?;
    stream.begin(from, &mut shorter)?;
    let first = shorter.length();
    drop(shorter);
    let mut shorter = PartialFile::open(beside, 0)?;
    stream.begin(to, &mut shorter)?;
    io::copy(&mut file.read_from(first)?, &mut shorter)?;
    stream.carry((from, file), (to, &mut shorter))?;
    Ok(shorter)
}

fn put_in_place(partial: &Path, path: &Path, is_sequence: bool) -> io::Result<()> {
    if is_sequence {
        fs::remove_file(partial)?
    } else {
        fs::rename(partial, path)?
    }
    sync_folder(path)
}

impl Drop for CacheWriter {
    fn drop(&mut self) {
        // What is not on the disk was not said to be.
        let _ = self.file.flush();
    }
}
