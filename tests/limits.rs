//! Cloth that is not to stretch does not, whatever hangs on it: long range attachments and the strain limit.

mod common;

use common::{Validated, bits, run_solver};
use glam::{Quat, Vec3, Vec4};
use tautline::engine::Device;
use tautline::model::{self, AttachedParticle, Attachment, Blade, Cloth, Grid, GridPlane, Pose, strain};
use tautline::solver::{Path, Pbd, PbdSettings, Solver, Step, Surroundings};

/// What is promised, and the most that `f32` places can make of it: a link of 3 mm at 2 m from the origin is known to 1e-4.
const MAX_STRAIN: f32 = 0.02;

fn settings() -> PbdSettings {
    PbdSettings { max_strain: MAX_STRAIN, damping: 0.2, ..PbdSettings::default() }
}

fn step(rate: f32, substeps: u32) -> Step {
    Step { dt: 1.0 / rate, substeps, iterations: 1, gravity: Vec3::new(0.0, -9.81, 0.0) }
}

/// A square of 1.5 m that hangs, with nothing pinned.
fn square(nodes: u32) -> Cloth {
    let grid = Grid { columns: nodes, rows: nodes, spacing: 1.5 / (nodes - 1) as f32 };
    Cloth::from_grid(grid, GridPlane::Vertical, 0.3 / (nodes * nodes) as f32, false)
}

/// The same pinned along its upper edge.
fn curtain(nodes: u32) -> Cloth {
    let mut cloth = square(nodes);
    cloth.pin(0..nodes);
    cloth
}

/// Makes some particles so many times as heavy.
fn weigh(cloth: &mut Cloth, particles: impl IntoIterator<Item = u32>, times: f32) {
    for particle in particles {
        cloth.positions[particle as usize].w /= times;
        cloth.inverse_masses[particle as usize] /= times;
    }
}

/// Carries what is held from side to side and back and forth, 10 cm to either side once a second.
fn shaken(cloth: &mut Cloth) {
    let held = (0..).zip(&cloth.positions).filter(|(_, particle)| particle.w == 0.0);
    let particles = held.map(|(index, particle)| AttachedParticle {
        index,
        place: particle.truncate(),
        inverse_mass: cloth.inverse_masses[index as usize],
    });
    let particles = particles.collect();
    let pose = |number: u32| {
        let time = f64::from(number) / 20.0;
        let turn = (time * std::f64::consts::TAU) as f32;
        (time, Pose { position: 0.1 * Vec3::new(turn.sin(), 0.0, (0.7 * turn).sin()), rotation: Quat::IDENTITY })
    };
    let path = model::Path::through((0..80).map(pose).collect()).unwrap();
    cloth.attachments.push(Attachment { particles, path, release: None });
}

fn solver(device: &Device, cloth: &Cloth, step: Step, settings: PbdSettings) -> Pbd {
    let surroundings = Surroundings { attachments: &cloth.attachments, ..Surroundings::default() };
    Pbd::new(device, cloth, step, settings, &surroundings).unwrap()
}

/// The largest strain after any step.
fn most_strain(device: &Device, cloth: &Cloth, step: Step, settings: PbdSettings, seconds: f32) -> f64 {
    let mut solver = solver(device, cloth, step, settings);
    let steps = (seconds / step.dt).round() as u32;
    let strains = (0..steps).map(|number| {
        let time = f64::from(number) * f64::from(step.dt);
        tautline::engine::Frames::run_once(device, |recorder| solver.record(recorder, time)).unwrap();
        strain(&solver.positions().unwrap(), &cloth.springs).max
    });
    strains.fold(0.0, f64::max)
}

fn assert_promise(what: &str, most: f64) {
    assert!(most <= f64::from(MAX_STRAIN), "{what}: {:.3} %", 100.0 * most);
}

#[test]
fn a_curtain_keeps_its_promise_at_every_rate() {
    let validated = Validated::open();
    let mut cloth = curtain(32);
    shaken(&mut cloth);
    for rate in [30.0, 60.0, 120.0] {
        let most = most_strain(&validated.device, &cloth, step(rate, 15), settings(), 1.5);
        assert_promise(&format!("at {rate} Hz"), most);
        let without = PbdSettings { max_strain: 0.0, ..settings() };
        let most = most_strain(&validated.device, &cloth, step(rate, 15), without, 0.5);
        assert!(most > f64::from(MAX_STRAIN), "there is nothing to limit at {rate} Hz: {most}");
    }
}

#[test]
fn a_weight_ten_thousand_times_as_heavy_hangs_on_it() {
    let validated = Validated::open();
    for is_shaken in [false, true] {
        let mut cloth = curtain(32);
        weigh(&mut cloth, [32 * 31 + 16], 1e4);
        if is_shaken {
            shaken(&mut cloth);
        }
        for rate in [30.0, 120.0] {
            let most = most_strain(&validated.device, &cloth, step(rate, 15), settings(), 1.0);
            assert_promise(&format!("shaken {is_shaken} at {rate} Hz"), most);
        }
    }
}

#[test]
fn two_corners_carry_all_of_it() {
    let validated = Validated::open();
    let mut cloth = square(32);
    cloth.pin([0, 31]);
    shaken(&mut cloth);
    assert_promise("two corners", most_strain(&validated.device, &cloth, step(60.0, 15), settings(), 1.5));
}

/// As large as the promise goes, which takes a real GPU: `cargo test --test limits -- --ignored`.
#[test]
#[ignore = "takes minutes on a software device"]
fn large_curtains_keep_their_promise() {
    let validated = Validated::open();
    for nodes in [64, 128, 256, 512] {
        for weight in [1.0, 1e4] {
            for rate in [30.0, 60.0, 120.0] {
                let mut cloth = curtain(nodes);
                weigh(&mut cloth, [nodes * (nodes - 1) + nodes / 2], weight);
                shaken(&mut cloth);
                let most = most_strain(&validated.device, &cloth, step(rate, 30), settings(), 1.0);
                println!("{nodes} x {nodes}, a weight of {weight}, {rate} Hz: {:.3} %", 100.0 * most);
                assert_promise(&format!("{nodes} x {nodes}, a weight of {weight}, at {rate} Hz"), most);
            }
        }
    }
}

#[test]
fn every_path_ends_in_the_same_bits() {
    let validated = Validated::open();
    let mut cloth = curtain(20);
    shaken(&mut cloth);
    for settings in [settings(), PbdSettings { max_strain: 0.0, long_range_attachments: true, ..settings() }] {
        let ends = [Path::Plain, Path::Fused].map(|path| {
            let mut solver = solver(&validated.device, &cloth, step(60.0, 4), PbdSettings { path, ..settings });
            run_solver(&validated.device, &mut solver, 1.0 / 60.0, 6);
            [bits(&solver.positions().unwrap()), bits(&solver.velocities().read().unwrap())]
        });
        assert!(ends[0] == ends[1], "{settings:?}");
    }
}

#[test]
fn a_chain_that_hangs_is_no_longer_than_at_rest() {
    let validated = Validated::open();
    // One column of 200 nodes, which four sweeps a step leave far too long, and its end a thousand times as heavy.
    let grid = Grid { columns: 1, rows: 200, spacing: 0.01 };
    let mut cloth = Cloth::from_grid(grid, GridPlane::Vertical, 0.001, false);
    cloth.pin([0]);
    weigh(&mut cloth, [199], 1000.0);
    let length = |settings: PbdSettings| {
        let mut solver = solver(&validated.device, &cloth, step(60.0, 4), settings);
        run_solver(&validated.device, &mut solver, 1.0 / 60.0, 120);
        let positions = solver.positions().unwrap();
        positions[0].truncate().distance(positions[199].truncate())
    };
    let unbounded = length(PbdSettings::default());
    let attached = length(PbdSettings { long_range_attachments: true, ..PbdSettings::default() });
    assert!(unbounded > 1.1 * 1.99, "there is nothing to bound: {unbounded} m");
    assert!((attached - 1.99).abs() < 1e-4, "{attached} m");
}

#[test]
fn what_is_let_go_falls_and_what_is_pinned_holds() {
    let validated = Validated::open();
    let cloth = curtain(8);
    let mut solver = solver(&validated.device, &cloth, step(60.0, 4), settings());
    run_solver(&validated.device, &mut solver, 1.0 / 60.0, 30);
    (0..8).for_each(|particle| solver.set_inverse_mass(particle, cloth.inverse_masses[particle as usize]));
    let mean =
        |solver: &Pbd| solver.positions().unwrap().iter().map(|particle| f64::from(particle.y)).sum::<f64>() / 64.0;
    let before = mean(&solver);
    run_solver(&validated.device, &mut solver, 1.0 / 60.0, 30);
    // Half a second of free fall, slowed by damping at 0.2 / s: y = g (t / k - (1 - exp(-k t)) / k²), to the order of a substep.
    let (rate, time) = (0.2_f64, 0.5_f64);
    let expected = 9.81 * (time / rate - (1.0 - (-rate * time).exp()) / (rate * rate));
    let fallen = before - mean(&solver);
    assert!((fallen / expected - 1.0).abs() < 0.02, "{fallen} m, not {expected} m");
    // Nothing has to hold it together while it falls, and one corner then holds all of it.
    solver.set_inverse_mass(0, 0.0);
    run_solver(&validated.device, &mut solver, 1.0 / 60.0, 120);
    let positions = solver.positions().unwrap();
    assert_promise("on one corner", strain(&positions, &cloth.springs).max);
    let farthest = positions.iter().map(|particle| particle.truncate().distance(positions[0].truncate()));
    // Along the grid's lines and diagonals the opposite corner is the farthest, and no farther than the diagonal.
    assert!(farthest.fold(0.0, f32::max) <= 1.5 * 2.0_f32.sqrt() * (1.0 + MAX_STRAIN));
}

#[test]
fn what_is_cut_off_falls() {
    let validated = Validated::open();
    let cloth = curtain(16);
    let mut solver = solver(&validated.device, &cloth, step(60.0, 4), settings());
    run_solver(&validated.device, &mut solver, 1.0 / 60.0, 10);
    let middle = Vec3::new(0.0, cloth.positions[16 * 8].y + 0.05, 0.0);
    assert!(solver.cut(Blade::plane(middle, Vec3::Y).unwrap()).unwrap());
    let before = solver.positions().unwrap();
    run_solver(&validated.device, &mut solver, 1.0 / 60.0, 30);
    let after = solver.positions().unwrap();
    let fallen = |particle: usize| before[particle].y - after[particle].y;
    assert!(fallen(16 * 15) > 1.0, "{} m", fallen(16 * 15));
    assert!(fallen(16 * 7).abs() < 0.05, "{} m", fallen(16 * 7));
}

#[test]
fn free_fall_keeps_zero_strain_and_its_velocity() {
    let validated = Validated::open();
    let cloth = square(12);
    let settings = PbdSettings { damping: 0.0, ..settings() };
    let mut solver = solver(&validated.device, &cloth, step(60.0, 4), settings);
    run_solver(&validated.device, &mut solver, 1.0 / 60.0, 30);
    assert!(strain(&solver.positions().unwrap(), &cloth.springs).max < 1e-4);
    let velocities: Vec<Vec4> = solver.velocities().read().unwrap();
    let expected = -9.81 * 0.5;
    assert!(velocities.iter().all(|velocity| (velocity.y - expected).abs() < 1e-3 * -expected));
}
