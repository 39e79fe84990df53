//! What is simulated, on the CPU and without Vulkan: particles, the springs between them, and their colouring.

mod collider;
mod coloring;
mod ends;
mod grid;
mod mesh;
mod strain;

pub use collider::{Collider, Path, Pose, Shape};
pub use coloring::Coloring;
pub use ends::ends_at_particles;
pub use grid::{Grid, GridPlane};
pub use mesh::{HANGING_PIN_FRACTION, MeshError, TriangleMesh, hang};
pub use strain::{Strain, strain};

use glam::Vec4;

/// Which of the three families of springs one belongs to (document 000).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpringKind {
    /// Along a grid line or a mesh edge: resists stretching.
    Structural,
    /// Along a grid cell's diagonal: resists shearing.
    Shear,
    /// Across two cells or two triangles: resists bending.
    Bending,
}

/// Two particles held at a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Indices of the two particles; they differ.
    pub particles: [u32; 2],
    /// Distance at rest \[m\].
    pub rest_length: f32,
    /// What the spring resists.
    pub kind: SpringKind,
}

/// A cloth at rest: the input of every solver.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// xyz: position \[m\]; w: inverse mass \[1/kg\], 0 where pinned. Shape \[particle_count\].
    pub positions: Vec<Vec4>,
    /// Corners of each triangle, counter-clockwise seen from the front. Shape \[triangle_count\].
    pub triangles: Vec<[u32; 3]>,
    /// Springs, sorted by batch: batch `b` is `springs[coloring.batches()[b]]`.
    pub springs: Vec<Spring>,
    /// The batches of springs that share no particle.
    pub coloring: Coloring,
    /// The grid this cloth was made from, where it was made from one.
    pub grid: Option<Grid>,
}
