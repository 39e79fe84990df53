//! The device's memory: made once, given back whole, and left alone while frames run.

mod common;

use std::fs;

use common::{Validated, load, start};
use glam::Vec3;
use tautline::engine::{COLOR_FORMAT, Device, Frames, Image, ImageKind, Memory};
use tautline::model::Blade;
use tautline::render::{Bounds, Camera, View, ViewTargets, Wave};
use tautline::scene::{Scene, presets};
use tautline::solver::Simulation;

const EXTENT: [u32; 2] = [64, 48];
const SHEET: &str = "v 0 0 0\nv 1 0 0\nv 1 -1 0.2\nv 0 -1 0\nf 1 4 3\nf 1 3 2\n";

/// Runs and draws frames as a window does, and says what is allocated after each.
fn memory_after_each_frame(device: &Device, scene: &Scene, mut simulation: Simulation, frames: u32) -> Vec<Memory> {
    let wave = Wave::of(scene);
    let room = Bounds::room(simulation.body(), simulation.colliders().list());
    let mut view = View::new(device, &simulation, wave, COLOR_FORMAT, room).unwrap();
    let targets = ViewTargets::new(device, EXTENT, COLOR_FORMAT).unwrap();
    let picture = Image::new(device, "picture", ImageKind::Color { format: COLOR_FORMAT, samples: 1 }, EXTENT).unwrap();
    let camera = Camera::framing(&room.corners(), 4.0 / 3.0);
    simulation.set_camera(camera.position());
    let mut ring = Frames::new(device, 2).unwrap();
    let after_frame = |_| {
        let mut recorder = ring.begin().unwrap();
        view.keep(&mut recorder, &simulation).unwrap();
        simulation.record(&mut recorder).unwrap();
        view.record(&mut recorder, &simulation, 0.5, &camera, &targets, &picture).unwrap();
        recorder.submit().unwrap();
        device.memory()
    };
    let memory = (0..frames).map(after_frame).collect();
    ring.finish().unwrap();
    memory
}

#[test]
fn frames_allocate_nothing_and_a_scene_gives_everything_back() {
    let validated = Validated::open();
    let device = &validated.device;
    let folder = tempfile::tempdir().unwrap();
    let sheet = folder.path().join("sheet.obj");
    fs::write(&sheet, SHEET).unwrap();
    let before = device.memory();
    for (name, _) in presets() {
        let mut settings = vec![("columns", "24"), ("rows", "20"), ("rope_count", "20"), ("pins", "top-row")];
        let mesh = sheet.display().to_string();
        if name == "mesh" {
            settings = vec![("mesh", &mesh)];
        }
        let scene = load(name, &settings);
        for on_cpu in [false, true] {
            let simulation = start(device, &scene, on_cpu);
            let memory = memory_after_each_frame(device, &scene, simulation, 12);
            // With the CPU, each of the steps in flight has a copy of the particles, from the first frames on.
            let steady = memory[3];
            assert!(steady.allocations > 5 && steady.bytes > 10_000, "{name}: {steady:?}");
            assert!(memory[3..].iter().all(|memory| *memory == steady), "{name}, on the CPU: {on_cpu}: {memory:?}");
            assert_eq!(device.memory(), before, "{name}, on the CPU: {on_cpu}");
        }
    }
}

/// On the CPU, the first cut makes what the next ones are uploaded through.
#[test]
fn a_second_cut_on_the_cpu_allocates_nothing() {
    let validated = Validated::open();
    let device = &validated.device;
    // It hangs still, so that blades meet what they are meant for.
    let still = [("columns", "24"), ("rows", "20"), ("wind", "[0, 0, 0]"), ("wind_flutter", "0")];
    let mut simulation = start(device, &load("flag", &still), true);
    let mut frames = Frames::new(device, 2).unwrap();
    let mut memory = Vec::new();
    for frame in 0..12 {
        if frame % 4 == 0 {
            let blade = Blade::plane(Vec3::new(0.003 + 0.02 * frame as f32 / 4.0, 0.0, 0.0), Vec3::X).unwrap();
            assert!(simulation.cut(blade).unwrap());
        }
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        recorder.submit().unwrap();
        memory.push(device.memory());
    }
    frames.finish().unwrap();
    // Three blades, each through 20 rows and the diagonals between them.
    assert_eq!(simulation.cut_count().unwrap(), 3 * (20 + 2 * 19));
    assert!(memory[3..].iter().all(|one| *one == memory[3]), "{memory:?}");
}

/// A cut makes its lists once, and a change of hands gives back what it takes the place of.
#[test]
fn cuts_and_changes_of_hands_pile_nothing_up() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene = load("flag", &[("columns", "24"), ("rows", "20")]);
    let mut simulation = scene.simulation(device).unwrap();
    let mut memory = Vec::new();
    for _ in 0..5 {
        let blade = Blade::plane(Vec3::new(0.0, -0.1, 0.0), Vec3::Y).unwrap();
        simulation.cut(blade).unwrap();
        Frames::run_once(device, |recorder| simulation.record(recorder)).unwrap();
        let state = simulation.state().unwrap();
        assert!(!state.severed.is_empty());
        drop(simulation);
        simulation = scene.simulation(device).unwrap();
        simulation.go_on_from(&state).unwrap();
        memory.push(device.memory());
    }
    assert!(memory.iter().all(|one| *one == memory[0]), "{memory:?}");
}
