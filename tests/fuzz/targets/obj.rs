#![no_main]

mod prepared;

use libfuzzer_sys::fuzz_target;
use tautline::io::MeshFormat;

fuzz_target!(|bytes: &[u8]| prepared::prepared(bytes, MeshFormat::Obj));
