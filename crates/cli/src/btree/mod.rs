//! `leadline btree`: B-trees from the device up.

mod advise;

use crate::failure::Failure;

/// Find the best node size for a B-tree
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline btree advise profile.json --data 100G --key-size 16 \\
    --value-size 100 --mix point=60,range=10,insert=30")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Advise(Box<advise::Args>),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Advise(args) => advise::run(&args),
    }
}
