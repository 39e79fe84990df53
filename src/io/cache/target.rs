use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::gltf::MOST_GLTF_FRAMES;

/// The formats of caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheFormat {
    /// Point cache of 3ds Max and Blender.
    Pc2,
    /// LightWave's point cache.
    Mdd,
    /// USD as text.
    Usda,
    /// Wavefront OBJ, a file for each frame.
    Obj,
    /// PLY, a file for each frame.
    Ply,
    /// glTF 2.0 with morph targets.
    Gltf,
    /// Arrays of NumPy.
    Npz,
}

/// Why a cache cannot go where it was to go.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The name does not end as the format's files do.
    #[error("'{}' has to end in .{ending}", path.display())]
    Ending {
        /// What was given.
        path: PathBuf,
        /// What the format's files end in.
        ending: &'static str,
    },
    /// Not a place for many files.
    #[error(
        "'{}' is one file, and .{ending} is written as one a frame: give a folder/ or a name with #, as in \
         cloth.####.{ending}",
        path.display()
    )]
    OneFile {
        /// What was given.
        path: PathBuf,
        /// What the format's files end in.
        ending: &'static str,
    },
    /// More frames than the format can have.
    #[error(
        "{frames} frames are too many for glTF, which has a weight for each pair of frames: give {MOST_GLTF_FRAMES} at \
         most, or take another format"
    )]
    Frames {
        /// How many were asked for.
        frames: u32,
    },
    /// The folder is not there.
    #[error("the folder '{}' does not exist: make it, or give another", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder cannot be made.
    #[error("the folder '{}' cannot be made: {reason}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
}

impl CacheFormat {
    /// Each of them.
    pub const ALL: [Self; 7] = [Self::Pc2, Self::Mdd, Self::Usda, Self::Obj, Self::Ply, Self::Gltf, Self::Npz];

    /// What its files end in, which is its name as well.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Pc2 => "pc2",
            Self::Mdd => "mdd",
            Self::Usda => "usda",
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Gltf => "gltf",
            Self::Npz => "npz",
        }
    }

    /// Whether it has a file for each frame.
    #[must_use]
    pub fn is_sequence(self) -> bool {
        matches!(self, Self::Obj | Self::Ply)
    }
}

/// Where a cache goes.
#[derive(Clone, Debug)]
pub struct CacheTarget {
    format: CacheFormat,
    /// The file, or what the files are called, with `#` where the number of the frame is.
    path: PathBuf,
}

impl CacheTarget {
    /// A file, or for a format with many of them a name with `#` where the number of the frame is, or a folder, which
    /// is made.
    ///
    /// # Errors
    /// [`TargetError`] where a cache of so many frames cannot go there.
    pub fn new(format: CacheFormat, path: &Path, frames: u32) -> Result<Self, TargetError> {
        let (ending, owned) = (format.ending(), path.to_path_buf());
        let text = path.to_string_lossy();
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let is_folder = text.ends_with(std::path::is_separator) || path.is_dir();
        let path = if format.is_sequence() && is_folder {
            make_folder(path)?;
            path.join(format!("frame.####.{ending}"))
        } else if !path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending)) || is_folder {
            return Err(TargetError::Ending { path: owned, ending });
        } else if format.is_sequence() && !name.contains('#') {
            return Err(TargetError::OneFile { path: owned, ending });
        } else {
            // What a link points to is replaced, and not the link.
            path.canonicalize().ok().filter(|_| path.is_symlink()).unwrap_or(owned)
        };
        let folder = path.parent().filter(|folder| !(folder.as_os_str().is_empty() || folder.is_dir()));
        if let Some(folder) = folder {
            return Err(TargetError::NoFolder { path: folder.into() });
        }
        if format == CacheFormat::Gltf && frames > MOST_GLTF_FRAMES {
            return Err(TargetError::Frames { frames });
        }
        Ok(Self { format, path })
    }

    /// What is written.
    #[must_use]
    pub fn format(&self) -> CacheFormat {
        self.format
    }

    /// The file, or what the files are called, with `#` where the number of the frame is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A hidden file beside it, whose name ends so, for what is kept while the cache is not whole.
    #[must_use]
    pub fn beside(&self, ending: &str) -> PathBuf {
        hidden(&self.path, ending)
    }

    /// What is written frame by frame until it takes its place; of a sequence it only says that it is being written.
    pub(super) fn partial(&self) -> PathBuf {
        hidden(&self.streamed(), "partial")
    }

    /// The file that takes its place at the end.
    pub(super) fn streamed(&self) -> PathBuf {
        if self.format == CacheFormat::Gltf { self.path.with_extension("bin") } else { self.path.clone() }
    }

    /// The file of a frame, of a sequence.
    pub(super) fn frame(&self, number: u32) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let Some(first) = name.find('#') else { return self.path.clone() };
        let width = name[first..].chars().take_while(|&letter| letter == '#').count();
        self.path.with_file_name(format!("{}{number:0width$}{}", &name[..first], &name[first + width..]))
    }

    /// The first file of a cache of so many frames that is there already.
    #[must_use]
    pub fn existing(&self, frames: u32) -> Option<PathBuf> {
        let is_there = |path: &PathBuf| fs::symlink_metadata(path).is_ok();
        if self.format.is_sequence() {
            return (0..frames).map(|number| self.frame(number)).find(is_there);
        }
        [self.path.clone(), self.streamed()].into_iter().find(is_there)
    }

    /// Whether a cache that was written here is whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.partial().exists() && (self.format.is_sequence() || self.streamed().exists())
    }
}

fn hidden(path: &Path, ending: &str) -> PathBuf {
    path.with_file_name(format!(".{}.{ending}", path.file_name().unwrap_or_default().to_string_lossy()))
}

fn make_folder(path: &Path) -> Result<(), TargetError> {
    fs::create_dir_all(path).map_err(|reason| TargetError::Folder { path: path.into(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(format: CacheFormat, path: &str) -> Result<CacheTarget, TargetError> {
        CacheTarget::new(format, Path::new(path), 1)
    }

    #[test]
    fn frames_have_numbers_where_the_name_has_them() {
        let frame = |path: &str, number| target(CacheFormat::Obj, path).expect(path).frame(number);
        assert_eq!(frame("src/cloth.####.obj", 7), Path::new("src/cloth.0007.obj"));
        assert_eq!(frame("cloth#.obj", 120), Path::new("cloth120.obj"));
        assert_eq!(frame("a##b#.OBJ", 3), Path::new("a03b#.OBJ"));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/one/");
        assert_eq!(frame(path.to_str().expect("text"), 12345), path.join("frame.12345.obj"));
    }

    #[test]
    fn what_cannot_be_is_a_sentence() {
        for (format, path, says) in [
            (CacheFormat::Pc2, "cloth.mdd", "'cloth.mdd' has to end in .pc2"),
            (CacheFormat::Usda, "cloth/", "has to end in .usda"),
            (CacheFormat::Npz, "", "has to end in .npz"),
            (CacheFormat::Ply, "cloth.ply", "as in cloth.####.ply"),
            (CacheFormat::Obj, "cloth.####", "has to end in .obj"),
            (CacheFormat::Pc2, "none/cloth.pc2", "the folder 'none' does not exist"),
        ] {
            let error = target(format, path).expect_err(path).to_string();
            assert!(error.contains(says), "{error}");
        }
        let many = CacheTarget::new(CacheFormat::Gltf, Path::new("cloth.gltf"), 1001).expect_err("too many");
        assert!(many.to_string().starts_with("1001 frames are too many for glTF"));
    }
}
