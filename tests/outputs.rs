//! Pictures and videos that a window takes of itself.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;
#[path = "common/video.rs"]
mod video;

use std::fs;
use std::process::Command;

use screen::{Pixel, Process, SETTLING, Screen};
use video::{Picture, Video, ffmpeg_on_a_full_disk, path_with_ffmpeg, pictures};

const SIZE: [usize; 2] = [320, 240];
const FLAG: &str = "flag --set columns=30 --set rows=30 --set substeps=4";

fn start() -> Screen {
    Screen::start(SIZE, &format!("{FLAG} --no-panel"))
}

/// Waits until the viewer has told of a file on its standard output.
fn told(screen: &Screen, text: &str) {
    let told = || fs::read_to_string(screen.path("stdout")).unwrap();
    screen.until(&format!("it says '{text}'"), || told().contains(text).then_some(()));
}

/// Where a message stands for a while, in the middle of the lower edge; a picture without it is still afterwards.
fn message(pixels: &[Pixel]) -> Vec<Pixel> {
    let columns = SIZE[0] / 2 - 40..SIZE[0] / 2 + 40;
    (SIZE[1] - 44..SIZE[1] - 12).flat_map(|y| columns.clone().map(move |x| pixels[y * SIZE[0] + x])).collect()
}

fn is_dark(pixel: &Pixel) -> bool {
    pixel.iter().all(|&channel| channel < 0x30)
}

/// The same but for the last place: formats of windows and of pictures round on their own.
fn same(picture: &Picture, pixels: &[Pixel]) -> bool {
    let apart = |left: &Pixel, right: &Pixel| left.iter().zip(right).any(|(left, right)| left.abs_diff(*right) > 1);
    picture.rgb.len() == pixels.len() && !picture.rgb.iter().zip(pixels).any(|(left, right)| apart(left, right))
}

fn interrupt(viewer: &Process) {
    let kill = format!("kill -INT {}", viewer.0.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

#[test]
fn a_picture_is_what_the_window_shows_and_replaces_none() {
    let screen = start();
    let (viewer, _, start) = screen.paused_window();
    fs::write(screen.path("tautline-flag-1.png"), "here before").unwrap();
    screen.xdotool("key n");
    let shown = screen.still_after(&start);
    screen.xdotool("key p");
    told(&screen, "wrote tautline-flag-2.png\n");
    assert!(same(&Picture::read(&screen.path("tautline-flag-2.png")), &shown));
    screen.until("the window says so", || message(&screen.pixels(SIZE)).iter().any(is_dark).then_some(()));
    // What goes well takes nothing back that went well.
    let above = |pixels: &[Pixel]| pixels[..(SIZE[1] - 60) * SIZE[0]].to_vec();
    let shows = |wanted: &[Pixel]| (above(&screen.pixels(SIZE)) == above(wanted)).then_some(());
    screen.xdotool("key F5");
    screen.until("it starts again", || shows(&start));
    assert!(message(&screen.pixels(SIZE)).iter().any(is_dark));
    screen.xdotool("key n");
    screen.until("it is a step on", || shows(&shown));
    screen.xdotool("key p");
    told(&screen, "wrote tautline-flag-3.png\n");
    // The message is not in it.
    let [second, third] = [2, 3].map(|number| Picture::read(&screen.path(&format!("tautline-flag-{number}.png"))));
    assert!(second == third);
    assert_eq!(fs::read_to_string(screen.path("tautline-flag-1.png")).unwrap(), "here before");
    screen.comes_to(&shown);
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn a_video_has_every_step_once_and_a_headless_one_is_the_same() {
    for backend in ["gpu", "cpu"] {
        let screen = Screen::start(SIZE, &format!("{FLAG} --no-panel --backend {backend}"));
        let (viewer, window, _) = screen.paused_window();
        // Fast or slow, resized or not. The title rounds: 9 steps of 1/60 s are the first that it calls 0.2 s.
        screen.xdotool("key --delay 1 m n n n n n n n n n");
        screen.titled(window, " 0.2 s");
        screen.titled(window, "recording");
        screen.xdotool(&format!("windowsize {window} 200 300"));
        std::thread::sleep(SETTLING);
        screen.xdotool("key --delay 1 n n n n n n");
        screen.titled(window, " 0.3 s");
        screen.xdotool("key m");
        told(&screen, "wrote tautline-flag-1.mp4 (15 pictures, 0.25 s)\n");
        screen.xdotool("key Escape");
        screen.ends_well(viewer);
        let video = Video::read(&screen.path("tautline-flag-1.mp4"));
        assert_eq!((video.extent, video.frames.len(), video.rate.as_str()), (SIZE, 15, "60/1"));

        let headless = screen.viewer(&["--headless", "--frames", "15", "--video", "headless.mp4"]);
        screen.ends_well(headless);
        let headless = Video::read(&screen.path("headless.mp4"));
        // Both are coded with the same loss; two steps of a moving flag differ by more.
        for (index, (left, right)) in video.frames.iter().zip(&headless.frames).enumerate() {
            let apart = left.iter().zip(right).map(|(left, right)| (left - right).abs()).fold(0.0, f64::max);
            assert!(apart <= 1.0, "{backend}: {apart} levels in frame {index}");
        }
        assert!(video.frames[0] != video.frames[14]);
    }
}

/// The video up to then is whole.
#[test]
fn a_video_is_kept_however_it_ends() {
    for end in ["close", "interrupt", "escape"] {
        let screen = start();
        let (viewer, window) = screen.window();
        screen.xdotool("key m");
        screen.titled(window, "recording");
        std::thread::sleep(2 * SETTLING);
        match end {
            "close" => screen.ask_to_close(window),
            "interrupt" => interrupt(&viewer),
            _ => drop(screen.xdotool("key Escape")),
        }
        screen.ends_well(viewer);
        told(&screen, "wrote tautline-flag-1.mp4");
        assert!(!Video::read(&screen.path("tautline-flag-1.mp4")).frames.is_empty(), "{end}");
    }
}

#[test]
fn without_ffmpeg_it_records_pictures() {
    let mut screen = start();
    let empty = tempfile::tempdir().unwrap();
    screen.path_variable = Some(empty.path().to_str().unwrap().into());
    let (viewer, window, _) = screen.paused_window();
    screen.xdotool("key --delay 1 m n n n");
    screen.titled(window, " 0.1 s");
    screen.xdotool("key m");
    told(&screen, "wrote tautline-flag-1 (3 pictures, 0.05 s)\n");
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
    let taken = pictures(&screen.path("tautline-flag-1"));
    assert_eq!((taken.len(), taken[0].extent), (3, SIZE));
    screen.ends_well(screen.viewer(&["--headless", "--frames", "3", "--video", "headless/"]));
    for (window, headless) in taken.iter().zip(pictures(&screen.path("headless"))) {
        assert!(same(window, &headless.rgb));
    }
}

#[test]
fn a_full_disk_is_told_and_the_scene_goes_on() {
    let mut screen = start();
    let programs = tempfile::tempdir().unwrap();
    screen.path_variable = Some(path_with_ffmpeg(programs.path(), &ffmpeg_on_a_full_disk()));
    let (viewer, window) = screen.window();
    screen.xdotool("key m");
    screen.titled(window, "recording");
    // More than fits.
    let simulated = || screen.title(window).split(' ').nth(2).unwrap().parse::<f64>().unwrap();
    screen.until("two seconds are simulated", || (simulated() >= 2.0).then_some(()));
    screen.xdotool("key m");
    let errors = || fs::read_to_string(screen.path("stderr")).unwrap();
    let told = "error: cannot write 'tautline-flag-1.mp4': ffmpeg said: ";
    screen.until("it is told", || errors().contains(told).then_some(()));
    let is_error = |[red, green, blue]: &Pixel| *red > 180 && *green < 150 && *blue < 150;
    screen.until("the window says so", || message(&screen.pixels(SIZE)).iter().any(is_error).then_some(()));
    let before = screen.title(window);
    screen.until("the scene goes on", || (screen.title(window) != before).then_some(()));
    screen.xdotool("key Escape");
    let (code, errors) = screen.end(viewer);
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("File too large") && errors.lines().count() == 1, "{errors}");
    let names = fs::read_dir(screen.path(".")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<_> = names.filter(|name| name.contains("tautline")).collect();
    assert!(left.is_empty(), "{left:?}");
}
