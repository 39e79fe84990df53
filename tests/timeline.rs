//! What the CPU and the device did when (`--trace`), and the times of passes as a table (`--timings`).

#![cfg(feature = "viewer")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const FRAMES: usize = 6;
const CPU: u64 = 1;
const DEVICE: u64 = 2;

/// Runs a small flag that writes both, into a folder, and its report.
fn run(folder: &Path, backend: &str) -> (Vec<Value>, Vec<csv::StringRecord>, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    let flag = ["flag", "--headless", "--set", "columns=20", "--set", "rows=20", "--set", "substeps=3"];
    let files = ["--trace=t.json", "--timings=t.csv", "--report=r.json"];
    command.current_dir(folder).args(flag).args(files).args(["--frames", &FRAMES.to_string(), "--backend", backend]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("wrote t.csv\n") && told.contains("wrote t.json ("), "{told}");
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let trace: Value = serde_json::from_slice(&read("t.json")).unwrap();
    let rows = csv::Reader::from_reader(&*read("t.csv")).records().map(|row| row.unwrap()).collect();
    (trace["traceEvents"].as_array().unwrap().clone(), rows, serde_json::from_slice(&read("r.json")).unwrap())
}

/// Name, start and end of the events in a row of the time line \[µs\].
fn spans(events: &[Value], row: u64) -> Vec<(&str, f64, f64)> {
    let spans = events.iter().filter(|event| event["ph"] == "X" && event["tid"] == row);
    spans
        .map(|event| {
            let [start, took] = ["ts", "dur"].map(|key| event[key].as_f64().unwrap());
            (event["name"].as_str().unwrap(), start, start + took)
        })
        .collect()
}

/// Microseconds by pass and frame, of a table.
fn by_pass(rows: &[csv::StringRecord], processor: &str) -> BTreeMap<(usize, String), (u32, f64)> {
    let rows = rows.iter().filter(|row| &row[1] == processor);
    rows.map(|row| ((row[0].parse().unwrap(), row[2].to_string()), (row[3].parse().unwrap(), row[4].parse().unwrap())))
        .collect()
}

#[test]
fn passes_of_the_device_lie_in_its_frames_and_add_up_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let (events, rows, report) = run(folder.path(), "gpu");
    let spans_of_device = spans(&events, DEVICE);
    let starts: Vec<usize> =
        (0..spans_of_device.len()).filter(|&i| spans_of_device[i].0.starts_with("frame ")).collect();
    assert_eq!(starts.len(), FRAMES);
    let table = by_pass(&rows, "gpu");
    for (number, &index) in (1..).zip(&starts) {
        let (name, start, end) = spans_of_device[index];
        assert_eq!(name, format!("frame {number}"));
        let next = starts.get(number).copied().unwrap_or(spans_of_device.len());
        let passes = &spans_of_device[index + 1..next];
        // The wind's flutter, three substeps of predict, solve and velocity, and after the last of all steps a look.
        let names: Vec<&str> = passes.iter().map(|pass| pass.0).collect();
        let substeps = ["pbd/predict", "pbd/solve", "pbd/velocity"].repeat(3);
        let look: &[&str] = if number == FRAMES { &["watch/look", "download"] } else { &[] };
        assert_eq!(names, [&["update"], &substeps[..], look].concat());
        // Times are whole nanoseconds, and 64-bit numbers hold microseconds of minutes to a millionth of one.
        let mut at = start;
        for (_, pass_start, pass_end) in passes {
            assert!((pass_start - at).abs() < 1e-3, "{pass_start} after {at}");
            at = *pass_end;
        }
        assert!((at - end).abs() < 1e-3);
        for name in ["pbd/predict", "pbd/solve", "pbd/velocity"] {
            let sum: f64 = passes.iter().filter(|pass| pass.0 == name).map(|pass| pass.2 - pass.1).sum();
            let (calls, us) = table[&(number, name.to_string())];
            assert!((sum - us).abs() < 1e-2, "{name}: {sum} and {us} µs");
            assert_eq!(calls, if name == "pbd/solve" { 24 } else { 3 });
        }
    }
    // The device is a queue.
    assert!(starts.windows(2).all(|pair| spans_of_device[pair[0]].2 <= spans_of_device[pair[1]].1));
    // No frame begins before the CPU begins to record it, and none ends after the CPU has waited for all: on one time line,
    // but for the microseconds that it takes to read two clocks.
    let recorded: Vec<_> = spans(&events, CPU).into_iter().filter(|span| span.0 == "record and submit").collect();
    let waited = spans(&events, CPU).into_iter().filter(|span| span.0 == "wait for the device").map(|span| span.2);
    assert_eq!(recorded.len(), FRAMES);
    for (&index, recorded) in starts.iter().zip(&recorded) {
        assert!(spans_of_device[index].1 > recorded.1 - 100.0, "{:?} before {recorded:?}", spans_of_device[index]);
    }
    assert!(spans_of_device[starts[FRAMES - 1]].2 < waited.fold(0.0, f64::max) + 100.0);
    assert_eq!(report["frames"], FRAMES);
    let of_device = events.iter().find(|event| event["ph"] == "M" && event["tid"] == DEVICE).unwrap();
    assert_eq!(of_device["args"]["name"], report["device"]["name"]);
}

#[test]
fn passes_of_the_cpu_lie_in_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    let (events, rows, _) = run(folder.path(), "cpu");
    let all = spans(&events, CPU);
    let steps: Vec<_> = all.iter().filter(|span| span.0 == "step").collect();
    let passes: Vec<_> = all.iter().filter(|span| span.0 != "step").collect();
    assert_eq!((steps.len(), passes.len()), (FRAMES, 9 * FRAMES));
    for (_, start, end) in &passes {
        assert!(steps.iter().any(|step| step.1 <= *start && *end <= step.2 + 1e-3));
    }
    let table = by_pass(&rows, "cpu");
    assert_eq!(table.len(), 3 * FRAMES);
    // Of calls that follow each other, the table has only the time in them, and the time line all of it.
    let sum: f64 = passes.iter().map(|pass| pass.2 - pass.1).sum();
    let in_table: f64 = table.values().map(|(_, us)| us).sum();
    assert!(in_table <= sum + 1e-3 && spans(&events, DEVICE).is_empty(), "{in_table} of {sum} µs");
}

/// Without timestamps nothing is told of passes, and the state is the same.
#[test]
fn a_run_without_timestamps_ends_in_the_same_state() {
    let folder = tempfile::tempdir().unwrap();
    let (_, _, timed) = run(folder.path(), "gpu");
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    let flag = ["flag", "--headless", "--set", "columns=20", "--set", "rows=20", "--set", "substeps=3", "--untimed"];
    command.current_dir(folder.path()).args(flag).args(["--frames", &FRAMES.to_string(), "--report", "untimed.json"]);
    assert!(command.output().unwrap().status.success());
    let untimed: Value = serde_json::from_slice(&fs::read(folder.path().join("untimed.json")).unwrap()).unwrap();
    assert_eq!(untimed["state"], timed["state"]);
    assert!(untimed["frame"]["gpu_us"].is_null() && untimed["frame"]["wall_us"]["median"].as_f64().unwrap() > 0.0);
    assert!(timed["frame"]["gpu_us"]["median"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_time_line_that_cannot_be_written_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, says) in [(["--trace", "none/t.json"], "none/t.json"), (["--timings", "none/t.csv"], "none/t.csv")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
        let output = command.current_dir(folder.path()).args(["flag", "--headless"]).args(arguments).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && told.contains(says) && told.lines().count() == 1, "{told}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    command.current_dir(folder.path()).args(["flag", "--headless", "--trace", "same", "--timings", "same"]);
    let told = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(told.contains("--timings and --trace both name 'same'"), "{told}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
