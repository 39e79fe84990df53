//! Cases with a known right answer for ropes, for any backend: each takes a factory of steppers and asserts.
//!
//! Right answers are closed forms of the problem, or of the method's own discretisation where that differs, in f64.

use std::f64::consts::{PI, TAU};

use glam::{DVec3, Quat, Vec2, Vec3};
use tautline::model::{Anchor, Collider, HeightField, Hold, Path, Pose, RopeEnd, RopeStart, Ropes, Shape};
use tautline::solver::{RopeSettings, Step};

/// A simulation in progress on some backend.
pub trait Stepper {
    /// Advances by `steps` steps.
    fn step(&mut self, steps: u32);
    /// Positions now \[m\]. Shape \[particle_count\].
    fn positions(&self) -> Vec<Vec3>;
    /// Level of detail of each rope. Shape \[rope_count\].
    fn levels(&self) -> Vec<u32>;
    /// Where the camera is from the next step on \[m\].
    fn set_camera(&mut self, position: Vec3);
}

/// What a simulation starts from.
#[derive(Clone)]
pub struct Setup {
    pub ropes: Ropes,
    /// Where the particles were one substep ago \[m\].
    pub previous: Vec<Vec3>,
    pub step: Step,
    pub settings: RopeSettings,
    pub colliders: Vec<Collider>,
}

/// Starts a simulation on the backend under test.
pub type Make<'a> = &'a mut dyn FnMut(&Setup) -> Box<dyn Stepper>;

/// Largest relative error of rounding to f32, half a unit in the last place.
pub const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// Standard gravity \[m/s²\].
pub const GRAVITY: f64 = 9.81;

#[track_caller]
pub fn assert_close(what: &str, value: f64, expected: f64, tolerance: f64) {
    println!("{what}: {value:.9}, expected {expected:.9}, tolerance {tolerance:.1e}");
    assert!((value - expected).abs() <= tolerance, "{what}: {value}, expected {expected} within {tolerance:e}");
}

/// What holds an end of rope 0 at `position`.
pub fn anchor(end: RopeEnd, position: Vec3) -> Anchor {
    Anchor { rope: 0, end, hold: Path::resting(Pose { position, rotation: Quat::IDENTITY }).into() }
}

impl Setup {
    /// One rope at rest under gravity, without damping, in steps of one substep.
    pub fn one(positions: Vec<Vec3>, length: f64, anchors: Vec<Anchor>, dt: f64, iterations: u32) -> Self {
        let ropes = Ropes::new(&[RopeStart { positions, length: length as f32 }], anchors).unwrap();
        Self {
            previous: ropes.positions().iter().map(|position| position.truncate()).collect(),
            ropes,
            step: Step { dt: dt as f32, substeps: 1, iterations, gravity: Vec3::NEG_Y * GRAVITY as f32 },
            settings: RopeSettings::default(),
            colliders: Vec::new(),
        }
    }

    fn start(&self) -> Vec<Vec3> {
        self.ropes.positions().iter().map(|position| position.truncate()).collect()
    }
}

/// How much longer the links are than at rest, as shares: the mean and the largest.
pub fn stretch(positions: &[Vec3], link_length: f64) -> (f64, f64) {
    let stretches =
        positions.windows(2).map(|pair| pair[0].as_dvec3().distance(pair[1].as_dvec3()) / link_length - 1.0);
    let (sum, most) = stretches.fold((0.0, f64::MIN), |(sum, most): (f64, f64), one| (sum + one, most.max(one)));
    (sum / (positions.len() - 1) as f64, most)
}

/// A pendulum: two particles, the first at the origin, let go at `angle` from straight down \[rad\].
fn pendulum(angle: f64, dt: f64) -> Setup {
    let bob = Vec3::new(angle.sin() as f32, -angle.cos() as f32, 0.0);
    Setup::one(vec![Vec3::ZERO, bob], 1.0, vec![anchor(RopeEnd::First, Vec3::ZERO)], dt, 1)
}

/// Angle of a pendulum's bob from straight down \[rad\].
fn bob_angle(stepper: &dyn Stepper) -> f64 {
    let bob = stepper.positions()[1].as_dvec3();
    bob.x.atan2(-bob.y)
}

/// For small swings, the bob predicted at x' = 2 x_n - x_(n-1), y' = -(l + g h²) is brought back to length l: with
/// k = g h² / l, x_(n+1) = x' / (1 + k). Let go at rest, that is x_n = x_0 (1 + k)^(-n/2) cos(n atan(sqrt k)).
pub fn small_pendulum_is_that_of_the_method(make: Make) {
    let (amplitude, dt) = (1e-3, 1.0 / 64.0);
    let k = GRAVITY * dt * dt;
    let mut stepper = make(&pendulum(amplitude, dt));
    for step in 1..=400 {
        stepper.step(1);
        let n = f64::from(step);
        let expected = amplitude.sin() * (1.0 + k).powf(-n / 2.0) * (n * k.sqrt().atan()).cos();
        let x = f64::from(stepper.positions()[1].x);
        // A step rounds x about 6 times, and an error of a step grows to 1 / sin(theta) of it; they add up as a square
        // root: 5 standard deviations. Beyond the linear motion the phase falls behind by n theta x0² / 16.
        let rounding = 5.0 * ROUNDING * amplitude * (6.0 * n).sqrt() / k.sqrt().atan().sin();
        let nonlinear = amplitude.powi(3) * n * k.sqrt() / 16.0;
        assert!((x - expected).abs() <= rounding + 2.0 * nonlinear, "step {step}: {x:e}, expected {expected:e}");
    }
}

/// The error of the time at which the bob passes the lowest point for the third time falls with dt²: slope 2.
pub fn order(make: Make) {
    let omega = GRAVITY.sqrt();
    let exact = 1.25 * TAU / omega;
    let error = |steps_per_period: u32, make: Make| {
        let dt = TAU / omega / f64::from(steps_per_period);
        let mut stepper = make(&pendulum(1e-3, dt));
        (crossings(&mut *stepper, dt, 3, |stepper| stepper.positions()[1].x.into())[2] - exact).abs()
    };
    let errors: Vec<f64> = [32, 64, 128].iter().map(|&steps| error(steps, make)).collect();
    for pair in errors.windows(2) {
        // The phase atan(sqrt k) = sqrt k (1 - k / 3 + k² / 5 ...): the second term changes the slope by up to
        // log2(1 - 3 k / 5) at 32 steps a period, k = 0.039, which is 0.03. A line between two samples h apart misses the
        // crossing of a decaying swing by up to g h³ / 8 l, a share of 3 sqrt k / (8 * 2.5 pi) of the error: 0.02.
        assert_close("slope of the error", (pair[0] / pair[1]).log2(), 2.0, 0.05);
    }
}

/// Times at which `value` changes its sign, between steps by a straight line; it starts a step before time 0.
fn crossings(stepper: &mut dyn Stepper, dt: f64, count: usize, value: impl Fn(&dyn Stepper) -> f64) -> Vec<f64> {
    let (mut times, mut last) = (Vec::new(), value(stepper));
    for step in 0.. {
        stepper.step(1);
        let now = value(stepper);
        if last * now < 0.0 || now == 0.0 {
            times.push((f64::from(step) + last / (last - now)) * dt);
            if times.len() == count {
                break;
            }
        }
        assert!(step < 100_000, "it does not swing");
        last = now;
    }
    times
}

/// Period of a pendulum of 1 m that swings to `angle` \[rad\]: 2 pi sqrt(l / g) / agm(1, cos(angle / 2)).
fn pendulum_period(angle: f64) -> f64 {
    let (mut a, mut b): (f64, f64) = (1.0, (angle / 2.0).cos());
    for _ in 0..20 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    TAU / GRAVITY.sqrt() / a
}

/// A rope of two particles is a pendulum, however far it swings.
pub fn pendulum_periods(make: Make) {
    let dt = 1.0 / 960.0;
    for (degrees, published) in [(1.0, 2.006105), (30.0, 2.040990), (90.0, 2.367842), (120.0, 2.754090)] {
        let angle = f64::to_radians(degrees);
        assert_close("the closed form", pendulum_period(angle), published, 1e-6);
        let mut stepper = make(&pendulum(angle, dt));
        // A quarter of the period, but for half a step: it is let go between two steps.
        let quarter = crossings(&mut *stepper, dt, 1, |stepper| bob_angle(stepper))[0];
        // The method damps (see `small_pendulum_is_that_of_the_method`): the next turning point says how far it swung at
        // least.
        let mut least = 0.0_f64;
        for _ in 0..(1.5 * quarter / dt) as u32 {
            stepper.step(1);
            least = least.max(bob_angle(&*stepper).abs());
        }
        let (shortest, longest) = (pendulum_period(least), pendulum_period(angle));
        // The phase of a step is off by a third of the square of the angle turned in it, at most at the lowest point. What
        // gravity adds to a position within 1 m in a step, g h², is rounded to the last place of that.
        let fastest = 2.0 * GRAVITY.sqrt() * (angle / 2.0).sin().max(0.5);
        let rounding = ROUNDING / (GRAVITY * dt * dt) / 2.0;
        let tolerance = ((fastest * dt).powi(2) / 3.0 + rounding) * longest + 2.0 * dt;
        println!("{degrees} degrees: {} s, from {shortest} to {longest} within {tolerance:e}", 4.0 * quarter);
        let period = shortest - tolerance..=longest + tolerance;
        assert!(period.contains(&(4.0 * quarter)), "{degrees} degrees: {} s", 4.0 * quarter);
        assert!(longest - shortest < 0.03 * longest, "the swing is damped too much to tell");
    }
}

/// L_0 to L_n at x, Laguerre's polynomials.
fn laguerre(n: usize, x: f64) -> Vec<f64> {
    let mut values = vec![1.0, 1.0 - x];
    for k in 1..n {
        let next = ((2 * k + 1) as f64 - x) * values[k] - k as f64 * values[k - 1];
        values.push(next / (k + 1) as f64);
    }
    values
}

/// A hanging chain of n links l with equal particles swings as L_j(x), j counted from the lowest particle, where x is the
/// least zero of L_n and omega² = x g / l: m u_j'' = (j + 1) m g (u_(j+1) - u_j) / l - j m g (u_j - u_(j-1)) / l is
/// Laguerre's recurrence. For many links T goes to that of Bessel's J0, 1.668368 s for 1 m.
pub fn hanging_chain_period(make: Make) {
    const LINKS: usize = 20;
    let link = 1.0 / LINKS as f64;
    let (mut low, mut high) = (0.0, 2.0 / LINKS as f64);
    assert!(laguerre(LINKS, high)[LINKS] < 0.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if laguerre(LINKS, middle)[LINKS] > 0.0 { low = middle } else { high = middle }
    }
    let omega = (low * GRAVITY / link).sqrt();
    let expected = TAU / omega;
    // Half a particle's weight more or less at the ends: a share of about 1 / (4 n).
    assert_close("period of Bessel's chain", expected, 1.668368, 1.668368 / (3 * LINKS) as f64);

    let shape = laguerre(LINKS, low);
    let amplitude = 0.02;
    let (mut place, mut positions) = (DVec3::ZERO, vec![Vec3::ZERO]);
    for below in (0..LINKS).rev() {
        let across = amplitude * (shape[below] - shape[below + 1]);
        place += DVec3::new(across, -(link * link - across * across).sqrt(), 0.0);
        positions.push(place.as_vec3());
    }
    let dt = 1.0 / 480.0;
    let mut setup = Setup::one(positions, 1.0, vec![anchor(RopeEnd::First, Vec3::ZERO)], dt, 20);
    // Quietens the links, which are let go unstretched, and hardly the swing: its period grows by (d / 2 omega h)² / 2.
    setup.settings.velocity_loss = 5e-4;
    let mut stepper = make(&setup);
    let times = crossings(&mut *stepper, dt, 3, |stepper| stepper.positions()[LINKS].x.into());
    let (_, most) = stretch(&stepper.positions(), link);
    let damping = (setup.settings.velocity_loss as f64 / dt / 2.0 / omega).powi(2) / 2.0;
    // Links that are longer by a share e let the period grow by less than e / 2; a step has the phase of a pendulum's, off
    // by a third of (omega h)²; amplitude² / 16, as a pendulum's; and the rounding of g h² within 1 m.
    let rounding = ROUNDING / (GRAVITY * dt * dt) / 2.0;
    let tolerance = most / 2.0 + damping + (omega * dt).powi(2) / 3.0 + amplitude * amplitude / 16.0 + rounding;
    assert!(tolerance < 0.01, "the chain is too elastic to tell: {most}");
    assert_close("period", times[2] - times[0], expected, tolerance * expected);
}

/// Sag of a catenary across 1 m \[m\]: 2 a sinh(1 / 2 a) = length.
fn sag(length: f64) -> f64 {
    let (mut low, mut high) = (0.05, 100.0);
    for _ in 0..200 {
        let a = (low + high) / 2.0;
        if 2.0 * a * (0.5_f64 / a).sinh() > length { low = a } else { high = a }
    }
    low * ((0.5 / low).cosh() - 1.0)
}

/// A rope that is let go folded comes to rest in a catenary.
pub fn catenary(make: Make) {
    for (length, expected, discrete) in [(1.2, 0.292344, 0.292285), (1.5, 0.502633, 0.502485)] {
        assert_close("the closed form", sag(length), expected, 1e-6);
        // Two straight halves, and the middle link level.
        let link = length / 63.0;
        let across = (0.5 - link / 2.0) / 31.0;
        let down = (link * link - across * across).sqrt();
        let place = |index: usize| {
            let (step, x) = (index.min(63 - index) as f64, if index < 32 { 0.0 } else { 1.0 });
            Vec3::new((x + (1.0 - 2.0 * x) * step * across) as f32, (-step * down) as f32, 0.0)
        };
        let anchors = vec![anchor(RopeEnd::First, Vec3::ZERO), anchor(RopeEnd::Last, Vec3::X)];
        let mut setup = Setup::one((0..64).map(place).collect(), length, anchors, 1.0 / 960.0, 10);
        setup.settings.velocity_loss = 0.005;
        let mut stepper = make(&setup);
        // Decays with 0.005 * 960 / 2 a second: e^-24 is left.
        stepper.step(9_600);
        let positions = stepper.positions();
        let (_, most) = stretch(&positions, link);
        assert!((0.0..0.005).contains(&most), "the rope is stretched by {most}");
        // The links are longer by up to that; rounding moves the lowest particle by less than 1e-5 m, and what the links
        // push each other across adds nothing at the middle.
        let found = f64::from(-positions.iter().map(|position| position.y).fold(0.0, f32::min));
        let longer = sag(length * (1.0 + most)) - sag(length);
        println!("{length} m: sag {found}, expected {discrete} and up to {longer:e} more");
        assert!((discrete - 1e-5..=discrete + longer + 1e-5).contains(&found), "sag {found}, expected {discrete}");
    }
}

/// More iterations make a rope less elastic, in proportion: in a step at rest each particle's corrections undo the fall
/// g h², and those of one iteration are differences of what links are too long by.
pub fn iterations_stiffen(make: Make) {
    let mut stretched = |iterations: u32| {
        let positions = (0..64).map(|index| Vec3::NEG_Y * (index as f32 / 63.0)).collect();
        let anchors = vec![anchor(RopeEnd::First, Vec3::ZERO)];
        let mut setup = Setup::one(positions, 1.0, anchors, 1.0 / 480.0, iterations);
        setup.settings.velocity_loss = 0.02;
        let mut stepper = make(&setup);
        stepper.step(4_800);
        stretch(&stepper.positions(), 1.0 / 63.0).0
    };
    let [few, more, many] = [3, 6, 12].map(&mut stretched);
    println!("stretched by {few}, {more}, {many}");
    // What is left over within one iteration, of the same order for any number of them, is the tolerance.
    for (pair, iterations) in [([few, more], 3.0), ([more, many], 6.0)] {
        assert_close("ratio of stretches", pair[0] / pair[1], 2.0, 2.0 / iterations);
    }
    assert!(few > more && more > many && many > 0.0);
}

/// A free rope that is thrown keeps its momentum, whatever its links do: corrections act in pairs.
pub fn momentum(make: Make) {
    let (dt, steps, count) = (1.0 / 128.0, 256, 33_u32);
    let positions = (0..count).map(|index| Vec3::new(index as f32 / 32.0 - 0.5, 0.0, 0.0)).collect();
    let mut setup = Setup::one(positions, 1.0, vec![], dt, 4);
    setup.step.gravity = Vec3::ZERO;
    let velocity = |index: usize| {
        let x = index as f32 / 32.0;
        Vec3::new((7.0 * x).sin(), (11.0 * x).cos(), (5.0 * x).sin() * x)
    };
    for (index, previous) in setup.previous.iter_mut().enumerate() {
        *previous -= velocity(index) * dt as f32;
    }
    let sum = |positions: &[Vec3]| positions.iter().map(|position| position.as_dvec3()).sum::<DVec3>();
    let before = sum(&setup.start()) - sum(&setup.previous);
    let mut stepper = make(&setup);
    stepper.step(steps - 1);
    let last = stepper.positions();
    stepper.step(1);
    let now = stepper.positions();
    let changed = (sum(&now) - sum(&last) - before).length();
    assert!(now.iter().zip(setup.start()).any(|(a, b)| a.distance(b) > 0.5), "the rope has hardly moved");
    // A step rounds each particle, within 2 m, twice, and 8 times by corrections of less than that: independent errors of
    // ROUNDING * 2 m add up as a square root, 5 standard deviations.
    let tolerance = 5.0 * f64::from(count * 10 * steps).sqrt() * ROUNDING * 2.0;
    assert_close("change of momentum a step", changed, 0.0, tolerance);
}

/// Two particles that circle each other: r' = 2 r_n - r_(n-1) is brought back to the length, so that the angle turned in a
/// step becomes atan(sin a / (2 - cos a)): Jakobsen's correction lies along where the link will be, not along where it
/// is, and brakes. The length is kept.
pub fn spinning_pair(make: Make) {
    let (dt, steps) = (1.0 / 64.0, 200);
    let mut angle = 0.1_f64;
    let mut setup = Setup::one(vec![Vec3::X / 2.0, -Vec3::X / 2.0], 1.0, vec![], dt, 1);
    setup.step.gravity = Vec3::ZERO;
    let before = Vec3::new(angle.cos() as f32, -angle.sin() as f32, 0.0) / 2.0;
    setup.previous = vec![before, -before];
    let mut stepper = make(&setup);
    let mut turned = 0.0;
    for step in 1..=steps {
        stepper.step(1);
        angle = angle.sin().atan2(2.0 - angle.cos());
        turned += angle;
        let way = (stepper.positions()[0] - stepper.positions()[1]).as_dvec3();
        assert_close("length", way.length(), 1.0, 4.0 * ROUNDING);
        // An error of a step is a change of speed: they add up as n^1.5, 4 roundings a step and 5 standard deviations.
        let tolerance = 5.0 * 2.0 * ROUNDING * f64::from(step).powf(1.5);
        let off = (way.y.atan2(way.x) - turned + PI).rem_euclid(TAU) - PI;
        assert_close("angle turned", off, 0.0, tolerance);
    }
}

/// 20 degrees \[rad\].
const SLOPE: f64 = 20.0 / 180.0 * PI;

/// A rope that lies on a slope that falls towards -x, at an angle to it.
fn rope_on_slope(shape: Shape, friction: f32) -> (Setup, DVec3) {
    let rotation = Quat::from_rotation_z(SLOPE as f32);
    let place = |index: usize| rotation * (Vec3::new(0.6, 0.0, 0.8) * (index as f32 - 7.5) * 0.02);
    let mut setup = Setup::one((0..16).map(place).collect(), 0.3, vec![], 1.0 / 64.0, 4);
    let path = Path::resting(Pose { position: Vec3::ZERO, rotation });
    setup.colliders = vec![Collider { shape, friction, path }];
    (setup, DVec3::new(-SLOPE.cos(), -SLOPE.sin(), 0.0))
}

/// With a coefficient of friction of 0.5, more than tan 20 degrees = 0.36, the rope stays for a minute.
pub fn rests_on_slope(make: Make) {
    rests_on(Shape::Plane, make);
}

/// So it does on terrain as even as that.
pub fn rests_on_hillside(make: Make) {
    rests_on(terrain(), make);
}

/// Flat terrain of 8 m x 8 m.
fn terrain() -> Shape {
    Shape::HeightField(HeightField::new(Vec2::splat(8.0), 17, vec![0.0; 17 * 17]).unwrap())
}

fn rests_on(shape: Shape, make: Make) {
    let (setup, _) = rope_on_slope(shape, 0.5);
    let mut stepper = make(&setup);
    let steps = 60 * 64;
    stepper.step(steps);
    for (position, start) in stepper.positions().iter().zip(setup.start()) {
        // Static friction takes a particle back to where it was, but for rounding: its way to the slope's frame and back is
        // about 8 operations on lengths up to 0.15 m, and 8 projections of links as many; each step may err the same way.
        let tolerance = f64::from(steps) * 16.0 * ROUNDING * 0.15;
        assert_close("creep in a minute [m]", position.distance(start).into(), 0.0, tolerance);
    }
}

/// With a coefficient of 0.2 it slides with g (sin a - mu cos a): each step adds h² of that to its way.
pub fn slides_on_slope(make: Make) {
    slides_on(Shape::Plane, make);
}

/// So it does on terrain as even as that.
pub fn slides_on_hillside(make: Make) {
    slides_on(terrain(), make);
}

fn slides_on(shape: Shape, make: Make) {
    let (setup, downhill) = rope_on_slope(shape, 0.2);
    let mut stepper = make(&setup);
    let (steps, dt) = (64, 1.0 / 64.0);
    stepper.step(steps);
    let (acceleration, n) = (GRAVITY * (SLOPE.sin() - 0.2 * SLOPE.cos()), f64::from(steps));
    let expected = downhill * acceleration * dt * dt * n * (n + 1.0) / 2.0;
    for (position, start) in stepper.positions().iter().zip(setup.start()) {
        // As on the slope of the other solvers: 16 roundings of a position within 1 m a step become a velocity, and add up
        // as n^1.5; 5 standard deviations.
        let tolerance = 5.0 * 4.0 * ROUNDING * n.powf(1.5);
        let slid = (*position - start).as_dvec3();
        assert_close("distance from where it should have slid [m]", slid.distance(expected), 0.0, tolerance);
    }
}

/// A plane that rises through a lying rope, which starts below it, lifts it and does not throw it.
pub fn what_starts_inside_is_not_thrown(make: Make) {
    let positions = (0..16).map(|index| Vec3::new(index as f32 * 0.02, -0.5, 0.0)).collect();
    let mut setup = Setup::one(positions, 0.3, vec![], 1.0 / 64.0, 4);
    let path = Path::resting(Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY });
    setup.colliders = vec![Collider { shape: Shape::Plane, friction: 0.5, path }];
    let mut stepper = make(&setup);
    for step in 1..=20 {
        stepper.step(1);
        for position in stepper.positions() {
            assert_close(&format!("height in step {step}"), position.y.into(), 0.0, 4.0 * ROUNDING);
        }
    }
}

/// A ball at 10 m/s, which in one step goes from wholly before a free rope to wholly behind it, takes along what it hits.
pub fn ball_does_not_tunnel(make: Make) {
    let (dt, radius) = (1.0 / 64.0, 0.05_f32);
    let positions = (0..41).map(|index| Vec3::X * (index as f32 - 20.0) * 0.01).collect();
    let mut setup = Setup::one(positions, 0.4, vec![], dt, 4);
    setup.step.gravity = Vec3::ZERO;
    let pose = |z: f32| Pose { position: Vec3::Z * z, rotation: Quat::IDENTITY };
    // Half a step before the rope, and 10 m/s from there on.
    let way = 10.0 * dt as f32;
    let path = Path::through(vec![(0.0, pose(-0.5 * way)), (1.0, pose(-0.5 * way + 10.0))]).unwrap();
    setup.colliders = vec![Collider { shape: Shape::Sphere { radius }, friction: 0.3, path }];
    let mut stepper = make(&setup);
    for step in 1..=4 {
        stepper.step(1);
        let centre = Vec3::Z * (step as f32 - 0.5) * way;
        for position in stepper.positions() {
            // A sweep ends within 1e-5 of a shape's size, and places within 1 m are rounded a few times.
            let least = radius * (1.0 - 1e-5) - 8.0 * ROUNDING as f32;
            assert!(position.distance(centre) >= least, "step {step}: {position} is inside the ball");
        }
        let middle = stepper.positions()[20];
        assert!(middle.z >= centre.z, "step {step}: the ball went through, {middle}");
    }
}

/// A rope that both ends are let go of falls: its centre accelerates with gravity, and has kept its velocity until then.
pub fn what_is_let_go_falls(make: Make) {
    let dt = 1.0 / 64.0;
    let pose = |x: f32, y: f32| Pose { position: Vec3::new(x, y, 0.0), rotation: Quat::IDENTITY };
    // Both ends go up at 1 m/s, and are let go in the 32nd step and at the end of it.
    let hold = |x: f32, release: f64| Hold {
        path: Path::through(vec![(0.0, pose(x, 0.0)), (1.0, pose(x, 1.0))]).unwrap(),
        release: Some(release),
    };
    let anchors = vec![
        Anchor { rope: 0, end: RopeEnd::First, hold: hold(0.0, 31.5 * dt) },
        Anchor { rope: 0, end: RopeEnd::Last, hold: hold(1.0, 32.0 * dt) },
    ];
    let positions = (0..20).map(|index| Vec3::X * (index as f32 / 19.0)).collect();
    let mut setup = Setup::one(positions, 1.0, anchors, dt, 10);
    setup.step.substeps = 4;
    let mut stepper = make(&setup);
    let mut heights = Vec::new();
    for step in 1..=96 {
        stepper.step(1);
        let positions = stepper.positions();
        let ends = [positions[0], positions[19]].map(|end| end.y);
        if step <= 32 {
            assert_eq!(ends, [step as f32 / 64.0; 2], "step {step}");
        }
        heights.push(positions.iter().map(|position| f64::from(position.y)).sum::<f64>() / 20.0);
    }
    for (heights, step) in heights[32..].windows(3).zip(33..) {
        let acceleration = (heights[2] - 2.0 * heights[1] + heights[0]) / (dt * dt);
        // Each of 20 particles rounds a height within 2 m about 20 times a step, 5 times in each of 4 substeps: of their mean
        // 5 standard deviations, four times in a second difference.
        let tolerance = 5.0 * 4.0 * 2.0 * ROUNDING / (dt * dt);
        assert_close(&format!("acceleration in step {step}"), acceleration, -GRAVITY, tolerance);
    }
}

/// Held ends are on their paths to the bit after each step, and the rope follows.
pub fn anchors_keep_to_their_paths(make: Make) {
    let dt = 1.0 / 64.0;
    let pose = |x: f32, y: f32| Pose { position: Vec3::new(x, y, 0.3), rotation: Quat::IDENTITY };
    let paths = [
        Path::through(vec![(0.1, pose(0.0, 0.0)), (0.3, pose(-0.2, 0.7)), (0.8, pose(0.1, 0.1))]).unwrap(),
        Path::through(vec![(0.0, pose(1.0, 0.0)), (0.5, pose(0.3, -0.6))]).unwrap(),
    ];
    let anchors = [RopeEnd::First, RopeEnd::Last].into_iter().zip(paths.clone());
    let anchors = anchors.map(|(end, path)| Anchor { rope: 0, end, hold: path.into() }).collect();
    let positions = (0..30).map(|index| Vec3::new(index as f32 / 29.0, 0.0, 0.3)).collect();
    let mut setup = Setup::one(positions, 1.6, anchors, dt, 8);
    setup.step.substeps = 3;
    let mut stepper = make(&setup);
    for step in 1..=64 {
        stepper.step(1);
        let (positions, time) = (stepper.positions(), f64::from(step) * f64::from(setup.step.dt));
        let ends = [positions[0], positions[29]];
        assert_eq!(ends, [0, 1].map(|end| paths[end].at(time).position), "step {step}");
    }
}
