//! Timestamps: one at the start of a recording and one after each run of calls of one pass, so that the passes add up
//! to the whole; or, where only the whole is wanted, one at its start and one at its end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk;

use super::calibration::Moment;
use super::device::Device;
use super::error::{Call, Result};

/// GPU time of one pass in one recording, summed over its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassTiming {
    /// Name of the pass.
    pub name: Arc<str>,
    /// How many times it was called.
    pub calls: u32,
    /// Time it took, with the barriers before its calls \[ns\].
    pub gpu_ns: u64,
}

/// GPU time of one recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameTiming {
    /// Its passes, in order of their first call; none where only the whole was timed.
    pub passes: Vec<PassTiming>,
    /// From its first command to the end of its last \[ns\].
    pub gpu_ns: u64,
    /// When each pass ran, where that was asked for with [`Frames::keep_timelines`](super::Frames::keep_timelines).
    pub timeline: Option<Timeline>,
}

/// When the passes of one recording ran, beside the clock of the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// When its first command began; none where the device's clock cannot be read.
    pub start: Option<Instant>,
    /// By how much that may be wrong, as it took so long to read both clocks.
    pub deviation: Duration,
    /// Calls of one pass that follow each other, in order.
    pub runs: Vec<RunTiming>,
}

/// GPU time of calls of one pass that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTiming {
    /// Name of the pass.
    pub name: Arc<str>,
    /// How many calls.
    pub calls: u32,
    /// From the recording's first command to the end of what was before them \[ns\].
    pub start_ns: u64,
    /// Time they took, with the barriers before each of them \[ns\].
    pub gpu_ns: u64,
}

/// What of a recording is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timed {
    /// Each run of calls of a pass, by a timestamp after it.
    Passes,
    /// The whole, by one at its start and one at its end.
    Whole,
    Nothing,
}

/// Where in the timestamps of a frame the next one goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Of the pool, which tells pools apart, as each is larger than the one before it.
    capacity: u32,
    written: u32,
}

/// The timestamps of one frame in flight.
pub(super) struct Timestamps {
    device: Device,
    name: String,
    pool: vk::QueryPool,
    capacity: u32,
    written: u32,
    timed: Timed,
    /// Pass and number of calls behind each timestamp after the first.
    runs: Vec<(Arc<str>, u32)>,
    /// What was read last, kept so that the next one takes no memory.
    ticks: Vec<u64>,
}

impl Timestamps {
    const FIRST_CAPACITY: u32 = 256;

    /// `None` where the device's queue has no timestamps.
    pub(super) fn new(device: &Device, name: String) -> Result<Option<Self>> {
        if device.timestamp_valid_bits() == 0 {
            return Ok(None);
        }
        let pool = Self::pool(device, &name, Self::FIRST_CAPACITY)?;
        let device = device.clone();
        let capacity = Self::FIRST_CAPACITY;
        let (timed, runs, ticks) = (Timed::Passes, Vec::new(), Vec::new());
        Ok(Some(Self { device, name, pool, capacity, written: 0, timed, runs, ticks }))
    }

    fn pool(device: &Device, name: &str, capacity: u32) -> Result<vk::QueryPool> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(capacity);
        // SAFETY: the device is alive.
        let pool = unsafe { device.raw().create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        device.name(pool, name);
        Ok(pool)
    }

    /// Starts a recording; the frame's last one must have finished and been read.
    pub(super) fn begin(&mut self, commands: vk::CommandBuffer, timed: Timed) -> Result<()> {
        let wanted = self.runs.len() as u32 + 1;
        if wanted > self.capacity {
            let larger = wanted.next_power_of_two();
            let pool = Self::pool(&self.device, &self.name, larger)?;
            // SAFETY: the recording that used the old pool has finished.
            unsafe { self.device.raw().destroy_query_pool(self.pool, None) };
            (self.pool, self.capacity) = (pool, larger);
        }
        self.runs.clear();
        self.written = 0;
        self.timed = timed;
        if timed == Timed::Nothing {
            return Ok(());
        }
        // SAFETY: the command buffer is recording outside a render pass and the pool is not in use.
        unsafe { self.device.raw().cmd_reset_query_pool(commands, self.pool, 0, self.capacity) };
        self.write(commands);
        Ok(())
    }

    /// Where the next run ends, if runs are timed.
    pub(super) fn place(&self) -> Option<Place> {
        (self.timed == Timed::Passes).then_some(Place { capacity: self.capacity, written: self.written })
    }

    /// Pass and number of calls of each run so far.
    pub(super) fn runs(&self) -> &[(Arc<str>, u32)] {
        &self.runs
    }

    /// Goes past runs whose ends were recorded before.
    pub(super) fn go_past(&mut self, runs: &[(Arc<str>, u32)]) {
        self.runs.extend_from_slice(runs);
        self.written += runs.len() as u32;
    }

    /// Ends a run of `calls` calls of the pass `name`.
    pub(super) fn end_run(&mut self, commands: vk::CommandBuffer, name: &Arc<str>, calls: u32) {
        if self.timed == Timed::Passes {
            self.runs.push((name.clone(), calls));
            self.write(commands);
        }
    }

    /// Ends the recording.
    pub(super) fn end(&mut self, commands: vk::CommandBuffer) {
        if self.timed == Timed::Whole {
            self.write(commands);
        }
    }

    fn write(&mut self, commands: vk::CommandBuffer) {
        // A recording with more passes than the pool has room for goes untimed; `begin` makes room for the next.
        if self.written < self.capacity {
            let stage = vk::PipelineStageFlags2::ALL_COMMANDS;
            // SAFETY: the query was reset at the start of this recording and is written once.
            unsafe { self.device.raw().cmd_write_timestamp2(commands, stage, self.pool, self.written) };
        }
        self.written += 1;
    }

    /// Whether the recording had more passes than there was room for.
    pub(super) fn has_missed(&self) -> bool {
        self.written > self.capacity
    }

    /// Reads the timings of a recording that has finished, with its time line where it is kept; `None` where it went untimed.
    pub(super) fn read(&mut self, keeps_timeline: bool) -> Result<Option<FrameTiming>> {
        if self.written == 0 || self.has_missed() {
            return Ok(None);
        }
        let mut ticks = std::mem::take(&mut self.ticks);
        ticks.resize(self.written as usize, 0);
        // SAFETY: the recording that wrote these queries has finished.
        unsafe { self.device.raw().get_query_pool_results(self.pool, 0, &mut ticks, vk::QueryResultFlags::TYPE_64) }
            .call("vkGetQueryPoolResults")?;
        let period = f64::from(self.device.limits().timestamp_period);
        let bits = self.device.timestamp_valid_bits();
        let runs = telescope(&ticks, bits, period, &self.runs);
        let mut timing = sum(&runs);
        if self.timed == Timed::Whole {
            timing.gpu_ns = between(ticks[0], ticks[1], bits, period);
        }
        if keeps_timeline {
            let moment = Moment::now(&self.device)?;
            let since =
                moment.map(|moment| (moment, Duration::from_nanos(between(ticks[0], moment.ticks, bits, period))));
            timing.timeline = Some(Timeline {
                start: since.and_then(|(moment, since)| moment.instant.checked_sub(since)),
                deviation: moment.map_or(Duration::ZERO, |moment| moment.deviation),
                runs,
            });
        }
        self.ticks = ticks;
        Ok(Some(timing))
    }
}

impl Drop for Timestamps {
    fn drop(&mut self) {
        // SAFETY: the frame that owns the timestamps has waited for its last recording.
        unsafe { self.device.raw().destroy_query_pool(self.pool, None) };
    }
}

/// Time from one tick to a later one \[ns\], of which `valid_bits` count, each tick of `period` \[ns\].
fn between(from: u64, to: u64, valid_bits: u32, period: f64) -> u64 {
    let mask = if valid_bits >= 64 { u64::MAX } else { (1 << valid_bits) - 1 };
    ((to.wrapping_sub(from) & mask) as f64 * period).round() as u64
}

/// Turns timestamps into durations: run `i` lies between tick `i` and tick `i + 1`.
fn telescope(ticks: &[u64], valid_bits: u32, period: f64, runs: &[(Arc<str>, u32)]) -> Vec<RunTiming> {
    let mut start_ns = 0;
    let run = |((name, calls), pair): (&(Arc<str>, u32), &[u64])| {
        let gpu_ns = between(pair[0], pair[1], valid_bits, period);
        let run = RunTiming { name: name.clone(), calls: *calls, start_ns, gpu_ns };
        start_ns += gpu_ns;
        run
    };
    runs.iter().zip(ticks.windows(2)).map(run).collect()
}

/// Adds the runs of each pass up.
fn sum(runs: &[RunTiming]) -> FrameTiming {
    let mut timing = FrameTiming::default();
    for RunTiming { name, calls, gpu_ns, .. } in runs {
        timing.gpu_ns += gpu_ns;
        match timing.passes.iter_mut().find(|pass| pass.name == *name) {
            Some(pass) => {
                pass.calls += calls;
                pass.gpu_ns += gpu_ns;
            }
            None => timing.passes.push(PassTiming { name: name.clone(), calls: *calls, gpu_ns: *gpu_ns }),
        }
    }
    timing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_add_up_to_the_frame_across_a_wrap() {
        let runs: Vec<(Arc<str>, u32)> = vec![("predict".into(), 1), ("solve".into(), 8), ("predict".into(), 1)];
        // A counter of 8 bits that wraps between the second and the third timestamp; one tick is 2 ns.
        let runs = telescope(&[240, 250, 4, 10], 8, 2.0, &runs);
        assert_eq!(
            runs.iter().map(|run| (run.start_ns, run.gpu_ns)).collect::<Vec<_>>(),
            [(0, 20), (20, 20), (40, 12)]
        );
        let timing = sum(&runs);
        let pass = |name: &str, calls, gpu_ns| PassTiming { name: name.into(), calls, gpu_ns };
        assert_eq!(timing.passes, [pass("predict", 2, 20 + 12), pass("solve", 8, 20)]);
        assert_eq!(timing.gpu_ns, 52);
    }

    #[test]
    fn a_counter_of_64_bits_is_not_masked() {
        let runs = telescope(&[u64::MAX - 4, 5], 64, 1.0, &[("solve".into(), 1)]);
        assert_eq!(sum(&runs).gpu_ns, 10);
    }
}
