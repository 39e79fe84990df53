//! The copies of a state that are kept for when its device is lost.

mod common;

use std::time::Duration;

use common::{Validated, load, run, start};
use glam::{Vec3, Vec4};
use tautline::engine::{Device, Frames};
use tautline::model::Blade;
use tautline::solver::{Backup, Simulation};

/// Records a step with a backup, and submits it.
fn step(device: &Device, simulation: &mut Simulation, backup: &mut Backup) {
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    backup.record(&mut recorder, simulation).unwrap();
    recorder.submit().unwrap();
    backup.submitted();
}

fn places(positions: &[Vec4]) -> Vec<Vec3> {
    positions.iter().map(|position| position.truncate()).collect()
}

#[test]
fn a_copy_is_where_the_particles_are_and_how_fast_they_came_there() {
    let validated = Validated::open();
    let device = &validated.device;
    for scene in [
        load("flag", &[("columns", "13"), ("rows", "9"), ("wind", "[3, 0, 0]")]),
        load("verlet", &[("columns", "13"), ("rows", "9")]),
        load("flag", &[("solver", "mass-spring"), ("columns", "13"), ("rows", "9"), ("substeps", "200")]),
        load("ropes", &[("rope_count", "6"), ("rope_held", "first"), ("rope_columns", "2")]),
    ] {
        let mut simulation = scene.simulation(device).unwrap();
        let mut backup = Backup::new(device, &simulation, None).unwrap();
        assert!(backup.state().is_none());
        let before = places(&simulation.positions().unwrap());
        step(device, &mut simulation, &mut backup);
        let after = places(&simulation.positions().unwrap());
        let wanted: Vec<Vec3> = after.iter().zip(&before).map(|(after, before)| (after - before) / scene.dt).collect();
        let state = backup.state().unwrap().clone();
        assert_eq!(state.time, simulation.time());
        assert!(state.positions == after && after != before, "{}: other places", scene.solver);
        assert!(state.velocities == wanted, "{}: other velocities", scene.solver);
        // No more often than it says.
        step(device, &mut simulation, &mut backup);
        assert_eq!(backup.state().unwrap().time, state.time);
        // Another simulation goes on from there.
        let mut other = scene.simulation(device).unwrap();
        other.go_on_from(&state).unwrap();
        assert!(places(&other.positions().unwrap()) == after && other.time() == state.time);
        backup.forget();
        assert!(backup.state().is_none());
    }
}

#[test]
fn a_copy_of_a_cloth_that_was_cut_has_its_cuts() {
    let validated = Validated::open();
    let device = &validated.device;
    // The second is through thin air.
    let cuts =
        "[{time = 0, point = [0.01, 0, 0], normal = [1, 0, 0]}, {time = 0, point = [9, 0, 0], normal = [1, 0, 0]}]";
    for (solver, on_cpu) in [("xpbd", false), ("pbd", false), ("xpbd", true)] {
        let scene = load("flag", &[("columns", "13"), ("rows", "9"), ("solver", solver), ("cut", cuts)]);
        let mut simulation = start(device, &scene, on_cpu);
        let mut backup = Backup::new(device, &simulation, None).unwrap();
        step(device, &mut simulation, &mut backup);
        let wanted = simulation.state().unwrap();
        let state = backup.state().unwrap().clone();
        assert!(!wanted.severed.springs.is_empty() && !wanted.severed.triangles.is_empty());
        assert!(state.severed == wanted.severed, "{solver}, on the CPU: {on_cpu}: {:?}", state.severed);
        assert!(state.positions == wanted.positions && state.time == wanted.time);
        let mut other = start(device, &scene, on_cpu);
        other.go_on_from(&state).unwrap();
        assert_eq!(other.cut_count().unwrap(), wanted.severed.springs.len());
    }
}

#[test]
fn a_blade_through_thin_air_leaves_the_copy_whole() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene = load("flag", &[("columns", "13"), ("rows", "9")]);
    let mut simulation = scene.simulation(device).unwrap();
    let mut backup = Backup::new(device, &simulation, None).unwrap();
    simulation.cut(Blade::plane(Vec3::new(9.0, 0.0, 0.0), Vec3::X).unwrap()).unwrap();
    step(device, &mut simulation, &mut backup);
    let state = backup.state().unwrap();
    assert!(state.severed.is_empty() && state.time == simulation.time());
}

#[test]
fn before_the_first_copy_it_is_where_the_simulation_went_on_from() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene = load("flag", &[("columns", "13"), ("rows", "9")]);
    let mut first = scene.simulation(device).unwrap();
    run(device, &mut first, 3);
    let from = first.state().unwrap();
    let mut simulation = scene.simulation(device).unwrap();
    simulation.go_on_from(&from).unwrap();
    let mut backup = Backup::new(device, &simulation, Some(from.clone())).unwrap();
    assert!(backup.state() == Some(&from));
    step(device, &mut simulation, &mut backup);
    assert!(backup.state().unwrap().time > from.time);
    backup.forget();
    assert!(backup.state().is_none());
}

/// What is recorded is copied a second later at the earliest, and its memory is made once.
#[test]
fn frames_allocate_nothing_for_copies() {
    let validated = Validated::open();
    let device = &validated.device;
    let cut = "[{time = 0, point = [0.01, 0, 0], normal = [1, 0, 0]}]";
    let scene = load("flag", &[("columns", "13"), ("rows", "9"), ("cut", cut)]);
    let mut simulation = scene.simulation(device).unwrap();
    let mut backup = Backup::new(device, &simulation, None).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut memory = Vec::new();
    for _ in 0..3 {
        let before = backup.state().map(|state| state.time);
        let mut recorder = frames.begin().unwrap();
        backup.record(&mut recorder, &mut simulation).unwrap();
        recorder.submit().unwrap();
        backup.submitted();
        assert!(backup.state().unwrap().time == simulation.time() && before != Some(simulation.time()));
        memory.push(device.memory());
        std::thread::sleep(Duration::from_millis(1100));
    }
    assert!(memory.iter().all(|one| *one == memory[0]), "{memory:?}");
}
