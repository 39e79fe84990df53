//! Recordings that are replayed: what a step does is compared with what earlier ones have done in the same place of the ring,
//! and where one of them did the same, its commands run again as they are.
//!
//! What is compared is all that the commands depend on: each call with its bindings, push constants and labels, what the tracker
//! knew before the first, and where timestamps go. So nobody has to say that anything has changed, and barriers, labels and
//! times are those of a recording that is made anew.

use std::fmt::Write as _;
use std::sync::Arc;

use ash::vk;

use super::bindings::Bindings;
use super::device::Device;
use super::error::{Call as _, Result};
use super::hazard::{Barrier, ResourceId, Tracker};
use super::kernel::Kernel;
use super::recorder::Recorder;
use super::timing::{Place, Timestamps};

/// With how many dispatches a recording is replayed: fewer are recorded as soon.
const LEAST_DISPATCHES: usize = 8;
/// How many recordings a place of the ring keeps: a solver whose particles have three places, timed or not, in up to two steps a
/// frame, needs twelve.
const MOST_RECORDINGS: usize = 16;

/// One thing that is asked of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ask {
    /// A label that ends at `end` among the texts.
    Open { end: usize },
    /// The end of the label that was opened last.
    Close,
    Dispatch {
        bindings: ResourceId,
        groups: [u32; 3],
        /// Where its push constants end among all.
        push_end: usize,
        /// Where its label ends among the texts, if it has one.
        label_end: Option<usize>,
    },
}

/// What is asked of a recording, in order; texts and push constants follow each other.
#[derive(Default, PartialEq)]
struct Asked {
    asks: Vec<Ask>,
    pushes: Vec<u8>,
    texts: String,
}

impl Asked {
    fn clear(&mut self) {
        self.asks.clear();
        self.pushes.clear();
        self.texts.clear();
    }

    /// Appends a text, and returns where it ends.
    fn add_text(&mut self, text: &dyn std::fmt::Display) -> usize {
        // Writing to memory cannot fail.
        let _ = write!(self.texts, "{text}");
        self.texts.len()
    }
}

/// A recording that is kept.
struct Recording {
    commands: vk::CommandBuffer,
    asked: Asked,
    /// What the tracker knew before it, and what it knows after it.
    before: Tracker,
    after: Tracker,
    /// Where its first timestamp goes; none where it has none.
    timestamps: Option<Place>,
    /// Pass and number of calls behind each of them.
    runs: Vec<(Arc<str>, u32)>,
    /// Each barrier with the number of dispatches before it.
    barriers: Vec<(usize, Barrier)>,
    /// In which turn of the ring it ran last.
    turn: u64,
}

/// The recordings that a place of the ring keeps. They do not own what they use: who asks for the same has it.
pub(super) struct Replays {
    device: Device,
    name: String,
    /// Made when it is first needed.
    pool: Option<vk::CommandPool>,
    recordings: Vec<Recording>,
    turn: u64,
    /// How many recordings were made.
    pub(super) made: u64,
    /// What is being gathered, with the bindings of each dispatch.
    asked: Asked,
    bindings: Vec<Bindings<Kernel>>,
}

impl Replays {
    pub(super) fn new(device: &Device, name: String) -> Self {
        Self {
            device: device.clone(),
            name,
            pool: None,
            recordings: Vec::new(),
            turn: 0,
            made: 0,
            asked: Asked::default(),
            bindings: Vec::new(),
        }
    }

    /// Starts a turn of the ring: all that ran in the one before has finished.
    pub(super) fn restart(&mut self) {
        self.turn += 1;
        self.asked.clear();
        self.bindings.clear();
    }

    /// The recording that did what is asked, if it has not run in this turn.
    fn find(&self, tracker: &Tracker, timestamps: Option<Place>) -> Option<usize> {
        self.recordings.iter().position(|kept| {
            kept.turn != self.turn
                && kept.timestamps == timestamps
                && kept.asked == self.asked
                && kept.before == *tracker
        })
    }

    /// A recording to be made: a new one, or the one that has not run for longest; none where all run in this turn.
    fn take(&mut self) -> Result<Option<Recording>> {
        if self.recordings.len() < MOST_RECORDINGS {
            return self.allocate().map(Some);
        }
        let oldest = (0..self.recordings.len()).min_by_key(|&index| self.recordings[index].turn);
        let oldest = oldest.filter(|&index| self.recordings[index].turn != self.turn);
        Ok(oldest.map(|index| self.recordings.swap_remove(index)))
    }

    fn allocate(&mut self) -> Result<Recording> {
        let pool = match self.pool {
            Some(pool) => pool,
            None => {
                let info = vk::CommandPoolCreateInfo::default()
                    .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
                    .queue_family_index(self.device.info().queue_family);
                // SAFETY: the device is alive and has this queue family.
                let pool = unsafe { self.device.raw().create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
                self.device.name(pool, format_args!("{}.command_pool", self.name));
                *self.pool.insert(pool)
            }
        };
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::SECONDARY)
            .command_buffer_count(1);
        // SAFETY: the pool is alive.
        let made = unsafe { self.device.raw().allocate_command_buffers(&info) };
        let commands = made.call("vkAllocateCommandBuffers")?[0];
        self.device.name(commands, format_args!("{}.commands[{}]", self.name, self.recordings.len()));
        Ok(Recording {
            commands,
            asked: Asked::default(),
            before: Tracker::default(),
            after: Tracker::default(),
            timestamps: None,
            runs: Vec::new(),
            barriers: Vec::new(),
            turn: 0,
        })
    }

    /// Destroys all recordings.
    ///
    /// # Safety
    /// None of them may be in use.
    pub(super) unsafe fn destroy(&mut self) {
        if let Some(pool) = self.pool.take() {
            // SAFETY: the caller vouches for it.
            unsafe { self.device.raw().destroy_command_pool(pool, None) };
        }
    }
}

impl Recorder<'_> {
    /// Records what `record` does. Where it dispatches as much as is worth it, and nothing else, the commands are kept, and
    /// when the same is asked for in a later frame, in the same place of the ring and after the same passes, they run again. What
    /// changes from frame to frame belongs into buffers, as other push constants make other commands.
    ///
    /// # Errors
    /// What `record` returns, or what Vulkan reports.
    pub fn replayed(&mut self, record: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if !self.replays || self.gathers {
            return record(self);
        }
        self.close_pass_label();
        self.gathers = true;
        let recorded = record(self);
        let is_whole = self.gathers && recorded.is_ok();
        if !is_whole || self.slot.replays.bindings.len() < LEAST_DISPATCHES {
            self.record_gathered();
            return recorded;
        }
        self.gathers = false;
        self.end_run();
        let replayed = self.replay();
        self.slot.replays.asked.clear();
        self.slot.replays.bindings.clear();
        replayed
    }

    /// Gathers a dispatch for [`Recorder::replayed`].
    pub(super) fn gather(
        &mut self,
        label: Option<&dyn std::fmt::Display>,
        bindings: &Bindings<Kernel>,
        push: &[u8],
        groups: [u32; 3],
    ) {
        if self.slot.replays.bindings.last().is_none_or(|last| last.id() != bindings.id()) {
            self.keep_alive(bindings);
        }
        let label = label.filter(|_| self.device.labels().is_some());
        let Replays { asked, bindings: all, .. } = &mut self.slot.replays;
        let label_end = label.map(|label| asked.add_text(label));
        asked.pushes.extend_from_slice(push);
        let push_end = asked.pushes.len();
        asked.asks.push(Ask::Dispatch { bindings: bindings.id(), groups, push_end, label_end });
        all.push(bindings.clone());
    }

    /// Gathers the start of a label.
    pub(super) fn gather_label(&mut self, label: &dyn std::fmt::Display) {
        if self.device.labels().is_some() {
            let asked = &mut self.slot.replays.asked;
            let end = asked.add_text(label);
            asked.asks.push(Ask::Open { end });
        }
    }

    /// Gathers the end of a label.
    pub(super) fn gather_label_end(&mut self) {
        if self.device.labels().is_some() {
            self.slot.replays.asked.asks.push(Ask::Close);
        }
    }

    /// Records what has been gathered so far, and goes on without gathering: for what is not to be replayed.
    pub(super) fn record_gathered(&mut self) {
        if std::mem::take(&mut self.gathers) {
            self.record_asked();
            self.slot.replays.asked.clear();
            self.slot.replays.bindings.clear();
        }
    }

    /// Records what was asked for, call by call.
    fn record_asked(&mut self) {
        let asked = std::mem::take(&mut self.slot.replays.asked);
        let bindings = std::mem::take(&mut self.slot.replays.bindings);
        let (mut dispatches, mut text, mut push) = (bindings.iter(), 0, 0);
        for ask in &asked.asks {
            match *ask {
                Ask::Open { end } => self.open_outer_label(&&asked.texts[std::mem::replace(&mut text, end)..end]),
                Ask::Close => self.close_outer_label(),
                Ask::Dispatch { groups, push_end, label_end, .. } => {
                    let label = label_end.map(|end| &asked.texts[std::mem::replace(&mut text, end)..end]);
                    let label = label.as_ref().map(|label| label as &dyn std::fmt::Display);
                    let push = &asked.pushes[std::mem::replace(&mut push, push_end)..push_end];
                    if let Some(bindings) = dispatches.next() {
                        self.record_dispatch(label, bindings, push, groups);
                    }
                }
            }
        }
        (self.slot.replays.asked, self.slot.replays.bindings) = (asked, bindings);
    }

    /// Runs the recording that did what is asked, or makes one.
    fn replay(&mut self) -> Result<()> {
        let place = self.slot.timestamps.as_ref().and_then(Timestamps::place);
        let commands = match self.slot.replays.find(&self.slot.tracker, place) {
            Some(found) => self.go_past(found),
            None => match self.slot.replays.take()? {
                Some(recording) => self.make(recording, place)?,
                None => {
                    self.record_asked();
                    return Ok(());
                }
            },
        };
        // SAFETY: the command buffer is recording outside a render pass; the other was recorded in full, is in no other one that
        // is in use, and all that it uses is bound by what was asked for and so kept alive by the recorder.
        unsafe { self.device.raw().cmd_execute_commands(self.commands, &[commands]) };
        Ok(())
    }

    /// Tells tracker, timestamps and trace what a recording does.
    fn go_past(&mut self, found: usize) -> vk::CommandBuffer {
        let Replays { recordings, turn, asked, bindings, .. } = &mut self.slot.replays;
        let recording = &mut recordings[found];
        recording.turn = *turn;
        self.slot.tracker.clone_from(&recording.after);
        if let Some(timestamps) = &mut self.slot.timestamps {
            timestamps.go_past(&recording.runs);
        }
        if let Some(trace) = &mut self.trace {
            let all_groups = asked.asks.iter().filter_map(|ask| match ask {
                Ask::Dispatch { groups, .. } => Some(*groups),
                Ask::Open { .. } | Ask::Close => None,
            });
            let mut barriers = recording.barriers.iter().peekable();
            for (number, (bindings, groups)) in bindings.iter().zip(all_groups).enumerate() {
                while let Some((_, barrier)) = barriers.next_if(|(before, _)| *before == number) {
                    trace.barrier(barrier);
                }
                trace.pass(bindings.pipeline().name(), bindings.uses());
                trace.describe(bindings.work(groups));
            }
        }
        recording.commands
    }

    /// Makes a recording of what was asked for, and returns its commands.
    fn make(&mut self, mut recording: Recording, place: Option<Place>) -> Result<vk::CommandBuffer> {
        let raw = self.device.raw().clone();
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
        // SAFETY: the command buffer is of a pool that allows it to be reset, and did not run since the last recording in this
        // place of the ring has finished.
        unsafe {
            raw.reset_command_buffer(recording.commands, vk::CommandBufferResetFlags::empty())
                .call("vkResetCommandBuffer")?;
            raw.begin_command_buffer(recording.commands, &info).call("vkBeginCommandBuffer")?;
        }
        recording.before.clone_from(&self.slot.tracker);
        let runs_before = self.slot.timestamps.as_ref().map_or(0, |timestamps| timestamps.runs().len());
        let outer = std::mem::replace(&mut self.commands, recording.commands);
        recording.barriers.clear();
        self.kept_barriers = Some((0, std::mem::take(&mut recording.barriers)));
        self.record_asked();
        self.end_run();
        self.close_pass_label();
        self.commands = outer;
        // SAFETY: it was begun above and is outside a render pass.
        unsafe { raw.end_command_buffer(recording.commands) }.call("vkEndCommandBuffer")?;
        recording.barriers = self.kept_barriers.take().unwrap_or_default().1;
        recording.after.clone_from(&self.slot.tracker);
        let runs = self.slot.timestamps.as_ref().map_or(&[][..], |timestamps| &timestamps.runs()[runs_before..]);
        recording.runs.clear();
        recording.runs.extend_from_slice(runs);
        recording.timestamps = place;
        let Replays { asked, recordings, turn, made, .. } = &mut self.slot.replays;
        recording.asked.asks.clone_from(&asked.asks);
        recording.asked.pushes.clone_from(&asked.pushes);
        recording.asked.texts.clone_from(&asked.texts);
        recording.turn = *turn;
        *made += 1;
        let commands = recording.commands;
        recordings.push(recording);
        Ok(commands)
    }
}
