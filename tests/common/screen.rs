//! An X server of a test's own (Xvfb), which keeps its screen in a file, and a viewer on it that xdotool drives.
//! tools/setup --test installs both.

#![allow(dead_code)] // Each test binary uses its part of this.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use tempfile::TempDir;

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

    pub fn viewer(&self, arguments: &[&str]) -> Process {
        let file = |name: &str| File::create(self.folder.path().join(name)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
        let [width, height] = self.size;
        command.arg(format!("--size={width}x{height}")).arg("--validate");
        command.args(self.arguments.split(' ')).args(arguments);
        command.env("DISPLAY", format!(":{}", self.number)).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        if let Some(path) = &self.path_variable {
            command.env("PATH", path);
        }
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

    pub fn ends_well(&self, viewer: Process) {
        assert_eq!(self.end(viewer), (Some(0), String::new()));
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

    pub fn title(&self, window: u32) -> String {
        self.xdotool(&format!("getwindowname {window}"))
    }

    pub fn titled(&self, window: u32, part: &str) {
        self.until(&format!("'{part}' is in the title"), || self.title(window).contains(part).then_some(()));
    }

    /// As [`Screen::window`], paused before the first step.
    pub fn paused_window(&self) -> (Process, u32, Vec<Pixel>) {
        let (viewer, window) = self.window();
        self.xdotool("key space");
        self.titled(window, "paused");
        self.xdotool("key r");
        self.titled(window, " 0.0 s");
        (viewer, window, self.still())
    }

    /// Asks a window to close as window managers do, with the message WM_DELETE_WINDOW. Older xdotools can only destroy
    /// windows, so this speaks the X protocol.
    pub fn ask_to_close(&self, window: u32) {
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
