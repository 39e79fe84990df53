//! Pictures and videos as others read them: PNG by the crate of that name, MP4 by ffmpeg and ffprobe.

#![allow(dead_code)] // Each test binary uses its part of this.

use std::fs::{self, File};
use std::io::BufReader;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Puts a script named ffmpeg into `folder`, and returns a `PATH` in which it comes first.
pub fn path_with_ffmpeg(folder: &Path, script: &str) -> String {
    let program = folder.join("ffmpeg");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// Where the ffmpeg of this machine is.
pub fn real_ffmpeg() -> String {
    let output = Command::new("sh").args(["-c", "command -v ffmpeg"]).output().unwrap();
    assert!(output.status.success(), "there is no ffmpeg, see tools/setup --test");
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

/// A script that is ffmpeg on a disk with no more than some kilobytes left: larger files cannot be written.
pub fn ffmpeg_on_a_full_disk() -> String {
    format!("trap '' XFSZ; ulimit -f 8; exec {} \"$@\"", real_ffmpeg())
}

/// A picture of 8-bit sRGB.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub extent: [usize; 2],
    pub rgb: Vec<[u8; 3]>,
}

impl Picture {
    pub fn read(path: &Path) -> Self {
        let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut decoder = png::Decoder::new(BufReader::new(file));
        // Also of those with a palette.
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let rgb = bytes.chunks_exact(info.color_type.samples()).map(|texel| [texel[0], texel[1], texel[2]]).collect();
        Self { extent: [info.width as usize, info.height as usize], rgb }
    }

    /// Luma by BT.709, 0 to 255.
    pub fn luma(&self) -> Vec<f64> {
        let luma = |[red, green, blue]: &[u8; 3]| {
            0.2126 * f64::from(*red) + 0.7152 * f64::from(*green) + 0.0722 * f64::from(*blue)
        };
        self.rgb.iter().map(luma).collect()
    }
}

/// The numbered pictures in a folder, and nothing but those.
pub fn pictures(folder: &Path) -> Vec<Picture> {
    let count = fs::read_dir(folder).unwrap().count();
    (1..=count).map(|number| Picture::read(&folder.join(format!("{number:06}.png")))).collect()
}

/// A decoded video.
pub struct Video {
    pub extent: [usize; 2],
    pub rate: String,
    pub color_space: String,
    pub seconds: f64,
    /// Luma of each frame, 0 to 255.
    pub frames: Vec<Vec<f64>>,
}

impl Video {
    pub fn read(path: &Path) -> Self {
        let of = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            let output = command.args(["-v", "error"]).args(arguments).output();
            let output = output.unwrap_or_else(|error| panic!("{program}, see tools/setup --test: {error}"));
            assert!(output.status.success() && output.stderr.is_empty(), "{}: {output:?}", path.display());
            output.stdout
        };
        let name = path.to_str().unwrap();
        let entries = "stream=width,height,pix_fmt,color_space,r_frame_rate:format=duration";
        let told = of("ffprobe", &["-show_entries", entries, "-of", "default=noprint_wrappers=1", name]);
        let told = String::from_utf8(told).unwrap();
        let entry = |key: &str| {
            let value = told.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            value.unwrap_or_else(|| panic!("no {key} in {told}")).to_string()
        };
        // What every player plays.
        assert_eq!(entry("pix_fmt"), "yuv420p");
        let extent = ["width", "height"].map(|side| entry(side).parse().unwrap());
        let luma = of("ffmpeg", &["-i", name, "-f", "rawvideo", "-pix_fmt", "gray", "-"]);
        let frames = luma.chunks_exact(extent[0] * extent[1]);
        let frames = frames.map(|frame| frame.iter().map(|&luma| f64::from(luma)).collect()).collect();
        let seconds = entry("duration").parse().unwrap();
        Self { extent, rate: entry("r_frame_rate"), color_space: entry("color_space"), seconds, frames }
    }
}

/// Peak signal-to-noise ratio of 8-bit values \[dB\].
pub fn signal_to_noise(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    let error: f64 = left.iter().zip(right).map(|(left, right)| (left - right).powi(2)).sum();
    10.0 * (255.0 * 255.0 * left.len() as f64 / error).log10()
}
