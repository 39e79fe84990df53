//! Caches that are played back: the first byte says of which kind, and the others are the file.

use std::io::Write;

use tautline::io::cache::CacheReader;

/// Reads the first frame, one between and the last.
pub fn played(bytes: &[u8]) -> bool {
    let Some((kind, content)) = bytes.split_first() else { return false };
    let ending = if kind % 2 == 0 { ".pc2" } else { ".mdd" };
    let mut file = tempfile::Builder::new().suffix(ending).tempfile_in("/dev/shm").expect("a file");
    file.write_all(content).expect("a file in memory");
    let Ok(mut reader) = CacheReader::open(file.path()) else { return false };
    for frame in [0, reader.frame_count() / 2, reader.frame_count() - 1] {
        let points = reader.read(frame).expect("a whole file");
        assert_eq!(points.len(), reader.point_count() as usize);
    }
    true
}
