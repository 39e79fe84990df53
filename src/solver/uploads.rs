//! Memory through which a buffer on the device is filled again and again.

use bytemuck::Pod;

use crate::engine::{self, Buffer, Device, Recorder, Staging};

/// The uploads to one buffer.
pub(super) struct Uploads {
    device: Device,
    buffer: Buffer,
    /// As many as there are recordings in flight that upload: what one copies from is not written until it is done.
    stagings: Vec<Staging>,
}

impl Uploads {
    pub(super) fn new(device: &Device, buffer: &Buffer) -> Self {
        Self { device: device.clone(), buffer: buffer.clone(), stagings: Vec::new() }
    }

    /// Records that the buffer holds `data`, always as many.
    pub(super) fn record<T: Pod>(&mut self, recorder: &mut Recorder<'_>, data: &[T]) -> engine::Result<()> {
        let index = match self.stagings.iter_mut().position(|staging| staging.write(data)) {
            Some(free) => free,
            None => {
                self.stagings.push(Staging::upload(&self.device, self.buffer.name(), data)?);
                self.stagings.len() - 1
            }
        };
        recorder.upload(&self.stagings[index], &self.buffer)
    }

    /// Has the buffer hold `data`, and waits until that is done.
    pub(super) fn write<T: Pod>(&self, data: &[T]) -> engine::Result<()> {
        self.buffer.write(data)
    }
}
