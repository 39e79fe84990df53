//! Presets for as long as one likes: finite, with the masses that they had, in the same memory; and bodies at rest.
//!
//! `TAUTLINE_SOAK` says how many steps each preset makes, if not [`STEPS`]; without validation, as users run them.

mod common;

use std::fs;
use std::path::Path;
use std::time::Instant;

use common::{load, sheet, start};
use glam::Vec4;
use tautline::engine::{Device, Frames, Memory};
use tautline::scene::{Scene, SolverKind, presets};
use tautline::solver::{Simulation, State};

/// As long as presets take to be cut and to land.
const STEPS: u32 = 300;
/// How many steps go by between two looks at what runs.
const LOOK: u32 = 100;
/// What allocators and threads may keep for themselves once all is warm \[KiB\].
const KEPT: u64 = 32 * 1024;

/// The presets with fewer particles, of the same masses and sizes.
const SMALL: [(&str, &[(&str, &str)]); 7] = [
    ("verlet", &[("columns", "12"), ("rows", "12")]),
    (
        "curtain",
        &[
            ("columns", "16"),
            ("rows", "16"),
            ("spacing", "0.14666667"),
            ("particle_mass", "0.015625"),
            ("pins", "[1, 15]"),
            ("substeps", "8"),
        ],
    ),
    ("flag", &[("columns", "20"), ("rows", "20"), ("spacing", "0.1"), ("particle_mass", "0.0025")]),
    ("cut", &[("columns", "25"), ("rows", "21"), ("spacing", "0.1"), ("particle_mass", "0.0025")]),
    ("drape", &[("columns", "17"), ("rows", "17"), ("spacing", "0.12"), ("particle_mass", "0.0036")]),
    ("ropes", &[("rope_count", "10"), ("rope_particles", "32")]),
    ("mesh", &[("substeps", "10")]),
];

fn small(folder: &Path, name: &str, settings: &[(&str, &str)]) -> Scene {
    let mesh = folder.join("sheet.obj");
    fs::write(&mesh, sheet([10, 8])).unwrap();
    let mesh = [("mesh", mesh.to_str().unwrap())];
    load(name, &[if name == "mesh" { &mesh } else { &[][..] }, settings].concat())
}

/// The last of their four numbers: inverse masses, or flags of what is held.
fn masses(positions: &[Vec4]) -> Vec<u32> {
    positions.iter().map(|position| position.w.to_bits()).collect()
}

/// The memory that the process has in use \[KiB\].
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Runs so many steps, and looks at what runs after each [`LOOK`] of them.
fn soak(device: &Device, simulation: &mut Simulation, name: &str, steps: u32) {
    let start = masses(&simulation.positions().unwrap());
    let mut frames = Frames::new(device, 2).unwrap();
    let mut warm: Option<(Memory, u64)> = None;
    for _ in 0..steps / LOOK {
        for _ in 0..LOOK {
            let mut recorder = frames.begin().unwrap();
            simulation.record(&mut recorder).unwrap();
            recorder.submit().unwrap();
        }
        let positions = simulation.positions().unwrap();
        let steps = simulation.steps_recorded();
        assert!(positions.iter().all(|position| position.is_finite()), "{name} is not finite after {steps} steps");
        assert!(masses(&positions) == start, "{name} has other masses after {steps} steps");
        let now = (device.memory(), resident().unwrap_or(0));
        let (memory, first) = *warm.get_or_insert(now);
        assert_eq!(now.0, memory, "{name}, after {steps} steps");
        assert!(now.1 < first + KEPT, "{name} takes {} KiB after {steps} steps, and took {first}", now.1);
    }
    frames.finish().unwrap();
}

#[test]
fn presets_run_on_and_on_in_the_same_memory() {
    let steps = std::env::var("TAUTLINE_SOAK").map_or(STEPS, |steps| steps.parse().expect("a number of steps"));
    let device = Device::headless(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert!(presets().map(|(name, _)| name).all(|name| SMALL.iter().any(|(small, _)| *small == name)));
    for (name, settings) in SMALL {
        let scene = small(folder.path(), name, settings);
        for on_cpu in [false, true] {
            let mut simulation = start(&device, &scene, on_cpu);
            let what = format!("{name} on the {}", if on_cpu { "CPU" } else { "device" });
            let begun = Instant::now();
            soak(&device, &mut simulation, &what, steps);
            println!("{what}: {steps} steps, {:.0} a second", f64::from(steps) / begun.elapsed().as_secs_f64());
        }
    }
}

/// Bodies of every solver that come to rest within [`SETTLED`]: presets and their settings.
const STILL: [(&str, &str); 9] = [
    ("verlet", "columns=10 rows=8 velocity_loss=0.02"),
    ("curtain", "columns=10 rows=8 spacing=0.2 particle_mass=0.04 plane=vertical pins=top-row substeps=8 collider=[]"),
    ("flag", "columns=10 rows=8 spacing=0.2 damping=2 wind=[0,0,0] wind_flutter=0"),
    ("flag", "columns=10 rows=8 spacing=0.2 damping=2 wind=[0,0,0] wind_flutter=0 solver=pbd"),
    ("flag", "columns=10 rows=8 spacing=0.2 damping=2 wind=[0,0,0] wind_flutter=0 solver=xpbd-document"),
    ("flag", "columns=10 rows=8 spacing=0.2 damping=2 wind=[0,0,0] wind_flutter=0 constraint_solver=jacobi"),
    ("drape", "columns=10 rows=10 spacing=0.21333333 particle_mass=0.01"),
    ("ropes", "rope_count=2 rope_columns=2 rope_particles=16 rope_lod=false collider=[]"),
    ("ropes", "rope_count=2 rope_columns=2 rope_particles=16 rope_lod=false collider=[] rope_held=first"),
];
/// When they are at rest \[s\]: what loses 1/e a second or more has lost all then.
const SETTLED: f32 = 40.0;

/// The speed below which nothing slows a particle any more \[m/s\], as places of up to `size` \[m\] are rounded by half a unit
/// in their last place.
///
/// A velocity is the way of a substep of h over h. A loss that takes less off that way than it is rounded by takes nothing:
/// v h loss = size 2^-24. Velocities of their own are slowed by dampers alone, whose force c v has to be more than what
/// rounding makes of the springs' force: c v = k size 2^-23, with two ends a spring.
fn least_speed(scene: &Scene, size: f32) -> f32 {
    let (rounding, h) = (size * f32::EPSILON / 2.0, scene.step().substep_dt());
    match scene.solver {
        SolverKind::MassSpring => 2.0 * rounding * scene.spring_stiffness / scene.spring_damping,
        SolverKind::Verlet | SolverKind::Rope => rounding / (h * scene.velocity_loss),
        SolverKind::Xpbd | SolverKind::Pbd | SolverKind::XpbdDocument => rounding / (h * h * scene.damping),
    }
}

/// On the CPU, whose bits all processors share; ten minutes with `TAUTLINE_SOAK`, and else one.
#[test]
fn what_is_at_rest_neither_creeps_nor_jitters() {
    let seconds = if std::env::var_os("TAUTLINE_SOAK").is_some() { 600.0 } else { 60.0 };
    for (name, settings) in STILL {
        let settings: Vec<_> = settings.split(' ').map(|setting| setting.split_once('=').unwrap()).collect();
        let scene = load(name, &settings);
        let mut simulation = scene.cpu_simulation().unwrap();
        (0..(SETTLED / scene.dt) as u32).for_each(|_| drop(simulation.advance()));
        let rest = simulation.state().positions;
        let (mut fastest, mut farthest) = (0.0_f32, 0.0_f32);
        for _ in 0..(seconds / scene.dt) as u32 {
            simulation.advance();
            let State { positions, velocities, .. } = simulation.state();
            fastest = velocities.iter().map(|velocity| velocity.length()).fold(fastest, f32::max);
            farthest = positions.iter().zip(&rest).map(|(now, rest)| now.distance(*rest)).fold(farthest, f32::max);
        }
        let size = rest.iter().map(|place| place.abs().max_element()).fold(0.0, f32::max);
        let [least, most] = [f32::min, f32::max].map(|pick| rest.iter().map(|place| place.y).reduce(pick).unwrap());
        let speed = least_speed(&scene, size);
        // As a pendulum it swings at that speed by v sqrt(L / g) to either side, and rests where what pulls it back in a substep,
        // g h² x / L, is less than its place is rounded by.
        let (length, h) = (most - least, scene.step().substep_dt());
        let aside = speed * (length / 9.81).sqrt() + size * f32::EPSILON / 2.0 * length / (9.81 * h * h);
        println!("{name} {}: {fastest:.1e} m/s of {speed:.1e}, {farthest:.1e} m of {aside:.1e}", scene.solver);
        assert!(fastest < speed && farthest < 2.0 * aside, "{name}, {}", scene.solver);
        // No more than a fall of 1/100 s.
        assert!(speed < 0.0981, "{speed} m/s is no rest");
    }
}
