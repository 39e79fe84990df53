//! `--save-state` and `--load-state` of the viewer, as its users run it.

#![cfg(feature = "viewer")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tautline::solver::State;

fn viewer(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    command.current_dir(folder).args(arguments).arg("--headless").stdin(Stdio::null());
    command
}

/// Runs what has to go well, and returns what it says beside its report.
fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = viewer(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn state(path: &Path) -> State {
    State::from_bytes(&fs::read(path).unwrap()).unwrap()
}

/// Every file of a folder with its content.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter_map(|path| Some((path.clone(), fs::read(path).ok()?))).collect()
}

/// What went wrong: a sentence, and nothing else.
fn sentence(output: &Output) -> String {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(told.starts_with("error: ") && told.lines().count() == 1 && !told.contains("panicked"), "{told}");
    told
}

const FLAG: [&str; 5] = ["flag", "--set", "columns=12", "--set", "rows=9"];

fn with<'a>(scene: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [scene, more].concat()
}

#[test]
fn two_runs_are_one_run_bit_for_bit() {
    let cut = "cut=[{time = 0.05, point = [0, 0, 0], normal = [1, 0, 0]}, {time = 0.15, point = [0, -0.11, 0], normal = [0, 1, 0]}]";
    let small = ["--set", "columns=12", "--set", "rows=9"];
    let ropes = ["ropes", "--set", "rope_count=30", "--set", "rope_columns=3", "--set", "rope_spacing=1.5"];
    for scene in [
        with(&FLAG, &["--set", cut]),
        with(&["drape"], &small),
        with(&["verlet"], &small),
        with(&["verlet", "--set", "storage=buffers"], &small),
        with(&["curtain", "--set", "pins=[1, 11]"], &small),
        ropes.to_vec(),
    ] {
        for backend in ["gpu", "cpu"] {
            let folder = tempfile::tempdir().unwrap();
            let scene = with(&scene, &["--backend", backend]);
            let go = |more: &[&str]| assert_eq!(run(folder.path(), &with(&scene, more)), "");
            go(&["--frames", "12", "--save-state", "whole.state"]);
            // To another file, and to the one that it goes on from.
            go(&["--frames", "5", "--save-state", "first.state"]);
            go(&["--frames", "4", "--load-state", "first.state", "--save-state", "second.state"]);
            go(&["--frames", "3", "--load-state", "second.state", "--save-state", "second.state"]);
            let [whole, second] = ["whole", "second"].map(|name| folder.path().join(format!("{name}.state")));
            assert!(fs::read(&whole).unwrap() == fs::read(&second).unwrap(), "{scene:?}: other bits");
            let (whole, first) = (state(&whole), state(&folder.path().join("first.state")));
            assert!(whole.time > first.time && whole.positions != first.positions);
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no temporary file is left");
        }
    }
}

#[test]
fn what_cannot_be_gone_on_from_is_told_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let cut = "cut=[{time = 0, point = [0, 0, 0], normal = [1, 0, 0]}]";
    let save = |scene: &[&str], name| {
        run(path, &with(scene, &["--backend", "cpu", "--frames", "2", "--save-state", name]));
    };
    save(&FLAG, "flag.state");
    save(&with(&FLAG, &["--set", cut]), "cut.state");
    save(&["ropes", "--set", "rope_count=9", "--set", "rope_particles=12", "--set", "collider=[]"], "ropes.state");
    let bytes = fs::read(path.join("flag.state")).unwrap();
    fs::write(path.join("short.state"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(path.join("empty.state"), b"").unwrap();
    let mut changed = bytes.clone();
    changed[100] ^= 1;
    fs::write(path.join("changed.state"), &changed).unwrap();
    changed[8] = 1;
    fs::write(path.join("earlier.state"), &changed).unwrap();
    let mut broken = state(&path.join("flag.state"));
    broken.positions[7].y = f32::NAN;
    fs::write(path.join("broken.state"), broken.to_bytes()).unwrap();
    fs::write(path.join("scene.toml"), "solver = \"xpbd\"\n").unwrap();
    #[cfg(unix)]
    let _socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
    let before = snapshot(path);
    let ropes = |keys: [&'static str; 2]| {
        let [count, particles] = keys;
        vec!["ropes", "--set", count, "--set", particles, "--set", "collider=[]"]
    };
    for (scene, name, says) in [
        (FLAG.to_vec(), "gone.state", "No such file"),
        (FLAG.to_vec(), ".", "it is no file"),
        #[cfg(unix)]
        (FLAG.to_vec(), "socket", "it is no file"),
        #[cfg(target_os = "linux")]
        (FLAG.to_vec(), "/dev/zero", "it is no file"),
        (FLAG.to_vec(), "scene.toml", "it holds no state of a simulation"),
        (FLAG.to_vec(), "empty.state", "it holds no state of a simulation"),
        (FLAG.to_vec(), "short.state", "its state is damaged"),
        (FLAG.to_vec(), "changed.state", "its state is damaged"),
        (FLAG.to_vec(), "earlier.state", "its states are of version 1, and this program reads version 3"),
        (FLAG.to_vec(), "broken.state", "a number that is not finite"),
        (vec!["flag"], "flag.state", "it is of 108 particles, and the scene has 10000"),
        (vec!["flag", "--set", "columns=9", "--set", "rows=12"], "flag.state", "another body with as many particles"),
        (with(&FLAG, &["--set", "collider=[{shape = \"plane\"}]"]), "flag.state", "0 colliders, and this one has 1"),
        (ropes(["rope_count=12", "rope_particles=9"]), "ropes.state", "it is of 9 ropes, and the scene has 12"),
        (ropes(["rope_count=9", "rope_particles=12"]), "flag.state", "another body with as many particles"),
        (with(&FLAG, &["--solver", "verlet"]), "cut.state", "the springs of `verlet` cannot be"),
    ] {
        for backend in ["gpu", "cpu"] {
            let run = ["--backend", backend, "--frames", "1", "--load-state", name, "--save-state", "out.state"];
            let output = viewer(path, &with(&scene, &run)).output().unwrap();
            let told = sentence(&output);
            assert!(told.contains(&format!("cannot go on from '{name}': ")) && told.contains(says), "{told}");
            assert_eq!(output.status.code(), Some(1));
            assert_eq!(snapshot(path), before, "files changed by {scene:?} with {name}");
        }
    }
}

#[test]
fn flags_that_do_not_go_together_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("a.state"), b"a state of before").unwrap();
    let before = snapshot(path);
    for (arguments, code, says) in [
        (&["--load-state", "a.state"][..], 2, "<SCENE>"),
        (&["flag", "--cache", "a.pc2", "--load-state", "a.state"], 2, "cannot be used with"),
        (&["flag", "--cache", "a.pc2", "--save-state", "b.state"], 2, "cannot be used with"),
        (&["flag", "--load-state", "a.state", "--report", "./a.state"], 1, "--report and --load-state both name"),
        (&["flag", "--save-state", "a.state", "--trace", "a.state"], 1, "--trace and --save-state both name"),
        (&["flag", "--save-state", "none/a.state"], 1, "the folder 'none' does not exist"),
        (&["flag", "--save-state", "."], 1, "it is a folder"),
        #[cfg(target_os = "linux")]
        (&["flag", "--save-state", "/proc/a.state"], 1, "the folder '/proc'"),
        #[cfg(target_os = "linux")]
        (&["flag", "--save-state", "/dev/full"], 1, "it is a device"),
    ] {
        let output = viewer(path, arguments).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && told.contains(says), "{arguments:?}: {told}");
        assert_eq!(told.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{told}");
        assert_eq!(snapshot(path), before, "files changed by {arguments:?}");
    }
}

#[test]
fn a_body_that_starts_elsewhere_goes_on_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    run(path, &with(&FLAG, &["--backend", "cpu", "--frames", "2", "--save-state", "a.state"]));
    let load = ["--backend", "cpu", "--frames", "1", "--load-state", "a.state"];
    let told = run(path, &with(&FLAG, &with(&["--set", "spacing=0.03"], &load)));
    assert_eq!(told, "'a.state' is of a body of the same shape that starts elsewhere, or in another size\n");
    // Another solver and other settings are what a person means to change.
    assert_eq!(run(path, &with(&FLAG, &with(&["--solver", "pbd", "--set", "substeps=3"], &load))), "");
}

#[test]
fn what_is_not_finite_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.state"), b"a state of before").unwrap();
    let before = snapshot(folder.path());
    // Without the watch, which has a sentence of its own.
    let settings = ["substeps=1", "structural_stiffness=60000", "allow_unstable=true", "watch=off"];
    let unstable = [&["verlet"][..], settings.map(|setting| ["--set", setting]).as_flattened()].concat();
    for backend in ["gpu", "cpu"] {
        let run = ["--backend", backend, "--save-state", "a.state"];
        let output = viewer(folder.path(), &with(&unstable, &run)).output().unwrap();
        assert!(sentence(&output).contains("the state is not finite"));
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(snapshot(folder.path()), before);
    }
}

/// A disk that takes a few blocks of a file and no more.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_state_of_before_and_the_report() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.state"), b"a state of before").unwrap();
    let before = snapshot(folder.path());
    let mut command = Command::new("sh");
    command.current_dir(folder.path()).stdin(Stdio::null());
    command.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_viewer")]);
    command.args(["flag", "--headless", "--backend", "cpu", "--frames", "1", "--save-state", "a.state"]);
    let output = command.args(["--report", "report.json"]).output().unwrap();
    assert_eq!(sentence(&output), "error: cannot write 'a.state': File too large (os error 27)\n");
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["frames"], 1);
    fs::remove_file(folder.path().join("report.json")).unwrap();
    assert_eq!(snapshot(folder.path()), before);
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_keeps_what_was_done() {
    for backend in ["gpu", "cpu"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("a.state"), b"a state of before").unwrap();
        // Tests that run in the background of a script inherit that interrupts are ignored, and pass that on.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_viewer")].map(OsStr::new)).args(FLAG);
        command.args(["--headless", "--backend", backend, "--frames", "1000000", "--save-state", "a.state"]);
        command.args(["--report", "report.json"]).current_dir(path).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(2));
        assert_eq!(fs::read(path.join("a.state")).unwrap(), b"a state of before");
        let kill = format!("kill -INT {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let told = sentence(&output);
        assert!(told.contains("interrupted: 'a.state' has the state up to then"), "{told}");
        assert_eq!(output.status.code(), Some(1));
        // As many frames without an interrupt end in the same bits.
        let report: serde_json::Value = serde_json::from_slice(&fs::read(path.join("report.json")).unwrap()).unwrap();
        let frames = report["frames"].to_string();
        run(path, &with(&FLAG, &["--backend", backend, "--frames", &frames, "--save-state", "b.state"]));
        assert!(
            snapshot(path)[&path.join("a.state")] == snapshot(path)[&path.join("b.state")],
            "after {frames} frames"
        );
    }
}
