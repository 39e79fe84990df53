//! A steady run takes no memory on the thread that records it. What drivers take is not counted: they are not Rust.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::load;
use tautline::engine::{Device, Frames, Instance, InstanceOptions};

/// Counts what each thread takes.
struct Counting;

thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    TAKEN.with(|taken| taken.set(taken.get() + 1));
}

#[expect(unsafe_code, reason = "an allocator is")]
// SAFETY: all of it is the system's allocator; counting takes no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller vouches for the layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller vouches for the pointer, the layout and the size.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller vouches for the pointer and the layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often a run of so many frames takes memory.
fn taken(frames: &mut Frames, simulation: &mut tautline::solver::Simulation, count: u32) -> u64 {
    let before = TAKEN.get();
    for _ in 0..count {
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        recorder.submit().unwrap();
        frames.take_timings();
    }
    TAKEN.get() - before
}

#[test]
fn the_second_hundred_frames_take_no_memory() {
    let instance = Instance::new(&InstanceOptions::default()).unwrap();
    let device = Device::open(&instance, None, false).unwrap();
    let ball = "[{shape = \"sphere\", radius = 0.2, path = [[0, 0, -1, 0], [1, 0, 0, 0]]}]";
    let carried = [("pins", "none"), ("pin", "[{row = 0, path = [[0, 0, 0, 0], [1, 0.5, 0, 0]]}]")];
    let with = |preset: &str, settings: &[(&str, &str)]| {
        let small = [("columns", "12"), ("rows", "10")];
        load(preset, &[&small[..], settings].concat())
    };
    let scenes = [
        with("flag", &[]),
        with("flag", &[("path", "fused")]),
        with("flag", &[("collider", ball)]),
        with("flag", &[&carried[..], &[("air_density", "1.2")]].concat()),
        with("verlet", &[]),
        with("verlet", &[("storage", "buffers")]),
        with("curtain", &[("solver", "mass-spring"), ("allow_unstable", "true")]),
        load("ropes", &[("rope_count", "3"), ("rope_columns", "1")]),
    ];
    for scene in &scenes {
        for replays in [true, false] {
            let mut simulation = scene.simulation(&device).unwrap();
            let mut frames = Frames::new(&device, 2).unwrap();
            // Times of passes are given out as lists, which take memory.
            frames.time_whole_frames();
            if !replays {
                frames.record_anew();
            }
            let first = taken(&mut frames, &mut simulation, 100);
            assert!(first > 0, "nothing is counted");
            let made = frames.recordings_made();
            assert_eq!(taken(&mut frames, &mut simulation, 100), 0, "{} by {}, {replays}", scene.name, scene.solver);
            assert_eq!(frames.recordings_made(), made, "{} by {}", scene.name, scene.solver);
        }
    }
}
