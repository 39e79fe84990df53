//! An X server of a test's own (Xvfb), which keeps its screen in a file, and a viewer on it that xdotool drives.
//! tools/setup --test installs both.

#![allow(dead_code)] // Each test binary uses its part of this.

#[path = "client.rs"]
mod client;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use client::Client;

/// How long a test may wait, all its waits taken together: far more than it needs, so that it fails and never hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Long enough for a frame that was on its way to arrive.
pub const SETTLING: Duration = Duration::from_millis(400);
/// Colour of the background in `src/render/stage.rs`, linear.
const BACKGROUND: [f64; 3] = [0.42, 0.46, 0.50];

pub type Pixel = [u8; 3];

/// A process that does not outlive its test.
pub struct Process(pub Child);

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
pub struct Screen {
    pub server: Process,
    folder: TempDir,
    pub number: String,
    size: [usize; 2],
    arguments: String,
    /// `PATH` of viewers, where it is not the test's own.
    pub path_variable: Option<String>,
    pub deadline: Instant,
}

impl Screen {
    /// A screen whose viewers have a window of `size`, and these `arguments` beside those of their own.
    pub fn start(size: [usize; 2], arguments: &str) -> Self {
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
        let mut screen = Self {
            server,
            folder,
            number: String::new(),
            size,
            arguments: arguments.into(),
            path_variable: None,
            deadline: Instant::now() + PATIENCE,
        };
        screen.number = screen.until("Xvfb has started", || {
            fs::read_to_string(&number).ok().filter(|text| text.ends_with('\n')).map(|text| text.trim().to_string())
        });
        screen
    }

    /// Waits until `look` finds what it looks for.
    pub fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
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
    pub fn try_xdotool(&self, arguments: &str) -> Option<String> {
        let mut command = Command::new("xdotool");
        command.args(arguments.split(' ')).env("DISPLAY", format!(":{}", self.number));
        let output = command.output().expect("tests need xdotool, which tools/setup --test installs");
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_string())
    }

    pub fn xdotool(&self, arguments: &str) -> String {
        self.try_xdotool(arguments).unwrap_or_else(|| panic!("xdotool {arguments} failed"))
    }

    /// The upper left part of the screen, row by row. Without a window manager that is where the window is.
    pub fn pixels(&self, [width, height]: [usize; 2]) -> Vec<Pixel> {
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
    pub fn still(&self) -> Vec<Pixel> {
        let mut last = self.pixels(self.size);
        self.until("the picture stands still", || {
            std::thread::sleep(SETTLING);
            let now = self.pixels(self.size);
            let same = now == last;
            last.clone_from(&now);
            same.then_some(now)
        })
    }

    /// The still picture that follows one that looked different.
    pub fn still_after(&self, before: &[Pixel]) -> Vec<Pixel> {
        self.until("the picture changes", || (self.pixels(self.size) != before).then_some(()));
        self.still()
    }

    /// Waits until the picture is `wanted`, and fails unless it stays so.
    pub fn comes_to(&self, wanted: &[Pixel]) {
        self.until("the picture is as before", || (self.pixels(self.size) == wanted).then_some(()));
        assert!(self.still() == wanted, "the picture was as before, and then changed");
    }

    /// The viewer with a window of the screen's size, under validation, and with the screen's arguments.
    pub fn viewer(&self, arguments: &[&str]) -> Process {
        let [width, height] = self.size;
        let size = format!("--size={width}x{height}");
        let own = [&size, "--validate"].into_iter().chain(self.arguments.split(' '));
        self.run(&own.chain(arguments.iter().copied()).collect::<Vec<_>>(), &[])
    }

    /// The viewer with nothing but these arguments, and with these variables in its environment.
    pub fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Process {
        let file = |name: &str| File::create(self.folder.path().join(name)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
        command.args(arguments).envs(environment.iter().copied());
        command.env("DISPLAY", format!(":{}", self.number)).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        if let Some(path) = &self.path_variable {
            command.env("PATH", path);
        }
        command.env("XDG_STATE_HOME", self.path("state"));
        if std::env::var_os("TAUTLINE_DEVICE").is_none() {
            // A device that can show on a screen that no hardware drives.
            command.env("TAUTLINE_DEVICE", "llvmpipe");
        }
        spawn(command.current_dir(self.folder.path()).stdout(file("stdout")).stderr(file("stderr")))
    }

    /// Waits until the viewer ends by itself: its exit code and what it wrote to standard error.
    pub fn end(&self, mut viewer: Process) -> (Option<i32>, String) {
        let status = self.until("the viewer has ended", || viewer.0.try_wait().unwrap());
        (status.code(), fs::read_to_string(self.path("stderr")).unwrap())
    }

    /// It ends with nothing to say but how meshes were taken.
    pub fn ends_well(&self, viewer: Process) {
        let (code, told) = self.end(viewer);
        assert!(code == Some(0) && told.lines().all(|line| line.contains(" vertices and ")), "{code:?}: {told}");
    }

    /// Waits until the viewer has said that it wrote a file, and reads it.
    pub fn saved(&self, name: &str) -> Vec<u8> {
        let told = || fs::read_to_string(self.path("stdout")).unwrap();
        self.until(&format!("it has written {name}"), || told().contains(&format!("wrote {name} ")).then_some(()));
        fs::read(self.path(name)).unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The viewer and its window, which has the focus and shows something.
    pub fn window(&self) -> (Process, u32) {
        self.window_with(&[])
    }

    /// As [`Screen::window`], with arguments of its own.
    pub fn window_with(&self, arguments: &[&str]) -> (Process, u32) {
        let viewer = self.viewer(&[&["--window"], arguments].concat());
        self.shown(viewer)
    }

    /// The viewer and its window, with nothing but these arguments and variables.
    pub fn open(&self, arguments: &[&str], environment: &[(&str, &str)]) -> (Process, u32) {
        self.shown(self.run(arguments, environment))
    }

    /// Waits until there is a window, which shows something, and gives it the focus.
    fn shown(&self, mut viewer: Process) -> (Process, u32) {
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

    pub fn title(&self, window: u32) -> String {
        self.xdotool(&format!("getwindowname {window}"))
    }

    pub fn titled(&self, window: u32, part: &str) {
        self.until(&format!("'{part}' is in the title"), || self.title(window).contains(part).then_some(()));
    }

    /// As [`Screen::window`], paused before the first step.
    pub fn paused_window(&self) -> (Process, u32, Vec<Pixel>) {
        let (viewer, window) = self.window();
        let start = self.pause(window);
        (viewer, window, start)
    }

    /// Pauses a window and goes back to the start, which it then shows.
    pub fn pause(&self, window: u32) -> Vec<Pixel> {
        self.xdotool("key space");
        self.titled(window, "paused");
        self.xdotool("key r");
        self.titled(window, " 0.0 s");
        self.still()
    }

    /// Takes the focus away from the window.
    pub fn unfocus(&self) {
        Client::connect(&self.number).unfocus();
    }

    /// Asks a window to close as window managers do.
    pub fn ask_to_close(&self, window: u32) {
        Client::connect(&self.number).ask_to_close(window);
    }

    /// Drops files on a window.
    pub fn drop_files(&self, window: u32, files: &[&Path]) {
        Client::connect(&self.number).drop_files(window, files);
    }
}

/// The background as a screen shows it: 8-bit sRGB, by the formula of IEC 61966-2-1.
pub fn background() -> Pixel {
    BACKGROUND.map(|linear| ((1.055 * linear.powf(1.0 / 2.4) - 0.055) * 255.0).round() as u8)
}

pub fn is_background(pixel: Pixel) -> bool {
    pixel.iter().zip(background()).all(|(&is, wanted)| is.abs_diff(wanted) <= 1)
}

/// How many pixels are of the flag's red, and how many of its cream-coloured stripes.
pub fn red_and_cream(pixels: &[Pixel]) -> (usize, usize) {
    let is_red = |[red, green, blue]: &&Pixel| *red > 60 && *red / 2 > *green && *red / 2 > *blue;
    let is_cream = |[red, green, blue]: &&Pixel| red >= green && *green > 90 && *red > blue.saturating_add(12);
    (pixels.iter().filter(is_red).count(), pixels.iter().filter(is_cream).count())
}

/// Whether a message is over the scene: text in the colour of `src/bin/viewer/panels/style.rs`.
pub fn is_told(pixels: &[Pixel]) -> bool {
    pixels.iter().filter(|pixel| pixel.iter().zip([0xf0, 0x8a, 0x7a]).all(|(&is, of)| is.abs_diff(of) <= 2)).count()
        > 50
}
