//! What hangs together and is small goes through its steps a workgroup each, and ends in the same bits as batch by batch.

mod common;

use common::{Bits, Validated, bits, load, run, run_solver};
use glam::{Vec2, Vec3, Vec4};
use tautline::engine::{Device, SmallerLimits};
use tautline::model::{BendingForm, Blade, Cloth, Coloring, TriangleMesh};
use tautline::solver::{ConstraintSolver, Path, Pbd, PbdSettings, Solver, Step, Surroundings, Wind};

/// What a person does to a solver, and whether bodies can go on.
type Interference<'a> = (&'a dyn Fn(&mut Pbd), bool);

fn ends(solver: &Pbd) -> [Bits; 2] {
    [bits(&solver.positions().unwrap()), bits(&solver.velocities().read().unwrap())]
}

/// Crumpled rectangles of so many columns and rows of vertices, whose vertices lie in no order, and one vertex alone.
fn mesh(rectangles: &[[u32; 2]]) -> TriangleMesh {
    let mut random = common::Random(7);
    let (mut positions, mut triangles) = (vec![Vec3::new(9.0, 0.0, 0.0)], Vec::new());
    for (number, &[columns, rows]) in rectangles.iter().enumerate() {
        let first = positions.len() as u32;
        for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
            let place = Vec2::new(column as f32, -(row as f32)).extend(3.0 * number as f32);
            let crumple = Vec3::from_array([(); 3].map(|()| 0.2 * random.signed()));
            positions.push(0.05 * (place + crumple));
        }
        for (column, row) in (1..rows).flat_map(|row| (1..columns).map(move |column| (column, row))) {
            let corner = |left: u32, up: u32| first + (row - up) * columns + column - left;
            triangles.push([corner(1, 1), corner(1, 0), corner(0, 0)]);
            triangles.push([corner(1, 1), corner(0, 0), corner(0, 1)]);
        }
    }
    // A prime that divides no count of vertices here: a permutation.
    let count = positions.len();
    let place = |index: usize| index * 7919 % count;
    assert_ne!(count % 7919, 0);
    let mut shuffled = vec![Vec3::ZERO; count];
    positions.iter().enumerate().for_each(|(index, position)| shuffled[place(index)] = *position);
    let triangles = triangles.into_iter().map(|corners| corners.map(|corner| place(corner as usize) as u32)).collect();
    TriangleMesh::new(shuffled, triangles).unwrap()
}

/// Rectangles of mixed sizes: each a component, the smaller ones together in a workgroup, and some of it held.
fn cloth(bending: BendingForm) -> Cloth {
    let mut cloth = mesh(&[[2, 2], [17, 23], [5, 2], [20, 20], [3, 40], [2, 3], [19, 21]]).cloth(0.2, bending);
    // The vertex alone falls.
    let alone = cloth.inverse_masses.iter().position(|mass| *mass == 0.0).unwrap();
    (cloth.positions[alone].w, cloth.inverse_masses[alone]) = (2.0, 2.0);
    cloth.pin([3, 100, 101, 555, 1000]);
    cloth
}

fn settings() -> PbdSettings {
    let acceleration = Vec3::new(3.0, 0.5, 1.0);
    PbdSettings {
        damping: 0.5,
        elongation: 1.02,
        wind: Wind { acceleration, flutter: 2.0, wave_number: 3.0, frequency: 2.0, lift: 0.5 },
        path: Path::Fused,
        ..Default::default()
    }
}

fn step(substeps: u32, iterations: u32) -> Step {
    Step { dt: 1.0 / 60.0, substeps, iterations, gravity: Vec3::new(0.0, -9.81, 0.0) }
}

/// The solver on the plain path, and body by body.
fn both(device: &Device, cloth: &Cloth, step: Step, settings: PbdSettings) -> [Pbd; 2] {
    [Path::Plain, Path::Fused]
        .map(|path| Pbd::new(device, cloth, step, PbdSettings { path, ..settings }, &Surroundings::default()).unwrap())
}

fn assert_same(device: &Device, cloth: &Cloth, step: Step, settings: PbdSettings) {
    let mut solvers = both(device, cloth, step, settings);
    let calls = step.substeps.div_ceil(24);
    assert_eq!(solvers[1].passes(), [("pbd/body".to_string(), calls)]);
    for solver in &mut solvers {
        run_solver(device, solver, step.dt, 4);
    }
    let [plain, bodies] = solvers.each_ref().map(ends);
    let what = format!("{settings:?}, {} x {}", step.substeps, step.iterations);
    let moved = plain[0].iter().zip(bits(&cloth.positions)).filter(|(end, start)| *end != start).count();
    assert_eq!(moved, cloth.positions.iter().filter(|particle| particle.w > 0.0).count(), "{what}");
    let differ = plain[0].iter().zip(&bodies[0]).filter(|(plain, body)| plain != body).count();
    assert_eq!(differ, 0, "positions: {what}");
    assert!(plain[1] == bodies[1], "velocities: {what}");
    // And again, in the same bits.
    solvers[1].reset().unwrap();
    assert!(bits(&solvers[1].positions().unwrap()) == bits(&cloth.positions));
    run_solver(device, &mut solvers[1], step.dt, 4);
    assert!(ends(&solvers[1]) == bodies, "{what}");
}

#[test]
fn rigid_bodies_end_in_the_same_bits() {
    let validated = Validated::open();
    let cloth = cloth(BendingForm::Distance);
    assert_same(&validated.device, &cloth, step(3, 1), settings());
    assert_same(&validated.device, &cloth, step(30, 1), settings());
    assert_same(&validated.device, &cloth, step(1, 15), settings());
}

#[test]
fn bodies_that_yield_do_as_well() {
    let validated = Validated::open();
    let cloth = cloth(BendingForm::Distance);
    let compliant = PbdSettings { compliance: 1e-4, shear_compliance: 1e-3, bending_compliance: 1e-2, ..settings() };
    assert_same(&validated.device, &cloth, step(2, 5), compliant);
    assert_same(&validated.device, &cloth, step(2, 1), compliant);
    // As document 002 has it, lambda starts anew in each iteration.
    assert_same(&validated.device, &cloth, step(1, 5), PbdSettings { lambda_accumulated: false, ..compliant });
}

#[test]
fn bodies_with_hinges_do_as_well() {
    let validated = Validated::open();
    let cloth = cloth(BendingForm::Dihedral);
    let settings = PbdSettings { bending_stiffness: 1e-5, ..settings() };
    assert_same(&validated.device, &cloth, step(25, 1), settings);
    let compliant = PbdSettings { compliance: 1e-4, ..settings };
    assert_same(&validated.device, &cloth, step(3, 4), compliant);
    assert_same(&validated.device, &cloth, step(1, 4), PbdSettings { lambda_accumulated: false, ..compliant });
}

#[test]
fn a_component_that_is_too_large_for_the_device_takes_the_plain_path() {
    let validated = Validated::open();
    let device = &validated.device;
    let most = device.limits().max_compute_shared_memory_size / size_of::<Vec4>() as u32;
    let most = most.min(1 << 16);
    for (rows, expected) in [(most / 2, "pbd/body"), (most / 2 + 1, "pbd/predict")] {
        let cloth = mesh(&[[2, rows], [3, 3]]).cloth(0.2, BendingForm::Distance);
        let [plain, bodies] = &mut both(device, &cloth, step(1, 1), settings());
        assert_eq!(bodies.passes()[0].0, expected);
        for solver in [&mut *plain, &mut *bodies] {
            run_solver(device, solver, step(1, 1).dt, 1);
        }
        assert!(ends(plain) == ends(bodies), "{rows} rows");
    }
}

/// A person changes what the next step is; both go on in the same bits, also from a state that they are given.
#[test]
fn a_cloth_goes_on_after_what_bodies_know_nothing_of() {
    let validated = Validated::open();
    let device = &validated.device;
    let (cloth, step) = (cloth(BendingForm::Dihedral), step(3, 2));
    let settings = PbdSettings { bending_stiffness: 1e-5, compliance: 1e-5, ..settings() };
    let blade = Blade::plane(Vec3::new(0.0, -0.4, 0.0), Vec3::new(0.2, 1.0, 0.0)).unwrap();
    let interferences: [Interference<'_>; 5] = [
        (&|solver| assert!(solver.cut(blade).unwrap()), false),
        (&|solver| solver.set_inverse_mass(5, 0.25), true),
        (&|solver| solver.set_inverse_mass(700, 0.0), true),
        (&|solver| drop(solver.residuals(ConstraintSolver::GaussSeidel, 2).unwrap()), true),
        (&|solver| solver.pbd_settings_mut().unwrap().constraint_solver = ConstraintSolver::Jacobi, false),
    ];
    for (number, (interfere, are_bodies)) in interferences.into_iter().enumerate() {
        let mut solvers = both(device, &cloth, step, settings);
        let found = solvers.each_mut().map(|solver| {
            run_solver(device, solver, step.dt, 1);
            interfere(solver);
            let state = solver.state(0.0).unwrap();
            run_solver(device, solver, step.dt, 2);
            let first = ends(solver);
            solver.set_state(&state).unwrap();
            run_solver(device, solver, step.dt, 1);
            (state.positions, first, ends(solver))
        });
        assert!(found[0] == found[1], "interference {number}");
        assert_eq!(solvers[1].passes()[0].0 == "pbd/body", are_bodies, "interference {number}");
    }
}

/// With all that acts on a cloth from outside, between the substeps.
#[test]
fn scenes_end_in_the_same_bits_on_either_path() {
    let validated = Validated::open();
    let small = ("columns", "20");
    let hinges = [("bending", "true"), ("bending_form", "\"dihedral\""), ("bending_stiffness", "1e-4")];
    let more: [&[(&str, &str)]; 4] = [
        &[],
        &[("air_density", "1.2"), ("air_velocity", "[2, 0, 6]"), ("iterations", "2")],
        &[("pin", "[{row = 0, path = [[0, 0, 0, 0], [1, 0, 1, 0]], release = 0.1}]")],
        &[("collider", "[{shape = \"sphere\", position = [0, -1, 0.3], radius = 0.4}]"), ("iterations", "3")],
    ];
    for settings in more {
        let found = ["plain", "fused"].map(|path| {
            let path = format!("\"{path}\"");
            let scene = load("flag", &[&hinges[..], &[small, ("rows", "30")], settings, &[("path", &path)]].concat());
            let mut simulation = scene.simulation(&validated.device).unwrap();
            run(&validated.device, &mut simulation, 8);
            let bodies = simulation.passes().iter().any(|(name, _)| name == "pbd/body");
            (bits(&simulation.positions().unwrap()), bodies)
        });
        assert!(found[0].0 == found[1].0, "{settings:?}");
        assert_eq!([found[0].1, found[1].1], [false, true], "{settings:?}");
    }
}

/// Copies at one place all do as the grid alone does, on either path.
#[test]
fn copies_of_a_grid_end_in_its_bits() {
    let validated = Validated::open();
    let bits_of = |settings: &[(&str, &str)]| {
        let grid =
            [("columns", "9"), ("rows", "7"), ("compliance", "1e-5"), ("warp_compliance", "1e-3"), ("bending", "true")];
        let scene = load("flag", &[&grid[..], settings].concat());
        let mut simulation = scene.simulation(&validated.device).unwrap();
        run(&validated.device, &mut simulation, 5);
        (bits(&simulation.positions().unwrap()), simulation.passes()[0].0.clone())
    };
    let (alone, _) = bits_of(&[("path", "plain")]);
    for (path, expected) in [("plain", "pbd/predict"), ("fused", "pbd/body")] {
        let copies = [("cloth_count", "11"), ("cloth_spacing", "0"), ("path", path)];
        let (all, pass) = bits_of(&copies);
        assert_eq!(pass, expected);
        assert_eq!(all.len(), 11 * alone.len());
        assert!(all.chunks(alone.len()).all(|copy| copy == alone), "{path}");
    }
}

/// Larger than a workgroup on any device here, with smaller pieces beside it.
fn large_cloth(bending: BendingForm) -> Cloth {
    let mut cloth = mesh(&[[61, 60], [9, 9], [2, 30]]).cloth(0.2, bending);
    cloth.pin([3, 100, 101, 555, 1000, 3000]);
    cloth
}

/// In runs of batches, cluster by cluster.
#[test]
fn clusters_of_a_large_mesh_end_in_the_same_bits() {
    let validated = Validated::open();
    let device = &validated.device;
    let blade = Blade::plane(Vec3::new(0.0, -0.4, 0.0), Vec3::new(0.2, 1.0, 0.0)).unwrap();
    let compliant = PbdSettings { compliance: 1e-4, bending_compliance: 1e-2, ..settings() };
    for (bending, step, settings) in [
        (BendingForm::Distance, step(3, 1), settings()),
        (BendingForm::Distance, step(2, 3), compliant),
        (BendingForm::Dihedral, step(2, 2), PbdSettings { bending_stiffness: 1e-5, ..compliant }),
        (BendingForm::Dihedral, step(1, 2), PbdSettings { lambda_accumulated: false, ..compliant }),
    ] {
        let cloth = large_cloth(bending);
        let mut solvers = both(device, &cloth, step, settings);
        let calls = |solver: &Pbd, name: &str| {
            solver.passes().iter().filter(|(pass, _)| pass == name).map(|(_, calls)| *calls).sum::<u32>()
        };
        let batches = [0, 1].map(|number| calls(&solvers[number], "pbd/solve") + calls(&solvers[number], "pbd/bend"));
        let runs = calls(&solvers[1], "pbd/body");
        assert!(runs > 0 && 2 * (runs + batches[1]) <= batches[0], "{runs} and {batches:?}");
        assert_eq!(calls(&solvers[1], "pbd/predict"), step.substeps);
        let residuals = solvers.each_mut().map(|solver| {
            run_solver(device, solver, step.dt, 3);
            solver.residuals(ConstraintSolver::GaussSeidel, 3).unwrap()
        });
        assert_eq!(residuals[0], residuals[1]);
        assert!(ends(&solvers[0]) == ends(&solvers[1]), "{settings:?}");
        for solver in &mut solvers {
            solver.cut(blade).unwrap();
            run_solver(device, solver, step.dt, 1);
        }
        assert!(ends(&solvers[0]) == ends(&solvers[1]), "cut, {settings:?}");
        assert_eq!(calls(&solvers[1], "pbd/body"), 0);
    }
}

/// Where the lists of clusters can be bound, and where a device is too small for those too, and goes batch by batch.
#[test]
fn clusters_end_in_the_same_bits_on_smaller_devices() {
    let (cloth, step) = (large_cloth(BendingForm::Dihedral), step(2, 3));
    let compliant = PbdSettings { compliance: 1e-4, bending_stiffness: 1e-5, ..settings() };
    let end = |validated: Validated| {
        let [_, mut solver] = both(&validated.device, &cloth, step, compliant);
        run_solver(&validated.device, &mut solver, step.dt, 3);
        (ends(&solver), solver.passes())
    };
    let (whole, _) = end(Validated::open());
    // 16 bytes for each of some 11,000 constraints, and as many for each hinge in a cluster.
    for (range, expected) in [(1 << 18, "pbd/body"), (1 << 17, "pbd/solve")] {
        let limits = SmallerLimits { storage_buffer_range: range, storage_buffer_alignment: 256, workgroup_count: 14 };
        let (found, passes) = end(Validated::smaller(&limits));
        assert_eq!(passes[1].0, expected, "{range} bytes");
        assert!(found == whole, "{range} bytes");
    }
}

/// The order that clusters give constraints is another one, and no worse: what is left after as many iterations is as in the order
/// of a colouring without clusters, but for a twentieth, as each order has its own.
#[test]
fn the_order_of_clusters_converges_as_well() {
    let validated = Validated::open();
    let device = &validated.device;
    let clustered = Cloth { patches: Vec::new(), ..large_cloth(BendingForm::Distance) };
    let (springs, coloring) = Coloring::greedy(clustered.springs.clone());
    let greedy = Cloth { springs, coloring, ..clustered.clone() };
    assert_ne!(greedy.springs, clustered.springs);
    let residuals = [greedy, clustered].map(|cloth| {
        let [mut plain, _] = both(device, &cloth, step(1, 1), settings());
        plain.residuals(ConstraintSolver::GaussSeidel, 30).unwrap().unwrap()
    });
    assert!(residuals.iter().all(|left| left[30] < left[10] && left[10] < left[0]), "{residuals:?}");
    for iteration in [10, 20, 30] {
        assert!(residuals[1][iteration] < 1.05 * residuals[0][iteration], "{iteration}: {residuals:?}");
    }
}
