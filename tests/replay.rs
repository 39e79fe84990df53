//! Recordings that are replayed: a step that does the same as one before is not recorded again, and is the same to the last bit.

mod common;

use common::{Bits, Validated, bits, load};
use glam::Vec3;
use tautline::engine::{Bindings, Buffer, Device, Error, Frames, Kernel, OneOf, Recorder, ShaderCode};
use tautline::model::{Blade, Grip};
use tautline::scene::{Scene, presets};
use tautline::solver::{Simulation, Solver, Surroundings, Verlet, VerletTile};

/// values[i] = values[i] * factor + summand, for i below 64.
const SCALE_AND_ADD: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint factor; uint summand; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < 64) values[i] = values[i] * factor + summand;
}";

/// Fewest dispatches that are replayed.
const LEAST: u32 = 8;

/// 64 values of 0, and the pass that changes them.
fn values(device: &Device) -> (Buffer, Bindings<Kernel>) {
    let compiler = shaderc::Compiler::new().unwrap();
    let kind = shaderc::ShaderKind::Compute;
    let spirv = compiler.compile_into_spirv(SCALE_AND_ADD, kind, "test.comp", "main", None).unwrap();
    let values = Buffer::zeroed(device, "values", 256).unwrap();
    let kernel = Kernel::new(device, &ShaderCode { name: "scale", words: spirv.as_binary() }).unwrap();
    let bindings = kernel.bind(&[("Values", (&values).into())]).unwrap();
    (values, bindings)
}

/// v = 2 v + summand, so many times.
fn scale(recorder: &mut Recorder<'_>, pass: &Bindings<Kernel>, summand: u32, times: u32) -> Result<(), Error> {
    (0..times).try_for_each(|call| {
        let label = OneOf("call", call, times);
        recorder.within(&label, |recorder| recorder.dispatch(pass, &[2_u32, summand], [64, 1, 1]))
    })
}

/// What [`scale`] makes of a value.
fn scaled(value: u32, summand: u32, times: u32) -> u32 {
    (0..times).fold(value, |value, _| value.wrapping_mul(2).wrapping_add(summand))
}

#[test]
fn other_push_constants_other_bindings_and_other_passes_before_are_other_recordings() {
    let validated = Validated::open();
    let device = &validated.device;
    let [(first, one), (second, other)] = [values(device), values(device)];
    let mut frames = Frames::new(device, 1).unwrap();
    let (mut expected, mut made) = ([0_u32; 2], 0);
    // Summand, whether it is the other pass, what the values are set to before, and whether all of that is new.
    let rounds = [
        (1, false, None, true),
        (1, false, None, false),
        (3, false, None, true),
        (1, true, None, true),
        (1, false, None, false),
        (1, false, Some(7), true),
        (1, false, Some(9), false),
        (3, false, None, false),
    ];
    for (summand, is_other, set, is_new) in rounds {
        let mut recorder = frames.begin().unwrap();
        if let Some(value) = set {
            recorder.update(&first, &[value; 64]).unwrap();
            expected[0] = value;
        }
        let pass = if is_other { &other } else { &one };
        recorder.replayed(|recorder| scale(recorder, pass, summand, LEAST)).unwrap();
        recorder.submit().unwrap();
        let value = &mut expected[usize::from(is_other)];
        *value = scaled(*value, summand, LEAST);
        made += u64::from(is_new);
        assert_eq!(frames.recordings_made(), made, "{summand}, {is_other}, {set:?}");
    }
    frames.finish().unwrap();
    assert_eq!([&first, &second].map(|values| values.read::<u32>().unwrap()[63]), expected);
}

#[test]
fn one_frame_can_do_the_same_several_times() {
    let validated = Validated::open();
    let (values, pass) = values(&validated.device);
    let mut frames = Frames::new(&validated.device, 2).unwrap();
    let mut expected = 0;
    // More often than a frame keeps recordings, and then less.
    for times in [20, 20, 3, 3, 2, 2] {
        let mut recorder = frames.begin().unwrap();
        for _ in 0..times {
            recorder.replayed(|recorder| scale(recorder, &pass, 5, LEAST)).unwrap();
            expected = scaled(expected, 5, LEAST);
        }
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
    assert_eq!(values.read::<u32>().unwrap(), [expected; 64]);
}

#[test]
fn what_is_short_or_is_more_than_dispatches_is_recorded_in_its_order() {
    let validated = Validated::open();
    let device = &validated.device;
    let (values, pass) = values(device);
    let mut frames = Frames::new(device, 1).unwrap();
    let mut expected = 0;
    for round in 0..3 {
        let mut recorder = frames.begin().unwrap();
        recorder.replayed(|recorder| scale(recorder, &pass, 1, LEAST - 1)).unwrap();
        let label = OneOf("round", round, 3);
        let mixed = recorder.replayed(|recorder| {
            recorder.within(&label, |recorder| {
                scale(recorder, &pass, 1, LEAST)?;
                recorder.update(&values, &[round; 64])?;
                scale(recorder, &pass, 1, LEAST)
            })
        });
        mixed.unwrap();
        // An error ends what is recorded, and what was recorded before it stays.
        let failed = recorder.replayed(|recorder| {
            scale(recorder, &pass, 1, LEAST)?;
            recorder.dispatch(&pass, &2_u32, [64, 1, 1])
        });
        assert!(matches!(failed, Err(Error::Binding { .. })));
        recorder.submit().unwrap();
        expected = scaled(round, 1, 2 * LEAST);
    }
    frames.finish().unwrap();
    assert_eq!(frames.recordings_made(), 0);
    assert_eq!(values.read::<u32>().unwrap(), [expected; 64]);
}

#[test]
fn a_dropped_frame_leaves_recordings_that_still_run() {
    let validated = Validated::open();
    let (values, pass) = values(&validated.device);
    let mut frames = Frames::new(&validated.device, 1).unwrap();
    for is_dropped in [true, false, true, false] {
        let mut recorder = frames.begin().unwrap();
        recorder.replayed(|recorder| scale(recorder, &pass, 1, LEAST)).unwrap();
        if !is_dropped {
            recorder.submit().unwrap();
        }
    }
    frames.finish().unwrap();
    assert_eq!(values.read::<u32>().unwrap(), [scaled(0, 1, 2 * LEAST); 64]);
    assert_eq!(frames.recordings_made(), 1);
}

/// Scenes with many dispatches, each with how many places its particles take in turn from frame to frame in one place of a ring
/// of two.
fn scenes() -> Vec<(Scene, u64)> {
    let small = [("columns", "12"), ("rows", "10")];
    let with = |preset: &str, settings: &[(&str, &str)]| load(preset, &[&small[..], settings].concat());
    let air = [("air_density", "1.2"), ("air_velocity", "[0, 0, 4]")];
    let carried = [("pins", "none"), ("pin", "[{row = 0, path = [[0, 0, 0, 0], [1, 0.5, 0, 0]]}]")];
    let ball = [("collider", "[{shape = \"sphere\", radius = 0.2, path = [[0, 0, -1, 0], [1, 0, 0, 0]]}]")];
    vec![
        (with("flag", &[]), 1),
        (with("flag", &[("constraint_solver", "jacobi"), ("iterations", "2")]), 1),
        (with("flag", &[("bending", "true"), ("bending_form", "dihedral")]), 1),
        (with("flag", &[&air[..], &carried, &ball].concat()), 1),
        // 16 dispatches a step, of which each goes to the other place.
        (with("flag", &[&air[..], &[("path", "fused"), ("substeps", "16")]].concat()), 1),
        // As many as a step has substeps, in three images and two buffers: 40 = 1 mod 3, and two frames make 2 mod 3.
        (with("verlet", &[("substeps", "40")]), 3),
        (with("verlet", &[("substeps", "40"), ("storage", "buffers"), ("path", "plain")]), 1),
        (with("curtain", &[("solver", "mass-spring"), ("substeps", "41"), ("allow_unstable", "true")]), 1),
    ]
}

fn run(frames: &mut Frames, simulation: &mut Simulation, steps: u32) -> Bits {
    for _ in 0..steps {
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
    bits(&simulation.positions().unwrap())
}

#[test]
fn a_steady_run_is_recorded_once_for_each_place_and_ends_in_the_same_bits() {
    let validated = Validated::open();
    let device = &validated.device;
    for (scene, places) in scenes() {
        let told = format!("{} by {}", scene.name, scene.solver);
        let end = |anew: bool| {
            let mut frames = Frames::new(device, 2).unwrap();
            if anew {
                frames.record_anew();
            }
            let end = run(&mut frames, &mut scene.simulation(device).unwrap(), 24);
            (end, frames.recordings_made())
        };
        let (replayed, made) = end(false);
        assert_eq!(made, 2 * places, "{told}");
        assert_eq!((replayed, 0), end(true), "{told}");
    }
}

#[test]
fn sampled_times_take_one_more_recording() {
    let validated = Validated::open();
    let device = &validated.device;
    let mut simulation = load("flag", &[("columns", "12"), ("rows", "10")]).simulation(device).unwrap();
    let mut frames = Frames::new(device, 2).unwrap();
    frames.sample();
    run(&mut frames, &mut simulation, 4 * u32::try_from(Frames::PASSES_EVERY).unwrap());
    // In each place of the ring, one with timestamps and one without.
    assert_eq!(frames.recordings_made(), 2 * 2);
}

/// All that can happen to a flag between two steps.
fn disturb(simulation: &mut Simulation, step: u32) {
    let place = simulation.body().positions()[30].truncate();
    match step {
        3 => simulation.pbd_settings_mut().unwrap().elongation = 1.05,
        5 => simulation.pbd_settings_mut().unwrap().wind.acceleration = Vec3::new(0.0, 3.0, 9.0),
        6 => simulation.pbd_settings_mut().unwrap().wind.flutter = 0.0,
        8 => simulation.pbd_settings_mut().unwrap().wind.flutter = 2.0,
        9..12 => simulation.set_grip(Some(Grip::soft(simulation.body(), 30, place + Vec3::Z * 0.1 * step as f32))),
        12 => simulation.set_grip(None),
        13 => simulation.set_pinned(40, true),
        15 => simulation.set_pinned(40, false),
        16 => assert!(simulation.cut(Blade::plane(Vec3::new(0.1, 0.0, 0.0), Vec3::X).unwrap()).unwrap()),
        18 => simulation.reset().unwrap(),
        _ => {}
    }
}

#[test]
fn what_changes_takes_effect_in_the_next_step() {
    let validated = Validated::open();
    let device = &validated.device;
    for path in ["plain", "fused"] {
        let scene = load("flag", &[("columns", "12"), ("rows", "10"), ("path", path), ("substeps", "12")]);
        let course = |anew: bool, disturbed: bool| -> Vec<Bits> {
            let mut frames = Frames::new(device, 2).unwrap();
            if anew {
                frames.record_anew();
            }
            let mut simulation = scene.simulation(device).unwrap();
            let step = |step| {
                if disturbed {
                    disturb(&mut simulation, step);
                }
                run(&mut frames, &mut simulation, 1)
            };
            (0..24).map(step).collect()
        };
        let (replayed, anew, undisturbed) = (course(false, true), course(true, true), course(true, false));
        for step in 0..24 {
            assert!(replayed[step] == anew[step], "{path}: step {step} ends elsewhere");
            assert_eq!(step >= 3, replayed[step] != undisturbed[step], "{path}: step {step}");
        }
    }
}

#[test]
fn replayed_frames_name_and_time_the_same_passes() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene = load("flag", &[("columns", "12"), ("rows", "10")]);
    let timings = |anew: bool| {
        let mut frames = Frames::new(device, 2).unwrap();
        frames.keep_timelines();
        if anew {
            frames.record_anew();
        }
        run(&mut frames, &mut scene.simulation(device).unwrap(), 6);
        frames.take_timings().map(|timing| timing.expect("timestamps")).collect::<Vec<_>>()
    };
    let (replayed, anew) = (timings(false), timings(true));
    assert_eq!(replayed.len(), 6);
    for (replayed, anew) in replayed.iter().zip(&anew) {
        let [names, expected] = [replayed, anew]
            .map(|timing| timing.passes.iter().map(|pass| (pass.name.clone(), pass.calls)).collect::<Vec<_>>());
        assert_eq!(names, expected);
        assert_eq!(replayed.gpu_ns, replayed.passes.iter().map(|pass| pass.gpu_ns).sum::<u64>());
        assert!(replayed.passes.iter().all(|pass| pass.gpu_ns > 0), "{replayed:?}");
        let [runs, expected] = [replayed, anew].map(|timing| {
            let runs = &timing.timeline.as_ref().expect("a time line").runs;
            runs.iter().map(|run| (run.name.clone(), run.calls)).collect::<Vec<_>>()
        });
        assert_eq!(runs, expected);
    }
}

/// Two steps with a pull in the second, in one frame, again and again.
#[test]
fn a_replay_has_the_barriers_of_the_recording() {
    let validated = Validated::open();
    let device = &validated.device;
    for (scene, _) in scenes() {
        let calls = |anew: bool| {
            let mut simulation = scene.simulation(device).unwrap();
            let mut frames = Frames::new(device, 1).unwrap();
            if anew {
                frames.record_anew();
            }
            let mut told = Vec::new();
            for _ in 0..7 {
                let mut recorder = frames.begin().unwrap();
                simulation.set_grip(None);
                simulation.record(&mut recorder).unwrap();
                let grip = Grip::soft(simulation.body(), 1, simulation.body().positions()[1].truncate());
                simulation.set_grip(Some(grip));
                simulation.record(&mut recorder).unwrap();
                let calls = recorder.trace().unwrap().calls();
                let call = |call: &tautline::engine::CallWork| {
                    (call.pass.clone(), call.barriers.clone(), call.work.extent, call.waits.clone())
                };
                told.push(format!("{:?}", calls.iter().map(call).collect::<Vec<_>>()));
                recorder.submit().unwrap();
            }
            frames.finish().unwrap();
            told
        };
        let (replayed, anew) = (calls(false), calls(true));
        assert!(replayed == anew, "{} by {}", scene.name, scene.solver);
    }
}

#[test]
fn several_substeps_a_dispatch_are_replayed_too() {
    let validated = Validated::open();
    let device = &validated.device;
    let scene = load("verlet", &[("storage", "buffers"), ("substeps", "40")]);
    let (cloth, step, settings) = (scene.cloth().unwrap(), scene.step(), scene.verlet_settings());
    let tile = VerletTile { columns: 8, rows: 8, substeps: 4, invocations: 128 };
    let (grid, around) = (cloth.grid.unwrap(), &Surroundings::default());
    let end = |anew: bool| {
        let mut frames = Frames::new(device, 2).unwrap();
        if anew {
            frames.record_anew();
        }
        let solver = Verlet::with_tile(device, grid, &cloth.positions, step, settings, around, Some(tile)).unwrap();
        assert_eq!(solver.passes(), [("verlet/tile".into(), 10)]);
        let body = tautline::model::Body::Cloth(cloth.clone());
        let mut simulation = Simulation::new(body, Box::new(solver), step);
        (run(&mut frames, &mut simulation, 10), frames.recordings_made())
    };
    let ((replayed, made), (anew, _)) = (end(false), end(true));
    // Ten dispatches bring the particles back to the first pair.
    assert_eq!(made, 2);
    assert!(replayed == anew);
}

#[test]
fn recordings_keep_nothing_of_a_solver_that_is_gone() {
    let validated = Validated::open();
    let device = &validated.device;
    let (_, pass) = values(device);
    let mut frames = Frames::new(device, 2).unwrap();
    let before = device.memory();
    for (preset, _) in presets().filter(|(preset, _)| ["flag", "verlet", "curtain"].contains(preset)) {
        let small = [("columns", "12"), ("rows", "10"), ("substeps", "12"), ("allow_unstable", "true")];
        let (scene, made) = (load(preset, &small), frames.recordings_made());
        let mut simulation = scene.simulation(device).unwrap();
        run(&mut frames, &mut simulation, 8);
        assert!(frames.recordings_made() > made && device.memory().bytes > before.bytes, "{preset}");
        drop(simulation);
        assert_eq!(device.memory(), before, "{preset}");
        // What is gone is not in the way of what comes.
        let mut recorder = frames.begin().unwrap();
        recorder.replayed(|recorder| scale(recorder, &pass, 1, LEAST)).unwrap();
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
}
