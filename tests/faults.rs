//! The viewer where Vulkan fails: lost devices, lost surfaces, windows that have changed. A layer of the tests' own,
//! tests/fault_layer/layer.rs, has the calls fail.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/fault_layer.rs"]
mod fault_layer;
#[path = "common/screen.rs"]
mod screen;

use std::fs;

use fault_layer::{DEVICE_LOST, FaultLayer, OUT_OF_DEVICE_MEMORY};
use screen::{Process, Screen, is_background, is_told, red_and_cream};

const SIZE: [usize; 2] = [320, 240];
const SURFACE_LOST: i32 = -1_000_000_000;
const OUT_OF_DATE: i32 = -1_000_001_004;
const SUBOPTIMAL: i32 = 1_000_001_003;

/// A screen on which the viewer runs with the layer.
struct Faulty {
    screen: Screen,
    layer: FaultLayer,
}

impl Faulty {
    fn start() -> Self {
        Self { screen: Screen::start(SIZE, ""), layer: FaultLayer::compile() }
    }

    /// A viewer in a window that shows a small flag.
    fn window(&self, arguments: &[&str], environment: &[(&str, &str)]) -> (Process, u32) {
        let layer = self.layer.environment();
        let layer = layer.each_ref().map(|(name, value)| (*name, value.as_str()));
        let flag = ["flag", "--window", "--no-panel", "--validate", "--size=320x240"];
        let small = ["--set", "columns=20", "--set", "rows=20", "--set", "substeps=4"];
        self.screen.open(&[&flag[..], &small, arguments].concat(), &[&layer[..], environment].concat())
    }

    /// Lets a call fail once, and waits until it has.
    fn fail(&self, call: &str, result: i32) {
        self.fail_with(call, result, String::new);
    }

    /// The same, with something that brings the call about.
    fn fail_with(&self, call: &str, result: i32, cause: impl FnOnce() -> String) {
        self.layer.fail(&format!("{call} {result} 1\n"));
        cause();
        self.screen
            .until("the call has failed", || fs::read_to_string(self.layer.faults()).unwrap().is_empty().then_some(()));
    }

    fn shows_a_moving_flag(&self) {
        let screen = &self.screen;
        for _ in 0..3 {
            let before = screen.pixels(SIZE);
            screen.until("the flag moves", || {
                let now = screen.pixels(SIZE);
                let (red, cream) = red_and_cream(&now);
                (now != before && is_background(now[0]) && red > 1000 && cream > 1000).then_some(())
            });
        }
    }
}

#[test]
fn a_lost_device_is_told_and_opened_again() {
    let faulty = Faulty::start();
    let screen = &faulty.screen;
    let (viewer, window) = faulty.window(&[], &[]);
    // There is something to go on from once a step has been copied.
    faulty.shows_a_moving_flag();
    let calls = ["vkQueueSubmit2", "vkWaitSemaphores", "vkAcquireNextImageKHR"];
    for call in calls {
        faulty.fail(call, DEVICE_LOST);
        screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
        faulty.shows_a_moving_flag();
        assert!(fs::read_to_string(screen.path("state/tautline/viewer.toml")).unwrap().contains("flag"));
        // As often as it wants, if it is not too often.
        std::thread::sleep(std::time::Duration::from_secs(4));
    }
    screen.ask_to_close(window);
    let (code, errors) = screen.end(viewer);
    assert_eq!((code, errors.lines().count()), (Some(0), 3), "{errors}");
    let mut last = -1.0;
    for (call, line) in calls.iter().zip(errors.lines()) {
        assert!(line.starts_with(&format!("the Vulkan device was lost during {call}: ")), "{line}");
        let (_, from) = line.split_once("It was opened again, and the scene goes on from ").unwrap();
        let from: f64 = from.strip_suffix(" s").unwrap().parse().unwrap();
        assert!(from > last, "it goes on from {from} s, after {last} s");
        last = from;
    }
    // Each time it ran for more than three seconds, and no more than a good second of them is lost.
    assert!(last > 4.0, "it goes on from {last} s in the end");
}

#[test]
fn what_was_chosen_in_the_window_outlives_its_device() {
    let faulty = Faulty::start();
    let screen = &faulty.screen;
    let (viewer, window) = faulty.window(&["--set", "wind=[0,0,0]"], &[]);
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool("key r mousemove 160 120 click 5 click 5");
    let before = screen.still();
    // A frame is due for this.
    screen.xdotool("key v v");
    screen.still();
    faulty.fail_with("vkQueueSubmit2", DEVICE_LOST, || screen.xdotool("key v"));
    screen.titled(window, " 0.0 s");
    screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
    screen.xdotool("mousemove 160 215 click 1");
    screen.comes_to(&before);
    assert!(screen.title(window).contains("paused"));
    screen.xdotool("key Escape");
    assert_eq!(screen.end(viewer).0, Some(0));
}

/// A pinned particle that is in hand when the device is lost is pinned again.
#[test]
fn what_is_in_hand_is_held_when_its_device_is_lost() {
    let faulty = Faulty::start();
    let screen = &faulty.screen;
    let small = ["--set", "columns=3", "--set", "rows=3", "--set", "wind=[0,0,0]", "--set", "pins=[4]"];
    for (backend, is_lost) in [("gpu", false), ("gpu", true), ("cpu", true)] {
        let (viewer, window) =
            faulty.window(&[&small[..], &["--backend", backend, "--report", "it.json"]].concat(), &[]);
        screen.xdotool("mousemove 160 120 mousedown 1");
        // Longer than it is between two copies.
        let simulated = || screen.title(window).split(' ').nth(2)?.parse::<f64>().ok();
        let now = simulated().unwrap();
        screen.until("time goes by", || simulated().filter(|&time| time > now + 2.5));
        if is_lost {
            faulty.fail("vkQueueSubmit2", DEVICE_LOST);
            screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
        }
        screen.xdotool("key Escape");
        assert_eq!(screen.end(viewer).0, Some(0));
        screen.xdotool("mouseup 1");
        let report: serde_json::Value = serde_json::from_slice(&fs::read(screen.path("it.json")).unwrap()).unwrap();
        assert_eq!(report["state"]["pinned_particles"], u32::from(is_lost), "{backend}");
    }
}

#[test]
fn a_device_that_does_not_come_back_ends_the_viewer_with_a_sentence() {
    for call in ["vkQueueSubmit2", "vkCreateDevice"] {
        let faulty = Faulty::start();
        let (viewer, window) = faulty.window(&["--save-state", "last.state"], &[]);
        let screen = &faulty.screen;
        let simulated = || screen.title(window).split(' ').nth(2)?.parse::<f64>().ok();
        // Longer than it is between two copies.
        screen.until("time goes by", || simulated().filter(|&time| time > 1.5));
        if call == "vkCreateDevice" {
            fs::write(faulty.layer.faults(), format!("vkQueueSubmit2 {DEVICE_LOST} 1\n{call} {DEVICE_LOST} 100\n"))
                .unwrap();
        } else {
            fs::write(faulty.layer.faults(), format!("{call} {DEVICE_LOST} 100\n")).unwrap();
        }
        let (code, errors) = faulty.screen.end(viewer);
        let last = errors.lines().last().unwrap();
        assert!(code == Some(1) && !errors.contains("panicked"), "{code:?}: {errors}");
        assert!(
            last.starts_with("error: given up after 3 new starts within 10 s: the Vulkan device was lost"),
            "{last}"
        );
        // What is known of the state is saved.
        let state = tautline::solver::State::from_bytes(&fs::read(screen.path("last.state")).unwrap()).unwrap();
        assert!(state.time > 0.0 && state.is_finite(), "{} s", state.time);
    }
}

#[test]
fn a_lost_surface_and_a_changed_window_cost_a_frame_and_no_more() {
    let faulty = Faulty::start();
    let screen = &faulty.screen;
    let (viewer, window) = faulty.window(&[], &[]);
    for (call, result) in [
        ("vkAcquireNextImageKHR", OUT_OF_DATE),
        ("vkAcquireNextImageKHR", SUBOPTIMAL),
        ("vkQueuePresentKHR", OUT_OF_DATE),
        ("vkQueuePresentKHR", SUBOPTIMAL),
        ("vkAcquireNextImageKHR", SURFACE_LOST),
        ("vkQueuePresentKHR", SURFACE_LOST),
        ("vkCreateSwapchainKHR", SURFACE_LOST),
    ] {
        // Swapchains are made when the size changes.
        faulty.fail_with(call, result, || {
            screen.xdotool(&format!("windowsize {window} 300 240 windowsize {window} 320 240"))
        });
        let time = screen.title(window);
        faulty.shows_a_moving_flag();
        screen.until("it goes on", || (screen.title(window) != time).then_some(()));
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
    assert!(!screen.title(window).contains(" 0.0 s"), "it was started anew: {}", screen.title(window));
    screen.ask_to_close(window);
    screen.ends_well(viewer);
}

#[test]
fn no_memory_for_another_scene_is_told() {
    let faulty = Faulty::start();
    let screen = &faulty.screen;
    let (viewer, window) = faulty.window(&[], &[]);
    let other = screen.path("other.toml");
    fs::write(&other, "preset = \"flag\"\ncolumns = 30\nrows = 30\n").unwrap();
    faulty.fail_with("vkCreateBuffer", OUT_OF_DEVICE_MEMORY, || {
        screen.drop_files(window, &[&other]);
        String::new()
    });
    screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
    faulty.shows_a_moving_flag();
    screen.ask_to_close(window);
    screen.ends_well(viewer);
}

#[test]
fn frames_are_shown_as_asked_for_where_the_surface_can() {
    let faulty = Faulty::start();
    let screen = &faulty.screen;
    for mode in ["fifo", "mailbox", "immediate"] {
        let (viewer, window) = faulty.window(&["--present", mode], &[]);
        faulty.shows_a_moving_flag();
        assert!(!is_told(&screen.pixels(SIZE)));
        screen.ask_to_close(window);
        screen.ends_well(viewer);
    }
    let (viewer, window) = faulty.window(&["--present", "mailbox"], &[("TAUTLINE_ONLY_FIFO", "1")]);
    screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
    faulty.shows_a_moving_flag();
    screen.ask_to_close(window);
    let told = "this window cannot show frames the newest (mailbox): they are shown with the display (fifo)\n";
    assert_eq!(screen.end(viewer), (Some(0), told.to_string()));
}
