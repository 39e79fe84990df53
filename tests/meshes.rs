//! Meshes as users bring them: neither how a file shares vertices, nor its format, nor its unit changes what comes out.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use common::{Validated, load, run};
use tautline::glam::{DVec3, Vec3, Vec4};
use tautline::io::read_mesh;
use tautline::model::SourceMesh;
use tautline::scene::Scene;

/// A tunic: a tube of 24 x 16 quads that widens downwards and has waves, so that no two edges are alike. Its triangles are
/// given as such, for STL has nothing else.
fn tunic() -> SourceMesh {
    let place = |column: u32, row: u32| {
        let (angle, height) = (f64::from(column) / 24.0 * std::f64::consts::TAU, f64::from(row) / 16.0);
        let radius = 0.2 + 0.1 * height + 0.02 * (5.0 * angle + 3.0 * height).sin();
        DVec3::new(radius * angle.cos(), 0.6 - 0.6 * height, radius * angle.sin()).as_vec3()
    };
    let index = |column: u32, row: u32| row * 24 + column % 24;
    let quads = (0..16).flat_map(|row| (0..24).map(move |column| (column, row)));
    let triangles = quads.flat_map(|(column, row)| {
        let [a, b, c, d] =
            [(column, row), (column, row + 1), (column + 1, row + 1), (column + 1, row)].map(|(x, y)| index(x, y));
        [[a, b, c], [a, c, d]]
    });
    let corners: Vec<u32> = triangles.flatten().collect();
    SourceMesh {
        positions: (0..17).flat_map(|row| (0..24).map(move |column| place(column, row))).collect(),
        face_sizes: vec![3; corners.len() / 3],
        corners,
        ..SourceMesh::default()
    }
}

/// With vertices shared between faces.
fn smooth_obj(mesh: &SourceMesh) -> String {
    let mut text = String::new();
    for Vec3 { x, y, z } in &mesh.positions {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for face in mesh.faces() {
        let corners: Vec<String> = mesh.corners[face].iter().map(|vertex| (vertex + 1).to_string()).collect();
        writeln!(text, "f {}", corners.join(" ")).unwrap();
    }
    text
}

/// With vertices of its own for each face.
fn flat_obj(mesh: &SourceMesh) -> String {
    let corners = 0..mesh.corners.len() as u32;
    let positions = mesh.corners.iter().map(|&vertex| mesh.positions[vertex as usize]).collect();
    smooth_obj(&SourceMesh { positions, corners: corners.collect(), ..mesh.clone() })
}

fn stl(mesh: &SourceMesh) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((mesh.face_sizes.len() as u32).to_le_bytes());
    for face in mesh.faces() {
        bytes.extend([0; 12]);
        for &vertex in &mesh.corners[face] {
            bytes.extend(mesh.positions[vertex as usize].to_array().iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn ply(mesh: &SourceMesh) -> String {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\nelement face \
         {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.face_sizes.len()
    );
    for Vec3 { x, y, z } in &mesh.positions {
        writeln!(text, "{x} {y} {z}").unwrap();
    }
    for corners in mesh.faces().map(|face| &mesh.corners[face]) {
        writeln!(text, "3 {} {} {}", corners[0], corners[1], corners[2]).unwrap();
    }
    text
}

fn written(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn simulated(scene: &Scene, steps: u32) -> Vec<Vec4> {
    let mut simulation = scene.cpu_simulation().unwrap();
    (0..steps).for_each(|_| drop(simulation.advance()));
    simulation.positions()
}

#[test]
fn shading_and_format_change_no_bit() {
    let (folder, mesh) = (tempfile::tempdir().unwrap(), tunic());
    let scene = |name: &str, bytes: &[u8]| load(written(folder.path(), name, bytes), &[("scale", "1"), ("up", "y")]);
    let scenes = [
        scene("smooth.obj", smooth_obj(&mesh).as_bytes()),
        scene("flat.obj", flat_obj(&mesh).as_bytes()),
        scene("soup.stl", &stl(&mesh)),
        scene("shared.ply", ply(&mesh).as_bytes()),
    ];
    let start = simulated(&scenes[0], 0);
    let on_cpu = simulated(&scenes[0], 30);
    assert_eq!(on_cpu.len(), 17 * 24);
    assert!(on_cpu != start && on_cpu.iter().all(|position| position.is_finite()));
    let validated = Validated::open();
    let on_gpu = |scene: &Scene| {
        let mut simulation = scene.simulation(&validated.device).unwrap();
        run(&validated.device, &mut simulation, 30);
        simulation.positions().unwrap()
    };
    let first = on_gpu(&scenes[0]);
    for scene in &scenes[1..] {
        assert!(simulated(scene, 30) == on_cpu, "{} on the CPU", scene.name);
        assert!(on_gpu(scene) == first, "{} on the GPU", scene.name);
    }
}

/// The shirt, in the unit of `metres` and with vertices of its own for each face or not.
fn shirt(folder: &Path, metres: f32, is_flat: bool) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/shirt-cm.obj");
    if !path.exists() {
        assert!(std::env::var_os("TAUTLINE_REQUIRE_SHARED").is_none(), "{} is missing", path.display());
        return None;
    }
    let mut mesh = read_mesh(&path).unwrap();
    // In 64 bits, so that each unit is rounded once.
    let factor = 0.01 / f64::from(metres);
    mesh.positions.iter_mut().for_each(|position| *position = (position.as_dvec3() * factor).as_vec3());
    let text = if is_flat { flat_obj(&mesh) } else { smooth_obj(&mesh) };
    Some(written(folder, &format!("shirt-{metres}-{is_flat}.obj"), text))
}

#[test]
fn a_shirt_is_the_same_in_any_unit_and_shading() {
    let folder = tempfile::tempdir().unwrap();
    let Some(centimetres) = shirt(folder.path(), 0.01, false) else { return };
    // The unit is guessed right in all of them.
    let scene = load(&centimetres, &[]);
    let expected = simulated(&scene, 20);
    let moved: f32 =
        expected.iter().zip(simulated(&scene, 0)).map(|(now, then)| now.truncate().distance(then.truncate())).sum();
    assert!(moved / expected.len() as f32 > 0.02, "it has fallen by {moved} m in all");

    let flat = load(shirt(folder.path(), 0.01, true).unwrap(), &[]);
    assert!(simulated(&flat, 20) == expected, "flat shading");

    // How far rounding takes it: each coordinate is the next float to its own, and nothing else changes.
    let mut nudged = read_mesh(&centimetres).unwrap();
    nudged.positions.iter_mut().for_each(|position| *position = position.map(f32::next_up));
    let nudged = load(written(folder.path(), "nudged.obj", smooth_obj(&nudged)), &[]);
    let rounding = farthest(&simulated(&nudged, 20), &expected);
    for metres in [1.0, 0.001] {
        let scene = load(shirt(folder.path(), metres, false).unwrap(), &[]);
        assert_eq!(scene.scene_mesh().unwrap().unwrap().preparation.metres_per_unit, metres);
        // Each coordinate is rounded in the file, and again where its unit is taken off: twice as often, and either way.
        let off = farthest(&simulated(&scene, 20), &expected);
        assert!(
            off < 4.0 * rounding,
            "in units of {metres} m a vertex is {off} m off, and rounding takes it {rounding} m"
        );
    }
}

/// The largest distance of a particle between two states \[m\].
fn farthest(one: &[Vec4], other: &[Vec4]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one.truncate().distance(other.truncate())).fold(0.0, f32::max)
}
