//! What a cache of a scene is of: its points as their file has them, what joins them, and the particle that each of
//! them is.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::error::SceneError;
use super::{Scene, SceneMesh};
use crate::io::cache::CacheForm;
use crate::model::{Body, Grid, Preparation, Ropes, SourceMesh, UpAxis};

/// The points of a scene as caches have them.
#[derive(Clone, Debug)]
pub struct BakedShape {
    /// What joins the points.
    pub form: CacheForm,
    /// The particle that each point is. Shape \[point_count\].
    particles: Vec<u32>,
    /// The unit and the axes of the points.
    pub preparation: Preparation,
}

impl Scene {
    /// What a cache of this scene is of, whose body is `body`: of a mesh, the vertices of its file, in their order and number.
    ///
    /// # Errors
    /// As [`Scene::scene_mesh`].
    pub fn baked_shape(&self, body: &Body) -> Result<BakedShape, SceneError> {
        if let Some(SceneMesh { source, preparation, prepared, .. }) = self.scene_mesh()? {
            return Ok(BakedShape {
                form: CacheForm::Mesh(source),
                particles: prepared.particles.clone(),
                preparation,
            });
        }
        let form = match body {
            Body::Ropes(ropes) => curves(ropes),
            Body::Cloth(cloth) => {
                let positions = cloth.positions.iter().map(|position| position.truncate()).collect();
                CacheForm::Mesh(Arc::new(quads(self.grid(), self.cloth_count, positions)))
            }
        };
        let preparation = Preparation { metres_per_unit: 1.0, up: UpAxis::Y, weld_share: 0.0 };
        Ok(BakedShape { form, particles: (0..body.positions().len() as u32).collect(), preparation })
    }
}

impl BakedShape {
    /// How many points there are.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.particles.len()
    }

    /// The points of particles that are at `places` \[m\], in the file's unit and axes. Shape \[point_count\].
    ///
    /// # Panics
    /// Where there are not as many places as particles.
    #[must_use]
    pub fn points(&self, places: &[Vec3]) -> Vec<Vec3> {
        let point = |&particle: &u32| self.preparation.source_position(places[particle as usize]);
        self.particles.iter().map(point).collect()
    }

    /// Where the particles are \[m\] whose points are at `points`, into `places`.
    ///
    /// # Panics
    /// Where there are not as many points.
    pub(super) fn put_places(&self, points: &[Vec3], places: &mut [glam::Vec4]) {
        assert_eq!(points.len(), self.particles.len(), "a place of each point");
        for (&particle, &point) in self.particles.iter().zip(points) {
            let place = &mut places[particle as usize];
            *place = self.preparation.place(point).extend(place.w);
        }
    }

    /// What the file calls a point.
    #[must_use]
    pub fn number(&self, point: usize) -> usize {
        let first = if let CacheForm::Mesh(mesh) = &self.form { mesh.first_number } else { 0 };
        point + first as usize
    }
}

fn curves(ropes: &Ropes) -> CacheForm {
    let sizes = ropes.ropes().iter().map(|rope| rope.particles.len() as u32).collect();
    CacheForm::Ropes { sizes, width: 2.0 * ropes.radius() }
}

/// A quad for each cell of each of so many grids, which its texture covers once.
fn quads(grid: Grid, count: u32, positions: Vec<Vec3>) -> SourceMesh {
    let [across, down] = [grid.columns - 1, grid.rows - 1];
    let cells = (0..down).flat_map(|row| (0..across).map(move |column| (column, row)));
    let corners =
        cells.flat_map(|(column, row)| [(column, row), (column, row + 1), (column + 1, row + 1), (column + 1, row)]);
    let corners: Vec<_> = corners.collect();
    let uv = |&(column, row): &(u32, u32)| Vec2::new(column as f32 / across as f32, 1.0 - row as f32 / down as f32);
    let firsts = (0..count).map(|copy| copy * grid.columns * grid.rows);
    let in_all = firsts.flat_map(|first| corners.iter().map(move |&(column, row)| first + grid.index(column, row)));
    SourceMesh {
        face_sizes: vec![4; count as usize * corners.len() / 4],
        corners: in_all.collect(),
        uvs: Some(corners.iter().map(uv).collect::<Vec<_>>().repeat(count as usize)),
        surfaces: vec![0; positions.len()],
        positions,
        ..SourceMesh::default()
    }
}
