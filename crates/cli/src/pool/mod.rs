//! `leadline pool`: buffer pools that know their device.

mod device;
mod lists;
mod outcome;
mod plan;
mod replay;
mod simulate;
mod sweep;

use crate::failure::Failure;

/// Buffer pools over a trace, simulated or real: policies, ACE, cleaners
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Simulate(Box<simulate::Args>),
    Replay(Box<replay::Args>),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Simulate(args) => simulate::run(*args),
        Command::Replay(args) => replay::run(*args),
    }
}
