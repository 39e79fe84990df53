//! Cloth and rope simulation in GLSL 450 compute shaders on raw Vulkan.
//!
//! The crate is a library for native tools and, with the feature `viewer`, a program that shows and measures scenes.
//! Its rooms, each of which may use only those named before it:
//!
//! - [`engine`]: Vulkan and nothing but Vulkan; usable on its own, as below;
//! - [`layout`] and [`shaders`]: the structs that cross to GLSL, and the compiled kernels;
//! - [`model`]: what is simulated, on the CPU: grids, meshes, springs and their colouring;
//! - [`mod@reference`]: a CPU twin of each solver, written independently of its kernels;
//! - [`cpu`]: each solver on the CPU as fast as it goes, in the same bits as its twin;
//! - [`solver`]: the solvers on the GPU, and those of [`cpu`] beside them;
//! - [`io`]: meshes and heights in, caches out, and distance fields that are kept;
//! - [`scene`]: scene files and presets;
//! - [`render`]: pictures of cloth and ropes, drawn from the solver's own particles.
//!
//! # A compute shader of your own
//!
//! The engine has no cloth in it. It reads out of the SPIR-V what a shader binds and how, puts barriers where passes
//! depend on each other, and times each pass.
//!
//! ```
//! use tautline::engine::{Buffer, Device, Frames, Kernel, ShaderCode};
//!
//! const GLSL: &str = "#version 450
//! layout(local_size_x = 64) in;
//! layout(std430, binding = 0) readonly buffer Before { float before[]; };
//! layout(std430, binding = 1) writeonly buffer After { float after[]; };
//! layout(push_constant) uniform Push { float factor; uint count; };
//! void main() {
//!     uint i = gl_GlobalInvocationID.x;
//!     if (i < count) after[i] = factor * before[i];
//! }";
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let kind = shaderc::ShaderKind::Compute;
//!     let spirv = shaderc::Compiler::new()?.compile_into_spirv(GLSL, kind, "scale.comp", "main", None)?;
//!     let device = Device::headless(None)?;
//!     let scale = Kernel::new(&device, &ShaderCode { name: "scale", words: spirv.as_binary() })?;
//!
//!     let before = Buffer::from_slice(&device, "before", &[1.0_f32, 2.0, 3.0])?;
//!     let after = Buffer::zeroed(&device, "after", before.size())?;
//!     let bindings = scale.bind(&[("Before", (&before).into()), ("After", (&after).into())])?;
//!
//!     let mut frames = Frames::new(&device, 2)?;
//!     let mut recorder = frames.begin()?;
//!     recorder.dispatch(&bindings, &[1.5_f32.to_bits(), 3], [3, 1, 1])?;
//!     recorder.submit()?;
//!     frames.finish()?;
//!
//!     assert_eq!(after.read::<f32>()?, [1.5, 3.0, 4.5]);
//!     Ok(())
//! }
//! ```

#![deny(unsafe_code)]

pub mod cpu;
pub mod engine;
pub mod io;
pub mod layout;
pub mod model;
pub mod reference;
pub mod render;
pub mod scene;
pub mod shaders;
pub mod solver;

pub use glam;

// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
