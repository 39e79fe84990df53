//! Physical cases with a known right answer, for any backend: each takes a factory of steppers and asserts.
//!
//! Right answers are closed forms of the problem, or of the method's own discretisation where that differs, in f64.
//! A tolerance is either the first neglected term of a series or the rounding of f32 (half a unit in the last place,
//! [`ROUNDING`], per operation); a comment at the line says which. Time steps are powers of two where that makes f32
//! arithmetic exact.

use std::f64::consts::{PI, TAU};
use std::ops::Range;

use glam::{DVec3, IVec2, Vec3, Vec4};
use tautline::layout::{Constraint, PbdParameters, VerletParameters};
use tautline::solver::ConstraintSolver;

/// A simulation in progress on some backend.
pub trait Stepper {
    /// Advances by `steps` substeps.
    fn step(&mut self, steps: u32);
    /// Sets the factor on the rest lengths, for the steps that follow.
    fn set_elongation(&mut self, elongation: f32);
    /// Positions now, w as in the setup. Shape \[particle_count\].
    fn positions(&self) -> Vec<Vec4>;
    /// Velocities now, where the solver stores them. Shape \[particle_count\].
    fn velocities(&self) -> Option<Vec<Vec4>>;
    /// Multipliers of the latest substep, empty where the solver has none. Shape \[constraint_count\].
    fn lambdas(&self) -> Vec<f32>;
}

/// What an `xpbd` simulation starts from.
#[derive(Clone, Debug)]
pub struct PbdSetup {
    /// xyz: position \[m\]; w: inverse mass \[1/kg\]. Shape \[particle_count\].
    pub positions: Vec<Vec4>,
    /// xyz: velocity \[m/s\]; w: 0. Shape \[particle_count\].
    pub velocities: Vec<Vec4>,
    /// Sorted by batch. Shape \[constraint_count\].
    pub constraints: Vec<Constraint>,
    /// Ranges of constraints that share no particle.
    pub batches: Vec<Range<u32>>,
    /// What holds for every substep.
    pub parameters: PbdParameters,
    /// Projections of every constraint per substep.
    pub iterations: u32,
    /// Whether lambda is accumulated over them; document 002 leaves that out.
    pub lambda_accumulated: bool,
    /// The order of the constraints within an iteration.
    pub constraint_solver: ConstraintSolver,
}

/// What a `verlet` simulation starts from.
#[derive(Clone, Debug)]
pub struct VerletSetup {
    /// xyz: position one step ago \[m\]; w: 1 where pinned. Shape \[particle_count\].
    pub previous: Vec<Vec4>,
    /// xyz: position now \[m\]; w: 1 where pinned. Shape \[particle_count\].
    pub current: Vec<Vec4>,
    /// What holds for every step.
    pub parameters: VerletParameters,
}

/// Starts an `xpbd` simulation on the backend under test.
pub type MakePbd<'a> = &'a mut dyn FnMut(&PbdSetup) -> Box<dyn Stepper>;
/// Starts a `verlet` simulation on the backend under test.
pub type MakeVerlet<'a> = &'a mut dyn FnMut(&VerletSetup) -> Box<dyn Stepper>;

/// Largest relative error of rounding to f32, half a unit in the last place.
const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

#[track_caller]
fn assert_close(what: &str, value: f64, expected: f64, tolerance: f64) {
    println!("{what}: {value:.9}, expected {expected:.9}, tolerance {tolerance:.1e}");
    assert!((value - expected).abs() <= tolerance, "{what}: {value}, expected {expected} within {tolerance:e}");
}

// ---------------------------------------------------------------------------------------------------------------------
// verlet: setups
// ---------------------------------------------------------------------------------------------------------------------

/// The constants of document 000 \[N/m\].
const STIFFNESSES: [f32; 3] = [1500.0, 1000.0, 500.0];

fn verlet_parameters(columns: i32, rows: i32, [structural, shear, flexion]: [f32; 3], dt: f64) -> VerletParameters {
    VerletParameters {
        grid_size: IVec2::new(columns, rows),
        rest_length: 1.0,
        mass: 1.0,
        structural_stiffness: structural,
        shear_stiffness: shear,
        flexion_stiffness: flexion,
        substep_dt: dt as f32,
        ..Default::default()
    }
}

/// One particle of 1 kg on a spring of 1 m and `stiffness`, its other end pinned at the origin.
///
/// It is `previous` longer than 1 m one step ago and `current` longer now.
fn verlet_spring(stiffness: f32, dt: f64, previous: f64, current: f64) -> VerletSetup {
    let positions = |elongation: f64| vec![Vec4::W, Vec4::new(1.0 + elongation as f32, 0.0, 0.0, 0.0)];
    VerletSetup {
        previous: positions(previous),
        current: positions(current),
        parameters: verlet_parameters(2, 1, [stiffness, 0.0, 0.0], dt),
    }
}

/// A flat grid at rest in the xy plane, 1 m a cell, no particle pinned.
fn verlet_sheet(size: i32, dt: f64) -> VerletSetup {
    let positions: Vec<Vec4> =
        (0..size * size).map(|index| Vec4::new((index % size) as f32, (index / size) as f32, 0.0, 0.0)).collect();
    VerletSetup {
        previous: positions.clone(),
        current: positions,
        parameters: verlet_parameters(size, size, STIFFNESSES, dt),
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// verlet: cases
// ---------------------------------------------------------------------------------------------------------------------

/// The global error of Verlet falls with dt²: slope 2, on a harmonic oscillator u = u0 cos(omega t).
pub fn verlet_order(make: MakeVerlet) {
    let error = |steps_per_period: u32, make: MakeVerlet| {
        let dt = TAU / f64::from(steps_per_period);
        let mut stepper = make(&verlet_spring(1.0, dt, 0.5 * dt.cos(), 0.5));
        // After 1.25 periods the exact u is 0 and its slope is largest, so that u is the error of the phase.
        stepper.step(steps_per_period * 5 / 4);
        (f64::from(stepper.positions()[1].x) - 1.0).abs()
    };
    let errors: Vec<f64> = [32, 64, 128].iter().map(|&steps| error(steps, make)).collect();
    for pair in errors.windows(2) {
        // The error of the phase, n theta³/24 with n theta = 2.5 pi, is joined by theta³/24 of the start: a share of
        // theta / 2.5 pi, which changes the slope by 0.02 at 32 steps a period. At 128 rounding (1e-5 against 4e-4)
        // does so by up to 0.03.
        assert_close("slope of Verlet's error", (pair[0] / pair[1]).log2(), 2.0, 0.05);
    }
}

/// One particle on one spring has period 2 pi h / (2 asin(omega h / 2)) and does not decay.
pub fn verlet_spring_period(make: MakeVerlet) {
    let omega = 1000_f64.sqrt();
    for (steps_per_second, expected_period) in [(60.0, 0.196345), (900.0, 0.198682)] {
        let dt = 1.0 / steps_per_second;
        // u[n+1] - 2 u[n] + u[n-1] = -omega² h² u[n], from u[-1] = u[0], has this solution and no other.
        let theta = 2.0 * (omega * dt / 2.0).asin();
        let exact = |step: f64| 0.5 * ((step + 0.5) * theta).cos() / (theta / 2.0).cos();
        assert_close("closed form of Verlet's period", TAU * dt / theta, expected_period, 1e-6);

        let mut stepper = make(&verlet_spring(1000.0, dt, 0.5, 0.5));
        let steps = (5.0 * TAU / theta) as u32;
        for step in 1..=steps {
            stepper.step(1);
            let elongation = f64::from(stepper.positions()[1].x) - 1.0;
            // Each step rounds a position near 1 m about 3 times; an error e grows to at most e / sin(theta), and
            // independent errors add up as a square root. 5 standard deviations; dt itself is rounded to f32.
            let rounding = 5.0 * ROUNDING * (3.0 * f64::from(step)).sqrt() / theta.sin();
            let phase_of_dt = 0.5 * f64::from(step) * theta * ROUNDING;
            assert!(
                (elongation - exact(f64::from(step))).abs() <= rounding + phase_of_dt,
                "step {step}: {elongation}, expected {}",
                exact(f64::from(step))
            );
        }
    }
}

/// Document 000's springs are stable for dt < 2 sqrt(m / lambda_max) = 0.02 s, lambda_max = 10,000 N/m.
///
/// lambda_max belongs to neighboring columns moving against each other: 4 x 1500 from structural springs and
/// 4 x 1000 from shear. It is approached from below as the grid grows.
pub fn verlet_stability_limit(make: MakeVerlet) {
    const SIZE: i32 = 32;
    let shape = |index: usize| {
        let (column, row) = (index as i32 % SIZE, index as i32 / SIZE);
        let window = |at: i32| (PI * (f64::from(at) + 0.5) / f64::from(SIZE)).sin();
        f64::from(1 - 2 * (column % 2)) * window(column) * window(row)
    };
    let amplitude = 1e-4;
    let mut largest_displacement = |dt: f64, steps: u32| {
        let rest = verlet_sheet(SIZE, dt);
        let mut setup = rest.clone();
        for (index, position) in setup.current.iter_mut().enumerate() {
            position.x += (amplitude * shape(index)) as f32;
        }
        setup.previous = setup.current.clone();
        let mut stepper = make(&setup);
        stepper.step(steps);
        let positions = stepper.positions();
        let displacements = positions.iter().zip(&rest.current).map(|(a, b)| f64::from((*a - *b).truncate().length()));
        // What has left the range of f32 is not a number.
        displacements.map(|length| if length.is_nan() { f64::INFINITY } else { length }).fold(0.0, f64::max)
    };
    // Each mode is u0 cos((n + 1/2) theta) / cos(theta / 2) with cos²(theta / 2) = 1 - lambda dt² / 4, so the sum of
    // squares over the grid never exceeds the first one by more than 1 / cos²(theta / 2) at lambda_max.
    let stable_dt = 0.0199;
    let norm = amplitude * (0..(SIZE * SIZE) as usize).map(|index| shape(index).powi(2)).sum::<f64>().sqrt();
    let bound = norm / (1.0 - 10_000.0 * stable_dt * stable_dt / 4.0_f64).sqrt();
    let displacement = largest_displacement(stable_dt, 400);
    println!("dt = {stable_dt}: largest displacement {displacement:e} m, bound {bound:e} m");
    assert!(displacement <= bound);
    // The Rayleigh quotient of `shape` on this grid bounds lambda_max from below by 9,983 N/m: at 0.0201 s the fastest
    // mode grows by at least e^0.18 a step, which is e^14 in 80 steps.
    let displacement = largest_displacement(0.0201, 80);
    println!("dt = 0.0201: largest displacement {displacement:e} m");
    assert!(displacement > 1.0);
}

/// A free grid keeps its linear and its angular momentum to rounding, while its springs swing.
///
/// Verlet conserves p = sum m (x[n+1] - x[n]) / h and L = sum m x[n] x x[n+1] / h exactly, because springs act in pairs
/// along the line between their ends.
pub fn verlet_momentum(make: MakeVerlet) {
    let (dt, steps) = (1.0 / 128.0, 256);
    let mut setup = verlet_sheet(8, dt);
    for (previous, current) in setup.previous.iter_mut().zip(&mut setup.current) {
        // Around the origin, so that positions are small and their rounding too.
        *current -= Vec4::new(3.5, 3.5, 0.0, 0.0);
        *previous = *current - (velocity_field(current.truncate()) * dt as f32).extend(0.0);
    }
    let momenta = |previous: &[Vec4], current: &[Vec4]| {
        let particles = previous.iter().zip(current).map(|(a, b)| (a.truncate().as_dvec3(), b.truncate().as_dvec3()));
        particles.fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), (a, b)| {
            (linear + (b - a) / dt, angular + a.cross(b) / dt)
        })
    };
    let (linear_before, angular_before) = momenta(&setup.previous, &setup.current);
    let mut stepper = make(&setup);
    stepper.step(steps - 1);
    let previous = stepper.positions();
    stepper.step(1);
    let current = stepper.positions();
    let (linear, angular) = momenta(&previous, &current);
    assert!(previous.iter().zip(&setup.current).any(|(a, b)| a.distance(*b) > 0.5), "the sheet has hardly moved");
    // A step rounds each position twice (displacement and acceleration added), up to 8 m from the origin.
    let tolerance = momentum_rounding(64, 2, steps, 8.0, dt);
    assert_close("change of linear momentum", linear.distance(linear_before), 0.0, tolerance);
    assert_close("change of angular momentum", angular.distance(angular_before), 0.0, 8.0 * tolerance);
}

/// A free grid falls as the integrator does, its springs stay at rest.
pub fn verlet_free_fall(make: MakeVerlet) {
    let (dt, steps) = (1.0 / 64.0, 64);
    let mut setup = verlet_sheet(4, dt);
    for position in setup.current.iter_mut().chain(&mut setup.previous) {
        // Horizontal, so that heights are equal bit by bit and the springs stay exactly at rest.
        *position = Vec4::new(position.x, 0.0, position.y, 0.0);
    }
    setup.parameters.gravity = Vec4::new(0.0, -8.0, 0.0, 0.0);
    let mut stepper = make(&setup);
    stepper.step(steps);
    let n = f64::from(steps);
    for (position, start) in stepper.positions().iter().zip(&setup.current) {
        // g = 8 and h = 1/64 are exact. What is left is the rounding of the shear springs' length, 1e-7 m, around which
        // they swing in the plane, and of the positions.
        assert_close("height", position.y.into(), -8.0 * dt * dt * n * (n + 1.0) / 2.0, 8.0 * ROUNDING * n);
        assert!((*position - *start).with_y(0.0).length() < 2e-6, "the sheet moves sideways");
    }
}

/// Document 000's damping: a free particle's displacement is multiplied by 1 - d each step.
pub fn verlet_damping(make: MakeVerlet) {
    let mut setup = verlet_spring(1000.0, 1.0 / 64.0, 0.0, 0.0);
    for (previous, current) in setup.previous.iter_mut().zip(&mut setup.current) {
        (previous.w, current.w) = (0.0, 0.0);
        previous.y = -0.0625;
    }
    setup.parameters.damping = 0.125;
    let mut stepper = make(&setup);
    stepper.step(20);
    let kept: f64 = 1.0 - 0.125;
    let expected = 0.0625 * kept * (1.0 - kept.powi(20)) / (1.0 - kept);
    for position in stepper.positions() {
        // 3 roundings a step, of which an early one is carried on as displacement and summed to 1 / (1 - kept) = 8.
        assert_close("way of a damped particle", position.y.into(), expected, 20.0 * 3.0 * 8.0 * ROUNDING * expected);
    }
}

/// Lengths and accelerations a billion times smaller give the same motion a billion times smaller.
pub fn verlet_unit_scale(make: MakeVerlet) {
    let mut run = |scale: f32| {
        let mut setup = verlet_sheet(4, 0.01);
        setup.previous[5].z = 0.25;
        for position in setup.current.iter_mut().chain(&mut setup.previous) {
            *position = (position.truncate() * scale).extend(position.w);
        }
        setup.current[0].w = 1.0;
        setup.parameters.rest_length = scale;
        setup.parameters.gravity = Vec4::new(1.0, -10.0, 0.0, 0.0) * scale;
        let mut stepper = make(&setup);
        stepper.step(50);
        stepper.positions().iter().map(|position| position.truncate() / scale).collect::<Vec<_>>()
    };
    assert_same_motion(&run(1.0), &run(2_f32.powi(-30)));
}

// ---------------------------------------------------------------------------------------------------------------------
// xpbd: setups
// ---------------------------------------------------------------------------------------------------------------------

/// Sorts constraints into batches that share no particle, each into the first that has room.
fn color(constraints: &[Constraint]) -> (Vec<Constraint>, Vec<Range<u32>>) {
    let mut batches: Vec<Vec<Constraint>> = Vec::new();
    for &constraint in constraints {
        let ends = [constraint.index_a, constraint.index_b];
        let shares = |other: &Constraint| ends.contains(&other.index_a) || ends.contains(&other.index_b);
        match batches.iter_mut().find(|batch| !batch.iter().any(shares)) {
            Some(batch) => batch.push(constraint),
            None => batches.push(vec![constraint]),
        }
    }
    let mut end = 0;
    let range = |batch: &Vec<Constraint>| {
        let start = end;
        end += batch.len() as u32;
        start..end
    };
    let ranges = batches.iter().map(range).collect();
    (batches.concat(), ranges)
}

/// Particles at rest in vacuum, one projection a substep.
fn pbd_setup(positions: Vec<Vec4>, constraints: &[Constraint], dt: f64) -> PbdSetup {
    let (constraints, batches) = color(constraints);
    PbdSetup {
        parameters: PbdParameters {
            substep_dt: dt as f32,
            particle_count: positions.len() as u32,
            ..Default::default()
        },
        velocities: vec![Vec4::ZERO; positions.len()],
        positions,
        constraints,
        batches,
        iterations: 1,
        lambda_accumulated: true,
        constraint_solver: ConstraintSolver::GaussSeidel,
    }
}

/// A chain along `positions`. Links with an even index come first, so link 0 is constraint 0.
fn chain(positions: Vec<Vec4>, rest_length: f64, compliance: f64, dt: f64) -> PbdSetup {
    let link = |index: u32| Constraint {
        index_a: index,
        index_b: index + 1,
        rest_length: rest_length as f32,
        compliance: compliance as f32,
    };
    let links: Vec<Constraint> = (0..positions.len() as u32 - 1).map(link).collect();
    pbd_setup(positions, &links, dt)
}

/// A chain of `links` links that hangs straight down from the origin, particles of 1 kg, the top one pinned.
fn vertical_chain(links: u32, rest_length: f64, compliance: f64, dt: f64) -> PbdSetup {
    let hanging = |index| Vec4::new(0.0, (-f64::from(index) * rest_length) as f32, 0.0, 1.0);
    let positions = std::iter::once(Vec4::ZERO).chain((1..=links).map(hanging)).collect();
    chain(positions, rest_length, compliance, dt)
}

/// A flat grid at rest in the xz plane around the origin, with a particle of 1 kg in each node, none pinned, and
/// constraints along the grid lines and the cells' diagonals.
fn pbd_sheet(size: u32, spacing: f32, compliance: f32, dt: f64) -> PbdSetup {
    let position = |index: u32| {
        let middle = (size - 1) as f32 / 2.0;
        let at = |line: u32| (line as f32 - middle) * spacing;
        Vec4::new(at(index % size), 0.0, at(index / size), 1.0)
    };
    let positions: Vec<Vec4> = (0..size * size).map(position).collect();
    let neighbors = [(1, 0), (0, 1), (1, 1), (1, -1)];
    let constraint = |index: u32, (columns, rows): (i32, i32)| {
        let (column, row) = ((index % size) as i32 + columns, (index / size) as i32 + rows);
        let inside = (0..size as i32).contains(&column) && (0..size as i32).contains(&row);
        inside.then(|| {
            let other = row as u32 * size + column as u32;
            let rest_length = positions[index as usize].distance(positions[other as usize]);
            Constraint { index_a: index, index_b: other, rest_length, compliance }
        })
    };
    let constraints: Vec<Constraint> =
        (0..size * size).flat_map(|index| neighbors.map(|offset| constraint(index, offset))).flatten().collect();
    pbd_setup(positions, &constraints, dt)
}

// ---------------------------------------------------------------------------------------------------------------------
// xpbd: cases
// ---------------------------------------------------------------------------------------------------------------------

/// Two particles, w = 2.5 together, on a constraint stretched by C0 = 0.5 with compliance / dt² = 3.
fn stretched_pair(iterations: u32) -> PbdSetup {
    let dt = 1.0 / 64.0;
    let compliance = (3.0 * dt * dt) as f32;
    let mut setup = pbd_setup(
        vec![Vec4::new(0.0, 0.0, 0.0, 2.0), Vec4::new(0.0, 0.0, 1.5, 0.5)],
        &[Constraint { index_a: 0, index_b: 1, rest_length: 1.0, compliance }],
        dt,
    );
    setup.iterations = iterations;
    setup
}

/// One constraint: C after any number of iterations is C0 at / (w + at), at = compliance / dt². Source: XPBD 2016, eq.
/// 18.
pub fn xpbd_iterations_do_not_stiffen(make: MakePbd) {
    for iterations in [1, 2, 5, 10, 50] {
        let mut stepper = make(&stretched_pair(iterations));
        stepper.step(1);
        let positions = stepper.positions();
        // The first iteration rounds a few times; the later ones have nothing left to correct but that.
        let tolerance = 8.0 * ROUNDING * 1.5;
        let c = f64::from((positions[0] - positions[1]).truncate().length()) - 1.0;
        assert_close("C", c, 0.5 * 3.0 / (2.5 + 3.0), tolerance);
        let lambda = f64::from(stepper.lambdas()[0]);
        assert_close("lambda", lambda, -0.5 / (2.5 + 3.0), tolerance);
        // Each particle moves by its own inverse mass.
        assert_close("z of a", positions[0].z.into(), -2.0 * lambda, tolerance);
        assert_close("z of b", positions[1].z.into(), 1.5 + 0.5 * lambda, tolerance);
    }
}

/// One constraint as document 002 has it, without lambda: C after n iterations is C0 (at / (w + at))^n, so that it
/// stiffens with their number, unlike in [`xpbd_iterations_do_not_stiffen`].
pub fn xpbd_document_iterations_stiffen(make: MakePbd) {
    let kept: f64 = 3.0 / (2.5 + 3.0);
    for iterations in [1, 2, 5, 10, 50] {
        let mut setup = stretched_pair(iterations);
        setup.lambda_accumulated = false;
        let mut stepper = make(&setup);
        stepper.step(1);
        let positions = stepper.positions();
        // Each iteration rounds a few times, and takes over the same share of the rounding before it as of C.
        let tolerance = 8.0 * ROUNDING * 1.5 / (1.0 - kept);
        let c = f64::from((positions[0] - positions[1]).truncate().length()) - 1.0;
        let n = iterations as i32;
        assert_close("C", c, 0.5 * kept.powi(n), tolerance);
        let last = -0.5 * kept.powi(n - 1) / (2.5 + 3.0);
        assert_close("lambda of the last iteration", stepper.lambdas()[0].into(), last, tolerance);
    }
}

/// One particle on one spring moves as backward Euler has it: u + i v / omega is divided by 1 + i omega h each step.
pub fn xpbd_spring_period_and_decay(make: MakePbd) {
    let omega = 1000_f64.sqrt();
    for (steps_per_second, expected_decay, expected_period) in [(60.0, 0.884652, 0.215895), (900.0, 0.999383, 0.198774)]
    {
        let dt = 1.0 / steps_per_second;
        let (decay, angle) = (1.0 / (1.0 + (omega * dt).powi(2)).sqrt(), (omega * dt).atan());
        assert_close("closed form of the decay", decay, expected_decay, 1e-6);
        assert_close("closed form of the period", TAU * dt / angle, expected_period, 1e-6);

        let steps = (TAU / angle) as u32;
        let mut stepper = make(&chain(vec![Vec4::ZERO, Vec4::new(1.5, 0.0, 0.0, 1.0)], 1.0, 1e-3, dt));
        for step in 1..=steps {
            stepper.step(1);
            let elongation = f64::from(stepper.positions()[1].x) - 1.0;
            let expected = 0.5 * decay.powf(step.into()) * (f64::from(step) * angle).cos();
            // Each step rounds a position near 1 m about 3 times; an error e grows to at most e / sin(angle), and
            // independent errors add up as a square root. 5 standard deviations.
            let tolerance = 5.0 * ROUNDING * (3.0 * f64::from(step)).sqrt() / angle.sin();
            assert!(
                (elongation - expected).abs() <= tolerance,
                "step {step}: {elongation}, expected {expected} within {tolerance:e}"
            );
        }
    }
}

/// A hanging chain's top constraint carries the weight of all that hangs below it. Source: Small Steps 2019, fig. 4.
pub fn xpbd_tension(make: MakePbd) {
    tension(make, ConstraintSolver::GaussSeidel);
}

/// As [`xpbd_tension`], however far one Jacobi iteration is from converged: lambda is the impulse that was applied.
pub fn jacobi_tension(make: MakePbd) {
    tension(make, ConstraintSolver::Jacobi);
}

fn tension(make: MakePbd, constraint_solver: ConstraintSolver) {
    let dt = 1.0 / 64.0;
    let mut setup = vertical_chain(19, 0.125, 0.0, dt);
    setup.parameters.gravity = Vec4::new(0.0, -10.0, 0.0, 0.0);
    setup.parameters.damping = 4.0;
    setup.constraint_solver = constraint_solver;
    let mut stepper = make(&setup);
    stepper.step(1000);
    let positions = stepper.positions();
    assert_eq!(positions[0], Vec4::ZERO, "the pinned particle moves");
    let lambdas = stepper.lambdas();
    for link in 0..19 {
        let hanging = 19 - link as u32;
        // Even links come first, and there are 10.
        let constraint = if link % 2 == 0 { link / 2 } else { 10 + link / 2 };
        let tension = -f64::from(lambdas[constraint]) / (dt * dt);
        let tolerance = tension_rounding(hanging, positions[19].y.abs().into(), dt);
        assert_close("tension [N]", tension, 10.0 * f64::from(hanging), tolerance);
    }
}

/// A hanging chain of n links stretches by compliance m g n (n + 1) / 2.
///
/// That is the limit for h to 0; at any h there is the stretch that one iteration leaves, see [`pull_on_even_link`].
pub fn xpbd_static_elongation(make: MakePbd) {
    for dt in [1.0 / 64.0, 1.0 / 128.0] {
        let (links, rest_length, compliance) = (19, 0.125, 1e-3);
        let mut setup = vertical_chain(links, rest_length, compliance, dt);
        setup.parameters.gravity = Vec4::new(0.0, -10.0, 0.0, 0.0);
        setup.parameters.damping = 5.0;
        let mut stepper = make(&setup);
        // The slowest mode, of 2.5 rad/s, is damped critically: 8 s leave e^-20 of it.
        stepper.step((8.0 / dt) as u32);
        let positions = stepper.positions();
        let extent = f64::from(-positions[19].y);
        let (mut total, mut total_tolerance) = (0.0, 0.0);
        for link in 0..links {
            let tension = |link: u32| 10.0 * f64::from(links - link);
            let expected = compliance * tension(link) + dt * dt * pull_on_even_link(link, links, tension);
            let tension_tolerance = tension_rounding(links - link, extent, dt);
            let tolerance = tension_tolerance * (compliance + 2.0 * dt * dt) + 2.0 * ROUNDING * extent;
            let ends = [link, link + 1].map(|index| f64::from(positions[index as usize].y));
            assert_close("elongation of a link [m]", ends[0] - ends[1] - rest_length, expected, tolerance);
            total += expected;
            total_tolerance += tolerance;
        }
        assert_close("elongation [m]", extent - f64::from(links) * rest_length, total, total_tolerance);
        let left_by_one_iteration = 10.0 * dt * dt * (18.0 + 2.0 * (17 + 15 + 13 + 11 + 9 + 7 + 5 + 3 + 1) as f64);
        assert_close("elongation as h goes to 0 [m]", total - left_by_one_iteration, 1.9, 1e-9);
    }
}

/// A rigid hanging chain whose elongation becomes 1.1 while it runs comes to 1.1 times its length.
///
/// That is the limit for h to 0, as in [`xpbd_static_elongation`].
pub fn xpbd_elongation(make: MakePbd) {
    let (links, rest_length) = (9, 0.125);
    for dt in [1.0 / 64.0, 1.0 / 128.0] {
        let mut setup = vertical_chain(links, rest_length, 0.0, dt);
        setup.parameters.gravity = Vec4::new(0.0, -10.0, 0.0, 0.0);
        setup.parameters.damping = 5.0;
        let mut stepper = make(&setup);
        let tension = |link: u32| 10.0 * f64::from(links - link);
        let left_by_one_iteration: f64 = (0..links).map(|link| dt * dt * pull_on_even_link(link, links, tension)).sum();
        let length = f64::from(links) * rest_length;
        for elongation in [1.0, 1.1] {
            stepper.set_elongation(elongation as f32);
            stepper.step((8.0 / dt) as u32);
            let extent = -f64::from(stepper.positions()[links as usize].y);
            // A link that carries `hanging` particles is off by the tension that rounding adds, as in
            // `xpbd_static_elongation` without its compliance, and by the rounding of its ends.
            let tolerance: f64 = (1..=links)
                .map(|hanging| tension_rounding(hanging, extent, dt) * 2.0 * dt * dt + 2.0 * ROUNDING * extent)
                .sum();
            assert_close("length [m]", extent, elongation * length + left_by_one_iteration, tolerance);
        }
    }
}

/// An unstretched sheet falls as the integrator does, without strain and without any constraint force.
pub fn xpbd_free_fall(make: MakePbd) {
    let (dt, steps, spacing) = (1.0 / 64.0, 64, 0.125);
    for compliance in [0.0, 1e-4] {
        let mut setup = pbd_sheet(5, spacing, compliance, dt);
        setup.parameters.gravity = Vec4::new(0.0, -8.0, 0.0, 0.0);
        let mut stepper = make(&setup);
        stepper.step(steps);
        let n = f64::from(steps);
        let positions = stepper.positions();
        for position in &positions {
            // Symplectic Euler falls g h² n (n + 1) / 2. g = 8 and h = 1/64 are exact; a division by h may still be
            // rounded, by 2.5 units in the last place of the velocity on a Vulkan device, once a step.
            let expected = -8.0 * dt * dt * n * (n + 1.0) / 2.0;
            assert_close("height", position.y.into(), expected, 5.0 * ROUNDING * n * expected.abs());
        }
        // A distance is rounded by a few units in the last place, and so is what a constraint makes of it.
        let tolerance = 8.0 * ROUNDING;
        for (constraint, lambda) in setup.constraints.iter().zip(stepper.lambdas()) {
            let ends = [constraint.index_a, constraint.index_b].map(|index| positions[index as usize].truncate());
            let length = f64::from(ends[0].distance(ends[1]));
            let rest_length = f64::from(constraint.rest_length);
            assert!((length / rest_length - 1.0).abs() <= tolerance, "strain {}", length / rest_length - 1.0);
            assert!(f64::from(lambda.abs()) <= tolerance * rest_length, "lambda {lambda}");
        }
    }
}

/// Damping multiplies a velocity by 1 - damping h each substep.
pub fn xpbd_damping(make: MakePbd) {
    let dt = 1.0 / 64.0;
    let mut setup = pbd_sheet(2, 1.0, 0.0, dt);
    setup.velocities.fill(Vec4::new(0.0, 4.0, 0.0, 0.0));
    setup.parameters.damping = 8.0;
    let mut stepper = make(&setup);
    stepper.step(20);
    let kept: f64 = 1.0 - 8.0 * dt;
    let velocities = stepper.velocities().expect("the solver stores velocities");
    for (position, velocity) in stepper.positions().iter().zip(velocities) {
        // The velocity is the difference of two positions of up to 0.5 m, divided by h. Rounding enters each step and
        // decays with the velocity, so at most 1 / (1 - kept) = 8 steps count.
        let tolerance = 3.0 * 8.0 * 0.5 * ROUNDING;
        assert_close("velocity", velocity.y.into(), 4.0 * kept.powi(20), tolerance / dt);
        let expected = 4.0 * dt * kept * (1.0 - kept.powi(20)) / (1.0 - kept);
        assert_close("way", position.y.into(), expected, 20.0 * tolerance);
    }
}

/// A free sheet keeps its linear momentum to rounding, however far from converged; its angular momentum is lost in the
/// first order of h.
///
/// Each correction moves its two particles against each other along the line between them, but along that line as it is
/// at the end of the substep: as in backward Euler, L[n+1] - L[n] = h² sum force x v[n] + O(h³), and not 0. For a
/// closed form see [`xpbd_rotor`].
pub fn xpbd_momentum(make: MakePbd) {
    momentum(make, ConstraintSolver::GaussSeidel);
}

/// As [`xpbd_momentum`], also at the border, where the ends of a constraint have different numbers of constraints.
pub fn jacobi_momentum(make: MakePbd) {
    momentum(make, ConstraintSolver::Jacobi);
}

fn momentum(make: MakePbd, constraint_solver: ConstraintSolver) {
    let mut angular_loss = |steps: u32| {
        let dt = 1.0 / f64::from(steps);
        let mut setup = pbd_sheet(5, 0.5, 0.1, dt);
        setup.constraint_solver = constraint_solver;
        for (velocity, position) in setup.velocities.iter_mut().zip(&setup.positions) {
            *velocity = velocity_field(position.truncate()).extend(0.0);
        }
        let momenta = |positions: &[Vec4], velocities: &[Vec4]| {
            let particles =
                positions.iter().zip(velocities).map(|(x, v)| (x.truncate().as_dvec3(), v.truncate().as_dvec3()));
            particles.fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), (x, v)| (linear + v, angular + x.cross(v)))
        };
        let (linear_before, angular_before) = momenta(&setup.positions, &setup.velocities);
        let mut stepper = make(&setup);
        stepper.step(steps);
        let velocities = stepper.velocities().expect("the solver stores velocities");
        let (linear, angular) = momenta(&stepper.positions(), &velocities);
        // Prediction, up to 8 corrections and the velocity round each particle, at most 2 m from the origin.
        let tolerance = momentum_rounding(25, 10, steps, 2.0, dt);
        assert_close("change of linear momentum", linear.distance(linear_before), 0.0, tolerance);
        1.0 - angular.length() / angular_before.length()
    };
    let losses = [32, 64, 128].map(&mut angular_loss);
    println!("loss of angular momentum at h, h/2, h/4: {losses:?}");
    for pair in losses.windows(2) {
        // The next order is smaller by the fastest angle of a substep, sqrt(100 N/m) / 32 = 0.3 at first.
        assert_close("order of the loss", (pair[0] / pair[1]).log2(), 1.0, 0.2);
    }
}

/// On a stretched sheet of rigid constraints both orders come closer with each iteration, Gauss-Seidel faster.
///
/// Jacobi is a projection in turn onto the constraints, for the split particles, and onto the equality of the parts, so
/// that the distance between the two never grows. Gauss-Seidel promises no such thing: where all is stretched alike, the
/// batches of its first iteration pull at neighbours that are too long already, and the residual grows once.
pub fn jacobi_residual(make: MakePbd) {
    let dt = 1.0 / 64.0;
    let mut residuals = |constraint_solver| {
        let mut setup = pbd_sheet(12, 0.125, 0.0, dt);
        for (index, position) in setup.positions.iter_mut().enumerate() {
            let stretched = 1.25 * position.truncate();
            *position = stretched.extend(if index < 12 { 0.0 } else { 1.0 });
        }
        setup.constraint_solver = constraint_solver;
        // Each step starts at rest, so that it is nothing but an iteration.
        setup.parameters.damping = 64.0;
        let mut steppers = [make(&setup), make(&setup)];
        let residuals: Vec<f64> = (0..=30)
            .map(|_| {
                let positions = steppers[0].positions();
                let square = |constraint: &Constraint| {
                    let [a, b] = [constraint.index_a, constraint.index_b]
                        .map(|index| positions[index as usize].truncate().as_dvec3());
                    (a.distance(b) - f64::from(constraint.rest_length)).powi(2)
                };
                let sum: f64 = setup.constraints.iter().map(square).sum();
                steppers.iter_mut().for_each(|stepper| stepper.step(1));
                (sum / setup.constraints.len() as f64).sqrt()
            })
            .collect();
        let bits = steppers.map(|stepper| stepper.positions().iter().map(|x| x.to_array().map(f32::to_bits)).collect());
        let [first, second]: [Vec<_>; 2] = bits;
        assert!(first == second, "two runs with {constraint_solver:?} differ");
        residuals
    };
    let [gauss_seidel, jacobi] = [ConstraintSolver::GaussSeidel, ConstraintSolver::Jacobi].map(&mut residuals);
    println!("iteration  Gauss-Seidel [m]  Jacobi [m]");
    for (iteration, (gauss_seidel, jacobi)) in gauss_seidel.iter().zip(&jacobi).enumerate() {
        println!("{iteration:>9}  {gauss_seidel:>16.6}  {jacobi:>10.6}");
    }
    assert_eq!(gauss_seidel[0], jacobi[0]);
    let falls = |residuals: &[f64]| residuals.is_sorted_by(|before, after| after < before);
    assert!(falls(&jacobi) && falls(&gauss_seidel[1..]));
    // Made up for after 4 iterations; then 10 iterations do more than 30.
    assert!(gauss_seidel.iter().zip(&jacobi).skip(4).all(|(gauss_seidel, jacobi)| gauss_seidel < jacobi));
    assert!(gauss_seidel[10] < jacobi[30]);
}

/// Lengths, velocities and accelerations a billion times smaller give the same motion a billion times smaller.
pub fn xpbd_unit_scale(make: MakePbd) {
    let mut run = |scale: f32| {
        let mut setup = pbd_sheet(4, scale, 1e-3, 0.01);
        for (velocity, position) in setup.velocities.iter_mut().zip(&setup.positions) {
            *velocity = (velocity_field(position.truncate() / scale) * scale).extend(0.0);
        }
        setup.positions[0].w = 0.0;
        setup.parameters.gravity = Vec4::new(1.0, -10.0, 0.0, 0.0) * scale;
        let mut stepper = make(&setup);
        stepper.step(50);
        stepper.positions().iter().map(|position| position.truncate() / scale).collect::<Vec<_>>()
    };
    assert_same_motion(&run(1.0), &run(2_f32.powi(-30)));
}

/// Two rigidly linked particles turn as the closed form of the projection has it: tan a' = sin a / (2 - cos a).
///
/// a is the angle of one substep. The prediction 2 x[n] - x[n-1] lies at the distance 2 - cos a along x[n] and sin a
/// across, and projection keeps the angle: a' = a - a³ + ..., so the spin decays as a² / h, in the first order of h.
pub fn xpbd_rotor(make: MakePbd) {
    let (dt, spin) = (1.0 / 64.0, 4.0_f64);
    let mut setup = chain(vec![Vec4::new(0.5, 0.0, 0.0, 1.0), Vec4::new(-0.5, 0.0, 0.0, 1.0)], 1.0, 0.0, dt);
    let velocity = Vec4::new(0.0, 0.5 * spin as f32, 0.0, 0.0);
    setup.velocities = vec![velocity, -velocity];
    let mut stepper = make(&setup);
    let mut angle = (spin * dt).atan();
    let mut direction = 0.0_f64;
    for step in 1..=256 {
        stepper.step(1);
        direction += angle;
        angle = (angle.sin() / (2.0 - angle.cos())).atan();
        let positions = stepper.positions();
        // About 4 roundings of a position 0.5 m from the centre change the angle of a substep by 1e-7 each, and that
        // stays: the sum of all differs as n^1.5. 5 standard deviations.
        let tolerance = 5.0 * 2.0 * ROUNDING * f64::from(step).powf(1.5);
        let expected = 0.5 * DVec3::new(direction.cos(), direction.sin(), 0.0);
        let distance = positions[0].truncate().as_dvec3().distance(expected);
        assert!(distance <= tolerance, "step {step}: {distance:e} m from the closed form, tolerance {tolerance:e}");
    }
    println!("angle of a substep: {:.6} at first, {angle:.6} at last", (spin * dt).atan());
    assert!((direction - 256.0 * spin * dt).abs() > 1.0, "the closed form should lose spin");
}

/// A rigid pendulum has the period of the exact one, by the arithmetic-geometric mean, as h goes to 0.
pub fn xpbd_pendulum_period(make: MakePbd) {
    for (degrees, expected) in [(1.0_f64, 2.006105), (30.0, 2.040990), (90.0, 2.367842), (120.0, 2.754090)] {
        let start = degrees.to_radians();
        let mut period = |dt: f64| {
            let bob = Vec4::new(start.sin() as f32, -start.cos() as f32, 0.0, 1.0);
            let mut setup = chain(vec![Vec4::ZERO, bob], 1.0, 0.0, dt);
            setup.parameters.gravity = Vec4::new(0.0, -9.81, 0.0, 0.0);
            4.0 * time_to_cross_zero(make(&setup).as_mut(), 1, dt)
        };
        // The period is T + c1 h + c2 h² + c3 h³; two extrapolations leave the last term, which is 7e-5 s at most in
        // exact arithmetic. Rounding moves a position by 6e-8 m a step, which adds up as n^1.5 over the 65 steps of a
        // quarter and is 5e-5 s of the period at 1/128 s; 8/3 of that, three standard deviations, is 4e-4 s.
        let periods = [32.0, 64.0, 128.0].map(|steps_per_second: f64| period(1.0 / steps_per_second));
        let extrapolated = (8.0 * periods[2] - 6.0 * periods[1] + periods[0]) / 3.0;
        println!("{degrees} degrees: {periods:?} s");
        assert_close("period as h goes to 0 [s]", extrapolated, expected, 5e-4);
    }
}

/// A hanging chain swings with the periods 4 pi / j0k sqrt(L / g), j0k the zeros of Bessel's J0.
pub fn xpbd_chain_swing(make: MakePbd) {
    const LINKS: u32 = 8;
    // A bead stands for the half link on either side of it: the chain ends half a link below the last one.
    let link_length = 1.0 / (f64::from(LINKS) + 0.5);
    let degree = 4.0 * f64::from(LINKS) + 2.0;
    for (bessel_zero, amplitude, expected) in
        [(2.404825557695773_f64, 0.01, 1.668368), (5.520078110286311, 0.002, 0.726825)]
    {
        // Beads counted from the bottom move as Laguerre's polynomials L_k(z), where L_n(z) = 0.
        let eigenvalue = laguerre_zero(LINKS, bessel_zero.powi(2) / degree);
        let period = TAU / (9.81 * eigenvalue / link_length).sqrt();
        // Abramowitz and Stegun 22.16.8: the zeros are j0k² / (4 n + 2) (1 + (j0k² - 2) / (3 (4 n + 2)²)).
        // The next term is of the order of j0k⁴ / (4 n + 2)⁴, 1e-4 at most here.
        let beads = 1.0 + (bessel_zero.powi(2) - 2.0) / (6.0 * degree * degree);
        assert_close("period of the beads, corrected [s]", period * beads, expected, 1e-4);

        let shape = laguerre(LINKS, eigenvalue);
        let mut simulated = |dt: f64| {
            let mut setup = vertical_chain(LINKS, link_length, 0.0, dt);
            setup.parameters.gravity = Vec4::new(0.0, -9.81, 0.0, 0.0);
            for (index, position) in setup.positions.iter_mut().enumerate() {
                // Stretched as it will be at rest, so that it only swings.
                let tension = |link: u32| 9.81 * f64::from(LINKS - link);
                let stretch = |link: u32| dt * dt * pull_on_even_link(link, LINKS, tension);
                position.y -= (0..index as u32).map(stretch).sum::<f64>() as f32;
                position.x = (amplitude * shape[LINKS as usize - index]) as f32;
            }
            4.0 * time_to_cross_zero(make(&setup).as_mut(), LINKS as usize, dt)
        };
        let periods = [128.0, 256.0].map(|steps_per_second: f64| simulated(1.0 / steps_per_second));
        println!("{periods:?} s");
        // Both the stretch and backward Euler's phase are even in h. In exact arithmetic 3e-5 s are left, of h⁴ and of
        // the finite amplitude; rounding, as in `xpbd_pendulum_period`, adds 1e-4 s at 1/256 s, times 4/3.
        assert_close("period as h goes to 0 [s]", (4.0 * periods[1] - periods[0]) / 3.0, period, 5e-4);
    }
}

/// A chain hung from two points takes the shape of a catenary, as h goes to 0.
///
/// At any h the shape is that of a chain with the stretch that one iteration leaves, see [`pull_on_even_link`].
pub fn xpbd_catenary(make: MakePbd) {
    const LINKS: u32 = 63;
    let (span, length) = (1.0_f64, 1.2_f64);
    let link_length = length / f64::from(LINKS);
    let inextensible = hanging_sag(span, LINKS, link_length, 0.0);
    assert_close("closed form of the sag [m]", inextensible, 0.292285, 1e-6);
    for dt in [1.0 / 512.0, 1.0 / 1024.0] {
        let node = |index: u32| {
            let along = f64::from(index) / f64::from(LINKS);
            // Two straight halves, as long together as the chain.
            let depth = (length * length - span * span).sqrt() / 2.0 * (1.0 - (2.0 * along - 1.0).abs());
            let inverse_mass = if index == 0 || index == LINKS { 0.0 } else { 1.0 };
            Vec4::new((span * along) as f32, -depth as f32, 0.0, inverse_mass)
        };
        let mut setup = chain((0..=LINKS).map(node).collect(), link_length, 0.0, dt);
        setup.parameters.gravity = Vec4::new(0.0, -9.81, 0.0, 0.0);
        setup.parameters.damping = 10.0;
        let mut stepper = make(&setup);
        stepper.step((2.0 / dt) as u32);
        let sag = stepper.positions().iter().map(|position| -f64::from(position.y)).fold(0.0, f64::max);
        let expected = hanging_sag(span, LINKS, link_length, dt);
        // Rounding pushes each particle with 0.1 N at 1/1024 s (6e-8 m over h², about 5 times a substep), anew each
        // substep; damped at 10 /s that shakes the lowest mode, of 6 rad/s, by 1e-4 m.
        assert_close("sag [m]", sag, expected, 2e-4);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// helpers
// ---------------------------------------------------------------------------------------------------------------------

/// A velocity that turns a sheet, shears it and bends it \[m/s\].
fn velocity_field(position: Vec3) -> Vec3 {
    let Vec3 { x, y, z } = position;
    let spin = Vec3::new(0.3, 0.4, 0.5).cross(position);
    spin + 0.25 * Vec3::new((2.0 * y + z).sin(), (x + 2.0 * z).cos(), (1.5 * x + y).sin())
}

/// Five standard deviations of the momentum that rounding adds to particles of 1 kg within `extent` of the origin.
///
/// A rounding of a position moves it by up to `ROUNDING * extent`, which is a momentum of that / `dt`; independent ones
/// add up as a square root.
fn momentum_rounding(particles: u32, roundings: u32, steps: u32, extent: f64, dt: f64) -> f64 {
    5.0 * f64::from(particles * roundings * steps).sqrt() * ROUNDING * extent / dt
}

/// Five standard deviations of the tension that rounding adds to a link with `hanging` particles of 1 kg below \[N\].
///
/// At rest a particle's corrections undo what gravity predicts; a link carries the sum of what hangs from it. A
/// particle within `extent` of the origin is rounded about 5 times a substep, which is a force of `ROUNDING * extent` /
/// dt² each.
fn tension_rounding(hanging: u32, extent: f64, dt: f64) -> f64 {
    5.0 * f64::from(5 * hanging).sqrt() * ROUNDING * extent / (dt * dt)
}

/// Sum of the tensions of the two links (one, at an end) next to an even link of a [`chain`]; 0 for an odd link \[N\].
///
/// With one iteration a substep, the first batch of constraints, the even links, is stretched again by the second batch
/// before the substep ends. At rest the second batch moves each end of an even link by w |lambda| = w h² tension, so
/// the even link ends the substep longer by this sum times w h² than its own tension and compliance have it.
fn pull_on_even_link(link: u32, links: u32, tension: impl Fn(u32) -> f64) -> f64 {
    let neighbors = [link.checked_sub(1), Some(link + 1)].into_iter().flatten().filter(|&neighbor| neighbor < links);
    if link.is_multiple_of(2) { neighbors.map(tension).sum() } else { 0.0 }
}

/// Multiplying by a power of two is exact, so motions differ only by how a device's square root and division round.
#[track_caller]
fn assert_same_motion(a: &[Vec3], b: &[Vec3]) {
    for (a, b) in a.iter().zip(b) {
        assert!(a.distance(*b) <= 1e-5, "{a} is not {b}");
    }
}

/// Time at which the x of `particle` first falls to 0, between steps by a straight line \[s\].
fn time_to_cross_zero(stepper: &mut dyn Stepper, particle: usize, dt: f64) -> f64 {
    let mut before = f64::from(stepper.positions()[particle].x);
    for step in 0..100_000 {
        stepper.step(1);
        let after = f64::from(stepper.positions()[particle].x);
        if after <= 0.0 {
            return dt * (f64::from(step) + before / (before - after));
        }
        before = after;
    }
    panic!("particle {particle} never crosses x = 0");
}

/// Laguerre's polynomials of degree 0 to `degree` at `x`: (k + 1) L[k+1] = (2 k + 1 - x) L[k] - k L[k-1].
fn laguerre(degree: u32, x: f64) -> Vec<f64> {
    let mut values = vec![1.0, 1.0 - x];
    for k in 1..degree as usize {
        values.push(((2.0 * k as f64 + 1.0 - x) * values[k] - k as f64 * values[k - 1]) / (k as f64 + 1.0));
    }
    values
}

/// The zero of Laguerre's polynomial within 2 % of `guess`, by bisection.
fn laguerre_zero(degree: u32, guess: f64) -> f64 {
    let value = |x: f64| laguerre(degree, x)[degree as usize];
    let (mut low, mut high) = (0.98 * guess, 1.02 * guess);
    assert!(value(low) * value(high) < 0.0, "no zero near {guess}");
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if value(low) * value(middle) <= 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

/// Sag of a chain of beads of 1 kg between two points of one height, as one iteration a substep has it \[m\].
///
/// Link k carries the same horizontal force and the weight of the beads between it and the middle; the horizontal force
/// is the one with which the links reach across `span`, found by bisection. A `dt` of 0 makes the links inextensible.
fn hanging_sag(span: f64, links: u32, link_length: f64, dt: f64) -> f64 {
    let vertical = |link: u32| 9.81 * (f64::from(links - 1) / 2.0 - f64::from(link));
    let reach = |horizontal: f64| {
        (0..links).fold((0.0, 0.0, 0.0_f64), |(x, y, sag), link| {
            let per_force = link_length / horizontal.hypot(vertical(link));
            let y = y + per_force * vertical(link) + dt * dt * pull_on_even_link(link, links, vertical);
            let x = x + per_force * horizontal + dt * dt * pull_on_even_link(link, links, |_| horizontal);
            (x, y, sag.max(y))
        })
    };
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if reach(middle).0 < span {
            low = middle;
        } else {
            high = middle;
        }
    }
    reach(low).2
}
