//! What the viewer opens: files that are dropped on its window, its file once more, and what the last window showed.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use screen::{Pixel, Process, Screen, is_told, red_and_cream};

const SIZE: [usize; 2] = [320, 240];
/// Rows of the window above any message.
const ABOVE: usize = 120;

fn start() -> Screen {
    Screen::start(SIZE, "--no-panel")
}

fn write(screen: &Screen, name: &str, text: &str) -> PathBuf {
    fs::write(screen.path(name), text).unwrap();
    screen.path(name)
}

fn above(pixels: &[Pixel]) -> &[Pixel] {
    &pixels[..ABOVE * SIZE[0]]
}

fn quit(screen: &Screen, viewer: Process) {
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

const FLAG: &str = "preset = \"flag\"\ncolumns = 20\nrows = 20\nsubsteps = 4\n";

#[test]
fn what_is_dropped_is_opened_and_what_cannot_be_is_told() {
    let screen = start();
    let flag = write(&screen, "small.toml", FLAG);
    let (viewer, window) = screen.window_with(&[flag.to_str().unwrap()]);
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool("key r n");
    screen.titled(window, "small, 0.0 s");
    let before = screen.still();

    // A key that is wrong, a mesh without its vertices, a file of no kind, one without the right to read it, a folder.
    let wrong = write(&screen, "wrong.toml", "columns = \"many\"");
    let picture = write(&screen, "picture.gif", "GIF89a");
    let secret = write(&screen, "secret.toml", FLAG);
    fs::set_permissions(&secret, PermissionsExt::from_mode(0o000)).unwrap();
    let is_root = fs::read(&secret).is_ok();
    let mesh = write(&screen, "broken.obj", "f 1 2 3\n");
    let folder = screen.path("a folder");
    fs::create_dir(&folder).unwrap();
    for file in [&wrong, &mesh, &picture, &folder, &secret] {
        if is_root && file == &secret {
            continue;
        }
        screen.drop_files(window, &[file]);
        screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
        let told = screen.still();
        assert!(above(&told) == above(&before), "{file:?}: the scene is another");
        assert!(screen.title(window).contains("small, 0.0 s"), "{}", screen.title(window));
        // A click on it takes it away.
        screen.xdotool("mousemove 160 215 click 1");
        screen.comes_to(&before);
    }

    let square = write(&screen, "square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    screen.drop_files(window, &[&square]);
    screen.titled(window, "tautline: square, 0.0 s");
    assert!(!is_told(&screen.still_after(&before)));
    // Of several, the last.
    screen.drop_files(window, &[&square, &wrong, &flag]);
    screen.titled(window, "tautline: small, 0.0 s");
    assert!(!is_told(&screen.still()));
    quit(&screen, viewer);
}

#[test]
fn f5_loads_the_file_again_and_leaves_the_scene_where_that_fails() {
    let screen = start();
    let flag = write(&screen, "it.toml", FLAG);
    let (viewer, window) = screen.window_with(&[flag.to_str().unwrap(), "--set", "wind=[0,0,0]"]);
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool("key r");
    screen.titled(window, " 0.0 s");
    let before = screen.still();
    let (red, cream) = red_and_cream(&before);
    assert!(red > 1000 && cream > 1000);

    fs::write(&flag, FLAG.replace("20", "0")).unwrap();
    screen.xdotool("key F5");
    screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
    assert!(above(&screen.still()) == above(&before), "the scene is another");

    // Half as wide, it is as near, as the camera frames it.
    fs::write(&flag, FLAG.replace("columns = 20", "columns = 10")).unwrap();
    screen.xdotool("key F5");
    screen.until("it is half as wide", || {
        let (now, _) = red_and_cream(&screen.pixels(SIZE));
        (!is_told(&screen.pixels(SIZE)) && now != red).then_some(())
    });
    fs::write(&flag, FLAG).unwrap();
    screen.xdotool("key F5");
    screen.comes_to(&before);
    quit(&screen, viewer);
}

/// The viewer without a scene and a size on its command line, and so as the last one was.
fn again(screen: &Screen) -> (Process, u32) {
    screen.open(&["--window", "--no-panel", "--validate"], &[])
}

fn geometry(screen: &Screen, window: u32) -> String {
    screen.xdotool(&format!("getwindowgeometry --shell {window}"))
}

#[test]
fn the_last_scene_and_size_are_remembered() {
    let screen = start();
    // On a machine where it has never run.
    let (viewer, window) = again(&screen);
    screen.titled(window, "tautline: flag, ");
    assert!(geometry(&screen, window).contains("WIDTH=1280\nHEIGHT=720"));
    let small = write(&screen, "small.toml", FLAG);
    screen.drop_files(window, &[&small]);
    screen.titled(window, "tautline: small, ");
    screen.xdotool(&format!("windowsize {window} 400 300"));
    screen.until("it is smaller", || geometry(&screen, window).contains("WIDTH=400").then_some(()));
    screen.ask_to_close(window);
    screen.ends_well(viewer);

    let (viewer, window) = again(&screen);
    screen.titled(window, "tautline: small, ");
    assert!(geometry(&screen, window).contains("WIDTH=400\nHEIGHT=300"));
    quit(&screen, viewer);

    // What is asked for counts more, and is remembered in turn.
    let (viewer, window) = screen.window_with(&["verlet"]);
    assert!(geometry(&screen, window).contains("WIDTH=320\nHEIGHT=240"));
    quit(&screen, viewer);
    let (viewer, window) = again(&screen);
    screen.titled(window, "tautline: verlet, ");
    quit(&screen, viewer);

    // Without a window, nothing is read and nothing written.
    let memory = screen.path("state/tautline/viewer.toml");
    let written = fs::read(&memory).unwrap();
    screen.ends_well(screen.viewer(&["--headless", "--frames", "1", "--report", "it.json"]));
    let report: serde_json::Value = serde_json::from_slice(&fs::read(screen.path("it.json")).unwrap()).unwrap();
    assert_eq!(report["scene"], "flag");
    assert_eq!(fs::read(&memory).unwrap(), written);
}

#[test]
fn a_scene_that_is_gone_and_a_memory_that_is_broken_stop_nothing() {
    let screen = start();
    let memory = screen.path("state/tautline/viewer.toml");
    fs::create_dir_all(memory.parent().unwrap()).unwrap();
    let gone = [screen.path("gone.toml"), screen.path("gone.obj")];
    for scene in gone.iter().map(|path| path.to_str().unwrap()).chain(["nothing of that name"]) {
        fs::write(&memory, format!("scene = \"{scene}\"\nsize = [320, 240]")).unwrap();
        let (viewer, window) = again(&screen);
        screen.titled(window, "tautline: flag, ");
        screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
        quit(&screen, viewer);
    }

    // Told on the terminal, and written anew.
    for bytes in [&b"scene = [1, 2"[..], b"size = \"large\"", b"\xff\xfe"] {
        fs::write(&memory, bytes).unwrap();
        let (viewer, window) = again(&screen);
        screen.titled(window, "tautline: flag, ");
        screen.xdotool("key Escape");
        let (code, errors) = screen.end(viewer);
        assert!(code == Some(0) && errors.contains("forgotten") && errors.lines().count() == 1, "{code:?}: {errors}");
        assert!(fs::read_to_string(&memory).unwrap().contains("scene = \"flag\""));
    }
    // Sizes that no window should have are as good as none.
    fs::write(&memory, "size = [1, 4000000000]").unwrap();
    let (viewer, window) = again(&screen);
    assert!(geometry(&screen, window).contains("WIDTH=1280\nHEIGHT=720"));
    quit(&screen, viewer);

    // A folder in the place of the file: it is neither read nor written.
    fs::remove_file(&memory).unwrap();
    fs::create_dir(&memory).unwrap();
    let (viewer, _) = again(&screen);
    screen.xdotool("key Escape");
    let (code, errors) = screen.end(viewer);
    assert!(code == Some(0) && errors.lines().count() == 2, "{code:?}: {errors}");
    assert!(errors.contains("forgotten") && errors.contains("will not be remembered"), "{errors}");
}

#[test]
fn two_at_once_show_and_end_well_and_the_last_is_remembered() {
    let screen = start();
    let small = write(&screen, "small.toml", FLAG);
    let (first, window) = screen.window_with(&[small.to_str().unwrap()]);
    let second = screen.viewer(&["--window", "verlet"]);
    let other = screen.until("there is a second window", || {
        let windows = screen.try_xdotool("search --onlyvisible --name ^tautline:")?;
        windows.lines().filter_map(|line| line.parse().ok()).find(|found: &u32| *found != window)
    });
    // A window that is behind another one rests.
    screen.xdotool(&format!("windowmove {other} 400 0"));
    for (window, scene) in [(other, "verlet"), (window, "small")] {
        screen.titled(window, &format!("tautline: {scene}, "));
        let before = screen.title(window);
        screen.until("it runs", || (screen.title(window) != before).then_some(()));
    }
    screen.ask_to_close(other);
    screen.ends_well(second);
    let running = screen.title(window);
    screen.until("the first goes on", || (screen.title(window) != running).then_some(()));
    screen.ask_to_close(window);
    screen.ends_well(first);
    let remembered = fs::read_to_string(screen.path("state/tautline/viewer.toml")).unwrap();
    assert!(remembered.contains("small.toml"), "{remembered}");
}
