//! What `bench` says of its cases, in its table and as JSON, and what its kernels do.

#![cfg(feature = "viewer")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Random, Validated, run};
use serde_json::Value;
use tautline::engine::{Buffer, Frames, Kernel};
use tautline::glam::{Vec3, Vec4};
use tautline::scene::Scene;
use tautline::shaders;
use xxhash_rust::xxh3::xxh3_64;

/// Runs it in a folder: its exit code, and what it wrote to standard output and to standard error.
fn bench(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bench")).current_dir(folder).args(arguments).output().unwrap();
    let [told, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!errors.contains("panicked"), "{errors}");
    (output.status.code(), told, errors)
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The median of a spread, which has to be that of its repetitions.
fn median(spread: &Value) -> f64 {
    let mut repetitions = numbers(&spread["repetitions"]);
    assert_eq!(repetitions.len(), 5, "{spread}");
    repetitions.sort_by(f64::total_cmp);
    let wanted = [("least", repetitions[0]), ("median", repetitions[2]), ("greatest", repetitions[4])];
    for (name, value) in wanted {
        assert_eq!(spread[name].as_f64(), Some(value), "{name} of {spread}");
    }
    assert!(repetitions[0] > 0.0, "{spread}");
    repetitions[2]
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Two numbers that are the same but for the order in which they were rounded.
fn assert_same(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} and {expected}");
}

/// XXH3 of where the particles are.
fn checksum(positions: &[Vec4]) -> String {
    let places: Vec<Vec3> = positions.iter().map(|position| position.truncate()).collect();
    format!("{:016x}", xxh3_64(bytemuck::cast_slice(&places)))
}

/// The grid of 40 x 40 that a quick run has: 39 x 40 constraints along each direction of the grid, 39 x 39 along each diagonal.
const PARTICLES: f64 = 1600.0;
const CONSTRAINTS: f64 = (2 * 39 * 40 + 2 * 39 * 39) as f64;

fn sheet() -> Scene {
    let mut scene = Scene::default();
    for (key, value) in [
        ("columns", "40"),
        ("rows", "40"),
        ("pins", "top-corners"),
        ("compliance", "0"),
        ("shear_compliance", "0"),
        ("damping", "0"),
        ("substeps", "1"),
        ("iterations", "15"),
    ] {
        scene.change(key, value).unwrap();
    }
    scene
}

#[test]
fn its_table_and_its_json_agree_and_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let only = ["--only", "xpbd 100x100", "--only", "taut 1024x1024, 15", "--only", "TIMESTAMPS"];
    let (code, told, errors) = bench(folder.path(), &[&["--quick", "--json", "out.json"], &only[..]].concat());
    assert_eq!((code, &*errors), (Some(0), ""), "{told}");
    let json: Value = serde_json::from_slice(&fs::read(folder.path().join("out.json")).unwrap()).unwrap();

    let validated = Validated::open();
    let device = &validated.device;
    assert_eq!(json["device"]["name"], device.info().name.as_str());
    assert_eq!(json["device"]["driver"], device.info().driver.as_str());
    assert!(told.starts_with(&format!("{}, {}\n", device.info().name, device.info().driver)), "{told}");
    let limits = &json["limits"];
    let dispatch_us = median(&limits["dispatch_us"]);
    let bandwidth = 1e9 * median(&limits["copy_gb_per_s"]).max(median(&limits["kernel_copy_gb_per_s"]));
    median(&limits["phase_us"]);

    let cases = json["cases"].as_array().unwrap();
    let names: Vec<_> = cases.iter().map(|case| case["name"].as_str().unwrap()).collect();
    let expected = [
        "xpbd 100x100, 15 sweeps",
        "xpbd 100x100, 15 sweeps, plain",
        "taut 1024x1024, 15 substeps",
        "cpu xpbd 100x100, 15 sweeps",
    ];
    assert_eq!(names, expected);
    for (case, name) in cases.iter().zip(&names) {
        let on_cpu = case["backend"] == "cpu";
        let wall_ms = median(&case["wall_ms"]);
        let ms = if on_cpu { wall_ms } else { median(&case["gpu_ms"]) };
        let solves = number(&case["constraints"]) * number(&case["sweeps"]);
        assert_same(number(&case["solves_per_s"]), solves / (ms / 1e3));
        assert_eq!((&case["reproducible"], &case["finite"]), (&true.into(), &true.into()));
        let row = told.lines().find(|line| line.starts_with(&format!("{name}  "))).unwrap();
        let checksum = case["checksum"].as_str().unwrap();
        for part in [format!("{ms:.4}"), format!("{wall_ms:.4}"), case["particles"].to_string(), checksum.into()] {
            assert!(row.contains(&part), "'{part}' is not in {row}");
        }
        if !on_cpu {
            let dispatches = number(&case["dispatches"]) * dispatch_us / 1e3;
            let bytes = 1e3 * number(&case["bytes"]) / bandwidth;
            let by = if dispatches >= bytes { "dispatches" } else { "bytes" };
            assert_eq!(case["limit"]["by"], by);
            assert_same(number(&case["limit"]["ms"]), dispatches.max(bytes));
            assert_same(number(&case["ratio"]), ms / dispatches.max(bytes));
            let record = format!("{:.1}", median(&case["record_us"]));
            let ratio = format!("{:.2}", number(&case["ratio"]));
            assert!(row.contains(&record) && row.contains(&ratio), "{record} and {ratio} are not in {row}");
        }
    }

    let [fastest, xpbd, taut, cpu] = &cases[..] else { panic!("{json}") };
    assert_eq!(fastest["checksum"], xpbd["checksum"]);
    for case in [fastest, xpbd, cpu] {
        assert_eq!(number(&case["particles"]), PARTICLES);
        assert_eq!(number(&case["constraints"]), CONSTRAINTS);
        assert_eq!(number(&case["sweeps"]), 15.0);
    }
    // Predict, 15 times 8 batches, velocity.
    assert_eq!(number(&xpbd["dispatches"]), 122.0);
    // Positions and velocities are read and written, and positions before written, then both positions read and velocities
    // written; a constraint is read with its two particles, which are written with its lambda, read by all sweeps but one.
    let bytes = PARTICLES * 16.0 * (5.0 + 3.0) + CONSTRAINTS * (15.0 * (16.0 + 64.0 + 4.0) + 14.0 * 4.0);
    assert_eq!(number(&xpbd["bytes"]), bytes);

    // The same steps by the library end where those of the program did.
    let mut simulation = sheet().simulation(device).unwrap();
    run(device, &mut simulation, 6);
    assert_eq!(xpbd["checksum"], checksum(&simulation.positions().unwrap()));
    let mut simulation = sheet().cpu_simulation().unwrap();
    (0..6).for_each(|_| drop(simulation.advance()));
    assert_eq!(cpu["checksum"], checksum(&simulation.positions()));

    let mut scene = Scene::default();
    let size = [("columns", "24"), ("rows", "24"), ("substeps", "2")];
    let rigid = [("compliance", "0"), ("shear_compliance", "0")];
    size.iter().chain(&rigid).for_each(|(key, value)| scene.change(key, value).unwrap());
    let mut simulation = scene.simulation(device).unwrap();
    run(device, &mut simulation, 240);
    let strain = simulation.strain(&simulation.positions().unwrap()).unwrap();
    assert_same(number(&taut["strain"]["rms"]), strain.rms);
    assert_same(number(&taut["strain"]["max"]), strain.max);
    assert!((number(&taut["strain"]["after"]) - 4.0).abs() < 1e-6);
    let line = format!("strain after 4.00 s: {:.6} rms, {:.6} at most", strain.rms, strain.max);
    assert!(told.contains(&line), "'{line}' is not in {told}");

    let timestamps = &json["timestamps"];
    let none = median(&timestamps["none_ms"]);
    for name in ["whole_frames", "sampled_passes", "passes"] {
        let ratio = number(&timestamps[format!("{name}_ratio")]);
        assert_same(ratio, median(&timestamps[format!("{name}_ms")]) / none);
        assert!(told.contains(&format!("{ratio:.3}\n")), "{ratio} is not in {told}");
    }
}

#[test]
fn json_can_go_to_standard_output_alone() {
    let arguments = [
        "--quick",
        "--only",
        "verlet 64x64, 40 substeps, images",
        "--only",
        "cpu xpbd 100",
        "--set",
        "columns=10",
        "--json",
        "-",
    ];
    let (code, told, errors) = bench(Path::new("."), &arguments);
    assert_eq!((code, &*errors), (Some(0), ""), "{told}");
    let json: Value = serde_json::from_str(&told).unwrap();
    let [verlet, cpu] = &json["cases"].as_array().unwrap()[..] else { panic!("{told}") };
    assert_eq!((&json["settings"], &verlet["frames"]), (&serde_json::json!({"columns": "10"}), &6.into()));
    assert_eq!((number(&verlet["particles"]), number(&cpu["particles"])), (10.0 * 24.0, 10.0 * 40.0));
    // Springs are no constraints; a sweep is a substep and a dispatch.
    assert_eq!((&verlet["constraints"], &verlet["solves_per_s"]), (&0.into(), &Value::Null));
    assert_eq!((&verlet["sweeps"], &verlet["dispatches"]), (&40.into(), &40.into()));
    assert_eq!((&cpu["gpu_ms"], &cpu["limit"]), (&Value::Null, &Value::Null));
}

#[test]
fn what_a_device_cannot_hold_is_said_in_its_row() {
    // No device has images that are so long.
    let columns = format!("columns={}", 1 << 26);
    let large = ["--set", &columns, "--set", "rows=1"];
    let (code, told, errors) =
        bench(Path::new("."), &[&["--quick", "--only", "40 substeps, images", "--json", "-"], &large[..]].concat());
    assert_eq!((code, &*errors), (Some(0), ""), "{told}");
    let json: Value = serde_json::from_str(&told).unwrap();
    let says = json["cases"][0]["too_large"].as_str().unwrap();
    assert!(says.contains("needs 67108864 texels in a line"), "{says}");
    let (code, told, errors) =
        bench(Path::new("."), &[&["--quick", "--only", "40 substeps, images"], &large[..]].concat());
    assert_eq!((code, &*errors), (Some(0), ""), "{told}");
    let row = told.lines().find(|line| line.starts_with("verlet 64x64, 40 substeps, images")).unwrap();
    assert!(row.ends_with(says), "{row}");
}

#[test]
fn it_lists_what_there_is() {
    let (code, told, errors) = bench(Path::new("."), &["--list"]);
    assert_eq!((code, &*errors), (Some(0), ""));
    let names: Vec<_> = told.lines().collect();
    for name in ["xpbd 4096x4096, 15 sweeps", "flag", "ropes 10,000 x 64, 10 iterations", "flag, what timestamps cost"]
    {
        assert_eq!(names.iter().filter(|listed| **listed == name).count(), 1, "{name} in {told}");
    }
}

#[test]
fn what_it_cannot_use_is_a_sentence() {
    for (arguments, code, says) in [
        (&["--only", "no such case"][..], 1, "no case has 'no such case' in its name: see bench --list"),
        (&["--quick", "--set", "colums=3"], 1, "there is no key `colums`"),
        (&["--quick", "--set", "columns"], 2, "it has to be KEY=VALUE"),
        (&["--quick", "--only", "flag", "--device", "riva"], 1, "no Vulkan device matches 'riva'"),
        (&["--quick", "--json", "no/such/folder/out.json"], 1, "no/such/folder/out.json"),
        (&["--repetitions", "4"], 2, "4 is not in 5..=1000"),
        (&["flag"], 2, "unexpected argument 'flag'"),
    ] {
        let (found, told, errors) = bench(Path::new("."), arguments);
        assert_eq!((found, &*told), (Some(code), ""), "{errors}");
        assert!(errors.contains(says) && (code == 2 || errors.lines().count() == 1), "{errors}");
    }
}

#[test]
fn its_kernels_do_what_they_are_timed_for() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(7);
    let mut vec4s =
        |count| -> Vec<Vec4> { (0..count).map(|_| Vec4::from_array([(); 4].map(|()| random.signed()))).collect() };
    let counters = Buffer::zeroed(device, "bench.counters", 256).unwrap();
    let increment = Kernel::new(device, &shaders::BENCH_INCREMENT).unwrap();
    let increment = increment.bind(&[("Counters", (&counters).into())]).unwrap();
    // No multiple of a workgroup.
    let values = vec4s(1000);
    let [source, target] = [&values[..], &[Vec4::ZERO; 1001]]
        .map(|values: &[Vec4]| Buffer::from_slice(device, "bench.list", values).unwrap());
    let copy = Kernel::new(device, &shaders::BENCH_COPY).unwrap();
    let copy = copy.bind(&[("Source", (&source).into()), ("Target", (&target).into())]).unwrap();
    // A bent ring, whose particles differ in mass.
    let mut ring: Vec<Vec4> = vec4s(512);
    for (index, particle) in ring.iter_mut().enumerate() {
        let angle = index as f32 / 512.0 * std::f32::consts::TAU;
        *particle = Vec4::new(angle.cos() + 1e-3 * particle.x, angle.sin(), 1e-3 * particle.z, 1.5 + particle.w);
    }
    let ring_buffer = Buffer::from_slice(device, "bench.ring", &ring).unwrap();
    let phases = Kernel::new(device, &shaders::BENCH_PHASES).unwrap();
    let phases = phases.bind(&[("Ring", (&ring_buffer).into())]).unwrap();
    Frames::run_once(device, |recorder| {
        (0..30).try_for_each(|_| recorder.dispatch(&increment, &(), [64, 1, 1]))?;
        recorder.dispatch(&copy, &1000_u32, [1000, 1, 1])?;
        recorder.dispatch(&phases, &[5, 0.01_f32.to_bits()], [256, 1, 1])
    })
    .unwrap();

    assert_eq!(counters.read::<u32>().unwrap(), [30; 64]);
    assert_eq!(target.read::<Vec4>().unwrap(), [&values[..], &[Vec4::ZERO]].concat());
    for phase in 0..5 {
        for first in (phase % 2..512).step_by(2) {
            let second = (first + 1) % 512;
            let [a, b] = [ring[first], ring[second]];
            let difference = (a - b).truncate();
            let correction = (difference.length() - 0.01) / (a.w + b.w) * difference.normalize();
            ring[first] = (a.truncate() - a.w * correction).extend(a.w);
            ring[second] = (b.truncate() + b.w * correction).extend(b.w);
        }
    }
    let found = ring_buffer.read::<Vec4>().unwrap();
    // Five corrections of numbers up to 1, each rounded a few times to 6e-8.
    let furthest =
        found.iter().zip(&ring).map(|(found, twin)| (*found - *twin).abs().max_element()).fold(0.0, f32::max);
    assert!(furthest < 2e-6, "{furthest}");
}
