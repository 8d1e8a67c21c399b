//! Is a latency limit kept at the rate that `leadline predict --slo` gives? Predicts, then runs open loop at
//! that rate.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use leadline_benches::size_of;
use leadline_device::{
    Clock, Device, FileDevice, FileOptions, IoEngine, QueueShape, direct_alignment, format_size,
};
use leadline_measure::load::{
    AddressStream, Arrivals, Lane, Limits, Recorder, Region, Spread, Workload, open_loop,
};
use leadline_model::{LatencyModel, Percentile};
use leadline_profile::DeviceProfile;

/// Predicted rates against measured latencies, 4K random.
#[derive(Parser)]
struct Args {
    /// A file that was written whole and that may be overwritten, or sim:NAME
    target: String,
    /// Its profile, with the experiment `ladder`
    profile: PathBuf,
    /// Which percentile is limited, such as p50
    #[arg(long, default_value = "p99")]
    percentile: String,
    /// Its limits, microseconds
    #[arg(long, value_delimiter = ',', default_value = "500,1000,2000,5000")]
    limits_us: Vec<f64>,
    /// Shares of reads, percent
    #[arg(long, value_delimiter = ',', default_value = "100,70")]
    reads: Vec<f64>,
    /// Seconds a run
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let profile = DeviceProfile::load(&args.profile)?;
    let ladder = profile.experiments.ladder.as_ref().context("the profile has no ladder")?;
    let model = LatencyModel::fit(ladder)?;
    let (device, region) = open(&args.target)?;
    let percentile = Percentile::parse(&args.percentile).context("no such percentile")?;
    let name = percentile.name();
    println!("| reads | {name} limit | predicted IOPS (95 %) | load | measured {name} | measured / limit |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for &reads in &args.reads {
        for &limit in &args.limits_us {
            let sustained = match model.sustainable_rate(percentile, limit, reads / 100.0) {
                Ok(sustained) => sustained,
                Err(error) => {
                    println!("| {reads} % | {limit} us | {error} | | | |");
                    continue;
                }
            };
            let quantile =
                run(device.as_ref(), region, sustained.iops, reads / 100.0, args.seconds, percentile)?;
            let [low, high] = sustained.iops_ci;
            println!(
                "| {reads} % | {limit} us | {:.0} ({low:.0}-{high:.0}) | {:.0} % | {quantile:.0} us | {:.2} |",
                sustained.iops,
                100.0 * sustained.load,
                quantile / limit
            );
        }
    }
    Ok(())
}

fn open(target: &str) -> Result<(Box<dyn Device>, Region)> {
    if let Some(name) = target.strip_prefix("sim:") {
        let device = leadline_sim::open(name)?;
        let len = device.geometry().capacity_bytes.min(1 << 30);
        return Ok((Box::new(device), Region { start: 0, len }));
    }
    let path = PathBuf::from(target);
    let file =
        std::fs::File::options().read(true).write(true).open(&path).with_context(|| target.to_owned())?;
    let size = size_of(&path)?;
    if size < 64 << 20 {
        bail!("{target}: holds {}; 64M at least", format_size(size));
    }
    let mut options = FileOptions::new(IoEngine::IoUring, direct_alignment(&file)?);
    options.writable = true;
    // The first mebibyte may hold a header of ours.
    Ok((Box::new(FileDevice::new(file, size, options)?), Region { start: 1 << 20, len: size - (1 << 20) }))
}

/// The percentile at this rate, microseconds, from the intended start.
fn run(
    device: &dyn Device,
    region: Region,
    rate: f64,
    read_share: f64,
    seconds: f64,
    percentile: Percentile,
) -> Result<f64> {
    let mut lane = Lane::new(device.queue_pair(QueueShape::new(256, 4096))?, device.clock(), 1);
    let workload = Workload {
        read_share,
        block_bytes: 4096,
        random_fraction: 1.0,
        spread: Spread::Uniform,
        durable: false,
    };
    let seed = if device.clock() == Clock::Wall { std::process::id().into() } else { 7 };
    let mut stream = AddressStream::new(workload, region, seed);
    let limits = Limits::of((seconds * 1e9) as u64);
    let mut recorder = Recorder::new();
    let never = AtomicBool::new(false);
    open_loop(&mut lane, &mut stream, Arrivals::Poisson(rate), &limits, &mut recorder, seed, &never)?;
    let share = percentile.name()[1..].parse::<f64>()? / 100.0;
    Ok(recorder.quantile(share) as f64 / 1e3)
}
