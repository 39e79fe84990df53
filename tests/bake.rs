//! What `bake` writes, read by readers of the tests' own, and what becomes of it when it is interrupted.

#![cfg(all(feature = "viewer", unix))]

#[path = "common/caches.rs"]
mod caches;
mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use caches::Read;
use common::{Random, TENT, Validated, load, run, start};
use glam::{Vec2, Vec3};
use tautline::scene::{Scene, presets};

const FORMATS: [&str; 7] = ["pc2", "mdd", "usda", "obj", "ply", "gltf", "npz"];

/// Where a format's cache goes in a test's folder.
fn output(format: &str) -> String {
    if ["obj", "ply"].contains(&format) { format!("cloth.###.{format}") } else { format!("cloth.{format}") }
}

fn bake(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bake"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Its exit code, and what it wrote to standard output and to standard error, but for the line that says how a mesh was taken.
fn told(output: Output) -> (Option<i32>, String, String) {
    let [told, mut errors] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!errors.contains("panicked"), "{errors}");
    if errors.lines().next().is_some_and(|line| line.contains(".obj: ") && line.contains(" vertices and ")) {
        errors = errors.split_inclusive('\n').skip(1).collect();
    }
    (output.status.code(), told, errors)
}

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let (code, told, errors) = told(bake(folder, arguments).output().unwrap());
    assert_eq!((code, &*errors), (Some(0), ""), "{arguments:?}: {told}");
    told
}

fn fails(folder: &Path, arguments: &[&str], says: &str) {
    let (code, told, errors) = told(bake(folder, arguments).output().unwrap());
    assert_eq!((code, &*told), (Some(1), ""), "{arguments:?}: {errors}");
    assert!(errors.contains(says) && errors.lines().count() == 1, "'{says}' is not in: {errors}");
}

/// The bytes of everything in a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// Reads a cache of `frames` frames of `points` points.
fn read(folder: &Path, format: &str, frames: usize, points: usize) -> Read {
    let path = folder.join(output(format));
    let whole = |read: fn(&Path) -> Read| {
        let mut single = (0..frames).map(|frame| read(&folder.join(format!("cloth.{frame:03}.{format}"))));
        let mut all = single.next().unwrap();
        for next in single {
            assert!((&next.faces, &next.uvs) == (&all.faces, &all.uvs));
            all.frames.extend(next.frames);
        }
        all
    };
    match format {
        "pc2" => caches::pc2(&path),
        "mdd" => caches::mdd(&path),
        "usda" => caches::usda(&path),
        "obj" => whole(caches::obj),
        "ply" => whole(caches::ply),
        "gltf" => caches::gltf(&path, points),
        "npz" => caches::npz(&path),
        other => panic!("{other}"),
    }
}

/// Where the particles of a scene are in each frame \[m\], by the library.
fn simulated(validated: &Validated, scene: &Scene, on_cpu: bool, steps: u32, frames: u32) -> Vec<Vec<Vec3>> {
    let device = &validated.device;
    let mut simulation = start(device, scene, on_cpu);
    let frame = |number| {
        run(device, &mut simulation, if number > 0 { steps } else { 0 });
        simulation.positions().unwrap().iter().map(|position| position.truncate()).collect()
    };
    (0..frames).map(frame).collect()
}

/// A mesh in centimetres, of triangles and with a seam between its texture coordinates.
const MESH: &str = "v 0 0 0\nv 100 0 0\nv 100 100 0\nv 0 100 50\nvt 0 0\nvt 0.5 0\nvt 0.5 1\nvt 0 1\nvt 0.75 0.25\n\
                    f 1/1 2/2 3/3\nf 1/5 3/3 4/4\n";

#[test]
fn every_format_has_every_frame_where_the_simulation_has_it() {
    let validated = Validated::open();
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("mesh.obj");
    fs::write(&mesh, MESH).unwrap();
    let grid: &[(&str, &str)] = &[("columns", "7"), ("rows", "5"), ("wind", "[1, 0, 3]")];
    let ropes: &[(&str, &str)] = &[("rope_count", "3"), ("rope_particles", "9")];
    let scenes: [(&str, &[(&str, &str)]); 3] =
        [("flag", grid), ("ropes", ropes), (mesh.to_str().unwrap(), &[("scale", "0.01")])];
    // 1/25 s is as few steps as are no longer than 1/60 s.
    let (frames, steps) = (4, 3);
    for ((source, settings), on_cpu) in scenes.into_iter().flat_map(|scene| [(scene, false), (scene, true)]) {
        let scene = load(source, &[settings, &[("dt", &format!("{}", 1.0 / (25.0 * 3.0_f64)))]].concat());
        let metres = simulated(&validated, &scene, on_cpu, steps, frames);
        assert!(metres[0] != metres[1] && metres[2] != metres[3]);
        let unit = if source.ends_with(".obj") { 0.01 } else { 1.0 };
        let expected: Vec<Vec<Vec3>> =
            metres.iter().map(|frame| frame.iter().map(|&place| place / unit).collect()).collect();
        let faces: Vec<Vec<u32>> = match source {
            "flag" => (0..24_u32).map(|cell| cell + cell / 6).map(|a| vec![a, a + 7, a + 8, a + 1]).collect(),
            "ropes" => (0..3).map(|rope| (9 * rope..9 * rope + 9).collect()).collect(),
            _ => vec![vec![0, 1, 2], vec![0, 2, 3]],
        };
        let uvs: Option<Vec<Vec2>> = match source {
            "flag" => Some(
                faces.iter().flatten().map(|&a| Vec2::new((a % 7) as f32 / 6.0, 1.0 - (a / 7) as f32 / 4.0)).collect(),
            ),
            "ropes" => None,
            _ => Some(
                [[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [0.75, 0.25], [0.5, 1.0], [0.0, 1.0]]
                    .map(Vec2::from_array)
                    .to_vec(),
            ),
        };
        for format in FORMATS {
            let (folder, output) = (tempfile::tempdir().unwrap(), output(format));
            let mut arguments =
                vec![source, "--frames", "4", "--fps", "25", "--validate", "--format", format, "--output", &output];
            let settings: Vec<_> = settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
            settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
            arguments.extend(if on_cpu { ["--backend", "cpu"] } else { ["--backend", "gpu"] });
            let told = succeeds(folder.path(), &arguments);
            assert!(told.contains("4 frames from 0 to 0.120 s, 25 a second, each of 3 steps of 13.333 ms"), "{told}");
            let what = format!("{source} as {format}, on the CPU: {on_cpu}");
            let names: Vec<_> = files(folder.path()).into_keys().collect();
            assert!(names.iter().all(|name| name.starts_with("cloth.")), "{what}: {names:?}");
            let found = read(folder.path(), format, frames as usize, expected[0].len());
            for time in found.times.iter() {
                let is_right = |(frame, time): (usize, &f64)| (time - frame as f64 / 25.0).abs() < 1e-8;
                assert!(time.len() == 4 && time.iter().enumerate().all(is_right), "{what}: {time:?}");
            }
            if format == "gltf" {
                // What a frame is off the first one is rounded once, and so is its sum.
                for (found, expected) in found.frames.iter().flatten().zip(expected.iter().flatten()) {
                    let most = f32::EPSILON * expected.abs().max(Vec3::splat(unit.recip()));
                    assert!((found - expected).abs().cmple(most).all(), "{what}: {found} is not {expected}");
                }
                assert_eq!(found.frames[0], expected[0]);
                let fans = faces.iter().flat_map(|face| match source {
                    "ropes" => face.windows(2).map(<[u32]>::to_vec).collect::<Vec<_>>(),
                    _ => face[1..].windows(2).map(|pair| vec![face[0], pair[0], pair[1]]).collect(),
                });
                assert_eq!(found.faces, Some(fans.collect()), "{what}");
                assert_eq!(found.uvs.is_some(), uvs.is_some());
                if source != "flag" {
                    assert_eq!(found.uvs, uvs, "{what}");
                }
                continue;
            }
            assert_eq!(found.frames, expected, "{what}");
            if !["pc2", "mdd"].contains(&format) {
                assert_eq!((found.faces.as_ref(), found.uvs.as_ref()), (Some(&faces), uvs.as_ref()), "{what}");
            }
        }
    }
}

const FLAG: [&str; 11] =
    ["flag", "--backend", "cpu", "--set", "columns=30", "--set", "rows=30", "--set", "substeps=6", "--frames", "60"];

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn whatever_interrupts_it_the_same_command_ends_in_the_same_bytes() {
    let mut random = Random(7);
    for format in FORMATS {
        let output = output(format);
        let every = [&FLAG[..], &["--output", &output, "--checkpoint", "0.02"]].concat();
        let straight = tempfile::tempdir().unwrap();
        let begun = std::time::Instant::now();
        succeeds(straight.path(), &every);
        let duration = begun.elapsed();
        let broken = tempfile::tempdir().unwrap();
        let mut ends = BTreeMap::new();
        for attempt in 0.. {
            assert!(attempt < 200, "{format} does not end: {ends:?}");
            let child = bake(broken.path(), &every).spawn().unwrap();
            // Soon at first and later each time: it is interrupted several times however busy the machine is, and ends.
            let share = (attempt + 1) as f32 / 12.0 * (random.signed() + 1.0) / 2.0;
            std::thread::sleep(duration.mul_f32(share) + Duration::from_millis(5));
            let name = ["INT", "TERM", "KILL"][attempt % 3];
            // It may have ended.
            let _ = Command::new("kill")
                .args([&format!("-{name}"), &child.id().to_string()])
                .stderr(Stdio::null())
                .status();
            let (code, told, errors) = told(child.wait_with_output().unwrap());
            *ends.entry((name, code)).or_insert(0) += 1;
            if told.starts_with("wrote ") {
                break;
            }
            assert!(code.is_none() || errors.starts_with("error: interrupted after "), "{format}: {code:?} {errors}");
        }
        assert!(ends.values().sum::<u32>() > 2, "{format} was hardly interrupted: {ends:?}");
        let (straight, broken) = (files(straight.path()), files(broken.path()));
        assert!(straight.keys().eq(broken.keys()), "{format}: {:?}", broken.keys());
        for (name, bytes) in &straight {
            assert!(broken[name] == *bytes, "{name} has other bytes, after {ends:?}");
        }
    }
}

/// Runs it on a disk that takes no files larger than this, in kilobytes.
fn on_a_full_disk(folder: &Path, kilobytes: u64, arguments: &[&str]) -> (Option<i32>, String, String) {
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", 2 * kilobytes);
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", &script, env!("CARGO_BIN_EXE_bake")]).args(arguments);
    told(command.output().unwrap())
}

/// How many frames a checkpoint tells of; none where it is not whole.
fn frames_of(checkpoint: &[u8]) -> Option<usize> {
    let end = checkpoint.iter().position(|&byte| byte == b'\n')?;
    let head: serde_json::Value = serde_json::from_slice(&checkpoint[..end]).ok()?;
    Some(head["progress"]["ends"].as_array()?.len())
}

/// Every preset, on the device and on the CPU: what goes on from a checkpoint does so to the last bit.
#[test]
fn every_preset_goes_on_from_a_full_disk_in_the_same_bytes() {
    for (preset, _) in presets() {
        for backend in ["gpu", "cpu"] {
            let [straight, broken] = [(), ()].map(|()| tempfile::tempdir().unwrap());
            for folder in [&straight, &broken] {
                fs::write(folder.path().join("tent.obj"), TENT).unwrap();
            }
            let mut arguments =
                vec![preset, "--backend", backend, "--frames", "10", "--output", "out.pc2", "--checkpoint", "0"];
            match preset {
                "mesh" => arguments.extend(["--set", "mesh=tent.obj"]),
                // Some of each level of detail.
                "ropes" => arguments.extend(["--set", "rope_count=60", "--set", "rope_lod_camera=[0, 0, 11]"]),
                _ => arguments.extend(["--set", "columns=40", "--set", "rows=30"]),
            }
            succeeds(straight.path(), &arguments);
            let expected = fs::read(straight.path().join("out.pc2")).unwrap();
            let (frame, what) = (expected.len() / 10, format!("{preset} on the {backend}"));
            // Checkpoints are smaller than that; a tent fits any disk.
            if frame > 1024 {
                let (code, told, errors) = on_a_full_disk(broken.path(), 6 * frame as u64 / 1024, &arguments);
                assert_eq!((code, &*told), (Some(1), ""), "{what}: {errors}");
                assert!(
                    errors.starts_with("error: cannot write 'out.pc2'") && errors.contains("File too large"),
                    "{errors}"
                );
                assert!(!broken.path().join("out.pc2").exists() && broken.path().join(".out.pc2.checkpoint").exists());
                let frames = frames_of(&fs::read(broken.path().join(".out.pc2.checkpoint")).unwrap());
                assert!(frames.is_some_and(|frames| (2..=6).contains(&frames)), "{what}: {frames:?}");
            }
            succeeds(broken.path(), &arguments);
            assert!(fs::read(broken.path().join("out.pc2")).unwrap() == expected, "{what}: other bytes");
        }
    }
}

fn begun(folder: &Path, arguments: &[&str]) {
    let (code, _, errors) = on_a_full_disk(folder, 70, arguments);
    assert_eq!(code, Some(1), "{errors}");
}

#[test]
fn a_bake_of_something_else_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mesh = path("mesh.obj");
    fs::write(&mesh, MESH).unwrap();
    let flag = [
        "flag",
        "--backend",
        "cpu",
        "--set",
        "columns=20",
        "--set",
        "rows=20",
        "--output",
        "out.pc2",
        "--checkpoint",
        "0",
    ];
    let with = |more: &[&'static str]| [&flag[..], more].concat();
    begun(folder.path(), &with(&["--frames", "40"]));
    for (other, says) in [
        (with(&["--frames", "41"]), "--frames was 40 and is 41"),
        (with(&["--frames", "40", "--fps", "25"]), "--fps was 24 and is 25"),
        (with(&["--frames", "40", "--set", "substeps=3"]), "`substeps` was 15 and is 3"),
    ] {
        fails(folder.path(), &other, says);
        fails(folder.path(), &other, "give --restart to begin anew");
    }
    // What is torn is no checkpoint.
    let checkpoint = path(".out.pc2.checkpoint");
    let whole = fs::read(&checkpoint).unwrap();
    let same = with(&["--frames", "40"]);
    for length in [0, 3, 100, whole.len() - 1] {
        fs::write(&checkpoint, &whole[..length]).unwrap();
        fails(folder.path(), &same, "is damaged, from which this bake would go on: begin anew with --restart");
    }
    fs::write(&checkpoint, &whole).unwrap();
    let partial = fs::read(path(".out.pc2.partial")).unwrap();
    fs::write(path(".out.pc2.partial"), &partial[..100]).unwrap();
    fails(folder.path(), &same, "it is shorter than the");
    succeeds(folder.path(), &[&same[..], &["--restart"]].concat());
    let first = fs::read(path("out.pc2")).unwrap();
    fails(folder.path(), &same, "'out.pc2' is there already: give --force to replace it");
    assert!(fs::read(path("out.pc2")).unwrap() == first);
    succeeds(folder.path(), &with(&["--frames", "3", "--force"]));
    assert!(fs::read(path("out.pc2")).unwrap().len() < first.len());

    // A mesh of the same path and other content.
    let grown: String = (0..1500).map(|index| format!("v {index} 1 0\n")).collect();
    let written = |x: &str| fs::write(&mesh, format!("{MESH}v {x} 0 0\n{grown}")).unwrap();
    let mesh = [
        "mesh.obj",
        "--backend",
        "cpu",
        "--scale",
        "0.01",
        "--frames",
        "8",
        "--output",
        "mesh.pc2",
        "--checkpoint",
        "0",
    ];
    written("3");
    begun(folder.path(), &mesh);
    written("4");
    fails(folder.path(), &mesh, "the mesh of 'mesh.obj' was ");
    // Nor with other names or texture coordinates, by which it is pinned and which some formats write.
    let textured = MESH.replace("f 1", "vt 0 0\ng other\nf 1");
    assert_ne!(textured, MESH);
    fs::write(path("mesh.obj"), format!("{textured}v 3 0 0\n{grown}")).unwrap();
    fails(folder.path(), &mesh, "the mesh of 'mesh.obj' was ");
    written("3");
    succeeds(folder.path(), &mesh);
}

#[test]
fn a_bake_that_ended_before_its_first_frame_is_begun_again() {
    for format in FORMATS {
        let [straight, broken] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        let output = output(format);
        let arguments = [&FLAG[..9], &["--frames", "3", "--output", &output, "--checkpoint", "0"]].concat();
        succeeds(straight.path(), &arguments);
        // A checkpoint fits, and no frame of 900 points does.
        let (code, _, errors) = on_a_full_disk(broken.path(), 8, &arguments);
        assert_eq!(code, Some(1), "{errors}");
        let checkpoint = fs::read(broken.path().join(format!(".{output}.checkpoint"))).unwrap();
        assert_eq!(frames_of(&checkpoint), Some(0), "{format}");
        succeeds(broken.path(), &arguments);
        assert!(files(broken.path()) == files(straight.path()), "{format}");
    }
}

#[test]
fn a_frame_that_is_gone_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&FLAG[..], &["--output", "frames/", "--format", "obj", "--checkpoint", "0"]].concat();
    let child = bake(folder.path(), &arguments).spawn().unwrap();
    let third = folder.path().join("frames/frame.0003.obj");
    while !third.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, "TERM");
    let (_, _, errors) = told(child.wait_with_output().unwrap());
    assert!(errors.starts_with("error: interrupted after "), "{errors}");
    fs::remove_file(third).unwrap();
    fails(folder.path(), &arguments, "frame.0003.obj': it was written and is gone: begin anew with --restart");
}

#[test]
fn what_is_whole_but_for_its_last_moment_is_put_in_place() {
    let flag =
        ["flag", "--backend", "cpu", "--set", "columns=20", "--set", "rows=20", "--frames", "4", "--checkpoint", "0"];
    let mut seen = 0;
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let output = output(format);
        let arguments = [&flag[..], &["--output", &output]].concat();
        succeeds(folder.path(), &arguments);
        let whole = files(folder.path());
        // As when it is killed between renaming the file and taking the checkpoint away: that of a bake in a folder
        // beside.
        let other = tempfile::tempdir().unwrap();
        let child = bake(other.path(), &arguments).spawn().unwrap();
        let checkpoint = format!(".{output}.checkpoint");
        let last = loop {
            // Read while it is being replaced: whole, or not there.
            match fs::read(other.path().join(&checkpoint)) {
                Ok(bytes) if frames_of(&bytes) == Some(4) => break Some(bytes),
                _ if other.path().join(&output).exists() || other.path().join("cloth.003.obj").exists() => break None,
                _ => {}
            }
        };
        told(child.wait_with_output().unwrap());
        let Some(last) = last else { continue };
        seen += 1;
        fs::write(folder.path().join(&checkpoint), last).unwrap();
        assert!(succeeds(folder.path(), &arguments).starts_with("wrote "), "{format}");
        assert!(files(folder.path()) == whole, "{format}");
    }
    assert!(seen > 0, "no checkpoint of all frames was ever seen");
}

/// Two quads that a seam of the texture has split, in centimetres: files that are written have both sides of it, the quads,
/// their texture coordinates and the unit.
#[test]
fn a_mesh_keeps_its_polygons_its_numbers_and_its_unit() {
    let folder = tempfile::tempdir().unwrap();
    let vertices = "v 0 100 0\nv 50 100 0\nv 50 50 10\nv 0 50 0\nv 50 100 0\nv 100 100 0\nv 100 50 0\nv 50 50 10\n";
    let places = "vt 0 1\nvt 0.4 1\nvt 0.4 0.5\nvt 0 0.5\nvt 0.6 1\nvt 1 1\nvt 1 0.5\nvt 0.6 0.5\n";
    let faces = ["f 1/1 4/4 3/3 2/2", "f 5/5 8/8 7/7 6/6"];
    fs::write(folder.path().join("bag.obj"), format!("{vertices}{places}{}\n{}\n", faces[0], faces[1])).unwrap();
    succeeds(
        folder.path(),
        &["bag.obj", "--scale", "0.01", "--backend", "cpu", "--frames", "8", "--output", "out.#.obj"],
    );
    for frame in 0..8 {
        let text = fs::read_to_string(folder.path().join(format!("out.{frame}.obj"))).unwrap();
        let numbers = |keyword: &str| -> Vec<Vec<f32>> {
            let lines = text.lines().filter_map(|line| line.strip_prefix(keyword)?.strip_prefix(' '));
            lines.map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect()
        };
        let (places, textures) = (numbers("v"), numbers("vt"));
        assert_eq!(places.len(), 8);
        assert!(places[1] == places[4] && places[2] == places[7], "the seam is closed in frame {frame}");
        // It hangs by its upper edge, 50 cm long either side of the seam, and the lower edge falls or swings.
        assert_eq!(
            [&places[0], &places[1], &places[5]],
            [&[0.0, 100.0, 0.0], &[50.0, 100.0, 0.0], &[100.0, 100.0, 0.0]]
        );
        assert!((places[2] == [50.0, 50.0, 10.0]) == (frame == 0), "{:?} in frame {frame}", places[2]);
        let corners: Vec<Vec<(usize, Vec<f32>)>> = text
            .lines()
            .filter_map(|line| line.strip_prefix("f "))
            .map(|line| {
                let corner = |word: &str| {
                    let mut numbers = word.split('/').map(|number| number.parse::<usize>().unwrap());
                    (numbers.next().unwrap(), textures[numbers.next().unwrap() - 1].clone())
                };
                line.split_whitespace().map(corner).collect()
            })
            .collect();
        let corner = |vertex: usize, u: f32, v: f32| (vertex, vec![u, v]);
        let left = [corner(1, 0.0, 1.0), corner(4, 0.0, 0.5), corner(3, 0.4, 0.5), corner(2, 0.4, 1.0)];
        let right = [corner(5, 0.6, 1.0), corner(8, 0.6, 0.5), corner(7, 1.0, 0.5), corner(6, 1.0, 1.0)];
        assert_eq!(corners, [left, right]);
    }
}

/// What a link points to is replaced.
#[cfg(unix)]
#[test]
fn a_link_keeps_pointing_to_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let [file, link] = ["real.pc2", "link.pc2"].map(|name| folder.path().join(name));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink("real.pc2", &link).unwrap();
    let flag = ["flag", "--backend", "cpu", "--set", "columns=3", "--set", "rows=3", "--frames", "2"];
    succeeds(folder.path(), &[&flag[..], &["--output", "link.pc2", "--force"]].concat());
    assert!(link.is_symlink());
    // A header, and two frames of nine points.
    assert_eq!(fs::read(&file).unwrap().len(), 32 + 2 * 9 * 12);
}

#[test]
fn two_do_not_write_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let many = ["flag", "--backend", "cpu", "--frames", "100000", "--output", "out.npz"];
    let mut first = bake(folder.path(), &many).spawn().unwrap();
    while !folder.path().join(".out.npz.checkpoint").exists() {
        std::thread::sleep(Duration::from_millis(5));
        assert!(first.try_wait().unwrap().is_none());
    }
    fails(folder.path(), &many, "another program is writing it at the moment");
    fails(folder.path(), &[&many[..], &["--restart"]].concat(), "another program is writing it at the moment");
    signal(&first, "INT");
    let (code, _, errors) = told(first.wait_with_output().unwrap());
    assert!(
        code == Some(1) && errors.contains("of 100000 frames: the same command again goes on from there"),
        "{errors}"
    );
}

#[test]
fn what_cannot_be_baked_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["flag", "--backend", "cpu", "--set", "columns=4", "--set", "rows=4", "--frames"];
    let with = |more: &[&'static str]| [&small[..], more].concat();
    for (arguments, says) in [
        (
            with(&["2", "--output", "out.abc"]),
            "--format is missing: it has to be one of pc2, mdd, usda, obj, ply, gltf, npz",
        ),
        (with(&["2", "--output", "out"]), "--format is missing"),
        (with(&["2", "--format", "mdd", "--output", "out.pc2"]), "'out.pc2' has to end in .mdd"),
        (with(&["2", "--output", "out.obj"]), "give a folder/ or a name with #, as in cloth.####.obj"),
        (with(&["2", "--output", "none/out.pc2"]), "the folder 'none' does not exist"),
        (with(&["1001", "--output", "out.gltf"]), "1001 frames are too many for glTF"),
        (with(&["2", "--output", "out.pc2", "--set", "substeps=0"]), "substeps"),
        (vec!["no-such-scene", "--frames", "2", "--output", "out.pc2"], "no-such-scene"),
        (vec!["flag", "--frames", "2", "--output", "out.pc2", "--device", "riva"], "no Vulkan device matches 'riva'"),
    ] {
        fails(folder.path(), &arguments, says);
    }
    for (arguments, says) in [
        (with(&["0", "--output", "out.pc2"]), "0 is not in 1..=1000000"),
        (with(&["2"]), "--output <PATH>"),
        (with(&["2", "--output", "out.pc2", "--fps", "0"]), "it has to be a number from 0.1 to 1000"),
        (with(&["2", "--output", "out.pc2", "--fps", "NaN"]), "it has to be a number from 0.1 to 1000"),
        (with(&["2", "--output", "out.pc2", "--format", "abc"]), "it has to be one of pc2"),
    ] {
        let (code, _, errors) = told(bake(folder.path(), &arguments).output().unwrap());
        assert!(code == Some(2) && errors.contains(says), "{errors}");
    }
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_state_that_is_not_finite_ends_it_with_frame_and_vertex() {
    let folder = tempfile::tempdir().unwrap();
    let unstable = [
        "verlet",
        "--backend",
        "cpu",
        "--set",
        "allow_unstable=true",
        "--set",
        "substeps=1",
        "--set",
        "structural_stiffness=1e7",
        "--set",
        "columns=20",
        "--set",
        "rows=20",
        "--frames",
        "100",
        "--output",
        "out.####.obj",
    ];
    let (code, _, errors) = told(bake(folder.path(), &unstable).output().unwrap());
    assert_eq!(code, Some(1));
    assert!(errors.ends_with("; the cache ends with the frame before\n"), "{errors}");
    // What the watch says comes first.
    let (_, told) = errors.split_once("error: vertex ").unwrap_or_else(|| panic!("{errors}"));
    let words: Vec<&str> = told.split([' ', ':']).collect();
    assert_eq!(&words[1..6], ["is", "not", "finite", "in", "frame"], "{errors}");
    let frame: usize = words[6].parse().unwrap();
    let written = files(folder.path());
    let names: Vec<_> = written.keys().filter(|name| name.ends_with(".obj")).cloned().collect();
    assert!(frame > 0 && names.iter().eq(&(0..frame).map(|frame| format!("out.{frame:04}.obj")).collect::<Vec<_>>()));
    for bytes in written.iter().filter(|(name, _)| name.ends_with(".obj")).map(|(_, bytes)| bytes) {
        assert!(!String::from_utf8_lossy(bytes).contains("NaN"));
    }
}

/// The most memory that it ever had \[KiB\], as far as that can be seen from outside.
#[cfg(target_os = "linux")]
fn most_memory(folder: &Path, arguments: &[&str]) -> u64 {
    let mut child = bake(folder, arguments).spawn().unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = line.map_or(most, |line| line.trim().trim_end_matches(" kB").parse().unwrap());
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success());
    most
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_number_of_frames() {
    for (backend, format) in [("cpu", "pc2"), ("cpu", "npz"), ("cpu", "mdd"), ("gpu", "pc2"), ("cpu", "usda")] {
        let of = |frames: &str| {
            let folder = tempfile::tempdir().unwrap();
            let output = output(format);
            let size = ["--set", "columns=80", "--set", "rows=80", "--set", "substeps=1", "--fps", "60"];
            let run = ["flag", "--backend", backend, "--frames", frames, "--output", &output, "--checkpoint", "0.1"];
            most_memory(folder.path(), &[&run[..], &size].concat())
        };
        // 75 KiB a frame in binary formats: 55 MiB more would be as good as impossible to overlook.
        let [few, many] = [of("50"), of("800")];
        assert!(many < few + 12 * 1024, "{backend}, {format}: {few} KiB for 50 frames, {many} KiB for 800");
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "no folder").unwrap();
    let small = ["flag", "--backend", "cpu", "--set", "columns=4", "--set", "rows=4", "--frames", "2", "--output"];
    let to = |output: &'static str| [&small[..], &[output]].concat();
    fails(folder.path(), &to("file/out.pc2"), "the folder 'file' does not exist: make it");
    fails(folder.path(), &[&to("file/")[..], &["--format", "obj"]].concat(), "the folder 'file/' cannot be made: ");
    // Read-only even for root.
    let sealed = PathBuf::from("/proc/self/fd");
    if sealed.is_dir() {
        fails(folder.path(), &to("/proc/self/out.pc2"), "cannot write '/proc/self/out.pc2'");
    }
}

/// Blender, OpenUSD and NumPy read what is baked, where there is a Python with all of them: `TAUTLINE_CLIENTS` names
/// it.
#[test]
fn the_programs_that_caches_are_for_read_them() {
    let Some(python) = std::env::var_os("TAUTLINE_CLIENTS") else {
        println!(
            "SKIPPED: TAUTLINE_CLIENTS names no Python with bpy, usd-core and numpy; tests/clients/check_caches.py says \
             how to get one"
        );
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shirt = root.join("../shared/data/shirt-cm.obj");
    let mut command = Command::new(python);
    command.arg(root.join("tests/clients/check_caches.py")).arg(env!("CARGO_BIN_EXE_bake")).arg(&shirt);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    print!(
        "{}",
        told.lines().filter(|line| !line.contains("import")).map(|line| format!("{line}\n")).collect::<String>()
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
