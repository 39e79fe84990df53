//! Particles that are carried along a path and let go, for every solver of cloth.
//!
//! Time steps are powers of two, so that the ends of substeps are exact.

mod common;

use std::f32::consts::FRAC_PI_2;

use common::{Random, Validated};
use glam::{Quat, Vec3, Vec4};
use tautline::engine::{Buffer, Device, Frames, Kernel};
use tautline::layout::{self, AttachPush};
use tautline::model::{Body, Cloth, Grid, GridPlane, Path, Pose};
use tautline::reference::attach::move_attached;
use tautline::shaders;
use tautline::solver::{
    MassSpring, MassSpringSettings, Pbd, PbdSettings, Simulation, Solver, Step, Surroundings, Verlet, VerletSettings,
};

const GRID: Grid = Grid { columns: 5, rows: 3, spacing: 0.25 };
const STEP: Step = Step { dt: 1.0 / 64.0, substeps: 4, iterations: 2, gravity: Vec3::new(0.0, -10.0, 0.0) };
const SOLVERS: [&str; 3] = ["verlet", "mass-spring", "pbd"];

fn sheet() -> Cloth {
    Cloth::from_grid(GRID, GridPlane::Vertical, 1.0, false)
}

fn pose(x: f32, y: f32, z: f32, quarter_turns: f32) -> Pose {
    Pose { position: Vec3::new(x, y, z), rotation: Quat::from_rotation_y(quarter_turns * FRAC_PI_2) }
}

fn simulation(device: &Device, solver: &str, cloth: Cloth) -> Simulation {
    let particles = &cloth.positions;
    let around = &Surroundings { attachments: &cloth.attachments, ..Default::default() };
    let solver: Box<dyn Solver> = match solver {
        "verlet" => {
            let stiffnesses = (1500.0, 1000.0, 500.0);
            let settings = VerletSettings {
                mass: 1.0,
                structural_stiffness: stiffnesses.0,
                shear_stiffness: stiffnesses.1,
                flexion_stiffness: stiffnesses.2,
                ..Default::default()
            };
            Box::new(Verlet::new(device, GRID, particles, STEP, settings, around).unwrap())
        }
        "mass-spring" => {
            let settings = MassSpringSettings { stiffness: 1500.0, damping: 1.0, ..Default::default() };
            Box::new(MassSpring::new(device, GRID, particles, STEP, settings, around).unwrap())
        }
        _ => Box::new(Pbd::new(device, &cloth, STEP, PbdSettings::default(), around).unwrap()),
    };
    Simulation::new(Body::Cloth(cloth), solver, STEP)
}

/// Where the particles are after each of so many steps.
fn run(device: &Device, simulation: &mut Simulation, steps: u32) -> Vec<Vec<Vec3>> {
    let mut step = || {
        Frames::run_once(device, |recorder| simulation.record(recorder)).unwrap();
        simulation.positions().unwrap().iter().map(|position| position.truncate()).collect()
    };
    (0..steps).map(|_| step()).collect()
}

#[test]
fn what_is_attached_is_on_its_path_at_the_end_of_every_step() {
    let validated = Validated::open();
    // A frame beside the sheet that waits, goes and turns at once, and stops within a step.
    let keyframes = vec![(0.05, pose(1.0, 0.0, 0.0, 0.0)), (0.2, pose(1.0, 0.3, -0.2, 1.0))];
    let path = Path::through(keyframes).unwrap();
    let frame = path.at(0.0);
    for solver in SOLVERS {
        let mut cloth = sheet();
        let start: Vec<Vec3> = cloth.positions.iter().map(|position| position.truncate()).collect();
        cloth.attach(GRID.row(0), path.clone(), None);
        let mut simulation = simulation(&validated.device, solver, cloth);
        for (positions, number) in run(&validated.device, &mut simulation, 20).iter().zip(1..) {
            let Pose { position, rotation } = path.at(f64::from(number) / 64.0);
            for index in 0..5 {
                let expected = position + rotation * (start[index] - frame.position);
                // A rotation of coordinates below 2 m rounds some ten times.
                assert!(positions[index].distance(expected) < 20.0 * f32::EPSILON, "{solver}, step {number}");
            }
            assert!(positions.iter().all(|position| position.is_finite()), "{solver}, step {number}");
        }
        simulation.reset().unwrap();
        assert_eq!(simulation.positions().unwrap()[7].truncate(), start[7], "{solver}");
    }
}

/// A sheet that is carried as a whole feels no internal force, and is thrown when it is let go: after n substeps
/// semi-implicit Euler and Verlet alike have it at x + v n h + g h² n (n + 1) / 2.
#[test]
fn what_is_let_go_flies_on_at_the_velocity_of_its_path() {
    let validated = Validated::open();
    let velocity = Vec3::new(2.0, 1.0, -0.5);
    let at = |time: f32| Pose { position: velocity * time, rotation: Quat::IDENTITY };
    let path = Path::through(vec![(0.0, at(0.0)), (1.0, at(1.0))]).unwrap();
    let h = STEP.substep_dt();
    // At the end of a step, within one, and between the ends of two substeps, where the later one counts.
    for (release, held_substeps) in [(8.0 * h, 8), (9.0 * h, 9), (9.5 * h, 10)] {
        for solver in SOLVERS {
            let mut cloth = sheet();
            let start: Vec<Vec3> = cloth.positions.iter().map(|position| position.truncate()).collect();
            cloth.attach(0..15, path.clone(), Some(f64::from(release)));
            let mut simulation = simulation(&validated.device, solver, cloth);
            for (positions, step) in run(&validated.device, &mut simulation, 32).iter().zip(1..) {
                let free = (4 * step - held_substeps).max(0) as f32;
                let fall = Vec3::new(0.0, -10.0, 0.0) * h * h * free * (free + 1.0) / 2.0;
                let expected = velocity * (4.0 * step as f32 * h) + fall;
                for (position, start) in positions.iter().zip(&start) {
                    // Positions below 4 m are rounded to 2.4e-7 m in each of 128 substeps; Verlet's velocity is the
                    // difference of two of them, whose errors add up over the substeps that follow: 128²/2 of them
                    // would be 2e-3 m if all had one sign, and their random walk is 128^1.5 / 3^0.5 times 1.2e-7 m.
                    assert!(
                        position.distance(start + expected) < 1e-3,
                        "{solver}, let go at {release} s, step {step}: {} m off",
                        position.distance(start + expected)
                    );
                }
            }
        }
    }
}

#[test]
fn the_kernel_moves_particles_as_its_twin_does() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(23);
    let mut vector = || Vec3::new(random.signed(), random.signed(), random.signed());
    let attachments: Vec<layout::Attachment> = (0..7)
        .map(|number| layout::Attachment {
            start_position: vector().extend(0.0),
            start_rotation: Quat::from_scaled_axis(vector()).into(),
            end_position: vector().extend(0.0),
            // The other sign of the same rotation for some: the way there is the shorter one all the same.
            end_rotation: Vec4::from(Quat::from_scaled_axis(vector())) * if number % 2 == 0 { 1.0 } else { -1.0 },
            release_substep: [i32::MAX, 3, 2, 4, -5, 3, i32::MAX][number],
            padding: [0; 3],
        })
        .collect();
    let particles: Vec<layout::AttachedParticle> = (0..203)
        .map(|index| layout::AttachedParticle {
            place: vector().extend(0.5 + index as f32),
            index: 3 * index,
            attachment: index % 7,
            padding: [0; 2],
        })
        .collect();
    let start: Vec<Vec4> = (0..700).map(|_| vector().extend(1.0)).collect();
    let positions = Buffer::from_slice(device, "positions", &start).unwrap();
    let velocities = Buffer::from_slice(device, "velocities", &start).unwrap();
    let attached = Buffer::from_slice(device, "attached particles", &particles).unwrap();
    let moving = Buffer::from_slice(device, "attachments", &attachments).unwrap();
    let kernel = Kernel::new(device, &shaders::ATTACH_MOVE).unwrap();
    let bindings = kernel
        .bind(&[
            ("Positions", (&positions).into()),
            ("Velocities", (&velocities).into()),
            ("AttachedParticles", (&attached).into()),
            ("Attachments", (&moving).into()),
        ])
        .unwrap();
    // One short of all: the last stays.
    let push = AttachPush { attached_count: 202, substep: 3, start: 0.375, end: 0.5, substep_dt: 0.125 };
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &push, [202, 1, 1])).unwrap();
    let (mut twin_positions, mut twin_velocities) = (start.clone(), start);
    move_attached(&particles, &attachments, &push, &mut twin_positions, &mut twin_velocities);
    for (gpu, twin) in [(positions, twin_positions), (velocities, twin_velocities)] {
        for (index, (gpu, twin)) in gpu.read::<Vec4>().unwrap().iter().zip(&twin).enumerate() {
            // A velocity is a difference of positions, rounded to 2e-7 m some ten times, over 1/8 s.
            assert!((*gpu - *twin).abs().max_element() < 2e-5, "particle {index}: {gpu} on the GPU, {twin}");
        }
    }
}
