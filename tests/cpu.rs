//! The fast solvers on the CPU, in the same bits as their plain twins on any number of threads.

mod common;
#[path = "common/solids.rs"]
mod solids;

use std::ops::Range;

use common::Random;
use glam::{IVec2, Quat, UVec2, Vec3, Vec4};
use solids::Solid;
use tautline::cpu;
use tautline::layout::{
    AirParameters, AttachPush, AttachedParticle, Attachment, CollidePush, Collider, Constraint, Hinge, JacobiPush,
    MassSpringParameters, PbdParameters, SolvePush, VerletParameters,
};
use tautline::model::{self, Blade, Cloth, Coloring, Grid, GridPlane, Spring, SpringKind};
use tautline::reference::attach::move_attached;
use tautline::reference::collide::Colliders;
use tautline::reference::{air, cut, mass_spring, pbd, verlet};

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

/// A turning ball, capsule and box that move, a floor, a terrain and a mesh, whose samples [`samples`] has.
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
        Collider {
            grid_size: UVec2::new(4, 3),
            ..shape(4, Vec4::new(0.7, 0.4, 0.6, 0.0), Vec3::new(0.1, -0.7, 0.1), Vec3::new(0.1, -0.6, 0.1))
        },
        Collider {
            first_sample: HEIGHTS.len() as u32,
            ..Solid::new(solids::bracket(), 9).shape(shape(
                5,
                Vec4::ZERO,
                Vec3::new(-1.2, 0.1, -0.5),
                Vec3::new(-1.1, 0.2, -0.5),
            ))
        },
    ]
}

const HEIGHTS: [f32; 12] = [0.0, 0.1, 0.4, -0.1, 0.2, 0.3, -0.2, 0.1, 0.0, 0.2, 0.1, 0.3];

fn samples() -> Vec<f32> {
    [&HEIGHTS, Solid::new(solids::bracket(), 9).field.distances()].concat()
}

/// The third substep of four.
const PUSH: CollidePush = CollidePush { start: 0.5, end: 0.75, collider_count: 6 };

/// Of the same substep, for four particles in two attachments, of which one lets go at its end and one did before.
const ATTACH_PUSH: AttachPush =
    AttachPush { attached_count: 4, substep: 2, start: 0.5, end: 0.75, substep_dt: 1.0 / 512.0 };

/// The particles 0, 8, 16 and 24, or those with these numbers that there are, in attachments that turn on their way.
fn attachments(particle_count: usize) -> (Vec<AttachedParticle>, Vec<Attachment>) {
    let attached = |number: usize| AttachedParticle {
        place: Vec4::new(0.1, 0.2 * number as f32, -0.3, 2.0),
        index: (8 * number % particle_count) as u32,
        attachment: number as u32 % 3,
        padding: [0; 2],
    };
    let attachment = |release_substep| Attachment {
        start_position: Vec4::new(0.4, -0.2, 0.1, 0.0),
        start_rotation: Quat::from_rotation_y(0.3).into(),
        end_position: Vec4::new(0.5, -0.1, 0.1, 0.0),
        end_rotation: Quat::from_rotation_y(0.5).into(),
        release_substep,
        padding: [0; 3],
    };
    ((0..4).map(attached).collect(), vec![attachment(i32::MAX), attachment(2), attachment(1)])
}

fn air_parameters(particle_count: usize) -> AirParameters {
    AirParameters {
        velocity: Vec4::new(3.0, 0.5, -1.0, 0.0),
        density: 1.2,
        drag: 1.2,
        lift: 0.7,
        substep_dt: 1.0 / 512.0,
        particle_count: particle_count as u32,
        particle_mass: 0.0,
        padding: [0; 2],
    }
}

/// A stroke through the upper half of the middle.
fn blade() -> Blade {
    Blade::stroke(Vec3::new(0.1, -0.2, 0.0), Vec3::new(0.0, 9.0, 0.1), Vec3::new(0.1, 0.0, 1.0)).unwrap()
}

/// Particles in a cube of 2 m, one in eight pinned, two of them in one place; no multiple of what threads take at a
/// time.
fn particles(random: &mut Random, count: usize) -> Vec<Vec4> {
    let mut particles: Vec<Vec4> = (0..count).map(|_| random_vector(random).extend(1.5 + random.signed())).collect();
    particles.iter_mut().step_by(8).for_each(|particle| particle.w = 0.0);
    particles[2] = particles[1].truncate().extend(particles[2].w);
    // What is left alone keeps the sign of its zeros.
    particles[0] = Vec4::new(-0.0, -0.0, -0.0, 0.0);
    particles
}

/// Pairs of particles in batches: most near each other in the list, one in twenty far apart; the first has no length,
/// and pinned particles meet pinned ones.
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

/// Four particles each, near each other in the list, in batches.
fn hinges(random: &mut Random, count: usize) -> (Vec<Hinge>, Vec<Range<u32>>) {
    let joined = |index: u32| [index, index + 1 + index % 5, index + 7 + index % 3, index + 11 + index % 9];
    let hinge = |index| model::Hinge { particles: joined(index), rest_angle: 0.0, area_ratio: 1.0 };
    let (hinges, coloring) = Coloring::greedy((0..count as u32 - 20).map(hinge).collect());
    let hinge = |(index, hinge): (usize, &model::Hinge)| Hinge {
        particles: hinge.particles,
        rest_angle: 3.0 * random.signed(),
        compliance: [0.0, 1e-2, 10.0][index % 3],
    };
    (hinges.iter().enumerate().map(hinge).collect(), coloring.batches().to_vec())
}

/// Each function of the solver, in the order of a step, with the state of each compared after it. Between the first and the
/// second substep it is cut.
#[test]
fn constraints_end_in_the_bits_of_the_twin() {
    const PARTICLES: usize = 20_011;
    let random = &mut Random(3);
    let start = particles(random, PARTICLES);
    let velocities: Vec<Vec4> = start.iter().map(|_| random_vector(random).extend(0.0)).collect();
    let (constraints, batches) = constraints(random, PARTICLES);
    let (hinges, hinge_batches) = hinges(random, PARTICLES);
    let parameters = PbdParameters {
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
    };
    let triangles: Vec<[u32; 3]> =
        (0..PARTICLES as u32 - 40).map(|index| [index, index + 1, index + 2 + index * 7 % 30]).collect();
    let (attached, attachments) = attachments(PARTICLES);
    let (list, constraint_count) = (colliders(), constraints.len() as u32);
    let samples = samples();
    let colliders = Colliders { list: &list, samples: &samples };
    on_threads(|threads| {
        let mut twin = pbd::Pbd::new(&start, &constraints, &batches).with_hinges(&hinges, &hinge_batches);
        let mut fast = cpu::Pbd::new(&start, &constraints, &batches).with_hinges(&hinges, &hinge_batches);
        let mut fast_air = cpu::Air::new(PARTICLES, &triangles);
        let mut triangles = triangles.clone();
        twin.velocities.clone_from(&velocities);
        fast.velocities.clone_from(&velocities);
        for (substep, flutter_phase) in [0.0, 1.25, 2.5].into_iter().enumerate() {
            let same = |what: &str, fast: &cpu::Pbd, twin: &pbd::Pbd| {
                let what = |of: &str| format!("{of} after {what} of substep {substep} on {threads} threads");
                assert_same_bits(&what("position"), &fast.positions, &twin.positions);
                assert_same_bits(&what("velocity"), &fast.velocities, &twin.velocities);
                let lambdas = [(fast.lambdas(), &twin.lambdas), (fast.hinge_lambdas().to_vec(), &twin.hinge_lambdas)];
                for (fast, twin) in lambdas {
                    assert!(
                        bytemuck::cast_slice::<f32, u32>(&fast) == bytemuck::cast_slice::<f32, u32>(twin),
                        "{}",
                        what("lambda")
                    );
                }
            };
            if substep == 1 {
                twin.cut(&blade().push(constraint_count));
                fast.cut(&blade());
                let cut = |now: &Constraint| now.index_a == now.index_b;
                let cuts = twin.constraints().iter().filter(|now| cut(now)).count();
                assert!((100..constraints.len() / 2).contains(&cuts), "{cuts} cuts");
                assert_eq!(fast.constraints(), twin.constraints());
                twin.cut_hinges(&blade().push(hinges.len() as u32));
                fast.cut_hinges(&blade());
                assert_eq!(fast.hinges(), twin.hinges());
                let cuts = twin.hinges().iter().filter(|now| now.particles[0] == now.particles[1]).count();
                assert!((100..hinges.len()).contains(&cuts), "{cuts} cuts of hinges");
                let push = blade().push(triangles.len() as u32);
                cut::triangles(&push, &twin.positions, &mut triangles);
            }
            let parameters_of_air = air_parameters(PARTICLES);
            twin.forces = air::forces(&parameters_of_air, &triangles, &twin.positions, &twin.velocities);
            fast.blow(&mut fast_air, &parameters_of_air, &triangles);
            assert_same_bits(&format!("force in substep {substep} on {threads} threads"), &fast.forces, &twin.forces);
            twin.predict(&parameters, flutter_phase);
            fast.predict(&parameters, flutter_phase);
            same("predict", &fast, &twin);
            move_attached(&attached, &attachments, &ATTACH_PUSH, &mut twin.positions, &mut twin.velocities);
            fast.attach(&attached, &attachments, &ATTACH_PUSH);
            same("attach", &fast, &twin);
            for iteration in 0..2 {
                for Range { start, end } in &batches {
                    twin.solve(&parameters, &SolvePush { first: *start, count: end - start, iteration });
                }
                fast.solve(&parameters, iteration);
                same("solve", &fast, &twin);
            }
            for iteration in 0..2 {
                for (number, Range { start, end }) in hinge_batches.iter().enumerate() {
                    twin.bend(&parameters, &SolvePush { first: *start, count: end - start, iteration });
                    fast.bend(&parameters, number, iteration);
                }
                same("bend", &fast, &twin);
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

/// Cloths of [`GRIDS`] and larger ones: as they are, whose particles lie side by side; as they are with pairs far apart in
/// batches after theirs; and with their particles and springs shuffled as a mesh has them. They are swept over, cut, and
/// swept over again.
#[test]
fn sweeps_over_grids_and_meshes_end_in_the_bits_of_the_twin() {
    let random = &mut Random(6);
    for (case, [columns, rows]) in GRIDS.into_iter().chain([[103, 101], [160, 97]]).enumerate() {
        let grid = Grid { columns: columns as u32, rows: rows as u32, spacing: 0.02 };
        let mut cloth = Cloth::from_grid(grid, GridPlane::Vertical, 0.5, case % 2 == 0);
        let count = cloth.positions.len();
        cloth.positions.iter_mut().for_each(|position| *position += 0.004 * random_vector(random).extend(0.0));
        cloth.positions.iter_mut().step_by(31).for_each(|position| position.w = 0.0);
        let constraint = |spring: &Spring, index: usize| Constraint {
            index_a: spring.particles[0],
            index_b: spring.particles[1],
            rest_length: spring.rest_length,
            // In part of the cloth the springs differ from their neighbours.
            compliance: if index % 1000 < 900 { 0.0 } else { 1e-6 * (index % 7) as f32 },
        };
        let constraints = |springs: &[Spring]| -> Vec<Constraint> {
            springs.iter().enumerate().map(|(index, spring)| constraint(spring, index)).collect()
        };
        let regular = (constraints(&cloth.springs), cloth.coloring.batches().to_vec());
        let mut mixed = regular.clone();
        for far in (1..4).map(|batch| batch * count / 8) {
            let first = mixed.0.len() as u32;
            let ends = (0..far).step_by(5).map(|index| (index as u32, (count - 1 - index) as u32));
            mixed.0.extend(ends.map(|(index_a, index_b)| Constraint { index_a, index_b, ..regular.0[0] }));
            mixed.1.push(first..mixed.0.len() as u32);
        }
        // A particle has a new number among its neighbours in the list, and so have the springs.
        let mut numbers: Vec<u32> = (0..count as u32).collect();
        let shuffled = |random: &mut Random, length: usize| {
            let pick = (1.0 + random.signed()) / 2.0 * length as f32;
            (pick as usize).min(length - 1)
        };
        for chunk in numbers.chunks_mut(50) {
            (1..chunk.len()).for_each(|index| chunk.swap(index, shuffled(random, index + 1)));
        }
        let mut springs = cloth.springs.clone();
        springs.iter_mut().for_each(|spring| spring.particles = spring.particles.map(|end| numbers[end as usize]));
        (1..springs.len()).for_each(|index| springs.swap(index, shuffled(random, index + 1)));
        let (springs, coloring) = Coloring::greedy(springs);
        let shuffled = (constraints(&springs), coloring.batches().to_vec());
        let parameters = PbdParameters {
            substep_dt: 1.0 / 64.0,
            elongation: 1.05,
            particle_count: count as u32,
            ..Default::default()
        };
        // Through the columns in the middle, somewhat askew.
        let blade = Blade::stroke(Vec3::new(0.003, -9.0, 0.1), Vec3::new(-0.01, 9.0, 0.1), Vec3::Z).unwrap();
        for (kind, (constraints, batches)) in [("regular", regular), ("mixed", mixed), ("shuffled", shuffled)] {
            on_threads(|threads| {
                let mut twin = pbd::Pbd::new(&cloth.positions, &constraints, &batches);
                let mut fast = cpu::Pbd::new(&cloth.positions, &constraints, &batches);
                for sweep in 0..4 {
                    let what = |of: &str| format!("{of} of {kind} {grid:?} after sweep {sweep} on {threads} threads");
                    if sweep == 2 {
                        twin.cut(&blade.push(constraints.len() as u32));
                        fast.cut(&blade);
                        assert_eq!(fast.constraints(), twin.constraints());
                    }
                    for Range { start, end } in &batches {
                        twin.solve(&parameters, &SolvePush { first: *start, count: end - start, iteration: sweep });
                    }
                    fast.solve(&parameters, sweep);
                    assert_same_bits(&what("position"), &fast.positions, &twin.positions);
                    let bits = |lambdas: &[f32]| lambdas.iter().map(|lambda| lambda.to_bits()).collect::<Vec<_>>();
                    assert!(bits(&fast.lambdas()) == bits(&twin.lambdas), "{}", what("lambda"));
                }
                let cuts = twin.constraints().iter().filter(|now| now.index_a == now.index_b).count();
                assert!(count < 1000 || cuts > 20, "{cuts} cuts of {kind} {grid:?}");
            });
        }
    }
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

/// Two triangles a cell.
fn grid_triangles([columns, rows]: [i32; 2]) -> Vec<[u32; 3]> {
    let cells = (1..rows).flat_map(|row| (1..columns).map(move |column| (row * columns + column) as u32));
    let columns = columns as u32;
    cells.flat_map(|d| [[d - columns - 1, d - columns, d], [d, d - 1, d - columns - 1]]).collect()
}

#[test]
fn verlet_ends_in_the_bits_of_the_twin() {
    let (random, list) = (&mut Random(4), colliders());
    let samples = samples();
    let colliders = Colliders { list: &list, samples: &samples };
    for (size, flutter) in GRIDS.into_iter().zip([0.0, 0.0, 4.0, 4.0, 4.0, 4.0, 0.0, 4.0]) {
        let current: Vec<Vec4> =
            grid(random, size).iter().enumerate().map(|(i, at)| at.extend(f32::from(i % 9 == 0))).collect();
        let previous: Vec<Vec4> = current.iter().map(|at| *at - 0.01 * random_vector(random).extend(0.0)).collect();
        let parameters = VerletParameters {
            gravity: Vec4::new(0.0, -9.81, 0.0, 0.0),
            wind: Vec4::new(5.0, 0.0, 15.0, 1.0) * flutter,
            grid_size: IVec2::from_array(size),
            rest_length: 1.6 / size[0].max(size[1]) as f32,
            mass: 0.01,
            structural_stiffness: 150.0,
            shear_stiffness: 100.0,
            flexion_stiffness: 50.0,
            damping: 0.01,
            substep_dt: 1.0 / 512.0,
            flutter_wave_number: 3.0,
            flutter_lift: 2.0,
            padding: 0,
        };
        let (triangles, parameters_of_air) = (grid_triangles(size), air_parameters(current.len()));
        let (attached, attachments) = attachments(current.len());
        on_threads(|threads| {
            let mut twin = verlet::Verlet { previous: previous.clone(), ..verlet::Verlet::new(&current) };
            let mut fast = cpu::Verlet::new(&previous, &current);
            let mut fast_air = cpu::Air::new(current.len(), &triangles);
            for step in 0..4 {
                let what = |of: &str| format!("{of} of {size:?}, step {step} on {threads} threads");
                let way = twin.current.iter().zip(&twin.previous).map(|(now, before)| (*now - *before).with_w(0.0));
                let velocities: Vec<Vec4> = way.map(|way| way / parameters_of_air.substep_dt).collect();
                twin.forces = air::forces(&parameters_of_air, &triangles, &twin.current, &velocities);
                fast.blow(&mut fast_air, &parameters_of_air, &triangles);
                assert_same_bits(&what("force"), fast.forces_mut(), &twin.forces);
                twin.step(&parameters, step as f32);
                fast.step(&parameters, step as f32);
                assert_same_bits(&what("step"), fast.current(), &twin.current);
                twin.collide(&colliders, &PUSH);
                fast.collide(&colliders, &PUSH);
                assert_same_bits(&what("collide"), fast.current(), &twin.current);
                let (mut moved, mut velocities) = (twin.current.clone(), velocities);
                move_attached(&attached, &attachments, &ATTACH_PUSH, &mut moved, &mut velocities);
                for particle in attached.iter().filter(|particle| particle.attachment < 2) {
                    let index = particle.index as usize;
                    let flag = if moved[index].w == 0.0 { 1.0 } else { 0.0 };
                    twin.current[index] = moved[index].with_w(flag);
                }
                fast.attach(&attached, &attachments, &ATTACH_PUSH);
                assert_same_bits(&what("attach"), fast.current(), &twin.current);
                assert_same_bits(&what("before"), fast.previous(), &twin.previous);
            }
        });
    }
}

#[test]
fn mass_spring_ends_in_the_bits_of_the_twin() {
    let (random, list) = (&mut Random(5), colliders());
    let samples = samples();
    let colliders = Colliders { list: &list, samples: &samples };
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
            has_forces: 1,
            padding: 0,
        };
        let (triangles, parameters_of_air) = (grid_triangles(size), air_parameters(start.len()));
        let (attached, attachments) = attachments(start.len());
        on_threads(|threads| {
            let mut twin = mass_spring::MassSpring::new(&start);
            let mut fast = cpu::MassSpring::new(&start);
            let mut fast_air = cpu::Air::new(start.len(), &triangles);
            twin.velocities.clone_from(&velocities);
            fast.velocities_mut().copy_from_slice(&velocities);
            for substep in 0..4 {
                twin.forces = air::forces(&parameters_of_air, &triangles, &twin.positions, &twin.velocities);
                fast.blow(&mut fast_air, &parameters_of_air, &triangles);
                twin.substep(&parameters, &colliders, &PUSH);
                fast.substep(&parameters, &colliders, &PUSH);
                let what = |of: &str| format!("{of} of {size:?}, substep {substep} on {threads} threads");
                assert_same_bits(&what("force"), fast.forces_mut(), &twin.forces);
                assert_same_bits(&what("position"), fast.positions(), &twin.positions);
                assert_same_bits(&what("velocity"), fast.velocities(), &twin.velocities);
                move_attached(&attached, &attachments, &ATTACH_PUSH, &mut twin.positions, &mut twin.velocities);
                fast.attach(&attached, &attachments, &ATTACH_PUSH);
                assert_same_bits(&what("attached"), fast.positions(), &twin.positions);
            }
        });
    }
}

#[test]
#[should_panic(expected = "the batches are not all constraints, one after the other")]
fn batches_with_a_gap_are_refused() {
    let constraints = [Constraint { index_b: 1, ..Default::default() }; 3];
    let _ = cpu::Pbd::new(&[Vec4::ZERO; 2], &constraints, &[0..1, 2..3]);
}
