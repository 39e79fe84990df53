//! Drag and lift of moving air on the triangles of a cloth, for every solver of cloth.

mod common;

use common::{Random, Validated};
use glam::{Vec3, Vec4};
use tautline::engine::{Buffer, Device, Frames, Image, ImageKind, Kernel};
use tautline::layout::AirParameters;
use tautline::model::{Body, Cloth, Coloring, Grid, GridPlane, Pattern, Spring, triangles_around};
use tautline::reference::air::forces;
use tautline::shaders;
use tautline::solver::{
    Air, MassSpring, MassSpringSettings, Pbd, PbdSettings, Simulation, Solver, Step, Surroundings, Triangles, Verlet,
    VerletSettings,
};

const GRID: Grid = Grid { columns: 4, rows: 3, spacing: 0.5 };

fn simulation(device: &Device, solver: &str, cloth: Cloth, step: Step, air: Air) -> Simulation {
    let triangles = &Triangles::new(device, &cloth).unwrap();
    let around = &Surroundings { air, triangles: Some(triangles), ..Default::default() };
    let particles = &cloth.positions;
    let solver: Box<dyn Solver> = match solver {
        "verlet" => {
            let settings = VerletSettings { mass: 0.5, structural_stiffness: 100.0, ..Default::default() };
            Box::new(Verlet::new(device, GRID, particles, step, settings, around).unwrap())
        }
        "mass-spring" => {
            let settings = MassSpringSettings { stiffness: 100.0, ..Default::default() };
            Box::new(MassSpring::new(device, GRID, particles, step, settings, around).unwrap())
        }
        _ => {
            let settings = PbdSettings { compliance: 1e6, shear_compliance: 1e6, ..Default::default() };
            Box::new(Pbd::new(device, &cloth, step, settings, around).unwrap())
        }
    };
    Simulation::new(Body::Cloth(cloth), solver, step)
}

/// A sheet at rest feels no force but the air's: after a substep each particle has moved by h² F / m, where F is a third of
/// the force on each of its triangles. The air comes slanted, at 60° to the sheet's normal.
#[test]
fn a_sheet_is_blown_along_and_across_the_air() {
    let validated = Validated::open();
    let h = 1.0 / 64.0;
    let step = Step { dt: h, substeps: 1, iterations: 1, gravity: Vec3::ZERO };
    let (sine, cosine) = (0.5_f32, 0.75_f32.sqrt());
    let way = Vec3::new(cosine, 0.0, sine);
    let air = Air { velocity: 8.0 * way, density: 1.2, drag: 1.5, lift: 0.5 };
    // rho/2 |v|² sin t, times the coefficients; lift is across the way, towards the side that the sheet faces away to.
    let pressure = 1.2 / 2.0 * 64.0 * sine * (1.5 * way + 0.5 * (Vec3::Z - sine * way));
    // Half a cell of 0.5 m each.
    let triangle = 0.125;
    for solver in ["verlet", "mass-spring", "pbd"] {
        let cloth = Cloth::from_grid(GRID, GridPlane::Vertical, 0.5, false);
        let start = cloth.positions.clone();
        // Corners of each triangle by the diagonals of `Grid`: from top left to bottom right.
        let count = |index: u32| cloth.triangles.as_flattened().iter().filter(|&&corner| corner == index).count();
        let counts: Vec<usize> = (0..12).map(count).collect();
        assert_eq!((counts[0], counts[3], counts[5]), (2, 1, 6));
        let mut simulation = simulation(&validated.device, solver, cloth, step, air);
        Frames::run_once(&validated.device, |recorder| simulation.record(recorder)).unwrap();
        for ((now, before), count) in simulation.positions().unwrap().iter().zip(&start).zip(counts) {
            let force = pressure * triangle * count as f32 / 3.0;
            let moved = now.truncate() - before.truncate();
            let expected = h * h * force / 0.5;
            // Positions of 1 m are rounded to 6e-8 m, and constraints of 1e6 m/N, h² times softer than the particles are
            // heavy, take 1e-10 of what they see.
            assert!(moved.distance(expected) < 3e-7, "{solver}: {moved}, not {expected}");
        }
    }
}

/// A plate that falls flat has v' = g (1 - v² / u²) with u² = 2 m g / (rho cd A), and comes to v = u.
#[test]
fn a_plate_falls_at_its_terminal_velocity() {
    let validated = Validated::open();
    let positions = [Vec3::ZERO, Vec3::Z, Vec3::X].map(|corner| corner.extend(3.0 / 0.1)).to_vec();
    let (springs, coloring) = Coloring::greedy(Vec::<Spring>::new());
    let cloth = Cloth {
        inverse_masses: vec![30.0; 3],
        positions,
        triangles: vec![[0, 1, 2]],
        springs,
        coloring,
        patches: vec![],
        hinges: vec![],
        hinge_coloring: Coloring::default(),
        attachments: vec![],
        grid: None,
        uvs: None,
        pattern: Pattern::Plain,
    };
    let step = Step { dt: 1.0 / 64.0, substeps: 8, iterations: 1, gravity: Vec3::new(0.0, -10.0, 0.0) };
    let air = Air { density: 1.25, drag: 1.6, ..Default::default() };
    let mut simulation = simulation(&validated.device, "pbd", cloth, step, air);
    // 0.1 kg, half a square metre: u = sqrt(2) m/s.
    let terminal = (2.0 * 0.1 * 10.0 / (1.25 * 1.6 * 0.5_f64)).sqrt();
    let (mut velocity, mut fallen) = (0.0, 0.0);
    for step in 1..=96 {
        Frames::run_once(&validated.device, |recorder| simulation.record(recorder)).unwrap();
        // Euler's steps of the same equation, which come to the same velocity.
        for _ in 0..8 {
            velocity += 10.0 * (1.0 - (velocity / terminal).powi(2)) / 512.0;
            fallen += velocity / 512.0;
        }
        let found = -f64::from(simulation.positions().unwrap()[1].y);
        // Each of 768 substeps rounds a position of up to 2 m by 6e-8 m, and with it the velocity, which the drag corrects
        // within u / 2g, 36 substeps later.
        assert!((found - fallen).abs() < 768.0 * 36.0 * 6e-8, "{found} m after {step} steps, not {fallen} m");
    }
    // After 1.5 s, tanh(g t / u) is 1 to 1e-9.
    assert!((velocity - terminal).abs() < 1e-6, "{velocity} m/s, not {terminal} m/s");
}

/// Cloth that is so light that a substep's push would throw it ahead of the air goes along with it: at once, and no faster
/// as long as it stays flat.
#[test]
fn a_gale_takes_light_cloth_along() {
    let validated = Validated::open();
    let h = 1.0 / 64.0;
    let step = Step { dt: h, substeps: 1, iterations: 1, gravity: Vec3::ZERO };
    let air = Air { velocity: Vec3::new(0.0, 0.0, 30.0), density: 1.2, drag: 1.2, lift: 0.8 };
    for solver in ["verlet", "mass-spring", "pbd"] {
        let mut cloth = Cloth::from_grid(GRID, GridPlane::Vertical, 0.5, false);
        // The solver verlet has a mass of its own for all, so there the air is made as much denser.
        let air = if solver == "verlet" { Air { density: 1.2e4, ..air } } else { air };
        if solver != "verlet" {
            cloth.positions.iter_mut().for_each(|particle| particle.w = 1.0 / 5e-5);
        }
        let mut simulation = simulation(&validated.device, solver, cloth, step, air);
        for number in 1..=20 {
            Frames::run_once(&validated.device, |recorder| simulation.record(recorder)).unwrap();
            for position in simulation.positions().unwrap() {
                let expected = 30.0 * h * number as f32;
                // Twenty positions of up to 9 m, rounded to 5e-7 m, and each velocity with them.
                assert!((position.z - expected).abs() < 2e-4, "{solver}: {} m, not {expected} m", position.z);
            }
        }
    }
}

#[test]
fn the_kernels_compute_the_forces_of_their_twin() {
    let validated = Validated::open();
    let device = &validated.device;
    let (columns, rows) = (23, 19);
    let cloth = Cloth::from_grid(Grid { columns, rows, spacing: 0.1 }, GridPlane::Vertical, 1.5e-3, false);
    let mut random = Random(7);
    let mut vector = |scale: f32| scale * Vec4::new(random.signed(), random.signed(), random.signed(), 0.0);
    let positions: Vec<Vec4> = cloth.positions.iter().map(|position| position + vector(0.03)).collect();
    let velocities: Vec<Vec4> = positions.iter().map(|_| vector(3.0)).collect();
    let parameters = AirParameters {
        velocity: Vec4::new(5.0, 0.0, 15.0, 0.0),
        density: 1.2,
        drag: 1.2,
        lift: 0.8,
        substep_dt: 1.0 / 64.0,
        particle_count: columns * rows,
        particle_mass: 0.0,
        padding: [0; 2],
    };
    let twin = forces(&parameters, &cloth.triangles, &positions, &velocities);
    let entries = triangles_around(positions.len(), &cloth.triangles);
    let entries = Buffer::from_slice(device, "particle triangles", &entries).unwrap();
    let block = Buffer::from_slice(device, "air parameters", &[parameters]).unwrap();
    let of_images = AirParameters { particle_mass: 1.5e-3, ..parameters };
    let of_images = Buffer::from_slice(device, "air parameters", &[of_images]).unwrap();
    let run = |shader, block: &Buffer, [now, motion]: [(&str, tautline::engine::Resource<'_>); 2]| {
        let found = Buffer::zeroed(device, "forces", 16 * positions.len() as u64).unwrap();
        let bound = [
            now,
            motion,
            ("ParticleTriangles", (&entries).into()),
            ("Forces", (&found).into()),
            ("AirParameters", block.into()),
        ];
        let bindings = Kernel::new(device, shader).unwrap().bind(&bound).unwrap();
        Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &(), [columns * rows, 1, 1])).unwrap();
        found.read::<Vec4>().unwrap()
    };
    let [now, motion] = [&positions, &velocities].map(|list| Buffer::from_slice(device, "list", list).unwrap());
    let from_buffers =
        run(&shaders::AIR_FORCE, &block, [("Positions", (&now).into()), ("Velocities", (&motion).into())]);
    let before: Vec<Vec4> = positions.iter().zip(&velocities).map(|(now, velocity)| now - velocity / 64.0).collect();
    let [now, before] = [&positions, &before].map(|list| {
        let image = Image::new(device, "list", ImageKind::Storage, [columns, rows]).unwrap();
        image.write(list).unwrap();
        image
    });
    let from_images =
        run(&shaders::AIR_FORCE_IMAGE, &of_images, [("u_CurrPos", (&now).into()), ("u_PrevPos", (&before).into())]);
    // A push of 1/64 s on particles of 1.5 g may be more than the air's own velocity, and is for some of them.
    let bounded = twin.iter().zip(&velocities).filter(|(force, velocity)| {
        let push = force.length() / 1.5e-3 / 64.0;
        (push / (parameters.velocity - **velocity).length() - 1.0).abs() < 1e-5
    });
    let bounded = bounded.count();
    assert!((20..400).contains(&bounded), "{bounded} of 437 are bounded");
    // Forces of 1 N: an area of 0.005 m² against a pressure of some 100 Pa. A velocity from two positions of 1 m is
    // wrong by up to 64 times 1.2e-7 m, a few 1e-6 of the air's; a sum of six rounds less than that.
    let largest = twin.iter().map(|force| force.length()).fold(0.0, f32::max);
    assert!((0.1..10.0).contains(&largest), "{largest} N");
    for (index, twin) in twin.iter().enumerate() {
        for gpu in [from_buffers[index], from_images[index]] {
            assert!(gpu.distance(*twin) < 1e-5, "particle {index}: {gpu} on the GPU, {twin}");
        }
    }
}
