//! Presets and what scenes make; the values and the files in files of their own.

mod effects;
mod fabrics;
mod files;
mod meshes;
mod tables;
mod values;

use std::fs;
use std::path::{Path, PathBuf};

use glam::Vec3;

use super::build::Limits;
use super::*;
use crate::engine;
use crate::model::{GridPlane, SpringKind};
use crate::solver::VerletStorage;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A directory with one file in it.
fn written(name: &str, contents: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    fs::write(&path, contents).expect("a file");
    (directory, path)
}

fn load_path(path: &Path) -> Result<Scene, SceneError> {
    Scene::load(path.to_str().expect("a path in UTF-8"), &[])
}

/// Loads a scene file with these contents.
fn load_file(contents: impl AsRef<[u8]>) -> Result<Scene, SceneError> {
    load_path(&written("some.toml", contents).1)
}

/// Loads a scene with overrides, each as `key=value`.
fn load(source: &str, settings: &[&str]) -> Result<Scene, SceneError> {
    let split = |setting: &&str| setting.split_once('=').map(|(key, value)| (key.into(), value.into()));
    Scene::load(source, &settings.iter().filter_map(split).collect::<Vec<_>>())
}

/// What is said of a scene with these overrides, without the place.
fn complaint(source: &str, settings: &[&str]) -> String {
    let text = load(source, settings).expect_err(&settings.join(" ")).to_string();
    text.split_once(": ").map(|(_, problem)| problem.to_owned()).unwrap_or(text)
}

#[test]
fn presets_say_what_they_are_and_use_no_other() {
    assert_eq!(
        presets().map(|(name, _)| name).collect::<Vec<_>>(),
        ["verlet", "curtain", "flag", "cut", "drape", "ropes", "mesh"]
    );
    for (name, description) in presets() {
        assert!(description.len() > 20 && !description.starts_with('#'), "{description}");
        let text = presets::preset_text(name).expect("a preset");
        assert!(!text.contains("preset ="));
    }
}

#[test]
fn the_preset_verlet_is_document_000() {
    let scene = load("verlet", &[]).expect("a preset");
    assert_eq!(scene.name, "verlet");
    let settings = scene.verlet_settings();
    let stiffness = [settings.structural_stiffness, settings.shear_stiffness, settings.flexion_stiffness];
    assert_eq!((stiffness, settings.mass), ([1500.0, 1000.0, 500.0], 1.0));
    assert!(scene.step().substep_dt() < 0.02);
    assert_eq!(scene.cloth().expect("a cloth").positions.iter().filter(|position| position.w == 0.0).count(), 32);
}

#[test]
fn the_preset_flag_is_document_002() {
    let scene = load("flag", &[]).expect("a preset");
    let cloth = scene.cloth().expect("a cloth");
    assert_eq!(cloth.positions.len(), 10_000);
    assert_eq!((cloth.springs.len(), cloth.coloring.batches().len()), (39_402, 8));
    assert_eq!((scene.step().dt, scene.step().substeps), (1.0 / 60.0, 15));
    assert_eq!(scene.pbd_settings().wind.acceleration, Vec3::new(5.0, 0.0, 15.0));
    let rigid = load("flag", &["solver=pbd"]).expect("a preset").pbd_settings();
    assert_eq!((rigid.compliance, rigid.shear_compliance, rigid.bending_compliance), (0.0, 0.0, 0.0));
}

#[test]
fn the_preset_ropes_is_document_004() {
    let scene = load("ropes", &[]).expect("a preset");
    let ropes = scene.ropes().expect("ropes");
    assert_eq!((ropes.ropes().len(), ropes.positions().len(), ropes.links().len()), (500, 32_000, 31_500));
    assert!(ropes.ropes().iter().all(|rope| rope.anchors.iter().all(Option::is_some)));
    // "Typically 3 to 10 iterations".
    assert!((3..=10).contains(&scene.step().iterations));
    assert_eq!(scene.rope_settings().detail.map(|detail| detail.distances), Some([10.0, 12.5, 15.0]));
}

#[test]
fn the_substeps_of_document_002_are_iterations() {
    let scene = load("flag", &["solver=xpbd-document", "iterations=2"]).expect("a preset");
    assert_eq!((scene.step().substeps, scene.step().iterations, scene.step().substep_dt()), (1, 30, scene.dt));
    assert!(!scene.pbd_settings().lambda_accumulated);
    assert!(load("flag", &["iterations=2"]).expect("a preset").pbd_settings().lambda_accumulated);
}

#[test]
fn the_preset_mesh_wants_a_mesh_and_a_mesh_is_a_scene() {
    let expected = "`mesh` must be the path of a mesh (give that path as the scene, or set the key), \
                    not empty";
    assert_eq!(complaint("mesh", &[]), expected);
    let (_directory, path) = written("Shirt.OBJ", TRIANGLE);
    let scene = load_path(&path).expect("a mesh");
    assert_eq!((scene.name.as_str(), scene.solver, scene.damping), ("Shirt", SolverKind::Xpbd, 1.0));
    assert_eq!(scene.cloth().expect("a cloth").positions.len(), 3);
    assert_eq!(
        load("mesh", &[&format!("mesh={}", path.display())]).expect("a mesh").cloth().expect("a cloth").springs.len(),
        3
    );
}

#[test]
fn pins_and_planes_reach_the_cloth() {
    let pinned = |settings: &[&str]| {
        let cloth =
            load("flag", &[&["columns=4", "rows=3"], settings].concat()).expect("a scene").cloth().expect("a cloth");
        (0..12).filter(|&index| cloth.positions[index].w == 0.0).collect::<Vec<_>>()
    };
    assert_eq!(pinned(&[]), [0, 1, 2, 3]);
    assert_eq!(pinned(&["pins=top-corners"]), [0, 3]);
    assert!(pinned(&["pins=none"]).is_empty());
    assert_eq!(pinned(&["pins=[11, 5]"]), [5, 11]);
    assert_eq!(load("flag", &["plane=horizontal"]).expect("a scene").plane, GridPlane::Horizontal);
}

#[test]
fn springs_are_counted_without_making_them() {
    for (columns, rows, bending) in [(2, 1, true), (2, 2, false), (7, 4, true), (100, 100, false), (5, 1, true)] {
        let scene = Scene { columns, rows, bending, pins: Pins::None, ..Scene::default() };
        assert_eq!(scene.grid_spring_count(), scene.cloth().expect("a cloth").springs.len() as u64);
    }
}

#[test]
fn what_a_device_cannot_hold_is_refused_with_its_counts() {
    let limits = Limits { storage_buffer_range: 1 << 27, image_dimension: 4096, memory: 1 << 34 };
    let scene = Scene::default();
    let refused = |scene: &Scene, particles, constraints| {
        scene.check_fits(particles, constraints, limits).map_err(|error: engine::Error| error.to_string())
    };
    assert_eq!(refused(&scene, 1 << 23, 1 << 30), Ok(()));
    let particles = "a cloth, with 16 bytes a particle in one binding, needs 8388609 particles, and the device's limit is \
                     8388608 (Vulkan's maxStorageBufferRange): use less data";
    assert_eq!(refused(&scene, (1 << 23) + 1, 0), Err(particles.into()));
    let constraints = "the list of 1073741825 constraints needs 17179869200 bytes, and the device's limit is 17179869184 \
                       (Vulkan's VkMemoryHeap): use less data";
    assert_eq!(refused(&scene, 1, (1 << 30) + 1), Err(constraints.into()));
    let scene = Scene { solver: SolverKind::Verlet, rows: 4097, ..scene };
    let image = "the grid of 100 x 4097 particles needs 4097 texels in a line, and the device's limit is 4096 \
                 (Vulkan's maxImageDimension2D): use less data";
    assert_eq!(refused(&scene, 1, u64::MAX), Err(image.into()));
    let scene = Scene { storage: VerletStorage::Buffers, ..scene };
    assert_eq!(refused(&scene, 1, u64::MAX), Ok(()));
}
