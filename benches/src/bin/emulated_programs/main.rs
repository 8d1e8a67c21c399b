//! Real programs on emulated drives: their throughput, and what the drive's description predicts.

mod drive;
mod postgres;
mod program;
mod rocksdb;
mod sqlite;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use leadline_benches::{children_cpu, median};
use leadline_emulate::{Emulator, MOST_CPU, Report, Traffic};

use drive::Drive;
use postgres::{Pgbench, Script};
use program::{Program, Programs};
use rocksdb::{FillSync, ReadRandom};
use sqlite::Updates;

/// PostgreSQL, RocksDB and SQLite, unmodified, on two opposite emulated drives
///
/// Prints a Markdown table: what each did, and what the drive's description predicts for what it asked of the
/// drive. An example: emulated_programs --dir /var/tmp --seconds 5 --only pgbench
#[derive(Parser)]
struct Args {
    /// A folder for the programs' files, 1 GB, which every user may enter; what is made in it is removed
    #[arg(long, default_value = "/var/tmp")]
    dir: PathBuf,
    /// Seconds of each run, about
    #[arg(long, default_value_t = 5.0, value_parser = at_least::<1>)]
    seconds: f64,
    /// How many times as long the drives take; every workload runs with each of them
    #[arg(long, value_delimiter = ',', default_value = "100,1", value_parser = at_least::<1>)]
    slowdown: Vec<f64>,
    /// Runs of each row, on one drive and the other in turn
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Only workloads with this in their names
    #[arg(long, default_value = "")]
    only: String,
}

fn at_least<const LEAST: u32>(text: &str) -> Result<f64, String> {
    let refused = || format!("must be {LEAST} or more");
    text.parse().ok().filter(|&n: &f64| n.is_finite() && n >= f64::from(LEAST)).ok_or_else(refused)
}

/// A row of the table, for each drive and slowdown.
struct Workload {
    name: String,
    /// What the clients do, each one after the other.
    clients: u32,
    program: Box<dyn Program>,
}

/// `1 client`, `8 clients`.
fn count(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn workloads(programs: &Programs, temporary: &Path, only: &str) -> Result<Vec<Workload>> {
    let mut all = Vec::new();
    let mut add = |name: String, clients, program: Box<dyn Program>| {
        all.push(Workload { name, clients, program });
    };
    for (script, option) in [(Script::Update, "-N"), (Script::Select, "-S, cold")] {
        for clients in [1, 8] {
            let program = Pgbench::new(&programs.postgres, temporary, script, clients)?;
            add(format!("pgbench {option}, {}", count(clients, "client")), clients, Box::new(program));
        }
    }
    add("db_bench fillsync".into(), 1, Box::new(FillSync));
    for threads in [1, 16] {
        let program = ReadRandom { threads };
        let name = format!("db_bench readrandom, direct, {}", count(threads, "thread"));
        add(name, threads, Box::new(program));
    }
    for journal_mode in ["wal", "delete"] {
        add(format!("sqlite3, journal {journal_mode}"), 1, Box::new(Updates { journal_mode }));
    }
    all.retain(|workload| workload.name.contains(only));
    ensure!(!all.is_empty(), "--only {only}: no workload has this in its name");
    Ok(all)
}

/// What happened from one moment to another.
#[derive(Debug, Clone, Copy)]
struct Span {
    seconds: f64,
    cpu_seconds: f64,
    traffic: Traffic,
    requests: u64,
    late: u64,
}

impl Span {
    /// Without what another span had.
    fn without(&self, other: &Span) -> Span {
        let (ours, theirs) = (&self.traffic, &other.traffic);
        Span {
            seconds: self.seconds - other.seconds,
            cpu_seconds: self.cpu_seconds - other.cpu_seconds,
            traffic: Traffic {
                reads: ours.reads.saturating_sub(theirs.reads),
                writes: ours.writes.saturating_sub(theirs.writes),
                flushes: ours.flushes.saturating_sub(theirs.flushes),
                read_bytes: ours.read_bytes.saturating_sub(theirs.read_bytes),
                written_bytes: ours.written_bytes.saturating_sub(theirs.written_bytes),
            },
            requests: self.requests.saturating_sub(other.requests),
            late: self.late.saturating_sub(other.late),
        }
    }
}

/// A run of the program with `each` operations of each client.
fn span(program: &dyn Program, drive: &Emulator, each: u64) -> Result<Span> {
    let counters = |report: Report, cpu_seconds| Span {
        seconds: report.seconds,
        cpu_seconds,
        traffic: report.traffic,
        requests: report.requests,
        late: report.late,
    };
    let before = counters(drive.report(), program.cpu_seconds()?);
    let ((), children) = children_cpu(|| program.run(drive.mount_point(), each))?;
    Ok(counters(drive.report(), program.cpu_seconds()? + children).without(&before))
}

/// How many operations of each client take `seconds`: more and more are tried, until they take a tenth of it
/// longer than the start-up.
fn operations_in(program: &dyn Program, drive: &Emulator, start_up: &Span, seconds: f64) -> Result<u64> {
    let mut each: u64 = 9;
    loop {
        let took = span(program, drive, each)?.seconds - start_up.seconds;
        if took > seconds / 10.0 {
            return Ok(((each - 1) as f64 * seconds / took).ceil() as u64 + 1);
        }
        each *= 4;
    }
}

/// What a row's numbers are computed from.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    operations: f64,
    predicted_seconds: f64,
    span: Span,
}

/// One run on a drive that was just mounted, so that nothing is in the page cache. `each` is found out in the
/// first run.
fn run(
    workload: &mut Workload,
    drive: &Drive,
    (temporary, slowdown, seconds): (&Path, f64, f64),
    each: &mut Option<u64>,
) -> Result<Outcome> {
    let mounted = drive.mount(temporary, slowdown)?;
    let program = workload.program.as_mut();
    let measured =
        program.start(mounted.mount_point()).and_then(|()| measure(program, &mounted, seconds, each));
    // In any case before the drive goes away.
    let stopped = program.stop();
    let (each, span) = measured?;
    stopped?;
    mounted.unmount()?;
    let operations = each as f64 * f64::from(workload.clients);
    let predicted_seconds = slowdown * drive.seconds(&span.traffic, workload.clients);
    Ok(Outcome { operations, predicted_seconds, span })
}

/// Operations of each client, and what they took without the start-up.
fn measure(
    program: &dyn Program,
    drive: &Emulator,
    seconds: f64,
    each: &mut Option<u64>,
) -> Result<(u64, Span)> {
    // The first reads what all others find in the page cache; the second is what starting takes, and one
    // operation of each client, which is subtracted.
    span(program, drive, 1)?;
    let start_up = span(program, drive, 1)?;
    let each = match each {
        Some(each) => *each,
        None => *each.insert(operations_in(program, drive, &start_up, seconds)?),
    };
    Ok((each - 1, span(program, drive, each)?.without(&start_up)))
}

fn head() {
    println!(
        "| workload | drive | slowdown | operations/s | predicted/s | measured / predicted | \
         reads, writes, syncs per operation | processor share | late |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
}

fn row(workload: &str, drive: &str, slowdown: f64, outcomes: &[Outcome]) {
    let column = |of: &dyn Fn(&Outcome) -> f64| median(&outcomes.iter().map(of).collect::<Vec<_>>());
    let numbers = |[middle, low, high]: [f64; 3]| format!("{middle:.1} ({low:.1} to {high:.1})");
    let [reads, ..] = column(&|o| o.span.traffic.reads as f64 / o.operations);
    let [writes, ..] = column(&|o| o.span.traffic.writes as f64 / o.operations);
    let [syncs, ..] = column(&|o| o.span.traffic.flushes as f64 / o.operations);
    let [ratio, low, high] = column(&|o| o.predicted_seconds / o.span.seconds);
    let [cpu, ..] = column(&|o| o.span.cpu_seconds / o.span.seconds);
    let late: u64 = outcomes.iter().map(|o| o.span.late).sum();
    let requests: u64 = outcomes.iter().map(|o| o.span.requests).sum();
    println!(
        "| {workload} | {drive} | {slowdown} | {} | {} | {ratio:.2} ({low:.2} to {high:.2}) | \
         {reads:.2}, {writes:.2}, {syncs:.2} | {:.1} %{} | {:.2} % |",
        numbers(column(&|o| o.operations / o.span.seconds)),
        numbers(column(&|o| o.operations / o.predicted_seconds)),
        100.0 * cpu,
        if cpu >= MOST_CPU { ", too much" } else { "" },
        100.0 * late as f64 / requests.max(1) as f64,
    );
}

fn main() -> Result<()> {
    let args = Args::parse();
    let programs = Programs::find()?;
    let drives = Drive::both()?;
    let scratch = tempfile::Builder::new().prefix("emulated-programs-").tempdir_in(&args.dir);
    let scratch = scratch.with_context(|| format!("{}: no folder can be made there", args.dir.display()))?;
    // PostgreSQL runs as another user.
    fs::set_permissions(&scratch, fs::Permissions::from_mode(0o755))?;
    let temporary = scratch.path().canonicalize()?;
    // Ctrl-C ends the programs, too; the drive is unmounted then, and the folder removed.
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    let (backing, mount) = (temporary.join("backing"), temporary.join("mount"));
    fs::create_dir(&mount)?;
    println!("{}\n", programs.versions()?);
    head();
    for mut workload in workloads(&programs, &temporary, &args.only)? {
        eprintln!("{}: makes its files", workload.name);
        fs::create_dir(&backing)?;
        workload.program.prepare(&backing)?;
        for &slowdown in &args.slowdown {
            let (mut outcomes, mut each) = ([const { Vec::new() }; 2], [None; 2]);
            for round in 1..=args.runs {
                for ((drive, each), outcomes) in drives.iter().zip(&mut each).zip(&mut outcomes) {
                    ensure!(!interrupted.load(Ordering::Relaxed), "interrupted");
                    let began = Instant::now();
                    let outcome = run(&mut workload, drive, (&temporary, slowdown, args.seconds), each)
                        .with_context(|| format!("{} on {}", workload.name, drive.name))?;
                    eprintln!(
                        "{} on {}, slowdown {slowdown}, run {round} of {}: {:.1}/s, {:.1}/s predicted; {:.0} s",
                        workload.name,
                        drive.name,
                        args.runs,
                        outcome.operations / outcome.span.seconds,
                        outcome.operations / outcome.predicted_seconds,
                        began.elapsed().as_secs_f64()
                    );
                    outcomes.push(outcome);
                }
            }
            for (drive, outcomes) in drives.iter().zip(&outcomes) {
                row(&workload.name, drive.name, slowdown, outcomes);
            }
        }
        fs::remove_dir_all(&backing)?;
    }
    Ok(())
}
