//! Encodes pictures as MP4 with the program ffmpeg.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use tautline::render::Picture;

use super::pace::Pace;
use crate::program::is_on_path;

const PROGRAM: &str = "ffmpeg";
/// How many lines of what ffmpeg says of an error are told: the first ones have its cause.
const LINES_TOLD: usize = 3;

/// What ffmpeg encodes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    H264,
    /// What every ffmpeg has.
    Mpeg4,
}

/// Whether it is there.
pub fn has_ffmpeg() -> bool {
    is_on_path(PROGRAM)
}

impl Codec {
    /// The best one of the ffmpeg that is on the path.
    pub fn find() -> Result<Self> {
        let output = command(["-hide_banner", "-encoders"]).stdin(Stdio::null()).output();
        let output = match output {
            Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
                "MP4 is encoded by the program ffmpeg, which is not on the path: install it, or record PNG pictures into \
                 a folder, which needs none"
            ),
            other => other.context("the program ffmpeg cannot be run")?,
        };
        let list = String::from_utf8_lossy(&output.stdout);
        let has = |encoder: &str| list.split_whitespace().any(|word| word == encoder);
        if has("libx264") {
            Ok(Self::H264)
        } else if has("mpeg4") {
            Ok(Self::Mpeg4)
        } else {
            bail!("the program ffmpeg on the path encodes neither H.264 (libx264) nor MPEG-4 (mpeg4): install another")
        }
    }

    /// Quality that is hard to tell from the original, and at what cost it is had.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::H264 => &["-c:v", "libx264", "-preset", "veryfast", "-crf", "17"],
            Self::Mpeg4 => &["-c:v", "mpeg4", "-q:v", "2"],
        }
    }
}

/// Encodes `pictures`, all of the same even `extent`, into the file at `path`, which is replaced.
pub fn encode(
    codec: Codec,
    path: &Path,
    extent: [u32; 2],
    pace: Pace,
    mut pictures: impl Iterator<Item = Picture>,
) -> io::Result<()> {
    let [width, height] = extent;
    let size = format!("{width}x{height}");
    let mut command = encoder(codec, &["-f", "rawvideo", "-pixel_format", "rgba", "-video_size", &size], "-", pace);
    ended(command.arg(path), |child| feed(child, &mut pictures))
}

/// Encodes the numbered pictures in a folder, which are as those of [`encode`], into the file at `path`, which is replaced.
pub fn encode_folder(codec: Codec, path: &Path, folder: &Path, pace: Pace) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    // Inside the folder, for its name is no pattern.
    let mut command = encoder(codec, &["-f", "image2"], "%06d.png", pace);
    ended(command.current_dir(folder).arg(path), |_| Ok(()))
}

/// ffmpeg with what it reads, at which pace and how it encodes that.
fn encoder(codec: Codec, format: &[&str], input: &str, pace: Pace) -> Command {
    let mut command = command(["-hide_banner", "-nostats", "-loglevel", "error", "-y"]);
    command.args(format).args(["-framerate", &pace.to_string(), "-i", input]).args(codec.arguments());
    // Colours as most players expect them, said and not left to be guessed.
    command.args(["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p", "-color_range", "tv"]);
    command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1"]);
    command.args(["-movflags", "+faststart", "-f", "mp4"]);
    command
}

/// Runs ffmpeg with what `feed` gives it, and waits for its end.
fn ended(command: &mut Command, feed: impl FnOnce(&mut Child) -> io::Result<()>) -> io::Result<()> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let errors = child.stderr.take();
    let errors = std::thread::spawn(move || errors.map(first_lines).unwrap_or_default());
    let fed = feed(&mut child);
    let status = child.wait()?;
    let said = errors.join().unwrap_or_default();
    match fed {
        // Also where it ends well: some end so after they could not write the end of the file, as on a full disk.
        _ if !said.is_empty() => Err(io::Error::other(format!("ffmpeg said: {said}"))),
        Ok(()) if status.success() => Ok(()),
        // It closed its end of the pipe.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Err(io::Error::other(format!("ffmpeg ended before the video did, with {status}"))),
    }
}

/// Writes all pictures to ffmpeg's standard input and closes that.
fn feed(child: &mut Child, pictures: &mut impl Iterator<Item = Picture>) -> io::Result<()> {
    let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    pictures.try_for_each(|picture| input.write_all(&picture.rgba))
}

/// Reads to the end, so that ffmpeg is never held up, and keeps the first lines.
fn first_lines(errors: impl io::Read) -> String {
    let lines = BufReader::new(errors).lines().map_while(io::Result::ok);
    let told = lines.enumerate().filter_map(|(index, line)| (index < LINES_TOLD).then(|| line.trim().to_string()));
    told.collect::<Vec<_>>().join("; ")
}

/// ffmpeg in a process group of its own: Ctrl-C in a terminal goes to all of a group, and it is the viewer that decides
/// when a video ends.
fn command(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}
