//! `leadline pool`: buffer pools that know their device.

mod device;
mod lists;
mod outcome;
mod plan;
mod replay;
mod simulate;
mod sweep;

use crate::failure::Failure;

/// Run a trace through buffer pools, simulated or real
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # Time of a trace with each way to write back, on a simulated drive
  leadline pool simulate gen:paper-wis --frames 20640 --ace all \\
    --device sim:flash
  # The real pool on a real device
  leadline pool replay trace.csv /mnt/nvme --frames 20000 --policy clock")]
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
