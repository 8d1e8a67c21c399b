//! `leadline pool`: buffer pools that know their device.

mod device;
mod lists;
mod outcome;
mod plan;
mod replay;
mod simulate;
mod sweep;

use crate::failure::Failure;

/// Run a trace through buffer pools, simulated or real: replacement policies, ACE write-back, cleaners
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
        leadline pool simulate gen:paper-wis --frames 20640 --ace all --device sim:flash")]
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
