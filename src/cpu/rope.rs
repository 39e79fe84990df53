//! The `rope` solver; [`reference::rope`](crate::reference::rope) says what it computes.
//!
//! Ropes are independent of each other, so each is a job; and every second link of a rope shares no particle, so four of
//! them are projected at a time.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::Colliders;
use super::quad::Quad;
use crate::layout::{Rope, RopeParameters, RopePush};
use crate::reference::rope::{self, Chain};

/// Ropes that one thread takes at a time, or more.
const JOB: usize = 4;

/// State of a set of ropes.
pub struct RopeVerlet {
    twin: rope::RopeVerlet,
}

impl RopeVerlet {
    /// Ropes at rest at `positions` \[m\], shape \[particle_count\], all at level 0.
    #[must_use]
    pub fn new(positions: &[Vec3], rope_count: usize) -> Self {
        Self { twin: rope::RopeVerlet::new(positions, rope_count) }
    }

    /// Where each particle is \[m\]. Shape \[particle_count\].
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.twin.positions
    }

    /// Where it was one substep ago \[m\]. Shape \[particle_count\].
    #[must_use]
    pub fn previous(&self) -> &[Vec3] {
        &self.twin.previous
    }

    /// The level of detail of each rope, 0 to 3. Shape \[rope_count\].
    #[must_use]
    pub fn levels(&self) -> &[u32] {
        &self.twin.levels
    }

    /// Advances all ropes by a step, as the twin does.
    ///
    /// # Panics
    /// Where the particles of the ropes, in order, are not all particles.
    pub fn step(
        &mut self,
        parameters: &RopeParameters,
        ropes: &[Rope],
        rests: &[Vec3],
        colliders: &Colliders<'_>,
        push: &RopePush,
    ) {
        let rope::RopeVerlet { positions, previous, levels } = &mut self.twin;
        let (mut now, mut before, mut rests) = (&mut positions[..], &mut previous[..], rests);
        let mut chains = Vec::with_capacity(ropes.len());
        for (index, rope) in ropes.iter().enumerate() {
            let count = rope.particle_count as usize;
            let own_now = now.split_off_mut(..count).expect("the rope's particles");
            let own_before = before.split_off_mut(..count).expect("the rope's particles");
            let own_rests = rests.split_off(..count).expect("the rope's particles");
            chains.push(Chain { rope, index, now: own_now, before: own_before, rests: own_rests, parameters, push });
        }
        assert!(now.is_empty(), "particles of no rope");
        let jobs = chains.into_par_iter().zip(levels).with_min_len(JOB);
        jobs.for_each(|(mut chain, level)| *level = chain.step(*level, colliders, project));
    }
}

/// Four links, each of which shares no particle with the others.
#[derive(Clone, Copy, Default)]
struct Links {
    rest_length: Vec4,
    share_a: Vec4,
    share_b: Vec4,
    /// 0 where there is no link.
    exists: Vec4,
}

impl Links {
    /// Every second link between `nodes`, from the first on.
    fn of(chain: &Chain<'_>, nodes: &[usize]) -> Vec<Self> {
        let links: Vec<&[usize]> = nodes.windows(2).step_by(2).collect();
        let four = |links: &[&[usize]]| {
            let mut four = Self::default();
            for (lane, link) in links.iter().enumerate() {
                four.rest_length[lane] = chain.rest_length(link[0], link[1]);
                (four.share_a[lane], four.share_b[lane]) = chain.shares(link[0], link[1]);
                four.exists[lane] = 1.0;
            }
            four
        };
        links.chunks(4).map(four).collect()
    }

    /// Projects the links between each two of eight nodes.
    #[inline(always)]
    fn solve(&self, nodes: &mut [Vec4; 8]) {
        let [a0, b0, a1, b1, a2, b2, a3, b3] = *nodes;
        let ((a, _), (b, _)) = (Quad::of([a0, a1, a2, a3]), Quad::of([b0, b1, b2, b3]));
        let way = b - a;
        let distance = way.length();
        let diff = (distance - self.rest_length) / distance;
        let acts = Vec4::select(distance.cmpeq(Vec4::ZERO), Vec4::ZERO, self.exists);
        let [a0, a1, a2, a3] = (a + way * (self.share_a * diff)).or_where_zero(acts, a).particles(Vec4::ZERO);
        let [b0, b1, b2, b3] = (b - way * (self.share_b * diff)).or_where_zero(acts, b).particles(Vec4::ZERO);
        *nodes = [a0, b0, a1, b1, a2, b2, a3, b3];
    }
}

/// Goes over the links between nodes as the twin does, four at a time.
fn project(chain: &mut Chain<'_>, nodes: &[usize], iterations: u32) {
    let links = [0, 1].map(|parity| Links::of(chain, &nodes[parity..]));
    // Behind the last node there is room for links that do not exist.
    let mut places: Vec<Vec4> = nodes.iter().map(|&node| chain.now[node].extend(0.0)).collect();
    places.resize(nodes.len() + 8, Vec4::ZERO);
    for _ in 0..iterations {
        for (parity, links) in links.iter().enumerate() {
            let (eights, _) = places[parity..].as_chunks_mut::<8>();
            links.iter().zip(eights).for_each(|(links, eight)| links.solve(eight));
        }
    }
    nodes.iter().zip(places).for_each(|(&node, place)| chain.now[node] = place.truncate());
}
