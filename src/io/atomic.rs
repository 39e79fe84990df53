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
/// [`WriteError`] where `path` is a folder or a device, its folder cannot be written to, or `write` fails.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let told = |reason| WriteError { path: path.to_path_buf(), reason };
    let (target, mut file) = begin(path).map_err(told)?;
    fill(&mut file, write).map_err(told)?;
    file.persist(target).map_err(|error| told(error.error))?;
    Ok(())
}

/// As [`write_atomically`], and waits until the disk has it: it is there whole after a loss of power as well. The
/// temporary file is `.NAME.new` beside it, so that a process that is killed leaves no more than one, which the next
/// takes.
///
/// # Errors
/// [`WriteError`] where its folder cannot be written to, or `write` fails.
pub fn write_durably(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<std::fs::File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let told = |reason| WriteError { path: path.to_path_buf(), reason };
    let target = linked(path);
    let name = target.file_name().unwrap_or_default();
    let temporary = target.with_file_name(format!(".{}.new", name.to_string_lossy()));
    let fill = || {
        let mut file = BufWriter::new(std::fs::File::create(&temporary)?);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&temporary, &target)?;
        sync_folder(&target)
    };
    fill().map_err(|reason| {
        let _ = std::fs::remove_file(&temporary);
        told(reason)
    })
}

/// Waits until the disk knows which files are in the folder of `path`, on systems that can be asked to.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { std::fs::File::open(folder_of(path))?.sync_all() } else { Ok(()) }
}

/// As [`write_atomically`], to the first of the paths `name(1)`, `name(2)` and so on, all in one folder, that nothing
/// is at yet: it replaces no file, not even one that another program makes meanwhile. Returns that path.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_numbered(
    name: impl Fn(u32) -> PathBuf,
    write: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> io::Result<()>,
) -> Result<PathBuf, WriteError> {
    let mut number = 1;
    let told = |reason| WriteError { path: name(1), reason };
    let mut file = temporary_beside(&name(1)).map_err(told)?;
    fill(&mut file, write).map_err(told)?;
    loop {
        let path = name(number);
        match file.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => {
                (file, number) = (error.file, number + 1);
            }
            Err(error) => return Err(WriteError { path, reason: error.error }),
        }
    }
}

fn fill(
    file: &mut NamedTempFile,
    write: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    writer.flush()
}

/// Fails where [`write_atomically`] would before it writes, so that nobody waits for a result that cannot be kept.
///
/// # Errors
/// [`WriteError`] where `path` is a folder or a device, or its folder cannot be written to.
pub fn check_writable(path: &Path) -> Result<(), WriteError> {
    // The temporary file goes again at once.
    begin(path).map(drop).map_err(|reason| WriteError { path: path.to_path_buf(), reason })
}

/// The file that is to be replaced, and the temporary one that will take its place.
fn begin(path: &Path) -> io::Result<(PathBuf, NamedTempFile)> {
    let target = linked(path);
    if target.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, and a file name is needed"));
    }
    if target.exists() && !target.is_file() {
        let reason = "it is a device or a pipe, and a file name is needed";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let file = temporary_beside(&target)?;
    Ok((target, file))
}

/// What a link points to, which is replaced, and not the link.
fn linked(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        let reason = format!("the folder '{}' does not exist", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, reason));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tautline-");
    // A temporary file is private by default; what takes its place is as readable as any file that the user makes.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|error| {
        let reason = format!("no file can be made in the folder '{}': {}", folder.display(), error.kind());
        io::Error::new(error.kind(), reason)
    })
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
    fn a_durable_write_is_whole_or_not_there_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        // What a process that was killed has left.
        fs::write(folder.path().join(".out.txt.new"), "a part of something longer").unwrap();
        write_durably(&path, |file| file.write_all(b"first")).unwrap();
        let failed = write_durably(&path, |file| {
            file.write_all(b"second")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.unwrap_err().to_string().contains("out.txt': the disk is full"));
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn numbered_files_replace_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let name = |number: u32| folder.path().join(format!("out-{number}.txt"));
        fs::create_dir(name(1)).unwrap();
        fs::write(name(3), "here before").unwrap();
        let write = |text: &'static str| write_numbered(name, |file| file.write_all(text.as_bytes())).unwrap();
        assert_eq!([write("first"), write("second")], [name(2), name(4)]);
        assert_eq!(
            [2, 3, 4].map(|number| fs::read_to_string(name(number)).unwrap()),
            ["first", "here before", "second"]
        );
        assert!(write_numbered(name, |_| Err(io::Error::other("it gave up"))).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "no temporary file is left");
    }

    #[test]
    fn a_folder_and_a_missing_folder_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_atomically(folder.path(), |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("it is a folder"), "{error}");
        let error = write_atomically(&folder.path().join("none/out.txt"), |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("none/out.txt"), "{error}");
    }

    #[test]
    fn checking_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        check_writable(&folder.path().join("out.txt")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(check_writable(&folder.path().join("none/out.txt")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_keeps_pointing_to_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomically(&link, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        write_durably(&link, |file| file.write_all(b"newer")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"newer");
        assert!(link.is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
    }
}
