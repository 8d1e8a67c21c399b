//! `leadline`: know the device your storage engine runs on.
//!
//! One file a command; what they do lives in the crates below.

mod failure;
mod open;
mod output;
mod profile;
mod progress;
mod report;
mod signals;
mod thermometer;
mod values;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Know the device your storage engine runs on.
#[derive(Parser)]
#[command(name = "leadline", version, about, after_help = "Start with: leadline profile --quick")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Profile(profile::Args),
    Report(report::Args),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let result = match cli.command {
        Command::Profile(args) => profile::run(args),
        Command::Report(args) => report::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(),
    }
}
