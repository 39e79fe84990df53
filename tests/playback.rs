//! Caches that the viewer plays back: headless and in a window.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use screen::{Pixel, SETTLING, Screen};
use tautline::scene::{Playback, Scene};

/// A sheet of 12 x 9 vertices in metres, which hangs by its upper edge.
fn sheet() -> String {
    let vertex = |index: u32| {
        format!(
            "v {} {} {}\n",
            f64::from(index % 12) / 10.0,
            -f64::from(index / 12) / 10.0,
            0.01 * f64::from(index % 3)
        )
    };
    let quad = |a: u32| format!("f {a} {} {} {}\n", a + 12, a + 13, a + 1);
    (0..108).map(vertex).chain((1..97).filter(|a| a % 12 != 0).map(quad)).collect()
}

fn run(program: &str, folder: &Path, arguments: &str) -> Output {
    let output = Command::new(program).current_dir(folder).args(arguments.split(' ')).output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
    output
}

fn succeeds(program: &str, folder: &Path, arguments: &str) {
    let output = run(program, folder, arguments);
    // It says how a mesh was taken, and nothing else.
    let is_quiet = String::from_utf8_lossy(&output.stderr).lines().all(|line| line.contains(" vertices and "));
    assert!(output.status.success() && is_quiet, "{arguments}: {output:?}");
}

const BAKE: &str = env!("CARGO_BIN_EXE_bake");
const VIEWER: &str = env!("CARGO_BIN_EXE_viewer");

/// What cannot be read any more is shown as it was before, and said.
#[test]
fn a_cache_that_shrinks_while_it_plays_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let [mesh, cache] = ["sheet.obj", "cache.pc2"].map(|name| folder.path().join(name));
    fs::write(&mesh, sheet()).unwrap();
    succeeds(BAKE, folder.path(), "sheet.obj --backend cpu --frames 9 --fps 60 --output cache.pc2");
    let playback = Playback::open(&cache, Some(60.0)).unwrap();
    let scene = Scene { playback: Some(playback.clone()), ..Scene::load(&mesh, &[]).unwrap() };
    let mut simulation = scene.cpu_simulation().unwrap();
    (0..4).for_each(|_| drop(simulation.advance()));
    assert_eq!(playback.take_failure(), None);
    let fourth = simulation.positions();
    // Five frames of 108 points of 12 bytes behind a header of 32: the next is number 5.
    fs::OpenOptions::new().write(true).open(&cache).unwrap().set_len(32 + 5 * 108 * 12).unwrap();
    simulation.advance();
    assert_eq!(simulation.positions(), fourth);
    let told = playback.take_failure().expect("frame 5 is gone");
    assert!(told.contains("cache.pc2"), "{told}");
    assert_eq!(playback.take_failure(), None, "it is told once");
}

/// Every step of 1/60 s is a frame, so that the picture after step k is that of frame k; and frame 30 is the first one
/// again.
#[test]
fn a_picture_of_a_frame_is_that_of_the_simulation() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("sheet.obj"), sheet()).unwrap();
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    for (scene, backend) in [("sheet.obj", "gpu"), ("sheet.obj", "cpu"), ("flag --set columns=12 --set rows=9", "gpu")]
    {
        for ending in ["pc2", "mdd"] {
            let bake = format!("{scene} --backend {backend} --frames 30 --fps 60 --output cache.{ending} --force");
            succeeds(BAKE, folder, &bake);
            // PC2 does not say its rate.
            let cache = if ending == "pc2" { "--cache cache.pc2 --fps 60" } else { "--cache cache.mdd" };
            for frame in [1, 7, 29] {
                let picture = "--headless --size 200x150 --validate";
                succeeds(
                    VIEWER,
                    folder,
                    &format!("{scene} --backend {backend} {picture} --frames {frame} --image simulated.png"),
                );
                succeeds(VIEWER, folder, &format!("{scene} {cache} {picture} --frames {frame} --image played.png"));
                assert!(
                    read("simulated.png") == read("played.png"),
                    "frame {frame} of {scene} as {ending}, on the {backend}"
                );
                let again = frame + 30;
                succeeds(
                    VIEWER,
                    folder,
                    &format!("{scene} {cache} {picture} --backend cpu --frames {again} --image again.png"),
                );
                assert!(read("again.png") == read("played.png"), "frame {again} of {scene} as {ending}");
            }
        }
    }
    // Ropes are drawn from other buffers.
    succeeds(BAKE, folder, "ropes --set rope_count=6 --frames 9 --fps 60 --output ropes.pc2");
    let picture = "--set rope_count=6 --set rope_lod=false --headless --frames 8 --size 200x150 --view looks";
    succeeds(VIEWER, folder, &format!("ropes {picture} --image simulated.png"));
    succeeds(VIEWER, folder, &format!("ropes {picture} --cache ropes.pc2 --fps 60 --image played.png"));
    assert!(read("simulated.png") == read("played.png"), "ropes");
}

#[test]
fn what_cannot_be_played_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("sheet.obj"), sheet()).unwrap();
    succeeds(BAKE, folder, "sheet.obj --backend cpu --frames 9 --output cache.pc2");
    let bytes = fs::read(folder.join("cache.pc2")).unwrap();
    fs::write(folder.join("short.pc2"), &bytes[..bytes.len() - 2 * 108 * 12]).unwrap();
    for (arguments, code, says) in [
        ("flag --cache cache.pc2", 1, "cache.pc2 has 108 points, and what it is played over has 10000 vertices"),
        ("sheet.obj --cache short.pc2", 1, "short.pc2 ends early: of its 9 frames, frames 7 to 8 are missing"),
        ("sheet.obj --cache sheet.obj", 1, "sheet.obj is no cache that can be played back; give a .pc2 or .mdd file"),
        ("sheet.obj --cache none.pc2", 1, "none.pc2 cannot be read"),
        ("sheet.obj --cache cache.pc2 --fps 0", 1, "give a rate from 0.1 to 1000"),
        ("sheet.obj --cache cache.pc2 --fps NaN", 1, "give a rate from 0.1 to 1000"),
        ("--cache cache.pc2", 2, "required"),
        ("sheet.obj --fps 24", 2, "--cache"),
    ] {
        let output = run(VIEWER, folder, &format!("{arguments} --headless --frames 1"));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
        assert!(errors.contains(says) && (code == 2 || errors.lines().count() == 1), "{arguments}: {errors}");
    }
}

const SIZE: [usize; 2] = [600, 700];
/// Places in the panel, as in `panels.rs`: its width, and the ends of the slider of frames.
const PANEL: usize = 340;
const FIRST: [usize; 2] = [60, 103];
const LAST: [usize; 2] = [257, 103];

fn scene(pixels: &[Pixel]) -> Vec<Pixel> {
    pixels.chunks(SIZE[0]).flat_map(|row| &row[..SIZE[0] - PANEL]).copied().collect()
}

#[test]
fn a_slider_goes_to_any_frame_and_space_plays() {
    let screen = Screen::start(SIZE, "sheet.obj --cache cache.mdd --view looks");
    fs::write(screen.path("sheet.obj"), sheet()).unwrap();
    succeeds(BAKE, &screen.path("."), "sheet.obj --backend cpu --frames 25 --fps 10 --output cache.mdd");
    let (viewer, window, _) = screen.paused_window();
    let click = |[x, y]: [usize; 2]| {
        screen.xdotool(&format!("mousemove {} {y} mousedown 1", SIZE[0] - PANEL + x));
        std::thread::sleep(2 * SETTLING);
        screen.xdotool("mouseup 1");
        // Where the mouse is when the button is known to be up, the slider follows it still.
        std::thread::sleep(2 * SETTLING);
        screen.xdotool("mousemove 20 20");
        scene(&screen.still())
    };
    let start = click(FIRST);
    screen.titled(window, " 0.0 s");
    let end = click(LAST);
    screen.titled(window, " 2.4 s");
    assert!(end != start, "the sheet has moved");
    assert!(click(FIRST) == start && click(LAST) == end, "a frame looks the same whenever it is shown");
    // A step after the last frame is the first one again.
    screen.xdotool("key n");
    screen.titled(window, " 2.5 s");
    screen.until("it starts again", || (scene(&screen.pixels(SIZE)) == start).then_some(()));
    click(FIRST);
    screen.xdotool("key space");
    let time = || screen.title(window).split(' ').nth(2).unwrap().parse::<f64>().unwrap();
    screen.until("it plays", || (time() >= 0.3).then_some(()));
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}
