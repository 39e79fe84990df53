//! Captures, opened by RenderDoc's own Python module: labels, names and sources as in this repository, and contents as in
//! the same run without RenderDoc.
//!
//! Where RenderDoc is not installed these tests say so and pass, unless TAUTLINE_REQUIRE_RENDERDOC is 1.

#![cfg(all(feature = "capture", feature = "viewer", target_os = "linux"))]

mod common;
#[path = "common/screen.rs"]
mod screen;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use common::{TENT, Validated, load, run};
use screen::{Screen, is_told};
use tautline::engine::{Capturer, Error};
use tautline::scene::presets;
use tautline::solver::{Particles, Simulation};

/// Debian's module is for Debian's own interpreter.
const PYTHON: &str = "/usr/bin/python3";

/// Whether RenderDoc is there. Where it is not, says so past the test harness, or fails.
fn has_renderdoc() -> bool {
    let imports = Command::new(PYTHON).args(["-c", "import renderdoc"]).output();
    let has = imports.is_ok_and(|output| output.status.success());
    if !has {
        let required = std::env::var_os("TAUTLINE_REQUIRE_RENDERDOC").is_some_and(|value| value == "1");
        assert!(!required, "RenderDoc and its Python module are not installed: tools/setup --test");
        let _ = writeln!(std::io::stderr(), "NOT RUN: RenderDoc and its Python module are not installed");
    }
    has
}

/// A label of a capture, with the calls right below it and the labels below it.
#[derive(Debug, serde::Deserialize)]
struct Label {
    label: String,
    calls: Vec<String>,
    below: Vec<Label>,
}

/// The first call of a pass.
#[derive(Debug, serde::Deserialize)]
struct Call {
    /// The text of each file of GLSL.
    sources: BTreeMap<String, String>,
    shaders: Vec<String>,
    bound: Vec<String>,
}

#[derive(Debug, serde::Deserialize)]
struct Contents {
    labels: Vec<Label>,
    calls: BTreeMap<String, Call>,
    names: Vec<String>,
}

impl Label {
    /// A line a label, indented, with its calls.
    fn write(&self, depth: usize, text: &mut String) {
        let calls: String = self.calls.iter().map(|call| format!(", {call}")).collect();
        writeln!(text, "{:depth$}{}{calls}", "", self.label).unwrap();
        self.below.iter().for_each(|label| label.write(depth + 1, text));
    }

    /// Adds up the calls of each pass, in the order of their first calls.
    fn count(&self, passes: &mut Vec<(String, u32)>) {
        if self.label.contains('/') {
            let mut text = String::new();
            self.write(0, &mut text);
            let calls = text.matches(", dispatch").count() as u32;
            match passes.iter_mut().find(|(name, _)| *name == self.label) {
                Some((_, count)) => *count += calls,
                None => passes.push((self.label.clone(), calls)),
            }
        } else {
            self.below.iter().for_each(|label| label.count(passes));
        }
    }
}

/// Opens a capture; the contents of its buffers and images come to lie in `folder`.
fn read(capture: &Path, folder: &Path) -> Contents {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/renderdoc/read.py");
    let output = Command::new(PYTHON).arg(script).args([capture, folder]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&fs::read_to_string(folder.join("capture.json")).unwrap()).unwrap()
}

fn tree(labels: &[Label]) -> String {
    let mut text = String::new();
    labels.iter().for_each(|label| label.write(0, &mut text));
    text
}

/// Captures a frame of a scene, the way a person does.
fn capture(scene: &str, settings: &[(&str, &str)], frame: u32, folder: &Path) -> Contents {
    let file = folder.join("of the test.rdc");
    let mut command = Command::new(env!("CARGO_BIN_EXE_capture"));
    command.arg(scene).arg("--frame").arg(frame.to_string()).arg("--output").arg(&file);
    for (key, value) in settings {
        command.arg("--set").arg(format!("{key}={value}"));
    }
    let output = command.output().unwrap();
    let told = format!("wrote {}\n", file.display());
    assert_eq!((String::from_utf8_lossy(&output.stdout), output.status.success()), (told.into(), true), "{output:?}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "nothing but the capture is left");
    read(&file, folder)
}

/// The name of what holds the particles, and its bytes.
fn particles(simulation: &Simulation) -> (String, Vec<u8>) {
    match &simulation.particles()[simulation.current()] {
        Particles::Buffer(buffer) | Particles::Planes(buffer) => (buffer.name().into(), buffer.read().unwrap()),
        Particles::Image(image) => (format!("cloth.positions[{}]", simulation.current()), image.read().unwrap()),
    }
}

#[test]
fn a_capture_of_the_flag_nests_like_the_source() {
    if !has_renderdoc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let found = capture("flag", &[], 3, folder.path());
    // The wind's flutter comes first.
    let mut expected = "frame 3\n update\n".to_string();
    // As the preset says: 15 substeps of one iteration over 8 batches.
    for substep in 1..=15 {
        writeln!(expected, " substep {substep} of 15\n  pbd/predict, dispatch\n  pbd/solve").unwrap();
        (1..=8).for_each(|batch| writeln!(expected, "   batch {batch} of 8, dispatch").unwrap());
        writeln!(expected, "  pbd/velocity, dispatch").unwrap();
    }
    assert_eq!(tree(&found.labels), expected);

    let solve = &found.calls["pbd/solve"];
    assert_eq!(solve.shaders, ["pbd/solve.comp"]);
    assert_eq!(solve.bound, ["cloth.positions", "cloth.constraints", "cloth.lambdas", "cloth.parameters"]);
    for name in ["pbd/solve", "pbd/solve.set_layout", "device.queue", "frames.timestamps[0]"] {
        assert!(found.names.iter().any(|found| found == name), "no {name} in {:?}", found.names);
    }
}

#[test]
fn iterations_lie_between_substeps_and_passes() {
    if !has_renderdoc() {
        return;
    }
    let validated = Validated::open();
    for solver in ["gauss-seidel", "jacobi"] {
        let size = [("columns", "6"), ("rows", "6"), ("substeps", "2"), ("iterations", "3")];
        let scene = [&size[..], &[("constraint_solver", solver)]].concat();
        let folder = tempfile::tempdir().unwrap();
        let found = capture("flag", &scene, 1, folder.path());
        let (_, batches) = load("flag", &scene).simulation(&validated.device).unwrap().constraint_counts();
        let mut expected = "frame 1\n update\n".to_string();
        for substep in 1..=2 {
            writeln!(expected, " substep {substep} of 2\n  pbd/predict, dispatch").unwrap();
            for iteration in 1..=3 {
                writeln!(expected, "  iteration {iteration} of 3").unwrap();
                if solver == "jacobi" {
                    writeln!(expected, "   pbd/jacobi_solve, dispatch\n   pbd/jacobi_apply, dispatch").unwrap();
                } else {
                    writeln!(expected, "   pbd/solve").unwrap();
                    (1..=batches)
                        .for_each(|batch| writeln!(expected, "    batch {batch} of {batches}, dispatch").unwrap());
                }
            }
            writeln!(expected, "  pbd/velocity, dispatch").unwrap();
        }
        assert_eq!(tree(&found.labels), expected);
    }
}

#[test]
fn a_replay_of_every_preset_ends_where_the_run_did() {
    if !has_renderdoc() {
        return;
    }
    let validated = Validated::open();
    let mesh = tempfile::NamedTempFile::with_suffix(".obj").unwrap();
    fs::write(mesh.path(), TENT).unwrap();
    for (preset, _) in presets() {
        let tent = [("mesh", mesh.path().to_str().unwrap())];
        let settings = if preset == "mesh" { &tent[..] } else { &[] };
        let folder = tempfile::tempdir().unwrap();
        let found = capture(preset, settings, 2, folder.path());
        let mut simulation = load(preset, settings).simulation(&validated.device).unwrap();
        run(&validated.device, &mut simulation, 2);
        let (name, bytes) = particles(&simulation);
        assert!(fs::read(folder.path().join(&name)).unwrap() == bytes, "{preset}: {name} is other than in the run");

        let [Label { label, below, .. }] = &found.labels[..] else { panic!("{preset}: one frame: {:?}", found.labels) };
        assert_eq!(label, "frame 2");
        let mut passes = Vec::new();
        below.iter().for_each(|label| label.count(&mut passes));
        assert_eq!(passes, simulation.passes(), "{preset}");
        let substeps = below.iter().filter(|label| label.label.starts_with("substep ")).count() as u32;
        // A rope goes through all substeps in one dispatch.
        let labelled = if preset == "ropes" { 0 } else { simulation.step().substeps };
        assert_eq!(substeps, labelled, "{preset}");

        for (pass, call) in &found.calls {
            assert_eq!(call.shaders, [format!("{pass}.comp")], "{preset}");
            assert!(!call.bound.is_empty() && call.bound.iter().all(|name| name.contains('.')), "{preset}: {call:?}");
            let has_source = call.sources.contains_key(&format!("glsl/{pass}.comp"));
            assert_eq!(has_source, !cfg!(feature = "strip-shaders"), "{preset}: {pass} and its source");
            for (file, text) in &call.sources {
                let written = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
                assert_eq!(text.trim_end(), written.trim_end(), "{preset}: {file} is another");
            }
        }
    }
}

#[test]
fn a_window_captures_the_frame_that_was_asked_for_and_the_next_on_f12() {
    if !has_renderdoc() {
        return;
    }
    let screen = Screen::start([320, 240], "");
    let small = ["--set=columns=20", "--set=rows=20", "--set=substeps=2"];
    let run = [&["flag", "--window", "--size=320x240", "--capture-frame=2"], &small[..]].concat();
    let (viewer, window) = screen.open(&run, &[]);
    let told = |name: &str| {
        let wrote = format!("wrote {name}\n");
        let stdout = || fs::read_to_string(screen.path("stdout")).unwrap();
        screen.until(&wrote, || stdout().contains(&wrote).then_some(()));
    };
    told("tautline-flag-1.rdc");
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool("key F12");
    told("tautline-flag-2.rdc");
    screen.xdotool("key Escape");
    assert_eq!(screen.end(viewer), (Some(0), String::new()));
    for (name, frame) in [("tautline-flag-1.rdc", Some("frame 2")), ("tautline-flag-2.rdc", None)] {
        let folder = tempfile::tempdir().unwrap();
        let found = read(&screen.path(name), folder.path());
        let [Label { label, below, .. }] = &found.labels[..] else { panic!("{name}: {:?}", found.labels) };
        assert!(frame.is_none_or(|frame| frame == label), "{name}: {label}");
        let draws: Vec<_> =
            below.iter().map(|label| &*label.label).filter(|label| label.starts_with("view/")).collect();
        assert!(draws.ends_with(&["view/normals", "view/shadow", "view/cloth", "view/panels"]), "{name}: {draws:?}");
        let cloth = below.iter().find(|label| label.label == "view/cloth").unwrap();
        assert_eq!(tree(&cloth.below), "view/cloth, draw\nview/floor, draw\n");
        assert_eq!(found.calls["view/cloth"].shaders, ["view/cloth.vert", "view/cloth.frag"]);
    }
}

#[test]
fn without_renderdoc_it_is_said_how_to_get_it() {
    let validated = Validated::open();
    let error = Capturer::new(&validated.device).unwrap_err();
    assert!(matches!(error, Error::NoRenderDoc));
    let text = error.to_string();
    assert!(text.contains("install it") && text.contains("ENABLE_VULKAN_RENDERDOC_CAPTURE=1"), "{text}");
}

#[test]
fn a_window_without_renderdoc_says_so_on_f12_and_goes_on() {
    let size = [640, 240];
    let screen = Screen::start(size, "flag --set columns=20 --set rows=20 --set substeps=2 --no-panel");
    let (viewer, _, _) = screen.paused_window();
    assert!(!is_told(&screen.pixels(size)));
    screen.xdotool("key F12");
    screen.until("the window says why", || is_told(&screen.pixels(size)).then_some(()));
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn captures_that_cannot_be_are_refused_before_the_run() {
    let viewer = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
        command.args(arguments.split(' ')).output().unwrap()
    };
    let refused = |output: Output, reason: &str| {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && told.contains(reason), "{told}");
    };
    refused(viewer("flag --headless --frames 3 --capture-frame 4"), "--capture-frame 4 is past the last of 3 frames");
    refused(viewer("flag --headless --backend cpu --capture-frame 4"), "--capture-frame needs a Vulkan device");
    let mut command = Command::new(env!("CARGO_BIN_EXE_capture"));
    refused(command.args(["flag", "--output", "nowhere/at/all.rdc"]).output().unwrap(), "'nowhere/at' does not exist");
}
