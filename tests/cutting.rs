//! Cuts: what a blade goes through is removed on the device, and the pieces part.

mod common;

use std::collections::HashSet;

use common::{Random, Validated};
use glam::{Vec3, Vec4};
use tautline::engine::{Buffer, Device, Frames, Kernel};
use tautline::layout::{Constraint, CutPush, Hinge};
use tautline::model::{Blade, Cloth, Coloring, Cut, Grid, GridPlane, Spring, SpringKind, triangles_around};
use tautline::reference::cut;
use tautline::shaders;
use tautline::solver::{
    ConstraintSolver, CpuSimulation, Pbd, PbdSettings, Simulation, Solver, Step, Surroundings, Triangles,
};

const GRID: Grid = Grid { columns: 9, rows: 8, spacing: 0.125 };
const GRAVITY: Vec3 = Vec3::new(0.0, -10.0, 0.0);
const STEP: Step = Step { dt: 1.0 / 64.0, substeps: 8, iterations: 1, gravity: GRAVITY };

fn hung() -> Cloth {
    let mut cloth = Cloth::from_grid(GRID, GridPlane::Vertical, 1.0, true);
    cloth.pin(GRID.row(0));
    cloth
}

/// Through the middle between rows 3 and 4, from `left` to `right`.
fn across(left: f32, right: f32) -> Blade {
    let at = |x: f32| Vec3::new(x, -3.5 * 0.125, 0.0);
    Blade::stroke(at(left), at(right), Vec3::Z).unwrap()
}

fn solver(device: &Device, cloth: &Cloth, triangles: &Triangles, cuts: &[Cut], settings: PbdSettings) -> Pbd {
    let surroundings = Surroundings { cuts, triangles: Some(triangles), ..Default::default() };
    Pbd::new(device, cloth, STEP, settings, &surroundings).unwrap()
}

/// Runs the step with this number.
fn step(device: &Device, solver: &mut Pbd, number: u32) -> Vec<Vec4> {
    let time = f64::from(number) / 64.0;
    Frames::run_once(device, |recorder| solver.record(recorder, time)).unwrap();
    solver.positions().unwrap()
}

/// The particles that hang together with particle 0 by constraints that are not cut.
fn upper_piece(cloth: &Cloth, intact: &[bool]) -> HashSet<u32> {
    let mut piece = HashSet::from([0]);
    let springs: Vec<[u32; 2]> =
        cloth.springs.iter().zip(intact).filter_map(|(spring, intact)| intact.then_some(spring.particles)).collect();
    loop {
        let before = piece.len();
        for [a, b] in &springs {
            if piece.contains(a) || piece.contains(b) {
                piece.extend([a, b]);
            }
        }
        if piece.len() == before {
            return piece;
        }
    }
}

/// A sheet that has not moved yet is cut through: the lower piece falls as one that hangs by nothing does, unstrained.
#[test]
fn a_piece_that_is_cut_off_falls_freely() {
    let validated = Validated::open();
    let device = &validated.device;
    for constraint_solver in [ConstraintSolver::GaussSeidel, ConstraintSolver::Jacobi] {
        let cloth = hung();
        let triangles = Triangles::new(device, &cloth).unwrap();
        let settings = PbdSettings { constraint_solver, ..Default::default() };
        let cuts = [Cut { time: 0.0, blade: across(-9.0, 9.0) }];
        let mut solver = solver(device, &cloth, &triangles, &cuts, settings);
        for number in 0..16 {
            let positions = step(device, &mut solver, number);
            let substeps = 8.0 * (number as f32 + 1.0);
            let fall = GRAVITY * (1.0 / 512.0_f32).powi(2) * substeps * (substeps + 1.0) / 2.0;
            for index in GRID.index(0, 4)..72 {
                let [now, start] = [positions[index as usize], cloth.positions[index as usize]];
                // Each of 128 substeps rounds a position of 1.4 m by 6e-8 m, and the velocity with it: at worst by their
                // sum of 128²/2 times, on average by less than a hundredth of that.
                assert!(now.truncate().distance(start.truncate() + fall) < 2e-5, "particle {index}, step {number}");
            }
            assert!(positions[GRID.index(4, 3) as usize].y > -0.45, "the upper piece stays");
        }
        let piece = upper_piece(&cloth, &solver.intact().unwrap().expect("something is cut"));
        assert_eq!(piece, (0..GRID.index(0, 4)).collect());
        // Two triangles a cell of the row of cells that the blade went through.
        let left: Vec<u32> = triangles.corners.read().unwrap();
        let removed = left.chunks(3).filter(|corners| corners[0] == corners[1] && corners[1] == corners[2]).count();
        assert_eq!(removed, 16);
    }
}

/// A sheet in motion is cut while it runs: the centre of its lower piece accelerates with gravity and nothing else.
#[test]
fn the_centre_of_a_piece_follows_gravity_alone() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut cloth = hung();
    // Crooked, so that it swings.
    let mut random = Random(5);
    for position in &mut cloth.positions[9..] {
        *position += 0.01 * Vec4::new(random.signed(), random.signed(), random.signed(), 0.0);
    }
    let triangles = Triangles::new(device, &cloth).unwrap();
    let mut solver = solver(device, &cloth, &triangles, &[], PbdSettings::default());
    (0..10).for_each(|number| drop(step(device, &mut solver, number)));
    assert_eq!(solver.intact().unwrap(), None);
    // By hand, as a tool does.
    assert!(solver.cut(Blade::plane(Vec3::new(0.0, -3.5 * 0.125, 0.0), Vec3::Y).unwrap()).unwrap());
    let states: Vec<Vec<Vec4>> = (10..20).map(|number| step(device, &mut solver, number)).collect();
    let upper = upper_piece(&cloth, &solver.intact().unwrap().expect("something is cut"));
    let lower: Vec<u32> = (0..72).filter(|index| !upper.contains(index)).collect();
    assert!((30..60).contains(&lower.len()), "{} particles are cut off", lower.len());
    let centres: Vec<Vec3> = states
        .iter()
        .map(|state| lower.iter().map(|&index| state[index as usize].truncate()).sum::<Vec3>() / lower.len() as f32)
        .collect();
    for centres in centres.windows(3) {
        let acceleration = (centres[2] - 2.0 * centres[1] + centres[0]) * 64.0 * 64.0;
        // A mean of particles at 1 m is rounded to some 1e-7 m, and divided by (1/64 s)², four times.
        assert!(acceleration.distance(GRAVITY) < 5e-3, "{acceleration} m/s²");
    }
}

#[test]
fn a_stroke_cuts_no_farther_than_it_reaches_and_a_reset_mends_it() {
    let validated = Validated::open();
    let device = &validated.device;
    let cloth = hung();
    let triangles = Triangles::new(device, &cloth).unwrap();
    // From outside to the middle of the fourth cell of eight.
    let cuts = [Cut { time: 0.1, blade: across(-9.0, -0.5 * 0.125) }];
    let mut solver = solver(device, &cloth, &triangles, &cuts, PbdSettings::default());
    let whole: Vec<u32> = triangles.corners.read().unwrap();
    let run = |solver: &mut Pbd| -> Vec<Vec4> {
        // The time lies in step 6, from 0.09375 s on.
        for number in 0..6 {
            step(device, solver, number);
            assert_eq!(solver.intact().unwrap(), None, "step {number}");
        }
        step(device, solver, 6);
        let intact = solver.intact().unwrap().expect("something is cut");
        assert_eq!(upper_piece(&cloth, &intact).len(), 72, "it hangs together on the right");
        for (spring, intact) in cloth.springs.iter().zip(intact) {
            let [a, b] = spring.particles.map(|index| (index % 9, index / 9));
            let crosses = (a.1 < 4) != (b.1 < 4);
            // Of columns 0 to 3 all, of columns beyond the middle none; diagonals and long ones at the end may be either.
            if crosses && a.0.max(b.0) <= 3 {
                assert!(!intact, "{spring:?}");
            } else if !crosses || a.0.min(b.0) >= 4 {
                assert!(intact, "{spring:?}");
            }
        }
        let left: Vec<u32> = triangles.corners.read().unwrap();
        assert!(left.chunks(3).zip(whole.chunks(3)).any(|(left, whole)| left != whole));
        (7..20).for_each(|number| drop(step(device, solver, number)));
        solver.positions().unwrap()
    };
    let first = run(&mut solver);
    solver.reset().unwrap();
    assert_eq!(triangles.corners.read::<u32>().unwrap(), whole);
    assert_eq!(solver.intact().unwrap(), None);
    assert_eq!(run(&mut solver), first, "the same bits again");
}

/// On the CPU, with the triangles that are drawn: the same constraints and triangles, also where it started without a device,
/// and a reset mends them.
#[test]
fn the_cpu_cuts_what_the_gpu_cuts() {
    let validated = Validated::open();
    let device = &validated.device;
    for constraint_solver in [ConstraintSolver::GaussSeidel, ConstraintSolver::Jacobi] {
        let (cloth, settings) = (hung(), PbdSettings { constraint_solver, ..Default::default() });
        let triangles = Triangles::new(device, &cloth).unwrap();
        let cuts = [Cut { time: 0.1, blade: across(-9.0, -0.5 * 0.125) }];
        let upright = Blade::plane(Vec3::new(0.3125, 0.0, 0.0), Vec3::X).unwrap();
        let mut gpu = solver(device, &cloth, &triangles, &cuts, settings);
        (0..12).for_each(|number| drop(step(device, &mut gpu, number)));
        gpu.cut(upright).unwrap();
        step(device, &mut gpu, 12);
        let cut_on_gpu = gpu.intact().unwrap().unwrap().iter().filter(|intact| !**intact).count();

        let surroundings = Surroundings { cuts: &cuts, ..Default::default() };
        let start = || CpuSimulation::of_constraints(cloth.clone(), STEP, settings, &surroundings);
        for steps_alone in [0, 9] {
            let mut alone = start();
            (0..steps_alone).for_each(|_| drop(alone.advance()));
            assert_eq!(alone.cut_count() > 0, steps_alone > 6);
            let mut cpu = alone.on_device(device).unwrap();
            let run = |cpu: &mut Simulation, steps: std::ops::Range<u32>| {
                for number in steps {
                    if number == 12 {
                        assert!(cpu.cut(upright).unwrap());
                    }
                    Frames::run_once(device, |recorder| cpu.record(recorder)).unwrap();
                }
                assert_eq!(cpu.cut_count().unwrap(), cut_on_gpu);
                let corners: Vec<u32> = cpu.triangles().unwrap().corners.read().unwrap();
                assert_eq!(corners, triangles.corners.read::<u32>().unwrap());
                let left: Vec<[u32; 3]> =
                    corners.chunks(3).map(|corners| [corners[0], corners[1], corners[2]]).collect();
                let around: Vec<u32> = cpu.triangles().unwrap().around.read().unwrap();
                assert_eq!(around, triangles_around(72, &left));
                cpu.positions().unwrap()
            };
            let first = run(&mut cpu, steps_alone..13);
            cpu.reset().unwrap();
            assert_eq!(cpu.cut_count().unwrap(), 0);
            let whole: Vec<u32> = cpu.triangles().unwrap().corners.read().unwrap();
            assert_eq!(whole, cloth.triangles.as_flattened());
            assert_eq!(run(&mut cpu, 0..13), first, "the same bits again");
        }
    }
}

/// Jacobi splits a particle by its constraints before any cut, whenever it is chosen first.
#[test]
fn the_order_may_change_after_a_cut() {
    let validated = Validated::open();
    let device = &validated.device;
    let cloth = hung();
    let triangles = Triangles::new(device, &cloth).unwrap();
    let cuts = [Cut { time: 0.05, blade: across(-9.0, -0.5 * 0.125) }];
    let jacobi = PbdSettings { constraint_solver: ConstraintSolver::Jacobi, ..Default::default() };
    let ends = [PbdSettings::default(), jacobi].map(|settings| {
        let mut solver = solver(device, &cloth, &triangles, &cuts, settings);
        (0..6).for_each(|number| drop(step(device, &mut solver, number)));
        *solver.pbd_settings_mut().unwrap() = jacobi;
        (6..8).for_each(|number| drop(step(device, &mut solver, number)));
        solver.reset().unwrap();
        (0..8).map(|number| step(device, &mut solver, number)).last().unwrap()
    });
    assert_eq!(ends[0], ends[1]);
}

/// Strokes that an eye sees one after another, end to end, cut what the one long stroke does, however deep they go.
#[test]
fn strokes_leave_no_gaps_between_them() {
    let mut random = Random(17);
    let positions: Vec<Vec4> =
        (0..2000).map(|_| Vec4::new(random.signed(), random.signed(), 3.0 * random.signed(), 1.0)).collect();
    let pairs: Vec<Constraint> = (0..1000)
        .map(|index| Constraint { index_a: 2 * index, index_b: 2 * index + 1, ..Default::default() })
        .collect();
    let eye = Vec3::new(0.2, 0.1, 5.0);
    let direction = |share: f32| Vec3::new(-0.4, 0.05, -2.0).lerp(Vec3::new(0.3, -0.1, -2.0), share);
    let cut_by = |shares: &[f32]| {
        let mut cut_pairs = pairs.clone();
        for pair in shares.windows(2) {
            let blade = Blade::seen(eye, direction(pair[0]), direction(pair[1])).unwrap();
            cut::constraints(&blade.push(1000), &positions, &mut cut_pairs);
        }
        cut_pairs.iter().map(|pair| pair.index_a == pair.index_b).collect::<Vec<_>>()
    };
    let at_once = cut_by(&[0.0, 1.0]);
    assert!((100..600).contains(&at_once.iter().filter(|cut| **cut).count()));
    assert_eq!(cut_by(&[0.0, 0.1, 0.15, 0.4, 0.7, 0.75, 1.0]), at_once);
}

#[test]
fn the_kernels_cut_what_their_twins_cut() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(11);
    let positions: Vec<Vec4> =
        (0..1013).map(|_| Vec4::new(random.signed(), random.signed(), random.signed(), 1.0)).collect();
    let springs = (0..1003).map(|index| Spring {
        particles: [index, index + 1 + (index * 7) % 10],
        rest_length: 1.0,
        kind: SpringKind::Structural,
    });
    let (springs, _) = Coloring::greedy(springs.collect());
    let mut constraints: Vec<Constraint> = springs
        .iter()
        .map(|spring| Constraint { index_a: spring.particles[0], index_b: spring.particles[1], ..Default::default() })
        .collect();
    let hinge = |index: u32| [index + 3, index, index + 5, index + 9];
    let mut hinges: Vec<Hinge> =
        (0..1001).map(|index| Hinge { particles: hinge(index), rest_angle: 0.5, compliance: 2.0 }).collect();
    let mut triangles: Vec<[u32; 3]> = (0..1005).map(|index| [index + 4, index, index + 8]).collect();
    let around = triangles_around(positions.len(), &triangles);
    let particles = Buffer::from_slice(device, "positions", &positions).unwrap();
    let constraint_buffer = Buffer::from_slice(device, "constraints", &constraints).unwrap();
    let hinge_buffer = Buffer::from_slice(device, "hinges", &hinges).unwrap();
    let corners = Buffer::from_slice(device, "triangles", triangles.as_flattened()).unwrap();
    let lists = Buffer::from_slice(device, "particle triangles", &around).unwrap();
    let blade = Blade::seen(Vec3::new(0.1, 0.2, 4.0), Vec3::new(-0.5, -0.2, -4.0), Vec3::new(0.6, 0.3, -4.0)).unwrap();
    let run = |shader, name, buffer: &Buffer, push: &CutPush| {
        let bindings = Kernel::new(device, shader)
            .unwrap()
            .bind(&[("Positions", (&particles).into()), (name, buffer.into())])
            .unwrap();
        Frames::run_once(device, |recorder| recorder.dispatch(&bindings, push, [push.count, 1, 1])).unwrap();
    };
    run(&shaders::CUT_CONSTRAINTS, "Constraints", &constraint_buffer, &blade.push(1003));
    run(&shaders::CUT_HINGES, "Hinges", &hinge_buffer, &blade.push(1001));
    run(&shaders::CUT_TRIANGLES, "Triangles", &corners, &blade.push(1005));
    run(&shaders::CUT_AROUND, "ParticleTriangles", &lists, &blade.push(1013));

    let before = triangles.clone();
    cut::constraints(&blade.push(1003), &positions, &mut constraints);
    cut::hinges(&blade.push(1001), &positions, &mut hinges);
    cut::triangles(&blade.push(1005), &positions, &mut triangles);
    let count = |list: Vec<bool>| list.into_iter().filter(|&cut| cut).count();
    let cut_constraints = count(constraints.iter().map(|pair| pair.index_a == pair.index_b).collect());
    let cut_triangles = count(triangles.iter().zip(&before).map(|(now, before)| now != before).collect());
    assert!((50..800).contains(&cut_constraints) && (100..900).contains(&cut_triangles));
    // A hinge is cut where one of its two triangles is.
    for (hinge, index) in hinges.iter().zip(0..) {
        let [a, b, c, d] = [index + 3, index, index + 5, index + 9];
        let mut both = [[a, b, c], [a, b, d]];
        cut::triangles(&blade.push(2), &positions, &mut both);
        let is_cut = both.iter().any(|[first, second, _]| first == second);
        assert_eq!(hinge.particles, if is_cut { [a, a, c, d] } else { [a, b, c, d] });
    }
    assert!((100..900).contains(&count(hinges.iter().map(|hinge| hinge.particles[0] == hinge.particles[1]).collect())));
    assert_eq!(constraint_buffer.read::<Constraint>().unwrap(), constraints);
    assert_eq!(hinge_buffer.read::<Hinge>().unwrap(), hinges);
    assert_eq!(corners.read::<u32>().unwrap(), triangles.as_flattened());
    // The lists around particles name the triangles that are left, and no others.
    let lists: Vec<u32> = lists.read().unwrap();
    let left: Vec<[u32; 3]> = triangles.into_iter().filter(|[a, b, _]| a != b).collect();
    let expected = triangles_around(positions.len(), &left);
    for index in 0..positions.len() as u32 {
        let pairs = |entries: &[u32]| -> Vec<[u32; 2]> {
            let range = entries[index as usize] as usize..entries[index as usize + 1] as usize;
            let pairs = entries[range].chunks(2).map(|pair| [pair[0], pair[1]]);
            pairs.filter(|pair| *pair != [index; 2]).collect()
        };
        assert_eq!(pairs(&lists), pairs(&expected), "particle {index}");
    }
}
