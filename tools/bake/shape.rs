//! What is baked, as its file has it: the points, what joins them, and the particle that each of them is.

use std::sync::Arc;

use tautline::glam::{Vec2, Vec3};
use tautline::io::cache::CacheForm;
use tautline::model::{Body, Cloth, Grid, Ropes, SourceMesh, UpAxis};
use tautline::scene::Scene;

pub struct Shape {
    pub form: CacheForm,
    /// The particle of each point. Shape \[point_count\].
    particles: Vec<u32>,
    /// \[m\]
    pub metres_per_unit: f32,
    pub up: UpAxis,
}

impl Shape {
    pub fn of(scene: &Scene, body: &Body) -> Self {
        let particles = (0..body.positions().len() as u32).collect();
        let (form, metres_per_unit) = match body {
            Body::Ropes(ropes) => (curves(ropes), 1.0),
            Body::Cloth(Cloth { grid: Some(grid), positions, .. }) => {
                let positions = positions.iter().map(|position| position.truncate()).collect();
                (CacheForm::Mesh(Arc::new(quads(*grid, positions))), 1.0)
            }
            Body::Cloth(cloth) => (CacheForm::Mesh(Arc::new(triangles(cloth, scene.scale))), scene.scale),
        };
        Self { form, particles, metres_per_unit, up: UpAxis::Y }
    }

    /// The points of particles that are at `places` \[m\], in the file's unit and axes. Shape \[point_count\].
    pub fn points(&self, places: &[Vec3]) -> Vec<Vec3> {
        let point = |&particle: &u32| self.up.from_y_up(places[particle as usize]) / self.metres_per_unit;
        self.particles.iter().map(point).collect()
    }

    /// What the file calls a point.
    pub fn number(&self, point: usize) -> usize {
        let first = if let CacheForm::Mesh(mesh) = &self.form { mesh.first_number } else { 0 };
        point + first as usize
    }
}

fn curves(ropes: &Ropes) -> CacheForm {
    let sizes = ropes.ropes().iter().map(|rope| rope.particles.len() as u32).collect();
    CacheForm::Ropes { sizes, width: 2.0 * ropes.radius() }
}

/// A quad for each cell of a grid, which its texture covers once.
fn quads(grid: Grid, positions: Vec<Vec3>) -> SourceMesh {
    let [across, down] = [grid.columns - 1, grid.rows - 1];
    let cells = (0..down).flat_map(|row| (0..across).map(move |column| (column, row)));
    let corners = cells.flat_map(|(column, row)| {
        [(column, row), (column, row + 1), (column + 1, row + 1), (column + 1, row)]
    });
    let corners: Vec<_> = corners.collect();
    let uv = |&(column, row): &(u32, u32)| Vec2::new(column as f32 / across as f32, 1.0 - row as f32 / down as f32);
    SourceMesh {
        face_sizes: vec![4; corners.len() / 4],
        corners: corners.iter().map(|&(column, row)| grid.index(column, row)).collect(),
        uvs: Some(corners.iter().map(uv).collect()),
        surfaces: vec![0; positions.len()],
        positions,
        ..SourceMesh::default()
    }
}

/// The triangles of a mesh whose unit is `scale` metres; each of its vertices is a particle.
fn triangles(cloth: &Cloth, scale: f32) -> SourceMesh {
    // A scene counts v downwards, and files upwards.
    let uvs = cloth.uvs.as_ref().map(|uvs| uvs.as_flattened().iter().map(|uv| Vec2::new(uv.x, 1.0 - uv.y)).collect());
    SourceMesh {
        positions: cloth.positions.iter().map(|position| position.truncate() / scale).collect(),
        face_sizes: vec![3; cloth.triangles.len()],
        corners: cloth.triangles.as_flattened().to_vec(),
        uvs,
        surfaces: vec![0; cloth.positions.len()],
        first_number: 1,
        ..SourceMesh::default()
    }
}
