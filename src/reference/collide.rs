//! Twin of the collision code that all solvers share: particles against moving shapes.
//!
//! Sources: signed distances from Quilez, Distance functions (sphere, box, round cone); friction from Macklin, Müller,
//! Chentanez, Kim 2014, Unified Particle Physics for Real-Time Applications, eq. 24.
//!
//! All shapes but terrains and meshes are convex. A particle's way through a substep is seen from the collider, which stands still
//! there.

mod distance_field;
mod height_field;

use glam::{Quat, Vec3};

use self::distance_field::DistanceField;
use self::height_field::HeightField;
use crate::layout::{CollidePush, Collider};

/// Distance at which the sweep takes a particle to touch a shape, as a share of the shape's size.
const TOUCH: f32 = 1e-5;

/// Steps of conservative advancement that one sweep may take.
const SWEEP_STEPS: u32 = 16;

/// What particles collide with during a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Colliders<'a> {
    /// Each of them.
    pub list: &'a [Collider],
    /// Heights of all height fields and distances of all meshes \[m\].
    pub samples: &'a [f32],
}

/// Where one collider has put one particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Where the particle is after collision and friction \[m\].
    pub position: Vec3,
    /// Outward unit normal of the collider's surface, as it is turned at the end of the substep.
    pub normal: Vec3,
    /// How far the collider's material at `position` has moved during the substep \[m\].
    pub surface_displacement: Vec3,
}

/// A collider on its way through one substep.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    collider: &'a Collider,
    samples: &'a [f32],
    start: Pose,
    end: Pose,
}

impl<'a> Colliders<'a> {
    /// The colliders that `push` counts, in its substep.
    #[must_use]
    pub fn moving(&self, push: &CollidePush) -> Vec<Moving<'a>> {
        let moving = |collider| {
            let [start, end] = [push.start, push.end].map(|share| Pose::at(collider, share));
            Moving { collider, samples: self.samples, start, end }
        };
        self.list.iter().take(push.collider_count as usize).map(moving).collect()
    }
}

/// Position of a particle after all colliders, in their order, have moved it out of themselves \[m\].
///
/// During the substep it went from `previous` to `position` \[m\].
///
/// # Panics
///
/// When a collider's kind is not one of 0 to 5.
pub fn collide(colliders: &[Moving<'_>], previous: Vec3, position: Vec3) -> Vec3 {
    colliders.iter().fold(position, |position, collider| {
        collider.contact(previous, position).map_or(position, |contact| contact.position)
    })
}

impl Moving<'_> {
    /// What it does to a particle that went from `previous` to `position` \[m\] during the substep; none where they do not
    /// touch.
    ///
    /// # Panics
    ///
    /// When the collider's kind is not one of 0 to 5.
    #[must_use]
    pub fn contact(&self, previous: Vec3, position: Vec3) -> Option<Contact> {
        let Self { collider, samples, start, end } = *self;
        let (a, b) = (start.local(previous), end.local(position));
        let (out, normal) = match collider.kind {
            4 => HeightField::new(collider, samples).leave(a, b)?,
            5 => DistanceField::new(collider, samples).leave(a, b)?,
            _ => leave_convex(collider, a, b)?,
        };
        let position = end.world(out);
        Some(Contact { position, normal: end.rotation * normal, surface_displacement: position - start.world(out) })
    }

    /// Signed distance of a place from its surface at the end of the substep, negative inside \[m\].
    ///
    /// # Panics
    ///
    /// When the collider's kind is not one of 0 to 5.
    #[must_use]
    pub fn distance(&self, position: Vec3) -> f32 {
        let place = self.end.local(position);
        match self.collider.kind {
            4 => HeightField::new(self.collider, self.samples).distance(place).0,
            5 => DistanceField::new(self.collider, self.samples).at(place).0,
            _ => distance(self.collider, place),
        }
    }

    /// Its coefficient of friction.
    #[must_use]
    pub fn friction(&self) -> f32 {
        self.collider.friction
    }
}

/// Where a particle ends that went from `a` to `b`, and the unit normal of what it touched; in the frame of a convex
/// collider.
fn leave_convex(collider: &Collider, a: Vec3, b: Vec3) -> Option<(Vec3, Vec3)> {
    let (normal, depth) = depth(collider, a, b)?;
    let mut out = b + depth * normal;
    let left = distance(collider, out);
    if left < 0.0 {
        out -= left * gradient(collider, out);
    }
    Some((rub(collider.friction, depth, normal, a, out), normal))
}

/// Takes off the way from `a` to `b` along a surface up to `friction` times the depth to which it was entered.
fn rub(friction: f32, depth: f32, normal: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let way = b - a;
    let tangential = way - way.dot(normal) * normal;
    let length = tangential.length();
    let rubbed = friction * depth;
    b - if length <= rubbed { tangential } else { tangential * (rubbed / length) }
}

/// Along which unit normal and how deep \[m\] a particle that went from `a` to `b` is inside; in the collider's frame.
fn depth(collider: &Collider, a: Vec3, b: Vec3) -> Option<(Vec3, f32)> {
    if let Some(hit) = sweep(collider, a, b) {
        let normal = gradient(collider, hit);
        let depth = (hit - b).dot(normal);
        if depth > 0.0 {
            return Some((normal, depth));
        }
    }
    let distance = distance(collider, b);
    (distance < 0.0).then(|| (gradient(collider, b), -distance))
}

/// Where a particle on its way from `a` to `b` first touches the shape, all in the collider's frame \[m\].
///
/// Every shape is convex, so along a straight way its distance is a convex function: Newton's steps come ever closer to
/// where it vanishes and never pass that. None if the particle starts inside, or where the way stops approaching; a
/// particle that rests on the surface, to rounding, starts outside.
fn sweep(collider: &Collider, a: Vec3, b: Vec3) -> Option<Vec3> {
    let touch = TOUCH * size(collider);
    let direction = (b - a).normalize_or_zero();
    let length = a.distance(b);
    if distance(collider, a) < -touch {
        return None;
    }
    let mut walked = 0.0;
    for _ in 0..SWEEP_STEPS {
        let point = a + walked * direction;
        let distance = distance(collider, point);
        if distance < touch {
            return Some(point);
        }
        let approach = -gradient(collider, point).dot(direction);
        if approach <= 0.0 {
            return None;
        }
        walked += distance / approach;
        if walked >= length {
            return None;
        }
    }
    None
}

/// A position and an orientation of a collider.
#[derive(Clone, Copy, Debug)]
struct Pose {
    position: Vec3,
    rotation: Quat,
}

impl Pose {
    /// Between the start (`share` 0) and the end (1) of the step; rotations by the shorter arc.
    fn at(collider: &Collider, share: f32) -> Self {
        let (from, mut to) = (collider.start_rotation, collider.end_rotation);
        if from.dot(to) < 0.0 {
            to = -to;
        }
        let mix = |from, to| from * (1.0 - share) + to * share;
        Self {
            position: mix(collider.start_position, collider.end_position).truncate(),
            rotation: Quat::from_vec4(mix(from, to).normalize()),
        }
    }

    fn local(&self, point: Vec3) -> Vec3 {
        self.rotation.conjugate() * (point - self.position)
    }

    fn world(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.position
    }
}

/// The length that tolerances are measured by \[m\].
fn size(collider: &Collider) -> f32 {
    if collider.kind == 2 { 1.0 } else { collider.size.truncate().max_element() }
}

/// Distance from a point in the collider's frame to the shape's surface, negative inside \[m\].
///
/// # Panics
///
/// When the collider's kind is not one of 0 to 3.
pub fn distance(collider: &Collider, point: Vec3) -> f32 {
    let size = collider.size.truncate();
    match collider.kind {
        0 => point.length() - size.x,
        1 => match RoundCone::new(size).nearest(point) {
            Nearest::Ball(center, radius) => point.distance(center) - radius,
            Nearest::Side(normal, center, radius) => (point - center).dot(normal) - radius,
        },
        2 => point.y,
        3 => {
            let beyond = point.abs() - size;
            beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
        }
        kind => panic!("a collider has kind {kind}"),
    }
}

/// Unit vector along which [`distance`] grows fastest.
///
/// In the middle of a sphere or a cube all directions serve: it is +y. On the axis of a capsule it leans to +x.
///
/// # Panics
///
/// When the collider's kind is not one of 0 to 3.
pub fn gradient(collider: &Collider, point: Vec3) -> Vec3 {
    let size = collider.size.truncate();
    match collider.kind {
        0 => point.normalize_or(Vec3::Y),
        1 => match RoundCone::new(size).nearest(point) {
            Nearest::Ball(center, _) => (point - center).normalize_or(Vec3::Y),
            Nearest::Side(normal, ..) => normal,
        },
        2 => Vec3::Y,
        3 => {
            let to_nearest_face = || {
                let beyond = point.abs() - size;
                let axis = if beyond.y == beyond.max_element() {
                    Vec3::Y
                } else if beyond.x >= beyond.z {
                    Vec3::X
                } else {
                    Vec3::Z
                };
                if point.dot(axis) < 0.0 { -axis } else { axis }
            };
            (point - point.clamp(-size, size)).try_normalize().unwrap_or_else(to_nearest_face)
        }
        kind => panic!("a collider has kind {kind}"),
    }
}

/// The hull of two balls on the y axis.
struct RoundCone {
    lower: (Vec3, f32),
    upper: (Vec3, f32),
}

/// The part of a round cone that is nearest to a point.
enum Nearest {
    /// A ball: its centre and radius.
    Ball(Vec3, f32),
    /// The side: its normal there, and the ball that it touches, centre and radius.
    Side(Vec3, Vec3, f32),
}

impl RoundCone {
    /// `size`: the radii of the lower and the upper ball, and half the distance between their centres \[m\].
    fn new(size: Vec3) -> Self {
        Self { lower: (-size.z * Vec3::Y, size.x), upper: (size.z * Vec3::Y, size.y) }
    }

    fn nearest(&self, point: Vec3) -> Nearest {
        let ((lower, lower_radius), (upper, upper_radius)) = (self.lower, self.upper);
        let length = upper.y - lower.y;
        if lower_radius - upper_radius >= length {
            return Nearest::Ball(lower, lower_radius);
        }
        if upper_radius - lower_radius >= length {
            return Nearest::Ball(upper, upper_radius);
        }
        // The side's normal has the same product with both centres, radii added: it rises with slope `sin`.
        let sin = (lower_radius - upper_radius) / length;
        let cos = (1.0 - sin * sin).sqrt();
        let outwards = point.with_y(0.0).normalize_or(Vec3::X);
        let along = (point - lower).dot(cos * Vec3::Y - sin * outwards);
        if along < 0.0 {
            Nearest::Ball(lower, lower_radius)
        } else if along > cos * length {
            Nearest::Ball(upper, upper_radius)
        } else {
            Nearest::Side(cos * outwards + sin * Vec3::Y, lower, lower_radius)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use glam::Vec4;

    use super::*;

    const WHOLE_STEP: CollidePush = CollidePush { start: 0.0, end: 1.0, collider_count: 1 };

    fn shape(kind: u32, size: Vec3) -> Collider {
        let rotation = Quat::IDENTITY.into();
        Collider {
            kind,
            size: size.extend(0.0),
            start_rotation: rotation,
            end_rotation: rotation,
            ..Default::default()
        }
    }

    fn shapes() -> [Collider; 7] {
        [
            shape(0, Vec3::new(0.5, 0.0, 0.0)),
            shape(1, Vec3::new(0.4, 0.2, 0.5)),
            shape(1, Vec3::new(0.2, 0.2, 0.5)),
            // One end swallows the other.
            shape(1, Vec3::new(0.6, 0.1, 0.2)),
            shape(1, Vec3::new(0.1, 0.6, 0.2)),
            shape(2, Vec3::ZERO),
            shape(3, Vec3::new(0.5, 0.3, 0.7)),
        ]
    }

    #[test]
    fn gradients_are_those_of_the_distances() {
        for collider in shapes() {
            for index in 0..1000 {
                // Points that no plane of symmetry holds, on which gradients jump.
                let at = |step: u32| ((index / step % 10) as f32 - 4.5) / 4.0;
                let point = Vec3::new(at(1) + 0.011, at(10) + 0.017, at(100) + 0.023);
                let gradient = gradient(&collider, point);
                assert!((gradient.length() - 1.0).abs() < 1e-6);
                // A step of 1e-3 along the gradient adds as much to the distance, except across an inner edge of the
                // box, where it jumps; rounding is 1e-7 of 1 m.
                let grown = distance(&collider, point + 1e-3 * gradient) - distance(&collider, point);
                assert!((grown - 1e-3).abs() < 1e-6, "{collider:?} at {point}: {grown}");
            }
        }
    }

    #[test]
    fn pushing_by_the_distance_ends_on_the_surface() {
        for collider in shapes() {
            // Centres, axes and edges too.
            for point in [Vec3::ZERO, 0.1 * Vec3::Y, -0.4 * Vec3::Y, 0.2 * Vec3::Y, Vec3::new(0.2, 0.0, 0.0), Vec3::ONE]
            {
                let pushed = point - distance(&collider, point) * gradient(&collider, point);
                assert!(distance(&collider, pushed).abs() < 1e-6, "{collider:?} at {point}");
            }
        }
    }

    #[test]
    fn the_centre_is_pushed_up() {
        assert_eq!(gradient(&shape(0, Vec3::X), Vec3::ZERO), Vec3::Y);
        assert_eq!(gradient(&shape(3, Vec3::ONE), Vec3::ZERO), Vec3::Y);
        assert_eq!(gradient(&shape(1, Vec3::new(0.5, 0.5, 0.0)), Vec3::ZERO), Vec3::Y);
    }

    #[test]
    fn friction_takes_off_at_most_its_coefficient_times_the_depth() {
        let mut plane = shape(2, Vec3::ZERO);
        let previous = Vec3::new(1.0, 0.0, 0.0);
        let moved_to = |plane: &Collider, x, z| {
            let colliders = Colliders { list: &[*plane], samples: &[] };
            collide(&colliders.moving(&WHOLE_STEP), previous, Vec3::new(x, -0.5, z))
        };
        plane.friction = 0.5;
        // 0.25 of 1 m taken off, along (3, 4) / 5.
        assert!(moved_to(&plane, 1.6, 0.8).distance(Vec3::new(1.45, 0.0, 0.6)) < 1e-6);
        assert!(moved_to(&plane, 1.1, 0.2).distance(previous) < 1e-6);
        plane.friction = 0.0;
        assert!(moved_to(&plane, 1.1, 0.2).distance(Vec3::new(1.1, 0.0, 0.2)) < 1e-6);
    }

    #[test]
    fn rotations_take_the_shorter_arc() {
        let mut collider = shape(2, Vec3::ZERO);
        let quarter = Quat::from_rotation_z(FRAC_PI_2);
        for end_rotation in [quarter, -quarter] {
            collider.end_rotation = end_rotation.into();
            collider.end_position = Vec4::X;
            let pose = Pose::at(&collider, 0.5);
            let expected = Quat::from_rotation_z(FRAC_PI_2 / 2.0) * Vec3::X + 0.5 * Vec3::X;
            assert!(pose.world(Vec3::X).distance(expected) < 1e-6);
            assert!(pose.local(expected).distance(Vec3::X) < 1e-6);
        }
    }

    #[test]
    fn the_surface_moves_with_the_collider() {
        let mut plane = shape(2, Vec3::ZERO);
        plane.end_rotation = Quat::from_rotation_y(FRAC_PI_2).into();
        plane.end_position = Vec4::new(0.0, 0.5, 0.0, 0.0);
        let colliders = Colliders { list: &[plane], samples: &[] };
        let contact = colliders.moving(&WHOLE_STEP)[0].contact(Vec3::X, Vec3::X).unwrap();
        // Without friction the particle is lifted only. The material there was at z before the quarter turn to x.
        assert!(contact.position.distance(Vec3::new(1.0, 0.5, 0.0)) < 1e-6);
        assert!(contact.normal.distance(Vec3::Y) < 1e-6);
        assert!(contact.surface_displacement.distance(Vec3::new(1.0, 0.5, -1.0)) < 1e-6);
    }

    #[test]
    fn colliders_beyond_the_count_do_nothing() {
        let push = CollidePush { collider_count: 0, ..WHOLE_STEP };
        let colliders = Colliders { list: &[shape(2, Vec3::ZERO)], samples: &[] };
        assert_eq!(collide(&colliders.moving(&push), Vec3::Y, -Vec3::Y), -Vec3::Y);
    }
}
