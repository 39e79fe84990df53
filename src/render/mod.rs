//! What the cloth looks like: a camera, draw passes that read the solver's own particles, and pictures.

mod camera;
mod cloth_view;
mod collider_view;
mod colors;
mod marks;
#[cfg(feature = "viewer")]
mod overlay;
mod picture;
mod print;
mod rope_view;
mod shown;
mod solid;
mod stage;
mod view;
mod wave_view;

pub use camera::{Bounds, Camera};
pub use colors::{LEVEL_COLORS, PIN_COLORS, batch_color, distance_color, scale_color};
#[cfg(feature = "viewer")]
pub use overlay::Overlay;
pub use picture::Picture;
pub use shown::{Shown, full_speed, reach};
pub use stage::ViewTargets;
pub use view::View;
pub use wave_view::Wave;
