//! Whole sweeps in one dispatch end in the same bits as batch by batch: whatever the shape of the tiles, and with all that
//! acts on a cloth.

mod common;

use common::{Bits, TENT, Validated, bits, load, run, run_solver};
use glam::Vec3;
use tautline::engine::Device;
use tautline::model::{Blade, Cloth, Grid, GridPlane};
use tautline::scene::presets;
use tautline::solver::{Path, Pbd, PbdSettings, Solver, Step, Surroundings, TileShape, Wind};

/// Positions and velocities of a cloth after some steps.
fn moved(device: &Device, solver: &mut Pbd, step: &Step) -> [Bits; 2] {
    run_solver(device, solver, step.dt, 4);
    [bits(&solver.positions().unwrap()), bits(&solver.velocities().read().unwrap())]
}

/// A cloth that is crumpled a little and held at a corner, inside, and at a whole part of its lower edge.
fn cloth(columns: u32, rows: u32, bends: bool) -> Cloth {
    let grid = Grid { columns, rows, spacing: 0.05 };
    let mut cloth = Cloth::from_grid(grid, GridPlane::Vertical, 0.1, bends);
    let mut random = common::Random(columns * 1000 + rows);
    for particle in &mut cloth.positions {
        *particle += Vec3::from_array([(); 3].map(|()| 0.01 * random.signed())).extend(0.0);
    }
    cloth.pin([0, columns * (rows / 2) + columns / 3]);
    cloth.pin(grid.row(rows - 1).take(columns as usize / 4));
    cloth
}

fn settings() -> PbdSettings {
    let acceleration = Vec3::new(3.0, 0.5, 1.0);
    PbdSettings {
        damping: 0.5,
        elongation: 1.02,
        wind: Wind { acceleration, flutter: 2.0, wave_number: 3.0, frequency: 2.0, lift: 0.5 },
        ..Default::default()
    }
}

fn assert_same(device: &Device, cloth: &Cloth, step: Step, settings: PbdSettings, shapes: &[TileShape]) {
    let around = Surroundings::default();
    let plain = PbdSettings { path: Path::Plain, ..settings };
    let plain = moved(device, &mut Pbd::new(device, cloth, step, plain, &around).unwrap(), &step);
    let moved_far = plain[0].iter().zip(bits(&cloth.positions)).filter(|(end, start)| *end != start).count();
    assert!(moved_far > 0 || cloth.positions.len() < 2, "nothing has moved");
    for &shape in shapes {
        let mut tiles = Pbd::in_tiles(device, cloth, step, settings, &around, shape).unwrap();
        assert!(tiles.passes()[0].0.starts_with("pbd/tile"), "{:?}", tiles.passes());
        let [positions, velocities] = moved(device, &mut tiles, &step);
        let grid = cloth.grid.unwrap();
        let what = format!("{grid:?} in {shape:?}, {} x {}", step.substeps, step.iterations);
        let differ = positions.iter().zip(&plain[0]).filter(|(tiled, plain)| tiled != plain).count();
        assert_eq!(differ, 0, "positions of {what}");
        assert!(velocities == plain[1], "velocities of {what}");
    }
}

fn step(substeps: u32, iterations: u32) -> Step {
    Step { dt: 1.0 / 60.0, substeps, iterations, gravity: Vec3::new(0.0, -9.81, 0.0) }
}

/// Shapes for every way in which blocks exchange nodes that the device has.
fn both_ways(device: &Device, shapes: &[TileShape]) -> Vec<TileShape> {
    let size = device.subgroup_size();
    let is_able = |shape: &TileShape| {
        size.is_some_and(|size| size.is_multiple_of(shape.lanes) && (shape.lanes * shape.strips).is_multiple_of(size))
    };
    let shuffled = shapes.iter().filter(|shape| is_able(shape)).map(|shape| TileShape { is_shuffled: true, ..*shape });
    shapes.iter().copied().chain(shuffled).collect()
}

fn shape(lanes: u32, strips: u32, block_rows: u32, sweeps: u32) -> TileShape {
    TileShape { lanes, strips, block_rows, sweeps, is_shuffled: false }
}

#[test]
fn tiles_of_any_shape_end_in_the_same_bits() {
    let validated = Validated::open();
    let device = &validated.device;
    let shapes = [shape(8, 8, 2, 1), shape(8, 16, 4, 1), shape(16, 16, 4, 2)];
    let shapes = both_ways(device, &shapes);
    let is_shuffled = shapes.iter().any(|shape| shape.is_shuffled);
    assert_eq!(is_shuffled, device.subgroup_size().is_some(), "subgroups of {:?}", device.subgroup_size());
    assert_same(device, &cloth(50, 41, false), step(3, 1), settings(), &shapes);
    assert_same(device, &cloth(17, 33, false), step(2, 5), settings(), &shapes[2..]);
    for [columns, rows] in [[1, 40], [40, 1], [37, 64]] {
        assert_same(device, &cloth(columns, rows, false), step(3, 1), settings(), &shapes[..1]);
    }
}

#[test]
fn compliant_cloths_do_as_well() {
    let validated = Validated::open();
    let device = &validated.device;
    let settings = PbdSettings { compliance: 1e-5, warp_compliance: Some(3e-5), shear_compliance: 1e-3, ..settings() };
    let shapes = both_ways(device, &[shape(8, 16, 2, 1), shape(16, 16, 4, 2)]);
    assert_same(device, &cloth(45, 38, false), step(5, 1), settings, &shapes);
    // As document 002 has it, lambda starts anew in each iteration.
    let settings = PbdSettings { lambda_accumulated: false, ..settings };
    assert_same(device, &cloth(45, 38, false), step(1, 7), settings, &shapes);
}

#[test]
fn cloths_that_bend_do_as_well() {
    let validated = Validated::open();
    let device = &validated.device;
    let compliant = PbdSettings { bending_compliance: 1e-3, ..settings() };
    let shapes = both_ways(device, &[shape(16, 8, 4, 1), shape(32, 12, 4, 2)]);
    assert_same(device, &cloth(41, 50, true), step(2, 1), compliant, &shapes);
    assert_same(device, &cloth(3, 29, true), step(1, 3), settings(), &shapes[..1]);
    let small = both_ways(device, &[shape(8, 8, 4, 1)]);
    assert_same(device, &cloth(13, 22, true), step(30, 2), settings(), &small);
}

/// A workgroup that holds a whole cloth makes all iterations of up to 24 substeps at once.
#[test]
fn a_small_cloth_is_a_dispatch() {
    let validated = Validated::open();
    let device = &validated.device;
    let shapes = both_ways(device, &[shape(8, 8, 2, 1), shape(16, 8, 2, 1), shape(8, 4, 4, 1)]);
    for [columns, rows] in [[16, 16], [13, 15], [2, 2], [1, 1]] {
        assert_same(device, &cloth(columns, rows, false), step(30, 2), settings(), &shapes);
    }
    let tiles = |step| {
        let (cloth, around) = (cloth(16, 16, false), Surroundings::default());
        Pbd::in_tiles(device, &cloth, step, settings(), &around, shapes[0]).unwrap().passes()
    };
    assert_eq!(tiles(step(15, 1)), [("pbd/tile".to_string(), 1)]);
    assert_eq!(tiles(step(24, 10)), [("pbd/tile".to_string(), 1)]);
    assert_eq!(tiles(step(25, 10)), [("pbd/tile".to_string(), 2)]);
}

/// Every preset with all that acts in it, and what else a scene can have.
#[test]
fn scenes_end_in_the_same_bits_on_either_path() {
    let validated = Validated::open();
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("tent.obj");
    std::fs::write(&mesh, TENT).unwrap();
    let mesh = mesh.to_str().unwrap();
    let more: [(&str, &[(&str, &str)]); 5] = [
        ("flag", &[("air_density", "1.2"), ("air_velocity", "[2, 0, 6]"), ("columns", "40"), ("rows", "30")]),
        ("flag", &[("pin", "[{row = 0, path = [[0, 0, 0, 0], [1, 0, 1, 0]], release = 0.1}]"), ("columns", "40")]),
        (
            "flag",
            &[
                ("collider", "[{shape = \"sphere\", position = [0, -1, 0.3], radius = 0.4}]"),
                ("iterations", "3"),
                ("solver", "pbd"),
            ],
        ),
        ("flag", &[("bending", "true"), ("columns", "50"), ("rows", "30")]),
        ("flag", &[("solver", "xpbd-document")]),
    ];
    let settings = |name| if name == "mesh" { vec![("mesh", mesh)] } else { Vec::new() };
    let scenes = presets().map(|(name, _)| (name, settings(name)));
    for (name, settings) in scenes.chain(more.map(|(name, settings)| (name, settings.to_vec()))) {
        let ends = ["plain", "fused"].map(|path| {
            let path = format!("\"{path}\"");
            let scene = load(name, &[&settings[..], &[("path", &path[..])]].concat());
            let mut simulation = scene.simulation(&validated.device).unwrap();
            run(&validated.device, &mut simulation, 10);
            let tiles = simulation.passes().iter().any(|(name, _)| name.starts_with("pbd/tile"));
            (bits(&simulation.positions().unwrap()), tiles)
        });
        assert!(ends[0].0 == ends[1].0, "{name} {settings:?}");
        assert_eq!([ends[0].1, ends[1].1], [false, ["flag", "drape"].contains(&name)], "{name} {settings:?}");
    }
}

/// What tiles cannot do is done on the plain path from then on, wherever the particles are then.
#[test]
fn a_cloth_goes_on_where_it_is_when_it_leaves_its_tiles() {
    let validated = Validated::open();
    let device = &validated.device;
    let (cloth, around, step) = (cloth(40, 33, false), Surroundings::default(), step(3, 1));
    let blade = Blade::plane(Vec3::new(0.0, -0.4, 0.0), Vec3::new(0.2, 1.0, 0.0)).unwrap();
    let interferences: [&dyn Fn(&mut Pbd); 5] = [
        &|solver| assert!(solver.cut(blade).unwrap()),
        &|solver| solver.set_inverse_mass(5, 0.25),
        &|solver| solver.set_inverse_mass(700, 0.0),
        &|solver| drop(solver.residuals(tautline::solver::ConstraintSolver::GaussSeidel, 2).unwrap()),
        &|solver| solver.pbd_settings_mut().unwrap().constraint_solver = tautline::solver::ConstraintSolver::Jacobi,
    ];
    for (number, interfere) in interferences.iter().enumerate() {
        let plain = PbdSettings { path: Path::Plain, ..settings() };
        let mut plain = Pbd::new(device, &cloth, step, plain, &around).unwrap();
        let mut tiles = Pbd::in_tiles(device, &cloth, step, settings(), &around, shape(8, 16, 2, 1)).unwrap();
        let ends = [&mut plain, &mut tiles].map(|solver| {
            // One step of three dispatches: the particles are in their second place.
            run_solver(device, solver, step.dt, 1);
            interfere(solver);
            let state = solver.state(0.0).unwrap();
            run_solver(device, solver, step.dt, 2);
            (state.positions, bits(&solver.positions().unwrap()), bits(&solver.velocities().read().unwrap()))
        });
        assert!(ends[0] == ends[1], "interference {number}");
        solver_starts_anew(device, &mut tiles, &step);
    }
}

/// A reset brings back what there was at the start.
fn solver_starts_anew(device: &Device, solver: &mut Pbd, step: &Step) {
    solver.reset().unwrap();
    let start = bits(&solver.positions().unwrap());
    run_solver(device, solver, step.dt, 1);
    let once = bits(&solver.positions().unwrap());
    solver.reset().unwrap();
    assert!(bits(&solver.positions().unwrap()) == start);
    run_solver(device, solver, step.dt, 1);
    assert!(bits(&solver.positions().unwrap()) == once);
}
