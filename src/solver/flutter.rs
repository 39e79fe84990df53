//! The phases of the wind's flutter on the device: the one thing that every step has anew by itself. They are no push constants,
//! so that a step's commands can be replayed.

use super::{Step, Wind};
use crate::engine::{self, Buffer, Device, Recorder};

pub(super) struct FlutterPhases {
    buffer: Buffer,
    /// What `buffer` holds once the steps recorded so far have run: of each substep \[rad\].
    recorded: Vec<f32>,
}

impl FlutterPhases {
    /// Room for the substeps of a step, each at 0.
    pub(super) fn new(device: &Device, step: &Step) -> engine::Result<Self> {
        let recorded = vec![0.0; step.substeps as usize];
        let buffer = Buffer::zeroed(device, "cloth.flutter_phases", size_of_val(&recorded[..]) as u64)?;
        Ok(Self { buffer, recorded })
    }

    /// The buffer that kernels bind as `FlutterPhases`.
    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Records the phases in the step that starts at `time` \[s\], where there is a flutter.
    pub(super) fn record(
        &mut self,
        recorder: &mut Recorder<'_>,
        wind: &Wind,
        step: &Step,
        time: f64,
    ) -> engine::Result<()> {
        if wind.flutter == 0.0 {
            return self.record_zero(recorder);
        }
        self.record_each(recorder, |substep| wind.flutter_phase(step.start_of(substep, time)))
    }

    /// Records that each phase is 0.
    pub(super) fn record_zero(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        self.record_each(recorder, |_| 0.0)
    }

    fn record_each(&mut self, recorder: &mut Recorder<'_>, phase: impl Fn(u32) -> f32) -> engine::Result<()> {
        let mut has_changed = false;
        for (substep, recorded) in (0..).zip(&mut self.recorded) {
            let before = std::mem::replace(recorded, phase(substep));
            has_changed |= before != *recorded;
        }
        if has_changed { recorder.update(&self.buffer, &self.recorded) } else { Ok(()) }
    }
}
