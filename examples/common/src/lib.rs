//! How the programs in `examples` speak to the terminal: results on stdout, one line on stderr for whatever
//! else, exit code 2 for what the user gave them, 1 for what went wrong doing it.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// A program, by its name.
#[derive(Debug, Clone, Copy)]
pub struct Terminal(pub &'static str);

impl Terminal {
    /// A line on stderr; a reader that went away is not a failure.
    pub fn say(self, text: &str) {
        let _ = writeln!(io::stderr(), "{}: {text}", self.0);
    }

    /// The one line of a failure; `code` becomes the exit code.
    pub fn fail(self, text: &str, code: u8) -> ExitCode {
        self.say(&text.replace('\n', " "));
        ExitCode::from(code)
    }

    /// What clap has to say: help and version as they are, an error in one line that names `help`.
    pub fn usage(self, error: &clap::Error, help: &str) -> ExitCode {
        if !error.use_stderr() {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        let text = error.to_string();
        let said: Vec<&str> = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
            .filter(|line| !line.is_empty())
            .collect();
        let said = said.join("; ").replace("error: ", "").replace(":;", ":");
        self.fail(&format!("{}; see {help}", if said.is_empty() { "nothing to do" } else { &said }), 2)
    }
}

/// Results, on stdout. Whoever reads may have had enough: `| head`.
///
/// # Errors
/// The operating system's.
pub fn print(text: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Becomes true at Ctrl-C, SIGTERM or the end of the terminal.
///
/// # Errors
/// The operating system's.
pub fn interrupted() -> io::Result<Arc<AtomicBool>> {
    let cancel = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&cancel))?;
    }
    Ok(cancel)
}
