//! What pictures show: colours that mean something, and the cloth beside the cloth.

mod common;

use common::Validated;
use glam::Vec2;
use tautline::engine::{COLOR_FORMAT, Device, Frames};
use tautline::render::{Bounds, Camera, Picture, Shown, View, Wave};
use tautline::scene::Scene;
use tautline::solver::Simulation;

const SIZE: [u32; 2] = [160, 120];

fn load(preset: &str, settings: &[(&str, &str)]) -> Scene {
    let settings: Vec<_> = settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scene::load(preset, &settings).unwrap()
}

fn run(device: &Device, simulation: &mut Simulation, steps: u32) {
    let mut frames = Frames::new(device, 2).unwrap();
    for _ in 0..steps {
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
}

/// The picture of `simulation` that a camera takes of the box around `room`.
fn picture(device: &Device, simulation: &Simulation, wave: Option<Wave>, shown: Shown, room: Bounds) -> Picture {
    let mut view = View::new(device, simulation, wave, COLOR_FORMAT, room).unwrap();
    view.show(shown);
    let camera = Camera::framing(&room.corners(), SIZE[0] as f32 / SIZE[1] as f32);
    Picture::draw(device, &view, simulation, &camera, SIZE).unwrap()
}

/// The linear colour of the pixel in the middle.
fn middle(picture: &Picture) -> [f64; 3] {
    let place = 4 * (SIZE[1] / 2 * SIZE[0] + SIZE[0] / 2) as usize;
    [0, 1, 2].map(|channel| {
        let value = f64::from(picture.rgba[place + channel]) / 255.0;
        // IEC 61966-2-1.
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

/// A sheet that floats and whose constraints want to be longer has the colour of that stretch: viridis, from 0 to 10 %.
#[test]
fn stretch_has_the_colour_of_its_scale() {
    let validated = Validated::open();
    let device = &validated.device;
    // sRGB 0 to 255, as Matplotlib has them at 0, 0.25, 0.5, 0.75 and 1, and what lies on the way from the first to the
    // second.
    let viridis = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
    let linear = |color: [u8; 3]| color.map(|channel| ((f64::from(channel) / 255.0 + 0.055) / 1.055).powf(2.4));
    for (elongation, color) in [("0.9", 0), ("1", 0), ("1.025", 1), ("1.05", 2), ("1.075", 3), ("1.1", 4), ("1.3", 4)] {
        let settings = [
            ("columns", "5"),
            ("rows", "5"),
            ("spacing", "0.25"),
            ("pins", "none"),
            ("gravity", "[0, 0, 0]"),
            ("wind", "[0, 0, 0]"),
            ("wind_flutter", "0"),
            ("damping", "5"),
            ("elongation", elongation),
        ];
        let mut simulation = load("flag", &settings).simulation(device).unwrap();
        run(device, &mut simulation, 120);
        let room = Bounds::around(simulation.positions().unwrap().iter().map(|position| position.truncate()));
        let shown = middle(&picture(device, &simulation, None, Shown::Stretch, room));
        let expected = linear(viridis[color]);
        // Light leaves the ratios of the channels as they are; eight bits know a dark one to a few parts in a hundred.
        let total: f64 = shown.iter().sum();
        let expected_total: f64 = expected.iter().sum();
        for (shown, expected) in shown.iter().zip(expected) {
            let (shown, expected) = (shown / total, expected / expected_total);
            assert!((shown - expected).abs() < 0.03, "{elongation}: {shown} of the light, not {expected}");
        }
    }
}

/// The waving cloth moves with time, and does so whatever the simulated cloth and its colliders do.
#[test]
fn the_sine_cloth_waves_and_nothing_touches_it() {
    let validated = Validated::open();
    let device = &validated.device;
    let at = |collider: &str, steps: u32| {
        let settings = [
            ("columns", "9"),
            ("rows", "9"),
            ("spacing", "0.25"),
            ("particle_mass", "0.1"),
            ("sine_cloth", "[100, 0, 0]"),
            ("collider", collider),
        ];
        let scene = load("curtain", &settings);
        let wave = Wave::of(&scene).unwrap();
        assert_eq!((wave.size, wave.cells), (Vec2::splat(2.0), [8, 8]));
        let mut simulation = scene.simulation(device).unwrap();
        run(device, &mut simulation, steps);
        picture(device, &simulation, Some(wave), Shown::Looks, wave.bounds())
    };
    let still = at("[]", 0);
    let red_or_white = still.rgba.chunks(4).filter(|pixel| pixel[0] > pixel[2] + 20).count();
    assert!(red_or_white > 2000, "{red_or_white} pixels of cloth");
    let later = at("[]", 30);
    let changed = still.rgba.chunks(4).zip(later.rgba.chunks(4)).filter(|(before, after)| before != after).count();
    assert!(changed > 500, "{changed} pixels have changed");
    // A ball in the waving cloth's middle is drawn, and the rest of the picture is the same but for its shadow.
    let touched = at("[{shape = 'sphere', radius = 0.2, position = [100, -0.4, 0]}]", 30);
    let outside = |picture: &Picture| -> Vec<u8> {
        let lower_edge = picture.rgba.chunks(4 * SIZE[0] as usize).skip(SIZE[1] as usize * 5 / 6);
        lower_edge.flatten().copied().collect()
    };
    assert!(outside(&touched) == outside(&later), "the lower edge waves as without the ball");
    assert_ne!(touched, later);
    assert!(Wave::of(&load("flag", &[])).is_none());
}
