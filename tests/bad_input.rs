//! What the viewer says to input that it cannot use: one sentence and an exit code, and no file.

#![cfg(feature = "viewer")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tautline::engine::Device;

/// Something was wrong with the input or the machine.
const FAILED: i32 = 1;
/// Something was wrong with how the viewer was called.
const USAGE: i32 = 2;

/// One way to go wrong.
struct Case<'a> {
    arguments: &'a [&'a str],
    files: &'a [(&'a str, &'a [u8])],
    /// Variables set, or unset where the value is empty.
    environment: &'a [(&'a str, &'a str)],
    code: i32,
    /// What the sentence has to contain.
    says: &'a [&'a str],
}

fn case<'a>(arguments: &'a [&'a str], code: i32, says: &'a [&'a str]) -> Case<'a> {
    Case { arguments, files: &[], environment: &[], code, says }
}

impl<'a> Case<'a> {
    fn with(self, files: &'a [(&'a str, &'a [u8])]) -> Self {
        Self { files, ..self }
    }

    fn in_environment(self, environment: &'a [(&'a str, &'a str)]) -> Self {
        Self { environment, ..self }
    }

    /// Runs in a folder of its own, where outputs would land too.
    fn check(&self) {
        let folder = tempfile::tempdir().unwrap();
        for (name, contents) in self.files {
            fs::write(folder.path().join(name), contents).unwrap();
        }
        // Neither a file nor a folder; a file in its place would show.
        #[cfg(unix)]
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
        let before = snapshot(folder.path());
        let mut command = viewer(folder.path(), self.arguments);
        for (name, value) in self.environment {
            if value.is_empty() {
                command.env_remove(name)
            } else {
                command.env(name, value)
            };
        }
        let output = command.output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        let what = format!("viewer {:?} with {:?}:\n{told}", self.arguments, self.environment);
        assert_eq!(output.status.code(), Some(self.code), "{what}");
        for words in self.says {
            assert!(told.contains(words), "`{words}` is not in what was told by {what}");
        }
        assert_eq!(told.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{what}");
        // clap adds a hint and the usage to its sentence.
        assert!(self.code == USAGE || told.lines().count() == 1, "more than a sentence by {what}");
        assert!(!told.contains("panicked") && !told.contains(".rs:"), "{what}");
        assert_eq!(snapshot(folder.path()), before, "files changed by {what}");
    }
}

fn viewer(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command
}

/// Everything in a folder, files with their contents.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(path).ok())).collect()
}

/// A run that would write two files if nothing were wrong.
const RUN: [&str; 7] = ["--headless", "--frames", "1", "--image", "out.png", "--report", "out.json"];

fn runs<'a>(arguments: &'a [&'a str]) -> Vec<&'a str> {
    [arguments, &RUN[..]].concat()
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn scenes_that_cannot_be_had() {
    let presets = "verlet, curtain, flag, cut, drape, ropes, mesh";
    for (arguments, says) in [
        (&["flagg"][..], &["`flagg`", "did you mean `flag`?", presets, ".toml", ".obj"][..]),
        (&[""], &["no preset ``", presets]),
        (&["gone.toml"], &["gone.toml does not exist", "scene file"]),
        (&["gone.obj"], &["gone.obj does not exist", "a mesh (.obj, .gltf, .glb, .ply or .stl)"]),
        (&["."], &[". is a directory", "give a scene file (.toml) or a mesh (.obj, .gltf, .glb, .ply or .stl)"]),
        (&["picture.png"], &["picture.png is of no kind that can be read", ".toml"]),
        (&["mesh"], &["`mesh` must be the path of a mesh"]),
        (&["flag", "--fabric", "demin"], &["`fabric` must be \"cotton\", \"silk\"", "did you mean `denim`?"]),
        (&["two\nlines"], &["there is no preset `two lines`"]),
    ] {
        case(&runs(arguments), FAILED, says).check();
    }
}

#[test]
fn scene_files_that_are_malformed() {
    for (contents, says) in [
        (&b""[..], &["bad.toml is empty", "preset = \"flag\""][..]),
        (b"# nothing\r\n", &["bad.toml is empty"]),
        (b"columns = 3\n\x00\x01\x02", &["bad.toml is a binary file"]),
        (b"columns = 3 # caf\xe9", &["bad.toml is not in UTF-8 (line 1)"]),
        (b"preset = \"flag\"\r\ncolumns = ", &["bad.toml, line 2: this is not TOML"]),
        (b"rows = 3\nrows = 4", &["bad.toml, line 2", "duplicate key"]),
        (b"\xef\xbb\xbfpreset = \"flag\"\n\ncolums = 3", &["bad.toml, line 3", "`colums`", "`columns`", "rows"]),
        (b"preset = \"flags\"", &["bad.toml, line 1", "(verlet, curtain, flag, cut, drape, ropes, mesh)", "\"flags\""]),
        (b"rows = 0", &["bad.toml, line 1: `rows`", "from 1 to", "not 0"]),
        (b"dt = nan", &["bad.toml, line 1: `dt`", "from 1e-9 to 1 s", "not nan"]),
        (b"spacing = 1e39", &["bad.toml, line 1: `spacing`"]),
        (b"gravity = [0, 1]", &["bad.toml, line 1: `gravity`", "three numbers"]),
        (b"pins = [0, 10000]", &["`pins` must be indices from 0 to 9999", "not 10000"]),
        (
            b"[[collider]]\nshape = \"plane\"\npath = [[0, 0, 0]]",
            &["`collider 1: path`", "[time, x, y, z]", "[0.0, 0.0, 0.0]"],
        ),
        (
            b"[[collider]]\nshape = \"plane\"\npath = [[0, 0, 0, 0], [0, 0, nan, 0]]",
            &["`collider 1: path`", "within 1e9 m", "[0.0, 0.0, NaN, 0.0]"],
        ),
        (
            b"[[collider]]\nshape = \"plane\"\npath = [[1, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1, 0, 90]]",
            &["`collider 1: path`", "later than the one before"],
        ),
        (
            b"[[collider]]\nshape = \"plane\"\npath = [[0, 0, 0, 0], [1, 0, 0, 0, 0, 1, 0, 90]]",
            &["`collider 1: path`", "all [time, x, y, z], or all"],
        ),
        (
            b"[[collider]]\nshape = \"height-field\"\nsides = [1, 1, 1]\nheights = \"gone.png\"",
            &["gone.png does not exist", "grey PNG image"],
        ),
        (
            b"[[collider]]\nshape = \"height-field\"\nsides = [1, 1, 1]\nheights = \"bad.toml\"",
            &["bad.toml is no PNG image that can be read"],
        ),
        (
            b"[[collider]]\nshape = \"height-field\"\nsides = [1, 1, 1]\nheights = [[0, 1], [2]]",
            &["`collider 1: heights`", "all of a length", "a row of 2 and one of 1"],
        ),
        (b"[[collider]]\nshape = \"mesh\"", &["`collider 1: mesh`", "the path of a closed mesh", "left out"]),
        (b"[[collider]]\nshape = \"mesh\"\nmesh = \"\"", &["`collider 1: mesh`", "the path of a closed mesh", "empty"]),
        (b"[[collider]]\nshape = \"mesh\"\nmesh = \"gone.obj\"", &["gone.obj does not exist"]),
        (b"[[collider]]\nshape = \"mesh\"\nmesh = \".\"", &["is a directory"]),
        (
            b"[[collider]]\nshape = \"mesh\"\nmesh = \"gone.obj\"\ncells = 257",
            &["`collider 1: cells`", "a number from 8 to 256", "not 257"],
        ),
        (
            b"[[collider]]\nshape = \"mesh\"\nmesh = \"gone.obj\"\nscale = -1",
            &["`collider 1: scale`", "from 1e-9 to 1e9 m", "not -1"],
        ),
        (
            b"[[collider]]\nshape = \"mesh\"\nmesh = \"gone.obj\"\nradius = 1",
            &["`collider 1: radius`", "left out, as a mesh has none"],
        ),
        (b"[[collider]]\nshape = \"plane\"\ncells = 9", &["`collider 1: cells`", "left out, as a plane has none"]),
        (b"texture = \"gone.png\"", &["gone.png does not exist", "PNG image"]),
        (b"texture = \"good.jpg\"", &["bad.toml, line 1: `texture`", "PNG image (.png)", "\"good.jpg\""]),
        (b"checker = -1", &["bad.toml, line 1: `checker`", "from 0 to 1000", "not -1"]),
        (b"mesh = \"gone.obj\"", &["gone.obj does not exist"]),
        (b"mesh = \"gone.ply\"", &["gone.ply does not exist"]),
        (b"mesh = \"gone.fbx\"", &["bad.toml, line 1: `mesh`", ".gltf, .glb", "\"gone.fbx\""]),
    ] {
        case(&runs(&["bad.toml"]), FAILED, says).with(&[("bad.toml", contents)]).check();
    }
}

#[test]
fn colliders_that_enclose_nothing() {
    // A tetrahedron without its last face; with one more face at an edge; a face and its back; flat; and sound.
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let scene = b"[[collider]]\nshape = \"mesh\"\nmesh = \"bad.obj\"\nscale = SCALE";
    let with = |scale: &str| String::from_utf8_lossy(scene).replace("SCALE", scale).into_bytes();
    for (faces, scale, says) in [
        (
            "f 1 3 2\nf 1 4 3\nf 1 2 4",
            "1",
            &["bad.obj: the mesh is not closed: 3 of its edges", "between the vertices 3 and 2"][..],
        ),
        (
            "f 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\nv 1 1 1\nf 1 2 5",
            "1",
            &["bad.obj: 3 faces", "the edge between the vertices 1 and 2"],
        ),
        ("f 1 2 3\nf 1 3 2", "1", &["bad.obj: the mesh is not closed: 3 of its edges"]),
        ("v 0.3 0.3 0\nf 1 3 2\nf 1 5 3\nf 1 2 5\nf 2 3 5", "1", &["bad.obj: the mesh encloses no volume"]),
        ("f 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4", "1e8", &["bad.obj is 100000000 m long", "set `scale`", "1e-6 to 1e6"]),
        ("f 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4", "1e-9", &["set `scale`", "1e-6 to 1e6"]),
        ("f 1 3 x", "1", &["bad.obj, line 5"]),
    ] {
        let mesh = [corners, faces].concat();
        let files = [("bad.toml", &*with(scale)), ("bad.obj", mesh.as_bytes())];
        case(&runs(&["bad.toml"]), FAILED, says).with(&files).check();
    }
    let far = "v 9000 0 0\nv 9001 0 0\nv 9000 1 0\nv 9000 0 1\nf 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4";
    let files = [("bad.toml", &*with("1")), ("bad.obj", far.as_bytes())];
    case(&runs(&["bad.toml"]), FAILED, &["lies 9001 m from its origin", "1 m long", "move it"]).with(&files).check();
}

#[test]
fn meshes_that_are_malformed() {
    let line = |text: &str| [SQUARE, text].concat().into_bytes();
    for (contents, says) in [
        (Vec::new(), &["bad.obj: the mesh has no vertices"][..]),
        (line(""), &["bad.obj: the mesh has no faces"]),
        (line("v 1 2"), &["bad.obj, line 5", "2 of 3 coordinates"]),
        (line("v nan 0 0\nf 1 2 5"), &["bad.obj, line 5", "the coordinate nan"]),
        (line("v 1e39 0 0\nf 1 2 3"), &["bad.obj, line 5", "the coordinate 1e39"]),
        (line("f 1 2 3\r\nf 1 2 9\r\n"), &["bad.obj, line 6: this face uses vertex 9", "1 to 4"]),
        (line("f 0 1 2"), &["bad.obj, line 5", "no vertex 0"]),
        (line("f 1 2 -9223372036854775808"), &["bad.obj, line 5", "no vertex -9223372036854775808"]),
        (line("f 1 2 99999999999999999999"), &["bad.obj, line 5", "not a vertex number"]),
        (line("f 1 2"), &["bad.obj, line 5: this face has 2 corners"]),
        (line("f 1 2 2"), &["bad.obj cannot be simulated: none of its faces has an area, 1 from face 1, line 5, for"]),
        (line("v 2 0 0\nf 1 2 5"), &["none of its faces has an area, 1 from face 1, line 6, for"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), &["bad.obj, line 3: this is a binary file"]),
        (line("v 3e38 -3e38 0\nv -3e38 3e38 0\nf 1 5 6"), &["bad.obj"]),
    ] {
        case(&runs(&["bad.obj"]), FAILED, says).with(&[("bad.obj", &contents)]).check();
    }
    let wide = |header: &str| [header.as_bytes(), &[0; 40]].concat();
    let ply = "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\n";
    for (name, contents, says) in [
        ("bad.ply", Vec::new(), &["bad.ply, line 1: this is no PLY file"][..]),
        ("bad.ply", wide(&format!("{ply}end_header\n")), &["bad.ply, element `vertex`: the header has 4000000000", "cut off"]),
        ("bad.ply", b"ply\nformat ascii 1.0\nelement vertex\n".to_vec(), &["bad.ply, line 3: `element vertex` has no place"]),
        ("bad.STL", b"solid\nfacet\n".to_vec(), &["bad.STL, line 3: the file ends before its solid does"]),
        ("bad.STL", wide("no solid").repeat(2), &["bad.STL: the mesh has no vertices"]),
        ("bad.glb", b"glTF".to_vec(), &["bad.glb: this GLB file is unsound"]),
        ("bad.gltf", b"[".repeat(100_000), &["bad.gltf, line 1: this is not glTF 2.0: "]),
        (
            "bad.gltf",
            br#"{"asset": {"version": "2.0"}, "nodes": [{"children": [1]}, {"children": [0]}]}"#.to_vec(),
            &["bad.gltf, node 0: it is above itself"],
        ),
        (
            "bad.gltf",
            br#"{"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_draco_mesh_compression"]}"#.to_vec(),
            &["bad.gltf: its meshes are compressed (KHR_draco_mesh_compression)"],
        ),
        (
            "bad.gltf",
            br#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
                "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": "gone.bin"}]}"#
                .to_vec(),
            &["bad.gltf, buffer 0: ", "gone.bin cannot be read"],
        ),
    ] {
        case(&runs(&[name]), FAILED, says).with(&[(name, &contents)]).check();
    }
    let square = line("f 1 2 3 4");
    for (arguments, code, says) in [
        (
            &["--solver", "verlet"][..],
            FAILED,
            &["`solver` must be \"xpbd\", \"pbd\" or \"xpbd-document\"", "move no mesh"][..],
        ),
        (&["--scale", "0"], FAILED, &["`scale` must be a number from 1e-9"]),
        (&["--scale", "nan"], FAILED, &["`scale` must be a number from 1e-9"]),
        (&["--scale", "-1"], FAILED, &["`scale` must be a number from 1e-9", "not -1"]),
        (&["--scale", "cm"], USAGE, &["'cm'", "--scale"]),
    ] {
        let arguments = [&["square.obj"], arguments].concat();
        case(&runs(&arguments), code, says).with(&[("square.obj", &square)]).check();
    }
}

#[test]
fn settings_that_are_wrong() {
    for (setting, code, says) in [
        ("colums=5", FAILED, &["`colums=5`", "did you mean `columns`?", "the keys are solver, mesh", "wind"][..]),
        ("preset=verlet", FAILED, &["there is no key `preset`; the keys are solver"]),
        ("a\nb=1", FAILED, &["there is no key `a b`"]),
        ("iterations=0", FAILED, &["`iterations` must be a whole number from 1 to 10000, not 0"]),
        ("iterations=1.5", FAILED, &["`iterations` must be a whole number", "not 1.5"]),
        ("dt=nan", FAILED, &["`dt` must be a number from 1e-9 to 1 s, not nan"]),
        ("dt=-0.0", FAILED, &["`dt` must be", "not -0.0"]),
        ("spacing=1e39", FAILED, &["`spacing` must be a number"]),
        ("gravity=[0,-9.81", FAILED, &["`gravity=[0,-9.81`", "not TOML"]),
        (
            "solver=euler",
            FAILED,
            &[
                "`solver` must be \"verlet\", \"mass-spring\", \"xpbd\", \"pbd\", \"xpbd-document\" or \"rope\", not \"euler\"",
            ],
        ),
        ("substeps", USAGE, &["KEY=VALUE", "as in substeps=20"]),
        ("substeps=", USAGE, &["both KEY and VALUE"]),
        ("=20", USAGE, &["both KEY and VALUE"]),
    ] {
        case(&runs(&["flag", "--set", setting]), code, says).check();
    }
}

/// Refused for their size before memory is taken for them: within the time of a test, and on any machine.
#[test]
fn more_than_the_device_can_hold() {
    let mut cases = vec![
        (&["columns=100000", "rows=100000"][..], &["`columns` must be at most 671", "67108864 particles in all"][..]),
        (&["columns=67108864", "rows=1", "solver=verlet"], &["67108864 x 1", "maxImageDimension2D", "use less data"]),
        (
            &["columns=2", "rows=1", "substeps=3000", "iterations=100"],
            &["`iterations` must be at most 66", "`substeps` is 3000"],
        ),
    ];
    // A device of 4 GiB a binding takes any scene.
    if Device::headless(None).unwrap().limits().max_storage_buffer_range < 16 << 26 {
        let says =
            &["16 bytes a particle in one binding", "67108864 particles", "maxStorageBufferRange", "use less data"];
        cases.push((&["columns=8192", "rows=8192", "bending=true"], says));
    }
    for (settings, says) in cases {
        let settings: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        case(&runs(&[&["flag"], &settings[..]].concat()), FAILED, says).check();
    }
}

#[test]
fn wrong_usage() {
    for (arguments, says) in [
        (&["--frames", "0"][..], &["'0'", "--frames"][..]),
        (&["--frames", "-1"], &["'-1'", "--frames"]),
        (&["--frames", "99999999999"], &["--frames"]),
        (&["--size", "0x0"], &["'0x0'", "from 1 to 16384 pixels"]),
        (&["--size", "99999x99999"], &["from 1 to 16384 pixels"]),
        (&["--size", "100"], &["'100'", "as in 1280x720"]),
        (&["--size", "5x-1"], &["as in 1280x720"]),
        (
            &["--solver", "euler"],
            &[
                "there is no solver `euler`",
                "\"verlet\", \"mass-spring\", \"xpbd\", \"pbd\", \"xpbd-document\" or \"rope\"",
            ],
        ),
        (&["--window", "--headless"], &["cannot be used with"]),
        (&["--headless", "--present", "mailbox"], &["cannot be used with", "--present"]),
        (&["--backend", "tpu"], &["'tpu'", "gpu, cpu"]),
        (&["--video", "out.mp4"], &["not provided", "--headless"]),
        (&["--frobnicate"], &["'--frobnicate'"]),
        (&["flag", "flag"], &["'flag'"]),
    ] {
        case(arguments, USAGE, says).check();
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let run = ["flag", "--headless", "--frames", "1"];
    for (outputs, says) in [
        (&["--image", "out.jpg"][..], &["--image 'out.jpg'", ".png"][..]),
        (&["--image", "none/out.png"], &["'none/out.png'", "the folder 'none' does not exist"]),
        (&["--report", "none/out.json"], &["the folder 'none' does not exist"]),
        (&["--report", "."], &["'.'", "it is a folder"]),
        (&["--report", "file/out.json"], &["'file/out.json'", "the folder 'file' does not exist"]),
        (&["--image", "out.png", "--report", "out.png"], &["both name 'out.png'"]),
        (&["--image", "out.png", "--report", "./out.png"], &["both name 'out.png'"]),
        (&["--image", "out.mp4", "--video", "./out.mp4"], &["--image and --video both name 'out.mp4'"]),
        (&["--video", "out.avi"], &["--video 'out.avi'", ".mp4", "folder of numbered PNG pictures"]),
        (&["--video", "none/out.mp4"], &["'none/out.mp4'", "the folder 'none' does not exist"]),
        (&["--video", "none/out/"], &["'none/out/'", "the folder 'none' does not exist"]),
        (&["--video", "./"], &["'./'", "not empty"]),
        (&["--video", "file/"], &["'file/'"]),
        #[cfg(unix)]
        (&["--report", "socket"], &["'socket'", "it is a device or a pipe"]),
        #[cfg(target_os = "linux")]
        (&["--report", "/proc/out.json"], &["'/proc/out.json'", "the folder '/proc'"]),
    ] {
        case(&[&run, outputs].concat(), FAILED, says).with(&[("file", b"")]).check();
    }
    let says = ["the program ffmpeg, which is not on the path: install it"];
    case(&[&run[..], &["--video", "out.mp4"]].concat(), FAILED, &says).in_environment(&[("PATH", "/none")]).check();
}

#[test]
fn devices_and_displays_that_are_not_there() {
    let junk: &[(&str, &[u8])] = &[("libvulkan.so.1", b"no library")];
    for device in ["", "99", "-1", "riva"] {
        let says = [&format!("no Vulkan device matches '{device}'"), "0: "];
        case(&runs(&["flag", "--device", device]), FAILED, &says).check();
    }
    let says = ["no Vulkan device matches 'riva'"];
    case(&runs(&["flag"]), FAILED, &says).in_environment(&[("TAUTLINE_DEVICE", "riva")]).check();
    let none = [("VK_DRIVER_FILES", "/none.json"), ("VK_ICD_FILENAMES", "/none.json")];
    let says = ["no Vulkan device was found", "install a graphics driver", "--headless --backend cpu"];
    case(&runs(&["flag"]), FAILED, &says).in_environment(&none).check();
    // A picture is drawn by a device, whatever computes.
    case(&runs(&["flag", "--backend", "cpu"]), FAILED, &says).in_environment(&none).check();
    case(&["--list-devices"], FAILED, &says[..2]).in_environment(&none).check();
    let no_layers = [("VK_LAYER_PATH", "/none")];
    let says = ["VK_LAYER_KHRONOS_validation is not installed: install it", "or run without validation"];
    case(&runs(&["flag", "--validate"]), FAILED, &says).in_environment(&no_layers).check();
    if cfg!(target_os = "linux") {
        // A file of the loader's name that is no library hides the loader from this one process.
        let says = ["no Vulkan loader was found", "install one", "libvulkan1", "--headless --backend cpu"];
        case(&runs(&["flag"]), FAILED, &says).with(junk).in_environment(&[("LD_LIBRARY_PATH", ".")]).check();
        let no_display = [("DISPLAY", ""), ("WAYLAND_DISPLAY", ""), ("WAYLAND_SOCKET", "")];
        let says = ["no window can be opened", "--headless", "DISPLAY"];
        case(&["flag", "--window"], FAILED, &says).in_environment(&no_display).check();
        let no_server = [("DISPLAY", ":1234567"), ("WAYLAND_DISPLAY", ""), ("WAYLAND_SOCKET", "")];
        case(&["flag", "--window"], FAILED, &says[..2]).in_environment(&no_server).check();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_the_run_without_a_file() {
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().unwrap();
    // Tests that run in the background of a script inherit that interrupts are ignored, and pass that on.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_viewer"), "--headless", "--frames", "1000000"]);
    command.args(["--image", "out.png", "--report", "out.json"]).current_dir(&folder).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(child.try_wait().unwrap(), None, "it runs");
    // The shell's own: not every machine has a program of that name.
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if std::time::Instant::now() > patience => {
                child.kill().unwrap();
                panic!("it went on for 20 s");
            }
            None => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    };
    assert!(status.signal() == Some(2) || status.code() == Some(130), "{status}");
    assert!(snapshot(folder.path()).is_empty());
}

/// Odd, and not bad: a byte order mark, carriage returns, spaces, bytes that are no text, a mesh beside its scene.
#[test]
fn odd_files_and_names_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner folder");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("a b.obj"), format!("{SQUARE}f 1 2 3 4\n").replace('\n', "\r\n")).unwrap();
    let scene = b"\xef\xbb\xbfmesh = \"a b.obj\"\r\ngravity = [-0.0, -9.81, 0]\r\n";
    let mut names = vec![inner.join("my scene.TOML")];
    #[cfg(target_os = "linux")]
    names.push(inner.join(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9.toml")));
    for name in names {
        fs::write(&name, scene).unwrap();
        let report = name.with_extension("json");
        let arguments = [name.as_os_str(), "--headless".as_ref(), "--frames".as_ref(), "2".as_ref()];
        let output = viewer(folder.path(), &arguments).arg("--report").arg(&report).output().unwrap();
        assert!(output.status.success(), "{name:?}: {output:?}");
        let report: serde_json::Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
        assert_eq!((&report["particles"], &report["state"]["finite"]), (&4.into(), &true.into()));
    }
}
