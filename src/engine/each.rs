//! Dispatches over lists that may be longer than a row of workgroups.

use std::fmt;

use bytemuck::NoUninit;

use super::bindings::Bindings;
use super::error::Result;
use super::kernel::Kernel;
use super::recorder::Recorder;

impl Recorder<'_> {
    /// As [`Recorder::dispatch`], once for each of `count` elements of a list: in one row of workgroups, or in several where
    /// the device has too few for one. The kernel has to count on from row to row, by the workgroups in x.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    pub fn dispatch_each<P: NoUninit>(&mut self, bindings: &Bindings<Kernel>, push: &P, count: u32) -> Result<()> {
        let most = self.device.limits().max_compute_work_group_count[0];
        self.dispatch(bindings, push, in_rows(count, bindings.pipeline().local_size(), most))
    }

    /// As [`Recorder::dispatch_each`], with a label of its own as [`Recorder::dispatch_labelled`].
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    pub fn dispatch_each_labelled<P: NoUninit>(
        &mut self,
        label: &dyn fmt::Display,
        bindings: &Bindings<Kernel>,
        push: &P,
        count: u32,
    ) -> Result<()> {
        let most = self.device.limits().max_compute_work_group_count[0];
        self.dispatch_labelled(label, bindings, push, in_rows(count, bindings.pipeline().local_size(), most))
    }
}

/// The invocations for `count` elements in rows of at most `most` workgroups: as few rows as will do, and all as short as
/// they can be, so that no number of an element overflows.
fn in_rows(count: u32, [width, height, _]: [u32; 3], most: u32) -> [u32; 3] {
    let groups = count.div_ceil(width);
    match groups.div_ceil(most) {
        0 | 1 => [count, 1, 1],
        rows => [groups.div_ceil(rows) * width, rows * height, 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_every_element_and_are_no_longer_than_they_may_be() {
        for (width, most) in [(64, 1), (64, 3), (256, 2), (256, 65_535), (1, 7)] {
            for count in (0..1000).chain([1 << 24, (1 << 24) + 1, 1 << 26, 3 << 26]) {
                let [across, rows, _] = in_rows(count, [width, 1, 1], most);
                assert!(across.div_ceil(width) <= most, "{count} of {width}");
                let all = u64::from(across.next_multiple_of(width)) * u64::from(rows);
                assert!(all - u64::from(count) < u64::from(width) * u64::from(rows), "{count} of {width}");
            }
        }
        assert_eq!(in_rows((1 << 24) - 256, [256, 1, 1], 65_535), [(1 << 24) - 256, 1, 1]);
        assert_eq!(in_rows(1 << 24, [256, 1, 1], 65_535), [1 << 23, 2, 1]);
    }
}
