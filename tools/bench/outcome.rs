//! What was measured, as it is written as JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use tautline::engine::Device;
use tautline::model::Strain;

use crate::arguments::Arguments;
use crate::backend::Backend;
use crate::cases::Case;
use crate::limits::Limits;
use crate::measure::{Measured, Measurement, Repetition};
use crate::spread::Spread;
use crate::timestamps::Timestamps;

#[derive(Serialize)]
pub struct Outcome {
    pub version: &'static str,
    pub quick: bool,
    /// What --set has changed in all scenes.
    pub settings: BTreeMap<String, String>,
    /// None where no case needs one.
    pub device: Option<DeviceOutcome>,
    /// Of cases on the CPU.
    pub threads: usize,
    pub limits: Option<Limits>,
    pub cases: Vec<CaseOutcome>,
    pub timestamps: Option<Timestamps>,
}

#[derive(Serialize)]
pub struct DeviceOutcome {
    name: String,
    driver: String,
    #[serde(rename = "type")]
    device_type: String,
    api_version: String,
}

impl From<&Device> for DeviceOutcome {
    fn from(device: &Device) -> Self {
        let info = device.info();
        Self {
            name: info.name.clone(),
            driver: info.driver.clone(),
            device_type: info.device_type.to_string(),
            api_version: info.api_version.clone(),
        }
    }
}

#[derive(Serialize)]
pub struct CaseOutcome {
    pub name: &'static str,
    pub backend: Backend,
    /// Of each repetition.
    pub frames: u32,
    #[serde(flatten)]
    pub numbers: Numbers,
}

#[derive(Serialize)]
#[serde(untagged)]
pub enum Numbers {
    Measured(Box<MeasuredNumbers>),
    TooLarge {
        /// Why the device cannot hold it.
        too_large: String,
    },
}

#[derive(Serialize)]
pub struct MeasuredNumbers {
    pub particles: usize,
    pub constraints: usize,
    /// How often a frame goes over all constraints; of springs, its substeps.
    pub sweeps: u32,
    /// None on the CPU.
    pub dispatches: Option<u32>,
    /// None where a pass is not known.
    pub bytes: Option<u64>,
    /// Whole frames on the device \[ms\]; none on the CPU.
    pub gpu_ms: Option<Spread>,
    /// Recording and submitting \[µs\]; none on the CPU.
    pub record_us: Option<Spread>,
    /// From the end of a frame to that of the next \[ms\].
    pub wall_ms: Spread,
    /// By the time on the device, or else on the wall; none without constraints.
    pub solves_per_s: Option<f64>,
    /// What a frame cannot be faster than with as many dispatches, or bytes from memory.
    pub limit: Option<Limit>,
    /// The time on the device over that of the limit.
    pub ratio: Option<f64>,
    /// Of the structural springs at the end of a repetition, where the case asks for it.
    pub strain: Option<StrainOutcome>,
    /// XXH3, 64 bits, of x, y and z of the particles at the end of a repetition.
    pub checksum: String,
    /// Whether all repetitions ended in the same bits.
    pub reproducible: bool,
    /// Whether all particles were at finite places at the end of each.
    pub finite: bool,
}

#[derive(Serialize)]
pub struct Limit {
    pub by: LimitKind,
    pub ms: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitKind {
    /// As many dispatches that wait for each other.
    Dispatches,
    /// As many bytes at the bandwidth of memory.
    Bytes,
}

#[derive(Serialize)]
pub struct StrainOutcome {
    /// Simulated time \[s\].
    pub after: f64,
    pub rms: f64,
    pub max: f64,
}

impl CaseOutcome {
    pub fn new(case: &Case, arguments: &Arguments, measured: Measured, limits: Option<&Limits>) -> Self {
        let numbers = match measured {
            Measured::TooLarge(too_large) => Numbers::TooLarge { too_large },
            Measured::Done(measurement) => Numbers::Measured(Box::new(MeasuredNumbers::of(&measurement, limits))),
        };
        Self { name: case.name, backend: case.backend, frames: case.frame_count(arguments), numbers }
    }
}

impl MeasuredNumbers {
    fn of(measurement: &Measurement, limits: Option<&Limits>) -> Self {
        let Measurement {
            particles,
            constraints,
            step,
            dispatches,
            bytes,
            repetitions,
            end_time,
            checksums,
            finite,
            strain,
        } = measurement;
        let all = |value: fn(&Repetition) -> Option<f64>| -> Option<Spread> {
            Spread::of(repetitions.iter().map(value).collect::<Option<_>>()?)
        };
        let sweeps = if *constraints == 0 { step.substeps } else { step.substeps * step.iterations };
        let gpu_ms = all(|repetition| repetition.gpu_ms);
        let wall_ms = all(|repetition| Some(repetition.wall_ms)).expect("there are repetitions, each with a time");
        let time_ms = gpu_ms.as_ref().unwrap_or(&wall_ms).median;
        let solves = *constraints as f64 * f64::from(sweeps);
        let limit = limits.zip(*dispatches).map(|(limits, dispatches)| Limit::of(limits, dispatches, *bytes));
        let ratio = limit.as_ref().zip(gpu_ms.as_ref()).map(|(limit, gpu_ms)| gpu_ms.median / limit.ms);
        Self {
            particles: *particles,
            constraints: *constraints,
            sweeps,
            dispatches: *dispatches,
            bytes: *bytes,
            record_us: all(|repetition| repetition.record_us),
            solves_per_s: (solves > 0.0).then(|| solves / (time_ms / 1e3)),
            gpu_ms,
            wall_ms,
            limit,
            ratio,
            strain: strain.map(|Strain { rms, max }| StrainOutcome { after: *end_time, rms, max }),
            checksum: format!("{:016x}", checksums.last().copied().unwrap_or_default()),
            reproducible: checksums.windows(2).all(|pair| pair[0] == pair[1]),
            finite: *finite,
        }
    }
}

impl Limit {
    /// The larger of both.
    fn of(limits: &Limits, dispatches: u32, bytes: Option<u64>) -> Self {
        let of_dispatches =
            Self { by: LimitKind::Dispatches, ms: f64::from(dispatches) * limits.dispatch_us.median / 1e3 };
        let of_bytes = bytes.map(|bytes| Self { by: LimitKind::Bytes, ms: 1e3 * bytes as f64 / limits.bandwidth() });
        match of_bytes {
            Some(of_bytes) if of_bytes.ms > of_dispatches.ms => of_bytes,
            _ => of_dispatches,
        }
    }
}
