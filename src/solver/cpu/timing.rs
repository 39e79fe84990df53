//! Wall time of passes on the CPU.

use std::time::{Duration, Instant};

/// Most runs that are kept, as nobody may ever ask for them.
const MOST_RUNS: usize = 1 << 14;

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
    /// When they ran, in order; the first 16,384 times.
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
        if self.runs.len() == MOST_RUNS {
            return;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_takes_piles_up_no_further() {
        let mut timing = CpuTiming::default();
        for _ in 0..MOST_RUNS {
            ["one", "one", "other"].into_iter().for_each(|name| timing.measure(name, || ()));
        }
        let calls: Vec<_> = timing.passes.iter().map(|pass| (pass.name, pass.calls as usize)).collect();
        assert_eq!(calls, [("one", 2 * MOST_RUNS), ("other", MOST_RUNS)]);
        assert_eq!(timing.runs.len(), MOST_RUNS);
        assert!(
            timing.runs.iter().zip([2, 1].iter().cycle()).take(MOST_RUNS - 1).all(|(run, calls)| run.calls == *calls)
        );
    }
}
