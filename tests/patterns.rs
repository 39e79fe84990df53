//! What is printed on cloth: squares and texels where texture coordinates say, on both sides, near and far.

mod common;
#[path = "common/pictures.rs"]
mod pictures;

use std::fs;
use std::path::Path;

use common::{Validated, load, run, start};
use glam::{Vec2, Vec3};
use pictures::{Shot, assert_hue, floating, positions, view};
use tautline::engine::Device;
use tautline::model::Blade;
use tautline::render::Shown;
use tautline::scene::Scene;
use tautline::solver::Simulation;

const SIZE: [u32; 2] = [400, 300];

fn shot(device: &Device, simulation: &Simulation) -> Shot {
    Shot::showing(device, simulation, Shown::Looks, SIZE)
}

/// Whether a place has the second colour, which is grey beside the red of either side.
fn is_second(shot: &Shot, place: Vec3) -> bool {
    let [red, green, _] = shot.light(place);
    green > 0.4 * red
}

/// A place of the floating sheet by its share across and down.
fn on_sheet(share: Vec2) -> Vec3 {
    Vec3::new(2.0 * share.x - 1.0, -2.0 * share.y, 0.0)
}

/// Asserts that of 4 x 4 squares those with an odd sum of column and row have the second colour.
fn assert_checker(shot: &Shot, on_cloth: impl Fn(Vec2) -> Vec3, what: &str) {
    for row in 0..4 {
        for column in 0..4 {
            let place = on_cloth((Vec2::new(column as f32, row as f32) + 0.5) / 4.0);
            assert_eq!(is_second(shot, place), (row + column) % 2 == 1, "{what}: square {column}, {row}");
        }
    }
}

#[test]
fn a_checkerboard_covers_a_sheet_on_both_sides() {
    let validated = Validated::open();
    let device = &validated.device;
    for (solver, on_cpu) in [("xpbd", false), ("xpbd", true), ("verlet", false), ("mass-spring", false)] {
        let settings = [("checker", "4"), ("solver", solver), ("allow_unstable", "true")];
        let simulation = start(device, &floating(17, &settings), on_cpu);
        assert_checker(&shot(device, &simulation), on_sheet, solver);
        let view = view(device, &simulation, Shown::Looks);
        let behind = Shot::turned(device, &simulation, &view, SIZE, std::f32::consts::PI);
        assert_checker(&behind, on_sheet, &format!("{solver}, from behind"));
    }
    let flat = floating(17, &[("checker", "4"), ("plane", "horizontal")]).simulation(device).unwrap();
    assert_checker(&shot(device, &flat), |share| Vec3::new(2.0 * share.x - 1.0, 0.0, 2.0 * share.y), "flat");
}

fn write_png(path: &Path, extent: [u32; 2], texels: &[[u8; 3]]) {
    let mut encoder = png::Encoder::new(fs::File::create(path).unwrap(), extent[0], extent[1]);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(texels.as_flattened()).unwrap();
}

/// The floating sheet with an image on it.
fn printed(folder: &Path, extent: [u32; 2], texels: &[[u8; 3]]) -> Scene {
    let path = folder.join("print.png");
    write_png(&path, extent, texels);
    floating(17, &[("texture", path.to_str().unwrap())])
}

/// The upper left texel lies at the upper left corner of the sheet, seen from the front.
#[test]
fn an_image_covers_a_sheet_with_its_first_row_on_top() {
    let validated = Validated::open();
    let device = &validated.device;
    let folder = tempfile::tempdir().unwrap();
    let texels = [[230, 30, 30], [30, 230, 30], [30, 30, 230], [200, 200, 30], [30, 200, 200], [200, 30, 200]];
    let simulation = printed(folder.path(), [3, 2], &texels).simulation(device).unwrap();
    let view = view(device, &simulation, Shown::Looks);
    for (what, turn) in [("front", 0.0), ("back", std::f32::consts::PI)] {
        let shot = Shot::turned(device, &simulation, &view, SIZE, turn);
        for (index, texel) in texels.into_iter().enumerate() {
            let share = (Vec2::new((index % 3) as f32, (index / 3) as f32) + 0.5) / Vec2::new(3.0, 2.0);
            // Light is warm, and the tone mapping brings bright channels together: what is left is which are large.
            let light = shot.light(on_sheet(share));
            let largest = light.iter().copied().fold(0.0, f64::max);
            let bright = light.map(|channel| channel > 0.35 * largest);
            assert_eq!(bright, texel.map(|value| value > 100), "{what}, texel {index}: {light:?}");
        }
    }
}

/// Squares of one texel, several of them in a pixel, are seen as the mean of their light, everywhere alike.
#[test]
fn an_image_that_is_seen_small_does_not_flicker() {
    let validated = Validated::open();
    let device = &validated.device;
    let folder = tempfile::tempdir().unwrap();
    let fine: Vec<_> = (0..1024 * 1024).map(|index| [255 * ((index % 1024 + index / 1024) % 2) as u8; 3]).collect();
    let fine = printed(folder.path(), [1024, 1024], &fine).simulation(device).unwrap();
    // Half of the light of white.
    let even = printed(folder.path(), [1, 1], &[[188; 3]]).simulation(device).unwrap();
    let [fine, even] = [fine, even].map(|simulation| shot(device, &simulation).picture.rgba);
    let apart = fine.iter().zip(&even).map(|(fine, even)| fine.abs_diff(*even)).max();
    assert!(apart <= Some(2), "apart by {apart:?}");
}

/// Two quads that share an edge at which the texture is cut: the left one has its first quarter, the right one its second half.
const SEAM: &str = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nvt 0 0\nvt 0.25 0\nvt 0.25 1\nvt 0 1\nvt 0.5 0\n\
                    vt 1 0\nvt 1 1\nvt 0.5 1\nf 1/1 2/2 5/3 4/4\nf 2/5 3/6 6/7 5/8\n";

fn mesh(folder: &Path, contents: &str, settings: &[(&str, &str)]) -> Scene {
    let path = folder.join("cloth.obj");
    fs::write(&path, contents).unwrap();
    let still = [("gravity", "[0, 0, 0]"), ("pin_fraction", "0")];
    load(path.to_str().unwrap(), &[&still, settings].concat())
}

#[test]
fn a_checkerboard_is_where_a_mesh_has_its_texture_coordinates() {
    let validated = Validated::open();
    let device = &validated.device;
    let folder = tempfile::tempdir().unwrap();
    for on_cpu in [false, true] {
        let mut simulation = start(device, &mesh(folder.path(), SEAM, &[("checker", "4")]), on_cpu);
        assert_eq!(positions(&simulation).len(), 6, "no particle is split");
        for steps in [0, 2] {
            run(device, &mut simulation, steps);
            let shot = shot(device, &simulation);
            for row in 0..4 {
                let height = 1.0 - (row as f32 + 0.5) / 4.0;
                // Columns 0, 2 and 3 of the squares, where they lie on the mesh.
                for (column, x) in [(0, 0.5), (2, 1.25), (3, 1.75)] {
                    let place = Vec3::new(x, height, 0.0);
                    assert_eq!(is_second(&shot, place), (row + column) % 2 == 1, "square {column}, {row}, {on_cpu}");
                }
            }
        }
        // Without the right quad, through which a blade has gone, only the background is there.
        let before = shot(device, &simulation);
        assert!(simulation.cut(Blade::plane(Vec3::new(1.5, 0.5, 0.0), Vec3::X).unwrap()).unwrap());
        run(device, &mut simulation, 1);
        let after = shot(device, &simulation);
        let (left, right) = (Vec3::new(0.5, 0.6, 0.0), Vec3::new(1.5, 0.6, 0.0));
        assert_eq!(before.at(left), after.at(left), "on the CPU: {on_cpu}");
        assert_hue(after.light(right), [173, 181, 188], "the background");
    }
}

/// The upright image on a mesh: texture coordinates count upwards in an OBJ file.
#[test]
fn an_image_stands_upright_on_a_mesh() {
    let validated = Validated::open();
    let device = &validated.device;
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("a.png");
    write_png(&image, [1, 2], &[[230, 20, 20], [20, 20, 230]]);
    let scene = mesh(folder.path(), SEAM, &[("texture", image.to_str().unwrap())]);
    let simulation = scene.simulation(device).unwrap();
    let shot = shot(device, &simulation);
    let [above, below] = [0.75, 0.25].map(|height| shot.light(Vec3::new(0.5, height, 0.0)));
    assert!(above[0] > 3.0 * above[2] && below[2] > 3.0 * below[0], "{above:?} above {below:?}");
}

#[test]
fn a_mesh_without_texture_coordinates_is_not_printed_on() {
    let folder = tempfile::tempdir().unwrap();
    let bare: String = SEAM.lines().map(|line| line.replace("/8", "") + "\n").collect();
    let said = |settings| mesh(folder.path(), &bare, settings).cloth().unwrap_err().to_string();
    let lacks = "cloth.obj lacks texture coordinates (`vt`, and `f v/vt`) at corners of its faces, not";
    let checker = said(&[("checker", "4")]);
    assert!(
        checker.contains("`checker` must be left out, as ") && checker.ends_with(&format!("{lacks} 4")),
        "{checker}"
    );
    let image = folder.path().join("a.png");
    write_png(&image, [1, 1], &[[0; 3]]);
    let image = image.to_str().unwrap();
    let texture = said(&[("texture", image)]);
    assert!(texture.contains("`texture`") && texture.ends_with(&format!("{lacks} {image}")), "{texture}");
}
