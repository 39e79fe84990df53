//! The same simulated second on the GPU, however the frames fall that it is run in, and what is drawn between its steps.

mod common;

use std::time::Duration;

use common::{Validated, bits, load};
use glam::Vec4;
use tautline::engine::{COLOR_FORMAT, Device, Frames, Image, ImageKind, Staging};
use tautline::render::{Bounds, Camera, Picture, View, ViewTargets};
use tautline::scene::Scene;
use tautline::solver::{Clock, Simulation};

/// A simulated second, in steps of 1/60 s.
const STEPS: u32 = 60;
/// The most steps of a frame: fewer than a stall holds.
const MAX_STEPS: u32 = 8;
/// Width and height of a picture \[pixels\].
const SIZE: [u32; 2] = [160, 120];

/// A sheet that swings down.
fn scene(solver: &str) -> Scene {
    let settings = [("solver", solver), ("plane", "horizontal"), ("columns", "13"), ("rows", "9"), ("substeps", "15")];
    load("flag", &settings)
}

/// Ropes that are let go.
fn ropes() -> Scene {
    load("ropes", &[("rope_count", "6"), ("rope_held", "first"), ("rope_columns", "2")])
}

/// So many frames of the same wall time.
fn frames(count: usize, a_second: u32) -> Vec<Duration> {
    vec![Duration::from_secs(1) / a_second; count]
}

/// Runs frames of the given wall times until the second is over: where the particles are then, how many steps each frame
/// had, and how many were dropped.
fn run(device: &Device, scene: &Scene, wall: &[Duration]) -> (Vec<Vec4>, Vec<u32>, u64) {
    let mut simulation = scene.simulation(device).unwrap();
    let mut clock = Clock::new(scene.dt, scene.time_scale, MAX_STEPS);
    let mut in_flight = Frames::new(device, 2).unwrap();
    let mut steps = Vec::new();
    for &wall in wall {
        let left = STEPS - steps.iter().sum::<u32>();
        let due = clock.advance(wall).min(left);
        let mut recorder = in_flight.begin().unwrap();
        (0..due).for_each(|_| simulation.record(&mut recorder).unwrap());
        recorder.submit().unwrap();
        steps.push(due);
        if due == left {
            break;
        }
    }
    assert_eq!(steps.iter().sum::<u32>(), STEPS, "the second is not over");
    in_flight.finish().unwrap();
    let positions = simulation.positions().unwrap();
    assert!(positions.iter().all(|position| position.is_finite()), "the solver was unstable");
    (positions, steps, clock.dropped())
}

#[test]
fn the_same_second_ends_in_the_same_bits_whatever_the_frames() {
    let validated = Validated::open();
    let device = &validated.device;
    for scene in [scene("xpbd"), scene("verlet"), ropes()] {
        let solver = scene.solver;
        let (wanted, steps, _) = run(device, &scene, &frames(61, 60));
        assert_eq!(steps.iter().max(), Some(&1));
        let start = scene.simulation(device).unwrap().positions().unwrap();
        assert_ne!(wanted, start, "{solver}: nothing moves");

        let same = |what: &str, wall: &[Duration]| {
            let (positions, steps, dropped) = run(device, &scene, wall);
            assert!(bits(&positions) == bits(&wanted), "{solver}, {what}: other bits");
            (steps, dropped)
        };
        let (steps, dropped) = same("24 frames a second", &frames(25, 24));
        assert!(steps.contains(&2) && steps.contains(&3) && dropped == 0, "{steps:?}, {dropped} dropped");
        let (steps, dropped) = same("144 frames a second", &frames(145, 144));
        assert!(steps.contains(&0) && !steps.contains(&2) && dropped == 0, "{steps:?}, {dropped} dropped");

        // At other speeds of time, steps take longer or shorter by the wall.
        for (speed, wall, most) in [(0.5, frames(121, 60), 1), (2.5, frames(26, 60), 3)] {
            let scene = Scene { time_scale: speed, ..scene.clone() };
            let (positions, steps, dropped) = run(device, &scene, &wall);
            assert!(bits(&positions) == bits(&wanted), "{solver}, at {speed}: other bits");
            assert_eq!((steps.iter().max(), dropped), (Some(&most), 0), "{speed}");
        }

        // While it is paused, pictures are drawn and no time passes.
        let (steps, dropped) = same("a pause", &[frames(20, 60), vec![Duration::ZERO; 30], frames(41, 60)].concat());
        assert_eq!((steps.len(), dropped), (91, 0));
        assert!(steps[20..50].iter().all(|&steps| steps == 0), "{steps:?}");

        // The 20 frames before it fall short of 20 steps by a hair, so 180 are due: 3 s and what is pending.
        let stall = vec![Duration::from_secs(3)];
        let (steps, dropped) = same("a stall", &[frames(20, 60), stall, frames(40, 60)].concat());
        assert_eq!((steps[20], dropped), (MAX_STEPS, 180 - u64::from(MAX_STEPS)));
    }
}

/// The picture that lies `alpha` of the way through the last step.
fn between(device: &Device, view: &View, simulation: &Simulation, camera: &Camera, alpha: f32) -> Vec<u8> {
    let targets = ViewTargets::new(device, SIZE, COLOR_FORMAT).unwrap();
    let image = Image::new(device, "between", ImageKind::Color { format: COLOR_FORMAT, samples: 1 }, SIZE).unwrap();
    let staging = Staging::readback(device, "between", image.byte_size()).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    view.record(&mut recorder, simulation, alpha, camera, &targets, &image).unwrap();
    recorder.download_image(&image, &staging).unwrap();
    recorder.submit().unwrap();
    staging.read().unwrap()
}

#[test]
fn pictures_between_two_steps_go_from_the_one_to_the_other() {
    let validated = Validated::open();
    let device = &validated.device;
    for scene in [scene("xpbd"), scene("verlet"), ropes()] {
        let solver = scene.solver;
        let mut simulation = scene.simulation(device).unwrap();
        let points: Vec<_> = simulation.body().positions().iter().map(|particle| particle.truncate()).collect();
        let room = Bounds::around(points.iter().copied()).with_room_to_hang();
        let camera = Camera::framing(&points, SIZE[0] as f32 / SIZE[1] as f32);
        let mut view = View::new(device, &simulation, None, COLOR_FORMAT, room).unwrap();
        let mut frames = Frames::new(device, 1).unwrap();
        let picture =
            |view: &View, simulation: &Simulation| Picture::draw(device, view, simulation, &camera, SIZE).unwrap().rgba;

        let mut recorder = frames.begin().unwrap();
        (0..10).for_each(|_| simulation.record(&mut recorder).unwrap());
        recorder.submit().unwrap();
        let before = picture(&view, &simulation);
        let mut recorder = frames.begin().unwrap();
        view.keep(&mut recorder, &simulation).unwrap();
        simulation.record(&mut recorder).unwrap();
        recorder.submit().unwrap();
        let after = picture(&view, &simulation);

        let [first, middle, last] = [0.0, 0.5, 1.0].map(|alpha| between(device, &view, &simulation, &camera, alpha));
        assert!(before != after, "{solver}: the step shows nothing");
        assert!(first == before, "{solver}: alpha 0 is not the state before the step");
        assert!(last == after, "{solver}: alpha 1 is not the state after the step");
        assert!(middle != before && middle != after, "{solver}: alpha 0.5 is one of the ends");
    }
}
