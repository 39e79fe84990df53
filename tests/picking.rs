//! What hands do to particles, kernel by kernel against their twins, and the particle that a ray means.

mod common;

use common::{Random, Validated, load};
use glam::{Vec2, Vec3, Vec4};
use tautline::engine::{Buffer, Device, Frames, Image, ImageKind, Kernel};
use tautline::layout::{GripParticle, PickPush, Picked, PinPush, PullPush};
use tautline::model::{Cloth, Grid, GridPlane, Ray};
use tautline::reference::hand;
use tautline::render::Camera;
use tautline::scene::Scene;
use tautline::shaders;
use tautline::solver::{Picker, Simulation};

/// A grid whose particles are no multiple of a workgroup.
const COLUMNS: u32 = 31;
const ROWS: u32 = 33;
const PARTICLES: u32 = COLUMNS * ROWS;

fn vectors(random: &mut Random, w: impl Fn(u32) -> f32) -> Vec<Vec4> {
    (0..PARTICLES).map(|index| Vec3::new(random.signed(), random.signed(), random.signed()).extend(w(index))).collect()
}

/// More particles than a workgroup has invocations, some of them pinned.
fn gripped() -> Vec<GripParticle> {
    (0..150).map(|number| GripParticle { index: 3 + 5 * number, weight: 1.0 / (1.0 + number as f32) }).collect()
}

fn push(substep_dt: f32) -> PullPush {
    PullPush { target: Vec4::new(3.0, -2.0, 1.0, 20.0), reach: 0.75, substep_dt, count: 149, padding: 0 }
}

/// One call rounds a few operations on numbers of magnitude 1 to 20.
fn assert_same(gpu: &[Vec4], twin: &[Vec4]) {
    for (index, (gpu, twin)) in gpu.iter().zip(twin).enumerate() {
        assert!((*gpu - *twin).abs().max_element() < 1e-5, "particle {index}: {gpu} on the GPU, {twin}");
    }
}

#[test]
fn the_kernel_pulls_as_its_twin_does() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(31);
    let start = vectors(&mut random, |index| if index % 8 == 0 { 0.0 } else { 1.0 });
    let mut twin = vectors(&mut random, |_| 0.0);
    let positions = Buffer::from_slice(device, "positions", &start).unwrap();
    let velocities = Buffer::from_slice(device, "velocities", &twin).unwrap();
    let particles = Buffer::from_slice(device, "grip particles", &gripped()).unwrap();
    let bindings = Kernel::new(device, &shaders::HAND_PULL)
        .unwrap()
        .bind(&[
            ("Positions", (&positions).into()),
            ("Velocities", (&velocities).into()),
            ("GripParticles", (&particles).into()),
        ])
        .unwrap();
    let before = twin.clone();
    for substep_dt in [1.0 / 64.0, 1.0 / 1024.0] {
        let push = push(substep_dt);
        Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, [1, 1, 1])).unwrap();
        hand::pull_velocities(&push, &gripped(), &start, &mut twin);
        assert_same(&velocities.read().unwrap(), &twin);
    }
    let changed = twin.iter().zip(&before).filter(|(now, before)| now != before).count();
    // Of 149 particles, in steps of five from the third, every eighth is pinned.
    assert!((125..=132).contains(&changed), "{changed} particles are pulled");
}

#[test]
fn the_kernel_on_images_pulls_and_pins_as_its_twin_does() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(37);
    let current = vectors(&mut random, |index| if index % 8 == 0 { 1.0 } else { 0.0 });
    let mut twin: Vec<Vec4> = current.iter().map(|&position| position + 0.01 * random.signed()).collect();
    let image = |texels: &[Vec4]| {
        let image = Image::new(device, "positions", ImageKind::Storage, [COLUMNS, ROWS]).unwrap();
        image.write(texels).unwrap();
        image
    };
    let (now, before) = (image(&current), image(&twin));
    let particles = Buffer::from_slice(device, "grip particles", &gripped()).unwrap();
    let bindings = Kernel::new(device, &shaders::HAND_PULL_IMAGE)
        .unwrap()
        .bind(&[("u_CurrPos", (&now).into()), ("u_PrevPos", (&before).into()), ("GripParticles", (&particles).into())])
        .unwrap();
    let push = push(1.0 / 64.0);
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, [1, 1, 1])).unwrap();
    hand::pull_ways(&push, &gripped(), &current, &mut twin);
    assert_same(&before.read().unwrap(), &twin);

    let pin = Kernel::new(device, &shaders::HAND_PIN_IMAGE).unwrap().bind(&[("u_Positions", (&now).into())]).unwrap();
    Frames::run_once(device, |recorder| {
        recorder.dispatch(&pin, &PinPush { index: 100, flag: 1.0 }, [1, 1, 1])?;
        recorder.dispatch(&pin, &PinPush { index: 200, flag: 0.0 }, [1, 1, 1])
    })
    .unwrap();
    let mut expected = current;
    (expected[100].w, expected[200].w) = (1.0, 0.0);
    assert_eq!(now.read::<Vec4>().unwrap(), expected);
}

/// What a picker finds, as the window asks it.
fn pick(device: &Device, simulation: &Simulation, ray: &Ray, slope: f32) -> Option<Picked> {
    let picker = Picker::new(device, simulation).unwrap();
    Frames::run_once(device, |recorder| picker.record(recorder, simulation, ray, slope)).unwrap();
    picker.read().unwrap()
}

#[test]
fn the_kernel_finds_what_its_twin_finds() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(41);
    let mut positions = vectors(&mut random, |_| 1.0);
    // Two in one place, and one that is nowhere.
    positions[900] = positions[30];
    positions[7] = Vec4::NAN;
    let buffer = Buffer::from_slice(device, "positions", &positions).unwrap();
    let result = Buffer::zeroed(device, "picked", 32).unwrap();
    let bindings = Kernel::new(device, &shaders::PICK_NEAREST)
        .unwrap()
        .bind(&[("Positions", (&buffer).into()), ("Result", (&result).into())])
        .unwrap();
    let places: Vec<Vec3> = positions.iter().map(|position| position.truncate()).collect();
    let mut found = 0;
    for number in 0..200 {
        let origin = 3.0 * Vec3::new(random.signed(), random.signed(), random.signed());
        let towards = if number == 0 { places[30] } else { 0.8 * Vec3::new(random.signed(), random.signed(), 0.0) };
        let direction = (towards - origin).normalize();
        let push = PickPush {
            origin: origin.extend(0.02),
            direction: direction.extend(0.01),
            particle_count: PARTICLES,
            padding: [0; 3],
        };
        Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, [128, 1, 1])).unwrap();
        let gpu = result.read::<Picked>().unwrap()[0];
        let twin = hand::nearest(&push, &places);
        if gpu.index != twin.index {
            // Only where two are equally good, or one is just not near, to rounding.
            let margin = |index: u32| {
                let offset = places[index as usize] - origin;
                let along = offset.dot(direction);
                (along, (offset - along * direction).length())
            };
            let known = [gpu.index, twin.index].into_iter().filter(|&index| index != Picked::NONE).map(margin);
            let costs: Vec<_> = known.collect();
            let even = costs.len() == 2 && ((costs[0].0 + costs[0].1) - (costs[1].0 + costs[1].1)).abs() < 1e-5;
            let edge = costs.iter().any(|&(along, across)| (across - f32::max(0.02, 0.01 * along)).abs() < 1e-5);
            assert!(even || edge, "ray {number}: {gpu:?} on the GPU, {twin:?}");
        } else if gpu.index != Picked::NONE {
            found += 1;
            assert_same(&[gpu.position], &[twin.position]);
        }
    }
    assert!((50..200).contains(&found), "{found} rays find a particle");
}

/// A ray at a particle of the front of two sheets finds it, whatever keeps the particles; one past their border finds none.
#[test]
fn a_ray_means_the_particle_in_front() {
    let validated = Validated::open();
    let device = &validated.device;
    for (preset, list) in [
        ("flag", "columns=20 rows=14 spacing=0.1"),
        ("verlet", "columns=20 rows=14 spacing=1 plane=vertical"),
        ("curtain", "columns=20 rows=14 spacing=0.1 plane=vertical"),
        ("ropes", "rope_count=12 rope_columns=1 rope_particles=16"),
    ] {
        let settings: Vec<_> = list.split(' ').map(|setting| setting.split_once('=').unwrap()).collect();
        let simulation = load(preset, &settings).simulation(device).unwrap();
        let places: Vec<Vec3> = simulation.body().positions().iter().map(|position| position.truncate()).collect();
        let camera = Camera::framing(&places, 1.5);
        let extent = Vec2::new(900.0, 600.0);
        let on_picture = |place: Vec3| {
            let clip = camera.clip_from_world(1.5).project_point3(place).truncate();
            (clip + 1.0) / 2.0 * extent
        };
        let slope = 2.0 * Camera::pixel_slope(extent.y);
        for index in [0, 5, 33, 100] {
            let ray = camera.ray(on_picture(places[index]), extent);
            let picked = pick(device, &simulation, &ray, slope).expect("a particle");
            // A rope that passes in front of this one may be meant instead.
            let nearer = (places[picked.index as usize] - ray.origin).length() < (places[index] - ray.origin).length();
            assert!(picked.index as usize == index || preset == "ropes" && nearer, "{preset}: {picked:?}, not {index}");
            assert_eq!(picked.position.truncate(), places[picked.index as usize]);
        }
        assert_eq!(pick(device, &simulation, &camera.ray(Vec2::ZERO, extent), slope), None, "{preset}");
    }
}

/// The result of a search is there once its frame is done, without anybody having waited, while later frames are recorded.
#[test]
fn the_result_comes_while_frames_go_on() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut simulation = Scene::load("flag", &[]).unwrap().simulation(device).unwrap();
    let picker = Picker::new(device, &simulation).unwrap();
    let mut frames = Frames::new(device, 2).unwrap();
    let target = simulation.body().positions()[50].truncate();
    let ray = Ray { origin: target + Vec3::Z, direction: Vec3::NEG_Z };
    let mut searched = None;
    for frame in 0.. {
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        if frame == 0 {
            picker.record(&mut recorder, &simulation, &ray, 0.0).unwrap();
        }
        let ticket = *searched.get_or_insert(recorder.submit().unwrap());
        if device.is_done(ticket).unwrap() {
            assert!(frame <= 2, "with two frames in flight, the first is done before the third begins");
            break;
        }
    }
    assert_eq!(picker.read().unwrap().expect("the pinned edge").index, 50);
}

/// Of two sheets a ray means the near one, wherever it goes through its cells.
#[test]
fn of_two_layers_the_near_one_is_meant() {
    let sheet = Cloth::from_grid(Grid { columns: 9, rows: 9, spacing: 0.1 }, GridPlane::Vertical, 1.0, false);
    let near = sheet.positions.iter().map(|position| position.truncate());
    // Farther away than the sides of their cells, and shifted by half a cell, so that its particles are in the gaps.
    let places: Vec<Vec3> = near.clone().chain(near.map(|near| near + Vec3::new(0.05, 0.05, -0.15))).collect();
    let mut random = Random(3);
    for _ in 0..200 {
        let towards = Vec3::new(0.35 * random.signed(), -0.4 + 0.35 * random.signed(), 0.0);
        let origin = Vec3::new(0.5, 0.0, 4.0);
        let push = PickPush {
            origin: origin.extend(0.075),
            direction: (towards - origin).normalize().extend(0.0),
            particle_count: 162,
            padding: [0; 3],
        };
        let picked = hand::nearest(&push, &places);
        assert!(picked.index < 81, "{towards}: {picked:?}");
        assert!(picked.position.truncate().distance(towards) < 0.1);
    }
}
