//! Scenes on the CPU: as on the GPU, the same on every run, and without Vulkan where nothing is drawn.

#![cfg(feature = "viewer")]

mod common;
#[path = "common/solids.rs"]
mod solids;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Random, Validated, load, run};
use glam::{Vec3, Vec4};
use serde_json::Value;
use tautline::engine::{Frames, Staging};
use tautline::model::{Anchor, Rope, RopeEnd, RopeStart, Ropes};
use tautline::scene::{Scene, SolverKind};
use tautline::solver::{CpuSimulation, Particles, Surroundings};
use xxhash_rust::xxh3::xxh3_64;

/// Where the levels of detail of ropes are chosen from.
fn camera(scene: &Scene) -> Vec3 {
    scene.rope_lod_camera.unwrap_or_default()
}

fn after_steps(steps: u32, scene: &Scene, mut simulation: CpuSimulation) -> Vec<Vec4> {
    simulation.set_camera(camera(scene));
    (0..steps).for_each(|_| {
        simulation.advance();
    });
    simulation.positions()
}

/// The same scene where it is computed otherwise. Each substep rounds a coordinate by half a unit in the last place or
/// less, N substeps by as much times the root of N, with all of which it starts; and its sine is wrong by 2^-11, as Vulkan
/// allows.
fn perturbed(steps: u32, scene: &Scene, seed: u32) -> CpuSimulation {
    let mut scene = scene.clone();
    scene.wind_flutter *= 1.0 + 1.0 / 2048.0;
    let random = &mut Random(seed);
    let roundings = ((steps * scene.step().substeps) as f32).sqrt();
    let mut perturb = |positions: &mut [Vec4]| {
        let size = positions.iter().map(|at| at.truncate().abs().max_element()).fold(0.0, f32::max);
        for position in positions.iter_mut().filter(|position| position.w > 0.0) {
            for axis in 0..3 {
                position[axis] += random.signed() * roundings * size * f32::EPSILON / 2.0;
            }
        }
    };
    let (step, colliders) = (scene.step(), scene.colliders().unwrap());
    if scene.solver == SolverKind::Rope {
        let ropes = scene.ropes().unwrap();
        let mut positions = ropes.positions().to_vec();
        perturb(&mut positions);
        return CpuSimulation::ropes(moved(&ropes, &positions), &colliders, step, scene.rope_settings());
    }
    let mut cloth = scene.cloth().unwrap();
    perturb(&mut cloth.positions);
    let (grid, attachments, cuts) = (cloth.grid, cloth.attachments.clone(), scene.cuts().unwrap());
    let around = &Surroundings {
        colliders: &colliders,
        attachments: &attachments,
        air: scene.air(),
        cuts: &cuts,
        ..Default::default()
    };
    match scene.solver {
        SolverKind::Verlet => CpuSimulation::verlet(cloth, grid.unwrap(), step, scene.verlet_settings(), around),
        SolverKind::MassSpring => {
            CpuSimulation::mass_spring(cloth, grid.unwrap(), step, scene.mass_spring_settings(), around)
        }
        _ => CpuSimulation::of_constraints(cloth, step, scene.pbd_settings(), around),
    }
}

/// The same ropes from other positions.
fn moved(ropes: &Ropes, positions: &[Vec4]) -> Ropes {
    let start = |rope: &Rope| RopeStart {
        positions: rope.particles.clone().map(|index| positions[index as usize].truncate()).collect(),
        length: rope.length(),
    };
    let starts: Vec<_> = ropes.ropes().iter().map(start).collect();
    let anchors = ropes.ropes().iter().enumerate().flat_map(|(rope, held)| {
        let ends = [RopeEnd::First, RopeEnd::Last].into_iter().zip(held.anchors.clone());
        ends.filter_map(move |(end, hold)| Some(Anchor { rope, end, hold: hold? }))
    });
    Ropes::new(&starts, anchors.collect()).unwrap()
}

/// Root of the mean square of the distances between two states of the same particles \[m\].
fn apart(left: &[Vec4], right: &[Vec4]) -> f64 {
    assert_eq!(left.len(), right.len());
    let squares = left.iter().zip(right).map(|(left, right)| f64::from((*left - *right).truncate().length_squared()));
    (squares.sum::<f64>() / left.len() as f64).sqrt()
}

fn assert_gpu_agrees(name: &str, steps: u32, scene: &Scene) {
    let validated = Validated::open();
    let mut simulation = scene.simulation(&validated.device).unwrap();
    simulation.set_camera(camera(scene));
    run(&validated.device, &mut simulation, steps);
    let gpu = simulation.positions().unwrap();
    let cpu = after_steps(steps, scene, scene.cpu_simulation().unwrap());
    // Both are so far from the exact motion, each in a direction of its own.
    let drifts = [1, 2, 3].map(|seed| apart(&after_steps(steps, scene, perturbed(steps, scene, seed)), &cpu));
    let tolerance = 2.0 * drifts.into_iter().fold(0.0, f64::max);
    let (difference, moved) = (apart(&gpu, &cpu), apart(&cpu, &scene.cpu_simulation().unwrap().positions()));
    println!("{name}: {difference:.1e} m apart of {moved:.1e} m of motion; perturbed: {drifts:?} m");
    assert!(difference <= tolerance, "{name}: {difference} m apart, {drifts:?} m where perturbed");
    assert!(tolerance < moved / 4.0, "{name}: {drifts:?} m where perturbed say nothing about a motion of {moved} m");
}

/// A sheet of 16 by 12 vertices that slopes down from its upper edge, by which it hangs.
fn sheet(folder: &Path) -> PathBuf {
    let mut text = String::new();
    for (row, column) in (0..12).flat_map(|row| (0..16).map(move |column| (row as f32, column as f32))) {
        text += &format!("v {} {} {}\n", 0.05 * column, -0.03 * row, 0.04 * row + 0.002 * column);
    }
    for (row, column) in (0..11).flat_map(|row| (1..16).map(move |column| (row, column))) {
        let (a, b) = (row * 16 + column, row * 16 + column + 1);
        text += &format!("f {a} {b} {} {}\n", b + 16, a + 16);
    }
    let path = folder.join("sheet.obj");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn every_preset_moves_as_on_the_gpu() {
    let folder = tempfile::tempdir().unwrap();
    for preset in ["verlet", "curtain", "flag", "drape"] {
        assert_gpu_agrees(preset, 100, &load(preset, &[]));
    }
    // Half as fine as it is, as a software device takes long for it. Its first cut falls into step 60.
    let coarser = [("columns", "61"), ("rows", "51"), ("spacing", "0.04"), ("particle_mass", "0.0004")];
    assert_gpu_agrees("cut", 100, &load("cut", &coarser));
    // Fewer ropes than there are, as a software device takes long for them; at every level of detail, and through a ball.
    let ball = "[{shape = \"sphere\", radius = 0.45, friction = 0.3, path = [[0, -4, -0.6, 0], [1.6, 4, -0.6, 0.5]]}]";
    let settings = [
        ("rope_count", "60"),
        ("rope_spacing", "0.3"),
        ("rope_lod_camera", "[0, 0, 6]"),
        ("rope_lod_distances", "[5.8, 6.5, 7.2]"),
        ("collider", ball),
    ];
    assert_gpu_agrees("ropes", 100, &load("ropes", &settings));
    assert_gpu_agrees("mesh", 100, &load(sheet(folder.path()), &[]));
    let shirt = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/shirt-cm.obj");
    if shirt.exists() {
        // In creases rounding grows sooner than elsewhere.
        assert_gpu_agrees("shirt", 50, &load(shirt, &[]));
    } else {
        assert!(std::env::var_os("TAUTLINE_REQUIRE_SHARED").is_none(), "{} is missing", shirt.display());
    }
}

/// What acts on a cloth from outside, all of it: an edge that is carried, and a corner that is let go; air; a floor of hills.
const OUTSIDE: &str = "
    pins = \"none\"
    air_density = 1.2
    air_velocity = [0.5, 0, 1]
    lift_coefficient = 0.8

    [[pin]]
    row = 0
    path = [[0, 0, 0, 0, 0, 1, 0, 0], [1, 0.1, 0.2, 0, 0, 1, 0, 30]]

    [[pin]]
    sphere = [REACH, 0.1]
    release = 0.4

    [[collider]]
    shape = \"height-field\"
    heights = [[0, 0.2, 0.5, 1], [0.1, 1, 0.7, 0.2], [0.4, 0, 0.3, 0.6]]
    sides = [SIDE, 0.3, SIDE]
    position = [0, DEPTH, 0]
    friction = 0.4
";

#[test]
fn what_acts_from_outside_does_so_as_on_the_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let assert_scene_agrees = |name: &str, keys: &str, [reach, side, depth]: [&str; 3], tables: &str| {
        let outside = OUTSIDE.replace("REACH", reach).replace("SIDE", side).replace("DEPTH", depth);
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, format!("{keys}\n{outside}\n{tables}")).unwrap();
        assert_gpu_agrees(name, 40, &load(&path, &[]));
    };
    let flag = "preset = \"flag\"\nplane = \"horizontal\"\ncolumns = 31\nrows = 25\nspacing = 0.05\nparticle_mass = 0.000625\nwind = [0, 0, 1.5]\nwind_flutter = 1.0\ndamping = 1.0\n";
    let flag_places = ["-0.75, 0, 1.2", "4.0", "-0.8"];
    // Between two rows, and short of the right edge.
    let cut = "[[cut]]\ntime = 0.21\nfrom = [-1, 0, 0.62]\nto = [0.3, 0, 0.52]\ndirection = [0, 1, 0.1]";
    for solver in ["xpbd", "pbd"] {
        let keys = format!("{flag}solver = \"{solver}\"");
        assert_scene_agrees(solver, &keys, flag_places, cut);
    }
    assert_scene_agrees("jacobi", &format!("{flag}constraint_solver = \"jacobi\""), flag_places, cut);
    let verlet = "preset = \"verlet\"\nspacing = 0.1\nparticle_mass = 0.5\nwind = [0, 0, 3]\nwind_flutter = 2.0";
    assert_scene_agrees("verlet", verlet, ["-1.55, 0, 3.1", "9.0", "-0.6"], "");
    assert_scene_agrees(
        "mass-spring",
        "preset = \"curtain\"\ncolumns = 32\nrows = 32\nspacing = 0.07",
        ["-1.1, 0, 2.2", "9.0", "-0.6"],
        "",
    );
}

/// A sheet, or ropes, on a ball that turns, by every solver that collides.
#[test]
fn meshes_keep_off_as_on_the_gpu() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ball.obj"), solids::obj(&solids::ball())).unwrap();
    let assert_scene_agrees = |name: &str, keys: &str, place: [f32; 3]| {
        let [x, y, z] = place;
        let path = folder.path().join("scene.toml");
        let collider = format!(
            "[[collider]]\nshape = \"mesh\"\nmesh = \"ball.obj\"\nscale = 0.5\ncells = 32\nfriction = 0.3\n\
             path = [[0, {x}, {y}, {z}, 0, 1, 0, 0], [1, {x}, {}, {z}, 0, 1, 0, 30]]",
            y + 0.2
        );
        std::fs::write(&path, format!("{keys}\n{collider}")).unwrap();
        let scene = load(&path, &[]);
        let without = Scene { collider: Vec::new(), ..scene.clone() };
        let [with, without] = [&scene, &without].map(|scene| after_steps(24, scene, scene.cpu_simulation().unwrap()));
        let touched = with.iter().zip(&without).filter(|(with, without)| with.distance(**without) > 1e-3).count();
        assert!(touched > 20, "{name}: {touched} particles are elsewhere than without it");
        assert_gpu_agrees(name, 24, &scene);
    };
    let flag = "preset = \"flag\"\nplane = \"horizontal\"\ncolumns = 31\nrows = 25\nspacing = 0.05\nparticle_mass = 0.000625\nwind = [0, 0, 0]\nwind_flutter = 0\npins = \"none\"";
    for solver in ["xpbd", "pbd"] {
        assert_scene_agrees(solver, &format!("{flag}\nsolver = \"{solver}\""), [0.03, -0.7, 0.57]);
    }
    let verlet = "preset = \"verlet\"\nplane = \"horizontal\"\nspacing = 0.1\nparticle_mass = 0.5\npins = \"none\"";
    assert_scene_agrees("verlet", verlet, [0.03, -0.7, 1.53]);
    let curtain =
        "preset = \"curtain\"\nplane = \"horizontal\"\ncolumns = 32\nrows = 32\nspacing = 0.07\npins = \"none\"";
    assert_scene_agrees("mass-spring", curtain, [0.03, -0.6, 1.03]);
    let ropes = "preset = \"ropes\"\nrope_count = 60\nrope_spacing = 0.3";
    assert_scene_agrees("rope", ropes, [0.1, -0.6, -0.1]);
}

/// Twelve steps, of which up to six are in flight: each is copied to the device before the next can change it.
#[test]
fn the_device_has_the_particles_after_each_step() {
    let validated = Validated::open();
    let device = &validated.device;
    let grid = [("columns", "40"), ("rows", "30")];
    for (preset, settings) in [("flag", &grid[..]), ("verlet", &grid), ("ropes", &[("rope_count", "20")])] {
        let scene = load(preset, settings);
        let mut alone = scene.cpu_simulation().unwrap();
        alone.advance();
        let mut drawn = scene.cpu_simulation().unwrap();
        drawn.advance();
        let mut drawn = drawn.on_device(device).unwrap();
        let (Particles::Buffer(buffer) | Particles::Planes(buffer)) = drawn.particles()[drawn.current()].clone() else {
            panic!("particles of the CPU are not in a buffer");
        };
        let positions = |floats: Vec<f32>| -> Vec<Vec4> {
            if preset != "ropes" {
                return bytemuck::cast_slice(&floats).to_vec();
            }
            let [x, y, z] = [0, 1, 2].map(|plane| floats.chunks(floats.len() / 8).nth(plane).unwrap());
            (0..x.len()).map(|index| Vec4::new(x[index], y[index], z[index], 0.0)).collect()
        };
        assert_eq!(positions(buffer.read().unwrap()), alone.positions());
        let mut frames = Frames::new(device, 2).unwrap();
        let mut seen = Vec::new();
        for _ in 0..4 {
            let mut recorder = frames.begin().unwrap();
            for _ in 0..3 {
                drawn.record(&mut recorder).unwrap();
                let staging = Staging::readback(device, buffer.name(), buffer.size()).unwrap();
                recorder.download(&buffer, &staging).unwrap();
                alone.advance();
                seen.push((staging, alone.positions()));
            }
            recorder.submit().unwrap();
        }
        for (number, (staging, wanted)) in seen.iter().enumerate() {
            assert_eq!(&positions(staging.read().unwrap()), wanted, "{preset}, step {number}");
        }
        assert_eq!(drawn.time(), alone.time());
        drawn.reset().unwrap();
        let start = scene.cpu_simulation().unwrap();
        assert_eq!((drawn.time(), positions(buffer.read().unwrap())), (0.0, start.positions()));
    }
}

/// Runs the viewer headless on the CPU of a machine without a Vulkan driver, and reads its report.
fn report(arguments: &[&str], threads: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    command.args(["--headless", "--backend", "cpu"]).args(arguments).arg("--report").arg(&path);
    command.env("VK_DRIVER_FILES", "/none.json").env("VK_ICD_FILENAMES", "/none.json");
    let output = command.env("RAYON_NUM_THREADS", threads).stdin(Stdio::null()).output().unwrap();
    // It says how a mesh was taken, and nothing else.
    let is_quiet = String::from_utf8_lossy(&output.stderr).lines().all(|line| line.contains(" vertices and "));
    assert!(output.status.success() && is_quiet, "{arguments:?}: {output:?}");
    serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()
}

#[test]
fn every_run_on_any_number_of_threads_ends_in_the_same_bytes_without_vulkan() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = format!("mesh={}", sheet(folder.path()).display());
    let camera_within_ropes = "rope_lod_camera=[0, 0, 12]";
    for (preset, solver, setting) in [
        ("flag", "xpbd", "rows=80"),
        ("flag", "xpbd-document", "constraint_solver=jacobi"),
        ("verlet", "verlet", "wind=[1, 2, 3]"),
        ("curtain", "mass-spring", "air_density=1.2"),
        ("drape", "pbd", "cut=[{time = 0.02, point = [0.01, 0, 0], normal = [1, 0, 0]}]"),
        ("ropes", "rope", camera_within_ropes),
        ("mesh", "xpbd", &mesh),
    ] {
        let hash = |threads| {
            let report = report(&[preset, "--solver", solver, "--set", setting, "--frames", "5"], threads);
            assert_eq!(report["device"]["name"], format!("CPU, threads: {threads}"));
            report["state"]["hash"].clone()
        };
        let scene = load(preset, &[("solver", solver), setting.split_once('=').unwrap()]);
        let mut simulation = scene.cpu_simulation().unwrap();
        simulation.set_camera(camera(&scene));
        (0..5).for_each(|_| {
            simulation.advance();
        });
        let wanted = format!("{:016x}", xxh3_64(bytemuck::cast_slice(&simulation.positions())));
        assert_eq!(["1", "1", "2", "5"].map(hash), [(); 4].map(|()| wanted.as_str()), "{preset} with {solver}");
    }
}

#[test]
fn the_report_says_what_computed_and_how_long() {
    let report = report(&["flag", "--frames", "3", "--set", "rows=20"], "2");
    assert_eq!((&report["backend"], &report["device"]["type"]), (&"cpu".into(), &"cpu".into()));
    assert!(report["device"]["driver"].is_null() && report["device"]["api_version"].is_null());
    let passes = report["passes"].as_array().unwrap();
    let calls: Vec<_> = passes.iter().map(|pass| (pass["name"].as_str().unwrap(), &pass["calls_per_frame"])).collect();
    let expected = ["pbd/predict", "pbd/solve", "pbd/velocity"].map(|pass| (pass, Value::from(15)));
    assert!(calls.iter().map(|(pass, calls)| (*pass, (*calls).clone())).eq(expected), "{calls:?}");
    for time in passes.iter().chain([&report["frame"]]) {
        assert!(time["gpu_us"].is_null() && time["cpu_us"]["min"].as_f64().unwrap() > 0.0, "{time}");
    }
    let least = |time: &Value| time["min"].as_f64().unwrap();
    assert!(least(&report["frame"]["wall_us"]) >= least(&report["frame"]["cpu_us"]));
}
