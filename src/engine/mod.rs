//! A small engine for Vulkan 1.3, or 1.2 with what 1.3 took in, for compute and drawing, usable without the rest of this crate.
//!
//! It knows nothing of cloth. What it gives:
//!
//! - [`Instance`] and [`Device`]: the best device, or the one that was asked for, and what another one lacks;
//! - [`Buffer`] and [`Image`]: memory that frees itself, and is kept while the device uses it;
//! - [`Kernel`] and [`DrawPipeline`]: pipelines whose bindings and accesses are read out of their SPIR-V;
//! - [`Recorder`]: one call a pass gives label, barrier, bindings, push constants, dispatch and timestamp;
//! - [`Frames`]: a ring of frames in flight on one timeline semaphore, with the GPU time of every pass.
//!
//! All of it is safe to call. Handles can be reached through `raw()` by code that mixes it with Vulkan of its own.

#![allow(unsafe_code)]

mod bindings;
mod buffer;
mod calibration;
mod calls;
#[cfg(feature = "capture")]
mod capture;
mod choice;
mod core;
mod device;
mod draw;
mod each;
mod error;
mod extensions;
mod frames;
pub mod hazard;
mod image;
mod image_copy;
mod instance;
mod interface;
mod kernel;
mod label;
mod machine;
mod recorder;
pub mod reflect;
mod replaced;
mod replay;
mod sampler;
mod smaller;
mod statistics;
mod subgroups;
#[cfg(feature = "viewer")]
mod surface;
mod timing;
pub mod trace;
mod windows;
mod work;

pub use ash::vk;
pub use bindings::{Bindings, Resource};
pub use buffer::{Buffer, Staging};
pub use calls::{CallWork, Hazard, Wait};
#[cfg(feature = "capture")]
pub use capture::Capturer;
pub use choice::{DEVICE_VARIABLE, DeviceInfo, DeviceType, MOST_SAMPLES, choose};
pub use device::{Device, Memory, Ticket};
pub use draw::{Draw, DrawDescription, DrawPipeline, Start, Target, Vertices};
pub use error::{Error, Result};
pub use frames::Frames;
pub use image::{COLOR_FORMAT, DEPTH_FORMAT, Image, ImageKind};
pub use instance::{Instance, InstanceOptions};
pub use interface::{Interface, Pipeline, ShaderCode};
pub use kernel::Kernel;
pub use label::{OneOf, SomeOf};
pub use machine::LoaderInfo;
pub use recorder::Recorder;
pub use replaced::Replacements;
pub use smaller::SmallerLimits;
pub use statistics::KernelStatistics;
#[cfg(feature = "viewer")]
pub use surface::{Surface, Swapchain, SwapchainFrame};
pub use timing::{FrameTiming, PassTiming, RunTiming, Timeline};
pub use windows::{Part, WindowLimits, Windows};
pub use work::{Bound, Extent, PassWork, Work};
