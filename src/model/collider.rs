//! What cloth collides with: shapes that move along paths.

use std::sync::Arc;

use glam::{UVec3, Vec3, Vec4};

use super::{ClosedMesh, DistanceField, HeightField, Path, Pose};
use crate::layout;

/// A shape in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Around the origin.
    Sphere {
        /// \[m\]
        radius: f32,
    },
    /// Along y, with a round end of its own radius below and above.
    Capsule {
        /// At the lower and the upper end \[m\].
        radii: [f32; 2],
        /// Half the distance between the ends' centres \[m\].
        half_length: f32,
    },
    /// y = 0, solid below.
    Plane,
    /// Around the origin, along the axes.
    Box {
        /// Half of each side \[m\].
        half_sides: Vec3,
    },
    /// Terrain.
    HeightField(HeightField),
    /// What a mesh encloses.
    Mesh {
        /// Its surface, which is drawn.
        surface: Arc<ClosedMesh>,
        /// Distances from that, which keep particles out.
        field: DistanceField,
    },
}

/// A solid body that moves along its path whatever it meets.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Its shape.
    pub shape: Shape,
    /// Coefficient of friction.
    pub friction: f32,
    /// Where it is.
    pub path: Path,
}

impl Collider {
    /// Height of its lowest point at `time` \[s\] \[m\]; of a plane, where it is level, and none where it slants.
    #[must_use]
    pub fn lowest(&self, time: f64) -> Option<f32> {
        let Pose { position, rotation } = self.path.at(time);
        let corner = |half_sides: Vec3| (rotation.conjugate() * Vec3::Y).abs().dot(half_sides);
        let below = match &self.shape {
            Shape::Sphere { radius } => *radius,
            Shape::Capsule { radii: [lower, upper], half_length } => {
                let rise = (rotation * Vec3::Y).y * half_length;
                (lower + rise).max(upper - rise)
            }
            Shape::Box { half_sides } => corner(*half_sides),
            Shape::HeightField(field) => {
                let least = field.heights().iter().copied().fold(f32::INFINITY, f32::min);
                corner(Vec3::new(field.sides().x, 0.0, field.sides().y) / 2.0) - (rotation * Vec3::Y).y * least
            }
            Shape::Mesh { surface, .. } => {
                let down = rotation.conjugate() * -Vec3::Y;
                let used = surface.triangles().iter().flatten();
                used.map(|&vertex| surface.positions()[vertex as usize].dot(down)).fold(f32::NEG_INFINITY, f32::max)
            }
            Shape::Plane => return ((rotation * Vec3::Y).y > 0.999).then_some(position.y),
        };
        Some(position.y - below)
    }

    /// What the kernels see of it during the step from `start` to `end` \[s\], where its samples lie from
    /// `first_sample` on.
    fn during(&self, start: f64, end: f64, first_sample: u32) -> layout::Collider {
        let (kind, size) = match &self.shape {
            Shape::Sphere { radius } => (0, Vec4::new(*radius, 0.0, 0.0, 0.0)),
            Shape::Capsule { radii: [lower, upper], half_length } => (1, Vec4::new(*lower, *upper, *half_length, 0.0)),
            Shape::Plane => (2, Vec4::ZERO),
            Shape::Box { half_sides } => (3, half_sides.extend(0.0)),
            Shape::HeightField(field) => {
                let half_sides = field.sides() / 2.0;
                (4, Vec4::new(half_sides.x, field.highest(), half_sides.y, 0.0))
            }
            Shape::Mesh { field, .. } => {
                let grid = field.grid();
                (5, (grid.cell() * (grid.size() - 1).as_vec3() / 2.0).extend(0.0))
            }
        };
        let (grid_size, grid_origin) = match &self.shape {
            Shape::HeightField(field) => (field.grid_size().extend(0), Vec4::ZERO),
            Shape::Mesh { field, .. } => (field.grid().size(), field.grid().least().extend(field.grid().cell())),
            _ => (UVec3::ZERO, Vec4::ZERO),
        };
        let [start, end] = self.path.during(start, end);
        layout::Collider {
            size,
            kind,
            friction: self.friction,
            first_sample,
            grid_layers: grid_size.z,
            grid_size: grid_size.truncate(),
            padding: [0; 2],
            grid_origin,
            start_position: start.position.extend(0.0),
            start_rotation: start.rotation.into(),
            end_position: end.position.extend(0.0),
            end_rotation: end.rotation.into(),
        }
    }

    /// The heights of a height field or the distances of a mesh \[m\]; others have none.
    pub(crate) fn samples(&self) -> &[f32] {
        match &self.shape {
            Shape::HeightField(field) => field.heights(),
            Shape::Mesh { field, .. } => field.distances(),
            _ => &[],
        }
    }
}

/// What the kernels see of colliders during the step from `start` to `end` \[s\].
pub fn colliders_during(list: &[Collider], start: f64, end: f64) -> impl Iterator<Item = layout::Collider> {
    let mut first_sample = 0;
    list.iter().map(move |collider| {
        let seen = collider.during(start, end, first_sample);
        first_sample += collider.samples().len() as u32;
        seen
    })
}

/// The heights of height fields and the distances of meshes among colliders \[m\], one after another, as [`colliders_during`] counts them.
#[must_use]
pub fn collider_samples(list: &[Collider]) -> Vec<f32> {
    list.iter().flat_map(Collider::samples).copied().collect()
}

#[cfg(test)]
mod tests {
    use glam::{Quat, UVec2, Vec2};

    use super::*;

    fn pose(x: f32, turns: f32) -> Pose {
        Pose { position: Vec3::new(x, 0.0, 0.0), rotation: Quat::from_rotation_y(turns * std::f32::consts::TAU) }
    }

    /// The corner of a cube of 2 m, from the origin.
    fn tetrahedron() -> Shape {
        let corners = [Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y, 2.0 * Vec3::Z];
        let surface = ClosedMesh::new(&corners, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]).expect("it is closed");
        let field = DistanceField::new(&surface, 8);
        Shape::Mesh { surface: surface.into(), field }
    }

    #[test]
    fn the_lowest_point_is_that_of_the_turned_shape() {
        let at = |shape: Shape, degrees: f32| {
            let rotation = Quat::from_rotation_z(degrees.to_radians());
            let path = Path::resting(Pose { position: Vec3::Y, rotation });
            Collider { shape, friction: 0.0, path }.lowest(0.0)
        };
        let close =
            |found: Option<f32>, expected: f32| assert!((found.expect("one") - expected).abs() < 1e-6, "{found:?}");
        close(at(Shape::Sphere { radius: 0.25 }, 30.0), 0.75);
        let capsule = Shape::Capsule { radii: [0.2, 0.4], half_length: 0.5 };
        close(at(capsule.clone(), 0.0), 1.0 - 0.7);
        close(at(capsule.clone(), 90.0), 1.0 - 0.4);
        close(at(capsule, 180.0), 1.0 - 0.9);
        let block = Shape::Box { half_sides: Vec3::new(1.0, 0.5, 3.0) };
        close(at(block.clone(), 0.0), 0.5);
        close(at(block, 90.0), 0.0);
        close(at(Shape::Plane, 0.0), 1.0);
        assert_eq!(at(Shape::Plane, 20.0), None);
        let field = HeightField::new(Vec2::new(2.0, 8.0), 2, vec![-0.5, 1.0, 0.0, 2.0]).expect("a field");
        close(at(Shape::HeightField(field.clone()), 0.0), 0.5);
        close(at(Shape::HeightField(field), 90.0), 0.0);
        close(at(tetrahedron(), 0.0), 1.0);
        // x points down.
        close(at(tetrahedron(), -90.0), -1.0);
    }

    #[test]
    fn a_step_sees_both_of_its_ends() {
        let path = Path::through(vec![(0.0, pose(0.0, 0.0)), (1.0, pose(2.0, 0.0))]).unwrap();
        let ball = Collider { shape: Shape::Sphere { radius: 0.5 }, friction: 0.3, path };
        let seen = colliders_during(&[ball], 0.25, 0.5).next().unwrap();
        assert_eq!((seen.start_position.x, seen.end_position.x, seen.size.x, seen.friction), (0.5, 1.0, 0.5, 0.3));
    }

    #[test]
    fn samples_lie_one_after_another() {
        let field = |heights: &[f32]| Collider {
            shape: Shape::HeightField(HeightField::new(Vec2::new(2.0, 4.0), 2, heights.to_vec()).unwrap()),
            friction: 0.0,
            path: Path::resting(pose(0.0, 0.0)),
        };
        let ball = Collider { shape: Shape::Sphere { radius: 0.5 }, ..field(&[0.0; 4]) };
        let solid = Collider { shape: tetrahedron(), ..ball.clone() };
        let list = [field(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), ball, solid, field(&[7.0, 8.0, 9.0, 0.0])];
        let seen: Vec<_> = colliders_during(&list, 0.0, 1.0).collect();
        assert_eq!([0, 2, 3].map(|index| seen[index].first_sample), [0, 6, 6 + 13 * 13 * 13]);
        assert_eq!((seen[2].kind, seen[2].grid_size, seen[2].grid_layers), (5, UVec2::splat(13), 13));
        // Eight cells along each side of 2, and two more on either side.
        assert_eq!(
            (seen[2].size, seen[2].grid_origin),
            (Vec4::new(1.5, 1.5, 1.5, 0.0), Vec4::new(-0.5, -0.5, -0.5, 0.25))
        );
        assert_eq!((seen[0].size, seen[0].grid_size), (Vec4::new(1.0, 6.0, 2.0, 0.0), UVec2::new(2, 3)));
        let samples = collider_samples(&list);
        assert_eq!(samples[..6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(samples[6 + 13 * 13 * 13..], [7.0, 8.0, 9.0, 0.0]);
    }
}
