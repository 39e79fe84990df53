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

/// Wall time of calls of one pass that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuRunTiming {
    /// Name of the pass.
    pub name: &'static str,
    /// How many calls.
    pub calls: u32,
    /// When the first began.
    pub start: Instant,
    /// From then to the end of the last.
    pub time: Duration,
}

/// Wall time of the passes of one or several steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuTiming {
    /// Its passes, in order of their first call.
    pub passes: Vec<CpuPassTiming>,
    /// When they ran, in order.
    pub runs: Vec<CpuRunTiming>,
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
        match self.runs.last_mut().filter(|run| run.name == name) {
            Some(run) => {
                run.calls += 1;
                run.time = start + time - run.start;
            }
            None => self.runs.push(CpuRunTiming { name, calls: 1, start, time }),
        }
    }
}
