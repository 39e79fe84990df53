//! What a simulation is watched for, and what is done where it goes wrong.

use crate::layout::Look;

/// What is done where a simulation goes wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WatchPolicy {
    /// Nobody minds.
    Off,
    /// It is said, and goes on.
    #[default]
    Warn,
    /// It is said, and time stands still.
    Pause,
    /// It goes back to the last good state and on from there with half the step.
    Recover,
}

impl WatchPolicy {
    /// The word for it in scenes and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Pause => "pause",
            Self::Recover => "recover",
        }
    }
}

/// Beyond what a simulation has gone wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WatchSettings {
    /// What is done then.
    pub policy: WatchPolicy,
    /// Greatest strain of structural springs, 1 for twice their length.
    pub most_strain: f32,
    /// Greatest speed \[m/s\].
    pub most_speed: f32,
    /// How deep a particle may be inside a collider \[m\]; none for any depth.
    pub most_depth: Option<f32>,
    /// Steps from one look to the next; 0 for as few as cost less than 2 % of them.
    pub every: u32,
    /// Speed below which a body that keeps below it for a second falls asleep \[m/s\]; 0 for never. It takes looks, whatever the
    /// policy.
    pub sleep_speed: f32,
}

/// What is wrong, from the worst on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// A particle has a place or a velocity that is no number.
    NotFinite,
    /// A structural spring is too long.
    Strain,
    /// A particle is too fast.
    Speed,
    /// A particle is too deep in a collider.
    Depth,
}

impl WatchSettings {
    /// Whether anybody looks.
    #[must_use]
    pub fn looks(&self) -> bool {
        self.policy != WatchPolicy::Off || self.sleep_speed > 0.0
    }

    /// Whether a run may go back to where it has been.
    #[must_use]
    pub fn may_go_back(&self) -> bool {
        self.policy == WatchPolicy::Recover
    }

    /// What is wrong with a look, the worst of it; none where nothing is, or nobody wants to know.
    #[must_use]
    pub fn wrong(&self, look: &Look) -> Option<Wrong> {
        if self.policy == WatchPolicy::Off {
            return None;
        }
        if look.non_finite_count > 0 {
            return Some(Wrong::NotFinite);
        }
        let is_deep = self.most_depth.is_some_and(|most| look.depth > most);
        let found = [
            (look.strain > self.most_strain, Wrong::Strain),
            (look.speed > self.most_speed, Wrong::Speed),
            (is_deep, Wrong::Depth),
        ];
        found.into_iter().find_map(|(is_wrong, wrong)| is_wrong.then_some(wrong))
    }
}
