//! `leadline profile import`: a partial profile of what other programs measured.

use std::collections::BTreeSet;
use std::path::Path;

use clap::builder::PossibleValuesParser;
use leadline_figures::{Table, Text};
use leadline_import::{Enough, Format, Options, enough, import};
use leadline_profile::Pattern;
use leadline_report::render_text;

use crate::failure::Failure;
use crate::output::{self, OutputPaths};
use crate::paths::{InputPath, OutputPath};

use super::screen::{print_written, with_most_keys};

/// Import what fio, iotune, etcd, ceph, ioping or pg_test_fsync measured
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # The JSON output of fio
  leadline profile import sweep.json -o profile.json
  # Several programs about one device
  leadline profile import fio.json metrics.txt -o profile.json
  # One disk of several
  leadline profile import io_properties.yaml --mountpoint /var/lib/scylla
  # ioping does not say whether it read at random
  leadline profile import ioping.json --pattern random --json

The profile holds what the files show and nothing else: see `leadline docs profile-import`. To measure \
a directory named import, write ./import.")]
pub(super) struct Args {
    /// Output of these programs about one device: fio's JSON, iotune's io_properties.yaml, etcd's /metrics,
    /// pg_test_fsync, `ceph tell osd.N bench`, ioping
    #[arg(value_name = "FILE")]
    files: Vec<InputPath>,
    /// Write the profile to this file, replacing it [default: a new directory, for the profile and the page]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Write the page (HTML) to this file, replacing it
    #[arg(long, value_name = "FILE")]
    report: Option<OutputPath>,
    /// Print the profile as one JSON document; make no new directory
    #[arg(long)]
    json: bool,
    /// Also print the parts of each file that were read, skipped and assumed, the tables, every check, and
    /// the keys that follow for each system
    #[arg(long, conflicts_with = "json")]
    details: bool,
    /// Format of the files [default: recognized by their content]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
    format: Option<String>,
    /// How ioping read, at random or in sequence, which its output does not say
    #[arg(long, value_name = "random|sequential", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(["random", "sequential"]))]
    pattern: Option<String>,
    /// Mount point of the disk to import, where io_properties.yaml has several disks
    #[arg(long, value_name = "PATH")]
    mountpoint: Option<String>,
    /// Name of the device in the profile [default: the disk named by fio or ioping]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    if args.files.is_empty() {
        let also = match Path::new("import").exists() {
            true => "; what is named import here is measured by leadline profile ./import",
            false => "",
        };
        return Err(Failure::Input(format!("profile import: name the files to import{also}")));
    }
    let pattern = args.pattern.as_deref().map(|name| match name {
        "random" => Pattern::Random,
        _ => Pattern::Sequential,
    });
    let options = Options {
        format: args.format.as_deref().and_then(Format::from_name),
        pattern,
        mountpoint: args.mountpoint,
        name: args.name,
    };
    let profile = import(&args.files, &options).map_err(|error| Failure::Input(error.to_string()))?;
    let path = |path: Option<OutputPath>| path.as_deref().map(Path::to_owned);
    let mut paths =
        OutputPaths::choose(path(args.output), path(args.report), args.json, &profile.device.name)?;
    paths.write(&profile)?;
    if args.json {
        output::print(&profile.to_json())?;
        paths.say();
        return Ok(());
    }
    let systems = enough(&profile)?;
    print_written(&profile, &paths, args.details, with_most_keys(&systems))?;
    if args.details {
        output::print(&render_text(&words(&systems), output::width()))?;
    }
    Ok(())
}

/// For each system the keys that follow, and what the others need.
fn words(systems: &[Enough]) -> Text {
    let mut text = Text::new();
    let list = |names: Vec<&str>| if names.is_empty() { "–".to_owned() } else { names.join(", ") };
    let row = |one: &Enough| {
        let lacking: BTreeSet<&str> = one.missing.iter().map(|missing| missing.experiment).collect();
        [one.system.name().to_owned(), list(one.keys.clone()), list(lacking.into_iter().collect())]
    };
    text.gap();
    text.say("Keys that leadline advise and lint have for each system, and what the remaining keys need:");
    text.table(
        Table::new(["system", "keys that follow", "measure for more"])
            .words(1)
            .words(2)
            .rows(systems.iter().map(row)),
    );
    text.say(
        "profile stands for leadline profile TARGET, the other names for leadline experiment NAME TARGET; with \
         leadline profile TARGET --for SYSTEM a new profile has all that a system needs.",
    );
    text
}
