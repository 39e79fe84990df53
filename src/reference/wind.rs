//! Twin of `lib/wind.glsl`: wind as an acceleration of every particle (document 002).

use glam::{Vec3, Vec4};

/// Mean wind, and the flutter along the wind and upwards, from position and time \[m/s²\].
///
/// `wind` is the mean in xyz and the amplitude of the flutter in w \[m/s²\], `wave_number` the flutter's \[rad/m\],
/// `lift` the share of it that goes upwards, `phase` its phase now \[rad\].
#[must_use]
pub fn acceleration(wind: Vec4, wave_number: f32, lift: f32, phase: f32, position: Vec3) -> Vec3 {
    let mean = wind.truncate();
    let flutter = wind.w * (wave_number * (position.x + position.y) + phase).sin();
    mean + flutter * (mean.normalize_or_zero() + Vec3::new(0.0, lift, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flutter_without_mean_wind_only_lifts() {
        let phase = std::f32::consts::FRAC_PI_2;
        let lifted = acceleration(Vec4::new(0.0, 0.0, 0.0, 2.0), 3.0, 2.0, phase, Vec3::ZERO);
        assert_eq!(lifted, Vec3::new(0.0, 4.0, 0.0));
    }
}
