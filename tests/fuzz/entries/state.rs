//! States: the bytes as a file, and as what a file holds between a header and a checksum that fit, from which a body of each kind
//! goes on where it can.

use std::path::Path;

use tautline::scene::Scene;
use tautline::solver::{CpuSimulation, State};

/// How long a file's header is, and its checksum.
const HEADER: usize = 20;
const CHECKSUM: usize = 4;
/// A body of each kind of state: with velocities, with places of a substep ago, and with levels of detail.
pub const SCENES: [(&str, &str); 3] = [
    (
        "constraints",
        "columns = 3\nrows = 2\ncollider = [{shape = \"sphere\", radius = 0.1}]\n\
         cut = [{time = 0.1, from = [-1, -0.02, 0], to = [1, -0.02, 0], direction = [0, 0, 1]}]\n\
         pin = [{particles = [0], path = [[0, 0, 0, 0], [0.1, 0.1, 0, 0], [0.1, 0.5, 0, 0], [1, 0, 0, 0]]}]",
    ),
    ("verlet", "preset = \"verlet\"\ncolumns = 3\nrows = 2\ncollider = []"),
    ("ropes", "preset = \"ropes\"\nrope_count = 2\nrope_particles = 17\nrope_lod_camera = [0, 0, 11]\ncollider = []"),
];

/// What a scene of these simulates.
pub fn simulation(text: &str) -> CpuSimulation {
    let scene = Scene::parse(text.as_bytes(), Path::new("scene.toml")).expect("a scene");
    scene.cpu_simulation().expect("a simulation")
}

/// What lies between header and checksum in a state's file.
pub fn content(state: &State) -> Vec<u8> {
    let file = state.to_bytes();
    file[HEADER..file.len() - CHECKSUM].to_vec()
}

/// A file with this content, behind the magic and the version of any state as it is written now.
pub fn sealed(content: &[u8]) -> Vec<u8> {
    let head = &State::default().to_bytes()[..HEADER - size_of::<u64>()];
    let mut file = [head, &(content.len() as u64).to_le_bytes(), content].concat();
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file
}

/// Goes on from a state by a step, with the scenes that it fits.
pub fn gone_on_from(bytes: &[u8]) -> bool {
    // Nothing that is damaged is taken: these have a checksum by chance alone.
    let read = State::from_bytes(bytes);
    assert!(
        read.is_err() || read.is_ok_and(|state| state.to_bytes() == bytes),
        "a file that is read is what was written"
    );
    let Ok(state) = State::from_bytes(&sealed(bytes)) else { return false };
    let again = State::from_bytes(&state.to_bytes()).expect("what was written is read");
    assert_eq!(again.to_bytes(), state.to_bytes());
    let mut fits = false;
    for (_, text) in SCENES {
        let mut simulation = simulation(text);
        if simulation.check(&state).is_ok() {
            simulation.go_on_from(&state);
            simulation.advance();
            fits = true;
        }
    }
    fits
}
