//! States in files: what goes on from one is what has never stopped, bit for bit; and what cannot go on says why.

mod common;

use std::path::Path;

use common::{TENT, Validated, load, run, start};
use glam::Vec3;
use tautline::model::{Blade, Drag};
use tautline::scene::{Scene, SolverKind, presets};
use tautline::solver::{Simulation, State, StateMismatch};

/// Every preset and each of the other solvers, in a small size, with its name.
fn scenes(folder: &Path) -> Vec<(String, Scene)> {
    let mesh = folder.join("tent.obj");
    std::fs::write(&mesh, TENT).unwrap();
    let small = [("columns", "24"), ("rows", "18")];
    let settings = |name: &str| {
        match name {
        "mesh" => vec![("mesh", mesh.to_str().unwrap())],
        "ropes" => vec![("rope_count", "40"), ("rope_columns", "4"), ("rope_spacing", "1.5")],
        // A cut falls before the state is taken, and one after it.
        "cut" => [
            &small[..],
            &[("cut", "[{time = 0.05, from = [-1, -0.11, 0], to = [0, -0.11, 0]}, {time = 0.2, point = [0.05, 0, 0], normal = [1, 0, 0]}]")],
        ]
        .concat(),
        "curtain" => [&small[..], &[("pins", "[1, 23]")]].concat(),
        _ => small.to_vec(),
    }
    };
    let presets = presets().map(|(name, _)| (name.to_string(), load(name, &settings(name))));
    let with = |name: &str, more: &[(&str, &str)]| {
        (format!("{name} with {more:?}"), load(name, &[&settings(name)[..], more].concat()))
    };
    let others = [
        with("flag", &[("solver", "xpbd-document")]),
        with("flag", &[("constraint_solver", "jacobi")]),
        with("flag", &[("bending", "true"), ("bending_form", "dihedral"), ("bending_stiffness", "1e-5")]),
        with("flag", &[("cloth_count", "3"), ("cloth_columns", "3")]),
        with("verlet", &[("storage", "buffers")]),
        with("ropes", &[("rope_held", "first")]),
    ];
    presets.chain(others).collect()
}

/// The same scene by each way in which its kernels divide the work.
fn paths(scene: &Scene) -> Vec<Scene> {
    if scene.solver == SolverKind::MassSpring {
        return vec![scene.clone()];
    }
    let on = |path: &str| {
        let mut scene = scene.clone();
        scene.change("path", path).unwrap();
        scene
    };
    ["\"plain\"", "\"fused\""].map(on).into()
}

/// Lets hands do what they can to what has run a while.
fn handle(simulation: &mut Simulation) {
    simulation.set_pinned(2, true);
    simulation.set_pinned(0, false);
    // Solvers of springs on a grid cannot be cut.
    simulation.cut(Blade::plane(Vec3::new(0.203, 0.0, 0.0), Vec3::X).unwrap()).unwrap();
    if !simulation.colliders().is_empty() {
        simulation.drag(Some(Drag { collider: 0, offset: Vec3::new(0.02, 0.3, -0.01), speed: 1.0 }));
    }
}

#[test]
fn every_scene_goes_on_from_a_file_in_the_same_bits() {
    let validated = Validated::open();
    let device = &validated.device;
    let folder = tempfile::tempdir().unwrap();
    let begin = |scene: &Scene, on_cpu| {
        let mut simulation = start(device, scene, on_cpu);
        simulation.set_camera(Vec3::new(0.0, 1.0, -8.0));
        simulation
    };
    for (name, scene) in scenes(folder.path()) {
        let on_cpu = [(scene.clone(), true)];
        for (scene, on_cpu) in paths(&scene).into_iter().map(|scene| (scene, false)).chain(on_cpu) {
            let what = format!("{name}, {:?}, on the CPU: {on_cpu}", scene.path);
            let mut straight = begin(&scene, on_cpu);
            run(device, &mut straight, 4);
            handle(&mut straight);
            run(device, &mut straight, 3);
            straight.drag(None);
            let bytes = straight.state().unwrap().to_bytes();
            let state = State::read_from(&bytes[..]).unwrap();
            let mut stopped = begin(&scene, on_cpu);
            stopped.check(&state).unwrap_or_else(|mismatch| panic!("{what}: {mismatch}"));
            stopped.go_on_from(&state).unwrap();
            assert!(stopped.state().unwrap().to_bytes() == bytes, "{what}: what is read is what was written");
            for simulation in [&mut straight, &mut stopped] {
                run(device, simulation, 9);
            }
            assert_eq!(straight.time(), stopped.time(), "{what}");
            let [straight, stopped] = [straight, stopped].map(|simulation| simulation.state().unwrap());
            assert!(straight.to_bytes() == stopped.to_bytes(), "{what}: other bits");
            assert!(straight.positions != state.positions, "{what}: it moves");
        }
    }
}

#[test]
fn a_state_of_another_body_is_told_by_what_differs() {
    let grid = |columns: &str, rows: &str| load("flag", &[("columns", columns), ("rows", rows)]);
    let state = |scene: &Scene| scene.cpu_simulation().unwrap().state();
    let told = |state: &State, scene: &Scene| scene.cpu_simulation().unwrap().check(state);
    let one = grid("6", "4");
    let of_one = state(&one);
    assert_eq!(told(&of_one, &grid("6", "5")), Err(StateMismatch::Particles { found: 24, wanted: 30 }));
    assert_eq!(told(&of_one, &grid("4", "6")), Err(StateMismatch::Shape));
    let ball = "[{shape = \"sphere\", radius = 0.1}]";
    let with_ball = load("flag", &[("columns", "6"), ("rows", "4"), ("collider", ball)]);
    assert_eq!(told(&of_one, &with_ball), Err(StateMismatch::Colliders { found: 0, wanted: 1 }));
    let ropes = |count: &str, particles: &str| {
        let counts = [("rope_count", count), ("rope_columns", "2"), ("rope_particles", particles)];
        load("ropes", &[&counts[..], &[("collider", "[]")]].concat())
    };
    assert_eq!(told(&state(&ropes("2", "12")), &ropes("4", "6")), Err(StateMismatch::Ropes { found: 2, wanted: 4 }));
    assert_eq!(told(&of_one, &ropes("4", "6")), Err(StateMismatch::Shape));
    // What only solvers look at is no other body, on either backend.
    for (key, value) in [
        ("solver", "pbd"),
        ("solver", "verlet"),
        ("particle_mass", "0.01"),
        ("pins", "none"),
        ("bending", "true"),
        ("dt", "0.001"),
        ("cut", "[{time = 0, point = [0, 0, 0], normal = [1, 0, 0]}]"),
    ] {
        let other = load("flag", &[("columns", "6"), ("rows", "4"), (key, value), ("allow_unstable", "true")]);
        assert_eq!(told(&of_one, &other), Ok(()), "{key}");
        assert_eq!(state(&other).body, of_one.body, "{key}");
    }
    let larger = load("flag", &[("columns", "6"), ("rows", "4"), ("spacing", "0.5")]);
    assert_eq!(told(&of_one, &larger), Ok(()));
    assert!(state(&larger).body.places != of_one.body.places);
}
