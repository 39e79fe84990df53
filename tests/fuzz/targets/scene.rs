#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use tautline::scene::Scene;

fuzz_target!(|bytes: &[u8]| drop(Scene::parse(bytes, Path::new("fuzzed.toml"))));
