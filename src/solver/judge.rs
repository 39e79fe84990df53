//! Decides what the looks at a run mean, wherever it runs: what is told, where it goes back to, and with how long a step it goes on.

use super::sleep::Sleep;
use super::{Alarm, GuardMemory, State, StateMismatch, Step, WatchSettings, steps_between_looks};
use crate::layout::Look;
use crate::model::Body;

/// How many looks lie between two states that are kept.
const LOOKS_TO_A_STATE: u64 = 8;
/// For how long nothing may be wrong before steps are as long as the scene's again \[s\].
const CALM: f64 = 1.0;

/// What a run is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Go on.
    Good,
    /// Say what is wrong, and go on.
    Tell(Alarm),
    /// Say what is wrong, and stop. Where going back would have been the way, it was of no use.
    Stop(Alarm),
    /// Say what is wrong, and go on from an earlier state.
    GoBack(Alarm, Return),
    /// Say that nothing has been wrong for a while, and go on with the scene's steps.
    Relax(Return),
}

/// From where a run goes on, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Return {
    /// After how many steps of the run the state is.
    pub step: u64,
    /// The state.
    pub state: State,
    /// How many times as many substeps as the scene's a step has from there on.
    pub factor: u32,
}

/// What is known of a run from the looks at it, in order.
pub(super) struct Judge {
    settings: WatchSettings,
    every: u64,
    most_factor: u32,
    /// Steps of the run so far.
    pub(super) step: u64,
    last_look: u64,
    looks: u64,
    /// The last look with nothing wrong, and when it was.
    clean: Option<(u64, f64, Look)>,
    /// Whether what the last look found has been told.
    is_told: bool,
    greatest: Look,
    factor: u32,
    /// When the run last went back \[s\].
    returned: f64,
    /// States that the run has gone on from, each later than the one before it.
    bases: Vec<(u64, State)>,
}

/// What of a step has to be recorded beside it.
pub(super) struct Due {
    pub(super) look: bool,
    pub(super) keep: bool,
}

impl Judge {
    /// Of a run that starts from a state, which only who may go back needs; `most_factor` says how many times as many substeps
    /// a step can have.
    pub(super) fn new(
        settings: WatchSettings,
        step: &Step,
        body: &Body,
        (springs, dispatches): (usize, u32),
        most_factor: u32,
        start: Option<State>,
    ) -> Self {
        let every = match settings.every {
            0 => steps_between_looks(step, body.positions().len(), springs, dispatches),
            every => every.into(),
        };
        Self {
            settings,
            every,
            most_factor,
            step: 0,
            last_look: 0,
            looks: 0,
            clean: None,
            is_told: false,
            greatest: Look::default(),
            factor: 1,
            returned: start.as_ref().map_or(0.0, |start| start.time),
            bases: start.map(|start| (0, start)).into_iter().collect(),
        }
    }

    /// What is known so far, beside the states that are kept.
    pub(super) fn memory(&self, kept: Vec<(u64, State)>) -> GuardMemory {
        let Self { step, last_look, looks, clean, is_told, factor, returned, .. } = *self;
        let bases = self.bases.clone();
        GuardMemory { step, last_look, looks, clean, is_told, factor, returned, bases, kept }
    }

    /// Goes on with what was known elsewhere, of a run that states fit by `check`; and returns the states that were kept.
    pub(super) fn recall(
        &mut self,
        memory: GuardMemory,
        check: impl Fn(&State) -> Result<(), StateMismatch>,
    ) -> Result<Vec<(u64, State)>, StateMismatch> {
        memory.check(self.may_go_back(), self.most_factor, check)?;
        (self.step, self.last_look, self.looks) = (memory.step, memory.last_look, memory.looks);
        (self.clean, self.is_told, self.returned) = (memory.clean, memory.is_told, memory.returned);
        (self.factor, self.bases) = (memory.factor, memory.bases);
        Ok(memory.kept)
    }

    pub(super) fn settings(&self) -> WatchSettings {
        self.settings
    }

    /// Steps from one look to the next.
    pub(super) fn every(&self) -> u64 {
        self.every
    }

    /// The greatest of what all looks have found.
    pub(super) fn greatest(&self) -> &Look {
        &self.greatest
    }

    pub(super) fn may_go_back(&self) -> bool {
        self.settings.may_go_back()
    }

    /// Counts a step that ended at `time` \[s\], and says what it needs. The `last` one is always looked at, and of the others
    /// those that the body has slept through never are.
    pub(super) fn advance(&mut self, last: bool, sleep: &Sleep, (time, step): (f64, &Step)) -> Due {
        self.step += 1;
        let is_due =
            || !sleep.is_asleep() && (self.step >= self.last_look + self.every || sleep.wants_look(time, step));
        let look = self.settings.looks() && (last || is_due());
        if look {
            self.last_look = self.step;
            self.looks += 1;
        }
        Due { look, keep: look && self.may_go_back() && self.looks % LOOKS_TO_A_STATE == 1 }
    }

    /// Takes in what a look after `step` steps has found; and the alarm, where something is wrong that was not before.
    pub(super) fn take_in(&mut self, (step, time, look): (u64, f64, Look), body: &Body) -> Option<Alarm> {
        let wrong = self.settings.wrong(&look);
        if wrong.is_none() || !self.may_go_back() {
            raise(&mut self.greatest, &look);
        }
        let Some(wrong) = wrong else {
            self.clean = Some((step, time, look));
            self.is_told = false;
            return None;
        };
        if std::mem::replace(&mut self.is_told, true) {
            return None;
        }
        let before = self.clean.map(|(_, time, look)| (time, look));
        Some(Alarm::new(wrong, (step, time, look), body.springs(), before, self.settings))
    }

    /// Of the steps after which states are kept, in ascending order, the last one for which a later look vouches.
    pub(super) fn vouched(&self, kept: impl DoubleEndedIterator<Item = u64>) -> Option<u64> {
        let (clean, ..) = self.clean?;
        kept.rev().find(|&step| step < clean)
    }

    /// Where to go back to from what is wrong, given the last good state that is kept since the run went back before; none where
    /// that is of no use.
    pub(super) fn go_back(&mut self, kept: Option<(u64, State)>) -> Option<Return> {
        if self.factor >= self.most_factor {
            return None;
        }
        match kept {
            Some(kept) => self.bases.push(kept),
            // What it went on from was no good either; how it started is all that there is before the first.
            None if self.factor > 1 && self.bases.len() > 1 => drop(self.bases.pop()),
            None => {}
        }
        let (step, state) = self.bases.last()?.clone();
        self.factor *= 2;
        Some(self.return_to(step, state))
    }

    pub(super) fn is_retrying(&self) -> bool {
        self.factor > 1
    }

    /// Whether steps may be as long as the scene's again, at `time` \[s\].
    pub(super) fn may_relax(&self) -> bool {
        let since = self.clean.map_or(0.0, |(_, time, _)| time - self.returned);
        self.is_retrying() && !self.is_told && since >= CALM
    }

    /// Goes on with the scene's steps from a state after the steps so far.
    pub(super) fn relax(&mut self, state: State) -> Return {
        self.factor = 1;
        // What came before is past.
        self.bases = vec![(self.step, state.clone())];
        self.return_to(self.step, state)
    }

    fn return_to(&mut self, step: u64, state: State) -> Return {
        (self.step, self.last_look, self.looks) = (step, step, 0);
        (self.clean, self.is_told, self.returned) = (None, false, state.time);
        Return { step, state, factor: self.factor }
    }
}

/// Raises the greatest values to those of a look.
fn raise(greatest: &mut Look, look: &Look) {
    if look.strain > greatest.strain {
        (greatest.strain, greatest.strain_spring) = (look.strain, look.strain_spring);
    }
    if look.speed > greatest.speed {
        (greatest.speed, greatest.speed_particle) = (look.speed, look.speed_particle);
    }
    if look.depth > greatest.depth {
        (greatest.depth, greatest.depth_particle) = (look.depth, look.depth_particle);
    }
    if look.error > greatest.error {
        (greatest.error, greatest.error_spring) = (look.error, look.error_spring);
    }
    greatest.non_finite_count = greatest.non_finite_count.max(look.non_finite_count);
    greatest.first_non_finite = greatest.first_non_finite.min(look.first_non_finite);
}
