//! Cases with a known right answer for height fields, for any backend, as in `colliders.rs`.

use glam::{DVec2, DVec3, Quat, UVec2, Vec2, Vec3, Vec3Swizzles, Vec4};
use tautline::layout::Collider;

use super::cases::{
    GRAVITY, Make, PLANE, ROUNDING, SLOPE, Setup, TOUCH, assert_close, local, moving, sheet_on_slope, still,
};

const HEIGHT_FIELD: u32 = 4;

/// The nodes of a terrain: half its sides along x and z \[m\], columns and rows, and heights \[m\].
struct Terrain {
    half_sides: Vec2,
    grid_size: UVec2,
    heights: Vec<f32>,
}

impl Terrain {
    /// A square of `half_side`, with as many columns as rows, whose height is a function of x and z \[m\].
    fn new(half_side: f32, columns: u32, height: impl Fn(f32, f32) -> f32) -> Self {
        let at = |node: u32| (2.0 * node as f32 / (columns - 1) as f32 - 1.0) * half_side;
        let heights = (0..columns * columns).map(|node| height(at(node % columns), at(node / columns))).collect();
        Self { half_sides: Vec2::splat(half_side), grid_size: UVec2::splat(columns), heights }
    }

    /// What becomes of a collider that is none yet.
    fn shape(&self, collider: Collider) -> Collider {
        let highest = self.heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let size = Vec4::new(self.half_sides.x, highest, self.half_sides.y, 0.0);
        Collider { kind: HEIGHT_FIELD, size, grid_size: self.grid_size, ..collider }
    }

    /// The terrain at rest at the origin.
    fn still(&self, friction: f32) -> Collider {
        self.shape(still(HEIGHT_FIELD, Vec3::ZERO, friction, Vec3::ZERO, Quat::IDENTITY))
    }

    /// Distance from a point in the terrain's frame to the plane of the triangle above or below, positive above \[m\]; none
    /// beyond the border.
    fn distance(&self, point: DVec3) -> Option<f64> {
        let cells = (self.grid_size - 1).as_dvec2();
        let sides = 2.0 * self.half_sides.as_dvec2() / cells;
        let place = (point.xz() + self.half_sides.as_dvec2()) / sides;
        if place.min_element() < 0.0 || (place - cells).max_element() > 0.0 {
            return None;
        }
        let cell = place.floor().min(cells - 1.0);
        let node = |x: f64, z: f64| {
            let place = cell + DVec2::new(x, z);
            let height = self.heights[(place.y * (cells.x + 1.0) + place.x) as usize];
            let corner = place * sides - self.half_sides.as_dvec2();
            DVec3::new(corner.x, height.into(), corner.y)
        };
        let third = if place.x - cell.x >= place.y - cell.y { node(1.0, 0.0) } else { node(0.0, 1.0) };
        let normal = (node(1.0, 1.0) - node(0.0, 0.0)).cross(third - node(0.0, 0.0)).normalize();
        Some((point - node(0.0, 0.0)).dot(normal * normal.y.signum()))
    }
}

/// A sheet that falls and turns, slides and is carried on a terrain of equal heights ends where it does on a plane.
pub fn flat_terrain_is_a_plane(make: Make) {
    // Half a side of 1 m, the length that a plane's sweep measures by. 0.3 is no sum of powers of two.
    let terrain = Terrain::new(1.0, 9, |_, _| 0.3);
    for friction in [0.0, 0.4] {
        let mut setup = Setup::new(6, 6, 0.0625, 1.0 / 64.0, |x, z| Vec3::new(x, 0.35 + 0.2 * x, z));
        setup.gravity = Vec3::new(0.0, -GRAVITY as f32, 0.0);
        setup.velocities.fill(Vec4::new(0.7, 0.0, 0.4, 0.0));
        let mut ends = [HEIGHT_FIELD, PLANE].map(|kind| {
            setup.samples = if kind == HEIGHT_FIELD { terrain.heights.clone() } else { Vec::new() };
            let mut stepper = make(&setup);
            for step in 0..32 {
                let pose = |step: i32, height: f32| {
                    let rotation = Quat::from_rotation_y(0.02 * step as f32);
                    (Vec3::new(0.0, 0.002 * step as f32, 0.0) + height * Vec3::Y, rotation)
                };
                let height = if kind == PLANE { 0.3 } else { 0.0 };
                let collider = moving(PLANE, Vec3::ZERO, friction, pose(step, height), pose(step + 1, height));
                stepper.step(&[if kind == PLANE { collider } else { terrain.shape(collider) }], 1);
            }
            stepper.positions()
        });
        let [on_terrain, on_plane] = &mut ends;
        for (terrain, plane) in on_terrain.iter().zip(on_plane) {
            // 32 steps of about 32 operations more on lengths up to 1 m; an error of position stays as a velocity, and
            // so grows with the steps: sum of 1 to 32.
            let tolerance = 528.0 * 32.0 * ROUNDING;
            assert_close("from where it is on a plane [m]", terrain.distance(*plane).into(), 0.0, tolerance);
        }
    }
}

/// A hillside of 20 degrees that falls towards -x.
fn hillside() -> Terrain {
    Terrain::new(4.0, 33, |x, _| (SLOPE.tan() * f64::from(x)) as f32)
}

/// On a hillside of 20 degrees with coefficient 0.5 > tan 20 = 0.364, a particle and a sheet stay for a minute.
pub fn rest_on_hillside(make: Make) {
    let terrain = hillside();
    for size in [1, 4] {
        let mut setup = sheet_on_slope(size, Quat::from_rotation_z(SLOPE as f32));
        setup.samples.clone_from(&terrain.heights);
        let mut stepper = make(&setup);
        let steps = 60 * 64;
        stepper.step(&[terrain.still(0.5)], steps);
        for (position, start) in stepper.positions().iter().zip(&setup.positions) {
            // As on a plane, but with heights of up to 0.3 m within the cells around, and a start off the surface by
            // their rounding.
            let tolerance = f64::from(steps) * 8.0 * ROUNDING * 0.3;
            assert_close("creep in a minute [m]", position.distance(*start).into(), 0.0, tolerance);
        }
    }
}

/// On a hillside of 20 degrees with coefficient 0.2, a particle and a sheet slide with g (sin a - mu cos a) over many
/// triangles, as on a plane.
pub fn slide_on_hillside(make: Make) {
    let terrain = hillside();
    let downhill = DVec3::new(-SLOPE.cos(), -SLOPE.sin(), 0.0);
    for size in [1, 4] {
        let mut setup = sheet_on_slope(size, Quat::from_rotation_z(SLOPE as f32));
        setup.samples.clone_from(&terrain.heights);
        let mut stepper = make(&setup);
        let (steps, dt) = (64, 1.0 / 64.0);
        stepper.step(&[terrain.still(0.2)], steps);
        let acceleration = GRAVITY * (SLOPE.sin() - 0.2 * SLOPE.cos());
        let n = f64::from(steps);
        let expected = downhill * acceleration * dt * dt * n * (n + 1.0) / 2.0;
        for (position, start) in stepper.positions().iter().zip(&setup.positions) {
            let slid = (*position - *start).truncate().as_dvec3();
            // As on a plane; and a node's height of up to 1.5 m is rounded, which turns a triangle of 0.25 m by as much
            // more, and so its share of gravity.
            let turned = GRAVITY * 2.0 * ROUNDING / 0.25 * dt * dt * n * n / 2.0;
            let tolerance = 5.0 * 8_f64.sqrt() * ROUNDING * n.powf(1.5) + turned;
            assert_close("distance from where it should have slid [m]", slid.distance(expected), 0.0, tolerance);
        }
    }
}

/// Particles at 10 m/s and at 100 m/s do not go through a ridge of 1 m that is 2 cm wide at its foot.
pub fn thin_ridge_stops_particles(make: Make) {
    // The ridge is one row of nodes, at x = 0.
    let terrain = Terrain::new(0.5, 101, |x, _| if x.abs() < 0.005 { 1.0 } else { 0.0 });
    for speed in [10.0, 100.0] {
        for friction in [0.0, 1.0] {
            let starts: Vec<Vec3> = (0..32)
                .map(|index| {
                    Vec3::new(-0.05 - 0.01 * (index % 8) as f32, 0.1 + 0.02 * index as f32, 0.013 * index as f32)
                })
                .collect();
            let mut setup = Setup::loose(&starts, 1.0 / 64.0);
            setup.velocities.fill(Vec4::new(speed, 0.0, -0.1 * speed, 0.0));
            setup.samples.clone_from(&terrain.heights);
            let mut stepper = make(&setup);
            for step in 0..4 {
                stepper.step(&[terrain.still(friction)], 1);
                for position in stepper.positions() {
                    assert!(position.x <= 0.0, "in step {step} a particle is behind the ridge, at {position}");
                    let outside = terrain.distance(position.truncate().as_dvec3());
                    assert!(outside.is_none_or(|outside| outside > -32.0 * ROUNDING), "{outside:?} m inside");
                }
            }
        }
    }
}

/// A particle at 10 m/s that comes from beside a terrain stops at its wall, whatever the wall's direction.
pub fn walls_stop_particles(make: Make) {
    let terrain = Terrain::new(0.5, 5, |x, z| 1.0 + 0.2 * x - 0.3 * z);
    for turn in 0..4 {
        let rotation = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2 * turn as f32);
        let mut setup = Setup::loose(&[rotation * Vec3::new(-0.55, 0.4, 0.1)], 1.0 / 64.0);
        setup.velocities.fill((rotation * Vec3::new(10.0, 0.0, 0.0)).extend(0.0));
        setup.samples.clone_from(&terrain.heights);
        let mut stepper = make(&setup);
        for _ in 0..4 {
            stepper.step(&[terrain.still(0.0)], 1);
            let end = rotation.inverse() * stepper.positions()[0].truncate();
            // The particle's way is about 8 operations on lengths up to 1 m.
            let expected = Vec3::new(-0.5, 0.4, 0.1);
            assert_close("from the wall [m]", end.distance(expected).into(), 0.0, 2.0 * TOUCH * 0.5 + 8.0 * ROUNDING);
        }
    }
}

/// A particle that falls into a valley between two hillsides of 45 degrees is never below either, however fast it comes;
/// and one that falls straight down ends on the valley's floor, for what one hillside leaves of its velocity leads
/// straight into the other.
pub fn valleys_are_floors(make: Make) {
    let terrain = Terrain::new(1.0, 9, |x, _| x.abs());
    for friction in [0.0, 0.5] {
        for sideways in [0.0, 3.0, -20.0] {
            let mut setup = Setup::loose(&[Vec3::new(0.01, 0.2, 0.1), Vec3::new(-0.02, 0.1, -0.3)], 1.0 / 64.0);
            setup.gravity = Vec3::new(0.0, -GRAVITY as f32, 0.0);
            setup.velocities.fill(Vec4::new(sideways, -20.0, 0.0, 0.0));
            setup.samples.clone_from(&terrain.heights);
            let mut stepper = make(&setup);
            for _ in 0..64 {
                stepper.step(&[terrain.still(friction)], 1);
                for position in stepper.positions() {
                    let outside = terrain.distance(position.truncate().as_dvec3());
                    assert!(outside.is_none_or(|outside| outside > -32.0 * ROUNDING), "{outside:?} m inside");
                }
            }
            if sideways == 0.0 {
                for position in stepper.positions() {
                    // A sweep counts what is deeper than its margin.
                    assert_close("above the floor [m]", position.y.into(), 0.0, 2.0 * TOUCH);
                }
            }
        }
    }
}

/// After each step no particle of a sheet that falls on hills, while they climb and turn, is inside them.
pub fn nothing_is_inside_terrain_after_a_step(make: Make) {
    let terrain = Terrain::new(1.0, 17, |x, z| 0.2 * ((5.0 * x).sin() + (4.0 * z + 1.0).cos()));
    let mut setup = Setup::new(8, 8, 0.125, 1.0 / 256.0, |x, z| Vec3::new(x, 0.6, z));
    setup.gravity = Vec3::new(0.0, -GRAVITY as f32, 0.0);
    setup.substeps = 2;
    (setup.stiffness, setup.damping) = (2000.0, 4.0);
    setup.samples.clone_from(&terrain.heights);
    let mut stepper = make(&setup);
    let pose = |step: u32| {
        let time = step as f32 / 128.0;
        (Vec3::new(0.0, -0.25 + 0.5 * time, 0.0), Quat::from_rotation_y(time) * Quat::from_rotation_x(0.3 * time))
    };
    let mut touching = 0;
    for step in 0..128 {
        let collider = terrain.shape(moving(HEIGHT_FIELD, Vec3::ZERO, 0.3, pose(step), pose(step + 1)));
        stepper.step(&[collider], 1);
        for position in stepper.positions() {
            let outside = terrain.distance(local(&collider, position));
            // About 16 operations on lengths up to 2 m.
            let tolerance = 16.0 * ROUNDING * 2.0;
            assert!(outside.is_none_or(|outside| outside >= -tolerance), "step {step}: {outside:?} m inside");
            touching += u32::from(outside.is_some_and(|outside| outside < 1e-4));
        }
    }
    assert!(touching > 1000, "the sheet hardly touches: {touching} times");
}
