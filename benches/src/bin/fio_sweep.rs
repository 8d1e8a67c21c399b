//! Finding k_r three ways: Leadline's search, a full sweep with fio, fio's own search for a latency target.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Parser;
use leadline_benches::{Load, fio, fio_load, size_of};
use leadline_device::{Device as _, FileDevice, FileOptions, IoEngine, direct_alignment};
use leadline_measure::load::Region;
use leadline_measure::summary::{self, Circumstances};
use leadline_measure::{Budget, CurveFit, CurvePoint, Plan, measure};
use leadline_profile::{Parameters, Pattern};

/// 4K random reads: what each way says, and how long it took.
#[derive(Parser)]
struct Args {
    /// A file that was written whole, or a block device; only read
    target: PathBuf,
    /// Seconds a point of the sweep
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Latency target for fio, microseconds at the 95th percentile
    #[arg(long, default_value_t = 1000)]
    latency_us: u32,
}

/// Depths of the sweep: doublings and two between each.
const DEPTHS: [u32; 30] = [
    1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 26, 32, 40, 52, 64, 72, 80, 88, 96, 104, 112, 120, 128, 144, 160,
    192, 256, 384, 512,
];

fn main() -> Result<()> {
    let args = Args::parse();
    println!("| way | answer | seconds |");
    println!("| --- | --- | --- |");
    let (found, seconds) = ours(&args.target)?;
    println!(
        "| Leadline, 30 s budget | k_r {} ({:?}), plateau {:.0} IOPS ({:?}) | {seconds:.0} |",
        found.k_r.unwrap_or(0),
        found.k_r_ci.unwrap_or_default(),
        found.max_read_iops.unwrap_or(0.0),
        found.max_read_iops_ci.unwrap_or_default().map(f64::round),
    );
    sweep(&args)?;
    latency_target(&args)
}

/// Leadline's own procedure, reads only.
fn ours(path: &Path) -> Result<(Parameters, f64)> {
    let began = Instant::now();
    let file = std::fs::File::open(path)?;
    let mut options = FileOptions::new(IoEngine::IoUring, direct_alignment(&file)?);
    options.writable = false;
    let size = size_of(path)?;
    let device = FileDevice::new(file, size, options)?;
    let mut plan = Plan::new(Budget::Quick, device.geometry(), device.clock());
    plan.block_sizes = vec![4096];
    plan.patterns = vec![Pattern::Random];
    plan.region = Region { start: 1 << 20, len: size - (1 << 20) };
    let cancel = Arc::new(AtomicBool::new(false));
    let (prepared, outcome) = measure(&device, &plan, None, &cancel, &mut |_| ())?;
    let around = Circumstances::simulated("", "", size);
    let profile = summary::profile(&plan, &prepared, &outcome, around, None);
    let parameters = profile.parameters.into_iter().next().context("nothing was measured")?;
    Ok((parameters, began.elapsed().as_secs_f64()))
}

/// Every depth in turn, then the same rule for k.
fn sweep(args: &Args) -> Result<()> {
    let began = Instant::now();
    let mut points = Vec::new();
    for depth in DEPTHS {
        let run = fio_load(&args.target, Load::random_reads(depth), args.seconds)?;
        eprintln!("sweep: depth {depth}: {:.0} IOPS", run.iops);
        points.push(CurvePoint { k: depth, iops: run.iops, error: 0.0, weight: args.seconds });
    }
    let fit = CurveFit::new(&points);
    println!(
        "| fio, {} depths of {} s, the same rule | k_r {}, plateau {:.0} IOPS | {:.0} |",
        DEPTHS.len(),
        args.seconds,
        fit.smallest_reaching(0.95),
        fit.plateau,
        began.elapsed().as_secs_f64()
    );
    Ok(())
}

/// fio lowers and raises the depth until 95 % of requests stay below the target.
fn latency_target(args: &Args) -> Result<()> {
    let began = Instant::now();
    let json = fio(&[
        "--name=target".into(),
        format!("--filename={}", args.target.display()),
        "--ioengine=io_uring".into(),
        "--direct=1".into(),
        "--offset=1m".into(),
        "--rw=randread".into(),
        "--bs=4k".into(),
        "--iodepth=512".into(),
        "--time_based".into(),
        "--runtime=300".into(),
        "--norandommap".into(),
        "--randrepeat=0".into(),
        format!("--latency_target={}us", args.latency_us),
        "--latency_window=2s".into(),
        "--latency_percentile=95".into(),
    ])?;
    let job = &json["jobs"][0];
    println!(
        "| fio, latency_target {} us at p95, 2 s windows | depth {}, {:.0} IOPS | {:.0} |",
        args.latency_us,
        job["latency_depth"],
        job["read"]["iops"].as_f64().unwrap_or(0.0),
        began.elapsed().as_secs_f64()
    );
    Ok(())
}
