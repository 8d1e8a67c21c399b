//! What ACE and a background cleaner gain on a real device: a trace on the real pool, modes in turn, A B C D
//! E A B C D E. Prints each run as CSV, then medians with their spread, and how many times as fast as without
//! ACE (base) and as a cleaner of depth 1 each mode is, round by round. The contents are verified at the end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;
use leadline_benches::median;
use leadline_device::scratch::{DATA_START, Scratch, ScratchOptions};
use leadline_device::{Device, FileDevice, FileOptions, IoEngine, direct_alignment};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::replay::{Footprint, ReplayArea, ReplayReport, Watch, check_config};
use leadline_pool::simulate::Config;
use leadline_profile::{DeviceProfile, Pattern};

/// Seconds of base, COW-X, cleaners and the best mode on a real device.
#[derive(Parser)]
struct Args {
    /// A directory on the device; a scratch file is made in it and removed
    dir: PathBuf,
    /// A trace of pages or blocks, or gen:NAME
    #[arg(long, default_value = "gen:paper-wis")]
    trace: String,
    /// Rounds, each with every mode once
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Pages the pool holds
    #[arg(long, default_value_t = 20_640)]
    frames: u32,
    /// Replacement
    #[arg(long, default_value = "lru")]
    policy: String,
    /// Clients
    #[arg(long, value_delimiter = ',', default_value = "1,8")]
    clients: Vec<u32>,
    /// Writes that the device does at once
    #[arg(long, default_value_t = 8, conflicts_with = "profile")]
    k_w: u32,
    /// Take k_w from this profile
    #[arg(long)]
    profile: Option<PathBuf>,
    /// Replay no more than so many operations
    #[arg(long)]
    limit: Option<u64>,
}

const PAGE_BYTES: u32 = 4096;

/// The last is our best mode.
const MODES: [&str; 5] = ["base", "cow-x", "cleaner 1", "cleaner k_w", "best"];
const BASE: usize = 0;
const CLEANER_1: usize = 2;

fn mode(name: &str, k_w: u32) -> (Ace, Cleaner) {
    match name {
        "base" => (Ace::Off, Cleaner::Off),
        "cow-x" => (Ace::CowX, Cleaner::Off),
        "cleaner 1" => (Ace::Off, Cleaner::Depth(1)),
        "cleaner k_w" => (Ace::Off, Cleaner::Depth(k_w)),
        _ => (Ace::CowX, Cleaner::Auto),
    }
}

/// Does something while nobody watches.
fn unwatched<T>(work: impl FnOnce(&mut Watch) -> T) -> T {
    work(&mut Watch { cancel: &AtomicBool::new(false), progress: &mut |_| {} })
}

fn main() -> Result<()> {
    let args = Args::parse();
    let Some(policy) = PolicyKind::parse(&args.policy) else {
        bail!("--policy {}: no such policy", args.policy)
    };
    let k_w = match &args.profile {
        Some(path) => measured(path)?,
        None => args.k_w,
    };
    let config = |name: &str, clients: u32| {
        let (ace, cleaner) = mode(name, k_w);
        let (frames, page_bytes) = (args.frames, PAGE_BYTES);
        Config::new(page_bytes, frames).policy(policy).ace(ace).n(k_w).cleaner(cleaner).clients(clients)
    };
    args.clients.iter().try_for_each(|&clients| check_config(&config("best", clients)))?;
    let mut trace = leadline_trace::open(&args.trace)?;
    let footprint = unwatched(|watch| Footprint::of(&mut trace, PAGE_BYTES, args.limit, watch))?;
    eprintln!("{} operations on {} pages, k_w = {k_w}", footprint.operations(), footprint.pages());
    let (_scratch, device) = scratch(&args.dir, footprint.pages())?;
    let mut ground =
        unwatched(|watch| ReplayArea::lay_out(device, DATA_START, footprint, PAGE_BYTES, false, watch))?;
    println!("round,clients,mode,seconds,misses,writes,writes_by_cleaner,p99_us,checkpoint_seconds");
    // Seconds by clients, mode and round.
    let mut seconds = vec![[const { Vec::new() }; MODES.len()]; args.clients.len()];
    for round in 1..=args.pairs {
        for (&clients, seconds) in args.clients.iter().zip(&mut seconds) {
            for (name, seconds) in MODES.iter().zip(seconds) {
                let mut trace = leadline_trace::open(&args.trace)?;
                let config = config(name, clients);
                let ran = unwatched(|watch| ground.replay(&mut trace, &config, watch))?;
                print(round, name, &ran);
                seconds.push(ran.outcome.seconds.unwrap_or(0.0));
            }
        }
    }
    let verified = unwatched(|watch| ground.verify(watch))?;
    eprintln!("{verified} pages verified");
    args.clients.iter().zip(&seconds).for_each(|(&clients, seconds)| table(clients, seconds));
    Ok(())
}

fn print(round: u32, name: &str, ran: &ReplayReport) {
    let outcome = &ran.outcome;
    println!(
        "{round},{},{name},{:.4},{},{},{},{:.0},{:.4}",
        outcome.clients,
        outcome.seconds.unwrap_or(0.0),
        outcome.misses,
        outcome.writes,
        outcome.writes_by_cleaner,
        outcome.latency_us.map_or(0.0, |us| us.p99),
        ran.checkpoint.map_or(0.0, |checkpoint| checkpoint.seconds)
    );
}

/// Medians with lowest and highest; ratios are those of the same round.
fn table(clients: u32, seconds: &[Vec<f64>; MODES.len()]) {
    println!(
        "\n{clients} clients\n\n| mode | seconds | base / mode | cleaner 1 / mode |\n| --- | --- | --- | --- |"
    );
    for (name, mine) in MODES.iter().zip(seconds) {
        let ratio = |other: &[f64]| -> Vec<f64> { other.iter().zip(mine).map(|(a, b)| a / b).collect() };
        let shown = |values: &[f64]| {
            let [middle, low, high] = median(values);
            format!("{middle:.3} ({low:.3} to {high:.3})")
        };
        let (base, cleaner) = (ratio(&seconds[BASE]), ratio(&seconds[CLEANER_1]));
        println!("| {name} | {} | {} | {} |", shown(mine), shown(&base), shown(&cleaner));
    }
}

/// A scratch file with room for so many pages, past the page cache.
fn scratch(dir: &std::path::Path, pages: u32) -> Result<(Scratch, Arc<dyn Device>)> {
    let bytes = u64::from(pages) * u64::from(PAGE_BYTES) + DATA_START;
    let scratch = Scratch::create(dir, bytes.max(2 * DATA_START), ScratchOptions::default())?;
    let file = scratch.file().try_clone()?;
    let options = FileOptions::new(IoEngine::best().0, direct_alignment(&file)?);
    let device = FileDevice::new(file, scratch.capacity_bytes(), options)?;
    Ok((scratch, Arc::new(device)))
}

/// k_w of random writes of a page.
fn measured(path: &std::path::Path) -> Result<u32> {
    let profile = DeviceProfile::load(path)?;
    let same =
        |p: &&leadline_profile::Parameters| p.pattern == Pattern::Random && p.block_bytes == PAGE_BYTES;
    let k_w = profile.parameters.iter().find(same).and_then(|p| p.k_w);
    let k_w = k_w.with_context(|| format!("{}: has no k_w of 4K random writes", path.display()))?;
    ensure!(k_w > 0, "{}: k_w is 0", path.display());
    Ok(k_w)
}
