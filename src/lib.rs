//! placeholder
#![deny(unsafe_code)]
pub mod engine;
pub mod io;
pub mod layout;
pub mod model;
pub mod reference;
pub mod shaders;
pub mod solver;
