//! Types, ranges and rules.

use super::*;

/// A value for each key that differs from its default.
const OTHER_VALUES: [(&str, &str); 52] = [
    ("solver", "pbd"),
    ("mesh", "a b.obj"),
    ("scale", "0.01"),
    ("area_density", "1"),
    ("pin_fraction", "1"),
    ("columns", "2"),
    ("rows", "1"),
    ("spacing", "0.1"),
    ("plane", "horizontal"),
    ("particle_mass", "1"),
    ("pins", "[0, 1]"),
    ("bending", "true"),
    ("dt", "0.01"),
    ("substeps", "10_000"),
    ("iterations", "2"),
    ("time_scale", "0.5"),
    ("constraint_solver", "jacobi"),
    ("gravity", "[0, -1, 1e-3]"),
    ("damping", "0"),
    ("compliance", "0.1"),
    ("shear_compliance", "0.1"),
    ("bending_compliance", "0.1"),
    ("elongation", "1.5"),
    ("velocity_loss", "1"),
    ("structural_stiffness", "1"),
    ("shear_stiffness", "0"),
    ("flexion_stiffness", "0"),
    ("spring_stiffness", "1"),
    ("spring_damping", "1"),
    ("external_acceleration", "[1, 2, 3]"),
    ("collider", "[{shape = 'box', sides = [1, 2, 3], path = [[0, 0, 0, 0], [1.5, 1, 0, 0]]}]"),
    ("wind", "[1, 2, 3]"),
    ("wind_flutter", "1"),
    ("wind_flutter_wave_number", "1"),
    ("wind_flutter_frequency", "1"),
    ("wind_flutter_lift", "1"),
    ("pins", "none"),
    ("rope_count", "2"),
    ("rope_columns", "2"),
    ("rope_particles", "2"),
    ("rope_length", "2"),
    ("rope_span", "0.5"),
    ("rope_spacing", "1"),
    ("rope_held", "first"),
    ("rope_motion", "[[0, 0, 0, 0], [1.5, 1, 0, 0]]"),
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
        ("dt", "1e-9", "1", "0", "1.0001"),
        ("substeps", "1", "10000", "0", "10001"),
        ("iterations", "1", "10000", "-1", "10001"),
        ("time_scale", "0", "100", "-0.1", "101"),
        ("gravity", "[-1e9, 0, 0]", "[0, 0, 1e9]", "[0, -2e9, 0]", "[0, 0, inf]"),
        ("damping", "0", "1e9", "-0.1", "inf"),
        ("compliance", "0", "1e9", "-1e-9", "inf"),
        ("shear_compliance", "0", "1e9", "-1e-9", "inf"),
        ("bending_compliance", "0", "1e9", "-1e-9", "inf"),
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
        ("rope_count", "1", "65535", "0", "65536"),
        ("rope_columns", "1", "65535", "0", "65536"),
        ("rope_particles", "2", "256", "1", "257"),
        ("rope_length", "1e-3", "1e6", "0", "inf"),
        ("rope_span", "0", "1e6", "-1", "inf"),
        ("rope_spacing", "0", "1e6", "-1", "inf"),
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
        (&["plane=1"], "`plane` must be \"vertical\" or \"horizontal\", not 1"),
        (&["mesh=a.ply"], "`mesh` must be the path of a Wavefront OBJ file (.obj), not \"a.ply\""),
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
                    mesh, scale, ";
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
        ("{shape = 'cone'}", "`collider 1: shape` must be \"sphere\", \"capsule\", \"plane\" or \"box\", not \"cone\""),
        ("{shape = 'box', sides = [1, 0, 1]}", "`collider 1: sides` must be a number from 1e-9 to 1e9 m, not 0"),
        (
            "{shape = 'capsule', radii = [1, -1], length = 1}",
            "`collider 1: radii` must be a number from 1e-9 to 1e9 m, not -1",
        ),
        ("{shape = 'plane', friction = -1}", "`collider 1: friction` must be a number from 0 to 1000, not -1"),
        (
            "{shape = 'plane', path = [[1, 0, 0, 0], [1, 1, 0, 0]]}",
            "`collider 1: path` must be keyframes [time, x, y, z] in s and m, finite and each later than the one before, \
             not [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]",
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
fn keys_of_ropes_go_together() {
    for (settings, expected) in [
        (&["iterations=65"][..], "`iterations` must be at most 64 where `solver` is \"rope\", not 65"),
        (
            &["substeps=5001"],
            "`substeps` must be at most 5000 where `solver` is \"rope\" and `iterations` is 4, not 5001",
        ),
        (&["rope_span=1.3"], "`rope_span` must be at most `rope_length`, 1.2 m, where both ends are held, not 1.3"),
        (
            &["rope_motion=[[1, 0, 0, 0], [1, 1, 0, 0]]"],
            "`rope_motion` must be keyframes [time, x, y, z] in s and m, finite and each later than the one before, not \
             [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]",
        ),
        (
            &["rope_motion=[1, 2]"],
            "`rope_motion` must be an array of keyframes [time, x, y, z], in s and m, not [1, 2]",
        ),
        (
            &["rope_lod_distances=[1, 3, 2]"],
            "`rope_lod_distances` must be three distances in ascending order, not [1.0, 3.0, 2.0]",
        ),
        (&["rope_held=left"], "`rope_held` must be \"both\", \"first\", \"last\" or \"none\", not \"left\""),
        (
            &["mesh=a.obj"],
            "`solver` must be \"xpbd\", \"pbd\" or \"xpbd-document\" where the key `mesh` is set, as the others move \
             no mesh, not \"rope\"",
        ),
    ] {
        assert_eq!(complaint("ropes", settings), expected);
    }
    assert!(load("ropes", &["rope_span=9", "rope_held=first"]).is_ok(), "a rope that is let go stretched");
}
