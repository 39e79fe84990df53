//! The Vulkan instance: loader, layers, and the messages of the validation layer.

use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use ash::vk;
use ash::{ext, khr};

use super::error::{Call, Error, Result};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// What an [`Instance`] is made with.
#[derive(Clone, Copy, Debug, Default)]
pub struct InstanceOptions {
    /// Turns on the validation layer with synchronization validation; its warnings and errors are kept.
    pub validation: bool,
    /// Puts RenderDoc into the process, for [`Capturer`](super::Capturer).
    #[cfg(feature = "capture")]
    pub capture: bool,
    /// The display that windows will be opened on.
    #[cfg(feature = "viewer")]
    pub display: Option<raw_window_handle::RawDisplayHandle>,
}

/// A Vulkan instance. Cheap to clone; everything made from it keeps it alive.
#[derive(Clone)]
pub struct Instance {
    shared: Arc<Shared>,
}

struct Shared {
    // Held so that the loader library outlives the instance; dropped last, after `Drop` has run.
    entry: ash::Entry,
    raw: ash::Instance,
    debug: Option<Debug>,
    validates: bool,
    captures: bool,
    presents: bool,
    // Boxed, since the messenger holds its address.
    messages: Box<Mutex<Vec<String>>>,
}

struct Debug {
    loader: ext::debug_utils::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
}

impl Instance {
    /// Loads Vulkan.
    ///
    /// # Errors
    /// [`Error::NoLoader`], [`Error::OldLoader`], [`Error::NoValidationLayer`], with the feature `capture`
    /// `Error::NoRenderDoc`, or what Vulkan reports.
    pub fn new(options: &InstanceOptions) -> Result<Self> {
        let _loader = loader_lock();
        let entry = load_entry()?;
        // SAFETY: the entry is loaded.
        let version = unsafe { entry.try_enumerate_instance_version() }
            .call("vkEnumerateInstanceVersion")?
            .unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_3 {
            return Err(Error::OldLoader { found: version_text(version) });
        }
        if options.validation && !has_layer(&entry, VALIDATION_LAYER)? {
            return Err(Error::NoValidationLayer);
        }

        let mut extensions: Vec<*const c_char> = Vec::new();
        let debug_utils = has_extension(&entry, None, ext::debug_utils::NAME)?
            || (options.validation && has_extension(&entry, Some(VALIDATION_LAYER), ext::debug_utils::NAME)?);
        if debug_utils {
            extensions.push(ext::debug_utils::NAME.as_ptr());
        }
        let mut flags = vk::InstanceCreateFlags::empty();
        #[cfg(feature = "capture")]
        let capture = options.capture;
        #[cfg(not(feature = "capture"))]
        let capture = false;
        // MoltenVK is listed only to applications that accept devices which implement a subset of Vulkan; RenderDoc knows
        // nothing of those.
        if !capture && has_extension(&entry, None, khr::portability_enumeration::NAME)? {
            extensions.push(khr::portability_enumeration::NAME.as_ptr());
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        #[cfg(feature = "viewer")]
        let presents = options.display.is_some();
        #[cfg(not(feature = "viewer"))]
        let presents = false;
        #[cfg(feature = "viewer")]
        if let Some(display) = options.display {
            extensions.extend(ash_window::enumerate_required_extensions(display).call("surface extensions")?);
        }
        let mut layers: Vec<*const c_char> = Vec::new();
        #[cfg(feature = "capture")]
        if options.capture {
            if !has_layer(&entry, super::capture::LAYER)? {
                return Err(Error::NoRenderDoc);
            }
            layers.push(super::capture::LAYER.as_ptr());
        }
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default();
        if options.validation {
            layers.push(VALIDATION_LAYER.as_ptr());
            extensions.push(ext::validation_features::NAME.as_ptr());
            features = features.enabled_validation_features(&enabled);
        }

        let application = vk::ApplicationInfo::default()
            .application_name(c"tautline")
            .engine_name(c"tautline")
            .api_version(vk::API_VERSION_1_3);
        let messages = Box::new(Mutex::new(Vec::new()));
        let mut messenger = messenger_info(&messages);
        let mut info = vk::InstanceCreateInfo::default()
            .flags(flags)
            .application_info(&application)
            .enabled_extension_names(&extensions)
            .enabled_layer_names(&layers);
        if options.validation {
            // The messenger is chained here too, so that the instance's own creation is covered.
            info = info.push_next(&mut features).push_next(&mut messenger);
        }
        // SAFETY: every pointer in `info` is to a local or static that lives past this call, and `messages` is boxed.
        let raw = match unsafe { entry.create_instance(&info, None) } {
            Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => return Err(Error::NoDevice),
            result => result.call("vkCreateInstance")?,
        };
        let debug = if debug_utils {
            let loader = ext::debug_utils::Instance::new(&entry, &raw);
            // SAFETY: the instance was made with the extension; the callback's user data is the boxed list, which is
            // freed only after the messenger is destroyed.
            match unsafe { loader.create_debug_utils_messenger(&messenger_info(&messages), None) } {
                Ok(messenger) => Some(Debug { loader, messenger }),
                Err(result) => {
                    // SAFETY: nothing else was made from the instance.
                    unsafe { raw.destroy_instance(None) };
                    return Err(Error::of("vkCreateDebugUtilsMessengerEXT", result));
                }
            }
        } else {
            None
        };
        let (validates, captures) = (options.validation, capture);
        Ok(Self { shared: Arc::new(Shared { entry, raw, debug, validates, captures, presents, messages }) })
    }

    /// What the validation layer and the recorder's own check have said so far, oldest first.
    #[must_use]
    pub fn validation_messages(&self) -> Vec<String> {
        lock(&self.shared.messages).clone()
    }

    /// Whether validation is on.
    #[must_use]
    pub fn validates(&self) -> bool {
        self.shared.validates
    }

    /// Whether it was made for captures.
    pub(super) fn captures(&self) -> bool {
        self.shared.captures
    }

    /// Whether it was made for windows.
    #[must_use]
    pub fn presents(&self) -> bool {
        self.shared.presents
    }

    pub(crate) fn add_messages(&self, messages: Vec<String>) {
        lock(&self.shared.messages).extend(messages);
    }

    /// The ash instance, for code that mixes this engine with its own Vulkan.
    #[must_use]
    pub fn raw(&self) -> &ash::Instance {
        &self.shared.raw
    }

    /// The ash entry, for code that mixes this engine with its own Vulkan.
    #[must_use]
    pub fn entry(&self) -> &ash::Entry {
        &self.shared.entry
    }

    /// Whether objects can be named and passes labelled.
    pub(crate) fn has_debug_utils(&self) -> bool {
        self.shared.debug.is_some()
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Instance").field("handle", &self.shared.raw.handle()).finish()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _loader = loader_lock();
        // SAFETY: everything made from the instance held a clone of the `Arc` that is dropped here, so it is gone.
        unsafe {
            if let Some(debug) = &self.debug {
                debug.loader.destroy_debug_utils_messenger(debug.messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

/// A version as people write it: `1.3.230`.
pub(crate) fn version_text(version: u32) -> String {
    let (major, minor, patch) =
        (vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version));
    format!("{major}.{minor}.{patch}")
}

/// The Vulkan loader, which stays loaded once it is: taking it out of a process again gains nothing.
pub(super) fn load_entry() -> Result<ash::Entry> {
    static LOADED: OnceLock<ash::Entry> = OnceLock::new();
    if let Some(entry) = LOADED.get() {
        return Ok(entry.clone());
    }
    // SAFETY: loading the Vulkan loader runs its initialisers, which are trusted like any system library's.
    let entry =
        unsafe { ash::Entry::load() }.map_err(|error| Error::NoLoader { reason: first_line(&error.to_string()) })?;
    Ok(LOADED.get_or_init(|| entry).clone())
}

/// Held while instances and devices are made, destroyed and asked for functions, and while objects are named.
///
/// Vulkan lets several threads do so at once, yet loaders up to 1.4.309 at least look devices up in lists that another
/// thread's instance is just joining or leaving, and crash.
pub(crate) fn loader_lock() -> std::sync::MutexGuard<'static, ()> {
    static LOADER: Mutex<()> = Mutex::new(());
    lock(&LOADER)
}

/// A lock that a panic elsewhere cannot poison: what is guarded here stays valid after every single statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn messenger_info(messages: &Mutex<Vec<String>>) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(keep_message))
        .user_data(std::ptr::from_ref(messages).cast_mut().cast())
}

/// Keeps a message; panicking here would unwind into the driver, so nothing in it can.
unsafe extern "system" fn keep_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: Vulkan passes a valid callback structure, and `user_data` is the boxed list given to the messenger, of
    // which only shared references are ever made.
    let (data, messages) = unsafe { (&*data, &*user_data.cast::<Mutex<Vec<String>>>()) };
    // SAFETY: Vulkan's message and its name are null or null-terminated strings that live for this call.
    let (name, text) = unsafe { (data.message_id_name_as_c_str(), data.message_as_c_str()) };
    let name = name.unwrap_or_default().to_string_lossy();
    let text = text.unwrap_or(c"a message without text").to_string_lossy();
    // Old layers have the name, by which a message can be looked up, in the text; new ones beside it.
    let told = if text.contains(&*name) { text.into_owned() } else { format!("{name}: {text}") };
    lock(messages).push(told);
    vk::FALSE
}

fn has_layer(entry: &ash::Entry, name: &CStr) -> Result<bool> {
    // SAFETY: the entry is loaded.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.call("vkEnumerateInstanceLayerProperties")?;
    Ok(layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(name)))
}

fn has_extension(entry: &ash::Entry, layer: Option<&CStr>, name: &CStr) -> Result<bool> {
    // SAFETY: the entry is loaded.
    let extensions = unsafe { entry.enumerate_instance_extension_properties(layer) }
        .call("vkEnumerateInstanceExtensionProperties")?;
    Ok(extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name)))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}
