//! Hinges between triangles: closed forms of folds and strips, for the twin, on the GPU and on the CPU.

mod common;

use common::Validated;
use glam::{DVec3, Vec3, Vec4};
use tautline::layout::PbdParameters;
use tautline::model::{BendingForm, Body, Cloth, TriangleMesh};
use tautline::reference::pbd::Pbd;
use tautline::solver::{self, CpuSimulation, PbdSettings, Simulation, Step, Surroundings};

/// Drop of the tip of a cantilever over its length, for Γ = w L³ / D: the elastica.
const ELASTICA: [(f64, f64); 3] = [(1.0, 0.12347), (3.0, 0.33965), (10.0, 0.70020)];

/// Of the cantilevers: from the clamp to the tip \[m\], how many times as long as wide their cells are, and what the cloth
/// weighs \[N/m²\].
const LENGTH: f64 = 0.5;
const ASPECT: f64 = 3.0;
const LOAD: f64 = 0.25 * 9.81;

/// With more substeps, gravity would move particles by less than 30 units in their last place.
const STEP: Step = Step { dt: 1.0 / 64.0, substeps: 32, iterations: 16, gravity: Vec3::new(0.0, -9.81, 0.0) };

/// A strip of `cells` along x, two triangles each, and one more that is clamped: its hinge at x = 0 stands for half a cell on
/// either side, and so the strip is clamped in the middle of that cell, half a cell before.
fn strip(cells: usize) -> Cloth {
    let cell = cell(cells);
    let column =
        |column: usize| [0.0, cell / ASPECT].map(|z| DVec3::new((column as f64 - 1.0) * cell, 0.0, z).as_vec3());
    let positions = (0..cells + 2).flat_map(column).collect();
    let square = |a: u32| [[a, a + 1, a + 3], [a, a + 3, a + 2]];
    let triangles = (0..=2 * cells as u32).step_by(2).flat_map(square).collect();
    let mut cloth = TriangleMesh::new(positions, triangles).unwrap().cloth(0.25, BendingForm::Dihedral);
    cloth.pin(0..4);
    cloth
}

fn cell(cells: usize) -> f64 {
    LENGTH / (cells as f64 + 0.5)
}

/// Rigid to stretch, and as stiff to bending as Γ asks for.
fn settings(gamma: f64) -> PbdSettings {
    PbdSettings { bending_stiffness: (LOAD * LENGTH.powi(3) / gamma) as f32, damping: 10.0, ..Default::default() }
}

fn twin(cloth: &Cloth, settings: &PbdSettings) -> Pbd {
    let (hinges, batches) = settings.hinges(cloth);
    Pbd::new(&cloth.positions, &settings.constraints(cloth), cloth.coloring.batches()).with_hinges(&hinges, batches)
}

/// What a cloth comes to after a few seconds.
fn settled(cloth: &Cloth, settings: &PbdSettings) -> Vec<Vec4> {
    let mut twin = twin(cloth, settings);
    let parameters = settings.parameters(&STEP, cloth.positions.len());
    for _ in 0..3 * 64 * STEP.substeps {
        twin.substep(&parameters, 0.0, STEP.iterations);
    }
    twin.positions
}

fn drop_of_tip(positions: &[Vec4]) -> f64 {
    -f64::from(positions[positions.len() - 2..].iter().map(|tip| tip.y).sum::<f32>()) / 2.0 / LENGTH
}

/// What rigid bars between hinges of stiffness D w / s come to, by statics alone: the drop of the tip over the length.
fn drop_of_bars(gamma: f64, cells: usize) -> f64 {
    let (cell, stiffness) = (cell(cells), LOAD * LENGTH.powi(3) / gamma / cell(cells));
    let mut angles = vec![0.0_f64; cells];
    for _ in 0..10_000 {
        let mut x = vec![0.0];
        angles.iter().for_each(|angle| x.push(x[x.len() - 1] + cell * angle.cos()));
        let mut slope = 0.0;
        for hinge in 0..cells {
            // Each column carries the load of half a cell on either side.
            let load = |column: usize| LOAD * cell * if column == cells { 0.5 } else { 1.0 };
            let moment: f64 = (hinge + 1..=cells).map(|column| load(column) * (x[column] - x[hinge])).sum();
            slope += moment / stiffness;
            angles[hinge] += 0.02 * (slope - angles[hinge]);
        }
    }
    angles.iter().map(|angle| cell * angle.sin()).sum::<f64>() / LENGTH
}

/// Bars between hinges are off the elastica by a share of (s / L)². A strip of triangles yields a little more than bars, for its
/// cells fold along their diagonals as it bends: where that costs least, cells of s by w have 1 / (1 + w⁴ / (s² + w²)²) of the
/// stiffness, 0.990 here; the clamped cell cannot.
#[test]
fn a_cantilever_drops_as_the_elastica() {
    let yielding = 1.0 + 1.0 / (ASPECT * ASPECT + 1.0).powi(2);
    // Twice as many iterations in half as many substeps change the drop by 0.3 %.
    let converged = 0.005;
    for (gamma, elastica) in ELASTICA {
        let errors = [5, 10].map(|cells| {
            let (least, most) = (drop_of_bars(gamma, cells), drop_of_bars(gamma * yielding, cells));
            let drop = drop_of_tip(&settled(&strip(cells), &settings(gamma)));
            println!("Γ = {gamma}, {cells} cells: {drop:.5}, bars {least:.5} to {most:.5}, elastica {elastica}");
            assert!((least * (1.0 - converged)..most * (1.0 + converged)).contains(&drop), "{drop} of {cells} cells");
            elastica - least
        });
        // The table has five digits, and the lesser error is 0.0005 at least.
        let order = (errors[0] / errors[1]).log2();
        assert!((order - 2.0).abs() < 0.2, "the discretisation's error falls by an order of {order}");
    }
}

/// Rigid bending would be cardboard: `pbd` bends as `xpbd` does, and so it does with the Jacobi variant and with the document's.
#[test]
fn every_solver_of_constraints_bends_alike() {
    let cloth = strip(5);
    let soft = settings(3.0);
    let scene = tautline::scene::Scene {
        solver: tautline::scene::SolverKind::Pbd,
        bending_stiffness: 0.25,
        ..Default::default()
    };
    assert_eq!((scene.pbd_settings().bending_stiffness, scene.pbd_settings().compliance), (0.25, 0.0));
    let expected = drop_of_tip(&settled(&cloth, &soft));
    let mut jacobi = twin(&cloth, &soft);
    jacobi.jacobi = true;
    let parameters = soft.parameters(&STEP, cloth.positions.len());
    (0..3 * 64 * STEP.substeps).for_each(|_| jacobi.substep(&parameters, 0.0, STEP.iterations));
    let drop = drop_of_tip(&jacobi.positions);
    // Jacobi leaves the bars a little longer.
    assert!((drop / expected - 1.0).abs() < 0.02, "{drop}, and {expected} with Gauss-Seidel");
}

/// Two triangles at an edge along x, one on either side of it, 0.5 m high; rest flat, constraints that hold nothing.
fn wings() -> Cloth {
    let positions = [Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.5, 0.0), Vec3::new(0.25, -0.5, 0.0)].to_vec();
    TriangleMesh::new(positions, vec![[0, 1, 2], [1, 0, 3]]).unwrap().cloth(1.0, BendingForm::Dihedral)
}

/// Settings with which the hinge of [`wings`] has so much stiffness \[N m\].
fn hinged(stiffness: f32) -> PbdSettings {
    let free = 1e9;
    PbdSettings {
        compliance: free,
        // Both triangles have 0.5 m², over 1 m².
        bending_stiffness: 0.5 * stiffness,
        ..Default::default()
    }
}

/// A wing of 2 kg, 0.5 m off the axis, at a hinge of 50 N m: omega = 10/s. It swings as any oscillator by backward Euler,
/// y[n+1] (1 + omega² h²) = 2 y[n] - y[n-1], by (1 + omega² h²)^(-1/2) a substep.
#[test]
fn a_wing_swings_about_its_hinge() {
    let mut cloth = wings();
    cloth.pin(0..3);
    let (amplitude, omega, dt) = (0.001_f64, 10.0_f64, 1.0 / 64.0);
    cloth.positions[3] = Vec4::new(0.25, -0.5, amplitude as f32, 0.5);
    let step = Step { dt: 1.0 / 64.0, substeps: 1, iterations: 3, gravity: Vec3::ZERO };
    let settings = hinged(50.0);
    let (mut runs, mut before, mut now) = (Runs::new(&cloth, step, settings), amplitude, amplitude);
    for number in 1..=64 {
        (before, now) = (now, (2.0 * now - before) / (1.0 + omega * omega * dt * dt));
        for (run, positions) in runs.advance() {
            // Nothing holds the wing to its circle: in 1 s it comes nearer by up to omega² y² / (2 r) = 1e-4 m, which changes its
            // phase by 2e-3. Rounding of the angle, 1e-7, is less.
            let error = (f64::from(positions[3].z) - now).abs();
            assert!(error < 2e-3 * amplitude, "{run}, substep {number}: {}, expected {now}", positions[3].z);
        }
    }
    let decay = (1.0 + omega * omega * dt * dt).sqrt();
    assert!(now.abs() <= amplitude * decay.powi(-64) * 1.01, "the recurrence decays by {decay}");
}

/// A free hinge turns about nothing: impulses add up to 0 and so do their moments, about the places that it has before the
/// substep where these are those after the prediction, at rest; moving, angular momentum is lost in the first order of h, as
/// with any implicit step.
#[test]
fn a_free_hinge_keeps_its_momenta() {
    let mut cloth = wings();
    for (particle, mass) in cloth.positions.iter_mut().zip([1.0, 2.0, 0.5, 4.0]) {
        particle.w = 1.0 / mass;
    }
    cloth.positions[3].z = 0.4;
    cloth.positions[2].z = 0.3;
    let settings = hinged(50.0);
    let momenta = |twin: &Pbd| {
        let moving = twin.positions.iter().zip(&twin.velocities).map(|(position, velocity)| {
            let momentum = velocity.truncate().as_dvec3() / f64::from(position.w);
            (momentum, position.truncate().as_dvec3().cross(momentum))
        });
        moving.fold((DVec3::ZERO, DVec3::ZERO), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let start = |steps: u32, spin: f32| {
        let mut twin = twin(&cloth, &settings);
        for (velocity, position) in twin.velocities.iter_mut().zip(&twin.positions) {
            *velocity = (spin * Vec3::new(0.3, 1.0, -0.5).cross(position.truncate())).extend(0.0);
        }
        (twin, PbdParameters { substep_dt: 1.0 / steps as f32, ..Default::default() })
    };
    let (mut resting, parameters) = start(64, 0.0);
    resting.substep(&parameters, 0.0, 1);
    let (linear, angular) = momenta(&resting);
    // Positions of up to 1 m and masses of 7.5 kg are rounded four times, over h.
    let rounding = 4.0 * 7.5 * f64::from(f32::EPSILON) * 64.0;
    assert!(resting.velocities[3].length() > 0.1, "it moves");
    assert!(linear.length() < rounding && angular.length() < rounding, "{linear}, {angular}");

    let losses = [256, 512, 1024].map(|steps| {
        let (mut moving, parameters) = start(steps, 1.0);
        let (linear_before, angular_before) = momenta(&moving);
        (0..steps / 4).for_each(|_| moving.substep(&parameters, 0.0, 1));
        let (linear, angular) = momenta(&moving);
        let rounding = 4.0 * 7.5 * f64::from(f32::EPSILON) * f64::from(steps) * f64::from(steps / 4).sqrt();
        assert!(linear.distance(linear_before) < rounding, "{linear} and {linear_before}");
        angular.distance(angular_before)
    });
    for pair in losses.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 1.0).abs() < 0.25, "{losses:?}");
    }
}

/// A simulation on the CPU and one on the GPU, of the same.
struct Runs {
    validated: Validated,
    cpu: CpuSimulation,
    gpu: Simulation,
}

impl Runs {
    fn new(cloth: &Cloth, step: Step, settings: PbdSettings) -> Self {
        let validated = Validated::open();
        let cpu = CpuSimulation::of_constraints(cloth.clone(), step, settings, &Surroundings::default());
        let gpu = on_device(&validated, cloth, step, settings);
        Self { validated, cpu, gpu }
    }

    /// One step of each, and where it leads.
    fn advance(&mut self) -> [(&'static str, Vec<Vec4>); 2] {
        self.cpu.advance();
        common::run(&self.validated.device, &mut self.gpu, 1);
        [("on the CPU", self.cpu.positions()), ("on the GPU", self.gpu.positions().unwrap())]
    }
}

fn on_device(validated: &Validated, cloth: &Cloth, step: Step, settings: PbdSettings) -> Simulation {
    let device = &validated.device;
    let triangles = solver::Triangles::new(device, cloth).unwrap();
    let around = Surroundings { triangles: Some(&triangles), ..Default::default() };
    let solver = solver::Pbd::new(device, cloth, step, settings, &around).unwrap();
    Simulation::new(Body::Cloth(cloth.clone()), Box::new(solver), step)
}

/// A strip that has been bent is cut through. Whatever its hinges did, the middle of the piece falls freely; and so it does in
/// a simulation that goes on from there, and again after a reset.
#[test]
fn nothing_bends_across_a_cut() {
    let cells = 6;
    let mut cloth = strip(cells);
    let settings = PbdSettings { damping: 0.0, ..settings(3.0) };
    let step = Step { dt: 1.0 / 64.0, substeps: 4, iterations: 4, gravity: Vec3::new(0.0, -8.0, 0.0) };
    // Folded up between the clamp and the rest: held, it would be thrown back.
    let cell = cell(cells) as f32;
    for particle in &mut cloth.positions[4..] {
        (particle.x, particle.y) = (0.0, particle.x);
    }
    let masses: Vec<f32> = cloth.inverse_masses.iter().map(|inverse_mass| 1.0 / inverse_mass).collect();
    let piece = 4..masses.len();
    let middle = |positions: &[Vec4]| {
        let sum: Vec3 = piece.clone().map(|index| masses[index] * positions[index].truncate()).sum();
        sum / piece.clone().map(|index| masses[index]).sum::<f32>()
    };
    let blade = tautline::model::Blade::plane(Vec3::new(0.0, 0.5 * cell, 0.0), Vec3::Y).unwrap();
    let start = middle(&cloth.positions);
    let mut runs = Runs::new(&cloth, step, settings);
    let fallen = |substeps: f32| -8.0 / 256.0 / 256.0 * substeps * (substeps + 1.0) / 2.0;
    let close = |what: &str, positions: &[Vec4], steps: f32| {
        let expected = start + Vec3::Y * fallen(4.0 * steps);
        // Each substep rounds places of up to 0.5 m a dozen times.
        assert!(middle(positions).distance(expected) < 1e-5, "{what}: {}, expected {expected}", middle(positions));
    };
    // Uncut, the fold holds on to it.
    let held = runs.advance();
    assert!(held.iter().all(|(_, positions)| (middle(positions).x - start.x).abs() > 1e-3));
    runs.cpu.reset();
    runs.gpu.reset().unwrap();
    runs.cpu.cut(blade);
    runs.gpu.cut(blade).unwrap();
    for steps in [1.0, 2.0, 3.0] {
        for (run, positions) in runs.advance() {
            close(run, &positions, steps);
        }
    }
    let states = [runs.cpu.state(), runs.gpu.state().unwrap()];
    for state in states {
        let mut others = Runs::new(&cloth, step, settings);
        others.cpu.go_on_from(&state);
        others.gpu.go_on_from(&state).unwrap();
        for (run, positions) in others.advance() {
            close(&format!("another {run}"), &positions, 4.0);
        }
    }
    runs.cpu.reset();
    runs.gpu.reset().unwrap();
    for ((run, positions), (_, before)) in runs.advance().iter().zip(&held) {
        assert_eq!(positions, before, "{run}, after a reset");
    }
}
