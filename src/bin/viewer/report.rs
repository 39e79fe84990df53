//! What a run reports: who ran what, how long each pass took, and where the particles ended.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use tautline::engine::{DeviceInfo, FrameTiming};
use tautline::glam::Vec4;
use tautline::io::{WriteError, write_atomically};
use tautline::model::Strain;
use tautline::scene::{Scene, SceneMesh};
use tautline::solver::{CpuSimulation, CpuTiming, Simulation, Step};

use crate::arguments::Backend;
use crate::watch_report::WatchReport;

/// The report, as it is written.
#[derive(Debug, Serialize)]
pub struct Report {
    pub scene: String,
    pub solver: String,
    pub backend: Backend,
    pub device: DeviceReport,
    /// Absent where there is no mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<MeshReport>,
    pub particles: usize,
    pub constraints: usize,
    pub batches: usize,
    /// How many cuts the scene has.
    #[serde(skip)]
    cuts: usize,
    pub frames: u64,
    pub dt: f32,
    pub substeps: u32,
    pub iterations: u32,
    pub passes: Vec<PassReport>,
    /// Of how many frames the passes on the GPU were timed.
    pub gpu_pass_frames: usize,
    /// How many of the others were timed as a whole.
    pub gpu_whole_frames: usize,
    pub frame: FrameReport,
    pub state: State,
    /// Absent where nobody has looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchReport>,
    pub validation_messages: usize,
}

/// What computed: a Vulkan device, or the CPU, which has neither a driver nor a version of Vulkan.
#[derive(Debug, Serialize)]
pub struct DeviceReport {
    name: String,
    driver: Option<String>,
    #[serde(rename = "type")]
    device_type: String,
    api_version: Option<String>,
}

/// How a mesh was taken from its file.
#[derive(Debug, Serialize)]
struct MeshReport {
    file: PathBuf,
    vertices: usize,
    faces: usize,
    metres_per_unit: f32,
    unit_is_guessed: bool,
    up: &'static str,
    /// What was mended, in words.
    mended: Vec<String>,
}

impl MeshReport {
    /// None where the scene has no mesh.
    fn of(scene: &Scene) -> Option<Self> {
        // Where it could not be read, nothing would have run.
        let SceneMesh { path, source, preparation, prepared, unit_is_guessed } = scene.scene_mesh().ok()??;
        Some(Self {
            file: path,
            vertices: source.positions.len(),
            faces: source.face_sizes.len(),
            metres_per_unit: preparation.metres_per_unit,
            unit_is_guessed,
            up: preparation.up.name(),
            mended: prepared.findings.mended(),
        })
    }
}

#[derive(Debug, Serialize)]
pub struct PassReport {
    name: String,
    calls_per_frame: u32,
    /// Absent where it ran on the CPU, or where the queue has no timestamps.
    gpu_us: Option<Spread>,
    /// Absent where it ran on the GPU.
    cpu_us: Option<Spread>,
    /// Of the time of all passes on the same processor in all frames, from 0 to 1; absent where it has no times.
    share: Option<f64>,
}

#[derive(Debug, Default, Serialize)]
pub struct FrameReport {
    /// Absent where nothing ran on the GPU, or where the queue has no timestamps.
    gpu_us: Option<Spread>,
    /// Of the passes on the CPU, absent where there are none.
    cpu_us: Option<Spread>,
    wall_us: Option<Spread>,
}

/// Where the particles ended.
#[derive(Debug, Serialize)]
pub struct State {
    pub finite: bool,
    /// Constraints that have been cut.
    cut_constraints: usize,
    /// Particles that are held.
    pinned_particles: usize,
    rms_strain: f64,
    max_strain: f64,
    aabb: [[f32; 3]; 2],
    /// XXH3, 64 bits, of the bytes of the final positions.
    hash: String,
}

/// The spread of a measured time \[µs\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub min: f64,
    pub median: f64,
    pub p95: f64,
    pub max: f64,
}

impl Spread {
    /// `None` of no samples.
    pub fn of(mut samples: Vec<f64>) -> Option<Self> {
        samples.sort_by(f64::total_cmp);
        let last = samples.len().checked_sub(1)?;
        // The nearest rank: the least sample that so large a share of the samples does not exceed.
        let rank = |share: f64| samples[((samples.len() as f64 * share).ceil() as usize).clamp(1, last + 1) - 1];
        Some(Self { min: samples[0], median: rank(0.5), p95: rank(0.95), max: samples[last] })
    }
}

impl State {
    pub fn new(positions: &[Vec4], strain: Strain, cut_constraints: usize, pinned_particles: usize) -> Self {
        // Unlike a drawing's bounds, the report's hide nothing: a particle that is not finite shows in them.
        let corner = |pick: fn(f32, f32) -> f32, start: f32| {
            let extreme = |axis: usize| {
                let coordinates = positions.iter().map(|position| position[axis]);
                // `f32::min` and `f32::max` would drop a NaN.
                coordinates.fold(start, |extreme, next| if next.is_nan() { next } else { pick(extreme, next) })
            };
            [0, 1, 2].map(extreme)
        };
        let hash = xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(positions));
        Self {
            finite: positions.iter().all(|position| position.is_finite()),
            cut_constraints,
            pinned_particles,
            rms_strain: strain.rms,
            max_strain: strain.max,
            aabb: [corner(f32::min, f32::INFINITY), corner(f32::max, f32::NEG_INFINITY)],
            hash: format!("{hash:016x}"),
        }
    }
}

impl PassReport {
    fn untimed((name, calls_per_frame): (String, u32)) -> Self {
        Self { name, calls_per_frame, gpu_us: None, cpu_us: None, share: None }
    }
}

impl DeviceReport {
    fn of_gpu(device: &DeviceInfo) -> Self {
        Self {
            name: device.name.clone(),
            driver: Some(device.driver.clone()),
            device_type: device.device_type.to_string(),
            api_version: Some(device.api_version.clone()),
        }
    }

    fn of_cpu() -> Self {
        let name = format!("CPU, threads: {}", rayon::current_num_threads());
        Self { name, driver: None, device_type: "cpu".to_string(), api_version: None }
    }
}

/// What was simulated, whatever computed it.
pub struct Subject {
    particles: usize,
    constraint_counts: (usize, usize),
    step: Step,
    /// Those of a step on the device.
    passes: Vec<(String, u32)>,
}

impl From<&Simulation> for Subject {
    fn from(simulation: &Simulation) -> Self {
        Self {
            particles: simulation.body().positions().len(),
            constraint_counts: simulation.constraint_counts(),
            step: *simulation.step(),
            passes: simulation.passes(),
        }
    }
}

impl From<&CpuSimulation> for Subject {
    fn from(simulation: &CpuSimulation) -> Self {
        Self {
            particles: simulation.body().positions().len(),
            constraint_counts: simulation.constraint_counts(),
            step: *simulation.step(),
            passes: Vec::new(),
        }
    }
}

impl Report {
    /// A report without times, of a run on a device or else on the CPU.
    pub fn new(
        scene: &Scene,
        subject: Subject,
        device: Option<&DeviceInfo>,
        frames: u64,
        state: State,
        validation_messages: usize,
    ) -> Self {
        let Subject { particles, constraint_counts: (constraints, batches), step, passes } = subject;
        Self {
            scene: scene.name.clone(),
            solver: scene.solver.to_string(),
            backend: if device.is_some() { Backend::Gpu } else { Backend::Cpu },
            device: device.map_or_else(DeviceReport::of_cpu, DeviceReport::of_gpu),
            mesh: MeshReport::of(scene),
            particles,
            constraints,
            batches,
            cuts: scene.cut.len(),
            frames,
            dt: step.dt,
            substeps: step.substeps,
            iterations: step.iterations,
            passes: passes.into_iter().map(PassReport::untimed).collect(),
            gpu_pass_frames: 0,
            gpu_whole_frames: 0,
            frame: FrameReport::default(),
            state,
            watch: None,
            validation_messages,
        }
    }

    /// Adds the times of the frames on the GPU.
    pub fn with_timings(mut self, timings: &[Option<FrameTiming>]) -> Self {
        // A timestamp after each run of a pass makes a frame longer than one that is timed as a whole.
        let (timed, whole): (Vec<&FrameTiming>, Vec<&FrameTiming>) =
            timings.iter().flatten().partition(|timing| !timing.passes.is_empty());
        // Those that draw are known from the timings only.
        for pass in timed.iter().flat_map(|timing| &timing.passes) {
            if !self.passes.iter().any(|known| *known.name == *pass.name) {
                self.passes.push(PassReport::untimed((pass.name.to_string(), pass.calls)));
            }
        }
        let all: u64 = timed.iter().map(|timing| timing.gpu_ns).sum();
        for PassReport { name, gpu_us, share, .. } in &mut self.passes {
            let passes = timed.iter().flat_map(|timing| &timing.passes).filter(|pass| *pass.name == **name);
            let times: Vec<f64> = passes.map(|pass| pass.gpu_ns as f64 / 1e3).collect();
            *share = share_of(&times, all as f64 / 1e3);
            *gpu_us = Spread::of(times);
        }
        self.gpu_pass_frames = timed.len();
        self.gpu_whole_frames = whole.len();
        let frames = if whole.is_empty() { timed } else { whole };
        self.frame.gpu_us = Spread::of(frames.iter().map(|timing| timing.gpu_ns as f64 / 1e3).collect());
        self
    }

    /// Adds the passes on the CPU, before those of the GPU, with their times in each frame.
    pub fn with_cpu_timings(mut self, timings: &[CpuTiming]) -> Self {
        let mut passes: Vec<PassReport> = Vec::new();
        for pass in timings.iter().flat_map(|timing| &timing.passes) {
            match passes.iter_mut().find(|known| known.name == pass.name) {
                // Those of one step: the frames of a window may have several.
                Some(known) => known.calls_per_frame = known.calls_per_frame.min(pass.calls),
                None => passes.push(PassReport::untimed((pass.name.to_string(), pass.calls))),
            }
        }
        let all: Duration = timings.iter().map(CpuTiming::total).sum();
        for PassReport { name, cpu_us, share, .. } in &mut passes {
            let times = timings.iter().flat_map(|timing| &timing.passes).filter(|pass| *pass.name == **name);
            let times: Vec<f64> = times.map(|pass| pass.time.as_secs_f64() * 1e6).collect();
            *share = share_of(&times, all.as_secs_f64() * 1e6);
            *cpu_us = Spread::of(times);
        }
        self.passes.splice(0..0, passes);
        // A body that sleeps takes no time.
        let awake = timings.iter().filter(|timing| !timing.passes.is_empty());
        self.frame.cpu_us = Spread::of(awake.map(|timing| timing.total().as_secs_f64() * 1e6).collect());
        self
    }

    /// Adds the times from the end of each frame to the end of the next.
    pub fn with_wall(mut self, wall: &[Duration]) -> Self {
        self.frame.wall_us = Spread::of(wall.iter().map(|wall| wall.as_secs_f64() * 1e6).collect());
        self
    }

    /// Adds what was found in all steps.
    pub fn with_watch(mut self, watch: Option<WatchReport>) -> Self {
        self.watch = watch;
        self
    }

    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        write_atomically(path, |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            file.write_all(b"\n")
        })
    }
}

/// What times have of all time; none where there are none.
fn share_of(times: &[f64], all: f64) -> Option<f64> {
    (!times.is_empty() && all > 0.0).then(|| times.iter().sum::<f64>() / all)
}

/// The report as a person reads it.
pub fn table(report: &Report) -> String {
    let mut text = String::new();
    let Report { scene, solver, device, particles, constraints, batches, frames, state, .. } = report;
    let driver = device.driver.iter().map(|driver| format!(" ({}, {driver})", device.device_type)).collect::<String>();
    let _ = writeln!(text, "{scene} with {solver} on {}{driver}", device.name);
    let _ = writeln!(
        text,
        "{particles} particles, {constraints} constraints in {batches} batches; {frames} frames of {:.4} s in {} substeps \
         of {} iterations",
        report.dt, report.substeps, report.iterations
    );
    let _ = writeln!(
        text,
        "\n{:<24} {:>6} {:>10} {:>10} {:>10} {:>10} {:>7}",
        "µs a frame", "calls", "min", "median", "p95", "max", "share"
    );
    let mut row = |name: &str, calls: &str, spread: Option<Spread>, share: Option<f64>| {
        let _ = write!(text, "{name:<24} {calls:>6}");
        match spread {
            Some(Spread { min, median, p95, max }) => {
                let share = share.map(|share| format!(" {:>5.1} %", 100.0 * share)).unwrap_or_default();
                let _ = writeln!(text, " {min:>10.1} {median:>10.1} {p95:>10.1} {max:>10.1}{share}");
            }
            None => {
                let _ = writeln!(text, " {:>10}", "n/a");
            }
        }
    };
    for pass in &report.passes {
        row(&pass.name, &pass.calls_per_frame.to_string(), pass.gpu_us.or(pass.cpu_us), pass.share);
    }
    match (report.frame.cpu_us, report.frame.gpu_us) {
        (None, gpu) => row("GPU", "", gpu, None),
        (cpu, None) => row("CPU", "", cpu, None),
        (cpu, gpu) => {
            row("CPU", "", cpu, None);
            row("GPU", "", gpu, None);
        }
    }
    row("wall", "", report.frame.wall_us, None);
    if (1..*frames).contains(&(report.gpu_pass_frames as u64)) {
        let _ = writeln!(
            text,
            "\nof the frames, the passes of {} were timed, and the whole of {}",
            report.gpu_pass_frames, report.gpu_whole_frames
        );
    }
    if report.cuts > 0 || state.cut_constraints > 0 {
        let _ = write!(text, "\n{} constraints are cut", state.cut_constraints);
    }
    let _ = writeln!(
        text,
        "\nstrain {:.4} rms, {:.4} at most; positions {}",
        state.rms_strain, state.max_strain, state.hash
    );
    text + &report.watch.as_ref().map(WatchReport::line).unwrap_or_default()
}

/// The root mean square error of the constraints before the first of some iterations and after each.
pub fn residual_table(gauss_seidel: &[f64], jacobi: &[f64]) -> String {
    let mut text = format!("\n{:<24} {:>14} {:>14}\n", "iteration, rms C in mm", "gauss-seidel", "jacobi");
    for (iteration, (gauss_seidel, jacobi)) in gauss_seidel.iter().zip(jacobi).enumerate() {
        let _ = writeln!(text, "{iteration:<24} {:>14.4} {:>14.4}", gauss_seidel * 1e3, jacobi * 1e3);
    }
    text
}
