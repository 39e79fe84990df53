//! Ropes on every backend, and the kernel against its twin. The cases are in `common/ropes.rs` and
//! `common/rope_levels.rs`.

mod common;
#[path = "common/rope_levels.rs"]
mod levels;
#[path = "common/ropes.rs"]
mod ropes;

use common::{Random, Validated, load};
use glam::{Quat, Vec2, Vec3, Vec4};
use ropes::{Setup, Stepper};
use tautline::engine::Frames;
use tautline::layout;
use tautline::model::{
    Anchor, Body, Collider, Grip, HeightField, Hold, MOST_ROPE_PARTICLES, Path, Pose, RopeEnd, RopeStart, Ropes, Shape,
    collider_samples, colliders_during,
};
use tautline::reference;
use tautline::reference::collide::Colliders;
use tautline::scene::Scene;
use tautline::solver::{self, RopeDetail, RopeSettings, RopeSway, RopeVerlet, Solver};

/// One test per case, on the backend that `$make` starts.
macro_rules! every_case {
    ($make:ident: $($room:ident::$case:ident)*) => {
        $(
            #[test]
            fn $case() {
                super::$room::$case(&mut super::$make);
            }
        )*
    };
    ($make:ident) => {
        every_case!($make:
            ropes::small_pendulum_is_that_of_the_method
            ropes::order
            ropes::pendulum_periods
            ropes::hanging_chain_period
            ropes::catenary
            ropes::iterations_stiffen
            ropes::momentum
            ropes::spinning_pair
            ropes::rests_on_slope
            ropes::slides_on_slope
            ropes::rests_on_hillside
            ropes::slides_on_hillside
            ropes::what_starts_inside_is_not_thrown
            ropes::ball_does_not_tunnel
            ropes::anchors_keep_to_their_paths
            ropes::what_is_let_go_falls
            levels::every_level_keeps_the_length
            levels::changes_of_level_do_not_show
            levels::levels_go_by_distance_with_hysteresis
            levels::far_ropes_sway_and_follow_their_anchors
        );
    };
}

mod twin {
    every_case!(make_twin);
}

mod cpu {
    every_case!(make_fast);
}

mod gpu {
    every_case!(make_gpu);
}

/// Ropes on the CPU: the twin, or the fast solver.
enum Host {
    Twin(reference::rope::RopeVerlet),
    Fast(tautline::cpu::RopeVerlet),
}

struct HostStepper {
    host: Host,
    setup: Setup,
    sways: Vec<Option<RopeSway>>,
    rests: Vec<Vec3>,
    camera: Option<Vec3>,
    steps: u32,
}

impl Stepper for HostStepper {
    fn step(&mut self, steps: u32) {
        let Setup { ropes, step, settings, colliders, .. } = &self.setup;
        for _ in 0..steps {
            let start = f64::from(self.steps) * f64::from(step.dt);
            let end = start + f64::from(step.dt);
            let seen: Vec<_> = colliders_during(colliders, start, end).collect();
            let heights = collider_samples(colliders);
            let push = settings.push(self.camera, start, seen.len());
            let ropes = settings.ropes(ropes, &self.sways, start, end);
            let colliders = &Colliders { list: &seen, samples: &heights };
            let parameters = &settings.parameters(step);
            match &mut self.host {
                Host::Twin(twin) => twin.step(parameters, &ropes, &self.rests, colliders, &push),
                Host::Fast(fast) => fast.step(parameters, &ropes, &self.rests, colliders, &push),
            }
            self.steps += 1;
        }
    }

    fn positions(&self) -> Vec<Vec3> {
        match &self.host {
            Host::Twin(twin) => twin.positions.clone(),
            Host::Fast(fast) => fast.positions().to_vec(),
        }
    }

    fn levels(&self) -> Vec<u32> {
        match &self.host {
            Host::Twin(twin) => twin.levels.clone(),
            Host::Fast(fast) => fast.levels().to_vec(),
        }
    }

    fn set_camera(&mut self, position: Vec3) {
        self.camera = Some(position);
    }
}

fn host(host: Host, setup: &Setup) -> HostStepper {
    let (sways, rests) = setup.settings.baked(&setup.ropes, &setup.step);
    let rests = rests.iter().map(|rest| rest.truncate()).collect();
    HostStepper { host, setup: setup.clone(), sways, rests, camera: None, steps: 0 }
}

fn start(ropes: &Ropes) -> Vec<Vec3> {
    ropes.positions().iter().map(|position| position.truncate()).collect()
}

fn twin(setup: &Setup) -> HostStepper {
    let twin = reference::rope::RopeVerlet::new(&start(&setup.ropes), setup.ropes.ropes().len());
    host(Host::Twin(reference::rope::RopeVerlet { previous: setup.previous.clone(), ..twin }), setup)
}

fn fast(setup: &Setup) -> HostStepper {
    let fast = tautline::cpu::RopeVerlet::new(&setup.previous, &start(&setup.ropes), setup.ropes.ropes().len());
    host(Host::Fast(fast), setup)
}

fn make_twin(setup: &Setup) -> Box<dyn Stepper> {
    Box::new(twin(setup))
}

fn make_fast(setup: &Setup) -> Box<dyn Stepper> {
    Box::new(fast(setup))
}

/// Steps recorded into one submission.
const STEPS_A_FRAME: u32 = 64;

struct GpuStepper {
    solver: RopeVerlet,
    dt: f64,
    steps: u32,
    frames: Frames,
    _validated: Validated,
}

impl Stepper for GpuStepper {
    fn step(&mut self, steps: u32) {
        let end = self.steps + steps;
        while self.steps < end {
            let mut recorder = self.frames.begin().unwrap();
            for _ in 0..(end - self.steps).min(STEPS_A_FRAME) {
                self.solver.record(&mut recorder, f64::from(self.steps) * self.dt).unwrap();
                self.steps += 1;
            }
            recorder.submit().unwrap();
        }
        self.frames.finish().unwrap();
    }

    fn positions(&self) -> Vec<Vec3> {
        self.solver.positions().unwrap().iter().map(|position| position.truncate()).collect()
    }

    fn levels(&self) -> Vec<u32> {
        self.solver.levels().unwrap()
    }

    fn set_camera(&mut self, position: Vec3) {
        self.solver.set_camera(position);
    }
}

fn make_gpu(setup: &Setup) -> Box<dyn Stepper> {
    let validated = Validated::open();
    let Setup { ropes, previous, step, settings, colliders } = setup;
    let mut solver = RopeVerlet::new(&validated.device, ropes, colliders, *step, *settings).unwrap();
    solver.write(previous, &start(ropes)).unwrap();
    let frames = Frames::new(&validated.device, 2).unwrap();
    Box::new(GpuStepper { solver, dt: f64::from(step.dt), steps: 0, frames, _validated: validated })
}

/// Particles of each rope: the fewest and the most, even and odd, and on either side of a workgroup's size.
const COUNTS: [usize; 9] = [2, 3, 5, 17, 63, 64, 65, 129, 256];

/// As many that even the smallest subgroups keep some of them in registers, and those of 8 all of them.
const SHORT_COUNTS: [usize; 9] = [2, 3, 5, 7, 15, 16, 9, 4, 13];

/// Ropes with so many particles at random places, with every kind of anchors and colliders.
fn random(random: &mut Random, counts: &[usize]) -> Setup {
    let vector = |random: &mut Random| Vec3::new(random.signed(), random.signed(), random.signed());
    let starts: Vec<_> = counts
        .iter()
        .map(|&count| {
            let mut place = vector(random);
            let link = Vec3::new(0.8, -0.6, 0.0);
            let length = 1.0 + 0.25 * random.signed();
            let step = length / (count - 1) as f32;
            let positions = (0..count).map(|_| {
                place += step * (link + 0.3 * vector(random));
                place
            });
            RopeStart { positions: positions.collect(), length }
        })
        .collect();
    let anchors = (0..counts.len()).flat_map(|rope| {
        let ends = [vec![], vec![RopeEnd::First], vec![RopeEnd::Last], vec![RopeEnd::First, RopeEnd::Last]];
        ends[rope % 4].clone().into_iter().map(move |end| (rope, end))
    });
    let anchors = anchors.map(|(rope, end)| {
        let positions = &starts[rope].positions;
        let position = if end == RopeEnd::First { positions[0] } else { positions[positions.len() - 1] };
        let pose = |position| Pose { position, rotation: Quat::IDENTITY };
        // Those that two ends hold are short enough for both.
        let path = vec![(0.0, pose(0.8 * position)), (0.1, pose(0.8 * position + 0.02 * vector(random)))];
        // In the second step, some let go.
        let release = (rope % 8 == 7).then_some(1.5 / 240.0);
        Anchor { rope, end, hold: Hold { path: Path::through(path).unwrap(), release } }
    });
    let anchors = anchors.collect();
    let ropes = Ropes::new(&starts, anchors).unwrap();
    let shapes = [
        Shape::Sphere { radius: 0.3 },
        Shape::Capsule { radii: [0.2, 0.1], half_length: 0.3 },
        Shape::Plane,
        Shape::Box { half_sides: Vec3::new(0.3, 0.2, 0.1) },
    ];
    let colliders = shapes.map(|shape| {
        let mut pose = || Pose {
            position: if shape == Shape::Plane { Vec3::NEG_Y } else { vector(random) },
            rotation: Quat::from_axis_angle(vector(random).normalize(), 0.3),
        };
        let path = Path::through(vec![(0.0, pose()), (1.0, pose())]).unwrap();
        Collider { shape, friction: 0.3, path }
    });
    let mut setup = Setup::one(vec![Vec3::ZERO, Vec3::X], 1.0, vec![], 1.0 / 240.0, 4);
    setup.previous =
        ropes.positions().iter().map(|position| position.truncate() - 0.002 * vector(random) * position.w).collect();
    setup.ropes = ropes;
    setup.step.substeps = 3;
    setup.settings.velocity_loss = 0.01;
    setup.settings.external_acceleration = Vec3::new(1.0, 0.5, -2.0);
    setup.colliders = colliders.to_vec();
    setup
}

/// A step has 3 substeps of 8 batches of links at most: 24 projections in a row, each of which rounds and contracts as
/// one call of another kernel does, 1e-5 of magnitudes up to 4.
const TOLERANCE: f32 = 24.0 * 1e-5;

const DETAIL: RopeDetail =
    RopeDetail { distances: [10.0, 20.0, 30.0], hysteresis: 0.1, blend_time: 0.1, sway_angle: 0.3 };

#[test]
fn the_kernel_steps_as_its_twin_does() {
    for counts in [COUNTS, SHORT_COUNTS] {
        let mut setup = random(&mut Random(7), &counts);
        steps_as_its_twin(&setup, 0.0);
        setup.settings.detail = Some(DETAIL);
        for distance in [0.0, 15.0, 25.0, 50.0] {
            steps_as_its_twin(&setup, distance);
        }
    }
}

fn steps_as_its_twin(setup: &Setup, distance: f32) {
    let mut steppers = [make_twin(setup), make_gpu(setup)];
    for step in 0..2 {
        for stepper in &mut steppers {
            stepper.set_camera(Vec3::X * distance);
            stepper.step(1);
        }
        let [twin, gpu] = steppers.each_ref().map(|stepper| (stepper.positions(), stepper.levels()));
        assert_eq!(twin.1, gpu.1, "{distance} m");
        for (index, (twin, gpu)) in twin.0.iter().zip(&gpu.0).enumerate() {
            let apart = (*twin - *gpu).abs().max_element();
            assert!(apart <= TOLERANCE, "{distance} m, step {step}, particle {index}: {gpu} on the GPU, {twin}");
        }
    }
}

/// A device that can keep ropes in the registers of subgroups ends in the bits of shared memory, however long they are, where
/// they lie, at which level, and whatever hands do. Levels that go up and down need both ways in one dispatch.
#[test]
fn registers_and_shared_memory_end_in_the_same_bits() {
    let validated = Validated::open();
    let Some(size) = validated.device.subgroup_size() else {
        println!("{} keeps ropes in shared memory only", validated.device.info().name);
        return;
    };
    let longest = 2 * size as usize;
    // All planes start at a pair of particles, or none but the first; and some ropes are too long.
    let paired = [2, 3, longest - 1, longest, 8];
    let unpaired = [2, 3, 5, longest - 1, longest];
    let mixed = [2, 3, longest - 1, MOST_ROPE_PARTICLES.min(longest + 1), longest, MOST_ROPE_PARTICLES];
    for (counts, seed) in [(&paired[..], 9), (&unpaired, 10), (&mixed, 11)] {
        let mut setup = random(&mut Random(seed), counts);
        for detail in [None, Some(DETAIL)] {
            setup.settings.detail = detail;
            ends_in_the_same_bits(&validated, &setup);
        }
        setup.colliders.clear();
        ends_in_the_same_bits(&validated, &setup);
    }
}

fn ends_in_the_same_bits(validated: &Validated, setup: &Setup) {
    let Setup { ropes, previous, step, settings, colliders } = setup;
    let particles = |rope: usize| ropes.ropes()[rope].particles.clone();
    let start = start(ropes);
    let run = |path: solver::Path| {
        let settings = RopeSettings { path, ..*settings };
        let mut solver = RopeVerlet::new(&validated.device, ropes, colliders, *step, settings).unwrap();
        solver.write(previous, &start).unwrap();
        let mut ends = Vec::new();
        for (number, distance) in [0.0, 0.0, 15.0, 25.0, 50.0, 50.0, 25.0, 15.0, 0.0, 0.0].into_iter().enumerate() {
            let hand = start[0] + Vec3::new(0.3, 0.2, -0.1);
            match number {
                1 => solver.set_grip(Some(Grip::soft(&Body::Ropes(ropes.clone()), particles(3).start + 3, hand))),
                3 => solver.set_inverse_mass(particles(3).start + 4, 0.0),
                // The rope is held at both ends, one of which is let go of.
                5 => solver.set_inverse_mass(particles(3).start, 1.0),
                6 => solver.set_grip(Some(Grip::soft(&Body::Ropes(ropes.clone()), particles(4).end - 1, hand))),
                7 => solver.set_inverse_mass(particles(1).start + 1, 0.0),
                8 => solver.set_grip(None),
                _ => {}
            }
            solver.set_camera(Vec3::X * distance);
            let time = number as f64 * f64::from(step.dt);
            Frames::run_once(&validated.device, |recorder| solver.record(recorder, time)).unwrap();
            ends.push((solver.positions().unwrap(), solver.levels().unwrap()));
        }
        (solver.passes(), ends)
    };
    let ((pass, expected), (other_pass, ends)) = (run(solver::Path::Plain), run(solver::Path::Fused));
    assert_eq!((&*pass[0].0, &*other_pass[0].0), ("rope/step", "rope/step_subgroup"));
    for (number, ((expected, levels), (positions, other_levels))) in expected.iter().zip(&ends).enumerate() {
        assert_eq!(levels, other_levels, "step {number}");
        for (index, (expected, position)) in expected.iter().zip(positions).enumerate() {
            let [expected, found] = [expected, position].map(|position| position.to_array().map(f32::to_bits));
            assert_eq!(expected, found, "{settings:?}: step {number}, particle {index} of {}", start.len());
        }
    }
    assert_eq!(expected[4].1.contains(&3), settings.detail.is_some(), "{:?}", expected[4].1);
}

#[test]
fn the_fast_solver_on_the_cpu_ends_in_the_bits_of_the_twin() {
    let mut setup = random(&mut Random(8), &COUNTS);
    setup.settings.detail = Some(DETAIL);
    let hills = (0..30).map(|index| 0.1 * (index as f32).sin()).collect();
    let shape = Shape::HeightField(HeightField::new(Vec2::new(3.0, 2.0), 6, hills).unwrap());
    let path = Path::resting(Pose { position: Vec3::NEG_Y * 0.4, rotation: Quat::from_rotation_x(0.1) });
    setup.colliders.push(Collider { shape, friction: 0.4, path });
    for threads in [1, 2, 5] {
        let (mut twin, mut fast) = (twin(&setup), fast(&setup));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // To the levels 1 to 3 and back, with some steps at each.
        for (step, distance) in [0.0, 15.0, 25.0, 50.0, 25.0, 15.0, 0.0].into_iter().enumerate() {
            for stepper in [&mut twin, &mut fast] {
                stepper.set_camera(Vec3::X * distance);
            }
            twin.step(3);
            pool.install(|| fast.step(3));
            assert_eq!(fast.levels(), twin.levels(), "at {distance} m");
            let bits = |stepper: &HostStepper| {
                stepper.positions().iter().map(|at| at.to_array().map(f32::to_bits)).collect::<Vec<_>>()
            };
            assert!(bits(&fast) == bits(&twin), "other bits on {threads} threads, after {} steps", 3 * (step + 1));
        }
    }
}

/// 500 ropes with levels of detail and colliders: one dispatch a step, and the same bits in both runs.
#[test]
fn the_preset_is_one_dispatch_and_two_runs_are_equal() {
    let validated = Validated::open();
    let scene = Scene::load("ropes", &[]).unwrap();
    let run = || {
        let mut simulation = scene.simulation(&validated.device).unwrap();
        // Levels of detail need shared memory.
        assert_eq!(simulation.passes(), [("rope/step".to_string(), 1)]);
        assert_eq!(simulation.body().positions().len(), 500 * 64);
        let mut frames = Frames::new(&validated.device, 2).unwrap();
        for step in 0..6 {
            simulation.set_camera(Vec3::new(0.0, 1.0, 6.0 + 2.0 * step as f32));
            let mut recorder = frames.begin().unwrap();
            simulation.record(&mut recorder).unwrap();
            recorder.submit().unwrap();
        }
        frames.finish().unwrap();
        simulation.positions().unwrap()
    };
    let [first, second]: [Vec<Vec4>; 2] = [run(), run()];
    assert!(first.iter().all(|position| position.is_finite()));
    assert!(bytemuck::cast_slice::<_, u8>(&first) == bytemuck::cast_slice::<_, u8>(&second), "other bits");
}

/// More ropes than one command can update: their anchors still move.
#[test]
fn a_thousand_ropes_follow_their_anchors() {
    let settings = [
        ("rope_count", "1001"),
        ("rope_particles", "3"),
        ("rope_motion", "[[0, 0, 0, 0], [1, 1, 2, 3]]"),
        ("collider", "[]"),
    ];
    let scene = load("ropes", &settings);
    assert!(1001 * size_of::<layout::Rope>() > 65_536);
    let validated = Validated::open();
    let mut simulation = scene.simulation(&validated.device).unwrap();
    let mut frames = Frames::new(&validated.device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    (0..30).for_each(|_| simulation.record(&mut recorder).unwrap());
    recorder.submit().unwrap();
    let positions = simulation.positions().unwrap();
    let ropes = scene.ropes().unwrap();
    for rope in ropes.ropes() {
        let [first, last] = rope.held_at(simulation.time()).map(Option::unwrap);
        assert_eq!(positions[rope.particles.start as usize].truncate(), first);
        assert_eq!(positions[rope.particles.end as usize - 1].truncate(), last);
    }
    simulation.reset().unwrap();
    let start = simulation.positions().unwrap();
    assert!(start.iter().zip(ropes.positions()).all(|(a, b)| a.truncate() == b.truncate()), "it does not start again");
}
