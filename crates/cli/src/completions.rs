//! `leadline completions`: the script with which a shell completes commands and options.

use clap::Command;
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::output;

/// Print the completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline completions bash \\
    > ~/.local/share/bash-completion/completions/leadline
  # Below a directory in fpath, before compinit runs
  leadline completions zsh > ~/.zfunc/_leadline
  leadline completions fish > ~/.config/fish/completions/leadline.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script for `leadline`, the whole command line.
pub(crate) fn run(args: &Args, mut leadline: Command) -> Result<(), Failure> {
    // `generate` panics where its writer fails, so it writes to memory.
    let mut script = Vec::new();
    generate(args.shell, &mut leadline, "leadline", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
