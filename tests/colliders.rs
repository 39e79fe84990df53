//! Colliders and the `mass_spring` solver against closed forms, on every backend. The cases are in
//! `common/colliders.rs`, for height fields in `common/terrain.rs`, and for meshes in `common/mesh.rs`.

#[path = "common/colliders.rs"]
mod cases;
mod common;
#[path = "common/mesh.rs"]
mod mesh;
#[path = "common/solids.rs"]
mod solids;
#[path = "common/terrain.rs"]
mod terrain;

/// One test per case, on the backend that `$make_pbd` and `$make_mass_spring` start.
macro_rules! every_case {
    ($make_pbd:ident, $make_mass_spring:ident) => {
        mod pbd {
            every_case!(@tests cases, super::$make_pbd: pbd_drape_is_mirrored);
            every_case!(@shared super::$make_pbd);
        }
        mod mass_spring {
            every_case!(@shared super::$make_mass_spring);
            every_case!(@tests cases, super::$make_mass_spring:
                mass_spring_drape_is_symmetric
                mass_spring_period
                mass_spring_momentum
                mass_spring_stability_limit
            );
        }
    };
    (@shared $make:path) => {
        every_case!(@tests cases, $make:
            rest_on_slope
            slide_on_slope
            ball_does_not_tunnel
            bullet_stops_at_thin_box
            shapes_push_to_their_surface
            plane_carries
            nothing_is_inside_after_a_step
        );
        every_case!(@tests terrain, $make:
            flat_terrain_is_a_plane
            rest_on_hillside
            slide_on_hillside
            thin_ridge_stops_particles
            walls_stop_particles
            valleys_are_floors
            nothing_is_inside_terrain_after_a_step
        );
        every_case!(@tests mesh, $make:
            mesh_of_a_box_is_a_box
            rest_on_mesh
            slide_on_mesh
            thin_mesh_stops_particles
            inner_corners_hold_particles
            mesh_carries
            nothing_is_inside_a_mesh_after_a_step
        );
    };
    (@tests $cases:ident, $make:path: $($case:ident)*) => {
        $(
            #[test]
            fn $case() {
                crate::$cases::$case(&mut $make);
            }
        )*
    };
}

/// The CPU twins.
mod twin {
    use std::ops::Range;

    use glam::Vec4;
    use tautline::layout::{CollidePush, Collider, SolvePush};
    use tautline::reference::collide::Colliders;
    use tautline::reference::mass_spring::MassSpring;
    use tautline::reference::pbd::Pbd;

    use super::cases::{Setup, Stepper};

    /// The parts of a step that its substeps are.
    pub(super) fn pushes(setup: &Setup, colliders: &[Collider]) -> impl Iterator<Item = CollidePush> {
        let (substeps, collider_count) = (setup.substeps, colliders.len() as u32);
        let share = move |substep: u32| substep as f32 / substeps as f32;
        (0..substeps).map(move |substep| CollidePush { start: share(substep), end: share(substep + 1), collider_count })
    }

    struct PbdStepper {
        pbd: Pbd,
        batches: Vec<Range<u32>>,
        setup: Setup,
    }

    impl Stepper for PbdStepper {
        fn step(&mut self, colliders: &[Collider], steps: u32) {
            let parameters = self.setup.pbd_parameters();
            for _ in 0..steps {
                for push in pushes(&self.setup, colliders) {
                    self.pbd.predict(&parameters, 0.0);
                    for Range { start, end } in &self.batches {
                        let solve = SolvePush { first: *start, count: end - start, iteration: 0 };
                        self.pbd.solve(&parameters, &solve);
                    }
                    self.pbd.collide(&Colliders { list: colliders, samples: &self.setup.samples }, &push);
                    self.pbd.update_velocity(&parameters);
                }
            }
        }

        fn positions(&self) -> Vec<Vec4> {
            self.pbd.positions.clone()
        }

        fn velocities(&self) -> Vec<Vec4> {
            self.pbd.velocities.clone()
        }
    }

    struct MassSpringStepper {
        mass_spring: MassSpring,
        setup: Setup,
    }

    impl Stepper for MassSpringStepper {
        fn step(&mut self, colliders: &[Collider], steps: u32) {
            let parameters = self.setup.mass_spring_parameters();
            for _ in 0..steps {
                for push in pushes(&self.setup, colliders) {
                    let colliders = Colliders { list: colliders, samples: &self.setup.samples };
                    self.mass_spring.substep(&parameters, &colliders, &push);
                }
            }
        }

        fn positions(&self) -> Vec<Vec4> {
            self.mass_spring.positions.clone()
        }

        fn velocities(&self) -> Vec<Vec4> {
            self.mass_spring.velocities.clone()
        }
    }

    fn make_pbd(setup: &Setup) -> Box<dyn Stepper> {
        let (constraints, batches) = setup.constraints();
        let mut pbd = Pbd::new(&setup.positions, &constraints, &batches);
        pbd.velocities.clone_from(&setup.velocities);
        Box::new(PbdStepper { pbd, batches, setup: setup.clone() })
    }

    fn make_mass_spring(setup: &Setup) -> Box<dyn Stepper> {
        let mut mass_spring = MassSpring::new(&setup.positions);
        mass_spring.velocities.clone_from(&setup.velocities);
        Box::new(MassSpringStepper { mass_spring, setup: setup.clone() })
    }

    every_case!(make_pbd, make_mass_spring);
}

/// The fast solvers on the CPU.
mod cpu {
    use glam::Vec4;
    use tautline::cpu::{Colliders, MassSpring, Pbd};
    use tautline::layout::Collider;

    use super::cases::{Setup, Stepper};
    use super::twin::pushes;

    struct PbdStepper {
        pbd: Pbd,
        setup: Setup,
    }

    impl Stepper for PbdStepper {
        fn step(&mut self, colliders: &[Collider], steps: u32) {
            let parameters = self.setup.pbd_parameters();
            for _ in 0..steps {
                for push in pushes(&self.setup, colliders) {
                    self.pbd.predict(&parameters, 0.0);
                    self.pbd.solve(&parameters, 0);
                    self.pbd.collide(&Colliders { list: colliders, samples: &self.setup.samples }, &push);
                    self.pbd.update_velocity(&parameters);
                }
            }
        }

        fn positions(&self) -> Vec<Vec4> {
            self.pbd.positions.clone()
        }

        fn velocities(&self) -> Vec<Vec4> {
            self.pbd.velocities.clone()
        }
    }

    struct MassSpringStepper {
        mass_spring: MassSpring,
        setup: Setup,
    }

    impl Stepper for MassSpringStepper {
        fn step(&mut self, colliders: &[Collider], steps: u32) {
            let parameters = self.setup.mass_spring_parameters();
            for _ in 0..steps {
                for push in pushes(&self.setup, colliders) {
                    let colliders = Colliders { list: colliders, samples: &self.setup.samples };
                    self.mass_spring.substep(&parameters, &colliders, &push);
                }
            }
        }

        fn positions(&self) -> Vec<Vec4> {
            self.mass_spring.positions().to_vec()
        }

        fn velocities(&self) -> Vec<Vec4> {
            self.mass_spring.velocities().to_vec()
        }
    }

    fn make_pbd(setup: &Setup) -> Box<dyn Stepper> {
        let (constraints, batches) = setup.constraints();
        let mut pbd = Pbd::new(&setup.positions, &constraints, &batches);
        pbd.velocities.clone_from(&setup.velocities);
        Box::new(PbdStepper { pbd, setup: setup.clone() })
    }

    fn make_mass_spring(setup: &Setup) -> Box<dyn Stepper> {
        let mut mass_spring = MassSpring::new(&setup.positions);
        mass_spring.velocities_mut().copy_from_slice(&setup.velocities);
        Box::new(MassSpringStepper { mass_spring, setup: setup.clone() })
    }

    every_case!(make_pbd, make_mass_spring);
}

/// The kernels, on the device that the tests run on.
mod gpu {
    use glam::{Quat, Vec2, Vec4};
    use tautline::engine::{Device, Frames};
    use tautline::layout;
    use tautline::model::{Collider, Grid, HeightField, Path, Pose, Shape};
    use tautline::solver::{MassSpring, MassSpringSettings, Pbd, PbdSettings, Solver, Step, Surroundings};

    use super::cases::{Setup, Stepper};
    use super::common::Validated;

    /// Steps recorded into one submission.
    const STEPS_A_FRAME: u32 = 64;

    /// A solver that can be made anew from its own state, as the number of colliders changes.
    trait FromState: Solver + Sized {
        fn make(device: &Device, setup: &Setup, colliders: &[Collider]) -> Self;
        fn velocities(&self) -> Vec<Vec4>;
    }

    fn step_of(setup: &Setup) -> Step {
        let dt = setup.substep_dt * setup.substeps as f32;
        Step { dt, substeps: setup.substeps, iterations: 1, gravity: setup.gravity }
    }

    fn around(colliders: &[Collider]) -> Surroundings<'_> {
        Surroundings { colliders, ..Default::default() }
    }

    impl FromState for Pbd {
        fn make(device: &Device, setup: &Setup, colliders: &[Collider]) -> Self {
            let (constraints, batches) = setup.constraints();
            let (step, settings) = (step_of(setup), PbdSettings::default());
            let particles = &setup.positions;
            let solver =
                Self::with_constraints(device, particles, &constraints, &batches, step, settings, &around(colliders))
                    .unwrap();
            solver.velocities().write(&setup.velocities).unwrap();
            solver
        }

        fn velocities(&self) -> Vec<Vec4> {
            self.velocities().read().unwrap()
        }
    }

    impl FromState for MassSpring {
        fn make(device: &Device, setup: &Setup, colliders: &[Collider]) -> Self {
            let [columns, rows] = setup.grid_size.to_array().map(|size| size as u32);
            let grid = Grid { columns, rows, spacing: setup.spacing };
            let settings =
                MassSpringSettings { stiffness: setup.stiffness, damping: setup.damping, ..Default::default() };
            let mut solver =
                Self::new(device, grid, &setup.positions, step_of(setup), settings, &around(colliders)).unwrap();
            solver.write(&setup.positions, &setup.velocities).unwrap();
            solver
        }

        fn velocities(&self) -> Vec<Vec4> {
            self.velocities().read().unwrap()
        }
    }

    struct GpuStepper<S> {
        setup: Setup,
        solver: S,
        colliders: Vec<layout::Collider>,
        validated: Validated,
    }

    impl<S: FromState> Stepper for GpuStepper<S> {
        fn step(&mut self, colliders: &[layout::Collider], steps: u32) {
            if colliders != self.colliders {
                let step = f64::from(step_of(&self.setup).dt);
                let moving: Vec<_> = colliders.iter().map(|seen| during_a_step(seen, &self.setup, step)).collect();
                if colliders.len() == self.colliders.len() {
                    self.solver.colliders_mut().set(&moving);
                } else {
                    self.setup.positions = self.positions();
                    self.setup.velocities = self.velocities();
                    self.solver = S::make(&self.validated.device, &self.setup, &moving);
                }
                self.colliders = colliders.to_vec();
            }
            let mut frames = Frames::new(&self.validated.device, 2).unwrap();
            let mut left = steps;
            while left > 0 {
                let mut recorder = frames.begin().unwrap();
                for _ in 0..left.min(STEPS_A_FRAME) {
                    // Each step is the same to the colliders, so each starts at their time 0.
                    self.solver.record(&mut recorder, 0.0).unwrap();
                }
                recorder.submit().unwrap();
                left -= left.min(STEPS_A_FRAME);
            }
            frames.finish().unwrap();
        }

        fn positions(&self) -> Vec<Vec4> {
            self.solver.positions().unwrap()
        }

        fn velocities(&self) -> Vec<Vec4> {
            self.solver.velocities()
        }
    }

    /// The collider that the kernels see as `seen` in a step of `dt` from time 0 \[s\].
    fn during_a_step(seen: &layout::Collider, setup: &Setup, dt: f64) -> Collider {
        let size = seen.size;
        let shape = match seen.kind {
            0 => Shape::Sphere { radius: size.x },
            1 => Shape::Capsule { radii: [size.x, size.y], half_length: size.z },
            2 => Shape::Plane,
            3 => Shape::Box { half_sides: size.truncate() },
            5 => setup.solid.clone().unwrap(),
            _ => {
                let sides = 2.0 * Vec2::new(size.x, size.z);
                Shape::HeightField(HeightField::new(sides, seen.grid_size.x, setup.samples.clone()).unwrap())
            }
        };
        let pose =
            |position: Vec4, rotation| Pose { position: position.truncate(), rotation: Quat::from_vec4(rotation) };
        let start = pose(seen.start_position, seen.start_rotation);
        let end = pose(seen.end_position, seen.end_rotation);
        Collider { shape, friction: seen.friction, path: Path::through(vec![(0.0, start), (dt, end)]).unwrap() }
    }

    fn make<S: FromState + 'static>(setup: &Setup) -> Box<dyn Stepper> {
        let validated = Validated::open();
        let solver = S::make(&validated.device, setup, &[]);
        Box::new(GpuStepper { setup: setup.clone(), solver, colliders: Vec::new(), validated })
    }

    fn make_pbd(setup: &Setup) -> Box<dyn Stepper> {
        make::<Pbd>(setup)
    }

    fn make_mass_spring(setup: &Setup) -> Box<dyn Stepper> {
        make::<MassSpring>(setup)
    }

    every_case!(make_pbd, make_mass_spring);
}
