//! `leadline prove`: the advice, the defaults and a grid of settings on the real system, started for it.

mod etcd;
mod innodb;
mod postgresql;
mod rocksdb;
mod seastar;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_advise::{Advice, Inputs, System, advise};
use leadline_profile::DeviceProfile;
use leadline_prove::{Part, Progress, ProveError};

use crate::failure::Failure;
use crate::paths::{InputPath, OutputPath, ProfileName, WorkFolder};
use crate::progress::Display;
use crate::{output, signals, values};

/// Run a real system under its defaults, the advice and a grid of settings, in turns, and compare
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        leadline prove postgresql profile.json /mnt/nvme --quick\n  \
        leadline prove postgresql profile.json /mnt/nvme --only scans,plans -o proof.json\n  \
        leadline prove innodb profile.json /mnt/nvme --only write-only\n  \
        leadline prove etcd profile.json /var/lib/etcd\n\n\
        The system is started in a temporary folder on TARGET, with a socket of its own, and removed at the end, \
        also after Ctrl-C; servers that run already are never touched. docs/prove.md says what is run.")]
pub(crate) struct Args {
    /// The system
    #[arg(value_name = "SYSTEM", value_parser = ["postgresql", "innodb", "rocksdb", "etcd", "seastar"])]
    system: String,
    /// A profile of the device that TARGET is on
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    /// A directory on the device
    #[arg(value_name = "TARGET")]
    target: WorkFolder,
    /// Take about a fifth of the time: less data, fewer rounds, fewer values
    #[arg(long)]
    quick: bool,
    /// Only these: scans, plans, checkpoints, methods (postgresql); write-only, read-write (innodb); fills,
    /// reads (rocksdb) [default: all that the version has]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    only: Vec<String>,
    /// Use the programs in this folder instead of the newest that are installed
    #[arg(long, value_name = "DIR")]
    bin: Option<InputPath>,
    /// Size of what is read and written, several times the system's own cache
    #[arg(long, value_name = "SIZE", value_parser = values::amount)]
    data: Option<u64>,
    /// Rounds, in each of which every variant runs once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Seed of all orders and data
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write all runs and what came of them to this file (JSON), which is replaced if it exists
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.output.as_deref().map_or(Ok(()), output::check_writable)?;
    if !args.target.is_dir() {
        let target = args.target.display();
        return Err(Failure::Input(format!("{target}: is not a directory; name one on the device")));
    }
    let proof = match args.system.as_str() {
        "postgresql" => postgresql::run(args),
        "innodb" => innodb::run(args),
        "rocksdb" => rocksdb::run(args),
        "etcd" => etcd::run(args),
        _ => seastar::run(args),
    }?;
    if let Some(path) = &args.output {
        output::write(path, &proof.json)?;
    }
    output::print(if args.json { &proof.json } else { &proof.text })?;
    if let Some(path) = &args.output {
        output::say(&format!("all runs in {}", path.display()));
    }
    Ok(())
}

/// A proof as it is printed.
struct Shown {
    json: String,
    text: String,
}

/// The advice for a system that is to be run, which says this of its version. What is missing for it is said.
fn advised(system: System, args: &Args, said: &str, inputs: Inputs) -> Result<Advice, Failure> {
    let profile = DeviceProfile::open(&args.profile)?;
    let version = system.version_of(said);
    let version = version.ok_or_else(|| {
        let known = system.versions().join(", ");
        Failure::Input(format!("{} {said} is installed, and rules are known for {known}", system.title()))
    })?;
    let inputs = Inputs { version: Some(version.to_owned()), ..inputs };
    let advice = advise(system, &profile, &inputs)?;
    for missing in &advice.missing {
        output::say(&format!("not part of the advice: {}: {}", missing.key, missing.reason));
    }
    Ok(advice)
}

/// Says what is about to be tried and for how long; returns the names of the parts that try something of the
/// advice, or of all where some were asked for by name.
///
/// # Errors
/// Where nothing is left to be tried.
fn announce(system: &str, args: &Args, parts: &[Part]) -> Result<Vec<&'static str>, Failure> {
    let asked = !args.only.is_empty();
    let (tried, idle): (Vec<&Part>, Vec<&Part>) =
        parts.iter().partition(|part| asked || !part.keys.is_empty());
    for part in &idle {
        output::say(&format!(
            "{}: left out, since the advice has no key that matters to it; --only {} runs its grid all the same",
            part.name, part.name
        ));
    }
    if tried.is_empty() {
        let (profile, target) = (args.profile.display(), args.target.display());
        return Err(Failure::Input(format!(
            "{profile}: the advice from it has nothing to try; measure what {system} needs with leadline profile \
             {target} --for {system} -o FILE, or run the grid alone with --only"
        )));
    }
    let line = |part: &&Part| {
        let keys = if part.keys.is_empty() { "the grid alone".to_owned() } else { part.keys.join(", ") };
        format!("{}, {} runs, about {} ({keys})", part.name, part.runs, minutes(part.seconds))
    };
    let all = tried.iter().map(|part| part.seconds).sum();
    let list: Vec<String> = tried.iter().map(line).collect();
    let more = match args.rounds {
        Some(_) => "",
        None => ", and up to twice the rounds while the advice cannot be told from the default",
    };
    output::say(&format!(
        "{system} at {}: {}; about {} in all{more}",
        args.target.display(),
        list.join("; "),
        minutes(all)
    ));
    Ok(tried.iter().map(|part| part.name).collect())
}

/// Says what is about to be run where nothing is chosen, and how long it takes at most, loading not included.
fn say_length(system: &str, args: &Args, what: &str, seconds: f64) {
    output::say(&format!("{system} at {}: {what}; at most {}", args.target.display(), minutes(seconds)));
}

/// `40 s`, `12 min`.
fn minutes(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
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
