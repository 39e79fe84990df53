//! A ring of frames in flight: while the device works on one, the CPU records the next.

use std::any::Any;
use std::collections::vec_deque::Drain;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use ash::vk;

use super::device::{Device, Ticket};
use super::error::{Call, Error, Result};
use super::hazard::{Tracker, Use};
use super::label::Labels;
use super::recorder::Recorder;
use super::replay::Replays;
use super::timing::{FrameTiming, Timed, Timestamps};

/// Command buffers, timestamps and owners of a fixed number of recordings in flight.
pub struct Frames {
    // Slots come before the device, which their drop still needs.
    slots: Vec<Slot>,
    next: usize,
    /// How many recordings were begun.
    begun: u64,
    /// The last of them, at most [`Frames::TIMINGS_KEPT`].
    finished: VecDeque<Option<FrameTiming>>,
    keeps_timelines: bool,
    timing: Timing,
    replays: bool,
    /// Whether the recording that finished last had more passes than there was room for.
    missed_passes: bool,
    device: Device,
}

/// What of its recordings a ring times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timing {
    Passes,
    Whole,
    Sampled,
}

/// One frame in flight.
pub(super) struct Slot {
    pub(super) pool: vk::CommandPool,
    pub(super) commands: vk::CommandBuffer,
    pub(super) timestamps: Option<Timestamps>,
    /// What the recording uses, by address, so that it lives until the device is done.
    pub(super) owners: HashMap<usize, Arc<dyn Any + Send + Sync>>,
    pub(super) ticket: Option<Ticket>,
    pub(super) replays: Replays,
    // What follows is of the recording in progress, and kept so that the next one takes no memory.
    pub(super) tracker: Tracker,
    pub(super) labels: Labels,
    pub(super) transfer_uses: Vec<Use>,
    /// Names of passes that are not kernels.
    names: Vec<Arc<str>>,
    device: Device,
}

impl Frames {
    /// Of how many recordings the passes of one are timed where times are sampled.
    pub const PASSES_EVERY: u64 = 25;
    /// Of how many the whole of one is timed.
    pub const WHOLE_EVERY: u64 = 5;

    /// How many timings are kept for who has not taken them.
    pub const TIMINGS_KEPT: usize = 4096;

    /// A ring of `count` frames in flight, at least one; two let the CPU and the device work at the same time. On an instance
    /// for captures it records everything anew, so that captures read like the source.
    ///
    /// # Errors
    /// What Vulkan reports.
    pub fn new(device: &Device, count: usize) -> Result<Self> {
        let slots = (0..count.max(1)).map(|number| Slot::new(device, number)).collect::<Result<_>>()?;
        Ok(Self {
            slots,
            next: 0,
            begun: 0,
            finished: VecDeque::new(),
            keeps_timelines: false,
            timing: Timing::Passes,
            replays: !device.instance().captures(),
            missed_passes: false,
            device: device.clone(),
        })
    }

    /// The number by which captures call the recording that is begun next.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.begun + 1
    }

    /// Waits until the oldest frame in flight has finished and starts a recording in its place. Captures call it by its
    /// number, `frame 1` and so on.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](super::Error::DeviceLost), or what Vulkan reports.
    pub fn begin(&mut self) -> Result<Recorder<'_>> {
        self.begun += 1;
        let number = self.begun;
        self.begin_as(&format_args!("frame {number}"))
    }

    /// As [`Frames::begin`], under another label.
    fn begin_as(&mut self, label: &dyn fmt::Display) -> Result<Recorder<'_>> {
        let index = self.next;
        self.next = (index + 1) % self.slots.len();
        self.collect(index)?;
        let timed = match self.timing {
            Timing::Passes => Timed::Passes,
            Timing::Whole => Timed::Whole,
            Timing::Sampled if self.missed_passes || self.begun % Self::PASSES_EVERY == 1 => Timed::Passes,
            Timing::Sampled if self.begun % Self::WHOLE_EVERY == 1 => Timed::Whole,
            Timing::Sampled => Timed::Nothing,
        };
        Recorder::begin(&self.device, &mut self.slots[index], label, timed, self.replays)
    }

    /// Waits until every frame in flight has finished.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](super::Error::DeviceLost), or what Vulkan reports.
    pub fn finish(&mut self) -> Result<()> {
        // From the oldest to the newest, so that timings stay in order.
        for offset in 0..self.slots.len() {
            self.collect((self.next + offset) % self.slots.len())?;
        }
        Ok(())
    }

    /// The timings of the recordings that have finished since the last call, oldest first; `None` for a recording
    /// without timestamps. Of more than [`Frames::TIMINGS_KEPT`] only the last are there.
    pub fn take_timings(&mut self) -> Drain<'_, Option<FrameTiming>> {
        self.finished.drain(..)
    }

    /// Times whole recordings from here on and none of their passes, by one timestamp at their start and one at their end: each
    /// timestamp has the device wait for what came before it.
    pub fn time_whole_frames(&mut self) {
        self.timing = Timing::Whole;
    }

    /// From here on times only some recordings, beginning with the first of all, as each timestamp takes time: the passes of one
    /// in [`Frames::PASSES_EVERY`], and of one in [`Frames::WHOLE_EVERY`] the whole, as [`Frames::time_whole_frames`] does.
    pub fn sample(&mut self) {
        self.timing = Timing::Sampled;
    }

    /// Takes no times from here on, to see what that costs; waits until every frame in flight has finished.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](super::Error::DeviceLost), or what Vulkan reports.
    pub fn stop_timing(&mut self) -> Result<()> {
        self.finish()?;
        self.slots.iter_mut().for_each(|slot| slot.timestamps = None);
        Ok(())
    }

    /// Records everything anew from here on, also what [`Recorder::replayed`] has kept, to see what that costs.
    pub fn record_anew(&mut self) {
        self.replays = false;
    }

    /// How many recordings [`Recorder::replayed`] has made so far; where it replays one, it makes none.
    #[must_use]
    pub fn recordings_made(&self) -> u64 {
        self.slots.iter().map(|slot| slot.replays.made).sum()
    }

    /// Keeps from here on when each pass ran, in [`FrameTiming::timeline`]; for that the device's clock is read once a frame.
    pub fn keep_timelines(&mut self) {
        self.keeps_timelines = true;
    }

    /// Records, submits and waits.
    ///
    /// # Errors
    /// What `record` returns, or what Vulkan reports.
    pub fn run_once(device: &Device, record: impl FnOnce(&mut Recorder<'_>) -> Result<()>) -> Result<()> {
        let mut frames = Self::new(device, 1)?;
        frames.record_anew();
        let mut recorder = frames.begin_as(&"between frames")?;
        record(&mut recorder)?;
        let ticket = recorder.submit()?;
        device.wait(ticket)
    }

    fn collect(&mut self, index: usize) -> Result<()> {
        let slot = &mut self.slots[index];
        if let Some(ticket) = slot.ticket {
            self.device.wait(ticket)?;
            slot.ticket = None;
            slot.owners.clear();
            let read = |timestamps: &mut Timestamps| timestamps.read(self.keeps_timelines);
            let timing = slot.timestamps.as_mut().map_or(Ok(None), read)?;
            // The next one in its place has room for as many.
            self.missed_passes = slot.timestamps.as_ref().is_some_and(Timestamps::has_missed);
            if self.finished.len() == Self::TIMINGS_KEPT {
                self.finished.pop_front();
            }
            self.finished.push_back(timing);
        }
        Ok(())
    }
}

impl Slot {
    fn new(device: &Device, number: usize) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.info().queue_family);
        // SAFETY: the device is alive and has this queue family.
        let pool = unsafe { device.raw().create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        let mut slot = Self {
            pool,
            commands: vk::CommandBuffer::null(),
            timestamps: None,
            owners: HashMap::new(),
            ticket: None,
            replays: Replays::new(device, format!("frames.replays[{number}]")),
            tracker: Tracker::default(),
            labels: Labels::default(),
            transfer_uses: Vec::new(),
            names: Vec::new(),
            device: device.clone(),
        };
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool was made just now.
        slot.commands = unsafe { device.raw().allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers")?[0];
        slot.timestamps = Timestamps::new(device, format!("frames.timestamps[{number}]"))?;
        device.name(pool, format_args!("frames.command_pool[{number}]"));
        device.name(slot.commands, format_args!("frames.commands[{number}]"));
        Ok(slot)
    }

    /// The name of a pass, made once.
    pub(super) fn shared_name(&mut self, name: &str) -> Arc<str> {
        let known = self.names.iter().find(|known| ***known == *name).cloned();
        known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names[self.names.len() - 1].clone()
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match self.ticket.map_or(Ok(()), |ticket| self.device.wait(ticket)) {
            // SAFETY: the recording has finished, or its device is lost, so nothing uses the pool or its command buffer.
            Ok(()) | Err(Error::DeviceLost { .. }) => unsafe {
                self.device.raw().destroy_command_pool(self.pool, None);
                self.replays.destroy();
            },
            // Without knowing that, what the recording uses is better leaked than destroyed.
            Err(_) => std::mem::forget((std::mem::take(&mut self.owners), self.timestamps.take())),
        }
    }
}
