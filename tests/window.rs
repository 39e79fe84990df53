//! The viewer in a window: what it shows, how it obeys and how it ends. The panel is hidden; tests/panels.rs shows it.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;

use std::fs::{self, File};
use std::time::{Duration, Instant};

use screen::{Pixel, SETTLING, Screen, background, is_background, red_and_cream};

const SIZE: [usize; 2] = [320, 240];

fn start() -> Screen {
    start_on("gpu")
}

fn start_on(backend: &str) -> Screen {
    Screen::start(SIZE, &format!("flag --set columns=30 --set rows=30 --no-panel --backend {backend}"))
}

#[test]
fn it_shows_a_moving_flag_until_the_window_is_closed() {
    let screen = start();
    let (viewer, window) = screen.window();
    let first = screen.pixels(SIZE);
    assert!(is_background(first[0]) && is_background(first[SIZE[0] - 1]), "{:?}, not {:?}", first[0], background());
    let (red, cream) = red_and_cream(&first);
    // Stripes of the same width, one half of each colour, on a good part of the window.
    assert!(red > first.len() / 20 && cream > first.len() / 20, "{red} red and {cream} cream-coloured pixels");
    for _ in 0..3 {
        let before = screen.pixels(SIZE);
        screen.until("the flag moves", || (screen.pixels(SIZE) != before).then_some(()));
    }
    screen.ask_to_close(window);
    screen.ends_well(viewer);
}

#[test]
fn space_pauses_n_steps_once_r_starts_again_and_esc_quits() {
    space_n_r_and_esc("gpu");
}

#[test]
fn space_n_r_and_esc_do_the_same_on_the_cpu() {
    space_n_r_and_esc("cpu");
}

fn space_n_r_and_esc(backend: &'static str) {
    let screen = start_on(backend);
    let (viewer, window, start) = screen.paused_window();
    std::thread::sleep(SETTLING);
    assert!(screen.pixels(SIZE) == start, "the picture changed while it was paused");

    screen.xdotool("key n");
    let first = screen.still_after(&start);
    screen.xdotool("key n");
    let second = screen.still_after(&first);
    assert!(second != start);
    screen.xdotool("key r");
    screen.comes_to(&start);
    // The same step from the same start: the very same picture.
    screen.xdotool("key n");
    screen.comes_to(&first);

    // However fast they come, 30 steps of 1/60 s are half a second.
    screen.xdotool(&format!("key --delay 1 r{}", " n".repeat(30)));
    screen.titled(window, " 0.5 s");
    screen.still();
    assert!(screen.title(window).contains(" 0.5 s"), "{}", screen.title(window));

    let before = screen.still();
    screen.xdotool("key space");
    screen.until("it runs again", || (screen.pixels(SIZE) != before).then_some(()));
    screen.until("the title says so", || (!screen.title(window).contains("paused")).then_some(()));
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn keys_change_the_elongation_and_the_order_of_the_constraints() {
    plus_minus_and_j("gpu");
}

#[test]
fn keys_change_settings_on_the_cpu() {
    plus_minus_and_j("cpu");
}

fn plus_minus_and_j(backend: &'static str) {
    let screen = start_on(backend);
    let (viewer, window, start) = screen.paused_window();
    screen.xdotool("key n");
    let as_it_is = screen.still_after(&start);
    screen.xdotool("key r plus plus minus plus");
    screen.titled(window, "elongation 1.02");
    screen.comes_to(&start);
    screen.xdotool("key n");
    let longer = screen.still_after(&start);
    assert!(longer != as_it_is, "a step with longer constraints is the same as one without");
    screen.xdotool("key r minus minus j");
    screen.titled(window, "Jacobi, paused");
    screen.comes_to(&start);
    screen.xdotool("key n");
    screen.still_after(&start);
    screen.xdotool("key j r n");
    screen.comes_to(&as_it_is);
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn the_key_v_colours_ropes_by_their_level() {
    ["gpu", "cpu"].into_iter().for_each(v_colours_ropes);
}

fn v_colours_ropes(backend: &'static str) {
    let ropes = "--solver rope --set rope_count=12 --set rope_columns=2 --set rope_radius=0.02 --set substeps=4 \
                 --set rope_lod=true --set rope_lod_distances=[0,0,0.1]";
    let screen = start_on(backend);
    let (viewer, window) = screen.window_with(&ropes.split_whitespace().collect::<Vec<_>>());
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool("key r n");
    let as_ropes = screen.still();
    let blue =
        |pixels: &[Pixel]| pixels.iter().filter(|[red, green, blue]| blue / 2 > *red && blue / 2 > *green).count();
    assert!(blue(&as_ropes) == 0, "hemp is not blue");
    // The last view is that of levels: 3, beyond a tenth of a metre.
    screen.xdotool("key v v v v v v v");
    assert!(blue(&screen.still_after(&as_ropes)) > 50, "nothing is blue");
    screen.xdotool("key v");
    screen.comes_to(&as_ropes);
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn the_mouse_turns_moves_and_zooms() {
    let screen = start();
    let (viewer, _, start) = screen.paused_window();
    screen.xdotool("mousemove 160 120 click 5 click 5 click 5");
    let smaller = screen.still_after(&start);
    assert!(red_and_cream(&smaller).0 < red_and_cream(&start).0);
    screen.xdotool("mousedown 3 mousemove 200 130 mouseup 3");
    let moved = screen.still_after(&smaller);
    // Upwards: the camera sinks below the floor, which must not hide the flag.
    screen.xdotool("mousemove 310 220 mousedown 1 mousemove 310 150 mouseup 1");
    let turned = screen.still_after(&moved);
    assert!(red_and_cream(&turned).0 > turned.len() / 100, "the flag is hidden");
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn the_picture_fills_the_window_whatever_its_size() {
    let screen = start();
    let (viewer, window) = screen.window();
    for [width, height] in [[1, 1], [16, 16], [700, 500], [3000, 2000], [2, 600]] {
        screen.xdotool(&format!("windowsize {window} {width} {height}"));
        std::thread::sleep(SETTLING / 4);
    }
    for step in 0..200 {
        screen.xdotool(&format!("windowsize {window} {} {}", 1 + step * 37 % 600, 1 + step * 53 % 400));
    }
    let [width, height] = [600, 350];
    screen.xdotool(&format!("windowsize {window} {width} {height}"));
    screen.until("the picture fills the window", || {
        let seen = screen.pixels([width + 1, height + 1]);
        let at = |x: usize, y: usize| seen[y * (width + 1) + x];
        let filled = is_background(at(0, 0)) && is_background(at(width - 1, 0)) && at(width - 1, height - 1) != [0; 3];
        (filled && at(width, 0) == [0; 3] && at(0, height) == [0; 3] && red_and_cream(&seen).0 > seen.len() / 20)
            .then_some(())
    });
    screen.ask_to_close(window);
    screen.ends_well(viewer);
}

/// Seconds in the title: simulated ones, and those whose steps of 1/60 s were dropped.
fn seconds(title: &str) -> f64 {
    let part = |end: &str| title.split(", ").find_map(|part| part.strip_suffix(end)?.parse::<f64>().ok());
    let dropped = title.split("steps dropped: ").nth(1).and_then(|rest| rest.split(',').next()?.parse::<f64>().ok());
    part(" s").unwrap() + dropped.unwrap_or(0.0) / 60.0
}

#[test]
fn simulated_time_is_that_of_the_wall_however_frames_are_shown() {
    for mode in ["fifo", "mailbox", "immediate"] {
        let screen = start();
        let (viewer, window) = screen.window_with(&["--present", mode]);
        // The title is brought up to date twice a second, after a frame that may be a while on its way.
        let changed = || {
            let last = screen.title(window);
            screen.until("the title is up to date", || (screen.title(window) != last).then_some(()));
            (Instant::now(), seconds(&screen.title(window)))
        };
        let (start, first) = changed();
        std::thread::sleep(Duration::from_secs(3));
        let (end, last) = changed();
        let wall = (end - start).as_secs_f64();
        assert!((last - first - wall).abs() < 0.4, "{mode}: {} s in {wall} s", last - first);
        screen.ask_to_close(window);
        screen.ends_well(viewer);
    }
}

#[test]
fn it_goes_on_when_it_was_hidden_and_moved() {
    let screen = start();
    let (viewer, window) = screen.window();
    for _ in 0..3 {
        screen.xdotool(&format!("windowunmap --sync {window}"));
        std::thread::sleep(SETTLING);
        screen.xdotool(&format!("windowmap --sync {window} windowmove {window} 500 300"));
        std::thread::sleep(SETTLING / 4);
        screen.xdotool(&format!("windowmove {window} -100 -50 windowmove {window} 0 0"));
        screen.until("the flag is there", || {
            let pixels = screen.pixels(SIZE);
            (is_background(pixels[0]) && red_and_cream(&pixels).0 > pixels.len() / 20).then_some(())
        });
        let before = screen.pixels(SIZE);
        screen.until("the flag moves", || (screen.pixels(SIZE) != before).then_some(()));
    }
    screen.ask_to_close(window);
    screen.ends_well(viewer);
}

#[test]
fn it_rests_while_nobody_can_see_the_window() {
    let screen = start();
    let (viewer, window) = screen.window();
    screen.xdotool(&format!("windowmove {window} 2000 2000"));
    std::thread::sleep(2 * SETTLING);
    // The title has the simulated time, and is brought up to date twice a second.
    let before = screen.title(window);
    std::thread::sleep(3 * SETTLING);
    assert_eq!(screen.title(window), before);
    screen.xdotool(&format!("windowmove {window} 0 0"));
    screen.until("it goes on", || (screen.title(window) != before).then_some(()));
    // Another program destroys the window: as good as closed, unless a frame on its way fails first.
    screen.xdotool(&format!("windowclose {window}"));
    let (code, errors) = screen.end(viewer);
    assert!(errors.lines().count() <= 1 && !errors.contains("panicked"), "{errors}");
    assert_eq!(code, Some(i32::from(!errors.is_empty())), "{errors}");
}

#[test]
fn it_ends_with_an_error_when_the_display_goes_away() {
    let mut screen = start();
    let (viewer, _) = screen.window();
    screen.server.0.kill().unwrap();
    let (code, errors) = screen.end(viewer);
    assert_eq!(code, Some(1), "{errors}");
    assert!(!errors.is_empty() && !errors.contains("panicked"), "{errors}");
}

#[test]
fn a_window_runs_as_many_frames_as_asked_and_writes_the_same_files() {
    for backend in ["gpu", "cpu"] {
        let screen = start_on(backend);
        let files = ["--frames", "7", "--image", "it.png", "--report", "it.json"];
        let report = |mode| {
            screen.ends_well(screen.viewer(&[&[mode], &files[..]].concat()));
            serde_json::from_slice::<serde_json::Value>(&fs::read(screen.path("it.json")).unwrap()).unwrap()
        };
        let (headless, window) = (report("--headless"), report("--window"));
        assert_eq!((&window["backend"], &window["frames"]), (&backend.into(), &7.into()));
        assert_eq!(window["validation_messages"], 0);
        assert_eq!(window["state"], headless["state"], "{backend}");
        let image = png::Decoder::new(std::io::BufReader::new(File::open(screen.path("it.png")).unwrap()));
        assert_eq!(image.read_info().unwrap().info().size(), (320, 240));
    }
}

#[test]
fn without_a_display_it_runs_headless_unless_a_window_is_insisted_on() {
    let mut screen = start();
    screen.number = "no-such-display".into();
    let (code, errors) = screen.end(screen.viewer(&["--frames", "2"]));
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("running headless") && errors.lines().count() == 1, "{errors}");
    assert!(screen.path("tautline-flag.png").is_file());

    let (code, errors) = screen.end(screen.viewer(&["--frames", "2", "--window"]));
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("no window can be opened") && errors.lines().count() == 1, "{errors}");
    assert!(!errors.contains(".rs"), "a place in some source tells the user nothing: {errors}");
}
