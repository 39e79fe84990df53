//! Videos: pictures of whole steps, drawn after them and read back while frames go on, and written by another thread.
//!
//! Every picture is written once and in order. A few are on their way at most: where they are written more slowly than
//! they are drawn, the steps wait. Where a run goes back, the pictures of what is run again take the place of those before.

mod canvas;
mod ffmpeg;
mod job;
mod pace;
mod target;

use std::sync::mpsc::{Receiver, Sender, channel};

use anyhow::Result;
use tautline::engine::{Device, Recorder, Staging, vk};
use tautline::render::{Camera, View};
use tautline::solver::Simulation;

use canvas::Layout;
use pace::Pace;

pub use canvas::Canvas;
pub use ffmpeg::has_ffmpeg;
pub use job::Job;
pub use target::{Format, Target, numbered};

use target::Passed;

/// How many pictures can be on their way from the device to the writer.
const PICTURES_IN_FLIGHT: usize = 3;

/// A video that is being recorded.
pub struct Video {
    canvas: Canvas,
    pace: Pace,
    /// That it has shown, and those since its last picture.
    steps: u64,
    /// Comes back from the writer.
    free: Receiver<Staging>,
    /// What the next picture will be read back into.
    next: Option<Staging>,
    /// Recorded, and not yet submitted.
    drawn: Option<Staging>,
    // Dropped before the job, which ends with it.
    to_writer: Sender<Message>,
    job: Job,
}

/// What the writer is told, in order.
enum Message {
    /// Writes the next picture.
    Picture(Staging),
    /// Goes on behind the first so many pictures.
    GoBack(u64),
}

impl Video {
    /// Begins a video of steps of `dt` \[s\], in pictures of `extent` by views that draw in `format`.
    pub fn begin(device: &Device, target: Target, extent: [u32; 2], format: vk::Format, dt: f32) -> Result<Self> {
        let canvas = Canvas::new(device, target.extent(extent), format)?;
        let (to_writer, drawn) = channel();
        let (to_device, free) = channel();
        for _ in 0..PICTURES_IN_FLIGHT {
            // The other end is here.
            let _ = to_device.send(canvas.staging(device)?);
        }
        let (layout, pace) = (canvas.layout(), Pace::of(dt));
        let job = Job::start(move || write(target, pace, layout, &drawn, &to_device));
        Ok(Self { canvas, pace, steps: 0, free, next: None, drawn: None, to_writer, job })
    }

    /// Steps until the next picture.
    fn steps_left(&self) -> u32 {
        self.pace.steps - (self.steps % u64::from(self.pace.steps)) as u32
    }

    /// How many steps may run before one has to wait for the writer; the picture after the last of them is recorded by
    /// [`Video::record`].
    pub fn most_steps(&mut self) -> u32 {
        self.next = self.next.take().or_else(|| self.free.try_recv().ok());
        self.steps_left() - u32::from(self.next.is_none())
    }

    /// Records the picture that is due after `steps` steps more, no more than are left until then; where the writer is
    /// behind, it waits for it.
    pub fn record(
        &mut self,
        recorder: &mut Recorder<'_>,
        view: &View,
        simulation: &Simulation,
        camera: &Camera,
        steps: u32,
    ) -> Result<()> {
        let is_due = steps == self.steps_left();
        self.steps += u64::from(steps);
        if !is_due {
            return Ok(());
        }
        // None comes once the writer has failed, which the job tells.
        let Some(staging) = self.next.take().or_else(|| self.free.recv().ok()) else {
            return Ok(());
        };
        self.canvas.draw(recorder, view, simulation, 1.0, camera, &staging)?;
        self.drawn = Some(staging);
        Ok(())
    }

    /// Goes on as it was after so many steps, where it was begun as one that may go back.
    pub fn go_back_to(&mut self, steps: u64) {
        self.steps = steps;
        // A writer that has failed takes no more.
        let _ = self.to_writer.send(Message::GoBack(self.pictures()));
    }

    /// How many steps it has been told of.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Passes on what was recorded, once it is submitted.
    pub fn submitted(&mut self) {
        if let Some(staging) = self.drawn.take() {
            // A writer that has failed takes no more.
            let _ = self.to_writer.send(Message::Picture(staging));
        }
    }

    /// Whether nothing is written any more, because something went wrong.
    pub fn has_failed(&self) -> bool {
        self.job.is_finished()
    }

    /// Its pictures so far.
    pub fn pictures(&self) -> u64 {
        self.steps / u64::from(self.pace.steps)
    }

    /// How many seconds they are shown.
    pub fn seconds(&self) -> f64 {
        self.pace.duration(self.pictures()).as_secs_f64()
    }

    /// Whether the next step has to wait for the writer.
    pub fn is_waiting(&self) -> bool {
        self.next.is_none() && self.steps_left() == 1
    }

    /// Ends it after the pictures that were submitted; the job goes on until they are written.
    pub fn end(self) -> Job {
        self.job
    }
}

/// Writes pictures as they come, until no more do.
fn write(
    target: Target,
    pace: Pace,
    layout: Layout,
    messages: &Receiver<Message>,
    to_device: &Sender<Staging>,
) -> Result<String> {
    let mut lost = Ok(());
    let passed = messages.iter().map_while(|message| match message {
        Message::GoBack(pictures) => Some(Passed::GoBack(pictures)),
        Message::Picture(staging) => {
            let picture = layout.read(&staging);
            // It has been copied, and nobody takes it at the end.
            let _ = to_device.send(staging);
            picture.map(Passed::Picture).map_err(|error| lost = Err(error)).ok()
        }
    });
    let told = target.write(pace, passed)?;
    // What came before the device was lost has been kept.
    lost.map(|()| told)
}
