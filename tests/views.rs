//! What pictures show: colours that mean something, and the cloth beside the cloth.

mod common;
#[path = "common/pictures.rs"]
mod pictures;

use common::{Validated, load, run, start};
use glam::{Vec2, Vec3};
use pictures::{Shot, assert_hue, floating, positions, view};
use tautline::engine::{COLOR_FORMAT, Frames};
use tautline::render::{Bounds, Camera, Picture, Shown, View, Wave};

const SIZE: [u32; 2] = [160, 120];

/// Viridis at 0, 0.25, 0.5, 0.75 and 1, as Matplotlib has it.
const VIRIDIS: [[u8; 3]; 5] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/// A sheet that floats and whose constraints want to be longer has the colour of that stretch, from 0 to 10 %.
#[test]
fn stretch_has_the_colour_of_its_scale() {
    let validated = Validated::open();
    let device = &validated.device;
    for (elongation, color) in [("0.9", 0), ("1", 0), ("1.025", 1), ("1.05", 2), ("1.075", 3), ("1.1", 4), ("1.3", 4)] {
        let scene = floating(5, &[("damping", "5"), ("elongation", elongation)]);
        let mut simulation = scene.simulation(device).unwrap();
        run(device, &mut simulation, 120);
        let shot = Shot::showing(device, &simulation, Shown::Stretch, SIZE);
        assert_hue(shot.light(positions(&simulation)[12]), VIRIDIS[color], elongation);
    }
}

/// In step n of a fall from rest, a substep each, everything goes n dt g (for each of these integrators): the colour is that of
/// this speed, where a room of 2 m has its scale end at 5 m/s.
#[test]
fn velocity_has_the_colour_of_its_scale() {
    let validated = Validated::open();
    let device = &validated.device;
    let room = Bounds { least: Vec3::new(-1.0, -2.0, -1.0), greatest: Vec3::new(1.0, 0.0, 1.0) };
    let steps = 10;
    for (solver, on_cpu) in
        [("xpbd", false), ("xpbd", true), ("verlet", false), ("mass-spring", false), ("rope", false)]
    {
        for (color, share) in [0.0_f32, 0.25, 0.5, 0.75, 1.0, 1.5].into_iter().enumerate() {
            let strength = share * 5.0 * 60.0 / steps as f32;
            let gravity = format!("[0, 0, {}]", -strength);
            let settings = [
                ("solver", solver),
                ("gravity", &*gravity),
                ("dt", "0.016666667"),
                ("substeps", "1"),
                ("velocity_loss", "0"),
                ("allow_unstable", "true"),
                ("rope_held", "none"),
                ("rope_span", "0"),
                ("rope_radius", "0.1"),
                ("rope_particles", "9"),
            ];
            let mut simulation = start(device, &floating(5, &settings), on_cpu);
            let mut view = View::new(device, &simulation, None, COLOR_FORMAT, room).unwrap();
            view.show(Shown::Velocity);
            run(device, &mut simulation, steps - 1);
            let mut frames = Frames::new(device, 1).unwrap();
            let mut recorder = frames.begin().unwrap();
            view.keep(&mut recorder, &simulation).unwrap();
            simulation.record(&mut recorder).unwrap();
            recorder.submit().unwrap();
            frames.finish().unwrap();
            let shot = Shot::of(device, &simulation, &view, SIZE);
            let middle = positions(&simulation)[simulation.body().positions().len() / 2];
            let what = format!("{solver}, on the CPU: {on_cpu}, {share} of the scale");
            assert_hue(shot.light(middle), VIRIDIS[color.min(4)], &what);
        }
    }
}

/// Where the state before the last step is not known, there are no speeds; from positions that are given, there are.
#[test]
fn speeds_need_the_state_before() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut simulation = floating(5, &[]).simulation(device).unwrap();
    let mut view = view(device, &simulation, Shown::Velocity);
    run(device, &mut simulation, 2);
    let looks = Shot::showing(device, &simulation, Shown::Looks, SIZE).picture;
    assert!(Shot::of(device, &simulation, &view, SIZE).picture == looks);
    assert_eq!(view.kept(&simulation).unwrap(), None);
    let now = simulation.positions().unwrap();
    view.set_kept(&now, &simulation).unwrap();
    assert_hue(Shot::of(device, &simulation, &view, SIZE).light(now[12].truncate()), VIRIDIS[0], "at rest");
    assert_eq!(view.kept(&simulation).unwrap(), Some(now));
    run(device, &mut simulation, 1);
    assert!(Shot::of(device, &simulation, &view, SIZE).picture == looks, "what was kept is two steps old");
    simulation.reset().unwrap();
    assert!(Shot::of(device, &simulation, &view, SIZE).picture == looks, "nothing has moved");
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
        let view = View::new(device, &simulation, Some(wave), COLOR_FORMAT, wave.bounds()).unwrap();
        let camera = Camera::framing(&wave.bounds().corners(), SIZE[0] as f32 / SIZE[1] as f32);
        Picture::draw(device, &view, &simulation, &camera, SIZE).unwrap()
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
