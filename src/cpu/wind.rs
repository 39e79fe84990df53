//! Wind as an acceleration of every particle; [`reference::wind`](crate::reference::wind) says what it computes.

use glam::{Vec3, Vec4};

use crate::reference::wind;

/// The acceleration at a position \[m\] as the twin has it \[m/s²\], without its sine where there is no flutter.
pub(super) fn acceleration(wind: Vec4, wave_number: f32, lift: f32, phase: f32) -> impl Fn(Vec3) -> Vec3 {
    let steady = (wind.w == 0.0).then(|| wind.truncate());
    move |position| steady.unwrap_or_else(|| wind::acceleration(wind, wave_number, lift, phase, position))
}
