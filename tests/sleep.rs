//! Bodies that lie still fall asleep: they stay where they are to the bit, without any work, until something acts on them.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use common::{Validated, bits, load, start};
use glam::{Quat, Vec3};
use tautline::engine::{Device, Frames};
use tautline::model::{Blade, Drag, Grip};
use tautline::scene::{Scene, Watching};
use tautline::solver::{Guard, Simulation, Verdict};

const SPEED: (&str, &str) = ("sleep_speed", "0.02");
/// By when bodies are asleep that lose what they move with as fast as these do, in steps.
const SETTLED: u32 = 600;

/// A run of one body, as the viewer has it: two recordings at work, and looks.
struct Run<'a> {
    device: &'a Device,
    simulation: Simulation,
    guard: Guard,
}

impl<'a> Run<'a> {
    fn of(device: &'a Device, scene: &Scene, on_cpu: bool) -> Self {
        let mut simulation = start(device, scene, on_cpu);
        let guard = Watching::of(scene).guard(device, &mut simulation).unwrap();
        Self { device, simulation, guard }
    }

    /// Runs so many steps, or fewer where it falls asleep or wakes before.
    fn run_while(&mut self, asleep: bool, steps: u32) {
        let mut frames = Frames::new(self.device, 2).unwrap();
        for _ in 0..steps {
            if self.simulation.is_asleep() != asleep {
                break;
            }
            let mut recorder = frames.begin().unwrap();
            self.simulation.record(&mut recorder).unwrap();
            self.guard.look(&mut recorder, &mut self.simulation, false).unwrap();
            self.guard.close(&mut recorder).unwrap();
            recorder.submit().unwrap();
            assert_eq!(self.guard.check(&mut self.simulation, 1).unwrap(), Verdict::Good);
        }
        frames.finish().unwrap();
    }

    fn fall_asleep(&mut self, what: &str) {
        self.run_while(false, SETTLED);
        assert!(self.simulation.is_asleep(), "{what} is awake after {} steps", self.simulation.steps_recorded());
    }

    fn bits(&self) -> common::Bits {
        bits(&self.simulation.positions().unwrap())
    }
}

/// Small bodies of every solver that soon lie still, on what holds them or on a ball and a floor.
fn still() -> Vec<(&'static str, Scene)> {
    let small = [("columns", "6"), ("rows", "5"), ("watch_every", "10"), SPEED];
    let with = |source: &str, more: &[(&str, &str)]| load(source, &[&small[..], more].concat());
    // A wind that never changes, in which it comes to lie still as well.
    let calm = [("damping", "20"), ("wind", "[0.5, 0, 1]"), ("wind_flutter", "0")];
    let flag = |more: &[(&str, &str)]| with("flag", &[&calm[..], more].concat());
    let curtain = [
        ("spacing", "0.3"),
        ("particle_mass", "0.04"),
        ("plane", "vertical"),
        ("pins", "top-row"),
        ("substeps", "20"),
        ("collider", "[]"),
    ];
    let rope = [("rope_count", "2"), ("rope_columns", "2"), ("rope_particles", "8"), ("rope_lod", "false"), SPEED];
    vec![
        ("xpbd", flag(&[])),
        ("xpbd, fused", flag(&[("path", "fused")])),
        ("jacobi", flag(&[("constraint_solver", "jacobi")])),
        ("pbd", with("drape", &[("damping", "20"), ("spacing", "0.3")])),
        ("mass-spring", with("curtain", &curtain)),
        (
            "verlet on images",
            with("verlet", &[("velocity_loss", "0.05"), ("plane", "vertical"), ("storage", "images")]),
        ),
        (
            "verlet on buffers",
            with("verlet", &[("velocity_loss", "0.05"), ("plane", "vertical"), ("storage", "buffers")]),
        ),
        ("rope", load("ropes", &[&rope[..], &[("velocity_loss", "0.2"), ("collider", "[]")]].concat())),
    ]
}

#[test]
fn a_body_at_rest_falls_asleep_and_stays_where_it_is_to_the_bit() {
    let validated = Validated::open();
    for (what, scene) in still() {
        for on_cpu in [false, true] {
            let what = format!("{what}, on the {}", if on_cpu { "CPU" } else { "device" });
            let mut run = Run::of(&validated.device, &scene, on_cpu);
            run.fall_asleep(&what);
            // Until then it has moved as one that never sleeps.
            let asleep_after = run.simulation.steps_recorded() - 1;
            let before = run.bits();
            let mut awake = start(&validated.device, &scene, on_cpu);
            common::run(&validated.device, &mut awake, asleep_after as u32);
            assert!(bits(&awake.positions().unwrap()) == before, "{what} moves otherwise");
            let time = run.simulation.time();
            run.run_while(true, 200);
            assert!(run.simulation.is_asleep() && run.bits() == before, "{what} moves while it sleeps");
            assert_eq!(run.simulation.steps_slept(), 201, "{what}");
            let passed = run.simulation.time() - time;
            assert!((passed - 200.0 * f64::from(scene.dt)).abs() < 1e-9, "{what}: {passed} s went by");
            // And wakes to go on as that one does.
            run.simulation.set_pinned(7, true);
            run.simulation.set_pinned(7, false);
            assert!(!run.simulation.is_asleep());
            let steps = run.simulation.steps_slept();
            run.run_while(false, 30);
            assert_eq!(run.simulation.steps_slept(), steps, "{what}");
        }
    }
}

/// Wakes a body that sleeps by what `touch` does, and has it move by more than it does at rest.
fn wakes(device: &Device, what: &str, scene: &Scene, touch: impl Fn(&Device, &mut Simulation)) {
    for on_cpu in [false, true] {
        let mut run = Run::of(device, scene, on_cpu);
        run.fall_asleep(what);
        let before = run.simulation.positions().unwrap();
        run.run_while(true, 5);
        assert!(run.simulation.is_asleep(), "{what}");
        touch(device, &mut run.simulation);
        run.run_while(true, 1);
        assert!(!run.simulation.is_asleep(), "{what} does not wake");
        run.run_while(false, 10);
        let moved = run.simulation.positions().unwrap();
        let way = before.iter().zip(&moved).map(|(a, b)| (*a - *b).truncate().length()).fold(0.0, f32::max);
        assert!(way > 1e-3, "{what} moves by {way} m");
    }
}

#[test]
fn hands_cuts_settings_and_teleports_wake_it() {
    let validated = Validated::open();
    let device = &validated.device;
    let all = still();
    let named = |name: &str| &all.iter().find(|(what, _)| *what == name).unwrap().1;
    for (what, scene) in &all {
        wakes(device, what, scene, |_, simulation| {
            let particle = 2 * simulation.body().positions().len() as u32 / 3;
            let place = simulation.positions().unwrap()[particle as usize].truncate();
            let grip = Grip::soft(simulation.body(), particle, place + Vec3::splat(0.5));
            simulation.set_grip(Some(grip));
        });
    }
    // The upper corners, which hold it.
    wakes(device, "xpbd, let go", named("xpbd"), |_, simulation| {
        let held = |particle: &u32| simulation.is_pinned(*particle);
        let held: Vec<_> = (0..30).filter(held).collect();
        held.into_iter().for_each(|particle| simulation.set_pinned(particle, false));
    });
    wakes(device, "xpbd, cut", named("xpbd"), |_, simulation| {
        // Between the second row and the third; the flag is held at its first.
        let positions = simulation.positions().unwrap();
        let between = positions[7].midpoint(positions[13]).truncate();
        assert!(simulation.cut(Blade::plane(between, (positions[13] - positions[7]).truncate()).unwrap()).unwrap());
    });
    wakes(device, "xpbd, elongated", named("xpbd"), |_, simulation| {
        simulation.pbd_settings_mut().unwrap().elongation = 1.2;
    });
    wakes(device, "pbd, put elsewhere", named("pbd"), |device, simulation| {
        Frames::run_once(device, |recorder| simulation.record_teleport(recorder, Quat::IDENTITY, Vec3::Y)).unwrap();
    });
    wakes(device, "pbd, under a ball that is dragged", named("pbd"), |_, simulation| {
        simulation.drag(Some(Drag { collider: 0, offset: Vec3::Y, speed: 1.0 }));
    });
}

#[test]
fn paths_and_cuts_of_the_scene_wake_it_in_their_time() {
    let validated = Validated::open();
    let calm =
        [("columns", "6"), ("rows", "5"), ("damping", "20"), ("wind", "[0, 0, 0]"), ("wind_flutter", "0"), SPEED];
    let flag = |more: (&str, &str)| load("flag", &[&calm[..], &[more]].concat());
    let ball = "[{shape = \"sphere\", radius = 0.5, friction = 0.8, path = [[9, 0, -0.6, 0.6], [10, 0, 0.4, 0.6]]}]";
    let drape = [("columns", "6"), ("rows", "5"), ("spacing", "0.3"), ("damping", "20"), SPEED, ("collider", ball)];
    let pin = "[{particles = [0, 24], path = [[9, 0, 0, 0], [10, 0.5, 0, 0]]}]";
    for (what, scene) in [
        ("a ball that moves", load("drape", &drape)),
        ("pins that move", flag(("pin", pin))),
        ("pins that let go", flag(("pin", "[{particles = [0, 24], release = 9.0}]"))),
        ("a cut", flag(("cut", "[{time = 9, point = [0.03, 0, 0], normal = [1, 0, 0]}]"))),
    ] {
        for on_cpu in [false, true] {
            let mut run = Run::of(&validated.device, &scene, on_cpu);
            run.fall_asleep(what);
            assert!(run.simulation.time() < 8.0, "{what}: {} s", run.simulation.time());
            run.run_while(true, SETTLED);
            // The step that has it wake is the one in which it moves, or the first that begins when it has been cut.
            let woken = run.simulation.time();
            let dt = f64::from(scene.dt);
            assert!(woken >= 9.0 - dt && woken <= 9.0 + 2.0 * dt, "{what} wakes it at {woken} s");
        }
    }
}

#[test]
fn what_moves_in_the_wind_or_was_told_to_stays_awake() {
    let validated = Validated::open();
    let calm = [("columns", "6"), ("rows", "5"), ("damping", "20"), ("wind", "[0, 0, 0]")];
    for (what, settings) in
        [("a flutter", [SPEED, ("wind_flutter", "1e-6")]), ("no speed", [("sleep_speed", "0"), ("wind_flutter", "0")])]
    {
        let scene = load("flag", &[&calm[..], &settings].concat());
        let mut run = Run::of(&validated.device, &scene, false);
        run.run_while(false, SETTLED);
        assert_eq!((run.simulation.is_asleep(), run.simulation.steps_slept()), (false, 0), "{what}");
    }
}

/// Frames of a flag that falls asleep, and wakes after 9 s as what holds it lets go.
const FRAMES: u64 = 600;

#[test]
fn a_report_says_in_how_many_steps_it_slept_and_times_are_of_the_others() {
    let settings = "columns=6 rows=5 damping=20 wind=[0,0,0] wind_flutter=0 sleep_speed=0.02 \
                    pin=[{particles=[0,24],release=9.0}]";
    for backend in ["gpu", "cpu"] {
        let folder = tempfile::tempdir().unwrap();
        let [file, table] = ["report.json", "timings.csv"].map(|name| folder.path().join(name));
        let run = |watch: &str| {
            let output = Command::new(env!("CARGO_BIN_EXE_viewer"))
                .args(["flag", "--headless", "--validate", "--backend", backend, "--frames", &FRAMES.to_string()])
                .args(settings.split(' ').chain([watch]).flat_map(|set| ["--set", set]))
                .arg("--report")
                .arg(&file)
                .arg("--timings")
                .arg(&table)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let report: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            (report, String::from_utf8(output.stdout).unwrap())
        };
        let (report, told) = run("watch=\"warn\"");
        let slept = report["watch"]["slept"].as_u64().unwrap();
        assert!(slept > 100 && slept < 541, "{report}");
        assert!(told.contains(&format!("asleep in {slept} steps")), "{told}");
        assert!(report["frame"][format!("{backend}_us")]["min"].as_f64().unwrap() > 0.0, "{report}");
        let table = fs::read_to_string(&table).unwrap();
        let frames: BTreeSet<u64> = table
            .lines()
            .filter(|line| line.contains("pbd/solve"))
            .map(|line| line.split(',').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!((frames.len() as u64, frames.last()), (FRAMES - slept, Some(&FRAMES)), "{backend}");
        // Who is not told what goes wrong may have it sleep as well, and the same run sleeps as long.
        let (report, _) = run("watch=\"off\"");
        assert_eq!(report["watch"]["slept"].as_u64(), Some(slept), "{report}");
        assert_eq!(report["watch"]["policy"], "off");
    }
}
