//! How a body that lies still falls asleep: from then on steps take no work, and it stays where it is to the bit, until
//! something acts on it.
//!
//! Looks find whether it lies still, and what they have found is known later, on a device. Each decision is made a fixed number
//! of steps after the look that it follows from, so that a body falls asleep in the same step however long those took.

use std::mem;

use glam::Vec3;

use super::{PbdSettings, Step};
use crate::layout::Look;

/// Steps after which a look counts: more than are recorded before anyone reads it.
const DELAY: f64 = 16.0;
/// For how long a body has to lie still \[s\]: longer than what swings rests where it turns.
const STILL: f64 = 1.0;

/// Whether a body sleeps, and since when it has lain still.
#[derive(Clone, Debug, Default)]
pub(super) struct Sleep {
    /// Below this speed a body lies still \[m/s\]; 0 where it never sleeps.
    speed: f32,
    rest: Rest,
    /// When it was last woken \[s\]: what looks have found by then is past.
    woken: f64,
    /// Steps that it has slept through since it began.
    slept: u64,
    is_gripped: bool,
    /// Of the last step.
    settings: Option<PbdSettings>,
    camera: Option<Vec3>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Rest {
    #[default]
    Moving,
    /// All looks since this time \[s\] have found it still.
    Still(f64),
    Asleep,
}

impl Sleep {
    /// Lets a body sleep that is slower than `speed` \[m/s\]; at 0, none.
    ///
    /// # Panics
    /// Where that is no speed.
    pub(super) fn set_speed(&mut self, speed: f32) {
        assert!(speed >= 0.0 && speed.is_finite(), "a speed, not {speed} m/s");
        self.speed = speed;
        if speed == 0.0 {
            self.rest = Rest::Moving;
        }
    }

    /// Whether the body ever sleeps.
    pub(super) fn is_on(&self) -> bool {
        self.speed > 0.0
    }

    pub(super) fn is_asleep(&self) -> bool {
        self.rest == Rest::Asleep
    }

    pub(super) fn steps_slept(&self) -> u64 {
        self.slept
    }

    /// Wakes it at `time` \[s\].
    pub(super) fn wake(&mut self, time: f64) {
        (self.rest, self.woken) = (Rest::Moving, time);
    }

    /// Begins anew at `time` \[s\], where the body may have been elsewhere before, and later.
    pub(super) fn begin_at(&mut self, time: f64) {
        self.wake(time);
        (self.slept, self.is_gripped) = (0, false);
    }

    /// Knows of a hand that pulls at the body from `time` \[s\] on, or none any more.
    pub(super) fn set_gripped(&mut self, is_gripped: bool, time: f64) {
        if is_gripped || self.is_gripped {
            self.wake(time);
        }
        self.is_gripped = is_gripped;
    }

    /// Knows where the camera is \[m\] that levels of detail follow.
    pub(super) fn set_camera(&mut self, camera: Vec3, time: f64) {
        if self.camera.replace(camera) != Some(camera) {
            self.wake(time);
        }
    }

    /// Begins the step that starts at `time` \[s\] with these settings, and says whether the body sleeps through it. `acts` says
    /// whether anything acts on the body from a start to an end \[s\] that does not always.
    pub(super) fn begin_step(
        &mut self,
        time: f64,
        step: &Step,
        settings: Option<PbdSettings>,
        acts: impl FnOnce(f64, f64) -> bool,
    ) -> bool {
        if !self.is_on() {
            return false;
        }
        let has_changed = mem::replace(&mut self.settings, settings) != settings;
        if has_changed || self.is_gripped || acts(time, time + f64::from(step.dt)) {
            self.wake(time);
        } else if let Rest::Still(since) = self.rest
            && steps_from(since, time, step) >= 2.0 * DELAY + (STILL / f64::from(step.dt)).ceil()
        {
            self.rest = Rest::Asleep;
        }
        self.slept += u64::from(self.is_asleep());
        self.is_asleep()
    }

    /// Whether the body at `time` \[s\] is to be looked at in each step, as it may be about to fall asleep: it could swing in
    /// time with looks that are further apart.
    pub(super) fn wants_look(&self, time: f64, step: &Step) -> bool {
        matches!(self.rest, Rest::Still(since) if steps_from(since, time, step) >= DELAY)
    }

    /// Takes in what a look after the step that ended at `time` \[s\] has found.
    pub(super) fn take_in(&mut self, time: f64, look: &Look) {
        if !self.is_on() || self.is_asleep() || time <= self.woken {
            return;
        }
        let is_still = look.non_finite_count == 0 && look.speed < self.speed;
        if !is_still {
            self.rest = Rest::Moving;
        } else if self.rest == Rest::Moving {
            self.rest = Rest::Still(time);
        }
    }
}

fn steps_from(start: f64, end: f64, step: &Step) -> f64 {
    ((end - start) / f64::from(step.dt)).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step = Step { dt: 0.0625, substeps: 1, iterations: 1, gravity: Vec3::ZERO };

    fn look(speed: f32) -> Look {
        Look { speed, ..Look::default() }
    }

    /// Runs steps, each of which is looked at where that is wanted or `every` steps anyway, and the look read `latency` steps
    /// later; `speed` says how fast the body is after each step, and `acts` what acts. Returns the steps slept through.
    fn slept(every: u64, latency: u64, steps: u64, speed: impl Fn(u64) -> f32, acts: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut sleep = Sleep::default();
        sleep.set_speed(0.01);
        let mut looks = std::collections::VecDeque::new();
        let mut slept = Vec::new();
        let time = |step: u64| step as f64 * f64::from(STEP.dt);
        for number in 0..steps {
            if sleep.begin_step(time(number), &STEP, None, |_, _| acts(number)) {
                slept.push(number);
            } else if (number + 1) % every == 0 || sleep.wants_look(time(number + 1), &STEP) {
                looks.push_back((number + 1, look(speed(number + 1))));
            }
            while let Some((of, found)) = looks.pop_front_if(|(of, _): &mut (u64, Look)| *of + latency <= number + 1) {
                sleep.take_in(time(of), &found);
            }
        }
        slept
    }

    #[test]
    fn what_lies_still_for_a_second_sleeps_from_a_step_on_that_no_latency_changes() {
        // The first look that finds it still is that after 40 steps: then 16 until it counts, a second of 16 steps, and 16.
        let expected: Vec<_> = (40 + 48..200).collect();
        for latency in [0, 1, 3, 16] {
            assert_eq!(slept(10, latency, 200, |step| if step < 35 { 1.0 } else { 0.001 }, |_| false), expected);
        }
    }

    #[test]
    fn what_swings_in_time_with_looks_stays_awake() {
        let swings = |step: u64| if step.is_multiple_of(10) { 0.001 } else { 1.0 };
        assert!(slept(10, 2, 500, swings, |_| false).is_empty());
    }

    #[test]
    fn what_acts_wakes_it_and_has_it_wait_anew() {
        let found = slept(10, 2, 300, |_| 0.001, |step| step == 100);
        let (before, after) = ((10 + 48..100), (110 + 48..300));
        assert_eq!(found, before.chain(after).collect::<Vec<_>>());
        assert!(slept(10, 2, 300, |_| 0.001, |_| true).is_empty());
    }

    #[test]
    fn what_was_found_before_it_was_woken_is_past() {
        let mut sleep = Sleep::default();
        sleep.set_speed(0.01);
        sleep.wake(1.0);
        sleep.take_in(1.0, &look(0.0));
        assert!(!sleep.wants_look(10.0, &STEP));
        sleep.take_in(1.0625, &look(0.0));
        assert!(sleep.wants_look(10.0, &STEP));
        sleep.take_in(1.125, &Look { non_finite_count: 1, ..look(0.0) });
        assert!(!sleep.wants_look(10.0, &STEP));
    }

    #[test]
    fn hands_settings_and_cameras_wake_it() {
        let asleep = || {
            let mut sleep = Sleep::default();
            sleep.set_speed(0.01);
            sleep.set_camera(Vec3::X, 0.0);
            assert!(!sleep.begin_step(0.0, &STEP, Some(PbdSettings::default()), |_, _| false));
            sleep.take_in(0.0625, &look(0.0));
            assert!(sleep.begin_step(5.0, &STEP, Some(PbdSettings::default()), |_, _| false));
            sleep
        };
        let mut sleep = asleep();
        sleep.set_gripped(false, 6.0);
        sleep.set_camera(Vec3::X, 6.0);
        assert!(sleep.is_asleep() && sleep.begin_step(6.0, &STEP, Some(PbdSettings::default()), |_, _| false));
        assert_eq!(sleep.steps_slept(), 2);
        sleep.set_camera(Vec3::Y, 6.0);
        assert!(!sleep.is_asleep());
        let mut sleep = asleep();
        sleep.set_speed(0.0);
        assert!(!sleep.begin_step(6.0, &STEP, Some(PbdSettings::default()), |_, _| false));
        assert!(!sleep.is_asleep(), "it is told never to sleep");
        let mut sleep = asleep();
        sleep.set_gripped(true, 6.0);
        assert!(!sleep.begin_step(6.0, &STEP, Some(PbdSettings::default()), |_, _| false));
        let mut sleep = asleep();
        assert!(
            !sleep.begin_step(6.0, &STEP, Some(PbdSettings { damping: 1.0, ..PbdSettings::default() }), |_, _| false)
        );
    }
}
