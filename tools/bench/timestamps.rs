//! What timestamps cost: wall time of a frame of the flag with a timestamp after each run of calls of a pass, with timestamps in a
//! few frames, as headless runs have them, with one at the start and the end of each frame, and with none.

use anyhow::{Context, Result};
use serde::Serialize;
use tautline::engine::{Device, Frames};
use tautline::scene::Scene;

use crate::arguments::Arguments;
use crate::measure::repeat;
use crate::spread::Spread;

/// Its name, as that of a case.
pub const TIMESTAMPS: &str = "flag, what timestamps cost";

#[derive(Serialize)]
pub struct Timestamps {
    /// Mean wall time of a frame with as few timestamps \[ms\].
    none_ms: Spread,
    whole_frames_ms: Spread,
    sampled_passes_ms: Spread,
    passes_ms: Spread,
    /// To the time with none.
    whole_frames_ratio: f64,
    sampled_passes_ratio: f64,
    passes_ratio: f64,
}

/// Measures each in turn, again and again.
pub fn measure(device: &Device, arguments: &Arguments) -> Result<Timestamps> {
    let size = if arguments.quick { "40" } else { "100" };
    let settings = [("columns", size), ("rows", size)].map(|(key, value)| (key.to_string(), value.to_string()));
    let mut simulation = Scene::load("flag", &settings)?.simulation(device)?;
    // As many samples in each repetition, for a mean over them.
    let frame_count = if arguments.quick { 4 } else { 12 * Frames::PASSES_EVERY as u32 };
    let ring = || Frames::new(device, 2);
    let mut rings = [ring()?, ring()?, ring()?, ring()?];
    rings[0].stop_timing()?;
    rings[1].time_whole_frames();
    rings[2].sample();
    let mut walls = [(); 4].map(|()| Vec::new());
    // The first turn counts for none.
    for turn in 0..=arguments.repetitions {
        for (frames, walls) in rings.iter_mut().zip(&mut walls) {
            let repetition = repeat(device, frames, &mut simulation, frame_count)?;
            if turn > 0 {
                walls.push(repetition.mean_wall_ms);
            }
        }
    }
    let spreads = walls.map(|walls| Spread::of(walls).context("there are no repetitions"));
    let [none_ms, whole_frames_ms, sampled_passes_ms, passes_ms] = spreads;
    let (none_ms, whole_frames_ms, sampled_passes_ms, passes_ms) =
        (none_ms?, whole_frames_ms?, sampled_passes_ms?, passes_ms?);
    let ratio = |spread: &Spread| spread.median / none_ms.median;
    Ok(Timestamps {
        whole_frames_ratio: ratio(&whole_frames_ms),
        sampled_passes_ratio: ratio(&sampled_passes_ms),
        passes_ratio: ratio(&passes_ms),
        none_ms,
        whole_frames_ms,
        sampled_passes_ms,
        passes_ms,
    })
}

impl Timestamps {
    /// As a person reads it.
    pub fn text(&self) -> String {
        let row = |what: &str, spread: &Spread, ratio: f64| {
            let Spread { median, least, greatest, .. } = spread;
            format!("  {what:<44}{median:>9.4} ms ({least:.4} to {greatest:.4}){ratio:>8.3}\n")
        };
        let (passes, whole) = (Frames::PASSES_EVERY, Frames::WHOLE_EVERY);
        let sampled = format!("passes of 1 in {passes} frames, ends of 1 in {whole}");
        [
            format!("\n{TIMESTAMPS}: mean wall time of a frame, and its ratio to that without\n"),
            row("without timestamps", &self.none_ms, 1.0),
            row("at the ends of each frame", &self.whole_frames_ms, self.whole_frames_ratio),
            row(&sampled, &self.sampled_passes_ms, self.sampled_passes_ratio),
            row("after each run of a pass", &self.passes_ms, self.passes_ratio),
        ]
        .concat()
    }
}
