//! Which kernels a solver takes, where there are several that end in the same bits.

use crate::engine::Device;

/// How the work of a step is divided into dispatches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Path {
    /// As is fastest for the size of the body on the device.
    #[default]
    Auto,
    /// One dispatch for each part of the method, to be compared with and to be read.
    Plain,
    /// As much as possible in each dispatch, also where that is slower.
    Fused,
}

impl Path {
    /// Whether dispatches are joined on a device; a software device does not gain by that.
    pub(super) fn joins_on(self, device: &Device) -> bool {
        match self {
            Self::Auto => !device.is_software(),
            Self::Plain => false,
            Self::Fused => true,
        }
    }
}
