//! Shaders that are compiled again when their files change, and take over while the scene runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, anyhow};
use tautline::engine::Replacements;

use super::View;
use crate::compile::{compile, sources};

/// How often their files are looked at.
const EVERY: Duration = Duration::from_millis(500);

/// A folder of shaders, as it was when it was looked at last.
pub(super) struct HotReload {
    folder: PathBuf,
    /// When the newest file was written, includes among them; none before the first look, after which all shaders are
    /// compiled.
    newest: Option<SystemTime>,
    pub(super) due: Instant,
}

impl HotReload {
    /// Fails where the folder cannot be read.
    pub(super) fn new(folder: &Path) -> Result<Self> {
        sources(folder).map_err(|problem| anyhow!("no shaders can be loaded from {problem}"))?;
        Ok(Self { folder: folder.into(), newest: None, due: Instant::now() })
    }

    /// Whether a file has been written since the last look.
    fn has_changed(&mut self) -> bool {
        if self.due > Instant::now() {
            return false;
        }
        self.due = Instant::now() + EVERY;
        let newest = newest(&self.folder);
        let has_changed = newest > self.newest;
        self.newest = self.newest.max(newest);
        has_changed
    }
}

impl View {
    /// Lets shaders take over whose files have changed. Where one cannot, the window says why and those before stay.
    pub(super) fn reload_shaders(&mut self) {
        let Some(files) = &mut self.hot_reload else {
            return;
        };
        if !files.has_changed() {
            return;
        }
        let folder = files.folder.clone();
        self.changed = true;
        self.attempt(|view| {
            let before = view.run.device.replace_shaders(compile_all(&folder)?);
            let result = view.renew_pipelines();
            if result.is_err() {
                view.run.device.replace_shaders(before);
                view.panels.renew_pipeline(view.swapchain.format())?;
            }
            result
        });
    }

    /// Makes all pipelines anew, and goes on from where the body is.
    fn renew_pipelines(&mut self) -> Result<()> {
        self.panels.renew_pipeline(self.swapchain.format())?;
        self.go_on(self.scene.clone(), self.run.backend())
    }
}

/// All shaders in a folder, compiled as they are now.
fn compile_all(folder: &Path) -> Result<Replacements> {
    let compiler = shaderc::Compiler::new()?;
    let compiled = sources(folder).map_err(|problem| anyhow!(problem))?.into_iter().map(|path| {
        let words = compile(&compiler, folder, &path).map_err(|problem| anyhow!("{}", problem.trim()))?;
        let name = path.strip_prefix(folder)?.display().to_string().replace('\\', "/");
        Ok((name, Arc::from(words)))
    });
    compiled.collect()
}

/// When the newest file below a folder was written.
fn newest(folder: &Path) -> Option<SystemTime> {
    let of = |path: PathBuf| if path.is_dir() { newest(&path) } else { fs::metadata(&path).ok()?.modified().ok() };
    fs::read_dir(folder).ok()?.filter_map(|entry| of(entry.ok()?.path())).max()
}
