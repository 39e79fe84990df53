//! Shaders that change while the viewer runs.

#![cfg(all(feature = "hot-reload", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;

use std::fs;
use std::path::Path;

use screen::{Pixel, Screen, is_background, is_told, red_and_cream};

const SIZE: [usize; 2] = [320, 240];
/// Rows of the window above any message.
const ABOVE: usize = 120;

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

fn green(pixels: &[Pixel]) -> usize {
    pixels.iter().filter(|[red, green, blue]| green / 2 > *red && green / 2 > *blue).count()
}

#[test]
fn an_edited_shader_takes_over_and_one_that_is_wrong_does_not() {
    let screen =
        Screen::start(SIZE, "flag --set columns=20 --set rows=20 --set substeps=4 --no-panel --hot-reload glsl");
    let glsl = screen.path("glsl");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("glsl"), &glsl);
    let (viewer, window) = screen.window();
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool(&format!("key --delay 1 r{}", " n".repeat(30)));
    screen.titled(window, " 0.5 s");
    let before = screen.still();
    let (red, cream) = red_and_cream(&before);
    assert!(red > 1000 && cream > 1000 && green(&before) == 0);

    // All of the cloth is green, and where it was.
    let fragment = glsl.join("lib/cloth_fragment.glsl");
    let original = fs::read_to_string(&fragment).unwrap();
    let is_green = "\nvoid main() { original(); color = vec4(0.0, 0.6, 0.0, 1.0); }\n";
    fs::write(&fragment, original.replace("void main()", "void original()") + is_green).unwrap();
    screen.until("the cloth is green", || (green(&screen.pixels(SIZE)) > 2000).then_some(()));
    let changed = screen.still();
    let same = |(was, is): (&Pixel, &Pixel)| is_background(*was) == is_background(*is);
    assert!(before.iter().zip(&changed).all(same), "the cloth is elsewhere");
    assert!(screen.title(window).contains(" 0.5 s"), "{}", screen.title(window));

    // In an include, in a kernel, and a kernel that binds something else: told, and what was there stays.
    let above = |pixels: &[Pixel]| pixels[..ABOVE * SIZE[0]].to_vec();
    for (file, text) in [
        ("lib/lighting.glsl", "this is no GLSL\n"),
        ("pbd/predict.comp", "void more() { missing(); }\n"),
        ("pbd/predict.comp", "layout(std430, binding = 13) buffer More { float more[]; };\n"),
    ] {
        let path = glsl.join(file);
        let right = fs::read_to_string(&path).unwrap();
        fs::write(&path, right.clone() + text).unwrap();
        screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
        assert!(above(&screen.still()) == above(&changed), "{file}: the picture is another");
        fs::write(&path, right).unwrap();
        screen.comes_to(&changed);
    }
    fs::write(&fragment, original).unwrap();
    screen.comes_to(&before);
    screen.xdotool("key n");
    screen.still_after(&before);
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

/// A pinned particle that is in hand meanwhile is pinned again where it is.
#[test]
fn what_is_in_hand_is_held_again_when_shaders_take_over() {
    let row = "verlet --set columns=3 --set rows=3 --set plane=vertical --set pins=[4] --set collider=[]";
    let screen = Screen::start(SIZE, &format!("{row} --no-panel --report it.json --hot-reload glsl"));
    let glsl = screen.path("glsl");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("glsl"), &glsl);
    for reloads in [false, true] {
        let (viewer, window) = screen.window();
        let start = screen.pause(window);
        // The middle of the sheet, which stands in the middle of its pixels.
        let places: Vec<[usize; 2]> = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| [x, y])).collect();
        let on_sheet: Vec<_> =
            places.into_iter().filter(|[x, y]| red_and_cream(&[start[y * SIZE[0] + x]]) != (0, 0)).collect();
        let middle = |axis: usize| on_sheet.iter().map(|place| place[axis]).sum::<usize>() / on_sheet.len();
        screen.xdotool(&format!("mousemove {} {} mousedown 1", middle(0), middle(1)));
        std::thread::sleep(screen::SETTLING);
        if reloads {
            let fragment = glsl.join("lib/cloth_fragment.glsl");
            let original = fs::read_to_string(&fragment).unwrap();
            let is_green = "\nvoid main() { original(); color = vec4(0.0, 0.6, 0.0, 1.0); }\n";
            fs::write(&fragment, original.replace("void main()", "void original()") + is_green).unwrap();
            screen.until("the cloth is green", || (green(&screen.pixels(SIZE)) > 500).then_some(()));
        }
        screen.xdotool("key n");
        std::thread::sleep(screen::SETTLING);
        screen.xdotool("key Escape");
        screen.ends_well(viewer);
        screen.xdotool("mouseup 1");
        let report: serde_json::Value = serde_json::from_slice(&fs::read(screen.path("it.json")).unwrap()).unwrap();
        assert_eq!(report["state"]["pinned_particles"], u32::from(reloads));
    }
}

#[test]
fn a_folder_without_shaders_is_named() {
    let screen = Screen::start(SIZE, "flag --hot-reload nowhere");
    let (code, errors) = screen.end(screen.viewer(&["--window"]));
    assert_eq!(code, Some(1));
    assert!(errors.contains("no shaders can be loaded from nowhere") && errors.lines().count() == 1, "{errors}");
}
