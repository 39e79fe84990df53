//! Twin of the `rope` solver: Verlet integration and distance constraints on chains (document 004), with levels of detail.

use std::f32::consts::TAU;

use glam::{Quat, Vec3};

use crate::layout::{CollidePush, PullPush, Rope, RopeParameters, RopePush};
use crate::reference::collide::{Colliders, Moving};
use crate::reference::hand;

/// State of a set of ropes.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeVerlet {
    /// Where each particle is \[m\]. Shape \[particle_count\].
    pub positions: Vec<Vec3>,
    /// Where it was one substep ago \[m\]. Shape \[particle_count\].
    pub previous: Vec<Vec3>,
    /// The level of detail of each rope, 0 to 3. Shape \[rope_count\].
    pub levels: Vec<u32>,
    /// Whether a hand has pinned each particle. Shape \[particle_count\].
    pub pinned: Vec<bool>,
}

/// A share of the step at which a substep starts, and the one at which it ends.
#[derive(Clone, Copy)]
struct Span {
    start: f32,
    end: f32,
}

/// One rope of the state, for one step.
pub(crate) struct Chain<'a> {
    pub(crate) rope: &'a Rope,
    /// Its place in the set.
    pub(crate) index: usize,
    pub(crate) now: &'a mut [Vec3],
    pub(crate) before: &'a mut [Vec3],
    pub(crate) rests: &'a [Vec3],
    pub(crate) pinned: &'a [bool],
    pub(crate) parameters: &'a RopeParameters,
    pub(crate) push: &'a RopePush,
}

impl RopeVerlet {
    /// Ropes at rest at `positions`, all at level 0.
    #[must_use]
    pub fn new(positions: &[Vec3], rope_count: usize) -> Self {
        Self {
            positions: positions.to_vec(),
            previous: positions.to_vec(),
            levels: vec![0; rope_count],
            pinned: vec![false; positions.len()],
        }
    }

    /// Advances all ropes by a step. `rests` are their particles at rest, from the first end that is held, shape
    /// \[particle_count\].
    ///
    /// # Panics
    /// Where a rope names particles that are not there.
    pub fn step(
        &mut self,
        parameters: &RopeParameters,
        ropes: &[Rope],
        rests: &[Vec3],
        colliders: &Colliders<'_>,
        push: &RopePush,
    ) {
        for (index, rope) in ropes.iter().enumerate() {
            let range = rope.first as usize..(rope.first + rope.particle_count) as usize;
            let (now, before) = (&mut self.positions[range.clone()], &mut self.previous[range.clone()]);
            let (rests, pinned) = (&rests[range.clone()], &self.pinned[range]);
            let mut chain = Chain { rope, index, now, before, rests, pinned, parameters, push };
            self.levels[index] = chain.step(self.levels[index], colliders);
        }
    }
}

/// The level at `distance` of a rope that was at `level`: a threshold is passed where it is by more than the margin.
fn level_at(parameters: &RopeParameters, coarsest: u32, distance: f32, level: u32) -> u32 {
    let [near, middle, far, margin] = parameters.level_distances.to_array();
    let passed = |factor: f32| [near, middle, far].iter().filter(|&threshold| distance > threshold * factor).count();
    // Beyond the outer margin of so many thresholds, and not within the inner margin of so many.
    let (least, most) = (passed(1.0 + margin), passed(1.0 - margin));
    level.clamp(least as u32, (most as u32).max(least as u32)).min(coarsest)
}

impl Chain<'_> {
    /// Advances the rope, which was at `level`, by a step, and returns its level.
    pub(crate) fn step(&mut self, level: u32, colliders: &Colliders<'_>) -> u32 {
        let RopeParameters { substeps, .. } = *self.parameters;
        let distance = self.now[self.now.len() / 2].distance(self.push.camera.truncate());
        let level = level_at(self.parameters, self.rope.coarsest.min(self.push.coarsest), distance, level);
        for substep in 0..substeps {
            let share = |substep: u32| substep as f32 / substeps as f32;
            let span = Span { start: share(substep), end: share(substep + 1) };
            if level == 3 {
                self.play(span);
            } else {
                self.pull();
                self.simulate(level, colliders, span);
            }
        }
        level
    }

    fn last(&self) -> usize {
        self.now.len() - 1
    }

    fn is_held(&self, particle: usize) -> bool {
        self.pinned[particle] || self.is_anchored(particle)
    }

    fn is_anchored(&self, particle: usize) -> bool {
        particle == 0 && self.rope.first_start.w == 1.0 || particle == self.last() && self.rope.last_start.w == 1.0
    }

    fn anchored_at(&self, particle: usize, share: f32) -> Vec3 {
        let Rope { first_start, first_end, last_start, last_end, .. } = self.rope;
        let (start, end) = if particle == 0 { (first_start, first_end) } else { (last_start, last_end) };
        start.truncate() * (1.0 - share) + end.truncate() * share
    }

    /// A hand changes the velocity of the particle that it holds, which is its way in a substep, and by a share of that those
    /// of its neighbours.
    fn pull(&mut self) {
        let RopePush { hand, hand_reach, hand_radius, held_particle, .. } = *self.push;
        let range = self.rope.first..self.rope.first + self.rope.particle_count;
        let held = held_particle.wrapping_sub(self.rope.first) as usize;
        if hand.w == 0.0 || !range.contains(&held_particle) || self.is_held(held) {
            return;
        }
        let substep_dt = self.parameters.substep_dt;
        let push = PullPush { target: hand, reach: hand_reach, substep_dt, count: 1, padding: 0 };
        let velocity = (self.now[held] - self.before[held]) / substep_dt;
        let way = substep_dt * hand::pull(&push, self.now[held], velocity);
        for (particle, before) in self.before.iter_mut().enumerate() {
            *before -= hand::weight(particle.abs_diff(held) as f32 * self.rope.link_length / hand_radius) * way;
        }
    }

    /// A substep in which the particles that `level` keeps are simulated.
    fn simulate(&mut self, level: u32, colliders: &Colliders<'_>, span: Span) {
        let nodes = nodes(self.now.len(), level);
        let left_out: Vec<usize> = (0..self.last()).filter(|particle| nodes.binary_search(particle).is_err()).collect();
        let deviations: Vec<Vec3> = left_out
            .iter()
            .map(|&particle| {
                let now = self.now[particle] - curve(self.now, &nodes, particle);
                let before = self.before[particle] - curve(self.before, &nodes, particle);
                next_deviation(self.parameters, now, before)
            })
            .collect();
        for &node in &nodes {
            self.integrate(node, span);
        }
        for _ in 0..(self.parameters.iterations >> level).max(1) {
            for parity in 0..2 {
                for link in nodes.windows(2).skip(parity).step_by(2) {
                    self.solve(link[0], link[1]);
                }
            }
        }
        let push = CollidePush { start: span.start, end: span.end, collider_count: self.push.collider_count };
        let colliders = colliders.moving(&push);
        for &node in &nodes {
            if !self.is_held(node) {
                self.collide(node, &colliders);
            }
        }
        for (&particle, deviation) in left_out.iter().zip(deviations) {
            self.before[particle] = self.now[particle];
            self.now[particle] = curve(self.now, &nodes, particle) + deviation;
        }
    }

    /// x_new = x + (x - x_previous) (1 - d) + a dt². Source: document 004, section 2.
    fn integrate(&mut self, particle: usize, span: Span) {
        let RopeParameters { velocity_loss, substep_dt, acceleration, .. } = self.parameters;
        let (now, before) = (self.now[particle], self.before[particle]);
        self.before[particle] = now;
        self.now[particle] = if self.is_anchored(particle) {
            self.anchored_at(particle, span.end)
        } else if self.pinned[particle] {
            now
        } else {
            now + (1.0 - velocity_loss) * (now - before) + acceleration.truncate() * substep_dt.powi(2)
        };
    }

    /// diff = (dist - L0) / dist; half of it for each end, all of it for the one whose partner is held. Source: document
    /// 004, section 3.
    fn solve(&mut self, a: usize, b: usize) {
        let way = self.now[b] - self.now[a];
        let distance = way.length();
        if distance == 0.0 {
            return;
        }
        let diff = (distance - self.rope.link_length * (b - a) as f32) / distance;
        let (share_a, share_b) = match (self.is_held(a), self.is_held(b)) {
            (false, false) => (0.5, 0.5),
            (true, false) => (0.0, 1.0),
            (false, true) => (1.0, 0.0),
            (true, true) => (0.0, 0.0),
        };
        self.now[a] += share_a * diff * way;
        self.now[b] -= share_b * diff * way;
    }

    /// Out of the colliders, one after the other; what a collider has pushed out does not leave it by that. Source: document
    /// 004, section 4.
    fn collide(&mut self, particle: usize, colliders: &[Moving<'_>]) {
        let from = self.before[particle];
        for collider in colliders {
            if let Some(contact) = collider.contact(from, self.now[particle]) {
                self.now[particle] = contact.position;
                let way = contact.position - self.before[particle];
                let leaving = (way - contact.surface_displacement).dot(contact.normal);
                self.before[particle] += leaving.max(0.0) * contact.normal;
            }
        }
    }

    /// A substep of the baked motion.
    fn play(&mut self, span: Span) {
        let earlier = span.start - (span.end - span.start);
        for particle in 0..self.now.len() {
            let (now, before) = (self.now[particle], self.before[particle]);
            self.before[particle] = now;
            self.now[particle] = if self.is_anchored(particle) {
                self.anchored_at(particle, span.end)
            } else {
                let now = now - self.baked(particle, span.start);
                let before = before - self.baked(particle, earlier);
                self.baked(particle, span.end) + next_deviation(self.parameters, now, before)
            };
        }
    }

    /// The rope at rest, turned about what holds it by sway_angle sin(2 pi (turns - 1/2)).
    fn baked(&self, particle: usize, share: f32) -> Vec3 {
        let RopeParameters { substeps, substep_dt, sway_angle, .. } = self.parameters;
        let time = self.push.camera.w + share * *substeps as f32 * substep_dt;
        let phase = (0.618034 * self.index as f32).rem_euclid(1.0);
        let turns = (self.rope.sway.w * time + phase).rem_euclid(1.0);
        let angle = sway_angle * (TAU * (turns - 0.5)).sin();
        let held = if self.rope.first_start.w == 1.0 { 0 } else { self.last() };
        let turn = Quat::from_axis_angle(self.rope.sway.truncate(), angle);
        self.anchored_at(held, share) + turn * self.rests[particle]
    }
}

/// The particles that a level simulates, of `count`: every one, every second or every fourth, and the last.
fn nodes(count: usize, level: u32) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..count).step_by(1 << level).collect();
    if nodes.last() != Some(&(count - 1)) {
        nodes.push(count - 1);
    }
    nodes
}

/// Where a particle between two nodes lies on the curve through the nodes: the cubic with the nodes' places and slopes.
fn curve(points: &[Vec3], nodes: &[usize], particle: usize) -> Vec3 {
    let end = nodes.partition_point(|&node| node <= particle);
    let size = (nodes[end] - nodes[end - 1]) as f32;
    let t = (particle - nodes[end - 1]) as f32 / size;
    let [from, to] = [end - 1, end].map(|node| points[nodes[node]]);
    let [leave, arrive] = [end - 1, end].map(|node| size * slope(points, nodes, node));
    // Horner's form of p + t m0 + t² (3 (q - p) - 2 m0 - m1) + t³ (2 (p - q) + m0 + m1).
    let chord = to - from;
    from + t * (leave + t * (3.0 * chord - 2.0 * leave - arrive + t * (leave + arrive - 2.0 * chord)))
}

/// The slope at a node, for a link along the rope: that of the parabola through it and its two neighbours, or of the chord
/// at an end.
fn slope(points: &[Vec3], nodes: &[usize], node: usize) -> Vec3 {
    let chord = |a: usize, b: usize| (points[nodes[b]] - points[nodes[a]]) / (nodes[b] - nodes[a]) as f32;
    if node == 0 {
        return chord(0, 1);
    }
    if node == nodes.len() - 1 {
        return chord(node - 1, node);
    }
    let (left, right) = (chord(node - 1, node), chord(node, node + 1));
    let [before, here, after] = [node - 1, node, node + 1].map(|node| nodes[node] as f32);
    left + (right - left) * (here - before) / (after - before)
}

/// e(t + h) of the critically damped e'' + 2 e' / T + e / T² = 0, of e(t) and e(t - h), with r = exp(-h / T):
/// its solutions (a + b t) exp(-t / T) have e(t + h) = 2 r e(t) - r² e(t - h).
fn next_deviation(parameters: &RopeParameters, now: Vec3, before: Vec3) -> Vec3 {
    let r = parameters.deviation_kept;
    2.0 * r * now - r * r * before
}

#[cfg(test)]
mod tests {
    use glam::Vec4;

    use super::*;

    #[test]
    fn a_level_changes_beyond_its_margin_only() {
        let parameters = RopeParameters { level_distances: Vec4::new(10.0, 20.0, 40.0, 0.1), ..Default::default() };
        for (distance, level, expected) in [
            (10.5, 0, 0),
            (11.5, 0, 1),
            (9.5, 1, 1),
            (8.5, 1, 0),
            (100.0, 0, 3),
            (37.0, 3, 3),
            (35.0, 3, 2),
            (0.0, 3, 0),
        ] {
            assert_eq!(level_at(&parameters, 3, distance, level), expected, "{distance} m at level {level}");
        }
        assert_eq!(level_at(&parameters, 2, 100.0, 0), 2);
    }

    #[test]
    fn the_curve_goes_through_parabolas() {
        let place = |index: usize| Vec3::new(index as f32, (index * index) as f32, 0.0);
        let points: Vec<Vec3> = (0..15).map(place).collect();
        let nodes = nodes(15, 2);
        assert_eq!(nodes, [0, 4, 8, 12, 14]);
        for particle in [5, 6, 7, 9, 10, 11] {
            assert!(curve(&points, &nodes, particle).distance(place(particle)) < 1e-4, "{particle}");
        }
    }

    #[test]
    fn a_deviation_dies_away_without_swinging() {
        let parameters = RopeParameters { deviation_kept: (-0.1_f32).exp(), ..Default::default() };
        let (mut now, mut before) = (Vec3::X, Vec3::X);
        for step in 1..=50 {
            (now, before) = (next_deviation(&parameters, now, before), now);
            let time = 0.1 * step as f32;
            // At rest one step before: (1 + b t) exp(-t), b from e(-h) = 1.
            let rate = (1.0 - (-0.1_f32).exp()) / 0.1;
            assert!((now.x - (1.0 + rate * time) * (-time).exp()).abs() < 1e-5, "{time}: {now}");
        }
    }
}
