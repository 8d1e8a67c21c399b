//! `leadline prove`: the advice, the defaults and a grid of settings on the real system, started for it.

mod announced;
mod duckdb;
mod etcd;
mod innodb;
mod postgresql;
mod rocksdb;
mod seastar;
mod sqlite;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use leadline_advise::{Inputs, System, advise};
use leadline_profile::DeviceProfile;
use leadline_prove::{Progress, Proof, ProveError};
use leadline_report::render_text;

use self::announced::{Advised, Announced, proven, tried};
use crate::failure::Failure;
use crate::paths::{InputPath, OutputPath, ProfileName, WorkFolder};
use crate::progress::Display;
use crate::{output, signals, values};

/// Compare defaults, advice and other settings on the real system
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline prove postgresql profile.json /mnt/nvme --quick
  # What it would run, write and take
  leadline prove innodb profile.json /mnt/nvme --dry-run
  # Some comparisons only, with every run in a file
  leadline prove postgresql profile.json /mnt/nvme --only scans,plans \\
    -o proof.json
  leadline prove etcd profile.json /var/lib/etcd

A copy of the system is started in a temporary directory on TARGET, with a socket of its own, and \
removed at the end, also after Ctrl-C. Servers that already run are never touched, and nothing is \
installed: see `leadline docs prove`.")]
pub(crate) struct Args {
    /// The system to run
    #[arg(value_name = "SYSTEM", value_parser = provable())]
    system: String,
    /// A profile of the device that TARGET is on
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    /// A directory on the device, for the system's data
    #[arg(value_name = "TARGET")]
    target: WorkFolder,
    /// Take about a fifth of the time, with less data, fewer rounds and fewer values
    #[arg(long)]
    quick: bool,
    /// Run only these comparisons: scans, plans, checkpoints, methods (postgresql); write-only, read-write
    /// (innodb); fills, reads (rocksdb); points, scans, commits (sqlite); scans, parquet, spills, inserts
    /// (duckdb) [default: all that the version has]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    only: Vec<String>,
    /// Directory of the system's programs [default: the newest that are installed]
    #[arg(long, value_name = "DIR")]
    bin: Option<InputPath>,
    /// Try this setting instead of the advice; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// Size of the data, such as 8G [default: several times the system's cache]
    #[arg(long, value_name = "SIZE", value_parser = values::amount)]
    data: Option<u64>,
    /// Rounds, 1 to 1000, each with one run of every variant [default: by system and --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Print which programs would run, for how long, and what they would write; do nothing
    #[arg(long, conflicts_with = "output")]
    dry_run: bool,
    /// Seed of the order of runs and of the data
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write all runs and their comparison (JSON) to this file, replacing it
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.output.as_deref().map_or(Ok(()), output::check_writable)?;
    if !args.target.is_dir() {
        let target = args.target.display();
        return Err(Failure::Input(format!("{target}: is not a directory; name one on the device")));
    }
    check_settings(args)?;
    let proof = match args.system.as_str() {
        "postgresql" => postgresql::run(args),
        "innodb" => innodb::run(args),
        "rocksdb" => rocksdb::run(args),
        "sqlite" => sqlite::run(args),
        "duckdb" => duckdb::run(args),
        "etcd" => etcd::run(args),
        _ => seastar::run(args),
    }?;
    if let Some(path) = &args.output {
        output::write(path, &proof.json)?;
    }
    output::print(if args.json { &proof.json } else { &proof.text })?;
    if let Some(path) = &args.output {
        output::written("all runs", path);
    }
    Ok(())
}

/// Names of the systems that can be run, also by what else they are called.
fn provable() -> impl TypedValueParser<Value = String> {
    // InnoDB is run as part of MariaDB, so that `mysql` would be another program than the one that is meant.
    let is_other = |name: &&str| System::product(name).is_empty() || *name == "mariadb";
    let named = |name: &'static str| {
        let others = System::from_name(name).map_or(&[][..], System::other_names);
        PossibleValue::new(name).aliases(others.iter().copied().filter(is_other))
    };
    let names = ["postgresql", "innodb", "rocksdb", "sqlite", "duckdb", "etcd", "seastar"];
    PossibleValuesParser::new(names.map(named)).map(|name| {
        let system = System::from_name(&name);
        system.map_or(name, |system| system.name().to_owned())
    })
}

/// A proof as it is printed.
struct Shown {
    json: String,
    text: String,
}

/// The settings that were given, else the advice for a system that is to be run, which says this of its
/// version.
fn advised(system: &str, args: &Args, said: &str, inputs: Inputs) -> Result<Advised, Failure> {
    let profile = DeviceProfile::open(&args.profile)?;
    if !args.set.is_empty() {
        return Ok(Advised::given(args.set.clone()));
    }
    let system = System::from_name(system).ok_or_else(|| {
        Failure::Input(format!("{system}: no rules are known for it; give settings with --set KEY=VALUE"))
    })?;
    let version = system.version_of(said);
    let version = version.ok_or_else(|| {
        let known = system.versions().join(", ");
        Failure::Input(format!("{} {said} is installed, and rules are known for {known}", system.title()))
    })?;
    let inputs = Inputs { version: Some(version.to_owned()), ..inputs };
    Ok(advise(system, &profile, &inputs)?.into())
}

/// `KEY=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    match pair.filter(|(key, _)| !key.is_empty()) {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err("a setting is KEY=VALUE, such as effective_io_concurrency=16".into()),
    }
}

/// Refuses what is given twice: which of the values is meant, nobody knows.
fn check_settings(args: &Args) -> Result<(), Failure> {
    let twice = (1..args.set.len()).find(|&at| args.set[..at].iter().any(|(key, _)| *key == args.set[at].0));
    twice.map_or(Ok(()), |at| Err(Failure::Input(format!("--set {}: is given twice", args.set[at].0))))
}

/// Every comparison of a proof, below a line about the system.
fn compared<P>(title: &str, args: &Args, proof: &Proof<P>) -> String {
    let mut parts = vec![format!("{title} {} at {}\n", proof.version, args.target.display())];
    parts.extend(proof.comparisons.iter().map(|one| render_text(&one.text(), output::width())));
    parts.join("\n")
}

/// A name of `known` for each of `only`, all of them where that is empty.
fn chosen<T: Copy>(system: &str, only: &[String], known: &[(&str, T)]) -> Result<Vec<T>, Failure> {
    if only.is_empty() {
        return Ok(known.iter().map(|(_, one)| *one).collect());
    }
    let find = |name: &String| {
        let found = known.iter().find(|(known, _)| known == name).map(|(_, one)| *one);
        found.ok_or_else(|| {
            let list: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            Failure::Input(format!("--only {name}: not known of {system}; known are {}", list.join(", ")))
        })
    };
    only.iter().map(find).collect()
}

/// Runs `work` with a flag that Ctrl-C sets, and shows how far it is.
fn watched<T>(
    work: impl FnOnce(&Arc<AtomicBool>, &mut dyn FnMut(Progress)) -> Result<T, ProveError>,
) -> Result<T, Failure> {
    let cancel = signals::cancel_flag()?;
    let mut display = Display::new();
    let done = work(&cancel, &mut |progress| show(&mut display, progress));
    display.finish();
    Ok(done?)
}

/// Shows how far it is.
fn show(display: &mut Display, progress: Progress) {
    let Progress { phase, done, detail } = progress;
    display.show(&leadline_measure::Progress { phase, done, detail });
}
