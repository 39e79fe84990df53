//! Caches that are played back: the first byte says of which kind, and the others are the file.

#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use tautline::io::cache::CacheReader;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, content)) = bytes.split_first() else { return };
    let ending = if kind % 2 == 0 { ".pc2" } else { ".mdd" };
    let mut file = tempfile::Builder::new().suffix(ending).tempfile_in("/dev/shm").expect("a file");
    file.write_all(content).expect("a file in memory");
    let Ok(mut reader) = CacheReader::open(file.path()) else { return };
    for frame in [0, reader.frame_count() / 2, reader.frame_count() - 1] {
        let points = reader.read(frame).expect("a whole file");
        assert_eq!(points.len(), reader.point_count() as usize);
    }
});
