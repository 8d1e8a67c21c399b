//! `leadline index`: sorted maps of keys and values on a device.

mod get;
#[expect(dead_code, reason = "for entries that are loaded")]
mod keys;
mod opening;
mod stats;
mod verify;

use crate::failure::Failure;

/// Store sorted keys and values on disk, and look up many at once
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # The values of three keys, read at once
  leadline index get words.index apple pear quince
  # How many entries there are, and what they take
  leadline index stats words.index
  # Whether all pages are sound
  leadline index verify words.index")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Get(get::Args),
    Verify(verify::Args),
    Stats(stats::Args),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Get(args) => get::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Stats(args) => stats::run(&args),
    }
}
