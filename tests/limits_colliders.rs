//! What the limits of stretch promise beside colliders, and where paths jump: that no spring is longer, and nothing inside.

mod common;

use std::f32::consts::FRAC_PI_2;

use common::{Validated, load, run, start};
use glam::{Quat, Vec3};
use tautline::engine::Device;
use tautline::scene::Scene;
use tautline::solver::Simulation;

const MAX_STRAIN: f64 = 0.02;
/// How deep particles may be inside a collider of up to 1 m: they touch from 1e-5 of its size on, and places of up to 2 m are
/// known to 1.2e-7 m, of which some ten are added up \[m\].
const TOUCH: f32 = 1e-5 + 1.2e-6;

/// A square of 1.5 m on the level of the origin, which ten substeps of a sweep leave too long wherever it is caught.
fn sheet(more: &[(&str, &str)]) -> Scene {
    let sheet = [
        ("columns", "25"),
        ("rows", "25"),
        ("spacing", "0.0625"),
        ("plane", "horizontal"),
        ("particle_mass", "0.0005"),
        ("wind", "[0, 0, 0]"),
        ("wind_flutter", "0"),
        ("damping", "0.2"),
        ("substeps", "10"),
        ("pins", "none"),
    ];
    load("flag", &[&sheet[..], more].concat())
}

/// The greatest strain after any step of 1/60 s, and how deep any particle is then, as `depth` says of a place and a time \[m\].
fn greatest(device: &Device, simulation: &mut Simulation, steps: u32, depth: impl Fn(Vec3, f32) -> f32) -> (f64, f32) {
    let (mut strain, mut deepest) = (0.0_f64, f32::NEG_INFINITY);
    for _ in 0..steps {
        run(device, simulation, 1);
        let (positions, time) = (simulation.positions().unwrap(), simulation.time() as f32);
        strain = strain.max(simulation.strain(&positions).unwrap().max);
        deepest = positions.iter().map(|place| depth(place.truncate(), time)).fold(deepest, f32::max);
    }
    (strain, deepest)
}

type Depth = fn(Vec3, f32) -> f32;

/// Colliders, what holds the sheet, and how deep a place is inside of any at a time.
const CASES: [(&str, &str, &str, Depth); 5] = [
    (
        "a sheet that falls over a ball",
        "[{shape = 'sphere', radius = 0.4, position = [0.01, -0.75, 0.72], friction = 0.3}]",
        "none",
        |place, _| 0.4 - place.distance(Vec3::new(0.01, -0.75, 0.72)),
    ),
    (
        "a ball that rises into a sheet on two corners at 1 m/s",
        "[{shape = 'sphere', radius = 0.4, path = [[0, 0, -1, 0.7], [2, 0, 1, 0.7]]}]",
        "[0, 24]",
        |place, time| 0.4 - place.distance(Vec3::new(0.0, time - 1.0, 0.7)),
    ),
    (
        "a sheet over a block that stands on the ground",
        "[{shape = 'plane', position = [0, -0.6, 0], friction = 0.2},
          {shape = 'box', sides = [0.5, 0.4, 0.5], position = [0, -0.4, 0.75], friction = 0.4}]",
        "none",
        |place, _| {
            let beyond = (place - Vec3::new(0.0, -0.4, 0.75)).abs() - Vec3::new(0.25, 0.2, 0.25);
            (-beyond.max_element()).max(-0.6 - place.y)
        },
    ),
    (
        "a sheet that falls over a bar and swings",
        "[{shape = 'capsule', radius = 0.03, length = 3, rotation = [0, 0, 1, 90], position = [0, -0.2, 0.5], friction = 0.2}]",
        "top-corners",
        |place, _| 0.03 - Vec3::new(0.0, place.y + 0.2, place.z - 0.5).length(),
    ),
    (
        "a sheet on hills of 3 in 4",
        "[{shape = 'height-field', heights = [[0, 1, 0], [0, 1, 0]], sides = [3.2, 1.2, 3.2], position = [0, -1.3, 0.75]}]",
        "top-row",
        |place, _| {
            let beyond = place.x.abs().max((place.z - 0.75).abs()) - 1.6;
            let below = 0.8 * (-1.3 + 1.2 - 0.75 * place.x.abs() - place.y);
            below.min(-beyond)
        },
    ),
];

#[test]
fn nothing_is_pulled_into_what_it_lies_on() {
    let validated = Validated::open();
    let device = &validated.device;
    for (what, collider, pins, depth) in CASES {
        let with = |max_strain: &str, on_cpu: bool| {
            let limits = [("collider", collider), ("pins", pins), ("max_strain", max_strain)];
            greatest(device, &mut start(device, &sheet(&limits), on_cpu), 75, depth)
        };
        for on_cpu in [false, true] {
            let (strain, deepest) = with("0.02", on_cpu);
            assert!(strain <= MAX_STRAIN, "{what}, on the CPU: {on_cpu}: {:.3} %", 100.0 * strain);
            assert!(deepest <= TOUCH, "{what}, on the CPU: {on_cpu}: {deepest} m deep");
            assert!(deepest > -0.01, "{what}, on the CPU: {on_cpu}: nothing touches anything");
        }
        let (strain, _) = with("0", true);
        assert!(strain > MAX_STRAIN, "{what}: there is nothing to limit: {:.3} %", 100.0 * strain);
    }
}

/// Long range attachments alone pull straight to what holds, here through the ball that rises.
#[test]
fn what_is_held_within_reach_stays_outside_as_well() {
    let validated = Validated::open();
    let (_, collider, _, depth) = CASES[1];
    for on_cpu in [false, true] {
        let keys = [("collider", collider), ("pins", "[0, 24]"), ("long_range_attachments", "true")];
        let mut simulation = start(&validated.device, &sheet(&keys), on_cpu);
        let (_, deepest) = greatest(&validated.device, &mut simulation, 75, depth);
        assert!((-0.01..=TOUCH).contains(&deepest), "on the CPU: {on_cpu}: {deepest} m deep");
    }
}

/// A sheet that hangs from a path which jumps 3 m and a quarter turn at 0.5 s, with a ball that jumps along, on which it lies: it is
/// carried along, and no longer than before at any time.
#[test]
fn what_jumps_keeps_the_promise() {
    let validated = Validated::open();
    let device = &validated.device;
    // From x = 0.1 on as before, or along -z from 3 m beside that.
    let held = |jumps: bool| if jumps { Vec3::new(3.0, 0.0, 1.0) } else { 0.1 * Vec3::X };
    let way = |jumps: bool| if jumps { -0.1 * Vec3::Z } else { 0.1 * Vec3::X };
    let turned = |jumps: bool| Quat::from_rotation_y(if jumps { FRAC_PI_2 } else { 0.0 });
    // The ball is as far from what is held.
    let ball = Vec3::new(0.0, -0.5, 0.7);
    let path = |jumps: bool, place: Vec3| {
        let key =
            |time: f32, Vec3 { x, y, z }: Vec3, degrees: f32| format!("[{time}, {x}, {y}, {z}, 0, 1, 0, {degrees}]");
        let after = held(jumps) + turned(jumps) * place;
        let degrees = if jumps { 90.0 } else { 0.0 };
        let before = [key(0.0, place, 0.0), key(0.5, place + 0.1 * Vec3::X, 0.0)];
        let after = [key(0.5, after, degrees), key(1.0, after + way(jumps), degrees)];
        format!("[{}]", [before, after].concat().join(", "))
    };
    for on_cpu in [false, true] {
        let after_the_jump = [false, true].map(|jumps| {
            let collider = format!("[{{shape = 'sphere', radius = 0.4, path = {}}}]", path(jumps, ball));
            let pin = format!("[{{row = 0, path = {}}}]", path(jumps, Vec3::ZERO));
            let keys = [("pin", &*pin), ("collider", &collider), ("max_strain", "0.02")];
            let mut simulation = start(device, &sheet(&keys), on_cpu);
            let depth = |place: Vec3, time: f32| {
                let before = ball + 0.2 * time * Vec3::X;
                let after = held(jumps) + turned(jumps) * ball + 2.0 * (time - 0.5) * way(jumps);
                0.4 - place.distance(if time < 0.499 { before } else { after })
            };
            let places = [30, 25].map(|steps| {
                let (strain, deepest) = greatest(device, &mut simulation, steps, depth);
                let told = format!("jumps: {jumps}, on the CPU: {on_cpu}");
                assert!(strain <= MAX_STRAIN, "{told}: {:.3} %", 100.0 * strain);
                assert!((-0.01..=TOUCH).contains(&deepest), "{told}: {deepest} m deep");
                simulation.positions().unwrap()
            });
            places[0].clone()
        });
        let [stayed, jumped] = after_the_jump;
        for (stayed, jumped) in stayed.iter().zip(&jumped) {
            let carried = held(true) + turned(true) * (stayed.truncate() - held(false));
            let off = carried.distance(jumped.truncate());
            // Rounding decides which links are just short enough, so by what a link may be longer.
            assert!(off < 0.0625 * MAX_STRAIN as f32, "on the CPU: {on_cpu}: {off} m off");
        }
    }
}

/// A sheet on a slope of 20 degrees rests with a coefficient of friction of 0.5, more than tan 20 = 0.364, and slides with one of 0.2
/// as far as Coulomb has it: what moves it out of the ground once more neither rubs nor takes friction away.
#[test]
fn friction_is_what_it_is_without_a_limit() {
    let validated = Validated::open();
    let device = &validated.device;
    // It is the gravity that slants: 9.81 (sin 20, -cos 20) m/s².
    let (along, down) = (3.3552_f64, 9.2184_f64);
    let gravity = format!("[{along}, -{down}, 0]");
    for (friction, on_cpu) in [(0.5, false), (0.2, false), (0.5, true), (0.2, true)] {
        let ground = format!("[{{shape = 'plane', friction = {friction}}}]");
        let keys = [("collider", &*ground), ("gravity", &gravity), ("damping", "0"), ("max_strain", "0.02")];
        let mut simulation = start(device, &sheet(&keys), on_cpu);
        let before = simulation.positions().unwrap();
        run(device, &mut simulation, 60);
        let after = simulation.positions().unwrap();
        // Velocities first, and places by them: after n substeps of h, n (n + 1) / 2 ways of a h².
        let (substep, count) = (1.0 / 600.0, 600.0);
        let ways = count * (count + 1.0) / 2.0;
        let expected = (along - friction * down).max(0.0) * substep * substep * ways;
        for (before, after) in before.iter().zip(&after) {
            let way = f64::from(after.x - before.x);
            let told = format!("friction {friction}, on the CPU: {on_cpu}: {way} m, not {expected} m; {after}");
            // Half an ulp of places of up to 2 m, each time, which stays as a velocity.
            let rounding = ways * 6e-8;
            assert!((way - expected).abs() < rounding && f64::from(after.z - before.z).abs() < rounding, "{told}");
            assert!(after.y.abs() <= TOUCH, "{told}");
        }
    }
}
