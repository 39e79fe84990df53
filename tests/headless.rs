//! What a headless run reports, draws and returns, held against numbers that can be had without it: counted, derived by
//! hand, or computed by the solvers' twins.

#![cfg(feature = "viewer")]

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{Validated, load};
use glam::{Vec3, Vec4};
use serde_json::Value;
use tautline::reference::{pbd, verlet};
use tautline::scene::Scene;
use tautline::solver::VerletSettings;
use xxhash_rust::xxh3::xxh3_64;

fn viewer(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    command.args(arguments).arg("--headless").stdin(Stdio::null());
    command
}

/// Runs a scene and reads its report; a report is there however the run ended.
fn run(arguments: &[&str]) -> (Output, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let output = viewer(arguments).arg("--report").arg(&path).output().unwrap();
    let text = std::fs::read(&path).unwrap_or_else(|_| panic!("{arguments:?} wrote no report: {output:?}"));
    (output, serde_json::from_slice(&text).unwrap())
}

/// The report of a run that succeeds and says nothing on standard error, as it draws no progress bar into a pipe.
fn report(arguments: &[&str]) -> Value {
    let (output, report) = run(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    report
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Least and greatest corner.
fn aabb(report: &Value) -> [[f64; 3]; 2] {
    [0, 1].map(|corner| [0, 1, 2].map(|axis| number(&report["state"]["aabb"][corner][axis])))
}

fn assert_box(report: &Value, expected: [[f64; 3]; 2], tolerance: f64) {
    let found = aabb(report);
    let differences = found.iter().flatten().zip(expected.iter().flatten()).map(|(found, expected)| found - expected);
    assert!(differences.map(f64::abs).all(|difference| difference <= tolerance), "{found:?} is not {expected:?}");
}

/// The sum over the passes of a time in a run of one frame, of which each spread holds the one sample.
fn pass_sum(report: &Value) -> f64 {
    report["passes"].as_array().unwrap().iter().map(|pass| number(&pass["gpu_us"]["max"])).sum()
}

fn calls(report: &Value) -> Vec<(&str, u64)> {
    let call = |pass: &'_ Value| pass["calls_per_frame"].as_u64().unwrap();
    report["passes"].as_array().unwrap().iter().map(|pass| (pass["name"].as_str().unwrap(), call(pass))).collect()
}

/// Document 002: 100 x 100 particles, 4 * 99 * 100 - 2 * 99 constraints in 8 batches, 15 substeps.
#[test]
fn the_flag_is_reported_with_every_field() {
    let report = report(&["flag", "--frames", "1", "--validate"]);
    let expected = [
        "scene",
        "solver",
        "backend",
        "device",
        "particles",
        "constraints",
        "batches",
        "frames",
        "dt",
        "substeps",
        "iterations",
        "passes",
        "gpu_pass_frames",
        "gpu_whole_frames",
        "frame",
        "state",
        "watch",
        "validation_messages",
    ];
    assert_eq!(keys(&report), BTreeSet::from(expected));
    assert_eq!((report["scene"].as_str(), report["solver"].as_str()), (Some("flag"), Some("xpbd")));
    let integer = |key: &str| report[key].as_u64().unwrap();
    let counts = ["particles", "constraints", "batches", "frames", "substeps", "iterations", "validation_messages"];
    assert_eq!(counts.map(integer), [10_000, 39_402, 8, 1, 15, 1, 0]);
    assert!((number(&report["dt"]) - 1.0 / 60.0).abs() < 1e-8);

    assert_eq!(keys(&report["device"]), BTreeSet::from(["name", "driver", "type", "api_version"]));
    assert!(report["device"].as_object().unwrap().values().all(|text| text.as_str().is_some_and(|t| !t.is_empty())));
    let version: Vec<u32> =
        report["device"]["api_version"].as_str().unwrap().split('.').map(|part| part.parse().unwrap()).collect();
    assert!(version.len() == 3 && version[..2] >= [1, 3][..], "{version:?}");
    assert!(
        ["discrete", "integrated", "virtual", "cpu", "other"].contains(&report["device"]["type"].as_str().unwrap())
    );

    // The substeps, the wind's flutter, and a look at the last step.
    let look = [("watch/look", 1), ("download", 1)];
    let step = [("pbd/predict", 15), ("pbd/solve", 15 * 8), ("pbd/velocity", 15), ("update", 1)];
    let expected = [&step[..], &look].concat();
    assert_eq!(calls(&report), expected);
    assert_eq!(keys(&report["frame"]), BTreeSet::from(["gpu_us", "cpu_us", "wall_us"]));
    let shares: f64 = report["passes"].as_array().unwrap().iter().map(|pass| number(&pass["share"])).sum();
    assert!((shares - 1.0).abs() < 1e-9, "all passes are {shares} of their time");
    let spreads = report["passes"].as_array().unwrap().iter().map(|pass| &pass["gpu_us"]);
    for spread in spreads.chain([&report["frame"]["gpu_us"], &report["frame"]["wall_us"]]) {
        assert_eq!(keys(spread), BTreeSet::from(["min", "median", "p95", "max"]));
        let sample = number(&spread["min"]);
        assert!(sample > 0.0 && ["median", "p95", "max"].iter().all(|key| number(&spread[*key]) == sample), "{spread}");
    }
    // Whole nanoseconds each, so that only the decimal fractions of the sum are rounded.
    let whole = number(&report["frame"]["gpu_us"]["max"]);
    assert!((pass_sum(&report) - whole).abs() < 1e-6 * whole, "{} of {whole} µs", pass_sum(&report));

    assert_eq!(
        keys(&report["state"]),
        BTreeSet::from(["finite", "cut_constraints", "pinned_particles", "rms_strain", "max_strain", "aabb", "hash"])
    );
    assert_eq!(report["state"]["pinned_particles"], 100, "the upper edge");
    assert_eq!(report["state"]["finite"], true);
    let (rms, max) = (number(&report["state"]["rms_strain"]), number(&report["state"]["max_strain"]));
    assert!(0.0 < rms && rms < max && max < 1.0, "{rms} {max}");
    // Held where it starts by its upper edge, from (-0.99, 0, 0) to (0.99, 0, 0), and blown towards +x and +z.
    let [least, greatest] = aabb(&report);
    assert!((least[0] + 0.99).abs() < 1e-6 && greatest[1].abs() < 1e-3 && least[2].abs() < 1e-6, "{least:?}");
    assert!(greatest[0] > 0.99 && greatest[2] > 0.0, "{greatest:?}");
}

/// Timestamps between passes cost time, so most frames have none; where single frames are asked for, all have.
#[test]
fn passes_are_timed_in_few_frames_unless_each_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.csv");
    let small = ["flag", "--set", "columns=9", "--set", "rows=7", "--set", "substeps=2", "--frames", "26"];
    let sampled = report(&small);
    let all = report(&[&small[..], &["--timings", table.to_str().unwrap()]].concat());
    // The first and the twenty-sixth.
    assert_eq!((&sampled["gpu_pass_frames"], &all["gpu_pass_frames"]), (&2.into(), &26.into()));
    // Every fifth but those.
    assert_eq!((&sampled["gpu_whole_frames"], &all["gpu_whole_frames"]), (&4.into(), &0.into()));
    assert_eq!(calls(&sampled), calls(&all));
    for report in [&sampled, &all] {
        let shares: f64 = report["passes"].as_array().unwrap().iter().map(|pass| number(&pass["share"])).sum();
        assert!((shares - 1.0).abs() < 1e-9, "all passes are {shares} of their time");
        assert!(number(&report["frame"]["gpu_us"]["median"]) > 0.0);
    }
    assert_eq!(sampled["state"], all["state"]);
}

/// Names and calls of passes, whatever the scene and its solver.
#[test]
fn every_preset_runs_with_every_solver_under_validation() {
    for preset in ["verlet", "flag"] {
        let small = ["--set", "columns=9", "--set", "rows=7", "--set", "substeps=14", "--set", "iterations=3"];
        for solver in ["verlet", "xpbd", "pbd", "xpbd-document"] {
            let arguments = [&[preset, "--solver", solver, "--frames", "3", "--validate"], &small[..]].concat();
            let report = report(&arguments);
            // (8 * 7 + 9 * 6) along grid lines and 2 * 8 * 6 diagonals.
            let (constraints, expected) = match solver {
                "verlet" => ([0, 0], vec![("verlet/step", 14)]),
                "xpbd-document" => ([206, 8], vec![("pbd/predict", 1), ("pbd/solve", 14 * 3 * 8), ("pbd/velocity", 1)]),
                _ => ([206, 8], vec![("pbd/predict", 14), ("pbd/solve", 14 * 3 * 8), ("pbd/velocity", 14)]),
            };
            // The flag has wind that flutters, by a phase of 0 in the first substep, which is all of the document's first step.
            let flutters = preset == "flag" && solver != "xpbd-document";
            let updates = [("update", 1)].into_iter().filter(|_| flutters);
            let expected: Vec<_> = expected.into_iter().chain(updates).collect();
            assert_eq!(calls(&report), expected, "{preset} with {solver}");
            assert_eq!(["constraints", "batches"].map(|key| report[key].as_u64().unwrap()), constraints);
            assert_eq!(report["solver"], solver);
            assert_eq!(report["state"]["finite"], true);
        }
    }
}

#[test]
fn jacobi_has_two_passes_an_iteration_whatever_the_batches() {
    let small = ["--set", "columns=9", "--set", "rows=7", "--set", "substeps=4", "--set", "iterations=3"];
    let jacobi = ["flag", "--set", "constraint_solver=jacobi", "--frames", "3", "--validate"];
    let report = report(&[&jacobi[..], &small[..]].concat());
    let expected =
        [("pbd/predict", 4), ("pbd/jacobi_solve", 12), ("pbd/jacobi_apply", 12), ("pbd/velocity", 4), ("update", 1)];
    assert_eq!(calls(&report), expected);
    assert_eq!(["constraints", "batches"].map(|key| report[key].as_u64().unwrap()), [206, 1]);
    assert_eq!(report["state"]["finite"], true);
}

/// The first recordings have more passes than there are timestamps, as all have on a queue without any.
#[test]
fn passes_without_times_are_listed_with_their_calls() {
    let report = report(&["flag", "--set", "rows=3", "--set", "substeps=500", "--frames", "1"]);
    assert_eq!(calls(&report), [("pbd/predict", 500), ("pbd/solve", 500 * 8), ("pbd/velocity", 500)]);
    let times = report["passes"].as_array().unwrap().iter().map(|pass| &pass["gpu_us"]);
    let times: Vec<_> = times.chain([&report["frame"]["gpu_us"]]).map(Value::is_null).collect();
    assert!(times.iter().all(|absent| *absent == times[3]), "either all are timed or none is: {report}");
}

#[test]
fn equal_runs_end_in_equal_bytes_and_one_more_frame_does_not() {
    let small = |frames| report(&["flag", "--set", "columns=20", "--set", "rows=15", "--frames", frames]);
    let [first, second, longer] = ["5", "5", "6"].map(small);
    assert_eq!(first["state"], second["state"]);
    assert_ne!(first["state"]["hash"], longer["state"]["hash"]);

    // The same through the library: the hash is XXH3 of the positions, 16 bytes each.
    let validated = Validated::open();
    let settings = [("columns", "20"), ("rows", "15")];
    let positions = gpu_positions(&validated, &load("flag", &settings), 5);
    assert_eq!(first["state"]["hash"], format!("{:016x}", xxh3_64(bytemuck::cast_slice(&positions))));
}

/// Without forces, a rigid cloth stays as it was laid out: 11 cells of 0.25 m across, 6 down, its middle at x = 0.
#[test]
fn cloth_without_forces_is_not_strained_and_stays_where_it_was() {
    let still = ["--set", "gravity=[0,0,0]", "--set", "wind=[0,0,0]", "--set", "wind_flutter=0", "--frames", "10"];
    let grid = ["--set", "columns=12", "--set", "rows=7", "--set", "spacing=0.25"];
    for solver in ["pbd", "verlet"] {
        let report = report(&[&["flag", "--solver", solver], &still[..], &grid[..]].concat());
        // Diagonals are no binary fractions: in each of 150 substeps they may move a particle by a last place, 1e-7 m.
        assert_box(&report, [[-1.375, -1.5, 0.0], [1.375, 0.0, 0.0]], 2e-5);
        assert!(number(&report["state"]["max_strain"]) < 1e-4, "{}", report["state"]);
    }
}

/// One spring with a compliance of 0.01 m/N, rested 0.5 m long, and 0.5 kg that 8 m/s² pull: 4 N stretch it by 0.04 m.
/// Pushed together by as much, it is not strained.
#[test]
fn the_strain_of_one_loaded_spring_is_that_of_hooke() {
    for (pull, strain, end) in [("[8,0,0]", 0.08, 0.29), ("[-8,0,0]", 0.0, 0.21)] {
        let gravity = format!("gravity={pull}");
        let spring = ["columns=2", "rows=1", "spacing=0.5", "pins=[0]", "particle_mass=0.5", "compliance=0.01"];
        // One substep, as the weight has to move the particle by many of its last places in each.
        let rest = [&gravity, "substeps=1", "wind=[0,0,0]", "wind_flutter=0", "damping=14"];
        let settings: Vec<&str> = spring.iter().chain(&rest).flat_map(|setting| ["--set", setting]).collect();
        let report = report(&[&["flag", "--frames", "180"], &settings[..]].concat());
        // 3 s with a decay of 7 / s leave e^-21 of the swing; the rest is rounding.
        for key in ["rms_strain", "max_strain"] {
            assert!((number(&report["state"][key]) - strain).abs() < 1e-5, "{pull}: {}", report["state"]);
        }
        assert_box(&report, [[-0.25, 0.0, 0.0], [end, 0.0, 0.0]], 1e-5);
    }
}

/// One dispatch a step for all ropes. At rest the strain is what the solver's own iterations leave.
#[test]
fn ropes_are_reported_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--set", "rope_count=21", "--set", "rope_columns=3", "--set", "rope_particles=17"];
    let mut colors = Vec::new();
    for (view, camera) in [("looks", "[0,0,0]"), ("lod", "[0,0,0]"), ("lod", "[0,0,100]")] {
        let path = folder.path().join("ropes.png");
        let camera = format!("rope_lod_camera={camera}");
        let run = ["ropes", "--frames", "3", "--size", "320x180", "--validate", "--view", view, "--set", &camera];
        let report = report(&[&run[..], &small, &["--image", path.to_str().unwrap()]].concat());
        let (pass, count) = calls(&report)[0];
        assert!(["rope/step", "rope/step_subgroup"].contains(&pass) && count == 1, "{count} calls of {pass}");
        let counts = ["particles", "constraints", "batches"].map(|key| report[key].as_u64().unwrap());
        assert_eq!((report["solver"].as_str(), counts), (Some("rope"), [357, 336, 2]));
        assert!(number(&report["state"]["rms_strain"]) < 0.01, "{}", report["state"]);
        let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let count = |is: fn(i32, i32, i32) -> bool| {
            pixels.chunks(4).filter(|pixel| is(pixel[0].into(), pixel[1].into(), pixel[2].into())).count()
        };
        colors.push([
            count(|red, green, blue| red > green + 15 && green > blue + 15),
            count(|red, green, blue| green > red + 30 && green > blue + 30),
            count(|red, green, blue| blue > red + 30 && blue > green + 30),
        ]);
    }
    // Hemp; green near by, at level 0; and blue far away, at level 3.
    for (index, colors) in colors.iter().enumerate() {
        assert!(colors[index] > 200 && (0..3).all(|other| other == index || colors[other] < 20), "{colors:?}");
    }
}

#[test]
fn the_picture_has_its_size_and_shows_red_and_white_cloth() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flag.png");
    let arguments = ["flag", "--frames", "2", "--size", "320x180", "--validate", "--image", path.to_str().unwrap()];
    report(&arguments);
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (320, 180, png::ColorType::Rgba));
    let share = |is: fn(i32, i32, i32) -> bool| {
        let count = pixels.chunks(4).filter(|p| is(p[0].into(), p[1].into(), p[2].into())).count();
        count as f64 / (320.0 * 180.0)
    };
    // Of the stripes, one kind is strongly red and the other warm; what is behind is grey or bluish.
    let red = share(|red, green, blue| red > green + 60 && red > blue + 60);
    let warm = share(|red, green, blue| (10..60).contains(&(red - blue)) && green > blue);
    let behind = share(|red, _, blue| blue >= red);
    assert!((0.05..0.5).contains(&red) && (0.05..0.5).contains(&warm) && behind > 0.2, "{red} {warm} {behind}");
    assert_eq!(pixels[3], 255);
    assert!(pixels[2] >= pixels[0], "the corner shows what is behind: {:?}", &pixels[..4]);
}

/// In step 10 of a fall from rest, in one substep a step, everything goes 10 dt g = 2.5 m/s: half of the 5 m/s at which the
/// scale of a scene of 2 m ends, and so the middle of viridis, which is sRGB (33, 145, 140).
#[test]
fn the_picture_of_speeds_is_of_the_last_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("speeds.png");
    let path = path.to_str().unwrap();
    let grid = ["--set", "columns=5", "--set", "rows=5", "--set", "spacing=0.5", "--set", "pins=none"];
    let fall = ["--set", "wind=[0,0,0]", "--set", "wind_flutter=0", "--set", "damping=0", "--set", "gravity=[0,-15,0]"];
    for backend in ["gpu", "cpu"] {
        let run =
            ["flag", "--frames", "10", "--set", "substeps=1", "--size", "160x120", "--validate", "--view", "velocity"];
        report(&[&run[..], &grid, &fall, &["--backend", backend, "--image", path]].concat());
        let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let middle = 4 * (60 * 160 + 80);
        let [red, green, blue] = [0, 1, 2].map(|channel| (f64::from(pixels[middle + channel]) / 255.0).powf(2.2));
        let sum = red + green + blue;
        for (light, wanted) in [(red, 0.03), (green, 0.50), (blue, 0.47)] {
            assert!((light / sum - wanted).abs() < 0.03, "{backend}: {red} {green} {blue}");
        }
    }
}

#[test]
fn an_unstable_run_fails_and_still_reports() {
    let (output, report) =
        run(&["verlet", "--set", "substeps=1", "--set", "structural_stiffness=60000", "--set", "allow_unstable=true"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("\nerror: ") && told.contains("not finite") && told.contains("smaller dt"), "{told}");
    assert_eq!(report["state"]["finite"], false);
    assert_eq!(report["state"]["max_strain"], Value::Null);
}

/// The layer's advice on best practices counts as messages, and it has some for every program with debug labels.
#[test]
fn validation_messages_are_counted_told_and_fail_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let mut command = viewer(&["flag", "--set", "rows=2", "--frames", "1", "--validate"]);
    // The name that old layers know, and the one that new ones do.
    command.env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT");
    command.env("VK_KHRONOS_VALIDATION_VALIDATE_BEST_PRACTICES", "true");
    let output = command.arg("--report").arg(&path).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    let report: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let count = report["validation_messages"].as_u64().unwrap();
    assert!(count > 0 && told.contains(&format!("error: validation had {count} messages")), "{told}");
    assert!(told.contains("BestPractices"), "{told}");
}

#[test]
fn a_reader_that_closes_standard_output_is_no_error() {
    for arguments in [&["flag", "--frames", "1", "--set", "rows=2"][..], &["--list-scenes"], &["--list-devices"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = viewer(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}

/// `--fabric` sets what the fabric's keys would, less what `--set` does.
#[test]
fn a_fabric_on_the_command_line_sets_its_keys() {
    let small = ["flag", "--frames", "3", "--set", "columns=9", "--set", "rows=7", "--set", "spacing=0.1"];
    let hash = |arguments: &[&str]| report(&[&small[..], arguments].concat())["state"]["hash"].clone();
    let own = [
        "compliance=0.001",
        "warp_compliance=1.7e-3",
        "shear_compliance=1.7e-3",
        "bending=true",
        "bending_form=dihedral",
        "bending_stiffness=1.1e-5",
        "damping=0.19",
        "particle_mass=0.0038",
    ];
    let own: Vec<&str> = own.iter().flat_map(|setting| ["--set", setting]).collect();
    let of_fabric = hash(&["--fabric", "rubber", "--set", "compliance=0.001"]);
    assert_eq!(of_fabric, hash(&own));
    assert_ne!(of_fabric, hash(&["--fabric", "rubber"]));
    assert!(of_fabric.is_string());
}

#[test]
fn scenes_and_devices_are_listed() {
    let list = |flag| String::from_utf8(viewer(&[flag]).output().unwrap().stdout).unwrap();
    let scenes = list("--list-scenes");
    let names: Vec<_> = scenes.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ["verlet", "curtain", "flag", "cut", "drape", "ropes", "mesh"]);
    let fabrics = list("--list-fabrics");
    assert_eq!(fabrics.lines().count(), 7, "{fabrics}");
    assert!(fabrics.lines().all(|line| line.ends_with(')')) && fabrics.contains("\nsilk "), "{fabrics}");
    let devices = list("--list-devices");
    assert!(devices.starts_with("0: ") && devices.contains("Vulkan 1."), "{devices}");
}

/// A shirt of 0.65 m from collar to hem, its sleeves spread over 0.65 m, is pinned at its collar.
#[test]
fn the_shirt_hangs() {
    let shirt = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/shirt-cm.obj");
    if !shirt.exists() {
        assert!(std::env::var_os("TAUTLINE_REQUIRE_SHARED").is_none(), "{} is missing", shirt.display());
        return;
    }
    let (start, end) = shirt_box(&shirt);
    let path = shirt.to_str().unwrap();
    let (output, report) = run(&[path, "--frames", "240"]);
    assert!(output.status.success(), "{output:?}");
    // How the file was taken is said, as nothing in it says its unit.
    let taken = "6436 vertices and 12736 faces, 0.651 x 0.646 x 0.275 m, y up, in centimetres, guessed from its size (--scale \
                 sets it)";
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("{path}: {taken}\n"));
    assert_eq!(report["mesh"]["metres_per_unit"], 0.01_f32);
    assert_eq!(report["particles"], 6_436);
    assert_eq!(report["state"]["finite"], true);
    let [least, greatest] = aabb(&report);
    // What is pinned at the top is where it was.
    assert!((greatest[1] - end[1]).abs() < 1e-5, "{greatest:?}");
    // The sleeves have fallen: they no longer reach half as far out on either side as when they were spread.
    assert!(least[0] > 0.6 * start[0] && greatest[0] < 0.6 * end[0], "{least:?} {greatest:?}");
    // The hem hangs below where it was, as its curves have straightened. The surface from collar to hem is longer than
    // the straight line by less than a tenth, and in 30 substeps the solver stretches hanging cloth by less than a tenth
    // (see the root mean square below): neither adds up to a quarter.
    let height = end[1] - start[1];
    assert!((end[1] - 1.25 * height..start[1]).contains(&least[1]), "{least:?}");
    assert!(least[2] > start[2] - 0.25 * height && greatest[2] < end[2] + 0.25 * height, "{least:?} {greatest:?}");
    assert!(number(&report["state"]["rms_strain"]) < 0.1, "{}", report["state"]);
}

/// Least and greatest corner of a mesh in centimetres, in metres, read by other code than the viewer's.
fn shirt_box(path: &Path) -> ([f64; 3], [f64; 3]) {
    let text = std::fs::read_to_string(path).unwrap();
    let vertices = text.lines().filter_map(|line| line.strip_prefix("v ")).map(|line| {
        let numbers: Vec<f64> = line.split_whitespace().map(|word| word.parse::<f64>().unwrap() / 100.0).collect();
        <[f64; 3]>::try_from(numbers).unwrap()
    });
    let whole = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    vertices.fold(whole, |(least, greatest), vertex| {
        let pick = |side: [f64; 3], of: fn(f64, f64) -> f64| [0, 1, 2].map(|axis| of(side[axis], vertex[axis]));
        (pick(least, f64::min), pick(greatest, f64::max))
    })
}

/// Positions after so many steps on the device.
fn gpu_positions(validated: &Validated, scene: &Scene, steps: u32) -> Vec<Vec4> {
    let mut simulation = scene.simulation(&validated.device).unwrap();
    common::run(&validated.device, &mut simulation, steps);
    simulation.positions().unwrap()
}

/// The distances between two states of the same particles \[m\]: the largest, and the root mean square.
fn distances(left: &[Vec4], right: &[Vec4]) -> [f64; 2] {
    assert_eq!(left.len(), right.len());
    let pairs = left.iter().zip(right);
    let squares: Vec<f64> =
        pairs.map(|(left, right)| f64::from(left.truncate().distance_squared(right.truncate()))).collect();
    assert!(squares.iter().all(|square| square.is_finite()));
    [squares.iter().copied().fold(0.0, f64::max).sqrt(), (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()]
}

const SMALL: [(&str, &str); 2] = [("columns", "40"), ("rows", "30")];

/// The flag by its twin, `lag` substeps late in the wind's flutter.
fn twin_flag(scene: &Scene, steps: u32, lag: f64) -> Vec<Vec4> {
    let (cloth, step, settings) = (scene.cloth().unwrap(), scene.step(), scene.pbd_settings());
    let parameters = settings.parameters(&step, cloth.positions.len());
    let mut twin = pbd::Pbd::new(&cloth.positions, &settings.constraints(&cloth), cloth.coloring.batches());
    for index in 0..steps {
        for substep in 0..step.substeps {
            let substeps = f64::from(substep) - lag;
            let time = f64::from(index) * f64::from(step.dt) + substeps * f64::from(step.substep_dt());
            twin.substep(&parameters, settings.wind.flutter_phase(time), step.iterations);
        }
    }
    twin.positions
}

#[test]
fn the_flag_flies_as_its_twin_does() {
    let validated = Validated::open();
    let scene = load("flag", &SMALL);

    // A device's sine may be wrong by 2^-11, which times 4 m/s² of flutter and its lift of 2 are 4 mm/s²; in the 1/6 s
    // of 10 steps that moves a particle by 0.06 mm. A twin that is one of 150 substeps late is farther away.
    let gpu = gpu_positions(&validated, &scene, 10);
    let [apart, late] = [0.0, 1.0].map(|lag| distances(&gpu, &twin_flag(&scene, 10, lag))[0]);
    assert!(apart < 2e-4 && late > 3e-4, "{apart} m, {late} m where the flutter is late");

    // A flag is chaotic: by now, twins that started 1e-7 m apart are up to 9 cm apart in a crease. But on average the
    // particles are within 3 cm of the same motion, and those that no wind blows are not.
    let gpu = gpu_positions(&validated, &scene, 100);
    let mut calm = scene.clone();
    calm.wind = Vec3::ZERO;
    let [apart, other] = [&scene, &calm].map(|scene| distances(&gpu, &twin_flag(scene, 100, 0.0))[1]);
    assert!(apart < 0.03 && other > 0.1, "{apart} m, {other} m without wind");
}

/// The sheet has no constraints to crease it, so that 200 rounded substeps are as close as their rounding, 1e-6 m each;
/// one hundredth more damping is a different motion.
#[test]
fn the_sheet_swings_as_its_twin_does() {
    let scene = load("verlet", &SMALL);
    let gpu = gpu_positions(&Validated::open(), &scene, 100);
    let cloth = scene.cloth().unwrap();
    let twin = |damping: f32| {
        let settings = VerletSettings { damping, ..scene.verlet_settings() };
        let parameters = settings.parameters(&scene.step(), &cloth.grid.unwrap());
        let pin = |position: &Vec4| position.truncate().extend(f32::from(position.w == 0.0));
        let mut twin = verlet::Verlet::new(&cloth.positions.iter().map(pin).collect::<Vec<_>>());
        (0..100 * scene.substeps).for_each(|_| twin.step(&parameters, 0.0));
        twin.current
    };
    let [apart, other] = [1.0, 1.01].map(|factor| distances(&gpu, &twin(factor * scene.velocity_loss))[0]);
    assert!(apart < 1e-3 && other > 1e-2, "{apart} m, {other} m with more damping");
}
