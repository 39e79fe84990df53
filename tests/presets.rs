//! The presets, each as it comes.

mod common;

use std::fs;
use std::path::Path;

use common::{TENT, Validated, load, run};
use glam::Vec4;
use tautline::engine::{Device, Extent, Frames};
use tautline::model::strain;
use tautline::scene::{Scene, presets};

fn positions(device: &Device, scene: &Scene, steps: u32) -> Vec<Vec4> {
    let mut simulation = scene.simulation(device).unwrap();
    run(device, &mut simulation, steps);
    simulation.positions().unwrap()
}

/// Every preset with its name, the one of a mesh with one in `folder`.
fn scenes(folder: &Path) -> Vec<(&'static str, Scene)> {
    let mesh = folder.join("tent.obj");
    fs::write(&mesh, TENT).unwrap();
    let settings = [("mesh", mesh.to_str().unwrap())];
    presets().map(|(name, _)| (name, load(name, if name == "mesh" { &settings } else { &[] }))).collect()
}

#[test]
fn two_runs_of_every_preset_end_in_the_same_bits() {
    let validated = Validated::open();
    let folder = tempfile::tempdir().unwrap();
    for (name, scene) in scenes(folder.path()) {
        let [first, second] = [(), ()].map(|()| positions(&validated.device, &scene, 20));
        assert!(first.iter().all(|position| position.is_finite()), "{name}");
        assert!(bytemuck::cast_slice::<_, u8>(&first) == bytemuck::cast_slice::<_, u8>(&second), "{name}: other bits");
        let start = scene.simulation(&validated.device).unwrap().positions().unwrap();
        assert_ne!(first, start, "{name} moves");
    }
}

/// What a solver says of its passes is what it records, under the names of shaders that are there.
#[test]
fn the_passes_of_every_preset_are_those_that_are_recorded() {
    let validated = Validated::open();
    let folder = tempfile::tempdir().unwrap();
    for (name, scene) in scenes(folder.path()) {
        let mut simulation = scene.simulation(&validated.device).unwrap();
        let mut frames = Frames::new(&validated.device, 1).unwrap();
        let mut recorder = frames.begin().unwrap();
        recorder.keep_work();
        simulation.record(&mut recorder).unwrap();
        let work = recorder.work();
        recorder.submit().unwrap();
        let dispatches = work.iter().filter(|pass| pass.calls[0].0.extent != Extent::Transfer);
        let recorded: Vec<_> = dispatches.clone().map(|pass| (pass.name.clone(), pass.call_count())).collect();
        assert_eq!(recorded, simulation.passes(), "{name}");
        for shader in dispatches.flat_map(|pass| pass.calls[0].0.shaders.to_vec()) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("glsl").join(&shader);
            assert!(path.is_file(), "{name}: {shader}");
        }
    }
}

/// A cloth drapes alike whatever its resolution: what is left of the difference halves as the cells do, or better.
#[test]
fn the_drape_converges_with_resolution() {
    let validated = Validated::open();
    let drapes = [9_u32, 17, 33].map(|columns| {
        let spacing = 1.92 / (columns - 1) as f32;
        let settings = [
            ("columns", columns.to_string()),
            ("rows", columns.to_string()),
            ("spacing", spacing.to_string()),
            ("particle_mass", (0.25 * spacing * spacing).to_string()),
            ("solver", "xpbd".into()),
            ("compliance", "1e-5".into()),
            ("shear_compliance", "0.03".into()),
            // Four times as many for half the cells leave as much of each constraint's error.
            ("substeps", ((columns - 1) * (columns - 1) / 10).to_string()),
            ("iterations", "1".into()),
            ("damping", "3".into()),
        ];
        let settings: Vec<_> = settings.map(|(key, value)| (key.to_string(), value)).to_vec();
        let scene = Scene::load("drape", &settings).unwrap();
        let positions = positions(&validated.device, &scene, 120);
        let mean = |indices: &[u32]| {
            indices.iter().map(|&index| f64::from(positions[index as usize].y)).sum::<f64>() / indices.len() as f64
        };
        let last = columns - 1;
        let corners = [0, last, columns * last, columns * last + last];
        // Penetration: particles rest on the ball and on the floor, to the touch of the sweep, 1e-5 of the sizes.
        for position in &positions {
            let from_ball = position.truncate().distance(glam::Vec3::new(0.0, -0.6, 0.96));
            assert!(from_ball > 0.5 - 1e-4 && position.y > -1.25 - 1e-4, "{position}");
        }
        (mean(&corners), strain(&positions, &scene.cloth().unwrap().springs).rms)
    });
    for values in [drapes.map(|(height, _)| height), drapes.map(|(_, strain)| strain)] {
        let [coarse, fine] = [values[1] - values[0], values[2] - values[1]].map(f64::abs);
        assert!(fine < 0.6 * coarse, "{values:?}");
    }
}
