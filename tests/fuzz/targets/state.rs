//! States: the bytes as a file, and as what a file holds between a header and a checksum that fit, from which two bodies go on
//! where they can.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use tautline::scene::Scene;
use tautline::solver::State;

/// What the file of a state starts with, and which version of it is read.
const HEAD: &[u8] = b"TAUTSTAT\x02\0\0\0";
const SCENES: [&str; 2] = [
    "columns = 3\nrows = 2\ncollider = [{shape = \"sphere\", radius = 0.1}]",
    "preset = \"ropes\"\nrope_count = 2\nrope_particles = 3\ncollider = []",
];

fuzz_target!(|bytes: &[u8]| {
    drop(State::from_bytes(bytes));
    let mut file = [HEAD, &(bytes.len() as u64).to_le_bytes(), bytes].concat();
    file.extend(crc32fast::hash(&file).to_le_bytes());
    let Ok(state) = State::from_bytes(&file) else { return };
    let again = State::from_bytes(&state.to_bytes()).expect("what was written is read");
    assert_eq!(again.to_bytes(), state.to_bytes());
    for text in SCENES {
        let scene = Scene::parse(text.as_bytes(), Path::new("scene.toml")).expect("a scene");
        let mut simulation = scene.cpu_simulation().expect("a simulation");
        if simulation.check(&state).is_ok() {
            simulation.go_on_from(&state);
            simulation.advance();
        }
    }
});
