//! Lists that are longer than what one binding takes, divided. Pure data: no Vulkan call, so it is tested
//! without a device.

use std::ops::Range;

use super::bindings::Resource;
use super::buffer::Buffer;
use super::device::Device;

/// What a window is bounded by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowLimits {
    /// Most bytes of a list that one binding takes: Vulkan's maxStorageBufferRange.
    pub bytes: u64,
    /// What the place in its buffer at which a binding starts is a multiple of \[bytes\], a power of two: Vulkan's
    /// minStorageBufferOffsetAlignment.
    pub alignment: u64,
}

impl WindowLimits {
    /// Those of a device.
    #[must_use]
    pub fn of(device: &Device) -> Self {
        let limits = device.limits();
        Self {
            bytes: limits.max_storage_buffer_range.into(),
            alignment: limits.min_storage_buffer_offset_alignment.max(1),
        }
    }
}

/// How lists of one length are divided into windows: ranges of elements that follow each other, each as much as one binding
/// takes. There is one window where one binding takes all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    count: u32,
    /// Elements of each window but the last.
    span: u32,
}

/// What lies in one window of a range of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the window.
    pub window: usize,
    /// Its elements, counted within the window.
    pub elements: Range<u32>,
}

impl Windows {
    /// Divides lists of `count` elements, whose elements have `element_bytes` \[bytes\], one entry a list.
    ///
    /// Where not even the fewest elements between two places at which bindings can start are within `limits`, windows have as
    /// many, and cannot be bound.
    #[must_use]
    pub fn new(count: u32, element_bytes: &[u64], limits: &WindowLimits) -> Self {
        let most = |bytes: &u64| u32::try_from(limits.bytes / bytes).unwrap_or(u32::MAX);
        let most = element_bytes.iter().map(most).fold(u32::MAX, u32::min);
        if count <= most {
            return Self { count, span: count.max(1) };
        }
        // Of powers of two, the largest is a multiple of each.
        let step = |bytes: &u64| limits.alignment >> bytes.trailing_zeros().min(limits.alignment.trailing_zeros());
        let step = element_bytes.iter().map(step).fold(1, u64::max) as u32;
        Self { count, span: (most / step * step).max(step) }
    }

    /// The elements of each window; one that is empty where there is no element.
    pub fn each(&self) -> impl Iterator<Item = Range<u32>> + use<> {
        let Self { count, span } = *self;
        (0..count.max(1)).step_by(span as usize).map(move |first| first..first.saturating_add(span).min(count))
    }

    /// A list of elements of `element_bytes` \[bytes\], of which a window is to be bound: as a whole where there is but one.
    #[must_use]
    pub fn resource<'a>(&self, window: &Range<u32>, list: &'a Buffer, element_bytes: u64) -> Resource<'a> {
        if window.len() == self.count as usize {
            return list.into();
        }
        list.part(u64::from(window.start) * element_bytes..u64::from(window.end) * element_bytes)
    }

    /// A range of elements, window by window, in order.
    pub fn parts(&self, range: &Range<u32>) -> impl Iterator<Item = Part> + use<> {
        let Self { span, .. } = *self;
        let Range { start, end } = range.clone();
        let windows = if start < end { start / span..(end - 1) / span + 1 } else { 0..0 };
        windows.map(move |window| {
            let origin = window * span;
            let elements = start.max(origin) - origin..(end - origin).min(span);
            Part { window: window as usize, elements }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constraints with their multipliers, hinges with theirs, triangles, and one list of odd elements.
    const LISTS: [&[u64]; 4] = [&[16, 4], &[24, 4], &[12], &[20]];

    #[test]
    fn windows_hold_each_element_once_and_can_be_bound() {
        for element_bytes in LISTS {
            for count in (0..70).chain([255, 256, 257, 1000]) {
                for bytes in [256, 257, 1000, 4096, 1 << 20] {
                    for alignment in [1, 4, 16, 64, 256] {
                        let limits = WindowLimits { bytes, alignment };
                        let what = format!("{count} of {element_bytes:?} bytes, {limits:?}");
                        let windows: Vec<_> = Windows::new(count, element_bytes, &limits).each().collect();
                        assert!(windows.iter().cloned().flatten().eq(0..count), "{what}");
                        let all = |holds: &dyn Fn(&Range<u32>, u64) -> bool| {
                            windows.iter().all(|window| element_bytes.iter().all(|one| holds(window, *one)))
                        };
                        let is_within = |count: u64, one: u64| count * one <= bytes;
                        assert!(
                            all(&|window, one| (u64::from(window.start) * one).is_multiple_of(alignment)),
                            "{what}"
                        );
                        // As many elements lie at most between two places at which bindings of any list can start.
                        if element_bytes.iter().all(|one| is_within(alignment, *one)) {
                            assert!(all(&|window, one| is_within(window.len() as u64, one)), "{what}");
                        }
                        let fits = element_bytes.iter().all(|one| is_within(count.into(), *one));
                        assert!(!fits || windows.len() == 1, "{what}");
                    }
                }
            }
        }
    }

    #[test]
    fn parts_of_ranges_hold_each_element_once_in_order() {
        for span in [1, 4, 7, 64, 1000] {
            let limits = WindowLimits { bytes: 4 * span, alignment: 4 };
            let windows = Windows::new(200, &[4], &limits);
            let origins: Vec<u32> = windows.each().map(|window| window.start).collect();
            for (start, end) in (0..=200).flat_map(|start| (start..=200).map(move |end| (start, end))) {
                let parts: Vec<_> = windows.parts(&(start..end)).collect();
                let found = parts.iter().flat_map(|part| {
                    assert!(!part.elements.is_empty() && u64::from(part.elements.end) <= span.min(200));
                    let origin = origins[part.window];
                    part.elements.clone().map(move |element| origin + element)
                });
                assert!(found.eq(start..end), "{start}..{end} in windows of {span}");
                let numbers: Vec<_> = parts.iter().map(|part| part.window).collect();
                assert!(numbers.is_sorted_by(|one, next| one < next), "one part a window, in order");
            }
        }
    }

    #[test]
    fn long_lists_are_counted_without_overflow() {
        let limits = WindowLimits { bytes: u32::MAX.into(), alignment: 256 };
        let windows = Windows::new(u32::MAX, &[16, 4], &limits);
        // 2^32 / 16 less what aligns the multipliers, 64 of them.
        let lengths: Vec<_> = windows.each().map(|window| window.len() as u32).collect();
        assert_eq!((lengths[0], lengths.len()), ((1 << 28) - 64, 17));
        assert_eq!(lengths.iter().map(|length| u64::from(*length)).sum::<u64>(), u64::from(u32::MAX));
        let parts: Vec<_> = windows.parts(&(u32::MAX - 1..u32::MAX)).collect();
        let last = lengths[16];
        assert_eq!(parts, [Part { window: 16, elements: last - 1..last }]);
    }
}
