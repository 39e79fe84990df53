//! What a window does about what blows up in it: what it says, where it stands still or goes back to, and that nothing which is no
//! number reaches the screen.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;

use std::fs;

use screen::{Pixel, Screen, is_background, is_told};
use tautline::solver::State;

const SIZE: [usize; 2] = [480, 480];
/// The rows above what is told at the lower edge.
const FREE_ROWS: usize = 300;

/// A sheet with substeps beyond the limit of sqrt(1 / (6000 + 1000)) s = 1/84 s, which those of half a step are within.
const UNSTABLE: &str = "verlet --no-panel --set columns=12 --set rows=12 --set substeps=1 --set watch_every=1 \
                        --set allow_unstable=true --set structural_stiffness=6000";
/// Two rows below one that is held, which are too far away to be drawn after the second step, and no number some steps later,
/// whatever is done. It stands still until it is told to step.
const HOPELESS: &str = "verlet --no-panel --set columns=12 --set rows=3 --set substeps=1 --set watch_every=1 --set dt=0.1 \
                        --set time_scale=0 --set allow_unstable=true --set structural_stiffness=1e9 \
                        --set flexion_stiffness=1e9 --set shear_stiffness=1e-9 --set particle_mass=1e-9";

/// What is said on standard error of a run that is watched, line by line.
fn told(screen: &Screen) -> Vec<String> {
    let told = fs::read_to_string(screen.path("stderr")).unwrap();
    told.lines().filter(|line| line.starts_with("watch: ")).map(str::to_string).collect()
}

/// Names a particle by its place in the grid, with when it was, what was wrong and what came before.
fn says_where_and_why(line: &str) -> bool {
    ["watch: at 0.", " s (step ", "particle ", " (row ", ", column ", "; at 0."].iter().all(|part| line.contains(part))
        && ["watch_strain lets 1000 % pass", "watch_speed lets 1000 m/s pass"].iter().any(|why| line.contains(why))
}

#[test]
fn a_window_goes_back_and_on_as_a_headless_run_does() {
    let screen = Screen::start(SIZE, UNSTABLE);
    for backend in ["gpu", "cpu"] {
        let arguments = ["--set", "watch=recover", "--backend", backend, "--frames", "40", "--save-state", "it.state"];
        let [headless, window] = ["--headless", "--window"].map(|kind| {
            let (code, _) = screen.end(screen.viewer(&[&[kind], &arguments[..]].concat()));
            assert_eq!(code, Some(0), "{kind}, {backend}: {:?}", told(&screen));
            (told(&screen), fs::read(screen.path("it.state")).unwrap())
        });
        let [line] = &headless.0[..] else { panic!("{backend}: {:?}", headless.0) };
        assert!(says_where_and_why(line) && line.contains("; it goes back to 0.150 s (step 9) "), "{line}");
        assert!(line.ends_with(" and on from there in substeps of 8.333 ms, 2 a step"), "{line}");
        assert_eq!(window.0, headless.0, "{backend}");
        assert!(window.1 == headless.1, "{backend}: other bits");
    }
}

#[test]
fn a_window_says_that_it_went_back_and_later_that_all_is_well() {
    let screen = Screen::start(SIZE, UNSTABLE);
    let (viewer, window) = screen.window_with(&["--set", "watch=recover"]);
    screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
    screen.until("nothing has been wrong for a second", || (told(&screen).len() == 2).then_some(()));
    assert!(!screen.title(window).contains("paused"), "{}", screen.title(window));
    let lines = told(&screen);
    assert!(says_where_and_why(&lines[0]) && lines[0].contains("; it goes back to "), "{lines:?}");
    assert!(
        lines[1].ends_with(" s nothing has been wrong for a second; it goes on in substeps of 16.667 ms, 1 a step")
    );
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool("key s");
    let state = State::from_bytes(&screen.saved("tautline-verlet-1.state")).unwrap();
    assert!(state.is_finite() && state.time > 1.0, "{}", state.time);
    screen.xdotool("key Escape");
    assert_eq!(screen.end(viewer).0, Some(0), "{:?}", told(&screen));
}

/// A picture of each step that has not been run in vain.
#[test]
fn what_a_window_goes_back_over_is_not_in_its_video() {
    let screen = Screen::start(SIZE, UNSTABLE);
    // It stands still until it is told to step.
    let (viewer, _) = screen.window_with(&["--set", "watch=recover", "--set", "time_scale=0", "--frames", "24"]);
    screen.xdotool("key m");
    screen.xdotool(&format!("key --delay 20{}", " n".repeat(40)));
    assert_eq!(screen.end(viewer).0, Some(0), "{:?}", told(&screen));
    let lines = told(&screen);
    assert!(lines.len() == 1 && lines[0].contains("; it goes back to "), "{lines:?}");
    let said = fs::read_to_string(screen.path("stdout")).unwrap();
    assert!(said.contains("wrote tautline-verlet-1.mp4 (24 pictures, 0.40 s)"), "{said}");
}

#[test]
fn a_window_stands_still_where_it_is_told_to() {
    let screen = Screen::start(SIZE, UNSTABLE);
    let (viewer, window) = screen.window_with(&["--set", "watch=pause"]);
    screen.titled(window, "paused");
    screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
    let [line] = &told(&screen)[..] else { panic!("{:?}", told(&screen)) };
    assert!(says_where_and_why(line) && line.ends_with("; it stops (watch = \"pause\")"), "{line}");
    screen.xdotool("key s");
    let saved = screen.saved("tautline-verlet-1.state");
    let state = State::from_bytes(&saved).unwrap();
    screen.xdotool("key Escape");
    let (code, said) = screen.end(viewer);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.trim_end().ends_with(line.strip_prefix("watch: ").unwrap()), "{said}");
    // No state of its own: as many steps without anyone who looks end in the same bits.
    let steps = (state.time * 60.0).round().to_string();
    let arguments = ["--headless", "--set", "watch=off", "--frames", &steps, "--save-state", "headless.state"];
    drop(screen.end(screen.viewer(&arguments)));
    assert!(fs::read(screen.path("headless.state")).unwrap() == saved, "other bits after {steps} steps");
}

/// The picture above what is told.
fn seen(screen: &Screen) -> Vec<Pixel> {
    screen.still()[..SIZE[0] * FREE_ROWS].to_vec()
}

#[test]
fn what_is_no_number_never_reaches_the_screen() {
    for (policy, end) in
        [("off", ""), ("warn", " s"), ("pause", "\"pause\")"), ("recover", "(going back has not helped")]
    {
        let screen = Screen::start(SIZE, HOPELESS);
        let (viewer, _) = screen.window_with(&["--set", &format!("watch={policy}")]);
        let start = seen(&screen);
        let drawn = start.iter().filter(|pixel| !is_background(**pixel)).count();
        assert!(drawn > SIZE[0] * FREE_ROWS / 20, "{policy}: {drawn} pixels");
        let mut first = None;
        for step in 1..=8 {
            screen.xdotool("key n");
            let now = seen(&screen);
            // What goes back never has a first step that can be seen.
            let is_known = now == start || now == *first.get_or_insert_with(|| now.clone());
            assert!(is_known, "{policy}: another picture after {step} steps");
        }
        assert!(first.unwrap() != start || policy == "recover", "{policy}: no step is seen");
        let lines = told(&screen);
        assert!(
            lines.iter().any(|line| line.contains(end)) || policy == "off" && lines.is_empty(),
            "{policy}: {lines:?}"
        );
        screen.xdotool("key Escape");
        let (code, said) = screen.end(viewer);
        assert!(code == Some(1) && said.contains("the state is not finite after "), "{policy}: {said}");
    }
}
