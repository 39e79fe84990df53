//! What cloth collides with: shapes, and the paths that they move along.

use glam::{Quat, Vec3, Vec4};

use crate::layout;

/// A shape in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
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
}

/// Where something is, and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// \[m\]
    pub position: Vec3,
    /// Turns the shape's own frame into the world's.
    pub rotation: Quat,
}

/// Poses at points in time, with straight ways at constant speed between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Time \[s\] and pose, in order of time; at least one.
    keyframes: Vec<(f64, Pose)>,
}

impl Path {
    /// A pose that does not change.
    #[must_use]
    pub fn resting(pose: Pose) -> Self {
        Self { keyframes: vec![(0.0, pose)] }
    }

    /// A way through poses; before the first and after the last time it rests. `None` where there are none, or their
    /// times do not increase.
    #[must_use]
    pub fn through(keyframes: Vec<(f64, Pose)>) -> Option<Self> {
        let ordered = keyframes.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (ordered && !keyframes.is_empty()).then_some(Self { keyframes })
    }

    /// The pose at `time` \[s\].
    #[must_use]
    pub fn at(&self, time: f64) -> Pose {
        let next = self.keyframes.partition_point(|(keyframe, _)| *keyframe <= time);
        let Some((last_time, last)) = next.checked_sub(1).map(|index| self.keyframes[index]) else {
            return self.keyframes[0].1;
        };
        let Some((next_time, next)) = self.keyframes.get(next) else {
            return last;
        };
        let share = ((time - last_time) / (next_time - last_time)) as f32;
        Pose { position: last.position.lerp(next.position, share), rotation: last.rotation.lerp(next.rotation, share) }
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
    /// What the kernels see of it during the step from `start` to `end` \[s\].
    #[must_use]
    pub fn during(&self, start: f64, end: f64) -> layout::Collider {
        let (kind, size) = match self.shape {
            Shape::Sphere { radius } => (0, Vec4::new(radius, 0.0, 0.0, 0.0)),
            Shape::Capsule { radii: [lower, upper], half_length } => (1, Vec4::new(lower, upper, half_length, 0.0)),
            Shape::Plane => (2, Vec4::ZERO),
            Shape::Box { half_sides } => (3, half_sides.extend(0.0)),
        };
        let (start, end) = (self.path.at(start), self.path.at(end));
        layout::Collider {
            size,
            kind,
            friction: self.friction,
            padding: [0; 2],
            start_position: start.position.extend(0.0),
            start_rotation: start.rotation.into(),
            end_position: end.position.extend(0.0),
            end_rotation: end.rotation.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(x: f32, turns: f32) -> Pose {
        Pose { position: Vec3::new(x, 0.0, 0.0), rotation: Quat::from_rotation_y(turns * std::f32::consts::TAU) }
    }

    #[test]
    fn a_path_rests_before_its_first_and_after_its_last_keyframe() {
        let path = Path::through(vec![(1.0, pose(0.0, 0.0)), (3.0, pose(4.0, 0.25)), (4.0, pose(4.0, 0.25))]).unwrap();
        for (time, x) in [(-1.0, 0.0), (1.0, 0.0), (1.5, 1.0), (2.0, 2.0), (3.0, 4.0), (3.7, 4.0), (100.0, 4.0)] {
            assert_eq!(path.at(time).position, Vec3::new(x, 0.0, 0.0), "{time} s");
        }
        // Halfway through a quarter turn.
        assert!(path.at(2.0).rotation.angle_between(pose(0.0, 0.125).rotation) < 1e-3);
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
        let seen = ball.during(0.25, 0.5);
        assert_eq!((seen.start_position.x, seen.end_position.x, seen.size.x, seen.friction), (0.5, 1.0, 0.5, 0.3));
    }
}
