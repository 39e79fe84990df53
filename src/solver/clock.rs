//! Turns wall time into whole fixed steps.

use std::time::Duration;

/// Parts of a nanosecond that the clock counts in, a power of two: the bits of an `f32` of 1e-9 s or more end no lower.
const TICKS_PER_NANOSECOND: f64 = (1_u64 << 44) as f64;

/// An accumulator of simulated time that pays out whole steps.
///
/// It counts in integers. A step is exactly as long as its `f32` says (1/60 s is 16,666,667.5359... ns), so that nothing
/// drifts: how many steps a stretch of wall time holds does not depend on the frames that it was divided into. The same
/// simulated second is therefore the same number of steps, whatever the frame rate.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Duration of one step \[ticks\].
    step: u128,
    /// Simulated time that passes in a nanosecond of wall time \[ticks\].
    pace: u128,
    max_steps: u32,
    /// Simulated time that no step has been run for \[ticks\]: less than a step, where none waits.
    pending: u128,
    dropped: u64,
}

impl Clock {
    /// The largest time scale.
    pub const MAX_TIME_SCALE: f32 = 100.0;

    /// A clock for steps of `dt` \[s\], at most `max_steps` of them a frame, in which simulated time runs `time_scale`
    /// times as fast as wall time.
    ///
    /// # Panics
    /// Where `dt` is not from 1e-9 to 1, `max_steps` is 0, or as [`Clock::set_time_scale`].
    #[must_use]
    pub fn new(dt: f32, time_scale: f32, max_steps: u32) -> Self {
        assert!((1e-9..=1.0).contains(&dt), "a step of {dt} s");
        assert!(max_steps > 0, "no steps a frame");
        // Exact: `dt` has 24 significant bits, 1e9 has 21, and a power of two adds none.
        let step = (f64::from(dt) * 1e9 * TICKS_PER_NANOSECOND) as u128;
        let mut clock = Self { step, pace: 0, max_steps, pending: 0, dropped: 0 };
        clock.set_time_scale(time_scale);
        clock
    }

    /// Lets simulated time run `scale` times as fast as wall time from now on; 0 pauses. It is kept to 6e-14.
    ///
    /// # Panics
    /// Where `scale` is not from 0 to [`Clock::MAX_TIME_SCALE`].
    pub fn set_time_scale(&mut self, scale: f32) {
        assert!((0.0..=Self::MAX_TIME_SCALE).contains(&scale), "a time scale of {scale}");
        self.pace = (f64::from(scale) * TICKS_PER_NANOSECOND).round() as u128;
    }

    /// Lets `wall` time pass, and says how many steps the frame has to run. Whole steps beyond the most a frame may run
    /// are dropped, as catching up would make the next frame later still.
    #[must_use = "these steps are not offered again"]
    pub fn advance(&mut self, wall: Duration) -> u32 {
        self.advance_at_most(wall, u32::MAX)
    }

    /// As [`Clock::advance`] for a frame that can run no more than `most` steps; those beyond wait for the next one, up to as
    /// many as a frame may run.
    #[must_use = "these steps are not offered again"]
    pub fn advance_at_most(&mut self, wall: Duration, most: u32) -> u32 {
        // Saturates after five million years.
        self.pending = self.pending.saturating_add(wall.as_nanos().saturating_mul(self.pace));
        let due = self.pending / self.step;
        let offered = due.min(self.max_steps.into());
        self.dropped = self.dropped.saturating_add(u64::try_from(due - offered).unwrap_or(u64::MAX));
        let steps = offered.min(most.into());
        self.pending -= (due - offered + steps) * self.step;
        steps as u32
    }

    /// Share of the next step that has passed, in \[0, 1): what to draw lies so far from the state before the last step
    /// to the state after it, and stays there while a step waits.
    #[must_use]
    pub fn alpha(&self) -> f32 {
        let share = (self.pending as f64 / self.step as f64) as f32;
        // More where a step waits; and what is left to a whole one can be less than an `f32` shows.
        share.min(1.0 - f32::EPSILON / 2.0)
    }

    /// How many steps have been dropped.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Forgets the time that is pending and the steps that were dropped; the time scale stays.
    pub fn reset(&mut self) {
        self.pending = 0;
        self.dropped = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f32 = 1.0 / 60.0;

    /// Wall time of each of the frames that divide `seconds` into `rate` a second: whole nanoseconds that add up.
    fn frames(rate: u64, seconds: u64) -> impl Iterator<Item = Duration> {
        let end = move |frame: u64| Duration::from_nanos(frame * 1_000_000_000 / rate);
        (0..rate * seconds).map(move |frame| end(frame + 1) - end(frame))
    }

    fn steps(clock: &mut Clock, frames: impl Iterator<Item = Duration>) -> u32 {
        frames.map(|wall| clock.advance(wall)).sum()
    }

    #[test]
    fn every_frame_rate_runs_the_same_steps() {
        // The nearest f32 to 1/60 is longer than it by 5e-8 of itself: 600 of them do not fit into 10 s by half a
        // microsecond, and neither do 216,000 into an hour by 0.2 ms. 1/64 is exact, and nothing is left over.
        assert!(f64::from(DT) > 1.0 / 60.0);
        for (dt, seconds, wanted, left) in [
            (DT, 10, 599, 1.0 - 5.2e-7 * 60.0),
            (DT, 3600, 215_999, 1.0 - 1.877e-4 * 60.0),
            (1.0 / 64.0, 10, 640, 0.0),
            (1.0 / 64.0, 3600, 230_400, 0.0),
        ] {
            for rate in [24, 60, 144] {
                let mut clock = Clock::new(dt, 1.0, 8);
                assert_eq!(
                    steps(&mut clock, frames(rate, seconds)),
                    wanted,
                    "{seconds} s of {dt} s at {rate} a second"
                );
                assert!((clock.alpha() - left).abs() < 1e-5, "{} is left of {seconds} s, not {left}", clock.alpha());
                assert_eq!(clock.dropped(), 0);
            }
        }
    }

    #[test]
    fn a_stall_is_caught_up_to_the_clamp_and_the_rest_is_counted() {
        let mut clock = Clock::new(1.0 / 64.0, 1.0, 8);
        let half_a_step = Duration::from_secs(1) / 128;
        assert_eq!(clock.advance(half_a_step), 0);
        // 192 steps and the half that was pending.
        assert_eq!(clock.advance(Duration::from_secs(3)), 8);
        assert_eq!((clock.dropped(), clock.alpha()), (184, 0.5));
        assert_eq!(clock.advance(half_a_step), 1);
        assert_eq!(clock.dropped(), 184);
        clock.reset();
        assert_eq!((clock.dropped(), clock.alpha()), (0, 0.0));
        assert_eq!(clock.advance(Duration::MAX), 8);
        assert!(clock.dropped() > 1 << 60);
    }

    #[test]
    fn steps_that_a_frame_cannot_run_wait_for_the_next_and_the_picture_stands_still() {
        let mut clock = Clock::new(1.0 / 64.0, 1.0, 8);
        let steps = |count: u32| Duration::from_secs(1) / 64 * count;
        // Five are due, and three wait.
        assert_eq!(clock.advance_at_most(steps(5) + steps(1) / 2, 2), 2);
        for _ in 0..2 {
            assert_eq!((clock.advance_at_most(steps(1) / 4, 0), clock.dropped()), (0, 0));
            assert!(clock.alpha() > 0.999_999 && clock.alpha() < 1.0);
        }
        assert_eq!((clock.advance_at_most(Duration::ZERO, 8), clock.dropped()), (4, 0));
        assert_eq!(clock.alpha(), 0.0);
        // No more wait than a frame may run.
        assert_eq!((clock.advance_at_most(steps(20), 0), clock.dropped()), (0, 12));
        assert_eq!((clock.advance_at_most(steps(1), 3), clock.dropped()), (3, 13));
        assert_eq!((clock.advance(Duration::ZERO), clock.dropped()), (5, 13));
    }

    #[test]
    fn the_time_scale_slows_hastens_and_pauses() {
        for (scale, wanted) in [(0.0, 0), (0.5, 320), (1.0, 640), (2.0, 1280)] {
            let mut clock = Clock::new(1.0 / 64.0, scale, 8);
            assert_eq!(steps(&mut clock, frames(60, 10)), wanted, "scale {scale}");
        }
        let mut clock = Clock::new(1.0 / 64.0, 1.0, 8);
        assert_eq!(clock.advance(Duration::from_millis(25)), 1);
        clock.set_time_scale(0.0);
        assert_eq!(clock.advance(Duration::from_secs(3)), 0);
        assert_eq!((clock.dropped(), clock.alpha()), (0, 0.6));
        clock.set_time_scale(1.0);
        assert_eq!(clock.advance(Duration::from_millis(7)), 1);
    }

    #[test]
    fn alpha_stays_below_one_and_a_step_may_be_as_short_as_a_scene_allows() {
        let mut clock = Clock::new(1.0, 1.0, 1);
        assert_eq!(clock.advance(Duration::from_nanos(999_999_999)), 0);
        assert!((0.999..1.0).contains(&clock.alpha()), "{}", clock.alpha());
        // The nearest f32 to 1e-9 is smaller by 3e-8 of itself: 40 ms hold 40,000,001 of them.
        let mut clock = Clock::new(1e-9, 1.0, u32::MAX);
        assert_eq!(clock.advance(Duration::from_millis(40)), 40_000_001);
    }

    #[test]
    #[should_panic(expected = "a time scale of NaN")]
    fn a_time_scale_that_is_no_number_is_refused() {
        Clock::new(DT, f32::NAN, 8).set_time_scale(1.0);
    }
}
