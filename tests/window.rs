//! The viewer in a window: what it shows, how it obeys and how it ends, on X servers of the tests' own (Xvfb) that keep
//! their screens in files, driven by xdotool. tools/setup --test installs both.

#![cfg(all(feature = "viewer", target_os = "linux"))]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a test may wait, all its waits taken together: far more than it needs, so that it fails and never hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// Long enough for a frame that was on its way to arrive.
const SETTLING: Duration = Duration::from_millis(400);
const SIZE: [usize; 2] = [320, 240];
/// Colour of the background in `src/render/cloth_view.rs`, linear.
const BACKGROUND: [f64; 3] = [0.42, 0.46, 0.50];

type Pixel = [u8; 3];

/// A process that does not outlive its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(command: &mut Command) -> Process {
    let name = command.get_program().to_owned();
    Process(command.spawn().unwrap_or_else(|error| panic!("{name:?}, see tools/setup --test: {error}")))
}

/// An X server, its screen and the folder that everything of the test is written to.
struct Screen {
    server: Process,
    folder: TempDir,
    number: String,
    /// What computes in the viewers on it.
    backend: &'static str,
    deadline: Instant,
}

impl Screen {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let number = folder.path().join("display");
        let mut command = Command::new("Xvfb");
        // It picks a display number that is free and says which on its standard output. It must not reset, and so throw out
        // a viewer that is just connecting, when an xdotool was the last client.
        command.args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1024x768x24",
            "-nolisten",
            "tcp",
            "-ac",
            "-noreset",
            "-fbdir",
        ]);
        command.arg(folder.path()).stdout(File::create(&number).unwrap());
        command.stderr(File::create(folder.path().join("server")).unwrap());
        let server = spawn(&mut command);
        let mut screen =
            Self { server, folder, number: String::new(), backend: "gpu", deadline: Instant::now() + PATIENCE };
        screen.number = screen.until("Xvfb has started", || {
            fs::read_to_string(&number).ok().filter(|text| text.ends_with('\n')).map(|text| text.trim().to_string())
        });
        screen
    }

    /// Waits until `look` finds what it looks for.
    fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        loop {
            if let Some(found) = look() {
                return found;
            }
            let errors = fs::read_to_string(self.folder.path().join("stderr")).unwrap_or_default();
            assert!(Instant::now() < self.deadline, "waited in vain until {what}; the viewer said: {errors}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Runs xdotool; `None` where it fails, as it does on a window that is not there.
    fn try_xdotool(&self, arguments: &str) -> Option<String> {
        let mut command = Command::new("xdotool");
        command.args(arguments.split(' ')).env("DISPLAY", format!(":{}", self.number));
        let output = command.output().expect("tests need xdotool, which tools/setup --test installs");
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_string())
    }

    fn xdotool(&self, arguments: &str) -> String {
        self.try_xdotool(arguments).unwrap_or_else(|| panic!("xdotool {arguments} failed"))
    }

    /// The upper left part of the screen, row by row. Without a window manager that is where the window is.
    fn pixels(&self, [width, height]: [usize; 2]) -> Vec<Pixel> {
        // The format of xwd: a header of big-endian words, the colours, then the rows.
        let bytes = fs::read(self.folder.path().join("Xvfb_screen0")).unwrap();
        let word = |index: usize| u32::from_be_bytes(bytes[4 * index..][..4].try_into().unwrap()) as usize;
        let (header, least_first, bits, stride, colors) = (word(0), word(7) == 0, word(11), word(12), word(19));
        assert_eq!((bits, word(14), word(16)), (32, 0xff_0000, 0xff), "pixels are not of 32 bits with red on top");
        let pixel = |place: usize| {
            let four: [u8; 4] = bytes[place..][..4].try_into().unwrap();
            let value = if least_first { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) };
            [(value >> 16) as u8, (value >> 8) as u8, value as u8]
        };
        let row = |y: usize| (0..width).map(move |x| header + 12 * colors + y * stride + 4 * x);
        (0..height).flat_map(row).map(pixel).collect()
    }

    /// The picture once it stays as it is.
    fn still(&self) -> Vec<Pixel> {
        let mut last = self.pixels(SIZE);
        self.until("the picture stands still", || {
            std::thread::sleep(SETTLING);
            let now = self.pixels(SIZE);
            let same = now == last;
            last.clone_from(&now);
            same.then_some(now)
        })
    }

    /// The still picture that follows one that looked different.
    fn still_after(&self, before: &[Pixel]) -> Vec<Pixel> {
        self.until("the picture changes", || (self.pixels(SIZE) != before).then_some(()));
        self.still()
    }

    /// Waits until the picture is `wanted`, and fails unless it stays so.
    fn comes_to(&self, wanted: &[Pixel]) {
        self.until("the picture is as before", || (self.pixels(SIZE) == wanted).then_some(()));
        assert!(self.still() == wanted, "the picture was as before, and then changed");
    }

    fn viewer(&self, arguments: &[&str]) -> Process {
        let file = |name: &str| File::create(self.folder.path().join(name)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
        command.args("flag --set columns=30 --set rows=30 --size 320x240 --validate".split(' ')).args(arguments);
        command.args(["--backend", self.backend]);
        command.env("DISPLAY", format!(":{}", self.number)).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        if std::env::var_os("TAUTLINE_DEVICE").is_none() {
            // A device that can show on a screen that no hardware drives.
            command.env("TAUTLINE_DEVICE", "llvmpipe");
        }
        spawn(command.current_dir(self.folder.path()).stdout(file("stdout")).stderr(file("stderr")))
    }

    /// Waits until the viewer ends by itself: its exit code and what it wrote to standard error.
    fn end(&self, mut viewer: Process) -> (Option<i32>, String) {
        let status = self.until("the viewer has ended", || viewer.0.try_wait().unwrap());
        (status.code(), fs::read_to_string(self.path("stderr")).unwrap())
    }

    fn ends_well(&self, viewer: Process) {
        assert_eq!(self.end(viewer), (Some(0), String::new()));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The viewer and its window, which has the focus and shows something.
    fn window(&self) -> (Process, u32) {
        self.window_with(&[])
    }

    /// As [`Screen::window`], with arguments of its own.
    fn window_with(&self, arguments: &[&str]) -> (Process, u32) {
        let mut viewer = self.viewer(&[&["--window"], arguments].concat());
        let window = self.until("there is a window", || {
            let ended = viewer.0.try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?}: {}", fs::read_to_string(self.path("stderr")).unwrap());
            self.try_xdotool("search --onlyvisible --name ^tautline")?.lines().next()?.parse().ok()
        });
        self.until("the window shows something", || (self.pixels([1, 1])[0] != [0; 3]).then_some(()));
        // Keys go to the window with the focus, which without a window manager nobody gives it.
        self.xdotool(&format!("windowfocus {window}"));
        (viewer, window)
    }

    fn title(&self, window: u32) -> String {
        self.xdotool(&format!("getwindowname {window}"))
    }

    fn titled(&self, window: u32, part: &str) {
        self.until(&format!("'{part}' is in the title"), || self.title(window).contains(part).then_some(()));
    }

    /// As [`Screen::window`], paused before the first step.
    fn paused_window(&self) -> (Process, u32, Vec<Pixel>) {
        let (viewer, window) = self.window();
        self.xdotool("key space");
        self.titled(window, "paused");
        self.xdotool("key r");
        self.titled(window, " 0.0 s");
        (viewer, window, self.still())
    }

    /// Asks a window to close as window managers do, with the message WM_DELETE_WINDOW. Older xdotools can only destroy
    /// windows, so this speaks the X protocol.
    fn ask_to_close(&self, window: u32) {
        let mut server = UnixStream::connect(format!("/tmp/.X11-unix/X{}", self.number)).unwrap();
        server.set_read_timeout(Some(PATIENCE)).unwrap();
        // The client's words are least byte first ('l'), the protocol is 11.0, and there is nothing to authorize.
        server.write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        let mut welcome = [0; 8];
        server.read_exact(&mut welcome).unwrap();
        assert_eq!(welcome[0], 1, "the X server refuses the connection");
        let mut rest = vec![0; 4 * usize::from(u16::from_le_bytes([welcome[6], welcome[7]]))];
        server.read_exact(&mut rest).unwrap();

        let intern_atom = |server: &mut UnixStream, name: &str| {
            let mut request = vec![16, 0];
            request.extend((2 + name.len().div_ceil(4) as u16).to_le_bytes());
            request.extend((name.len() as u32).to_le_bytes());
            request.extend(name.bytes());
            request.resize(request.len().next_multiple_of(4), 0);
            server.write_all(&request).unwrap();
            let mut reply = [0; 32];
            server.read_exact(&mut reply).unwrap();
            u32::from_le_bytes(reply[8..12].try_into().unwrap())
        };
        let protocols = intern_atom(&mut server, "WM_PROTOCOLS");
        let delete = intern_atom(&mut server, "WM_DELETE_WINDOW");
        // SendEvent, 11 words long, of a ClientMessage (33) with 32-bit data.
        let mut request = vec![25, 0, 11, 0];
        let client_message = u32::from_le_bytes([33, 32, 0, 0]);
        for word in [window, 0, client_message, window, protocols, delete, 0, 0, 0, 0] {
            request.extend(word.to_le_bytes());
        }
        server.write_all(&request).unwrap();
        // A reply to what comes after it says that it has arrived.
        intern_atom(&mut server, "WM_PROTOCOLS");
    }
}

/// The background as a screen shows it: 8-bit sRGB, by the formula of IEC 61966-2-1.
fn background() -> Pixel {
    BACKGROUND.map(|linear| ((1.055 * linear.powf(1.0 / 2.4) - 0.055) * 255.0).round() as u8)
}

fn is_background(pixel: Pixel) -> bool {
    pixel.iter().zip(background()).all(|(&is, wanted)| is.abs_diff(wanted) <= 1)
}

/// How many pixels are of the flag's red, and how many of its cream-coloured stripes.
fn red_and_cream(pixels: &[Pixel]) -> (usize, usize) {
    let is_red = |[red, green, blue]: &&Pixel| *red > 60 && *red / 2 > *green && *red / 2 > *blue;
    let is_cream = |[red, green, blue]: &&Pixel| red >= green && *green > 90 && *red > blue.saturating_add(12);
    (pixels.iter().filter(is_red).count(), pixels.iter().filter(is_cream).count())
}

#[test]
fn it_shows_a_moving_flag_until_the_window_is_closed() {
    let screen = Screen::start();
    let (viewer, window) = screen.window();
    let first = screen.pixels(SIZE);
    assert!(is_background(first[0]) && is_background(first[SIZE[0] - 1]), "{:?}, not {:?}", first[0], background());
    let (red, cream) = red_and_cream(&first);
    // Stripes of the same width, one half of each colour, on a good part of the window.
    assert!(red > first.len() / 20 && cream > first.len() / 20, "{red} red and {cream} cream-coloured pixels");
    for _ in 0..3 {
        let before = screen.pixels(SIZE);
        screen.until("the flag moves", || (screen.pixels(SIZE) != before).then_some(()));
    }
    screen.ask_to_close(window);
    screen.ends_well(viewer);
}

#[test]
fn space_pauses_n_steps_once_r_starts_again_and_esc_quits() {
    space_n_r_and_esc("gpu");
}

#[test]
fn space_n_r_and_esc_do_the_same_on_the_cpu() {
    space_n_r_and_esc("cpu");
}

fn space_n_r_and_esc(backend: &'static str) {
    let screen = Screen { backend, ..Screen::start() };
    let (viewer, window, start) = screen.paused_window();
    std::thread::sleep(SETTLING);
    assert!(screen.pixels(SIZE) == start, "the picture changed while it was paused");

    screen.xdotool("key n");
    let first = screen.still_after(&start);
    screen.xdotool("key n");
    let second = screen.still_after(&first);
    assert!(second != start);
    screen.xdotool("key r");
    screen.comes_to(&start);
    // The same step from the same start: the very same picture.
    screen.xdotool("key n");
    screen.comes_to(&first);

    // However fast they come, 30 steps of 1/60 s are half a second.
    screen.xdotool(&format!("key --delay 1 r{}", " n".repeat(30)));
    screen.titled(window, " 0.5 s");
    screen.still();
    assert!(screen.title(window).contains(" 0.5 s"), "{}", screen.title(window));

    let before = screen.still();
    screen.xdotool("key space");
    screen.until("it runs again", || (screen.pixels(SIZE) != before).then_some(()));
    screen.until("the title says so", || (!screen.title(window).contains("paused")).then_some(()));
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn keys_change_the_elongation_and_the_order_of_the_constraints() {
    plus_minus_and_j("gpu");
}

#[test]
fn keys_change_settings_on_the_cpu() {
    plus_minus_and_j("cpu");
}

fn plus_minus_and_j(backend: &'static str) {
    let screen = Screen { backend, ..Screen::start() };
    let (viewer, window, start) = screen.paused_window();
    screen.xdotool("key n");
    let as_it_is = screen.still_after(&start);
    screen.xdotool("key r plus plus minus plus");
    screen.titled(window, "elongation 1.02");
    screen.comes_to(&start);
    screen.xdotool("key n");
    let longer = screen.still_after(&start);
    assert!(longer != as_it_is, "a step with longer constraints is the same as one without");
    screen.xdotool("key r minus minus j");
    screen.titled(window, "Jacobi, paused");
    screen.comes_to(&start);
    screen.xdotool("key n");
    screen.still_after(&start);
    screen.xdotool("key j r n");
    screen.comes_to(&as_it_is);
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn the_key_v_colours_ropes_by_their_level() {
    let ropes = "--solver rope --set rope_count=12 --set rope_columns=2 --set rope_radius=0.02 --set substeps=4 \
                 --set rope_lod=true --set rope_lod_distances=[0,0,0.1]";
    let screen = Screen::start();
    let (viewer, window) = screen.window_with(&ropes.split_whitespace().collect::<Vec<_>>());
    screen.xdotool("key space");
    screen.titled(window, "paused");
    screen.xdotool("key r n");
    let as_ropes = screen.still();
    let blue =
        |pixels: &[Pixel]| pixels.iter().filter(|[red, green, blue]| blue / 2 > *red && blue / 2 > *green).count();
    assert!(blue(&as_ropes) == 0, "hemp is not blue");
    // The view of stretch, which ropes have none of, and then that of levels: 3, beyond a tenth of a metre.
    screen.xdotool("key v v");
    assert!(blue(&screen.still_after(&as_ropes)) > 50, "nothing is blue");
    screen.xdotool("key v");
    screen.comes_to(&as_ropes);
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn the_mouse_turns_moves_and_zooms() {
    let screen = Screen::start();
    let (viewer, _, start) = screen.paused_window();
    screen.xdotool("mousemove 160 120 click 5 click 5 click 5");
    let smaller = screen.still_after(&start);
    assert!(red_and_cream(&smaller).0 < red_and_cream(&start).0);
    screen.xdotool("mousedown 3 mousemove 200 130 mouseup 3");
    let moved = screen.still_after(&smaller);
    // Upwards: the camera sinks below the floor, which must not hide the flag.
    screen.xdotool("mousedown 1 mousemove 200 60 mouseup 1");
    let turned = screen.still_after(&moved);
    assert!(red_and_cream(&turned).0 > turned.len() / 100, "the flag is hidden");
    screen.xdotool("key Escape");
    screen.ends_well(viewer);
}

#[test]
fn the_picture_fills_the_window_whatever_its_size() {
    let screen = Screen::start();
    let (viewer, window) = screen.window();
    for [width, height] in [[1, 1], [16, 16], [700, 500], [3000, 2000], [2, 600]] {
        screen.xdotool(&format!("windowsize {window} {width} {height}"));
        std::thread::sleep(SETTLING / 4);
    }
    for step in 0..30 {
        screen.xdotool(&format!("windowsize {window} {} {}", 1 + step * 37 % 600, 1 + step * 53 % 400));
    }
    let [width, height] = [600, 350];
    screen.xdotool(&format!("windowsize {window} {width} {height}"));
    screen.until("the picture fills the window", || {
        let seen = screen.pixels([width + 1, height + 1]);
        let at = |x: usize, y: usize| seen[y * (width + 1) + x];
        let filled = is_background(at(0, 0)) && is_background(at(width - 1, 0)) && at(width - 1, height - 1) != [0; 3];
        (filled && at(width, 0) == [0; 3] && at(0, height) == [0; 3] && red_and_cream(&seen).0 > seen.len() / 20)
            .then_some(())
    });
    screen.ask_to_close(window);
    screen.ends_well(viewer);
}

#[test]
fn it_rests_while_nobody_can_see_the_window() {
    let screen = Screen::start();
    let (viewer, window) = screen.window();
    screen.xdotool(&format!("windowmove {window} 2000 2000"));
    std::thread::sleep(2 * SETTLING);
    // The title has the simulated time, and is brought up to date twice a second.
    let before = screen.title(window);
    std::thread::sleep(3 * SETTLING);
    assert_eq!(screen.title(window), before);
    screen.xdotool(&format!("windowmove {window} 0 0"));
    screen.until("it goes on", || (screen.title(window) != before).then_some(()));
    // Another program destroys the window: as good as closed, unless a frame on its way fails first.
    screen.xdotool(&format!("windowclose {window}"));
    let (code, errors) = screen.end(viewer);
    assert!(errors.lines().count() <= 1 && !errors.contains("panicked"), "{errors}");
    assert_eq!(code, Some(i32::from(!errors.is_empty())), "{errors}");
}

#[test]
fn it_ends_with_an_error_when_the_display_goes_away() {
    let mut screen = Screen::start();
    let (viewer, _) = screen.window();
    screen.server.0.kill().unwrap();
    let (code, errors) = screen.end(viewer);
    assert_eq!(code, Some(1), "{errors}");
    assert!(!errors.is_empty() && !errors.contains("panicked"), "{errors}");
}

#[test]
fn a_window_runs_as_many_frames_as_asked_and_writes_the_same_files() {
    for backend in ["gpu", "cpu"] {
        let screen = Screen { backend, ..Screen::start() };
        let files = ["--frames", "7", "--image", "it.png", "--report", "it.json"];
        let report = |mode| {
            screen.ends_well(screen.viewer(&[&[mode], &files[..]].concat()));
            serde_json::from_slice::<serde_json::Value>(&fs::read(screen.path("it.json")).unwrap()).unwrap()
        };
        let (headless, window) = (report("--headless"), report("--window"));
        assert_eq!((&window["backend"], &window["frames"]), (&backend.into(), &7.into()));
        assert_eq!(window["validation_messages"], 0);
        assert_eq!(window["state"], headless["state"], "{backend}");
        let image = png::Decoder::new(std::io::BufReader::new(File::open(screen.path("it.png")).unwrap()));
        assert_eq!(image.read_info().unwrap().info().size(), (320, 240));
    }
}

#[test]
fn without_a_display_it_runs_headless_unless_a_window_is_insisted_on() {
    let mut screen = Screen::start();
    screen.number = "no-such-display".into();
    let (code, errors) = screen.end(screen.viewer(&["--frames", "2"]));
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("running headless") && errors.lines().count() == 1, "{errors}");
    assert!(screen.path("tautline-flag.png").is_file());

    let (code, errors) = screen.end(screen.viewer(&["--frames", "2", "--window"]));
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("no window can be opened") && errors.lines().count() == 1, "{errors}");
    assert!(!errors.contains(".rs"), "a place in some source tells the user nothing: {errors}");
}
