//! Where pictures and videos go.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tautline::io::{check_writable, write_atomically, write_numbered};
use tautline::render::Picture;

use super::ffmpeg::{self, Codec};
use super::pace::Pace;

/// How a video is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Mp4,
    /// A folder of numbered pictures.
    Png,
}

/// A video to be.
pub struct Target {
    place: Place,
    /// None for PNG pictures.
    codec: Option<Codec>,
    /// Whether pictures may be taken back: an encoder, which keeps what it was fed, gets none then before it gets all.
    goes_back: bool,
}

/// What is passed on to be written, in order.
pub enum Passed {
    Picture(Picture),
    /// What comes goes behind the first so many pictures.
    GoBack(u64),
}

enum Place {
    At(PathBuf),
    /// The first number that is free, for a scene of this name.
    Numbered(String),
}

/// What the viewer calls a file of its own about a scene.
pub fn numbered(scene: &str, ending: &str) -> impl Fn(u32) -> PathBuf {
    move |number| format!("tautline-{scene}-{number}{ending}").into()
}

impl Target {
    /// What `--video` names: a file that ends in .mp4, or a folder, which ends in a slash.
    pub fn at(path: &Path) -> Result<Self> {
        let place = Place::At(path.into());
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mp4")) {
            check_writable(path)?;
            Ok(Self { place, codec: Some(Codec::find()?), goes_back: false })
        } else if path.to_string_lossy().ends_with(std::path::is_separator) {
            check_folder(path).with_context(|| format!("--video '{}'", path.display()))?;
            Ok(Self { place, codec: None, goes_back: false })
        } else {
            bail!("--video '{}' has to end in .mp4, or in / for a folder of numbered PNG pictures", path.display())
        }
    }

    /// A new file or folder in the working folder, for a scene of this name.
    pub fn new(format: Format, scene: &str) -> Result<Self> {
        let codec = (format == Format::Mp4).then(Codec::find).transpose()?;
        Ok(Self { place: Place::Numbered(scene.into()), codec, goes_back: false })
    }

    /// The same of a run that `goes_back` or not.
    pub fn of_run(self, goes_back: bool) -> Self {
        Self { goes_back, ..self }
    }

    /// The size of pictures that comes next to `extent`: MP4 keeps colours for squares of 2 by 2 pixels.
    pub fn extent(&self, extent: [u32; 2]) -> [u32; 2] {
        if self.codec.is_some() { extent.map(|side| side.next_multiple_of(2)) } else { extent }
    }

    /// Writes all that is passed on, and says what that has come to.
    pub fn write(self, pace: Pace, passed: impl Iterator<Item = Passed>) -> Result<String> {
        let mut passed = passed.skip_while(|passed| matches!(passed, Passed::GoBack(_))).peekable();
        let Some(Passed::Picture(first)) = passed.peek() else {
            bail!("nothing was recorded: fewer steps ran than it takes for a picture");
        };
        let (codec, extent) = (self.codec, first.extent);
        let (path, count) = match (codec, self.goes_back) {
            (Some(codec), false) => {
                let mut count = 0;
                let pictures = passed.filter_map(|passed| match passed {
                    Passed::Picture(picture) => Some(picture),
                    Passed::GoBack(_) => None,
                });
                let pictures = pictures.inspect(|_| count += 1);
                let path = self.place.file(|file| ffmpeg::encode(codec, file, extent, pace, pictures))?;
                (path, count)
            }
            (Some(codec), true) => {
                let beside = self.place.folder();
                let kept = tempfile::Builder::new().prefix(".tautline-video-").tempdir_in(beside);
                let kept = kept.with_context(|| format!("cannot make a folder in '{}'", beside.display()))?;
                let count = write_pngs(kept.path(), passed)?;
                (self.place.file(|file| ffmpeg::encode_folder(codec, file, kept.path(), pace))?, count)
            }
            (None, _) => {
                let folder = folder(self.place)?;
                let count = write_pngs(&folder, passed)?;
                (folder, count)
            }
        };
        let seconds = pace.duration(count).as_secs_f64();
        let fallback = match codec {
            Some(Codec::Mpeg4) => ", as MPEG-4 part 2, for this ffmpeg has no libx264",
            _ => "",
        };
        Ok(format!("wrote {} ({count} pictures, {seconds:.2} s{fallback})", path.display()))
    }
}

impl Place {
    /// The folder that it is in.
    fn folder(&self) -> &Path {
        let parent = match self {
            Self::At(path) => path.parent(),
            Self::Numbered(_) => None,
        };
        parent.filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Puts a file there that `encode` writes, and says where that is.
    fn file(self, encode: impl FnOnce(&Path) -> io::Result<()>) -> Result<PathBuf> {
        Ok(match self {
            Self::At(path) => write_atomically(&path, |file| encode(file.get_ref().path())).map(|()| path)?,
            Self::Numbered(scene) => write_numbered(numbered(&scene, ".mp4"), |file| encode(file.get_ref().path()))?,
        })
    }
}

/// Fails where a folder cannot be made, or has something in it.
fn check_folder(path: &Path) -> Result<()> {
    match path.read_dir().map(|mut entries| entries.next().is_some()) {
        Ok(true) => bail!("the folder is there and not empty: name another"),
        Ok(false) => Ok(check_writable(&path.join("1.png"))?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(check_writable(path)?),
        Err(error) => Err(error.into()),
    }
}

/// Makes the folder.
fn folder(place: Place) -> Result<PathBuf> {
    let make = |path: PathBuf| match fs::create_dir(&path) {
        Ok(()) => Ok(Some(path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot make the folder '{}'", path.display())),
    };
    match place {
        // Empty where it is there, as was checked.
        Place::At(path) => make(path.clone()).map(|_| path),
        Place::Numbered(scene) => {
            let name = numbered(&scene, "");
            let made = (1..).find_map(|number| make(name(number)).transpose());
            made.unwrap_or_else(|| bail!("no number is left for a folder"))
        }
    }
}

/// Writes numbered pictures, and says how many there are in the end.
fn write_pngs(folder: &Path, passed: impl Iterator<Item = Passed>) -> Result<u64> {
    let path = |number: u64| folder.join(format!("{number:06}.png"));
    let (mut count, mut most) = (0, 0);
    for passed in passed {
        match passed {
            Passed::GoBack(pictures) => count = pictures,
            Passed::Picture(picture) => {
                count += 1;
                picture.write_png(&path(count))?;
                most = most.max(count);
            }
        }
    }
    (count + 1..=most).try_for_each(|number| fs::remove_file(path(number)))?;
    Ok(count)
}
