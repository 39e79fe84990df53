//! A cloth that falls on a bunny of 12,200 triangles, measured against those and not against its field.

mod common;

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use common::{Validated, load, run};
use glam::{DQuat, DVec3, Vec4};
use tautline::io::read_mesh;
use tautline::model::closest_on_triangle;
use tautline::scene::Scene;

/// The file, where it is there.
fn bunny() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/bunny-m.obj");
    if !path.exists() {
        assert!(std::env::var_os("TAUTLINE_REQUIRE_SHARED").is_none(), "{} is missing", path.display());
        println!("{} is missing, so that nothing falls on it", path.display());
        return None;
    }
    Some(path)
}

/// Metres in a unit of the file.
const SCALE: f32 = 0.55;

/// Where the bunny sits \[m\].
const PLACE: DVec3 = DVec3::new(0.08, -1.25, 0.92);

/// A sheet of 65 x 65 particles above the bunny, which from 0.5 to 1.5 s turns by 60 degrees if it is said to.
fn scene(bunny: &Path, turns: bool) -> Scene {
    let DVec3 { x, y, z } = PLACE;
    let place = if turns {
        format!("path = [[0.5, {x}, {y}, {z}, 0, 1, 0, 0], [1.5, {x}, {y}, {z}, 0, 1, 0, 60]]")
    } else {
        format!("position = [{x}, {y}, {z}]")
    };
    let mesh = bunny.display();
    let solid = format!("{{shape = 'mesh', mesh = '{mesh}', scale = {SCALE}, friction = 0.4, {place}}}");
    let floor = format!("{{shape = 'plane', position = [0, {y}, 0], friction = 0.5}}");
    load("drape", &[("substeps", "6"), ("iterations", "6"), ("collider", &format!("[{solid}, {floor}]"))])
}

/// The triangles of the bunny where it sits.
fn triangles(bunny: &Path) -> Vec<[DVec3; 3]> {
    let mesh = read_mesh(bunny).unwrap();
    let place = |vertex: u32| (mesh.positions[vertex as usize] * SCALE).as_dvec3() + PLACE;
    mesh.corners.as_chunks().0.iter().map(|triangle: &[u32; 3]| triangle.map(place)).collect()
}

/// How often the triangles go around a point: 1 inside and 0 outside.
/// Source: van Oosterom and Strackee 1983, "The Solid Angle of a Plane Triangle".
fn winding_number(point: DVec3, triangles: &[[DVec3; 3]]) -> f64 {
    let solid_angle = |triangle: &[DVec3; 3]| {
        let [a, b, c] = triangle.map(|corner| corner - point);
        let [la, lb, lc] = [a, b, c].map(DVec3::length);
        2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    triangles.iter().map(solid_angle).sum::<f64>() / (4.0 * PI)
}

/// Fails where a particle is deeper inside than the field may be off; returns how many touch the bunny.
fn assert_none_inside(what: &str, positions: &[Vec4], triangles: &[[DVec3; 3]]) -> usize {
    // 64 cells along the longest side.
    let corners = || triangles.iter().flatten();
    let greatest = corners().copied().reduce(DVec3::max).unwrap() - corners().copied().reduce(DVec3::min).unwrap();
    let cell = greatest.max_element() / 64.0;
    // The field is looked at on the mesh every eighth of a cell: between two places it may be off by half its second
    // derivatives, at most 2.5 / h each, times a quarter of that squared, along three pairs of axes. And the kernel lets
    // 1e-5 of its size pass, and rounds lengths of 2 m.
    let tolerance = cell * 3.0 * 2.5 / 4.0 / 64.0 + 1e-5 + 1e-6;
    let mut touching = 0;
    for position in positions {
        let point = position.truncate().as_dvec3();
        let distance = || {
            let distances = triangles.iter().map(|corners| closest_on_triangle(point, *corners).0.distance(point));
            distances.fold(f64::INFINITY, f64::min)
        };
        let distance = distance();
        touching += usize::from(distance < cell);
        if distance > tolerance {
            let winding = winding_number(point, triangles);
            assert!(winding < 0.5, "{what}: {distance} m inside at {point}, where {tolerance} m are allowed");
        }
    }
    touching
}

#[test]
fn a_cloth_lies_on_the_bunny_and_not_in_it() {
    let Some(bunny) = bunny() else { return };
    let (scene, triangles) = (scene(&bunny, false), triangles(&bunny));
    assert!((winding_number(PLACE + DVec3::new(0.0, 0.3, 0.0), &triangles) - 1.0).abs() < 1e-9, "it sits there");
    let validated = Validated::open();
    let mut on_device = scene.simulation(&validated.device).unwrap();
    let mut on_cpu = scene.cpu_simulation().unwrap();
    // While it falls onto the ears, and as it has come down.
    for second in 1..=2 {
        run(&validated.device, &mut on_device, 60);
        (0..60).for_each(|_| {
            on_cpu.advance();
        });
        for (what, positions) in [("device", on_device.positions().unwrap()), ("CPU", on_cpu.positions())] {
            let touching = assert_none_inside(&format!("{what}, {second} s"), &positions, &triangles);
            println!("{what}, {second} s: {touching} touch");
            assert!(touching > 200, "{what}, {second} s: only {touching} touch the bunny");
        }
    }
}

#[test]
fn a_bunny_that_turns_takes_the_cloth_along_in_the_same_bits() {
    let Some(bunny) = bunny() else { return };
    let scene = scene(&bunny, true);
    let validated = Validated::open();
    let ends = [(); 2].map(|()| {
        let mut simulation = scene.simulation(&validated.device).unwrap();
        run(&validated.device, &mut simulation, 90);
        simulation.positions().unwrap()
    });
    assert!(bytemuck::cast_slice::<_, u8>(&ends[0]) == bytemuck::cast_slice::<_, u8>(&ends[1]), "other bits");
    // Turned back by as much, the bunny is where it was, and none is inside it.
    let turned_back = |position: &Vec4| {
        let from = position.truncate().as_dvec3() - PLACE;
        (DQuat::from_rotation_y(-PI / 3.0) * from + PLACE).as_vec3().extend(0.0)
    };
    let seen: Vec<Vec4> = ends[0].iter().map(turned_back).collect();
    let touching = assert_none_inside("turned", &seen, &triangles(&bunny));
    assert!(touching > 200, "{touching} touch the bunny");
    // What lies on its upper half has gone along: it is where it lies on a bunny that rests, turned.
    let mut resting = self::scene(&bunny, false).simulation(&validated.device).unwrap();
    run(&validated.device, &mut resting, 90);
    let resting = resting.positions().unwrap();
    let on_bunny = (0..seen.len()).filter(|&index| resting[index].y > (PLACE.y + 0.5) as f32);
    let (mut carried, mut left) = (0.0, 0.0);
    for index in on_bunny {
        let from = |positions: &[Vec4]| (positions[index] - resting[index]).truncate().length();
        (carried, left) = (carried + from(&seen), left + from(&ends[0]));
    }
    assert!(
        carried < 0.5 * left,
        "{carried} m in all from where they were carried, {left} m from where they were left"
    );
}
