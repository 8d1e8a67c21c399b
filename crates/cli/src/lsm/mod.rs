//! `leadline lsm`: what an LSM tree costs on a device.

mod compared;
mod device;
mod measured;
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
    Validate(validate::Args),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Validate(args) => validate::run(args),
    }
}
