//! The panel of the viewer's window: that it is there, what its fields do, and that it leaves the rest of the window alone.
//! Places in it are counted from its left edge and from the top, as it is laid out with nothing folded or scrolled.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;

use std::fs;

use screen::{Pixel, Process, SETTLING, Screen, is_background, is_told, red_and_cream};

const SIZE: [usize; 2] = [600, 700];
/// Width of the panel at scale 1, in `src/bin/viewer/panels/style.rs`; so is its colour.
const PANEL: usize = 340;
const PANEL_COLOR: Pixel = [0x1d, 0x20, 0x24];

const PRESETS: [usize; 2] = [100, 20];
const RESET: [usize; 2] = [62, 50];
const PAUSE: [usize; 2] = [169, 50];
const STEP: [usize; 2] = [276, 50];
const SLOWEST: [usize; 2] = [59, 77];
const SOLVERS: [usize; 2] = [200, 130];
const BACKENDS: [usize; 2] = [200, 155];
const STRETCH: [usize; 2] = [178, 319];
/// Near the start, in the middle and near the end of the legend's bar.
const LEGEND: [[usize; 2]; 3] = [[14, 367], [169, 367], [323, 367]];
const RECORD: [usize; 2] = [107, 371];
const PNGS: [usize; 2] = [217, 371];
/// The row of the pass `pbd/solve`, beside its name, which the pointer would cover.
const SOLVE: [usize; 2] = [200, 620];
const FOLD_TIMINGS: [usize; 2] = [50, 408];
/// With the timings folded.
const SEARCH: [usize; 2] = [130, 470];
/// The field of the first key that is found, which holds at once; or with only keys that hold with the next start, the button
/// for that, and the field of the first.
const FOUND: [usize; 2] = [257, 515];
const RESTART: [usize; 2] = [265, 495];
const FOUND_OF_BODY: [usize; 2] = [257, 521];

fn start() -> Screen {
    let screen = Screen::start(SIZE, "flag --set columns=30 --set rows=30 --set substeps=4 --report it.json");
    // Away from the panel, where what the pointer is on would be explained over the scene.
    screen.xdotool("mousemove 0 0");
    screen
}

fn click(screen: &Screen, [x, y]: [usize; 2]) {
    screen.xdotool(&format!("mousemove {} {y} click 1", SIZE[0] - PANEL + x));
}

/// Picks a preset from the list, in the order in which the crate has them.
fn pick(screen: &Screen, preset: &str) {
    let place = tautline::scene::presets().position(|(name, _)| name == preset).unwrap();
    click(screen, PRESETS);
    std::thread::sleep(2 * SETTLING);
    click(screen, [60, 48 + 26 * place]);
}

/// Picks an entry of the list that opens below a field.
fn choose(screen: &Screen, [x, y]: [usize; 2], entry: usize) {
    click(screen, [x, y]);
    std::thread::sleep(2 * SETTLING);
    click(screen, [x, y + 29 + 25 * entry]);
}

/// Types into a field, which is complete with the key Return.
fn enter(screen: &Screen, field: [usize; 2], text: &str) {
    click(screen, field);
    std::thread::sleep(SETTLING);
    screen.xdotool(&format!("type {text}"));
    screen.xdotool("key Return");
}

fn is_panel(pixel: Pixel) -> bool {
    pixel.iter().zip(PANEL_COLOR).all(|(&is, wanted)| is.abs_diff(wanted) <= 1)
}

/// Whether a message has come that lies over the lower edge of the scene, and leaves the rest of it as it is.
fn is_only_told(before: &[Pixel], after: &[Pixel]) -> bool {
    let [above, still_above] = [before, after].map(|pixels| scene(pixels)[..(SIZE[0] - PANEL) * 550].to_vec());
    above == still_above && is_told(&scene(after))
}

/// What is left of the window beside the panel.
fn scene(pixels: &[Pixel]) -> Vec<Pixel> {
    pixels.chunks(SIZE[0]).flat_map(|row| &row[..SIZE[0] - PANEL]).copied().collect()
}

fn at(pixels: &[Pixel], [x, y]: [usize; 2]) -> Pixel {
    pixels[y * SIZE[0] + x]
}

/// What the viewer reports once it has ended well.
fn report(screen: &Screen, viewer: Process) -> serde_json::Value {
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
    serde_json::from_slice(&fs::read(screen.path("it.json")).unwrap()).unwrap()
}

#[test]
fn the_panel_is_beside_the_flag_until_tab_hides_it() {
    let screen = start();
    let (viewer, _, shown) = screen.paused_window();
    let corner = [SIZE[0] - 2, SIZE[1] - 2];
    let edges = [[SIZE[0] - PANEL + 1, 1], [SIZE[0] - PANEL + 1, SIZE[1] - 2], corner];
    assert!(edges.iter().all(|&edge| is_panel(at(&shown, edge))), "{:?}", edges.map(|edge| at(&shown, edge)));
    assert!(is_background(at(&shown, [SIZE[0] - PANEL - 2, 1])), "the panel ends where it ends");
    // The flag is in what is left, and text lighter than the panel on it.
    let (red, cream) = red_and_cream(&scene(&shown));
    assert!(red > 5000 && cream > 5000, "{red} red and {cream} cream-coloured pixels");
    let is_text = |pixel: &&Pixel| pixel.iter().all(|&channel| channel > 150);
    let panel: Vec<Pixel> = shown.chunks(SIZE[0]).flat_map(|row| &row[SIZE[0] - PANEL..]).copied().collect();
    assert!(panel.iter().filter(is_text).count() > 1000, "there is no text");

    screen.xdotool("key Tab");
    let hidden = screen.still_after(&shown);
    assert!(is_background(at(&hidden, edges[0])) && !is_panel(at(&hidden, corner)));
    screen.xdotool("key F1");
    let list = screen.still_after(&hidden);
    assert!(is_panel(at(&list, [SIZE[0] / 2, SIZE[1] / 2 + 100])), "F1 lists the keys");
    screen.xdotool("key F1");
    screen.comes_to(&hidden);
    screen.xdotool("key Tab");
    let again = screen.still_after(&hidden);
    // The panel itself has measured a few frames more.
    assert!(scene(&again) == scene(&shown) && is_panel(at(&again, corner)));
    report(&screen, viewer);
}

#[test]
fn its_buttons_pause_step_and_start_again() {
    let screen = start();
    let (viewer, window) = screen.window();
    click(&screen, PAUSE);
    screen.titled(window, "paused");
    click(&screen, RESET);
    screen.titled(window, " 0.0 s");
    let before = scene(&screen.still());
    for _ in 0..6 {
        click(&screen, STEP);
        std::thread::sleep(SETTLING);
    }
    screen.titled(window, " 0.1 s");
    assert!(scene(&screen.still()) != before, "6 steps of 1/60 s move nothing");
    click(&screen, PAUSE);
    screen.until("it goes on", || (!screen.title(window).contains("paused")).then_some(()));
    // As slow as can be, it runs and stands still.
    let [x, y] = SLOWEST;
    screen.xdotool(&format!("mousemove {} {y} mousedown 1", SIZE[0] - PANEL + x));
    std::thread::sleep(2 * SETTLING);
    screen.xdotool("mouseup 1");
    std::thread::sleep(2 * SETTLING);
    let time = |title: String| title.split(", ").nth(1).unwrap().to_string();
    let slow = time(screen.title(window));
    std::thread::sleep(3 * SETTLING);
    assert_eq!(time(screen.title(window)), slow);
    assert!(!screen.title(window).contains("paused"));
    assert_eq!(report(&screen, viewer)["validation_messages"], 0);
}

#[test]
fn parameters_hold_at_once_or_with_the_next_start() {
    let screen = start();
    let (viewer, window, paused) = screen.paused_window();
    click(&screen, FOLD_TIMINGS);
    screen.still_after(&paused);
    enter(&screen, SEARCH, "elongation");
    enter(&screen, FOUND, "1.25");
    screen.titled(window, "elongation 1.25");
    let live = screen.still();
    screen.xdotool(&format!("mousemove {} {} click --repeat 3 1", SIZE[0] - PANEL + SEARCH[0], SEARCH[1]));
    screen.xdotool("type columns");
    let found = screen.still_after(&live);
    enter(&screen, FOUND_OF_BODY, "12");
    let edited = screen.still_after(&found);
    assert!(scene(&edited) == scene(&found), "nothing has been started yet");
    click(&screen, RESTART);
    let started = screen.still_after(&edited);
    assert!(scene(&started) != scene(&edited));
    assert!(screen.title(window).contains("elongation 1.25"), "what held at once before is kept");
    let report = report(&screen, viewer);
    assert_eq!(report["particles"], 12 * 30);
    assert_eq!(report["scene"], "flag");
    assert_eq!(report["validation_messages"], 0);
}

/// A solver with other substeps is made anew when a drag ends, and not on its way.
#[test]
fn what_is_dragged_holds_when_the_drag_ends() {
    for (drags, ends, substeps) in [(1, false, 4..=4), (2, true, 22..=24)] {
        let screen = start();
        let (viewer, _, paused) = screen.paused_window();
        click(&screen, FOLD_TIMINGS);
        screen.still_after(&paused);
        enter(&screen, SEARCH, "substeps");
        screen.still();
        for _ in 0..drags {
            screen.xdotool(&format!("mousemove {} {} mousedown 1", SIZE[0] - PANEL + FOUND[0] - 50, FOUND[1]));
            for _ in 0..10 {
                std::thread::sleep(SETTLING / 4);
                screen.xdotool("mousemove_relative 10 0");
            }
            std::thread::sleep(SETTLING);
            if ends {
                screen.xdotool("mouseup 1");
                screen.still();
            }
        }
        let report = report(&screen, viewer);
        // A tenth of a substep on each of 100 pixels, but for those before it is a drag and no click.
        assert!(substeps.contains(&report["substeps"].as_u64().unwrap()), "{}", report["substeps"]);
        assert_eq!(report["validation_messages"], 0);
    }
}

#[test]
fn a_click_on_a_pass_tells_what_it_does() {
    let screen = start();
    let (viewer, window) = screen.window();
    // Until the table has passes of steps, which it would not have if there were none.
    let time = || screen.title(window).split(' ').nth(2)?.parse::<f64>().ok();
    screen.until("steps run", || time().filter(|time| *time >= 0.5));
    std::thread::sleep(2 * SETTLING);
    let before = screen.pause(window);
    // Names are grey, and the chosen one is white.
    let whites = |pixels: &[Pixel]| {
        let row = (SOLVE[1] - 8..SOLVE[1] + 8).flat_map(|y| (20..100).map(move |x| [SIZE[0] - PANEL + x, y]));
        row.filter(|place| at(pixels, *place).iter().all(|&channel| channel > 245)).count()
    };
    assert_eq!(whites(&before), 0);
    click(&screen, SOLVE);
    screen.until("the pass is marked", || (whites(&screen.pixels(SIZE)) > 10).then_some(()));
    click(&screen, SOLVE);
    screen.until("the pass is no longer marked", || (whites(&screen.pixels(SIZE)) == 0).then_some(()));
    click(&screen, SOLVE);
    screen.xdotool("key --delay 200 n n");
    assert_eq!(report(&screen, viewer)["validation_messages"], 0);
}

/// In the lists: GPU and CPU; verlet, mass-spring, xpbd, pbd and xpbd-document.
#[test]
fn another_solver_and_another_backend_go_on_from_where_the_body_is() {
    let screen = start();
    let (viewer, window, start) = screen.paused_window();
    screen.xdotool("key --delay 100 n n n n n n n n n n n n");
    screen.titled(window, " 0.2 s");
    let before = screen.still();
    assert!(scene(&before) != scene(&start));
    choose(&screen, BACKENDS, 1);
    let on_cpu = screen.still_after(&before);
    assert!(scene(&on_cpu) == scene(&before), "the CPU has the flag where the GPU had it");
    choose(&screen, SOLVERS, 3);
    let by_pbd = screen.still_after(&on_cpu);
    assert!(scene(&by_pbd) == scene(&before), "pbd has the flag where xpbd had it");
    assert!(screen.title(window).contains(" 0.2 s"), "time goes on: {}", screen.title(window));
    screen.xdotool("key n");
    let moved = screen.still_after(&by_pbd);
    assert!(scene(&moved) != scene(&before));
    choose(&screen, BACKENDS, 0);
    let back = screen.still_after(&moved);
    assert!(scene(&back) == scene(&moved));
    // 2 of its springs in a row are too stiff for the substeps that the flag has here with a mass of a tenth.
    click(&screen, FOLD_TIMINGS);
    let folded = screen.still_after(&back);
    enter(&screen, SEARCH, "particle_mass");
    screen.still_after(&folded);
    enter(&screen, FOUND, "1e-5");
    let lighter = screen.still();
    assert!(scene(&lighter) == scene(&moved), "a lighter flag is where it was");
    choose(&screen, SOLVERS, 1);
    let refused = screen.still_after(&lighter);
    assert!(is_only_told(&moved, &refused), "unstable springs are refused");
    let report = report(&screen, viewer);
    assert_eq!((&report["solver"], &report["backend"]), (&"pbd".into(), &"gpu".into()));
    assert!(report["frames"].as_u64().unwrap() >= 13, "steps before a change count: {}", report["frames"]);
    assert_eq!(report["validation_messages"], 0);
}

#[test]
fn the_picker_starts_a_preset_and_says_why_one_cannot_start() {
    let screen = start();
    let (viewer, window, before) = screen.paused_window();
    // The preset `mesh` has no mesh.
    pick(&screen, "mesh");
    let told = screen.still_after(&before);
    assert!(is_only_told(&before, &told), "nothing is said of it, or the flag has changed");
    screen.xdotool("key n");
    screen.still_after(&told);
    pick(&screen, "verlet");
    screen.titled(window, " 0.0 s");
    let started = screen.still();
    assert!(scene(&started) != scene(&told));
    let report = report(&screen, viewer);
    assert_eq!((report["scene"].as_str(), report["solver"].as_str()), (Some("verlet"), Some("verlet")));
    assert_eq!(report["validation_messages"], 0);
}

#[test]
fn another_scene_ends_a_recording_and_keeps_it() {
    let screen = start();
    let (viewer, window, _) = screen.paused_window();
    click(&screen, PNGS);
    std::thread::sleep(SETTLING);
    click(&screen, RECORD);
    screen.titled(window, "recording");
    for count in 1..=3 {
        screen.xdotool("key n");
        screen.until("a picture is there", || {
            screen.path(&format!("tautline-flag-1/{count:06}.png")).exists().then_some(())
        });
    }
    // The preset `mesh` has no mesh: the flag stays, and so does its recording.
    pick(&screen, "mesh");
    std::thread::sleep(2 * SETTLING);
    assert!(screen.title(window).contains("recording"), "{}", screen.title(window));
    pick(&screen, "verlet");
    screen.until("it ends", || (!screen.title(window).contains("recording")).then_some(()));
    screen.xdotool("key n n");
    assert_eq!(report(&screen, viewer)["validation_messages"], 0);
    assert_eq!(fs::read_dir(screen.path("tautline-flag-1")).unwrap().count(), 3);
    let told = fs::read_to_string(screen.path("stdout")).unwrap();
    assert!(told.contains("wrote tautline-flag-1 (3 pictures, 0.05 s)"), "{told}");
}

#[test]
fn the_mouse_is_the_panels_over_the_panel_and_the_cameras_elsewhere() {
    let screen = start();
    let (viewer, _, before) = screen.paused_window();
    let panel = SIZE[0] - PANEL + 40;
    screen.xdotool(&format!("mousemove {panel} 150 mousedown 1 mousemove {panel} 250 mouseup 1 click 5 click 5"));
    let scrolled = screen.still_after(&before);
    assert!(scene(&scrolled) == scene(&before), "the camera moved with what is for the panel");
    // Beside the flag, which it would pull at.
    screen.xdotool("mousemove 30 600 mousedown 1 mousemove 80 620 mouseup 1");
    screen.until("the camera turns", || (scene(&screen.pixels(SIZE)) != scene(&before)).then_some(()));
    let turned = screen.still();
    screen.xdotool("mousemove 100 200 click 5 click 5 click 5");
    let smaller = screen.still_after(&turned);
    assert!(red_and_cream(&scene(&smaller)).0 < red_and_cream(&scene(&turned)).0);
    report(&screen, viewer);
}

#[test]
fn a_view_takes_the_stripes_away_and_brings_its_legend() {
    let screen = start();
    let (viewer, _, before) = screen.paused_window();
    click(&screen, STRETCH);
    let stretched = screen.still_after(&before);
    assert!(red_and_cream(&scene(&stretched)).0 < red_and_cream(&scene(&before)).0 / 10);
    // Viridis, whose ends are those of the bar.
    for (place, color) in LEGEND.into_iter().zip([[68, 1, 84], [33, 145, 140], [253, 231, 37]]) {
        let found = at(&stretched, [SIZE[0] - PANEL + place[0], place[1]]);
        let is_near = found.iter().zip(color).all(|(found, wanted)| found.abs_diff(wanted) <= 12);
        assert!(is_near, "{found:?} in the legend at {place:?}, not {color:?}");
    }
    report(&screen, viewer);
}

#[test]
fn paused_it_rests_with_the_panel_open_also_when_the_mouse_moves_beside_it() {
    let screen = start();
    let (viewer, _, _) = screen.paused_window();
    // User and system time in hundredths of a second, after the name in brackets.
    let used = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", viewer.0.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let before = used();
    std::thread::sleep(5 * SETTLING);
    assert!(used() - before <= 4, "{} hundredths of a second of processor time in 2 s", used() - before);
    // A picture of this size takes software a few hundredths of a second; a motion alone, next to nothing.
    screen.xdotool("mousemove 20 300");
    screen.still();
    let before = used();
    for step in 0..100 {
        screen.xdotool(&format!("mousemove {} 300", 20 + step));
    }
    assert!(used() - before <= 20, "{} hundredths of a second for 100 motions", used() - before);
    report(&screen, viewer);
}

#[test]
fn it_fits_into_any_window() {
    let screen = Screen::start([200, 150], "flag --set columns=30 --set rows=30 --set substeps=4 --report it.json");
    let (viewer, window) = screen.window();
    screen.xdotool("key F1");
    screen.until("the panel leaves room", || {
        let row = &screen.pixels([200, 150])[..200];
        (!is_panel(row[10]) && is_panel(row[198])).then_some(())
    });
    for step in 0..50 {
        screen.xdotool(&format!("windowsize {window} {} {}", 1 + step * 37 % 900, 1 + step * 53 % 600));
    }
    let [width, height] = SIZE;
    screen.xdotool(&format!("windowsize {window} {width} {height} key F1"));
    screen.until("the panel is at the right of the window", || {
        let pixels = screen.pixels(SIZE);
        (is_panel(at(&pixels, [width - PANEL + 1, height - 2])) && is_panel(at(&pixels, [width - 2, 1]))).then_some(())
    });
    assert_eq!(report(&screen, viewer)["validation_messages"], 0);
}
