//! What the cloth looks like: a camera, draw passes that read the solver's own particles, and pictures.

mod camera;
mod cloth_view;
mod collider_view;
mod picture;
mod rope_view;
mod stage;
mod view;
mod wave_view;

pub use camera::{Bounds, Camera};
pub use picture::Picture;
pub use stage::{Shown, ViewTargets};
pub use view::View;
pub use wave_view::Wave;
