//! Physics against closed forms, on every backend. The cases are in `common/physics.rs`.

#[path = "common/physics.rs"]
mod cases;
mod common;

/// One test per case, on the backend that `$make_pbd` and `$make_verlet` start.
macro_rules! every_case {
    ($make_pbd:path, $make_verlet:path) => {
        every_case!(@tests $make_verlet:
            verlet_order
            verlet_spring_period
            verlet_stability_limit
            verlet_momentum
            verlet_free_fall
            verlet_damping
            verlet_unit_scale
        );
        every_case!(@tests $make_pbd:
            xpbd_iterations_do_not_stiffen
            xpbd_document_iterations_stiffen
            xpbd_spring_period_and_decay
            xpbd_tension
            xpbd_static_elongation
            xpbd_elongation
            xpbd_free_fall
            xpbd_damping
            xpbd_momentum
            xpbd_unit_scale
            xpbd_rotor
            xpbd_pendulum_period
            xpbd_chain_swing
            xpbd_catenary
            jacobi_tension
            jacobi_momentum
            jacobi_residual
        );
    };
    (@tests $make:path: $($case:ident)*) => {
        $(
            #[test]
            fn $case() {
                super::cases::$case(&mut $make);
            }
        )*
    };
}

/// The CPU twins.
mod twin {
    use glam::Vec4;
    use tautline::reference::pbd::Pbd;
    use tautline::reference::verlet::Verlet;
    use tautline::solver::ConstraintSolver;

    use super::cases::{PbdSetup, Stepper, VerletSetup};

    struct PbdStepper {
        pbd: Pbd,
        setup: PbdSetup,
    }

    impl Stepper for PbdStepper {
        fn step(&mut self, steps: u32) {
            for _ in 0..steps {
                self.pbd.substep(&self.setup.parameters, 0.0, self.setup.iterations);
            }
        }

        fn set_elongation(&mut self, elongation: f32) {
            self.setup.parameters.elongation = elongation;
        }

        fn positions(&self) -> Vec<Vec4> {
            self.pbd.positions.clone()
        }

        fn velocities(&self) -> Option<Vec<Vec4>> {
            Some(self.pbd.velocities.clone())
        }

        fn lambdas(&self) -> Vec<f32> {
            self.pbd.lambdas.clone()
        }
    }

    struct VerletStepper {
        verlet: Verlet,
        setup: VerletSetup,
    }

    impl Stepper for VerletStepper {
        fn step(&mut self, steps: u32) {
            for _ in 0..steps {
                self.verlet.step(&self.setup.parameters, 0.0);
            }
        }

        fn set_elongation(&mut self, _elongation: f32) {
            unreachable!("springs of verlet keep their rest lengths");
        }

        fn positions(&self) -> Vec<Vec4> {
            self.verlet.current.clone()
        }

        fn velocities(&self) -> Option<Vec<Vec4>> {
            None
        }

        fn lambdas(&self) -> Vec<f32> {
            Vec::new()
        }
    }

    fn make_pbd(setup: &PbdSetup) -> Box<dyn Stepper> {
        let mut pbd = Pbd::new(&setup.positions, &setup.constraints, &setup.batches);
        pbd.velocities.clone_from(&setup.velocities);
        pbd.lambda_accumulated = setup.lambda_accumulated;
        pbd.jacobi = setup.constraint_solver == ConstraintSolver::Jacobi;
        Box::new(PbdStepper { pbd, setup: setup.clone() })
    }

    fn make_verlet(setup: &VerletSetup) -> Box<dyn Stepper> {
        let verlet = Verlet { previous: setup.previous.clone(), ..Verlet::new(&setup.current) };
        Box::new(VerletStepper { verlet, setup: setup.clone() })
    }

    every_case!(make_pbd, make_verlet);
}

/// The fast solvers on the CPU.
mod cpu {
    use glam::Vec4;
    use tautline::cpu::{Pbd, Verlet};
    use tautline::solver::ConstraintSolver;

    use super::cases::{PbdSetup, Stepper, VerletSetup};

    struct PbdStepper {
        pbd: Pbd,
        setup: PbdSetup,
    }

    impl PbdStepper {
        fn substep(&mut self) {
            let Self { pbd, setup } = self;
            pbd.predict(&setup.parameters, 0.0);
            for iteration in 0..setup.iterations {
                let iteration = if setup.lambda_accumulated { iteration } else { 0 };
                match setup.constraint_solver {
                    ConstraintSolver::GaussSeidel => pbd.solve(&setup.parameters, iteration),
                    ConstraintSolver::Jacobi => {
                        pbd.jacobi_solve(&setup.parameters, iteration);
                        pbd.jacobi_apply();
                    }
                }
            }
            pbd.update_velocity(&setup.parameters);
        }
    }

    impl Stepper for PbdStepper {
        fn step(&mut self, steps: u32) {
            (0..steps).for_each(|_| self.substep());
        }

        fn set_elongation(&mut self, elongation: f32) {
            self.setup.parameters.elongation = elongation;
        }

        fn positions(&self) -> Vec<Vec4> {
            self.pbd.positions.clone()
        }

        fn velocities(&self) -> Option<Vec<Vec4>> {
            Some(self.pbd.velocities.clone())
        }

        fn lambdas(&self) -> Vec<f32> {
            self.pbd.lambdas()
        }
    }

    struct VerletStepper {
        verlet: Verlet,
        setup: VerletSetup,
    }

    impl Stepper for VerletStepper {
        fn step(&mut self, steps: u32) {
            (0..steps).for_each(|_| self.verlet.step(&self.setup.parameters, 0.0));
        }

        fn set_elongation(&mut self, _elongation: f32) {
            unreachable!("springs of verlet keep their rest lengths");
        }

        fn positions(&self) -> Vec<Vec4> {
            self.verlet.current().to_vec()
        }

        fn velocities(&self) -> Option<Vec<Vec4>> {
            None
        }

        fn lambdas(&self) -> Vec<f32> {
            Vec::new()
        }
    }

    fn make_pbd(setup: &PbdSetup) -> Box<dyn Stepper> {
        let mut pbd = Pbd::new(&setup.positions, &setup.constraints, &setup.batches);
        pbd.velocities.clone_from(&setup.velocities);
        Box::new(PbdStepper { pbd, setup: setup.clone() })
    }

    fn make_verlet(setup: &VerletSetup) -> Box<dyn Stepper> {
        Box::new(VerletStepper { verlet: Verlet::new(&setup.previous, &setup.current), setup: setup.clone() })
    }

    every_case!(make_pbd, make_verlet);
}

/// The kernels, on the device that the tests run on.
mod gpu {
    use glam::Vec4;
    use tautline::engine::{Frames, Result};
    use tautline::model::Grid;
    use tautline::scene::Scene;
    use tautline::solver::{
        ConstraintSolver, Pbd, PbdSettings, Solver, Step, Surroundings, Verlet, VerletSettings, Wind,
    };

    use super::cases::{PbdSetup, Stepper, VerletSetup};
    use super::common::Validated;

    /// Substeps recorded into one submission.
    const SUBSTEPS_A_FRAME: u32 = 64;

    struct GpuStepper<S> {
        solver: S,
        lambdas: fn(&S) -> Option<Vec<f32>>,
        velocities: fn(&S) -> Option<Vec<Vec4>>,
        frames: Frames,
        _validated: Validated,
    }

    impl<S: Solver> GpuStepper<S> {
        fn record(&mut self, steps: u32) -> Result<()> {
            let mut left = steps;
            while left > 0 {
                let mut recorder = self.frames.begin()?;
                for _ in 0..left.min(SUBSTEPS_A_FRAME) {
                    self.solver.record(&mut recorder, 0.0)?;
                }
                recorder.submit()?;
                left -= left.min(SUBSTEPS_A_FRAME);
            }
            self.frames.finish()
        }
    }

    impl<S: Solver> Stepper for GpuStepper<S> {
        fn step(&mut self, steps: u32) {
            self.record(steps).unwrap();
        }

        fn set_elongation(&mut self, elongation: f32) {
            self.solver.pbd_settings_mut().expect("a solver of constraints").elongation = elongation;
        }

        fn positions(&self) -> Vec<Vec4> {
            self.solver.positions().unwrap()
        }

        fn velocities(&self) -> Option<Vec<Vec4>> {
            (self.velocities)(&self.solver)
        }

        fn lambdas(&self) -> Vec<f32> {
            (self.lambdas)(&self.solver).unwrap_or_default()
        }
    }

    fn make_pbd(setup: &PbdSetup) -> Box<dyn Stepper> {
        let validated = Validated::open();
        let parameters = &setup.parameters;
        let step = Step {
            dt: parameters.substep_dt,
            substeps: 1,
            iterations: setup.iterations,
            gravity: parameters.gravity.truncate(),
        };
        assert_eq!(parameters.wind, Vec4::ZERO, "no case has wind; the kernel tests do");
        let settings = PbdSettings {
            damping: parameters.damping,
            elongation: parameters.elongation,
            lambda_accumulated: setup.lambda_accumulated,
            constraint_solver: setup.constraint_solver,
            wind: Wind::default(),
            ..Default::default()
        };
        let device = &validated.device;
        let (constraints, batches) = (&setup.constraints, &setup.batches);
        let solver = Pbd::with_constraints(
            device,
            &setup.positions,
            constraints,
            batches,
            step,
            settings,
            &Surroundings::default(),
        )
        .unwrap();
        solver.velocities().write(&setup.velocities).unwrap();
        Box::new(GpuStepper {
            solver,
            lambdas: |solver| Some(solver.lambdas().read().unwrap()),
            velocities: |solver| Some(solver.velocities().read().unwrap()),
            frames: Frames::new(device, 2).unwrap(),
            _validated: validated,
        })
    }

    fn make_verlet(setup: &VerletSetup) -> Box<dyn Stepper> {
        let validated = Validated::open();
        let parameters = &setup.parameters;
        let grid = Grid {
            columns: parameters.grid_size.x as u32,
            rows: parameters.grid_size.y as u32,
            spacing: parameters.rest_length,
        };
        let step =
            Step { dt: parameters.substep_dt, substeps: 1, iterations: 1, gravity: parameters.gravity.truncate() };
        let settings = VerletSettings {
            mass: parameters.mass,
            structural_stiffness: parameters.structural_stiffness,
            shear_stiffness: parameters.shear_stiffness,
            flexion_stiffness: parameters.flexion_stiffness,
            damping: parameters.damping,
            ..Default::default()
        };
        let mut solver =
            Verlet::new(&validated.device, grid, &setup.current, step, settings, &Surroundings::default()).unwrap();
        let held = |flagged: &[Vec4]| flagged.iter().map(|node| node.with_w(1.0 - node.w)).collect::<Vec<_>>();
        solver.write(&held(&setup.previous), &held(&setup.current)).unwrap();
        Box::new(GpuStepper {
            solver,
            lambdas: |_| None,
            velocities: |_| None,
            frames: Frames::new(&validated.device, 2).unwrap(),
            _validated: validated,
        })
    }

    /// What is set between two steps holds for the second, whether they share a recording or not.
    #[test]
    fn settings_change_in_the_order_of_the_stream() {
        let positions = |in_one_recording: bool| {
            let validated = Validated::open();
            let scene = Scene { columns: 9, rows: 7, ..Scene::default() };
            let mut simulation = scene.simulation(&validated.device).unwrap();
            let mut frames = Frames::new(&validated.device, 2).unwrap();
            let mut recorder = frames.begin().unwrap();
            simulation.record(&mut recorder).unwrap();
            if !in_one_recording {
                recorder.submit().unwrap();
                frames.finish().unwrap();
                recorder = frames.begin().unwrap();
            }
            let settings = simulation.pbd_settings_mut().unwrap();
            settings.elongation = 1.25;
            settings.constraint_solver = ConstraintSolver::Jacobi;
            simulation.record(&mut recorder).unwrap();
            simulation.pbd_settings_mut().unwrap().constraint_solver = ConstraintSolver::GaussSeidel;
            simulation.record(&mut recorder).unwrap();
            recorder.submit().unwrap();
            frames.finish().unwrap();
            simulation.positions().unwrap()
        };
        assert_eq!(positions(true), positions(false));
    }

    every_case!(make_pbd, make_verlet);
}
