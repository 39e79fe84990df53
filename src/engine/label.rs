//! Debug labels: captures show a recording as a tree, frame > substep > pass > batch.
//!
//! A pass has its label from its first call on, and it is closed by whatever is not a call of the same pass. Labels and
//! timestamps know nothing of each other: calls of one pass in two substeps have two labels and share a timestamp.

use std::ffi::CStr;
use std::fmt;
use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

use ash::vk;

use super::recorder::Recorder;

/// The labels that are open in a recording.
#[derive(Default)]
pub(super) struct Labels {
    /// The pass whose label is open.
    pass: Option<Arc<str>>,
    /// The text of the label opened last, kept so that not each of them allocates.
    text: Vec<u8>,
}

impl Labels {
    /// Starts a recording, in which none is open.
    pub(super) fn restart(&mut self) {
        self.pass = None;
    }
}

/// The label of one of several that follow each other: `substep 3 of 15` is `OneOf("substep", 2, 15)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneOf(
    /// What they are.
    pub &'static str,
    /// How many came before it.
    pub u32,
    /// How many there are.
    pub u32,
);

impl fmt::Display for OneOf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(what, before, count) = self;
        write!(formatter, "{what} {} of {count}", before + 1)
    }
}

/// The label of some of several that follow each other: `substeps 3 to 5 of 15` is `SomeOf("substeps", 2..5, 15)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SomeOf(
    /// What they are.
    pub &'static str,
    /// Which ones, the first of all being number 0.
    pub Range<u32>,
    /// How many there are.
    pub u32,
);

impl fmt::Display for SomeOf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(what, Range { start, end }, count) = self;
        write!(formatter, "{what} {} to {end} of {count}", start + 1)
    }
}

impl Recorder<'_> {
    /// Puts all that `record` records under one label, such as `substep 3 of 15`; may be nested. Without
    /// VK_EXT_debug_utils the label is not even put into words.
    pub fn within<T>(&mut self, label: &dyn fmt::Display, record: impl FnOnce(&mut Self) -> T) -> T {
        if self.gathers {
            self.gather_label(label);
        } else {
            self.open_outer_label(label);
        }
        let recorded = record(self);
        if self.gathers {
            self.gather_label_end();
        } else {
            self.close_outer_label();
        }
        recorded
    }

    /// Opens a label around passes.
    pub(super) fn open_outer_label(&mut self, label: &dyn fmt::Display) {
        self.close_pass_label();
        self.open_label(label);
    }

    /// Closes a label around passes.
    pub(super) fn close_outer_label(&mut self) {
        self.close_pass_label();
        self.close_label();
    }

    /// Has the label of a pass open, and no other's.
    pub(super) fn label_pass(&mut self, name: &Arc<str>) {
        if self.device.labels().is_some() && self.slot.labels.pass.as_ref() != Some(name) {
            self.close_pass_label();
            self.open_label(name);
            self.slot.labels.pass = Some(name.clone());
        }
    }

    pub(super) fn close_pass_label(&mut self) {
        if self.slot.labels.pass.take().is_some() {
            self.close_label();
        }
    }

    pub(super) fn open_label(&mut self, label: &dyn fmt::Display) {
        let Some(extension) = self.device.labels() else {
            return;
        };
        let text = &mut self.slot.labels.text;
        text.clear();
        // Writing to memory cannot fail.
        let _ = write!(text, "{label}\0");
        let label = CStr::from_bytes_until_nul(text).unwrap_or_default();
        let label = vk::DebugUtilsLabelEXT::default().label_name(label);
        // SAFETY: the command buffer is recording, and whoever opens a label closes it before the recording ends.
        unsafe { extension.cmd_begin_debug_utils_label(self.commands, &label) };
    }

    pub(super) fn close_label(&mut self) {
        if let Some(extension) = self.device.labels() {
            // SAFETY: the command buffer is recording, and a label is open in it.
            unsafe { extension.cmd_end_debug_utils_label(self.commands) };
        }
    }
}
