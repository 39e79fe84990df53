//! Runs without a window where Vulkan has no memory or loses its device: a sentence, and nothing lost that was finished.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/fault_layer.rs"]
mod fault_layer;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use fault_layer::{DEVICE_LOST, FaultLayer, OUT_OF_DEVICE_MEMORY, OUT_OF_HOST_MEMORY};

const FLAG: [&str; 7] = ["flag", "--set", "columns=40", "--set", "rows=30", "--frames", "150"];

/// A program on the device, in a folder of its own.
fn program(path: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(path);
    command.current_dir(folder).args(FLAG).args(arguments).stdin(Stdio::null());
    command
}

/// What a run says that fails.
fn sentence(output: &Output) -> String {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.starts_with("error: ") && told.lines().count() == 1 && !told.contains("panicked"), "{told}");
    told
}

#[test]
fn a_run_without_memory_or_device_ends_with_a_sentence_and_no_file() {
    let layer = FaultLayer::compile();
    for (call, result, says) in [
        ("vkAllocateMemory", OUT_OF_DEVICE_MEMORY, "no memory for"),
        ("vkAllocateMemory", OUT_OF_HOST_MEMORY, "no memory for"),
        ("vkCreateBuffer", OUT_OF_DEVICE_MEMORY, "vkCreateBuffer found no memory on the device: use less data"),
        ("vkCreateBuffer", OUT_OF_HOST_MEMORY, "vkCreateBuffer found no memory on the host: use less data"),
        ("vkCreateDevice", DEVICE_LOST, "the Vulkan device was lost during vkCreateDevice"),
        ("vkQueueSubmit2", DEVICE_LOST, "the Vulkan device was lost during vkQueueSubmit2"),
        ("vkWaitSemaphores", DEVICE_LOST, "the Vulkan device was lost during vkWaitSemaphores"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        layer.fail(&format!("{call} {result} 1\n"));
        let arguments = ["--headless", "--image", "it.png", "--report", "it.json"];
        let mut command = program(env!("CARGO_BIN_EXE_viewer"), folder.path(), &arguments);
        let told = sentence(&command.envs(layer.environment()).output().unwrap());
        println!("{call}, {result}: {told}");
        assert!(told.contains(says), "{call}, {result}: {told}");
        assert_eq!(fs::read_to_string(layer.faults()).unwrap(), "", "{call} has not been called");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{call}, {result}: a file is left");
    }
}

/// What a bake has written before its device is lost, it goes on from, to the same bytes.
#[test]
fn a_bake_goes_on_after_its_device_was_lost() {
    let layer = FaultLayer::compile();
    let [straight, broken] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    let bake =
        |folder: &Path| program(env!("CARGO_BIN_EXE_bake"), folder, &["--output", "it.pc2", "--checkpoint", "0"]);
    assert!(bake(straight.path()).output().unwrap().status.success());
    let mut lossy = bake(broken.path());
    let child = lossy.envs(layer.environment()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (checkpoint, begun) = (broken.path().join(".it.pc2.checkpoint"), Instant::now());
    while !checkpoint.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    layer.fail(&format!("vkQueueSubmit2 {DEVICE_LOST} 1\n"));
    let told = sentence(&child.wait_with_output().unwrap());
    assert!(told.contains("the Vulkan device was lost during vkQueueSubmit2"), "{told}");
    assert!(checkpoint.exists() && !broken.path().join("it.pc2").exists());
    let output = bake(broken.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let [straight, broken] = [straight, broken].map(|folder| fs::read(folder.path().join("it.pc2")).unwrap());
    assert!(straight == broken, "other bytes");
}
