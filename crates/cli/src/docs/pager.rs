//! Text of several screens.

use std::env;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;

use crate::failure::Failure;
use crate::{console, output};

/// What `less` does unless LESS says otherwise, as for git: one screen is printed, and stays.
const LESS: &str = "FRX";

/// Shows a text: at a terminal through the pager that PAGER names, or `less`; else it is printed.
pub(super) fn show(text: &str) -> Result<(), Failure> {
    let at_terminal = console::call().is_none() && std::io::stdout().is_terminal();
    match at_terminal.then(start).flatten() {
        None => output::print(text),
        Some(pager) => through(pager, text),
    }
}

/// The pager, if there is one that runs.
fn start() -> Option<Child> {
    let said = env::var("PAGER").ok();
    // Without a pager, if it is told so.
    if said.as_deref() == Some("") {
        return None;
    }
    let mut command = Command::new("sh");
    command.arg("-c").arg(said.unwrap_or_else(|| "less".to_owned())).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    command.spawn().ok()
}

fn through(mut pager: Child, text: &str) -> Result<(), Failure> {
    // Ctrl-C is the pager's: were this program to end by it, the shell and the pager would read one keyboard.
    let ignored = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
    let written = pager.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(text.as_bytes()));
    let ended = pager.wait();
    if let Ok(handler) = ignored {
        signal_hook::low_level::unregister(handler);
    }
    match (written, ended) {
        // The shell found no such program.
        (_, Ok(status)) if status.code() == Some(127) => output::print(text),
        // Who has read enough ends the pager.
        (Err(error), _) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Operation(format!("the pager: {error}")))
        }
        _ => Ok(()),
    }
}
