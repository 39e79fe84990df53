//! What keeps a cloth from stretching like rubber: long range attachments, and a limit to the strain of its links.
//!
//! Constraints that are solved one after the other carry the pull of what hangs far below only neighbour by neighbour; what a few
//! sweeps do not carry shows as stretch, and the more so the heavier what hangs is. Long range attachments bring every particle
//! back to within reach of what holds it at once, and the strain limit then shortens the links that are still too long, in rounds
//! until none is. `glsl/limit/` says how, with the sources.
//!
//! What is pulled into a collider is moved out of it every few iterations, and before the last one of a round looks; so what the one
//! does wrong the other puts right, and in the end nothing is inside.

use glam::Vec4;

use super::PbdSettings;
use super::colliders::Colliders;
use super::external::Place;
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder, Resource};
use crate::layout::{CollidePush, LimitCollidePush, LongLinkPush, LongRange, LongRangePush, StrainLimitPush};
use crate::model::{Cloth, HeldWays, Spring, links_at_particles};
use crate::shaders;

/// Fewest iterations of a round: an even number, as places go to and fro.
const LEAST_ROUND: u32 = 32;
/// For how many links from one side to the other and back each round has as many again: what is long over many links takes long
/// sequences of relaxed iterations.
const LINKS_A_ROUND: f64 = 256.0;
/// Of the first round, which every substep makes.
const FIRST_ROUND: u32 = 6;
/// How often the second round goes through the levels of long links. Later ones do not: they leave little that is long, and what
/// iterations have done across the ways would have to be done anew.
const LONG_LINK_SWEEPS: u32 = 6;
/// Fewest rounds at the end of a step that there are for where they are needed, beyond the first.
const LEAST_ROUNDS: u32 = 6;
/// Up to [`MOST_ROUNDS`] there is at least one for so many links from one side to the other and back: as many as it takes at
/// 512 x 512 and 30 Hz, beyond which nothing is promised.
const LINKS_TO_A_ROUND: f64 = 32.0;
const MOST_ROUNDS: f64 = 32.0;
/// After how many iterations what they have pulled into colliders is moved out of them: after twice as many, edges are let go of
/// too late for the rounds that there are.
const ITERATIONS_TO_A_COLLISION: u32 = 4;
/// Iterations of a round before places are relaxed beyond where links want them.
const UNRELAXED: u32 = 5;
/// Share of a strain limit at which links are left, so that what follows does not lift them above it at once.
const TARGET: f32 = 0.75;
/// Share of it up to which they need no other round.
const ENOUGH: f32 = 0.95;
/// Share of it by which long ways are left longer than at rest, so that not all links along them have to be at the limit.
const REACH: f32 = 0.375;
/// Spectral radius that the relaxation counts on.
const SPECTRAL_RADIUS: f32 = 0.999;

/// How a strain limit is kept.
#[derive(Clone, Copy)]
pub(super) struct StrainLimit {
    /// Largest strain that is promised.
    max_strain: f32,
    /// Iterations of a round beyond the first.
    round: u32,
    /// How many of those there are at the end of a step.
    rounds: u32,
    /// Levels of long links.
    levels: u32,
}

/// A pass of it.
#[derive(Clone, Copy)]
pub(super) enum LimitPass {
    LongLink(LongLinkPush),
    Strain(StrainLimitPush),
    /// Out of colliders, in a round of this number, where places are now.
    Collide(u32),
}

impl StrainLimit {
    /// The limit that settings ask for, for a cloth of `particle_count` particles; none where they ask for none.
    pub(super) fn of(settings: &PbdSettings, particle_count: usize) -> Option<Self> {
        let max_strain = settings.max_strain;
        // Links from one side to the other and back, of a square cloth; and as many passes again where that is needed.
        let links = 2.0 * (particle_count.max(1) as f64).sqrt();
        let round = LEAST_ROUND * (links / LINKS_A_ROUND).ceil() as u32;
        let rounds = (2.0 * links / f64::from(round)).max(MOST_ROUNDS.min(links / LINKS_TO_A_ROUND));
        let rounds = LEAST_ROUNDS.max(rounds.ceil() as u32);
        (max_strain > 0.0).then(|| Self { max_strain, round, rounds, levels: links.log2().ceil() as u32 })
    }

    /// How many elements the list of rounds has.
    fn round_count(&self) -> u32 {
        self.rounds + 1
    }

    /// How much longer than at rest long ways are left, as a factor.
    fn reach(&self) -> f32 {
        1.0 + REACH * self.max_strain
    }

    /// The passes of a substep, which is the last of its step or is not.
    fn passes(self, is_last: bool) -> impl Iterator<Item = LimitPass> {
        let first = self.round(0, 0, FIRST_ROUND, is_last);
        let rounds = if is_last { 1..self.round_count() } else { 0..0 };
        let sweeps = |round| if round == 1 { LONG_LINK_SWEEPS } else { 0 };
        first.chain(rounds.flat_map(move |round| self.round(round, sweeps(round), self.round, true)))
    }

    /// The passes of a round: so many sweeps over long links, from the highest level down, then iterations, between
    /// which it goes out of colliders; the last iteration looks where that is asked for, at what colliders have left.
    fn round(self, round: u32, sweeps: u32, iterations: u32, looks: bool) -> impl Iterator<Item = LimitPass> {
        let most = self.reach();
        let link = move |level| LimitPass::LongLink(LongLinkPush { most, level, round });
        let links = (0..sweeps).flat_map(move |_| (0..self.levels).rev().map(link));
        let mut relaxation = 1.0;
        let mut iterate = move |number| {
            // Wang 2015, algorithm 1: the first iterations are not relaxed, and the one after them by half as much.
            relaxation = match number {
                0..UNRELAXED => 1.0,
                UNRELAXED => 2.0 / (2.0 - SPECTRAL_RADIUS * SPECTRAL_RADIUS),
                _ => 4.0 / (4.0 - SPECTRAL_RADIUS * SPECTRAL_RADIUS * relaxation),
            };
            LimitPass::Strain(StrainLimitPush {
                target: 1.0 + TARGET * self.max_strain,
                most: 1.0 + ENOUGH * self.max_strain,
                relaxation,
                round,
                looks: (looks && number + 1 == iterations).into(),
            })
        };
        let around = move |number| {
            let ends = number + 1 == iterations || (number + 1) % ITERATIONS_TO_A_COLLISION == 0;
            let collide = ends.then_some(LimitPass::Collide(round));
            if looks { [collide, Some(iterate(number))] } else { [Some(iterate(number)), collide] }
        };
        links.chain((0..iterations).flat_map(around).flatten())
    }
}

/// The passes of both, on a cloth on the device.
pub(super) struct Limits {
    strain: Option<StrainLimit>,
    /// Whether there is anything to collide with.
    collides: bool,
    /// The particles with the inverse masses that they have now, and the springs, to find the ways to what is held.
    particles: Vec<Vec4>,
    springs: Vec<Spring>,
    long_ranges: Buffer,
    long_links: Buffer,
    /// Whether anything has been pinned, let go or cut since they were found.
    is_stale: bool,
    /// For each place of the particles.
    places: Vec<LimitPasses>,
}

/// The buffers of the solver that they work on.
pub(super) struct LimitedBuffers<'a> {
    pub(super) previous_positions: &'a Buffer,
    pub(super) constraints: &'a Buffer,
    pub(super) parameters: &'a Buffer,
    pub(super) colliders: &'a Colliders,
}

/// For the particles in one place.
struct LimitPasses {
    long_range: Bindings<Kernel>,
    /// From the place to the other places, and back.
    long_link: [Bindings<Kernel>; 2],
    strain: [Bindings<Kernel>; 2],
    /// In the place, and in the other places.
    collide: [Bindings<Kernel>; 2],
    velocity: Bindings<Kernel>,
}

impl Limits {
    /// What the settings ask for, of a cloth whose constraints are its springs in their order; none where that is nothing.
    pub(super) fn new(
        device: &Device,
        cloth: &Cloth,
        settings: &PbdSettings,
        places: &[Place<'_>],
        buffers: &LimitedBuffers<'_>,
    ) -> engine::Result<Option<Self>> {
        if !settings.limits_stretch() {
            return Ok(None);
        }
        let particle_count = cloth.positions.len();
        let collides = !buffers.colliders.list().is_empty();
        let strain = StrainLimit::of(settings, particle_count);
        let (long_ranges, long_links) = ways(strain, &cloth.positions, &cloth.springs);
        let long_ranges = Buffer::from_slice(device, "limit.long_ranges", &long_ranges)?;
        let long_links = Buffer::from_slice(device, "limit.long_links", &long_links)?;
        let ways = Buffer::zeroed(device, "limit.ways", (size_of::<f32>() * particle_count) as u64)?;
        let round_count = long_range_push(strain).round_count;
        let rounds = Buffer::zeroed(device, "limit.rounds", u64::from(round_count) * size_of::<u32>() as u64)?;
        let other = Buffer::from_slice(device, "limit.other_positions", &cloth.positions)?;
        let (first_links, links) = links_at_particles(particle_count, &cloth.springs);
        let first_links = Buffer::from_slice(device, "limit.first_links", &first_links)?;
        let links = Buffer::from_slice(device, "limit.links", &links)?;

        let parameters = ("PbdParameters", buffers.parameters.into());
        let previous_positions = ("PreviousPositions", buffers.previous_positions.into());
        let strain_kernel = Kernel::new(device, &shaders::LIMIT_STRAIN)?;
        let step = |from: Resource<'_>, to: Resource<'_>| {
            strain_kernel.bind(&[
                ("Positions", from),
                ("OtherPositions", to),
                ("Constraints", buffers.constraints.into()),
                ("FirstLinks", (&first_links).into()),
                ("Links", (&links).into()),
                ("Rounds", (&rounds).into()),
                parameters,
            ])
        };
        let long_link_kernel = Kernel::new(device, &shaders::LIMIT_LONG_LINK)?;
        let link = |from: Resource<'_>, to: Resource<'_>| {
            long_link_kernel.bind(&[
                ("Positions", from),
                ("OtherPositions", to),
                ("LongLinks", (&long_links).into()),
                ("Rounds", (&rounds).into()),
                parameters,
            ])
        };
        let collide_kernel = Kernel::new(device, &shaders::LIMIT_COLLIDE)?;
        let collide = |positions: Resource<'_>| {
            collide_kernel.bind(&[
                ("Positions", positions),
                previous_positions,
                ("Rounds", (&rounds).into()),
                ("Colliders", buffers.colliders.buffer().into()),
                parameters,
            ])
        };
        let passes = |place: &Place<'_>| {
            let [positions, velocities] = place.resources();
            Ok(LimitPasses {
                long_range: Kernel::new(device, &shaders::LIMIT_LONG_RANGE)?.bind(&[
                    ("Positions", positions),
                    previous_positions,
                    ("LongRanges", (&long_ranges).into()),
                    ("Ways", (&ways).into()),
                    ("Rounds", (&rounds).into()),
                    parameters,
                ])?,
                long_link: [link(positions, (&other).into())?, link((&other).into(), positions)?],
                strain: [step(positions, (&other).into())?, step((&other).into(), positions)?],
                collide: [collide(positions)?, collide((&other).into())?],
                velocity: Kernel::new(device, &shaders::LIMIT_VELOCITY)?.bind(&[
                    ("Positions", positions),
                    previous_positions,
                    ("Velocities", velocities),
                    ("Ways", (&ways).into()),
                    parameters,
                ])?,
            })
        };
        let places = places.iter().map(passes).collect::<engine::Result<_>>()?;
        let (particles, springs) = (cloth.positions.clone(), cloth.springs.clone());
        Ok(Some(Self { strain, collides, particles, springs, long_ranges, long_links, is_stale: false, places }))
    }

    /// Says that a particle has another inverse mass \[1/kg\] from now on.
    pub(super) fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.particles[particle as usize].w = inverse_mass;
        self.is_stale = true;
    }

    /// Says which inverse masses the particles have from now on, in w, and that anything may have been cut.
    pub(super) fn set_particles(&mut self, particles: &[Vec4]) {
        self.particles.copy_from_slice(particles);
        self.is_stale = true;
    }

    /// Says that something has been cut.
    pub(super) fn has_been_cut(&mut self) {
        self.is_stale = true;
    }

    /// Whether the ways to what is held have to be found anew before the next step.
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Finds them anew along the springs that are `intact`, as [`Solver::intact`](super::Solver::intact) says, and waits until
    /// they are on the device.
    pub(super) fn refresh(&mut self, intact: Option<&[bool]>) -> engine::Result<()> {
        let is_intact = |index: usize| intact.is_none_or(|intact| intact[index]);
        let springs = self.springs.iter().enumerate().filter(|(index, _)| is_intact(*index)).map(|(_, spring)| *spring);
        let springs: Vec<_> = springs.collect();
        let (long_ranges, long_links) = ways(self.strain, &self.particles, &springs);
        self.long_ranges.write(&long_ranges)?;
        self.long_links.write(&long_links)?;
        self.is_stale = false;
        Ok(())
    }

    /// Records the end of a substep, of the particles in place `place` among colliders as `collide` says: what the limits do, and the
    /// velocities.
    pub(super) fn record(
        &self,
        recorder: &mut Recorder<'_>,
        place: usize,
        is_last: bool,
        collide: CollidePush,
    ) -> engine::Result<()> {
        let passes = &self.places[place];
        let particles = self.particles.len() as u32;
        recorder.dispatch_each(&passes.long_range, &long_range_push(self.strain), particles)?;
        // How often places have gone to and fro.
        let mut number = 0;
        for pass in limit_passes(self.strain, self.collides, is_last) {
            let way = number % 2;
            match pass {
                LimitPass::LongLink(push) => recorder.dispatch_each(&passes.long_link[way], &push, particles)?,
                LimitPass::Strain(push) => recorder.dispatch_each(&passes.strain[way], &push, particles)?,
                LimitPass::Collide(round) => {
                    let CollidePush { start, end, collider_count } = collide;
                    let push = LimitCollidePush { start, end, collider_count, round };
                    recorder.dispatch_each(&passes.collide[way], &push, particles)?;
                    continue;
                }
            }
            number += 1;
        }
        recorder.dispatch_each(&passes.velocity, &(), particles)
    }

    /// The passes of a step, with their calls.
    pub(super) fn passes(&self, substeps: u32) -> Vec<(String, u32)> {
        let (mut long_links, mut iterations, mut collides) = (0, 0, 0);
        let all = (0..substeps).flat_map(|number| limit_passes(self.strain, self.collides, number + 1 == substeps));
        for pass in all {
            match pass {
                LimitPass::LongLink(_) => long_links += 1,
                LimitPass::Strain(_) => iterations += 1,
                LimitPass::Collide(_) => collides += 1,
            }
        }
        let calls = [
            (shaders::LIMIT_LONG_RANGE, substeps),
            (shaders::LIMIT_LONG_LINK, long_links),
            (shaders::LIMIT_STRAIN, iterations),
            (shaders::LIMIT_COLLIDE, collides),
            (shaders::LIMIT_VELOCITY, substeps),
        ];
        calls
            .into_iter()
            .filter(|(_, calls)| *calls > 0)
            .map(|(shader, calls)| (shader.name.to_string(), calls))
            .collect()
    }
}

/// The passes between long range attachments and velocities, of a substep that is the last of its step or is not: those of a strain
/// limit, or else the one out of what there is to collide with.
pub(super) fn limit_passes(
    strain: Option<StrainLimit>,
    collides: bool,
    is_last: bool,
) -> impl Iterator<Item = LimitPass> {
    let alone = strain.is_none().then_some(LimitPass::Collide(0));
    let passes = strain.into_iter().flat_map(move |strain| strain.passes(is_last)).chain(alone);
    passes.filter(move |pass| collides || !matches!(pass, LimitPass::Collide(_)))
}

/// The long range attachment of each particle, and its long links; one that nothing reads where no limit needs them.
pub(super) fn ways(
    strain: Option<StrainLimit>,
    particles: &[Vec4],
    springs: &[Spring],
) -> (Vec<LongRange>, Vec<LongRange>) {
    let ways = HeldWays::new(particles, springs);
    let long_links = strain.map_or(vec![LongRange::default()], |strain| ways.long_links(strain.levels));
    (ways.ranges, long_links)
}

/// The push constants of the pass of long range attachments.
pub(super) fn long_range_push(strain: Option<StrainLimit>) -> LongRangePush {
    LongRangePush {
        most: strain.map_or(1.0, |strain| strain.reach()),
        round_count: strain.map_or(1, |strain| strain.round_count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(particle_count: usize) -> StrainLimit {
        StrainLimit::of(&PbdSettings { max_strain: 0.02, ..PbdSettings::default() }, particle_count).unwrap()
    }

    fn round_of(pass: &LimitPass) -> u32 {
        match pass {
            LimitPass::LongLink(push) => push.round,
            LimitPass::Strain(push) => push.round,
            LimitPass::Collide(round) => *round,
        }
    }

    #[test]
    fn places_are_back_where_they_were_after_every_round() {
        for (particle_count, is_last) in [(2, false), (2, true), (1_000, true), (262_144, true), (1 << 26, true)] {
            let limit = limit(particle_count);
            let passes: Vec<_> = limit_passes(Some(limit), false, is_last).collect();
            for (number, pass) in passes.iter().enumerate() {
                let is_first = number == 0 || round_of(&passes[number - 1]) != round_of(pass);
                assert!(!is_first || number % 2 == 0, "pass {number}");
                // Whoever looks is the last of a round, and nobody looks where there is no other round.
                let is_last_of_round = passes.get(number + 1).is_none_or(|next| round_of(next) != round_of(pass));
                let looks = matches!(pass, LimitPass::Strain(push) if push.looks == 1);
                assert_eq!(looks, is_last && is_last_of_round, "pass {number}");
            }
            assert_eq!(passes.len() % 2, 0);
            let rounds = round_of(passes.last().unwrap()) + 1;
            assert_eq!(rounds, if is_last { limit.round_count() } else { 1 });
        }
    }

    #[test]
    fn every_round_ends_outside_of_colliders_before_it_looks() {
        for is_last in [false, true] {
            let [without, with] =
                [false, true].map(|collides| limit_passes(Some(limit(1_000)), collides, is_last).collect::<Vec<_>>());
            let iterations = with.iter().filter(|pass| !matches!(pass, LimitPass::Collide(_)));
            assert_eq!(iterations.count(), without.len());
            for round in 0..=round_of(with.last().unwrap()) {
                let passes: Vec<_> = with.iter().filter(|pass| round_of(pass) == round).collect();
                let is_collision = |pass: &&LimitPass| matches!(pass, LimitPass::Collide(_));
                let stretches: Vec<_> = passes.split(is_collision).collect();
                let (last, moving) = stretches.split_last().unwrap();
                assert!(moving.iter().skip(1).all(|iterations| iterations.len() <= 4), "round {round}");
                match last {
                    [] => assert!(!is_last),
                    [LimitPass::Strain(push)] => assert_eq!(push.looks, 1),
                    after => panic!("{} passes after the last collision of round {round}", after.len()),
                }
            }
        }
        // Without a limit to strain, once a substep.
        assert!(matches!(limit_passes(None, true, true).collect::<Vec<_>>()[..], [LimitPass::Collide(0)]));
        assert_eq!(limit_passes(None, false, true).count(), 0);
    }

    #[test]
    fn the_relaxation_is_that_of_chebyshev() {
        // Wang 2015, eq. 13: w tends to 2 / (1 + sqrt(1 - r²)).
        let relaxations = limit(2).round(0, 0, 1000, false).filter_map(|pass| match pass {
            LimitPass::Strain(push) => Some(push.relaxation),
            _ => None,
        });
        let relaxation = relaxations.last().unwrap();
        let radius = f64::from(SPECTRAL_RADIUS);
        assert!((f64::from(relaxation) - 2.0 / (1.0 + (1.0 - radius * radius).sqrt())).abs() < 1e-5);
    }
}
