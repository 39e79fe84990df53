//! What a window does about what the guard of its run finds.

use anyhow::Result;
use tautline::solver::{Backup, Return, Verdict};

use super::View;
use super::hands::Hands;

impl View {
    /// Takes in what the looks at the frames that are done have found, says what is wrong, and stands still or goes back where
    /// the scene says so.
    pub(super) fn heed_guard(&mut self) -> Result<()> {
        let steps = self.run.steps;
        // No more than one frame is at work.
        let verdict = self.run.check(1)?;
        let Some(text) = self.run.say(&verdict) else { return Ok(()) };
        match verdict {
            Verdict::Stop(_) => (self.paused, self.steps_due) = (true, 0),
            Verdict::GoBack(_, to) | Verdict::Relax(to) => self.return_to(&to)?,
            Verdict::Good | Verdict::Tell(_) => {}
        }
        // What was run in vain is run again.
        let undone = steps.saturating_sub(self.run.steps);
        self.frames_left = self.frames_left.map(|left| left + undone as u32);
        if undone > 0 {
            self.outputs.take_back(undone);
        }
        self.panels.tell(text);
        self.changed = true;
        Ok(())
    }

    /// Goes on from where the guard says, with all that is bound to the simulation made anew.
    fn return_to(&mut self, to: &Return) -> Result<()> {
        self.hands.let_go(&mut self.run.simulation);
        self.run.return_to(to, &self.scene)?;
        self.hands = Hands::new(&self.run)?;
        self.backup = Backup::new(&self.run.device, &self.run.simulation, Some(to.state.clone()))?;
        self.drawing = self.run.view(self.swapchain.format(), self.shown)?;
        self.kept = false;
        Ok(())
    }

    /// Makes steps as long as the scene's again, before the run begins anew.
    pub(super) fn take_steps_of_scene(&mut self) -> Result<()> {
        if self.run.guard.is_retrying() { self.go_on(self.scene.clone(), self.run.backend()) } else { Ok(()) }
    }

    /// Watches for what the scene says from here on, where that has changed.
    pub(super) fn watch_anew(&mut self) -> Result<()> {
        if self.run.guard.settings() == self.scene.watch_settings() { Ok(()) } else { self.run.watch(&self.scene) }
    }
}
