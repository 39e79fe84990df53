//! Types, ranges and rules.

use glam::{UVec2, UVec3, Vec2};

use super::*;
use crate::model::{Pattern, Shape, TextureImage};

/// A value for each key that differs from its default.
pub(super) const OTHER_VALUES: [(&str, &str); 83] = [
    ("solver", "pbd"),
    ("mesh", "a b.obj"),
    ("scale", "0.01"),
    ("up", "z"),
    ("weld", "0.001"),
    ("area_density", "1"),
    ("pin_fraction", "1"),
    ("columns", "2"),
    ("rows", "1"),
    ("spacing", "0.1"),
    ("plane", "horizontal"),
    ("particle_mass", "1"),
    ("pins", "[0, 1]"),
    ("pin", "[{box = [[0, 0, 0], [1, 2, 3]], path = [[0, 0, 0, 0], [1.5, 1, 0, 0]], release = 2.5}]"),
    ("bending", "true"),
    ("cloth_count", "2"),
    ("cloth_columns", "3"),
    ("cloth_spacing", "1"),
    ("texture", "a b.png"),
    ("checker", "8"),
    ("dt", "0.01"),
    ("substeps", "10_000"),
    ("iterations", "2"),
    ("time_scale", "0.5"),
    ("allow_unstable", "true"),
    ("constraint_solver", "jacobi"),
    ("path", "plain"),
    ("watch", "recover"),
    ("watch_strain", "0.5"),
    ("watch_speed", "20"),
    ("watch_depth", "0.01"),
    ("watch_every", "3"),
    ("sleep_speed", "0.005"),
    ("gravity", "[0, -1, 1e-3]"),
    ("fabric", "denim"),
    ("damping", "0"),
    ("compliance", "0.1"),
    ("warp_compliance", "0.2"),
    ("shear_compliance", "0.1"),
    ("bending_form", "dihedral"),
    ("bending_form", "distance"),
    ("bending_stiffness", "0.1"),
    ("bending_compliance", "0.1"),
    ("long_range_attachments", "true"),
    ("max_strain", "1e-4"),
    ("elongation", "1.5"),
    ("velocity_loss", "1"),
    ("structural_stiffness", "1"),
    ("shear_stiffness", "0"),
    ("flexion_stiffness", "0"),
    ("storage", "buffers"),
    ("spring_stiffness", "1"),
    ("spring_damping", "1"),
    ("external_acceleration", "[1, 2, 3]"),
    ("collider", "[{shape = 'box', sides = [1, 2, 3], path = [[0, 0, 0, 0, 1, 0, 0, 5], [1.5, 1, 0, 0, 1, 0, 0, 9]]}]"),
    ("cut", "[{time = 1.5, from = [0, 0, 0], to = [1, 0, 0]}, {time = 2, point = [0, 0, 0], normal = [0, 1, 0]}]"),
    ("wind", "[1, 2, 3]"),
    ("wind_flutter", "1"),
    ("wind_flutter_wave_number", "1"),
    ("wind_flutter_frequency", "1"),
    ("wind_flutter_lift", "1"),
    ("air_density", "1.2"),
    ("air_velocity", "[1, 2, 3]"),
    ("drag_coefficient", "1"),
    ("lift_coefficient", "1"),
    ("sine_cloth", "[3, 0, 0]"),
    ("pins", "none"),
    ("rope_count", "2"),
    ("rope_columns", "2"),
    ("rope_particles", "2"),
    ("rope_length", "2"),
    ("rope_span", "0.5"),
    ("rope_spacing", "1"),
    ("rope_held", "first"),
    ("rope_motion", "[[0, 0, 0, 0], [1.5, 1, 0, 0]]"),
    ("rope_release", "2.5"),
    ("rope_radius", "0.01"),
    ("rope_lod", "true"),
    ("rope_lod_distances", "[1, 2, 3]"),
    ("rope_lod_hysteresis", "0.1"),
    ("rope_lod_blend", "1"),
    ("rope_lod_sway", "0"),
    ("rope_lod_camera", "[1, 2, 3]"),
];

#[test]
fn every_key_can_be_set_and_written_and_read_again() {
    let mut all = Scene { name: "some".into(), ..Scene::default() };
    for key in KEYS {
        let others = OTHER_VALUES.iter().filter(|(name, _)| *name == key.name);
        assert_ne!(others.clone().count(), 0, "no value for {}", key.name);
        for (name, value) in others {
            let before = all.clone();
            let place = Place::Scene { name: String::new() };
            let value = file::override_value(value, &place).expect("a value");
            all.set(name, &value, place).expect(name);
            assert_ne!(all, before, "{name}");
        }
    }
    // The path is relative to the file's directory, and the scene has it joined.
    all.mesh = None;
    all.texture = None;
    assert_eq!(load_file(all.to_string()).expect("a scene"), all);
}

#[test]
fn every_range_is_enforced_at_its_ends() {
    for (key, least, most, below, above) in [
        ("scale", "1e-9", "1e9", "0", "1.1e9"),
        ("area_density", "1e-9", "1e9", "-1", "inf"),
        ("pin_fraction", "0", "1", "-0.001", "1.001"),
        ("columns", "2", "67108864", "1", "67108865"),
        ("rows", "1", "67108864", "0", "4294967296"),
        ("spacing", "1e-9", "1e9", "0.0", "1e400"),
        ("particle_mass", "1e-9", "1e9", "1e-50", "inf"),
        ("checker", "0", "1000", "-1", "1001"),
        ("dt", "1e-9", "1", "0", "1.0001"),
        ("substeps", "1", "10000", "0", "10001"),
        ("iterations", "1", "10000", "-1", "10001"),
        ("time_scale", "0", "100", "-0.1", "101"),
        ("watch_strain", "0", "1e9", "-0.1", "inf"),
        ("watch_speed", "0", "1e9", "-0.1", "inf"),
        ("watch_depth", "0", "1e9", "-0.1", "inf"),
        ("watch_every", "0", "1000000", "-1", "1000001"),
        ("sleep_speed", "0", "1e9", "-0.1", "inf"),
        ("gravity", "[-1e9, 0, 0]", "[0, 0, 1e9]", "[0, -2e9, 0]", "[0, 0, inf]"),
        ("damping", "0", "1e9", "-0.1", "inf"),
        ("compliance", "0", "1e9", "-1e-9", "inf"),
        ("warp_compliance", "0", "1e9", "-1e-9", "inf"),
        ("shear_compliance", "0", "1e9", "-1e-9", "inf"),
        ("bending_stiffness", "0", "1e9", "-1e-9", "inf"),
        ("bending_compliance", "0", "1e9", "-1e-9", "inf"),
        ("max_strain", "0", "10", "-0.001", "10.1"),
        ("elongation", "0.1", "10", "0.09", "inf"),
        ("velocity_loss", "0", "1", "-0.001", "1.001"),
        ("structural_stiffness", "1e-9", "1e9", "0", "inf"),
        ("shear_stiffness", "0", "1e9", "-1", "inf"),
        ("flexion_stiffness", "0", "1e9", "-1", "inf"),
        ("wind", "[-1e9, 0, 0]", "[0, 0, 1e9]", "[0, -inf, 0]", "[0, 0, 2e9]"),
        ("wind_flutter", "-1e9", "1e9", "-inf", "inf"),
        ("wind_flutter_wave_number", "-1e9", "1e9", "-inf", "inf"),
        ("wind_flutter_frequency", "-1e9", "1e9", "-inf", "inf"),
        ("wind_flutter_lift", "-1e9", "1e9", "-inf", "inf"),
        ("air_density", "0", "1e3", "-1e-6", "1e4"),
        ("drag_coefficient", "0", "1e3", "-1e-6", "1e4"),
        ("lift_coefficient", "0", "1e3", "-1e-6", "1e4"),
        ("cloth_count", "1", "65535", "0", "65536"),
        ("cloth_columns", "1", "65535", "0", "65536"),
        ("cloth_spacing", "0", "1e6", "-1", "inf"),
        ("rope_count", "1", "65535", "0", "65536"),
        ("rope_columns", "1", "65535", "0", "65536"),
        ("rope_particles", "2", "256", "1", "257"),
        ("rope_length", "1e-3", "1e6", "0", "inf"),
        ("rope_span", "0", "1e6", "-1", "inf"),
        ("rope_spacing", "0", "1e6", "-1", "inf"),
        ("rope_release", "1e-9", "1e9", "0", "inf"),
        ("rope_radius", "1e-6", "1e3", "0", "inf"),
        ("rope_lod_distances", "[0, 0, 0]", "[0, 0, 1e9]", "[-1, 0, 0]", "[0, 0, inf]"),
        ("rope_lod_hysteresis", "0", "0.5", "-0.1", "0.6"),
        ("rope_lod_blend", "1e-3", "10", "0", "11"),
        ("rope_lod_sway", "0", "90", "-1", "91"),
        ("rope_lod_camera", "[-1e9, 0, 0]", "[0, 0, 1e9]", "[0, -2e9, 0]", "[0, 0, inf]"),
    ] {
        let other = match key {
            "columns" => "rows=1",
            "rows" => "columns=2",
            _ => "rows=2",
        };
        for value in [least, most] {
            // 2^26 rows of 2 columns are within the range of rows, yet too many particles.
            if (key, value) != ("rows", most) {
                assert!(load("flag", &[other, &format!("{key}={value}")]).is_ok(), "{key}={value}");
            }
        }
        let is_vector = least.starts_with('[');
        for value in [below, above, if is_vector { "[nan, 0, 0]" } else { "nan" }] {
            let text = complaint("flag", &[other, &format!("{key}={value}")]);
            let beginning = format!("`{key}` must be ");
            assert!(text.starts_with(&beginning) && text.contains(" from ") && text.contains(", not "), "{text}");
        }
    }
}

#[test]
fn wrong_values_say_what_would_be_right() {
    for (settings, expected) in [
        (&["spacing=0"][..], "`spacing` must be a number from 1e-9 to 1e9 m, not 0"),
        (&["dt=nan"], "`dt` must be a number from 1e-9 to 1 s, not nan"),
        (&["dt="], "`dt` must be a number from 1e-9 to 1 s, not \"\""),
        (&["columns=50.0"], "`columns` must be a whole number from 2 to 67108864, not 50.0"),
        (&["bending=yes"], "`bending` must be true or false, not \"yes\""),
        (
            &["solver=jacobi"],
            "`solver` must be \"verlet\", \"mass-spring\", \"xpbd\", \"pbd\", \"xpbd-document\" or \"rope\", not \
             \"jacobi\"",
        ),
        (&["constraint_solver=sor"], "`constraint_solver` must be \"gauss-seidel\" or \"jacobi\", not \"sor\""),
        (
            &["fabric=demin"],
            "`fabric` must be \"cotton\", \"silk\", \"denim\", \"wool\", \"polyester\", \"leather\" or \"rubber\", not \
             \"demin\" (did you mean `denim`?)",
        ),
        (&["bending_form=flexion"], "`bending_form` must be \"dihedral\" or \"distance\", not \"flexion\""),
        (&["plane=1"], "`plane` must be \"vertical\" or \"horizontal\", not 1"),
        (&["mesh=a.fbx"], "`mesh` must be the path of a mesh (.obj, .gltf, .glb, .ply or .stl), not \"a.fbx\""),
        (&["wind=[1, 2]"], "`wind` must be three numbers [x, y, z], each from -1e9 to 1e9 m/s², not [1, 2]"),
        (
            &["pins=[0, -1]"],
            "`pins` must be \"top-row\", \"top-corners\", \"none\" or an array of particle indices such as [0, 99], \
             not [0, -1]",
        ),
        (
            &["pins=[9999, 10000]"],
            "`pins` must be indices from 0 to 9999, for `columns` times `rows` make 10000 particles, not 10000",
        ),
        (
            &["columns=8193", "rows=8192"],
            "`columns` must be at most 8192 where `rows` is 8192, for 67108864 particles in all, not 8193",
        ),
        (
            &["solver=verlet", "mesh=a.obj"],
            "`solver` must be \"xpbd\", \"pbd\" or \"xpbd-document\" where the key `mesh` is set, as the others move \
             no mesh, not \"verlet\"",
        ),
    ] {
        assert_eq!(complaint("flag", settings), expected);
    }
    let error = load("flag", &["wind=[1, 0"]).expect_err("no TOML").to_string();
    assert!(error.starts_with("the setting `wind=[1, 0`: this is not TOML: "), "{error}");
    let error = load("flag", &["colums=5"]).expect_err("no key").to_string();
    let expected = "the setting `colums=5`: there is no key `colums` (did you mean `columns`?); the keys are solver, \
                    mesh, scale, up, ";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn fields_set_by_hand_are_checked_before_anything_is_made() {
    let scene = Scene { spacing: f32::NAN, ..Scene::default() };
    let expected = "the scene `default`: `spacing` must be a number from 1e-9 to 1e9 m, not nan";
    assert_eq!(scene.cloth().expect_err("no spacing").to_string(), expected);
    let (_directory, path) = written("huge.obj", "v 3e38 0 0\nv -3e38 0 0\nv 0 3e38 0\nf 1 2 3\n");
    let error = load_path(&path).expect("a scene").cloth().expect_err("an endless mesh").to_string();
    assert!(error.starts_with("the scene `huge`: `scale` must be such that 32 bits hold "), "{error}");
}

#[test]
fn solvers_are_named_both_ways() {
    for kind in SolverKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
    }
    let error = "XPBD".parse::<SolverKind>().expect_err("no solver").to_string();
    assert_eq!(
        error,
        "there is no solver `XPBD`: give \"verlet\", \"mass-spring\", \"xpbd\", \"pbd\", \"xpbd-document\" or \"rope\""
    );
}

#[test]
fn wrong_colliders_are_named_by_number_and_key() {
    for (tables, expected) in [
        ("{shape = 'sphere', radius = 0}", "`collider 1: radius` must be a number from 1e-9 to 1e9 m, not 0"),
        ("{shape = 'sphere'}", "`collider 1: radius` must be a number from 1e-9 to 1e9 m, not left out"),
        (
            "{shape = 'plane'}, {shape = 'sphere', radius = nan}",
            "`collider 2: radius` must be a number from 1e-9 to 1e9 m, not NaN",
        ),
        ("{shape = 'plane', radius = 1}", "`collider 1: radius` must be left out, as a plane has none, not given"),
        (
            "{shape = 'cone'}",
            "`collider 1: shape` must be \"sphere\", \"capsule\", \"plane\", \"box\", \"height-field\" or \"mesh\", \
             not \"cone\"",
        ),
        ("{shape = 'box', heights = 'a.png'}", "`collider 1: sides` must be a number from 1e-9 to 1e9 m, not left out"),
        (
            "{shape = 'plane', heights = 'a.png'}",
            "`collider 1: heights` must be left out, as a plane has none, not given",
        ),
        (
            "{shape = 'height-field', heights = [[0, 1], [1, 0]]}",
            "`collider 1: sides` must be a number from 1e-9 to 1e9 m, not left out",
        ),
        (
            "{shape = 'height-field', sides = [1, 1, 1]}",
            "`collider 1: heights` must be rows of numbers or the path of a grey PNG image, not left out",
        ),
        (
            "{shape = 'mesh', mesh = 'a.obj', cells = 7}",
            "`collider 1: cells` must be a number from 8 to 256, as memory grows with its third power, not 7",
        ),
        (
            "{shape = 'mesh', mesh = 'a.obj', scale = 0}",
            "`collider 1: scale` must be a number from 1e-9 to 1e9 m, not 0",
        ),
        (
            "{shape = 'box', mesh = 'a.obj', sides = [1, 1, 1]}",
            "`collider 1: mesh` must be left out, as a box has none, not given",
        ),
        ("{shape = 'box', sides = [1, 0, 1]}", "`collider 1: sides` must be a number from 1e-9 to 1e9 m, not 0"),
        (
            "{shape = 'capsule', radii = [1, -1], length = 1}",
            "`collider 1: radii` must be a number from 1e-9 to 1e9 m, not -1",
        ),
        ("{shape = 'plane', friction = -1}", "`collider 1: friction` must be a number from 0 to 1000, not -1"),
        (
            "{shape = 'plane', position = [0, nan, 0]}",
            "`collider 1: position` must be three numbers, each from -1e9 to 1e9 m, not [0, NaN, 0]",
        ),
        (
            "{shape = 'plane', rotation = [0, 0, 0, 90]}",
            "`collider 1: rotation` must be an axis that has a length and an angle, [x, y, z, degrees], not \
             [0.0, 0.0, 0.0, 90.0]",
        ),
    ] {
        assert_eq!(complaint("flag", &[&format!("collider=[{tables}]")]), expected);
    }
    let unknown = complaint("flag", &["collider=[{shape = 'plane', mass = 1}]"]);
    assert!(unknown.starts_with("`collider` must be an array of tables such as "), "{unknown}");
}

#[test]
fn wrong_keyframes_are_shown() {
    let forms = "keyframes that are all [time, x, y, z], or all [time, x, y, z, axis x, axis y, axis z, degrees]";
    let axis = "keyframes whose rotations are each an axis that has a length and an angle from -1e9 to 1e9 degrees";
    let reach = "keyframes of a finite time in s and a position within 1e9 m";
    let order = "keyframes each later than the one before, but for two of one time, between which it jumps";
    for (path, expected, found) in [
        ("[]", "at least one keyframe", "none"),
        ("[[0, 1, 2]]", forms, "[0.0, 1.0, 2.0]"),
        ("[[]]", forms, "[]"),
        ("[[0, 0, 0, 0], [1, 0, 0, 0, 0, 1, 0, 90]]", forms, "[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 90.0]"),
        ("[[0, 0, 0, 0, 0, 1, 0, 90], [1, 0, 0, 0]]", forms, "[1.0, 0.0, 0.0, 0.0]"),
        ("[[1, 0, 0, 0], [0, 1, 0, 0]]", order, "[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]"),
        (
            "[[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 0, 0]]",
            order,
            "[[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 2.0, 0.0,...",
        ),
        (
            "[[1, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0]]",
            order,
            "[[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0...",
        ),
        ("[[nan, 0, 0, 0]]", reach, "[NaN, 0.0, 0.0, 0.0]"),
        ("[[0, 0, nan, 0]]", reach, "[0.0, 0.0, NaN, 0.0]"),
        ("[[0, 2e9, 0, 0]]", reach, "[0.0, 2000000000.0, 0.0, 0.0]"),
        ("[[0, 0, 0, 0, 0, 0, 0, 90]]", axis, "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 90.0]"),
        ("[[0, 0, 0, 0, 0, 1, 0, inf]]", axis, "[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, inf]"),
    ] {
        let said = complaint("flag", &[&format!("collider=[{{shape = 'plane', path = {path}}}]")]);
        assert_eq!(said, format!("`collider 1: path` must be {expected}, not {found}"));
    }
    let path = "path = [[0, 0, 0, 0, 0, 1, 0, 90]]";
    let twice = complaint("flag", &[&format!("collider=[{{shape = 'plane', rotation = [1, 0, 0, 5], {path}}}]")]);
    let expected = "`collider 1: rotation` must be left out where the keyframes of `path` have rotations, not given";
    assert_eq!(twice, expected);
}

#[test]
fn keyframes_turn_at_constant_speed_and_more_than_once() {
    let path = "[[0, 1, 0, 0, 0, 2, 0, 0], [4, 1, 0, 2, 0, 2, 0, 720]]";
    let scene = load("flag", &[&format!("collider=[{{shape = 'plane', path = {path}}}]")]).expect("a scene");
    let path = &scene.colliders().expect("a collider")[0].path;
    // Two turns in 4 s: a quarter in 0.5 s, and 0.25 m along z.
    let pose = path.at(0.5);
    assert_eq!(pose.position, Vec3::new(1.0, 0.0, 0.25));
    assert!((pose.rotation * Vec3::Z).distance(Vec3::X) < 1e-6);
    assert_eq!(load_file(scene.to_string()).expect("the same scene").collider, scene.collider);
}

#[test]
fn wrong_heights_are_shown() {
    for (heights, found) in [
        ("[]", "0 rows of 0"),
        ("[[0, 1, 2]]", "1 rows of 3"),
        ("[[0], [1]]", "2 rows of 1"),
        ("[[0, 1], [0, 1, 2]]", "a row of 2 and one of 3"),
        ("[[0, 1], [nan, 1]]", "[NaN, 1.0]"),
        ("[[0, 1001], [0, 1]]", "[0.0, 1001.0]"),
    ] {
        let said = complaint("flag", &[&format!("collider=[{}]", terrain(heights))]);
        let expected = "2 to 2048 rows of as many numbers, all of a length and each from -1000 to 1000";
        assert_eq!(said, format!("`collider 1: heights` must be {expected}, not {found}"));
    }
}

#[test]
fn heights_are_shares_and_their_image_lies_beside_the_scene() {
    let scene = load("flag", &[&format!("collider=[{}]", terrain("[[0, 1, 0.5], [1, -1, 2]]"))]).expect("a scene");
    assert_eq!(load_file(scene.to_string()).expect("the same scene").collider, scene.collider);
    let Shape::HeightField(field) = &scene.colliders().expect("a terrain")[0].shape else { panic!("no height field") };
    assert_eq!((field.sides(), field.grid_size()), (Vec2::new(4.0, 6.0), UVec2::new(3, 2)));
    assert_eq!(field.heights(), [0.0, 0.5, 0.25, 0.5, -0.5, 1.0]);

    let (directory, path) = written("hills.toml", format!("collider = [{}]", terrain("'hills.png'")));
    let scene = load_path(&path).expect("a scene");
    let image = directory.path().join("hills.png");
    let said = || scene.colliders().expect_err("no image").to_string().replace(image.to_str().expect("a path"), "*");
    assert_eq!(said(), "* does not exist; give the path of a grey PNG image (.png)");
    fs::write(&image, "no image").expect("a file");
    assert!(said().starts_with("* is no PNG image that can be read: "));
    let mut encoder = png::Encoder::new(fs::File::create(&image).expect("a file"), 2, 2);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().expect("a header").write_image_data(&[0, 255, 51, 0]).expect("an image");
    let Shape::HeightField(field) = &scene.colliders().expect("a terrain")[0].shape else { panic!("no height field") };
    assert_eq!(field.heights(), [0.0, 0.5, 0.1, 0.0]);

    // It is read once, but by a scene that has forgotten it.
    fs::remove_file(&image).expect("the file");
    let mut forgetful = scene.clone();
    assert_eq!(forgetful.colliders().expect("the terrain"), scene.colliders().expect("the same"));
    forgetful.forget_files();
    assert!(forgetful.colliders().is_err() && scene.colliders().is_ok());
}

#[test]
fn a_mesh_lies_beside_the_scene_and_is_read_once() {
    let (directory, path) = written(
        "solid.toml",
        "collider = [{shape = 'mesh', mesh = 'solid.obj', scale = 0.5, cells = 8, friction = 0.2}]",
    );
    let scene = load_path(&path).expect("a scene");
    assert_eq!(load_file(scene.to_string()).expect("the same scene").collider, scene.collider);
    let file = directory.path().join("solid.obj");
    let said = || scene.colliders().expect_err("no mesh").to_string().replace(file.to_str().expect("a path"), "*");
    assert_eq!(said(), "* does not exist; give the path of a mesh (.obj, .gltf, .glb, .ply or .stl)");
    let tetrahedron = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 4 3\nf 1 2 4\n";
    fs::write(&file, tetrahedron).expect("a file");
    assert!(said().starts_with("*: the mesh is not closed: 3 of its edges"));
    fs::write(&file, [tetrahedron, "f 2 3 4\n"].concat()).expect("a file");
    // It has been read, and is what it was until it is forgotten.
    assert!(said().starts_with("*: the mesh is not closed"));
    let mut scene = scene.clone();
    scene.forget_files();
    let colliders = scene.colliders().expect("a collider");
    let Shape::Mesh { surface, field } = &colliders[0].shape else { panic!("no mesh") };
    // Half a metre in one unit, and two more of eight cells on either side.
    assert_eq!(surface.bounds(), [Vec3::ZERO, Vec3::ONE]);
    assert_eq!((field.grid().cell(), field.grid().size()), (0.125, UVec3::splat(13)));
    assert_eq!(colliders[0].friction, 0.2);

    fs::remove_file(&file).expect("the file");
    let mut forgetful = scene.clone();
    assert_eq!(forgetful.colliders().expect("the mesh"), colliders);
    forgetful.forget_files();
    assert!(forgetful.colliders().is_err() && scene.colliders().is_ok());
}

#[test]
fn a_texture_lies_beside_the_scene() {
    let (directory, path) = written("printed.toml", "texture = 'print.png'");
    let scene = load_path(&path).expect("a scene");
    let image = directory.path().join("print.png");
    assert_eq!(scene.texture, Some(ImagePath(image.clone())));
    let said = || scene.cloth().expect_err("no image").to_string().replace(image.to_str().expect("a path"), "*");
    assert_eq!(said(), "* does not exist; give the path of a PNG image (.png)");
    fs::write(&image, "no image").expect("a file");
    assert!(said().starts_with("* is no PNG image that can be read: "));
    let mut encoder = png::Encoder::new(fs::File::create(&image).expect("a file"), 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().expect("a header").write_image_data(&[1, 2, 3]).expect("an image");
    let texture = TextureImage { extent: [1, 1], texels: vec![[1, 2, 3, 255]] };
    assert_eq!(scene.cloth().expect("a cloth").pattern, Pattern::Image(texture.into()));

    // It is read once, but by a scene that has forgotten it.
    fs::remove_file(&image).expect("the file");
    let mut forgetful = scene.clone();
    assert_eq!(forgetful.cloth().expect("a cloth").pattern, scene.cloth().expect("a cloth").pattern);
    forgetful.forget_files();
    assert!(forgetful.cloth().is_err() && scene.cloth().is_ok());
}

/// A terrain with these heights.
fn terrain(heights: &str) -> String {
    format!("{{shape = 'height-field', sides = [4, 0.5, 6], heights = {heights}}}")
}

#[test]
fn every_key_tells_what_it_is_and_takes_what_it_says() {
    let mut scene = Scene::default();
    for key in Scene::keys() {
        assert!(!key.documentation.trim().is_empty() && !key.expected().is_empty(), "{}", key.name);
        // What a key says of its value is what it takes.
        if let Some(text) = key.text(&scene) {
            scene.change(key.name, &text).unwrap();
            assert_eq!(key.text(&scene), Some(text), "{}", key.name);
        }
        if let Form::Choice(words) = key.form {
            assert!(words.iter().all(|word| scene.change(key.name, word).is_ok()), "{}: {words:?}", key.name);
            assert_eq!(words.len(), key.expected().matches('"').count() / 2, "{}: {}", key.name, key.expected());
            scene = Scene::default();
        }
        if let (Form::Number | Form::Whole, Some(range)) = (key.form, key.range()) {
            for end in [range.start(), range.end()] {
                let text = if key.form == Form::Whole { format!("{end:.0}") } else { format!("{:?}", *end as f32) };
                assert!(scene.clone().change(key.name, &text).is_ok(), "{} = {text}", key.name);
            }
            let above = format!("{:?}", (2.0 * range.end().max(1.0)).ceil() as i64);
            assert!(scene.clone().change(key.name, &above).is_err(), "{} = {above}", key.name);
        }
    }
    let damping = Scene::keys().iter().find(|key| key.name == "damping").unwrap();
    assert_eq!((damping.unit, damping.range(), damping.form), ("1/s", Some(0.0..=1e9), Form::Number));
}
