//! Captures for RenderDoc, through its in-application API: of what is submitted between a start and an end.

use std::ffi::CStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;

use renderdoc::{RenderDoc, V120};
use tempfile::TempDir;

use super::device::Device;
use super::error::{Error, Result};

/// RenderDoc as a layer, which the environment variable `ENABLE_VULKAN_RENDERDOC_CAPTURE` turns on as well.
pub(super) const LAYER: &CStr = c"VK_LAYER_RENDERDOC_Capture";

/// RenderDoc at work in this process.
pub struct Capturer {
    api: RenderDoc<V120>,
    /// Where RenderDoc writes the capture that has been started.
    running: Option<TempDir>,
    device: Device,
}

impl Capturer {
    /// Reaches the RenderDoc that `device` was opened under: by `InstanceOptions::capture`, by the environment, or by starting
    /// the program from RenderDoc.
    ///
    /// # Errors
    /// [`Error::NoRenderDoc`] where there is none.
    pub fn new(device: &Device) -> Result<Self> {
        let mut api: RenderDoc<V120> = RenderDoc::new().map_err(|_| Error::NoRenderDoc)?;
        // The program has keys of its own, and pictures are what was drawn.
        api.set_capture_keys::<renderdoc::InputButton>(&[]);
        api.mask_overlay_bits(renderdoc::OverlayBits::NONE, renderdoc::OverlayBits::NONE);
        Ok(Self { api, running: None, device: device.clone() })
    }

    /// Starts to capture what is submitted from here on, into a file that will lie in `folder`. One that runs already goes on.
    ///
    /// # Errors
    /// [`Error::NoCapture`] where `folder` cannot be written to, or RenderDoc cannot capture.
    pub fn start(&mut self, folder: &Path) -> Result<()> {
        if self.running.is_some() {
            return Ok(());
        }
        let failed = |reason: String| Error::NoCapture { path: folder.into(), reason };
        // RenderDoc adds to the names of files what it likes, and a file of another program may have that name already.
        let running = tempfile::tempdir_in(folder).map_err(|error| failed(error.to_string()))?;
        let template = running.path().join("capture");
        // The crate cannot say others to RenderDoc.
        if template.to_str().is_none() {
            return Err(failed("RenderDoc writes only to paths that are text in UTF-8".into()));
        }
        self.device.wait_idle()?;
        self.api.set_capture_file_path_template(template);
        self.api.start_frame_capture(ptr::null(), ptr::null());
        if !self.api.is_frame_capturing() {
            return Err(failed("RenderDoc did not start".into()));
        }
        self.running = Some(running);
        Ok(())
    }

    /// Ends the capture, waits for what was submitted in it, and puts it in the place of the file `path`.
    ///
    /// # Errors
    /// [`Error::NoCapture`] where none was started, or `path` cannot be written to; [`Error::DeviceLost`].
    pub fn end(&mut self, path: &Path) -> Result<()> {
        let failed = |reason: &dyn fmt::Display| Error::NoCapture { path: path.into(), reason: reason.to_string() };
        let Some(running) = self.running.take() else {
            return Err(failed(&"none was started"));
        };
        let waited = self.device.wait_idle();
        self.api.end_frame_capture(ptr::null(), ptr::null());
        waited?;
        let written = written(running.path()).map_err(|error| failed(&error))?;
        let written = written.ok_or_else(|| failed(&"RenderDoc wrote no file"))?;
        fs::rename(written, path).map_err(|error| failed(&error))
    }
}

/// The file that RenderDoc has written to a folder of its own.
fn written(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    fs::read_dir(folder)?.next().transpose().map(|entry| entry.map(|entry| entry.path()))
}

impl fmt::Debug for Capturer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Capturer").field("running", &self.running.is_some()).finish()
    }
}
