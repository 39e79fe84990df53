//! Files that appear whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file could not be written; what was there before is as it was.
#[derive(Debug, thiserror::Error)]
#[error("cannot write '{}': {reason}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the operating system or the format's library said.
    pub reason: io::Error,
}

/// Writes `path` through a temporary file beside it, which takes its place once it is complete.
///
/// # Errors
/// [`WriteError`] where the folder cannot be written to, `path` is a folder, or `write` fails.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let told = |reason| WriteError { path: path.to_path_buf(), reason };
    if path.is_dir() {
        return Err(told(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tautline-");
    // A temporary file is private by default; what takes its place is as readable as any file that the user makes.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder_of(path)).map_err(told)?;
    let mut writer = BufWriter::new(&mut file);
    write(&mut writer).and_then(|()| writer.flush()).map_err(told)?;
    drop(writer);
    file.persist(path).map_err(|error| told(error.error))?;
    Ok(())
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_failed_write_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        write_atomically(&path, |file| file.write_all(b"first")).unwrap();
        let failed = write_atomically(&path, |file| {
            file.write_all(b"second")?;
            Err(io::Error::other("the format gave up"))
        });
        let message = failed.unwrap_err().to_string();
        assert!(message.contains("out.txt") && message.contains("the format gave up"), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_folder_and_a_missing_folder_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_atomically(folder.path(), |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("it is a folder"), "{error}");
        let error = write_atomically(&folder.path().join("none/out.txt"), |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("none/out.txt"), "{error}");
    }
}
