//! Ropes: chains of particles that are held a link's length apart (document 004).

use std::ops::Range;

use glam::{Vec3, Vec4};

use super::{Path, RopeRest, Spring, SpringKind};

/// Most particles of a rope: one workgroup keeps all of them in its shared memory.
pub const MOST_ROPE_PARTICLES: usize = 256;

/// Most ropes of a set: one workgroup each, of which every Vulkan device can dispatch so many.
pub const MOST_ROPES: usize = 65_535;

/// Most by which the ends of a rope that is held at both may be farther apart than it is long, as a share of its length:
/// what rounding makes of a rope that is just taut.
const TAUT: f32 = 1e-5;

/// An end of a rope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RopeEnd {
    /// Its first particle.
    First,
    /// Its last particle.
    Last,
}

/// A rope as it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeStart {
    /// Where its particles start \[m\]; where an end is held, its path says so. Shape \[particle_count\].
    pub positions: Vec<Vec3>,
    /// Its length at rest \[m\], which its links share alike.
    pub length: f32,
}

/// What holds an end of a rope.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// Index of the rope.
    pub rope: usize,
    /// Which of its ends.
    pub end: RopeEnd,
    /// How it holds it.
    pub hold: Hold,
}

/// Holds an end of a rope on a path, and lets it go.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// Where the end is when, whatever the rope does; rotations play no part, but those of jumps, which carry the rope.
    pub path: Path,
    /// When it lets go \[s\], if ever: at the end of the first step that reaches this time.
    pub release: Option<f64>,
}

impl Hold {
    /// Whether it still holds during the step that starts at `start` \[s\] and takes `dt` \[s\].
    #[must_use]
    pub fn holds_during(&self, start: f64, dt: f64) -> bool {
        // What a step reaches to rounding, it reaches.
        self.release.is_none_or(|release| start < release - 1e-9 * dt)
    }
}

impl From<Path> for Hold {
    /// One that never lets go.
    fn from(path: Path) -> Self {
        Self { path, release: None }
    }
}

/// Why there are no such ropes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RopeError {
    /// No ropes, or too many.
    #[error("the number of ropes must be from 1 to {MOST_ROPES}, not {found}")]
    Count {
        /// How many there are.
        found: usize,
    },
    /// A rope with too few or too many particles.
    #[error("the particles of rope {rope} must be from 2 to {MOST_ROPE_PARTICLES}, not {found}")]
    Particles {
        /// Index of the rope.
        rope: usize,
        /// How many it has.
        found: usize,
    },
    /// A length that none can have.
    #[error("the length of rope {rope} must be a number from 1e-9 to 1e9 m, not {found}")]
    Length {
        /// Index of the rope.
        rope: usize,
        /// The length.
        found: f32,
    },
    /// A position that is no place.
    #[error("the positions of rope {rope} must be finite, not {found}")]
    Position {
        /// Index of the rope.
        rope: usize,
        /// The first that is not.
        found: Vec3,
    },
    /// An anchor of a rope that is not there.
    #[error("the rope of anchor {anchor} must be an index from 0 to {most}, not {found}")]
    NoRope {
        /// Index of the anchor.
        anchor: usize,
        /// The last rope's index.
        most: usize,
        /// The index.
        found: usize,
    },
    /// Two anchors at one end.
    #[error("the end of rope {rope} that anchor {anchor} holds must be free, not held by another anchor")]
    HeldTwice {
        /// Index of the second anchor.
        anchor: usize,
        /// Index of the rope.
        rope: usize,
    },
    /// Ends that are held farther apart than the rope is long.
    #[error("the ends of rope {rope} must be held at most its length of {length} m apart, not {found} m")]
    TooShort {
        /// Index of the rope.
        rope: usize,
        /// Its length \[m\].
        length: f32,
        /// How far its ends are apart at the start \[m\].
        found: f32,
    },
}

/// One rope of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// Indices of its particles, in order along it.
    pub particles: Range<u32>,
    /// Distance between two neighbours at rest \[m\].
    pub link_length: f32,
    /// What holds its first and its last particle.
    pub anchors: [Option<Hold>; 2],
}

impl Rope {
    /// Its length at rest \[m\].
    #[must_use]
    pub fn length(&self) -> f32 {
        self.link_length * (self.particles.len() - 1) as f32
    }

    /// Where what holds its ends is at the start and at the end of the step from `start` to `end` \[s\], each \[m\], as
    /// [`Path::during`] has it.
    #[must_use]
    pub fn held_during(&self, start: f64, end: f64) -> [[Option<Vec3>; 2]; 2] {
        let during = |hold: &Hold| hold.path.positions_during(start, end);
        let [first, last] = self.anchors.each_ref().map(|anchor| anchor.as_ref().map(during));
        [0, 1].map(|end| [first.map(|places| places[end]), last.map(|places| places[end])])
    }

    /// Where what holds its ends is before the first step, each \[m\].
    #[must_use]
    pub fn starts_held_at(&self) -> [Option<Vec3>; 2] {
        self.anchors.each_ref().map(|anchor| anchor.as_ref().map(|hold| hold.path.starting_position()))
    }

    /// Where what holds its ends is at `time` \[s\], each \[m\], also where it has let go.
    #[must_use]
    pub fn held_at(&self, time: f64) -> [Option<Vec3>; 2] {
        self.anchors.each_ref().map(|anchor| anchor.as_ref().map(|hold| hold.path.position_at(time)))
    }

    /// How it hangs at rest under `gravity` \[m/s²\] where its anchors are at the start; none where nothing holds it.
    #[must_use]
    pub fn rest(&self, gravity: Vec3) -> Option<RopeRest> {
        RopeRest::new(self.starts_held_at(), self.length(), self.particles.len(), gravity)
    }
}

/// A set of ropes as it starts. All particles have the same mass, which therefore does not matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Ropes {
    positions: Vec<Vec4>,
    links: Vec<Spring>,
    ropes: Vec<Rope>,
    radius: f32,
}

impl Ropes {
    /// Lays out ropes, the particles of one after those of the other, and holds their ends by anchors.
    ///
    /// # Errors
    /// [`RopeError`] for the first rope or anchor that is wrong.
    pub fn new(starts: &[RopeStart], anchors: Vec<Anchor>) -> Result<Self, RopeError> {
        if !(1..=MOST_ROPES).contains(&starts.len()) {
            return Err(RopeError::Count { found: starts.len() });
        }
        let (mut positions, mut ropes) = (Vec::new(), Vec::new());
        for (rope, start) in starts.iter().enumerate() {
            check(rope, start)?;
            let first = positions.len() as u32;
            positions.extend(start.positions.iter().map(|position| position.extend(1.0)));
            let link_length = start.length / (start.positions.len() - 1) as f32;
            ropes.push(Rope { particles: first..positions.len() as u32, link_length, anchors: [None, None] });
        }
        for (anchor, Anchor { rope, end, hold }) in anchors.into_iter().enumerate() {
            let most = ropes.len() - 1;
            let held = ropes.get_mut(rope).ok_or(RopeError::NoRope { anchor, most, found: rope })?;
            let end = &mut held.anchors[end as usize];
            if end.replace(hold).is_some() {
                return Err(RopeError::HeldTwice { anchor, rope });
            }
        }
        for (index, rope) in ropes.iter().enumerate() {
            let held = rope.starts_held_at();
            for (particle, held) in [rope.particles.start, rope.particles.end - 1].into_iter().zip(held) {
                if let Some(position) = held {
                    if !position.is_finite() {
                        return Err(RopeError::Position { rope: index, found: position });
                    }
                    positions[particle as usize] = position.extend(0.0);
                }
            }
            if let [Some(first), Some(last)] = held
                && first.distance(last) > (1.0 + TAUT) * rope.length()
            {
                let (length, found) = (rope.length(), first.distance(last));
                return Err(RopeError::TooShort { rope: index, length, found });
            }
        }
        let links = ropes.iter().flat_map(links).collect();
        Ok(Self { positions, links, ropes, radius: 0.005 })
    }

    /// The same ropes, drawn with a `radius` \[m\] other than 5 mm; to colliders they are thin.
    #[must_use]
    pub fn with_radius(self, radius: f32) -> Self {
        Self { radius, ..self }
    }

    /// Half the thickness with which they are drawn \[m\].
    #[must_use]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// xyz: position \[m\]; w: 0 where held, else 1. Shape \[particle_count\].
    #[must_use]
    pub fn positions(&self) -> &[Vec4] {
        &self.positions
    }

    /// The links between neighbours, rope by rope.
    #[must_use]
    pub fn links(&self) -> &[Spring] {
        &self.links
    }

    /// Each rope.
    #[must_use]
    pub fn ropes(&self) -> &[Rope] {
        &self.ropes
    }
}

fn check(rope: usize, start: &RopeStart) -> Result<(), RopeError> {
    let found = start.positions.len();
    if !(2..=MOST_ROPE_PARTICLES).contains(&found) {
        return Err(RopeError::Particles { rope, found });
    }
    if !(1e-9..=1e9).contains(&start.length) {
        return Err(RopeError::Length { rope, found: start.length });
    }
    match start.positions.iter().find(|position| !position.is_finite()) {
        Some(&found) => Err(RopeError::Position { rope, found }),
        None => Ok(()),
    }
}

fn links(rope: &Rope) -> impl Iterator<Item = Spring> {
    let (last, rest_length) = (rope.particles.end - 1, rope.link_length);
    (rope.particles.start..last).map(move |particle| Spring {
        particles: [particle, particle + 1],
        rest_length,
        kind: SpringKind::Structural,
    })
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::model::Pose;

    fn straight(particles: usize, length: f32) -> RopeStart {
        RopeStart { positions: (0..particles).map(|index| Vec3::X * index as f32).collect(), length }
    }

    fn anchor(rope: usize, end: RopeEnd, x: f32) -> Anchor {
        let pose = Pose { position: Vec3::new(x, 0.0, 0.0), rotation: Quat::IDENTITY };
        Anchor { rope, end, hold: Path::resting(pose).into() }
    }

    #[test]
    fn ropes_lie_one_after_the_other() {
        let anchors = vec![anchor(1, RopeEnd::Last, 5.0)];
        let ropes = Ropes::new(&[straight(3, 1.0), straight(2, 4.0)], anchors).unwrap();
        assert_eq!(ropes.ropes().iter().map(|rope| rope.particles.clone()).collect::<Vec<_>>(), [0..3, 3..5]);
        assert_eq!(ropes.ropes().iter().map(|rope| rope.link_length).collect::<Vec<_>>(), [0.5, 4.0]);
        assert_eq!(ropes.links().iter().map(|link| link.particles).collect::<Vec<_>>(), [[0, 1], [1, 2], [3, 4]]);
        assert_eq!(ropes.positions()[4], Vec4::new(5.0, 0.0, 0.0, 0.0), "the anchor says where the end is");
    }

    #[test]
    fn what_is_no_rope_is_told_in_a_sentence() {
        let told = |starts: &[RopeStart], anchors| Ropes::new(starts, anchors).expect_err("no ropes").to_string();
        assert_eq!(told(&[], vec![]), "the number of ropes must be from 1 to 65535, not 0");
        let one = [straight(4, 1.0)];
        for (starts, expected) in [
            ([straight(1, 1.0)], "the particles of rope 0 must be from 2 to 256, not 1"),
            ([straight(257, 1.0)], "the particles of rope 0 must be from 2 to 256, not 257"),
            ([straight(4, 0.0)], "the length of rope 0 must be a number from 1e-9 to 1e9 m, not 0"),
            ([straight(4, f32::NAN)], "the length of rope 0 must be a number from 1e-9 to 1e9 m, not NaN"),
        ] {
            assert_eq!(told(&starts, vec![]), expected);
        }
        let nowhere = RopeStart { positions: vec![Vec3::ZERO, Vec3::splat(f32::NAN)], length: 1.0 };
        assert_eq!(told(&[nowhere], vec![]), "the positions of rope 0 must be finite, not [NaN, NaN, NaN]");
        let twice = vec![anchor(0, RopeEnd::First, 0.0), anchor(0, RopeEnd::First, 0.5)];
        let expected = "the end of rope 0 that anchor 1 holds must be free, not held by another anchor";
        assert_eq!(told(&one, twice), expected);
        let expected = "the rope of anchor 0 must be an index from 0 to 0, not 1";
        assert_eq!(told(&one, vec![anchor(1, RopeEnd::First, 0.0)]), expected);
        let apart = vec![anchor(0, RopeEnd::First, 0.0), anchor(0, RopeEnd::Last, 1.5)];
        assert_eq!(told(&one, apart), "the ends of rope 0 must be held at most its length of 1 m apart, not 1.5 m");
    }
}
