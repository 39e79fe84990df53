use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that is being written and can be gone on with. While it is open, no other program writes it.
pub(super) struct PartialFile {
    path: PathBuf,
    writer: BufWriter<File>,
    length: u64,
}

impl PartialFile {
    /// Opens what has been written so far, or begins it, and drops what lies behind `length` bytes.
    pub(super) fn open(path: &Path, length: u64) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => io::Error::other("another program is writing it at the moment"),
            TryLockError::Error(error) => error,
        })?;
        if file.metadata()?.len() < length {
            let reason = format!("it is shorter than the {length} bytes that were written: start again with --restart");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
        }
        file.set_len(length)?;
        let mut writer = BufWriter::with_capacity(1 << 18, file);
        writer.seek(SeekFrom::Start(length))?;
        Ok(Self { path: path.into(), writer, length })
    }

    /// Takes the place of another file, as which it goes on.
    pub(super) fn move_to(&mut self, path: &Path) -> io::Result<()> {
        self.sync()?;
        fs::rename(&self.path, path)?;
        self.path = path.into();
        Ok(())
    }

    /// Its length, with what is not on the disk yet \[bytes\].
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Drops what lies behind `length` bytes.
    pub(super) fn cut(&mut self, length: u64) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().set_len(length)?;
        self.length = length;
        self.writer.seek(SeekFrom::Start(length)).map(drop)
    }

    /// Writes over bytes that are there.
    pub(super) fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.writer.seek(SeekFrom::Start(offset))?;
        self.writer.write_all(bytes)?;
        self.writer.seek(SeekFrom::Start(self.length)).map(drop)
    }

    /// Reads what has been written, from a place on.
    pub(super) fn read_from(&mut self, offset: u64) -> io::Result<BufReader<File>> {
        self.writer.flush()?;
        let mut reader = BufReader::with_capacity(1 << 18, File::open(&self.path)?);
        reader.seek(SeekFrom::Start(offset))?;
        Ok(reader)
    }

    /// Waits until all of it is on the disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_all()
    }
}

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
