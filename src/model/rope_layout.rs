//! Many ropes alike, laid out in rows.

use glam::{Quat, Vec3};

use super::{Anchor, Hold, Path, Pose, RopeEnd, RopeError, RopeStart, Ropes, hanging_chain};

/// Which ends of ropes are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeldEnds {
    /// Both.
    Both,
    /// The first.
    First,
    /// The last.
    Last,
    /// None: the ropes are free.
    None,
}

impl HeldEnds {
    fn ends(self) -> &'static [RopeEnd] {
        match self {
            Self::Both => &[RopeEnd::First, RopeEnd::Last],
            Self::First => &[RopeEnd::First],
            Self::Last => &[RopeEnd::Last],
            Self::None => &[],
        }
    }
}

/// Ropes in rows at height 0: along x a row's ropes one after the other, along z the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeLayout {
    /// How many ropes.
    pub count: usize,
    /// How many of them lie in a row.
    pub columns: usize,
    /// Particles of each.
    pub particles: usize,
    /// Length of each \[m\].
    pub length: f32,
    /// Distance between the ends of each, between which it starts as it would hang; 0 has it start straight down \[m\].
    pub span: f32,
    /// Distance between two rows, and between the ends of two ropes of a row \[m\].
    pub spacing: f32,
    /// Which ends are held.
    pub held: HeldEnds,
    /// How what holds them moves, as seen from where it starts: time \[s\] and offset \[m\]; none where it stays.
    pub motion: Vec<(f64, Vec3)>,
    /// When what holds them lets go \[s\], if ever.
    pub release: Option<f64>,
}

impl RopeLayout {
    /// The ropes; none of their anchors moves where [`Path::through`] takes no such times as [`RopeLayout::motion`] has.
    ///
    /// # Errors
    /// [`RopeError`] as [`Ropes::new`].
    pub fn ropes(&self) -> Result<Ropes, RopeError> {
        let (columns, rows) = (self.columns.max(1), self.count.div_ceil(self.columns.max(1)));
        let shape = self.shape();
        let pitch = Vec3::new(self.span + self.spacing, 0.0, self.spacing);
        // Around the middle of all.
        let corner = Vec3::new(columns as f32 * pitch.x - self.spacing, 0.0, (rows as f32 - 1.0) * pitch.z) / -2.0;
        let origin = |rope: usize| corner + pitch * Vec3::new((rope % columns) as f32, 0.0, (rope / columns) as f32);
        let start = |rope| RopeStart {
            positions: shape.iter().map(|place| origin(rope) + *place).collect(),
            length: self.length,
        };
        let starts: Vec<_> = (0..self.count).map(start).collect();
        let anchors = starts.iter().enumerate().flat_map(|(rope, start)| {
            self.held.ends().iter().filter_map(move |&end| {
                let position = if end == RopeEnd::First { start.positions.first() } else { start.positions.last() };
                Some(Anchor { rope, end, hold: Hold { path: self.path(*position?), release: self.release } })
            })
        });
        let anchors = anchors.collect();
        Ropes::new(&starts, anchors)
    }

    /// One rope, seen from its first end \[m\].
    fn shape(&self) -> Vec<Vec3> {
        let straight = |along: Vec3| {
            let links = self.particles.saturating_sub(1).max(1) as f32;
            (0..self.particles).map(|index| along * (index as f32 / links)).collect()
        };
        let span = Vec3::X * self.span;
        if self.span == 0.0 || self.particles < 2 {
            return straight(Vec3::NEG_Y * self.length);
        }
        if self.span >= self.length {
            // Where both ends are held, `Ropes::new` tells that they cannot be.
            return straight(span);
        }
        hanging_chain(span, self.length, self.particles, Vec3::NEG_Y).unwrap_or_else(|| {
            // Too narrow to hang in a curve: folded in the middle.
            let depth = (self.length.powi(2) - self.span.powi(2)).sqrt() / 2.0;
            let fold = |along: f32| along * span - (1.0 - (2.0 * along - 1.0).abs()) * depth * Vec3::Y;
            (0..self.particles).map(|index| fold(index as f32 / (self.particles - 1) as f32)).collect()
        })
    }

    fn path(&self, start: Vec3) -> Path {
        let pose = |offset| Pose { position: start + offset, rotation: Quat::IDENTITY };
        let keyframes = self.motion.iter().map(|&(time, offset)| (time, pose(offset))).collect();
        Path::through(keyframes).unwrap_or_else(|| Path::resting(pose(Vec3::ZERO)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> RopeLayout {
        RopeLayout {
            count: 5,
            columns: 2,
            particles: 9,
            length: 1.5,
            span: 1.0,
            spacing: 0.5,
            held: HeldEnds::Both,
            motion: Vec::new(),
            release: None,
        }
    }

    #[test]
    fn ropes_lie_in_rows_around_the_middle() {
        let ropes = layout().ropes().unwrap();
        let ends: Vec<_> = ropes.ropes().iter().map(|rope| rope.held_at(0.0).map(Option::unwrap)).collect();
        let expected = [(-1.25, -0.5), (0.25, -0.5), (-1.25, 0.0), (0.25, 0.0), (-1.25, 0.5)];
        for ([first, last], (x, z)) in ends.iter().zip(expected) {
            assert!(first.distance(Vec3::new(x, 0.0, z)) < 1e-6 && last.distance(*first + Vec3::X) < 1e-5);
        }
        assert_eq!(ropes.positions().iter().filter(|position| position.w == 0.0).count(), 10);
    }

    #[test]
    fn ends_are_held_or_free_and_move() {
        let held = |held, span| RopeLayout { held, span, ..layout() }.ropes().unwrap().ropes()[4].held_at(0.0);
        assert_eq!(held(HeldEnds::None, 0.0), [None, None]);
        assert_eq!(held(HeldEnds::First, 0.0)[1], None);
        assert_eq!(held(HeldEnds::Last, 0.0)[1].map(|place| place.y), Some(-1.5));
        let moving = RopeLayout { motion: vec![(1.0, Vec3::ZERO), (2.0, Vec3::Y)], ..layout() }.ropes().unwrap();
        let heights = [0.0, 1.5, 9.0].map(|time| moving.ropes()[3].held_at(time)[1].map(|place| place.y));
        assert_eq!(heights[1..], [Some(0.5), Some(1.0)]);
        let narrow = RopeLayout { span: 0.01, ..layout() }.ropes().unwrap();
        assert!((narrow.positions()[4].y + 0.75).abs() < 1e-4, "{}", narrow.positions()[4]);
        let short = RopeLayout { span: 2.0, ..layout() }.ropes().expect_err("too short").to_string();
        assert_eq!(short, "the ends of rope 0 must be held at most its length of 1.5 m apart, not 2 m");
    }
}
