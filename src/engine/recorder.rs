//! Records passes. One call gives a pass its label, its barrier, its bindings, its push constants, its dispatch and its
//! timestamp, so that none can be forgotten and all carry the same name.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ash::vk;
use bytemuck::NoUninit;

use super::bindings::Bindings;
use super::buffer::Staging;
use super::device::{Device, Ticket};
use super::error::{Call, Error, Result};
use super::frames::Slot;
use super::hazard::{Barrier, ResourceId, Use};
use super::interface::Pipeline;
use super::kernel::Kernel;
use super::timing::Timed;
use super::trace::Trace;
use super::work::{PassWork, Work};

/// Something a recording has to keep alive until the device is done with it.
pub(super) trait Owned {
    /// The shared owner of the Vulkan objects.
    fn owner(&self) -> Arc<dyn Any + Send + Sync>;
    /// The device that they belong to.
    fn device(&self) -> &Device;
}

/// One recording in progress; it runs when it is submitted and is discarded when it is dropped before.
pub struct Recorder<'frame> {
    pub(super) device: Device,
    pub(super) slot: &'frame mut Slot,
    /// What is recorded into: the slot's, or one that is kept for replays.
    pub(super) commands: vk::CommandBuffer,
    /// Kept where it was asked for, and with validation on, to be searched for missing barriers.
    pub(super) trace: Option<Trace>,
    run: Option<Run>,
    /// What this recording reads back into.
    downloads: Vec<Staging>,
    /// Whether [`Recorder::replayed`] keeps what it records.
    pub(super) replays: bool,
    /// Whether it gathers dispatches now.
    pub(super) gathers: bool,
    /// Where barriers are kept, how many calls were recorded since, and each with the number of calls before it.
    pub(super) kept_barriers: Option<(usize, Vec<(usize, Barrier)>)>,
}

/// Consecutive calls of one pass: they share a timestamp.
struct Run {
    name: Arc<str>,
    calls: u32,
}

impl<'frame> Recorder<'frame> {
    /// Starts a recording under a label, of which the passes are timed, or only the whole, and which replays others or does not.
    pub(super) fn begin(
        device: &Device,
        slot: &'frame mut Slot,
        label: &dyn fmt::Display,
        timed: Timed,
        replays: bool,
    ) -> Result<Self> {
        slot.owners.clear();
        slot.tracker.restart();
        slot.labels.restart();
        slot.replays.restart();
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the frame's last recording has finished, so its pool and command buffer are not in use.
        unsafe {
            device
                .raw()
                .reset_command_pool(slot.pool, vk::CommandPoolResetFlags::empty())
                .call("vkResetCommandPool")?;
            device.raw().begin_command_buffer(slot.commands, &info).call("vkBeginCommandBuffer")?;
        }
        // A recording starts with one full barrier, so that it stands by itself: the tracker need not know what was
        // submitted before it.
        let everything = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
        let dependency = vk::DependencyInfo::default().memory_barriers(&everything);
        // SAFETY: the command buffer is recording.
        unsafe { device.raw().cmd_pipeline_barrier2(slot.commands, &dependency) };
        if let Some(timestamps) = &mut slot.timestamps {
            timestamps.begin(slot.commands, timed)?;
        }
        let trace = device.instance().validates().then(Trace::default);
        let mut recorder = Self {
            device: device.clone(),
            commands: slot.commands,
            slot,
            trace,
            run: None,
            downloads: Vec::new(),
            replays,
            gathers: false,
            kept_barriers: None,
        };
        recorder.open_label(label);
        Ok(recorder)
    }

    /// Runs a kernel once for each of `invocations` in x, y and z, rounded up to whole workgroups: the kernel has to
    /// ignore invocations past its data.
    ///
    /// # Errors
    /// [`Error::Binding`] where `push` has not the size of the kernel's push constants, [`Error::OverLimit`] where the
    /// device cannot dispatch as many workgroups.
    pub fn dispatch<P: NoUninit>(
        &mut self,
        bindings: &Bindings<Kernel>,
        push: &P,
        invocations: [u32; 3],
    ) -> Result<()> {
        self.dispatch_one_of(None, bindings, push, invocations)
    }

    /// As [`Recorder::dispatch`], with a label of its own within that of the pass, such as `batch 3 of 8`: for passes of
    /// several calls.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    pub fn dispatch_labelled<P: NoUninit>(
        &mut self,
        label: &dyn fmt::Display,
        bindings: &Bindings<Kernel>,
        push: &P,
        invocations: [u32; 3],
    ) -> Result<()> {
        self.dispatch_one_of(Some(label), bindings, push, invocations)
    }

    fn dispatch_one_of<P: NoUninit>(
        &mut self,
        label: Option<&dyn fmt::Display>,
        bindings: &Bindings<Kernel>,
        push: &P,
        invocations: [u32; 3],
    ) -> Result<()> {
        let kernel = bindings.pipeline();
        let push = bytemuck::bytes_of(push);
        kernel.interface().check_push(push)?;
        let mut groups = [0; 3];
        for axis in 0..3 {
            groups[axis] = invocations[axis].div_ceil(kernel.local_size()[axis]);
            let limit = u64::from(self.device.limits().max_compute_work_group_count[axis]);
            let limit = ("maxComputeWorkGroupCount", limit);
            let pass = format_args!("the pass '{}'", kernel.name());
            Device::check_limit(pass, groups[axis].into(), "workgroups", limit)?;
        }
        if groups.contains(&0) {
            return Ok(());
        }
        if self.gathers {
            self.gather(label, bindings, push, groups);
        } else {
            self.keep_alive(bindings);
            self.record_dispatch(label, bindings, push, groups);
        }
        Ok(())
    }

    /// Records a dispatch of bindings that are kept alive, with sizes that were checked.
    pub(super) fn record_dispatch(
        &mut self,
        label: Option<&dyn fmt::Display>,
        bindings: &Bindings<Kernel>,
        push: &[u8],
        groups: [u32; 3],
    ) {
        let kernel = bindings.pipeline();
        self.start_pass(kernel.name(), label, bindings.uses());
        self.describe(|| bindings.work(groups));
        let commands = self.commands;
        // SAFETY: the pipeline, its layout and the set belong together, the recorder keeps them alive, and the sizes of
        // push constants and dispatch were checked by `dispatch_one_of`.
        unsafe {
            let raw = self.device.raw();
            raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, kernel.raw());
            bindings.bind(raw, commands, vk::PipelineBindPoint::COMPUTE, push);
            raw.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
        }
        if label.is_some() {
            self.close_label();
        }
    }

    /// The device that it records for.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Keeps from here on what passes are told to do, for [`Recorder::work`].
    pub fn keep_work(&mut self) {
        self.trace.get_or_insert_default();
    }

    /// What passes were told to do since [`Recorder::keep_work`], or with validation on from the start; else nothing.
    #[must_use]
    pub fn work(&self) -> Vec<PassWork> {
        self.trace.as_ref().map(Trace::work).unwrap_or_default()
    }

    /// The trace of the recording since [`Recorder::keep_work`], or with validation on from the start; else none.
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Ends the recording and hands it to the device.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], or what Vulkan reports.
    pub fn submit(self) -> Result<Ticket> {
        self.submit_between(None, None)
    }

    /// As [`Recorder::submit`], waiting for one binary semaphore and signalling another.
    pub(super) fn submit_between(
        mut self,
        wait: Option<vk::Semaphore>,
        signal: Option<vk::Semaphore>,
    ) -> Result<Ticket> {
        self.end_run();
        self.close_pass_label();
        if let Some(barrier) = self.slot.tracker.finish() {
            self.record_barrier(&barrier);
        }
        if let Some(timestamps) = &mut self.slot.timestamps {
            timestamps.end(self.commands);
        }
        // That of the recording.
        self.close_label();
        if let Some(trace) = self.trace.as_ref().filter(|_| self.device.instance().validates()) {
            self.device.instance().add_messages(trace.races());
        }
        // SAFETY: the command buffer is recording and outside a render pass; the slot keeps all that it uses alive until
        // the ticket is done.
        let ticket = unsafe {
            self.device.raw().end_command_buffer(self.commands).call("vkEndCommandBuffer")?;
            self.device.submit(self.commands, wait, signal)?
        };
        self.slot.ticket = Some(ticket);
        self.downloads.iter().for_each(|staging| staging.filled_by(ticket));
        Ok(ticket)
    }

    /// Starts a call of a pass, which a timestamp ends unless the call before was of the same pass, in the label of the pass
    /// and, where it has one, a `label` of its own; and orders it after what it depends on.
    pub(super) fn start_pass(&mut self, name: &Arc<str>, label: Option<&dyn fmt::Display>, uses: &[Use]) {
        self.record_gathered();
        if self.run.as_ref().is_none_or(|run| run.name != *name) {
            self.end_run();
            self.run = Some(Run { name: name.clone(), calls: 0 });
        }
        if let Some(run) = &mut self.run {
            run.calls += 1;
        }
        self.label_pass(name);
        if let Some(label) = label {
            self.open_label(label);
        }
        self.order(name, uses);
    }

    /// Tells the trace, where one is kept, what the call that was started last does.
    pub(super) fn describe(&mut self, work: impl FnOnce() -> Work) {
        if let Some(trace) = &mut self.trace {
            trace.describe(work());
        }
    }

    /// Records the barrier that `uses` need, if any.
    pub(super) fn order(&mut self, name: &str, uses: &[Use]) {
        self.record_gathered();
        if let Some(barrier) = self.slot.tracker.before(uses) {
            self.record_barrier(&barrier);
            if let Some((calls, barriers)) = &mut self.kept_barriers {
                barriers.push((*calls, barrier));
            }
        }
        if let Some((calls, _)) = &mut self.kept_barriers {
            *calls += 1;
        }
        if let Some(trace) = &mut self.trace {
            trace.pass(name, uses);
        }
    }

    pub(super) fn end_run(&mut self) {
        if let (Some(run), Some(timestamps)) = (self.run.take(), &mut self.slot.timestamps) {
            timestamps.end_run(self.commands, &run.name, run.calls);
        }
    }

    fn record_barrier(&mut self, barrier: &Barrier) {
        if let Some(trace) = &mut self.trace {
            trace.barrier(barrier);
        }
        let memory = [vk::MemoryBarrier2::default()
            .src_stage_mask(barrier.source_stages)
            .src_access_mask(barrier.source_accesses)
            .dst_stage_mask(barrier.target_stages)
            .dst_access_mask(barrier.target_accesses)];
        let images: Vec<_> = barrier
            .transitions
            .iter()
            .map(|transition| {
                let range = vk::ImageSubresourceRange::default()
                    .aspect_mask(transition.image.aspect)
                    .level_count(vk::REMAINING_MIP_LEVELS)
                    .layer_count(1);
                vk::ImageMemoryBarrier2::default()
                    .src_stage_mask(barrier.source_stages)
                    .src_access_mask(barrier.source_accesses)
                    .dst_stage_mask(barrier.target_stages)
                    .dst_access_mask(barrier.target_accesses)
                    .old_layout(transition.from)
                    .new_layout(transition.image.layout)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(transition.image.image)
                    .subresource_range(range)
            })
            .collect();
        let dependency = vk::DependencyInfo::default().memory_barriers(&memory).image_memory_barriers(&images);
        // SAFETY: the command buffer is recording outside a render pass; the images are kept alive by whoever uses them.
        unsafe { self.device.raw().cmd_pipeline_barrier2(self.commands, &dependency) };
    }

    /// Records a transfer as a pass of its own.
    pub(super) fn transfer(
        &mut self,
        name: &str,
        reads: &[ResourceId],
        writes: &[ResourceId],
        images: &[Use],
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) {
        let stages = vk::PipelineStageFlags2::ALL_TRANSFER;
        let of = |&resource: &ResourceId, accesses| Use { resource, stages, accesses, image: None };
        let mut uses = std::mem::take(&mut self.slot.transfer_uses);
        uses.clear();
        uses.extend(reads.iter().map(|id| of(id, vk::AccessFlags2::TRANSFER_READ)));
        uses.extend(writes.iter().map(|id| of(id, vk::AccessFlags2::TRANSFER_WRITE)));
        uses.extend_from_slice(images);
        let name = self.slot.shared_name(name);
        self.start_pass(&name, None, &uses);
        self.slot.transfer_uses = uses;
        record(self.device.raw(), self.commands);
    }

    /// Makes what the device wrote to `staging` visible to the CPU once the recording is done.
    pub(super) fn host_will_read(&mut self, staging: &Staging) {
        let (resource, stages) = (staging.id(), vk::PipelineStageFlags2::HOST);
        self.order("host", &[Use { resource, stages, accesses: vk::AccessFlags2::HOST_READ, image: None }]);
        self.downloads.push(staging.clone());
    }

    /// Keeps what the next command uses until the recording is done. Panics where it belongs to another device.
    #[track_caller]
    pub(super) fn keep_alive(&mut self, used: &dyn Owned) {
        self.device.assert_same(used.device());
        let owner = used.owner();
        self.slot.owners.entry(Arc::as_ptr(&owner).cast::<()>() as usize).or_insert(owner);
    }
}

impl Error {
    /// The error of a pass whose resources, push constants or sizes do not fit.
    pub(super) fn binding(pass: &str, reason: impl Into<String>) -> Self {
        Self::Binding { pass: pass.to_string(), reason: reason.into() }
    }
}
