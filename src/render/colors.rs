//! Colours that mean something: one list of them for what shaders draw and for the legends beside it. All are linear light.

use glam::Vec3;

use crate::layout::{MOST_BATCH_COLORS, Palette};

/// From none to the full value of a scale. Source: viridis of Matplotlib (Smith and van der Walt 2015), which is perceptually
/// even, at each tenth.
const SCALE: [u32; 11] = [
    0x44_0154, 0x48_2475, 0x41_4487, 0x35_5f8d, 0x2a_788e, 0x21_918c, 0x22_a884, 0x44_bf70, 0x7a_d151, 0xbd_df26,
    0xfd_e725,
];

/// Below a surface, on it, and above it. Source: Moreland 2009, "Diverging Color Maps for Scientific Visualization".
const DISTANCES: [u32; 3] = [0xb4_0426, 0xdd_dddd, 0x3b_4cc0];

/// Source: Okabe and Ito 2008, "Color Universal Design", which those tell apart as well who see few colours, with white.
const BATCHES: [u32; 8] = [0xe6_9f00, 0x56_b4e9, 0x00_9e73, 0xf0_e442, 0x00_72b2, 0xd5_5e00, 0xcc_79a7, 0xff_ffff];
/// Once these have been used up they come again, in so much of their light.
const DIMMER: f32 = 0.4;

/// Of ropes at each level of detail.
pub const LEVEL_COLORS: [Vec3; 4] = [
    Vec3::new(0.03, 0.40, 0.12),
    Vec3::new(0.75, 0.52, 0.02),
    Vec3::new(0.70, 0.10, 0.03),
    Vec3::new(0.14, 0.12, 0.60),
];

/// Of what is held and stays, and of what is held and carried along a path.
pub const PIN_COLORS: [Vec3; 2] = [Vec3::new(1.0, 0.75, 0.02), Vec3::new(0.05, 0.70, 1.0)];

const EDGE_COLOR: Vec3 = Vec3::splat(0.008);

/// The colour of a share of a scale's full value, from 0 to 1.
#[must_use]
pub fn scale_color(share: f32) -> Vec3 {
    let place = 10.0 * share.clamp(0.0, 1.0);
    let below = (place as usize).min(SCALE.len() - 2);
    let [from, to] = [below, below + 1].map(|index| linear(SCALE[index]));
    from.lerp(to, place - below as f32)
}

/// The colour of a signed distance, as a share from -1 to 1 of the largest that is told.
#[must_use]
pub fn distance_color(share: f32) -> Vec3 {
    let [below, on, above] = DISTANCES.map(linear);
    on.lerp(if share < 0.0 { below } else { above }, share.abs().min(1.0))
}

/// The colour of a batch; after 24 of them they come again.
#[must_use]
pub fn batch_color(batch: usize) -> Vec3 {
    let round = batch % MOST_BATCH_COLORS / BATCHES.len();
    linear(BATCHES[batch % BATCHES.len()]) * DIMMER.powi(round as i32)
}

/// What shaders are told.
pub(super) fn palette() -> Palette {
    let color = |color: Vec3| color.extend(1.0);
    Palette {
        scale: SCALE.map(|srgb| color(linear(srgb))),
        distances: DISTANCES.map(|srgb| color(linear(srgb))),
        batches: std::array::from_fn(|batch| color(batch_color(batch))),
        levels: LEVEL_COLORS.map(color),
        pins: PIN_COLORS.map(color),
        edge: color(EDGE_COLOR),
    }
}

/// The light of an sRGB colour of three bytes, red on top.
fn linear(srgb: u32) -> Vec3 {
    let channel = |shift: u32| light_of((srgb >> shift) as u8);
    Vec3::new(channel(16), channel(8), channel(0))
}

/// Light of an sRGB value, from 0 to 1. Source: IEC 61966-2-1, as well as below.
pub(super) fn light_of(value: u8) -> f32 {
    let value = f32::from(value) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB value of light from 0 to 1.
pub(super) fn srgb_of(light: f32) -> u8 {
    let value = if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (255.0 * value).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_goes_through_its_colours_and_stays_at_its_ends() {
        assert_eq!(scale_color(-1.0), linear(SCALE[0]));
        assert_eq!(scale_color(2.0), linear(SCALE[10]));
        assert!(scale_color(0.3).abs_diff_eq(linear(SCALE[3]), 1e-6));
        assert!(scale_color(0.35).abs_diff_eq((linear(SCALE[3]) + linear(SCALE[4])) / 2.0, 1e-6));
        // Its lightness rises all the way.
        let lightness = |tenth: usize| linear(SCALE[tenth]).dot(Vec3::new(0.2126, 0.7152, 0.0722));
        assert!((0..10).all(|tenth| lightness(tenth) < lightness(tenth + 1)));
    }

    #[test]
    fn distances_go_from_below_through_the_surface_to_above() {
        assert_eq!(distance_color(-3.0), linear(DISTANCES[0]));
        assert_eq!(distance_color(0.0), linear(DISTANCES[1]));
        assert!(distance_color(0.5).abs_diff_eq((linear(DISTANCES[1]) + linear(DISTANCES[2])) / 2.0, 1e-6));
    }

    #[test]
    fn no_two_batches_look_alike_before_the_colours_come_again() {
        for a in 0..MOST_BATCH_COLORS {
            assert_eq!(batch_color(a), batch_color(a + MOST_BATCH_COLORS));
            for b in 0..a {
                // In the light's square root, which is about as even as the eye.
                let apart = (batch_color(a).map(f32::sqrt) - batch_color(b).map(f32::sqrt)).length();
                assert!(apart > 0.1, "batches {a} and {b} are {apart} apart");
            }
        }
    }

    #[test]
    fn every_value_comes_back_as_it_was() {
        assert!((0..=255).all(|value| srgb_of(light_of(value)) == value));
    }

    #[test]
    fn white_is_all_light_and_black_is_none() {
        assert_eq!(linear(0xff_ffff), Vec3::ONE);
        assert_eq!(linear(0), Vec3::ZERO);
        assert!((linear(0x80_0000).x - 0.2159).abs() < 1e-4);
    }
}
