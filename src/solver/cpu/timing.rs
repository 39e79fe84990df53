//! Wall time of passes on the CPU.

use std::time::{Duration, Instant};

/// Wall time of one pass, summed over its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuPassTiming {
    /// Name of the pass, the same as that of the kernel.
    pub name: &'static str,
    /// How many times it was called.
    pub calls: u32,
    /// Time it took.
    pub time: Duration,
}

/// Wall time of the passes of one or several steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuTiming {
    /// Its passes, in order of their first call.
    pub passes: Vec<CpuPassTiming>,
}

impl CpuTiming {
    /// Time of all passes together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.passes.iter().map(|pass| pass.time).sum()
    }

    /// Adds a call of the pass `name`.
    pub(super) fn measure(&mut self, name: &'static str, call: impl FnOnce()) {
        let start = Instant::now();
        call();
        let time = start.elapsed();
        match self.passes.iter_mut().find(|pass| pass.name == name) {
            Some(pass) => {
                pass.calls += 1;
                pass.time += time;
            }
            None => self.passes.push(CpuPassTiming { name, calls: 1, time }),
        }
    }
}
