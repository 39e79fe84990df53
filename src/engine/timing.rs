//! Timestamps: one at the start of a recording and one after each run of calls of one pass, so that the passes add up
//! to the whole.

use std::sync::Arc;

use ash::vk;

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
    /// Its passes, in order of their first call.
    pub passes: Vec<PassTiming>,
    /// From its first command to the end of its last \[ns\].
    pub gpu_ns: u64,
}

/// The timestamps of one frame in flight.
pub(super) struct Timestamps {
    device: Device,
    name: String,
    pool: vk::QueryPool,
    capacity: u32,
    written: u32,
    /// Pass and number of calls behind each timestamp after the first.
    runs: Vec<(Arc<str>, u32)>,
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
        Ok(Some(Self { device, name, pool, capacity: Self::FIRST_CAPACITY, written: 0, runs: Vec::new() }))
    }

    fn pool(device: &Device, name: &str, capacity: u32) -> Result<vk::QueryPool> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(capacity);
        // SAFETY: the device is alive.
        let pool = unsafe { device.raw().create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        device.name(pool, name);
        Ok(pool)
    }

    /// Starts a recording; the frame's last one must have finished and been read.
    pub(super) fn begin(&mut self, commands: vk::CommandBuffer) -> Result<()> {
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
        // SAFETY: the command buffer is recording outside a render pass and the pool is not in use.
        unsafe { self.device.raw().cmd_reset_query_pool(commands, self.pool, 0, self.capacity) };
        self.write(commands);
        Ok(())
    }

    /// Ends a run of `calls` calls of the pass `name`.
    pub(super) fn end_run(&mut self, commands: vk::CommandBuffer, name: &Arc<str>, calls: u32) {
        self.runs.push((name.clone(), calls));
        self.write(commands);
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

    /// Reads the timings of a recording that has finished; `None` where it went untimed.
    pub(super) fn read(&self) -> Result<Option<FrameTiming>> {
        if self.written == 0 || self.written > self.capacity {
            return Ok(None);
        }
        let mut ticks = vec![0_u64; self.written as usize];
        // SAFETY: the recording that wrote these queries has finished.
        unsafe { self.device.raw().get_query_pool_results(self.pool, 0, &mut ticks, vk::QueryResultFlags::TYPE_64) }
            .call("vkGetQueryPoolResults")?;
        let period = f64::from(self.device.limits().timestamp_period);
        Ok(Some(telescope(&ticks, self.device.timestamp_valid_bits(), period, &self.runs)))
    }
}

impl Drop for Timestamps {
    fn drop(&mut self) {
        // SAFETY: the frame that owns the timestamps has waited for its last recording.
        unsafe { self.device.raw().destroy_query_pool(self.pool, None) };
    }
}

/// Turns timestamps into durations: run `i` lies between tick `i` and tick `i + 1`, of which `valid_bits` count.
fn telescope(ticks: &[u64], valid_bits: u32, period: f64, runs: &[(Arc<str>, u32)]) -> FrameTiming {
    let mask = if valid_bits >= 64 { u64::MAX } else { (1 << valid_bits) - 1 };
    let between = |from: u64, to: u64| ((to.wrapping_sub(from) & mask) as f64 * period).round() as u64;
    let mut timing = FrameTiming::default();
    for ((name, calls), pair) in runs.iter().zip(ticks.windows(2)) {
        let gpu_ns = between(pair[0], pair[1]);
        timing.gpu_ns += gpu_ns;
        match timing.passes.iter_mut().find(|pass| pass.name == *name) {
            Some(pass) => {
                pass.calls += calls;
                pass.gpu_ns += gpu_ns;
            }
            None => timing.passes.push(PassTiming { name: name.clone(), calls: *calls, gpu_ns }),
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
        let timing = telescope(&[240, 250, 4, 10], 8, 2.0, &runs);
        let pass = |name: &str, calls, gpu_ns| PassTiming { name: name.into(), calls, gpu_ns };
        assert_eq!(timing.passes, [pass("predict", 2, 20 + 12), pass("solve", 8, 20)]);
        assert_eq!(timing.gpu_ns, 52);
    }

    #[test]
    fn a_counter_of_64_bits_is_not_masked() {
        let timing = telescope(&[u64::MAX - 4, 5], 64, 1.0, &[("solve".into(), 1)]);
        assert_eq!(timing.gpu_ns, 10);
    }
}
