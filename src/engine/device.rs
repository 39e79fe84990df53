//! The logical device: one queue, one timeline semaphore, one allocator, from which everything else is made.

use std::ffi::{CStr, CString};
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

use ash::{ext, vk};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};

use super::choice::{DEVICE_VARIABLE, DeviceInfo, DeviceType, choose};
use super::core::Features;
use super::error::{Call, Error, Result};
use super::extensions::Extensions;
use super::instance::{Instance, InstanceOptions, loader_lock, lock};
use super::replaced::Replacements;
use super::smaller::SmallerLimits;

/// A Vulkan device in use. Cheap to clone; everything made from it keeps it alive.
#[derive(Clone)]
pub struct Device {
    shared: Arc<Shared>,
}

/// A point on the device's timeline: the work submitted with it has finished once the timeline has reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub(crate) u64);

struct Shared {
    // Fields are dropped after `Drop` has run, the instance last of what matters.
    raw: ash::Device,
    names: Option<ext::debug_utils::Device>,
    info: DeviceInfo,
    limits: vk::PhysicalDeviceLimits,
    timestamp_valid_bits: u32,
    /// Largest index of a vertex.
    most_index: u32,
    /// Whether depths can be compared while they are sampled.
    compares_depth: bool,
    extensions: Extensions,
    /// Most bytes of a buffer.
    most_buffer_bytes: u64,
    /// Most bytes that can be allocated at once for certain.
    most_allocation_bytes: u64,
    #[cfg(feature = "viewer")]
    presents: bool,
    allocator: ManuallyDrop<Mutex<Allocator>>,
    queue: Mutex<Queue>,
    timeline: vk::Semaphore,
    replacements: Mutex<Replacements>,
    instance: Instance,
}

struct Queue {
    raw: vk::Queue,
    last_ticket: u64,
}

impl Device {
    /// Opens the device that `asked` names, else the one that the environment variable `TAUTLINE_DEVICE` names, else
    /// the best one. No window is involved.
    ///
    /// # Errors
    /// Whatever keeps Vulkan from being used, from a missing loader to a device that does not exist.
    pub fn headless(asked: Option<&str>) -> Result<Self> {
        Self::open(&Instance::new(&InstanceOptions::default())?, asked, false)
    }

    /// Opens a device of `instance`, chosen as [`Device::headless`] says. `presents` makes it able to show a window.
    ///
    /// # Errors
    /// Whatever keeps the device from being used.
    pub fn open(instance: &Instance, asked: Option<&str>, presents: bool) -> Result<Self> {
        Self::within(&SmallerLimits::default(), instance, asked, presents)
    }

    /// As [`Device::open`], held to the limits of a smaller device, to see what is divided or refused there. No window is
    /// involved.
    ///
    /// # Errors
    /// Whatever keeps the device from being used.
    pub fn open_smaller(instance: &Instance, asked: Option<&str>, limits: &SmallerLimits) -> Result<Self> {
        Self::within(limits, instance, asked, false)
    }

    fn within(smaller: &SmallerLimits, instance: &Instance, asked: Option<&str>, presents: bool) -> Result<Self> {
        let loader = loader_lock();
        let devices = instance.devices()?;
        let environment = std::env::var(DEVICE_VARIABLE).ok().filter(|name| !name.trim().is_empty());
        let info = choose(&devices, asked.or(environment.as_deref()))?.clone();
        if presents && !instance.presents() {
            return Err(Error::Window { reason: "the instance was made without a display".into() });
        }
        if presents && !instance.has_device_extension(info.handle, ash::khr::swapchain::NAME)? {
            return Err(Error::DeviceLacks {
                device: info.name,
                what: "a way to show windows (VK_KHR_swapchain)".into(),
            });
        }

        let raw_instance = instance.raw();
        // SAFETY: the handle comes from this instance.
        let (mut properties, supported, families) = unsafe {
            (
                raw_instance.get_physical_device_properties(info.handle),
                raw_instance.get_physical_device_features(info.handle),
                raw_instance.get_physical_device_queue_family_properties(info.handle),
            )
        };
        smaller.hold(&mut properties.limits);
        let mut maintenance_3 = vk::PhysicalDeviceMaintenance3Properties::default();
        let mut maintenance_4 = vk::PhysicalDeviceMaintenance4Properties::default();
        let mut more =
            vk::PhysicalDeviceProperties2::default().push_next(&mut maintenance_3).push_next(&mut maintenance_4);
        // SAFETY: the device has a core, of which the chained structures are part.
        unsafe { raw_instance.get_physical_device_properties2(info.handle, &mut more) };
        let optional = Extensions::of(instance, &info)?;
        let extensions = instance.wanted_extensions(&info, presents)?.into_iter().chain(optional.names());
        let extensions: Vec<_> = extensions.map(CStr::as_ptr).collect();
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(info.queue_family).queue_priorities(&[1.0])];
        let features = vk::PhysicalDeviceFeatures::default()
            .full_draw_index_uint32(supported.full_draw_index_uint32 == vk::TRUE)
            // Every device has it; what a shader reads or writes past a buffer's end then stays defined.
            .robust_buffer_access(true);
        let mut wanted = Features::wanted();
        // Devices that implement a subset of Vulkan say which of its parts they have; all of those are enabled.
        let is_subset = instance.has_device_extension(info.handle, ash::khr::portability_subset::NAME)?;
        let mut subset = vk::PhysicalDevicePortabilitySubsetFeaturesKHR::default();
        if is_subset {
            let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut subset);
            // SAFETY: the device has the extension that the chained structure belongs to.
            unsafe { raw_instance.get_physical_device_features2(info.handle, &mut all) };
        }
        let compares_depth = !is_subset || subset.mutable_comparison_samplers == vk::TRUE;
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .enabled_features(&features);
        let mut create = wanted.chain(create);
        if is_subset {
            create = create.push_next(&mut subset);
        }
        let mut executables =
            vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
        if optional.has_statistics {
            create = create.push_next(&mut executables);
        }
        let mut subgroups = vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
            .subgroup_size_control(true)
            .compute_full_subgroups(true);
        if optional.subgroups.is_some() {
            create = create.push_next(&mut subgroups);
        }
        // SAFETY: `info` says that the device has these features and this queue family; the extensions were looked up.
        let raw = unsafe { create_device(raw_instance, &info, &create) }?;

        let (timeline, allocator) = make_parts(instance, &info, &raw).inspect_err(|_| {
            // SAFETY: what was made from the device is gone again, and nothing was submitted.
            unsafe { raw.destroy_device(None) };
        })?;
        // SAFETY: the queue was asked for when the device was made.
        let queue = unsafe { raw.get_device_queue(info.queue_family, 0) };
        let names = instance.has_debug_utils().then(|| ext::debug_utils::Device::new(raw_instance, &raw));
        let device = Self {
            shared: Arc::new(Shared {
                names,
                limits: properties.limits,
                timestamp_valid_bits: families[info.queue_family as usize].timestamp_valid_bits,
                most_index: if supported.full_draw_index_uint32 == vk::TRUE { u32::MAX } else { (1 << 24) - 1 },
                compares_depth,
                extensions: optional,
                most_buffer_bytes: maintenance_4.max_buffer_size,
                most_allocation_bytes: maintenance_3.max_memory_allocation_size,
                #[cfg(feature = "viewer")]
                presents,
                allocator: ManuallyDrop::new(Mutex::new(allocator)),
                queue: Mutex::new(Queue { raw: queue, last_ticket: 0 }),
                timeline,
                replacements: Mutex::default(),
                instance: instance.clone(),
                info,
                raw,
            }),
        };
        drop(loader);
        device.name(device.raw().handle(), "device");
        device.name(queue, "device.queue");
        device.name(timeline, "device.timeline");
        Ok(device)
    }

    /// Name, driver and kind of the device.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.shared.info
    }

    /// The limits that the driver states, or lower ones that the device was opened with.
    pub fn limits(&self) -> &vk::PhysicalDeviceLimits {
        &self.shared.limits
    }

    /// The instance that the device was opened from.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.shared.instance
    }

    /// How many vertices one draw can tell apart.
    #[must_use]
    pub fn most_vertices(&self) -> u64 {
        u64::from(self.shared.most_index) + 1
    }

    pub(crate) fn compares_depth(&self) -> bool {
        self.shared.compares_depth
    }

    /// Whether it is a processor that plays a GPU, to which dispatches cost little and shared memory is nothing special.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.info().device_type == DeviceType::Cpu
    }

    /// Invocations of a subgroup, where kernels can rely on full subgroups of that size and on shuffles within them.
    #[must_use]
    pub fn subgroup_size(&self) -> Option<u32> {
        self.shared.extensions.subgroups.map(|subgroups| subgroups.size)
    }

    pub(super) fn extensions(&self) -> Extensions {
        self.shared.extensions
    }

    pub(crate) fn most_buffer_bytes(&self) -> u64 {
        self.shared.most_buffer_bytes
    }

    /// How much memory the device has of its own \[bytes\], however much of it is in use.
    #[must_use]
    pub fn own_memory_bytes(&self) -> u64 {
        self.instance().own_memory_bytes(self.info())
    }

    pub(super) fn most_allocation_bytes(&self) -> u64 {
        self.shared.most_allocation_bytes
    }

    #[cfg(feature = "viewer")]
    pub(crate) fn presents(&self) -> bool {
        self.shared.presents
    }

    /// Panics where `other` is another device: what belongs to one cannot be used with the other.
    #[track_caller]
    pub(crate) fn assert_same(&self, other: &Self) {
        assert!(Arc::ptr_eq(&self.shared, &other.shared), "objects of two devices cannot be used together");
    }

    /// How many bits of a timestamp count; 0 where the queue has no timestamps.
    #[must_use]
    pub fn timestamp_valid_bits(&self) -> u32 {
        self.shared.timestamp_valid_bits
    }

    /// The ash device, for code that mixes this engine with its own Vulkan.
    #[must_use]
    pub fn raw(&self) -> &ash::Device {
        &self.shared.raw
    }

    /// Whether the work submitted with `ticket` has finished.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], or what Vulkan reports.
    pub fn is_done(&self, ticket: Ticket) -> Result<bool> {
        // SAFETY: the semaphore lives as long as the device.
        let reached = unsafe { self.raw().get_semaphore_counter_value(self.shared.timeline) };
        Ok(reached.call("vkGetSemaphoreCounterValue")? >= ticket.0)
    }

    /// Waits until the work submitted with `ticket` has finished.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], or what Vulkan reports.
    pub fn wait(&self, ticket: Ticket) -> Result<()> {
        let semaphores = [self.shared.timeline];
        let values = [ticket.0];
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore lives as long as the device, and a ticket is only made by the submission that signals it.
        unsafe { self.raw().wait_semaphores(&info, u64::MAX) }.call("vkWaitSemaphores")?;
        if self.instance().validates() {
            // The validation layer's core checks follow submissions in a thread of their own. In layer 1.3.239 that goes on after
            // this wait, and corrupts the heap where a command buffer is recorded anew meanwhile; for an idle queue the
            // layer waits for its thread.
            let queue = lock(&self.shared.queue);
            // SAFETY: the lock serialises the queue.
            unsafe { self.raw().queue_wait_idle(queue.raw) }.call("vkQueueWaitIdle")?;
        }
        Ok(())
    }

    /// Waits until everything submitted so far has finished.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], or what Vulkan reports.
    pub fn wait_idle(&self) -> Result<()> {
        let ticket = Ticket(lock(&self.shared.queue).last_ticket);
        self.wait(ticket)
    }

    /// Submits one command buffer, with binary semaphores to wait for and to signal where a window is involved.
    ///
    /// # Safety
    /// The command buffer must have been recorded in full, and it and all that it uses must stay alive until the
    /// ticket is done.
    pub(crate) unsafe fn submit(
        &self,
        commands: vk::CommandBuffer,
        wait: Option<vk::Semaphore>,
        signal: Option<vk::Semaphore>,
    ) -> Result<Ticket> {
        let mut queue = lock(&self.shared.queue);
        let ticket = queue.last_ticket + 1;
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let semaphore = |semaphore| vk::SemaphoreSubmitInfo::default().semaphore(semaphore).stage_mask(all);
        let waits = wait.map(semaphore);
        let signals = [semaphore(self.shared.timeline).value(ticket), signal.map(semaphore).unwrap_or_default()];
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let submits = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(waits.as_slice())
            .command_buffer_infos(&commands)
            .signal_semaphore_infos(&signals[..1 + usize::from(signal.is_some())])];
        // SAFETY: the lock serialises the queue; the caller vouches for the command buffer.
        unsafe { self.raw().queue_submit2(queue.raw, &submits, vk::Fence::null()) }.call("vkQueueSubmit2")?;
        queue.last_ticket = ticket;
        Ok(Ticket(ticket))
    }

    /// Gives the queue to `use_queue` alone, to present with it.
    #[cfg(feature = "viewer")]
    pub(crate) fn with_queue<T>(&self, use_queue: impl FnOnce(vk::Queue) -> T) -> T {
        use_queue(lock(&self.shared.queue).raw)
    }

    /// Gives a Vulkan object the name that captures and messages show: its owner first, as in `cloth.positions`.
    pub(crate) fn name(&self, handle: impl vk::Handle + Copy, name: impl fmt::Display) {
        if handle.as_raw() == 0 {
            return;
        }
        let Some(names) = &self.shared.names else {
            return;
        };
        if let Ok(name) = CString::new(name.to_string()) {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
            let _loader = loader_lock();
            // SAFETY: the handle was made from this device. A name that cannot be set loses nothing but the name.
            let _ = unsafe { names.set_debug_utils_object_name(&info) };
        }
    }

    pub(crate) fn labels(&self) -> Option<&ext::debug_utils::Device> {
        self.shared.names.as_ref()
    }

    /// What is allocated of the device's memory now, by all that was made on it.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let report = lock(self.allocator()).generate_report();
        Memory { allocations: report.allocations.len(), bytes: report.total_allocated_bytes }
    }

    pub(super) fn replacements(&self) -> &Mutex<Replacements> {
        &self.shared.replacements
    }

    pub(crate) fn allocator(&self) -> &Mutex<Allocator> {
        &self.shared.allocator
    }

    /// Fails where `needed` of `what` is above a limit of the device.
    pub(crate) fn check_limit(
        what: impl fmt::Display,
        needed: u64,
        unit: &'static str,
        (limit_name, limit): (&'static str, u64),
    ) -> Result<()> {
        if needed > limit {
            return Err(Error::OverLimit { what: what.to_string(), needed, unit, limit, limit_name });
        }
        Ok(())
    }
}

/// What is allocated of a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// How many buffers and images have some.
    pub allocations: usize,
    /// What they take together \[bytes\].
    pub bytes: u64,
}

/// Makes a device, with the functions of its core.
///
/// # Safety
/// The device has to have what it is made with.
unsafe fn create_device(
    instance: &ash::Instance,
    info: &DeviceInfo,
    create: &vk::DeviceCreateInfo<'_>,
) -> Result<ash::Device> {
    let mut raw = vk::Device::null();
    // SAFETY: the caller vouches for what the device is made with, and the device was made just now with the extensions of
    // its core.
    unsafe {
        (instance.fp_v1_0().create_device)(info.handle, create, std::ptr::null(), &mut raw)
            .result()
            .call("vkCreateDevice")?;
        Ok(info.core.load(instance, raw))
    }
}

/// The parts of a device that have to be destroyed before it.
fn make_parts(instance: &Instance, info: &DeviceInfo, raw: &ash::Device) -> Result<(vk::Semaphore, Allocator)> {
    let allocator = Allocator::new(&AllocatorCreateDesc {
        instance: instance.raw().clone(),
        device: raw.clone(),
        physical_device: info.handle,
        debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
        buffer_device_address: false,
        allocation_sizes: gpu_allocator::AllocationSizes::default(),
    })
    .map_err(|error| Error::OutOfMemory { what: "the allocator".into(), bytes: 0, reason: error.to_string() })?;
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let create = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    // SAFETY: the device was made with timeline semaphores.
    let timeline = unsafe { raw.create_semaphore(&create, None) }.call("vkCreateSemaphore")?;
    Ok((timeline, allocator))
}

impl fmt::Debug for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Device").field(&self.shared.info.name).finish()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _loader = loader_lock();
        // SAFETY: buffers, images, pipelines and frames each held a clone of the `Arc` that is dropped here, so they
        // are gone; what is left is destroyed in the reverse of the order in which `open` made it. Waiting can only
        // fail on a lost device, which may be destroyed as well.
        unsafe {
            let _ = self.raw.device_wait_idle();
            ManuallyDrop::drop(&mut self.allocator);
            self.raw.destroy_semaphore(self.timeline, None);
            self.raw.destroy_device(None);
        }
    }
}
