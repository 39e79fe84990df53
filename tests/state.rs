//! States go from solver to solver and from backend to backend: what moves goes on as if nothing had changed hands.

mod common;

use common::{Validated, run, sheet, start};
use glam::{Vec3, Vec4};
use tautline::engine::{Device, Frames};
use tautline::layout;
use tautline::model::{Blade, Drag, triangles_around};
use tautline::scene::{Scene, SolverKind};
use tautline::solver::{Particles, Simulation, State, VerletStorage};

/// A cloth that is carried along one edge, let go at a corner early on, and blown at.
const CARRIED: &str = "
    pins = \"none\"
    columns = 24
    rows = 18
    air_density = 1.2
    air_velocity = [0.5, 0, 1]

    [[pin]]
    row = 0
    path = [[0, 0, 0, 0, 0, 1, 0, 0], [1, 0.1, 0.2, 0, 0, 1, 0, 30]]

    [[pin]]
    particles = [400]
    release = 0.05

    [[collider]]
    shape = \"sphere\"
    radius = 0.1
    position = [0, -0.3, 0.05]
";

fn scene(text: &str) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    Scene::load(&path, &[]).unwrap()
}

/// The bits of positions and masses, and the time, after 8 steps, a change of hands, and 8 more; and without the
/// change. What people have done before goes along.
fn with_and_without_a_change(device: &Device, scene: &Scene, on_cpu: bool) -> [(Vec<Vec4>, f64); 2] {
    let mut straight = start(device, scene, on_cpu);
    straight.set_pinned(200, true);
    straight.set_pinned(3, false);
    straight.drag(Some(Drag { collider: 0, offset: Vec3::new(0.02, 0.0, -0.01), speed: 1.0 }));
    run(device, &mut straight, 8);
    straight.drag(None);
    let state = straight.state().unwrap();
    let mut changed = start(device, scene, on_cpu);
    changed.go_on_from(&state).unwrap();
    assert!(changed.state().unwrap() == state, "what was taken over is what was given");
    [straight, changed].map(|mut simulation| {
        run(device, &mut simulation, 8);
        (simulation.positions().unwrap(), simulation.time())
    })
}

#[test]
fn every_solver_goes_on_in_the_same_bits() {
    let validated = Validated::open();
    // Cut between two rows before the change, and once more after it, when the first cut must still be there.
    let cuts = "cut = [{time = 0.06, from = [-1, -0.11, 0], to = [0, -0.11, 0], direction = [0, 0, 1]},
        {time = 0.2, from = [-1, -0.21, 0], to = [1, -0.21, 0], direction = [0, 0, 1]}]\n";
    for (solver, keys) in [
        ("xpbd", cuts),
        ("pbd", cuts),
        ("xpbd", &format!("constraint_solver = \"jacobi\"\n{cuts}")),
        ("mass-spring", "particle_mass = 0.004\n"),
        ("verlet", "particle_mass = 0.004\n"),
        ("verlet", "particle_mass = 0.004\nstorage = \"buffers\"\n"),
    ] {
        let scene = scene(&format!("solver = \"{solver}\"\n{keys}{CARRIED}"));
        for on_cpu in [false, true] {
            let [straight, changed] = with_and_without_a_change(&validated.device, &scene, on_cpu);
            assert!(straight == changed, "{solver}, on the CPU: {on_cpu}");
            // `verlet` keeps a flag in images that says the opposite of an inverse mass, and on the CPU.
            let is_flag = solver == "verlet" && (on_cpu || scene.storage == VerletStorage::Images);
            let is_held = |particle: usize| (straight.0[particle].w == 0.0) != is_flag;
            assert!(!is_held(400), "particle 400 has been let go");
            assert!(is_held(200) && !is_held(3), "one is pinned, and one let go, by hand");
        }
    }
}

/// Near ropes are simulated, and far ones sway; some are between two levels when the state is taken. Through bytes and
/// back.
#[test]
fn ropes_go_on_in_the_same_bits_at_their_levels_of_detail() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene =
        scene("preset = \"ropes\"\nrope_count = 60\nrope_columns = 4\nrope_spacing = 1.5\nrope_held = \"both\"");
    for on_cpu in [false, true] {
        let begin = || {
            let mut simulation = start(device, &scene, on_cpu);
            simulation.set_camera(Vec3::new(0.0, 1.0, -8.0));
            simulation
        };
        let mut straight = begin();
        run(device, &mut straight, 7);
        let state = State::from_bytes(&straight.state().unwrap().to_bytes()).unwrap();
        let levels: std::collections::BTreeSet<_> = state.levels.iter().collect();
        assert_eq!((state.levels.len(), levels.len()), (60, 4), "{levels:?}");
        let mut changed = begin();
        changed.go_on_from(&state).unwrap();
        assert!(changed.state().unwrap() == state);
        for simulation in [&mut straight, &mut changed] {
            run(device, simulation, 30);
        }
        let [straight, changed] = [straight, changed].map(|simulation| simulation.state().unwrap());
        assert!(straight == changed, "on the CPU: {on_cpu}");
    }
}

/// A step's f32 has 24 bits, so that its multiples and their sums are exact in f64.
#[test]
fn times_go_on_to_the_last_bit() {
    let scene = scene("columns = 2\nrows = 2\ndt = 0.0123");
    let mut simulation = scene.cpu_simulation().unwrap();
    for number in 1..1000 {
        simulation.advance();
        assert_eq!(simulation.time(), f64::from(number) * f64::from(scene.dt));
        if number % 3 == 0 {
            let state = simulation.state();
            simulation.go_on_from(&state);
        }
    }
}

#[test]
fn what_is_cut_stays_cut_until_the_next_reset() {
    let validated = Validated::open();
    let device = &validated.device;
    let cut = "cut = [{time = 0.02, from = [-1, -0.11, 0], to = [0, -0.11, 0], direction = [0, 0, 1]}]";
    let scene = scene(&format!("columns = 24\nrows = 18\n{cut}"));
    let mut first = start(device, &scene, false);
    run(device, &mut first, 4);
    let state = first.state().unwrap();
    // Half of the columns, each with its vertical and its diagonals; and two triangles to a cell.
    assert_eq!(first.cut_count().unwrap(), state.severed.springs.len());
    assert!(state.severed.springs.len() > 24 && state.severed.triangles.len() >= 20, "{:?}", state.severed);
    let mut on_cpu = start(device, &scene, true);
    on_cpu.go_on_from(&state).unwrap();
    assert!(on_cpu.state().unwrap() == state);
    let triangles = |simulation: &Simulation| simulation.triangles().unwrap().corners.read::<u32>().unwrap();
    let around = |simulation: &Simulation| simulation.triangles().unwrap().around.read::<u32>().unwrap();
    assert!(triangles(&on_cpu) == triangles(&first));
    let mut back = start(device, &scene, false);
    back.go_on_from(&on_cpu.state().unwrap()).unwrap();
    assert!(triangles(&back) == triangles(&first) && around(&back) == around(&on_cpu));
    let whole = start(device, &scene, false);
    for mut simulation in [on_cpu, back] {
        simulation.reset().unwrap();
        assert_eq!((simulation.time(), simulation.cut_count().unwrap()), (0.0, 0));
        assert!(triangles(&simulation) == triangles(&whole) && around(&simulation) == around(&whole));
    }
}

/// What was drawn while time stands still cuts after a change of hands as it would have without, be it before the next
/// step or at once.
#[test]
fn blades_that_have_not_cut_yet_go_along() {
    let validated = Validated::open();
    let device = &validated.device;
    let blade = |x: f32| Blade::plane(Vec3::new(x, 0.0, 0.0), Vec3::X).unwrap();
    // Beside columns, which stand at odd multiples of a half of 0.02 m.
    let blades = [blade(0.003), blade(-0.083)];
    let scene = scene("columns = 24\nrows = 18");
    let mut first = start(device, &scene, false);
    run(device, &mut first, 2);
    for blade in blades {
        assert!(first.cut(blade).unwrap());
    }
    let state = first.state().unwrap();
    assert!(state.blades == blades && state.severed.is_empty());
    run(device, &mut first, 1);
    let after = first.state().unwrap();
    // Of each row and each blade one structural spring and two diagonals, but for the diagonals below the last row.
    assert_eq!(after.severed.springs.len(), 2 * (18 + 2 * 17));
    assert!(after.blades.is_empty());
    // From the GPU to the CPU and back.
    let mut on_cpu = start(device, &scene, true);
    on_cpu.go_on_from(&state).unwrap();
    let mut back = start(device, &scene, false);
    back.go_on_from(&on_cpu.state().unwrap()).unwrap();
    for mut simulation in [on_cpu, back] {
        assert!(simulation.state().unwrap() == state);
        run(device, &mut simulation, 1);
        let now = simulation.state().unwrap();
        assert!(now.severed == after.severed && now.blades.is_empty());
        simulation.cut(blade(0.101)).unwrap();
        simulation.reset().unwrap();
        assert!(simulation.state().unwrap().blades.is_empty());
    }
}

#[test]
fn what_hands_do_is_there_without_a_step() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene = scene("columns = 24\nrows = 18");
    let blade = Blade::plane(Vec3::new(0.003, 0.0, 0.0), Vec3::X).unwrap();
    let held = |simulation: &Simulation| match &simulation.particles()[simulation.current()] {
        Particles::Buffer(buffer) => buffer.read::<Vec4>().unwrap()[200].w == 0.0,
        other => panic!("no buffer, but {other:?}"),
    };
    let mut stepped = start(device, &scene, false);
    stepped.cut(blade).unwrap();
    run(device, &mut stepped, 1);
    for on_cpu in [false, true] {
        let mut simulation = start(device, &scene, on_cpu);
        let before = simulation.state().unwrap();
        simulation.cut(blade).unwrap();
        simulation.set_pinned(200, true);
        assert!(!held(&simulation) && !simulation.has_cut());
        Frames::run_once(device, |recorder| simulation.record_hands(recorder)).unwrap();
        assert!(held(&simulation) && simulation.has_cut());
        let state = simulation.state().unwrap();
        assert!(state.severed == stepped.state().unwrap().severed && state.blades.is_empty());
        assert!(state.time == 0.0 && state.positions == before.positions && simulation.steps_recorded() == 0);
        // What views draw is cut as well.
        let corners = |simulation: &Simulation| simulation.triangles().unwrap().corners.read::<u32>().unwrap();
        assert!(corners(&simulation) == corners(&stepped), "on the CPU: {on_cpu}");
        if on_cpu {
            // On the GPU, what is cut keeps its place in the lists.
            let around: Vec<u32> = simulation.triangles().unwrap().around.read().unwrap();
            assert!(around == triangles_around(24 * 18, corners(&simulation).as_chunks().0));
        }
        let constraints = |simulation: &Simulation| simulation.constraints().unwrap().read::<u32>().unwrap();
        assert!(constraints(&simulation) == constraints(&stepped), "on the CPU: {on_cpu}");
    }
}

/// Every solver of cloth on both backends in turn. A cloth in free fall has no forces but gravity, so semi-implicit
/// Euler and Verlet agree: after n substeps of h it has fallen by g h² n (n + 1) / 2.
#[test]
fn a_cloth_falls_on_from_hand_to_hand() {
    let validated = Validated::open();
    let device = &validated.device;
    let keys = "pins = \"none\"\ncolumns = 12\nrows = 9\nspacing = 0.05\nparticle_mass = 0.01\nsubsteps = 8\ndamping = 0\n\
                velocity_loss = 0";
    // What document 002 does has one substep a step, whatever the key says.
    let solvers = [SolverKind::Xpbd, SolverKind::Verlet, SolverKind::Pbd, SolverKind::MassSpring];
    let hands = solvers.into_iter().flat_map(|solver| [false, true].map(|on_cpu| (solver, on_cpu)));
    let mut state: Option<State> = None;
    let mut steps = 0;
    for (solver, on_cpu) in hands.clone().chain(hands.rev()) {
        let scene = scene(&format!("solver = \"{solver}\"\n{keys}"));
        let mut simulation = start(device, &scene, on_cpu);
        if let Some(state) = &state {
            simulation.go_on_from(state).unwrap();
        }
        run(device, &mut simulation, 3);
        steps += 3;
        let after = simulation.state().unwrap();
        let start = scene.cloth().unwrap().positions;
        let (n, h) = (f64::from(8 * steps), f64::from(scene.dt) / 8.0);
        let fallen = 9.81 * h * h * n * (n + 1.0) / 2.0;
        // Each substep rounds a place by half a unit in the last place or less, which then goes on as a velocity.
        let largest = after.positions.iter().map(|place| place.abs().max_element()).fold(0.0, f32::max);
        let tolerance = f64::from(largest * f32::EPSILON) / 2.0 * n * (n + 1.0) / 2.0;
        assert!(tolerance < fallen / 100.0, "{tolerance} m says nothing about {fallen} m");
        for (place, start) in after.positions.iter().zip(&start) {
            let way = (place - start.truncate()).as_dvec3();
            let error = (way - glam::DVec3::new(0.0, -fallen, 0.0)).abs().max_element();
            assert!(error <= tolerance, "{solver}, on the CPU: {on_cpu}: {error} m off after {steps} steps");
        }
        assert!((after.time - f64::from(steps) * f64::from(scene.dt)).abs() < 1e-9);
        state = Some(after);
    }
}

/// Solvers that keep places: the one before is that much off, as it is computed from the velocity.
#[test]
fn solvers_that_keep_places_take_over_velocities_to_rounding() {
    let validated = Validated::open();
    let device = &validated.device;
    let verlet = scene("preset = \"verlet\"\ncolumns = 24\nrows = 18");
    let ropes = scene("preset = \"ropes\"\nrope_count = 12\nrope_held = \"first\"");
    for scene in [verlet, ropes] {
        for on_cpu in [false, true] {
            let mut first = start(device, &scene, on_cpu);
            run(device, &mut first, 30);
            let state = State { previous: Vec::new(), ..first.state().unwrap() };
            let mut second = start(device, &scene, !on_cpu);
            second.go_on_from(&state).unwrap();
            let taken = second.state().unwrap();
            assert!(taken.time == state.time && taken.positions == state.positions);
            let fastest = state.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
            assert!(fastest > 0.1, "{fastest} m/s is hardly a motion");
            let substep_dt = scene.step().substep_dt();
            for ((velocity, wanted), place) in taken.velocities.iter().zip(&state.velocities).zip(&state.positions) {
                // Of the place before, half a unit in the last place, and of the way, a few.
                let way = (*wanted * substep_dt).abs();
                let rounding = f32::EPSILON * (place.abs() + 4.0 * way) / substep_dt;
                let off = (*velocity - *wanted).abs();
                assert!(off.cmple(rounding.max(Vec3::splat(f32::MIN_POSITIVE))).all(), "{off} m/s off of {wanted}");
            }
        }
    }
}

/// A view draws colliders from the device's buffer, also where no step has been recorded since a simulation was made,
/// put back or went on from a state.
#[test]
fn colliders_are_where_they_are_at_the_time_before_the_next_step() {
    let validated = Validated::open();
    let device = &validated.device;
    let ball = "collider = [{shape = \"sphere\", radius = 0.1, path = [[0, 1, 2, 3], [0.1, 2, 2, 3], [0.3, 2, 0, 3]]},
        {shape = \"box\", sides = [1, 2, 3], position = [4, 5, 6]}]\n";
    for solver in ["xpbd", "verlet", "rope"] {
        let scene = scene(&format!("solver = \"{solver}\"\nallow_unstable = true\ncolumns = 4\nrows = 3\n{ball}"));
        let list = scene.colliders().unwrap();
        for on_cpu in [false, true] {
            let assert_rest = |simulation: &Simulation, time: f64, offsets: [Vec3; 2]| {
                let seen: Vec<layout::Collider> = simulation.colliders().buffer().read().unwrap();
                for ((seen, collider), offset) in seen.iter().zip(&list).zip(offsets) {
                    let place = (collider.path.at(time).position + offset).extend(0.0);
                    let what = format!("{solver}, on the CPU: {on_cpu}, at {time} s");
                    assert_eq!((seen.start_position, seen.end_position), (place, place), "{what}");
                }
                assert_eq!((seen[0].size.x, seen[1].size), (0.1, Vec4::new(0.5, 1.0, 1.5, 0.0)));
            };
            let mut simulation = start(device, &scene, on_cpu);
            assert_rest(&simulation, 0.0, [Vec3::ZERO; 2]);
            simulation.drag(Some(Drag { collider: 1, offset: Vec3::X, speed: 1.0 }));
            run(device, &mut simulation, 9);
            let state = simulation.state().unwrap();
            let offsets = [state.dragged[0], state.dragged[1]];
            assert!(offsets[0] == Vec3::ZERO && offsets[1].x > 0.1 && state.time > 0.1);
            let mut other = start(device, &scene, on_cpu);
            other.go_on_from(&state).unwrap();
            assert_rest(&other, state.time, offsets);
            simulation.reset().unwrap();
            assert_rest(&simulation, 0.0, [Vec3::ZERO; 2]);
        }
        // On the CPU alone, and only then on the device.
        let mut alone = scene.cpu_simulation().unwrap();
        (0..9).for_each(|_| drop(alone.advance()));
        let time = alone.time();
        let simulation = alone.on_device(device).unwrap();
        let seen: Vec<layout::Collider> = simulation.colliders().buffer().read().unwrap();
        assert_eq!(seen[0].end_position, list[0].path.at(time).position.extend(0.0));
    }
}

#[test]
fn a_mesh_whose_file_changes_or_goes_is_the_same_until_it_is_loaded_anew() {
    let validated = Validated::open();
    let device = &validated.device;
    for on_cpu in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.obj");
        std::fs::write(&path, sheet([4, 5])).unwrap();
        let mut scene = Scene::load(&path, &[]).unwrap();
        let mut simulation = start(device, &scene, on_cpu);
        run(device, &mut simulation, 4);
        let state = simulation.state().unwrap();
        std::fs::write(&path, sheet([4, 3])).unwrap();
        for (key, value) in [("substeps", "7"), ("damping", "3")] {
            scene.change(key, value).unwrap();
            let mut other = start(device, &scene, on_cpu);
            other.go_on_from(&state).unwrap();
            assert!(other.state().unwrap().positions == state.positions);
            run(device, &mut other, 1);
            assert_eq!(other.positions().unwrap().len(), 20);
            std::fs::remove_file(&path).ok();
        }
        // Anew, the scene is told by what is there then; its clone still has what it had.
        let kept = scene.clone();
        scene.forget_files();
        assert!(scene.cpu_simulation().is_err() && scene == kept);
        std::fs::write(&path, sheet([4, 3])).unwrap();
        assert_eq!(start(device, &scene, on_cpu).positions().unwrap().len(), 12);
        assert_eq!(start(device, &kept, on_cpu).positions().unwrap().len(), 20);
        assert_eq!(Scene::load(&path, &[]).unwrap().cloth().unwrap().positions.len(), 12);
    }
}

#[test]
#[should_panic(expected = "a state of as many particles")]
fn a_state_of_another_body_is_refused() {
    let other = scene("columns = 3").cpu_simulation().unwrap().state();
    scene("columns = 4").cpu_simulation().unwrap().go_on_from(&other);
}
