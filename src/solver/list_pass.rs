//! Passes over lists that may be longer than what one binding takes: window by window.

use std::ops::Range;

use crate::engine::{
    self, Bindings, Buffer, Device, Kernel, OneOf, Recorder, Resource, ShaderCode, WindowLimits, Windows,
};
use crate::layout::SolvePush;

/// A list that a pass goes over.
pub(super) struct List<'a> {
    /// What its kernel declares it as.
    name: &'a str,
    buffer: &'a Buffer,
    /// Of each element \[bytes\].
    element_bytes: u64,
}

impl<'a> List<'a> {
    /// A list of `T`, which its kernel declares as `name`.
    pub(super) fn of<T>(name: &'a str, buffer: &'a Buffer) -> Self {
        Self { name, buffer, element_bytes: size_of::<T>() as u64 }
    }
}

/// A kernel of which each invocation takes one element of some lists, bound to each of their windows.
pub(super) struct ListPass {
    windows: Windows,
    bindings: Vec<Bindings<Kernel>>,
}

impl ListPass {
    /// Binds a kernel to lists of `count` elements, and to what it reaches anywhere as a `whole`.
    pub(super) fn new(
        device: &Device,
        shader: &ShaderCode<'_>,
        count: u32,
        whole: &[(&str, Resource<'_>)],
        lists: &[List<'_>],
    ) -> engine::Result<Self> {
        let kernel = Kernel::new(device, shader)?;
        let element_bytes: Vec<u64> = lists.iter().map(|list| list.element_bytes).collect();
        let windows = Windows::new(count, &element_bytes, &WindowLimits::of(device));
        let bind = |window: Range<u32>| {
            let parts =
                lists.iter().map(|list| (list.name, windows.resource(&window, list.buffer, list.element_bytes)));
            kernel.bind(&whole.iter().copied().chain(parts).collect::<Vec<_>>())
        };
        Ok(Self { windows, bindings: windows.each().map(bind).collect::<engine::Result<_>>()? })
    }

    /// The calls that take a range of elements, in order: each with its elements, counted within what is bound.
    pub(super) fn calls(&self, range: &Range<u32>) -> impl Iterator<Item = (&Bindings<Kernel>, Range<u32>)> {
        self.windows.parts(range).map(|part| (&self.bindings[part.window], part.elements))
    }

    /// Records the calls that take each of `batches`, one after the other: one a batch, or several of one that lies across
    /// windows.
    pub(super) fn record_batches(
        &self,
        recorder: &mut Recorder<'_>,
        batches: &[Range<u32>],
        iteration: u32,
    ) -> engine::Result<()> {
        for (number, batch) in (0..).zip(batches) {
            let label = OneOf("batch", number, batches.len() as u32);
            for (bindings, elements) in self.calls(batch) {
                let push = SolvePush { first: elements.start, count: elements.len() as u32, iteration };
                recorder.dispatch_each_labelled(&label, bindings, &push, push.count)?;
            }
        }
        Ok(())
    }

    /// How many calls take each of some ranges.
    pub(super) fn call_count(&self, ranges: &[Range<u32>]) -> u32 {
        ranges.iter().map(|range| self.windows.parts(range).count() as u32).sum()
    }
}
