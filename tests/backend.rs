//! Scenes on the CPU: as on the GPU, the same on every run, and without Vulkan where nothing is drawn.

#![cfg(feature = "viewer")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Random, Validated};
use glam::Vec4;
use serde_json::Value;
use tautline::engine::{Frames, Staging};
use tautline::scene::{Scene, SolverKind};
use tautline::solver::{CpuSimulation, Particles, Surroundings};
use xxhash_rust::xxh3::xxh3_64;

const STEPS: u32 = 100;

fn scene(source: impl AsRef<Path>, settings: &[(&str, &str)]) -> Scene {
    let settings: Vec<_> = settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scene::load(source, &settings).unwrap()
}

fn after_steps(mut simulation: CpuSimulation) -> Vec<Vec4> {
    (0..STEPS).for_each(|_| {
        simulation.advance();
    });
    simulation.positions()
}

/// The same scene where it is computed otherwise. Each substep rounds a coordinate by half a unit in the last place or
/// less, N substeps by as much times the root of N, with all of which it starts; and its sine is wrong by 2^-11, as Vulkan
/// allows.
fn perturbed(scene: &Scene, seed: u32) -> CpuSimulation {
    let mut scene = scene.clone();
    scene.wind_flutter *= 1.0 + 1.0 / 2048.0;
    let mut cloth = scene.cloth().unwrap();
    let random = &mut Random(seed);
    let size = cloth.positions.iter().map(|at| at.truncate().abs().max_element()).fold(0.0, f32::max);
    let roundings = ((STEPS * scene.step().substeps) as f32).sqrt();
    for position in cloth.positions.iter_mut().filter(|position| position.w > 0.0) {
        for axis in 0..3 {
            position[axis] += random.signed() * roundings * size * f32::EPSILON / 2.0;
        }
    }
    let (grid, step, attachments) = (cloth.grid, scene.step(), cloth.attachments.clone());
    let (colliders, cuts) = (scene.colliders().unwrap(), scene.cuts().unwrap());
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

/// Root of the mean square of the distances between two states of the same particles \[m\].
fn apart(left: &[Vec4], right: &[Vec4]) -> f64 {
    assert_eq!(left.len(), right.len());
    let squares = left.iter().zip(right).map(|(left, right)| f64::from((*left - *right).truncate().length_squared()));
    (squares.sum::<f64>() / left.len() as f64).sqrt()
}

fn assert_gpu_agrees(name: &str, scene: &Scene) {
    let validated = Validated::open();
    let mut simulation = scene.simulation(&validated.device).unwrap();
    let mut frames = Frames::new(&validated.device, 2).unwrap();
    for _ in 0..STEPS {
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
    let gpu = simulation.positions().unwrap();
    let cpu = after_steps(scene.cpu_simulation().unwrap());
    // Both are so far from the exact motion, each in a direction of its own.
    let drifts = [1, 2, 3].map(|seed| apart(&after_steps(perturbed(scene, seed)), &cpu));
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
    for preset in ["verlet", "curtain", "flag"] {
        assert_gpu_agrees(preset, &scene(preset, &[]));
    }
    assert_gpu_agrees("mesh", &scene(sheet(folder.path()), &[]));
    let shirt = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/shirt-cm.obj");
    if shirt.exists() {
        assert_gpu_agrees("shirt", &scene(shirt, &[("scale", "0.01")]));
    } else {
        assert!(std::env::var_os("TAUTLINE_REQUIRE_SHARED").is_none(), "{} is missing", shirt.display());
    }
}

/// Twelve steps, of which up to six are in flight: each is copied to the device before the next can change it.
#[test]
fn the_device_has_the_particles_after_each_step() {
    let validated = Validated::open();
    let device = &validated.device;
    for preset in ["flag", "verlet"] {
        let scene = scene(preset, &[("columns", "40"), ("rows", "30")]);
        let mut alone = scene.cpu_simulation().unwrap();
        alone.advance();
        let mut drawn = scene.cpu_simulation().unwrap();
        drawn.advance();
        let mut drawn = drawn.on_device(device).unwrap();
        let Particles::Buffer(buffer) = drawn.particles()[drawn.current()].clone() else {
            panic!("particles of the CPU are not in a buffer");
        };
        assert_eq!(buffer.read::<Vec4>().unwrap(), alone.positions());
        let mut frames = Frames::new(device, 2).unwrap();
        let mut seen = Vec::new();
        for _ in 0..4 {
            let mut recorder = frames.begin().unwrap();
            for _ in 0..3 {
                drawn.record(&mut recorder).unwrap();
                let staging = Staging::readback(device, buffer.size()).unwrap();
                recorder.download(&buffer, &staging).unwrap();
                alone.advance();
                seen.push((staging, alone.positions()));
            }
            recorder.submit().unwrap();
        }
        for (number, (staging, wanted)) in seen.iter().enumerate() {
            assert_eq!(&staging.read::<Vec4>().unwrap(), wanted, "{preset}, step {number}");
        }
        assert_eq!(drawn.time(), alone.time());
        drawn.reset().unwrap();
        let start = scene.cpu_simulation().unwrap();
        assert_eq!((drawn.time(), buffer.read::<Vec4>().unwrap()), (0.0, start.positions()));
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
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()
}

#[test]
fn every_run_on_any_number_of_threads_ends_in_the_same_bytes_without_vulkan() {
    for (preset, solver) in
        [("flag", "xpbd"), ("flag", "xpbd-document"), ("verlet", "verlet"), ("curtain", "mass-spring")]
    {
        let hash = |threads| {
            let report = report(&[preset, "--solver", solver, "--frames", "5"], threads);
            assert_eq!(report["device"]["name"], format!("CPU, threads: {threads}"));
            report["state"]["hash"].clone()
        };
        let mut simulation = scene(preset, &[("solver", solver)]).cpu_simulation().unwrap();
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
    assert_eq!(
        calls,
        [("pbd/predict", &15.into()), ("pbd/solve", &(15 * 8).into()), ("pbd/velocity", &Value::from(15))]
    );
    for time in passes.iter().chain([&report["frame"]]) {
        assert!(time["gpu_us"].is_null() && time["cpu_us"]["min"].as_f64().unwrap() > 0.0, "{time}");
    }
    let least = |time: &Value| time["min"].as_f64().unwrap();
    assert!(least(&report["frame"]["wall_us"]) >= least(&report["frame"]["cpu_us"]));
}
