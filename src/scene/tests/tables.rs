//! Pins, cuts and the stability of explicit solvers.

use super::*;

#[test]
fn pins_hold_what_their_tables_name_and_take_it_over() {
    let scene = load("flag", &["columns=4", "rows=3", "spacing=1", "pin=[{row = 2}, {column = 3, release = 1.5}]"]);
    assert_eq!(
        scene.expect("a scene").cloth().expect_err("particle 11 twice").to_string(),
        "the scene `flag`: `pin 2: column` must be particles that no other table names, but pin 1 has one of them, not 11"
    );
    let held = |tables: &str| {
        let settings = ["columns=4", "rows=3", "spacing=1", &format!("pin=[{tables}]")];
        let cloth = load("flag", &settings).expect("a scene").cloth().expect("a cloth");
        let attached: Vec<Vec<u32>> = cloth
            .attachments
            .iter()
            .map(|attachment| attachment.particles.iter().map(|particle| particle.index).collect())
            .collect();
        let positions = cloth.positions.iter().zip(0_u32..);
        let pinned: Vec<u32> = positions.filter_map(|(position, index)| (position.w == 0.0).then_some(index)).collect();
        (pinned, attached)
    };
    // The top row is held by the preset's `pins`, and corner 3 by the table that lets go of it.
    assert_eq!(held("{column = 3, release = 1.5}"), (vec![0, 1, 2, 3, 7, 11], vec![vec![3, 7, 11]]));
    assert_eq!(held("{row = 2}"), (vec![0, 1, 2, 3, 8, 9, 10, 11], vec![]));
    // x from -1.5 to 1.5, y from 0 down to -2.
    assert_eq!(held("{box = [[0, -3, 0], [9, -0.5, 0]]}").0, [0, 1, 2, 3, 6, 7, 10, 11]);
    let carried = "{sphere = [-1.5, -2, 0, 1], path = [[0, 0, 0, 0], [1, 0, 1, 0]]}";
    assert_eq!(held(carried), (vec![0, 1, 2, 3, 4, 8, 9], vec![vec![4, 8, 9]]));
    assert_eq!(held("{particles = [5, 5], release = 1}").1, [[5]]);
}

#[test]
fn wrong_pins_are_named_by_number_and_key() {
    for (tables, expected) in [
        (
            "{release = 1}",
            "`pin 1: particles` must be given, or one of `row`, `column`, `box`, `sphere`, `group` and `attribute`, not \
             left out",
        ),
        ("{row = 0, particles = [1]}", "`pin 1: row` must be left out where `particles` is given, not given"),
        ("{row = 1}, {row = 100}", "`pin 2: row` must be a whole number from 0 to 99, not 100"),
        ("{column = 100}", "`pin 1: column` must be a whole number from 0 to 99, not 100"),
        ("{particles = [10000]}", "`pin 1: particles` must be indices from 0 to 9999 of 10000 particles, not 10000"),
        ("{particles = []}", "`pin 1: particles` must be such that it holds at least one particle, not empty"),
        ("{box = [[5, 5, 5], [6, 6, 6]]}", "`pin 1: box` must be such that it holds at least one particle, not empty"),
        (
            "{sphere = [0, 0, 0, -1]}",
            "`pin 1: sphere` must be a centre within 1e9 m and a radius from 0 to 1e9 m, [x, y, z, radius], not [0.0, \
             0.0, 0.0, -1.0]",
        ),
        ("{row = 0, release = 0}", "`pin 1: release` must be a time above 0 and up to 1e9 s, not 0"),
        ("{row = 0, release = nan}", "`pin 1: release` must be a time above 0 and up to 1e9 s, not NaN"),
        (
            "{row = 0, path = [[1, 0, 0, 0], [0, 0, 0, 0]]}",
            "`pin 1: path` must be keyframes each later than the one before, but for two of one time, between which it \
             jumps, not [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]",
        ),
    ] {
        let scene = load("flag", &[&format!("pin=[{tables}]")]).expect("tables");
        let error = scene.cloth().expect_err(tables).to_string();
        assert_eq!(error, format!("the scene `flag`: {expected}"));
    }
}

#[test]
fn explicit_solvers_are_refused_above_their_stability_limit() {
    // The spring constants of document 000: 2 sqrt(m / 10,000 N/m) = 0.02 s, and 0.7 % less for the velocity's loss.
    let verlet = |settings: &[&str]| load("verlet", &[&["dt=0.03"], settings].concat());
    let error = verlet(&["substeps=1"]).expect_err("unstable").to_string();
    assert_eq!(
        error,
        "the scene `verlet`: `substeps` must be at least 2, as these springs and masses let `verlet` blow up with substeps \
         of more than 1.995e-2 s (or set `allow_unstable` to see it happen), not 1, which is 3.000e-2 s"
    );
    for settings in [["substeps=2", "allow_unstable=false"], ["substeps=1", "allow_unstable=true"]] {
        verlet(&settings).expect("a scene");
    }
    let error = load("curtain", &["substeps=37"]).expect_err("unstable").to_string();
    assert!(error.contains("at least 38") && error.contains("2.657e-4 s"), "{error}");
    load("curtain", &["substeps=38"]).expect("a scene");
}

#[test]
fn wrong_cuts_are_named_by_number_and_key() {
    for (tables, expected) in [
        ("{time = -1, point = [0, 0, 0], normal = [1, 0, 0]}", "`cut 1: time` must be a time from 0 to 1e9 s, not -1"),
        (
            "{time = 1, point = [0, 0, 0], normal = [0, 0, 0]}",
            "`cut 1: normal` must be a vector of a length from 1e-18 to 1e18, not [0, 0, 0]",
        ),
        (
            "{time = 1, from = [0, 0, 0], to = [0, 0, 2]}",
            "`cut 1: to` must be such that the stroke has a length across its direction [0, 0, 1], not [0, 0, 2]",
        ),
        (
            "{time = 1, from = [0, 0, nan], to = [0, 0, 2]}",
            "`cut 1: from` must be three numbers, each from -1e9 to 1e9, not [0, 0, NaN]",
        ),
        (
            "{time = 1, from = [0, 0, 0], to = [1, 0, 0]}, {time = 1, from = [0, 0, 0], point = [1, 0, 0]}",
            "`cut 2: from` must be given with `to`, and if you like `direction`, or else `point` with `normal`, not \
             `from`, `point`",
        ),
    ] {
        let error = load("flag", &[&format!("cut=[{tables}]")]).expect_err(tables).to_string();
        assert_eq!(error, format!("the scene `flag`: {expected}"));
    }
    let plane = "cut=[{time = 1, point = [0, 0, 0], normal = [1, 0, 0]}]";
    let error = load("verlet", &[plane]).expect_err("no constraints").to_string();
    assert!(
        error.ends_with("`cut` must be left out with `verlet`, as only constraints of cloth can be cut, not given")
    );
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
            &["rope_motion=[[1, 0, 0, 0], [0.5, 1, 0, 0]]"],
            "`rope_motion` must be keyframes [time, x, y, z] in s and m, finite and each later than the one before, but for \
             two of one time, between which it jumps, not [[1.0, 0.0, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0]]",
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

#[test]
fn tables_that_cannot_be_read_are_named_by_number_and_key() {
    for (setting, expected) in [
        (
            "pin=[{row = 0}, {row = 1, foo = 2}]",
            "not one whose table 2 has this: unknown field `foo`, expected one of `particles`, `row`, `column`, `box`, \
             `sphere`, `group`, `attribute`, `above`, `collider`, `path`, `release`",
        ),
        (
            "pin=[{row = 1.5}]",
            "not one whose table 1 has this: invalid type: floating point `1.5`, expected u32, in `row`",
        ),
        ("cut=[{from = [0, 0, 0]}]", "not one whose table 1 has this: missing field `time`"),
        ("collider=3", "not 3"),
        (
            "collider=[{shape = 'height-field', sides = [1, 1, 1], heights = ''}]",
            "`collider 1: heights` must be the path of a grey PNG image (.png), not empty",
        ),
        (
            "collider=[{shape = 'mesh'}]",
            "`collider 1: mesh` must be the path of a closed mesh (.obj, .gltf, .glb, .ply or .stl), not left out",
        ),
        (
            "collider=[{shape = 'capsule', radius = 1, radii = [1, 2], length = 1}]",
            "`collider 1: radius` must be left out where `radii` is given, not given",
        ),
    ] {
        let error = load("flag", &[setting]).expect_err(setting).to_string();
        assert!(error.ends_with(expected), "{error}");
    }
    let error = load("ropes", &["air_density=1.2"]).expect_err("no triangles").to_string();
    assert!(
        error.ends_with(
            "`air_density` must be 0 with `rope`, as ropes have no triangles for the air to blow on, not 1.2"
        )
    );
    for (scene, settings, expected) in [
        (
            "ropes",
            &["texture=a.png"][..],
            "`texture` must be left out with `rope`, as only cloth is printed on, not a.png",
        ),
        ("ropes", &["checker=3"], "`checker` must be left out with `rope`, as only cloth is printed on, not 3"),
        (
            "flag",
            &["texture=a.png", "checker=3"],
            "`checker` must be 0 where `texture` is set, as a cloth shows one of them, not 3",
        ),
        ("flag", &["texture=3"], "`texture` must be the path of a PNG image (.png), not 3"),
        ("flag", &["texture=''"], "`texture` must be the path of a PNG image (.png), not \"\""),
    ] {
        let error = load(scene, settings).expect_err(expected).to_string();
        assert!(error.ends_with(expected), "{error}");
    }
    let error = load("mesh", &["mesh=a.obj", "pins=[7]"]).expect_err("no grid").to_string();
    assert!(error.contains("give a table, [[pin]] with `particles`, not [7]"), "{error}");
}
