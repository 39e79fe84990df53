//! The title of the window.

use std::time::{Duration, Instant};

use tautline::solver::{ConstraintSolver, PbdSettings};

use super::View;

/// How often it is brought up to date: often enough to follow, seldom enough to be read.
const REFRESH: Duration = Duration::from_millis(500);

impl View {
    /// Says what runs, how long frames take, what keys have changed, and on which device.
    pub(super) fn update_title(&mut self) {
        let now = Instant::now();
        if now < self.title_due {
            return;
        }
        self.title_due = now + REFRESH;
        let milliseconds = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        let frame = self.run.wall().last().map(|wall| format!(", frame {}", milliseconds(*wall))).unwrap_or_default();
        let cpu = self.run.last_cpu_time().map(|time| format!(", CPU {}", milliseconds(time))).unwrap_or_default();
        let gpu = self.run.last_gpu_time().map_or("n/a".to_string(), milliseconds);
        let changed = self.run.simulation.pbd_settings_mut().map(|settings| unusual(settings)).unwrap_or_default();
        let dropped = match self.clock.dropped() {
            0 => String::new(),
            steps => format!(", steps dropped: {steps}"),
        };
        let paused = if self.paused { ", paused" } else { "" };
        let asleep = if self.run.simulation.is_asleep() { ", asleep" } else { "" };
        let recording = if self.outputs.video().is_some() { ", recording" } else { "" };
        let (scene, time, device) = (&self.scene.name, self.run.simulation.time(), &self.run.device.info().name);
        self.window.set_title(&format!(
            "tautline: {scene}, {time:.1} s{frame}{cpu}, GPU {gpu}{changed}{dropped}{paused}{asleep}{recording}, on {device}"
        ));
    }
}

/// What is said of settings that keys change.
fn unusual(settings: &PbdSettings) -> String {
    let mut text = String::new();
    if settings.constraint_solver == ConstraintSolver::Jacobi {
        text += ", Jacobi";
    }
    if settings.elongation != 1.0 {
        text += &format!(", elongation {:.2}", settings.elongation);
    }
    text
}
