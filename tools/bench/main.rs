//! `bench`: how fast cases run, beside what the device itself could do.

mod arguments;
#[path = "../../src/bin/viewer/backend.rs"]
mod backend;
mod cases;
mod limits;
mod measure;
mod outcome;
#[path = "../../src/bin/viewer/output.rs"]
mod output;
#[path = "../../src/bin/viewer/setting.rs"]
mod setting;
mod spread;
mod table;
mod timestamps;
mod traffic;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use tautline::engine::Device;
use tautline::io::{check_writable, write_atomically};
use tautline::scene::Scene;

use arguments::Arguments;
use backend::Backend;
use cases::{CASES, Case};
use limits::Limits;
use outcome::{CaseOutcome, DeviceOutcome, Outcome};
use timestamps::TIMESTAMPS;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    if arguments.list {
        let names = CASES.iter().map(|case| case.name).chain([TIMESTAMPS]);
        return output::print(&names.map(|name| format!("{name}\n")).collect::<String>());
    }
    let cases: Vec<_> = CASES.iter().filter(|case| arguments.selects(case.name)).collect();
    let with_timestamps = arguments.selects(TIMESTAMPS);
    if cases.is_empty() && !with_timestamps {
        bail!("no case has '{}' in its name: see bench --list", arguments.only.join("' or '"));
    }
    // What is wrong is said before anything is measured.
    let scene = |case: &'static Case| Ok((case, case.scene(arguments)?));
    let cases = cases.into_iter().map(scene).collect::<Result<Vec<_>>>()?;
    if let Some(path) = arguments.json_file() {
        check_writable(path)?;
    }
    let needs_device = with_timestamps || cases.iter().any(|(case, _)| case.backend == Backend::Gpu);
    let device = needs_device.then(|| Device::headless(arguments.device.as_deref())).transpose()?;
    let limits = device.as_ref().map(|device| Limits::measure(device, arguments)).transpose()?;
    say(&table::head(device.as_ref(), limits.as_ref(), arguments), arguments)?;
    let mut outcome = Outcome {
        version: env!("CARGO_PKG_VERSION"),
        quick: arguments.quick,
        settings: arguments.settings.iter().cloned().collect(),
        device: device.as_ref().map(DeviceOutcome::from),
        threads: rayon::current_num_threads(),
        limits,
        cases: Vec::new(),
        timestamps: None,
    };
    let measured = measure(&cases, with_timestamps, device.as_ref(), arguments, &mut outcome);
    // What was measured before a device was lost is kept.
    if arguments.json_alone() {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&outcome)?))?;
    }
    arguments.json_file().map_or(Ok(()), |path| write(path, &outcome))?;
    measured
}

/// Measures one case after another.
fn measure(
    cases: &[(&Case, Scene)],
    with_timestamps: bool,
    device: Option<&Device>,
    arguments: &Arguments,
    outcome: &mut Outcome,
) -> Result<()> {
    for (case, scene) in cases {
        let measured = measure::case(case, scene, device, arguments).with_context(|| case.name.to_string())?;
        let row = CaseOutcome::new(case, arguments, measured, outcome.limits.as_ref());
        say(&table::row(&row), arguments)?;
        outcome.cases.push(row);
    }
    if let Some(device) = device.filter(|_| with_timestamps) {
        let timestamps = timestamps::measure(device, arguments).with_context(|| TIMESTAMPS.to_string())?;
        say(&timestamps.text(), arguments)?;
        outcome.timestamps = Some(timestamps);
    }
    Ok(())
}

/// Prints a part of the table.
fn say(text: &str, arguments: &Arguments) -> Result<()> {
    if arguments.json_alone() { Ok(()) } else { output::print(text) }
}

fn write(path: &Path, outcome: &Outcome) -> Result<()> {
    Ok(write_atomically(path, |file| {
        serde_json::to_writer_pretty(&mut *file, outcome)?;
        file.write_all(b"\n")
    })?)
}
