//! A Vulkan layer that lets calls fail when a test says so. tests/faults.rs compiles it and has the loader put it above the
//! driver, so that the viewer meets what no driver does on demand.
//!
//! The file that `TAUTLINE_FAULTS` names has a line `call result count` for each call that is to fail, of which it takes
//! away what has happened. A device that was lost stays lost. It speaks the C ABI of Vulkan's loader (version 2 of the
//! interface of layers), of which only a few parts are written out here, and so has `unsafe` code, as nothing else outside
//! `src/engine`.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_char, c_void};
use std::fs;
use std::mem::transmute;
use std::sync::Mutex;

type Function = Option<unsafe extern "system" fn()>;
type Handle = *mut c_void;
type GetProc = unsafe extern "system" fn(Handle, *const c_char) -> Function;
type Create = unsafe extern "system" fn(Handle, *const Chained, *const c_void, *mut Handle) -> i32;

const ERROR_DEVICE_LOST: i32 = -4;
const SUBOPTIMAL: i32 = 1_000_001_003;
const LOADER_INSTANCE_CREATE_INFO: i32 = 47;
const LOADER_DEVICE_CREATE_INFO: i32 = 48;

/// The head of each structure that Vulkan chains.
#[repr(C)]
struct Chained {
    kind: i32,
    next: *mut Self,
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`, whose heads are alike.
#[repr(C)]
struct LayerCreateInfo {
    head: Chained,
    function: i32,
    link: *mut Link,
}

/// `VkLayerInstanceLink` and `VkLayerDeviceLink`: where the next layer, or the driver, is. The third is an instance's
/// function of physical devices, or a device's only other one.
#[repr(C)]
struct Link {
    next: *mut Self,
    get_instance_proc: GetProc,
    get_device_proc: GetProc,
}

/// What the loader asks a layer for first.
#[repr(C)]
pub struct NegotiateLayerInterface {
    kind: i32,
    next: *mut c_void,
    version: u32,
    get_instance_proc: Option<GetProc>,
    get_device_proc: Option<GetProc>,
    get_physical_device_proc: *const c_void,
}

/// By the first word of a handle, which all objects of one instance or device share: who is next for it.
#[derive(Default)]
struct Known {
    next: HashMap<usize, GetProc>,
    /// The instance or the device itself.
    owners: HashMap<usize, usize>,
    lost: HashSet<usize>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn known<T>(work: impl FnOnce(&mut Known) -> T) -> T {
    work(KNOWN.lock().unwrap().get_or_insert_with(Known::default))
}

unsafe fn key(handle: Handle) -> usize {
    unsafe { *handle.cast::<usize>() }
}

/// The result with which `call` has to fail now, if it has to.
fn fault(call: &str) -> Option<i32> {
    let path = std::env::var_os("TAUTLINE_FAULTS")?;
    let text = fs::read_to_string(&path).ok()?;
    let mut found = None;
    let mut left = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, result, count] = words[..] else { continue };
        let mut count: u32 = count.parse().unwrap();
        if name == call && found.is_none() && count > 0 {
            found = Some(result.parse().unwrap());
            count -= 1;
        }
        if count > 0 {
            left += &format!("{name} {result} {count}\n");
        }
    }
    if found.is_some() {
        fs::write(&path, left).unwrap();
    }
    found
}

/// As [`fault`] for a call on a device, which stays lost once it is.
fn device_fault(device: usize, call: &str) -> Option<i32> {
    if known(|known| known.lost.contains(&device)) {
        return Some(ERROR_DEVICE_LOST);
    }
    let found = fault(call);
    if found == Some(ERROR_DEVICE_LOST) {
        known(|known| known.lost.insert(device));
        unsafe {
            // What is lost does nothing any more.
            let wait: unsafe extern "system" fn(Handle) -> i32 = transmute(next(device, c"vkDeviceWaitIdle"));
            wait(known(|known| known.owners[&device]) as Handle);
        }
    }
    found
}

/// What the next one has under this name for an instance or a device.
unsafe fn next(key: usize, name: &CStr) -> Function {
    let (get, owner) = known(|known| Some((*known.next.get(&key)?, *known.owners.get(&key)?)))?;
    unsafe { get(owner as Handle, name.as_ptr()) }
}

/// The link for this layer, which is taken out of the chain, so that the next one finds its own.
unsafe fn link(info: *const Chained, kind: i32) -> Option<&'static Link> {
    let mut at = unsafe { (*info).next };
    while !at.is_null() {
        let create = at.cast::<LayerCreateInfo>();
        unsafe {
            if (*at).kind == kind && (*create).function == 0 {
                let link = &*(*create).link;
                (*create).link = link.next;
                return Some(link);
            }
            at = (*at).next;
        }
    }
    None
}

unsafe extern "system" fn create_instance(info: Handle, callbacks: *const c_void, made: *mut Handle) -> i32 {
    unsafe {
        let Some(link) = link(info.cast(), LOADER_INSTANCE_CREATE_INFO) else { return -3 };
        let create = (link.get_instance_proc)(std::ptr::null_mut(), c"vkCreateInstance".as_ptr());
        let create: unsafe extern "system" fn(Handle, *const c_void, *mut Handle) -> i32 = transmute(create);
        let result = create(info, callbacks, made);
        if result == 0 {
            known(|known| {
                known.next.insert(key(*made), link.get_instance_proc);
                known.owners.insert(key(*made), *made as usize);
            });
        }
        result
    }
}

unsafe extern "system" fn create_device(
    physical: Handle,
    info: *const Chained,
    callbacks: *const c_void,
    made: *mut Handle,
) -> i32 {
    if let Some(result) = fault("vkCreateDevice") {
        return result;
    }
    unsafe {
        let Some(link) = link(info, LOADER_DEVICE_CREATE_INFO) else { return -3 };
        let create = (link.get_instance_proc)(std::ptr::null_mut(), c"vkCreateDevice".as_ptr());
        let create: Create = transmute(create);
        let result = create(physical, info, callbacks, made);
        if result == 0 {
            known(|known| {
                known.next.insert(key(*made), link.get_device_proc);
                known.owners.insert(key(*made), *made as usize);
                // The word of a device that is gone may be another's now.
                known.lost.remove(&key(*made));
            });
        }
        result
    }
}

/// A call whose first argument is a device or its queue, of words that are handed on. `after` lets it happen first and then
/// changes its result.
macro_rules! device_call {
    ($function:ident, $name:literal, ($($argument:ident),*), $after:expr) => {
        unsafe extern "system" fn $function(handle: Handle, $($argument: usize),*) -> i32 {
            unsafe {
                let device = key(handle);
                let fault = device_fault(device, $name.to_str().unwrap());
                let happens = fault.is_none_or($after);
                let next: unsafe extern "system" fn(Handle, $($argument: Word!($argument)),*) -> i32 =
                    transmute(next(device, $name));
                let result = if happens { next(handle, $($argument),*) } else { 0 };
                fault.filter(|_| result >= 0).unwrap_or(result)
            }
        }
    };
}
macro_rules! Word {
    ($argument:ident) => {
        usize
    };
}

const OUT_OF_DATE: i32 = -1_000_001_004;

device_call!(queue_submit, c"vkQueueSubmit2", (count, submits, fence), |_| false);
// What a present waits for it waits for also where the window has changed; what was acquired is too.
device_call!(queue_present, c"vkQueuePresentKHR", (info), |result| result == SUBOPTIMAL || result == OUT_OF_DATE);
device_call!(acquire, c"vkAcquireNextImageKHR", (chain, timeout, semaphore, fence, index), |result| result
    == SUBOPTIMAL);
device_call!(wait_semaphores, c"vkWaitSemaphores", (info, timeout), |_| false);
device_call!(counter, c"vkGetSemaphoreCounterValue", (semaphore, value), |_| false);
device_call!(create_swapchain, c"vkCreateSwapchainKHR", (info, callbacks, made), |_| false);
device_call!(create_buffer, c"vkCreateBuffer", (info, callbacks, made), |_| false);
device_call!(allocate_memory, c"vkAllocateMemory", (info, callbacks, made), |_| false);

/// Where the variable is set, every surface has but one mode.
unsafe extern "system" fn present_modes(physical: Handle, surface: u64, count: *mut u32, modes: *mut i32) -> i32 {
    const FIFO: i32 = 2;
    unsafe {
        let next = next(key(physical), c"vkGetPhysicalDeviceSurfacePresentModesKHR");
        let next: unsafe extern "system" fn(Handle, u64, *mut u32, *mut i32) -> i32 = transmute(next);
        if std::env::var_os("TAUTLINE_ONLY_FIFO").is_none() {
            return next(physical, surface, count, modes);
        }
        if !modes.is_null() {
            *modes = FIFO;
        }
        *count = 1;
        0
    }
}

fn own(name: &CStr) -> Function {
    let function = match name.to_bytes() {
        b"vkCreateInstance" => create_instance as *const (),
        b"vkCreateDevice" => create_device as *const (),
        b"vkGetInstanceProcAddr" => get_instance_proc as *const (),
        b"vkGetPhysicalDeviceSurfacePresentModesKHR" => present_modes as *const (),
        _ => return own_of_device(name),
    };
    unsafe { transmute(function) }
}

fn own_of_device(name: &CStr) -> Function {
    let function = match name.to_bytes() {
        b"vkGetDeviceProcAddr" => get_device_proc as *const (),
        b"vkQueueSubmit2" => queue_submit as *const (),
        b"vkQueuePresentKHR" => queue_present as *const (),
        b"vkAcquireNextImageKHR" => acquire as *const (),
        b"vkWaitSemaphores" => wait_semaphores as *const (),
        b"vkGetSemaphoreCounterValue" => counter as *const (),
        b"vkCreateSwapchainKHR" => create_swapchain as *const (),
        b"vkCreateBuffer" => create_buffer as *const (),
        b"vkAllocateMemory" => allocate_memory as *const (),
        _ => return None,
    };
    unsafe { transmute(function) }
}

unsafe extern "system" fn get_instance_proc(instance: Handle, name: *const c_char) -> Function {
    unsafe {
        let name = CStr::from_ptr(name);
        own(name).or_else(|| if instance.is_null() { None } else { next(key(instance), name) })
    }
}

unsafe extern "system" fn get_device_proc(device: Handle, name: *const c_char) -> Function {
    unsafe {
        let name = CStr::from_ptr(name);
        own_of_device(name).or_else(|| next(key(device), name))
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(asked: *mut NegotiateLayerInterface) -> i32 {
    unsafe {
        (*asked).version = 2;
        (*asked).get_instance_proc = Some(get_instance_proc);
        (*asked).get_device_proc = Some(get_device_proc);
        (*asked).get_physical_device_proc = std::ptr::null();
    }
    0
}
