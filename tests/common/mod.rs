//! What GPU tests share: a device with validation on, whose every message is a failed test, and scenes that run on it.

#![allow(dead_code)]

use std::path::Path;
use std::sync::OnceLock;

use glam::Vec4;
use tautline::engine::{Device, Frames, Instance, InstanceOptions, SmallerLimits};
use tautline::scene::Scene;
use tautline::solver::{Simulation, Solver};

/// A device under validation. When it is dropped, the test fails if the validation layer, its synchronization
/// validation or the recorder's own race check has said anything, also of the device's end where the test keeps nothing
/// of it longer.
pub struct Validated {
    // Fields are dropped in this order.
    pub device: Device,
    _silence: Silence,
}

struct Silence(Instance);

impl Validated {
    pub fn open() -> Self {
        Self::smaller(&SmallerLimits::default())
    }

    /// Held to the limits of a smaller device.
    pub fn smaller(limits: &SmallerLimits) -> Self {
        // Software drivers and layers are not made to be unloaded and loaded again while other threads work with them: one
        // instance that is never dropped keeps them in the process.
        static KEPT: OnceLock<Instance> = OnceLock::new();
        let options = InstanceOptions { validation: true, ..Default::default() };
        KEPT.get_or_init(|| Instance::new(&options).expect("Vulkan, which tools/setup --test installs"));
        let instance = Instance::new(&options)
            .expect("GPU tests need Vulkan and its validation layer, which tools/setup --test installs");
        let device = Device::open_smaller(&instance, None, limits).expect("a Vulkan device");
        Self { device, _silence: Silence(instance) }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        let messages = self.0.validation_messages();
        if !std::thread::panicking() {
            assert!(messages.is_empty(), "validation said:\n{}", messages.join("\n"));
        }
    }
}

/// A tent of two triangles, for the preset that has no mesh of its own.
pub const TENT: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nf 1 2 3\nf 1 3 4\n";

/// A mesh of as many vertices a row, 0.1 m apart, and as many rows, each below the one before it.
pub fn sheet([columns, rows]: [u32; 2]) -> String {
    let place =
        |index: u32| format!("v {} {} 0\n", f64::from(index % columns) / 10.0, -f64::from(index / columns) / 10.0);
    let quad = |a: u32| format!("f {a} {} {} {}\n", a + columns, a + columns + 1, a + 1);
    let corners = (1..columns * (rows - 1)).filter(|a| a % columns != 0);
    (0..columns * rows).map(place).chain(corners.map(quad)).collect()
}

/// A preset or a file with single keys set.
pub fn load(source: impl AsRef<Path>, settings: &[(&str, &str)]) -> Scene {
    let settings: Vec<_> = settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scene::load(source, &settings).unwrap()
}

/// A scene on the device, or on the CPU and drawn by the device.
pub fn start(device: &Device, scene: &Scene, on_cpu: bool) -> Simulation {
    if on_cpu { scene.cpu_simulation().unwrap().on_device(device).unwrap() } else { scene.simulation(device).unwrap() }
}

/// Runs steps, each a recording of its own, and waits for the last.
pub fn run(device: &Device, simulation: &mut Simulation, steps: u32) {
    let mut frames = Frames::new(device, 2).unwrap();
    for _ in 0..steps {
        let mut recorder = frames.begin().unwrap();
        simulation.record(&mut recorder).unwrap();
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
}

/// As [`run`], with a solver by itself, from time 0 on.
pub fn run_solver(device: &Device, solver: &mut dyn Solver, dt: f32, steps: u32) {
    let mut frames = Frames::new(device, 2).unwrap();
    for number in 0..steps {
        let mut recorder = frames.begin().unwrap();
        solver.record(&mut recorder, f64::from(number) * f64::from(dt)).unwrap();
        recorder.submit().unwrap();
    }
    frames.finish().unwrap();
}

/// The bits of vectors, in which 0 and -0 differ and a NaN is itself.
pub type Bits = Vec<[u32; 4]>;

pub fn bits(vectors: &[Vec4]) -> Bits {
    vectors.iter().map(|vector| vector.to_array().map(f32::to_bits)).collect()
}

/// Numbers that look random and are the same in every run (Numerical Recipes' linear congruential generator).
pub struct Random(pub u32);

impl Random {
    /// In \[-1, 1).
    pub fn signed(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}
