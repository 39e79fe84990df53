//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Parser;
use tautline::engine::{Device, Error, Instance, InstanceOptions};
use tautline::io::cache::CacheFormat;

use crate::backend::Backend;
use crate::scene_options::SceneOptions;

/// Simulates a scene and writes where its vertices are in each frame, for Blender, Houdini, Maya, USD and Python.
///
/// The first of N frames is the start, at 0 s, and the last is (N - 1) / F seconds later. Vertices have the order, the
/// unit and the axes of their file. What is interrupted goes on with the same command and ends in the same bytes.
#[derive(Debug, Parser)]
#[command(name = "bake", version, allow_negative_numbers = true)]
pub struct Arguments {
    /// A preset, a scene file (.toml) or a mesh (.obj, .gltf, .glb, .ply or .stl) that is hung up, as in
    /// the viewer
    pub scene: OsString,

    /// How many frames to write; the first is the start
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub frames: u32,

    /// Frames a second, from 0.1 to 1000
    #[arg(long, value_name = "F", default_value_t = 24.0, value_parser = frame_rate)]
    pub fps: f64,

    /// pc2, mdd, usda, obj, ply, gltf or npz; else by the ending of the output
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<CacheFormat>,

    /// Where to write; obj and ply are a file for each frame: a folder/, or a name as in cloth.####.obj
    #[arg(long, value_name = "PATH")]
    pub output: PathBuf,

    #[command(flatten)]
    pub changes: SceneOptions,

    /// What computes: the Vulkan device, or the CPU, which needs no Vulkan
    #[arg(long, value_enum, default_value_t = Backend::Gpu)]
    pub backend: Backend,

    /// Device to run on: its index, or part of its name; else TAUTLINE_DEVICE, else the best one
    #[arg(long, value_name = "NAME|INDEX")]
    pub device: Option<String>,

    /// Turns on the Vulkan validation layer and fails if it, or the engine's own race check, has anything to say
    #[arg(long)]
    pub validate: bool,

    /// Replaces what is there
    #[arg(long)]
    pub force: bool,

    /// Begins anew where a bake was interrupted, and replaces what is there
    #[arg(long)]
    pub restart: bool,

    /// How often to keep what a bake that is killed goes on from, which waits for the device once
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub checkpoint: Duration,
}

impl Arguments {
    /// What is to be written.
    pub fn format(&self) -> Result<CacheFormat> {
        let ending = || self.output.extension()?.to_str();
        self.format.map_or_else(
            || format(ending().unwrap_or_default()).map_err(|expected| anyhow!("--format is missing: {expected}")),
            Ok,
        )
    }

    /// The device that was asked for, or the best one; none where the CPU computes.
    pub fn open_device(&self) -> Result<Option<Device>> {
        if self.backend == Backend::Cpu {
            return Ok(None);
        }
        let options = InstanceOptions { validation: self.validate, ..Default::default() };
        let opened =
            Instance::new(&options).and_then(|instance| Device::open(&instance, self.device.as_deref(), false));
        opened.map(Some).map_err(|error| match error {
            Error::NoLoader { .. } | Error::OldLoader { .. } | Error::NoDevice | Error::NoUsableDevice { .. } => {
                anyhow!("{error}; or bake with --backend cpu, which needs no Vulkan")
            }
            other => other.into(),
        })
    }
}

fn format(text: &str) -> Result<CacheFormat, String> {
    let named = CacheFormat::ALL.into_iter().find(|format| text.eq_ignore_ascii_case(format.ending()));
    named.ok_or_else(|| format!("it has to be one of {}", CacheFormat::ALL.map(CacheFormat::ending).join(", ")))
}

fn frame_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.1..=1000.0).contains(rate));
    rate.ok_or_else(|| "it has to be a number from 0.1 to 1000".into())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "it has to be a number of seconds from 0 to 86400".into())
}
