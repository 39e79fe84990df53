//! What `doctor` says of machines, of the barriers of a step, and of kernels.

#![cfg(feature = "viewer")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::load;

/// Runs it in a folder with these variables: its exit code, and what it wrote to standard output and to standard error.
fn doctor(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_doctor"));
    command.current_dir(folder).args(arguments);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    let output = command.envs(environment.iter().copied()).output().unwrap();
    let [told, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!errors.contains("panicked"), "{errors}");
    (output.status.code(), told, errors)
}

fn run(arguments: &[&str]) -> String {
    let (code, told, errors) = doctor(Path::new("."), arguments, &[]);
    assert_eq!((code, &*errors), (Some(0), ""), "{told}");
    told
}

#[test]
fn it_says_what_there_is_and_ends_with_ready() {
    let told = run(&[]);
    assert_eq!(told.lines().last(), Some("ready"), "{told}");
    let device = tautline::engine::Device::headless(None).unwrap();
    let chosen = format!("{}, chosen", device.info());
    let version = concat!("tautline    ", env!("CARGO_PKG_VERSION"), " on ");
    let shared_memory = format!("shared memory: {} KiB", device.limits().max_compute_shared_memory_size / 1024);
    for part in [version, &chosen, &shared_memory, "VK_LAYER_KHRONOS_validation", "DISPLAY is not set"] {
        assert!(told.contains(part), "'{part}' is not in {told}");
    }
    assert_eq!(told.matches(", chosen").count(), 1);
}

#[test]
fn it_says_what_is_missing_and_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("libvulkan.so.1"), "no library").unwrap();
    let none = [("VK_DRIVER_FILES", "/none.json"), ("VK_ICD_FILENAMES", "/none.json")];
    let hidden = [("LD_LIBRARY_PATH", ".")];
    for (environment, reason) in
        [(&none[..], "no Vulkan device was found"), (&hidden[..], "no Vulkan loader was found")]
    {
        if environment == hidden && !cfg!(target_os = "linux") {
            continue;
        }
        let (code, told, errors) = doctor(folder.path(), &[], environment);
        assert_eq!((code, &*errors), (Some(1), ""), "{told}");
        assert!(told.contains(reason), "{told}");
        let last = told.lines().last().unwrap();
        assert!(last.starts_with("not ready: ") && last.contains("mesa-vulkan-drivers"), "{told}");
    }
    let (code, told, _) = doctor(folder.path(), &["--device", "riva"], &[]);
    assert!(code == Some(1) && told.contains("no Vulkan device matches 'riva'"), "{told}");
}

#[test]
fn it_says_what_each_pass_of_a_step_waits_for() {
    let calm = ["--barriers", "flag", "--set", "wind_flutter=0"];
    let told = run(&calm);
    let scene = load("flag", &[]);
    let batches = scene.cloth().unwrap().coloring.batches().len();
    let calls = scene.substeps as usize * (2 + batches);
    // The first call waits for what was before the recording, and each other one for the one before it.
    assert!(told.contains(&format!(": {calls} calls, {} barriers", calls - 1)), "{told}");
    let repeats = format!("{} times, the first time without the first barrier:", scene.substeps);
    assert!(told.contains(&repeats), "{told}");
    let wait = "cloth.positions: read after write, after pbd/solve; in OpenGL GL_SHADER_STORAGE_BARRIER_BIT";
    assert!(told.contains(wait), "{told}");
    assert!(told.contains("COMPUTE_SHADER (SHADER_STORAGE_WRITE) -> COMPUTE_SHADER (SHADER_STORAGE_READ"), "{told}");
    let fewer = run(&[&calm[..], &["--set", "substeps=2"]].concat());
    assert!(fewer.contains(&format!(": {} calls,", 2 * (2 + batches))), "{fewer}");
    let image = "in OpenGL GL_SHADER_IMAGE_ACCESS_BARRIER_BIT";
    assert!(run(&["--barriers", "verlet"]).contains(image));
}

#[test]
fn it_tells_of_every_kernel() {
    let told = run(&["--kernels"]);
    let device = tautline::engine::Device::headless(None).unwrap();
    let parts = told.matches("subgroups of").count();
    // One relies on subgroups.
    let usable = tautline::shaders::KERNELS.len() - usize::from(device.subgroup_size().is_none());
    assert_eq!(parts >= usable, device.has_statistics(), "{told}");
    for kernel in &tautline::shaders::KERNELS {
        assert!(told.contains(&format!("glsl/{}.comp  ", kernel.name)), "{}", kernel.name);
    }
    assert_eq!(told.matches(".comp  workgroup ").count(), usable, "{told}");
    assert!(told.contains("glsl/pbd/solve.comp  workgroup 256 x 1 x 1"), "{told}");
}

#[test]
fn what_it_cannot_use_is_a_sentence() {
    for (arguments, code, says) in [
        (&["--barriers", "no-such-scene"][..], 1, "no-such-scene"),
        (&["--barriers", "flag", "--set", "substeps=-1"], 1, "substeps"),
        (&["--barriers", "flag", "--set", "substeps"], 2, "it has to be KEY=VALUE"),
        (&["--set", "substeps=2"], 2, "--barriers"),
        (&["--barriers", "flag", "--kernels"], 2, "cannot be used with"),
        (&["--barriers", "flag", "--device", "riva"], 1, "no Vulkan device matches 'riva'"),
    ] {
        let (found, told, errors) = doctor(Path::new("."), arguments, &[]);
        assert_eq!((found, &*told), (Some(code), ""), "{errors}");
        assert!(errors.contains(says) && (code == 2 || errors.lines().count() == 1), "{errors}");
    }
}

/// What a file holds is said in its own numbers, with what the simulation does about it, for people and for programs.
#[test]
fn a_mesh_is_looked_at_by_the_numbers_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    // A square and its neighbour, of which the second is split off, turned over and there twice; a vertex in no face.
    let text = "v 0 0 0\nv 100 0 0\nv 100 100 0\nv 0 100 0\nv 100 0 0\nv 200 0 0\nv 200 100 0\nv 100 100 0\nv 1 1 50\n\
                v 200 50 50\ng left\nf 1 2 3 4\ng right\nf 8 7 6 5\nf 8 7 6 5\nf 6 7 10\nf 1 1 2\n";
    fs::write(folder.path().join("cloth.obj"), text).unwrap();
    let (code, told, errors) = doctor(folder.path(), &["cloth.obj"], &[]);
    assert_eq!((code, &*errors), (Some(0), ""), "{told}");
    for line in [
        "mesh          cloth.obj; its vertices and faces are counted from 1",
        "size          2.000 x 1.000 x 0.500 m (0.01 m a unit, guessed from its size: --scale sets it), y up",
        "file          10 vertices, 5 faces, no texture coordinates",
        "groups        left (4); right (7)",
        // 2 m² and a triangle on an edge of 1 m, half a metre high, at 0.25 kg/m².
        "simulated     8 particles, 5 triangles, 2.2500 m², 0.562 kg; edges of 707.11 to 1414.21 mm, 1071.40 mm on average",
        // 15 sides, of which 4 meet another.
        "constraints   11 against stretching, 4 against bending",
        "components    1: with vertex 1",
        "borders       1: 7 edges, 6.414 m, with vertex 1",
        "vertices split along seams (2): welded, each moves as one particle with another; files that are written have both",
        "  vertices, each with the one it moves as: 5-2; 8-3",
        "faces that are there twice (1): left out, or the cloth would weigh twice as much there",
        "  faces, each with the one it lies on: 3-2",
        "faces without an area (1): left out: they have no mass and no direction",
        "  faces: 5",
        // Two triangles of the square, and three beside it.
        "faces that face the other way than their neighbours (1): turned round",
        "  faces: 1",
        "vertices of no face (1): held where they are, as they have no mass",
        "  vertices: 9",
        "ready to be simulated",
    ] {
        assert!(told.lines().any(|found| found == line), "'{line}' is not in {told}");
    }
    let (_, json, _) = doctor(folder.path(), &["cloth.obj", "--json", "--scale", "0.001", "--up", "z"], &[]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["size_m"], serde_json::json!([0.2, 0.05, 0.1]));
    assert_eq!((&json["counted_from"], &json["unit_is_guessed"]), (&1.into(), &false.into()));
    let seams =
        json["findings"].as_array().unwrap().iter().find(|finding| finding["what"] == "vertices split along seams");
    assert_eq!(seams.unwrap()["elements"], serde_json::json!([[5, 2], [8, 3]]));

    for (arguments, expected) in [
        (&["flag"][..], "error: flag has no mesh; give a mesh file, or a scene with the key `mesh`\n"),
        (&["none.obj"], "error: none.obj does not exist; give the path of a mesh (.obj, .gltf, .glb, .ply or .stl)\n"),
    ] {
        assert_eq!(doctor(folder.path(), arguments, &[]), (Some(1), String::new(), expected.into()));
    }
}
