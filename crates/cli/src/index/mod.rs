//! `leadline index`: sorted maps of keys and values on a device.

mod bench;
mod entries;
mod get;
mod keys;
mod load;
mod made;
mod measured;
mod node_size;
mod opening;
mod reading;
mod scan;
mod stats;
mod verify;

pub use self::node_size::usual_node_bytes;
use crate::failure::Failure;

/// Store sorted keys and values on disk, and look up many at once
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # Make an index from a file of two columns
  leadline index load words.index words.tsv
  # The values of three keys, read at once
  leadline index get words.index apple pear quince
  # All entries whose keys begin with ap
  leadline index scan words.index --prefix ap
  # How fast an index is on this disk
  leadline index bench .")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Load(load::Args),
    Get(get::Args),
    Scan(scan::Args),
    Verify(verify::Args),
    Stats(stats::Args),
    Bench(bench::Args),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Load(args) => load::run(&args),
        Command::Get(args) => get::run(&args),
        Command::Scan(args) => scan::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Bench(args) => bench::run(&args),
    }
}
