//! Which states of a simulation are the pictures of a video.

use std::fmt;
use std::time::Duration;

/// A video shows the state after every so many whole steps, about 60 a second, and no state between two steps.
/// It plays as many a second as that gives, and so simulated time at its true speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Steps from one picture to the next.
    pub steps: u32,
    /// Pictures in 1000 s.
    rate: u32,
}

impl Pace {
    /// For steps of `dt` \[s\].
    pub fn of(dt: f32) -> Self {
        let dt = f64::from(dt);
        let steps = (1.0 / (60.0 * dt)).round().max(1.0);
        Self { steps: steps as u32, rate: (1000.0 / (steps * dt)).round() as u32 }
    }

    /// How long so many pictures are shown.
    pub fn duration(self, pictures: u64) -> Duration {
        Duration::from_secs(1000).mul_f64(pictures as f64 / f64::from(self.rate))
    }
}

/// As ffmpeg takes it, a fraction.
impl fmt::Display for Pace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/1000", self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_video_lasts_as_long_as_what_it_shows() {
        for (dt, steps, rate) in [
            (1.0 / 60.0, 1, "60000/1000"),
            (1.0 / 120.0, 2, "60000/1000"),
            (1.0 / 480.0, 8, "60000/1000"),
            (1.0 / 30.0, 1, "30000/1000"),
            (0.01, 2, "50000/1000"),
            (0.001, 17, "58824/1000"),
            (1.0, 1, "1000/1000"),
        ] {
            let pace = Pace::of(dt);
            assert_eq!((pace.steps, pace.to_string().as_str()), (steps, rate), "{dt}");
            // A minute of pictures is a minute of steps, but for the rate's last place.
            let pictures = (60.0 / (f64::from(dt) * f64::from(steps))).round();
            let seconds = pace.duration(pictures as u64).as_secs_f64();
            assert!((seconds - pictures * f64::from(dt) * f64::from(steps)).abs() < 60.0 * 1e-5, "{dt}: {seconds} s");
        }
    }
}
