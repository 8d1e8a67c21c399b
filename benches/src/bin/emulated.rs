//! Emulated drives under fio, beside the same model in virtual time: throughput, alpha and latency at each
//! depth; and what FUSE costs by itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use leadline_device::clock::process_cpu_time;
use leadline_device::{Device as _, NEVER, QueueShape, Request};
use leadline_emulate::{EmulateOptions, EmulatedDevice, Emulator};
use leadline_sim::ParametricSpec;

/// fio through the mount on six modelled devices; truth is the same model in virtual time.
#[derive(Parser)]
struct Args {
    /// A folder for backing folders and mounts
    #[arg(long)]
    dir: PathBuf,
    /// Seconds of each point
    #[arg(long, default_value_t = 4)]
    seconds: u32,
    /// Only devices whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// How many times as long the devices take
    #[arg(long, default_value_t = 1.0)]
    slowdown: f64,
}

/// Name and description: k from 1 to 64, alpha from 0.5 to 3, three with jitter, one of a single server.
const DEVICES: [(&str, &str); 6] = [
    ("one server of 7 ms", "[read]\nservice_us = 7000\nservers = 1\n[write]\nservice_us = 7000\nservers = 1"),
    ("k 4, alpha 0.5", "[read]\nservice_us = 2000\nservers = 4\n[write]\nservice_us = 1000\nservers = 4"),
    (
        "k 16 and 8, alpha 2, lognormal",
        "jitter = \"lognormal\"\n[read]\nservice_us = 2000\nservers = 16\n[write]\nservice_us = 2000\nservers = 8",
    ),
    (
        "k 64 and 21, alpha 3, exponential",
        "jitter = \"exponential\"\n[read]\nservice_us = 5000\nservers = 64\n[write]\nservice_us = 5000\nservers = 21",
    ),
    (
        "k 2 and 1, alpha 3, lognormal",
        "jitter = \"lognormal\"\n[read]\nservice_us = 400\nservers = 2\n[write]\nservice_us = 600\nservers = 1",
    ),
    (
        "capped at 3000",
        "cap_iops = 3000\n[read]\nservice_us = 1000\nservers = 16\n[write]\nservice_us = 1000\nservers = 16",
    ),
];

const DEPTHS: [u32; 4] = [1, 4, 16, 64];

const BLOCK: u32 = 4096;

/// Requests that each truth is computed from.
const TRUTH_REQUESTS: usize = 200_000;

/// What a closed loop came to.
#[derive(Debug, Clone, Copy)]
struct Point {
    iops: f64,
    /// Milliseconds.
    p50: f64,
    p99: f64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    println!(
        "| device | depth | reads/s, truth | off | writes/s, truth | off | alpha, truth | off | p50 of reads, ms | off | p99 of reads, ms | off, us | late |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, text) in DEVICES {
        if args.only.as_ref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let description = format!("kind = \"parametric\"\ncapacity = \"8G\"\n{text}\n");
        for depth in DEPTHS {
            row(&args, name, &description, depth).with_context(|| format!("{name}, depth {depth}"))?;
        }
    }
    bare(&args)
}

/// One device at one depth.
fn row(args: &Args, name: &str, description: &str, depth: u32) -> Result<()> {
    let spec = ParametricSpec::parse(description, name)?;
    let truth = [false, true].map(|write| truth(&spec, depth, write, args.slowdown));
    let [read_truth, write_truth] = truth;
    let (read_truth, write_truth) = (read_truth?, write_truth?);
    let drive = mount(args, description)?;
    let read = fio(&drive, args, depth, false)?;
    let write = fio(&drive, args, depth, true)?;
    let report = drive.unmount()?;
    let off = |found: f64, truth: f64| format!("{:+.1} %", 100.0 * (found / truth - 1.0));
    let (alpha, alpha_truth) = (read.iops / write.iops, read_truth.iops / write_truth.iops);
    println!(
        "| {name} | {depth} | {:.0} | {} | {:.0} | {} | {alpha_truth:.2} | {} | {:.2} | {} | {:.2} | {:+.0} | {:.2} % |",
        read_truth.iops,
        off(read.iops, read_truth.iops),
        write_truth.iops,
        off(write.iops, write_truth.iops),
        off(alpha, alpha_truth),
        read_truth.p50,
        off(read.p50, read_truth.p50),
        read_truth.p99,
        1e3 * (read.p99 - read_truth.p99),
        100.0 * report.late_share,
    );
    Ok(())
}

/// The same model in virtual time, in a closed loop.
fn truth(spec: &ParametricSpec, depth: u32, write: bool, slowdown: f64) -> Result<Point> {
    let device = spec.device();
    let mut pair = device.queue_pair(QueueShape::new(depth, BLOCK))?;
    let mut random = fastrand::Rng::with_seed(1);
    let mut request = |slot: u32| {
        let offset = random.u64(..spec.capacity / u64::from(BLOCK)) * u64::from(BLOCK);
        if write { Request::write(slot, offset, BLOCK) } else { Request::read(slot, offset, BLOCK) }
    };
    let mut began = vec![0; depth as usize];
    for slot in 0..depth {
        pair.submit(request(slot))?;
    }
    let mut latencies = Vec::with_capacity(TRUTH_REQUESTS);
    let mut completions = Vec::new();
    while latencies.len() < TRUTH_REQUESTS {
        pair.reap(1, NEVER, &mut completions)?;
        for completion in completions.drain(..) {
            latencies.push((completion.at - began[completion.slot as usize]) as f64 / 1e6 * slowdown);
            began[completion.slot as usize] = completion.at;
            pair.submit(request(completion.slot))?;
        }
    }
    let iops = latencies.len() as f64 * 1e9 / pair.now() as f64 / slowdown;
    latencies.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| latencies[(share * (latencies.len() - 1) as f64) as usize];
    Ok(Point { iops, p50: at(0.5), p99: at(0.99) })
}

/// Mounts a device on new folders.
fn mount(args: &Args, description: &str) -> Result<Emulator> {
    let (backing, mount) = (args.dir.join("backing"), args.dir.join("mount"));
    for folder in [&backing, &mount] {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let file = args.dir.join("device.toml");
    std::fs::write(&file, description)?;
    let device = EmulatedDevice::open(&format!("sim:{}", std::path::absolute(&file)?.display()), None)?;
    let mut options = EmulateOptions::new(backing, mount);
    options.slowdown = args.slowdown;
    Ok(Emulator::mount(device, options)?)
}

/// fio's random requests through the mount, past the page cache.
fn fio(drive: &Emulator, args: &Args, depth: u32, write: bool) -> Result<Point> {
    let file = drive.mount_point().join("file");
    lay_out(&file)?;
    let log = args.dir.join("fio");
    let output = Command::new("fio")
        .args(["--name=point", "--direct=1", "--ioengine=libaio", "--bs=4k", "--time_based"])
        .args(["--size=256M", "--norandommap", "--randrepeat=0", "--output-format=json"])
        .arg(format!("--filename={}", file.display()))
        .arg(format!("--rw={}", if write { "randwrite" } else { "randread" }))
        .arg(format!("--iodepth={depth}"))
        .arg(format!("--write_lat_log={}", log.display()))
        .arg(format!("--runtime={}", args.seconds))
        .output()
        .context("fio (Debian package fio)")?;
    ensure!(output.status.success(), "fio: {}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let side = &json["jobs"][0][if write { "write" } else { "read" }];
    let number = |value: &serde_json::Value| value.as_f64().context("fio's output has changed");
    let mut latencies = latencies(&log, depth as usize)?;
    latencies.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| latencies[(share * (latencies.len() - 1) as f64) as usize];
    Ok(Point { iops: number(&side["iops"])?, p50: at(0.5), p99: at(0.99) })
}

/// Milliseconds of each request in fio's log, without the first `depth`, which find the device idle, and the
/// last: fio reaps those together, when all of them are done.
fn latencies(log: &Path, depth: usize) -> Result<Vec<f64>> {
    let file = format!("{}_clat.1.log", log.display());
    let text = std::fs::read_to_string(&file).with_context(|| file.clone())?;
    let nanos = |line: &str| line.split(',').nth(1)?.trim().parse::<f64>().ok();
    let all: Option<Vec<f64>> = text.lines().map(|line| nanos(line).map(|nanos| nanos / 1e6)).collect();
    let all = all.context("fio's log has changed")?;
    ensure!(all.len() > 4 * depth, "{} requests are too few: more --seconds", all.len());
    Ok(all[depth..all.len() - depth].to_vec())
}

/// A file of 256 MiB with a place on the device, without the time that writing it there would take: as if it
/// had been there before.
fn lay_out(file: &Path) -> Result<()> {
    if file.exists() {
        return Ok(());
    }
    let made = std::fs::File::create(file)?;
    nix::fcntl::fallocate(&made, nix::fcntl::FallocateFlags::empty(), 0, 256 << 20)?;
    Ok(())
}

/// What FUSE costs by itself: a device that takes no time.
fn bare(args: &Args) -> Result<()> {
    if args.only.is_some() {
        return Ok(());
    }
    let description = "kind = \"parametric\"\ncapacity = \"8G\"\n[read]\nservice_us = 0.001\nservers = 1048576\n\
                       [write]\nservice_us = 0.001\nservers = 1048576\n";
    println!("\nA device that takes no time, 4K random reads:\n");
    println!(
        "| depth | reads/s | wall time per request, us | processor time of the emulator per request, us |"
    );
    println!("| --- | --- | --- | --- |");
    for depth in [1, 32] {
        let drive = mount(args, description)?;
        let cpu = process_cpu_time();
        let point = fio(&drive, args, depth, false)?;
        let cpu = process_cpu_time() - cpu;
        let requests = drive.unmount()?.requests as f64;
        println!(
            "| {depth} | {:.0} | {:.2} | {:.2} |",
            point.iops,
            1e6 / point.iops,
            cpu as f64 / 1e3 / requests
        );
    }
    Ok(())
}
