//! What a guard knows of its run, for another process to go on with the run as this one would.

use super::state_file::{Fields, put};
use super::{State, StateMismatch};
use crate::layout::Look;

/// What a guard knows of its run after a step: where it may go back to, and with how long steps it goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardMemory {
    pub(super) step: u64,
    pub(super) last_look: u64,
    pub(super) looks: u64,
    pub(super) clean: Option<(u64, f64, Look)>,
    pub(super) is_told: bool,
    pub(super) factor: u32,
    pub(super) returned: f64,
    pub(super) bases: Vec<(u64, State)>,
    /// States that are kept besides, oldest first.
    pub(super) kept: Vec<(u64, State)>,
}

impl GuardMemory {
    /// How many steps the run has come to, less those that it has gone back.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// How many times as many substeps as the scene's a step has.
    #[must_use]
    pub fn factor(&self) -> u32 {
        self.factor
    }

    /// Whether a guard whose steps can have `most_factor` times as many substeps can have come to this, for a body that states fit by
    /// `check`.
    pub(super) fn check(
        &self,
        goes_back: bool,
        most_factor: u32,
        check: impl Fn(&State) -> Result<(), StateMismatch>,
    ) -> Result<(), StateMismatch> {
        let mut steps = self.bases.iter().chain(&self.kept).map(|(step, _)| *step);
        let fits = self.factor.is_power_of_two()
            && self.factor <= most_factor
            && self.bases.is_empty() != goes_back
            && self.returned.is_finite()
            && self.last_look <= self.step
            && steps.all(|step| step <= self.step);
        if !fits {
            return Err(StateMismatch::Lists);
        }
        self.bases.iter().chain(&self.kept).try_for_each(|(_, state)| check(state))
    }

    /// As bytes, without a checksum.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (clean_step, clean_time, clean) = self.clean.unwrap_or_default();
        put(&mut bytes, &[self.step, self.last_look, self.looks, clean_step]);
        put(&mut bytes, &[self.returned, clean_time]);
        put(&mut bytes, &[self.is_told.into(), self.clean.is_some().into(), self.factor]);
        put(&mut bytes, &[clean]);
        for states in [&self.bases, &self.kept] {
            put(&mut bytes, &[states.len() as u64]);
            for (step, state) in states {
                let state = state.to_bytes();
                put(&mut bytes, &[*step, state.len() as u64]);
                bytes.extend(state);
            }
        }
        bytes
    }

    /// What [`GuardMemory::to_bytes`] has written; none where that is damaged.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let [step, last_look, looks, clean_step] = fields.number().ok()?;
        let [returned, clean_time]: [f64; 2] = fields.number().ok()?;
        let [is_told, has_clean, factor]: [u32; 3] = fields.number().ok()?;
        let clean: Look = fields.number().ok()?;
        let mut states = || {
            let count: u64 = fields.number().ok()?;
            let state = |_| {
                let [step, length]: [u64; 2] = fields.number().ok()?;
                Some((step, State::from_bytes(fields.0.split_off(..usize::try_from(length).ok()?)?).ok()?))
            };
            // Each takes bytes, so that a count that lies ends where they do.
            (0..count).map(state).collect::<Option<Vec<_>>>()
        };
        let (bases, kept) = (states()?, states()?);
        let clean = (has_clean != 0).then_some((clean_step, clean_time, clean));
        let is_told = is_told != 0;
        let memory = Self { step, last_look, looks, clean, is_told, factor, returned, bases, kept };
        fields.0.is_empty().then_some(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> GuardMemory {
        let state = |time: f64| State { time, positions: vec![glam::Vec3::X; 2], ..State::default() };
        GuardMemory {
            step: 21,
            last_look: 20,
            looks: 5,
            clean: Some((20, 0.1 + 0.2, Look { speed: 3.5, ..Look::default() })),
            is_told: true,
            factor: 4,
            returned: 0.25,
            bases: vec![(0, state(0.0)), (9, state(0.15))],
            kept: vec![(17, state(0.3))],
        }
    }

    #[test]
    fn a_memory_comes_back_and_what_is_torn_is_none() {
        let alone = GuardMemory { clean: None, bases: Vec::new(), kept: Vec::new(), ..memory() };
        for memory in [memory(), alone] {
            let bytes = memory.to_bytes();
            assert_eq!(GuardMemory::from_bytes(&bytes), Some(memory));
            for length in 0..bytes.len() {
                assert_eq!(GuardMemory::from_bytes(&bytes[..length]), None, "{length} bytes of {}", bytes.len());
            }
            assert_eq!(GuardMemory::from_bytes(&[&bytes[..], &[0]].concat()), None);
        }
        let mut bytes = memory().to_bytes();
        // The count of the bases, behind four whole numbers, two times, three flags and a look.
        let place = 4 * 8 + 2 * 8 + 3 * 4 + size_of::<Look>();
        bytes[place..place + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(GuardMemory::from_bytes(&bytes), None);
    }

    #[test]
    fn what_no_guard_can_have_come_to_is_refused() {
        let checked = |memory: GuardMemory, goes_back| memory.check(goes_back, 8, |_| Ok(()));
        assert_eq!(checked(memory(), true), Ok(()));
        assert_eq!(checked(GuardMemory { bases: Vec::new(), ..memory() }, false), Ok(()));
        for wrong in [
            GuardMemory { factor: 0, ..memory() },
            GuardMemory { factor: 3, ..memory() },
            GuardMemory { factor: 16, ..memory() },
            GuardMemory { bases: Vec::new(), ..memory() },
            GuardMemory { returned: f64::NAN, ..memory() },
            GuardMemory { last_look: 22, ..memory() },
            GuardMemory { step: 16, last_look: 16, ..memory() },
        ] {
            assert_eq!(checked(wrong.clone(), true), Err(StateMismatch::Lists), "{wrong:?}");
        }
        assert_eq!(checked(memory(), false), Err(StateMismatch::Lists));
        let never = |_: &State| Err(StateMismatch::Shape);
        assert_eq!(memory().check(true, 8, never), Err(StateMismatch::Shape));
    }
}
