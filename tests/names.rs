//! What is bound has a name that says whose it is, for captures, panels and errors.

mod common;

use common::{Validated, load, start};
use tautline::engine::{COLOR_FORMAT, Frames, Image, ImageKind};
use tautline::render::{Bounds, Camera, Shown, View, ViewTargets};
use tautline::scene::presets;
use tautline::solver::Watch;

/// `cloth.positions`, or `cloth.positions[1]` of several: an owner and what it has.
fn says_whose_it_is(name: &str) -> bool {
    let (name, index) = name.strip_suffix(']').and_then(|name| name.split_once('[')).unwrap_or((name, "0"));
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    index.parse::<u32>().is_ok() && name.split_once('.').is_some_and(|(owner, what)| is_word(owner) && is_word(what))
}

#[test]
fn everything_that_a_frame_binds_says_whose_it_is() {
    assert!(says_whose_it_is("cloth.positions[2]") && !says_whose_it_is("positions 2"));
    let validated = Validated::open();
    let device = &validated.device;
    let mut seen = Vec::new();
    let jacobi = load("flag", &[("constraint_solver", "jacobi"), ("checker", "4")]);
    let hinged = load("flag", &[("bending", "true"), ("bending_form", "dihedral"), ("columns", "9")]);
    let mass_spring = load("curtain", &[("solver", "mass-spring")]);
    // The one of a mesh, which has none of its own, is a cloth like others.
    let scenes = presets().filter(|(name, _)| *name != "mesh").map(|(name, _)| load(name, &[]));
    for scene in scenes.chain([jacobi, hinged, mass_spring]) {
        for on_cpu in [false, true] {
            let mut simulation = start(device, &scene, on_cpu);
            let room = Bounds::room(simulation.body(), simulation.colliders().list());
            let mut view = View::new(device, &simulation, None, COLOR_FORMAT, room).unwrap();
            view.show(Shown::Batches);
            let kind = ImageKind::Color { format: COLOR_FORMAT, samples: 1 };
            let picture = Image::new(device, "picture.image", kind, [64, 64]).unwrap();
            let targets = ViewTargets::new(device, [64, 64], COLOR_FORMAT).unwrap();
            let camera = Camera::framing(&room.corners(), 1.0);
            let mut frames = Frames::new(device, 1).unwrap();
            let mut recorder = frames.begin().unwrap();
            recorder.keep_work();
            let mut watch = Watch::new(device, &simulation).unwrap();
            view.keep(&mut recorder, &simulation).unwrap();
            simulation.record(&mut recorder).unwrap();
            watch.record(&mut recorder, &mut simulation).unwrap();
            view.record(&mut recorder, &simulation, 1.0, &camera, &targets, &picture).unwrap();
            let work = recorder.work();
            let bound = work.iter().flat_map(|pass| &pass.calls).flat_map(|(work, _)| work.bound.iter());
            seen.extend(bound.map(|bound| bound.resource.clone()));
        }
    }
    seen.sort();
    seen.dedup();
    let nameless: Vec<_> = seen.iter().filter(|name| !says_whose_it_is(name)).collect();
    assert!(nameless.is_empty(), "{nameless:?}");
    for name in
        ["cloth.positions", "cloth.positions[2]", "cloth.constraints", "cloth.hinges", "ropes.planes", "view.palette"]
    {
        assert!(seen.iter().any(|seen| seen == name), "no {name} in {seen:?}");
    }
}
