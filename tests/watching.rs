//! What runs do where a simulation goes wrong: they say so, stop, or go back and on with half the step.

#![cfg(all(feature = "viewer", unix))]

mod common;
#[path = "common/places.rs"]
mod places;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use common::{Random, Validated, load};
use serde_json::Value;
use tautline::engine::{Device, Frames};
use tautline::scene::{Scene, Watching, presets};
use tautline::solver::{Guard, Simulation, Verdict, Wrong};

/// Verlet in one substep of 1/60 s, beyond the limit of sqrt(1 / (6000 + 1000)) = 1/84 s, which two are within.
const UNSTABLE: [&str; 8] = [
    "--set",
    "allow_unstable=true",
    "--set",
    "substeps=1",
    "--set",
    "structural_stiffness=6000",
    "--set",
    "columns=12",
];

fn settings(more: &[&str]) -> Vec<String> {
    UNSTABLE.iter().chain(["--set", "rows=12"].iter()).chain(more).map(|text| text.to_string()).collect()
}

fn scene(more: &[(&str, &str)]) -> Scene {
    let unstable = [
        ("allow_unstable", "true"),
        ("substeps", "1"),
        ("structural_stiffness", "6000"),
        ("columns", "12"),
        ("rows", "12"),
    ];
    load("verlet", &[&unstable[..], more].concat())
}

/// The report of a headless run of the unstable scene, with what it said and its exit code.
fn viewed(more: &[&str]) -> (Output, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    command.args(["verlet", "--headless"]).args(settings(more)).arg("--report").arg(&path).stdin(Stdio::null());
    let output = command.output().unwrap();
    let report = fs::read(&path).unwrap_or_else(|_| panic!("no report: {output:?}"));
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    (output, told, serde_json::from_slice(&report).unwrap())
}

#[test]
fn each_policy_does_what_it_says() {
    for backend in ["gpu", "cpu"] {
        let run = |policy: &str, frames: &str| {
            viewed(&["--set", policy, "--frames", frames, "--backend", backend, "--set", "watch_every=1"])
        };
        // Nobody looks, and the end is as it is.
        let (output, told, report) = run("watch=off", "400");
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(!told.contains("watch:") && report.get("watch").is_none() && report["state"]["finite"] == false);

        // It is said once, and goes on to the end.
        let (output, told, report) = run("watch=warn", "400");
        assert_eq!((output.status.code(), &report["frames"]), (Some(1), &Value::from(400)), "{told}");
        assert_eq!(told.matches("watch: ").count(), 1, "{told}");
        assert_eq!(report["watch"]["alarms"].as_array().unwrap().len(), 1);
        assert_eq!(report["state"]["finite"], false);
        assert!(report["watch"]["non_finite"].as_u64().unwrap() > 0, "{report}");

        // It stops where it was said, while there are still numbers.
        let (output, told, report) = run("watch=pause", "400");
        assert_eq!(output.status.code(), Some(1), "{told}");
        let frames = report["frames"].as_u64().unwrap();
        assert!(frames < 400 && report["state"]["finite"] == true, "{report}");
        assert_eq!(told.matches("it stops (watch = \"pause\")").count(), 2, "{told}");
        assert_eq!(report["watch"]["stopped"], report["watch"]["alarms"][0]);

        // It goes back, through it, and after a second is where it began.
        let (output, told, report) = run("watch=recover", "400");
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert_eq!((&report["frames"], &report["state"]["finite"]), (&Value::from(400), &Value::from(true)), "{told}");
        let alarms = report["watch"]["alarms"].as_array().unwrap();
        let says = |number: usize, what: &str| alarms[number].as_str().unwrap().contains(what);
        assert!(says(0, "it goes back to ") && says(0, "substeps of 8.333 ms, 2 a step"), "{told}");
        assert!(says(1, "nothing has been wrong for a second") && says(1, "16.667 ms, 1 a step"), "{told}");
        assert!(says(0, "(row ") && says(0, "at ") && says(0, "(step "), "{told}");
        let (_, _, again) = run("watch=recover", "400");
        assert_eq!((&again["state"]["hash"], &again["watch"]), (&report["state"]["hash"], &report["watch"]));
    }
}

#[test]
fn what_no_shorter_step_helps_stops_and_says_so() {
    // Beyond the limit with 16 times as many substeps too: 1/960 s, where the springs allow 1/3200 s.
    for backend in ["gpu", "cpu"] {
        let stiff = [
            "--set",
            "structural_stiffness=1e7",
            "--set",
            "watch=recover",
            "--set",
            "watch_every=1",
            "--frames",
            "100",
            "--backend",
            backend,
        ];
        let (output, told, report) = viewed(&stiff);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert_eq!(told.matches("it goes back to").count(), 4, "{told}");
        assert!(told.contains("it stops (going back has not helped"), "{told}");
        assert!(report["frames"].as_u64().unwrap() < 100, "{report}");
    }
}

/// Steps as a run does: two recordings at work, each with its looks.
fn guarded(
    device: &Device,
    simulation: &mut Simulation,
    guard: &mut Guard,
    steps: u32,
    mut after: impl FnMut(&mut Simulation, u64),
) -> Verdict {
    let mut frames = Frames::new(device, 2).unwrap();
    for _ in 0..steps {
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        guard.look(&mut recorder, simulation, false).unwrap();
        guard.close(&mut recorder).unwrap();
        recorder.submit().unwrap();
        after(simulation, guard.steps());
        let verdict = guard.check(simulation, 1).unwrap();
        if verdict != Verdict::Good {
            return verdict;
        }
    }
    guard.check(simulation, 0).unwrap()
}

#[test]
fn no_preset_is_ever_wrong() {
    let validated = Validated::open();
    let device = &validated.device;
    for (name, _) in presets().filter(|(name, _)| *name != "mesh") {
        let small = match name {
            "ropes" => vec![("rope_count", "20"), ("rope_columns", "5")],
            _ => Vec::new(),
        };
        let scene = load(name, &[&small[..], &[("watch_every", "1")]].concat());
        let mut simulation = scene.simulation(device).unwrap();
        let mut guard = Watching::of(&scene).guard(device, &mut simulation).unwrap();
        let verdict = guarded(device, &mut simulation, &mut guard, 30, |_, _| {});
        assert_eq!(verdict, Verdict::Good, "{name}");
        assert!(guard.greatest().speed > 0.0 && guard.greatest().strain < 2.0, "{name}: {:?}", guard.greatest());
    }
}

/// A particle that is no number is told of in the step in which it is, and the state that is gone back to is the last one that
/// was kept before it and that a later look vouches for.
#[test]
fn a_number_that_is_none_is_found_in_its_step_and_the_state_before_it_is_gone_back_to() {
    let validated = Validated::open();
    let device = &validated.device;
    let small = [("columns", "9"), ("rows", "8"), ("watch", "recover"), ("watch_every", "1"), ("substeps", "4")];
    let with = |source: &str, more: &[(&str, &str)]| load(source, &[&small[..], more].concat());
    let cut = "[{time = 0, point = [0.03, 0, 0], normal = [1, 0, 0]}]";
    for scene in [
        with("flag", &[]),
        with("flag", &[("path", "fused")]),
        with("flag", &[("cut", cut)]),
        with("flag", &[("solver", "mass-spring"), ("substeps", "200")]),
        with("verlet", &[("storage", "buffers")]),
        with("verlet", &[]),
        load("ropes", &[("rope_count", "4"), ("watch", "recover"), ("watch_every", "1")]),
    ] {
        let told = format!("{} in {:?}, path {:?}", scene.solver, scene.storage, scene.path);
        let mut simulation = scene.simulation(device).unwrap();
        let mut guard = Watching::of(&scene).guard(device, &mut simulation).unwrap();
        let mut states = Vec::new();
        let verdict = guarded(device, &mut simulation, &mut guard, 40, |simulation, step| {
            states.push(simulation.state().unwrap());
            if step == 20 {
                places::put(simulation, 0, &[31], f32::NAN);
            }
        });
        let Verdict::GoBack(alarm, to) = verdict else { panic!("{told}: {verdict:?}") };
        assert_eq!((alarm.wrong, alarm.step), (Wrong::NotFinite, 21), "{told}");
        // After the 1st look of every 8: 1, 9 and 17, for which the look at 18 vouches.
        assert_eq!((to.step, to.factor), (17, 2), "{told}");
        let wanted = &states[16];
        assert!(to.state == *wanted, "{told}: {:?} is not {:?}", to.state.time, wanted.time);
        let mut simulation = scene.divided(2).simulation(device).unwrap();
        simulation.go_on_from(&to.state).unwrap();
        guard.resume(&mut simulation).unwrap();
        assert_eq!(guard.steps(), 17);
        let verdict = guarded(device, &mut simulation, &mut guard, 20, |_, _| {});
        assert_eq!(verdict, Verdict::Good, "{told}");
        // After a second without anything wrong the steps are those of the scene.
        let verdict = guarded(device, &mut simulation, &mut guard, 50, |_, _| {});
        let Verdict::Relax(to) = verdict else { panic!("{told}: {verdict:?}") };
        assert_eq!(to.factor, 1);
        assert!(to.state.time - wanted.time >= 1.0 && to.state.is_finite(), "{told}");
    }
}

#[test]
fn particles_are_called_what_their_files_call_them() {
    let validated = Validated::open();
    let device = &validated.device;
    let folder = tempfile::tempdir().unwrap();
    // Two triangles that a seam parts: the file's vertices 2 and 5 are one particle, and 3 and 4.
    let tent = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 1 1 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 4 5 6\n";
    let path = folder.path().join("tent.obj");
    fs::write(&path, tent).unwrap();
    let name = |scene: &Scene, particle| scene.particle_name(scene.simulation(device).unwrap().body(), particle);
    let mesh = load(&path, &[]);
    let names: Vec<_> = (0..4).map(|particle| name(&mesh, particle)).collect();
    assert_eq!(names, ["vertex 1", "vertices 2, 5", "vertices 3, 4", "vertex 6"]);
    let grid = load("flag", &[("columns", "10"), ("rows", "6"), ("cloth_count", "2")]);
    assert_eq!(name(&grid, 75), "particle 75 (row 1, column 5 of cloth 1)");
    let ropes = load("ropes", &[("rope_count", "3"), ("rope_particles", "20")]);
    assert_eq!(name(&ropes, 45), "particle 5 of rope 2");
}

/// A guard's looks are read back beside what the device does: a check never waits for a recording that was closed last.
#[test]
fn a_check_does_not_wait_for_the_recording_at_work() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene = scene(&[("watch_every", "1")]);
    let mut simulation = scene.simulation(device).unwrap();
    let mut guard = Watching::of(&scene).guard(device, &mut simulation).unwrap();
    let mut frames = Frames::new(device, 2).unwrap();
    // A look that was recorded, and is not submitted, can only be passed over: to wait for it would be for ever.
    let mut recorder = frames.begin().unwrap();
    simulation.record(&mut recorder).unwrap();
    guard.look(&mut recorder, &mut simulation, false).unwrap();
    guard.close(&mut recorder).unwrap();
    assert_eq!(guard.check(&mut simulation, 1).unwrap(), Verdict::Good);
    assert_eq!(guard.greatest().speed, 0.0);
    recorder.submit().unwrap();
    assert_eq!(guard.check(&mut simulation, 0).unwrap(), Verdict::Good);
    assert!(guard.greatest().speed > 0.0);
}

/// Its exit code, and what it wrote to standard output and standard error.
fn bake(folder: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bake"));
    command.current_dir(folder).arg("verlet").args(settings(more)).stdin(Stdio::null());
    let output = command.output().unwrap();
    let [told, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), told, errors)
}

/// The bytes of everything in a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// What is left of a bake that goes wrong is the bake of as many frames, to the last byte, and nothing beside it.
#[test]
fn a_bake_that_goes_wrong_ends_as_a_whole_cache_of_what_is_good() {
    for format in ["pc2", "mdd", "usda", "obj", "ply", "gltf", "npz"] {
        let output = if ["obj", "ply"].contains(&format) { format!("c.##.{format}") } else { format!("c.{format}") };
        for (backend, policy) in [("gpu", "watch=pause"), ("cpu", "watch=pause"), ("gpu", "watch=warn")] {
            if policy == "watch=warn" && format != "pc2" {
                continue;
            }
            let run = |folder: &Path, policy: &str, frames: &str| {
                let to = ["--frames", frames, "--output", &output, "--backend", backend];
                bake(folder, &[&to[..], &["--set", policy, "--set", "watch_every=1"]].concat())
            };
            let [short, whole] = [(), ()].map(|()| tempfile::tempdir().unwrap());
            let (code, told, errors) = run(short.path(), policy, "150");
            assert_eq!(code, Some(1), "{format}: {told} {errors}");
            assert!(errors.ends_with("; the cache ends with the frame before\n"), "{errors}");
            let (_, frames) = told.split_once(&format!("wrote {output} (")).unwrap_or_else(|| panic!("{told}"));
            let (frames, _) = frames.split_once(" frames").unwrap();
            assert!((3..150).contains(&frames.parse::<u32>().unwrap()), "{told}");
            let (code, _, errors) = run(whole.path(), "watch=off", frames);
            assert_eq!(code, Some(0), "{errors}");
            let [short, whole] = [short, whole].map(|folder| files(folder.path()));
            assert!(short.keys().eq(whole.keys()), "{:?} is not {:?}", short.keys(), whole.keys());
            assert!(short == whole, "{format} by {backend}, {policy}: other bytes");
        }
    }
}

/// A bake that goes back gets through it, and does so again.
#[test]
fn a_bake_recovers_and_does_the_same_again() {
    for backend in ["gpu", "cpu"] {
        let run = || {
            let folder = tempfile::tempdir().unwrap();
            let to = ["--frames", "120", "--output", "c.pc2", "--backend", backend, "--set", "watch=recover"];
            let (code, told, errors) = bake(folder.path(), &to);
            assert_eq!(code, Some(0), "{told} {errors}");
            assert!(errors.contains("it goes back to "), "{errors}");
            (errors, files(folder.path()))
        };
        let (told, written) = run();
        let read = written["c.pc2"][32..].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        assert!(read.clone().count() == 120 * 144 * 3 && read.clone().all(f32::is_finite), "{told}");
        assert!(run() == (told, written), "another run did something else");
    }
}

/// Where the particles are \[m\], step by step.
fn steps(device: &Device, simulation: &mut Simulation, steps: u32) -> Vec<Vec<f32>> {
    let step = |_| {
        common::run(device, simulation, 1);
        simulation.positions().unwrap().iter().flat_map(|place| place.truncate().to_array()).collect()
    };
    (0..steps).map(step).collect()
}

/// Frames that are gone back over are not in a cache, but those that were run instead: with half the substeps, from where it went
/// back to.
#[test]
fn a_cache_has_what_was_run_instead_of_what_was_gone_back_over() {
    let validated = Validated::open();
    let device = &validated.device;
    // A step a frame, and three, of which the run goes back to the second.
    for (backend, fps, frames, a_frame) in [("gpu", "60", 40, 1), ("cpu", "60", 40, 1), ("gpu", "20", 14, 3)] {
        let folder = tempfile::tempdir().unwrap();
        let count = frames.to_string();
        let to = ["--frames", &count, "--fps", fps, "--output", "c.pc2", "--backend", backend];
        let recover = ["--set", "watch=recover", "--set", "watch_every=1"];
        let (code, told, errors) = bake(folder.path(), &[&to[..], &recover].concat());
        assert_eq!(code, Some(0), "{told} {errors}");
        assert_eq!(errors.matches("; it goes back to ").count(), 1, "{errors}");
        let (_, from) = errors.split_once("; it goes back to ").unwrap();
        let from: u32 = from.split_once("(step ").unwrap().1.split_once(')').unwrap().0.parse().unwrap();
        let scene = scene(&[(
            "dt",
            &format!("{}", (1.0 / (f64::from(fps.parse::<u32>().unwrap()) * f64::from(a_frame))) as f32),
        )]);
        let start = |scene: &Scene| common::start(device, scene, backend == "cpu");
        let mut simulation = start(&scene);
        let begin = simulation.positions().unwrap().iter().flat_map(|place| place.truncate().to_array()).collect();
        let mut wanted = vec![begin];
        wanted.extend(steps(device, &mut simulation, from));
        let mut shorter = start(&scene.divided(2));
        shorter.go_on_from(&simulation.state().unwrap()).unwrap();
        wanted.extend(steps(device, &mut shorter, (frames - 1) * a_frame - from));
        let bytes = fs::read(folder.path().join("c.pc2")).unwrap();
        let found: Vec<f32> = bytes[32..].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        for (frame, found) in found.chunks(144 * 3).enumerate() {
            assert!(found == wanted[frame * a_frame as usize], "{backend}, {fps} frames a second: frame {frame}");
        }
        assert_eq!(found.len(), frames as usize * 144 * 3);
    }
}

/// Where going back has not helped, the cache is whole with the frames of the last attempt, and nothing is left of those before it.
#[test]
fn a_bake_that_no_shorter_step_helps_leaves_nothing_of_what_it_tried() {
    let hopeless = ["--set", "structural_stiffness=1e7", "--set", "watch=recover", "--set", "watch_every=1"];
    let run = |output: &str| {
        let folder = tempfile::tempdir().unwrap();
        let to = ["--frames", "60", "--fps", "60", "--output", output];
        let (code, told, errors) = bake(folder.path(), &[&to[..], &hopeless].concat());
        assert_eq!((code, errors.matches("; it goes back to ").count()), (Some(1), 4), "{errors}");
        assert!(errors.ends_with("; the cache ends with the frame before\n"), "{errors}");
        let frames = told.split_once(" (").unwrap().1.split_once(" frames").unwrap().0.parse::<usize>().unwrap();
        (frames, files(folder.path()))
    };
    let (frames, written) = run("c.##.obj");
    assert!(written.into_keys().eq((0..frames).map(|frame| format!("c.{frame:02}.obj"))), "{frames} frames");
    let (frames, written) = run("c.usda");
    assert!(written.keys().eq(["c.usda"]), "{:?}", written.keys());
    let text = String::from_utf8(written["c.usda"].clone()).unwrap();
    // An extent and the points of each frame.
    assert_eq!(text.lines().filter(|line| line.contains(": [(")).count(), 2 * frames);
    assert!(text.contains(&format!("endTimeCode = {}\n", frames - 1)), "{frames} frames");
}

/// Wherever a bake that goes back is interrupted or killed, it goes on as if it had not been, and ends in the same bytes.
#[test]
fn a_bake_that_recovers_goes_on_from_any_moment_in_the_same_bytes() {
    let mut random = Random(11);
    for (backend, format, output) in
        [("gpu", "pc2", "c.pc2"), ("cpu", "usda", "c.usda"), ("gpu", "obj", "c.###.obj"), ("cpu", "gltf", "c.gltf")]
    {
        // It goes back, is calm for a second, and goes back again.
        let to = ["--frames", "110", "--fps", "60", "--output", output, "--format", format, "--backend", backend];
        let every = [&to[..], &["--set", "watch=recover", "--set", "watch_every=1", "--checkpoint", "0"]].concat();
        let [straight, broken] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        let begun = Instant::now();
        let (code, _, told) = bake(straight.path(), &every);
        let duration = begun.elapsed();
        assert_eq!((code, told.matches("; it goes back to ").count()), (Some(0), 2), "{told}");
        assert_eq!(told.matches("nothing has been wrong for a second").count(), 1, "{told}");
        let mut ends = BTreeMap::new();
        for attempt in 0.. {
            assert!(attempt < 300, "{format} does not end: {ends:?}");
            let mut command = Command::new(env!("CARGO_BIN_EXE_bake"));
            command.current_dir(broken.path()).arg("verlet").args(settings(&every));
            let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // Soon at first and later each time: it is interrupted several times however busy the machine is, and ends.
            let share = (attempt + 1) as f32 / 12.0 * (random.signed() + 1.0) / 2.0;
            std::thread::sleep(duration.mul_f32(share));
            let name = ["INT", "KILL"][attempt % 2];
            // It may have ended.
            let kill = [&format!("-{name}"), &*child.id().to_string()];
            let _ = Command::new("kill").args(kill).stderr(Stdio::null()).status();
            let output = child.wait_with_output().unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            *ends.entry((name, output.status.code())).or_insert(0) += 1;
            if output.stdout.starts_with(b"wrote ") {
                break;
            }
            let was_killed = output.status.code().is_none();
            assert!(was_killed || errors.contains("error: interrupted after "), "{format}: {ends:?} {errors}");
        }
        assert!(ends.values().sum::<u32>() > 2, "{format} was hardly interrupted: {ends:?}");
        let (straight, broken) = (files(straight.path()), files(broken.path()));
        assert!(straight.keys().eq(broken.keys()), "{format}: {:?}", broken.keys());
        for (name, bytes) in &straight {
            assert!(broken[name] == *bytes, "{name} by {backend} has other bytes, after {ends:?}");
        }
    }
}
