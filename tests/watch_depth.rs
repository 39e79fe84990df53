//! How deep a look finds particles inside colliders of each shape, held against distances by hand, on every solver and storage.

mod common;
#[path = "common/looks.rs"]
mod looks;
#[path = "common/solids.rs"]
mod solids;

use common::{Validated, run, start};
use glam::{DQuat, DVec3, Vec3};
use looks::{look, storages};
use tautline::layout::Look;
use tautline::model::Pins;
use tautline::solver::{State, Watch};

/// A shape as scenes have it, where it is at 1 s, by how many degrees it is turned about which axis, and places in its own frame,
/// each with its depth \[m\].
type Case = (&'static str, DVec3, (DVec3, f64), &'static [([f64; 3], f64)]);

/// Of which none reaches into another; all but the plane in front of it.
const CASES: [Case; 7] = [
    (
        "shape = 'sphere', radius = 0.3",
        DVec3::new(0.0, 0.0, 0.0),
        (DVec3::Z, 30.0),
        &[([0.0, 0.0, 0.1], 0.2), ([0.03, -0.04, 0.12], 0.17)],
    ),
    // From a radius of 0.5 to one of 0.2 in 0.5: the side leans by 0.6 along the axis and 0.8 away from it.
    (
        "shape = 'capsule', radii = [0.5, 0.2], length = 0.5",
        DVec3::new(4.0, 0.0, 0.0),
        (DVec3::X, 70.0),
        &[
            // 0.1 beside the axis and 0.25 along it, 0.8 * 0.1 + 0.6 * 0.25 less than the radius.
            ([0.06, 0.0, 0.08], 0.27),
            // 0.2 from the lower centre, and 0.1 from the upper one, beyond each.
            ([0.12, -0.25 - 0.16, 0.0], 0.3),
            ([0.0, 0.25 + 0.1, 0.0], 0.1),
        ],
    ),
    (
        "shape = 'capsule', radius = 0.2, length = 0.6",
        DVec3::new(8.0, 0.0, 0.0),
        (DVec3::ONE, 200.0),
        &[([0.03, 0.25, -0.04], 0.15), ([0.0, -0.42, 0.05], 0.07)],
    ),
    (
        "shape = 'plane'",
        DVec3::new(-4.0, 0.0, 0.0),
        (DVec3::Z, -60.0),
        &[([2.0, -0.4, 1.0], 0.4), ([-1.0, -0.01, 3.0], 0.01)],
    ),
    (
        "shape = 'box', sides = [0.6, 0.4, 0.2]",
        DVec3::new(0.0, 0.0, 4.0),
        (DVec3::Y, 110.0),
        &[([0.1, 0.15, 0.02], 0.05), ([-0.28, 0.1, 0.05], 0.02), ([0.0, 0.0, -0.03], 0.07)],
    ),
    // A slope that rises 3 in 4, and level ground 1.2 high behind it.
    (
        "shape = 'height-field', heights = [[0, 1, 1], [0, 1, 1]], sides = [3.2, 1.2, 1.6]",
        DVec3::new(4.0, 0.0, 4.0),
        (DVec3::Z, 25.0),
        &[
            // 0.25 below the slope, whose normal has a y of 0.8.
            ([-0.8, 0.35, 0.1], 0.2),
            ([0.8, 1.1, -0.3], 0.1),
            // The wall is nearer than the ground above.
            ([1.55, 0.2, 0.0], 0.05),
            ([0.4, 0.5, -0.77], 0.03),
        ],
    ),
    // One face is the nearest of the whole cell, so that the distance is linear there.
    (
        "shape = 'mesh', mesh = 'FOLDER/block.obj', scale = 1, cells = 16",
        DVec3::new(8.0, 0.0, 4.0),
        (DVec3::new(1.0, 0.0, 1.0), 50.0),
        &[([0.1, 0.24, 0.0], 0.06), ([-0.37, 0.02, -0.04], 0.03), ([0.04, -0.05, 0.12], 0.08)],
    ),
];
/// Rounding of 16 operations on lengths of up to 16 m \[m\].
const TOLERANCE: f64 = 16.0 * 16.0 * (f32::EPSILON / 2.0) as f64;

/// The colliders of all cases, which come from elsewhere, turning, to where they are at 1 s.
fn colliders(folder: &std::path::Path) -> String {
    let collider = |(shape, at, (axis, degrees), _): Case| {
        let shape = shape.replace("FOLDER", folder.to_str().unwrap());
        let [x, y, z] = axis.to_array();
        let from = at + DVec3::new(0.5, 0.25, -0.5);
        format!(
            "{{{shape}, path = [[0, {}, {}, {}, {x}, {y}, {z}, 0], [1, {}, {}, {}, {x}, {y}, {z}, {degrees}]]}}",
            from.x, from.y, from.z, at.x, at.y, at.z
        )
    };
    format!("[{}]", CASES.map(collider).join(", "))
}

/// Everything is held where it is put, and colliders go over it: what is found is of where they are after the step.
#[test]
fn depth_is_that_of_the_deepest_particle_inside_each_shape() {
    const DEEPEST: u32 = 40;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("block.obj"), solids::obj(&solids::block(Vec3::new(0.4, 0.3, 0.2)))).unwrap();
    let validated = Validated::open();
    let device = &validated.device;
    for mut scene in storages(&colliders(folder.path())) {
        scene.dt = 1.0 / 64.0;
        for on_cpu in [false, true] {
            let told = format!("{} in {:?}, path {:?}, on the CPU: {on_cpu}", scene.solver, scene.storage, scene.path);
            let mut simulation = start(device, &scene, on_cpu);
            let mut watch = Watch::new(device, &simulation).unwrap();
            let start = simulation.state().unwrap();
            let count = start.positions.len();
            let outside = |index: u32| Vec3::new(index as f32 / 64.0, 12.0, 0.0);
            let mut look_with = |places: &[(u32, Vec3)]| {
                let mut positions: Vec<Vec3> = (0..count as u32).map(outside).collect();
                places.iter().for_each(|&(particle, place)| positions[particle as usize] = place);
                let (velocities, previous) = (vec![Vec3::ZERO; count], positions.clone());
                let pins = Pins::of_changes((0..count as u32).map(|particle| (particle, true)));
                let state = State { time: 63.0 / 64.0, positions, velocities, previous, pins, ..start.clone() };
                simulation.go_on_from(&state).unwrap();
                run(device, &mut simulation, 1);
                assert_eq!(simulation.state().unwrap().positions, state.positions, "{told}: they are held");
                look(device, &mut watch, &mut simulation)
            };
            let found = look_with(&[]);
            assert_eq!((found.depth, found.depth_particle), (0.0, Look::NONE), "{told}");
            for (shape, at, (axis, degrees), places) in CASES {
                let rotation = DQuat::from_axis_angle(axis.normalize(), degrees.to_radians());
                let put = |place: [f64; 3]| (at + rotation * DVec3::from(place)).as_vec3();
                for &(place, depth) in places {
                    // With one before and one behind it that are less deep, inside the sphere.
                    let shallow = CASES[0].1.as_vec3() + Vec3::new(0.0, 0.0, 0.295);
                    let found = look_with(&[(7, shallow), (DEEPEST, put(place)), (90, shallow)]);
                    let told = format!("{told}: {shape} at {place:?}: {} m by {}", found.depth, found.depth_particle);
                    assert!((f64::from(found.depth) - depth).abs() < TOLERANCE, "{told}, not {depth}");
                    assert_eq!(found.depth_particle, DEEPEST, "{told}");
                }
            }
        }
    }
}
