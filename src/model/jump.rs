//! Jumps: rigid motions that take no time.

use glam::{Quat, Vec3};

use super::Pose;

/// What was at `from` is at `to` at once, and all around it goes along, turned about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jump {
    /// \[m\]
    pub from: Vec3,
    /// \[m\]
    pub to: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
}

impl Jump {
    /// The jump that has what is in the pose `before` be in the pose `after`.
    #[must_use]
    pub fn between(before: Pose, after: Pose) -> Self {
        let rotation = after.rotation.as_dquat() * before.rotation.as_dquat().conjugate();
        Self { from: before.position, to: after.position, rotation: rotation.normalize().as_quat() }
    }

    /// Where it carries a point \[m\].
    #[must_use]
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.to + self.vector(point - self.from)
    }

    /// What becomes of a vector, as of a velocity.
    #[must_use]
    pub fn vector(&self, vector: Vec3) -> Vec3 {
        // As the kernels have it.
        let axis = self.rotation.xyz();
        vector + 2.0 * axis.cross(axis.cross(vector) + self.rotation.w * vector)
    }

    /// Where it carries a pose.
    #[must_use]
    pub fn pose(&self, pose: Pose) -> Pose {
        Pose { position: self.point(pose.position), rotation: (self.rotation * pose.rotation).normalize() }
    }

    /// This jump and then the `next` one, as one.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self { from: self.from, to: next.point(self.to), rotation: (next.rotation * self.rotation).normalize() }
    }

    /// The same jump for what `frame` has carried elsewhere, with the poses that it is between.
    #[must_use]
    pub fn carried_by(&self, frame: &Self) -> Self {
        let rotation = frame.rotation * self.rotation * frame.rotation.conjugate();
        Self { from: frame.point(self.from), to: frame.point(self.to), rotation: rotation.normalize() }
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::*;

    fn pose(position: Vec3, axis: Vec3, quarters: f32) -> Pose {
        Pose { position, rotation: Quat::from_axis_angle(axis, quarters * FRAC_PI_2) }
    }

    #[track_caller]
    fn close(found: Vec3, expected: Vec3) {
        assert!(found.distance(expected) < 1e-5, "{found}, not {expected}");
    }

    #[test]
    fn what_is_beside_a_pose_stays_beside_it() {
        // From facing x to facing z, about -y.
        let jump = Jump::between(pose(Vec3::X, Vec3::Y, 0.0), pose(Vec3::new(5.0, 2.0, 0.0), Vec3::Y, -1.0));
        close(jump.point(Vec3::new(2.0, 0.5, 0.0)), Vec3::new(5.0, 2.5, 1.0));
        close(jump.vector(Vec3::new(1.0, -3.0, 0.0)), Vec3::new(0.0, -3.0, 1.0));
        assert_eq!(Jump::default().point(Vec3::new(0.1, 0.2, 0.3)), Vec3::new(0.1, 0.2, 0.3));
    }

    #[test]
    fn jumps_follow_each_other() {
        let poses = [
            pose(Vec3::X, Vec3::Z, 0.3),
            pose(Vec3::new(-2.0, 1.0, 3.0), Vec3::Y, 0.9),
            pose(Vec3::new(0.5, -4.0, 1.0), Vec3::X, 1.7),
        ];
        let [first, next] = [0, 1].map(|index| Jump::between(poses[index], poses[index + 1]));
        let both = first.then(&next);
        for point in [Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)] {
            close(both.point(point), next.point(first.point(point)));
            close(both.vector(point), next.vector(first.vector(point)));
        }
        close(both.pose(poses[0]).position, poses[2].position);
        close(both.pose(poses[0]).rotation * Vec3::X, poses[2].rotation * Vec3::X);
    }

    #[test]
    fn a_jump_that_is_carried_ends_where_its_ends_are_carried() {
        let jump = Jump::between(pose(Vec3::X, Vec3::Z, 0.3), pose(Vec3::new(-2.0, 1.0, 3.0), Vec3::Y, 0.9));
        let frame = Jump::between(pose(Vec3::Y, Vec3::X, 0.0), pose(Vec3::new(1.0, -1.0, 0.0), Vec3::X, 1.2));
        let point = Vec3::new(0.2, 0.4, -0.7);
        close(jump.carried_by(&frame).point(frame.point(point)), frame.point(jump.point(point)));
    }
}
