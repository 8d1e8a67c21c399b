//! `leadline trace`: what programs asked of storage.

mod capture;
mod convert;
mod generate;
mod info;
mod predict;
mod replay;

use crate::failure::Failure;
use crate::messages;
use crate::paths::TraceName;

/// Record, inspect, replay, convert and generate I/O traces
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # A generated trace, described
  leadline trace info gen:paper-ms
  # What a program asks of a directory
  leadline trace capture data -o build.capture -- make -C data
  # How long that would take on another drive
  leadline trace predict build.capture sim:sata sim:optane")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Info(info::Args),
    Capture(capture::Args),
    Replay(replay::Args),
    Predict(predict::Args),
    Convert(convert::Args),
    Generate(generate::Args),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Info(args) => info::run(args),
        Command::Capture(args) => capture::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Generate(args) => generate::run(args),
    }
}

/// Says which lines were passed over; a trace without a single request is none.
fn say_bad_lines(trace: &TraceName, count: u64, first: &[String], requests: u64) -> Result<(), Failure> {
    if requests == 0 && count == 0 {
        return Err(holds_nothing(trace));
    }
    if requests == 0 {
        let line = first.first().map_or("", String::as_str);
        return Err(Failure::Input(format!("{line}; none of the {count} lines is a request")));
    }
    for line in first {
        messages::warning(&format!("skipped {line}"));
    }
    if count > first.len() as u64 {
        messages::warning(&format!(
            "skipped {count} lines in all that are not requests; --strict fails at the first"
        ));
    }
    Ok(())
}

/// An empty file, or one of comments alone.
fn holds_nothing(trace: &dyn std::fmt::Display) -> Failure {
    Failure::Input(format!("{trace}: holds no request"))
}
