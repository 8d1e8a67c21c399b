//! `leadline`: know the device your storage engine runs on.
//!
//! One file a command; what they do lives in the crates below.

mod devices;
mod experiment;
mod failure;
mod graph;
mod models;
mod open;
mod output;
mod pool;
mod predict;
mod profile;
mod progress;
mod report;
mod signals;
mod source;
mod thermometer;
mod trace;
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
    Experiment(experiment::Args),
    Report(report::Args),
    Models(models::Args),
    Predict(predict::Args),
    Devices(devices::Args),
    Trace(trace::Args),
    Pool(pool::Args),
    Graph(graph::Args),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let result = match cli.command {
        Command::Profile(args) => profile::run(args),
        Command::Experiment(args) => experiment::run(args),
        Command::Report(args) => report::run(args),
        Command::Models(args) => models::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Devices(args) => devices::run(args),
        Command::Trace(args) => trace::run(args),
        Command::Pool(args) => pool::run(args),
        Command::Graph(args) => graph::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(),
    }
}
