//! Meshes of files: their unit and axes, and pins in the numbering of the file.

use super::*;
use crate::model::{Body, UpAxis};

/// Two quads side by side, hung up in the file's unit; the second has its vertices to itself, as another smoothing group may.
/// Group `left` holds the left edge, and red is painted at the right one.
fn strip(unit: f32) -> String {
    let vertex = |x: f32, y: f32, red: f32| format!("v {} {} 0 {red} 0 0\n", x / unit, y / unit);
    let left = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5)];
    let right = [(1.0, 0.0), (2.0, 0.0), (2.0, 0.5), (1.0, 0.5)];
    let vertices = left.into_iter().chain(right).map(|(x, y)| vertex(x, y, if x == 2.0 { 0.8 } else { 0.2 }));
    vertices.collect::<String>() + "f 1 2 3 4\nf 5 6 7 8\ng left\nf 1 4 2\n"
}

/// The particles of a mesh that are held, and those of each attachment, as vertices of its file.
fn held(scene: &Scene) -> (Vec<u32>, Vec<Vec<u32>>) {
    let cloth = scene.cloth().expect("a cloth");
    let particles = scene.scene_mesh().expect("a mesh").expect("one").prepared.particles.clone();
    let vertices = |is_meant: &dyn Fn(u32) -> bool| -> Vec<u32> {
        (0..).zip(&particles).filter(|(_, particle)| is_meant(**particle)).map(|(vertex, _)| vertex).collect()
    };
    let pinned = vertices(&|particle| cloth.positions[particle as usize].w == 0.0);
    let attached = cloth
        .attachments
        .iter()
        .map(|attachment| vertices(&|particle| attachment.particles.iter().any(|attached| attached.index == particle)));
    (pinned, attached.collect())
}

#[test]
fn pins_speak_the_numbering_of_the_file() {
    let (_folder, path) = written("strip.obj", strip(1.0));
    let path = path.to_str().expect("a path");
    let with = |settings: &[&str]| held(&load(path, settings).expect("a scene"));
    // Without a table it hangs by its top, which is vertices 2, 3, 6 and 7; 1 and 4 are welded, and so are 2 and 7.
    assert_eq!(with(&[]).0, [2, 3, 6, 7]);
    assert_eq!(with(&["pins=none"]).0, Vec::<u32>::new());
    assert_eq!(with(&["pins=none", "pin=[{particles = [4]}]"]).0, [1, 4]);
    assert_eq!(with(&["pins=none", "pin=[{particles = [5, 7]}]"]).0, [2, 5, 7]);
    assert_eq!(with(&["pins=none", "pin=[{group = 'left'}]"]).0, [0, 1, 3, 4]);
    assert_eq!(with(&["pins=none", "pin=[{attribute = 'color.r'}]"]).0, [5, 6]);
    assert_eq!(with(&["pins=none", "pin=[{attribute = 'color.r', above = 0.1}]"]).0, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(
        with(&["pins=none", "pin=[{box = [[1.5, 0, 0], [3, 1, 0]], release = 1}]"]),
        (vec![5, 6], vec![vec![5, 6]])
    );
}

#[test]
fn what_a_collider_carries_goes_where_it_goes() {
    let (_folder, path) = written("strip.obj", strip(1.0));
    let ball = "collider=[{shape = 'plane', position = [0, -9, 0]}, {shape = 'sphere', radius = 0.1, path = [[0, 2, 0, 0], \
                [1, 2, 0, 3]]}]";
    let pin = "pin=[{attribute = 'color.r', collider = 2}]";
    let scene = load(path.to_str().expect("a path"), &["pins=none", pin, ball, "gravity=[0, 0, 0]", "dt=0.01"]);
    let mut simulation = scene.expect("a scene").cpu_simulation().expect("a simulation");
    (0..50).for_each(|_| drop(simulation.advance()));
    // Half a second of 3 m/s along z; vertex 5 started at the ball's centre.
    let place = simulation.positions()[4].truncate();
    assert!(place.distance(Vec3::new(2.0, 0.0, 1.5)) < 1e-5, "{place}");
}

#[test]
fn wrong_pins_of_meshes_are_told_with_what_the_file_has() {
    let (_folder, path) = written("strip.obj", strip(1.0));
    let source = path.to_str().expect("a path");
    let told = |source: &str, tables: &str| {
        let scene = load(source, &[&format!("pin=[{tables}]")]).expect("tables");
        scene.cloth().expect_err(tables).to_string().replace(&path.display().to_string(), "*")
    };
    for (table, expected) in [
        ("{particles = [8]}", "`pin 1: particles` must be indices from 0 to 7 of 8 vertices in *, not 8"),
        ("{group = 'right'}", "`pin 1: group` must be one of the groups in *: \"left\", not \"right\""),
        (
            "{attribute = 'weight'}",
            "`pin 1: attribute` must be one of the attributes in *: \"color.r\", \"color.g\", \"color.b\", not \"weight\"",
        ),
        ("{attribute = 'color.g'}", "`pin 1: attribute` must be such that it holds at least one particle, not empty"),
        ("{row = 0}", "`pin 1: row` must be left out where the cloth is not one grid, not given"),
        ("{group = 'left', above = 0.5}", "`pin 1: above` must be left out where `attribute` is not given, not given"),
        (
            "{group = 'left', collider = 1}",
            "`pin 1: collider` must be left out where the scene has no `[[collider]]`, not 1",
        ),
    ] {
        assert_eq!(told(source, table), format!("the scene `strip`: {expected}"));
    }
    for key in ["group", "attribute"] {
        let expected =
            format!("the scene `flag`: `pin 1: {key}` must be left out where the cloth is a grid, not given");
        assert_eq!(told("flag", &format!("{{{key} = 'a'}}")), expected);
    }
    let ball = "collider=[{shape = 'sphere', radius = 1}]";
    for (pin, expected) in [
        ("pin=[{row = 0, collider = 2}]", "`pin 1: collider` must be the number of a collider, from 1 to 1, not 2"),
        (
            "pin=[{row = 0, collider = 1, path = [[0, 0, 0, 0]]}]",
            "`pin 1: path` must be left out where `collider` is given, not given",
        ),
    ] {
        let error = load("flag", &[ball, pin]).expect("tables").cloth().expect_err(pin).to_string();
        assert_eq!(error, format!("the scene `flag`: {expected}"));
    }
}

#[test]
fn units_and_axes_are_guessed_told_and_set() {
    let summary = |unit: f32, settings: &[&str]| {
        let (folder, path) = written("strip.obj", strip(unit));
        let scene = load(path.to_str().expect("a path"), settings).expect("a scene");
        let mesh = scene.scene_mesh().expect("a mesh").expect("one");
        let baked = scene.baked_shape(&Body::Cloth(scene.cloth().expect("a cloth"))).expect("a shape");
        (mesh.summary().replace(&folder.path().display().to_string(), ""), mesh, baked)
    };
    let welded = "; 2 vertices welded to others of a seam";
    let guessed = "guessed from its size (--scale sets it)";
    for (unit, name) in [(1.0, "metres"), (0.01, "centimetres"), (0.001, "millimetres")] {
        let (told, mesh, _) = summary(unit, &[]);
        let expected =
            format!("/strip.obj: 8 vertices and 3 faces, 2.000 x 0.500 x 0.000 m, y up, in {name}, {guessed}{welded}");
        assert_eq!(told, expected);
        assert_eq!(mesh.preparation.metres_per_unit, unit);
    }
    let (told, mesh, baked) = summary(1.0, &["scale=0.5", "up=z"]);
    assert_eq!(
        told,
        format!("/strip.obj: 8 vertices and 3 faces, 1.000 x 0.000 x 0.250 m, z up, in units of 0.5 m{welded}")
    );
    assert_eq!(mesh.preparation.up, UpAxis::Z);
    // Where the particles are now, the file would have its vertices: in its numbers, unit and axes.
    assert_eq!(baked.points(mesh.prepared.mesh.positions()), mesh.source.positions);
}

#[test]
fn the_unit_of_a_file_does_not_matter() {
    let end = |unit: f32| {
        let (_folder, path) = written("strip.obj", strip(unit));
        let scene = load(path.to_str().expect("a path"), &["pins=none", "pin=[{particles = [0]}]"]).expect("a scene");
        let mut simulation = scene.cpu_simulation().expect("a simulation");
        (0..60).for_each(|_| drop(simulation.advance()));
        simulation.positions()
    };
    let metres = end(1.0);
    // It has fallen and swings, 2 m long, on one corner: no rest that would make all the same.
    assert!(metres[4].y < -0.5, "{}", metres[4]);
    for unit in [0.01, 0.001] {
        for (particle, expected) in end(unit).iter().zip(&metres) {
            // Coordinates of 2 m are rounded by up to 1.2e-7 m, and again in each of 1800 substeps.
            assert!(particle.distance(*expected) < 1800.0 * 1.2e-7, "{unit}: {particle} is not {expected}");
        }
    }
}
