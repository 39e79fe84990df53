//! Pictures and videos of what a window shows.

use std::sync::Arc;

use anyhow::Result;
use tautline::engine::{Device, Recorder, Staging, vk};
use tautline::io::write_numbered;
use tautline::render::{self, Camera};
use tautline::solver::Simulation;
use winit::window::Window;

use super::View;
use crate::video::{Canvas, Format, Job, Target, Video, has_ffmpeg, numbered};
use crate::{interrupt, output};

/// What is being taken, recorded and written.
pub struct Outputs {
    /// Of the next video.
    pub format: Format,
    /// Whether videos can be encoded.
    pub has_ffmpeg: bool,
    video: Option<Video>,
    picture: Option<Taken>,
    jobs: Vec<Job>,
}

/// A picture that is taken with the next frame.
struct Taken {
    canvas: Canvas,
    staging: Staging,
    scene: String,
}

impl Outputs {
    /// Writes videos in `format`, where one was chosen.
    pub fn new(format: Option<Format>) -> Self {
        let has_ffmpeg = has_ffmpeg();
        let format = format.unwrap_or(if has_ffmpeg { Format::Mp4 } else { Format::Png });
        Self { format, has_ffmpeg, video: None, picture: None, jobs: Vec::new() }
    }

    /// How many steps the next frame may run: up to the next picture of a video.
    pub fn most_steps(&mut self) -> u32 {
        self.video.as_mut().map_or(u32::MAX, Video::most_steps)
    }

    /// The video that is being recorded.
    pub fn video(&self) -> Option<&Video> {
        self.video.as_ref()
    }

    /// Whether there will be something to tell in a moment.
    pub fn busy(&self) -> bool {
        self.picture.is_some() || !self.jobs.is_empty()
    }

    /// Takes a picture of a scene with the next frame.
    fn take(&mut self, device: &Device, extent: [u32; 2], format: vk::Format, scene: &str) -> Result<()> {
        let canvas = Canvas::new(device, extent, format)?;
        let staging = canvas.staging(device)?;
        self.picture = Some(Taken { canvas, staging, scene: scene.into() });
        Ok(())
    }

    /// Records what is to be taken of a frame after its steps; the window shows it at `alpha` of the last one.
    pub fn record(
        &mut self,
        recorder: &mut Recorder<'_>,
        drawing: &render::View,
        simulation: &Simulation,
        camera: &Camera,
        (steps, alpha): (u32, f32),
    ) -> Result<()> {
        if let Some(Taken { canvas, staging, .. }) = &self.picture {
            canvas.draw(recorder, drawing, simulation, alpha, camera, staging)?;
        }
        self.video.as_mut().map_or(Ok(()), |video| video.record(recorder, drawing, simulation, camera, steps))
    }

    /// Has what was recorded written, once it is submitted.
    pub fn submitted(&mut self) {
        if let Some(Taken { canvas, staging, scene, .. }) = self.picture.take() {
            let layout = canvas.layout();
            self.jobs.push(Job::start(move || {
                let picture = layout.read(&staging)?;
                let path = write_numbered(numbered(&scene, ".png"), |file| picture.encode_png(file))?;
                Ok(format!("wrote {}", path.display()))
            }));
        }
        if let Some(video) = &mut self.video {
            video.submitted();
        }
    }

    /// Takes the last so many steps back out of the video, if one is recorded.
    pub fn take_back(&mut self, steps: u64) {
        if let Some(video) = &mut self.video {
            video.go_back_to(video.steps().saturating_sub(steps));
        }
    }

    /// Ends the video, if one is recorded.
    pub fn end_video(&mut self) {
        self.jobs.extend(self.video.take().map(Video::end));
    }

    /// What has become of everything that was written since the last time.
    fn outcomes(&mut self) -> Vec<Result<String>> {
        if self.video.as_ref().is_some_and(Video::has_failed) {
            self.end_video();
        }
        self.jobs.extract_if(.., |job| job.is_finished()).map(Job::join).collect()
    }

    /// Waits until everything is written.
    pub fn finish(mut self) -> Result<()> {
        self.end_video();
        for job in self.jobs.drain(..) {
            output::print(&format!("{}\n", job.join()?))?;
        }
        Ok(())
    }
}

impl View {
    pub(super) fn take_picture(&mut self) {
        let extent = [self.size.width, self.size.height];
        let taken = self.outputs.take(&self.run.device, extent, self.swapchain.format(), &self.scene.name);
        if let Err(error) = taken {
            self.tell(Err(error));
        }
    }

    /// Begins to record, or ends it.
    pub(super) fn toggle_recording(&mut self) {
        if self.outputs.video.is_some() {
            self.outputs.end_video();
        } else if let Err(error) = self.begin_recording() {
            self.tell(Err(error));
        }
    }

    fn begin_recording(&mut self) -> Result<()> {
        let target = Target::new(self.outputs.format, &self.scene.name)?.of_run(self.run.goes_back());
        let (extent, dt) = ([self.size.width, self.size.height], self.run.simulation.step().dt);
        self.outputs.video = Some(Video::begin(&self.run.device, target, extent, self.swapchain.format(), dt)?);
        let window: Arc<Window> = self.window.clone();
        interrupt::watch(move || window.request_redraw());
        Ok(())
    }

    /// Tells what was written, or why it could not be.
    pub(super) fn tell_outcomes(&mut self) -> Result<()> {
        for outcome in self.outputs.outcomes() {
            match &outcome {
                Ok(text) => output::print(&format!("{text}\n"))?,
                Err(error) => output::tell(&format!("error: {error:#}")),
            }
            self.tell(outcome);
        }
        Ok(())
    }

    /// Tells in the window what was written, or why it could not be.
    pub(super) fn tell(&mut self, outcome: Result<String>) {
        match outcome {
            Ok(text) => self.panels.announce(text),
            Err(error) => self.panels.tell(format!("{error:#}")),
        }
    }
}
