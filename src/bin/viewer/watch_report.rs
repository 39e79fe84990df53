//! What looks at the steps of a run have found, for its report.

use serde::Serialize;
use tautline::layout::Look;
use tautline::scene::Watching;

/// What was watched for, and what was found over all steps that were looked at.
#[derive(Debug, Serialize)]
pub struct WatchReport {
    policy: &'static str,
    /// Of how many steps one was looked at.
    every: u64,
    max_strain: f32,
    /// \[m/s\]
    max_speed: f32,
    /// Of all constraints, as a share of their rest length.
    max_error: f32,
    /// In a collider \[m\].
    max_depth: f32,
    /// Most particles that were not finite at a time.
    non_finite: u32,
    /// Steps that the body has slept through.
    slept: u64,
    /// What was said.
    alarms: Vec<String>,
    /// Why the run was stopped, if it was.
    pub stopped: Option<String>,
}

impl WatchReport {
    /// None where nobody has looked; `slept` says how many steps the body has slept through.
    pub fn of(watching: &Watching, greatest: &Look, every: u64, slept: u64) -> Option<Self> {
        let settings = watching.settings();
        if !settings.looks() {
            return None;
        }
        Some(Self {
            policy: settings.policy.name(),
            every,
            max_strain: greatest.strain,
            max_speed: greatest.speed,
            max_error: greatest.error,
            max_depth: greatest.depth,
            non_finite: greatest.non_finite_count,
            slept,
            alarms: watching.alarms().to_vec(),
            stopped: watching.stopped().map(str::to_string),
        })
    }

    /// The line of the report for a person.
    pub fn line(&self) -> String {
        let Self { every, max_strain, max_speed, max_error, max_depth, slept, .. } = self;
        let steps = match every {
            1 => "in all steps".into(),
            _ => format!("in one of {every} steps and the last"),
        };
        let asleep = if *slept > 0 { format!("; asleep in {slept} steps") } else { String::new() };
        format!(
            "{steps}, at most: strain {max_strain:.4}, speed {max_speed:.4} m/s, constraint error {max_error:.4}, depth \
             in colliders {max_depth:.6} m{asleep}\n"
        )
    }
}
