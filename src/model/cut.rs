//! Cuts through a cloth.

use glam::Vec3;

use crate::layout::CutPush;

/// A flat blade that goes through a cloth at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blade {
    origin: Vec3,
    normal: Vec3,
    along: Vec3,
    /// A way from the origin is as deep as its product with the first, plus the second.
    depth: (Vec3, f32),
}

impl Blade {
    /// How many numbers say what a blade is.
    pub(crate) const NUMBERS: usize = 13;

    /// What it is, in numbers.
    pub(crate) fn numbers(&self) -> [f32; Self::NUMBERS] {
        let vectors = [self.origin, self.normal, self.along, self.depth.0];
        let mut numbers = [self.depth.1; Self::NUMBERS];
        numbers[..12].copy_from_slice(vectors.map(|vector| vector.to_array()).as_flattened());
        numbers
    }

    /// The blade that [`Blade::numbers`] tells of.
    pub(crate) fn of_numbers(numbers: [f32; Self::NUMBERS]) -> Self {
        let vector = |first: usize| Vec3::from_slice(&numbers[first..]);
        Self { origin: vector(0), normal: vector(3), along: vector(6), depth: (vector(9), numbers[12]) }
    }

    /// A blade that is drawn from `from` to `to` \[m\] and reaches without end along `direction`, both ways: as a
    /// stroke on the screen does along the view. `None` where the stroke has no length across the direction.
    #[must_use]
    pub fn stroke(from: Vec3, to: Vec3, direction: Vec3) -> Option<Self> {
        let direction = direction.try_normalize()?;
        let across = (to - from).reject_from_normalized(direction);
        let normal = across.cross(direction).try_normalize()?;
        let along = across / across.length_squared();
        along.is_finite().then_some(Self { origin: from, normal, along, depth: (Vec3::ZERO, 1.0) })
    }

    /// A whole plane, through `point` \[m\]. `None` where the normal has no length.
    #[must_use]
    pub fn plane(point: Vec3, normal: Vec3) -> Option<Self> {
        Some(Self { origin: point, normal: normal.try_normalize()?, along: Vec3::ZERO, depth: (Vec3::ZERO, 1.0) })
    }

    /// A blade that an eye at `eye` \[m\] sees as the stroke from the direction `from` to the direction `to`: a wedge
    /// that reaches from the eye without end. `None` where these point the same way or more than a right angle apart.
    #[must_use]
    pub fn seen(eye: Vec3, from: Vec3, to: Vec3) -> Option<Self> {
        let (from, to) = (from.try_normalize()?, to.try_normalize()?);
        let forward = (from + to).try_normalize()?;
        let normal = from.cross(to).try_normalize()?;
        let is_narrow = from.dot(to) > 0.0;
        // On the picture at a depth of 1 m the stroke goes from one place to the other.
        let [from, to] = [from, to].map(|direction| direction / direction.dot(forward));
        let across = (to - from) / (to - from).length_squared();
        let along = across - across.dot(from) * forward;
        (is_narrow && along.is_finite()).then_some(Self { origin: eye, normal, along, depth: (forward, 0.0) })
    }

    /// The push constants of a pass that cuts `count` constraints, triangles or lists.
    #[must_use]
    pub fn push(&self, count: u32) -> CutPush {
        CutPush {
            origin: self.origin.extend(0.0),
            normal: self.normal.extend(0.0),
            along: self.along.extend(0.0),
            depth: self.depth.0.extend(self.depth.1),
            count,
            padding: [0; 3],
        }
    }
}

/// A cut at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// When \[s\]: before the step in which this time lies.
    pub time: f64,
    /// With what.
    pub blade: Blade,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blade_needs_a_length_across_its_direction() {
        assert!(Blade::stroke(Vec3::ZERO, Vec3::Z, Vec3::Z).is_none());
        assert!(Blade::stroke(Vec3::ONE, Vec3::ONE, Vec3::Z).is_none());
        assert!(Blade::stroke(Vec3::ZERO, Vec3::X, Vec3::ZERO).is_none());
        assert!(Blade::plane(Vec3::ZERO, Vec3::ZERO).is_none());
        let blade = Blade::stroke(Vec3::X, Vec3::new(3.0, 0.0, 5.0), Vec3::Z).expect("a blade");
        assert_eq!((blade.normal, blade.along), (-Vec3::Y, Vec3::X / 2.0));
    }

    #[test]
    fn what_an_eye_sees_as_a_stroke_ends_on_two_rays() {
        let (eye, from, to) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.1, 0.0, -1.0), Vec3::new(0.5, 0.3, -2.0));
        let blade = Blade::seen(eye, from, to).expect("a blade");
        for distance in [0.5, 3.0, 40.0] {
            for share in [0.0, 0.25, 1.0] {
                // Any way between the rays lies in the plane; the ends are at the shares 0 and 1 of its depth.
                let way = distance * from.normalize().lerp(to.normalize(), share);
                assert!(blade.normal.dot(way).abs() < 1e-5 * distance);
                let place = blade.along.dot(way) / blade.depth.0.dot(way);
                assert!((place - share).abs() < 0.02 && (share == 0.25 || (place - share).abs() < 1e-5), "{place}");
            }
        }
        assert!(Blade::seen(eye, from, 2.0 * from).is_none());
        assert!(Blade::seen(eye, Vec3::X, Vec3::new(-0.1, 1.0, 0.0)).is_none());
    }
}
