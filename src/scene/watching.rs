//! What is said of a run that is watched, in the words of its scene.

use super::Scene;
use crate::engine::{self, Device};
use crate::model::Body;
use crate::solver::{Alarm, CpuGuard, CpuSimulation, Guard, Return, Simulation, Verdict, WatchPolicy, WatchSettings};

/// What a run of a scene is watched for, and what has been said of it.
#[derive(Clone, Debug)]
pub struct Watching {
    scene: Scene,
    most_factor: u32,
    alarms: Vec<String>,
    stopped: Option<String>,
}

impl Watching {
    /// Of a run of `scene`.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        Self { scene: scene.clone(), most_factor: scene.most_factor(), alarms: Vec::new(), stopped: None }
    }

    /// What it is watched for.
    #[must_use]
    pub fn settings(&self) -> WatchSettings {
        self.scene.watch_settings()
    }

    /// A guard of a run that starts with `simulation`.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn guard(&self, device: &Device, simulation: &mut Simulation) -> engine::Result<Guard> {
        Guard::new(device, simulation, self.settings(), self.most_factor)
    }

    /// The same of a run on the CPU alone.
    #[must_use]
    pub fn cpu_guard(&self, simulation: &mut CpuSimulation) -> CpuGuard {
        CpuGuard::new(simulation, self.settings(), self.most_factor)
    }

    /// Notes what a guard has said of a run of `body`, and returns it in words; none where nothing is wrong.
    pub fn note(&mut self, verdict: &Verdict, body: &Body) -> Option<String> {
        let text = match verdict {
            Verdict::Good => return None,
            Verdict::Tell(alarm) => self.told(alarm, body),
            Verdict::Stop(alarm) => {
                let text = format!("{}; it stops ({})", self.told(alarm, body), self.why_it_stops());
                self.stopped = Some(text.clone());
                text
            }
            Verdict::GoBack(alarm, to) => {
                let (text, how) = (self.told(alarm, body), self.how_long(to));
                let Return { step, state, .. } = to;
                format!("{text}; it goes back to {:.3} s (step {step}) and on from there in {how}", state.time)
            }
            Verdict::Relax(to) => {
                let how = self.how_long(to);
                format!("at {:.3} s nothing has been wrong for a second; it goes on in {how}", to.state.time)
            }
        };
        self.alarms.push(text.clone());
        Some(text)
    }

    fn told(&self, alarm: &Alarm, body: &Body) -> String {
        alarm.told(|particle| self.scene.particle_name(body, particle))
    }

    fn why_it_stops(&self) -> &'static str {
        match self.scene.watch {
            WatchPolicy::Recover if self.most_factor == 1 => "this solver has no shorter steps to try",
            WatchPolicy::Recover => "going back has not helped, with steps as short as are tried",
            _ => "watch = \"pause\"",
        }
    }

    /// How a step is divided after a return.
    fn how_long(&self, to: &Return) -> String {
        let Scene { substeps, dt, .. } = self.scene.divided(to.factor);
        format!("substeps of {:.3} ms, {substeps} a step", 1e3 * f64::from(dt) / f64::from(substeps))
    }

    /// All that has been said, in order.
    #[must_use]
    pub fn alarms(&self) -> &[String] {
        &self.alarms
    }

    /// Why the run was stopped, if it was.
    #[must_use]
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }
}
