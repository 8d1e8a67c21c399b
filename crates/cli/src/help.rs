//! What `--help` shows beyond what clap makes of the arguments: commands in groups, and lines of a width that
//! can be read.

mod groups;
#[cfg(test)]
mod tests;

use std::io::IsTerminal as _;

use clap::Command;

use crate::{console, output};

use groups::listed;

/// Columns of help where stdout is no terminal: a pipe, a file, a program that calls.
const PLAIN: usize = 80;

/// Most columns of help: longer lines are hard to read.
const WIDEST: usize = 100;

/// The command line with its help laid out for where it goes.
pub(crate) fn laid_out(leadline: Command) -> Command {
    at_width(leadline, width())
}

/// The command line with help of `width` columns.
fn at_width(leadline: Command, width: usize) -> Command {
    let leadline = listed(leadline, &groups::COMMANDS, width).term_width(width);
    leadline.mut_subcommand("graph", |graph| listed(graph, &groups::OF_GRAPHS, width))
}

/// The terminal's columns, at most [`WIDEST`].
fn width() -> usize {
    match console::call().is_none() && std::io::stdout().is_terminal() {
        true => output::width().min(WIDEST),
        false => PLAIN,
    }
}
