//! What changes nothing: which way a scene faces, the unit that it is measured in, the order of what its file lists, and what is
//! far away; and what changes smoothly while it is slid. `clock.rs` has frame rates, pauses, stalls and time scales,
//! `materials.rs` turns of meshes about any axis and units of files, and `meshes.rs` formats.

#[path = "common/hands.rs"]
mod bodies;
mod common;

use std::f32::consts::{FRAC_PI_2, PI};
use std::fmt::Write;
use std::fs;

use bodies::{Runner, cloths, sheet};
use common::{Bits, Random, Validated, bits, load, run, start};
use glam::{Quat, Vec3, Vec4};
use tautline::engine::Device;
use tautline::model::{Anchor, Collider, Grid, Hold, Path, Pose, RopeEnd, RopeStart, Ropes, Shape};
use tautline::scene::{Effect, Scene};
use tautline::solver::{Simulation, Step};

const STEP: Step = Step { dt: 1.0 / 64.0, substeps: 4, iterations: 2, gravity: Vec3::new(0.0, -10.0, 0.0) };
const STEPS: u32 = 32;
/// Half a turn about the vertical, of which quaternions make signs and nothing else.
const HALF: Quat = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);

/// How a scene is placed and measured: turned about the vertical, in a unit of which a metre is so many, and with each coordinate
/// of its start off by so many metres at most.
struct Placed {
    turn: Quat,
    unit: f32,
    off: f32,
    random: Random,
}

impl Placed {
    fn vector(&self, place: Vec3) -> Vec3 {
        self.unit * (self.turn * place)
    }

    fn start(&mut self, place: Vec3) -> Vec3 {
        let off = self.off * Vec3::new(self.random.signed(), self.random.signed(), self.random.signed());
        self.vector(place + off)
    }

    fn pose(&self, place: Vec3) -> Pose {
        Pose { position: self.vector(place), rotation: self.turn }
    }

    /// A ball, a box that rises, and a wide one for a floor, as planes have no size and touch from 1e-5 m on.
    fn colliders(&self) -> Vec<Collider> {
        let rising = [(0.0, -0.9), (0.5, -0.55)].map(|(time, y)| (time, self.pose(Vec3::new(0.3, y, -0.25))));
        let rest = |place| Path::resting(self.pose(place));
        let collider = |shape, friction, path| Collider { shape, friction, path };
        let block = |x: f32, y, z| Shape::Box { half_sides: Vec3::new(x, y, z) * self.unit };
        vec![
            collider(Shape::Sphere { radius: 0.3 * self.unit }, 0.3, rest(Vec3::new(-0.2, -0.5, 0.1))),
            collider(block(0.2, 0.1, 0.25), 0.0, Path::through(rising.to_vec()).unwrap()),
            collider(block(4.0, 1.0, 4.0), 0.5, rest(-2.0 * Vec3::Y)),
        ]
    }

    /// A tilted sheet that is held at a corner, and two ropes, by every solver that there is.
    fn runners<'d>(&mut self, device: &'d Device) -> Vec<(String, Runner<'d>)> {
        let colliders = self.colliders();
        let step = Step { gravity: self.vector(STEP.gravity), ..STEP };
        let grid = Grid { columns: 7, rows: 6, spacing: 0.125 * self.unit };
        let mut cloth = sheet(grid);
        let tilt = Quat::from_axis_angle(Vec3::new(0.8, 0.0, 0.6), 1.2);
        let flat = sheet(Grid { spacing: 0.125, ..grid }).positions;
        for (particle, flat) in cloth.positions.iter_mut().zip(flat) {
            *particle = self.start(tilt * flat.truncate()).extend(particle.w);
        }
        cloth.pin([6]);
        let mut runners = cloths(device, &cloth, grid, step, &colliders);
        let starts = [-0.25, 0.2].map(|z: f32| RopeStart {
            positions: (0..9).map(|x| self.start(Vec3::new(0.125 * x as f32 - 0.5, 0.1 * z, z))).collect(),
            length: 1.05 * self.unit,
        });
        let path = Path::resting(Pose { position: starts[0].positions[0], rotation: Quat::IDENTITY });
        let held = Anchor { rope: 0, end: RopeEnd::First, hold: Hold { path, release: None } };
        let ropes = Ropes::new(&starts, vec![held]).unwrap();
        runners.extend(bodies::ropes(device, &ropes, step, &colliders));
        runners
    }
}

/// Where everything is after [`STEPS`].
fn end((name, mut runner): (String, Runner<'_>)) -> (String, Vec<Vec4>) {
    runner.step(STEPS);
    (name, runner.particles())
}

/// The greatest distance between two states \[m\].
fn apart(one: &[Vec4], other: &[Vec4]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one.truncate().distance(other.truncate())).fold(0.0, f32::max)
}

/// Signs and powers of two are exact: turned by half about the vertical, and measured in 1/128 m, every sum and every product is
/// what it was with another sign or exponent. Turned by a quarter it is not, as x² + y² + z² is rounded in the order of its terms.
#[test]
fn half_a_turn_and_a_unit_that_is_a_power_of_two_change_no_bit() {
    let validated = Validated::open();
    let ends = |turn: Quat, unit: f32| -> Vec<(String, Vec<Vec4>)> {
        let runners = Placed { turn, unit, off: 0.0, random: Random(1) }.runners(&validated.device);
        runners.into_iter().map(end).collect()
    };
    let straight = ends(Quat::IDENTITY, 1.0);
    for (turn, unit) in [(HALF, 1.0), (Quat::IDENTITY, 128.0), (HALF, 1.0 / 64.0)] {
        for ((name, straight), (_, found)) in straight.iter().zip(ends(turn, unit)) {
            let expected = |particle: &Vec4| (unit * (turn * particle.truncate())).extend(particle.w);
            // 0 and -0 are the same place.
            assert!(found == straight.iter().map(expected).collect::<Vec<_>>(), "{name}, {turn} and {unit}");
        }
    }
}

/// Any angle and any unit round otherwise, which is as much as a start that is off by as much drifts: in each substep some 16
/// corrections or forces round a coordinate of up to 1.3 m by half a unit in the last place, and all of them, in
/// one run and in the other, add up to that times the root of their number. On the CPU; what tells that from a device are other tests.
#[test]
fn any_angle_and_any_unit_change_no_more_than_rounding_does() {
    let validated = Validated::open();
    let ends = |turn: Quat, unit: f32, off: f32, seed: u32| -> Vec<(String, Vec<Vec4>)> {
        let runners = Placed { turn, unit, off, random: Random(seed) }.runners(&validated.device);
        runners.into_iter().filter(|(name, _)| name.ends_with("on the CPU")).map(end).collect()
    };
    let straight = ends(Quat::IDENTITY, 1.0, 0.0, 1);
    let off = 1.3 * f32::EPSILON / 2.0 * ((2 * 16 * STEPS * STEP.substeps) as f32).sqrt();
    let perturbed = [2, 3, 4, 5, 6, 7].map(|seed| ends(Quat::IDENTITY, 1.0, off, seed));
    for (angle, unit) in [(FRAC_PI_2, 1.0), (37.0 * PI / 180.0, 1.0), (0.0, 100.0), (-2.0, 0.01)] {
        let turn = Quat::from_rotation_y(angle);
        for (index, (name, found)) in ends(turn, unit, 0.0, 1).into_iter().enumerate() {
            let back = |particle: Vec4| (turn.inverse() * particle.truncate() / unit).extend(particle.w);
            let found: Vec<Vec4> = found.into_iter().map(back).collect();
            let straight = &straight[index].1;
            let drifts = perturbed.each_ref().map(|ends| apart(&ends[index].1, straight));
            let (difference, tolerance) = (apart(&found, straight), 2.0 * drifts.into_iter().fold(0.0, f32::max));
            println!("{name}, {angle} rad, {unit}: {difference:.1e} m apart, {tolerance:.1e} m at most");
            // It falls by more than half a metre.
            assert!(
                difference <= tolerance && tolerance < 0.01,
                "{name}, {angle} rad, {unit}: {difference} m, {drifts:?}"
            );
        }
    }
}

/// The bits after some steps on either backend.
fn bits_after(device: &Device, scene: &Scene, steps: u32) -> [Bits; 2] {
    [false, true].map(|on_cpu| {
        let mut simulation = start(device, scene, on_cpu);
        run(device, &mut simulation, steps);
        bits(&simulation.positions().unwrap())
    })
}

/// Colliders act one after the other, so their order matters to a particle that two of them touch: these are too far apart.
#[test]
fn the_order_of_pins_and_colliders_changes_no_bit() {
    let validated = Validated::open();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    let pins = [
        "[[pin]]\nparticles = [3, 4]\n",
        "[[pin]]\nrow = 11\npath = [[0, 0, 0, 0], [1, 0, 0.3, 0]]\nrelease = 0.2\n",
        "[[pin]]\nsphere = [-0.5, 0, 0.2, 0.06]\nrelease = 0.4\n",
    ];
    let colliders = [
        "[[collider]]\nshape = \"sphere\"\nradius = 0.15\nposition = [-0.3, -0.2, 0.5]\nfriction = 0.2\n",
        "[[collider]]\nshape = \"box\"\nsides = [0.2, 0.2, 0.2]\nposition = [0.4, -0.2, 0.4]\n",
        "[[collider]]\nshape = \"capsule\"\nradius = 0.05\nlength = 0.2\nposition = [0, -0.15, 0.9]\nfriction = 0.5\n",
    ];
    for solver in ["xpbd", "pbd", "verlet", "mass-spring"] {
        let head = format!(
            "solver = \"{solver}\"\ncolumns = 12\nrows = 12\nspacing = 0.1\nparticle_mass = 0.01\nplane = \"horizontal\"\n\
             pins = "
        );
        let end = |numbers: &str, order: [usize; 3]| {
            let tables = order.map(|index| pins[index]).concat() + &order.map(|index| colliders[index]).concat();
            fs::write(&path, format!("{head}{numbers}\n{tables}")).unwrap();
            bits_after(&validated.device, &load(&path, &[]), 40)
        };
        let first = end("[0, 11, 60, 71]", [0, 1, 2]);
        for (numbers, order) in [("[71, 11, 0, 60]", [2, 0, 1]), ("[60, 71, 11, 0]", [1, 2, 0])] {
            assert!(end(numbers, order) == first, "{solver}, {numbers}, {order:?}");
        }
    }
}

/// Sheets of so many columns and rows of vertices, 100 m apart, as an OBJ file.
fn islands(sheets: &[[u32; 2]]) -> String {
    let (mut text, mut before) = (String::new(), 1);
    for ([columns, rows], number) in sheets.iter().zip(0..) {
        for index in 0..columns * rows {
            let (x, y) = (f64::from(index % columns) / 32.0, -f64::from(index / columns) / 32.0);
            writeln!(text, "v {} {y} {}", x + 100.0 * f64::from(number), 0.01 * (7.0 * x + 3.0 * y).sin()).unwrap();
        }
        for a in (0..columns * (rows - 1)).filter(|a| a % columns != columns - 1) {
            let [a, b, c, d] = [a, a + columns, a + columns + 1, a + 1].map(|corner| corner + before);
            writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
        }
        before += columns * rows;
    }
    text
}

/// What is not joined to a body changes nothing in it, whether a body of the scene is as small as a workgroup's or not.
#[test]
fn an_island_changes_no_bit_elsewhere() {
    let validated = Validated::open();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("islands.obj");
    for (own, other) in [([10, 8], [9, 12]), ([10, 8], [60, 50]), ([60, 50], [10, 8]), ([60, 50], [50, 50])] {
        for settings in [
            &[("substeps", "4")][..],
            &[("substeps", "4"), ("path", "plain")],
            &[("substeps", "4"), ("constraint_solver", "jacobi"), ("bending_form", "distance")],
        ] {
            let end = |sheets: &[[u32; 2]]| {
                fs::write(&path, islands(sheets)).unwrap();
                let settings = [settings, &[("scale", "1"), ("up", "y")]].concat();
                bits_after(&validated.device, &load(&path, &settings), 6)
            };
            let (alone, both) = (end(&[own]), end(&[own, other]));
            let count = (own[0] * own[1]) as usize;
            for (alone, both) in alone.iter().zip(&both) {
                assert!(*alone == both[..count], "{own:?} beside {other:?}, {settings:?}");
            }
        }
    }
}

/// Each rope is an island; more of them may go another way on the device.
#[test]
fn a_rope_changes_no_bit_of_another() {
    let validated = Validated::open();
    let bits_of = |count: u32| {
        let rope = |number: u32| RopeStart {
            positions: (0..33)
                .map(|x| Vec3::new(x as f32 / 32.0, 0.1 * number as f32, (100 * number) as f32))
                .collect(),
            length: 1.1,
        };
        let ropes = Ropes::new(&(0..count).map(rope).collect::<Vec<_>>(), vec![]).unwrap();
        let floor = Path::resting(Pose { position: Vec3::new(0.0, -0.3, 0.0), rotation: Quat::IDENTITY });
        let floor = Collider { shape: Shape::Plane, friction: 0.4, path: floor };
        let runners = bodies::ropes(&validated.device, &ropes, STEP, &[floor]);
        let end = |(_, mut runner): (String, Runner<'_>)| {
            runner.step(30);
            bits(&runner.particles())
        };
        runners.into_iter().map(end).collect::<Vec<_>>()
    };
    let alone = bits_of(2);
    for count in [3, 40, 600] {
        for (alone, more) in alone.iter().zip(bits_of(count)) {
            assert!(*alone == more[..alone.len()], "{count} ropes");
        }
    }
}

/// Slides a setting of a cloth that hangs at rest through `values`, one a step: the greatest change of a velocity in a step
/// \[m/s\], and the greatest in as many steps before that.
fn jerks(
    device: &Device,
    scene: &Scene,
    on_cpu: bool,
    key: &str,
    values: impl ExactSizeIterator<Item = f32>,
) -> [f32; 2] {
    let mut scene = scene.clone();
    let mut simulation = start(device, &scene, on_cpu);
    run(device, &mut simulation, 400);
    let mut before = simulation.state().unwrap().velocities;
    let mut change = |simulation: &mut Simulation| {
        run(device, simulation, 1);
        let now = simulation.state().unwrap().velocities;
        let greatest = now.iter().zip(&before).map(|(now, before)| now.distance(*before)).fold(0.0, f32::max);
        before = now;
        greatest
    };
    let at_rest = (0..values.len()).map(|_| change(&mut simulation)).fold(0.0, f32::max);
    let mut jerk = 0.0_f32;
    for value in values {
        let mut changed = scene.clone();
        changed.change(key, &value.to_string()).unwrap();
        if scene.effect_of(&changed) == Effect::Setting {
            *simulation.pbd_settings_mut().unwrap() = changed.pbd_settings();
        } else {
            let state = simulation.state().unwrap();
            simulation = start(device, &changed, on_cpu);
            simulation.go_on_from(&state).unwrap();
        }
        scene = changed;
        jerk = jerk.max(change(&mut simulation));
    }
    [jerk, at_rest]
}

/// A setting is slid by a sixtieth of its way in each step of a second, and what the cloth rests at moves at the speed s then. A
/// spring whose end is drawn along at s follows at s (1 - cos(w t)), between 0 and 2 s, and so does a sum of such; so no step
/// changes a velocity by more than that.
#[test]
fn what_is_slid_while_it_runs_moves_without_a_jerk() {
    let validated = Validated::open();
    let still = "columns=6 rows=8 spacing=0.2 particle_mass=0.02 wind=[0,0,0] wind_flutter=0 damping=4 velocity_loss=0.005 \
                 spring_stiffness=200 spring_damping=0.3 structural_stiffness=200 shear_stiffness=100 flexion_stiffness=50";
    let settings: Vec<_> = still.split_whitespace().map(|setting| setting.split_once('=').unwrap()).collect();
    // By how much the lowest row sinks at most where each spring yields C more: the weight below each spring of a column.
    let sunk = |more: f32| more * 0.02 * 9.81 * (7.0 * 8.0 / 2.0);
    let softer = sunk(1.0 / 50.0 - 1.0 / 200.0);
    for (solver, key, from, to, way) in [
        ("xpbd", "elongation", 1.0, 1.2, 0.2 * 1.4),
        ("xpbd", "elongation", 1.0, 0.8, 0.2 * 1.4),
        ("pbd", "elongation", 1.0, 1.2, 0.2 * 1.4),
        ("xpbd", "compliance", 1e-6, 2e-2, sunk(2e-2)),
        ("xpbd", "shear_compliance", 1e-6, 1e-1, sunk(1e-1)),
        ("verlet", "structural_stiffness", 200.0, 50.0, softer),
        ("mass-spring", "spring_stiffness", 200.0, 50.0, softer),
        // What is at rest has nothing that these could change.
        ("xpbd", "damping", 4.0, 1.0, 0.0),
        ("verlet", "velocity_loss", 0.005, 0.05, 0.0),
        ("mass-spring", "spring_damping", 0.3, 0.1, 0.0),
    ] {
        let scene = load("flag", &[&settings[..], &[("solver", solver)]].concat());
        let value = |step: i16| {
            let along = |from: f32, to: f32| from + f32::from(step) / 60.0 * (to - from);
            // A spring gives way in proportion to the inverse of its stiffness.
            if key.ends_with("stiffness") { 1.0 / along(1.0 / from, 1.0 / to) } else { along(from, to) }
        };
        // Others have the solver be made anew in each step; how states change hands on a device is for `state.rs`.
        let is_setting = matches!(key, "elongation" | "damping");
        for on_cpu in if is_setting { &[false, true][..] } else { &[true] } {
            let [jerk, at_rest] = jerks(&validated.device, &scene, *on_cpu, key, (1..61).map(value));
            println!(
                "{solver}, {key}, on the CPU: {on_cpu}: {jerk:.1e} m/s of {:.1e}, {at_rest:.1e} at rest",
                2.0 * way
            );
            assert!(jerk <= 2.0 * (way + at_rest), "{solver}, {key}, on the CPU: {on_cpu}: {jerk} m/s in a step");
        }
    }
}
