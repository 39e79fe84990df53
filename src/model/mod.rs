//! What is simulated, on the CPU and without Vulkan: particles, the springs between them, and their colouring.

mod adjacency;
mod attachment;
mod bounds;
mod carriers;
mod closed_mesh;
mod clusters;
mod collider;
mod coloring;
mod components;
mod copies;
mod cut;
mod distance_field;
mod ends;
mod fingerprint;
mod grid;
mod grip;
mod height_field;
mod hinge;
mod inspect;
mod jump;
mod long_range;
mod mesh;
mod patch;
mod path;
mod pattern;
mod pins;
mod prepare;
mod ray;
mod rope;
mod rope_layout;
mod rope_rest;
mod sides;
mod source_mesh;
mod strain;
mod triangle_tree;

pub use adjacency::triangles_around;
pub use attachment::{AttachedParticle, Attachment};
pub use bounds::bounds;
pub use carriers::{Carried, Carriers};
pub use closed_mesh::{ClosedMesh, ClosedMeshError, SignedDistance};
pub use collider::{Collider, Shape, collider_samples, colliders_during};
pub use coloring::{Coloring, Joins};
pub(crate) use components::{Components, root};
pub use cut::{Blade, Cut};
pub use distance_field::{DistanceField, FIELD_CELLS, FieldGrid};
pub use ends::ends_at_particles;
pub use fingerprint::Fingerprint;
pub use grid::{Grid, GridPlane};
pub use grip::{Grip, MOST_GRIPPED};
pub use height_field::HeightField;
pub use hinge::Hinge;
pub use inspect::{Border, Inspection, Intersections, SLIVER, TJunction};
pub use jump::Jump;
pub use long_range::{HeldWays, links_at_particles};
pub use mesh::{HANGING_PIN_FRACTION, MeshError, TriangleMesh};
pub use patch::Patch;
pub use path::{Path, Pose, Turn};
pub use pattern::{Pattern, TextureImage};
pub use pins::Pins;
pub use prepare::{Findings, Preparation, PrepareError, PreparedMesh, WELD_SHARE};
pub use ray::{Drag, Ray};
pub use rope::{Anchor, Hold, MOST_ROPE_PARTICLES, MOST_ROPES, Rope, RopeEnd, RopeError, RopeStart, Ropes};
pub use rope_layout::{HeldEnds, RopeLayout};
pub use rope_rest::RopeRest;
use rope_rest::hanging_chain;
pub use source_mesh::{SourceMesh, UpAxis, VertexAttribute, VertexGroup};
pub use strain::{Strain, strain};
pub use triangle_tree::{ClosestPoint, Feature, TriangleTree, closest_on_triangle};

use glam::{Vec2, Vec3, Vec4};

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

impl Joins for Spring {
    fn particles(&self) -> &[u32] {
        &self.particles
    }
}

/// How a cloth resists bending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BendingForm {
    /// By the angle between two triangles at their common edge, with a [`Hinge`].
    Dihedral,
    /// By the distance across two cells or two triangles, with a spring of [`SpringKind::Bending`].
    Distance,
}

/// What a simulation moves, as it starts.
#[derive(Clone, Debug)]
pub enum Body {
    /// A cloth.
    Cloth(Cloth),
    /// Ropes.
    Ropes(Ropes),
}

impl Body {
    /// xyz: position \[m\]; w: inverse mass, 0 where held. Shape \[particle_count\].
    #[must_use]
    pub fn positions(&self) -> &[Vec4] {
        match self {
            Self::Cloth(cloth) => &cloth.positions,
            Self::Ropes(ropes) => ropes.positions(),
        }
    }

    /// The longest side of the box around it as it starts \[m\].
    #[must_use]
    pub fn size(&self) -> f32 {
        let [least, greatest] = [Vec4::min as fn(Vec4, Vec4) -> Vec4, Vec4::max]
            .map(|pick| self.positions().iter().copied().reduce(pick).unwrap_or_default().truncate());
        (greatest - least).max_element()
    }

    /// Inverse mass of a particle where nothing holds it \[1/kg\]; 1 of those of ropes, whose masses do not matter.
    ///
    /// # Panics
    /// Where there is no such particle.
    #[must_use]
    pub fn inverse_mass(&self, particle: u32) -> f32 {
        match self {
            Self::Cloth(cloth) => cloth.inverse_masses[particle as usize],
            Self::Ropes(_) => 1.0,
        }
    }

    /// The mean distance between neighbours at rest \[m\], along structural springs; 0 where there are none.
    #[must_use]
    pub fn mean_spacing(&self) -> f32 {
        let structural = self.springs().iter().filter(|spring| spring.kind == SpringKind::Structural);
        let (sum, count) =
            structural.fold((0.0, 0.0), |(sum, count), spring| (sum + f64::from(spring.rest_length), count + 1.0));
        (sum / f64::max(count, 1.0)) as f32
    }

    /// The springs between the particles.
    #[must_use]
    pub fn springs(&self) -> &[Spring] {
        match self {
            Self::Cloth(cloth) => &cloth.springs,
            Self::Ropes(ropes) => ropes.links(),
        }
    }
}

/// A cloth at rest: the input of every solver.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// xyz: position \[m\]; w: inverse mass \[1/kg\], 0 where pinned. Shape \[particle_count\].
    pub positions: Vec<Vec4>,
    /// Inverse mass of each particle \[1/kg\], also of those that are pinned or carried. Shape \[particle_count\].
    pub inverse_masses: Vec<f32>,
    /// Corners of each triangle, counter-clockwise seen from the front. Shape \[triangle_count\].
    pub triangles: Vec<[u32; 3]>,
    /// Springs, sorted by batch: batch `b` is `springs[coloring.batches()[b]]`.
    pub springs: Vec<Spring>,
    /// The batches of springs that share no particle.
    pub coloring: Coloring,
    /// What of a mesh's cloth each of the springs along its edges stands for; of those that resist bending it says nothing.
    /// Shape \[spring_count\]; empty on a grid.
    pub patches: Vec<Patch>,
    /// Edges across which it resists bending, sorted by batch; empty where springs do that, or nothing does.
    pub hinges: Vec<Hinge>,
    /// The batches of hinges that share no particle.
    pub hinge_coloring: Coloring,
    /// What carries particles along a path; these have an inverse mass of 0 until they are let go.
    pub attachments: Vec<Attachment>,
    /// The grid this cloth was made from, where it was made from one.
    pub grid: Option<Grid>,
    /// Places of the corners of each triangle in the pattern, from 0 to 1 across and down it. Shape \[triangle_count\]. None on a
    /// single grid, all of which the pattern covers, and where a mesh has none.
    pub uvs: Option<Vec<[Vec2; 3]>>,
    /// What is printed on it.
    pub pattern: Pattern,
}

impl Cloth {
    /// Lets the cloth resist bending at the edges that its triangles share, as they are now.
    pub fn add_hinges(&mut self) {
        let positions: Vec<Vec3> = self.positions.iter().map(|position| position.truncate()).collect();
        (self.hinges, self.hinge_coloring) = Coloring::clustered(hinge::hinges(&positions, &self.triangles));
    }
}
