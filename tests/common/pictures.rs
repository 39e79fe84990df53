//! Pictures of simulations, and what is where in them.

#![allow(dead_code)]

use glam::{Vec2, Vec3};
use tautline::engine::{COLOR_FORMAT, Device};
use tautline::render::{Bounds, Camera, Picture, Shown, View};
use tautline::scene::Scene;
use tautline::solver::Simulation;

use crate::common::load;

/// A sheet of `columns` x `columns` particles, 2 m wide, that hangs in the air: nothing holds it and nothing pulls at it.
pub fn floating(columns: u32, settings: &[(&str, &str)]) -> Scene {
    let (columns, spacing) = (columns.to_string(), (2.0 / (columns as f32 - 1.0)).to_string());
    let floating = [
        ("columns", &*columns),
        ("rows", &*columns),
        ("spacing", &*spacing),
        ("pins", "none"),
        ("gravity", "[0, 0, 0]"),
        ("wind", "[0, 0, 0]"),
        ("wind_flutter", "0"),
        ("damping", "0"),
    ];
    load("flag", &[&floating, settings].concat())
}

/// A picture, and where in it places are.
pub struct Shot {
    pub picture: Picture,
    camera: Camera,
}

impl Shot {
    /// The picture that a camera takes of all particles.
    pub fn of(device: &Device, simulation: &Simulation, view: &View, extent: [u32; 2]) -> Self {
        Self::turned(device, simulation, view, extent, 0.0)
    }

    /// The same from a camera that has gone around by `yaw` [rad].
    pub fn turned(device: &Device, simulation: &Simulation, view: &View, extent: [u32; 2], yaw: f32) -> Self {
        let points = positions(simulation);
        let mut camera = Camera::framing(&points, extent[0] as f32 / extent[1] as f32);
        camera.orbit(yaw, 0.0);
        Self { picture: Picture::draw(device, view, simulation, &camera, extent).unwrap(), camera }
    }

    /// The same with a view of its own.
    pub fn showing(device: &Device, simulation: &Simulation, shown: Shown, extent: [u32; 2]) -> Self {
        Self::of(device, simulation, &view(device, simulation, shown), extent)
    }

    /// Where a place is seen [pixels].
    pub fn place(&self, place: Vec3) -> Vec2 {
        let extent = Vec2::from_array(self.picture.extent.map(|side| side as f32));
        let clip = self.camera.clip_from_world(extent.x / extent.y).project_point3(place);
        (clip.truncate() * 0.5 + 0.5) * extent
    }

    /// The colour of the pixel there.
    pub fn color(&self, place: Vec2) -> [u8; 3] {
        let [x, y] = place.to_array().map(|pixels| pixels.floor() as usize);
        let start = 4 * (y * self.picture.extent[0] as usize + x);
        self.picture.rgba[start..start + 3].try_into().unwrap()
    }

    /// The colour of what is at a place.
    pub fn at(&self, place: Vec3) -> [u8; 3] {
        self.color(self.place(place))
    }

    /// The linear colour of what is at a place.
    pub fn light(&self, place: Vec3) -> [f64; 3] {
        self.at(place).map(linear)
    }
}

pub fn view(device: &Device, simulation: &Simulation, shown: Shown) -> View {
    let room = Bounds::around(positions(simulation).into_iter());
    let mut view = View::new(device, simulation, None, COLOR_FORMAT, room).unwrap();
    view.show(shown);
    view
}

pub fn positions(simulation: &Simulation) -> Vec<Vec3> {
    simulation.positions().unwrap().iter().map(|position| position.truncate()).collect()
}

/// Light of an sRGB byte. Source: IEC 61966-2-1.
pub fn linear(value: u8) -> f64 {
    let value = f64::from(value) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB bytes of light.
pub fn encoded(light: [f64; 3]) -> [u8; 3] {
    light.map(|value| {
        let value = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (255.0 * value).round() as u8
    })
}

/// Whether two colours are the same but for the rounding of 32 and of 8 bits.
pub fn same(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 1)
}

/// Fails unless light has the channels of an sRGB colour in their proportions: shade changes only their sum. Eight bits know
/// a dark colour to a few parts in a hundred.
pub fn assert_hue(light: [f64; 3], srgb: [u8; 3], what: &str) {
    let expected = srgb.map(linear);
    let (total, expected_total): (f64, f64) = (light.iter().sum(), expected.iter().sum());
    for (light, expected) in light.iter().zip(expected) {
        let (light, expected) = (light / total, expected / expected_total);
        assert!((light - expected).abs() < 0.03, "{what}: {light:.3} of the light, not {expected:.3}");
    }
}
