//! What the targets do with bytes. Each says whether they were read to the end and used as far as goes, which holds for all in
//! `seeds`; `tests/fuzz_seeds.rs` takes these files as a module of its own.

pub mod cache;
pub mod glb;
pub mod prepared;
pub mod scene;
pub mod state;
