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

/// Push constants of `view/collider` and `view/collider_shadow`.
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
    /// Colour of stripes, and in w their width \[m\], 0 for none.
    pub stripe_color: Vec4,
    /// Colour of colliders.
    pub collider_color: Vec4,
    /// Colour behind everything.
    pub background: Vec4,
    /// Centre of the floor in xyz and its radius in w \[m\].
    pub floor_disc: Vec4,
    /// Share of the last step that has passed, 0 to 1.
    pub alpha: f32,
    /// 0: looks, 1: stretch, 2: levels of detail.
    pub shown: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

assert_same_layout!(NormalsPush { particle_count });
assert_same_layout!(RopeViewPush { radius });
assert_same_layout!(WavePush { top, size, height, time, columns, rows, padding });
assert_same_layout!(PanelVertex { position, place, color, clip });
assert_same_layout!(PanelPush { points });
assert_same_layout!(ColliderPush { collider });
assert_same_layout!(ViewParameters {
    clip_from_world,
    light_from_world,
    camera_position,
    light_direction,
    front_color,
    back_color,
    stripe_color,
    collider_color,
    background,
    floor_disc,
    alpha,
    shown,
});
