//! What a look after a step finds: held against what the state and the model say, on every solver and storage.

mod common;
#[path = "common/looks.rs"]
mod looks;
#[path = "common/places.rs"]
mod places;

use common::{Validated, load, run, start};
use glam::Vec3;
use looks::{look, storages};
use tautline::engine::SmallerLimits;
use tautline::layout::Look;
use tautline::model::{Spring, SpringKind};
use tautline::scene::Scene;
use tautline::solver::{Watch, steps_between_looks};

const BALL: &str = "[{shape = 'sphere', radius = 0.3, position = [0.2, -0.2, 0.1]}]";

/// Few particles and many, where a ball has been put into what hangs there.
fn scenes() -> Vec<(Scene, bool)> {
    let small = storages(BALL);
    let on_cpu = small.clone().into_iter().map(|scene| (scene, true));
    let mut scenes: Vec<_> = small.into_iter().map(|scene| (scene, false)).chain(on_cpu).collect();
    // More springs than the invocations of one look.
    let large = [("columns", "200"), ("rows", "180"), ("collider", BALL), ("substeps", "2")];
    scenes.push((load("flag", &large), false));
    scenes
}

/// The greatest value, and the first that has it.
fn greatest(values: impl Iterator<Item = f64>) -> (f64, u32) {
    let first = (f64::NEG_INFINITY, Look::NONE);
    values.zip(0..).fold(first, |best, (value, index)| if value > best.0 { (value, index) } else { best })
}

#[track_caller]
fn assert_near(found: f32, wanted: f64, told: &str) {
    assert!((f64::from(found) - wanted).abs() <= 1e-5 * wanted.abs() + 1e-6, "{told}: {found} and not {wanted}");
}

#[test]
fn a_look_finds_what_the_state_has() {
    let validated = Validated::open();
    let device = &validated.device;
    for (scene, on_cpu) in scenes() {
        let told = format!("{} in {:?}, path {:?}, on the CPU: {on_cpu}", scene.solver, scene.storage, scene.path);
        let mut simulation = start(device, &scene, on_cpu);
        let mut watch = Watch::new(device, &simulation).unwrap();
        for steps in [1, 2] {
            run(device, &mut simulation, steps);
            let found = look(device, &mut watch, &mut simulation);
            let (positions, state) = (simulation.positions().unwrap(), simulation.state().unwrap());
            let (speed, fastest) = greatest(state.velocities.iter().map(|velocity| velocity.as_dvec3().length()));
            assert_near(found.speed, speed, &told);
            let fastest = state.velocities[fastest as usize].length();
            assert!(fastest == state.velocities[found.speed_particle as usize].length(), "{told}: {found:?}");
            let elongation = f64::from(scene.elongation);
            let springs = simulation.body().springs();
            let stretch = |spring: &Spring| {
                let [a, b] = spring.particles.map(|particle| positions[particle as usize].truncate().as_dvec3());
                a.distance(b) / f64::from(spring.rest_length)
            };
            // What is no constraint has no error, but of its threads.
            let counts = |spring: &Spring| !scene.solver.needs_grid() || spring.kind == SpringKind::Structural;
            let error = |spring: &Spring| if counts(spring) { (stretch(spring) / elongation - 1.0).abs() } else { 0.0 };
            let errors: Vec<f64> = springs.iter().map(error).collect();
            assert_near(found.error, greatest(errors.iter().copied()).0, &told);
            assert_near(found.error, errors[found.error_spring as usize], &told);
            assert_near(found.strain, simulation.strain(&positions).unwrap().max, &told);
            let stretched = &springs[found.strain_spring as usize];
            assert_eq!(stretched.kind, SpringKind::Structural);
            assert_near(found.strain, (stretch(stretched) - 1.0).max(0.0), &told);
            let depths: Vec<f64> = positions
                .iter()
                .map(|place| 0.3 - place.truncate().as_dvec3().distance(Vec3::new(0.2, -0.2, 0.1).as_dvec3()))
                .collect();
            let (depth, _) = greatest(depths.iter().copied());
            assert_near(found.depth, depth.max(0.0), &told);
            if found.depth > 0.0 {
                assert_near(found.depth, depths[found.depth_particle as usize], &told);
            }
            assert_eq!((found.non_finite_count, found.first_non_finite), (0, Look::NONE), "{told}");
        }
    }
}

#[test]
fn what_is_not_finite_is_counted_and_found_at_once() {
    let validated = Validated::open();
    let device = &validated.device;
    for (scene, _) in scenes().into_iter().filter(|(_, on_cpu)| !on_cpu) {
        let told = format!("{} in {:?}, path {:?}", scene.solver, scene.storage, scene.path);
        let mut simulation = scene.simulation(device).unwrap();
        let mut watch = Watch::new(device, &simulation).unwrap();
        run(device, &mut simulation, 1);
        for (particles, with) in [(&[40][..], f32::NAN), (&[7, 31], f32::INFINITY), (&[7, 31, 90], f32::NEG_INFINITY)] {
            places::put(&simulation, 1, particles, with);
            let found = look(device, &mut watch, &mut simulation);
            let wanted = [particles, &[40]].concat();
            let count = if particles.contains(&40) { 1 } else { particles.len() as u32 + 1 };
            let first = *wanted.iter().min().unwrap();
            assert_eq!((found.non_finite_count, found.first_non_finite), (count, first), "{told}, {with}");
            // What is beside them is still told, of numbers.
            assert!(
                found.speed.is_finite() && found.strain.is_finite() && found.error.is_finite(),
                "{told}: {found:?}"
            );
            assert!(!wanted.contains(&found.speed_particle), "{told}: {found:?}");
        }
    }
}

#[test]
fn springs_that_are_cut_are_passed_over() {
    let validated = Validated::open();
    let device = &validated.device;
    let settings = [
        ("columns", "9"),
        ("rows", "9"),
        ("substeps", "4"),
        ("cut", "[{time = 0, point = [0, -0.05, 0], normal = [0, 1, 0]}]"),
    ];
    for on_cpu in [false, true] {
        let mut simulation = start(device, &load("flag", &settings), on_cpu);
        let mut watch = Watch::new(device, &simulation).unwrap();
        // What is cut off falls, so that what was cut would be stretched by far.
        run(device, &mut simulation, 20);
        let found = look(device, &mut watch, &mut simulation);
        let positions = simulation.positions().unwrap();
        assert!(simulation.cut_count().unwrap() >= 9);
        assert_near(found.strain, simulation.strain(&positions).unwrap().max, "cut");
        assert!(found.error < 0.5, "{found:?}");
    }
}

/// Springs that are bound in several windows are those that one binding holds.
#[test]
fn a_look_through_several_windows_is_the_same() {
    let settings = [("columns", "60"), ("rows", "50"), ("substeps", "2"), ("path", "plain")];
    let looked = |limits: &SmallerLimits| {
        let validated = Validated::smaller(limits);
        let device = &validated.device;
        let mut simulation = load("flag", &settings).simulation(device).unwrap();
        let mut watch = Watch::new(device, &simulation).unwrap();
        run(device, &mut simulation, 3);
        look(device, &mut watch, &mut simulation)
    };
    let limits = SmallerLimits { storage_buffer_range: 160_000, ..SmallerLimits::default() };
    assert_eq!(looked(&limits), looked(&SmallerLimits::default()));
}

#[test]
fn looks_are_as_far_apart_as_keeps_them_below_two_percent() {
    let between = |scene: &Scene, dispatches| {
        let body = scene.cpu_simulation().unwrap();
        let (particles, springs) = (body.body().positions().len(), body.body().springs().len());
        steps_between_looks(&scene.step(), particles, springs, dispatches)
    };
    // 150 dispatches, and visits of 15 (2 * 10,000 + 39,402) against twice 49,402 of a look: 11.1 % of a step.
    let flag = load("flag", &[("bending", "false")]);
    assert_eq!((flag.substeps, flag.iterations), (15, 1));
    assert_eq!(between(&flag, 150), 6);
    // In 5 dispatches it is as long as 7.5 of them: a look is 40 % of it.
    assert_eq!(between(&flag, 5), 20);
    // 1,000 substeps leave a look room in each step.
    assert_eq!(between(&load("flag", &[("bending", "false"), ("substeps", "1000")]), 8000), 1);
}
