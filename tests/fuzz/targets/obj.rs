#![no_main]

use libfuzzer_sys::fuzz_target;
use tautline::io::MeshFormat;
use tautline_fuzz::prepared::prepared;

fuzz_target!(|bytes: &[u8]| {
    prepared(bytes, MeshFormat::Obj);
});
