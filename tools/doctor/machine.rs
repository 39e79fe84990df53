//! What a machine has for the viewer.

use std::fmt::Write as _;
use std::{env, fs};

use tautline::engine::{Device, DeviceInfo, Error, Instance, InstanceOptions, LoaderInfo};

use crate::display::open_display;
use crate::program::is_on_path;

/// A text for bug reports, and whether the viewer can run here.
pub fn report(device: Option<&str>) -> (String, bool) {
    let mut report = Report::default();
    report.line("tautline", &format!("{} on {}", env!("CARGO_PKG_VERSION"), system()));
    report.vulkan(device);
    report.tools();
    report.end()
}

/// Lines so far, and what is missing.
#[derive(Default)]
struct Report {
    text: String,
    /// Without these nothing runs.
    needs: Vec<String>,
    /// With these there would be more.
    could_have: Vec<String>,
}

impl Report {
    fn line(&mut self, name: &str, value: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{name:<12}{value}");
    }

    fn vulkan(&mut self, device: Option<&str>) {
        match LoaderInfo::find() {
            Ok(LoaderInfo { version, layers }) => {
                self.line("loader", &format!("Vulkan {version}"));
                for (name, version) in &layers {
                    self.line("layer", &format!("{name} {version}"));
                }
                let has = |wanted: &str| layers.iter().any(|(name, _)| name == wanted);
                if !has("VK_LAYER_KHRONOS_validation") {
                    let layer = "vulkan-validationlayers (for --validate and the tests)";
                    self.could_have.push(layer.into());
                }
                let capture = has("VK_LAYER_RENDERDOC_Capture");
                self.line("RenderDoc", if capture { "there" } else { "not found" });
                if !capture {
                    self.could_have.push("renderdoc (to look at captures)".into());
                }
            }
            Err(error) => self.lacks("loader", &error),
        }
        if !self.needs.is_empty() {
            return;
        }
        match Instance::new(&InstanceOptions::default()).and_then(|instance| Ok((instance.devices()?, instance))) {
            Ok((devices, instance)) => self.devices(&instance, &devices, device),
            Err(error) => self.lacks("devices", &error),
        }
    }

    fn devices(&mut self, instance: &Instance, devices: &[DeviceInfo], asked: Option<&str>) {
        let chosen = Device::open(instance, asked, false);
        for info in devices {
            let is_chosen = chosen.as_ref().is_ok_and(|device| device.info().index == info.index);
            self.line("device", &format!("{info}{}", if is_chosen { ", chosen" } else { "" }));
            for (name, value) in instance.facts(info) {
                self.line("", &format!("{name}: {value}"));
            }
        }
        if let Err(error) = chosen {
            self.lacks("device", &error);
        }
    }

    fn tools(&mut self) {
        let ffmpeg = is_on_path("ffmpeg");
        self.line("ffmpeg", if ffmpeg { "there" } else { "not found" });
        if !ffmpeg {
            self.could_have.push("ffmpeg (for videos as MP4; without it they are folders of PNG pictures)".into());
        }
        let display = match open_display() {
            Ok(_) => "there".to_string(),
            Err(reason) => format!("none ({reason}): scenes run headless"),
        };
        self.line("display", &display);
    }

    fn lacks(&mut self, name: &str, error: &Error) {
        self.line(name, &error.to_string());
        self.needs.push(error.to_string());
    }

    fn end(mut self) -> (String, bool) {
        for one in std::mem::take(&mut self.could_have) {
            self.line("could have", &one);
        }
        let is_ready = self.needs.is_empty();
        if is_ready {
            self.text += "ready\n";
        } else {
            self.text += "not ready: a Vulkan driver is missing. Install the one of the graphics card, or Mesa's, which also has \
                          one in software: `apt-get install libvulkan1 mesa-vulkan-drivers` on Debian and Ubuntu. Without any, \
                          `viewer --headless --backend cpu` runs on the CPU\n";
        }
        (self.text, is_ready)
    }
}

/// The operating system, as it calls itself.
fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).map(|name| name.trim_matches('"'));
    format!("{} ({} {})", name.unwrap_or(env::consts::OS), env::consts::OS, env::consts::ARCH)
}
