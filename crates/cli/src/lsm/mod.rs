//! `leadline lsm`: what an LSM tree costs on a device.

mod advise;
mod asked;
mod compared;
mod device;
mod measured;
mod predict;
mod validate;

use crate::failure::Failure;

/// LSM trees such as RocksDB's on a measured device
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Advise(advise::Args),
    Predict(predict::Args),
    Validate(validate::Args),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Advise(args) => advise::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Validate(args) => validate::run(args),
    }
}
