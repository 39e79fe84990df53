//! The display that windows are opened on.

use anyhow::{Result, anyhow};
use winit::event_loop::EventLoop;

/// Connects to the display.
pub fn open_display() -> Result<EventLoop<()>> {
    // winit's own error for a Unix machine without a display does not say so. It comes to windows through X11 there.
    let has_x11 = std::env::var_os("DISPLAY").is_some_and(|value| !value.is_empty());
    if cfg!(all(unix, not(target_os = "macos"))) && !has_x11 {
        return Err(anyhow!("DISPLAY is not set"));
    }
    EventLoop::new().map_err(|error| {
        // winit puts the line of its source that failed before the reason.
        let text = error.to_string();
        let reason = text.split_once(".rs:").and_then(|(_, after)| after.split_once(": ")).map(|(_, reason)| reason);
        anyhow!("{}", reason.unwrap_or(&text))
    })
}
