//! How every run ends: its picture, its report, and whether it went well.

use std::path::Path;

use anyhow::{Result, bail};
use tautline::engine::{COLOR_FORMAT, Device};
use tautline::glam::Vec4;
use tautline::render::{Bounds, Camera, ClothView, Picture};
use tautline::solver::Simulation;

use crate::arguments::Arguments;
use crate::output;
use crate::report::{Report, table};

/// What a run has come to.
pub struct Outcome {
    pub report: Report,
    /// Written after the report, which does not depend on it.
    pub picture: Option<Result<Picture>>,
    /// What validation said.
    pub messages: Vec<String>,
}

impl Outcome {
    /// Writes what was asked for, prints the timings, and fails where the state or the validation does.
    pub fn conclude(self, arguments: &Arguments, image: Option<&Path>) -> Result<()> {
        let Self { report, picture, messages } = self;
        if let Some(path) = &arguments.report {
            report.write(path)?;
        }
        if let (Some(path), Some(picture)) = (image, picture.transpose()?) {
            picture.write_png(path)?;
        }
        let mut text = table(&report);
        for path in [image, arguments.report.as_deref()].into_iter().flatten() {
            text += &format!("wrote {}\n", path.display());
        }
        output::print(&text)?;
        // A message that comes with every frame is told once.
        let mut distinct: Vec<(&str, usize)> = Vec::new();
        for message in messages.iter().map(|message| message.trim()) {
            match distinct.iter_mut().find(|(known, _)| *known == message) {
                Some((_, count)) => *count += 1,
                None => distinct.push((message, 1)),
            }
        }
        for (message, count) in distinct {
            output::tell(&format!("validation, {count} times: {message}"));
        }
        if !report.state.finite {
            bail!(
                "the state is not finite after {} steps: the solver was unstable; try a smaller dt or more substeps",
                report.frames
            );
        }
        if !messages.is_empty() {
            bail!("validation had {} messages, listed above", messages.len());
        }
        Ok(())
    }
}

/// The space in which the cloth of a simulation can hang and swing.
pub fn room(simulation: &Simulation) -> Bounds {
    Bounds::around(simulation.cloth().positions.iter().map(|particle| particle.truncate())).with_room_to_hang()
}

/// Draws a simulation whose particles are at `positions`, seen by `camera` or else in full.
pub fn picture(
    device: &Device,
    simulation: &Simulation,
    positions: &[Vec4],
    extent: [u32; 2],
    camera: Option<Camera>,
) -> Result<Picture> {
    let camera = camera.unwrap_or_else(|| {
        let points: Vec<_> = positions.iter().map(|position| position.truncate()).collect();
        Camera::framing(&points, extent[0] as f32 / extent[1] as f32)
    });
    let view = ClothView::new(device, simulation, COLOR_FORMAT, room(simulation))?;
    Ok(Picture::draw(device, &view, simulation.current(), &camera, extent)?)
}
