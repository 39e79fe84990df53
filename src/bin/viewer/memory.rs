//! What is remembered from one window to the next.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};
use tautline::io::write_atomically;

use crate::output;

/// The scene and the size of the window that was closed last, in a file of the user's.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Memory {
    /// A preset, or the absolute path of a file.
    pub scene: Option<String>,
    /// Width and height \[pixels\].
    pub size: Option<[u32; 2]>,
}

impl Memory {
    /// Reads the file; where that cannot be, it says so on the terminal and nothing is remembered.
    pub fn read() -> Self {
        let read = || match file().map(|path| read_text(&path).with_context(|| path.display().to_string())) {
            Ok(Ok(text)) => toml::from_str(&text).map_err(|error| anyhow!("{}", error.message())),
            Ok(Err(error)) if is_missing(&error) => Ok(Self::default()),
            Ok(Err(error)) | Err(error) => Err(error),
        };
        let Self { scene, size } = read().unwrap_or_else(|error| {
            output::tell(&format!("the last scene and window are forgotten: {error:#}"));
            Self::default()
        });
        // A window that can be found again.
        Self { scene, size: size.filter(|size| size.iter().all(|side| (64..=16_384).contains(side))) }
    }

    /// Writes the file; where that cannot be, it says so on the terminal.
    pub fn write(&self) {
        if let Err(error) = self.try_write() {
            output::tell(&format!("this scene and window will not be remembered: {error:#}"));
        }
    }

    fn try_write(&self) -> Result<()> {
        let (path, text) = (file()?, toml::to_string(self)?);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        Ok(write_atomically(&path, |file| file.write_all(text.as_bytes()))?)
    }
}

/// Where the desktop keeps the state of programs.
fn file() -> Result<PathBuf> {
    let folders =
        directories::ProjectDirs::from("", "", "tautline").ok_or_else(|| anyhow!("there is no home folder"))?;
    Ok(folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).join("viewer.toml"))
}

/// The text of a file, and not of a pipe that may never end.
fn read_text(path: &std::path::Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    fs::read_to_string(path)
}

fn is_missing(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::NotFound)
}
