//! Where something is when: poses at points in time, and what lies between them.

use glam::{DQuat, DVec3, Quat, Vec3};

use super::Jump;

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

/// By how much a time may lie behind the end of a step, as a share of it, and yet be reached: steps are counted in durations that
/// an `f32` holds, each of which is up to half of `f32::EPSILON` off the one that was meant.
const ROUNDING: f64 = 1e-7;

/// Poses at points in time, between which positions and angles change at constant speed; and jumps, where two poses have one
/// time.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// In order of time; at least one.
    keyframes: Vec<Keyframe>,
    /// In order of time \[s\].
    jumps: Vec<(f64, Jump)>,
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
        Self { keyframes: vec![Keyframe { time: 0.0, pose, turn: DVec3::ZERO }], jumps: Vec::new() }
    }

    /// A way through poses at times \[s\], turned the shorter way between them; before the first and after the last time
    /// it rests. Where two poses have one time, it jumps from the one to the other. `None` where there are none, or their times
    /// decrease, or three of them are equal.
    #[must_use]
    pub fn through(poses: Vec<(f64, Pose)>) -> Option<Self> {
        let ordered = poses.windows(2).all(|pair| pair[0].0 <= pair[1].0);
        let ordered = ordered && poses.windows(3).all(|three| three[0].0 < three[2].0);
        let jumps = poses.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
        let jumps = jumps.map(|pair| (pair[0].0, Jump::between(pair[0].1, pair[1].1))).collect();
        let mut keyframes: Vec<Keyframe> =
            poses.into_iter().map(|(time, pose)| Keyframe { time, pose, turn: DVec3::ZERO }).collect();
        for index in 1..keyframes.len() {
            let [from, to] = [index - 1, index].map(|index| keyframes[index].pose.rotation.as_dquat().normalize());
            let turn = to * from.conjugate();
            keyframes[index - 1].turn = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
        }
        (ordered && !keyframes.is_empty()).then_some(Self { keyframes, jumps })
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

    /// Whether it stays as it is during the step from `start` to `end` \[s\].
    #[must_use]
    pub fn rests_during(&self, start: f64, end: f64) -> bool {
        let mut legs = self.keyframes.windows(2).filter(|leg| leg[0].time < end && leg[1].time > start);
        self.jump_during(start, end).is_none()
            && legs.all(|leg| leg[0].pose == leg[1].pose && leg[0].turn == DVec3::ZERO)
    }

    /// Whether it jumps at some time.
    #[must_use]
    pub fn jumps(&self) -> bool {
        !self.jumps.is_empty()
    }

    /// All the jumps at once that the step from `start` to `end` \[s\] makes at its start: those whose time it reaches, and no
    /// step before it; the first step makes one at 0 as well.
    #[must_use]
    pub fn jump_during(&self, start: f64, end: f64) -> Option<Jump> {
        joined(self.jumps_reached(end).filter(|&(time, _)| !is_reached(time, start)))
    }

    /// The poses at the start and the end of the step from `start` to `end` \[s\], the one at its start after its jumps: between
    /// the two it moves without any.
    #[must_use]
    pub fn during(&self, start: f64, end: f64) -> [Pose; 2] {
        [start, end].map(|time| {
            let pose = self.at(time);
            self.jump_ahead(time, end).map_or(pose, |jump| jump.pose(pose))
        })
    }

    /// The positions of [`Path::during`] \[m\]: for what has no use for the rotations, which take longer.
    #[must_use]
    pub fn positions_during(&self, start: f64, end: f64) -> [Vec3; 2] {
        [start, end].map(|time| {
            let position = self.position_at(time);
            self.jump_ahead(time, end).map_or(position, |jump| jump.point(position))
        })
    }

    /// The jumps that lie behind `time` \[s\] and are made all the same by the step that ends at `end` \[s\], or before it.
    fn jump_ahead(&self, time: f64, end: f64) -> Option<Jump> {
        joined(self.jumps_reached(end).filter(|&(jump, _)| jump > time))
    }

    /// The jumps that are made by the step that ends at `end` \[s\], or before it.
    fn jumps_reached(&self, end: f64) -> impl Iterator<Item = (f64, Jump)> {
        self.jumps.iter().copied().filter(move |&(time, _)| is_reached(time, end))
    }

    /// The pose at `time` \[s\]; when it jumps, the one after.
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

    /// The position before the first step \[m\]: that at 0, or before a jump there.
    #[must_use]
    pub fn starting_position(&self) -> Vec3 {
        let jump = self.jumps.iter().find(|(time, _)| *time == 0.0);
        jump.map_or_else(|| self.position_at(0.0), |(_, jump)| jump.from)
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

/// Jumps one after the other as one; none where there are none.
fn joined(jumps: impl Iterator<Item = (f64, Jump)>) -> Option<Jump> {
    jumps.map(|(_, jump)| jump).reduce(|first, next| first.then(&next))
}

/// Whether a jump at `time` \[s\] is made by the steps up to `end` \[s\], or lies before all of them; one at 0 is made by the first.
fn is_reached(time: f64, end: f64) -> bool {
    time < 0.0 || end > 0.0 && time <= end * (1.0 + ROUNDING)
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

    #[test]
    fn keyframes_have_an_order() {
        assert_eq!(Path::through(vec![]), None);
        assert_eq!(Path::through(vec![(1.0, pose(0.0, 0.0)), (0.9, pose(1.0, 0.0))]), None);
        assert_eq!(Path::through([0.0, 1.0, 2.0].map(|x| (1.0, pose(x, 0.0))).to_vec()), None);
        assert_eq!(Path::through(vec![(f64::NAN, pose(0.0, 0.0)), (1.0, pose(1.0, 0.0))]), None);
    }

    /// From the pose at `x` to the one at `to`, with what it does before and after.
    fn jumping(time: f64, x: f32, to: f32) -> Path {
        let (before, after) = (pose(x, 0.0), pose(to, 0.25));
        let moved = |pose: Pose, y| Pose { position: pose.position + y * Vec3::Y, ..pose };
        let keyframes =
            vec![(time - 0.5, moved(before, -1.0)), (time, before), (time, after), (time + 0.5, moved(after, 1.0))];
        Path::through(keyframes).unwrap()
    }

    #[test]
    fn two_keyframes_at_one_time_are_a_jump() {
        let path = jumping(1.0, 0.0, 8.0);
        for (time, [x, y], turns) in
            [(0.75, [0.0, -0.5], 0.0), (1.0 - 1e-9, [0.0, 0.0], 0.0), (1.0, [8.0, 0.0], 0.25), (1.25, [8.0, 0.5], 0.25)]
        {
            let Pose { position, rotation } = path.at(time);
            assert!(position.distance(Vec3::new(x, y, 0.0)) < 1e-6 && path.position_at(time) == position, "{time} s");
            assert!(difference(rotation, pose(0.0, turns).rotation) < 1e-6, "{time} s");
        }
        assert!(path.jumps() && path.moves());
        // The same pose twice is no jump.
        let twice = Path::through(vec![(0.0, pose(0.0, 0.0)), (1.0, pose(1.0, 0.0)), (1.0, pose(1.0, 0.0))]).unwrap();
        assert!(!twice.jumps());
    }

    #[test]
    fn a_jump_is_made_at_the_start_of_the_step_that_reaches_its_time() {
        for (time, number) in [(0.0, 0), (0.1, 0), (0.25, 0), (0.26, 1), (0.5, 1), (0.501, 2)] {
            let path = jumping(time, 0.0, 8.0);
            assert!(path.starting_position().x.abs() < 1e-6, "{time} s");
            for step in 0..5 {
                let [start, end] = [step, step + 1].map(|step| f64::from(step) * 0.25);
                let jump = path.jump_during(start, end);
                assert_eq!(jump.is_some(), step == number, "the jump at {time} s in step {step}");
                let [from, to] = path.during(start, end);
                assert_eq!([from.position, to.position], path.positions_during(start, end));
                // Never a pose on either side of it.
                let side = if step < number { 0.0 } else { 8.0 };
                assert!([from, to].iter().all(|pose| (pose.position.x - side).abs() < 1e-6), "{time} s, step {step}");
                // The step starts where the one before it ended.
                let before =
                    if step == 0 { path.starting_position() } else { path.during(start - 0.25, start)[1].position };
                let carried = jump.map_or(before, |jump| jump.point(before));
                assert!(from.position.distance(carried) < 1e-6, "{time} s, step {step}");
            }
        }
        // What lies before the first step is not made.
        assert_eq!(jumping(-1.0, 0.0, 8.0).jump_during(0.0, 0.25), None);
    }

    #[test]
    fn it_rests_where_it_neither_moves_nor_turns_nor_jumps() {
        let keyframes = [(1.0, 0.0), (2.0, 4.0), (3.0, 4.0), (4.0, 4.0), (4.0, 9.0)];
        let path = Path::through(keyframes.map(|(time, x)| (time, pose(x, 0.0))).to_vec()).unwrap();
        for (start, end, rests) in [
            (0.0, 1.0, true),
            (0.75, 1.25, false),
            (1.25, 1.5, false),
            (1.75, 2.25, false),
            (2.0, 3.5, true),
            (3.75, 4.0, false),
            (4.0, 9.0, true),
        ] {
            assert_eq!(path.rests_during(start, end), rests, "{start} to {end} s");
        }
        // A whole turn ends as it began.
        let turn = |turns: f64| Turn { axis: DVec3::Y, angle: turns * std::f64::consts::TAU };
        let path = Path::turning(&[(0.0, Vec3::ZERO, turn(0.0)), (1.0, Vec3::ZERO, turn(1.0))]).unwrap();
        assert!(!path.rests_during(0.25, 0.5) && path.rests_during(1.0, 2.0));
    }

    /// A frame that a person means is the end of a step, whatever an `f32` makes of the step's duration.
    #[test]
    fn a_jump_at_a_frame_is_made_by_the_step_that_ends_there() {
        for (rate, dt) in [(60, 1.0_f32 / 60.0), (100, 0.01), (24, 1.0 / 24.0), (30, 1.0 / 30.0), (1000, 1e-3)] {
            for frame in 1..2000 {
                let path = jumping(f64::from(frame) / f64::from(rate), 0.0, 8.0);
                let ends = [frame - 1, frame, frame + 1].map(|step| f64::from(step) * f64::from(dt));
                assert!(path.jump_during(ends[0], ends[1]).is_some(), "frame {frame} of {dt} s");
                assert!(path.jump_during(ends[1], ends[2]).is_none(), "frame {frame} of {dt} s");
                assert!((path.during(ends[1], ends[2])[0].position.x - 8.0).abs() < 1e-6, "frame {frame} of {dt} s");
            }
        }
    }

    #[test]
    fn several_jumps_in_a_step_are_one() {
        let keyframes = [(0.0, 0.0), (0.1, 1.0), (0.1, 3.0), (0.2, 4.0), (0.2, -2.0), (0.3, -1.0), (0.3, 9.0)];
        let path = Path::through(keyframes.map(|(time, x)| (time, pose(x, 0.0))).to_vec()).unwrap();
        let jump = path.jump_during(0.0, 0.25).expect("two jumps");
        // By 2 and by -6.
        assert!((jump.point(Vec3::ZERO).x + 4.0).abs() < 1e-6, "{jump:?}");
        let [from, to] = path.positions_during(0.0, 0.25);
        assert!((from.x + 4.0).abs() < 1e-6 && (to.x + 1.5).abs() < 1e-6, "{from}, {to}");
    }
}
