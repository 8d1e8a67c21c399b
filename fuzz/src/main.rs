//! `cargo xtask fuzz`: mutated inputs for every reader, or one.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Parser;
use leadline_fuzz::{Budget, Report, Target, all, run};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// An input that is read for so long hangs.
const HANGS: Duration = Duration::from_secs(20);

/// Mutates valid inputs and reads them: no panic, no hang, no more memory than the target may take.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask fuzz")]
struct Arguments {
    /// One target; `--list` lists them [default: all, one after the other]
    target: Option<String>,
    /// Read mutated inputs for so long, per target
    #[arg(long, default_value_t = 10.0, value_parser = seconds, conflicts_with = "runs")]
    seconds: f64,
    /// Read so many mutated inputs, per target
    #[arg(long)]
    runs: Option<u64>,
    /// Chooses the inputs: the same seed and runs, the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// List the targets
    #[arg(long)]
    list: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("must be a number of seconds from 0 to 1e9".to_owned()),
    }
}

fn main() -> ExitCode {
    match fuzz(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("fuzz: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn fuzz(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut targets = all().context("no temporary files")?;
    if arguments.list {
        targets.iter().for_each(|target| say(&target.name()));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = &arguments.target {
        targets.retain(|target| target.name() == *name);
        if targets.is_empty() {
            eprintln!("fuzz: no target `{name}`; `cargo xtask fuzz --list` lists them");
            return Ok(ExitCode::from(2));
        }
    }
    let budget = match arguments.runs {
        Some(inputs) => Budget::Inputs(inputs),
        None => Budget::Time(Duration::from_secs_f64(arguments.seconds)),
    };
    watch();
    // The report has the reason; proptest runs the input again and again to make it smaller.
    std::panic::set_hook(Box::new(|_| {}));
    let mut found = false;
    for target in &mut targets {
        found |= one(&mut **target, budget, arguments.seed)?;
    }
    Ok(if found { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Whether it found anything.
fn one(target: &mut dyn Target, budget: Budget, seed: u64) -> anyhow::Result<bool> {
    let name = target.name();
    limit_memory(target.most_memory())?;
    let kept = kept(&name, "input")?;
    let file = File::create(&kept).with_context(|| kept.display().to_string())?;
    // 5 sets the peak to what is in use (proc(5)); a kernel without that shows the largest so far.
    let _ = fs::write("/proc/self/clear_refs", "5");
    *READING.lock().expect("nothing panics while it holds this") = kept.clone();
    let started = Instant::now();
    let mut shown = Instant::now();
    let mut progress = |report: &Report| {
        BEAT.fetch_add(1, Ordering::Relaxed);
        if shown.elapsed() > Duration::from_secs(1) {
            shown = Instant::now();
            eprint!("\r{}", line(&name, report, started));
        }
    };
    let report = run(target, budget, seed, Some(&file), &mut progress);
    eprint!("\r");
    say(&line(&name, &report, started));
    let Some(failure) = report.failure else {
        let _ = fs::remove_file(kept);
        return Ok(false);
    };
    let path = self::kept(&name, "failure")?;
    fs::write(&path, &failure.input).with_context(|| path.display().to_string())?;
    say(&format!("{name}: {}\n{name}: the input is in {}", failure.reason, path.display()));
    Ok(true)
}

fn line(name: &str, report: &Report, started: Instant) -> String {
    let share = 100.0 * report.past_header as f64 / report.inputs.max(1) as f64;
    let seconds = started.elapsed().as_secs_f64();
    let found = u32::from(report.failure.is_some());
    format!(
        "{name}: {} inputs, {share:.0} % past the header, {found} findings, {seconds:.0} s, {}",
        report.inputs,
        peak_memory()
    )
}

/// The most memory that was resident so far, and its unit.
fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    match peak.and_then(|kibibytes| kibibytes.parse::<u64>().ok()) {
        Some(kibibytes) => format!("peak {} MiB", kibibytes.div_ceil(1024)),
        None => "peak memory unknown".to_owned(),
    }
}

/// Where a target's inputs are kept.
fn kept(name: &str, what: &str) -> anyhow::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder.canonicalize()?.join(format!("{name}.{what}")))
}

/// An allocation of `more` bytes beyond what the program has now ends it; the input is kept.
fn limit_memory(more: u64) -> anyhow::Result<()> {
    let sizes = fs::read_to_string("/proc/self/statm").context("/proc/self/statm")?;
    let pages: u64 = sizes.split(' ').next().unwrap_or_default().parse().context("/proc/self/statm")?;
    let most = pages * rustix::param::page_size() as u64 + more;
    let now = getrlimit(Resource::As);
    let current = now.maximum.map_or(most, |maximum| maximum.min(most));
    setrlimit(Resource::As, Rlimit { current: Some(current), ..now }).context("limiting memory")
}

/// Counts batches of inputs.
static BEAT: AtomicU64 = AtomicU64::new(0);

/// The file that has the input which is being read.
static READING: Mutex<PathBuf> = Mutex::new(PathBuf::new());

/// Ends the process if a batch takes too long: some input in it hangs.
fn watch() {
    std::thread::spawn(|| {
        let (mut last, mut since) = (0, Instant::now());
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let beat = BEAT.load(Ordering::Relaxed);
            if beat != last {
                (last, since) = (beat, Instant::now());
            } else if since.elapsed() > HANGS {
                let input = READING.lock().map(|path| path.display().to_string()).unwrap_or_default();
                eprintln!("\nfuzz: reading {input} takes more than {} s", HANGS.as_secs());
                std::process::exit(1);
            }
        }
    });
}

/// A line on stdout. A reader that went away (`| head`) is not a reason to panic.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
