//! The seeds of `tests/fuzz` through what its targets do, without a fuzzer: each is of use only as long as it is read to the end,
//! and what a few changes make of it is read or refused.
//!
//! `TAUTLINE_MUTATIONS` says how many changed files each seed has, if it is not [`MUTATIONS`]; with `TAUTLINE_NEW_SEEDS` set, states
//! are written anew, as another version of their form has it.

mod common;
#[path = "fuzz/entries/lib.rs"]
mod entries;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use common::Random;
use entries::{cache, glb, prepared::prepared, scene, state};
use glam::{Quat, Vec3};
use tautline::io::MeshFormat;
use tautline::model::{Blade, Drag};
use tautline::solver::State;

/// What a target does, and whether the bytes went through all of it.
type Entry = fn(&[u8]) -> bool;

const MUTATIONS: u32 = 1000;
const TARGETS: [(&str, Entry); 8] = [
    ("cache", cache::played),
    ("glb", glb::contained),
    ("gltf", |bytes| prepared(bytes, MeshFormat::Gltf)),
    ("obj", |bytes| prepared(bytes, MeshFormat::Obj)),
    ("ply", |bytes| prepared(bytes, MeshFormat::Ply)),
    ("scene", scene::parsed),
    ("state", state::gone_on_from),
    ("stl", |bytes| prepared(bytes, MeshFormat::Stl)),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz").join(name)
}

/// The files of a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    files.map(|entry| entry.unwrap().path()).collect::<BTreeSet<_>>().into_iter().collect()
}

fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    files(&folder("seeds").join(target)).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// What a fuzzer does to a file, without looking at what comes of it.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    /// Numbers at the ends of what types hold, where sums and products pass over them.
    const ENDS: [[u8; 8]; 6] = [
        [0; 8],
        [0xff; 8],
        u64::MAX.wrapping_shr(1).to_le_bytes(),
        (1_u64 << 32).to_le_bytes(),
        f64::NAN.to_le_bytes(),
        f64::MAX.to_le_bytes(),
    ];
    let mut below = |count: usize| ((f64::from(random.signed()) + 1.0) / 2.0 * count as f64) as usize;
    let mut bytes = bytes.to_vec();
    for _ in 0..=below(4) {
        let place = below(bytes.len() + 1);
        let end = (place + below(9)).min(bytes.len());
        match below(6) {
            0 => bytes.truncate(place),
            1 => drop(bytes.splice(place..end, [])),
            2 => drop(bytes.splice(place..place, vec![below(256) as u8; below(40)])),
            3 => bytes[place..end].copy_from_slice(&ENDS[below(6)][..end - place]),
            4 => bytes[place..end].iter_mut().for_each(|byte| *byte ^= 1 << below(8)),
            _ => {
                let from = below(bytes.len() + 1);
                let copied = bytes[from..(from + below(65)).min(bytes.len())].to_vec();
                drop(bytes.splice(place..end, copied));
            }
        }
    }
    bytes
}

#[test]
fn every_target_has_seeds_that_are_read_to_the_end() {
    let stems = files(&folder("targets")).into_iter().map(|path| path.file_stem().unwrap().to_owned());
    assert!(stems.eq(TARGETS.map(|(name, _)| name)), "every target is here");
    for (target, entry) in TARGETS {
        let seeds = seeds(target);
        assert!(!seeds.is_empty(), "{target}");
        for (path, bytes) in seeds {
            assert!(entry(&bytes), "{} is refused", path.display());
        }
    }
}

#[test]
fn seeds_with_changes_are_read_or_refused() {
    let count = env::var("TAUTLINE_MUTATIONS").map_or(MUTATIONS, |text| text.parse().expect("a number of files"));
    for (target, entry) in TARGETS {
        for (path, bytes) in seeds(target) {
            let mut random = Random(1);
            for number in 0..count {
                let changed = mutated(&bytes, &mut random);
                if std::panic::catch_unwind(|| entry(&changed)).is_err() {
                    let written = env::temp_dir().join(format!("tautline-{target}-{number}"));
                    fs::write(&written, &changed).unwrap();
                    panic!("{} after {number} others is now {}", path.display(), written.display());
                }
            }
        }
    }
}

/// A state of that scene, with all that hands do to a body where it is of constraints.
fn edited_state(name: &str, text: &str) -> State {
    let mut simulation = state::simulation(text);
    simulation.advance();
    if name == "constraints" {
        simulation.set_pinned(5, true);
        simulation.drag(Some(Drag { collider: 0, offset: Vec3::X, speed: 0.5 }));
        simulation.teleport(Quat::from_rotation_y(0.5), Vec3::NEG_Z);
        simulation.cut(Blade::plane(simulation.positions()[1].truncate() - 0.01 * Vec3::Y, Vec3::Y).unwrap());
        simulation.advance();
        simulation.cut(Blade::plane(Vec3::ZERO, Vec3::X).unwrap());
    }
    simulation.state()
}

/// A list that is empty is never changed into one that lies.
#[test]
fn states_among_the_seeds_have_every_list() {
    for (name, text) in state::SCENES {
        let path = folder("seeds/state").join(name);
        if env::var_os("TAUTLINE_NEW_SEEDS").is_some() {
            fs::write(&path, state::content(&edited_state(name, text))).unwrap();
        }
        let state = State::from_bytes(&state::sealed(&fs::read(path).unwrap())).unwrap();
        match name {
            "constraints" => {
                assert!(!state.severed.springs.is_empty() && !state.severed.triangles.is_empty());
                assert!(state.blades.len() == 1 && state.frame.is_some() && state.dragged[0] != Vec3::ZERO);
                assert_eq!(state.pins.changes().count(), 1);
            }
            "verlet" => assert_eq!(state.previous.len(), 6),
            "ropes" => assert_eq!(state.levels.len(), 2),
            _ => unreachable!("{name}"),
        }
    }
}
