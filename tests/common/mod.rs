//! What GPU tests share: a device with validation on, whose every message is a failed test.

#![allow(dead_code)]

use std::sync::OnceLock;

use tautline::engine::{Device, Instance, InstanceOptions};

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
        // Software drivers and layers are not made to be unloaded and loaded again while other threads work with them: one
        // instance that is never dropped keeps them in the process.
        static KEPT: OnceLock<Instance> = OnceLock::new();
        let options = InstanceOptions { validation: true, ..Default::default() };
        KEPT.get_or_init(|| Instance::new(&options).expect("Vulkan, which tools/setup --test installs"));
        let instance = Instance::new(&options)
            .expect("GPU tests need Vulkan and its validation layer, which tools/setup --test installs");
        let device = Device::open(&instance, None, false).expect("a Vulkan device");
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

/// Numbers that look random and are the same in every run (Numerical Recipes' linear congruential generator).
pub struct Random(pub u32);

impl Random {
    /// In \[-1, 1).
    pub fn signed(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}
