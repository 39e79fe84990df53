//! Work on a thread of its own that ends in a sentence.

use std::thread::JoinHandle;

use anyhow::{Result, anyhow};

use crate::output;

/// A thread that writes something. Dropped, it is waited for: what it writes is kept, whatever else goes wrong.
pub struct Job(Option<JoinHandle<Result<String>>>);

impl Job {
    pub fn start(work: impl FnOnce() -> Result<String> + Send + 'static) -> Self {
        Self(Some(std::thread::spawn(work)))
    }

    pub fn is_finished(&self) -> bool {
        self.0.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until it ends, and says what has become of it.
    pub fn join(mut self) -> Result<String> {
        self.0.take().map_or_else(|| Ok(String::new()), outcome)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            output::tell(&outcome(thread).unwrap_or_else(|error| format!("error: {error:#}")));
        }
    }
}

fn outcome(thread: JoinHandle<Result<String>>) -> Result<String> {
    thread.join().unwrap_or_else(|_| Err(anyhow!("the thread that writes pictures panicked")))
}
