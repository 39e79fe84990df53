//! What kernels see of the ropes of a set, from step to step.
//!
//! Most sets have ropes by the thousands, and few of them change: those whose anchors move or let go, and those that hands
//! hold. Only these are looked at again.

use std::mem;
use std::ops::Range;

use glam::{Vec3, Vec4};

use super::RopeSway;
use super::rope_hand::RopeHand;
use crate::layout;
use crate::model::{Hold, Jump, Rope, Ropes};

/// How far the ends of a rope may move against each other, as a share of its length, for its baked motion to go with
/// them.
const RIGID: f32 = 1e-5;

/// The list.
pub(super) struct RopeList {
    sways: Vec<Option<RopeSway>>,
    /// Ropes that are held by what moves or lets go.
    changing: Vec<usize>,
    /// Ropes that hands have changed in the list.
    in_hands: Vec<usize>,
    /// Ropes that were looked at last, and the same as they were before, kept so that the next step takes no memory.
    looked_at: Vec<usize>,
    before: Vec<layout::Rope>,
    /// Where the paths of what holds them have been carried.
    frame: Option<Jump>,
    /// That has changed since the list was last looked at.
    frame_changed: bool,
    list: Vec<layout::Rope>,
}

impl RopeList {
    /// Ropes as they are in the step from `start` to `end` \[s\], in no hand.
    pub(super) fn new(ropes: &Ropes, sways: Vec<Option<RopeSway>>, start: f64, end: f64) -> Self {
        let list = all_during(ropes, &sways, None, start, end);
        let changes = |hold: &Hold| hold.path.moves() || hold.release.is_some();
        let changing = ropes.ropes().iter().enumerate().filter(|(_, rope)| rope.anchors.iter().flatten().any(changes));
        let changing = changing.map(|(index, _)| index).collect();
        Self {
            sways,
            changing,
            in_hands: Vec::new(),
            looked_at: Vec::new(),
            before: Vec::new(),
            frame: None,
            frame_changed: false,
            list,
        }
    }

    /// Says where the paths of what holds the ropes have been carried.
    pub(super) fn set_frame(&mut self, frame: Option<Jump>) {
        self.frame_changed |= frame != self.frame;
        self.frame = frame;
    }

    /// Each rope, as [`RopeList::advance`] has left it.
    pub(super) fn list(&self) -> &[layout::Rope] {
        &self.list
    }

    /// Goes to the step from `start` to `end` \[s\], with hands on the ropes. Returns a range of the list outside which nothing
    /// has changed; it is empty where nothing has.
    pub(super) fn advance(&mut self, ropes: &Ropes, hand: &RopeHand, start: f64, end: f64) -> Range<usize> {
        let in_hands: Vec<usize> = hand.particles().map(|particle| self.rope_of(particle)).collect();
        self.looked_at.clear();
        self.looked_at.extend(self.changing.iter().chain(&self.in_hands).chain(&in_hands));
        if mem::take(&mut self.frame_changed) {
            self.looked_at.extend(0..self.list.len());
        }
        self.looked_at.sort_unstable();
        self.looked_at.dedup();
        let (list, sways, frame) = (&mut self.list, &self.sways, self.frame);
        let seen = |&index: &usize| {
            let seen = during(&ropes.ropes()[index], sways[index], frame, start, end);
            mem::replace(&mut list[index], seen)
        };
        self.before.clear();
        self.before.extend(self.looked_at.iter().map(seen));
        hand.act(&mut self.list);
        self.in_hands = in_hands;
        let looked_at = self.looked_at.iter().zip(&self.before);
        let mut changed = looked_at.filter(|(index, before)| self.list[**index] != **before).map(|(index, _)| *index);
        let first = changed.next();
        first.map_or(0..0, |first| first..changed.next_back().unwrap_or(first) + 1)
    }

    fn rope_of(&self, particle: u32) -> usize {
        // From the end of each rope on begins the next.
        self.list.partition_point(|rope| rope.first + rope.particle_count <= particle)
    }
}

/// What kernels see of all `ropes` in the step from `start` to `end` \[s\], in no hand, where the paths of what holds them have
/// been carried to `frame`, if they have been.
pub(super) fn all_during(
    ropes: &Ropes,
    sways: &[Option<RopeSway>],
    frame: Option<Jump>,
    start: f64,
    end: f64,
) -> Vec<layout::Rope> {
    ropes.ropes().iter().zip(sways).map(|(rope, sway)| during(rope, *sway, frame, start, end)).collect()
}

fn during(rope: &Rope, sway: Option<RopeSway>, frame: Option<Jump>, start: f64, end: f64) -> layout::Rope {
    let holds =
        rope.anchors.each_ref().map(|hold| hold.as_ref().is_some_and(|hold| hold.holds_during(start, end - start)));
    let has_let_go = rope.anchors.iter().zip(holds).any(|(hold, holds)| hold.is_some() && !holds);
    let in_frame = |place: Vec3| frame.map_or(place, |frame| frame.point(place));
    let held = |[first, last]: [Option<Vec3>; 2]| {
        [first.filter(|_| holds[0]).map(in_frame), last.filter(|_| holds[1]).map(in_frame)]
    };
    let [[first_start, last_start], [first_end, last_end]] = rope.held_during(start, end).map(held);
    let span = |[first, last]: [Option<Vec3>; 2]| Some(last? - first?);
    let is_rigid = || {
        let begun = span(rope.starts_held_at()).unwrap_or_default();
        let spans = [span([first_start, last_start]), span([first_end, last_end])];
        spans.into_iter().flatten().all(|span| span.distance(begun) <= RIGID * rope.length())
    };
    let seen = |place: Option<Vec3>| place.map_or(Vec4::ZERO, |place| place.extend(1.0));
    layout::Rope {
        first: rope.particles.start,
        particle_count: rope.particles.len() as u32,
        link_length: rope.link_length,
        coarsest: if sway.is_some() && !has_let_go && is_rigid() { 3 } else { 2 },
        first_start: seen(first_start),
        first_end: seen(first_end),
        last_start: seen(last_start),
        last_end: seen(last_end),
        sway: sway.map_or(Vec4::ZERO, |sway| sway.axis.extend(sway.frequency)),
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::model::{Anchor, Body, Grip, Path, Pose, RopeEnd, RopeStart};

    const STEP: f64 = 0.01;

    /// Five ropes of three particles that are held at their first, by what moves for three steps or lets go after four.
    fn ropes(moving: &[usize], let_go: &[usize]) -> Ropes {
        let place = |rope: usize, particle: usize| Vec3::new(rope as f32, -(particle as f32), 0.0);
        let starts: Vec<RopeStart> = (0..5)
            .map(|rope| RopeStart { positions: (0..3).map(|particle| place(rope, particle)).collect(), length: 2.0 })
            .collect();
        let hold = |rope: usize| {
            let pose = |offset: Vec3| Pose { position: place(rope, 0) + offset, rotation: Quat::IDENTITY };
            let path = match moving.contains(&rope) {
                true => Path::through(vec![(0.0, pose(Vec3::ZERO)), (3.0 * STEP, pose(Vec3::Z))]).unwrap(),
                false => Path::resting(pose(Vec3::ZERO)),
            };
            Hold { path, release: let_go.contains(&rope).then_some(4.0 * STEP) }
        };
        Ropes::new(&starts, (0..5).map(|rope| Anchor { rope, end: RopeEnd::First, hold: hold(rope) }).collect())
            .unwrap()
    }

    /// Goes through steps, in each of which the list has to be as a new one is, in hands. Returns what changed in each.
    fn changes(ropes: &Ropes, hands: &[RopeHand]) -> Vec<Range<usize>> {
        let sways = vec![Some(RopeSway { axis: Vec3::Y, frequency: 1.0 }); 5];
        let mut list = RopeList::new(ropes, sways.clone(), 0.0, STEP);
        let mut step = |(index, hand): (usize, &RopeHand)| {
            let (start, end) = (STEP * index as f64, STEP * (index + 1) as f64);
            let before = list.list().to_vec();
            let changed = list.advance(ropes, hand, start, end);
            let mut expected = all_during(ropes, &sways, None, start, end);
            hand.act(&mut expected);
            assert_eq!(list.list(), expected, "step {index}");
            let differs = |index: &usize| before[*index] != expected[*index];
            let found = (0..5).find(differs).map_or(0..0, |first| first..(0..5).rfind(differs).unwrap_or(first) + 1);
            assert_eq!(changed, found, "step {index}");
            changed
        };
        hands.iter().enumerate().map(&mut step).collect()
    }

    #[test]
    fn only_what_moves_or_lets_go_changes() {
        let none = vec![RopeHand::default(); 6];
        assert_eq!(changes(&ropes(&[], &[]), &none), vec![0..0; 6]);
        // It rests after three steps.
        assert_eq!(changes(&ropes(&[2], &[]), &none), [0..0, 2..3, 2..3, 2..3, 0..0, 0..0]);
        assert_eq!(changes(&ropes(&[], &[1, 3]), &none), [0..0, 0..0, 0..0, 0..0, 1..4, 0..0]);
    }

    #[test]
    fn what_hands_hold_changes_and_changes_back() {
        let ropes = ropes(&[], &[]);
        let pulling = |particle| {
            let mut hand = RopeHand::default();
            hand.set_grip(Some(Grip::soft(&Body::Ropes(ropes.clone()), particle, Vec3::ZERO)));
            hand
        };
        // It pulls at the rope 1, then at the rope 4, which it has pinned as well; then all is reset.
        let mut pinning = pulling(13);
        pinning.touch(12);
        let mut pinned = RopeHand::default();
        pinned.touch(12);
        let hands = [RopeHand::default(), pulling(4), pinning, pinned, RopeHand::default()];
        assert_eq!(changes(&ropes, &hands), [0..0, 1..2, 1..5, 0..0, 4..5]);
    }
}
