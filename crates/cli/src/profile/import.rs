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

/// Make a partial profile of what other programs measured: fio's JSON, iotune's io_properties.yaml, etcd's
/// /metrics, pg_test_fsync, ceph tell osd.N bench, ioping
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        leadline profile import sweep.json -o profile.json       the JSON output of fio\n  \
        leadline profile import fio/*.json metrics.txt -o profile.json\n  \
        leadline profile import io_properties.yaml -o profile.json --mountpoint /var/lib/scylla\n  \
        leadline profile import ioping.json --pattern random --json\n\n\
        `leadline docs profile-import` says what is read of each. A folder named import is measured as ./import.")]
pub(super) struct Args {
    /// Files that other programs wrote about one device
    #[arg(value_name = "FILE")]
    files: Vec<InputPath>,
    /// Write the profile to this file, which is replaced if it exists [default: a new folder, for the profile
    /// and the page]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Write the page (HTML) to this file, which is replaced if it exists
    #[arg(long, value_name = "FILE")]
    report: Option<OutputPath>,
    /// Print the profile as JSON on stdout, and make no folder
    #[arg(long)]
    json: bool,
    /// Print what of each file was read, skipped and assumed, the tables, every check, and which keys follow for
    /// each system
    #[arg(long, conflicts_with = "json")]
    details: bool,
    /// What the files are [default: told by their content]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
    format: Option<String>,
    /// Where ioping read, which its output does not say
    #[arg(long, value_name = "random|sequential", value_parser = PossibleValuesParser::new(["random", "sequential"]))]
    pattern: Option<String>,
    /// Which disk of an io_properties.yaml that has several
    #[arg(long, value_name = "PATH")]
    mountpoint: Option<String>,
    /// What to call the device [default: the disk that fio or ioping names]
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
