//! Looks at simulations, and what is looked at: each solver in each of its storages.

use tautline::engine::{Device, Frames};
use tautline::layout::Look;
use tautline::scene::Scene;
use tautline::solver::{LookPlace, Simulation, Watch};

use crate::common::load;

/// The look at a simulation as it is.
pub fn look(device: &Device, watch: &mut Watch, simulation: &mut Simulation) -> Look {
    let staging = watch.staging(device).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    let place = watch.record(&mut recorder, simulation).unwrap();
    staging.iter().for_each(|staging| watch.download(&mut recorder, staging).unwrap());
    recorder.submit().unwrap();
    frames.finish().unwrap();
    match place {
        LookPlace::Slot(slot) => watch.read(&staging.unwrap()).unwrap()[slot],
        LookPlace::Known(look) => look,
    }
}

/// Each solver in each of its storages, of a few particles among these colliders.
pub fn storages(collider: &str) -> Vec<Scene> {
    let grid = [("columns", "13"), ("rows", "9"), ("spacing", "0.1"), ("collider", collider), ("substeps", "3")];
    let with = |source: &str, more: &[(&str, &str)]| load(source, &[&grid[..], more].concat());
    let ropes = [("rope_count", "6"), ("rope_columns", "2"), ("rope_span", "0.5"), ("collider", collider)];
    let springs = [("particle_mass", "1"), ("allow_unstable", "true"), ("plane", "vertical")];
    vec![
        with("flag", &[("bending", "true")]),
        with("flag", &[("path", "fused")]),
        with("flag", &[("solver", "pbd"), ("constraint_solver", "jacobi"), ("elongation", "1.2")]),
        with("verlet", &springs),
        with("verlet", &[&springs[..], &[("storage", "buffers")]].concat()),
        with("verlet", &[&springs[..], &[("storage", "buffers"), ("path", "fused")]].concat()),
        with("flag", &[&springs[..], &[("solver", "mass-spring")]].concat()),
        load("ropes", &ropes),
    ]
}
