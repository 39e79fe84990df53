//! Levels of detail of ropes: their length, and what is seen of a change, for any backend.

use glam::{Quat, Vec3};
use tautline::model::{Anchor, HeldEnds, Path, Pose, RopeEnd, RopeLayout};
use tautline::solver::{RopeDetail, RopeSettings, Step};

use super::ropes::{Make, ROUNDING, Setup, Stepper, stretch};

const DETAIL: RopeDetail =
    RopeDetail { distances: [10.0, 20.0, 30.0], hysteresis: 0.05, blend_time: 0.3, sway_angle: 0.03 };

/// Distances from the camera at which ropes are at level 0 to 3 \[m\].
const DISTANCES: [f32; 4] = [5.0, 15.0, 25.0, 50.0];

const PARTICLES: usize = 64;
const LENGTH: f32 = 1.2;
const LINK: f64 = LENGTH as f64 / (PARTICLES - 1) as f64;

/// A rope that hangs at rest around the origin, and how it would look from somewhere along z.
fn hanging(held: HeldEnds, span: f32) -> Setup {
    let layout = RopeLayout {
        count: 1,
        columns: 1,
        particles: PARTICLES,
        length: LENGTH,
        span,
        spacing: 1.0,
        held,
        motion: Vec::new(),
        release: None,
    };
    let ropes = layout.ropes().unwrap();
    Setup {
        previous: ropes.positions().iter().map(|position| position.truncate()).collect(),
        ropes,
        step: Step { dt: 1.0 / 60.0, substeps: 16, iterations: 4, gravity: Vec3::NEG_Y * 9.81 },
        settings: RopeSettings { velocity_loss: 0.001, detail: Some(DETAIL), ..Default::default() },
        colliders: Vec::new(),
    }
}

/// The same, with a sideways push that lets it swing.
fn swinging(held: HeldEnds, span: f32, speed: f32) -> Setup {
    let mut setup = hanging(held, span);
    let substep_dt = setup.step.substep_dt();
    for (previous, position) in setup.previous.iter_mut().zip(setup.ropes.positions()) {
        *previous -= Vec3::Z * (speed * position.y.abs() / LENGTH * substep_dt);
    }
    setup
}

fn look_from(stepper: &mut dyn Stepper, distance: f32) {
    stepper.set_camera(Vec3::Z * distance);
}

/// A bound of the share by which the curve through every `stride`th particle is longer than the chords between those, and
/// so the drawn rope, whose links are chords of the curve.
///
/// A cubic of chord h whose ends are turned by a and b against it is longer by h (a² + b² - a b / 2) / 15, but for a share
/// of a² + b² of that: the integral of half its squared slope. Where the rope turns by phi and psi at the two nodes, |a| is
/// at most phi / 2 and |b| psi / 2, so that this is at most h (phi² + psi²) / 48; an arc has that, h phi² / 24.
fn curve_excess(positions: &[Vec3], stride: usize) -> f64 {
    let mut nodes: Vec<_> = positions[..PARTICLES - 1].iter().step_by(stride).map(|place| place.as_dvec3()).collect();
    nodes.push(positions[PARTICLES - 1].as_dvec3());
    let inner = nodes.windows(3).map(|place| {
        let (before, after) = (place[1] - place[0], place[2] - place[1]);
        let turn = before.angle_between(after);
        (before.length() + after.length()) * turn * turn / 48.0 * (1.0 + turn * turn)
    });
    inner.sum::<f64>() / f64::from(LENGTH)
}

/// At rest, coarser levels draw the rope as long as the full simulation does: they are stretched no more, and the curve
/// adds what it does. The baked motion is a turn of the rope at rest, which has its length.
pub fn every_level_keeps_the_length(make: Make) {
    for (held, span) in [(HeldEnds::Both, 0.6), (HeldEnds::First, 0.0)] {
        let mut at = |level: usize| {
            let mut stepper = make(&hanging(held, span));
            look_from(&mut *stepper, DISTANCES[level]);
            // Long enough for what a change starts to die away by the loss of velocity, 0.96 / 2 a second.
            stepper.step(900);
            assert_eq!(stepper.levels(), [level as u32]);
            let positions = stepper.positions();
            (stretch(&positions, LINK).0, curve_excess(&positions, 1 << level.min(2)))
        };
        let (full, _) = at(0);
        assert!((0.0..0.005).contains(&full), "the rope is stretched by {full}");
        for level in [1, 2] {
            let (stretched, excess) = at(level);
            println!("level {level}: {stretched:e}, at level 0 {full:e}, curve up to {excess:e}");
            assert!(excess < 0.01 && (-1e-5..=full + excess + 1e-5).contains(&stretched), "{level}: {stretched}");
        }
        let (baked, _) = at(3);
        // A deviation is left of each rounding of a position within 1 m, n r^n of it n substeps later: 1 / (1 - r)² in all.
        let setup = hanging(held, span);
        let left = 1.0 - f64::from(setup.settings.parameters(&setup.step).deviation_kept);
        assert!(baked.abs() < ROUNDING / (left * left) / f64::from(LENGTH), "level 3: {baked}");
    }
}

/// From near to far and back, level by level and all at once: in the step of a change no particle moves much farther than
/// in the steps around it, and the rope keeps its length.
pub fn changes_of_level_do_not_show(make: Make) {
    // A change lets a particle go on from where it is with the velocity that it has, so that only another acceleration can
    // make a difference. Where a baked rope is simulated again, that is gravity at most: its links, which have their
    // lengths at rest, are stretched by its weight first, and until then it falls, in the 16 substeps of a step by 136 h² g.
    const MULTIPLE: f32 = 1.25;
    let there_and_back = [0, 1, 2, 3, 2, 1, 0, 3, 0, 2, 0];
    for (held, span) in [(HeldEnds::Both, 0.6), (HeldEnds::First, 0.0)] {
        let setup = swinging(held, span, 1.2);
        let mut stepper = make(&setup);
        let (mut last, mut moved, mut changes) = (stepper.positions(), Vec::new(), Vec::new());
        let (mut longest, mut shortest, mut turned) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut seen = 0;
        for (index, &level) in there_and_back.iter().enumerate() {
            look_from(&mut *stepper, DISTANCES[level]);
            for _ in 0..30 {
                stepper.step(1);
                if stepper.levels()[0] != seen {
                    seen = stepper.levels()[0];
                    changes.push(moved.len());
                }
                let now = stepper.positions();
                moved.push(now.iter().zip(&last).map(|(now, last)| now.distance(*last)).fold(0.0, f32::max));
                let (stretched, _) = stretch(&now, LINK);
                (longest, shortest) = (longest.max(stretched), shortest.min(stretched));
                turned = turned.max(farthest_turned(&now, &setup));
                last = now;
            }
            assert_eq!(seen, level as u32, "change {index}");
        }
        assert_eq!(changes.len(), there_and_back.len() - 1);
        let fall = 136.0 * 9.81 * setup.step.substep_dt().powi(2);
        for &step in &changes {
            let around = moved[step - 3..step].iter().chain(&moved[step + 1..step + 4]).copied().fold(0.0, f32::max);
            println!("step {step}: {} m, around it up to {around} m", moved[step]);
            assert!(moved[step] <= MULTIPLE * around + fall, "step {step}: {} m, {around} m around it", moved[step]);
        }
        // A mean of a rope at rest and the same rope with links turned by up to `turned` is shorter by up to a share of
        // 1 - cos(turned / 2); what swings pulls harder than what hangs, less than 3 times for swings below a quarter turn.
        let shorter = 1.0 - (turned / 2.0).cos();
        println!("length from {shortest:e} to {longest:e}, bound {shorter:e}");
        assert!(longest < 3.0 * 0.005 && shortest >= -shorter - 1e-4, "{shortest} to {longest}");
    }
}

/// The largest angle between a link and the same link at the start \[rad\].
fn farthest_turned(positions: &[Vec3], setup: &Setup) -> f64 {
    let links =
        |positions: &[Vec3]| positions.windows(2).map(|pair| (pair[1] - pair[0]).as_dvec3()).collect::<Vec<_>>();
    let start: Vec<_> = setup.ropes.positions().iter().map(|position| position.truncate()).collect();
    links(positions).iter().zip(links(&start)).map(|(now, start)| now.angle_between(start)).fold(0.0, f64::max)
}

/// A threshold is passed outwards at 1.05 of its distance and inwards at 0.95; free ropes are never baked.
pub fn levels_go_by_distance_with_hysteresis(make: Make) {
    let mut stepper = make(&hanging(HeldEnds::First, 0.0));
    for (distance, level) in
        [(0.0, 0), (10.4, 0), (10.6, 1), (9.6, 1), (9.4, 0), (40.0, 3), (28.6, 3), (28.4, 2), (21.0, 2), (1.0, 0)]
    {
        look_from(&mut *stepper, distance);
        stepper.step(1);
        assert_eq!(stepper.levels(), [level], "{distance} m");
    }
    let mut free = make(&hanging(HeldEnds::None, 0.0));
    look_from(&mut *free, 100.0);
    free.step(1);
    assert_eq!(free.levels(), [2]);
}

/// At level 3 ends are still on their paths to the bit, while the rope sways; where the ends move against each other it
/// is simulated.
pub fn far_ropes_sway_and_follow_their_anchors(make: Make) {
    let pose = |place: Vec3| Pose { position: place, rotation: Quat::IDENTITY };
    let path = |from: Vec3, by: Vec3| Path::through(vec![(0.0, pose(from)), (1.0, pose(from + by))]).unwrap();
    let moving = |apart: f32| {
        let by = Vec3::new(0.5, 0.25, 0.0);
        let paths = [path(Vec3::ZERO, by), path(Vec3::X * 0.6, by + Vec3::X * apart)];
        let ends = [RopeEnd::First, RopeEnd::Last].into_iter().zip(paths.clone());
        let anchors = ends.map(|(end, path)| Anchor { rope: 0, end, hold: path.into() }).collect();
        let rest: Vec<_> = hanging(HeldEnds::Both, 0.6).ropes.positions().iter().map(|at| at.truncate()).collect();
        let rest = rest.iter().map(|place| *place - rest[0]).collect();
        let mut setup = Setup::one(rest, LENGTH.into(), anchors, 1.0 / 60.0, 4);
        (setup.step.substeps, setup.settings.detail) = (16, Some(DETAIL));
        (setup, paths)
    };
    let (setup, paths) = moving(0.0);
    let mut stepper = make(&setup);
    look_from(&mut *stepper, 100.0);
    let mut widest = 0.0_f32;
    for step in 1..=150 {
        stepper.step(1);
        assert_eq!(stepper.levels(), [3]);
        let (now, time) = (stepper.positions(), f64::from(step) * f64::from(setup.step.dt));
        assert_eq!([now[0], now[PARTICLES - 1]], [0, 1].map(|end| paths[end].at(time).position), "step {step}");
        widest = widest.max(now[PARTICLES / 2].z.abs());
    }
    // The lowest point hangs 0.49 m deep and sways by 0.03 rad; what is left of letting go adds to it while it moves.
    assert!((0.01..0.02).contains(&widest), "it sways by {widest} m");
    let mut apart = make(&moving(0.3).0);
    look_from(&mut *apart, 100.0);
    apart.step(2);
    assert_eq!(apart.levels(), [2]);
}
