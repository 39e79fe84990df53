//! Buffers on the device, and how data gets into and out of them.

use std::any::Any;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ash::vk;
use bytemuck::Pod;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use super::device::{Device, Ticket};
use super::error::{Call, Error, Result};
use super::frames::Frames;
use super::hazard::ResourceId;
use super::instance::lock;
use super::recorder::{Owned, Recorder};

/// Most bytes that travel at once where somebody waits for them, so that as much memory besides will do.
const PIECE: usize = 64 << 20;

/// A buffer in the device's memory, usable as storage, uniform or index buffer and for transfers.
///
/// Cheap to clone: a recording that uses a buffer holds a clone of it until the device is done with it.
#[derive(Clone)]
pub struct Buffer {
    shared: Arc<RawBuffer>,
}

impl Buffer {
    /// A buffer of `size` bytes whose contents are zero. One that is larger than what one binding takes can be bound part by
    /// part, as [`Windows`](super::Windows) divides it.
    ///
    /// # Errors
    /// [`Error::OverLimit`] where the device has no buffers as large, [`Error::OutOfMemory`], or what Vulkan reports.
    pub fn zeroed(device: &Device, name: &str, size: u64) -> Result<Self> {
        let buffer = Self::uninitialised(device, name, size)?;
        Frames::run_once(device, |recorder| recorder.clear(&buffer))?;
        Ok(buffer)
    }

    /// A buffer that holds a copy of `data`.
    ///
    /// # Errors
    /// As [`Buffer::zeroed`].
    pub fn from_slice<T: Pod>(device: &Device, name: &str, data: &[T]) -> Result<Self> {
        let buffer = Self::uninitialised(device, name, size_of_val(data) as u64)?;
        if !data.is_empty() {
            buffer.write(data)?;
        }
        Ok(buffer)
    }

    fn uninitialised(device: &Device, name: &str, size: u64) -> Result<Self> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        Ok(Self { shared: Arc::new(RawBuffer::new(device, name, size, usage, MemoryLocation::GpuOnly)?) })
    }

    /// Replaces the start of the contents by `data` and waits until that is done.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where `data` is longer than the buffer, or what Vulkan reports.
    pub fn write<T: Pod>(&self, data: &[T]) -> Result<()> {
        if size_of_val(data) as u64 > self.size() {
            return Err(size_mismatch(self, size_of_val(data) as u64));
        }
        let device = &self.shared.device;
        let bytes: &[u8] = bytemuck::cast_slice(data);
        for (place, piece) in (0..).step_by(PIECE).zip(bytes.chunks(PIECE)) {
            let staging = Staging::upload(device, self.name(), piece)?;
            Frames::run_once(device, |recorder| recorder.upload_to(&staging, self, place))?;
        }
        Ok(())
    }

    /// Waits for the device and reads the whole buffer back, as many `T` as fit into it.
    ///
    /// # Errors
    /// What Vulkan reports.
    pub fn read<T: Pod>(&self) -> Result<Vec<T>> {
        let device = &self.shared.device;
        let mut data: Vec<T> = bytemuck::zeroed_vec(self.size() as usize / size_of::<T>());
        let mut place = 0;
        for piece in bytemuck::cast_slice_mut::<_, u8>(&mut data).chunks_mut(PIECE) {
            let staging = Staging::readback(device, self.name(), piece.len() as u64)?;
            Frames::run_once(device, |recorder| recorder.download_from(self, place, &staging))?;
            staging.read_into(piece)?;
            place += piece.len() as u64;
        }
        Ok(data)
    }

    /// Size \[bytes\].
    #[must_use]
    pub fn size(&self) -> u64 {
        self.shared.size
    }

    /// Name that captures and errors show.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The Vulkan handle, for code that mixes this engine with its own Vulkan.
    #[must_use]
    pub fn raw(&self) -> vk::Buffer {
        self.shared.raw
    }

    pub(crate) fn id(&self) -> ResourceId {
        self.shared.id
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Buffer").field("name", &self.name()).field("size", &self.size()).finish()
    }
}

/// Memory that both sides see, through which data travels to or from the device.
#[derive(Clone)]
pub struct Staging {
    shared: Arc<RawBuffer>,
    /// The ticket of the last recording that reads back into it, 0 before there is one.
    last_ticket: Arc<AtomicU64>,
}

impl Staging {
    /// A copy of `data`, to be uploaded to what is called `name`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or what Vulkan reports.
    pub fn upload<T: Pod>(device: &Device, name: &str, data: &[T]) -> Result<Self> {
        let (usage, size) = (vk::BufferUsageFlags::TRANSFER_SRC, size_of_val(data) as u64);
        let name = format!("{name}.upload");
        let mut raw = RawBuffer::new(device, &name, size, usage, MemoryLocation::CpuToGpu)?;
        raw.fill(data).ok_or_else(|| not_mapped(&name, size))?;
        Ok(Self { shared: Arc::new(raw), last_ticket: Arc::default() })
    }

    /// Replaces the start of the contents by `data`. Where a recording still uses them, nothing is written and it returns
    /// false: recordings hold a clone of what they use until the device is done with them.
    ///
    /// # Panics
    /// Where `data` is longer than what was uploaded first.
    #[must_use = "nothing may have been written"]
    pub fn write<T: Pod>(&mut self, data: &[T]) -> bool {
        Arc::get_mut(&mut self.shared).and_then(|raw| raw.fill(data)).is_some()
    }

    /// Room for `size` bytes of what is called `name` to be read back into.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or what Vulkan reports.
    pub fn readback(device: &Device, name: &str, size: u64) -> Result<Self> {
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let name = format!("{name}.readback");
        let raw = RawBuffer::new(device, &name, size, usage, MemoryLocation::GpuToCpu)?;
        raw.allocation.mapped_slice().ok_or_else(|| not_mapped(&name, size))?;
        Ok(Self { shared: Arc::new(raw), last_ticket: Arc::default() })
    }

    /// Waits for the last submitted recording that reads back into this memory, and returns what it holds then: as many
    /// `T` as fit.
    ///
    /// # Errors
    /// What Vulkan reports while waiting.
    pub fn read<T: Pod>(&self) -> Result<Vec<T>> {
        self.shared.device.wait(Ticket(self.last_ticket.load(Ordering::Acquire)))?;
        Ok(self.contents())
    }

    /// As [`Staging::read`], into bytes, of which there are as many as the memory holds.
    fn read_into(&self, bytes: &mut [u8]) -> Result<()> {
        self.shared.device.wait(Ticket(self.last_ticket.load(Ordering::Acquire)))?;
        bytes.copy_from_slice(self.bytes());
        Ok(())
    }

    /// Notes that the recording submitted with `ticket` reads back into this memory.
    pub(super) fn filled_by(&self, ticket: Ticket) {
        self.last_ticket.fetch_max(ticket.0, Ordering::AcqRel);
    }

    fn contents<T: Pod>(&self) -> Vec<T> {
        let bytes = self.bytes();
        let whole = bytes.len() / size_of::<T>() * size_of::<T>();
        bytemuck::pod_collect_to_vec(&bytes[..whole])
    }

    fn bytes(&self) -> &[u8] {
        &self.shared.allocation.mapped_slice().unwrap_or_default()[..self.shared.size as usize]
    }

    pub(crate) fn size(&self) -> u64 {
        self.shared.size
    }

    pub(crate) fn raw(&self) -> vk::Buffer {
        self.shared.raw
    }

    pub(crate) fn id(&self) -> ResourceId {
        self.shared.id
    }
}

impl Owned for Buffer {
    fn owner(&self) -> Arc<dyn Any + Send + Sync> {
        self.shared.clone()
    }

    fn device(&self) -> &Device {
        &self.shared.device
    }
}

impl Owned for Staging {
    fn owner(&self) -> Arc<dyn Any + Send + Sync> {
        self.shared.clone()
    }

    fn device(&self) -> &Device {
        &self.shared.device
    }
}

fn not_mapped(name: &str, bytes: u64) -> Error {
    Error::OutOfMemory { what: format!("the buffer '{name}'"), bytes, reason: "its memory cannot be mapped".into() }
}

/// A Vulkan buffer with its memory; both go when the last clone does.
struct RawBuffer {
    id: ResourceId,
    name: String,
    size: u64,
    raw: vk::Buffer,
    allocation: ManuallyDrop<Allocation>,
    device: Device,
}

impl RawBuffer {
    fn new(
        device: &Device,
        name: &str,
        size: u64,
        usage: vk::BufferUsageFlags,
        location: MemoryLocation,
    ) -> Result<Self> {
        let limit = ("maxBufferSize", device.most_buffer_bytes().min(u64::MAX - 16));
        Device::check_limit(format_args!("the buffer '{name}'"), size, "bytes", limit)?;
        // Vulkan has no empty buffers, while an empty list is a fair input: it gets room for one vec4. And it fills whole
        // words only.
        let info = vk::BufferCreateInfo::default().size(size.max(16).next_multiple_of(4)).usage(usage);
        // SAFETY: the device is alive and the size is not zero.
        let raw = unsafe { device.raw().create_buffer(&info, None) }.call("vkCreateBuffer")?;
        // SAFETY: the buffer was made just now from this device.
        let requirements = unsafe { device.raw().get_buffer_memory_requirements(raw) };
        let allocation = allocate(device, name, requirements, location, true).and_then(|allocation| {
            // SAFETY: the memory was allocated for this buffer's requirements and nothing is bound to the buffer yet.
            match unsafe { device.raw().bind_buffer_memory(raw, allocation.memory(), allocation.offset()) } {
                Ok(()) => Ok(allocation),
                Err(result) => {
                    let _ = lock(device.allocator()).free(allocation);
                    Err(Error::of("vkBindBufferMemory", result))
                }
            }
        });
        match allocation {
            Ok(allocation) => {
                device.name(raw, name);
                let allocation = ManuallyDrop::new(allocation);
                Ok(Self { id: ResourceId::next(), name: name.into(), size, raw, allocation, device: device.clone() })
            }
            Err(error) => {
                // SAFETY: the buffer was never used.
                unsafe { device.raw().destroy_buffer(raw, None) };
                Err(error)
            }
        }
    }

    /// Copies `data` to the start of its memory; none where that is not mapped.
    fn fill<T: Pod>(&mut self, data: &[T]) -> Option<()> {
        let bytes = bytemuck::cast_slice(data);
        self.allocation.mapped_slice_mut()?[..bytes.len()].copy_from_slice(bytes);
        Some(())
    }
}

impl Drop for RawBuffer {
    fn drop(&mut self) {
        // SAFETY: recordings hold clones of what they use until the device is done, so the last owner is dropped only
        // when no work refers to the buffer; the allocation is not touched after it is taken.
        unsafe {
            self.device.raw().destroy_buffer(self.raw, None);
            let _ = lock(self.device.allocator()).free(ManuallyDrop::take(&mut self.allocation));
        }
    }
}

/// Takes memory from the device's allocator.
pub(super) fn allocate(
    device: &Device,
    name: &str,
    requirements: vk::MemoryRequirements,
    location: MemoryLocation,
    linear: bool,
) -> Result<Allocation> {
    let description = AllocationCreateDesc {
        name,
        requirements,
        location,
        linear,
        allocation_scheme: AllocationScheme::GpuAllocatorManaged,
    };
    let allocation = lock(device.allocator()).allocate(&description).map_err(|error| {
        let most = device.most_allocation_bytes();
        // Some drivers allocate more than they promise.
        let reason = match requirements.size > most {
            true => format!("{error}; the driver promises {most} bytes at once (Vulkan's maxMemoryAllocationSize)"),
            false => error.to_string(),
        };
        Error::OutOfMemory { what: format!("'{name}'"), bytes: requirements.size, reason }
    })?;
    // SAFETY: memory that is shared with others is named and not touched.
    device.name(unsafe { allocation.memory() }, "device.memory");
    Ok(allocation)
}

/// Copies between the device's buffers and memory that both sides see.
impl Recorder<'_> {
    /// Sets all of `buffer` to zero.
    ///
    /// # Errors
    /// None at present; a `Result` as every pass has.
    pub fn clear(&mut self, buffer: &Buffer) -> Result<()> {
        self.keep_alive(buffer);
        self.transfer("clear", &[], &[buffer.id()], &[], |device, commands| {
            // SAFETY: the buffer is kept alive by the recorder, which is recording.
            unsafe { device.cmd_fill_buffer(commands, buffer.raw(), 0, vk::WHOLE_SIZE, 0) };
        });
        Ok(())
    }

    /// Replaces the start of `buffer` by `data` as the device reaches this point. The data are part of the recording, so
    /// that [`Buffer::write`] is the better choice for much.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where `data` is longer than the buffer, or no multiple of 4 bytes.
    pub fn update<T: Pod>(&mut self, buffer: &Buffer, data: &[T]) -> Result<()> {
        self.update_from(buffer, 0, data)
    }

    /// As [`Recorder::update`], from byte number `offset` on.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where the data end beyond the buffer, or start or end within a word of 4 bytes.
    pub fn update_from<T: Pod>(&mut self, buffer: &Buffer, offset: u64, data: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let end = offset.saturating_add(bytes.len() as u64);
        if end > buffer.size() || !offset.is_multiple_of(4) || !end.is_multiple_of(4) || bytes.is_empty() {
            return Err(size_mismatch(buffer, end));
        }
        self.keep_alive(buffer);
        self.transfer("update", &[], &[buffer.id()], &[], |device, commands| {
            // As much at once as Vulkan takes.
            for (index, piece) in bytes.chunks(65_536).enumerate() {
                let place = offset + 65_536 * index as u64;
                // SAFETY: the buffer is kept alive by the recorder, and the sizes were checked just now.
                unsafe { device.cmd_update_buffer(commands, buffer.raw(), place, piece) };
            }
        });
        Ok(())
    }

    /// Copies all of `source` to the start of `target`.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where `target` is smaller.
    pub fn copy(&mut self, source: &Buffer, target: &Buffer) -> Result<()> {
        if source.size() > target.size() || source.id() == target.id() {
            return Err(size_mismatch(target, source.size()));
        }
        self.keep_alive(source);
        self.keep_alive(target);
        let region = vk::BufferCopy::default().size(source.size());
        self.copy_raw("copy", (source.raw(), source.id()), (target.raw(), target.id()), region);
        Ok(())
    }

    /// Copies all of `source` into memory that the CPU can read once this recording is done.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where `target` is smaller.
    pub fn download(&mut self, source: &Buffer, target: &Staging) -> Result<()> {
        if source.size() > target.size() {
            return Err(size_mismatch(source, target.size()));
        }
        self.download_region(source, target, vk::BufferCopy::default().size(source.size()));
        Ok(())
    }

    /// Copies as much of `source`, from byte number `offset` on, as `target` holds into memory that the CPU can read once this
    /// recording is done.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where that ends beyond the buffer.
    pub fn download_from(&mut self, source: &Buffer, offset: u64, target: &Staging) -> Result<()> {
        if offset + target.size() > source.size() {
            return Err(size_mismatch(source, offset + target.size()));
        }
        self.download_region(source, target, vk::BufferCopy::default().src_offset(offset).size(target.size()));
        Ok(())
    }

    fn download_region(&mut self, source: &Buffer, target: &Staging, region: vk::BufferCopy) {
        self.keep_alive(source);
        self.keep_alive(target);
        self.copy_raw("download", (source.raw(), source.id()), (target.raw(), target.id()), region);
        self.host_will_read(target);
    }

    /// Copies all of `source` to the start of `target`.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] where `target` is smaller.
    pub fn upload(&mut self, source: &Staging, target: &Buffer) -> Result<()> {
        self.upload_to(source, target, 0)
    }

    /// As [`Recorder::upload`], to byte number `offset` and on.
    fn upload_to(&mut self, source: &Staging, target: &Buffer, offset: u64) -> Result<()> {
        let end = offset + source.size();
        if end > target.size() {
            return Err(size_mismatch(target, end));
        }
        self.keep_alive(source);
        self.keep_alive(target);
        let region = vk::BufferCopy::default().dst_offset(offset).size(source.size());
        self.copy_raw("upload", (source.raw(), source.id()), (target.raw(), target.id()), region);
        Ok(())
    }

    fn copy_raw(
        &mut self,
        name: &str,
        (source, source_id): (vk::Buffer, ResourceId),
        (target, target_id): (vk::Buffer, ResourceId),
        region: vk::BufferCopy,
    ) {
        if region.size == 0 {
            return;
        }
        self.transfer(name, &[source_id], &[target_id], &[], |device, commands| {
            // SAFETY: both buffers are kept alive by the recorder and hold the region, as the caller saw.
            unsafe { device.cmd_copy_buffer(commands, source, target, &[region]) };
        });
    }
}

fn size_mismatch(buffer: &Buffer, given: u64) -> Error {
    Error::SizeMismatch { buffer: buffer.name().to_string(), held: buffer.size(), given }
}
