//! The frame of a window that is captured for RenderDoc.

use super::View;
use crate::output;

impl View {
    /// Captures the next frame.
    pub(super) fn capture_next_frame(&mut self) {
        let next = self.run.frames.next_number();
        if let Err(error) = self.capture.request(next, &self.run.device) {
            self.tell(Err(error));
        }
    }

    /// Ends the capture of the frame that was just shown, if it is captured, and tells where it lies.
    pub(super) fn end_capture(&mut self) {
        let told = match self.capture.end(&self.scene.name) {
            Ok(None) => return,
            Ok(Some(path)) => output::print(&format!("wrote {}\n", path.display())).map(|()| path),
            Err(error) => Err(error),
        };
        if let Err(error) = &told {
            output::tell(&format!("error: {error:#}"));
        }
        self.tell(told.map(|path| format!("wrote {}", path.display())));
        // It took no frame's time.
        self.idle = true;
        self.changed = true;
    }
}
