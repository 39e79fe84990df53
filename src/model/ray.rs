//! Hands on colliders: rays, where they meet them, and how they are dragged.

use glam::Vec3;

use super::{Collider, Pose, Shape};

/// What a person points along: from `origin` \[m\] in the direction of a unit vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// \[m\]
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
}

impl Ray {
    /// The place so far along it \[m\].
    #[must_use]
    pub fn at(&self, along: f32) -> Vec3 {
        self.origin + along * self.direction
    }
}

/// A hand that drags a collider off its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Index of the collider.
    pub collider: usize,
    /// How far off its path it is wanted \[m\].
    pub offset: Vec3,
    /// How fast it goes there at most, beside its own way \[m/s\].
    pub speed: f32,
}

/// Most steps along a ray; each ends at the surface or comes closer to it by a good part.
const MOST_STEPS: u32 = 256;

impl Collider {
    /// How far along a ray it is met \[m\] where its frame is at `pose`; none where it is not, or has no end
    /// and so cannot be moved.
    #[must_use]
    pub fn met(&self, ray: &Ray, pose: &Pose) -> Option<f32> {
        let turn_back = pose.rotation.conjugate();
        let (origin, direction) = (turn_back * (ray.origin - pose.position), turn_back * ray.direction);
        // Sphere tracing (Hart 1996): what is nearest is no nearer than the distance, so one can go as far.
        let (mut along, past) = (0.0, origin.length() + self.shape.outer_radius()?);
        for _ in 0..MOST_STEPS {
            let distance = self.shape.distance(origin + along * direction)?;
            if distance <= 1e-4 * past {
                return Some(along);
            }
            along += distance;
            if along > past {
                return None;
            }
        }
        None
    }
}

impl Shape {
    /// How far from its frame's origin it reaches \[m\]; none of what has no end.
    fn outer_radius(&self) -> Option<f32> {
        match *self {
            Self::Sphere { radius } => Some(radius),
            Self::Capsule { radii: [lower, upper], half_length } => Some(half_length + lower.max(upper)),
            Self::Box { half_sides } => Some(half_sides.length()),
            Self::Mesh { ref surface, .. } => {
                let [least, greatest] = surface.bounds();
                Some(least.abs().max(greatest.abs()).length())
            }
            Self::Plane | Self::HeightField(_) => None,
        }
    }

    /// How far a place in its own frame is outside of it, or less, 0 or less inside \[m\].
    fn distance(&self, place: Vec3) -> Option<f32> {
        match *self {
            Self::Sphere { radius } => Some(place.length() - radius),
            Self::Capsule { radii: [lower, upper], half_length } => {
                Some(capsule_distance(lower, upper, half_length, place))
            }
            Self::Box { half_sides } => Some((place.abs() - half_sides).max(Vec3::ZERO).length()),
            // Interpolated, it may be more than the distance, but no more than twice as much beyond two cells.
            Self::Mesh { ref field, .. } => Some(0.5 * field.at(place)),
            Self::Plane | Self::HeightField(_) => None,
        }
    }
}

/// Of the balls from the lower to the upper end, whose radius changes evenly, the one that is nearest: at the height h,
/// sqrt(r² + (y - h)²) - radius(h) is least where (h - y) / sqrt(r² + (y - h)²) is the slope of the radius.
fn capsule_distance(lower: f32, upper: f32, half_length: f32, place: Vec3) -> f32 {
    let (radial, slope) = (place.x.hypot(place.z), (upper - lower) / (2.0 * half_length).max(f32::MIN_POSITIVE));
    let nearest = if slope.abs() < 1.0 {
        place.y + radial * slope / (1.0 - slope * slope).sqrt()
    } else {
        half_length * slope.signum()
    };
    let height = nearest.clamp(-half_length, half_length);
    radial.hypot(place.y - height) - (lower + slope * (height + half_length))
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::model::{ClosedMesh, DistanceField, Path};

    fn met(shape: Shape, rotation: Quat, origin: Vec3, direction: Vec3) -> Option<f32> {
        let pose = Pose { position: Vec3::new(1.0, 0.0, 0.0), rotation };
        let collider = Collider { shape, friction: 0.0, path: Path::resting(pose) };
        collider.met(&Ray { origin, direction: direction.normalize() }, &pose)
    }

    #[test]
    fn a_ray_meets_what_stands_in_its_way() {
        let from = |x: f32, y: f32| Vec3::new(x, y, 10.0);
        let close = |found: Option<f32>, expected: f32| {
            // The surface is found to 1e-4 of some 10 m.
            assert!((found.expect("it is met") - expected).abs() < 3e-3, "{found:?}, not {expected}");
        };
        let ball = Shape::Sphere { radius: 0.5 };
        close(met(ball.clone(), Quat::IDENTITY, from(1.0, 0.0), -Vec3::Z), 9.5);
        close(met(ball.clone(), Quat::IDENTITY, from(1.3, 0.0), -Vec3::Z), 9.6);
        assert_eq!(met(ball.clone(), Quat::IDENTITY, from(1.6, 0.0), -Vec3::Z), None);
        assert_eq!(met(ball, Quat::IDENTITY, from(1.0, 0.0), Vec3::Z), None);
        let block = Shape::Box { half_sides: Vec3::new(0.5, 1.0, 2.0) };
        close(met(block.clone(), Quat::IDENTITY, from(1.4, 0.9), -Vec3::Z), 8.0);
        let turned = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
        close(met(block.clone(), turned, from(2.9, 0.9), -Vec3::Z), 9.5);
        assert_eq!(met(block, Quat::IDENTITY, from(1.6, 0.9), -Vec3::Z), None);
        assert_eq!(met(Shape::Plane, Quat::IDENTITY, from(1.0, 1.0), -Vec3::Y), None);
    }

    /// The corner of a cube.
    #[test]
    fn a_mesh_is_met_where_its_surface_is() {
        let corners = [Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y, 2.0 * Vec3::Z];
        let surface = ClosedMesh::new(&corners, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]).expect("it is closed");
        let field = DistanceField::new(&surface, 16);
        let solid = Shape::Mesh { surface: surface.into(), field };
        // The slanted face is x + y + z = 2, from where the frame is, at x = 1.
        let found = met(solid.clone(), Quat::IDENTITY, Vec3::new(1.6, 0.5, 10.0), -Vec3::Z).expect("it is met");
        // Found to twice 1e-4 of some 12 m, along a ray that comes in at a slant of √3.
        assert!((found - (10.0 - 0.9)).abs() < 5e-3, "{found}");
        let below = met(solid.clone(), Quat::IDENTITY, Vec3::new(1.5, 0.6, -10.0), Vec3::Z).expect("it is met");
        assert!((below - 10.0).abs() < 3e-3, "{below}");
        assert_eq!(met(solid.clone(), Quat::IDENTITY, Vec3::new(2.6, 1.6, 10.0), -Vec3::Z), None);
        assert_eq!(met(solid, Quat::IDENTITY, Vec3::new(1.6, 0.5, 10.0), Vec3::Z), None);
    }

    /// A cone with round ends: its side touches both balls, so at the height h its radius is that of the ball that touches
    /// it there, over the cosine of the side's slant.
    #[test]
    fn a_capsule_is_all_balls_between_its_ends() {
        let capsule = Shape::Capsule { radii: [0.6, 0.2], half_length: 0.5 };
        let slope = -0.4_f32;
        // The ray at height 0 meets the side: radius(h) + slope (y - h) at all h where it touches, over sqrt(1 - slope²).
        let side = 0.4 / (1.0 - slope * slope).sqrt();
        let along = met(capsule.clone(), Quat::IDENTITY, Vec3::new(1.0, 0.0, 10.0), -Vec3::Z).expect("it is met");
        assert!((along - (10.0 - side)).abs() < 3e-3, "{along}");
        let top = met(capsule.clone(), Quat::IDENTITY, Vec3::new(1.0, 10.0, 0.0), -Vec3::Y).expect("it is met");
        assert!((top - 9.3).abs() < 3e-3, "{top}");
        let one_in_the_other = Shape::Capsule { radii: [0.6, 0.2], half_length: 0.1 };
        let along = met(one_in_the_other, Quat::IDENTITY, Vec3::new(1.0, 10.0, 0.0), -Vec3::Y).expect("it is met");
        assert!((along - 9.5).abs() < 3e-3, "{along}");
    }
}
