//! ZIP archives of entries that are stored as they are, with the 64-bit fields that large ones need.
//!
//! Why no library: the last entry grows while frames are written, and is gone on with by another process. `zip` 2 takes
//! an entry in one go, and its writer keeps what only it knows. Sizes are known before, and only the checksum of the
//! last entry is written later.

use std::io::{self, Read, Write};

use super::PartialFile;

/// Bytes of a local header before the name, and of its 64-bit sizes behind it.
const LOCAL: u64 = 30;
const SIZES: u64 = 20;
/// Where in a local header the checksum is.
const CHECKSUM: u64 = 14;
/// The version that knows 64-bit fields.
const VERSION: u16 = 45;
/// 1 January 1980, the first day that there is.
const DATE: u16 = 0x21;

/// An entry of an archive.
pub(super) struct Entry {
    name: String,
    /// Where its local header is.
    offset: u64,
    size: u64,
}

impl Entry {
    /// Where its content starts.
    pub(super) fn start(&self) -> u64 {
        self.offset + LOCAL + self.name.len() as u64 + SIZES
    }

    /// Where the next one starts.
    pub(super) fn end(&self) -> u64 {
        self.start() + self.size
    }

    /// An entry of so many bytes at `offset`.
    pub(super) fn at(offset: u64, name: String, size: u64) -> Self {
        Self { name, offset, size }
    }

    /// Begins it at the end of a file. Its content follows, and its checksum by [`Entry::seal`].
    pub(super) fn begin(&self, file: &mut PartialFile) -> io::Result<()> {
        let mut header = b"PK\x03\x04".to_vec();
        self.write_common(&mut header, 0);
        header.extend(self.name.bytes());
        self.write_sizes(&mut header, None);
        file.write_all(&header)
    }

    /// Writes its checksum, now that its content is there, and returns it.
    pub(super) fn seal(&self, file: &mut PartialFile) -> io::Result<u32> {
        let mut content = file.read_from(self.start())?.take(self.size);
        let (mut hasher, mut bytes) = (crc32fast::Hasher::new(), vec![0; 1 << 18]);
        loop {
            match content.read(&mut bytes)? {
                0 => break,
                count => hasher.update(&bytes[..count]),
            }
        }
        let checksum = hasher.finalize();
        file.patch(self.offset + CHECKSUM, &checksum.to_le_bytes())?;
        Ok(checksum)
    }

    /// What its local header and the archive's directory say alike, from the version on.
    fn write_common(&self, bytes: &mut Vec<u8>, checksum: u32) {
        let (flags, method, time) = (0_u16, 0_u16, 0_u16);
        bytes.extend([VERSION, flags, method, time, DATE].iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(checksum.to_le_bytes());
        // The sizes are in 64 bits.
        bytes.extend([0xff; 8]);
        bytes.extend((self.name.len() as u16).to_le_bytes());
        // The length of what `write_sizes` writes is said by who calls this, and in a local header is `SIZES`.
        bytes.extend((SIZES as u16).to_le_bytes());
    }

    /// The field of 64-bit sizes, and where the local header is.
    fn write_sizes(&self, bytes: &mut Vec<u8>, offset: Option<u64>) {
        let numbers: Vec<u64> = [self.size, self.size].into_iter().chain(offset).collect();
        bytes.extend(1_u16.to_le_bytes());
        bytes.extend((8 * numbers.len() as u16).to_le_bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
}

/// Writes the directory of an archive behind its entries, each with its checksum.
pub(super) fn write_directory(entries: &[(Entry, u32)], file: &mut PartialFile) -> io::Result<()> {
    let start = file.length();
    for (entry, checksum) in entries {
        let mut header = b"PK\x01\x02".to_vec();
        header.extend(VERSION.to_le_bytes());
        entry.write_common(&mut header, *checksum);
        // With the offset the field of sizes is 8 bytes longer. No comment; disk 0; binary content; no attributes.
        let length = header.len();
        header[length - 2..].copy_from_slice(&(SIZES as u16 + 8).to_le_bytes());
        header.extend([0; 2 + 2 + 2 + 4]);
        header.extend([0xff; 4]);
        header.extend(entry.name.bytes());
        entry.write_sizes(&mut header, Some(entry.offset));
        file.write_all(&header)?;
    }
    let (end, count) = (file.length(), entries.len() as u64);
    let mut record = b"PK\x06\x06".to_vec();
    record.extend(44_u64.to_le_bytes());
    record.extend([VERSION, VERSION].iter().flat_map(|number| number.to_le_bytes()));
    record.extend([0; 8]);
    record.extend([count, count, end - start, start].iter().flat_map(|number| number.to_le_bytes()));
    // Where that record is, on the only disk; then the end, which leaves all to it.
    record.extend(b"PK\x06\x07\0\0\0\0");
    record.extend(end.to_le_bytes());
    record.extend(1_u32.to_le_bytes());
    record.extend(b"PK\x05\x06\0\0\0\0");
    record.extend([0xff; 12]);
    record.extend([0; 2]);
    file.write_all(&record)
}
