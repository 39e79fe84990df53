//! Files and overrides, sound and not.

use proptest::prelude::*;

use super::*;

#[test]
fn a_file_counts_more_than_its_preset_and_an_override_more_than_the_file() {
    let (directory, path) = written("mine.toml", "columns = 50\nrows = 7\npreset = \"flag\"\nmesh = 'a/b.obj'\n");
    let source = path.to_str().expect("a path");
    let scene = load(source, &["rows=8", "wind=[1, 0, 0.5]", "pins=top-corners", "dt=1"]).expect("a scene");
    assert_eq!((scene.columns, scene.rows, scene.wind_flutter), (50, 8, 4.0));
    assert_eq!((scene.wind, scene.pins, scene.dt), (Vec3::new(1.0, 0.0, 0.5), Pins::TopCorners, 1.0));
    assert_eq!((scene.name.as_str(), scene.mesh), ("mine", Some(directory.path().join("a/b.obj"))));
    let alone = load_file("columns = 50").expect("a scene");
    assert_eq!(alone, Scene { name: "some".into(), columns: 50, ..Scene::default() });
}

#[test]
fn a_file_s_mistakes_are_named_with_their_line() {
    for (contents, expected) in [
        ("\n\ngravty = 1\n", ", line 3: there is no key `gravty` (did you mean `gravity`?); the keys are "),
        ("dt = 0.01\ndt = 0.01", ", line 2: this is not TOML: duplicate key"),
        ("dt = 0.01\nrows = = 3", ", line 2: this is not TOML: "),
        ("# one\nrows = \"many\"", ", line 2: `rows` must be a whole number from 1 to 67108864, not \"many\""),
        (
            "dt = 0.01\n[wind]\nx = 1",
            ", line 2: `wind` must be three numbers [x, y, z], each from -1e9 to 1e9 m/s², not",
        ),
        (
            "rows = 5\npreset = \"flg\"",
            ", line 2: `preset` must be the name of a preset (verlet, curtain, flag, cut, drape, ropes, mesh), not \"flg\"",
        ),
        ("", " is empty, as it sets no key; give it at least one, such as `preset = \"flag\"`"),
        ("# only a comment\n", " is empty, as it sets no key; give it at least one, such as `preset = \"flag\"`"),
    ] {
        let error = load_file(contents).expect_err(contents).to_string();
        let said = error.split_once("some.toml").expect("the file's name").1;
        assert!(said.starts_with(expected), "{said}");
    }
    let said = |contents: &[u8]| load_file(contents).expect_err("no text").to_string();
    assert!(said(b"\x89PNG\r\n\0").ends_with(" is a binary file; give a scene file, which is text"));
    assert!(said(b"dt = 1\nname = '\xff'").ends_with(" is not in UTF-8 (line 2); save it as UTF-8 text"));
}

#[test]
fn what_is_no_scene_is_told_from_what_is_not_there() {
    let unknown = load("flagg", &[]).expect_err("no preset").to_string();
    let expected = "there is no preset `flagg` (did you mean `flag`?): give one of the presets verlet, curtain, flag, cut, drape, \
                    ropes, mesh, or the path of a scene file (.toml) or of a mesh (.obj, .gltf, .glb, .ply or .stl)";
    assert_eq!(unknown, expected);
    let (directory, path) = written("cloth.fbx", "fbx");
    let said =
        |path: &Path| load_path(path).expect_err("no scene").to_string().replace(path.to_str().unwrap_or(""), "*");
    let kind =
        "* is of no kind that can be read; give a scene file (.toml) or a mesh (.obj, .gltf, .glb, .ply or .stl)";
    assert_eq!(said(&path), kind);
    assert_eq!(said(Path::new("nowhere.fbx")), kind);
    let inside = "* is a directory; give a scene file (.toml) or a mesh (.obj, .gltf, .glb, .ply or .stl) in it";
    assert_eq!(said(directory.path()), inside);
    let missing = directory.path().join("missing.toml");
    let file = "a scene file (.toml), or one of the presets verlet, curtain, flag, cut, drape, ropes, mesh";
    assert_eq!(said(&missing), format!("* does not exist; give the path of {file}"));
    fs::create_dir(&missing).expect("a directory");
    assert_eq!(said(&missing), format!("* is a directory; give the path of {file}"));
    let mesh = load_path(&directory.path().join("missing.obj")).expect("a scene");
    let said = mesh.cloth().expect_err("no mesh").to_string();
    let kinds = "a mesh (.obj, .gltf, .glb, .ply or .stl)";
    assert!(said.ends_with(&format!("missing.obj does not exist; give the path of {kinds}")), "{said}");
}

/// Something like a line of a scene.
fn line() -> impl Strategy<Value = String> {
    let keys: Vec<&str> = KEYS.iter().map(|key| key.name).chain([file::PRESET_KEY, "other", "\"\""]).collect();
    let values = [
        "1",
        "-1",
        "0.5",
        "nan",
        "-inf",
        "1e999",
        "[1, 2, 3]",
        "[]",
        "{}",
        "\"flag\"",
        "\"mesh\"",
        "'a.obj'",
        "true",
        "=",
    ];
    (proptest::sample::select(keys), proptest::sample::select(values.to_vec()))
        .prop_map(|(key, value)| format!("{key}={value}"))
}

proptest! {
    #[test]
    fn no_bytes_make_a_file_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = load_file(bytes);
    }

    #[test]
    fn no_lines_make_a_file_panic(lines in proptest::collection::vec(prop_oneof![line(), ".{0,20}"], 0..5)) {
        let _ = load_file(lines.join("\n"));
    }

    #[test]
    fn no_override_panics_and_what_is_accepted_makes_a_cloth(
        settings in proptest::collection::vec(prop_oneof![line(), ".{0,9}=.{0,9}"], 0..4)
    ) {
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        if let Ok(scene) = load("verlet", &settings) {
            prop_assert!(scene.mesh.is_some() || scene.cloth().is_ok());
        }
    }

    #[test]
    fn what_is_accepted_of_ropes_makes_ropes(settings in proptest::collection::vec(line(), 0..4)) {
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        if let Ok(scene) = load("ropes", &settings) {
            prop_assert!(scene.ropes().is_ok());
        }
    }

    #[test]
    fn every_sound_number_is_written_as_it_is_read(bits in any::<u32>()) {
        let number = f32::from_bits(bits);
        let scene = Scene { name: "some".into(), wind_flutter: number, ..Scene::default() };
        if number.abs() <= 1e9 {
            prop_assert_eq!(load_file(scene.to_string()).expect("a scene"), scene);
        }
    }
}

/// One sheet of 0.706 m² with 4 holes (collar, hem, 2 sleeves), 19,174 edges of which 140 are on a rim.
#[test]
fn the_shirt_hangs() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/shirt-cm.obj"));
    if !path.exists() {
        return;
    }
    let path = path.to_str().expect("a path");
    let hinged = load(path, &[]).expect("a scene").cloth().expect("the shirt");
    let cloth = load(path, &["bending_form=distance"]).expect("a scene").cloth().expect("the shirt");
    assert_eq!((cloth.positions.len(), cloth.triangles.len()), (6_436, 12_736));
    let count = |kind| cloth.springs.iter().filter(|spring| spring.kind == kind).count();
    assert_eq!(count(SpringKind::Structural), 19_174);
    assert_eq!((hinged.springs.len(), hinged.hinges.len()), (19_174, 19_034));
    // Of 19,034 inner edges 566 are in between corners that another edge is in between too, where 4 triangles meet.
    assert_eq!(count(SpringKind::Bending), 18_468);
    assert_eq!(cloth.positions.iter().filter(|position| position.w == 0.0).count(), 164);
    let areas = cloth.triangles.iter().map(|triangle| {
        let [a, b, c] = triangle.map(|vertex| cloth.positions[vertex as usize].truncate().as_dvec3());
        (b - a).cross(c - a).length() / 2.0
    });
    assert!((areas.sum::<f64>() - 0.706).abs() < 1e-3);
}
