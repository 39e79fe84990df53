//! The structs of what is drawn.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec2, Vec4};

use super::{assert_same_layout, spirv};

/// Push constants of `view/normals`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct NormalsPush {
    /// Number of particles.
    pub particle_count: u32,
}

/// One vertex of the panels over a picture, 24 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PanelVertex {
    /// Place in the window \[points\], from its upper left corner.
    pub position: Vec2,
    /// Place in the texture, 0 to 1.
    pub place: Vec2,
    /// Red, green, blue and alpha, a byte each from the lowest: sRGB, multiplied by alpha.
    pub color: u32,
    /// Index of the rectangle that clips it.
    pub clip: u32,
}

/// Push constants of `view/panels`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PanelPush {
    /// Width and height of the window \[points\].
    pub points: Vec2,
}

/// A corner of a triangle of a mesh that is a collider, 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SolidVertex {
    /// Where it is drawn in the mesh's frame, in xyz \[m\].
    pub position: Vec4,
    /// Unit normal, in xyz.
    pub normal: Vec4,
}

/// Push constants of `view/collider`, `view/collider_shadow`, `view/solid` and `view/solid_shadow`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct ColliderPush {
    /// Index of the collider.
    pub collider: u32,
}

/// Push constants of `view/rope` and `view/rope_shadow`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RopeViewPush {
    /// Half a rope's thickness \[m\].
    pub radius: f32,
}

/// Push constants of `view/wave` and `view/wave_shadow`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct WavePush {
    /// The middle of the cloth's upper edge in xyz \[m\].
    pub top: Vec4,
    /// Its size across and down \[m\].
    pub size: Vec2,
    /// Height of the waves at its lower edge \[m\].
    pub height: f32,
    /// \[s\]
    pub time: f32,
    /// Cells across.
    pub columns: u32,
    /// Cells down.
    pub rows: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

/// What the draw passes of one image share; a uniform block. Colours are linear.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct ViewParameters {
    /// From world to the camera's clip space.
    pub clip_from_world: Mat4,
    /// From world to the light's clip space.
    pub light_from_world: Mat4,
    /// Camera in xyz \[m\].
    pub camera_position: Vec4,
    /// Unit vector towards the light in xyz.
    pub light_direction: Vec4,
    /// Colour of the cloth's front.
    pub front_color: Vec4,
    /// Colour of the cloth's back.
    pub back_color: Vec4,
    /// Colour of stripes and squares.
    pub second_color: Vec4,
    /// Colour of colliders.
    pub collider_color: Vec4,
    /// Colour behind everything.
    pub background: Vec4,
    /// Centre of the floor in xyz and its radius in w \[m\].
    pub floor_disc: Vec4,
    /// Share of the last step that has passed, 0 to 1.
    pub alpha: f32,
    /// What is shown, as `glsl/lib/view_parameters.glsl` numbers it.
    pub shown: u32,
    /// Width and height of the picture \[pixels\].
    pub extent: Vec2,
    /// Of the display.
    pub pixels_per_point: f32,
    /// What has the last colour of the scale in the view of speeds \[m/s\].
    pub full_speed: f32,
    /// Duration of the step that led to the particles now \[s\].
    pub step_dt: f32,
    /// 0: nothing is printed on the cloth, 1: stripes, 2: a checkerboard, 3: an image.
    pub pattern: u32,
    /// Size of a grid across and down \[m\].
    pub cloth_size: Vec2,
    /// Squares of a checkerboard each way.
    pub squares: f32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: u32,
}

/// How many batches have a colour of their own.
pub const MOST_BATCH_COLORS: usize = 24;

/// Colours that mean something; a uniform block. All are linear.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Palette {
    /// Of the shares 0, 0.1 and so on to 1 of a scale's full value.
    pub scale: [Vec4; 11],
    /// Of the largest depth below a surface that is told, of the surface, and of the largest height above it.
    pub distances: [Vec4; 3],
    /// Of batches.
    pub batches: [Vec4; MOST_BATCH_COLORS],
    /// Of levels of detail.
    pub levels: [Vec4; 4],
    /// Of what is held and stays, and of what is carried.
    pub pins: [Vec4; 2],
    /// Of the edges of triangles.
    pub edge: Vec4,
}

/// Push constants of `view/contacts`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct ContactsPush {
    /// Distance from a surface below which particles are shown \[m\].
    pub reach: f32,
    /// By how much dots at least lie before the particles \[m\].
    pub lift: f32,
    /// Number of colliders.
    pub collider_count: u32,
}

/// Push constants of `view/pins_planes`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct HeldEndsPush {
    /// How many of the ends of ropes that are held at the start still are.
    pub held_count: u32,
}

/// Push constants of `view/batches`: one of them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BatchViewPush {
    /// Index of its first constraint.
    pub first: u32,
    /// Its number.
    pub batch: u32,
    /// 1 where all its constraints resist bending, else 0.
    pub resists_bending: u32,
}

/// Where a rope lies in the list of particles, 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RopeRange {
    /// Index of its first particle.
    pub first: u32,
    /// Number of its particles.
    pub particle_count: u32,
    /// Distance between two neighbours at rest \[m\].
    pub link_length: f32,
    /// Fills the struct up to a multiple of 16 bytes.
    pub padding: u32,
}

assert_same_layout!(NormalsPush { particle_count });
assert_same_layout!(RopeViewPush { radius });
assert_same_layout!(WavePush { top, size, height, time, columns, rows, padding });
assert_same_layout!(PanelVertex { position, place, color, clip });
assert_same_layout!(PanelPush { points });
assert_same_layout!(SolidVertex { position, normal });
assert_same_layout!(ColliderPush { collider });
assert_same_layout!(ViewParameters {
    clip_from_world,
    light_from_world,
    camera_position,
    light_direction,
    front_color,
    back_color,
    second_color,
    collider_color,
    background,
    floor_disc,
    alpha,
    shown,
    extent,
    pixels_per_point,
    full_speed,
    step_dt,
    pattern,
    cloth_size,
    squares,
});
assert_same_layout!(Palette { scale, distances, batches, levels, pins, edge });
assert_same_layout!(ContactsPush { reach, lift, collider_count });
assert_same_layout!(HeldEndsPush { held_count });
assert_same_layout!(BatchViewPush { first, batch, resists_bending });
assert_same_layout!(RopeRange { first, particle_count, link_length, padding });
