//! `leadline man`: the manual pages, one per command.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use leadline_files::{FileError, NewFile};

use crate::failure::Failure;
use crate::messages;
use crate::paths::OutputPlace;

/// Write the manual pages, one per command
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # For `man leadline-profile`
  leadline man ~/.local/share/man/man1
  # To read one without installing it
  leadline man pages && man pages/leadline-profile.1")]
pub(crate) struct Args {
    /// The directory, made if it does not exist; pages of the same name are replaced
    #[arg(value_name = "DIR")]
    dir: OutputPlace,
}

/// A manual page under its file name.
struct Page {
    name: String,
    text: Vec<u8>,
}

/// Writes the pages of `leadline`, the whole command line: all of them or none.
pub(crate) fn run(args: &Args, leadline: Command) -> Result<(), Failure> {
    let pages = pages(leadline).map_err(|error| Failure::Operation(format!("manual pages: {error}")))?;
    check(&args.dir, &pages)?;
    write(&args.dir, &pages)?;
    messages::note(&format!("{} manual pages in {}", pages.len(), args.dir.display()));
    Ok(())
}

/// One page for the program and one for each of its commands.
fn pages(leadline: Command) -> io::Result<Vec<Page>> {
    let mut leadline = leadline.disable_help_subcommand(true);
    // Names such as `leadline-trace-info` and inherited options are set while building.
    leadline.build();
    let mut pages = Vec::new();
    let mut waiting = vec![leadline];
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
        let man = Man::new(command);
        let mut text = Vec::new();
        man.render(&mut text)?;
        pages.push(Page { name: man.get_filename(), text });
    }
    Ok(pages)
}

/// Makes the directory if it is not there. Refuses what is not one, or one in which a page could not be put.
fn check(dir: &Path, pages: &[Page]) -> Result<(), Failure> {
    let refuse = |place: &Path, reason: &str| Err(Failure::Input(format!("{}: {reason}", place.display())));
    if fs::metadata(dir).is_ok_and(|found| !found.is_dir()) {
        return refuse(dir, "is not a directory; name another place");
    }
    if let Err(error) = fs::create_dir_all(dir) {
        return refuse(dir, &format!("cannot be made: {error}; name another place"));
    }
    for page in pages {
        let place = dir.join(&page.name);
        if fs::symlink_metadata(&place).is_ok_and(|found| found.is_dir()) {
            return refuse(&place, "is a directory, in the way of a page; name another place");
        }
    }
    Ok(())
}

/// Writes all of them before the first gets its name.
fn write(dir: &Path, pages: &[Page]) -> Result<(), FileError> {
    let mut files = Vec::with_capacity(pages.len());
    for page in pages {
        let mut file = NewFile::with_capacity(0, dir.join(&page.name))?;
        file.write_all(&page.text).map_err(|error| file.write_error(error))?;
        files.push(file);
    }
    files.iter_mut().try_for_each(NewFile::sync)?;
    files.into_iter().try_for_each(|file| file.finish().map(drop))
}
