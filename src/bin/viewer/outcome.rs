//! How every run ends: its picture, its report, and whether it went well.

use std::path::Path;

use anyhow::{Result, bail};
use tautline::engine::{COLOR_FORMAT, Device, FrameTiming};
use tautline::glam::Vec4;
use tautline::render::{Bounds, Camera, Picture, View, Wave};
use tautline::solver::{ConstraintSolver, CpuTiming, Simulation};

use crate::arguments::Arguments;
use crate::report::{Report, residual_table, table};
use crate::timeline::TimelineRecord;
use crate::{output, timings_file};

/// What a run has come to.
pub struct Outcome {
    pub report: Report,
    /// Of each frame.
    pub timings: Vec<Option<FrameTiming>>,
    pub cpu_timings: Vec<CpuTiming>,
    pub timeline: Option<TimelineRecord>,
    /// Written after the report, which does not depend on it.
    pub picture: Option<Result<Picture>>,
    /// The errors that iterations leave, where they were asked for, as a table.
    pub residuals: Option<String>,
    /// What validation said.
    pub messages: Vec<String>,
}

impl Outcome {
    /// Writes what was asked for, prints the timings, and fails where the state or the validation does.
    pub fn conclude(self, arguments: &Arguments, image: Option<&Path>) -> Result<()> {
        let Self { report, timings, cpu_timings, timeline, picture, residuals, messages } = self;
        let mut told = Vec::new();
        if let Some(path) = &arguments.report {
            report.write(path)?;
            told.push(format!("wrote {}", path.display()));
        }
        if let Some(path) = &arguments.timings {
            timings_file::write(path, &timings, &cpu_timings)?;
            told.push(format!("wrote {}", path.display()));
        }
        if let (Some(path), Some(timeline)) = (&arguments.trace, timeline) {
            told.push(timeline.write(path)?);
        }
        if let (Some(path), Some(picture)) = (image, picture.transpose()?) {
            picture.write_png(path)?;
            told.insert(0, format!("wrote {}", path.display()));
        }
        let mut text = table(&report) + &residuals.unwrap_or_default();
        told.iter().for_each(|line| text += &format!("{line}\n"));
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
        if let Some(reason) = report.watch.as_ref().and_then(|watch| watch.stopped.as_ref()) {
            bail!("stopped after {} steps: {reason}", report.frames);
        }
        if !messages.is_empty() {
            bail!("validation had {} messages, listed above", messages.len());
        }
        Ok(())
    }
}

/// The space in which the body of a simulation can hang and swing, and beside it a wave.
pub fn room(simulation: &Simulation, wave: Option<Wave>) -> Bounds {
    let room = Bounds::room(simulation.body(), simulation.colliders().list());
    wave.map_or(room, |wave| room.joined(wave.bounds()))
}

/// A table of the errors that iterations leave, with either constraint solver, which `of` says.
pub fn residuals(mut of: impl FnMut(ConstraintSolver) -> Result<Option<Vec<f64>>>) -> Result<String> {
    let (gauss_seidel, jacobi) = (of(ConstraintSolver::GaussSeidel)?, of(ConstraintSolver::Jacobi)?);
    Ok(match (gauss_seidel, jacobi) {
        (Some(gauss_seidel), Some(jacobi)) => residual_table(&gauss_seidel, &jacobi),
        _ => "\nno residuals: the solver has no constraints\n".into(),
    })
}

/// Draws a simulation whose particles are at `positions` and, where that is known, were at `before` before its last step, seen
/// by `camera` or else in full.
pub fn picture(
    device: &Device,
    simulation: &Simulation,
    wave: Option<Wave>,
    positions: &[Vec4],
    before: Option<&[Vec4]>,
    arguments: &Arguments,
    camera: Option<Camera>,
) -> Result<Picture> {
    let (extent, shown) = (arguments.picture_size(), arguments.view);
    let camera = camera.unwrap_or_else(|| {
        let particles = positions.iter().map(|position| position.truncate());
        let corners = wave.iter().flat_map(|wave| wave.bounds().corners());
        let points: Vec<_> = particles.chain(corners).collect();
        Camera::framing(&points, extent[0] as f32 / extent[1] as f32)
    });
    let mut view = View::new(device, simulation, wave, COLOR_FORMAT, room(simulation, wave))?;
    view.show(shown);
    if let Some(before) = before {
        view.set_kept(before, simulation)?;
    }
    Ok(Picture::draw(device, &view, simulation, &camera, extent)?)
}
