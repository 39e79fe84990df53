//! The time of each pass in each frame, as a table for spreadsheets and plots.

use std::io;
use std::path::Path;

use serde::Serialize;
use tautline::engine::FrameTiming;
use tautline::io::{WriteError, write_atomically};
use tautline::solver::CpuTiming;

/// A pass in a frame.
#[derive(Serialize)]
struct Row<'a> {
    /// From 1.
    frame: usize,
    processor: &'static str,
    pass: &'a str,
    calls: u32,
    us: f64,
}

/// Writes the passes of frames on the GPU, and of those in which steps ran on the CPU, whole or not at all.
pub fn write(path: &Path, gpu: &[Option<FrameTiming>], cpu: &[CpuTiming]) -> Result<(), WriteError> {
    write_atomically(path, |file| {
        let mut table = csv::Writer::from_writer(file);
        for (frame, timing) in (1..).zip(cpu) {
            for pass in &timing.passes {
                let (calls, us) = (pass.calls, pass.time.as_secs_f64() * 1e6);
                table
                    .serialize(Row { frame, processor: "cpu", pass: pass.name, calls, us })
                    .map_err(io::Error::other)?;
            }
        }
        for (frame, timing) in (1..).zip(gpu) {
            for pass in timing.iter().flat_map(|timing| &timing.passes) {
                let (calls, us) = (pass.calls, pass.gpu_ns as f64 / 1e3);
                table
                    .serialize(Row { frame, processor: "gpu", pass: &pass.name, calls, us })
                    .map_err(io::Error::other)?;
            }
        }
        table.flush()
    })
}
