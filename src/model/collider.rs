//! What cloth collides with: shapes, and the paths that they move along.

use std::sync::Arc;

use glam::{DQuat, DVec3, Quat, UVec3, Vec3, Vec4};

use super::{ClosedMesh, DistanceField, HeightField};
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

/// Where something is, and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// \[m\]
    pub position: Vec3,
    /// Turns the shape's own frame into the world's.
    pub rotation: Quat,
}

/// A rotation by an angle about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Unit vector.
    pub axis: DVec3,
    /// \[rad\]; more than 2π is more than a whole turn.
    pub angle: f64,
}

impl Turn {
    /// How something is turned then.
    #[must_use]
    pub fn rotation(&self) -> Quat {
        DQuat::from_axis_angle(self.axis, self.angle).as_quat()
    }
}

/// Poses at points in time, between which positions and angles change at constant speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// In order of time; at least one.
    keyframes: Vec<Keyframe>,
}

#[derive(Clone, Debug, PartialEq)]
struct Keyframe {
    /// \[s\]
    time: f64,
    pose: Pose,
    /// From here to the next keyframe: the axis, as long as the angle \[rad\].
    turn: DVec3,
}

impl Path {
    /// A pose that does not change.
    #[must_use]
    pub fn resting(pose: Pose) -> Self {
        Self { keyframes: vec![Keyframe { time: 0.0, pose, turn: DVec3::ZERO }] }
    }

    /// A way through poses at times \[s\], turned the shorter way between them; before the first and after the last time
    /// it rests. `None` where there are none, or their times do not increase.
    #[must_use]
    pub fn through(poses: Vec<(f64, Pose)>) -> Option<Self> {
        let ordered = poses.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let mut keyframes: Vec<Keyframe> =
            poses.into_iter().map(|(time, pose)| Keyframe { time, pose, turn: DVec3::ZERO }).collect();
        for index in 1..keyframes.len() {
            let [from, to] = [index - 1, index].map(|index| keyframes[index].pose.rotation.as_dquat().normalize());
            let turn = to * from.conjugate();
            keyframes[index - 1].turn = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
        }
        (ordered && !keyframes.is_empty()).then_some(Self { keyframes })
    }

    /// As [`Path::through`], for positions \[m\] and turns at times \[s\]. Between turns about one axis the angle goes
    /// from the one to the other, be that more than a whole turn.
    #[must_use]
    pub fn turning(turned: &[(f64, Vec3, Turn)]) -> Option<Self> {
        let pose = |&(time, position, turn): &(f64, Vec3, Turn)| (time, Pose { position, rotation: turn.rotation() });
        let mut path = Self::through(turned.iter().map(pose).collect())?;
        for (keyframe, pair) in path.keyframes.iter_mut().zip(turned.windows(2)) {
            let (from, to) = (pair[0].2, pair[1].2);
            // The same axis but for the rounding of its normalization.
            if from.axis.abs_diff_eq(to.axis, 1e-12) {
                keyframe.turn = from.axis * (to.angle - from.angle);
            }
        }
        Some(path)
    }

    /// Whether the pose is another at some time.
    #[must_use]
    pub fn moves(&self) -> bool {
        self.keyframes.len() > 1
    }

    /// The pose at `time` \[s\].
    #[must_use]
    pub fn at(&self, time: f64) -> Pose {
        let (last, way) = self.around(time);
        let Some((next, share)) = way else {
            return last.pose;
        };
        Pose {
            position: last.pose.position.lerp(next.pose.position, share as f32),
            rotation: DQuat::from_scaled_axis(share * last.turn).as_quat() * last.pose.rotation,
        }
    }

    /// The position at `time` \[s\], that of [`Path::at`] \[m\]: for what has no use for the rotation, which takes longer.
    #[must_use]
    pub fn position_at(&self, time: f64) -> Vec3 {
        let (last, way) = self.around(time);
        way.map_or(last.pose.position, |(next, share)| last.pose.position.lerp(next.pose.position, share as f32))
    }

    /// The last keyframe by `time` \[s\], or the first; and where it moves on from there, the next and the share of the way to
    /// it.
    fn around(&self, time: f64) -> (&Keyframe, Option<(&Keyframe, f64)>) {
        let next = self.keyframes.partition_point(|keyframe| keyframe.time <= time);
        let last = &self.keyframes[next.saturating_sub(1)];
        let next = self.keyframes.get(next).filter(|_| next > 0);
        (last, next.map(|next| (next, (time - last.time) / (next.time - last.time))))
    }
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
        let (start, end) = (self.path.at(start), self.path.at(end));
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
#[must_use]
pub fn colliders_during(list: &[Collider], start: f64, end: f64) -> Vec<layout::Collider> {
    let mut first_sample = 0;
    let seen = |collider: &Collider| {
        let seen = collider.during(start, end, first_sample);
        first_sample += collider.samples().len() as u32;
        seen
    };
    list.iter().map(seen).collect()
}

/// The heights of height fields and the distances of meshes among colliders \[m\], one after another, as [`colliders_during`] counts them.
#[must_use]
pub fn collider_samples(list: &[Collider]) -> Vec<f32> {
    list.iter().flat_map(Collider::samples).copied().collect()
}

#[cfg(test)]
mod tests {
    use glam::{UVec2, Vec2};

    use super::*;

    fn pose(x: f32, turns: f32) -> Pose {
        Pose { position: Vec3::new(x, 0.0, 0.0), rotation: Quat::from_rotation_y(turns * std::f32::consts::TAU) }
    }

    #[test]
    fn a_path_rests_before_its_first_and_after_its_last_keyframe() {
        let path = Path::through(vec![(1.0, pose(0.0, 0.0)), (3.0, pose(4.0, 0.25)), (4.0, pose(4.0, 0.25))]).unwrap();
        for (time, x) in [(-1.0, 0.0), (1.0, 0.0), (1.5, 1.0), (2.0, 2.0), (3.0, 4.0), (3.7, 4.0), (100.0, 4.0)] {
            assert_eq!(path.at(time).position, Vec3::new(x, 0.0, 0.0), "{time} s");
            assert_eq!(path.position_at(time), path.at(time).position, "{time} s");
        }
    }

    /// Twice the sine of half the angle between two rotations, which for a small one is the angle \[rad\].
    fn difference(left: Quat, right: Quat) -> f32 {
        2.0 * (left * right.conjugate()).xyz().length()
    }

    #[test]
    fn rotations_take_the_shorter_way_at_constant_speed() {
        for (end, sign) in [(0.4, 1.0), (0.4, -1.0), (-0.4, 1.0)] {
            let end_pose = Pose { rotation: pose(0.0, end).rotation * sign, ..pose(0.0, end) };
            let path = Path::through(vec![(1.0, pose(0.0, 0.0)), (3.0, end_pose)]).unwrap();
            for tenth in 0..10 {
                let share = tenth as f32 / 10.0;
                let turned = path.at(1.0 + 2.0 * f64::from(share)).rotation;
                assert!(difference(turned, pose(0.0, share * end).rotation) < 1e-6, "{share} of {end} turns");
            }
        }
    }

    #[test]
    fn angles_about_one_axis_may_be_more_than_a_turn() {
        let about = |axis, turns: f64| Turn { axis, angle: turns * std::f64::consts::TAU };
        let y = about(DVec3::Y, -0.25);
        let turned =
            [(0.0, Vec3::ZERO, y), (2.0, Vec3::X, about(DVec3::Y, 2.25)), (3.0, Vec3::X, about(DVec3::X, 0.25))];
        let path = Path::turning(&turned).unwrap();
        // 2.5 turns in 2 s, so in 0.3 s 0.375 of one.
        for (time, turns) in [(0.0, -0.25), (0.3, 0.125), (1.0, 1.0), (1.5, 1.625)] {
            assert!(difference(path.at(time).rotation, pose(0.0, turns).rotation) < 1e-6, "{time} s");
        }
        // To a quarter about x from one about y is a third of a turn, about a diagonal.
        let half = path.at(2.5).rotation;
        for end in [path.at(2.0), path.at(3.0)] {
            assert!((difference(half, end.rotation) - 2.0 * 30_f32.to_radians().sin()).abs() < 1e-6);
        }
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
    fn keyframes_have_an_order() {
        assert_eq!(Path::through(vec![]), None);
        assert_eq!(Path::through(vec![(1.0, pose(0.0, 0.0)), (1.0, pose(1.0, 0.0))]), None);
        assert_eq!(Path::through(vec![(f64::NAN, pose(0.0, 0.0)), (1.0, pose(1.0, 0.0))]), None);
    }

    #[test]
    fn a_step_sees_both_of_its_ends() {
        let path = Path::through(vec![(0.0, pose(0.0, 0.0)), (1.0, pose(2.0, 0.0))]).unwrap();
        let ball = Collider { shape: Shape::Sphere { radius: 0.5 }, friction: 0.3, path };
        let seen = colliders_during(&[ball], 0.25, 0.5)[0];
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
        let seen = colliders_during(&list, 0.0, 1.0);
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
