//! `leadline`: know the device your storage engine runs on.
//!
//! One file per command: it reads the arguments, calls the crates below, and prints.

mod btree;
mod calibrate;
mod completions;
mod devices;
mod emulate;
mod experiment;
mod failure;
mod graph;
mod lsm;
mod man;
mod models;
mod output;
mod place;
mod pool;
mod predict;
mod profile;
mod progress;
mod report;
mod signals;
mod source;
mod target;
mod trace;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::failure::Failure;

/// Know the device your storage engine runs on.
#[derive(Parser)]
#[command(
    name = "leadline",
    version,
    about,
    after_help = "Start with:\n  \
        leadline profile --quick\n  \
        leadline profile sim:flash --quick     on a simulated device, in seconds"
)]
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
    Btree(btree::Args),
    Calibrate(calibrate::Args),
    Devices(devices::Args),
    Trace(trace::Args),
    Place(place::Args),
    Pool(pool::Args),
    Graph(graph::Args),
    Lsm(lsm::Args),
    Emulate(emulate::Args),
    Completions(completions::Args),
    Man(man::Args),
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::say(&failure.line());
            failure.exit_code()
        }
    }
}

fn run() -> Result<(), Failure> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    match cli.command {
        Command::Profile(args) => profile::run(args),
        Command::Experiment(args) => experiment::run(&args),
        Command::Report(args) => report::run(args),
        Command::Models(args) => models::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Btree(args) => btree::run(args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Devices(args) => devices::run(args),
        Command::Trace(args) => trace::run(args),
        Command::Place(args) => place::run(args),
        Command::Pool(args) => pool::run(args),
        Command::Graph(args) => graph::run(args),
        Command::Lsm(args) => lsm::run(args),
        Command::Emulate(args) => emulate::run(args),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
    }
}
