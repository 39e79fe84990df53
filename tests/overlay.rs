//! Panels over a picture, by their pixels: colours, what clips them, and textures that change.

#![cfg(feature = "viewer")]

mod common;

use common::Validated;
use egui::epaint::{ClippedPrimitive, ImageDelta, Mesh, Primitive, Vertex};
use egui::{Color32, ColorImage, Rect, TextureId, TextureOptions, TexturesDelta, pos2};
use tautline::engine::{COLOR_FORMAT, Frames, Image, ImageKind, Staging, Start, Target};
use tautline::render::Overlay;

const SIZE: [u32; 2] = [16, 8];
/// What the picture shows before, linear.
const BEFORE: f32 = 0.25;

/// A rectangle of one colour that takes its texture from one place in it.
fn rectangle(corners: Rect, clip: Rect, color: Color32, place: f32) -> ClippedPrimitive {
    let vertex = |pos| Vertex { pos, uv: pos2(place, 0.5), color };
    let corner = [corners.left_top(), corners.right_top(), corners.left_bottom(), corners.right_bottom()];
    let mesh = Mesh {
        indices: vec![0, 1, 2, 2, 1, 3],
        vertices: corner.map(vertex).to_vec(),
        texture_id: TextureId::default(),
    };
    ClippedPrimitive { clip_rect: clip, primitive: Primitive::Mesh(mesh) }
}

fn changes(delta: ImageDelta) -> TexturesDelta {
    let mut changes = TexturesDelta::default();
    changes.push(TextureId::default(), delta);
    changes
}

/// Draws primitives at two pixels a point over an even picture, and reads it back.
fn draw(validated: &Validated, overlay: &mut Overlay, primitives: &[ClippedPrimitive]) -> Vec<[u8; 4]> {
    let device = &validated.device;
    let kind = ImageKind::Color { format: COLOR_FORMAT, samples: 1 };
    let picture = Image::new(device, "picture", kind, SIZE).unwrap();
    let staging = Staging::readback(device, "picture", picture.byte_size()).unwrap();
    let mut frames = Frames::new(device, 1).unwrap();
    let mut recorder = frames.begin().unwrap();
    let clear = Start::Clear([BEFORE, BEFORE, BEFORE, 1.0]);
    let target = Target { color: Some((&picture, clear)), resolve: None, depth: None };
    recorder.draw("before", &target, &[]).unwrap();
    overlay.record(&mut recorder, primitives, 2.0, &picture).unwrap();
    recorder.download_image(&picture, &staging).unwrap();
    recorder.submit().unwrap();
    staging.read().unwrap()
}

/// 8-bit sRGB of linear light, by the formula of IEC 61966-2-1.
fn srgb(linear: f32) -> u8 {
    let encoded = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (255.0 * encoded).round() as u8
}

/// Devices may round either way.
#[track_caller]
fn assert_near(seen: [u8; 4], wanted: [u8; 3]) {
    assert!(seen.iter().zip(wanted).all(|(&seen, wanted)| seen.abs_diff(wanted) <= 1), "{seen:?}, not {wanted:?}");
}

#[test]
fn panels_cover_what_their_alpha_says_within_what_clips_them() {
    let validated = Validated::open();
    let mut overlay = Overlay::new(&validated.device, COLOR_FORMAT).unwrap();
    let white = ColorImage::filled([2, 1], Color32::WHITE);
    overlay.update_textures(changes(ImageDelta::full(white, TextureOptions::LINEAR))).unwrap();
    // From pixel 2 to 14, of which the clip leaves 4 to 10; and from row 0 to 8, of which it leaves 2 to 6.
    let corners = Rect::from_min_max(pos2(1.0, 0.0), pos2(7.0, 4.0));
    let clip = Rect::from_min_max(pos2(2.0, 1.0), pos2(5.0, 3.0));
    let half_red = Color32::from_rgba_premultiplied(128, 0, 0, 128);
    let pixels = draw(&validated, &mut overlay, &[rectangle(corners, clip, half_red, 0.5)]);
    let alpha = 128.0 / 255.0;
    let (red, rest) = (srgb(alpha + (1.0 - alpha) * BEFORE), srgb((1.0 - alpha) * BEFORE));
    for (index, pixel) in pixels.into_iter().enumerate() {
        let (x, y) = (index % 16, index / 16);
        let within = (4..10).contains(&x) && (2..6).contains(&y);
        assert_near(pixel, if within { [red, rest, rest] } else { [srgb(BEFORE); 3] });
    }
}

#[test]
fn a_part_of_the_texture_changes_and_the_rest_stays() {
    let validated = Validated::open();
    let mut overlay = Overlay::new(&validated.device, COLOR_FORMAT).unwrap();
    let everywhere = Rect::from_min_max(pos2(0.0, 0.0), pos2(8.0, 4.0));
    let left = Rect::from_min_max(pos2(0.0, 0.0), pos2(4.0, 4.0));
    let right = Rect::from_min_max(pos2(4.0, 0.0), pos2(8.0, 4.0));
    let primitives =
        [rectangle(left, everywhere, Color32::WHITE, 0.25), rectangle(right, everywhere, Color32::WHITE, 0.75)];
    // Nothing is drawn before there is a texture.
    assert_near(draw(&validated, &mut overlay, &primitives)[0], [srgb(BEFORE); 3]);
    let (green, blue) = (Color32::from_rgb(0, 200, 0), Color32::from_rgb(0, 0, 100));
    let two = ColorImage::filled([2, 1], green);
    overlay.update_textures(changes(ImageDelta::full(two, TextureOptions::LINEAR))).unwrap();
    let one = ColorImage::filled([1, 1], blue);
    overlay.update_textures(changes(ImageDelta::partial([1, 0], one, TextureOptions::LINEAR))).unwrap();
    let pixels = draw(&validated, &mut overlay, &primitives);
    assert_near(pixels[0], [0, 200, 0]);
    assert_near(pixels[15], [0, 0, 100]);
    // More than the buffers had room for at first: 12,000 rectangles, of which the last is on top.
    let many: Vec<_> = primitives.iter().cycle().take(12_000).cloned().collect();
    assert_eq!(draw(&validated, &mut overlay, &many), pixels);
}
