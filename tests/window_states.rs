//! States that a window saves, and those that it goes on from.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;

use std::fs;
use std::process::Command;

use screen::{Screen, is_told};

const SIZE: [usize; 2] = [320, 240];

fn start() -> Screen {
    Screen::start(SIZE, "flag --set columns=20 --set rows=20 --set substeps=4 --no-panel")
}

/// The state after so many frames without a window.
fn headless(screen: &Screen, frames: &str) -> Vec<u8> {
    screen.ends_well(screen.viewer(&["--headless", "--frames", frames, "--save-state", "headless.state"]));
    fs::read(screen.path("headless.state")).unwrap()
}

#[test]
fn a_window_goes_on_from_a_state_as_if_it_had_not_stopped() {
    let screen = start();
    let [first, whole] = ["12", "18"].map(|frames| headless(&screen, frames));
    fs::write(screen.path("first.state"), first).unwrap();
    let arguments = ["--window", "--load-state", "first.state", "--save-state", "second.state", "--frames", "6"];
    screen.ends_well(screen.viewer(&arguments));
    assert!(fs::read(screen.path("second.state")).unwrap() == whole, "other bits");
    // Another body has no window.
    let wrong = screen.viewer(&["--window", "--load-state", "first.state", "--set", "columns=21"]);
    let (code, told) = screen.end(wrong);
    let expected = "error: cannot go on from 'first.state': it is of 400 particles, and the scene has 420\n";
    assert_eq!((code, told.as_str()), (Some(1), expected));
}

#[test]
fn a_key_saves_and_a_drop_goes_on() {
    let screen = start();
    let [third, twelfth, fifteenth] = ["3", "12", "15"].map(|frames| headless(&screen, frames));
    for (name, bytes) in [("twelfth.state", &twelfth[..]), ("torn.state", &twelfth[..100])] {
        fs::write(screen.path(name), bytes).unwrap();
    }
    fs::write(screen.path("tautline-flag-1.state"), "here before").unwrap();
    let (viewer, window, _) = screen.paused_window();
    // The title rounds: 3 steps of 1/60 s are the first that it calls 0.1 s, and 15 the first that it calls 0.3 s.
    screen.xdotool("key --delay 1 n n n");
    screen.titled(window, " 0.1 s");
    screen.xdotool("key s");
    assert!(screen.saved("tautline-flag-2.state") == third, "other bits than after three steps");
    screen.drop_files(window, &[&screen.path("twelfth.state")]);
    screen.titled(window, " 0.2 s");
    screen.xdotool("key s");
    assert!(screen.saved("tautline-flag-3.state") == twelfth, "other bits than were dropped");
    screen.drop_files(window, &[&screen.path("torn.state")]);
    screen.until("it is told", || is_told(&screen.pixels(SIZE)).then_some(()));
    screen.xdotool("key --delay 1 n n n");
    screen.titled(window, " 0.3 s");
    screen.xdotool("key s");
    let after = screen.saved("tautline-flag-4.state");
    screen.xdotool("key r");
    screen.titled(window, " 0.0 s");
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
    assert!(after == fifteenth, "other bits than three steps later");
    assert_eq!(fs::read_to_string(screen.path("tautline-flag-1.state")).unwrap(), "here before");
}

#[test]
fn an_interrupt_saves_as_closing_does() {
    let screen = start();
    for end in ["close", "interrupt"] {
        let (viewer, window) = screen.window_with(&["--save-state", "last.state"]);
        screen.until("it runs", || (!screen.title(window).contains(" 0.0 s")).then_some(()));
        if end == "close" {
            screen.ask_to_close(window);
        } else {
            let kill = format!("kill -INT {}", viewer.0.id());
            assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        }
        screen.ends_well(viewer);
        screen.saved("last.state");
        fs::remove_file(screen.path("last.state")).unwrap();
    }
}
