//! Files that are dropped on the window, and the file that is loaded again.

use super::View;
use super::states::is_state;
use crate::source::Source;

impl View {
    /// Starts with the file that was dropped on the window, if there is one, or goes on from the state in it; of several, the
    /// last.
    pub(super) fn open_dropped(&mut self) {
        if let Some(path) = self.dropped.take() {
            if is_state(&path) {
                self.attempt(|view| view.load_state(&path));
            } else {
                self.start_from(Source::plain(path));
            }
        }
    }

    /// Starts with what the scene's file says by now.
    pub(super) fn reload(&mut self) {
        self.start_from(self.source.clone());
    }

    /// Starts with another preset or file; where that fails, what runs goes on and the window tells why.
    pub(super) fn start_from(&mut self, source: Source) {
        if self.attempt(|view| view.start(source.load()?)) {
            self.source = source;
        }
    }
}
