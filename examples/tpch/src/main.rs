//! `tpch`: TPC-H on MariaDB on an emulated drive. Not an official result.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{compare, explain, failure, load, place, predict, rows, run};

/// TPC-H on MariaDB on an emulated drive: loads the tables, runs the queries from a cold buffer pool,
/// compares them with a paper's. Not an official result.
#[derive(Parser)]
#[command(name = "tpch", version, about, after_help = "Start with: tpch load FOLDER")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Load(load::Args),
    Run(run::Args),
    Explain(explain::Args),
    Compare(compare::Args),
    Predict(predict::Args),
    Place(place::Args),
    Rows(rows::Args),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let result = match cli.command {
        Command::Load(args) => load::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Place(args) => place::run(&args),
        Command::Rows(args) => rows::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::exit(&error),
    }
}
