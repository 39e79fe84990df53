//! Simulation, read-back and writing at the same time.

use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use tautline::io::cache::CacheWriter;
use tautline::scene::BakedShape;

use crate::checkpoint::Checkpoint;
use crate::interrupt;
use crate::runner::{FRAMES_IN_FLIGHT, Runner};
use crate::writing::{Message, Writing};

/// What is to be done.
pub struct Bake<'a> {
    pub frames: u32,
    /// Steps from each frame to the next.
    pub steps: u32,
    /// How often a checkpoint is written.
    pub every: Duration,
    /// Where it is written.
    pub path: &'a Path,
}

/// How it ended.
pub enum End {
    Whole,
    Interrupted { frames: u32 },
}

impl Bake<'_> {
    /// Simulates and writes from where the checkpoint is. The thread of writing has a few frames at most before it; so
    /// memory does not grow, and who is slower is waited for.
    pub fn run(
        &self,
        runner: &mut Runner,
        shape: BakedShape,
        writer: CacheWriter,
        checkpoint: Checkpoint,
    ) -> Result<End> {
        let first = checkpoint.progress().frames;
        let (to_writing, messages) = sync_channel(FRAMES_IN_FLIGHT);
        let bar = bar(first, self.frames);
        let writing = Writing { writer, shape, checkpoint, path: self.path.into(), bar: bar.clone() };
        let writing = thread::spawn(move || writing.run(&messages));
        let simulated = self.simulate(runner, first, &to_writing);
        drop(to_writing);
        let written = writing.join().unwrap_or_else(|_| Err(anyhow!("the thread that writes frames panicked")));
        bar.finish_and_clear();
        // Where writing has failed, there is nobody to simulate for, which is no reason.
        let Writing { writer, checkpoint, .. } = written?;
        simulated?;
        let frames = checkpoint.progress().frames;
        if frames < self.frames {
            return Ok(End::Interrupted { frames });
        }
        writer.finish()?;
        Ok(End::Whole)
    }

    /// Simulates what is left, until it is interrupted or nobody writes any more. In the end the checkpoint is that of
    /// the last frame.
    fn simulate(&self, runner: &mut Runner, first: u32, to_writing: &SyncSender<Message>) -> Result<()> {
        let mut kept = Instant::now();
        for number in first..self.frames {
            if number > 0 {
                runner.advance(self.steps)?;
            }
            let Some(frame) = runner.frame()? else { return Ok(()) };
            if to_writing.send(Message::Frame(frame)).is_err() {
                return Ok(());
            }
            let is_last = number + 1 == self.frames;
            let is_interrupted = interrupt::interrupted();
            if is_last || is_interrupted || kept.elapsed() >= self.every {
                let state = if is_last { None } else { Some(runner.state()?) };
                if to_writing.send(Message::Checkpoint(state)).is_err() || is_interrupted {
                    return Ok(());
                }
                kept = Instant::now();
            }
        }
        Ok(())
    }
}

/// Draws on stderr, and nothing where that is no terminal.
fn bar(first: u32, frames: u32) -> ProgressBar {
    let bar = ProgressBar::new(frames.into()).with_position(first.into());
    bar.reset_eta();
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar.tick();
    bar
}
