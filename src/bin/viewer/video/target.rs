//! Where pictures and videos go.

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
            Ok(Self { place, codec: Some(Codec::find()?) })
        } else if path.to_string_lossy().ends_with(std::path::is_separator) {
            check_folder(path).with_context(|| format!("--video '{}'", path.display()))?;
            Ok(Self { place, codec: None })
        } else {
            bail!("--video '{}' has to end in .mp4, or in / for a folder of numbered PNG pictures", path.display())
        }
    }

    /// A new file or folder in the working folder, for a scene of this name.
    pub fn new(format: Format, scene: &str) -> Result<Self> {
        let codec = (format == Format::Mp4).then(Codec::find).transpose()?;
        Ok(Self { place: Place::Numbered(scene.into()), codec })
    }

    /// The size of pictures that comes next to `extent`: MP4 keeps colours for squares of 2 by 2 pixels.
    pub fn extent(&self, extent: [u32; 2]) -> [u32; 2] {
        if self.codec.is_some() { extent.map(|side| side.next_multiple_of(2)) } else { extent }
    }

    /// Writes all of `pictures`, and says what that has come to.
    pub fn write(self, pace: Pace, pictures: impl Iterator<Item = Picture>) -> Result<String> {
        let mut count = 0;
        let mut pictures = pictures.inspect(|_| count += 1).peekable();
        let Some(first) = pictures.peek() else {
            bail!("nothing was recorded: fewer steps ran than it takes for a picture");
        };
        let extent = first.extent;
        let path = match (self.codec, self.place) {
            (Some(codec), place) => {
                let encode = |file: &Path| ffmpeg::encode(codec, file, extent, pace, pictures);
                match place {
                    Place::At(path) => write_atomically(&path, |file| encode(file.get_ref().path())).map(|()| path)?,
                    Place::Numbered(scene) => {
                        write_numbered(numbered(&scene, ".mp4"), |file| encode(file.get_ref().path()))?
                    }
                }
            }
            (None, place) => write_pngs(&folder(place)?, pictures)?,
        };
        let seconds = pace.duration(count).as_secs_f64();
        let fallback = match self.codec {
            Some(Codec::Mpeg4) => ", as MPEG-4 part 2, for this ffmpeg has no libx264",
            _ => "",
        };
        Ok(format!("wrote {} ({count} pictures, {seconds:.2} s{fallback})", path.display()))
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
    let make = |path: PathBuf| match std::fs::create_dir(&path) {
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

fn write_pngs(folder: &Path, pictures: impl Iterator<Item = Picture>) -> Result<PathBuf> {
    for (index, picture) in pictures.enumerate() {
        picture.write_png(&folder.join(format!("{:06}.png", index + 1)))?;
    }
    Ok(folder.into())
}
