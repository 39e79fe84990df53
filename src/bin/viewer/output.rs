//! What is said on the terminal.

use std::io::{self, ErrorKind, Write};

use anyhow::{Result, bail};

/// Writes to standard output. A reader that has gone, as `head` does, wants no more and is no error.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(reason) if reason.kind() != ErrorKind::BrokenPipe => {
            bail!("cannot write to standard output: {reason}; send it elsewhere")
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error; where that is closed, there is nobody left to tell.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
