//! Guards a run on a device: looks at it, takes in what was found without waiting, and says what is to be done.

use std::collections::VecDeque;

use super::judge::Judge;
use super::kept_states::KeptStates;
use super::{
    GuardMemory, LookPlace, Return, Simulation, State, StateMismatch, Verdict, Watch, WatchPolicy, WatchSettings,
};
use crate::engine::{self, Device, Recorder, Staging};
use crate::layout::Look;

/// Guards one run, also while other simulations take over from the one that it began with.
///
/// After each step [`Guard::look`] records what is due, and [`Guard::close`] at the end of each recording how it is read back.
/// [`Guard::check`] takes in what recordings have found that are done.
pub struct Guard {
    device: Device,
    judge: Judge,
    /// None where nobody looks.
    watch: Option<Watch>,
    kept: KeptStates,
    /// Of the recording in progress.
    open: Vec<Recorded>,
    /// Recordings whose looks have not been taken in, oldest first.
    closed: VecDeque<Batch>,
    /// To be read back to.
    free: Vec<Staging>,
}

/// A look that was recorded after so many steps.
type Recorded = (u64, f64, LookPlace);

/// The looks of one recording, or of a part of it.
struct Batch {
    /// None where no look has to be read back.
    staging: Option<Staging>,
    looks: Vec<Recorded>,
    /// Whether it is the last of its recording.
    ends: bool,
}

impl Guard {
    /// Guards a run that starts with `simulation`, whose steps can have `most_factor` times as many substeps.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(
        device: &Device,
        simulation: &mut Simulation,
        settings: WatchSettings,
        most_factor: u32,
    ) -> engine::Result<Self> {
        simulation.sleep_below(settings.sleep_speed);
        let start = settings.may_go_back().then(|| simulation.state()).transpose()?;
        let (body, passes) = (simulation.body(), simulation.passes());
        let dispatches = passes.iter().map(|(_, calls)| calls).sum();
        let watch = settings.looks().then(|| Watch::new(device, simulation)).transpose()?;
        let counts = (watch.as_ref().map_or(0, Watch::spring_count), dispatches);
        Ok(Self {
            device: device.clone(),
            judge: Judge::new(settings, simulation.step(), body, counts, most_factor, start),
            watch,
            kept: KeptStates::new(device),
            open: Vec::new(),
            closed: VecDeque::new(),
            free: Vec::new(),
        })
    }

    /// Records what is due after a step that was recorded just now, the `last` of a run or of a frame that is kept; that one is
    /// always looked at.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn look(&mut self, recorder: &mut Recorder<'_>, simulation: &mut Simulation, last: bool) -> engine::Result<()> {
        let due = self.judge.advance(last, simulation.sleep(), (simulation.time(), simulation.step()));
        let Some(watch) = self.watch.as_mut().filter(|_| due.look) else {
            return Ok(());
        };
        let place = watch.record(recorder, simulation)?;
        self.open.push((self.judge.step, simulation.time(), place));
        if due.keep {
            self.kept.record(recorder, simulation, self.judge.step)?;
        }
        // Before a slot is used again.
        if self.open.len() == Watch::SLOTS { self.end_batch(recorder, false) } else { Ok(()) }
    }

    /// Records that the looks of this recording are read back.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn close(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.end_batch(recorder, true)
    }

    fn end_batch(&mut self, recorder: &mut Recorder<'_>, ends: bool) -> engine::Result<()> {
        let looks = std::mem::take(&mut self.open);
        let staging = match &self.watch {
            Some(watch) if !looks.is_empty() => match self.free.pop() {
                Some(staging) => Some(staging),
                None => watch.staging(&self.device)?,
            },
            _ => None,
        };
        if let (Some(watch), Some(staging)) = (&self.watch, &staging) {
            watch.download(recorder, staging)?;
        }
        self.closed.push_back(Batch { staging, looks, ends });
        Ok(())
    }

    /// Takes in the looks of all recordings that were closed and submitted but the last `in_flight`, and says what the run is to
    /// do. It waits only for a recording that is not done. What is said to be gone back to has to be [`Guard::resume`]d.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn check(&mut self, simulation: &mut Simulation, in_flight: usize) -> engine::Result<Verdict> {
        let mut told = None;
        while self.closed.iter().filter(|batch| batch.ends).count() > in_flight {
            let Some(batch) = self.closed.pop_front() else { break };
            let read = match (&self.watch, &batch.staging) {
                (Some(watch), Some(staging)) => watch.read(staging)?,
                _ => Vec::new(),
            };
            self.free.extend(batch.staging);
            for (step, time, place) in batch.looks {
                let look = match place {
                    LookPlace::Slot(slot) => read[slot],
                    LookPlace::Known(look) => look,
                };
                simulation.sleep_mut().take_in(time, &look);
                let Some(alarm) = self.judge.take_in((step, time, look), simulation.body()) else { continue };
                match self.judge.settings().policy {
                    WatchPolicy::Off | WatchPolicy::Warn => told = told.or(Some(alarm)),
                    WatchPolicy::Pause => return Ok(Verdict::Stop(alarm)),
                    WatchPolicy::Recover => {
                        return Ok(match self.go_back(simulation)? {
                            Some(to) => Verdict::GoBack(alarm, to),
                            None => Verdict::Stop(alarm),
                        });
                    }
                }
            }
        }
        if let Some(alarm) = told {
            return Ok(Verdict::Tell(alarm));
        }
        if self.judge.may_relax() {
            self.forget();
            let state = simulation.state()?;
            if state.is_finite() {
                return Ok(Verdict::Relax(self.judge.relax(state)));
            }
        }
        Ok(Verdict::Good)
    }

    fn go_back(&mut self, simulation: &Simulation) -> engine::Result<Option<Return>> {
        let kept = self.judge.vouched(self.kept.steps());
        let kept = kept.map(|step| Ok((step, self.kept.read(step, simulation)?)));
        let kept: Option<(u64, State)> = kept.transpose()?;
        Ok(self.judge.go_back(kept).inspect(|_| self.forget()))
    }

    /// Forgets what has been recorded and not been taken in.
    fn forget(&mut self) {
        self.kept.forget();
        self.open.clear();
        let staging = self.closed.drain(..).filter_map(|batch| batch.staging);
        self.free.extend(staging);
    }

    /// Goes on with another simulation, which has come to where the one before was, or to where the run goes back.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn resume(&mut self, simulation: &mut Simulation) -> engine::Result<()> {
        simulation.sleep_below(self.settings().sleep_speed);
        self.forget();
        self.free.clear();
        if self.watch.is_some() {
            self.watch = Some(Watch::new(&self.device, simulation)?);
        }
        Ok(())
    }

    /// What is known of the run, which another guard of the same run can [`Guard::recall`]. All looks have to be taken in.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn memory(&self, simulation: &Simulation) -> engine::Result<GuardMemory> {
        let kept = self.kept.steps().map(|step| Ok((step, self.kept.read(step, simulation)?)));
        Ok(self.judge.memory(kept.collect::<engine::Result<_>>()?))
    }

    /// Goes on with what another guard of the same run knew of it, with a `simulation` that has come to there.
    ///
    /// # Errors
    /// [`StateMismatch`] where it was of another run.
    pub fn recall(&mut self, memory: GuardMemory, simulation: &Simulation) -> Result<(), StateMismatch> {
        self.forget();
        let kept = self.judge.recall(memory, |state| simulation.check(state))?;
        self.kept.recall(kept);
        Ok(())
    }

    /// What the run is watched for.
    #[must_use]
    pub fn settings(&self) -> WatchSettings {
        self.judge.settings()
    }

    /// Whether steps are shorter than the scene's at the moment, since the run has gone back.
    #[must_use]
    pub fn is_retrying(&self) -> bool {
        self.judge.is_retrying()
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
