//! What the CPU and the device did when, on one time line, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
//!
//! Source: "Trace Event Format", complete events.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};
use tautline::engine::{FrameTiming, RunTiming, Timeline};
use tautline::io::{WriteError, write_atomically};
use tautline::solver::CpuRunTiming;

/// Of more events no program makes a picture that one can read.
const MOST_EVENTS: usize = 1_000_000;

/// A row of the time line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Row {
    Cpu = 1,
    Device = 2,
}

/// Something that took a while.
#[derive(Serialize)]
struct Event {
    name: String,
    ph: &'static str,
    /// When it began \[µs\].
    ts: f64,
    /// How long it took \[µs\].
    dur: f64,
    pid: u32,
    tid: u32,
    #[serde(skip_serializing_if = "Value::is_null")]
    args: Value,
}

/// The time line so far.
pub struct TimelineRecord {
    device: Option<String>,
    origin: Instant,
    events: Vec<Event>,
    frames: u64,
    /// The largest by which a frame of the device may be misplaced; none where the device's clock cannot be read.
    deviation: Option<Duration>,
}

impl TimelineRecord {
    /// Of what happens from here on, on the CPU and a device.
    pub fn begin(device: Option<&str>) -> Self {
        let (origin, deviation) = (Instant::now(), Some(Duration::ZERO));
        Self { device: device.map(str::to_string), origin, events: Vec::new(), frames: 0, deviation }
    }

    /// What the CPU did from `start` until now.
    pub fn cpu(&mut self, name: &str, start: Instant) {
        self.add(Row::Cpu, name.to_string(), start, start.elapsed(), Value::Null);
    }

    /// The passes of steps on the CPU.
    pub fn cpu_passes(&mut self, runs: &[CpuRunTiming]) {
        for CpuRunTiming { name, calls, start, time } in runs {
            self.add(Row::Cpu, (*name).to_string(), *start, *time, json!({ "calls": calls }));
        }
    }

    /// The passes of a frame on the device, which was submitted at `submitted`. Where the device's clock cannot be read, they are
    /// drawn from there on, though they began later.
    pub fn device(&mut self, timing: &FrameTiming, submitted: Instant) {
        let Some(Timeline { start, deviation, runs }) = &timing.timeline else {
            return;
        };
        self.deviation = self.deviation.filter(|_| start.is_some()).map(|largest| largest.max(*deviation));
        let start = start.unwrap_or(submitted);
        self.frames += 1;
        let of = |ns: u64| Duration::from_nanos(ns);
        self.add(Row::Device, format!("frame {}", self.frames), start, of(timing.gpu_ns), Value::Null);
        for RunTiming { name, calls, start_ns, gpu_ns } in runs {
            let begin = start + of(*start_ns);
            self.add(Row::Device, name.to_string(), begin, of(*gpu_ns), json!({ "calls": calls }));
        }
    }

    fn add(&mut self, row: Row, name: String, start: Instant, took: Duration, args: Value) {
        if self.events.len() < MOST_EVENTS {
            let ts = match start.checked_duration_since(self.origin) {
                Some(since) => since.as_secs_f64() * 1e6,
                None => -(self.origin - start).as_secs_f64() * 1e6,
            };
            self.events.push(Event { name, ph: "X", ts, dur: took.as_secs_f64() * 1e6, pid: 1, tid: row as u32, args });
        }
    }

    /// Writes it, whole or not at all, and says what it holds.
    pub fn write(&self, path: &Path) -> Result<String, WriteError> {
        let names = |(row, name): (Row, &str)| json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": row as u32, "args": { "name": name } });
        let rows = [(Row::Cpu, "CPU")].into_iter().chain(self.device.as_deref().map(|name| (Row::Device, name)));
        let mut events: Vec<Value> = rows.map(names).collect();
        events.push(json!({ "name": "process_name", "ph": "M", "pid": 1, "args": { "name": "tautline" } }));
        write_atomically(path, |file| {
            let events = events.iter().map(serde_json::to_string).chain(self.events.iter().map(serde_json::to_string));
            file.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
            for (index, event) in events.enumerate() {
                if index > 0 {
                    file.write_all(b",\n")?;
                }
                file.write_all(event?.as_bytes())?;
            }
            file.write_all(b"\n]}\n")
        })?;
        let kept = if self.events.len() < MOST_EVENTS { "" } else { ", which is as much as it keeps" };
        let placed = match (self.device.is_some(), self.deviation) {
            (false, _) => String::new(),
            (true, Some(deviation)) => format!(", the device's placed to {:.1} us", deviation.as_secs_f64() * 1e6),
            (true, None) => ", the device's from when they were submitted, as its clock cannot be read".to_string(),
        };
        Ok(format!("wrote {} ({} events{kept}{placed})", path.display(), self.events.len()))
    }
}
