use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::format::mesh_endings;

/// Why a file gives no mesh.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The name's ending is that of no format.
    #[error("{} ends like no mesh; give a file that ends in {}", path.display(), mesh_endings())]
    Kind {
        /// The file.
        path: PathBuf,
    },
    /// The file can't be read: it is missing, or not ours.
    #[error("{} cannot be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A folder, a device or a pipe.
    #[error("{} is no regular file; give a file that ends in {}", path.display(), mesh_endings())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is larger than is read.
    #[error("{} is too large; give a file of at most {most} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large it may be.
        most: u64,
    },
    /// What is in the file is no mesh.
    #[error("{}{fault}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where, and what is wrong.
        fault: Fault,
    },
}

/// What is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it is.
    pub place: Place,
    /// What is wrong, and what would be right, in one sentence.
    pub problem: String,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// No single place.
    File,
    /// A line, from 1.
    Line(usize),
    /// What the format calls it, with its number, as in `accessor 3`.
    Item(String),
}

impl Fault {
    pub(super) fn in_file(problem: impl Into<String>) -> Self {
        Self { place: Place::File, problem: problem.into() }
    }

    pub(super) fn at_line(line: usize, problem: impl Into<String>) -> Self {
        Self { place: Place::Line(line), problem: problem.into() }
    }

    pub(super) fn at(item: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: Place::Item(item.into()), problem: problem.into() }
    }

    /// The same, in a file.
    #[must_use]
    pub fn of(self, path: &Path) -> ReadError {
        ReadError::Content { path: path.into(), fault: self }
    }
}

/// What follows the name of the file.
impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File => write!(formatter, ": {}", self.problem),
            Place::Line(line) => write!(formatter, ", line {line}: {}", self.problem),
            Place::Item(item) => write!(formatter, ", {item}: {}", self.problem),
        }
    }
}

/// The start of `text`, on one line, for a sentence that quotes it.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.replace(char::is_control, " ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
