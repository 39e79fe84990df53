//! What the device itself could do: the cost of a dispatch that waits for the one before it, the bandwidth of its memory,
//! and the cost of a colour phase inside a workgroup.

use anyhow::{Context, Result};
use serde::Serialize;
use tautline::engine::{self, Buffer, Device, DeviceType, Error, Frames, Kernel, Recorder};
use tautline::glam::Vec4;
use tautline::shaders;

use crate::arguments::Arguments;
use crate::spread::Spread;

/// Dispatches, phases and copies in a recording, so many that its ends do not count.
const DISPATCHES: u32 = 1000;
const PHASES: u32 = 4096;
const COPIES: u32 = 4;
/// Particles in the ring of `glsl/bench/phases.comp`.
const RING: usize = 512;

#[derive(Debug, Serialize)]
pub struct Limits {
    /// A dispatch of one workgroup that waits for the one before it, with its barrier \[µs\].
    pub dispatch_us: Spread,
    /// Bytes of each of the two buffers between which is copied.
    pub copied_bytes: u64,
    /// Read and written by copies of buffers \[GB/s\].
    pub copy_gb_per_s: Spread,
    /// Read and written by a kernel that copies a vec4 an invocation \[GB/s\].
    pub kernel_copy_gb_per_s: Spread,
    /// The projection of 256 constraints in one workgroup's shared memory, with its barrier \[µs\].
    pub phase_us: Spread,
}

impl Limits {
    pub fn measure(device: &Device, arguments: &Arguments) -> Result<Self> {
        let repetitions = arguments.repetitions;
        let counters = Buffer::zeroed(device, "bench.counters", 64 * size_of::<u32>() as u64)?;
        let increment = Kernel::new(device, &shaders::BENCH_INCREMENT)?.bind(&[("Counters", (&counters).into())])?;
        let dispatches = time(device, repetitions, |recorder| {
            (0..DISPATCHES).try_for_each(|_| recorder.dispatch(&increment, &(), [64, 1, 1]))
        })?;

        let (source, target) = buffers(device, arguments.quick)?;
        let copies =
            time(device, repetitions, |recorder| (0..COPIES).try_for_each(|_| recorder.copy(&source, &target)))?;
        let copy = Kernel::new(device, &shaders::BENCH_COPY)?
            .bind(&[("Source", (&source).into()), ("Target", (&target).into())])?;
        let count = (source.size() / size_of::<Vec4>() as u64) as u32;
        let kernel_copies = time(device, repetitions, |recorder| {
            (0..COPIES).try_for_each(|_| recorder.dispatch(&copy, &count, [count, 1, 1]))
        })?;

        let ring = Buffer::from_slice(device, "bench.ring", &ring())?;
        let phases = Kernel::new(device, &shaders::BENCH_PHASES)?.bind(&[("Ring", (&ring).into())])?;
        let push = [PHASES, (0.9 * LINK).to_bits()];
        let phases = time(device, repetitions, |recorder| recorder.dispatch(&phases, &push, [RING as u32 / 2, 1, 1]))?;

        let each = |times: &[f64], count: u32| spread(times, |ns| ns / 1e3 / f64::from(count));
        // A byte that is copied is read and written, and a GB/s is a byte a ns.
        let bytes = 2.0 * f64::from(COPIES) * source.size() as f64;
        Ok(Self {
            dispatch_us: each(&dispatches, DISPATCHES)?,
            copied_bytes: source.size(),
            copy_gb_per_s: spread(&copies, |ns| bytes / ns)?,
            kernel_copy_gb_per_s: spread(&kernel_copies, |ns| bytes / ns)?,
            phase_us: each(&phases, PHASES)?,
        })
    }

    /// The bandwidth of memory \[bytes/s\]: that of the faster way to copy.
    pub fn bandwidth(&self) -> f64 {
        1e9 * self.copy_gb_per_s.median.max(self.kernel_copy_gb_per_s.median)
    }
}

/// Length of the links of the ring as it starts \[m\].
const LINK: f32 = 0.01;

/// Particles around a circle, each of 1 kg.
fn ring() -> Vec<Vec4> {
    let radius = LINK / (2.0 * (std::f32::consts::PI / RING as f32).sin());
    let angle = |index: usize| index as f32 / RING as f32 * std::f32::consts::TAU;
    (0..RING).map(|index| Vec4::new(radius * angle(index).cos(), radius * angle(index).sin(), 0.0, 1.0)).collect()
}

/// Two buffers that are large beside any cache: 1 GiB each, or as much of it as the device has and can dispatch over. Software
/// is slower, and its cache smaller. A quick run has an eighth of both.
fn buffers(device: &Device, quick: bool) -> engine::Result<(Buffer, Buffer)> {
    let limits = device.limits();
    let invocations = 256 * u64::from(limits.max_compute_work_group_count[0]);
    let most = u64::from(limits.max_storage_buffer_range).min(invocations * size_of::<Vec4>() as u64);
    let whole = if device.info().device_type == DeviceType::Cpu { 64 << 20 } else { 1 << 30 };
    let mut bytes = if quick { whole / 8 } else { whole };
    loop {
        let size = most.min(bytes) / size_of::<Vec4>() as u64 * size_of::<Vec4>() as u64;
        let pair = Buffer::zeroed(device, "bench.source", size)
            .and_then(|source| Ok((source, Buffer::zeroed(device, "bench.target", size)?)));
        match pair {
            Err(Error::OutOfMemory { .. }) if bytes > 1 << 20 => bytes /= 2,
            pair => return pair,
        }
    }
}

/// GPU time of a recording in each repetition \[ns\], after one that counts for none.
fn time(
    device: &Device,
    repetitions: u32,
    record: impl Fn(&mut Recorder<'_>) -> engine::Result<()>,
) -> Result<Vec<f64>> {
    let mut frames = Frames::new(device, 1)?;
    frames.time_whole_frames();
    for _ in 0..=repetitions {
        let mut recorder = frames.begin()?;
        record(&mut recorder)?;
        recorder.submit()?;
    }
    frames.finish()?;
    let times = frames.take_timings().skip(1);
    let times: Option<Vec<f64>> = times.map(|timing| Some(timing?.gpu_ns as f64)).collect();
    times.with_context(|| format!("the device '{}' has no timestamps, by which all is measured", device.info().name))
}

fn spread(times: &[f64], value: impl Fn(f64) -> f64) -> Result<Spread> {
    Spread::of(times.iter().map(|&ns| value(ns)).collect()).context("there are no repetitions")
}
