//! What the side-by-side benchmarks share: running fio, running our own load, medians with their spread.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, bail};
use leadline_device::clock::process_cpu_time;
use leadline_device::{Clock, Device as _, Engine, FileDevice, FileOptions, QueueShape, direct_alignment};
use leadline_measure::load::{AddressStream, Lane, Limits, Recorder, Region, Spread, Workload, closed_loop};

/// What one run of either tool came to.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Operations a second.
    pub iops: f64,
    /// Processor time of the tool, user and system, per operation, microseconds.
    pub cpu_us_per_op: f64,
}

/// 4K random reads past the page cache through Leadline's own queue pair and load generator.
///
/// # Errors
/// Where the file cannot be opened or a read fails.
pub fn leadline_reads(path: &Path, depth: u32, seconds: f64) -> Result<Run> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let size = size_of(path)?;
    let mut options = FileOptions::new(Engine::IoUring, direct_alignment(&file)?);
    options.writable = false;
    let device = FileDevice::new(file, size, options)?;
    let mut lane = Lane::new(device.queue_pair(QueueShape::new(depth, 4096))?, Clock::Wall, 1);
    let workload = Workload {
        read_share: 1.0,
        block_bytes: 4096,
        random_fraction: 1.0,
        spread: Spread::Uniform,
        durable: false,
    };
    let mut stream = AddressStream::new(workload, Region { start: 0, len: size }, process_cpu_time());
    let limits = Limits::of((seconds * 1e9) as u64);
    let (mut recorder, never) = (Recorder::new(), AtomicBool::new(false));
    let before = process_cpu_time();
    let window = closed_loop(&mut lane, &mut stream, depth, &limits, &mut recorder, &never)?;
    let cpu = (process_cpu_time() - before) as f64;
    let (reads, _) = lane.traffic();
    Ok(Run {
        iops: window.ops as f64 / (window.length as f64 / 1e9),
        cpu_us_per_op: cpu / 1e3 / (reads as f64 / 4096.0),
    })
}

/// The same by fio's io_uring engine, with the same flags: registered buffers and file, direct, no map of blocks done.
///
/// # Errors
/// Where fio is not to be had or fails.
pub fn fio_reads(path: &Path, depth: u32, seconds: f64) -> Result<Run> {
    let json = fio(&[
        "--name=peer".into(),
        format!("--filename={}", path.display()),
        "--ioengine=io_uring".into(),
        "--fixedbufs".into(),
        "--registerfiles".into(),
        "--direct=1".into(),
        "--rw=randread".into(),
        "--bs=4k".into(),
        format!("--iodepth={depth}"),
        format!("--runtime={seconds}"),
        "--time_based".into(),
        "--norandommap".into(),
        "--randrepeat=0".into(),
    ])?;
    let job = &json["jobs"][0];
    let number = |v: &serde_json::Value| v.as_f64().context("fio's JSON has no such number");
    let (iops, total) = (number(&job["read"]["iops"])?, number(&job["read"]["total_ios"])?);
    let seconds = number(&job["read"]["runtime"])? / 1e3;
    let cpu = (number(&job["usr_cpu"])? + number(&job["sys_cpu"])?) / 100.0 * seconds;
    Ok(Run { iops, cpu_us_per_op: cpu * 1e6 / total })
}

/// Runs fio with these options and reads its JSON.
///
/// # Errors
/// Where fio is not to be had or fails.
pub fn fio(options: &[String]) -> Result<serde_json::Value> {
    let output = Command::new("fio")
        .args(options)
        .args(["--output-format=json", "--minimal=0"])
        .output()
        .context("fio cannot be run; `cargo xtask setup` installs it")?;
    if !output.status.success() {
        bail!("fio failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // fio prints notes before the document.
    let start = text.find('{').context("fio printed no JSON")?;
    Ok(serde_json::from_str(&text[start..])?)
}

/// Bytes of a file or block device.
///
/// # Errors
/// Where it cannot be opened.
pub fn size_of(path: &Path) -> Result<u64> {
    use std::io::{Seek as _, SeekFrom};
    Ok(std::fs::File::open(path)?.seek(SeekFrom::End(0))?)
}

/// Median, lowest and highest.
pub fn median(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let middle = if n % 2 == 1 { sorted[n / 2] } else { (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0 };
    [middle, sorted[0], sorted[n - 1]]
}
