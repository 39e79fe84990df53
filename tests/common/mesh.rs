//! Cases with a known right answer for meshes, for any backend, as in `colliders.rs`.

use glam::{DQuat, DVec3, Quat, Vec3, Vec4};
use tautline::layout::Collider;
use tautline::model::SignedDistance;

use super::cases::{
    BOX, GRAVITY, Make, ROUNDING, SLOPE, Setup, TOUCH, assert_close, local, moving, oblique, sheet_on_slope, still,
};
use super::solids::{Solid, block, bracket};

/// A collider that becomes a mesh.
const MESH: u32 = 5;

fn put(solid: &Solid, setup: &mut Setup) {
    setup.samples = solid.field.distances().to_vec();
    setup.solid = Some(solid.model());
}

/// By how much of a cell the surface of a field may be inside the mesh, between the places at which it was looked for: half
/// the second derivatives, 2.5 / h, times a quarter of 1/8 of a cell squared, along three pairs of axes.
const BETWEEN_PLACES: f64 = 3.0 * 2.5 / 4.0 / 64.0;

/// A sheet that falls and turns, slides and is carried on the mesh of a box ends where it does on a box.
pub fn mesh_of_a_box_is_a_box(make: Make) {
    let half_sides = Vec3::new(1.0, 0.25, 1.0);
    // So that the faces lie anywhere in the cells.
    let solid = Solid::new(block(half_sides), 25);
    for friction in [0.0, 0.4] {
        let mut setup = Setup::new(6, 6, 0.0625, 1.0 / 64.0, |x, z| Vec3::new(x, 0.35 + 0.2 * x, z));
        setup.gravity = Vec3::new(0.0, -GRAVITY as f32, 0.0);
        setup.velocities.fill(Vec4::new(0.7, 0.0, 0.4, 0.0));
        put(&solid, &mut setup);
        let mut ends = [BOX, MESH].map(|kind| {
            let mut stepper = make(&setup);
            for step in 0..32 {
                let pose = |step: i32| {
                    let rotation = Quat::from_rotation_y(0.02 * step as f32);
                    (Vec3::new(0.0, 0.002 * step as f32, 0.0), rotation)
                };
                let collider = moving(BOX, half_sides, friction, pose(step), pose(step + 1));
                stepper.step(&[if kind == BOX { collider } else { solid.shape(collider) }], 1);
            }
            stepper.positions()
        });
        let [on_box, on_mesh] = &mut ends;
        let lowest = on_box.iter().map(|position| position.y).fold(f32::INFINITY, f32::min);
        assert!((lowest - 0.25 - 0.064).abs() < 1e-3, "the sheet does not lie on the box: {lowest}");
        for (on_mesh, on_box) in on_mesh.iter().zip(on_box) {
            // As on terrain: 32 steps of about 32 operations more on lengths up to 1 m; an error of position stays as a
            // velocity, and so grows with the steps.
            let tolerance = 528.0 * 32.0 * ROUNDING;
            assert_close("from where it is on a box [m]", on_mesh.distance(*on_box).into(), 0.0, tolerance);
        }
    }
}

/// The mesh of a box of 4 m, whose upper face is a slope of 20 degrees through the origin that falls towards -x.
fn slope(friction: f32) -> (Solid, Collider, Quat) {
    let half_sides = Vec3::new(2.0, 0.25, 2.0);
    let solid = Solid::new(block(half_sides), 25);
    let rotation = Quat::from_rotation_z(SLOPE as f32);
    let collider = solid.shape(still(MESH, Vec3::ZERO, friction, rotation * Vec3::new(0.0, -0.25, 0.0), rotation));
    (solid, collider, rotation)
}

/// On a slope of 20 degrees with coefficient 0.5 > tan 20 = 0.364, a particle and a sheet stay for a minute.
pub fn rest_on_mesh(make: Make) {
    for size in [1, 4] {
        let (solid, collider, rotation) = slope(0.5);
        let mut setup = sheet_on_slope(size, rotation);
        put(&solid, &mut setup);
        let mut stepper = make(&setup);
        let steps = 60 * 64;
        stepper.step(&[collider], steps);
        for (position, start) in stepper.positions().iter().zip(&setup.positions) {
            // As on a plane, but with lengths of up to 0.3 m to the frame of the mesh.
            let tolerance = f64::from(steps) * 8.0 * ROUNDING * 0.3;
            assert_close("creep in a minute [m]", position.distance(*start).into(), 0.0, tolerance);
        }
    }
}

/// On a slope of 20 degrees with coefficient 0.2, a particle and a sheet slide with g (sin a - mu cos a) over many cells, as
/// on a plane.
pub fn slide_on_mesh(make: Make) {
    let downhill = DVec3::new(-SLOPE.cos(), -SLOPE.sin(), 0.0);
    for size in [1, 4] {
        let (solid, collider, rotation) = slope(0.2);
        let mut setup = sheet_on_slope(size, rotation);
        put(&solid, &mut setup);
        let mut stepper = make(&setup);
        let (steps, dt) = (64, 1.0 / 64.0);
        stepper.step(&[collider], steps);
        let acceleration = GRAVITY * (SLOPE.sin() - 0.2 * SLOPE.cos());
        let n = f64::from(steps);
        let expected = downhill * acceleration * dt * dt * n * (n + 1.0) / 2.0;
        for (position, start) in stepper.positions().iter().zip(&setup.positions) {
            let slid = (*position - *start).truncate().as_dvec3();
            // As on a plane; and distances of up to 0.25 m are rounded, which turns the normal in a cell of 0.16 m by as much
            // more, and so its share of gravity.
            let turned = GRAVITY * 2.0 * ROUNDING * 0.25 / 0.16 * dt * dt * n * n / 2.0;
            let tolerance = 5.0 * 8_f64.sqrt() * ROUNDING * n.powf(1.5) + turned;
            assert_close("distance from where it should have slid [m]", slid.distance(expected), 0.0, tolerance);
        }
    }
}

/// Particles at 100 m/s do not go through plates that are thinner than a cell, wherever those lie among the nodes; they may
/// bounce off, as where a plate lies slanted its field is uneven.
pub fn thin_mesh_stops_particles(make: Make) {
    let dt = 1.0 / 64.0;
    for (half_thickness, slant) in [(0.005, 0.0), (0.0005, 0.0), (0.005, 0.4), (0.0005, 0.4)] {
        // Turned within its own frame, so that the plate lies across the grid.
        let turn = Quat::from_rotation_z(slant) * Quat::from_rotation_x(0.7 * slant);
        let flat = block(Vec3::new(0.5, half_thickness, 0.5));
        let turned: Vec<Vec3> = flat.positions().iter().map(|position| turn * *position).collect();
        let solid = Solid::new(tautline::model::ClosedMesh::new(&turned, flat.triangles()).unwrap(), 16);
        let cell = f64::from(solid.field.grid().cell());
        for rotation in [Quat::IDENTITY, oblique()] {
            let collider = solid.shape(still(MESH, Vec3::ZERO, 1.0, Vec3::new(0.25, -0.5, 0.125), rotation));
            let starts = [1.0, 0.3].iter().flat_map(|height| {
                (0..16).map(move |index| {
                    Vec3::new(0.043 * index as f32 - 0.35, half_thickness + height, 0.1 - 0.021 * index as f32)
                })
            });
            let to_world = |place: Vec3| rotation * (turn * place) + collider.end_position.truncate();
            let mut setup = Setup::loose(&starts.map(to_world).collect::<Vec<_>>(), dt);
            for sideways in [0.0, 0.1] {
                let velocity = rotation * (turn * (Vec3::new(sideways, -1.0, 0.0).normalize() * 100.0));
                setup.velocities.fill(velocity.extend(0.0));
                put(&solid, &mut setup);
                let mut stepper = make(&setup);
                for _ in 0..4 {
                    stepper.step(&[collider], 1);
                    for position in stepper.positions() {
                        let place = turn.as_dquat().inverse() * local(&collider, position);
                        let height = place.y - f64::from(half_thickness);
                        let least = -BETWEEN_PLACES * cell - TOUCH;
                        assert!(height >= least, "{height} m above the plate, at {place}");
                    }
                }
            }
        }
    }
}

/// A particle that comes into the inner corner of an L does not go through, however fast it comes; at 1 m/s, which the corner,
/// rounded off by interpolation, turns towards 12 cm at most along either side against 4 m/s², it comes to rest there.
pub fn inner_corners_hold_particles(make: Make) {
    let solid = Solid::new(bracket(), 24);
    for friction in [0.0, 0.5] {
        for speed in [1.0, 30.0] {
            let mut setup = Setup::loose(&[Vec3::new(1.5, 1.4, 0.5), Vec3::new(1.1, 1.9, 0.4)], 1.0 / 64.0);
            setup.gravity = Vec3::new(-4.0, -8.0, 0.0);
            setup.velocities.fill(Vec4::new(-speed, -speed, 0.0, 0.0));
            put(&solid, &mut setup);
            let mut stepper = make(&setup);
            for _ in 0..128 {
                stepper.step(&[solid.shape(still(MESH, Vec3::ZERO, friction, Vec3::ZERO, Quat::IDENTITY))], 1);
                for position in stepper.positions() {
                    let distance = solid.field.at(position.truncate());
                    assert!(f64::from(distance) > -32.0 * ROUNDING, "{distance} m inside, at {position}");
                }
            }
            if friction == 0.0 && speed == 1.0 {
                for position in stepper.positions() {
                    // Towards a concave edge the surface of the field is rounded off: at most by half the diagonal of a cell.
                    let rounded = 2.0 / 24.0 * 0.75_f32.sqrt();
                    assert!(position.x < 1.0 + rounded && position.y < 1.0 + rounded, "not in the corner: {position}");
                }
            }
        }
    }
}

/// A mesh with coefficient 1 that drifts, climbs and turns carries particles on its upper face as if they were part of it, as
/// a plane does.
pub fn mesh_carries(make: Make) {
    let solid = Solid::new(block(Vec3::new(1.0, 0.25, 1.0)), 25);
    for substeps in [1, 4] {
        let (drift, spin, step_dt) = (DVec3::new(0.25, 0.125, -0.5), 2.0, 1.0 / 64.0);
        let starts = [Vec3::new(0.5, 0.0, 0.0), Vec3::new(-0.25, 0.0, 0.625), Vec3::ZERO];
        let mut setup = Setup::loose(&starts, step_dt / f64::from(substeps));
        for (velocity, start) in setup.velocities.iter_mut().zip(starts) {
            *velocity = (drift + spin * DVec3::Y.cross(start.as_dvec3())).as_vec3().extend(0.0);
        }
        setup.substeps = substeps;
        setup.gravity = Vec3::new(0.0, -GRAVITY as f32, 0.0);
        put(&solid, &mut setup);
        let mut stepper = make(&setup);
        let pose = |step: u32| {
            let time = f64::from(step) * step_dt;
            (drift * time, DQuat::from_rotation_y(spin * time))
        };
        for step in 0..128 {
            let f32_pose =
                |(position, rotation): (DVec3, DQuat)| ((position - 0.25 * DVec3::Y).as_vec3(), rotation.as_quat());
            let collider = moving(MESH, Vec3::ZERO, 1.0, f32_pose(pose(step)), f32_pose(pose(step + 1)));
            stepper.step(&[solid.shape(collider)], 1);
        }
        let (position, rotation) = pose(128);
        for (particle, start) in stepper.positions().iter().zip(starts) {
            let expected = position + rotation * start.as_dvec3();
            let distance = particle.truncate().as_dvec3().distance(expected);
            // As on a plane, twice as many operations.
            let tolerance = f64::from(128 * substeps) * 32.0 * ROUNDING + 2.0 * TOUCH;
            assert_close("from where the mesh has gone [m]", distance, 0.0, tolerance);
        }
    }
}

/// After each step no particle of a sheet that falls on an L, while that climbs and turns, is inside it.
pub fn nothing_is_inside_a_mesh_after_a_step(make: Make) {
    let solid = Solid::new(bracket(), 32);
    let exact = SignedDistance::new(&solid.surface);
    let mut setup = Setup::new(12, 12, 0.125, 1.0 / 256.0, |x, z| Vec3::new(x, 1.0, z));
    setup.gravity = Vec3::new(0.0, -GRAVITY as f32, 0.0);
    setup.substeps = 2;
    (setup.stiffness, setup.damping) = (2000.0, 4.0);
    put(&solid, &mut setup);
    let mut stepper = make(&setup);
    let pose = |step: u32| {
        let time = step as f32 / 128.0;
        (Vec3::new(-0.7, -1.35 + 0.5 * time, -0.5), Quat::from_rotation_z(0.3 * time) * Quat::from_rotation_x(0.1))
    };
    let mut touching = 0;
    for step in 0..128 {
        let collider = solid.shape(moving(MESH, Vec3::ZERO, 0.3, pose(step), pose(step + 1)));
        stepper.step(&[collider], 1);
        for position in stepper.positions() {
            let place = local(&collider, position);
            let of_field = f64::from(solid.field.at(place.as_vec3()));
            // About 32 operations on lengths up to 2 m.
            assert!(of_field >= -32.0 * ROUNDING * 2.0, "step {step}: {of_field:e} m inside the field");
            let outside = exact.at(place);
            let tolerance = BETWEEN_PLACES * f64::from(solid.field.grid().cell()) + 32.0 * ROUNDING * 2.0;
            assert!(outside >= -tolerance, "step {step}: {outside:e} m inside the mesh");
            touching += u32::from(of_field < 1e-4);
        }
    }
    assert!(touching > 1000, "the sheet hardly touches: {touching} times");
}
