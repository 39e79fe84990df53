//! Videos of headless runs, decoded again, against the pictures of the same run; and what goes wrong with them.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/video.rs"]
mod video;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use video::{Video, ffmpeg_on_a_full_disk, path_with_ffmpeg, pictures, real_ffmpeg, signal_to_noise};

const FLAG: [&str; 7] = ["flag", "--headless", "--set", "columns=30", "--set", "rows=30", "--size=161x119"];

/// A viewer in a folder of its own.
fn viewer(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    command.current_dir(folder).args(FLAG).args(arguments).stdin(Stdio::null());
    command
}

fn succeeds(output: &Output) {
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

/// The sentence with which a run fails.
fn error(output: &Output) -> String {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.starts_with("error: ") && told.lines().count() == 1 && !told.contains("panicked"), "{told}");
    told
}

/// With a script of that name for ffmpeg.
fn with_ffmpeg(mut command: Command, script: &str) -> Output {
    let programs = tempfile::tempdir().unwrap();
    command.env("PATH", path_with_ffmpeg(programs.path(), script)).output().unwrap()
}

/// What is in a folder, by name.
fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Waits for what a viewer does; a minute at most.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// MP4 wants even sides; pictures are drawn with those, and not cut or stretched. The same run into a folder, of the size
/// that they have, is what the video has to show.
#[test]
fn a_video_shows_the_pictures_of_its_run_in_their_order() {
    for backend in ["gpu", "cpu"] {
        let folder = tempfile::tempdir().unwrap();
        let run = ["--frames", "24", "--validate", "--backend", backend];
        succeeds(&viewer(&folder, &[&run[..], &["--video", "it.mp4"]].concat()).output().unwrap());
        let even = ["--size", "162x120", "--video", "it/", "--image", "it.png"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
        command.current_dir(&folder).args(&FLAG[..6]).args(run).args(even);
        succeeds(&command.output().unwrap());

        let video = Video::read(&folder.path().join("it.mp4"));
        assert_eq!((video.extent, video.frames.len(), video.rate.as_str()), ([162, 120], 24, "60/1"));
        assert_eq!(video.color_space, "bt709");
        assert!((video.seconds - 24.0 / 60.0).abs() < 1e-3, "{} s", video.seconds);
        let pictures = pictures(&folder.path().join("it"));
        assert_eq!(pictures.len(), 24);
        for (index, frame) in video.frames.iter().enumerate() {
            // 8-bit video is called good from 30 dB on; the nearest of all pictures is the frame's own.
            let nearness: Vec<f64> = pictures.iter().map(|picture| signal_to_noise(frame, &picture.luma())).collect();
            assert!(nearness[index] > 30.0, "{nearness:?} dB in frame {index}");
            let nearest = (0..24).max_by(|&a, &b| nearness[a].total_cmp(&nearness[b]));
            assert_eq!(nearest, Some(index), "{nearness:?} dB");
        }
    }
}

/// About 60 pictures a second of whole steps, and every second of a video a second of simulated time.
#[test]
fn a_video_plays_at_true_speed_whatever_the_step() {
    for (dt, frames, count, rate) in
        [("0.0041666667", "48", 12, "60/1"), ("0.04", "5", 5, "25/1"), ("0.01", "9", 4, "50/1")]
    {
        let folder = tempfile::tempdir().unwrap();
        let dt = format!("dt={dt}");
        succeeds(&viewer(&folder, &["--frames", frames, "--set", &dt, "--video", "it.mp4"]).output().unwrap());
        let video = Video::read(&folder.path().join("it.mp4"));
        assert_eq!((video.frames.len(), video.rate.as_str()), (count, rate), "{dt}");
    }
}

/// A run that goes back has what it ran instead in its video, once and in order: up to where it went back to the pictures of a run
/// that nobody watches, and then those of a run that goes on from there with half the substeps, to the bit.
#[test]
fn what_a_run_goes_back_over_is_not_in_its_video() {
    for (backend, dt, stiffness, steps) in
        [("gpu", "0.016666667", "6000", 1), ("cpu", "0.016666667", "6000", 1), ("gpu", "0.0083333333", "24000", 2)]
    {
        let folder = tempfile::tempdir().unwrap();
        let view = |more: &[&str]| {
            let springs = [format!("dt={dt}"), format!("structural_stiffness={stiffness}")];
            let keys = ["allow_unstable=true", "columns=12", "rows=12", "watch_every=1", &springs[0], &springs[1]];
            let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
            command.current_dir(&folder).args(["verlet", "--headless", "--size=162x120", "--backend", backend]);
            command.args(keys.iter().flat_map(|key| ["--set", key]));
            let output = command.args(more).stdin(Stdio::null()).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stderr).unwrap()
        };
        let whole = ["--set", "substeps=1", "--set", "watch=recover", "--frames", "40", "--video"];
        let told = view(&[&whole[..], &["it/"]].concat());
        view(&[&whole[..], &["it.mp4"]].concat());
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, ["it", "it.mp4"]);
        assert_eq!(told.matches("; it goes back to ").count(), 1, "{told}");
        let (_, from) = told.split_once("; it goes back to ").unwrap();
        let from: usize = from.split_once("(step ").unwrap().1.split_once(')').unwrap().0.parse().unwrap();
        // Up to the next picture, where there is none of the step that it goes back to.
        let next = from.next_multiple_of(steps);
        let [first, between, rest] = [from, next - from, 40 - next].map(|steps| steps.to_string());
        let off = ["--set", "substeps=1", "--set", "watch=off", "--frames", &first, "--save-state", "first.state"];
        view(&[&off[..], &["--video", "first/"]].concat());
        let mut state = "first.state";
        if between != "0" {
            let go_on = ["--set", "substeps=2", "--frames", &between, "--load-state", state, "--save-state"];
            view(&[&go_on[..], &["next.state"]].concat());
            state = "next.state";
        }
        let go_on = ["--set", "substeps=2", "--frames", &rest, "--load-state", state, "--video", "rest/"];
        view(&go_on);
        let [it, first, rest] = ["it", "first", "rest"].map(|name| pictures(&folder.path().join(name)));
        let passed = next / steps;
        assert_eq!((it.len(), rest.len()), (40 / steps, 40 / steps - passed));
        assert!(it[..from / steps] == first[..], "{told}");
        assert!(it[passed..] == rest[..], "{told}");
        let video = Video::read(&folder.path().join("it.mp4"));
        assert_eq!((video.frames.len(), video.rate.as_str()), (it.len(), "60/1"));
        for (index, frame) in video.frames.iter().enumerate() {
            let nearness = signal_to_noise(frame, &it[index].luma());
            assert!(nearness > 30.0, "{nearness} dB in frame {index}");
        }
    }
}

#[test]
fn without_libx264_it_falls_back_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let list = "case \"$*\" in *-encoders*) echo ' V.S... mpeg4 MPEG-4 part 2'; exit;; esac";
    let command = viewer(&folder, &["--frames", "6", "--video", "it.mp4"]);
    let output = with_ffmpeg(command, &format!("{list}; exec {} \"$@\"", real_ffmpeg()));
    succeeds(&output);
    assert!(String::from_utf8(output.stdout).unwrap().contains("this ffmpeg has no libx264"));
    assert_eq!(Video::read(&folder.path().join("it.mp4")).frames.len(), 6);
}

#[test]
fn what_goes_wrong_with_ffmpeg_is_told_and_no_file_is_left() {
    let encoders = "case \"$*\" in *-encoders*) echo ' V....D libx264'; exit;; esac;";
    for (script, says) in [
        ("exit 0".to_string(), &["neither H.264 (libx264) nor MPEG-4 (mpeg4)"][..]),
        (format!("{encoders} echo 'No space left on device' >&2; exit 1"), &["'it.mp4'", "No space left on device"]),
        (format!("{encoders} head -c 100000 >/dev/null; exit 7"), &["'it.mp4'", "ffmpeg ended before the video did"]),
        // It reads all, and fails in the end without saying so by its exit code.
        (format!("{encoders} cat >/dev/null; echo 'Error writing trailer' >&2"), &["Error writing trailer"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let command = viewer(&folder, &["--frames", "40", "--video", "it.mp4"]);
        let told = error(&with_ffmpeg(command, &script));
        assert!(says.iter().all(|words| told.contains(words)), "{told}");
        assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
    }
}

#[test]
fn a_full_disk_ends_the_run_with_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let command = viewer(&folder, &["--frames", "60", "--video", "it.mp4"]);
    let told = error(&with_ffmpeg(command, &ffmpeg_on_a_full_disk()));
    assert!(told.contains("cannot write 'it.mp4'") && told.contains("File too large"), "{told}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_folder_that_goes_away_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let child = start(&folder, "it/");
    until("there are pictures", || folder.path().join("it/000002.png").exists());
    // Until the writer has put nothing into it meanwhile.
    until("it is gone", || fs::remove_dir_all(folder.path().join("it")).is_ok());
    let told = error(&child.wait_with_output().unwrap());
    assert!(told.contains("cannot write 'it/0000"), "{told}");
}

/// A run that goes on until something ends it.
fn start(folder: &TempDir, video: &str) -> Child {
    let mut command = viewer(folder, &["--frames", "1000000", "--video", video, "--report", "it.json"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn an_interrupt_ends_the_run_and_keeps_the_video() {
    for video in ["it.mp4", "it/"] {
        let folder = tempfile::tempdir().unwrap();
        let child = start(&folder, video);
        // A folder with pictures in it, or a file that the video is written to before it takes its place.
        until("it writes", || match video {
            "it/" => folder.path().join("it/000002.png").exists(),
            _ => names(folder.path()).iter().any(|name| name.starts_with(".tautline-")),
        });
        let started = Instant::now();
        assert!(Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success());
        let told = error(&child.wait_with_output().unwrap());
        assert!(told.contains("interrupted: wrote it") && started.elapsed() < Duration::from_secs(20), "{told}");
        let frames = match video {
            "it/" => pictures(&folder.path().join("it")).len(),
            _ => Video::read(&folder.path().join("it.mp4")).frames.len(),
        };
        assert!(told.contains(&format!("({frames} pictures")) && frames > 0, "{told} and not {frames}");
        assert_eq!(names(folder.path()), [video.trim_end_matches('/')]);
    }
}
