//! The barriers of every preset, with and without a picture: none is missing, and none is superfluous.
//!
//! Synchronization validation is blind to two dispatches that bind the same storage buffer without a barrier between them, so
//! this looks at what was recorded.

mod common;
#[path = "common/pictures.rs"]
mod pictures;

use std::fs;

use common::{Validated, load};
use pictures::view;
use tautline::engine::{COLOR_FORMAT, Device, Frames, Hazard, Image, ImageKind};
use tautline::model::{Body, Grip};
use tautline::render::{Camera, Shown, ViewTargets};
use tautline::scene::{Scene, presets};
use tautline::solver::{Simulation, Solver, Surroundings, Verlet, VerletTile, Watch};

const EXTENT: [u32; 2] = [64, 48];
/// A tent of four triangles.
const TENT: &str = "v 0 1 0\nv -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 2 3\nf 1 3 4\nf 1 4 5\nf 1 5 2\n";

/// Every preset with few substeps, and what presets leave out: air, the other constraint solver, what is carried, and what jumps.
fn scenes() -> Vec<Scene> {
    let folder = tempfile::tempdir().unwrap();
    let tent = folder.path().join("tent.obj");
    fs::write(&tent, TENT).unwrap();
    let mut scenes: Vec<Scene> = presets()
        .map(|(name, _)| match name {
            "mesh" => load(&tent, &[("substeps", "3")]),
            "verlet" => load(name, &[]),
            "curtain" => load(name, &[("allow_unstable", "true"), ("substeps", "3")]),
            "ropes" => load(name, &[("rope_count", "3"), ("rope_columns", "1")]),
            _ => load(name, &[("substeps", "3")]),
        })
        .collect();
    let small = [("columns", "9"), ("rows", "9"), ("substeps", "3")];
    let air = [("air_density", "1.2"), ("air_velocity", "[0, 0, 4]")];
    let carried = [("pins", "none"), ("pin", "[{row = 0, path = [[0, 0, 0, 0], [1, 0.5, 0, 0]]}]")];
    scenes.push(load("flag", &[&small[..], &air, &carried].concat()));
    scenes.push(load("flag", &[&small[..], &[("constraint_solver", "jacobi"), ("iterations", "2")]].concat()));
    let limited = [("max_strain", "0.02"), ("collider", "[{shape = 'sphere', radius = 0.1}]")];
    scenes.push(load("flag", &[&small[..], &carried, &limited].concat()));
    scenes.push(load("verlet", &[&air[..], &carried].concat()));
    // Both steps start with a jump.
    let jumping = "[{row = 0, path = [[0, 0, 0, 0], [0, 0, 1, 0], [0.03, 0, 1, 0], [0.03, 1, 0, 0]]}]";
    let jumping = [("pins", "none"), ("pin", jumping)];
    scenes.push(load("flag", &[&small[..], &jumping].concat()));
    scenes.push(load("verlet", &jumping));
    let ropes = [("rope_count", "3"), ("rope_columns", "1"), ("rope_motion", "[[0.01, 0, 0, 0], [0.01, 0, 1, 0]]")];
    scenes.push(load("ropes", &ropes));
    let buffers = [("storage", "buffers")];
    scenes.push(load("verlet", &[&buffers[..], &jumping].concat()));
    scenes.push(load("verlet", &buffers));
    scenes.push(load("verlet", &[&buffers[..], &air, &carried].concat()));
    for scene in &scenes {
        // What is read of files is kept.
        scene.cpu_simulation().unwrap();
    }
    scenes
}

/// Records two steps with a look at each, with a hand that pulls in the second, and where `draws`, a picture of what lies between; then tries each
/// barrier.
fn check(device: &Device, scene: &Scene, simulation: &mut Simulation, draws: Option<Shown>) {
    let mut frames = Frames::new(device, 1).unwrap();
    let mut drawing = draws.map(|shown| view(device, simulation, shown));
    let targets = ViewTargets::new(device, EXTENT, COLOR_FORMAT).unwrap();
    let kind = ImageKind::Color { format: COLOR_FORMAT, samples: 1 };
    let image = Image::new(device, "picture.image", kind, EXTENT).unwrap();
    let camera = Camera::framing(&pictures::positions(simulation), 4.0 / 3.0);
    let mut watch = Watch::new(device, simulation).unwrap();
    let looks = watch.staging(device).unwrap();
    let mut recorder = frames.begin().unwrap();
    simulation.record(&mut recorder).unwrap();
    watch.record(&mut recorder, simulation).unwrap();
    if let Some(drawing) = &mut drawing {
        drawing.keep(&mut recorder, simulation).unwrap();
    }
    let grip = Grip::soft(simulation.body(), 1, simulation.body().positions()[1].truncate());
    simulation.set_grip(Some(grip));
    simulation.record(&mut recorder).unwrap();
    watch.record(&mut recorder, simulation).unwrap();
    looks.iter().for_each(|looks| watch.download(&mut recorder, looks).unwrap());
    if let Some(drawing) = &drawing {
        drawing.record(&mut recorder, simulation, 0.5, &camera, &targets, &image).unwrap();
    }
    let trace = recorder.trace().unwrap().clone();
    recorder.submit().unwrap();
    frames.finish().unwrap();

    let told = format!("{} by {}, {draws:?}", scene.name, scene.solver);
    assert_eq!(trace.races(), Vec::<String>::new(), "{told}");
    assert!(trace.barrier_count() > 0, "{told}");
    for index in 0..trace.barrier_count() {
        assert!(
            !trace.without_barrier(index).races().is_empty(),
            "{told}: barrier {index} is superfluous in {:#?}",
            trace.calls()
        );
    }
    // Each barrier is explained.
    for call in trace.calls() {
        let moves = call.barriers.iter().any(|barrier| !barrier.transitions.is_empty());
        assert_eq!(call.waits.is_empty() && !moves, call.barriers.is_empty(), "{told}: {call:?}");
    }
}

#[test]
fn no_barrier_is_missing_or_superfluous() {
    let validated = Validated::open();
    let device = &validated.device;
    for scene in scenes() {
        let simulate = || scene.simulation(device).unwrap();
        check(device, &scene, &mut simulate(), None);
        for shown in [Shown::Looks, Shown::Stretch, Shown::Contacts] {
            check(device, &scene, &mut simulate(), Some(shown));
        }
        check(device, &scene, &mut scene.cpu_simulation().unwrap().on_device(device).unwrap(), Some(Shown::Looks));
    }
}

/// Several substeps in one dispatch, which a scene has on some devices only.
#[test]
fn tiles_wait_for_what_they_read_and_no_more() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene = load("verlet", &[("storage", "buffers"), ("substeps", "5")]);
    let (cloth, step, settings) = (scene.cloth().unwrap(), scene.step(), scene.verlet_settings());
    let tile = VerletTile { columns: 8, rows: 8, substeps: 4, invocations: 128 };
    for draws in [None, Some(Shown::Looks)] {
        let (grid, around) = (cloth.grid.unwrap(), &Surroundings::default());
        let solver = Verlet::with_tile(device, grid, &cloth.positions, step, settings, around, Some(tile)).unwrap();
        assert_eq!(solver.passes(), [("verlet/tile".into(), 1), ("verlet/step_buffer".into(), 1)]);
        let mut simulation = Simulation::new(Body::Cloth(cloth.clone()), Box::new(solver), step);
        check(device, &scene, &mut simulation, draws);
    }
}

/// In document 002's loop over 8 colours, each batch reads what the one before it wrote, which is what
/// GL_SHADER_STORAGE_BARRIER_BIT stands for there; in document 000's, images are read and written instead.
#[test]
fn barriers_are_told_as_opengl_has_them() {
    let validated = Validated::open();
    for (scene, pass, bit) in [
        (load("flag", &[]), "pbd/solve", "GL_SHADER_STORAGE_BARRIER_BIT"),
        (load("verlet", &[]), "verlet/step", "GL_SHADER_IMAGE_ACCESS_BARRIER_BIT"),
    ] {
        let mut simulation = scene.simulation(&validated.device).unwrap();
        let mut frames = Frames::new(&validated.device, 1).unwrap();
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        let calls = recorder.trace().unwrap().calls();
        let waits = calls.iter().filter(|call| call.pass == pass).flat_map(|call| &call.waits);
        let positions: Vec<_> = waits
            .filter(|wait| wait.hazard == Hazard::ReadAfterWrite && wait.after == pass)
            .filter(|wait| wait.resource.as_ref().is_some_and(|name| name.starts_with("cloth.positions")))
            .collect();
        assert!(!positions.is_empty() && positions.iter().all(|wait| wait.gl_barrier == bit), "{positions:?}");
    }
}
