//! `tpcc`: TPC-C on Leadline's index. Not an official result.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{check, failure, load, run};

/// TPC-C on Leadline's index: loads a database, runs transactions on it, checks it. Not an official result.
#[derive(Parser)]
#[command(name = "tpcc", version, about, after_help = "Start with: tpcc load --dir DIR --warehouses 1")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Load(load::Args),
    Run(run::Args),
    Check(check::Args),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let result = match cli.command {
        Command::Load(args) => load::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(),
    }
}
