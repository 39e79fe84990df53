//! The copies of a state that are kept for when its device is lost.

mod common;

use common::{Validated, load};
use glam::{Vec3, Vec4};
use tautline::engine::{Device, Frames};
use tautline::solver::{Backup, Simulation};

/// Records a step with `record`, and waits for it.
fn step(device: &Device, simulation: &mut Simulation, backup: &mut Backup) {
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    backup.record(&mut recorder, simulation).unwrap();
    let ticket = recorder.submit().unwrap();
    device.wait(ticket).unwrap();
    backup.submitted(ticket).unwrap();
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
        let mut backup = Backup::new(device, &simulation).unwrap();
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
fn a_cloth_that_was_cut_has_no_copy() {
    let validated = Validated::open();
    let device = &validated.device;
    let cut = "[{time = 0, point = [0.01, 0, 0], normal = [1, 0, 0]}]";
    let scene = load("flag", &[("columns", "13"), ("rows", "9"), ("cut", cut)]);
    let mut simulation = scene.simulation(device).unwrap();
    let mut backup = Backup::new(device, &simulation).unwrap();
    step(device, &mut simulation, &mut backup);
    assert!(simulation.has_cut() && backup.state().is_none());
    simulation.reset().unwrap();
    assert!(!simulation.has_cut());
}
