#![no_main]

use libfuzzer_sys::fuzz_target;
use tautline::io::{MeshFormat, parse_mesh};

fuzz_target!(|bytes: &[u8]| drop(parse_mesh(bytes, MeshFormat::Ply, None)));
