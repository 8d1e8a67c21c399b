//! What is said on stderr: errors, warnings, notes, and how far a command is.
//!
//! One function writes each kind, and nothing else in the program writes there, except for the bar of
//! `progress.rs`, which makes room for the lines written here. A program that calls a command gets warnings
//! and notes as text, without the word in front and without colour.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Instant;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ArgMatches;
use indicatif::{ProgressBar, WeakProgressBar};

use crate::printable::without_number;
use crate::{console, printable};

/// The bar on the terminal's last line, if there is one.
static BAR: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// What the user asked to be told, as a number.
static ASKED: AtomicU8 = AtomicU8::new(Amount::Usual as u8);

/// When the program began.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Options of every command.
#[derive(clap::Args)]
pub(crate) struct AmountArgs {
    /// Also name the files that are used, and time each step
    #[arg(short, long, global = true, conflicts_with = "quiet", display_order = 990)]
    verbose: bool,
    /// Print only errors, warnings of lost data, and the result
    #[arg(short, long, global = true, display_order = 991)]
    quiet: bool,
}

/// How much a command says on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Amount {
    /// Errors, and warnings of data that is lost or about to be (`-q`).
    Least,
    /// Also other warnings, notes and progress.
    Usual,
    /// Also each step, with the time (`-v`).
    Most,
}

/// From now on as much is said as the command line asks for; a program that calls a command gets all of it.
pub(crate) fn say_as_asked(matches: &ArgMatches) {
    LazyLock::force(&BEGAN);
    let amount = match () {
        () if console::call().is_some() => return,
        () if matches.get_flag("quiet") => Amount::Least,
        () if matches.get_flag("verbose") => Amount::Most,
        () => Amount::Usual,
    };
    ASKED.store(amount as u8, Ordering::Relaxed);
}

fn wants(amount: Amount) -> bool {
    ASKED.load(Ordering::Relaxed) >= amount as u8
}

/// Why the command failed: its last line.
pub(crate) fn error(text: &str) {
    write(Some(("error:", AnsiColor::Red)), &printable::line(text));
}

/// What may make the result worse or different from what was asked.
pub(crate) fn warning(text: &str) {
    say(Amount::Usual, ("warning:", AnsiColor::Yellow), text);
}

/// A warning of data that is lost or about to be, which is said also with `-q`.
pub(crate) fn warning_of_loss(text: &str) {
    say(Amount::Least, ("warning:", AnsiColor::Yellow), text);
}

/// What is about to be done or was done, and where the result is.
pub(crate) fn note(text: &str) {
    say(Amount::Usual, ("note:", AnsiColor::Cyan), text);
}

/// How far a command is, where no bar shows it; a program that calls the command is told otherwise.
pub(crate) fn progress(text: &str) {
    if wants(Amount::Usual) && console::call().is_none() {
        write(None, &printable::line(text));
    }
}

/// A step that was done or is begun, with the time since the program began, for who asked with `-v`.
pub(crate) fn step(text: &str) {
    if has_steps() {
        write(None, &format!("[{:9.3} s] {}", BEGAN.elapsed().as_secs_f64(), printable::line(text)));
    }
}

/// Whether steps are told.
pub(crate) fn has_steps() -> bool {
    wants(Amount::Most) && console::call().is_none()
}

/// Whether a bar shows how far a command is.
pub(crate) fn has_bar() -> bool {
    let can_move = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
    can_move && std::io::stderr().is_terminal() && wants(Amount::Usual) && console::call().is_none()
}

/// From now on messages appear above this bar.
pub(crate) fn above(bar: &ProgressBar) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
}

/// Whether colours are wanted there: NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM say so, in this order, else
/// it is a terminal.
pub(crate) fn coloured(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Nothing is coloured from now on, whatever the environment says: a program reads it.
pub(crate) fn never_colour() {
    ColorChoice::Never.write_global();
}

fn say(amount: Amount, head: (&str, AnsiColor), text: &str) {
    let text = printable::line(&without_number(text));
    match console::call() {
        Some(call) => call.say(&text),
        None if wants(amount) => write(Some(head), &text),
        None => {}
    }
}

/// One line, in one piece: other programs may write to the same terminal. A reader that went away is not a
/// failure.
fn write(head: Option<(&str, AnsiColor)>, text: &str) {
    let coloured = coloured(&std::io::stderr());
    let style = |style: Style| if coloured { style } else { Style::new() };
    let line = match head {
        Some((word, color)) => {
            let style = style(color.on_default().bold());
            format!("{style}{word}{style:#} {text}\n")
        }
        None => {
            let style = style(Style::new().dimmed());
            format!("{style}{text}{style:#}\n")
        }
    };
    let write = || drop(std::io::stderr().write_all(line.as_bytes()));
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(WeakProgressBar::upgrade);
    match bar.filter(|bar| !bar.is_finished()) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    /// All files of Rust below a folder.
    fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => sources(&path, all),
                false => all.extend(path.extension().is_some_and(|ending| ending == "rs").then_some(path)),
            }
        }
    }

    #[test]
    fn nothing_else_in_the_program_writes_to_stderr() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut files = Vec::new();
        for one in std::fs::read_dir(crates).unwrap() {
            sources(&one.unwrap().path().join("src"), &mut files);
        }
        assert!(files.len() > 500, "{}", files.len());
        for file in files.iter().filter(|file| !file.ends_with("cli/src/messages.rs")) {
            let text = std::fs::read_to_string(file).unwrap();
            let program = text.split("#[cfg(test)]").next().unwrap();
            let is_test =
                file.components().any(|part| part.as_os_str() == "tests") || file.ends_with("tests.rs");
            let writes = |line: &&str| line.contains("eprint") || line.contains("stderr()");
            let asks = |line: &&str| line.contains("is_terminal") || line.contains("use_stderr()");
            let found: Vec<&str> = program.lines().filter(writes).filter(|line| !asks(line)).collect();
            assert!(is_test || found.is_empty(), "{}: {found:?}", file.display());
        }
    }
}
