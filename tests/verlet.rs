//! `verlet` ends in the same bits wherever it keeps its particles.

mod common;

use common::{Validated, load, run};
use glam::Vec3;
use tautline::engine::Device;
use tautline::model::{Body, Drag, Grip};
use tautline::scene::Scene;
use tautline::solver::{Simulation, State, Surroundings, Triangles, Verlet, VerletSettings, VerletStorage, VerletTile};

/// Wind that flutters, and two colliders that move, one of which turns, in 11 substeps a step.
const KEYS: [(&str, &str); 7] = [
    ("plane", "vertical"),
    ("spacing", "0.1"),
    ("particle_mass", "0.5"),
    ("wind", "[1, 0, 3]"),
    ("wind_flutter", "2"),
    ("substeps", "11"),
    (
        "collider",
        "[{shape = 'sphere', radius = 0.3, friction = 0.3, path = [[0, 0, -0.4, 0.35], [1, 0.5, -0.4, -0.5]]}, \
         {shape = 'box', sides = [0.5, 0.3, 0.5], path = [[0, 0.4, -1, 0, 0, 1, 0, 0], [1, 0.4, -0.5, 0, 0, 1, 0, 50]]}]",
    ),
];

/// The preset `verlet` with [`KEYS`] and others, on a grid.
fn scene(columns: u32, rows: u32, keys: &[(&str, &str)]) -> Scene {
    let size = [("columns", &*columns.to_string()), ("rows", &rows.to_string())];
    load("verlet", &[&KEYS[..], &size, keys].concat())
}

/// A scene whose solver keeps its particles in a storage of its own, and computes several substeps a dispatch with a tile.
fn kept(device: &Device, scene: &Scene, storage: VerletStorage, tile: Option<VerletTile>) -> Simulation {
    let cloth = scene.cloth().unwrap();
    let triangles = Triangles::new(device, &cloth).unwrap();
    let around = &Surroundings {
        colliders: &scene.colliders().unwrap(),
        attachments: &cloth.attachments,
        air: scene.air(),
        triangles: Some(&triangles),
        ..Default::default()
    };
    let (grid, step) = (cloth.grid.unwrap(), scene.step());
    let settings = VerletSettings { storage, ..scene.verlet_settings() };
    let solver = Verlet::with_tile(device, grid, &cloth.positions, step, settings, around, tile).unwrap();
    Simulation::new(Body::Cloth(cloth), Box::new(solver), step)
}

/// What a body does after 8 steps, in 2 of which a hand pulls, which pins a particle, lets one go and drags a collider.
fn ended(device: &Device, mut simulation: Simulation) -> State {
    let last = simulation.body().positions().len() as u32 - 1;
    run(device, &mut simulation, 3);
    simulation.set_pinned(last / 3, true);
    simulation.set_pinned(0, false);
    simulation.drag(Some(Drag { collider: 0, offset: Vec3::new(0.02, 0.0, -0.01), speed: 1.0 }));
    let target = simulation.body().positions()[last as usize].truncate() + Vec3::new(0.1, 0.0, 0.3);
    simulation.set_grip(Some(Grip::soft(simulation.body(), last, target)));
    run(device, &mut simulation, 2);
    simulation.set_grip(None);
    run(device, &mut simulation, 3);
    simulation.state().unwrap()
}

/// Sheets and chains of no multiple of a workgroup, and what acts on them between two substeps.
fn scenes() -> Vec<Scene> {
    let carried = "[{row = 0, path = [[0, 0, 0, 0], [1, 0.5, 0, 0]]}, {particles = [40], release = 0.05}]";
    vec![
        scene(37, 21, &[("pins", "[0, 5, 36, 150, 151, 188, 400, 776]")]),
        scene(3, 50, &[("pins", "top-corners")]),
        scene(45, 1, &[("pins", "[0]")]),
        scene(2, 70, &[("pins", "[1]")]),
        scene(20, 20, &[("pins", "none"), ("pin", carried)]),
        scene(20, 20, &[("air_density", "1.2"), ("air_velocity", "[0, 1, 4]")]),
    ]
}

/// Tiles of several shapes, with more substeps than a step has left at its end, or one left over.
const TILES: [VerletTile; 3] = [
    VerletTile { columns: 16, rows: 5, substeps: 2, invocations: 96 },
    VerletTile { columns: 1, rows: 3, substeps: 5, invocations: 33 },
    VerletTile { columns: 7, rows: 12, substeps: 3, invocations: 64 },
];

#[test]
fn images_buffers_and_tiles_end_in_the_same_bits() {
    let validated = Validated::open();
    let device = &validated.device;
    for scene in scenes() {
        let ended = |storage, tile| ended(device, kept(device, &scene, storage, tile)).to_bytes();
        let images = ended(VerletStorage::Images, None);
        let place = format!("{} x {}", scene.columns, scene.rows);
        assert!(ended(VerletStorage::Buffers, None) == images, "{place} on buffers");
        for tile in TILES {
            assert!(ended(VerletStorage::Buffers, Some(tile)) == images, "{place} by {tile:?}");
        }
    }
}

/// What is seen in the bits at all: each of these leaves others behind.
#[test]
fn what_acts_on_a_cloth_is_seen_in_its_bits() {
    let validated = Validated::open();
    let device = &validated.device;
    let grid = [("pins", "[0, 5, 36, 150, 151, 188, 400, 776]")];
    let bits = |keys: &[(&str, &str)]| {
        let simulation =
            kept(device, &scene(37, 21, &[&grid[..], keys].concat()), VerletStorage::Buffers, Some(TILES[0]));
        let state = ended(device, simulation);
        assert!(state.positions.iter().all(|position| position.is_finite()));
        state.positions
    };
    let all = bits(&[]);
    for other in [
        ("collider", "[{shape = 'sphere', radius = 0.001, position = [9, 9, 9]}]"),
        ("wind_flutter_frequency", "0.7"),
        ("pins", "[0, 5, 36, 150, 151, 400, 776]"),
        ("substeps", "12"),
    ] {
        assert!(bits(&[other]) != all, "{other:?}");
    }
}
