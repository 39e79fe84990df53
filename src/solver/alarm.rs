//! What is said of a simulation that has gone wrong: what, where, when, and what came before.

use std::fmt;

use super::{WatchSettings, Wrong};
use crate::layout::Look;
use crate::model::Spring;

/// A look that has found something wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// What is wrong.
    pub wrong: Wrong,
    /// After how many steps.
    pub step: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// What was found.
    pub look: Look,
    /// The particle, or the two that a spring joins.
    pub particles: Vec<u32>,
    /// The last look before, in which nothing was wrong, and its time \[s\].
    pub before: Option<(f64, Look)>,
    /// Beyond what it is wrong.
    pub settings: WatchSettings,
}

impl Alarm {
    /// The alarm of a look that is wrong, at a body of such `springs`.
    pub(super) fn new(
        wrong: Wrong,
        (step, time, look): (u64, f64, Look),
        springs: &[Spring],
        before: Option<(f64, Look)>,
        settings: WatchSettings,
    ) -> Self {
        let particles = match wrong {
            Wrong::NotFinite => vec![look.first_non_finite],
            Wrong::Strain => springs[look.strain_spring as usize].particles.to_vec(),
            Wrong::Speed => vec![look.speed_particle],
            Wrong::Depth => vec![look.depth_particle],
        };
        Self { wrong, step, time, look, particles, before, settings }
    }

    /// A sentence without its end, where `name` says what a person calls a particle.
    #[must_use]
    pub fn told(&self, name: impl Fn(u32) -> String) -> String {
        let Self { look, settings, .. } = self;
        let names: Vec<String> = self.particles.iter().map(|&particle| name(particle)).collect();
        let names = names.join(" and ");
        let what = match self.wrong {
            Wrong::NotFinite => {
                let count = look.non_finite_count;
                let [are, particles] = if count == 1 { ["is", "particle"] } else { ["are", "particles"] };
                format!("{count} {particles} {are} no longer finite, the first of them {names}")
            }
            Wrong::Strain => {
                let (strain, most) = (Percent(look.strain), Percent(settings.most_strain));
                format!("what joins {names} is {strain} longer than at rest (watch_strain lets {most} pass)")
            }
            Wrong::Speed => {
                format!("{names} goes at {} m/s (watch_speed lets {} m/s pass)", Short(look.speed), settings.most_speed)
            }
            Wrong::Depth => {
                let most = settings.most_depth.unwrap_or_default();
                format!("{names} is {:.4} m deep in a collider (watch_depth lets {most} m pass)", look.depth)
            }
        };
        let before = match &self.before {
            Some((time, look)) => format!(
                "; at {time:.3} s strain was {} at most, and speed {} m/s",
                Percent(look.strain),
                Short(look.speed)
            ),
            None => String::new(),
        };
        format!("at {:.3} s (step {}) {what}{before}", self.time, self.step)
    }
}

/// A share as a person reads it.
struct Percent(f32);

impl fmt::Display for Percent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} %", Short(100.0 * self.0))
    }
}

/// A number with about three digits, however large it is.
struct Short(f32);

impl fmt::Display for Short {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            value if value >= 1e6 => write!(formatter, "{value:.2e}"),
            value if value >= 100.0 => write!(formatter, "{value:.0}"),
            value => write!(formatter, "{value:.2}"),
        }
    }
}
