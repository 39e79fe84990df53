//! What was measured, as a person reads it.

use std::fmt::Write as _;

use tautline::engine::Device;

use crate::arguments::Arguments;
use crate::limits::Limits;
use crate::outcome::{CaseOutcome, LimitKind, MeasuredNumbers, Numbers, StrainOutcome};
use crate::spread::Spread;

/// What the device could do, and the head of the table.
pub fn head(device: Option<&Device>, limits: Option<&Limits>, arguments: &Arguments) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    if let Some(device) = device {
        let _ = writeln!(text, "{}, {}", device.info().name, device.info().driver);
    }
    if let Some(limits) = limits {
        let mut row = |what: &str, unit: &str, Spread { median, least, greatest, .. }: &Spread| {
            let _ = writeln!(text, "  {what:<46}{median:>10.3} {unit} ({least:.3} to {greatest:.3})");
        };
        let size = limits.copied_bytes >> 20;
        row("a dispatch that waits for the one before it", "µs  ", &limits.dispatch_us);
        row(&format!("copies of {size} MiB, read and written"), "GB/s", &limits.copy_gb_per_s);
        row(&format!("a kernel that copies {size} MiB"), "GB/s", &limits.kernel_copy_gb_per_s);
        row("256 constraints in a workgroup, and its barrier", "µs  ", &limits.phase_us);
    }
    if arguments.quick {
        let _ = writeln!(text, "a quick run: sizes are smaller than the names say");
    }
    let _ = writeln!(
        text,
        "\n{:<40}{:>11}{:>12}{:>7}{:>11}{:>24}{:>11}{:>11}{:>12}  {:<26}{:>8}  checksum",
        "case",
        "particles",
        "constraints",
        "sweeps",
        "ms",
        "(least to greatest)",
        "record µs",
        "wall ms",
        "G solves/s",
        "limit, ms",
        "ratio"
    );
    text
}

/// A case.
pub fn row(outcome: &CaseOutcome) -> String {
    let name = outcome.name;
    match &outcome.numbers {
        Numbers::TooLarge { too_large } => format!("{name:<40}{too_large}\n"),
        Numbers::Measured(numbers) => measured(name, numbers),
    }
}

fn measured(name: &str, numbers: &MeasuredNumbers) -> String {
    let MeasuredNumbers { particles, constraints, sweeps, gpu_ms, record_us, wall_ms, limit, ratio, .. } = numbers;
    let Spread { median, least, greatest, .. } = gpu_ms.as_ref().unwrap_or(wall_ms);
    let spread = format!("({least:.4} to {greatest:.4})");
    let record = record_us.as_ref().map_or_else(|| "-".to_string(), |record| format!("{:.1}", record.median));
    let solves = numbers.solves_per_s.map_or_else(|| "-".to_string(), |solves| format!("{:.4}", solves / 1e9));
    let limit = limit.as_ref().map_or_else(
        || "-".to_string(),
        |limit| match limit.by {
            LimitKind::Dispatches => {
                format!("{:.4} of {} dispatches", limit.ms, numbers.dispatches.unwrap_or_default())
            }
            LimitKind::Bytes => format!("{:.4} of {:.1} MB", limit.ms, numbers.bytes.unwrap_or_default() as f64 / 1e6),
        },
    );
    let ratio = ratio.map_or_else(|| "-".to_string(), |ratio| format!("{ratio:.2}"));
    let mut text = format!(
        "{name:<40}{particles:>11}{constraints:>12}{sweeps:>7}{median:>11.4}{spread:>24}{record:>11}{:>11.4}{solves:>12}  \
         {limit:<26}{ratio:>8}  {}{}{}\n",
        wall_ms.median,
        numbers.checksum,
        if numbers.reproducible { "" } else { ", another in each repetition" },
        if numbers.finite { "" } else { ", not finite" },
    );
    if let Some(StrainOutcome { after, rms, max }) = &numbers.strain {
        let _ = writeln!(text, "  strain after {after:.2} s: {rms:.6} rms, {max:.6} at most");
    }
    text
}
