//! Every preset in a window, against a small picture of it in tests/pictures.
//!
//! Pictures are averaged over squares of 3 x 3 pixels, so that the rounding of an edge is no difference, and compared in
//! CIE L*a*b*, where a distance of 2.3 is just noticeable (Mahy et al. 1994). After a few steps a cloth is where its
//! equations have it, to a fraction of a pixel on any device; a flag that has flown for seconds would not be. The pictures
//! are llvmpipe's. Mesa 22.3 and 25.0 draw them alike, to 1.2 in the ropes and exactly otherwise. Other drivers may take
//! their samples elsewhere in a pixel, which can be noticed at edges.
//!
//! With TAUTLINE_NEW_PICTURES set, the pictures are written instead; look at them before you commit them.

#![cfg(all(feature = "viewer", target_os = "linux"))]

#[path = "common/screen.rs"]
mod screen;
#[path = "common/video.rs"]
mod video;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use screen::{PATIENCE, SETTLING, Screen};
use tautline::scene::presets;
use video::Picture;

const SIZE: [usize; 2] = [240, 150];
/// Side of the squares that are averaged \[pixels\].
const SQUARE: usize = 3;
const JUST_NOTICEABLE: f64 = 2.3;
/// How many pixels may differ noticeably on other drivers than llvmpipe: one in a hundred of 80 x 50.
const AT_EDGES: usize = 40;

/// Each preset, how many steps it is shown after, what the title then says, and what it needs beside its name. The times
/// are in tenths of a second, rounded, and these are the first steps with theirs.
const MOMENTS: [(&str, usize, &str, &str); 7] = [
    ("verlet", 45, " 0.8 s", ""),
    ("curtain", 36, " 0.4 s", ""),
    ("flag", 9, " 0.2 s", ""),
    ("cut", 9, " 0.2 s", ""),
    ("drape", 15, " 0.3 s", ""),
    ("ropes", 3, " 0.1 s", ""),
    ("mesh", 9, " 0.2 s", "--set mesh=tent.obj"),
];

/// A tent of two triangles, for the preset that has no mesh of its own.
const TENT: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nf 1 2 3\nf 1 3 4\n";

fn reference(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(format!("{name}.png"))
}

/// The average of every square.
fn smaller(picture: &Picture) -> Picture {
    let extent = picture.extent.map(|side| side / SQUARE);
    let average = |left: usize, top: usize| {
        let rows = (top..top + SQUARE).flat_map(|y| (left..left + SQUARE).map(move |x| y * picture.extent[0] + x));
        let sum = rows.fold([0_u32; 3], |sum, place| {
            std::array::from_fn(|channel| sum[channel] + u32::from(picture.rgb[place][channel]))
        });
        let count = (SQUARE * SQUARE) as u32;
        sum.map(|sum| ((sum + count / 2) / count) as u8)
    };
    let rows = (0..extent[1]).flat_map(|y| (0..extent[0]).map(move |x| average(SQUARE * x, SQUARE * y)));
    Picture { extent, rgb: rows.collect() }
}

/// L*, a* and b* of sRGB (IEC 61966-2-1, CIE 15) under its white, D65.
fn lab(rgb: [u8; 3]) -> [f64; 3] {
    let [red, green, blue] = rgb.map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    let x = 0.4124 * red + 0.3576 * green + 0.1805 * blue;
    let y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    let z = 0.0193 * red + 0.1192 * green + 0.9505 * blue;
    let [x, y, z] = [x / 0.9505, y, z / 1.0890].map(|t: f64| {
        if t > (6.0_f64 / 29.0).powi(3) { t.cbrt() } else { t / (3.0 * (6.0_f64 / 29.0).powi(2)) + 4.0 / 29.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Number of pixels that differ noticeably, and the largest difference.
fn difference(left: &Picture, right: &Picture) -> (usize, f64) {
    assert_eq!(left.extent, right.extent);
    let distances = left.rgb.iter().zip(&right.rgb).map(|(left, right)| {
        let (left, right) = (lab(*left), lab(*right));
        left.iter().zip(right).map(|(left, right)| (left - right).powi(2)).sum::<f64>().sqrt()
    });
    distances.fold((0, 0.0), |(count, most), distance| {
        (count + usize::from(distance > JUST_NOTICEABLE), f64::max(most, distance))
    })
}

/// The picture that the key P takes, which is this window's `number`th.
fn taken(screen: &Screen, name: &str, number: usize) -> Picture {
    let file = screen.path(&format!("tautline-{name}-{number}.png"));
    screen.xdotool("key p");
    smaller(&screen.until("a picture is there", || file.exists().then(|| Picture::read(&file))))
}

#[test]
fn every_preset_looks_as_it_should() {
    assert!(presets().map(|(name, _)| name).eq(MOMENTS.map(|(name, ..)| name)), "every preset has its moment");
    for (name, steps, time, settings) in MOMENTS {
        let mut screen = Screen::start(SIZE, format!("{name} --no-panel --report it.json {settings}").trim());
        // A picture of all ropes takes llvmpipe seconds.
        screen.deadline += 3 * PATIENCE;
        fs::write(screen.path("tent.obj"), TENT).unwrap();
        let (viewer, window, _) = screen.paused_window();
        screen.xdotool(&format!("key --delay 1{}", " n".repeat(steps)));
        screen.titled(window, time);
        let seen = taken(&screen, name, 1);
        if std::env::var_os("TAUTLINE_NEW_PICTURES").is_some() {
            write(&seen, &reference(name));
        }
        let wanted = Picture::read(&reference(name));
        // Far away, there is as good as no cloth.
        screen.xdotool("mousemove 120 75 click --repeat 40 --delay 1 5");
        std::thread::sleep(SETTLING);
        let far = taken(&screen, name, 2);
        screen.xdotool("key Escape");
        screen.ends_well(viewer);
        let report: serde_json::Value = serde_json::from_slice(&fs::read(screen.path("it.json")).unwrap()).unwrap();
        let driver = report["device"]["driver"].as_str().unwrap();
        let allowed = if driver.starts_with("llvmpipe") { 0 } else { AT_EDGES };
        let (count, most) = difference(&seen, &wanted);
        assert!(count <= allowed, "{name} with {driver}: {count} pixels differ noticeably, by {most:.1} at most");
        let (count, _) = difference(&far, &wanted);
        assert!(count > 2 * AT_EDGES, "{name} without what it shows: {count} pixels differ noticeably");
    }
}

#[test]
fn no_preset_could_be_taken_for_another() {
    let pictures = MOMENTS.map(|(name, ..)| (name, Picture::read(&reference(name))));
    for (index, (name, picture)) in pictures.iter().enumerate() {
        for (other, its) in &pictures[index + 1..] {
            let (count, _) = difference(picture, its);
            assert!(count > 2 * AT_EDGES, "{name} and {other}: {count} pixels differ noticeably");
        }
    }
}

/// Those that tools/pictures renders.
#[test]
fn the_readme_shows_every_preset() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    for (name, _) in presets() {
        let picture = format!("docs/pictures/{name}.png");
        assert!(readme.contains(&format!("]({picture})")), "{picture} is not in the README");
        assert_eq!(Picture::read(&root.join(picture)).extent, [480, 300]);
    }
}

/// White and black, and red by Lindbloom's calculator.
#[test]
fn colours_are_where_the_standard_has_them() {
    for (rgb, wanted) in [([255; 3], [100.0, 0.0, 0.0]), ([0; 3], [0.0; 3]), ([255, 0, 0], [53.24, 80.09, 67.20])] {
        let found = lab(rgb);
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 0.05), "{found:?}");
    }
}

fn write(picture: &Picture, path: &Path) {
    let mut encoder =
        png::Encoder::new(File::create(path).unwrap(), picture.extent[0] as u32, picture.extent[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.write_header().unwrap().write_image_data(picture.rgb.as_flattened()).unwrap();
}
