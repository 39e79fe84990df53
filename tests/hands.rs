//! Hands on what runs: pulling, pinning and dragging, by their effect on the state of every solver.
//!
//! Time steps are powers of two, so that the ends of substeps are exact.

#[path = "common/hands.rs"]
mod bodies;
mod common;

use bodies::{Runner, cloths, ropes, sheet};
use common::{Validated, load};
use glam::{Quat, Vec3};
use tautline::engine::{Device, Frames};
use tautline::model::{
    Anchor, Body, Collider, Drag, Grid, Grip, Hold, Path, Pose, RopeEnd, RopeStart, Ropes, Shape, strain,
};
use tautline::solver::{RopeDetail, RopeSettings, RopeVerlet, Solver, Step};

const GRID: Grid = Grid { columns: 5, rows: 4, spacing: 0.25 };
const GRAVITY: Vec3 = Vec3::new(0.0, -10.0, 0.0);
const STEP: Step = Step { dt: 1.0 / 64.0, substeps: 4, iterations: 2, gravity: GRAVITY };
const MIDDLE: u32 = 7;
/// Of two ropes with five particles each; particle 7 is the middle of the second one.
const ROPE_PARTICLES: usize = 5;

fn at(position: Vec3) -> Path {
    Path::resting(Pose { position, rotation: Quat::IDENTITY })
}

/// Two ropes that lie straight along x, free but for what `anchors` holds.
fn two_ropes(anchors: Vec<Anchor>) -> Ropes {
    let start = |z: f32| RopeStart {
        positions: (0..ROPE_PARTICLES).map(|index| Vec3::new(0.25 * index as f32, 0.0, z)).collect(),
        length: 1.0,
    };
    Ropes::new(&[start(0.0), start(0.5)], anchors).unwrap()
}

/// A free sheet and free ropes, by every solver.
fn free<'a>(device: &'a Device, step: Step, colliders: &[Collider]) -> Vec<(String, Runner<'a>)> {
    let mut runners = cloths(device, &sheet(GRID), GRID, step, colliders);
    runners.extend(ropes(device, &two_ropes(vec![]), step, colliders));
    runners
}

/// The particles of the body that particle 7 belongs to: the whole sheet, or the second rope.
fn own(name: &str) -> std::ops::Range<usize> {
    if name.starts_with("rope") { 5..10 } else { 0..20 }
}

/// A hand whose radius is so large that it pulls at the whole body alike moves it as it moves one free particle. With the
/// frequency f, a substep of h and the way e to the target, backward Euler and then gravity make
/// v' = (v + h f² e) / (1 + f h)² + h g and e' = e - h v'. That rests where h f² s = -h g (1 + f h)², and so hangs by
/// s = g (1/f + h)² below the target; and the way there has the double root r = 1 / (1 + f h): let go at rest with the way
/// E to where it will rest, E_n = E (1 + n f h r) r^n.
#[test]
fn a_body_comes_to_hang_below_the_hand() {
    let validated = Validated::open();
    let (frequency, h) = (12.0_f64, f64::from(STEP.substep_dt()));
    for (name, mut runner) in free(&validated.device, STEP, &[]) {
        let start = runner.positions();
        let target = start[MIDDLE as usize] + Vec3::new(0.5, 0.25, -0.125);
        let mut grip = Grip::new(runner.body(), MIDDLE, 1e6, target);
        (grip.frequency, grip.reach) = (frequency as f32, 10.0);
        runner.set_grip(Some(grip));
        let sag = GRAVITY.as_dvec3() * (1.0 / frequency + h).powi(2);
        let rest = target.as_dvec3() + sag;
        let begun = start[MIDDLE as usize].as_dvec3() - rest;
        for step in 1..=96 {
            runner.step(1);
            let (n, r) = (f64::from(4 * step), 1.0 / (1.0 + frequency * h));
            let expected = rest + begun * (1.0 + n * frequency * h * r) * r.powf(n);
            let moved = expected.as_vec3() - start[MIDDLE as usize];
            for index in own(&name) {
                let off = runner.positions()[index].distance(start[index] + moved);
                // Positions up to 1.5 m are rounded to 1.2e-7 m in each substep. What is off dies away with the double root
                // r, which adds up its errors by 1 / (1 - r)² = 500 at most where they become velocities.
                let held = 500.0 * 1.2e-7;
                // The hand feels the velocity of the one that it holds alone, so nothing brings back what the others turn
                // around it: n errors of up to half as much each go on as velocities, n sqrt(n / 3) of them in all.
                let turned = if index == MIDDLE as usize { 0.0 } else { 6e-8 * n * (n / 3.0).sqrt() };
                assert!(f64::from(off) < held + turned, "{name}, particle {index}, step {step}: {off} m off");
            }
        }
    }
}

/// However far away a hand is, it pulls by its reach: a free body comes to the speed at which the pull and the damping are
/// even, v (1 + f h)² = v + h f² reach, that is f reach / (2 + f h).
#[test]
fn a_hand_pulls_no_faster_than_it_may() {
    let validated = Validated::open();
    let step = Step { gravity: Vec3::ZERO, ..STEP };
    let fastest = Vec3::X * (16.0 * 0.25 / (2.0 + 16.0 * STEP.substep_dt()));
    for (name, mut runner) in free(&validated.device, step, &[]) {
        let mut grip = Grip::new(runner.body(), MIDDLE, 1e6, Vec3::new(1e6, 0.0, 0.0));
        (grip.frequency, grip.reach) = (16.0, 0.25);
        runner.set_grip(Some(grip));
        // What is missing falls to (1 + f h)^-2 in each substep: after 128 of them, to 2e-7.
        runner.step(32);
        let before = runner.positions()[MIDDLE as usize];
        runner.step(1);
        // Verlet's velocity is the difference of two positions of 2 m, rounded to 1.2e-7 m each, over h: 6e-5 m/s, which
        // adds up in a spring that keeps (1 + f h)^-2 of it to at most 1 / (2 f h) = 8 times as much.
        let speed = (runner.positions()[MIDDLE as usize] - before) / STEP.dt;
        assert!(speed.distance(fastest) < 5e-4, "{name}: {speed} m/s");
        // What is let go keeps that velocity.
        runner.set_grip(None);
        let before = runner.positions()[MIDDLE as usize];
        runner.step(8);
        let moved = runner.positions()[MIDDLE as usize] - before;
        assert!(moved.distance(fastest / 8.0) < 6e-5, "{name}: {moved} m in 1/8 s");
    }
}

/// Presets of every solver, small enough to be run for a while, and still enough to come to rest.
const SMALL: [(&str, &str); 8] = [
    ("verlet", "columns=12 rows=12"),
    ("curtain", "columns=12 rows=12 spacing=0.2 particle_mass=0.03 collider=[]"),
    ("flag", "columns=16 rows=16 spacing=0.1 particle_mass=0.0025 damping=2 wind=[0,0,0] wind_flutter=0"),
    ("flag", "columns=16 rows=16 spacing=0.1 constraint_solver=jacobi damping=2 wind=[0,0,0] wind_flutter=0"),
    ("flag", "columns=16 rows=16 spacing=0.1 solver=xpbd-document damping=2 wind=[0,0,0] wind_flutter=0"),
    ("flag", "columns=16 rows=16 spacing=0.1 solver=pbd damping=2 wind=[0,0,0] wind_flutter=0"),
    ("drape", "columns=16 rows=16 spacing=0.12 particle_mass=0.0036"),
    ("ropes", "rope_count=4 rope_lod=false collider=[]"),
];

/// A hand that jumps 100 m to and fro in every step shakes a body and does not tear it: everything stays finite, and once
/// it has let go and the body has calmed down, it is stretched no more than one that nobody has touched. One that still
/// swings by 40 degrees pulls at what holds it by 3 - 2 cos 40° = 1.5 of its weight.
#[test]
fn a_violent_hand_leaves_no_harm() {
    let validated = Validated::open();
    for (preset, settings) in SMALL {
        let settings: Vec<_> = settings.split(' ').map(|setting| setting.split_once('=').unwrap()).collect();
        let scene = load(preset, &settings);
        let mut untouched = Runner::Cpu(scene.cpu_simulation().unwrap());
        untouched.step(600);
        let untouched = strain(&untouched.particles(), untouched.body().springs());
        let gpu = Runner::Gpu(&validated.device, scene.simulation(&validated.device).unwrap());
        for (mut runner, backend) in [(gpu, "GPU"), (Runner::Cpu(scene.cpu_simulation().unwrap()), "CPU")] {
            let particle = runner.body().positions().len() as u32 / 2 + 10;
            let start = runner.positions()[particle as usize];
            let mut most = 0.0_f64;
            for step in 0..200 {
                let side = if step % 2 == 0 { 100.0 } else { -100.0 };
                runner.set_grip(Some(Grip::soft(runner.body(), particle, start + Vec3::splat(side))));
                runner.step(1);
                // Who is not finite once stays so.
                if step % 20 == 10 {
                    let particles = runner.particles();
                    assert!(particles.iter().all(|particle| particle.is_finite()), "{scene:?} on the {backend}");
                    most = most.max(strain(&particles, runner.body().springs()).max);
                }
            }
            runner.set_grip(None);
            runner.step(400);
            let after = strain(&runner.particles(), runner.body().springs());
            println!("{preset} {} on the {backend}: {most:.3} at most, {after:?}, {untouched:?}", scene.solver);
            assert!(after.rms < 1.5 * untouched.rms, "{preset} {} on the {backend}", scene.solver);
        }
    }
}

/// The fall of what is at rest, or of what it goes by its velocity before, in n substeps of semi-implicit Euler or Verlet.
fn fall(substeps: u32) -> Vec3 {
    let n = substeps as f32;
    GRAVITY * STEP.substep_dt().powi(2) * n * (n + 1.0) / 2.0
}

/// Bodies of which everything is carried along a path, or rests on it, by every solver.
fn carried<'a>(device: &'a Device, path: &Path, release: Option<f64>) -> Vec<(String, Runner<'a>)> {
    let mut cloth = sheet(GRID);
    cloth.attach(0..20, path.clone(), release);
    let mut runners = cloths(device, &cloth, GRID, STEP, &[]);
    let start = RopeStart { positions: vec![Vec3::ZERO, Vec3::X], length: 1.0 };
    let hold = |end, x: f32| {
        let moved = |time: f64| Pose { position: path.at(time).position + Vec3::X * x, rotation: Quat::IDENTITY };
        let path = Path::through(vec![(0.0, moved(0.0)), (1.0, moved(1.0))]).unwrap();
        Anchor { rope: 0, end, hold: Hold { path, release } }
    };
    let anchors = vec![hold(RopeEnd::First, 0.0), hold(RopeEnd::Last, 1.0)];
    runners.extend(ropes(device, &Ropes::new(&[start], anchors).unwrap(), STEP, &[]));
    runners
}

/// What hands let go of is free, with its own mass and the velocity that it has; a body that is let go as a whole falls, or
/// flies on, without strain. A reset has it carried again.
#[test]
fn what_hands_let_go_of_is_free() {
    let validated = Validated::open();
    for velocity in [Vec3::ZERO, Vec3::new(1.0, 0.5, -2.0)] {
        let pose = |time: f32| Pose { position: velocity * time, rotation: Quat::IDENTITY };
        let path = Path::through(vec![(0.0, pose(0.0)), (1.0, pose(1.0))]).unwrap();
        for (name, mut runner) in carried(&validated.device, &path, None) {
            let start = runner.positions();
            let count = start.len();
            for _ in 0..2 {
                runner.step(8);
                assert_eq!(runner.pinned_count(), count, "{name}");
                (0..count as u32).for_each(|particle| runner.set_pinned(particle, false));
                assert_eq!(runner.pinned_count(), 0, "{name}");
                for step in 1..=16 {
                    runner.step(1);
                    let moved = velocity * ((8 + step) as f32 * STEP.dt) + fall(4 * step);
                    for (position, start) in runner.positions().iter().zip(&start) {
                        // As in attachments.rs: positions below 2 m are rounded to 1.2e-7 m in each of 64 substeps, and so are
                        // Verlet's velocities, whose errors add up as 64^1.5 / 3^0.5 of them do.
                        let off = position.distance(*start + moved);
                        assert!(off < 3e-4, "{name}, step {step}: {off} m off");
                    }
                }
                runner.reset();
                assert_eq!((runner.positions(), runner.pinned_count()), (start.clone(), count), "{name}");
            }
            // In pbd and mass-spring, w is the inverse mass of half a kilogram.
            if name.starts_with("pbd") || name.starts_with("mass-spring") {
                (0..count as u32).for_each(|particle| runner.set_pinned(particle, false));
                runner.step(1);
                assert!(runner.particles().iter().all(|particle| particle.w == 2.0), "{name}");
            }
        }
    }
}

/// What a hand pins in motion stays there to the last bit, whatever pulls at it, and what is let go again falls from rest.
#[test]
fn what_a_hand_pins_stays_where_it_is() {
    let validated = Validated::open();
    for (name, mut runner) in free(&validated.device, STEP, &[]) {
        runner.step(10);
        let before = runner.positions()[MIDDLE as usize];
        runner.set_pinned(MIDDLE, true);
        assert_eq!(runner.pinned_count(), 1);
        let mut grip = Grip::new(runner.body(), MIDDLE, 0.3, Vec3::splat(50.0));
        (grip.frequency, grip.reach) = (100.0, 1.0);
        runner.set_grip(Some(grip));
        for _ in 0..5 {
            runner.step(5);
            assert_eq!(runner.positions()[MIDDLE as usize], before, "{name}");
        }
        assert!(runner.positions()[own(&name).start].distance(before) > 0.3, "{name}: the others fall on");
        runner.set_grip(None);
        for particle in own(&name) {
            runner.set_pinned(particle as u32, true);
        }
        runner.step(2);
        let start = runner.positions();
        own(&name).for_each(|particle| runner.set_pinned(particle as u32, false));
        runner.step(1);
        // Nothing moves yet but by gravity and by the strain in which it hung, and that is not much in 1/64 s.
        let moved = runner.positions()[MIDDLE as usize].distance(start[MIDDLE as usize]);
        assert!(moved > 0.0 && moved < 0.2, "{name}: {moved} m");
    }
}

/// A wall that is dragged against a sheet takes it along at the speed that it may have, however far away the hand is, and
/// nothing gets through; where it stops, the sheet flies on.
#[test]
fn a_dragged_collider_takes_along_what_it_meets() {
    let validated = Validated::open();
    let step = Step { gravity: Vec3::ZERO, ..STEP };
    let shape = Shape::Box { half_sides: Vec3::new(2.0, 2.0, 0.5) };
    let wall = Collider { shape, friction: 0.0, path: at(Vec3::new(0.0, 0.0, -1.0)) };
    for (name, mut runner) in free(&validated.device, step, &[wall]) {
        runner.drag(Some(Drag { collider: 0, offset: Vec3::Z * 100.0, speed: 2.0 }));
        for number in 1..=64 {
            runner.step(1);
            let face = -0.5 + 2.0 * number as f32 / 64.0;
            for index in own(&name) {
                let start = runner.body().positions()[index].z;
                let z = runner.positions()[index].z;
                // What touches is as near as the sweep finds it: 1e-5 of the wall's 2 m.
                assert!((z - face.max(start)).abs() < 4e-5, "{name}, step {number}: {z}, not {}", face.max(start));
            }
        }
        runner.drag(None);
        runner.step(8);
        for index in own(&name) {
            let z = runner.positions()[index].z;
            assert!((z - 1.75).abs() < 1e-3, "{name}: {z}");
        }
    }
}

/// A hand below a slab pulls with all its might at what lies above it: the pull comes before the colliders are minded, so
/// nothing gets through.
#[test]
fn a_hand_pulls_nothing_through_a_collider() {
    let validated = Validated::open();
    let shape = Shape::Box { half_sides: Vec3::new(3.0, 0.05, 3.0) };
    let slab = Collider { shape, friction: 0.0, path: at(Vec3::Y * -1.0) };
    for (name, mut runner) in free(&validated.device, STEP, &[slab]) {
        let mut grip = Grip::new(runner.body(), MIDDLE, 0.3, Vec3::Y * -50.0);
        (grip.frequency, grip.reach) = (60.0, 1.0);
        runner.set_grip(Some(grip));
        for step in 1..=64 {
            runner.step(1);
            let lowest = runner.positions().iter().map(|position| position.y).fold(f32::INFINITY, f32::min);
            // As near as the sweep finds what touches: 1e-5 of the slab's 3 m.
            assert!(lowest > -0.95 - 6e-5, "{name}, step {step}: {lowest}");
        }
    }
}

/// However far away a rope is, one in a hand, or one that a hand has pinned, is simulated in full, and no other.
#[test]
fn a_rope_in_hand_is_simulated_in_full() {
    let validated = Validated::open();
    let hold = |rope| Anchor { rope, end: RopeEnd::First, hold: at(Vec3::Z * 0.5 * rope as f32).into() };
    let ropes = two_ropes(vec![hold(0), hold(1)]);
    let detail = RopeDetail { distances: [1.0, 2.0, 3.0], hysteresis: 0.0, blend_time: 0.1, sway_angle: 0.1 };
    let settings = RopeSettings { detail: Some(detail), ..Default::default() };
    let mut solver = RopeVerlet::new(&validated.device, &ropes, &[], STEP, settings).unwrap();
    solver.set_camera(Vec3::Z * 100.0);
    let mut levels = |act: &dyn Fn(&mut RopeVerlet)| {
        act(&mut solver);
        Frames::run_once(&validated.device, |recorder| solver.record(recorder, 0.0)).unwrap();
        solver.levels().unwrap()
    };
    let grip = Grip::soft(&Body::Ropes(ropes.clone()), MIDDLE, Vec3::ZERO);
    assert_eq!(levels(&|_| ()), [3, 3]);
    assert_eq!(levels(&|solver| solver.set_grip(Some(grip.clone()))), [3, 0]);
    assert_eq!(levels(&|solver| solver.set_grip(None)), [3, 3]);
    assert_eq!(levels(&|solver| solver.set_inverse_mass(2, 0.0)), [0, 3]);
    assert_eq!(levels(&|solver| solver.reset().unwrap()), [3, 3]);
}

/// A hand costs one pass a substep while it holds, and nothing before and after.
#[test]
fn nothing_is_recorded_where_nothing_is_held() {
    let validated = Validated::open();
    let device = &validated.device;
    for (name, runner) in cloths(device, &sheet(GRID), GRID, STEP, &[]) {
        let Runner::Gpu(_, mut simulation) = runner else {
            continue;
        };
        let mut passes = |grip: Option<Grip>| {
            simulation.set_grip(grip);
            let mut frames = Frames::new(device, 1).unwrap();
            for _ in 0..2 {
                let mut recorder = frames.begin().unwrap();
                simulation.record(&mut recorder).unwrap();
                recorder.submit().unwrap();
            }
            frames.finish().unwrap();
            let timing = frames.take_timings().next_back().flatten().expect("timestamps");
            timing.passes.iter().map(|pass| (pass.name.to_string(), pass.calls)).collect::<Vec<_>>()
        };
        let grip = Grip::soft(&Body::Cloth(sheet(GRID)), MIDDLE, Vec3::ZERO);
        let before = passes(None);
        let held = passes(Some(grip));
        assert_eq!(passes(None), before, "{name}");
        let (pulls, others): (Vec<_>, Vec<_>) = held.into_iter().partition(|(pass, _)| pass.starts_with("hand/pull"));
        assert_eq!((pulls.len(), pulls[0].1, others), (1, 4, before), "{name}");
    }
}
