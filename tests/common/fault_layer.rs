//! The Vulkan layer that has calls fail, tests/fault_layer/layer.rs, compiled and put into a folder of its own.

#![allow(dead_code)] // Each test binary uses its part of this.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

pub const DEVICE_LOST: i32 = -4;
pub const OUT_OF_HOST_MEMORY: i32 = -1;
pub const OUT_OF_DEVICE_MEMORY: i32 = -2;

pub struct FaultLayer(TempDir);

impl FaultLayer {
    pub fn compile() -> Self {
        let layer = tempfile::tempdir().unwrap();
        let library = layer.path().join("layer.so");
        let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        compiler.args(["--edition", "2024", "--crate-type", "cdylib", "-D", "warnings", "-o"]).arg(&library);
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fault_layer/layer.rs");
        assert!(compiler.arg(source).status().expect("rustc, which compiled this test").success());
        let manifest = serde_json::json!({ "file_format_version": "1.1.2", "layer": {
            "name": "VK_LAYER_TAUTLINE_faults",
            "type": "GLOBAL",
            "library_path": library,
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "Calls that fail when a test says so",
        }});
        fs::write(layer.path().join("faults.json"), manifest.to_string()).unwrap();
        Self(layer)
    }

    /// Where it reads which calls are to fail, as `call result count` in lines.
    pub fn faults(&self) -> PathBuf {
        self.0.path().join("faults")
    }

    /// Says which calls are to fail, whole, as a program may read it at any time.
    pub fn fail(&self, lines: &str) {
        let new = self.0.path().join("new");
        fs::write(&new, lines).unwrap();
        fs::rename(&new, self.faults()).unwrap();
    }

    /// The variables with which a program has it between itself and the driver.
    pub fn environment(&self) -> [(&'static str, String); 3] {
        let faults = self.faults();
        [
            ("VK_ADD_LAYER_PATH", self.0.path().display().to_string()),
            ("VK_INSTANCE_LAYERS", "VK_LAYER_TAUTLINE_faults".into()),
            ("TAUTLINE_FAULTS", faults.display().to_string()),
        ]
    }
}
