//! Cloth whose lists are longer than what one binding takes, or than a row of workgroups, as on smaller devices: it ends in the
//! same bits as where they are not, and what cannot be divided is refused by itself.

mod common;
#[path = "common/pictures.rs"]
mod pictures;

use common::{Bits, Validated, bits, load, run};
use glam::Vec3;
use pictures::{Shot, view};
use tautline::engine::{Device, Error, Frames, SmallerLimits};
use tautline::model::Blade;
use tautline::render::Shown;
use tautline::scene::{Scene, SceneError};
use tautline::solver::{ConstraintSolver, Simulation};

/// 4096 particles.
const GRID: [(&str, &str); 6] = [
    ("columns", "64"),
    ("rows", "64"),
    ("path", "plain"),
    ("substeps", "3"),
    ("compliance", "1e-6"),
    ("shear_compliance", "1e-5"),
];

/// Particles can just be bound, as can the colliders; not the constraints, and a binding starts at every 64th multiplier.
/// Rows of workgroups are too short for all particles.
const NARROW: SmallerLimits =
    SmallerLimits { storage_buffer_range: 16 * 4096, storage_buffer_alignment: 256, workgroup_count: 15 };
/// The lists of triangles around particles can be bound as well.
const WIDE: SmallerLimits = SmallerLimits { storage_buffer_range: 208_000, ..NARROW };
/// All can be bound.
const SHORT: SmallerLimits = SmallerLimits { storage_buffer_range: u32::MAX, ..NARROW };

type Settings<'a> = &'a [(&'a str, &'a str)];

fn flag(settings: Settings<'_>) -> Scene {
    load("flag", &[&GRID, settings].concat())
}

/// Runs steps, and sees whether the calls of the first are as many as they are said to be.
fn run_counted(device: &Device, simulation: &mut Simulation, steps: u32) {
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    simulation.record(&mut recorder).unwrap();
    for (name, calls) in simulation.passes() {
        let work = recorder.work();
        let recorded = work.iter().find(|pass| pass.name == name).map(|pass| pass.call_count());
        assert_eq!(recorded, Some(calls), "{name}");
    }
    recorder.submit().unwrap();
    frames.finish().unwrap();
    run(device, simulation, steps - 1);
}

/// Where a simulation has come to, and what it leaves.
fn end(simulation: &mut Simulation) -> (Bits, Vec<[u32; 3]>, Option<Vec<f64>>) {
    let velocities = simulation.state().unwrap().velocities.iter().map(|v| v.to_array().map(f32::to_bits)).collect();
    let residuals = simulation.residuals(ConstraintSolver::GaussSeidel, 2).unwrap();
    (bits(&simulation.positions().unwrap()), velocities, residuals)
}

fn calls(simulation: &Simulation, name: &str) -> u32 {
    simulation.passes().iter().filter(|(pass, _)| pass == name).map(|(_, calls)| *calls).sum()
}

/// The whole device, and it held to the limits of a smaller one.
fn devices(limits: &SmallerLimits) -> [Validated; 2] {
    [Validated::open(), Validated::smaller(limits)]
}

fn refusal<T>(result: Result<T, Error>) -> (String, u64, u64) {
    match result.err().expect("more than the device can bind") {
        Error::OverLimit { what, needed, limit, limit_name: "maxStorageBufferRange", .. } => (what, needed, limit),
        other => panic!("{other}"),
    }
}

#[test]
fn constraints_and_hinges_in_windows_end_in_the_same_bits() {
    let devices = devices(&NARROW);
    let hinges = [("bending", "true"), ("bending_form", "\"dihedral\""), ("bending_stiffness", "1e-4")];
    let held = "[{row = 0, path = [[0, 0, 0, 0], [1, 0, 1, 0]], release = 0.03}]";
    let sphere = "[{shape = \"sphere\", position = [0, -1, 0.3], radius = 0.4}]";
    let cases: [(Settings<'_>, &str, u32); 4] = [
        (&[("bending", "true"), ("iterations", "3")], "pbd/solve", 6),
        (&[&hinges[..], &[("iterations", "2"), ("pin", held)]].concat(), "pbd/bend", 5),
        (&[("solver", "xpbd-document"), ("substeps", "1"), ("bending", "true"), ("collider", sphere)], "pbd/solve", 6),
        (&[("solver", "pbd"), ("bending", "false")], "pbd/solve", 4),
    ];
    for (settings, pass, windows) in cases {
        let scene = flag(settings);
        let [one, many] = devices.each_ref().map(|Validated { device, .. }| {
            let mut simulation = scene.simulation(device).unwrap();
            run_counted(device, &mut simulation, 4);
            let calls = calls(&simulation, pass) / (scene.substeps * scene.iterations);
            let first = end(&mut simulation);
            simulation.reset().unwrap();
            run(device, &mut simulation, 1);
            (first, end(&mut simulation), calls)
        });
        assert!(one.0 == many.0, "{settings:?}");
        assert!(one.1 == many.1, "after a reset, {settings:?}");
        // Each window but the last ends within a batch.
        assert_eq!(many.2, one.2 + windows - 1, "{pass} ({settings:?})");
    }
}

#[test]
fn cuts_and_air_in_windows_end_in_the_same_bits() {
    let devices = devices(&WIDE);
    let blade = |height| Blade::plane(Vec3::new(0.0, height, 0.0), Vec3::new(0.2, 1.0, 0.1)).unwrap();
    for settings in [
        &[("bending", "true"), ("air_density", "1.2"), ("air_velocity", "[2, 0, 6]")][..],
        &[("bending", "true"), ("bending_form", "\"dihedral\""), ("bending_stiffness", "1e-4")],
    ] {
        let scene = flag(settings);
        let [one, many] = devices.each_ref().map(|Validated { device, .. }| {
            let mut simulation = scene.simulation(device).unwrap();
            run(device, &mut simulation, 1);
            for height in [-0.3, -0.5] {
                assert!(simulation.cut(blade(height)).unwrap());
                run(device, &mut simulation, 2);
            }
            let state = simulation.state().unwrap();
            let first = (simulation.cut_count().unwrap(), end(&mut simulation));
            // And on from what was cut.
            simulation.go_on_from(&state).unwrap();
            run(device, &mut simulation, 1);
            (first, end(&mut simulation))
        });
        assert!(one.0.0 > 100, "{} are cut", one.0.0);
        assert!(one == many, "{settings:?}");
    }
}

#[test]
fn rows_of_workgroups_end_in_the_same_bits() {
    let devices = devices(&SHORT);
    for settings in [
        &[("constraint_solver", "jacobi"), ("bending", "true"), ("iterations", "3")][..],
        &[("air_density", "1.2"), ("air_velocity", "[2, 0, 6]")],
        &[("pin", "[{box = [[-1, -9, -1], [0.5, 9, 1]], path = [[0, 0, 0, 0], [1, 1, 0, 1]]}]")],
    ] {
        let scene = flag(settings);
        let [one, many] = devices.each_ref().map(|Validated { device, .. }| {
            let mut simulation = scene.simulation(device).unwrap();
            run_counted(device, &mut simulation, 4);
            end(&mut simulation)
        });
        assert!(one == many, "{settings:?}");
    }
}

#[test]
fn pictures_of_windows_and_rows_are_the_same() {
    let devices = devices(&WIDE);
    let scene = flag(&[("bending", "true")]);
    for shown in [Shown::Batches, Shown::Looks, Shown::Velocity] {
        let [one, many] = devices.each_ref().map(|Validated { device, .. }| {
            let mut simulation = scene.simulation(device).unwrap();
            run(device, &mut simulation, 2);
            let mut view = view(device, &simulation, shown);
            Frames::run_once(device, |recorder| view.keep(recorder, &simulation)).unwrap();
            run(device, &mut simulation, 1);
            Shot::of(device, &simulation, &view, [400, 300]).picture.rgba
        });
        assert!(one == many, "{shown:?}");
    }
}

#[test]
fn what_cannot_be_divided_is_refused_by_itself() {
    let devices = devices(&NARROW);
    let scene = flag(&[("bending", "true")]);
    let constraints = scene.cloth().unwrap().springs.len() as u64;
    let [one, many] = devices.each_ref().map(|Validated { device, .. }| {
        let mut simulation = scene.simulation(device).unwrap();
        run(device, &mut simulation, 1);
        simulation
    });
    let [mut one, mut many] = [one, many];
    let blade = Blade::plane(Vec3::ZERO, Vec3::Y).unwrap();
    let (what, needed, limit) = refusal(many.cut(blade));
    assert!(what.contains("'cloth.triangles_around'") && what.contains("'cut/around'"), "{what}");
    // The ends of the lists, and the two other corners of each of the triangles around a particle.
    assert_eq!((needed, limit), (4 * (4097 + 2 * 3 * 2 * 63 * 63), 16 * 4096));
    let (what, needed, _) = refusal(many.residuals(ConstraintSolver::Jacobi, 1));
    assert!(what.contains("'pbd/jacobi_solve'"), "{what}");
    assert_eq!(needed, 16 * constraints);
    // The cloth goes on as if nobody had asked.
    for (simulation, Validated { device, .. }) in [&mut one, &mut many].into_iter().zip(&devices) {
        run(device, simulation, 2);
    }
    assert!(end(&mut one) == end(&mut many));

    let less = Validated::smaller(&SmallerLimits { storage_buffer_range: 16 * 4096 - 1, ..NARROW });
    let Some(SceneError::Engine(error)) = scene.simulation(&less.device).err() else {
        panic!("more particles than one binding takes");
    };
    let told = "a cloth, with 16 bytes a particle in one binding, needs 4096 particles, and the device's limit is 4095 \
                (Vulkan's maxStorageBufferRange): use less data";
    assert_eq!(error.to_string(), told);
}
