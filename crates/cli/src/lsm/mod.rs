//! `leadline lsm`: what an LSM tree costs on a device.

mod advise;
mod asked;
mod compared;
mod device;
mod measured;
mod predict;
mod validate;

use crate::failure::Failure;

/// Find the best layout for an LSM tree, such as RocksDB's
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # The best layout for a workload, as a file that RocksDB loads
  leadline lsm advise profile.json --data 100G --key-size 16 --value-size 100 \\
    --mix point=60,insert=40 -o OPTIONS.ini
  # What that layout costs
  leadline lsm predict profile.json --options OPTIONS.ini --data 100G \\
    --key-size 16 --value-size 100
  # Predictions compared with your RocksDB
  leadline lsm validate profile.json /mnt/nvme -o results.json

For RocksDB's settings without a workload, see `leadline advise rocksdb`.")]
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
