//! Cuts through a cloth.

use glam::Vec3;

use crate::layout::CutPush;

/// A flat blade that goes through a cloth at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blade {
    origin: Vec3,
    normal: Vec3,
    along: Vec3,
}

impl Blade {
    /// A blade that is drawn from `from` to `to` \[m\] and reaches without end along `direction`, both ways: as a stroke on
    /// the screen does along the view. `None` where the stroke has no length across the direction.
    #[must_use]
    pub fn stroke(from: Vec3, to: Vec3, direction: Vec3) -> Option<Self> {
        let direction = direction.try_normalize()?;
        let across = (to - from).reject_from_normalized(direction);
        let normal = across.cross(direction).try_normalize()?;
        let along = across / across.length_squared();
        along.is_finite().then_some(Self { origin: from, normal, along })
    }

    /// A whole plane, through `point` \[m\]. `None` where the normal has no length.
    #[must_use]
    pub fn plane(point: Vec3, normal: Vec3) -> Option<Self> {
        Some(Self { origin: point, normal: normal.try_normalize()?, along: Vec3::ZERO })
    }

    /// The push constants of a pass that cuts `count` constraints, triangles or lists.
    #[must_use]
    pub fn push(&self, count: u32) -> CutPush {
        CutPush {
            origin: self.origin.extend(0.0),
            normal: self.normal.extend(0.0),
            along: self.along.extend(0.0),
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
}
