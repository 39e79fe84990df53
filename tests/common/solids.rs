//! Closed meshes for tests, and colliders that are such.

#![allow(dead_code)]

use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use glam::{Quat, Vec3};
use tautline::layout;
use tautline::model::{ClosedMesh, Collider, DistanceField, Path, Pose, Shape, colliders_during};

/// A mesh with its distance field.
pub struct Solid {
    pub surface: Arc<ClosedMesh>,
    pub field: DistanceField,
}

impl Solid {
    /// With so many cells along its longest side.
    pub fn new(surface: ClosedMesh, cells: u32) -> Self {
        Self { field: DistanceField::new(&surface, cells), surface: surface.into() }
    }

    pub fn model(&self) -> Shape {
        Shape::Mesh { surface: self.surface.clone(), field: self.field.clone() }
    }

    /// What becomes of a collider that is none yet.
    pub fn shape(&self, collider: layout::Collider) -> layout::Collider {
        let path = Path::resting(Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY });
        let seen = colliders_during(&[Collider { shape: self.model(), friction: 0.0, path }], 0.0, 0.0).next().unwrap();
        let layout::Collider { kind, size, grid_size, grid_layers, grid_origin, .. } = seen;
        layout::Collider { kind, size, grid_size, grid_layers, grid_origin, ..collider }
    }
}

/// Two triangles for each four corners, which go around counter-clockwise.
fn closed(positions: &[Vec3], quads: &[[u32; 4]]) -> ClosedMesh {
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ClosedMesh::new(positions, &triangles).unwrap()
}

/// A box around the origin.
pub fn block(half_sides: Vec3) -> ClosedMesh {
    let positions: Vec<Vec3> = (0..8)
        .map(|corner| {
            let side = |axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
            half_sides * Vec3::new(side(0), side(1), side(2))
        })
        .collect();
    closed(&positions, &[[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]])
}

/// An L: of the square from 0 to 2 along x and y the quarter beyond (1, 1) is missing; 1 deep along z.
pub fn bracket() -> ClosedMesh {
    let outline = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0], [0.0, 1.0]];
    let positions: Vec<Vec3> =
        [0.0, 1.0].iter().flat_map(|&z| outline.iter().map(move |&[x, y]| Vec3::new(x, y, z))).collect();
    let mut quads: Vec<[u32; 4]> = (0..8).map(|a| [a, (a + 1) % 8, (a + 1) % 8 + 8, a + 8]).collect();
    for cap in [[0, 1, 4, 7], [1, 2, 3, 4], [7, 4, 5, 6]] {
        quads.push(cap.map(|corner| corner + 8));
        quads.push([cap[3], cap[2], cap[1], cap[0]]);
    }
    closed(&positions, &quads)
}

/// A ball of radius 1 around the origin, of 32 x 16 quadrangles.
pub fn ball() -> ClosedMesh {
    let (around, down) = (32_u32, 16_u32);
    let at = |ring: u32, segment: u32| {
        let (polar, angle) = (PI * ring as f32 / down as f32, TAU * segment as f32 / around as f32);
        Vec3::new(polar.sin() * angle.cos(), polar.cos(), polar.sin() * angle.sin())
    };
    let mut positions = vec![Vec3::Y, -Vec3::Y];
    positions.extend((1..down).flat_map(|ring| (0..around).map(move |segment| at(ring, segment))));
    let index = |ring: u32, segment: u32| match ring {
        0 => 0,
        ring if ring == down => 1,
        ring => 2 + (ring - 1) * around + segment % around,
    };
    let places = (0..down).flat_map(|ring| (0..around).map(move |segment| (ring, segment)));
    let quads = places.map(|(ring, segment)| {
        [index(ring, segment), index(ring, segment + 1), index(ring + 1, segment + 1), index(ring + 1, segment)]
    });
    closed(&positions, &quads.collect::<Vec<_>>())
}

/// The text of a Wavefront OBJ file.
pub fn obj(mesh: &ClosedMesh) -> String {
    let vertices = mesh.positions().iter().map(|Vec3 { x, y, z }| format!("v {x} {y} {z}\n"));
    let faces = mesh.triangles().iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    vertices.chain(faces).collect()
}
