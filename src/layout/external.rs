//! The structs of what acts on a cloth from outside: colliders, attachments, air, cuts.

use bytemuck::{Pod, Zeroable};
use glam::{UVec2, Vec4};

use super::{assert_same_layout, spirv};

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
    /// Mass of each particle \[kg\] where all have the same; 0 where their positions carry their inverse masses.
    pub particle_mass: f32,
    /// Fills the block up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

/// Most colliders of a simulation: what one update of a buffer in the stream can carry.
pub const MOST_COLLIDERS: usize = 65_536 / size_of::<Collider>();

/// A collider during one step, in which it moves from one pose to another at constant speed; 128 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Collider {
    /// In the collider's own frame \[m\]. Sphere: x is the radius. Capsule along y: x and y are the radii at its lower
    /// and its upper end, z half the distance between these ends' centres. Box: xyz are half its sides. A plane has none:
    /// it is y = 0, solid below. Height field: x and z are half its sides, y its greatest height. Mesh: xyz are half the
    /// sides of its grid.
    pub size: Vec4,
    /// 0 sphere, 1 capsule, 2 plane, 3 box, 4 height field, 5 mesh.
    pub kind: u32,
    /// Coefficient of friction.
    pub friction: f32,
    /// Of a height field or a mesh: where its heights or distances start in the list of all samples; they lie there row by
    /// row, those of a mesh layer by layer.
    pub first_sample: u32,
    /// Of a mesh: nodes of its grid along z.
    pub grid_layers: u32,
    /// Of a height field: its columns, along x, and its rows, along z; of a mesh: nodes of its grid along x and y. At least
    /// 2 each.
    pub grid_size: UVec2,
    /// Keeps the members that follow at multiples of 16 bytes.
    pub padding: [u32; 2],
    /// Of a mesh: where its grid's node of least coordinates is in its own frame, in xyz, and in w the side of a cell \[m\].
    pub grid_origin: Vec4,
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
    /// In xyz what, times a way from the origin, is 0 where the stroke begins, and where it ends as much as `depth` says; 0
    /// where it has no ends.
    pub along: Vec4,
    /// Of a way from the origin, the product with xyz, plus w: what is negative there is behind the eye that sees the stroke.
    pub depth: Vec4,
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

assert_same_layout!(AirParameters { velocity, density, drag, lift, substep_dt, particle_count, particle_mass });
assert_same_layout!(Collider {
    size,
    kind,
    friction,
    first_sample,
    grid_layers,
    grid_size,
    padding,
    grid_origin,
    start_position,
    start_rotation,
    end_position,
    end_rotation,
});
assert_same_layout!(AttachedParticle { place, index, attachment, padding });
assert_same_layout!(Attachment { start_position, start_rotation, end_position, end_rotation, release_substep });
assert_same_layout!(AttachPush { attached_count, substep, start, end, substep_dt });
assert_same_layout!(CutPush { origin, normal, along, depth, count, padding });
const _: () = assert!(spirv::Colliders::samples == MOST_COLLIDERS * size_of::<Collider>(), "GLSL has another count");
assert_same_layout!(CollidePush { start, end, collider_count });
