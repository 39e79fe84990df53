//! What hangs together, divided among workgroups: the lists that `pbd/body` reads.

use std::collections::HashMap;
use std::ops::Range;

use crate::layout::{BodyConstraint, BodyHinge, Constraint, Hinge, PbdBody};
use crate::model::Components;

/// Small components share a body up to so many particles, so that workgroups have enough to do.
const LEAST_PARTICLES: u32 = 256;

/// Constraints or hinges, and their batches: ranges of them that share no particle.
pub(super) type Batched<'a, T> = (&'a [T], &'a [Range<u32>]);

/// Particles, constraints and hinges, body by body. A body is one component, or several small ones.
#[derive(Debug, Default)]
pub(super) struct BodyLists {
    pub(super) bodies: Vec<PbdBody>,
    /// Of each body, in the order of their indices.
    pub(super) particles: Vec<u32>,
    /// Where each batch ends, within the constraints and within the hinges of its body.
    pub(super) batch_ends: Vec<u32>,
    /// Of each body, in the order in which the plain path has them.
    pub(super) constraints: Vec<BodyConstraint>,
    pub(super) compliances: Vec<f32>,
    pub(super) hinges: Vec<BodyHinge>,
    pub(super) lambda_count: u32,
    /// Most particles of a body.
    pub(super) most_particles: u32,
}

/// What is in a body, but for which particles these are.
#[derive(Clone, Default)]
struct Content {
    batch_ends: BatchEnds,
    hinge_batch_ends: BatchEnds,
    constraints: Vec<BodyConstraint>,
    compliances: Vec<f32>,
    hinges: Vec<BodyHinge>,
}

#[derive(Clone, Default)]
struct BatchEnds {
    ends: Vec<u32>,
    /// The number that the last batch has among all.
    last: Option<usize>,
}

impl BatchEnds {
    /// Counts another one, of batch number `batch` among all: batches that are not in a body are left out.
    fn count(&mut self, batch: usize) {
        let end = self.ends.last().copied().unwrap_or(0);
        if self.last.replace(batch) != Some(batch) {
            self.ends.push(end);
        }
        self.ends.last_mut().into_iter().for_each(|end| *end += 1);
    }
}

impl BodyLists {
    /// Divides what hangs together by the constraints and hinges of batches among bodies of at most `most_particles` (65,536 at
    /// most); none where a component has more. What nothing joins is in a body as well, where `loose` says so.
    pub(super) fn new(
        particle_count: usize,
        (constraints, batches): Batched<'_, Constraint>,
        (hinges, hinge_batches): Batched<'_, Hinge>,
        most_particles: u32,
        loose: bool,
    ) -> Option<Self> {
        let pairs = in_batches(batches).map(|index| constraints[index].particles());
        let pairs = pairs.chain(in_batches(hinge_batches).flat_map(|index| hinges[index].edges().into_iter().take(4)));
        let body_of = share_out(&Components::of_pairs(particle_count, pairs), most_particles, loose)?;
        let body_count = body_of.iter().flatten().max().map_or(0, |last| last + 1) as usize;

        let mut counts = vec![0; body_count];
        // The place of each particle within its body.
        let mut places = vec![0; particle_count];
        for (place, body) in places.iter_mut().zip(&body_of) {
            if let Some(body) = body {
                *place = counts[*body as usize];
                counts[*body as usize] += 1;
            }
        }
        let body_at = |particle: u32| body_of[particle as usize].expect("what is joined is in a body") as usize;
        let pair = |[one, other]: [u32; 2]| places[one as usize] | places[other as usize] << 16;
        let mut contents = vec![Content::default(); body_count];
        for (number, batch) in batches.iter().enumerate() {
            for constraint in &constraints[batch.start as usize..batch.end as usize] {
                let content = &mut contents[body_at(constraint.index_a)];
                content.batch_ends.count(number);
                let particles = pair(constraint.particles());
                content.constraints.push(BodyConstraint { particles, rest_length: constraint.rest_length });
                content.compliances.push(constraint.compliance);
            }
        }
        for (number, batch) in hinge_batches.iter().enumerate() {
            for hinge in &hinges[batch.start as usize..batch.end as usize] {
                let [a, b, c, d] = hinge.particles;
                let content = &mut contents[body_at(a)];
                content.hinge_batch_ends.count(number);
                let Hinge { rest_angle, compliance, .. } = *hinge;
                content.hinges.push(BodyHinge { edge: pair([a, b]), corners: pair([c, d]), rest_angle, compliance });
            }
        }
        Some(Self::joined(&body_of, &counts, contents))
    }

    /// The lists of bodies with so many particles and such contents; those that are alike are listed once.
    fn joined(body_of: &[Option<u32>], counts: &[u32], contents: Vec<Content>) -> Self {
        let mut lists = Self { most_particles: counts.iter().copied().max().unwrap_or(0), ..Self::default() };
        let mut known = HashMap::new();
        let mut first_particle = 0;
        for (content, &particle_count) in contents.into_iter().zip(counts) {
            let lambda_count = (content.constraints.len() + content.hinges.len()) as u32;
            let alike = *known.entry(content.words()).or_insert_with(|| lists.append(content));
            lists.bodies.push(PbdBody { first_particle, particle_count, first_lambda: lists.lambda_count, ..alike });
            first_particle += particle_count;
            lists.lambda_count += lambda_count;
        }
        let mut next: Vec<u32> = lists.bodies.iter().map(|body| body.first_particle).collect();
        lists.particles = vec![0; first_particle as usize];
        for (particle, body) in (0_u32..).zip(body_of) {
            let Some(body) = body else {
                continue;
            };
            let place = &mut next[*body as usize];
            lists.particles[*place as usize] = particle;
            *place += 1;
        }
        lists
    }

    /// Appends what a body consists of, and says where that is.
    fn append(&mut self, content: Content) -> PbdBody {
        let body = PbdBody {
            first_batch: self.batch_ends.len() as u32,
            batch_count: content.batch_ends.ends.len() as u32,
            hinge_batch_count: content.hinge_batch_ends.ends.len() as u32,
            first_constraint: self.constraints.len() as u32,
            first_hinge: self.hinges.len() as u32,
            ..PbdBody::default()
        };
        self.batch_ends.extend(content.batch_ends.ends);
        self.batch_ends.extend(content.hinge_batch_ends.ends);
        self.constraints.extend(content.constraints);
        self.compliances.extend(content.compliances);
        self.hinges.extend(content.hinges);
        body
    }

    /// Whether any constraint yields.
    pub(super) fn is_compliant(&self) -> bool {
        self.compliances.iter().any(|compliance| *compliance > 0.0)
    }
}

impl Content {
    /// All of it, as bits to be compared.
    fn words(&self) -> Vec<u32> {
        let counts = [self.batch_ends.ends.len(), self.hinge_batch_ends.ends.len()].map(|count| count as u32);
        let lists: [&[u32]; 6] = [
            &counts,
            &self.batch_ends.ends,
            &self.hinge_batch_ends.ends,
            bytemuck::cast_slice(&self.constraints),
            bytemuck::cast_slice(&self.compliances),
            bytemuck::cast_slice(&self.hinges),
        ];
        lists.concat()
    }
}

/// The indices of what is in batches.
fn in_batches(batches: &[Range<u32>]) -> impl Iterator<Item = usize> {
    batches.iter().cloned().flatten().map(|index| index as usize)
}

/// The number of the body of each particle, if it is in one; none where a component has more than `most_particles`.
fn share_out(components: &Components, most_particles: u32, loose: bool) -> Option<Vec<Option<u32>>> {
    let mut sizes = vec![0; components.of.len()];
    components.of.iter().for_each(|&root| sizes[root as usize] += 1);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    if largest > most_particles {
        return None;
    }
    let most = largest.max(LEAST_PARTICLES).min(most_particles);
    let (mut body, mut filled) = (0, 0);
    let mut bodies = vec![None; components.of.len()];
    for (root, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > u32::from(!loose)) {
        if filled + size > most {
            (body, filled) = (body + 1, 0);
        }
        filled += size;
        bodies[root] = Some(body);
    }
    Some(components.of.iter().map(|&root| bodies[root as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint([index_a, index_b]: [u32; 2], rest_length: f32) -> Constraint {
        Constraint { index_a, index_b, rest_length, compliance: 0.25 * rest_length }
    }

    fn chains(lengths: &[u32]) -> (usize, Vec<Constraint>, Vec<Range<u32>>) {
        let mut batches = [Vec::new(), Vec::new()];
        let mut first = 0;
        for &length in lengths {
            for link in 0..length - 1 {
                let particles = [first + link, first + link + 1];
                batches[link as usize % 2].push(constraint(particles, 1.0 + link as f32));
            }
            first += length;
        }
        let even = batches[0].len() as u32;
        let constraints = batches.concat();
        let ranges = vec![0..even, even..constraints.len() as u32];
        (first as usize, constraints, ranges)
    }

    /// Every constraint as the bodies have it, with its compliance and the numbers that its particles have among all.
    fn unpacked(lists: &BodyLists) -> Vec<Vec<(Constraint, usize)>> {
        let of_body = |body: &PbdBody| {
            let particles = &lists.particles[body.first_particle as usize..][..body.particle_count as usize];
            let ends = &lists.batch_ends[body.first_batch as usize..][..body.batch_count as usize];
            let count = ends.last().copied().unwrap_or(0) as usize;
            let range = body.first_constraint as usize..body.first_constraint as usize + count;
            let constraints = lists.constraints[range.clone()].iter().zip(&lists.compliances[range]).enumerate();
            let unpacked = constraints.map(|(index, (constraint, &compliance))| {
                let [index_a, index_b] =
                    [constraint.particles & 0xffff, constraint.particles >> 16].map(|place| particles[place as usize]);
                let batch = ends.iter().position(|&end| (index as u32) < end).expect("a batch");
                (Constraint { index_a, index_b, rest_length: constraint.rest_length, compliance }, batch)
            });
            unpacked.collect()
        };
        lists.bodies.iter().map(of_body).collect()
    }

    #[test]
    fn bodies_have_all_that_hangs_together_in_its_order() {
        let (particle_count, constraints, batches) = chains(&[300, 1, 200, 56, 2, 300, 1, 1]);
        let lists = BodyLists::new(particle_count, (&constraints, &batches), (&[], &[]), 300, true).expect("bodies");
        assert_eq!(lists.most_particles, 300);
        let counts: Vec<u32> = lists.bodies.iter().map(|body| body.particle_count).collect();
        assert_eq!(counts, [300, 259, 300, 2]);
        let mut particles = lists.particles.clone();
        particles.sort_unstable();
        assert_eq!(particles, (0..particle_count as u32).collect::<Vec<_>>());
        assert_eq!(lists.lambda_count as usize, constraints.len());
        let unpacked = unpacked(&lists);
        for (batch, range) in batches.iter().enumerate() {
            let in_batch = unpacked.iter().flatten().filter(|(_, number)| *number == batch);
            let range = range.start as usize..range.end as usize;
            assert_eq!(in_batch.map(|(constraint, _)| *constraint).collect::<Vec<_>>(), constraints[range]);
        }
        // Of what is alike, one is listed.
        assert_eq!(lists.bodies[0].first_constraint, lists.bodies[2].first_constraint);
        assert!(lists.constraints.len() < constraints.len());
    }

    #[test]
    fn what_is_too_large_is_in_no_body() {
        let (particle_count, constraints, batches) = chains(&[4, 301]);
        let constraints = (&constraints[..], &batches[..]);
        assert!(BodyLists::new(particle_count, constraints, (&[], &[]), 300, true).is_none());
        assert!(BodyLists::new(particle_count, constraints, (&[], &[]), 301, true).is_some());
    }

    #[test]
    fn what_nothing_joins_is_left_out_where_it_is_not_asked_for() {
        let (particle_count, constraints, batches) = chains(&[3, 1, 2]);
        let of_batches = |batches| {
            let lists =
                BodyLists::new(particle_count, (&constraints, batches), (&[], &[]), 300, false).expect("bodies");
            (lists.particles.clone(), unpacked(&lists).concat().len())
        };
        assert_eq!(of_batches(&batches), (vec![0, 1, 2, 4, 5], 3));
        // Only links 1 to 2 are of odd numbers.
        assert_eq!(of_batches(&batches[1..]), (vec![1, 2], 1));
    }

    #[test]
    fn hinges_hold_together_as_well() {
        let hinge = Hinge { particles: [0, 4, 1, 3], rest_angle: 0.5, compliance: 2.0 };
        let batch = std::slice::from_ref(&(0..1));
        let bodies = |most| BodyLists::new(5, (&[], &[]), (&[hinge], batch), most, true);
        let lists = bodies(256).expect("bodies");
        assert_eq!(lists.bodies.len(), 1);
        let expected = BodyHinge { edge: 4 << 16, corners: 1 | 3 << 16, rest_angle: 0.5, compliance: 2.0 };
        assert_eq!(lists.hinges, [expected]);
        // Particle 2 is alone, the other four hang together.
        assert!(bodies(3).is_none());
        let apart = bodies(4).expect("bodies");
        assert_eq!((apart.bodies.len(), &apart.particles[..]), (2, &[0, 1, 3, 4, 2][..]));
    }
}
