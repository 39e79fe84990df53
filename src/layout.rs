//! The structs that cross between Rust and GLSL.
//!
//! Each is written twice, here and in `glsl/`, and must not drift: `build.rs` reads sizes and member offsets out of the
//! compiled SPIR-V, and the checks at the end of this file compare them with `size_of` and `offset_of!` when the crate
//! is compiled. Buffers hold `vec4`, `uvec4`, `uvec2` and scalars, never `vec3`, whose padding differs between the two.

use bytemuck::{Pod, Zeroable};
use glam::{IVec2, Mat4, UVec2, Vec2, Vec4};

/// One distance constraint between two particles, 16 bytes, as the pbd kernels read it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Constraint {
    /// Index of the first particle.
    pub index_a: u32,
    /// Index of the second particle.
    pub index_b: u32,
    /// Distance at which the constraint is satisfied \[m\].
    pub rest_length: f32,
    /// Inverse stiffness \[m/N\]; 0 is rigid.
    pub compliance: f32,
}

/// What holds for every kernel of one step of the `xpbd`, `pbd` and `xpbd-document` solvers; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PbdParameters {
    /// Gravity in xyz \[m/s²\]; w is unused.
    pub gravity: Vec4,
    /// Mean wind in xyz, as an acceleration \[m/s²\]; w is the amplitude of its flutter \[m/s²\].
    pub wind: Vec4,
    /// Wave number of the flutter \[rad/m\].
    pub flutter_wave_number: f32,
    /// Upward share of the flutter, a factor of its amplitude (document 002 has 2).
    pub flutter_lift: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// Rate at which velocities decay \[1/s\].
    pub damping: f32,
    /// Number of particles.
    pub particle_count: u32,
    /// Factor on the rest lengths of all constraints (document 002).
    pub elongation: f32,
    /// 1 where there are external forces on particles, else 0.
    pub has_forces: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: u32,
}

impl Default for PbdParameters {
    /// All 0, but for rest lengths as the constraints have them.
    fn default() -> Self {
        Self { elongation: 1.0, ..Self::zeroed() }
    }
}

/// Push constants of `pbd/predict`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PredictPush {
    /// Phase of the wind's flutter at this substep, in \[0, 2π) \[rad\].
    pub flutter_phase: f32,
}

/// Push constants of `pbd/solve`: one colour batch of one iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SolvePush {
    /// Index of the batch's first constraint.
    pub first: u32,
    /// Number of constraints in the batch.
    pub count: u32,
    /// Iteration within the substep; lambda starts from 0 in iteration 0.
    pub iteration: u32,
}

/// Push constants of `pbd/jacobi_solve`: one iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct JacobiPush {
    /// Number of constraints.
    pub constraint_count: u32,
    /// Iteration within the substep; lambda starts from 0 in iteration 0.
    pub iteration: u32,
}

/// What holds for every step of the `verlet` solver; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct VerletParameters {
    /// Gravity in xyz \[m/s²\]; w is unused.
    pub gravity: Vec4,
    /// Mean wind in xyz, as an acceleration \[m/s²\]; w is the amplitude of its flutter \[m/s²\].
    pub wind: Vec4,
    /// Columns and rows of the grid.
    pub grid_size: IVec2,
    /// Rest length of the structural springs, the side of a cell \[m\].
    pub rest_length: f32,
    /// Mass of one particle \[kg\].
    pub mass: f32,
    /// Stiffness of the 4 structural springs \[N/m\].
    pub structural_stiffness: f32,
    /// Stiffness of the 4 shear springs \[N/m\].
    pub shear_stiffness: f32,
    /// Stiffness of the 4 flexion springs \[N/m\].
    pub flexion_stiffness: f32,
    /// Share of the implicit velocity that one step loses, 0 to 1.
    pub damping: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// Wave number of the flutter \[rad/m\].
    pub flutter_wave_number: f32,
    /// Upward share of the flutter, a factor of its amplitude (document 002 has 2).
    pub flutter_lift: f32,
    /// 1 where there are external forces on particles, else 0.
    pub has_forces: u32,
}

/// Push constants of `verlet/step`: which part of the step a substep is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct VerletPush {
    /// Where in the step the substep starts, 0 to 1.
    pub start: f32,
    /// Where in the step the substep ends, 0 to 1.
    pub end: f32,
    /// Number of colliders.
    pub collider_count: u32,
    /// Phase of the wind's flutter at this substep, in \[0, 2π) \[rad\].
    pub flutter_phase: f32,
}

/// What holds for the force of the air on every particle; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct AirParameters {
    /// Velocity of the air in xyz \[m/s\]; w is unused.
    pub velocity: Vec4,
    /// Its density \[kg/m³\].
    pub density: f32,
    /// Coefficient of drag.
    pub drag: f32,
    /// Coefficient of lift.
    pub lift: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// Number of particles.
    pub particle_count: u32,
    /// Mass of each particle \[kg\] where its position carries a pin flag; 0 where it carries the inverse mass.
    pub particle_mass: f32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

/// Most colliders of a simulation: what one update of a buffer in the stream can carry.
pub const MOST_COLLIDERS: usize = 65_536 / size_of::<Collider>();

/// A collider during one step, in which it moves from one pose to another at constant speed; 112 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Collider {
    /// In the collider's own frame \[m\]. Sphere: x is the radius. Capsule along y: x and y are the radii at its lower
    /// and its upper end, z half the distance between these ends' centres. Box: xyz are half its sides. A plane has none:
    /// it is y = 0, solid below. Height field: x and z are half its sides, y its greatest height.
    pub size: Vec4,
    /// 0 sphere, 1 capsule, 2 plane, 3 box, 4 height field.
    pub kind: u32,
    /// Coefficient of friction.
    pub friction: f32,
    /// Of a height field: its columns, along x, and its rows, along z; at least 2 each.
    pub grid_size: UVec2,
    /// Of a height field: where its heights start in the list of all heights; they lie there row by row.
    pub first_height: u32,
    /// Keeps the members that follow at multiples of 16 bytes.
    pub padding: [u32; 3],
    /// Where its frame's origin is at the start of the step, in xyz \[m\].
    pub start_position: Vec4,
    /// How its frame is turned at the start of the step, a unit quaternion xyzw.
    pub start_rotation: Vec4,
    /// Where its frame's origin is at the end of the step, in xyz \[m\].
    pub end_position: Vec4,
    /// How its frame is turned at the end of the step, a unit quaternion xyzw.
    pub end_rotation: Vec4,
}

/// A particle that an attachment carries, 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct AttachedParticle {
    /// Where it is in the attachment's frame, in xyz \[m\], and in w its inverse mass once it is let go \[1/kg\].
    pub place: Vec4,
    /// Index of the particle.
    pub index: u32,
    /// Index of the attachment.
    pub attachment: u32,
    /// Fills the struct up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

/// An attachment during one step, in which it moves from one pose to another at constant speed; 80 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Attachment {
    /// Where its frame's origin is at the start of the step, in xyz \[m\].
    pub start_position: Vec4,
    /// How its frame is turned at the start of the step, a unit quaternion xyzw.
    pub start_rotation: Vec4,
    /// Where its frame's origin is at the end of the step, in xyz \[m\].
    pub end_position: Vec4,
    /// How its frame is turned at the end of the step, a unit quaternion xyzw.
    pub end_rotation: Vec4,
    /// The substep of this step at whose end it lets go: negative once it has.
    pub release_substep: i32,
    /// Fills the struct up to a multiple of 16 bytes.
    pub padding: [u32; 3],
}

/// Push constants of `attach/move`: one substep.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct AttachPush {
    /// Number of attached particles.
    pub attached_count: u32,
    /// Which substep of the step it is, from 0.
    pub substep: i32,
    /// Where in the step the substep starts, 0 to 1.
    pub start: f32,
    /// Where in the step the substep ends, 0 to 1.
    pub end: f32,
    /// Duration of the substep \[s\].
    pub substep_dt: f32,
}

/// Push constants of the `cut` passes: a blade, and how much each of them goes over.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct CutPush {
    /// A point of the blade's plane where its stroke begins, in xyz \[m\].
    pub origin: Vec4,
    /// Unit normal of its plane, in xyz.
    pub normal: Vec4,
    /// In xyz what, times a way from the origin, is 0 where the stroke begins and 1 where it ends \[1/m\]; 0 where it has
    /// no ends.
    pub along: Vec4,
    /// Number of constraints, triangles or particles.
    pub count: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 3],
}

/// Push constants of `pbd/collide`: which part of the step a substep is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct CollidePush {
    /// Where in the step the substep starts, 0 to 1.
    pub start: f32,
    /// Where in the step the substep ends, 0 to 1.
    pub end: f32,
    /// Number of colliders.
    pub collider_count: u32,
}

/// What holds for every substep of the `mass_spring` solver; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct MassSpringParameters {
    /// Gravity and the external acceleration together, in xyz \[m/s²\]; w is unused.
    pub acceleration: Vec4,
    /// Columns and rows of the grid.
    pub grid_size: IVec2,
    /// Rest length of the structural springs, the side of a cell \[m\].
    pub rest_length: f32,
    /// Stiffness of all 8 springs \[N/m\].
    pub stiffness: f32,
    /// Damping of all 8 springs, along the spring \[N s/m\].
    pub damping: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// 1 where there are external forces on particles, else 0.
    pub has_forces: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: u32,
}

/// One rope during one step, in which the ends that are held move at constant speed; 96 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Rope {
    /// Index of its first particle.
    pub first: u32,
    /// Number of its particles.
    pub particle_count: u32,
    /// Distance between two neighbours at rest \[m\].
    pub link_length: f32,
    /// The coarsest level of detail that it may have, 0 to 3.
    pub coarsest: u32,
    /// Where its first particle is held at the start of the step, in xyz \[m\]; w is 1 where it is held, else 0.
    pub first_start: Vec4,
    /// Where its first particle is held at the end of the step, as [`Rope::first_start`].
    pub first_end: Vec4,
    /// Where its last particle is held at the start of the step, as [`Rope::first_start`].
    pub last_start: Vec4,
    /// Where its last particle is held at the end of the step, as [`Rope::first_start`].
    pub last_end: Vec4,
    /// What it sways about at level 3: a unit vector through the end that is held, in xyz; w is how often a second \[Hz\].
    pub sway: Vec4,
}

/// What holds for every step of the `rope` solver; a uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RopeParameters {
    /// Gravity and the external acceleration together, in xyz \[m/s²\]; w is unused.
    pub acceleration: Vec4,
    /// Distances from the camera beyond which a rope is at level 1, 2 and 3, in xyz \[m\]; w is the share of them that a
    /// rope has to be beyond or within, so as not to go back and forth.
    pub level_distances: Vec4,
    /// Share of the implicit velocity that one substep loses, 0 to 1.
    pub velocity_loss: f32,
    /// Duration of one substep \[s\].
    pub substep_dt: f32,
    /// Substeps of a step.
    pub substeps: u32,
    /// How often a substep goes over all links of a rope at level 0.
    pub iterations: u32,
    /// Share of a deviation from where a level places a particle that one substep leaves, 0 to 1.
    pub deviation_kept: f32,
    /// How far ropes at level 3 sway to either side \[rad\].
    pub sway_angle: f32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

/// Push constants of `rope/step`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RopePush {
    /// Camera in xyz \[m\]; w is the time at the start of the step within the loop of the sway \[s\].
    pub camera: Vec4,
    /// Number of colliders.
    pub collider_count: u32,
    /// The coarsest level of detail of any rope.
    pub coarsest: u32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

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

/// What the shader compiler says of the same structs.
#[allow(non_upper_case_globals, non_snake_case, dead_code, missing_docs)]
mod spirv {
    include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
}

/// Fails the compilation where Rust and GLSL lay a struct out differently.
macro_rules! assert_same_layout {
    ($name:ident { $($member:ident),* $(,)? }) => {
        const _: () = {
            assert!(size_of::<$name>() == spirv::$name::SIZE, "size differs from GLSL");
            assert!([$(stringify!($member)),*].len() == spirv::$name::MEMBERS, "GLSL has other members");
            $(assert!(std::mem::offset_of!($name, $member) == spirv::$name::$member, "offset differs from GLSL");)*
        };
    };
}

assert_same_layout!(Constraint { index_a, index_b, rest_length, compliance });
assert_same_layout!(PbdParameters {
    gravity,
    wind,
    flutter_wave_number,
    flutter_lift,
    substep_dt,
    damping,
    particle_count,
    elongation,
    has_forces,
});
assert_same_layout!(PredictPush { flutter_phase });
assert_same_layout!(SolvePush { first, count, iteration });
assert_same_layout!(JacobiPush { constraint_count, iteration });
assert_same_layout!(AirParameters { velocity, density, drag, lift, substep_dt, particle_count, particle_mass });
assert_same_layout!(VerletPush { start, end, collider_count, flutter_phase });
assert_same_layout!(VerletParameters {
    gravity,
    wind,
    grid_size,
    rest_length,
    mass,
    structural_stiffness,
    shear_stiffness,
    flexion_stiffness,
    damping,
    substep_dt,
    flutter_wave_number,
    flutter_lift,
    has_forces,
});
assert_same_layout!(Collider {
    size,
    kind,
    friction,
    grid_size,
    first_height,
    padding,
    start_position,
    start_rotation,
    end_position,
    end_rotation,
});
assert_same_layout!(AttachedParticle { place, index, attachment, padding });
assert_same_layout!(Attachment { start_position, start_rotation, end_position, end_rotation, release_substep });
assert_same_layout!(AttachPush { attached_count, substep, start, end, substep_dt });
assert_same_layout!(CutPush { origin, normal, along, count, padding });
const _: () = assert!(spirv::Colliders::heights == MOST_COLLIDERS * size_of::<Collider>(), "GLSL has another count");
assert_same_layout!(CollidePush { start, end, collider_count });
assert_same_layout!(MassSpringParameters {
    acceleration,
    grid_size,
    rest_length,
    stiffness,
    damping,
    substep_dt,
    has_forces
});
assert_same_layout!(Rope {
    first,
    particle_count,
    link_length,
    coarsest,
    first_start,
    first_end,
    last_start,
    last_end,
    sway,
});
assert_same_layout!(RopeParameters {
    acceleration,
    level_distances,
    velocity_loss,
    substep_dt,
    substeps,
    iterations,
    deviation_kept,
    sway_angle,
});
assert_same_layout!(RopePush { camera, collider_count, coarsest, padding });
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
