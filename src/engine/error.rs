//! What can go wrong between this engine and a Vulkan device, told so that a person can act on it.

use ash::vk;

/// A result whose error is an engine [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything the engine reports. The text is one sentence that names the object and what to do.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The Vulkan loader library is not installed.
    #[error(
        "no Vulkan loader was found ({reason}): install one (Debian and Ubuntu: libvulkan1; macOS: MoltenVK and the \
         Vulkan loader; Windows: a graphics driver)"
    )]
    NoLoader {
        /// What the operating system said.
        reason: String,
    },
    /// The loader is older than Vulkan 1.3.
    #[error("the Vulkan loader speaks version {found}, and version 1.3 is needed: update the Vulkan loader")]
    OldLoader {
        /// Version that the loader speaks.
        found: String,
    },
    /// Validation was asked for and its layer is not installed.
    #[error(
        "the validation layer VK_LAYER_KHRONOS_validation is not installed: install it (Debian and Ubuntu: \
         vulkan-validationlayers) or run without validation"
    )]
    NoValidationLayer,
    /// Captures were asked for, and RenderDoc is not in this process.
    #[cfg(feature = "capture")]
    #[error(
        "RenderDoc is not at work in this program: install it (Debian and Ubuntu: renderdoc; others: renderdoc.org) and \
         start the program with ENABLE_VULKAN_RENDERDOC_CAPTURE=1 in its environment"
    )]
    NoRenderDoc,
    /// A capture came to nothing.
    #[cfg(feature = "capture")]
    #[error("'{}' cannot be captured: {reason}", path.display())]
    NoCapture {
        /// The file, or the folder that it was to lie in.
        path: std::path::PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// The loader found no device at all.
    #[error(
        "no Vulkan device was found: install a graphics driver, or a software one (Debian and Ubuntu: \
         mesa-vulkan-drivers)"
    )]
    NoDevice,
    /// Devices were found, and none can be used.
    #[error("no Vulkan device can be used: {}", lacking.join("; "))]
    NoUsableDevice {
        /// One entry a device: its name and what it lacks.
        lacking: Vec<String>,
    },
    /// The device that was asked for does not exist.
    #[error("no Vulkan device matches '{asked}': choose a name or an index of {}", available.join(", "))]
    UnknownDevice {
        /// Name or index as given.
        asked: String,
        /// The devices there are, as `index: name`.
        available: Vec<String>,
    },
    /// The device that was asked for, or the one in use, cannot do what is needed.
    #[error("the device '{device}' lacks {what}")]
    DeviceLacks {
        /// Name of the device.
        device: String,
        /// What it lacks.
        what: String,
    },
    /// More data than the device can hold in one binding or one dispatch.
    #[error("{what} needs {needed} {unit}, and the device's limit is {limit} (Vulkan's {limit_name}): use less data")]
    OverLimit {
        /// Name of the object.
        what: String,
        /// What it needs.
        needed: u64,
        /// Unit of `needed` and `limit`.
        unit: &'static str,
        /// What the device allows.
        limit: u64,
        /// Vulkan's name of the limit.
        limit_name: &'static str,
    },
    /// Memory could not be had.
    #[error("no memory for {what} ({bytes} bytes): {reason}; use less data or a smaller picture")]
    OutOfMemory {
        /// Name of the object.
        what: String,
        /// Size that was asked for \[bytes\].
        bytes: u64,
        /// What the allocator said.
        reason: String,
    },
    /// A shader's SPIR-V is malformed or uses what the engine does not bind.
    #[error("the shader '{shader}' cannot be used: {reason}")]
    Shader {
        /// Name of the shader.
        shader: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Resources, push constants or sizes do not fit a kernel.
    #[error("the pass '{pass}' cannot be bound: {reason}")]
    Binding {
        /// Name of the kernel or pipeline.
        pass: String,
        /// What does not fit, and what would.
        reason: String,
    },
    /// A buffer was read or written with another size than it has.
    #[error("the buffer '{buffer}' holds {held} bytes and was accessed with {given}")]
    SizeMismatch {
        /// Name of the buffer.
        buffer: String,
        /// Its size \[bytes\].
        held: u64,
        /// Size of the access \[bytes\].
        given: u64,
    },
    /// A window gives no handle that Vulkan can draw into.
    #[error("the window cannot be drawn into: {reason}")]
    Window {
        /// What the window system said.
        reason: String,
    },
    /// The device stopped answering.
    #[error("the Vulkan device was lost during {call}: its driver reset it; run again, with less work a frame")]
    DeviceLost {
        /// The Vulkan command.
        call: &'static str,
    },
    /// A command found no memory.
    #[error("Vulkan's {call} found no memory on the {side}: use less data or a smaller picture")]
    NoMemory {
        /// The Vulkan command.
        call: &'static str,
        /// Whose memory: the host's or the device's.
        side: &'static str,
    },
    /// Any other Vulkan error.
    #[error("Vulkan's {call} failed with {result:?}")]
    Vulkan {
        /// The Vulkan command.
        call: &'static str,
        /// Its result.
        result: vk::Result,
    },
}

impl Error {
    /// What the raw result of the Vulkan command `call` says.
    pub(crate) fn of(call: &'static str, result: vk::Result) -> Self {
        match result {
            vk::Result::ERROR_DEVICE_LOST => Self::DeviceLost { call },
            vk::Result::ERROR_OUT_OF_HOST_MEMORY => Self::NoMemory { call, side: "host" },
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => Self::NoMemory { call, side: "device" },
            _ => Self::Vulkan { call, result },
        }
    }
}

/// Names the Vulkan command behind a raw result.
pub(crate) trait Call<T> {
    /// Turns the raw result of the Vulkan command `call` into an engine result.
    fn call(self, call: &'static str) -> Result<T>;
}

impl<T> Call<T> for std::result::Result<T, vk::Result> {
    fn call(self, call: &'static str) -> Result<T> {
        self.map_err(|result| Error::of(call, result))
    }
}
