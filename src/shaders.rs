//! The project's shaders as SPIR-V, one constant for each file in `glsl/`, compiled by `build.rs`.

use crate::engine::ShaderCode;

include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
