//! Hands in the viewer's window: what the mouse does to the state, as the report has it at the end.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;

use std::fs;

use glam::{Vec2, Vec3};
use screen::{Process, SETTLING, Screen};
use tautline::model::Body;
use tautline::render::{Bounds, Camera};
use tautline::scene::{Scene, SolverKind};

const SIZE: [usize; 2] = [480, 360];
/// A sheet of 2 m that hangs quietly.
const SHEET: &str = "flag --set columns=21 --set rows=21 --set spacing=0.1 --set particle_mass=0.0025 --set substeps=8 \
                     --set wind=[0,0,0] --set wind_flutter=0 --set damping=2";

/// A window on a scene, and where things of the scene are seen in it.
struct Stage {
    screen: Screen,
    viewer: Process,
    window: u32,
    camera: Camera,
    /// Where the particles start \[m\].
    start: Vec<Vec3>,
}

impl Stage {
    /// Opens a paused window, before the first step.
    fn open(scene: &str, backend: &str) -> Self {
        Self::open_at_scale(scene, backend, "1")
    }

    /// The same on a display with so many pixels a point.
    fn open_at_scale(scene: &str, backend: &str, scale: &str) -> Self {
        let words: Vec<&str> = scene.split_whitespace().collect();
        let screen = Screen::start(SIZE, "");
        let settings = words[1..].chunks(2).map(|pair| pair[1].split_once('=').unwrap());
        let settings: Vec<_> = settings.map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let scene = Scene::load(words[0], &settings).unwrap();
        let body = match scene.solver {
            SolverKind::Rope => Body::Ropes(scene.ropes().unwrap()),
            _ => Body::Cloth(scene.cloth().unwrap()),
        };
        let room = Bounds::room(&body, &scene.colliders().unwrap());
        let camera = Camera::framing(&room.corners(), SIZE[0] as f32 / SIZE[1] as f32);
        let start = body.positions().iter().map(|position| position.truncate()).collect();
        let size = format!("--size={}x{}", SIZE[0], SIZE[1]);
        let own = ["--window", "--validate", &size, "--no-panel", "--report=it.json", "--backend", backend];
        let (viewer, window) = screen.open(&[&words, &own[..]].concat(), &[("WINIT_X11_SCALE_FACTOR", scale)]);
        screen.pause(window);
        Self { screen, viewer, window, camera, start }
    }

    /// The pixel in which a place is seen.
    fn pixel(&self, place: Vec3) -> Vec2 {
        let extent = Vec2::new(SIZE[0] as f32, SIZE[1] as f32);
        let clip = self.camera.clip_from_world(extent.x / extent.y).project_point3(place).truncate();
        let pixel = ((clip + 1.0) / 2.0 * extent).round();
        assert!(pixel.cmpge(Vec2::ZERO).all() && pixel.cmplt(extent).all(), "{place} is out of sight");
        pixel
    }

    /// The same as xdotool takes it.
    fn seen(&self, place: Vec3) -> String {
        let Vec2 { x, y } = self.pixel(place);
        format!("{x} {y}")
    }

    /// Moves the mouse along places with the left button down, and leaves it so.
    fn drag(&self, places: &[Vec3]) {
        self.screen.xdotool(&format!("mousemove {}", self.seen(places[0])));
        self.screen.xdotool("mousedown 1");
        for &place in &places[1..] {
            // Long enough for frames in between.
            std::thread::sleep(SETTLING / 2);
            self.screen.xdotool(&format!("mousemove {}", self.seen(place)));
        }
    }

    fn click(&self, place: Vec3) {
        self.screen.xdotool(&format!("mousemove {} click 1", self.seen(place)));
        std::thread::sleep(SETTLING);
    }

    /// Goes on, and waits until so much time has been simulated \[s\].
    fn until(&self, time: f64) {
        if self.screen.title(self.window).contains("paused") {
            self.screen.xdotool("key space");
        }
        let simulated = |title: String| title.split(' ').nth(2)?.parse::<f64>().ok();
        self.screen.until("time goes by", || simulated(self.screen.title(self.window)).filter(|&now| now >= time));
    }

    /// The final state, once the viewer has ended well.
    fn state(self) -> serde_json::Value {
        self.screen.xdotool("key Escape");
        self.screen.ends_well(self.viewer);
        let report: serde_json::Value =
            serde_json::from_slice(&fs::read(self.screen.path("it.json")).unwrap()).unwrap();
        assert_eq!(report["validation_messages"], 0);
        assert_eq!(report["state"]["finite"], true);
        report["state"].clone()
    }
}

fn corner(state: &serde_json::Value, which: usize) -> Vec3 {
    let axis = |axis: usize| state["aabb"][which][axis].as_f64().unwrap() as f32;
    Vec3::new(axis(0), axis(1), axis(2))
}

#[test]
fn a_drag_pulls_the_cloth_and_a_release_lets_it_hang_again() {
    for backend in ["gpu", "cpu"] {
        // The lower left corner, pulled 60 cm to the left and up, as far as the sheet reaches.
        let stage = Stage::open(SHEET, backend);
        let corner_at = stage.start[20 * 21];
        stage.until(0.5);
        stage.drag(&[corner_at, corner_at + Vec3::new(-0.2, 0.1, 0.0), corner_at + Vec3::new(-0.6, 0.5, 0.0)]);
        stage.until(2.5);
        let held = stage.state();
        // The hand is 60 cm to the left as the picture has it, half a radian askew: 0.6 cos² 0.5 = 0.46 m along x.
        assert!(corner(&held, 0).x < -1.0 - 0.46 / 2.0, "{backend}: it is pulled to where the hand is: {held}");

        let untouched = Stage::open(SHEET, backend);
        untouched.until(8.0);
        let untouched = untouched.state();
        let stage = Stage::open(SHEET, backend);
        stage.until(0.5);
        stage.drag(&[corner_at, corner_at + Vec3::new(-0.6, 0.5, 0.0)]);
        stage.until(1.5);
        stage.screen.xdotool("mouseup 1");
        stage.until(8.0);
        let hung = stage.state();
        // At a damping of 2 per second swings decay as e^-t: those of all of the sheet to 2 m e^-6.5 = 3 mm.
        // Across it, a sheet that was touched keeps a ripple, for which an untouched one, which is flat, has no reason.
        for which in 0..2 {
            let apart = corner(&hung, which) - corner(&untouched, which);
            assert!(apart.truncate().abs().max_element() < 0.01, "{backend}: {hung}, and without a hand {untouched}");
        }
    }
}

/// The right end of a rope that hangs by both, dragged to the left, is held where it is let go.
#[test]
fn a_drag_moves_a_held_end_of_a_rope() {
    let rope = "ropes --set rope_count=1 --set rope_columns=1 --set rope_particles=17 --set collider=[] \
                --set rope_lod=false --set rope_radius=0.02 --set velocity_loss=0.01";
    for backend in ["gpu", "cpu"] {
        let stage = Stage::open(rope, backend);
        stage.until(0.2);
        let end = stage.start[16];
        let left = Vec3::new(-stage.camera.yaw.cos(), 0.0, stage.camera.yaw.sin());
        stage.drag(&[end, end + 0.1 * left, end + 0.2 * left]);
        stage.until(2.0);
        stage.screen.xdotool("mouseup 1");
        stage.until(3.5);
        let state = stage.state();
        assert_eq!(state["pinned_particles"], 2, "{backend}");
        let moved = corner(&state, 1) - end;
        // The hand goes 0.2 cos 0.5 = 0.18 m along x. It pulls with twice the rope's weight at a tenth of its length, and some
        // 0.6 of the weight hang on it: the end is 4 cm below it.
        assert!(moved.x < -0.1 && moved.x > -0.2 && moved.y.abs() < 0.06, "{backend}: {state}");
    }
}

/// Paused, a drag at the cloth changes neither the picture nor the state, and one beside it turns the camera.
#[test]
fn a_drag_beside_the_cloth_turns_the_camera() {
    let stage = Stage::open(SHEET, "gpu");
    let before = stage.screen.still();
    let middle = stage.start[10 * 21 + 10];
    stage.drag(&[middle, middle + Vec3::new(0.4, 0.2, 0.0)]);
    std::thread::sleep(SETTLING);
    stage.screen.xdotool("mouseup 1");
    assert!(stage.screen.still() == before, "nothing moves while it is paused");
    stage.screen.xdotool("mousemove 20 30 mousedown 1 mousemove 120 60 mouseup 1");
    let turned = stage.screen.still_after(&before);
    // And back, with frames in between.
    stage.screen.xdotool("mousemove 120 30 mousedown 1");
    std::thread::sleep(SETTLING);
    stage.screen.xdotool("mousemove 60 20");
    std::thread::sleep(SETTLING);
    stage.screen.xdotool("mousemove 20 0 mouseup 1");
    let back = stage.screen.still_after(&turned);
    // The same view to rounding: hardly a pixel has changed.
    let differ = back.iter().zip(&before).filter(|(now, then)| now != then).count();
    assert!(differ < before.len() / 50, "{differ} pixels differ");
    let state = stage.state();
    assert_eq!(corner(&state, 0).y, -2.0, "no step has run");
}

#[test]
fn ctrl_drag_cuts_and_a_reset_mends() {
    for backend in ["gpu", "cpu"] {
        let stage = Stage::open(SHEET, backend);
        let across = |x: f32| Vec3::new(x, -1.05, 0.0);
        stage.screen.xdotool("keydown ctrl");
        stage.drag(&[across(-1.3), across(-0.5), across(0.0), across(0.4), across(1.3)]);
        std::thread::sleep(SETTLING);
        stage.screen.xdotool("mouseup 1 keyup ctrl");
        stage.until(1.0);
        let cut = stage.state();
        // 21 columns and twice 20 diagonals between two rows; a hand that is off by a pixel, which is 8 mm, cuts no other.
        assert_eq!(cut["cut_constraints"], 21 + 40, "{backend}");
        assert!(corner(&cut, 0).y < -2.5, "{backend}: the lower half falls: {cut}");

        let stage = Stage::open(SHEET, backend);
        stage.screen.xdotool("keydown ctrl");
        stage.drag(&[across(-1.3), across(0.0)]);
        std::thread::sleep(SETTLING);
        stage.screen.xdotool("mouseup 1 keyup ctrl key n");
        std::thread::sleep(SETTLING);
        stage.screen.xdotool("key r n");
        std::thread::sleep(SETTLING);
        assert_eq!(stage.state()["cut_constraints"], 0, "{backend}");
    }
}

/// No step runs, and the picture and the state have the cut.
#[test]
fn a_cut_shows_while_it_is_paused() {
    for backend in ["gpu", "cpu"] {
        let stage = Stage::open(SHEET, backend);
        let before = stage.screen.still();
        stage.screen.xdotool("keydown ctrl");
        stage.drag(&[Vec3::new(-1.3, -1.05, 0.0), Vec3::new(0.0, -1.05, 0.0), Vec3::new(1.3, -1.05, 0.0)]);
        std::thread::sleep(SETTLING);
        // Out of the way, and so is the trace of the stroke.
        stage.screen.xdotool("mouseup 1 keyup ctrl mousemove 5 5");
        let cut = stage.screen.still_after(&before);
        let differ = cut.iter().zip(&before).filter(|(now, then)| now != then).count();
        assert!(differ > 200, "{backend}: the gap is seen, in {differ} pixels");
        let state = stage.state();
        assert_eq!((state["cut_constraints"].as_u64(), corner(&state, 0).y), (Some(21 + 40), -2.0), "{backend}");
    }
}

/// What cannot be cut stays whole, and the window says why, for a while.
#[test]
fn a_solver_that_cannot_be_cut_says_so() {
    let stage = Stage::open("verlet --set columns=21 --set rows=21 --set plane=vertical", "gpu");
    let before = stage.screen.still();
    stage.screen.xdotool("keydown ctrl");
    stage.drag(&[Vec3::new(-5.0, -10.5, 0.0), Vec3::new(5.0, -10.5, 0.0)]);
    std::thread::sleep(SETTLING);
    stage.screen.xdotool("mouseup 1 keyup ctrl");
    let is_word = |pixel: &&[u8; 3]| pixel[0] > 180 && pixel[1] < 160 && pixel[2] < 150 && pixel[1] > 90;
    let words = |pixels: &[[u8; 3]]| pixels.iter().filter(is_word).count();
    stage.screen.until("it says so", || (words(&stage.screen.pixels(SIZE)) > words(&before) + 50).then_some(()));
    stage.screen.comes_to(&before);
    assert_eq!(stage.state()["cut_constraints"], 0);
}

#[test]
fn shift_click_pins_and_lets_go() {
    let rope = "ropes --set rope_count=1 --set rope_columns=1 --set rope_particles=17 --set collider=[] \
                --set rope_lod=false --set rope_radius=0.02";
    // One in the middle, and one that is held from the start.
    for (scene, held, middle, end) in [(SHEET, 21, 10 * 21 + 10, 5), (rope, 2, 8, 16)] {
        for backend in ["gpu", "cpu"] {
            let stage = Stage::open(scene, backend);
            let place = stage.start[middle];
            stage.screen.xdotool("keydown shift");
            stage.click(place);
            stage.click(stage.start[end]);
            stage.screen.xdotool("keyup shift");
            // Neither a click without the key nor one beside everything pins.
            stage.click(stage.start[middle + 1]);
            stage.screen.xdotool("keydown shift mousemove 5 5 click 1 keyup shift");
            stage.until(0.5);
            let state = stage.state();
            assert_eq!(state["pinned_particles"], held, "{scene} on the {backend}");

            let stage = Stage::open(scene, backend);
            stage.screen.xdotool("keydown shift");
            stage.click(place);
            stage.click(place);
            stage.click(stage.start[end]);
            stage.screen.xdotool("keyup shift");
            stage.until(0.5);
            let state = stage.state();
            assert_eq!(state["pinned_particles"], held - 1, "{scene} on the {backend}");

            let stage = Stage::open(scene, backend);
            stage.screen.xdotool("keydown shift");
            stage.click(place);
            stage.screen.xdotool("keyup shift key n");
            std::thread::sleep(SETTLING);
            stage.screen.xdotool("key r n");
            std::thread::sleep(SETTLING);
            let state = stage.state();
            assert_eq!(state["pinned_particles"], held, "{scene} on the {backend}: a reset restores the pins");
        }
    }
}

/// Clicks that come before the device has answered to those before them count all the same.
#[test]
fn quick_clicks_pin_one_after_the_other() {
    for backend in ["gpu", "cpu"] {
        let stage = Stage::open(SHEET, backend);
        let middles = [7, 10, 13].map(|row| stage.seen(stage.start[row * 21 + 10]));
        let clicks = middles.map(|place| format!("mousemove {place} click 1")).join(" ");
        stage.screen.xdotool(&format!("keydown shift {clicks} keyup shift"));
        stage.until(0.5);
        assert_eq!(stage.state()["pinned_particles"], 21 + 3, "{backend}");
    }
}

/// A held particle that is in hand is held again where it is once the window loses the focus, with the button still down.
#[test]
fn the_focus_goes_and_takes_the_hand_along() {
    for backend in ["gpu", "cpu"] {
        for is_focused in [true, false] {
            let stage = Stage::open(SHEET, backend);
            stage.until(0.2);
            let held = stage.start[20];
            stage.drag(&[held, held + Vec3::new(-0.3, -0.1, 0.0)]);
            std::thread::sleep(SETTLING);
            if !is_focused {
                stage.screen.unfocus();
                std::thread::sleep(SETTLING);
                stage.screen.xdotool(&format!("windowfocus {}", stage.window));
            }
            std::thread::sleep(SETTLING);
            let pinned = if is_focused { 20 } else { 21 };
            assert_eq!(stage.state()["pinned_particles"], pinned, "{backend}");
        }
    }
}

/// 12 pixels beside the sheet are 6 points where a point has two, which is near enough, and 12 where it has one.
#[test]
fn near_is_as_near_on_every_display() {
    for (scale, pinned) in [("2", 22), ("1", 21)] {
        let stage = Stage::open_at_scale(SHEET, "gpu", scale);
        let [x, y] = stage.pixel(stage.start[10 * 21]).to_array();
        stage.screen.xdotool(&format!("keydown shift mousemove {} {y} click 1 keyup shift", x - 12.0));
        std::thread::sleep(SETTLING);
        stage.until(0.5);
        assert_eq!(stage.state()["pinned_particles"], pinned, "at scale {scale}");
    }
}

/// A ball in front of the sheet, dragged to the right in the picture, and so through where the sheet hangs, pushes it aside.
#[test]
fn a_drag_at_a_collider_moves_it() {
    let ball = Vec3::new(-0.6, -1.2, 0.5);
    let scene = format!("{SHEET} --set collider=[{{shape=\"sphere\",radius=0.25,position=[-0.6,-1.2,0.5]}}]");
    for backend in ["gpu", "cpu"] {
        let stage = Stage::open(&scene, backend);
        stage.until(0.5);
        let right = Vec3::new(stage.camera.yaw.cos(), 0.0, -stage.camera.yaw.sin());
        stage.drag(&[ball, ball + 0.5 * right, ball + right]);
        stage.until(2.5);
        // It is near z = 0 now, and the sheet behind it.
        let state = stage.state();
        assert!(corner(&state, 0).z < -0.12, "{backend}: the ball is where the sheet was: {state}");
    }
}
