//! What the cloth looks like: a camera, draw passes that read the solver's own particles, and pictures.

mod camera;
mod cloth_view;
mod collider_view;
mod picture;

pub use camera::{Bounds, Camera};
pub use cloth_view::{ClothView, ViewTargets};
pub use picture::Picture;
