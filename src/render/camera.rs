//! A camera that orbits a point.

use glam::camera::rh::{proj, view};
use glam::{Mat4, Vec2, Vec3};

use crate::model::{Body, Collider, Ray};

/// An axis-aligned box: its least and greatest corner \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least x, y and z.
    pub least: Vec3,
    /// Greatest x, y and z.
    pub greatest: Vec3,
}

impl Bounds {
    /// The smallest box around the finite ones of `points` \[m\]; a point at the origin where there are none.
    #[must_use]
    pub fn around(points: impl Iterator<Item = Vec3>) -> Self {
        let joined = points.filter(|point| point.is_finite()).fold(None, |sum: Option<Self>, point| {
            let Self { least, greatest } = sum.unwrap_or(Self { least: point, greatest: point });
            Some(Self { least: least.min(point), greatest: greatest.max(point) })
        });
        joined.unwrap_or(Self { least: Vec3::ZERO, greatest: Vec3::ZERO })
    }

    /// The smallest box around both.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest) }
    }

    /// The space that a body can be expected to move in, down to where `colliders` end below it.
    #[must_use]
    pub fn room(body: &Body, colliders: &[Collider]) -> Self {
        let points = body.positions().iter().map(|position| position.truncate());
        let room = match body {
            Body::Cloth(_) => Self::around(points).with_room_to_hang(),
            // A rope that one end holds may yet swing down; one that hangs between both does so already.
            Body::Ropes(ropes) => {
                let lowest = ropes.ropes().iter().filter_map(|rope| match rope.starts_held_at() {
                    [Some(held), None] | [None, Some(held)] => Some(held - Vec3::Y * rope.length()),
                    _ => None,
                });
                Self::around(points.chain(lowest))
            }
        };
        let ground = colliders.iter().filter_map(|collider| collider.lowest(0.0));
        // Not one that lies so deep that the room would be nothing but a shaft.
        let deepest = room.least.y - 2.0 * room.size().length();
        let ground = ground.filter(|height| *height >= deepest).fold(room.least.y, f32::min);
        Self { least: Vec3 { y: ground, ..room.least }, ..room }
    }

    /// The box that a sheet sweeps when it hangs down by its greatest extent, as one does that starts flat.
    #[must_use]
    pub fn with_room_to_hang(self) -> Self {
        let drop = (self.size().z - self.size().y).max(0.0);
        Self { least: self.least - Vec3::Y * drop, ..self }
    }

    /// The eight corners \[m\].
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|index| {
            let greater = glam::BVec3::new(index & 1 != 0, index & 2 != 0, index & 4 != 0);
            Vec3::select(greater, self.greatest, self.least)
        })
    }

    /// Lengths of the sides \[m\].
    #[must_use]
    pub fn size(&self) -> Vec3 {
        self.greatest - self.least
    }

    /// The middle \[m\].
    #[must_use]
    pub fn centre(&self) -> Vec3 {
        (self.least + self.greatest) / 2.0
    }

    /// Radius of the sphere around it, never 0 \[m\].
    #[must_use]
    pub fn radius(&self) -> f32 {
        (self.size().length() / 2.0).max(1e-3)
    }
}

/// A camera that looks at a point from a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it looks at \[m\].
    pub target: Vec3,
    /// How far it is away \[m\].
    pub distance: f32,
    /// Turn about the vertical, 0 looking along -z \[rad\].
    pub yaw: f32,
    /// Height above the horizon \[rad\].
    pub pitch: f32,
    /// Share of the picture, at its right, that is covered by something else: the target is in the middle of the rest.
    pub covered: f32,
}

impl Camera {
    const VERTICAL_FIELD_OF_VIEW: f32 = 0.6;
    /// How much farther away than needed a camera is that frames something.
    const MARGIN: f32 = 1.12;
    /// The poles are left out: there, up is not defined.
    const STEEPEST_PITCH: f32 = 1.5;

    /// Looks at all of `points` \[m\] from the front, a little from the right and above, in a picture of `aspect` (width
    /// over height), as close as leaves a margin around them.
    #[must_use]
    pub fn framing(points: &[Vec3], aspect: f32) -> Self {
        let bounds = Bounds::around(points.iter().copied());
        let mut camera = Self { target: bounds.centre(), distance: 1.0, yaw: 0.5, pitch: 0.16, covered: 0.0 };
        let (right, up, back) = camera.axes();
        let half_height = (Self::VERTICAL_FIELD_OF_VIEW / 2.0).tan();
        // A point `r` right, `u` up and `b` towards the camera is in the picture from the distance at which the picture
        // is half as high as u, and half as wide as r, at its depth.
        let needed = points.iter().filter(|point| point.is_finite()).map(|&point| {
            let offset = point - camera.target;
            let reach = (offset.dot(right).abs() / aspect).max(offset.dot(up).abs());
            offset.dot(back) + reach / half_height
        });
        camera.distance = Self::MARGIN * needed.fold(bounds.radius(), f32::max);
        camera
    }

    /// Turns by `yaw` and `pitch` \[rad\].
    pub fn orbit(&mut self, yaw: f32, pitch: f32) {
        self.yaw = (self.yaw + yaw) % std::f32::consts::TAU;
        self.pitch = (self.pitch + pitch).clamp(-Self::STEEPEST_PITCH, Self::STEEPEST_PITCH);
    }

    /// Moves the target in the plane of the picture, by shares of the picture's height.
    pub fn pan(&mut self, right: f32, up: f32) {
        let (right_axis, up_axis, _) = self.axes();
        let height = 2.0 * self.distance * (Self::VERTICAL_FIELD_OF_VIEW / 2.0).tan();
        self.target += height * (right * right_axis + up * up_axis);
    }

    /// Moves closer (`factor` below 1) or away, within what floating point can show.
    pub fn zoom(&mut self, factor: f32) {
        self.distance = (self.distance * factor).clamp(1e-3, 1e6);
    }

    /// Where it is \[m\].
    #[must_use]
    pub fn position(&self) -> Vec3 {
        self.target + self.distance * self.axes().2
    }

    /// Unit vectors to the right of the picture, to its upper side, and from the target back to the camera.
    fn axes(&self) -> (Vec3, Vec3, Vec3) {
        let (yaw_sin, yaw_cos) = self.yaw.sin_cos();
        let (pitch_sin, pitch_cos) = self.pitch.sin_cos();
        let back = Vec3::new(yaw_sin * pitch_cos, pitch_sin, yaw_cos * pitch_cos);
        let right = Vec3::Y.cross(back).normalize();
        (right, back.cross(right), back)
    }

    /// What is seen at `place`, in pixels from the upper left corner of a picture of `extent` pixels, lies on this ray.
    #[must_use]
    pub fn ray(&self, place: Vec2, extent: Vec2) -> Ray {
        let (right, up, back) = self.axes();
        let on_picture = 2.0 * place / extent - 1.0;
        let half_height = (Self::VERTICAL_FIELD_OF_VIEW / 2.0).tan();
        let across = (on_picture.x + self.covered) * extent.x / extent.y;
        let direction = half_height * (across * right - on_picture.y * up) - back;
        Ray { origin: self.position(), direction: direction.normalize() }
    }

    /// What is seen at `place`, as [`Camera::ray`] takes it, in the plane through `point` \[m\] that is parallel to the picture.
    #[must_use]
    pub fn beside(&self, point: Vec3, place: Vec2, extent: Vec2) -> Vec3 {
        let (ray, (.., back)) = (self.ray(place, extent), self.axes());
        ray.at((point - ray.origin).dot(back) / ray.direction.dot(back))
    }

    /// How far apart at most two places are that are seen a pixel apart, for each metre that they are away, in a picture of
    /// `height` pixels.
    #[must_use]
    pub fn pixel_slope(height: f32) -> f32 {
        2.0 * (Self::VERTICAL_FIELD_OF_VIEW / 2.0).tan() / height
    }

    /// From world to clip space, for a picture of `aspect` (width over height).
    #[must_use]
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        let near = self.distance * 0.01;
        let far = self.distance * 100.0;
        // Clip space is 2 wide.
        Mat4::from_translation(-self.covered * Vec3::X)
            * proj::vulkan::perspective(Self::VERTICAL_FIELD_OF_VIEW, aspect, near, far)
            * view::look_at_mat4(self.position(), self.target, Vec3::Y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds { least: Vec3::new(-1.0, -3.0, 0.0), greatest: Vec3::new(1.0, 1.0, 2.0) }
    }

    #[test]
    fn the_target_is_in_the_middle_and_every_corner_in_the_picture() {
        for aspect in [0.5, 1.0, 16.0 / 9.0] {
            let camera = Camera::framing(&bounds().corners(), aspect);
            let clip = camera.clip_from_world(aspect);
            assert!(clip.project_point3(bounds().centre()).truncate().length() < 1e-5);
            for corner in bounds().corners() {
                let place = clip.project_point3(corner);
                assert!(place.truncate().abs().max_element() <= 1.0, "{aspect}: {place}");
                assert!((0.0..=1.0).contains(&place.z));
            }
        }
    }

    #[test]
    fn the_target_is_in_the_middle_of_what_is_not_covered() {
        let camera = Camera { covered: 0.25, ..Camera::framing(&bounds().corners(), 1.0) };
        // Of the picture from -1 to 1, what is left ends at 0.5.
        let place = camera.clip_from_world(1.0).project_point3(camera.target);
        assert!((place.truncate() - Vec2::new(-0.25, 0.0)).length() < 1e-5, "{place}");
    }

    #[test]
    fn up_in_the_world_is_up_in_the_picture() {
        let camera = Camera::framing(&bounds().corners(), 1.0);
        let clip = camera.clip_from_world(1.0);
        // Vulkan's y points down.
        assert!(clip.project_point3(bounds().centre() + Vec3::Y).y < 0.0);
    }

    #[test]
    fn panning_moves_what_is_seen_by_that_share_of_the_height() {
        let mut camera = Camera::framing(&bounds().corners(), 1.0);
        let clip = camera.clip_from_world(1.0);
        camera.pan(0.25, -0.125);
        let place = clip.project_point3(camera.target);
        // Clip space is 2 high.
        assert!((place.truncate() - Vec2::new(0.5, 0.25)).length() < 1e-4, "{place}");
    }

    #[test]
    fn what_lies_on_the_ray_through_a_pixel_is_seen_there() {
        let extent = Vec2::new(640.0, 480.0);
        let framing = Camera::framing(&bounds().corners(), 4.0 / 3.0);
        for camera in [framing, Camera { covered: 0.3, yaw: 2.0, pitch: -0.7, ..framing }] {
            for place in [Vec2::ZERO, Vec2::new(320.0, 240.0), Vec2::new(17.0, 402.0), extent] {
                for along in [0.5, 2.0, 30.0] {
                    let point = camera.ray(place, extent).at(along);
                    let clip = camera.clip_from_world(4.0 / 3.0).project_point3(point).truncate();
                    assert!((clip + 1.0).distance(2.0 * place / extent) < 1e-4, "{place}: {clip}");
                }
            }
            // From one side of the picture to the other it is as wide at the target as the slope says.
            let [upper, lower] = [0.0, 480.0].map(|y| camera.beside(camera.target, Vec2::new(320.0, y), extent));
            let height = 480.0 * Camera::pixel_slope(480.0) * camera.distance;
            assert!((upper.distance(lower) / height - 1.0).abs() < 1e-4);
            assert!((upper - camera.target).dot(camera.position() - camera.target).abs() < 1e-3);
        }
    }

    #[test]
    fn bounds_leave_out_what_is_not_finite() {
        let points = [Vec3::splat(1.0), Vec3::new(f32::NAN, 0.0, 0.0), Vec3::new(-2.0, 3.0, 0.0)];
        let around = Bounds::around(points.into_iter());
        assert_eq!(around, Bounds { least: Vec3::new(-2.0, 1.0, 0.0), greatest: Vec3::new(1.0, 3.0, 1.0) });
        assert_eq!(Bounds::around(std::iter::empty()).radius(), 1e-3);
    }
}
