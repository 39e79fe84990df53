//! Guards a run on the CPU alone.

use std::collections::VecDeque;

use super::CpuSimulation;
use crate::layout::Look;
use crate::solver::judge::Judge;
use crate::solver::kept_states::KEPT;
use crate::solver::watched_springs::WatchedSprings;
use crate::solver::{GuardMemory, Return, State, StateMismatch, Verdict, WatchPolicy, WatchSettings};

/// As [`Guard`](crate::solver::Guard), of a run on the CPU: what it finds is known at once.
pub struct CpuGuard {
    judge: Judge,
    springs: WatchedSprings,
    kept: VecDeque<(u64, State)>,
}

impl CpuGuard {
    /// Guards a run that starts with `simulation`, whose steps can have `most_factor` times as many substeps.
    #[must_use]
    pub fn new(simulation: &mut CpuSimulation, settings: WatchSettings, most_factor: u32) -> Self {
        simulation.sleep_below(settings.sleep_speed);
        let (body, start) = (simulation.body(), settings.may_go_back());
        let start = start.then(|| simulation.state());
        let springs = WatchedSprings::of(body, simulation.constraint_counts().0 > 0);
        let judge = Judge::new(settings, simulation.step(), body, (springs.list.len(), 1), most_factor, start);
        Self { judge, springs, kept: VecDeque::new() }
    }

    /// Goes on with another simulation, which has come to where the run goes back.
    pub fn resume(&mut self, simulation: &mut CpuSimulation) {
        simulation.sleep_below(self.judge.settings().sleep_speed);
    }

    /// Looks at a simulation after a step, where that is due, the `last` of a run or of a frame that is kept; and says what the run
    /// is to do. Where it goes back or on otherwise, another simulation takes over from the state that is returned, with
    /// [`CpuGuard::resume`].
    pub fn look(&mut self, simulation: &mut CpuSimulation, last: bool) -> Verdict {
        let due = self.judge.advance(last, simulation.sleep(), (simulation.time(), simulation.step()));
        if !due.look {
            return Verdict::Good;
        }
        let (step, time) = (self.judge.step, simulation.time());
        let look = simulation.look(&self.springs);
        simulation.sleep_mut().take_in(time, &look);
        if let Some(alarm) = self.judge.take_in((step, time, look), simulation.body()) {
            return match self.judge.settings().policy {
                WatchPolicy::Pause => Verdict::Stop(alarm),
                WatchPolicy::Recover => match self.go_back() {
                    Some(to) => Verdict::GoBack(alarm, to),
                    None => Verdict::Stop(alarm),
                },
                WatchPolicy::Off | WatchPolicy::Warn => Verdict::Tell(alarm),
            };
        }
        if self.judge.may_relax() {
            self.kept.clear();
            return Verdict::Relax(self.judge.relax(simulation.state()));
        }
        if due.keep {
            if self.kept.len() == KEPT {
                self.kept.pop_front();
            }
            self.kept.push_back((step, simulation.state()));
        }
        Verdict::Good
    }

    /// As [`Guard::memory`](crate::solver::Guard::memory).
    #[must_use]
    pub fn memory(&self) -> GuardMemory {
        self.judge.memory(self.kept.iter().cloned().collect())
    }

    /// As [`Guard::recall`](crate::solver::Guard::recall).
    ///
    /// # Errors
    /// As there.
    pub fn recall(&mut self, memory: GuardMemory, simulation: &CpuSimulation) -> Result<(), StateMismatch> {
        self.kept = self.judge.recall(memory, |state| simulation.check(state))?.into();
        Ok(())
    }

    fn go_back(&mut self) -> Option<Return> {
        let vouched = self.judge.vouched(self.kept.iter().map(|(step, _)| *step));
        let kept = self.kept.drain(..).find(|(step, _)| Some(*step) == vouched);
        self.judge.go_back(kept)
    }

    /// Of how many steps one is looked at.
    #[must_use]
    pub fn every(&self) -> u64 {
        self.judge.every()
    }

    /// How many steps the run has come to, less those that it has gone back.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.judge.step
    }

    /// The greatest of what all looks have found.
    #[must_use]
    pub fn greatest(&self) -> &Look {
        self.judge.greatest()
    }
}
