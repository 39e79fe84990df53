//! The engine on a real device, with shaders of the tests' own.

mod common;

use common::Validated;
use tautline::engine::reflect::{Access, Binding, BindingKind, reflect, reflect_specialised};
use tautline::engine::{
    Bound, Buffer, Device, Error, Extent, Frames, Image, ImageKind, Kernel, OneOf, ShaderCode, SmallerLimits, vk,
};
use tautline::shaders;

fn compile(glsl: &str) -> Vec<u32> {
    let compiler = shaderc::Compiler::new().unwrap();
    let kind = shaderc::ShaderKind::Compute;
    let mut options = shaderc::CompileOptions::new().unwrap();
    // As the crate's own shaders are; older SPIR-V has no subgroups.
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_2 as u32);
    compiler.compile_into_spirv(glsl, kind, "test.comp", "main", Some(&options)).unwrap().as_binary().to_vec()
}

fn kernel(device: &Device, name: &str, glsl: &str) -> Result<Kernel, Error> {
    Kernel::new(device, &ShaderCode { name, words: &compile(glsl) })
}

/// values[i] = values[i] * factor + i, for i below count.
const SCALE_AND_ADD: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint factor; uint count; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) values[i] = values[i] * factor + i;
}";

/// sums[i] = values[count - 1 - i] + values[i]: every invocation reads what another one wrote.
const FOLD: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Values { uint values[]; };
layout(std430, binding = 1) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { uint count; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) sums[i] = values[count - 1 - i] + values[i];
}";

#[test]
fn dependent_passes_see_each_other_and_their_times_add_up() {
    let validated = Validated::open();
    let device = &validated.device;
    let count = 1000_u32;
    let values = Buffer::zeroed(device, "values", u64::from(count) * 4).unwrap();
    let sums = Buffer::zeroed(device, "sums", u64::from(count) * 4).unwrap();
    let add = kernel(device, "add", SCALE_AND_ADD).unwrap().bind(&[("Values", (&values).into())]).unwrap();
    let fold = kernel(device, "fold", FOLD).unwrap();
    let fold = fold.bind(&[("Values", (&values).into()), ("Sums", (&sums).into())]).unwrap();

    let mut frames = Frames::new(device, 2).unwrap();
    let mut recorder = frames.begin().unwrap();
    for _ in 0..3 {
        recorder.dispatch(&add, &[2_u32, count], [count, 1, 1]).unwrap();
    }
    recorder.dispatch(&fold, &count, [count, 1, 1]).unwrap();
    recorder.dispatch(&add, &[0_u32, count], [count, 1, 1]).unwrap();
    recorder.submit().unwrap();
    frames.finish().unwrap();

    // Three times v = 2 v + i from 0 is 7 i, and 7 i + 7 (count - 1 - i) = 7 (count - 1).
    assert_eq!(sums.read::<u32>().unwrap(), vec![7 * (count - 1); count as usize]);
    assert_eq!(values.read::<u32>().unwrap(), (0..count).collect::<Vec<_>>());
    let timings: Vec<_> = frames.take_timings().collect();
    let [Some(timing)] = &timings[..] else { panic!("one recording, with timestamps: {timings:?}") };
    let calls: Vec<_> = timing.passes.iter().map(|pass| (&*pass.name, pass.calls)).collect();
    assert_eq!(calls, [("add", 4), ("fold", 1)]);
    assert_eq!(timing.gpu_ns, timing.passes.iter().map(|pass| pass.gpu_ns).sum::<u64>());
    assert!(timing.gpu_ns > 0);
}

#[test]
fn a_recording_tells_what_it_was_told_to_do() {
    let validated = Validated::open();
    let device = &validated.device;
    let values = Buffer::zeroed(device, "some values", 4000).unwrap();
    let sums = Buffer::zeroed(device, "some sums", 4000).unwrap();
    let add = kernel(device, "test/add", SCALE_AND_ADD).unwrap().bind(&[("Values", (&values).into())]).unwrap();
    let fold = kernel(device, "test/fold", FOLD).unwrap();
    let fold = fold.bind(&[("Values", (&values).into()), ("Sums", (&sums).into())]).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    recorder.keep_work();
    recorder.clear(&values).unwrap();
    for count in [1000_u32, 1000, 64] {
        recorder.dispatch(&add, &[2_u32, count], [count, 1, 1]).unwrap();
    }
    recorder.dispatch(&fold, &1000_u32, [1000, 1, 1]).unwrap();
    let work = recorder.work();
    recorder.submit().unwrap();
    frames.finish().unwrap();

    assert_eq!(work.iter().map(|pass| &*pass.name).collect::<Vec<_>>(), ["clear", "test/add", "test/fold"]);
    assert_eq!((work[0].calls[0].0.extent, work[0].barriers.len()), (Extent::Transfer, 0));
    // 1000 invocations are 16 workgroups of 64.
    let dispatch = |groups| Extent::Dispatch { local_size: [64, 1, 1], groups: [groups, 1, 1] };
    let calls: Vec<_> = work[1].calls.iter().map(|(work, count)| (work.extent, *count)).collect();
    assert_eq!(calls, [(dispatch(16), 2), (dispatch(1), 1)]);
    assert_eq!(work[1].call_count(), 3);
    // The first comes after the clear, and the others after each other.
    let sources: Vec<_> = work[1].barriers.iter().map(|(barrier, count)| (barrier.source_stages, *count)).collect();
    assert_eq!(sources, [(vk::PipelineStageFlags2::ALL_TRANSFER, 1), (vk::PipelineStageFlags2::COMPUTE_SHADER, 2)]);
    let (fold, _) = &work[2].calls[0];
    assert_eq!(&*fold.shaders, ["test/fold.comp"]);
    let bound: Vec<_> =
        fold.bound.iter().map(|Bound { name, resource, access, .. }| (&**name, &**resource, *access)).collect();
    assert_eq!(bound, [("Values", "some values", Access::Read), ("Sums", "some sums", Access::Write)]);
}

#[test]
fn labels_cost_no_timestamps() {
    let validated = Validated::open();
    let device = &validated.device;
    let values = Buffer::zeroed(device, "values", 64).unwrap();
    let add = kernel(device, "add", SCALE_AND_ADD).unwrap().bind(&[("Values", (&values).into())]).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    // More than the 256 timestamps that a first recording has room for.
    for substep in 0..300 {
        let outcome = recorder.within(&OneOf("substep", substep, 300), |recorder| {
            recorder.dispatch_labelled(&"batch 1 of 2", &add, &[1_u32, 16], [16, 1, 1])?;
            recorder.dispatch_labelled(&"batch 2 of 2", &add, &[1_u32, 16], [16, 1, 1])
        });
        outcome.unwrap();
    }
    recorder.submit().unwrap();
    frames.finish().unwrap();
    let timing = frames.take_timings().next_back().flatten().expect("the recording has timestamps");
    let calls: Vec<_> = timing.passes.iter().map(|pass| (&*pass.name, pass.calls)).collect();
    assert_eq!(calls, [("add", 600)]);
}

#[test]
fn a_recording_with_more_passes_than_timestamps_is_timed_the_next_time() {
    let validated = Validated::open();
    let device = &validated.device;
    let values = Buffer::zeroed(device, "values", 64).unwrap();
    let bind = |name| kernel(device, name, SCALE_AND_ADD).unwrap().bind(&[("Values", (&values).into())]).unwrap();
    let (even, odd) = (bind("even"), bind("odd"));
    let mut frames = Frames::new(device, 1).unwrap();
    for _ in 0..2 {
        let mut recorder = frames.begin().unwrap();
        for call in 0..1000 {
            let bindings = if call % 2 == 0 { &even } else { &odd };
            recorder.dispatch(bindings, &[1_u32, 16], [16, 1, 1]).unwrap();
        }
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
    let timings: Vec<_> = frames.take_timings().collect();
    assert_eq!(timings[0], None);
    let calls: Vec<_> = timings[1].as_ref().unwrap().passes.iter().map(|pass| (&*pass.name, pass.calls)).collect();
    assert_eq!(calls, [("even", 500), ("odd", 500)]);
}

#[test]
fn whole_recordings_are_timed_without_their_passes() {
    let validated = Validated::open();
    let device = &validated.device;
    let values = Buffer::zeroed(device, "values", 4_000_000).unwrap();
    let bind = |name| kernel(device, name, SCALE_AND_ADD).unwrap().bind(&[("Values", (&values).into())]).unwrap();
    let passes = [bind("even"), bind("odd")];
    let mut frames = Frames::new(device, 1).unwrap();
    frames.time_whole_frames();
    // More runs than there is room for timestamps: the whole needs two.
    for calls in [1, 1000] {
        let mut recorder = frames.begin().unwrap();
        for call in 0..calls {
            recorder.dispatch(&passes[call % 2], &[1_u32, 100_000], [100_000, 1, 1]).unwrap();
        }
        recorder.submit().unwrap();
    }
    frames.begin().unwrap().submit().unwrap();
    frames.finish().unwrap();
    let timings: Vec<_> = frames.take_timings().map(|timing| timing.expect("timestamps")).collect();
    let [one, many, none] = &timings[..] else { panic!("three recordings: {timings:?}") };
    assert!(timings.iter().all(|timing| timing.passes.is_empty()));
    // The timestamps lie around all calls of a recording: a thousand of them take longer than one or none.
    assert!(none.gpu_ns < many.gpu_ns && 0 < one.gpu_ns && one.gpu_ns < many.gpu_ns, "{timings:?}");
}

#[test]
fn recordings_are_timed_now_and_then_where_they_are_sampled() {
    let validated = Validated::open();
    let device = &validated.device;
    let values = Buffer::zeroed(device, "values", 64).unwrap();
    let bind = |name| kernel(device, name, SCALE_AND_ADD).unwrap().bind(&[("Values", (&values).into())]).unwrap();
    let passes = [bind("even"), bind("odd")];
    let [every, whole_every] = [Frames::PASSES_EVERY, Frames::WHOLE_EVERY].map(|every| usize::try_from(every).unwrap());
    // Few, and more than there is room for at first.
    for calls in [2, 1000] {
        let mut frames = Frames::new(device, 2).unwrap();
        frames.sample();
        for _ in 0..2 * every + 1 {
            let mut recorder = frames.begin().unwrap();
            for call in 0..calls {
                recorder.dispatch(&passes[call % 2], &[1_u32, 16], [16, 1, 1]).unwrap();
            }
            recorder.submit().unwrap();
        }
        frames.finish().unwrap();
        let timings: Vec<_> = frames.take_timings().collect();
        let with_passes: Vec<usize> = (0..timings.len())
            .filter(|&index| timings[index].as_ref().is_some_and(|timing| !timing.passes.is_empty()))
            .collect();
        let untimed: Vec<usize> =
            (0..timings.len()).step_by(whole_every).filter(|&index| timings[index].is_none()).collect();
        if calls == 2 {
            assert_eq!((with_passes, untimed), (vec![0, every, 2 * every], vec![]));
        } else {
            // Recordings take turns in two places. What had no room is timed the next time in the same place; the second
            // place, where the sample after that lies, has no room either.
            assert_eq!((with_passes, untimed), (vec![2, every + 2, 2 * every], vec![0, every]));
        }
        let others = (0..timings.len()).filter(|index| index % whole_every != 0 && index % every != 2);
        assert!(others.into_iter().all(|index| timings[index].is_none()));
        assert!(timings.iter().flatten().all(|timing| timing.gpu_ns > 0));
    }
}

#[test]
fn timings_that_nobody_takes_are_kept_up_to_a_number() {
    let validated = Validated::open();
    let device = &validated.device;
    let values = Buffer::zeroed(device, "values", 4).unwrap();
    let mut frames = Frames::new(device, 2).unwrap();
    for number in 0..Frames::TIMINGS_KEPT + 3 {
        let mut recorder = frames.begin().unwrap();
        // The last one has two.
        for value in 0..if number == Frames::TIMINGS_KEPT + 2 { 2 } else { 1 } {
            recorder.update(&values, &[value]).unwrap();
        }
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
    let mut timings = frames.take_timings();
    let calls = timings.next_back().flatten().map(|timing| timing.passes.iter().map(|pass| pass.calls).sum::<u32>());
    assert_eq!((timings.len() + 1, calls), (Frames::TIMINGS_KEPT, Some(2)));
}

#[test]
fn what_is_in_use_outlives_its_last_owner() {
    let validated = Validated::open();
    let mut frames = Frames::new(&validated.device, 2).unwrap();
    for round in 1..=5_u32 {
        let values = Buffer::from_slice(&validated.device, "values", &vec![round; 100_000]).unwrap();
        let add = kernel(&validated.device, "add", SCALE_AND_ADD).unwrap();
        let bindings = add.bind(&[("Values", (&values).into())]).unwrap();
        let mut recorder = frames.begin().unwrap();
        recorder.dispatch(&bindings, &[1_u32, 100_000], [100_000, 1, 1]).unwrap();
        recorder.submit().unwrap();
        // Buffer, kernel and bindings are dropped here, while the device may still be at work.
    }
    // The ring is dropped with recordings in flight.
}

#[test]
fn a_dropped_recording_changes_nothing() {
    let validated = Validated::open();
    let device = &validated.device;
    let values = Buffer::from_slice(device, "values", &[7_u32; 16]).unwrap();
    let add = kernel(device, "add", SCALE_AND_ADD).unwrap().bind(&[("Values", (&values).into())]).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    recorder.dispatch(&add, &[0_u32, 16], [16, 1, 1]).unwrap();
    drop(recorder);
    let recorder = frames.begin().unwrap();
    recorder.submit().unwrap();
    frames.finish().unwrap();
    assert_eq!(values.read::<u32>().unwrap(), [7; 16]);
}

#[test]
fn data_makes_the_round_trip() {
    let validated = Validated::open();
    let device = &validated.device;
    let empty: [u32; 0] = [];
    let buffer = Buffer::from_slice(device, "empty", &empty).unwrap();
    assert_eq!(buffer.read::<u32>().unwrap(), empty);
    let buffer = Buffer::from_slice(device, "three", &[1_u32, 2, 3]).unwrap();
    buffer.write(&[9_u32]).unwrap();
    assert_eq!(buffer.read::<u32>().unwrap(), [9, 2, 3]);
    assert!(matches!(buffer.write(&[0_u32; 4]), Err(Error::SizeMismatch { held: 12, given: 16, .. })));
    let before: Vec<u32> = buffer.read().unwrap();
    let update =
        |offset, data: &[u32]| Frames::run_once(device, |recorder| recorder.update_from(&buffer, offset, data));
    update(4, &[70, 80]).unwrap();
    assert_eq!(buffer.read::<u32>().unwrap(), [before[0], 70, 80]);
    assert!(matches!(update(8, &[0; 2]), Err(Error::SizeMismatch { held: 12, given: 16, .. })));
    assert!(matches!(update(2, &[0]), Err(Error::SizeMismatch { held: 12, given: 6, .. })));

    let texels: Vec<[f32; 4]> = (0..15).map(|index| [index as f32, 0.5, -1.0, 1e30]).collect();
    let image = Image::new(device, "image", ImageKind::Storage, [5, 3]).unwrap();
    assert_eq!(image.read::<[f32; 4]>().unwrap(), vec![[0.0; 4]; 15]);
    image.write(&texels).unwrap();
    assert_eq!(image.read::<[f32; 4]>().unwrap(), texels);
    assert!(matches!(image.write(&texels[1..]), Err(Error::SizeMismatch { held: 240, given: 224, .. })));

    image.write_part([3, 1], [2, 2], &[[7.0_f32; 4]; 4]).unwrap();
    let inside = |index: usize| index % 5 >= 3 && index / 5 >= 1;
    let wanted = texels.iter().enumerate().map(|(index, &texel)| if inside(index) { [7.0; 4] } else { texel });
    assert_eq!(image.read::<[f32; 4]>().unwrap(), wanted.collect::<Vec<_>>());
    let outside = image.write_part([4, 1], [2, 1], &[[7.0_f32; 4]; 2]).unwrap_err().to_string();
    assert!(outside.contains("[2, 1] texels from [4, 1] on are not within"), "{outside}");
}

#[test]
fn what_does_not_fit_a_kernel_is_named() {
    let validated = Validated::open();
    let device = &validated.device;
    let values = Buffer::zeroed(device, "values", 64).unwrap();
    let image = Image::new(device, "image", ImageKind::Storage, [4, 4]).unwrap();
    let fold = kernel(device, "fold", FOLD).unwrap();
    let told = |result: Result<_, Error>| result.err().expect("it must not bind").to_string();
    let missing = told(fold.bind(&[("Values", (&values).into())]));
    assert!(missing.contains("'fold'") && missing.contains("'Sums' is missing"), "{missing}");
    let sums = ("Sums", (&values).into());
    let unknown = told(fold.bind(&[("Values", (&values).into()), sums, ("Total", (&values).into())]));
    assert!(unknown.contains("no 'Total', only 'Values', 'Sums'"), "{unknown}");
    let wrong_kind = told(fold.bind(&[("Values", (&image).into()), sums]));
    assert!(wrong_kind.contains("'Values' takes a StorageBuffer"), "{wrong_kind}");

    let bindings = fold.bind(&[("Values", (&values).into()), sums]).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    let wrong_push = recorder.dispatch(&bindings, &[1_u32, 2], [1, 1, 1]).unwrap_err().to_string();
    assert!(wrong_push.contains("take 4 bytes, and 8 were given"), "{wrong_push}");
}

#[test]
fn limits_are_checked_before_vulkan_sees_them() {
    let validated = Validated::open();
    let device = &validated.device;
    let limits = device.limits();
    let over = |result: Result<(), Error>, name: &str| match result {
        Err(Error::OverLimit { limit_name, needed, limit, .. }) => {
            assert_eq!(limit_name, name);
            assert!(needed > limit);
        }
        other => panic!("{name}: {other:?}"),
    };
    let extent = [limits.max_image_dimension2_d + 1, 1];
    over(Image::new(device, "wide", ImageKind::Storage, extent).map(drop), "maxImageDimension2D");

    let shared = limits.max_compute_shared_memory_size / 4 + 1;
    let source = format!(
        "#version 450
        layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer Values {{ float values[]; }};
        shared float tile[{shared}];
        void main() {{
            tile[gl_LocalInvocationIndex] = values[0];
            barrier();
            values[gl_LocalInvocationIndex] = tile[63 - gl_LocalInvocationIndex];
        }}"
    );
    over(kernel(device, "tile", &source).map(drop), "maxComputeSharedMemorySize");
    // The compiler itself takes at most 1024 in one direction.
    let rows = limits.max_compute_work_group_invocations / 1024 + 1;
    let source = format!("#version 450\nlayout(local_size_x = 1024, local_size_y = {rows}) in;\nvoid main() {{}}");
    over(kernel(device, "wide", &source).map(drop), "maxComputeWorkGroupInvocations");

    let values = Buffer::zeroed(device, "values", 64).unwrap();
    let source = SCALE_AND_ADD.replace("64", "1");
    let add = kernel(device, "add", &source).unwrap().bind(&[("Values", (&values).into())]).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    if let Some(groups) = limits.max_compute_work_group_count[1].checked_add(1) {
        over(recorder.dispatch(&add, &[1_u32, 16], [1, groups, 1]), "maxComputeWorkGroupCount");
    }
}

#[test]
fn a_buffer_is_bound_in_parts_where_one_binding_does_not_take_it() {
    let limits =
        SmallerLimits { storage_buffer_range: 1000, storage_buffer_alignment: 100, ..SmallerLimits::default() };
    let validated = Validated::smaller(&limits);
    let device = &validated.device;
    let numbers: Vec<u32> = (0..400).collect();
    let values = Buffer::from_slice(device, "values", &numbers).unwrap();
    assert_eq!(values.read::<u32>().unwrap(), numbers);
    let add = kernel(device, "add", SCALE_AND_ADD).unwrap();
    let bind = |resource| add.bind(&[("Values", resource)]).map(drop).map_err(|error| error.to_string());
    let over = |bytes| {
        Err(format!(
            "the buffer 'values', bound at once as 'Values' of the pass 'add', needs {bytes} bytes, and the device's limit is \
             1000 (Vulkan's maxStorageBufferRange): use less data"
        ))
    };
    assert_eq!(bind((&values).into()), over(1600));
    assert_eq!(bind(values.part(0..1004)), over(1004));
    // 100 is rounded up to a power of two; a device may ask for more.
    let alignment = device.limits().min_storage_buffer_offset_alignment;
    assert!(alignment >= 128);
    for (first, size) in [(64, 64), (1024, 640), (1536, 0)] {
        let told = bind(values.part(first..first + size)).unwrap_err();
        let expected = format!(
            "'Values' takes a part of the 1600 bytes of 'values' that starts at a multiple of {alignment}, not {size} bytes \
             from {first} on"
        );
        assert!(told.contains(&expected), "{told}");
    }

    // 3 values[i] + i of the elements of a part, counted within it.
    let part = add.bind(&[("Values", values.part(512..1504))]).unwrap();
    Frames::run_once(device, |recorder| recorder.dispatch(&part, &[3_u32, 248], [248, 1, 1])).unwrap();
    let expected = numbers.iter().map(|&n| if (128..376).contains(&n) { 3 * n + n - 128 } else { n });
    assert_eq!(values.read::<u32>().unwrap(), expected.collect::<Vec<_>>());
}

#[test]
fn what_travels_in_pieces_arrives_whole() {
    let validated = Validated::open();
    // More than two pieces of 64 MiB, whose ends lie within elements.
    let written: Vec<[u32; 3]> =
        (0..11_200_000_u32).map(|number| [number, !number, number.wrapping_mul(7919)]).collect();
    let buffer = Buffer::from_slice(&validated.device, "large", &written).unwrap();
    assert!(buffer.read::<[u32; 3]>().unwrap() == written);
}

#[test]
fn what_is_no_compute_shader_is_refused() {
    let validated = Validated::open();
    let device = &validated.device;
    let refused = |words: &[u32]| Kernel::new(device, &ShaderCode { name: "junk", words }).err().unwrap().to_string();
    assert!(refused(&[]).contains("'junk'"));
    assert!(refused(&[1, 2, 3, 4, 5, 6]).contains("magic number"));
    let whole = compile(SCALE_AND_ADD);
    assert!(refused(&whole[..whole.len() - 1]).contains("truncated"));
    assert!(refused(shaders::VIEW_FLOOR_VERT.words).contains("one GLCompute shader"));
}

#[test]
fn access_is_read_out_of_the_shader() {
    let binding = |binding, name: &str, kind, access| Binding { binding, name: name.into(), kind, access };
    let solve = reflect(shaders::PBD_SOLVE.words).unwrap();
    assert_eq!(
        solve.bindings,
        [
            binding(0, "Positions", BindingKind::StorageBuffer, Access::ReadWrite),
            binding(1, "Constraints", BindingKind::StorageBuffer, Access::Read),
            binding(2, "Lambdas", BindingKind::StorageBuffer, Access::ReadWrite),
            binding(4, "PbdParameters", BindingKind::UniformBuffer, Access::Read),
        ]
    );
    assert_eq!((solve.local_size, solve.push_constant_size, solve.shared_memory), ([256, 1, 1], 12, 0));
    let step = reflect(shaders::VERLET_STEP.words).unwrap();
    assert_eq!(
        step.bindings[..3],
        [
            binding(0, "u_PrevPos", BindingKind::StorageImage, Access::Read),
            binding(1, "u_CurrPos", BindingKind::StorageImage, Access::Read),
            binding(2, "u_NextPos", BindingKind::StorageImage, Access::Write),
        ]
    );
    assert_eq!(step.local_size, [16, 16, 1]);
}

/// Each workgroup turns its own part of values around, through memory of 16 values more than it needs.
const TURN_AROUND: &str = "#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SPARE = 4;
layout(std430, binding = 0) buffer Values { uint values[]; };
shared uint part[gl_WorkGroupSize.x + 2 * SPARE];
void main() {
    part[gl_WorkGroupSize.x - 1 - gl_LocalInvocationID.x + SPARE] = values[gl_GlobalInvocationID.x];
    barrier();
    values[gl_GlobalInvocationID.x] = part[gl_LocalInvocationID.x + SPARE];
}";

#[test]
fn a_kernel_is_specialised_by_constants() {
    let validated = Validated::open();
    let device = &validated.device;
    let words = compile(TURN_AROUND);
    let code = ShaderCode { name: "turn_around", words: &words };
    for size in [1, 8, 32] {
        let reflection = reflect_specialised(&words, &[size, 8]).unwrap();
        assert_eq!((reflection.local_size, reflection.shared_memory), ([size, 1, 1], 4 * (size + 16)));
        let values = Buffer::from_slice(device, "values", &(0..64).collect::<Vec<u32>>()).unwrap();
        let kernel = Kernel::specialised(device, &code, &[size, 8]).unwrap();
        assert_eq!(kernel.local_size(), [size, 1, 1]);
        let turn = kernel.bind(&[("Values", (&values).into())]).unwrap();
        Frames::run_once(device, |recorder| recorder.dispatch(&turn, &(), [64, 1, 1])).unwrap();
        let turned = (0..64 / size).flat_map(|group| (size * group..size * (group + 1)).rev());
        assert_eq!(values.read::<u32>().unwrap(), turned.collect::<Vec<_>>());
    }
    let refused = |constants: &[u32]| Kernel::specialised(device, &code, constants).err().unwrap();
    assert!(matches!(refused(&[1 << 20, 8]), Error::OverLimit { unit: "invocations", .. }));
    let limit = device.limits().max_compute_shared_memory_size;
    assert!(matches!(refused(&[1, limit / 8]), Error::OverLimit { unit: "bytes", .. }));
    assert!(refused(&[1, 8, 3]).to_string().contains("no constant with constant_id = 2"));
}

/// Each invocation gets the value of the next one in its subgroup.
const HAND_ON: &str = "#version 450
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) buffer Values { uint values[]; };
void main() {
    uint next = (gl_SubgroupInvocationID + 1) % gl_SubgroupSize;
    uint place = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    values[place] = subgroupShuffle(values[place], next);
}";

#[test]
fn subgroups_are_full_and_of_one_size() {
    let validated = Validated::open();
    let device = &validated.device;
    let words = compile(HAND_ON);
    let code = ShaderCode { name: "hand_on", words: &words };
    assert!(reflect(&words).unwrap().uses_subgroups && !reflect(&compile(TURN_AROUND)).unwrap().uses_subgroups);
    let refused = |size: u32| Kernel::specialised(device, &code, &[size]).err().unwrap();
    let Some(size) = device.subgroup_size() else {
        assert!(matches!(refused(32), Error::DeviceLacks { .. }));
        return;
    };
    let count = 4 * size;
    for workgroup in [size, 2 * size] {
        let values = Buffer::from_slice(device, "values", &(0..count).collect::<Vec<u32>>()).unwrap();
        let hand_on = Kernel::specialised(device, &code, &[workgroup]).unwrap();
        let hand_on = hand_on.bind(&[("Values", (&values).into())]).unwrap();
        Frames::run_once(device, |recorder| recorder.dispatch(&hand_on, &(), [count, 1, 1])).unwrap();
        let handed = (0..count).map(|place| place / size * size + (place + 1) % size);
        assert_eq!(values.read::<u32>().unwrap(), handed.collect::<Vec<_>>());
    }
    let part = refused(size / 2 + size).to_string();
    assert!(part.contains(&format!("no multiple of a subgroup of {size}")), "{part}");
    assert!(matches!(refused(1 << 20), Error::OverLimit { .. }));
}

#[test]
fn an_image_with_levels_is_written_all_at_once() {
    let validated = Validated::open();
    let image = Image::new(&validated.device, "levels", ImageKind::Mipmapped, [5, 2]).unwrap();
    // 5 x 2, 2 x 1 and 1 x 1 texels of 4 bytes.
    assert_eq!(image.byte_size(), 4 * (10 + 2 + 1));
    image.write(&[[0_u8; 4]; 13]).unwrap();
    let said = image.write(&[[0_u8; 4]; 10]).unwrap_err();
    assert!(matches!(said, Error::SizeMismatch { held: 52, given: 40, .. }), "{said}");
    let said = image.write_part([0, 0], [1, 1], &[[0_u8; 4]]).unwrap_err();
    assert!(matches!(said, Error::Binding { .. }), "{said}");
}
