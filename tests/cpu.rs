//! The fast solvers on the CPU, in the same bits as their plain twins on any number of threads.

mod common;

use std::ops::Range;

use common::Random;
use glam::{IVec2, Quat, Vec3, Vec4};
use tautline::cpu;
use tautline::layout::{
    CollidePush, Collider, Constraint, JacobiPush, MassSpringParameters, PbdParameters, PredictPush, SolvePush,
    VerletParameters,
};
use tautline::model::{Coloring, Spring, SpringKind};
use tautline::reference::{mass_spring, pbd, verlet};

/// Runs `work` in pools of one, two and five threads.
fn on_threads(mut work: impl FnMut(usize) + Send) {
    for threads in [1, 2, 5] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| work(threads));
    }
}

#[track_caller]
fn assert_same_bits(what: &str, fast: &[Vec4], twin: &[Vec4]) {
    let bits = |vector: &Vec4| vector.to_array().map(f32::to_bits);
    let first = fast.iter().zip(twin).position(|(fast, twin)| bits(fast) != bits(twin));
    assert_eq!(fast.len(), twin.len(), "{what}");
    assert!(first.is_none(), "{what}: {first:?} differs: {} and {}", fast[first.unwrap()], twin[first.unwrap()]);
}

fn random_vector(random: &mut Random) -> Vec3 {
    Vec3::new(random.signed(), random.signed(), random.signed())
}

/// A turning ball, capsule and box that move, and a floor.
fn colliders() -> Vec<Collider> {
    let shape = |kind, size: Vec4, from: Vec3, to: Vec3| Collider {
        size,
        kind,
        friction: 0.3,
        start_position: from.extend(0.0),
        start_rotation: Quat::from_rotation_z(0.2).into(),
        end_position: to.extend(0.0),
        end_rotation: Quat::from_rotation_z(0.5).into(),
        ..Default::default()
    };
    vec![
        shape(0, Vec4::new(0.4, 0.0, 0.0, 0.0), Vec3::ZERO, Vec3::new(0.1, 0.0, 0.0)),
        shape(1, Vec4::new(0.2, 0.1, 0.3, 0.0), Vec3::new(0.6, 0.0, 0.0), Vec3::new(0.6, 0.1, 0.0)),
        shape(2, Vec4::ZERO, Vec3::new(0.0, -0.9, 0.0), Vec3::new(0.0, -0.8, 0.0)),
        shape(3, Vec4::new(0.2, 0.3, 0.1, 0.0), Vec3::new(-0.6, 0.0, 0.3), Vec3::new(-0.6, 0.0, 0.2)),
    ]
}

/// The third substep of four.
const PUSH: CollidePush = CollidePush { start: 0.5, end: 0.75, collider_count: 4 };

/// Particles in a cube of 2 m, one in eight pinned, two of them in one place; no multiple of what threads take at a time.
fn particles(random: &mut Random, count: usize) -> Vec<Vec4> {
    let mut particles: Vec<Vec4> = (0..count).map(|_| random_vector(random).extend(1.5 + random.signed())).collect();
    particles.iter_mut().step_by(8).for_each(|particle| particle.w = 0.0);
    particles[2] = particles[1].truncate().extend(particles[2].w);
    // What is left alone keeps the sign of its zeros.
    particles[0] = Vec4::new(-0.0, -0.0, -0.0, 0.0);
    particles
}

/// Pairs of particles in batches: most near each other in the list, one in twenty far apart; the first has no length, and
/// pinned particles meet pinned ones.
fn constraints(random: &mut Random, count: usize) -> (Vec<Constraint>, Vec<Range<u32>>) {
    let spring = |a: usize, b: usize, random: &mut Random| Spring {
        particles: [a as u32, b as u32],
        rest_length: 0.5 + 0.4 * random.signed(),
        kind: SpringKind::Structural,
    };
    let mut springs = vec![spring(1, 2, random), spring(0, 8, random), spring(16, 0, random)];
    springs.extend((0..2 * count).map(|index| {
        let reach = if index % 20 == 0 { count - 1 } else { 40 };
        let way = 1 + ((1.0 + random.signed()) / 2.0 * (reach - 1) as f32) as usize;
        let (a, b) = (index % count, (index + way) % count);
        if index % 3 == 0 { spring(b, a, random) } else { spring(a, b, random) }
    }));
    let (springs, coloring) = Coloring::greedy(springs);
    let constraint = |(index, spring): (usize, &Spring)| Constraint {
        index_a: spring.particles[0],
        index_b: spring.particles[1],
        rest_length: spring.rest_length,
        compliance: if index % 3 == 0 { 0.0 } else { 1e-4 },
    };
    (springs.iter().enumerate().map(constraint).collect(), coloring.batches().to_vec())
}

/// Each function of the solver, in the order of a step, with the state of each compared after it.
#[test]
fn constraints_end_in_the_bits_of_the_twin() {
    const PARTICLES: usize = 20_011;
    let random = &mut Random(3);
    let start = particles(random, PARTICLES);
    let velocities: Vec<Vec4> = start.iter().map(|_| random_vector(random).extend(0.0)).collect();
    let (constraints, batches) = constraints(random, PARTICLES);
    let parameters = PbdParameters {
        gravity: Vec4::new(0.0, -9.81, 0.0, 0.0),
        wind: Vec4::new(5.0, 0.0, 15.0, 4.0),
        flutter_wave_number: 3.0,
        flutter_lift: 2.0,
        substep_dt: 1.0 / 64.0,
        damping: 0.5,
        particle_count: PARTICLES as u32,
        elongation: 1.125,
        padding: [0; 2],
    };
    let (colliders, constraint_count) = (colliders(), constraints.len() as u32);
    on_threads(|threads| {
        let mut twin = pbd::Pbd::new(&start, &constraints, &batches);
        let mut fast = cpu::Pbd::new(&start, &constraints, &batches);
        twin.velocities.clone_from(&velocities);
        fast.velocities.clone_from(&velocities);
        for (substep, flutter_phase) in [0.0, 1.25, 2.5].into_iter().enumerate() {
            let same = |what: &str, fast: &cpu::Pbd, twin: &pbd::Pbd| {
                let what = |of: &str| format!("{of} after {what} of substep {substep} on {threads} threads");
                assert_same_bits(&what("position"), &fast.positions, &twin.positions);
                assert_same_bits(&what("velocity"), &fast.velocities, &twin.velocities);
                let (fast, twin) = (fast.lambdas(), &twin.lambdas);
                assert!(bytemuck::cast_slice::<f32, u32>(&fast) == bytemuck::cast_slice(twin), "{}", what("lambda"));
            };
            let push = PredictPush { flutter_phase };
            twin.predict(&parameters, &push);
            fast.predict(&parameters, &push);
            same("predict", &fast, &twin);
            for iteration in 0..2 {
                for (number, Range { start, end }) in batches.iter().enumerate() {
                    twin.solve(&parameters, &SolvePush { first: *start, count: end - start, iteration });
                    fast.solve(&parameters, number, iteration);
                }
                same("solve", &fast, &twin);
            }
            for iteration in 0..2 {
                let push = JacobiPush { constraint_count, iteration };
                twin.jacobi_solve(&parameters, &push);
                fast.jacobi_solve(&parameters, iteration);
                twin.jacobi_apply();
                fast.jacobi_apply();
                same("jacobi", &fast, &twin);
            }
            twin.collide(&colliders, &PUSH);
            fast.collide(&colliders, &PUSH);
            same("collide", &fast, &twin);
            twin.update_velocity(&parameters);
            fast.update_velocity(&parameters);
            same("velocity", &fast, &twin);
        }
    });
}

/// Grids that are shorter than the springs reach, and that are no multiple of four wide.
const GRIDS: [[i32; 2]; 8] = [[1, 1], [1, 9], [9, 1], [3, 5], [8, 7], [37, 61], [701, 9], [5, 1001]];

/// A crumpled grid of 1.6 m, row by row.
fn grid(random: &mut Random, [columns, rows]: [i32; 2]) -> Vec<Vec3> {
    let cell = 1.6 / columns.max(rows) as f32;
    let at = |index: i32| Vec3::new((index % columns) as f32 * cell - 0.8, 0.0, (index / columns) as f32 * cell - 0.8);
    let mut grid: Vec<Vec3> = (0..columns * rows).map(|index| at(index) + 0.4 * cell * random_vector(random)).collect();
    if grid.len() > 20 {
        grid[20] = grid[19];
    }
    grid
}

#[test]
fn verlet_ends_in_the_bits_of_the_twin() {
    let (random, colliders) = (&mut Random(4), colliders());
    for size in GRIDS {
        let current: Vec<Vec4> =
            grid(random, size).iter().enumerate().map(|(i, at)| at.extend(f32::from(i % 9 == 0))).collect();
        let previous: Vec<Vec4> = current.iter().map(|at| *at - 0.01 * random_vector(random).extend(0.0)).collect();
        let parameters = VerletParameters {
            gravity: Vec4::new(0.0, -9.81, 0.0, 0.0),
            grid_size: IVec2::from_array(size),
            rest_length: 1.6 / size[0].max(size[1]) as f32,
            mass: 0.01,
            structural_stiffness: 150.0,
            shear_stiffness: 100.0,
            flexion_stiffness: 50.0,
            damping: 0.01,
            substep_dt: 1.0 / 512.0,
            padding: [0; 3],
        };
        on_threads(|threads| {
            let mut twin = verlet::Verlet { previous: previous.clone(), current: current.clone() };
            let mut fast = cpu::Verlet::new(&previous, &current);
            for step in 0..4 {
                twin.step(&parameters);
                fast.step(&parameters);
                assert_same_bits(&format!("{size:?}, step {step} on {threads}"), fast.current(), &twin.current);
                twin.collide(&colliders, &PUSH);
                fast.collide(&colliders, &PUSH);
                assert_same_bits(&format!("{size:?}, collide {step} on {threads}"), fast.current(), &twin.current);
                assert_same_bits(&format!("{size:?}, before {step} on {threads}"), fast.previous(), &twin.previous);
            }
        });
    }
}

#[test]
fn mass_spring_ends_in_the_bits_of_the_twin() {
    let (random, colliders) = (&mut Random(5), colliders());
    for size in GRIDS {
        let inverse_mass = |index: usize| if index.is_multiple_of(9) { 0.0 } else { 100.0 };
        let start: Vec<Vec4> =
            grid(random, size).iter().enumerate().map(|(index, at)| at.extend(inverse_mass(index))).collect();
        let velocities: Vec<Vec4> = start.iter().map(|_| random_vector(random).extend(0.0)).collect();
        let parameters = MassSpringParameters {
            acceleration: Vec4::new(0.5, -9.81, 0.0, 0.0),
            grid_size: IVec2::from_array(size),
            rest_length: 1.6 / size[0].max(size[1]) as f32,
            stiffness: 150.0,
            damping: 0.05,
            substep_dt: 1.0 / 512.0,
            padding: [0; 2],
        };
        on_threads(|threads| {
            let mut twin = mass_spring::MassSpring::new(&start);
            let mut fast = cpu::MassSpring::new(&start);
            twin.velocities.clone_from(&velocities);
            fast.velocities_mut().copy_from_slice(&velocities);
            for substep in 0..4 {
                twin.substep(&parameters, &colliders, &PUSH);
                fast.substep(&parameters, &colliders, &PUSH);
                let what = |of: &str| format!("{of} of {size:?}, substep {substep} on {threads} threads");
                assert_same_bits(&what("position"), fast.positions(), &twin.positions);
                assert_same_bits(&what("velocity"), fast.velocities(), &twin.velocities);
            }
        });
    }
}
