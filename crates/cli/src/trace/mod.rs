//! `leadline trace`: what programs asked of storage.

mod convert;
mod generate;
mod info;
mod replay;

use std::path::Path;

use leadline_trace::{Format, Trace};

use crate::failure::Failure;
use crate::output;

/// Look at traces, replay, convert and generate them
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Info(info::Args),
    Replay(replay::Args),
    Convert(convert::Args),
    Generate(generate::Args),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Info(args) => info::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Generate(args) => generate::run(args),
    }
}

/// The trace of this name; its format is told where none is named.
fn open(name: &str, format: Option<Format>) -> Result<Box<dyn Trace>, Failure> {
    Ok(match format {
        Some(format) => leadline_trace::open_as(name, format)?,
        None => leadline_trace::open(name)?,
    })
}

/// Refuses a page that could not be written, or would replace the trace, before anything is read.
fn check_page(page: Option<&Path>, trace: &str) -> Result<(), Failure> {
    let Some(page) = page else { return Ok(()) };
    let same = |a: &Path, b: &Path| {
        a == b || a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a))
    };
    if same(page, Path::new(trace)) {
        let text = format!("{}: the page would replace the trace; name another place", page.display());
        return Err(Failure::Input(text));
    }
    output::check_writable(page)
}

/// Says which lines were passed over; a trace of nothing else is none.
fn say_bad_lines(count: u64, first: &[String], requests: u64) -> Result<(), Failure> {
    if count > 0 && requests == 0 {
        let line = first.first().map_or("", String::as_str);
        return Err(Failure::Input(format!("{line}; no line is a request ({count} are none)")));
    }
    for line in first {
        output::say(&format!("passed over {line}"));
    }
    if count > first.len() as u64 {
        output::say(&format!(
            "passed over {count} lines in all that are no requests; --strict ends at the first"
        ));
    }
    Ok(())
}

/// Prints one document.
fn print_json(document: &impl serde::Serialize) -> Result<(), Failure> {
    let text =
        serde_json::to_string_pretty(document).map_err(|error| Failure::Operation(error.to_string()))?;
    output::print(&format!("{text}\n"))
}
