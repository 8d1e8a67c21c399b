//! Point by point against fio: a profile's reads, writes and durable writes, random and sequential, in turn.
//!
//! The whole procedure, with its short slices between other loads, is compared with fio, which runs one point
//! without a break.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Parser;
use leadline_benches::{Load, fio_iops, median, size_of};
use leadline_device::{Clock, Device as _, FileDevice, FileOptions, IoEngine, direct_alignment, guard};
use leadline_measure::load::Region;
use leadline_measure::{Budget, Plan, measure, summary};
use leadline_profile::{DeviceProfile, OpKind, Pattern};

/// The points of a profile by Leadline's whole procedure and by fio, in turn. OVERWRITES the file.
#[derive(Parser)]
struct Args {
    /// A file that `leadline profile --keep-scratch` made, or a block device with --destroy; overwritten
    scratch: PathBuf,
    /// SCRATCH is a block device that nobody uses: what it holds is lost
    #[arg(long)]
    destroy: bool,
    /// Requests in flight
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,64")]
    depths: Vec<u32>,
    /// Bytes a request
    #[arg(long, default_value_t = 4096)]
    block_bytes: u32,
    /// Profiles, each between two runs of fio at every point
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds of a run of fio
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// fio writes the same data again and again, and Leadline new data as always: where the device is as fast
    /// as memory, what fio takes to change its data is most of what it takes
    #[arg(long)]
    same_data: bool,
    /// Seconds of a profile
    #[arg(long, default_value_t = 30.0)]
    budget: f64,
}

/// What Leadline measured at a point, with its 95 % interval, and what fio did before and after.
struct Seen {
    iops: f64,
    ci: [f64; 2],
    fio: Vec<f64>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    // Refuses files that Leadline did not make and devices in use; held, it keeps others away.
    let _ours = if args.destroy {
        guard::open_block_for_writing(&args.scratch)?
    } else {
        guard::open_file_for_writing(&args.scratch, false)?
    };
    let loads = loads(&args);
    let mut seen: Vec<Vec<Seen>> = loads.iter().map(|_| Vec::new()).collect();
    let mut before = fio_round(&args, &loads)?;
    for round in 0..args.rounds {
        let profile = profile(&args.scratch, &args, round as u64 + 1)?;
        let after = fio_round(&args, &loads)?;
        for (i, &load) in loads.iter().enumerate() {
            if let Some((iops, ci)) = of_profile(&profile, load) {
                seen[i].push(Seen { iops, ci, fio: vec![before[i], after[i]] });
            }
        }
        before = after;
        eprintln!("round {} of {}", round + 1, args.rounds);
    }
    print(&loads, &seen);
    Ok(())
}

fn loads(args: &Args) -> Vec<Load> {
    let mut loads = Vec::new();
    for (write, durable) in [(false, false), (true, false), (true, true)] {
        for sequential in [false, true] {
            for &depth in &args.depths {
                loads.push(Load { write, sequential, durable, block_bytes: args.block_bytes, depth });
            }
        }
    }
    loads
}

fn fio_round(args: &Args, loads: &[Load]) -> Result<Vec<f64>> {
    loads.iter().map(|&load| fio_iops(&args.scratch, load, args.seconds, args.same_data)).collect()
}

/// One profile of the file, as `leadline profile` makes it, of one block size and up to the deepest point
/// asked for.
fn profile(path: &Path, args: &Args, seed: u64) -> Result<DeviceProfile> {
    let file = std::fs::File::options().read(true).write(true).open(path);
    let file = file.with_context(|| path.display().to_string())?;
    let size = size_of(path)?;
    let mut options = FileOptions::new(IoEngine::IoUring, direct_alignment(&file)?);
    options.writable = true;
    let device = FileDevice::new(file, size, options)?;
    let budget = Budget::Custom(std::time::Duration::from_secs_f64(args.budget));
    let mut plan = Plan::new(budget, device.geometry(), Clock::Wall);
    plan.block_sizes = vec![args.block_bytes];
    // The file's first mebibyte may hold a header of ours.
    plan.region = Region { start: 1 << 20, len: size - (1 << 20) };
    plan.max_concurrency = args.depths.iter().copied().max().unwrap_or(64);
    (plan.also, plan.seed) = (args.depths.clone(), seed);
    let (prepared, outcome) = measure(&device, &plan, None, &Arc::default(), &mut |_| ())?;
    let mut around = summary::Circumstances::simulated("fio_points", "fio_points", size);
    around.clock = Clock::Wall;
    Ok(summary::profile(&plan, &prepared, &outcome, around, None))
}

fn of_profile(profile: &DeviceProfile, load: Load) -> Option<(f64, [f64; 2])> {
    let wanted = (
        if load.write { OpKind::Write } else { OpKind::Read },
        if load.sequential { Pattern::Sequential } else { Pattern::Random },
        load.durable,
        load.depth,
    );
    let mut points = profile.points.iter();
    let point = points.find(|p| (p.op, p.pattern, p.durable, p.concurrency) == wanted)?;
    Some((point.iops, point.iops_ci?))
}

/// A table row per point. The verdict: whether Leadline's median is within 5 % of fio's, or else fio's median
/// inside the median interval.
fn print(loads: &[Load], seen: &[Vec<Seen>]) {
    println!("| point | Leadline IOPS (95 % interval) | fio IOPS | ratio (lowest to highest) | verdict |");
    println!("| --- | --- | --- | --- | --- |");
    let mut agree = 0;
    for (load, seen) in loads.iter().zip(seen) {
        let name = format!("{}, k = {}", load.name(), load.depth);
        if seen.is_empty() {
            println!("| {name} | not measured | | | |");
            continue;
        }
        let of = |value: &dyn Fn(&Seen) -> f64| median(&seen.iter().map(value).collect::<Vec<_>>());
        let fio: Vec<f64> = seen.iter().flat_map(|s| s.fio.iter().copied()).collect();
        let [iops, ..] = of(&|s| s.iops);
        let [low, ..] = of(&|s| s.ci[0]);
        let [high, ..] = of(&|s| s.ci[1]);
        let [peer, least, most] = median(&fio);
        // Each profile against the runs of fio around it.
        let [ratio, lowest, highest] = of(&|s| s.iops / (s.fio.iter().sum::<f64>() / s.fio.len() as f64));
        let verdict = match () {
            () if (ratio - 1.0).abs() <= 0.05 => "within 5 %",
            () if (low..=high).contains(&peer) => "inside the interval",
            () if (least..=most).contains(&iops) => "inside fio's spread",
            () => "differs",
        };
        agree += usize::from(verdict != "differs");
        println!(
            "| {name} | {iops:.0} ({low:.0} to {high:.0}) | {peer:.0} ({least:.0} to {most:.0}) | \
             {ratio:.2} ({lowest:.2} to {highest:.2}) | {verdict} |"
        );
    }
    println!("\n{agree} of {} points agree", loads.len());
}
