//! Ctrl-C, or the signal by which a system ends programs, while a video is being recorded ends the run as anything else
//! does that ends it, and so the video is kept; and a bake, after its checkpoint.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on, Ctrl-C does not end the process: it is noted, and `wake` is called, on another thread. A second one
/// ends it.
pub fn watch(wake: impl Fn() + Send + 'static) {
    // Fails where it is watched for already.
    let _ = ctrlc::set_handler(move || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            // As shells have it: 128 and the number of the signal.
            std::process::exit(130);
        }
        wake();
    });
}

/// Whether Ctrl-C was pressed, or the like, since it is watched for.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
