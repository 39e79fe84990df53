//! Bodies that hands act on, by every solver on the GPU and on the CPU.

#![allow(dead_code)] // Each test binary uses its part of this.

use glam::{Vec3, Vec4};
use tautline::engine::{Device, Frames};
use tautline::model::{Body, Cloth, Collider, Drag, Grid, Grip, Ropes};
use tautline::solver::{
    CpuSimulation, MassSpring, MassSpringSettings, Pbd, PbdSettings, RopeSettings, RopeVerlet, Simulation, Solver,
    Step, Surroundings, Verlet, VerletSettings, VerletStorage,
};

/// A simulation in progress on either backend.
pub enum Runner<'a> {
    Gpu(&'a Device, Simulation),
    Cpu(CpuSimulation),
}

/// Calls the same method of either simulation.
macro_rules! either {
    ($runner:expr, $simulation:ident => $call:expr) => {
        match $runner {
            Runner::Gpu(_, $simulation) => $call,
            Runner::Cpu($simulation) => $call,
        }
    };
}

impl Runner<'_> {
    pub fn step(&mut self, steps: u32) {
        for _ in 0..steps {
            match self {
                Self::Gpu(device, simulation) => {
                    Frames::run_once(device, |recorder| simulation.record(recorder)).unwrap();
                }
                Self::Cpu(simulation) => drop(simulation.advance()),
            }
        }
    }

    /// xyz \[m\], and w as the solver keeps it. Shape \[particle_count\].
    pub fn particles(&self) -> Vec<Vec4> {
        match self {
            Self::Gpu(_, simulation) => simulation.positions().unwrap(),
            Self::Cpu(simulation) => simulation.positions(),
        }
    }

    pub fn positions(&self) -> Vec<Vec3> {
        self.particles().iter().map(|particle| particle.truncate()).collect()
    }

    pub fn reset(&mut self) {
        match self {
            Self::Gpu(_, simulation) => simulation.reset().unwrap(),
            Self::Cpu(simulation) => simulation.reset(),
        }
    }

    pub fn body(&self) -> &Body {
        either!(self, simulation => simulation.body())
    }

    pub fn set_grip(&mut self, grip: Option<Grip>) {
        either!(self, simulation => simulation.set_grip(grip));
    }

    pub fn set_pinned(&mut self, particle: u32, pinned: bool) {
        either!(self, simulation => simulation.set_pinned(particle, pinned));
    }

    pub fn pinned_count(&self) -> usize {
        either!(self, simulation => simulation.pinned_count())
    }

    pub fn drag(&mut self, drag: Option<Drag>) {
        either!(self, simulation => simulation.drag(drag));
    }
}

/// What the springs of a grid are made of; the substeps of the tests are far below their limits.
const MASS: f32 = 0.5;

/// A cloth of a grid by each solver of cloth, on both backends, with the name of each.
pub fn cloths<'a>(
    device: &'a Device,
    cloth: &Cloth,
    grid: Grid,
    step: Step,
    colliders: &[Collider],
) -> Vec<(String, Runner<'a>)> {
    let around = &Surroundings { colliders, attachments: &cloth.attachments, ..Default::default() };
    let verlet = VerletSettings {
        mass: MASS,
        structural_stiffness: 150.0,
        shear_stiffness: 100.0,
        flexion_stiffness: 50.0,
        ..Default::default()
    };
    let mass_spring = MassSpringSettings { stiffness: 150.0, damping: 0.5, ..Default::default() };
    let jacobi = PbdSettings { constraint_solver: tautline::solver::ConstraintSolver::Jacobi, ..Default::default() };
    let document = PbdSettings { compliance: 1e-5, lambda_accumulated: false, ..Default::default() };
    let (particles, body) = (&cloth.positions, || Body::Cloth(cloth.clone()));
    let gpu = |solver: Box<dyn Solver>| Runner::Gpu(device, Simulation::new(body(), solver, step));
    let on_buffers = VerletSettings { storage: VerletStorage::Buffers, ..verlet };
    let mut runners = vec![
        ("verlet".to_string(), gpu(Box::new(Verlet::new(device, grid, particles, step, verlet, around).unwrap()))),
        (
            "verlet on buffers".into(),
            gpu(Box::new(Verlet::new(device, grid, particles, step, on_buffers, around).unwrap())),
        ),
        ("verlet on the CPU".into(), Runner::Cpu(CpuSimulation::verlet(cloth.clone(), grid, step, verlet, around))),
        (
            "mass-spring".into(),
            gpu(Box::new(MassSpring::new(device, grid, particles, step, mass_spring, around).unwrap())),
        ),
        (
            "mass-spring on the CPU".into(),
            Runner::Cpu(CpuSimulation::mass_spring(cloth.clone(), grid, step, mass_spring, around)),
        ),
    ];
    for (name, settings) in [("pbd", PbdSettings::default()), ("jacobi", jacobi), ("xpbd-document", document)] {
        let solver = Box::new(Pbd::new(device, cloth, step, settings, around).unwrap());
        runners.push((name.into(), gpu(solver)));
        let simulation = CpuSimulation::of_constraints(cloth.clone(), step, settings, around);
        runners.push((format!("{name} on the CPU"), Runner::Cpu(simulation)));
    }
    runners
}

/// Ropes on both backends, likewise.
pub fn ropes<'a>(device: &'a Device, ropes: &Ropes, step: Step, colliders: &[Collider]) -> Vec<(String, Runner<'a>)> {
    let settings = RopeSettings::default();
    let solver = Box::new(RopeVerlet::new(device, ropes, colliders, step, settings).unwrap());
    let gpu = Runner::Gpu(device, Simulation::new(Body::Ropes(ropes.clone()), solver, step));
    let cpu = Runner::Cpu(CpuSimulation::ropes(ropes.clone(), colliders, step, settings));
    vec![("rope".into(), gpu), ("rope on the CPU".into(), cpu)]
}

/// A sheet whose particles have the mass that the solvers are set to \[kg\].
pub fn sheet(grid: Grid) -> Cloth {
    Cloth::from_grid(grid, tautline::model::GridPlane::Vertical, MASS, false)
}
