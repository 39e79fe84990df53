//! Captures of single frames for RenderDoc, which the command line or a key asks for.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tautline::engine::{Capturer, Device};

use crate::video::numbered;

/// The frame that is to be captured, if any.
#[derive(Default)]
pub struct FrameCapture {
    /// Its number.
    frame: Option<u64>,
    capturer: Option<Capturer>,
    running: bool,
}

impl FrameCapture {
    /// Captures the frame with this number, where there is one.
    ///
    /// Fails at once where RenderDoc is missing, so that no run ends in vain.
    pub fn of(frame: Option<u64>, device: &Device) -> Result<Self> {
        let capturer = frame.map(|_| Capturer::new(device)).transpose()?;
        Ok(Self { frame, capturer, running: false })
    }

    /// Captures the frame with this number, which is to come.
    pub fn request(&mut self, frame: u64, device: &Device) -> Result<()> {
        if self.capturer.is_none() {
            self.capturer = Some(Capturer::new(device)?);
        }
        self.frame = Some(frame);
        Ok(())
    }

    /// Starts the capture where it is of the frame with this number.
    pub fn start(&mut self, frame: u64) -> Result<()> {
        if let Some(capturer) = self.capturer.as_mut().filter(|_| self.frame == Some(frame)) {
            self.frame = None;
            capturer.start(Path::new("."))?;
            self.running = true;
        }
        Ok(())
    }

    /// Ends the capture that was started, if one was, and says where it lies.
    pub fn end(&mut self, scene: &str) -> Result<Option<PathBuf>> {
        let Some(capturer) = self.capturer.as_mut().filter(|_| std::mem::take(&mut self.running)) else {
            return Ok(None);
        };
        let path = (1..).map(numbered(scene, ".rdc")).find(|path| !path.exists());
        let path = path.context("there is no name left for a capture: move those of this folder elsewhere")?;
        capturer.end(&path)?;
        Ok(Some(path))
    }
}
