//! What is held by what jumps: it keeps its shape and its motion, with every solver on both backends.

mod common;

use std::f32::consts::FRAC_PI_2;

use common::{Random, Validated, bits, run, start};
use glam::{Quat, Vec2, Vec3, Vec4};
use tautline::engine::{Buffer, Device, Frames, Image, ImageKind, Kernel, Resource};
use tautline::layout::{self, TeleportPush};
use tautline::model::{Carried, Drag, Jump};
use tautline::scene::Scene;
use tautline::shaders;
use tautline::solver::{Backup, Simulation, State};

/// A cloth that hangs beside a ball, a character's, which carries it.
const CLOTH: &str = "
    pins = \"none\"
    columns = 13
    rows = 10
    dt = 0.015625
    substeps = 4

    [[pin]]
    row = 0
    collider = 1
";
const SOLVERS: [&str; 8] = [
    "solver = \"xpbd\"",
    "solver = \"xpbd\"\npath = \"plain\"\nconstraint_solver = \"jacobi\"",
    "solver = \"xpbd\"\npath = \"fused\"",
    "solver = \"pbd\"\nbending = true\nbending_form = \"dihedral\"",
    "solver = \"mass-spring\"\nparticle_mass = 0.004",
    "solver = \"verlet\"\nparticle_mass = 0.004",
    "solver = \"verlet\"\nparticle_mass = 0.004\nstorage = \"buffers\"",
    "solver = \"rope\"\nrope_count = 3\nrope_particles = 12\nrope_held = \"first\"\nrope_span = 0.0\ndt = 0.015625",
];

/// A quarter turn about the vertical, by which gravity stays, and a way after which coordinates are as large as before.
fn jump() -> Jump {
    Jump { from: Vec3::ZERO, to: Vec3::new(0.5, 0.25, -0.5), rotation: Quat::from_rotation_y(FRAC_PI_2) }
}

/// Where the ball starts \[m\]: behind the cloth, below what is pinned.
const BALL: Vec3 = Vec3::new(0.0, -0.1, -0.125);

/// Time \[s\], position \[m\] and angle about y \[degrees\].
type Key = (f64, Vec3, f32);

/// A scene of a solver in which what holds the body has these keyframes.
fn scene(solver: &str, keys: &[Key]) -> Scene {
    let is_rope = solver.contains("rope");
    let keyframe = |&(time, position, angle): &Key| {
        // Ropes know how far their ends are from where they start.
        let Vec3 { x, y, z } = if is_rope { position - BALL } else { position };
        let turn = if is_rope { String::new() } else { format!(", 0, 1, 0, {angle}") };
        format!("[{time}, {x}, {y}, {z}{turn}]")
    };
    let keys = keys.iter().map(keyframe).collect::<Vec<_>>().join(", ");
    let text = match is_rope {
        true => format!("{solver}\nrope_motion = [{keys}]"),
        false => format!("{solver}{CLOTH}\n[[collider]]\nshape = \"sphere\"\nradius = 0.1\npath = [{keys}]"),
    };
    scene_of(&text)
}

fn scene_of(text: &str) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    Scene::load(&path, &[]).unwrap()
}

/// The jump as a scene of this solver can have it: ropes hang on ends that do not turn.
fn jump_of(solver: &str) -> Jump {
    if solver.contains("rope") { Jump { rotation: Quat::IDENTITY, ..jump() } } else { jump() }
}

/// A keyframe after a jump.
fn after(jump: Jump, (time, position, angle): Key) -> Key {
    let turn = 2.0 * jump.rotation.y.atan2(jump.rotation.w);
    (time, jump.point(position), angle + turn.to_degrees())
}

/// Before, between and after: a way of half a metre and a sixth of a turn in half a second.
fn way() -> [Key; 3] {
    let ways = [Vec3::ZERO, Vec3::new(0.25, 0.0, 0.125), Vec3::new(0.25, 0.25, 0.375)];
    [(0.0, BALL + ways[0], 0.0), (0.25, BALL + ways[1], 30.0), (0.5, BALL + ways[2], 60.0)]
}

fn ended(device: &Device, scene: &Scene, on_cpu: bool, steps: u32) -> (Simulation, State) {
    let mut simulation = start(device, scene, on_cpu);
    run(device, &mut simulation, steps);
    let state = simulation.state().unwrap();
    (simulation, state)
}

/// How far the particles of `found` are from where `jump` carries those of `expected` \[m\], and their velocities \[m/s\].
fn distances(found: &State, expected: &State, jump: Jump) -> Vec2 {
    let greatest = |pairs: Vec<f32>| pairs.into_iter().fold(0.0, f32::max);
    let places = found.positions.iter().zip(&expected.positions);
    let velocities = found.velocities.iter().zip(&expected.velocities);
    Vec2::new(
        greatest(places.map(|(found, expected)| found.distance(jump.point(*expected))).collect()),
        greatest(velocities.map(|(found, expected)| found.distance(jump.vector(*expected))).collect()),
    )
}

/// Of what `simulation` moves.
fn greatest_strain(simulation: &Simulation) -> f64 {
    simulation.strain(&simulation.positions().unwrap()).unwrap().max
}

#[test]
fn what_jumps_keeps_its_shape_and_its_motion() {
    let validated = Validated::open();
    for solver in SOLVERS {
        let jump = jump_of(solver);
        let [begun, between, end] = way();
        let straight = scene(solver, &[begun, between, end]);
        let jumping = scene(solver, &[begun, between, after(jump, between), after(jump, end)]);
        for on_cpu in [false, true] {
            let told = format!("{solver}, on the CPU: {on_cpu}");
            // The jump is at the end of step 16, so it is made before that.
            for steps in [15, 16, 17, 32] {
                let [(expected, state), (found, jumped)] =
                    [&straight, &jumping].map(|scene| ended(&validated.device, scene, on_cpu, steps));
                let by = if steps < 16 { Jump::default() } else { jump };
                let Vec2 { x: place, y: velocity } = distances(&jumped, &state, by);
                // Coordinates below 8 m are rounded to 4.8e-7 m, and Verlet's velocity is the difference of two of them in
                // 1/256 s, which is off by 1.7e-4 m/s in each direction; what follows is the sum of that over the steps.
                // Coordinates below 1 m are rounded to 6e-8 m some ten times a substep, of which there are up to 64 in these
                // two steps, and a velocity is the difference of two of them over up to 1/1024 s. Contacts and friction
                // make more of that later on: a hundred times as much in 16 steps.
                let most = if steps <= 17 { Vec2::new(1e-5, 1e-3) } else { Vec2::new(1e-3, 2e-2) };
                assert!(place < most.x, "{told}: {place} m off after {steps} steps");
                assert!(velocity < most.y, "{told}: {velocity} m/s off after {steps} steps");
                let strains = [&expected, &found].map(greatest_strain);
                let most = if steps <= 17 { 2e-5 } else { 1e-3 };
                assert!((strains[0] - strains[1]).abs() < most, "{told}: strains of {strains:?} after {steps} steps");
            }
        }
    }
}

/// Where the body is after so many steps, in which what holds it has these keyframes.
fn places(device: &Device, solver: &str, keys: &[Key], on_cpu: bool, steps: u32) -> Vec<Vec3> {
    ended(device, &scene(solver, keys), on_cpu, steps).1.positions
}

/// Neither the rest nor a way of its own is left of what a body does before it jumps in its first step.
#[test]
fn a_jump_may_be_in_the_first_step() {
    let validated = Validated::open();
    for solver in SOLVERS {
        let jump = jump_of(solver);
        let begun = (0.0, BALL, 0.0);
        for on_cpu in [false, true] {
            let [straight, jumping] = [vec![begun], vec![begun, after(jump, begun)]]
                .map(|keys| ended(&validated.device, &scene(solver, &keys), on_cpu, 2).1);
            let Vec2 { x: place, y: velocity } = distances(&jumping, &straight, jump);
            assert!(place < 1e-5 && velocity < 1e-3, "{solver}, on the CPU: {on_cpu}, {place} m, {velocity} m/s off");
        }
    }
}

#[test]
fn jumps_in_one_step_are_one_jump_at_its_start() {
    let validated = Validated::open();
    let [begun, there, further] = [BALL, BALL + 0.25 * Vec3::X, BALL + Vec3::new(-0.5, 0.25, 0.0)];
    let key = |time, place: Vec3| (time, place, 0.0);
    // Within step 8, which ends at 9/64 s.
    let [early, middle, late] = [0.126, 0.13, 9.0 / 64.0];
    for solver in SOLVERS {
        for on_cpu in [false, true] {
            let places = |keys: &[Key]| places(&validated.device, solver, keys, on_cpu, 12);
            let one = places(&[key(late, begun), key(late, further)]);
            assert!(one == places(&[key(early, begun), key(early, further)]), "{solver}, on the CPU: {on_cpu}");
            // Its rounding differs.
            let keys = [key(early, begun), key(early, there), key(middle, there), key(middle, further)];
            let two = places(&keys);
            let greatest = one.iter().zip(&two).map(|(one, two)| one.distance(*two)).fold(0.0, f32::max);
            assert!(greatest < 1e-4, "{solver}, on the CPU: {on_cpu}, {greatest} m");
        }
    }
}

/// For those who look at what is before a step.
#[test]
fn jumps_may_be_recorded_before_their_step() {
    let validated = Validated::open();
    let device = &validated.device;
    let begun = (9.0 / 64.0, BALL, 0.0);
    for solver in SOLVERS {
        let scene = scene(solver, &[begun, after(jump_of(solver), begun)]);
        for on_cpu in [false, true] {
            let told = format!("{solver}, on the CPU: {on_cpu}");
            let (mut simulation, before) = ended(device, &scene, on_cpu, 8);
            Frames::run_once(device, |recorder| simulation.record_jumps(recorder)).unwrap();
            let between = simulation.state().unwrap();
            let Vec2 { x: place, y: velocity } = distances(&between, &before, jump_of(solver));
            assert!(place < 1e-6 && velocity < 1e-3, "{told}: {place} m, {velocity} m/s off");
            run(device, &mut simulation, 1);
            assert!(simulation.state().unwrap() == ended(device, &scene, on_cpu, 9).1, "{told}");
        }
        let (mut early, mut late) = (scene.cpu_simulation().unwrap(), scene.cpu_simulation().unwrap());
        for _ in 0..9 {
            early.jump();
            early.advance();
            late.advance();
        }
        assert!(early.state() == late.state(), "{solver}");
    }
}

/// A ball that goes from one side of a sheet to the other, in a step or in no time.
#[test]
fn what_jumps_touches_nothing_on_the_way() {
    let validated = Validated::open();
    let ball = |path: &str| {
        let text =
            "columns = 13\nrows = 10\ndt = 0.015625\nsubsteps = 4\n[[collider]]\nshape = \"sphere\"\nradius = 0.05";
        scene_of(&format!("{text}\npath = [{path}]"))
    };
    let [rest, swept, jumping] = [
        "[0, 0, -0.1, -0.3]",
        "[0.0625, 0, -0.1, -0.3], [0.078125, 0, -0.1, 0.3]",
        "[0.078125, 0, -0.1, -0.3], [0.078125, 0, -0.1, 0.3]",
    ]
    .map(ball);
    for on_cpu in [false, true] {
        let [rest, swept, jumping] =
            [&rest, &swept, &jumping].map(|scene| ended(&validated.device, scene, on_cpu, 8).1.positions);
        assert!(rest == jumping, "on the CPU: {on_cpu}");
        let way = |at: &[Vec3]| rest.iter().zip(at).map(|(rest, at)| rest.distance(*at)).fold(0.0, f32::max);
        assert!(way(&swept) > 0.01, "the sheet is in the way: {} m", way(&swept));
    }
}

/// As [`way`], which it does not leave, but a whole body is put elsewhere while it hangs there and moves.
#[test]
fn a_body_is_put_elsewhere_with_what_holds_it() {
    let validated = Validated::open();
    let device = &validated.device;
    for solver in SOLVERS {
        // Its path jumps by itself later on. Ropes are turned as well; colliders would stay.
        let ([begun, between, end], own) = (way(), jump_of(solver));
        let scene = unheld(scene(solver, &[begun, between, after(own, between), after(own, end)]));
        let (scene, jump) = (Scene { collider: Vec::new(), ..scene }, jump());
        for on_cpu in [false, true] {
            let told = format!("{solver}, on the CPU: {on_cpu}");
            let (mut straight, mut put) = (start(device, &scene, on_cpu), start(device, &scene, on_cpu));
            for simulation in [&mut straight, &mut put] {
                run(device, simulation, 9);
            }
            let halves = Quat::from_rotation_y(FRAC_PI_2 / 2.0);
            for _ in 0..2 {
                // Two halves of the turn, and the way of the second after it.
                Frames::run_once(device, |recorder| put.record_teleport(recorder, halves, Vec3::ZERO)).unwrap();
            }
            Frames::run_once(device, |recorder| put.record_teleport(recorder, Quat::IDENTITY, jump.to)).unwrap();
            let close = |put: &Simulation, straight: &Simulation, when: &str, most: Vec2| {
                let [put, straight] = [put, straight].map(|simulation| simulation.state().unwrap());
                let Vec2 { x: place, y: velocity } = distances(&put, &straight, jump);
                assert!(place < most.x && velocity < most.y, "{told}, {when}: {place} m, {velocity} m/s off");
            };
            close(&put, &straight, "at once", Vec2::new(1e-6, 1e-3));
            for simulation in [&mut straight, &mut put] {
                run(device, simulation, 9);
            }
            close(&put, &straight, "after 9 steps", Vec2::new(1e-3, 2e-2));
            // Its state goes on as it does, and what is reset is where it started.
            let mut changed = start(device, &scene, on_cpu);
            changed.go_on_from(&put.state().unwrap()).unwrap();
            for simulation in [&mut put, &mut changed] {
                run(device, simulation, 2);
            }
            assert!(put.state().unwrap() == changed.state().unwrap(), "{told}");
            put.reset().unwrap();
            run(device, &mut put, 18);
            assert!(put.positions().unwrap() == straight.positions().unwrap(), "{told}");
        }
    }
}

/// The same scene whose pins go along the collider's path by themselves.
fn unheld(mut scene: Scene) -> Scene {
    for pin in &mut scene.pin {
        let number = pin.collider.take().expect("it is held by one");
        pin.path = scene.collider[number - 1].path.clone();
    }
    scene
}

#[test]
fn states_and_copies_know_of_jumps() {
    let validated = Validated::open();
    let device = &validated.device;
    for solver in SOLVERS {
        let jump = jump_of(solver);
        let [begun, between, end] = way();
        let scene = scene(solver, &[begun, between, after(jump, between), after(jump, end)]);
        for on_cpu in [false, true] {
            let told = format!("{solver}, on the CPU: {on_cpu}");
            // From before the jump and from after it.
            let (mut straight, _) = ended(device, &scene, on_cpu, 20);
            for steps in [15, 16] {
                let (_, state) = ended(device, &scene, on_cpu, steps);
                let mut changed = start(device, &scene, on_cpu);
                changed.go_on_from(&state).unwrap();
                run(device, &mut changed, 20 - steps);
                assert!(changed.positions().unwrap() == straight.positions().unwrap(), "{told}, from step {steps}");
            }
            // A copy that is made around the jump has velocities of the way without it: half a metre in half a second, and
            // what swings.
            straight.reset().unwrap();
            run(device, &mut straight, 15);
            let mut backup = Backup::new(device, &straight, None).unwrap();
            Frames::run_once(device, |recorder| backup.record(recorder, &mut straight)).unwrap();
            backup.submitted();
            let copied = backup.state().expect("a copy").clone();
            let greatest = copied.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
            assert!(greatest < 10.0, "{told}: {greatest} m/s, and the jump is one of 0.75 m in 1/64 s");
            assert_eq!(copied.positions, straight.state().unwrap().positions, "{told}");
        }
    }
}

/// What hands hold stays where they hold it, and a collider stays as far off its path.
#[test]
fn hands_keep_what_they_hold() {
    let validated = Validated::open();
    let jump = jump();
    let key = (0.125, BALL, 0.0);
    let scene = scene(SOLVERS[0], &[key, after(jump, key)]);
    for on_cpu in [false, true] {
        let mut simulation = start(&validated.device, &scene, on_cpu);
        run(&validated.device, &mut simulation, 4);
        let held = simulation.positions().unwrap()[100];
        simulation.set_pinned(100, true);
        simulation.drag(Some(Drag { collider: 0, offset: -0.125 * Vec3::Z, speed: 100.0 }));
        run(&validated.device, &mut simulation, 4);
        let positions = simulation.positions().unwrap();
        assert_eq!(positions[100].truncate(), held.truncate(), "on the CPU: {on_cpu}");
        assert!(positions[0].distance(held) > 0.3, "on the CPU: {on_cpu}: the rest is elsewhere");
        let places: Vec<layout::Collider> = simulation.colliders().buffer().read().unwrap();
        let expected = jump.point(BALL) - 0.125 * Vec3::Z;
        assert!(places[0].end_position.truncate().distance(expected) < 1e-6, "on the CPU: {on_cpu}");
    }
}

/// Each kernel against [`Jump`] on random input, with a count that is no multiple of a workgroup.
#[test]
fn kernels_carry_as_the_model_does() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut random = Random(7);
    let mut vectors = |w: f32| -> Vec<Vec4> {
        (0..143).map(|_| Vec4::new(random.signed(), random.signed(), random.signed(), w)).collect()
    };
    let [points, others] = [vectors(0.25), vectors(0.0)];
    let rotation = Quat::from_xyzw(0.1, -0.7, 0.3, 0.5).normalize();
    let jumps = [jump(), Jump { from: Vec3::new(0.1, 0.2, 0.3), to: Vec3::new(-2.0, 1.0, 0.5), rotation }];
    let jump_of: Vec<u32> = (0..143).map(|index| [0, 1, Carried::STAYS][index as usize % 3]).collect();
    let seen = jumps.map(|Jump { from, to, rotation }| layout::Jump {
        from: from.extend(0.0),
        to: to.extend(0.0),
        rotation: rotation.into(),
    });
    let lists = [
        Buffer::from_slice(device, "teleport.jump_of", &jump_of).unwrap(),
        Buffer::from_slice(device, "teleport.jumps", bytemuck::cast_slice::<_, Vec4>(&seen)).unwrap(),
    ];
    let carry = |code, places: [(&'static str, Resource<'_>); 2], count: usize| {
        let lists = [("JumpOf", (&lists[0]).into()), ("Jumps", (&lists[1]).into())];
        let bindings = Kernel::new(device, code).unwrap().bind(&[&places[..count], &lists].concat()).unwrap();
        let push = TeleportPush { particle_count: 143 };
        Frames::run_once(device, |recorder| recorder.dispatch_each(&bindings, &push, 143)).unwrap();
    };
    let expect = |of: &[Vec4], carried: fn(&Jump, Vec3) -> Vec3| -> Vec<Vec4> {
        let jump = |index: usize| jumps.get(jump_of[index] as usize);
        let expected = |(index, from): (usize, &Vec4)| {
            jump(index).map_or(*from, |jump| carried(jump, from.truncate()).extend(from.w))
        };
        of.iter().enumerate().map(expected).collect()
    };
    let close = |what: &str, found: &[Vec4], expected: &[Vec4]| {
        let greatest =
            found.iter().zip(expected).map(|(found, expected)| found.distance(*expected)).fold(0.0, f32::max);
        assert!(found.len() == expected.len() && greatest < 1e-6, "{what}: {greatest} off");
    };
    let (moved, moved_others) = (expect(&points, Jump::point), expect(&others, Jump::point));

    let buffers = || [&points, &others].map(|of| Buffer::from_slice(device, "cloth.positions", of).unwrap());
    let [positions, velocities] = buffers();
    let places = [("Positions", (&positions).into()), ("Velocities", (&velocities).into())];
    carry(&shaders::TELEPORT_CARRY, places, 2);
    close("positions", &positions.read::<Vec4>().unwrap(), &moved);
    close("velocities", &velocities.read::<Vec4>().unwrap(), &expect(&others, Jump::vector));

    let [positions, previous] = buffers();
    let places = [("Positions", (&positions).into()), ("PreviousPositions", (&previous).into())];
    carry(&shaders::TELEPORT_CARRY_PREVIOUS, places, 2);
    close("positions", &positions.read::<Vec4>().unwrap(), &moved);
    close("previous positions", &previous.read::<Vec4>().unwrap(), &moved_others);

    let [current, previous] = [&points, &others].map(|of| {
        let image = Image::new(device, "cloth.positions", ImageKind::Storage, [13, 11]).unwrap();
        image.write(of).unwrap();
        image
    });
    carry(&shaders::TELEPORT_CARRY_IMAGE, [("u_CurrPos", (&current).into()), ("u_PrevPos", (&previous).into())], 2);
    // In the same bits as on buffers.
    assert_eq!(bits(&current.read::<Vec4>().unwrap()), bits(&positions.read::<Vec4>().unwrap()));
    close("the image before", &previous.read::<Vec4>().unwrap(), &moved_others);

    let plane = |of: &[Vec4], axis: usize| of.iter().map(|vector| vector[axis]).collect::<Vec<f32>>();
    let planes_of = |[now, before]: [&[Vec4]; 2]| {
        let places = [now, before].map(|of| [0, 1, 2].map(|axis| plane(of, axis)).concat()).concat();
        [places, vec![0.5; 2 * 143]].concat()
    };
    let planes = Buffer::from_slice(device, "ropes.planes", &planes_of([&points, &others])).unwrap();
    carry(&shaders::TELEPORT_CARRY_PLANES, [("Planes", (&planes).into()), ("Planes", (&planes).into())], 1);
    let found: Vec<f32> = planes.read().unwrap();
    let expected = planes_of([&moved, &moved_others]);
    let is_close = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-6;
    assert!(found.iter().zip(&expected).all(is_close), "planes");
}
