//! Simulation, read-back and writing at the same time.

use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use tautline::io::cache::CacheWriter;
use tautline::scene::BakedShape;
use tautline::solver::{Alarm, Verdict};

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
    Interrupted {
        frames: u32,
    },
    /// With fewer frames than were asked for, all of them good, as what came after them is not.
    Short {
        frames: u32,
        reason: String,
    },
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
        let first = checkpoint.progress().frames();
        let (to_writing, messages) = sync_channel(FRAMES_IN_FLIGHT);
        let bar = bar(first, self.frames);
        let (path, bar_of_it) = (self.path.into(), bar.clone());
        let writing = Writing { writer, shape, checkpoint, path, bar: bar_of_it, refused: None };
        let writing = thread::spawn(move || writing.run(&messages));
        let simulated = self.simulate(runner, first, &to_writing);
        drop(to_writing);
        let written = writing.join().unwrap_or_else(|_| Err(anyhow!("the thread that writes frames panicked")));
        bar.finish_and_clear();
        // Where writing has failed, there is nobody to simulate for, which is no reason.
        let Writing { writer, checkpoint, refused, .. } = written?;
        let stopped = simulated?;
        if let Some(reason) = stopped.or(refused) {
            return self.end_early(writer, reason);
        }
        let frames = checkpoint.progress().frames();
        if frames < self.frames {
            return Ok(End::Interrupted { frames });
        }
        writer.finish()?;
        Ok(End::Whole)
    }

    /// Closes a cache with the frames that it has, where it has one.
    fn end_early(&self, writer: CacheWriter, reason: String) -> Result<End> {
        let frames = writer.frames();
        if frames == 0 {
            bail!("{reason}");
        }
        // It is of a cache of more frames, and would go on with what is no good.
        Checkpoint::remove(self.path)?;
        writer.shortened()?.finish()?;
        Ok(End::Short { frames, reason })
    }

    /// Simulates what is left, until it is interrupted or nobody writes any more. In the end the checkpoint is that of
    /// the last frame. A frame is written once the looks up to it have found nothing wrong, while the next one is simulated, but where
    /// the run may go back: then it waits for them, as where it goes back to must not depend on when they are known. Where
    /// they say that the run stops, this is why.
    fn simulate(&self, runner: &mut Runner, first: u32, to_writing: &SyncSender<Message>) -> Result<Option<String>> {
        let (mut kept, mut waiting, mut number) = (Instant::now(), None, first);
        while number < self.frames {
            if number > 0 {
                runner.advance(u64::from(number) * u64::from(self.steps))?;
            }
            let Some(frame) = runner.frame()? else { return Ok(None) };
            let is_last = number + 1 == self.frames;
            let is_interrupted = interrupt::interrupted();
            let ends = is_last || is_interrupted || kept.elapsed() >= self.every;
            let waits = ends || runner.goes_back();
            match runner.check(if waits { 0 } else { self.steps })? {
                Verdict::Good | Verdict::Tell(_) => {}
                Verdict::Stop(Alarm { time, step, .. }) => {
                    if let Some(before) = waiting.take()
                        && step > u64::from(number - 1) * u64::from(self.steps)
                        && to_writing.send(Message::Frame(before)).is_err()
                    {
                        return Ok(None);
                    }
                    return Ok(Some(format!("stopped at {time:.3} s (step {step})")));
                }
                // What has been written of what is run again is written anew.
                Verdict::GoBack(_, to) => {
                    runner.return_to(&to)?;
                    number = (to.step / u64::from(self.steps)) as u32 + 1;
                    if to_writing.send(Message::GoBack(number, Box::new(runner.kept()?))).is_err() {
                        return Ok(None);
                    }
                    continue;
                }
                Verdict::Relax(to) => runner.return_to(&to)?,
            }
            let before = if waits { [waiting.take(), Some(frame)] } else { [waiting.replace(frame), None] };
            for frame in before.into_iter().flatten() {
                if to_writing.send(Message::Frame(frame)).is_err() {
                    return Ok(None);
                }
            }
            number += 1;
            if ends {
                let now = if is_last { None } else { Some(Box::new(runner.kept()?)) };
                if to_writing.send(Message::Checkpoint(now)).is_err() || is_interrupted {
                    return Ok(None);
                }
                kept = Instant::now();
            }
        }
        Ok(None)
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
