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
use crate::model::{Hold, Rope, Ropes};

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
    list: Vec<layout::Rope>,
}

impl RopeList {
    /// Ropes as they are in the step from `start` to `end` \[s\], in no hand.
    pub(super) fn new(ropes: &Ropes, sways: Vec<Option<RopeSway>>, start: f64, end: f64) -> Self {
        let list = all_during(ropes, &sways, start, end);
        let changes = |hold: &Hold| hold.path.moves() || hold.release.is_some();
        let changing = ropes.ropes().iter().enumerate().filter(|(_, rope)| rope.anchors.iter().flatten().any(changes));
        let changing = changing.map(|(index, _)| index).collect();
        Self { sways, changing, in_hands: Vec::new(), list }
    }

    /// Each rope, as [`RopeList::advance`] has left it.
    pub(super) fn list(&self) -> &[layout::Rope] {
        &self.list
    }

    /// Goes to the step from `start` to `end` \[s\], with hands on the ropes. Returns a range of the list outside which nothing
    /// has changed; it is empty where nothing has.
    pub(super) fn advance(&mut self, ropes: &Ropes, hand: &RopeHand, start: f64, end: f64) -> Range<usize> {
        let in_hands: Vec<usize> = hand.particles().map(|particle| self.rope_of(particle)).collect();
        let mut looked_at = [&self.changing[..], &self.in_hands, &in_hands].concat();
        looked_at.sort_unstable();
        looked_at.dedup();
        let mut seen = |&index: &usize| {
            let seen = during(&ropes.ropes()[index], self.sways[index], start, end);
            (index, mem::replace(&mut self.list[index], seen))
        };
        let before: Vec<(usize, layout::Rope)> = looked_at.iter().map(&mut seen).collect();
        hand.act(&mut self.list);
        self.in_hands = in_hands;
        let mut changed = before.iter().filter(|(index, before)| self.list[*index] != *before).map(|(index, _)| *index);
        let first = changed.next();
        first.map_or(0..0, |first| first..changed.last().unwrap_or(first) + 1)
    }

    fn rope_of(&self, particle: u32) -> usize {
        // From the end of each rope on begins the next.
        self.list.partition_point(|rope| rope.first + rope.particle_count <= particle)
    }
}

/// What kernels see of all `ropes` in the step from `start` to `end` \[s\], in no hand.
pub(super) fn all_during(ropes: &Ropes, sways: &[Option<RopeSway>], start: f64, end: f64) -> Vec<layout::Rope> {
    ropes.ropes().iter().zip(sways).map(|(rope, sway)| during(rope, *sway, start, end)).collect()
}

fn during(rope: &Rope, sway: Option<RopeSway>, start: f64, end: f64) -> layout::Rope {
    let holds =
        rope.anchors.each_ref().map(|hold| hold.as_ref().is_some_and(|hold| hold.holds_during(start, end - start)));
    let has_let_go = rope.anchors.iter().zip(holds).any(|(hold, holds)| hold.is_some() && !holds);
    let held_at = |time: f64| {
        let [first, last] = rope.held_at(time);
        [first.filter(|_| holds[0]), last.filter(|_| holds[1])]
    };
    let [first_start, last_start] = held_at(start);
    let [first_end, last_end] = held_at(end);
    let span = |[first, last]: [Option<Vec3>; 2]| Some(last? - first?);
    let begun = span(rope.held_at(0.0)).unwrap_or_default();
    let spans = [span([first_start, last_start]), span([first_end, last_end])];
    let is_rigid = spans.into_iter().flatten().all(|span| span.distance(begun) <= RIGID * rope.length());
    let held = |place: Option<Vec3>| place.map_or(Vec4::ZERO, |place| place.extend(1.0));
    layout::Rope {
        first: rope.particles.start,
        particle_count: rope.particles.len() as u32,
        link_length: rope.link_length,
        coarsest: if sway.is_some() && is_rigid && !has_let_go { 3 } else { 2 },
        first_start: held(first_start),
        first_end: held(first_end),
        last_start: held(last_start),
        last_end: held(last_end),
        sway: sway.map_or(Vec4::ZERO, |sway| sway.axis.extend(sway.frequency)),
    }
}
