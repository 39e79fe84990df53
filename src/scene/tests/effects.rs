//! What keys do to simulations, seen by what changes when they change.

use std::collections::HashMap;

use super::values::OTHER_VALUES;
use super::*;
use crate::model::BendingForm;

/// A cloth on which every key has something to act, at once.
const CLOTH: &str = "
    columns = 6
    rows = 5
    spacing = 0.1
    particle_mass = 0.05
    bending = true
    substeps = 6
    iterations = 3
    wind = [0.5, 0, 1]
    wind_flutter = 2
    air_density = 1.5
    air_velocity = [1, 0, 2]
    collider = [{shape = \"sphere\", radius = 0.2, position = [0, -0.4, 0.15]}]
";

/// Ropes at every level of detail.
const ROPES: &str = "
    solver = \"rope\"
    rope_count = 32
    rope_columns = 4
    rope_particles = 16
    substeps = 3
    iterations = 4
    rope_lod = true
    rope_lod_camera = [0, 0, 2.5]
    rope_lod_distances = [2, 2.7, 3.6]
    collider = [{shape = \"sphere\", radius = 0.5, position = [0, -0.4, 0.5]}]
";

/// In place of [`OTHER_VALUES`], where those act too late, take too long, or find no particle.
const VALUES: [(&str, &str); 13] = [
    ("fabric", "leather"),
    ("bending", "false"),
    ("rope_lod", "false"),
    ("spacing", "0.05"),
    ("substeps", "7"),
    ("pin", "[{particles = [14]}]"),
    ("cut", "[{time = 0.02, point = [0, -0.15, 0], normal = [0, 1, 0]}]"),
    ("collider", "[{shape = 'sphere', radius = 0.8, position = [0, -0.7, 0.1]}]"),
    ("rope_motion", "[[0, 0, 0, 0], [0.05, 1, 0, 0]]"),
    ("rope_release", "0.03"),
    ("scale", "2"),
    ("pin_fraction", "0.9"),
    ("rows", "4"),
];

/// Keys of pictures (as is `texture`, which needs a file), of the pace of a window, of memory, of how work is shared out,
/// of what is watched for, and one that only lets pass what would be refused.
const MOVES_NOTHING: [&str; 13] = [
    "time_scale",
    "sine_cloth",
    "checker",
    "rope_radius",
    "storage",
    "path",
    "allow_unstable",
    "watch",
    "watch_strain",
    "watch_speed",
    "watch_depth",
    "watch_every",
    "sleep_speed",
];

/// Positions after a few steps, which no rounding hides a difference from.
fn moved(scene: &Scene) -> Vec<glam::Vec4> {
    let mut simulation = scene.cpu_simulation().expect("a simulation");
    simulation.set_camera(scene.rope_lod_camera.unwrap_or_default());
    (0..6).for_each(|_| drop(simulation.advance()));
    simulation.positions()
}

#[test]
fn a_key_moves_something_where_it_says_so_and_nowhere_else() {
    let values: HashMap<_, _> = OTHER_VALUES.into_iter().chain(VALUES).collect();
    let vertex = |index: u32| {
        let (column, row) = (f64::from(index % 4), f64::from(index / 4));
        format!("v {column} {} {}\nvt {} {}\n", -row, 0.1 * f64::from(index % 3), column / 3.0, row / 3.0)
    };
    let quad = |a: u32| format!("f {a}/{a} {0}/{0} {1}/{1} {2}/{2}\n", a + 4, a + 5, a + 1);
    let sheet: String = (0..16).map(vertex).chain((1..12).filter(|a| a % 4 != 0).map(quad)).collect();
    // Beside it a triangle with vertices of its own, 2 mm from the sheet's.
    let loose = "v 3.002 0 0\nv 3.002 -1 0\nv 4 0 0\nvt 0 0\nf 17/17 18/17 19/17\n";
    let (_folder, mesh) = written("sheet.obj", sheet + loose);
    let mesh = format!("mesh = '{}'\n", mesh.display());
    let mut scenes: Vec<Scene> = ["verlet", "mass-spring", "xpbd", "pbd", "xpbd-document"]
        .into_iter()
        .map(|solver| load_file(format!("solver = \"{solver}\"\n{CLOTH}")).expect(solver))
        .collect();
    scenes.push(load_file(format!("{CLOTH}cloth_count = 3\ncloth_columns = 2")).expect("copies"));
    scenes.push(load_file(ROPES).expect("ropes"));
    scenes.push(load_file(format!("{CLOTH}\n{mesh}")).expect("a mesh"));
    let (mut seen, mut wrong) = (HashMap::new(), Vec::new());
    for scene in &scenes {
        let before = moved(scene);
        for key in KEYS.iter().filter(|key| !["solver", "mesh", "texture"].contains(&key.name)) {
            let mut changed = scene.clone();
            let value = match key.name {
                "compliance" | "warp_compliance" | "shear_compliance" | "bending_compliance" => "0.5",
                // What it is not already, whether it is set or not.
                "bending_form" if scene.bends_by() == Some(BendingForm::Dihedral) => "distance",
                "bending_form" => "dihedral",
                name => values[name],
            };
            changed.change(key.name, value).expect(key.name);
            let effect = key.effect(scene);
            if let Err(refused) = changed.validate() {
                assert_eq!(effect, Effect::None, "{refused}");
                continue;
            }
            let after = moved(&changed);
            let moves = effect != Effect::None && !MOVES_NOTHING.contains(&key.name);
            let place = format!("{} with {}, which says {effect:?}", key.name, scene.solver);
            if (before != after) != moves {
                wrong.push(format!("{place}: moved {}", before != after));
            }
            // What makes another body, and nothing else, changes how it starts.
            let [start, other] = [scene, &changed].map(|scene| {
                let simulation = scene.cpu_simulation().expect("a simulation");
                simulation.positions().iter().map(|position| position.truncate()).collect::<Vec<_>>()
            });
            if (start != other) != (effect == Effect::Body) || scene.effect_of(&changed) != effect {
                wrong.push(format!("{place}: starts differently {}, {:?}", start != other, scene.effect_of(&changed)));
            }
            let most = seen.entry(key.name).or_insert(effect);
            *most = effect.max(*most);
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    for (name, most) in seen {
        assert_ne!(most, Effect::None, "no solver looks at {name}");
    }
}

#[test]
fn another_kind_of_body_is_another_body() {
    let of = |settings: &[&str]| load("flag", settings).expect("a scene");
    let flag = of(&[]);
    assert_eq!(flag.effect_of(&of(&["solver=mass-spring", "substeps=200"])), Effect::Solver);
    assert_eq!(flag.effect_of(&of(&["solver=rope"])), Effect::Body);
    assert_eq!(of(&["solver=rope"]).effect_of(&flag), Effect::Body);
    assert_eq!(flag.effect_of(&of(&["damping=0.9"])), Effect::Setting);
    assert_eq!(flag.effect_of(&flag), Effect::None);
}
