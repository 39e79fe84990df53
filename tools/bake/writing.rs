//! The thread that reads frames back and writes them.

use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use anyhow::Result;
use indicatif::ProgressBar;
use tautline::io::cache::CacheWriter;
use tautline::scene::BakedShape;

use crate::checkpoint::{Checkpoint, Kept};
use crate::runner::Frame;

/// What it is told to do, in order.
pub enum Message {
    /// Writes the next frame.
    Frame(Frame),
    /// Writes that the frames so far are there, and what is kept of the last of them.
    Checkpoint(Option<Box<Kept>>),
    /// Drops all frames but the first so many, for the run has gone back to what is kept.
    GoBack(u32, Box<Kept>),
}

pub struct Writing {
    pub writer: CacheWriter,
    pub shape: BakedShape,
    /// The one that was written last.
    pub checkpoint: Checkpoint,
    pub path: PathBuf,
    pub bar: ProgressBar,
    /// Why there is a frame that is not written.
    pub refused: Option<String>,
}

impl Writing {
    /// Obeys until there is nothing more to come.
    pub fn run(mut self, messages: &Receiver<Message>) -> Result<Self> {
        let mut number = self.checkpoint.progress().frames();
        for message in messages {
            match message {
                Message::Frame(frame) => {
                    let points = self.shape.points(&frame.read()?);
                    if let Some(point) = points.iter().position(|point| !point.is_finite()) {
                        let vertex = self.shape.number(point);
                        self.refused = Some(format!(
                            "vertex {vertex} is not finite in frame {number}: the solver was unstable; try a smaller dt \
                             or more substeps"
                        ));
                        break;
                    }
                    self.writer.append(&points)?;
                    number += 1;
                    self.bar.inc(1);
                }
                Message::Checkpoint(kept) => {
                    // The frames first: what a checkpoint tells of is on the disk.
                    let progress = self.writer.sync()?;
                    self.checkpoint.advance(progress, kept.map(|kept| *kept));
                    self.checkpoint.write(&self.path)?;
                }
                Message::GoBack(frames, kept) => {
                    // The checkpoint first: it tells of no frame that is dropped and written anew.
                    let progress = self.writer.sync()?;
                    self.checkpoint.advance(progress.after(frames), Some(*kept));
                    self.checkpoint.write(&self.path)?;
                    self.writer.go_back(frames)?;
                    number = frames;
                    self.bar.set_position(number.into());
                }
            }
        }
        Ok(self)
    }
}
