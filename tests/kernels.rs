//! Every solver kernel against its twin on random input, with counts that are no multiple of a workgroup.
//!
//! One call of a kernel rounds a few operations on numbers of magnitude 1 to 10, and a driver may contract multiply and
//! add into one rounding where the twin has two: the two differ by a few units in the last place, at most 1e-5 here.

mod common;
#[path = "common/solids.rs"]
mod solids;

use common::{Random, Validated};
use glam::{IVec2, Quat, UVec2, Vec3, Vec4};
use solids::Solid;
use tautline::engine::{Buffer, Device, Frames, Image, ImageKind, Kernel};
use tautline::layout::{
    CollidePush, Collider, Constraint, Hinge, JacobiPush, LimitCollidePush, LongLinkPush, LongRangePush,
    MOST_COLLIDERS, PbdParameters, PredictPush, SolvePush, StrainLimitPush, VerletParameters, VerletPush,
    VerletTilePush,
};
use tautline::model::{self, Coloring, Spring, SpringKind};
use tautline::reference::collide::{self, Colliders};
use tautline::reference::{limit, pbd, verlet};
use tautline::shaders;

const TOLERANCE: f32 = 1e-5;
/// No multiple of 256.
const PARTICLES: usize = 1013;

fn assert_same(what: &str, gpu: &[Vec4], twin: &[Vec4]) {
    assert_within(TOLERANCE, what, gpu, twin);
}

fn assert_within(tolerance: f32, what: &str, gpu: &[Vec4], twin: &[Vec4]) {
    assert_eq!(gpu.len(), twin.len());
    for (index, (gpu, twin)) in gpu.iter().zip(twin).enumerate() {
        let difference = (*gpu - *twin).abs().max_element();
        assert!(
            difference <= tolerance * twin.abs().max_element().max(1.0),
            "{what} {index}: {gpu} on the GPU, {twin}"
        );
    }
}

/// Particles in a cube of 2 m, one in eight pinned, two of them in one place.
fn particles(random: &mut Random) -> Vec<Vec4> {
    let mut particles: Vec<Vec4> = (0..PARTICLES)
        .map(|index| {
            let inverse_mass = if index % 8 == 0 { 0.0 } else { 1.5 + random.signed() };
            Vec4::new(random.signed(), random.signed(), random.signed(), inverse_mass)
        })
        .collect();
    particles[2] = particles[1];
    particles
}

fn velocities(random: &mut Random) -> Vec<Vec4> {
    (0..PARTICLES).map(|_| Vec3::new(random.signed(), random.signed(), random.signed()).extend(0.0)).collect()
}

fn parameters() -> PbdParameters {
    PbdParameters {
        gravity: Vec4::new(0.0, -9.81, 0.0, 0.0),
        wind: Vec4::new(5.0, 0.0, 15.0, 4.0),
        flutter_wave_number: 3.0,
        flutter_lift: 2.0,
        substep_dt: 1.0 / 64.0,
        damping: 0.5,
        particle_count: PARTICLES as u32,
        elongation: 1.125,
        has_forces: 1,
        padding: 0,
    }
}

/// Random pairs of particles in batches; the first pair has no length, and pinned ones meet pinned ones.
fn constraints(random: &mut Random) -> (Vec<Constraint>, Vec<std::ops::Range<u32>>) {
    let mut springs = vec![Spring { particles: [1, 2], rest_length: 0.5, kind: SpringKind::Structural }];
    springs.extend((0..PARTICLES as u32 - 11).map(|index| Spring {
        particles: [index, index + 1 + (index * 7) % 10],
        rest_length: 0.5 + 0.4 * random.signed(),
        kind: SpringKind::Structural,
    }));
    springs.push(Spring { particles: [0, 8], rest_length: 0.5, kind: SpringKind::Structural });
    let (springs, coloring) = Coloring::greedy(springs);
    let constraint = |(index, spring): (usize, &Spring)| Constraint {
        index_a: spring.particles[0],
        index_b: spring.particles[1],
        rest_length: spring.rest_length,
        compliance: if index % 3 == 0 { 0.0 } else { 1e-4 },
    };
    (springs.iter().enumerate().map(constraint).collect(), coloring.batches().to_vec())
}

/// The buffer that kernels bind as `Colliders`.
fn collider_buffer(device: &Device, list: &[Collider], heights: &[f32]) -> Buffer {
    let mut all = vec![Collider::default(); MOST_COLLIDERS];
    all[..list.len()].copy_from_slice(list);
    let words = [bytemuck::cast_slice::<_, f32>(&all), heights].concat();
    Buffer::from_slice(device, "colliders", &words).unwrap()
}

#[test]
fn pbd_predict() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(1);
    let mut twin = pbd::Pbd::new(&particles(&mut random), &[], &[]);
    twin.velocities = velocities(&mut random);
    twin.forces = velocities(&mut random);
    let positions = Buffer::from_slice(device, "positions", &twin.positions).unwrap();
    let previous = Buffer::zeroed(device, "previous positions", positions.size()).unwrap();
    let velocities = Buffer::from_slice(device, "velocities", &twin.velocities).unwrap();
    let forces = Buffer::from_slice(device, "forces", &twin.forces).unwrap();
    let block = Buffer::from_slice(device, "parameters", &[parameters()]).unwrap();
    let phases = Buffer::from_slice(device, "flutter phases", &[7.0_f32, 1.25]).unwrap();
    let predict = Kernel::new(device, &shaders::PBD_PREDICT).unwrap();
    let bindings = predict
        .bind(&[
            ("Positions", (&positions).into()),
            ("PreviousPositions", (&previous).into()),
            ("Velocities", (&velocities).into()),
            ("Forces", (&forces).into()),
            ("PbdParameters", (&block).into()),
            ("FlutterPhases", (&phases).into()),
        ])
        .unwrap();
    let push = PredictPush { substep: 1 };
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, [PARTICLES as u32, 1, 1])).unwrap();
    twin.predict(&parameters(), 1.25);
    assert_same("position", &positions.read().unwrap(), &twin.positions);
    assert_same("previous position", &previous.read().unwrap(), &twin.previous_positions);
    assert_same("velocity", &velocities.read().unwrap(), &twin.velocities);
}

#[test]
fn pbd_solve() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(2);
    let particles = particles(&mut random);
    let (constraints, batches) = constraints(&mut random);
    let mut twin = pbd::Pbd::new(&particles, &constraints, &batches);
    let positions = Buffer::from_slice(device, "positions", &particles).unwrap();
    let constraint_buffer = Buffer::from_slice(device, "constraints", &constraints).unwrap();
    let lambdas = Buffer::from_slice(device, "lambdas", &vec![7.0_f32; constraints.len()]).unwrap();
    let block = Buffer::from_slice(device, "parameters", &[parameters()]).unwrap();
    let solve = Kernel::new(device, &shaders::PBD_SOLVE).unwrap();
    let bindings = solve
        .bind(&[
            ("Positions", (&positions).into()),
            ("Constraints", (&constraint_buffer).into()),
            ("Lambdas", (&lambdas).into()),
            ("PbdParameters", (&block).into()),
        ])
        .unwrap();
    assert!(batches.iter().all(|batch| batch.len() % 256 != 0));
    // Each batch is compared from the twin's own state, so that differences do not add up over the batches.
    for iteration in 0..2 {
        for batch in &batches {
            let push = SolvePush { first: batch.start, count: batch.len() as u32, iteration };
            Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, [push.count, 1, 1])).unwrap();
            twin.solve(&parameters(), &push);
            assert_same("position", &positions.read().unwrap(), &twin.positions);
            let range = batch.start as usize..batch.end as usize;
            let gpu: Vec<f32> = lambdas.read().unwrap();
            for (index, (gpu, twin)) in gpu[range.clone()].iter().zip(&twin.lambdas[range]).enumerate() {
                assert!((gpu - twin).abs() <= TOLERANCE, "lambda {index} of {batch:?}: {gpu} on the GPU, {twin}");
            }
            positions.write(&twin.positions).unwrap();
            if iteration > 0 {
                lambdas.write(&twin.lambdas).unwrap();
            }
        }
        lambdas.write(&twin.lambdas).unwrap();
    }
}

/// Random hinges in batches: some folded flat onto themselves, some without area, some of which nothing can move.
fn hinges(random: &mut Random, particles: &[Vec4]) -> (Vec<Hinge>, Vec<std::ops::Range<u32>>) {
    let joined = |index: u32| [index, index + 1 + index % 5, index + 7 + index % 3, index + 11];
    let mut hinges: Vec<[u32; 4]> = (0..PARTICLES as u32 - 11).map(joined).collect();
    // All pinned; an edge without length; a corner at an end of the edge.
    hinges.extend([[0, 8, 16, 24], [1, 2, 5, 6], [3, 1, 2, 7]]);
    let (hinges, coloring) = Coloring::greedy(
        hinges.into_iter().map(|particles| model::Hinge { particles, rest_angle: 0.0, area_ratio: 1.0 }).collect(),
    );
    assert!(particles[1].truncate() == particles[2].truncate());
    let hinge = |(index, hinge): (usize, &model::Hinge)| Hinge {
        particles: hinge.particles,
        rest_angle: 3.0 * random.signed(),
        compliance: [0.0, 1e-2, 10.0][index % 3],
    };
    (hinges.iter().enumerate().map(hinge).collect(), coloring.batches().to_vec())
}

#[test]
fn pbd_bend() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(7);
    let mut particles = particles(&mut random);
    // Folded onto each other: what joins 40, 41, 48 and 51 has both corners in one place.
    particles[51] = particles[48].truncate().extend(particles[51].w);
    let (hinges, batches) = hinges(&mut random, &particles);
    let folded = hinges.iter().find(|hinge| hinge.particles == [40, 41, 48, 51]).expect("the hinge");
    let at = |index: u32| particles[index as usize];
    assert!(folded.particles.map(at).iter().any(|particle| particle.w > 0.0));
    let mut twin = pbd::Pbd::new(&particles, &[], &[]).with_hinges(&hinges, &batches);
    let positions = Buffer::from_slice(device, "positions", &particles).unwrap();
    let hinge_buffer = Buffer::from_slice(device, "hinges", &hinges).unwrap();
    let lambdas = Buffer::from_slice(device, "lambdas", &vec![7.0_f32; hinges.len()]).unwrap();
    let block = Buffer::from_slice(device, "parameters", &[parameters()]).unwrap();
    let bend = Kernel::new(device, &shaders::PBD_BEND).unwrap();
    let bindings = bend
        .bind(&[
            ("Positions", (&positions).into()),
            ("Hinges", (&hinge_buffer).into()),
            ("HingeLambdas", (&lambdas).into()),
            ("PbdParameters", (&block).into()),
        ])
        .unwrap();
    assert!(batches.len() < 32 && batches.iter().all(|batch| batch.len() % 256 != 0), "{batches:?}");
    let before = twin.positions.clone();
    // Each batch is compared from the twin's own state, so that differences do not add up over the batches.
    for iteration in 0..2 {
        for batch in &batches {
            let push = SolvePush { first: batch.start, count: batch.len() as u32, iteration };
            Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, [push.count, 1, 1])).unwrap();
            twin.bend(&parameters(), &push);
            assert_same("position", &positions.read().unwrap(), &twin.positions);
            let range = batch.start as usize..batch.end as usize;
            let gpu: Vec<f32> = lambdas.read().unwrap();
            for (index, (gpu, twin)) in gpu[range.clone()].iter().zip(&twin.hinge_lambdas[range]).enumerate() {
                assert!((gpu - twin).abs() <= TOLERANCE, "lambda {index} of {batch:?}: {gpu} on the GPU, {twin}");
            }
            positions.write(&twin.positions).unwrap();
            if iteration > 0 {
                lambdas.write(&twin.hinge_lambdas).unwrap();
            }
        }
        lambdas.write(&twin.hinge_lambdas).unwrap();
    }
    let moved = before.iter().zip(&twin.positions).filter(|(before, now)| before.distance(**now) > 1e-3).count();
    assert!(moved > PARTICLES / 2, "{moved} have moved");
    assert!(twin.positions.iter().all(|position| position.is_finite()));
}

#[test]
fn pbd_jacobi() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(5);
    let particles = particles(&mut random);
    let (constraints, batches) = constraints(&mut random);
    let mut twin = pbd::Pbd::new(&particles, &constraints, &batches);
    // The ends at each particle, found one particle after the other.
    let (mut first_ends, mut ends) = (vec![0], Vec::new());
    for particle in 0..PARTICLES as u32 {
        for (index, constraint) in constraints.iter().enumerate() {
            ends.extend((constraint.index_a == particle).then_some(2 * index as u32));
            ends.extend((constraint.index_b == particle).then_some(2 * index as u32 + 1));
        }
        first_ends.push(ends.len() as u32);
    }
    let positions = Buffer::from_slice(device, "positions", &particles).unwrap();
    let constraint_buffer = Buffer::from_slice(device, "constraints", &constraints).unwrap();
    let lambdas = Buffer::from_slice(device, "lambdas", &vec![7.0_f32; constraints.len()]).unwrap();
    let first_ends = Buffer::from_slice(device, "first ends", &first_ends).unwrap();
    let ends = Buffer::from_slice(device, "ends", &ends).unwrap();
    let corrections = Buffer::zeroed(device, "corrections", 16 * constraints.len() as u64).unwrap();
    let block = Buffer::from_slice(device, "parameters", &[parameters()]).unwrap();
    let solve = Kernel::new(device, &shaders::PBD_JACOBI_SOLVE).unwrap();
    let solve = solve
        .bind(&[
            ("Positions", (&positions).into()),
            ("Constraints", (&constraint_buffer).into()),
            ("Lambdas", (&lambdas).into()),
            ("FirstEnds", (&first_ends).into()),
            ("Corrections", (&corrections).into()),
            ("PbdParameters", (&block).into()),
        ])
        .unwrap();
    let apply = Kernel::new(device, &shaders::PBD_JACOBI_APPLY).unwrap();
    let apply = apply
        .bind(&[
            ("Positions", (&positions).into()),
            ("FirstEnds", (&first_ends).into()),
            ("Ends", (&ends).into()),
            ("Corrections", (&corrections).into()),
            ("PbdParameters", (&block).into()),
        ])
        .unwrap();
    assert!(constraints.len() % 256 != 0);
    for iteration in 0..2 {
        let push = JacobiPush { constraint_count: constraints.len() as u32, iteration };
        Frames::run_once(device, |recorder| {
            recorder.dispatch(&solve, &push, [push.constraint_count, 1, 1])?;
            recorder.dispatch(&apply, &(), [PARTICLES as u32, 1, 1])
        })
        .unwrap();
        twin.jacobi_solve(&parameters(), &push);
        twin.jacobi_apply();
        let wide = |corrections: &[Vec3]| corrections.iter().map(|xyz| xyz.extend(0.0)).collect::<Vec<_>>();
        assert_same("correction", &corrections.read().unwrap(), &wide(&twin.corrections));
        let wide = |lambdas: &[f32]| lambdas.iter().map(|&lambda| Vec4::splat(lambda)).collect::<Vec<_>>();
        assert_same("lambda", &wide(&lambdas.read::<f32>().unwrap()), &wide(&twin.lambdas));
        assert_same("position", &positions.read().unwrap(), &twin.positions);
        positions.write(&twin.positions).unwrap();
        lambdas.write(&twin.lambdas).unwrap();
    }
}

#[test]
fn what_limits_the_stretch() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(11);
    let (previous, mut positions) = (particles(&mut random), particles(&mut random));
    let (constraints, _) = constraints(&mut random);
    let springs: Vec<_> = constraints
        .iter()
        .map(|constraint| Spring {
            particles: constraint.particles(),
            rest_length: constraint.rest_length,
            kind: SpringKind::Structural,
        })
        .collect();
    let (firsts, links) = model::links_at_particles(PARTICLES, &springs);
    let ways = model::HeldWays::new(&positions, &springs);
    let (ranges, long_links) = (ways.ranges.clone(), ways.long_links(2));
    assert!(ranges.iter().zip(0..).any(|(range, index)| range.anchor != index), "nothing hangs on anything");

    let buffer = |name: &str, data: &[Vec4]| Buffer::from_slice(device, name, data).unwrap();
    let (position_buffer, other) = (buffer("positions", &positions), buffer("other", &previous));
    let (previous_buffer, velocities) = (buffer("previous", &previous), buffer("velocities", &previous));
    let block = Buffer::from_slice(device, "parameters", &[parameters()]).unwrap();
    let constraint_buffer = Buffer::from_slice(device, "constraints", &constraints).unwrap();
    let range_buffer = Buffer::from_slice(device, "ranges", &ranges).unwrap();
    let ways = Buffer::from_slice(device, "ways", &[f32::NAN; PARTICLES]).unwrap();
    let rounds = Buffer::from_slice(device, "rounds", &[7_u32, 7]).unwrap();
    let first_links = Buffer::from_slice(device, "first_links", &firsts).unwrap();
    let link_buffer = Buffer::from_slice(device, "links", &links).unwrap();
    let known = [
        ("PreviousPositions", (&previous_buffer).into()),
        ("Ways", (&ways).into()),
        ("PbdParameters", (&block).into()),
    ];
    let bind = |shader, others: &[_]| Kernel::new(device, shader).unwrap().bind(&[&known, others].concat()).unwrap();
    let reach = bind(
        &shaders::LIMIT_LONG_RANGE,
        &[
            ("Positions", (&position_buffer).into()),
            ("LongRanges", (&range_buffer).into()),
            ("Rounds", (&rounds).into()),
        ],
    );
    let shorten = Kernel::new(device, &shaders::LIMIT_STRAIN).unwrap();
    let shorten = shorten
        .bind(&[
            ("Positions", (&position_buffer).into()),
            ("OtherPositions", (&other).into()),
            ("Constraints", (&constraint_buffer).into()),
            ("FirstLinks", (&first_links).into()),
            ("Links", (&link_buffer).into()),
            ("Rounds", (&rounds).into()),
            ("PbdParameters", (&block).into()),
        ])
        .unwrap();
    let slow = bind(
        &shaders::LIMIT_VELOCITY,
        &[("Positions", (&position_buffer).into()), ("Velocities", (&velocities).into())],
    );
    let all = [PARTICLES as u32, 1, 1];
    let wide = |numbers: &[f32]| numbers.iter().map(|&number| Vec4::splat(number)).collect::<Vec<_>>();

    let push = LongRangePush { most: 1.015, round_count: 1 };
    Frames::run_once(device, |recorder| recorder.dispatch(&reach, &push, all)).unwrap();
    let twin_ways = limit::long_range(&parameters(), &push, &ranges, &previous, &mut positions);
    assert_same("place within reach", &position_buffer.read().unwrap(), &positions);
    // The same to the bit from here on, as what one iteration does depends on which links are too long.
    position_buffer.write(&positions).unwrap();
    assert_same("way", &wide(&ways.read::<f32>().unwrap()), &wide(&twin_ways));
    assert_eq!(rounds.read::<u32>().unwrap(), [0, 7], "only the rounds that there are");

    let link_pass = Kernel::new(device, &shaders::LIMIT_LONG_LINK).unwrap();
    let link_pass = link_pass
        .bind(&[
            ("Positions", (&position_buffer).into()),
            ("OtherPositions", (&other).into()),
            ("LongLinks", (&Buffer::from_slice(device, "long_links", &long_links).unwrap()).into()),
            ("Rounds", (&rounds).into()),
            ("PbdParameters", (&block).into()),
        ])
        .unwrap();
    let push = LongLinkPush { most: 1.0, level: 1, round: 0 };
    Frames::run_once(device, |recorder| recorder.dispatch(&link_pass, &push, all)).unwrap();
    let mut twin = previous.clone();
    limit::long_link(&parameters(), &push, &long_links, &positions, &mut twin);
    assert_same("place below", &other.read().unwrap(), &twin);
    assert_ne!(twin, positions, "all are within reach");

    let twin_links = limit::Links { firsts: &firsts, links: &links };
    for (relaxation, looks) in [(1.0, 0), (1.75, 0), (1.75, 1)] {
        // Other numbers than it would find in the twin's buffer, so that what it takes from there shows.
        other.write(&previous).unwrap();
        let push = StrainLimitPush { target: 1.008, most: 1.019, relaxation, round: 0, looks };
        // Of none of them rounding alone says so, as of those that the reach above has left at just 1.015.
        let is_clear = |constraint: &Constraint| {
            let [a, b] = constraint.particles().map(|particle| positions[particle as usize].truncate());
            let target = push.target * parameters().elongation * constraint.rest_length;
            a == b || (a.distance(b) - target).abs() > 1e-6
        };
        assert!(constraints.iter().all(is_clear), "a link is as long as it is to be");
        Frames::run_once(device, |recorder| recorder.dispatch(&shorten, &push, all)).unwrap();
        let mut twin = previous.clone();
        assert!(limit::strain(&parameters(), &push, &constraints, twin_links, &positions, &mut twin));
        assert_same("shortened", &other.read().unwrap(), &twin);
        assert_eq!(rounds.read::<u32>().unwrap()[0], looks, "whoever looks finds work");
    }
    // A round after one that has found nothing does nothing.
    rounds.write(&[0_u32, 0]).unwrap();
    other.write(&previous).unwrap();
    let push = StrainLimitPush { target: 1.0, most: 1.0, relaxation: 1.0, round: 1, looks: 1 };
    Frames::run_once(device, |recorder| recorder.dispatch(&shorten, &push, all)).unwrap();
    let push = LongLinkPush { most: 0.0, level: 0, round: 1 };
    Frames::run_once(device, |recorder| recorder.dispatch(&link_pass, &push, all)).unwrap();
    assert_eq!(other.read::<Vec4>().unwrap(), previous);
    assert_eq!(rounds.read::<u32>().unwrap(), [0, 0]);

    Frames::run_once(device, |recorder| recorder.dispatch(&slow, &(), all)).unwrap();
    let twin = limit::velocity(&parameters(), &previous, &positions, &twin_ways);
    let scale = 1.0 / parameters().substep_dt;
    assert_within(TOLERANCE * scale, "velocity", &velocities.read().unwrap(), &twin);
}

/// Two terrains, one of which turns, under particles that go any way within 2 m, from above, from below and from beside.
#[test]
fn pbd_collide_with_terrain() {
    let (twin, mut random) = ways();
    let grids = [UVec2::new(7, 4), UVec2::new(2, 9)];
    let heights: Vec<f32> =
        (0..grids[0].element_product() + grids[1].element_product()).map(|_| 0.4 * random.signed()).collect();
    let highest = |heights: &[f32]| heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let [first, second] = turning();
    let first =
        Collider { kind: 4, size: Vec4::new(0.75, highest(&heights[..28]), 0.5, 0.0), grid_size: grids[0], ..first };
    let second = Collider {
        kind: 4,
        size: Vec4::new(0.5, highest(&heights[28..]), 0.8, 0.0),
        grid_size: grids[1],
        first_sample: 28,
        ..second
    };
    assert_collides_as_the_twin(ROUNDING, twin, &[first, second], &heights);
}

/// A mesh that is not convex, and a plate thinner than the cells of its grid, likewise.
#[test]
fn pbd_collide_with_meshes() {
    let solids = [Solid::new(solids::bracket(), 9), Solid::new(solids::block(Vec3::new(0.9, 0.02, 0.7)), 8)];
    let [first, second] = turning();
    let first = solids[0].shape(first);
    let second = Collider { first_sample: solids[0].field.distances().len() as u32, ..solids[1].shape(second) };
    // Where a way within a cell meets the surface is searched for to a thousandth of that way.
    let accuracy = 1e-3 * solids[0].field.grid().cell();
    assert_collides_as_the_twin(
        accuracy,
        ways().0,
        &[first, second],
        &solids.map(|solid| solid.field.distances().to_vec()).concat(),
    );
}

/// Small shapes, which most particles go by: a plank that swings round by two thirds of a turn, so that some which hardly
/// move are hit by its end, a rod that does so, and balls.
#[test]
fn pbd_collide_with_convex_shapes() {
    let [first, second] = turning();
    let swinging = Collider { end_rotation: Quat::from_rotation_z(4.2).into(), ..first };
    let plank = Collider { kind: 3, size: Vec4::new(0.9, 0.1, 0.3, 0.0), ..swinging };
    let rod = Collider { kind: 1, size: Vec4::new(0.25, 0.1, 0.8, 0.0), ..swinging };
    let ball = Collider { kind: 0, size: Vec4::splat(0.5), ..second };
    for list in [[plank, ball], [rod, ball]] {
        // A touch is found to within 1e-5 of a shape's size.
        assert_collides_as_the_twin(1e-5 * 0.9, ways().0, &list, &[]);
        let (mut slow, mut random) = ways();
        for (previous, position) in slow.previous_positions.iter_mut().zip(&slow.positions) {
            let way = Vec3::new(random.signed(), random.signed(), random.signed());
            *previous = (position.truncate() + 0.05 * way).extend(position.w);
        }
        assert_collides_as_the_twin(1e-5 * 0.9, slow, &list, &[]);
    }
}

/// Two colliders, of which one turns and the other turns back.
fn turning() -> [Collider; 2] {
    let first = Collider {
        friction: 0.3,
        start_position: Vec4::new(-0.2, 0.1, 0.0, 0.0),
        start_rotation: Quat::from_rotation_x(0.3).into(),
        end_position: Vec4::new(-0.1, 0.2, 0.05, 0.0),
        end_rotation: Quat::from_rotation_z(0.2).into(),
        ..Default::default()
    };
    let second =
        Collider { friction: 0.0, end_position: first.start_position, end_rotation: first.start_rotation, ..first };
    [first, second]
}

/// Particles that have gone any way within 2 m, and what comes after them at random.
fn ways() -> (pbd::Pbd, Random) {
    let mut random = Random(6);
    let mut twin = pbd::Pbd::new(&particles(&mut random), &[], &[]);
    twin.previous_positions = particles(&mut random);
    (twin, random)
}

/// A few roundings of places within 2 m \[m\].
const ROUNDING: f32 = 4e-7;

/// Ways through two colliders, whose touches are found to within `accuracy` \[m\], end where the twin has them end; and, after what
/// limits the stretch, where it has them end without friction.
fn assert_collides_as_the_twin(accuracy: f32, twin: pbd::Pbd, list: &[Collider; 2], samples: &[f32]) {
    let validated = Validated::open();
    let device = &validated.device;
    let positions = Buffer::from_slice(device, "positions", &twin.positions).unwrap();
    let previous = Buffer::from_slice(device, "previous positions", &twin.previous_positions).unwrap();
    let block = Buffer::from_slice(device, "parameters", &[parameters()]).unwrap();
    let rounds = Buffer::from_slice(device, "rounds", &[1_u32, 0]).unwrap();
    let colliders = collider_buffer(device, list, samples);
    let whole = [
        ("Positions", (&positions).into()),
        ("PreviousPositions", (&previous).into()),
        ("PbdParameters", (&block).into()),
        ("Colliders", (&colliders).into()),
    ];
    let bindings = Kernel::new(device, &shaders::PBD_COLLIDE).unwrap().bind(&whole).unwrap();
    let limited = Kernel::new(device, &shaders::LIMIT_COLLIDE).unwrap();
    let limited = limited.bind(&[&whole[..], &[("Rounds", (&rounds).into())]].concat()).unwrap();
    let push = CollidePush { start: 0.25, end: 0.75, collider_count: 2 };
    let all = [PARTICLES as u32, 1, 1];
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, all)).unwrap();
    assert_collided(accuracy, &positions.read().unwrap(), twin.clone(), &Colliders { list, samples }, &push);

    positions.write(&twin.positions).unwrap();
    let CollidePush { start, end, collider_count } = push;
    let in_round = |round| {
        let push = LimitCollidePush { start, end, collider_count, round };
        Frames::run_once(device, |recorder| recorder.dispatch(&limited, &push, all)).unwrap();
        positions.read::<Vec4>().unwrap()
    };
    // The one before it has left nothing.
    assert_eq!(in_round(2), twin.positions);
    let smooth = list.map(|collider| Collider { friction: 0.0, ..collider });
    assert_collided(accuracy, &in_round(1), twin, &Colliders { list: &smooth, samples }, &push);
}

/// Holds places after collision against those of the twin, which has not collided yet.
fn assert_collided(accuracy: f32, found: &[Vec4], mut twin: pbd::Pbd, colliders: &Colliders<'_>, push: &CollidePush) {
    let free = twin.positions.clone();
    twin.collide(colliders, push);
    let touched = free.iter().zip(&twin.positions).filter(|(free, collided)| free != collided).count();
    assert!(touched > 100, "{touched} of the particles touch one of them");
    // A way that just reaches a surface, or just does not, ends in two places that a hair's breadth tells apart. Where
    // the twin itself jumps as either end of the way is moved by that or less, there is no one answer to compare with.
    let jumps = |index: usize| {
        let (previous, position) = (twin.previous_positions[index].truncate(), free[index].truncate());
        let end = |from, to| collide::collide(&colliders.moving(push), from, to);
        let axes = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
        // Where a touch lies between two cells, it is now in the one and now in the other.
        let mut offsets = (1..=8).flat_map(|eighths| axes.map(|axis| accuracy * eighths as f32 / 8.0 * axis));
        offsets.any(|offset| {
            let ends = [end(previous + offset, position), end(previous, position + offset)];
            ends.iter().any(|moved| moved.distance(end(previous, position)) > 25.0 * accuracy)
        })
    };
    let stays: Vec<usize> = (0..PARTICLES).filter(|&index| free[index].w == 0.0 || !jumps(index)).collect();
    // The surface of a mesh has edges wherever it goes from cell to cell.
    assert!(stays.len() > PARTICLES - PARTICLES / 10, "{} particles have one answer", stays.len());
    // Friction adds as much again to where a touch is found, and there are two colliders.
    let tolerance = TOLERANCE.max(4.0 * accuracy);
    let of = |positions: &[Vec4]| stays.iter().map(|&index| positions[index]).collect::<Vec<_>>();
    assert_within(tolerance, "position", &of(found), &of(&twin.positions));
}

#[test]
fn pbd_velocity() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(3);
    let mut twin = pbd::Pbd::new(&particles(&mut random), &[], &[]);
    for (previous, position) in twin.previous_positions.iter_mut().zip(&twin.positions) {
        *previous = (position.truncate() + 0.01 * random.signed()).extend(position.w);
    }
    let positions = Buffer::from_slice(device, "positions", &twin.positions).unwrap();
    let previous = Buffer::from_slice(device, "previous positions", &twin.previous_positions).unwrap();
    let velocities = Buffer::zeroed(device, "velocities", positions.size()).unwrap();
    let block = Buffer::from_slice(device, "parameters", &[parameters()]).unwrap();
    let velocity = Kernel::new(device, &shaders::PBD_VELOCITY).unwrap();
    let bindings = velocity
        .bind(&[
            ("Positions", (&positions).into()),
            ("PreviousPositions", (&previous).into()),
            ("Velocities", (&velocities).into()),
            ("PbdParameters", (&block).into()),
        ])
        .unwrap();
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &(), [PARTICLES as u32, 1, 1])).unwrap();
    twin.update_velocity(&parameters());
    assert_same("velocity", &velocities.read().unwrap(), &twin.velocities);
}

#[test]
fn verlet() {
    let validated = Validated::open();
    let device = &validated.device;
    let (columns, rows) = (37, 21);
    let mut random = Random(4);
    let mut near = |scale: f32| -> Vec<Vec4> {
        (0..columns * rows)
            .map(|index| {
                let (column, row) = (index % columns, index / columns);
                let offset = scale * Vec3::new(random.signed(), random.signed(), random.signed());
                let pinned = if index % 11 == 0 { 1.0 } else { 0.0 };
                (Vec3::new(column as f32, row as f32, 0.0) * 0.5 + offset).extend(pinned)
            })
            .collect()
    };
    let initial = verlet::Verlet { previous: near(0.1), current: near(0.1), forces: near(10.0) };
    let mut twin = initial.clone();
    let parameters = VerletParameters {
        gravity: Vec4::new(0.0, -9.81, 0.0, 0.0),
        wind: Vec4::new(5.0, 0.0, 15.0, 4.0),
        grid_size: IVec2::new(columns, rows),
        rest_length: 0.5,
        mass: 0.75,
        structural_stiffness: 1500.0,
        shear_stiffness: 1000.0,
        flexion_stiffness: 500.0,
        damping: 0.01,
        substep_dt: 0.01,
        flutter_wave_number: 3.0,
        flutter_lift: 2.0,
        padding: 0,
    };
    let image = |name, texels: &[Vec4]| {
        let image = Image::new(device, name, ImageKind::Storage, [columns as u32, rows as u32]).unwrap();
        image.write(texels).unwrap();
        image
    };
    let (previous, current) = (image("previous", &twin.previous), image("current", &twin.current));
    let next = image("next", &twin.current);
    let forces = Buffer::from_slice(device, "forces", &twin.forces).unwrap();
    let block = Buffer::from_slice(device, "parameters", &[parameters]).unwrap();
    let ball = Collider {
        size: Vec4::new(3.0, 0.0, 0.0, 0.0),
        friction: 0.3,
        start_position: Vec4::new(6.0, 4.0, -2.5, 0.0),
        start_rotation: Vec4::W,
        end_position: Vec4::new(6.5, 4.0, -2.0, 0.0),
        end_rotation: Vec4::W,
        ..Default::default()
    };
    let wedge = Collider {
        size: Vec4::new(2.0, 3.0, 1.0, 0.0),
        kind: 3,
        friction: 0.5,
        start_position: Vec4::new(14.0, 5.0, 0.5, 0.0),
        end_position: Vec4::new(14.0, 5.5, 0.5, 0.0),
        end_rotation: Quat::from_rotation_z(0.5).into(),
        ..ball
    };
    let heights: Vec<f32> = (0..9).map(|node| 0.3 * (node % 4) as f32).collect();
    let terrain = Collider {
        size: Vec4::new(2.5, 0.9, 2.5, 0.0),
        kind: 4,
        grid_size: UVec2::splat(3),
        start_position: Vec4::new(3.0, 9.0, -1.0, 0.0),
        end_position: Vec4::new(3.0, 9.0, -0.5, 0.0),
        end_rotation: Quat::from_rotation_x(0.2).into(),
        ..ball
    };
    let moving = [ball, wedge, terrain];
    let colliders = collider_buffer(device, &moving, &heights);
    let phases = [7.0_f32, 1.25, 1.5];
    let flutter_phases = Buffer::from_slice(device, "flutter phases", &phases).unwrap();
    let bindings = Kernel::new(device, &shaders::VERLET_STEP)
        .unwrap()
        .bind(&[
            ("u_PrevPos", (&previous).into()),
            ("u_CurrPos", (&current).into()),
            ("u_NextPos", (&next).into()),
            ("VerletParameters", (&block).into()),
            ("Colliders", (&colliders).into()),
            ("Forces", (&forces).into()),
            ("FlutterPhases", (&flutter_phases).into()),
        ])
        .unwrap();
    let invocations = [columns as u32, rows as u32, 1];
    // The last third of the step, in which the ball moves on and the box turns.
    let push = CollidePush { start: 2.0 / 3.0, end: 1.0, collider_count: 3 };
    let CollidePush { start, end, collider_count } = push;
    let wind_too = VerletPush { start, end, collider_count, substep: 1 };
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &wind_too, invocations)).unwrap();
    twin.step(&parameters, 1.25);
    let free = twin.current.clone();
    twin.collide(&Colliders { list: &moving, samples: &heights }, &push);
    let touched = free.iter().zip(&twin.current).filter(|(free, collided)| free != collided).count();
    assert!(touched > 100, "{touched} of the particles touch a collider");
    assert_same("position", &next.read().unwrap(), &twin.current);

    // The same on buffers, where w is an inverse mass, of a particle that is pinned or of 0.75 kg.
    let weighed = |flagged: &[Vec4]| -> Vec<Vec4> {
        flagged.iter().map(|node| node.with_w((1.0 - node.w) / parameters.mass)).collect()
    };
    let buffer = |name, flagged: &[Vec4]| Buffer::from_slice(device, name, &weighed(flagged)).unwrap();
    let [positions, previous_positions] = [buffer("current", &initial.current), buffer("previous", &initial.previous)];
    let surroundings = [
        ("VerletParameters", (&block).into()),
        ("Colliders", (&colliders).into()),
        ("FlutterPhases", (&flutter_phases).into()),
    ];
    let own = [("Positions", (&positions).into()), ("PreviousPositions", (&previous_positions).into())];
    let kernel = Kernel::new(device, &shaders::VERLET_STEP_BUFFER).unwrap();
    let bindings = kernel.bind(&[&own[..], &surroundings, &[("Forces", (&forces).into())]].concat()).unwrap();
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &wind_too, invocations)).unwrap();
    assert_same("position on buffers", &previous_positions.read().unwrap(), &weighed(&twin.current));
    assert!(positions.read::<Vec4>().unwrap() == weighed(&initial.current));

    // Two substeps at once, which external forces would have to come between.
    let mut twin = verlet::Verlet { forces: vec![Vec4::ZERO; initial.forces.len()], ..initial };
    previous_positions.write(&weighed(&twin.previous)).unwrap();
    let [next, next_previous] =
        ["next", "next previous"].map(|name| Buffer::zeroed(device, name, positions.size()).unwrap());
    let moved = [("NextPositions", (&next).into()), ("NextPreviousPositions", (&next_previous).into())];
    let kernel = Kernel::specialised(device, &shaders::VERLET_TILE, &[96, 6, 10, 3, 1]).unwrap();
    let bindings = kernel.bind(&[&own[..], &moved, &surroundings].concat()).unwrap();
    let mut push = VerletTilePush { collider_count, first_substep: 1, substep_count: 2, ..Default::default() };
    push.shares[..3].copy_from_slice(&[1.0 / 3.0, 2.0 / 3.0, 1.0]);
    let tiles = [columns.unsigned_abs().div_ceil(6) * 96, rows.unsigned_abs().div_ceil(10), 1];
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, tiles)).unwrap();
    for substep in 0..2 {
        twin.step(&parameters, phases[1 + substep]);
        let [start, end] = [push.shares[substep], push.shares[substep + 1]];
        twin.collide(&Colliders { list: &moving, samples: &heights }, &CollidePush { start, end, collider_count });
    }
    assert_same("position two substeps later", &next.read().unwrap(), &weighed(&twin.current));
    assert_same("position before it", &next_previous.read().unwrap(), &weighed(&twin.previous));
}
