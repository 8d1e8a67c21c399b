//! What the side-by-side benchmarks share: running fio, running our own load, medians with their spread.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, bail};
use leadline_device::clock::process_cpu_time;
use leadline_device::{
    Clock, Device as _, FileDevice, FileOptions, IoEngine, QueueShape, direct_alignment, format_size,
};
use leadline_measure::load::{AddressStream, Lane, Limits, Recorder, Region, Spread, Workload, closed_loop};
use nix::sys::resource::{UsageWho, getrusage};

/// What one run of either tool came to.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Operations per second.
    pub iops: f64,
    /// Processor time of the tool, user and system, per operation, microseconds.
    pub cpu_us_per_op: f64,
}

/// What both tools are asked to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Writes overwrite the file.
    pub write: bool,
    /// One block after the other, or anywhere.
    pub sequential: bool,
    /// Whether each write is durable on completion.
    pub durable: bool,
    /// Bytes a request.
    pub block_bytes: u32,
    /// Requests in flight on one ring.
    pub depth: u32,
}

impl Load {
    /// 4K random reads.
    pub fn random_reads(depth: u32) -> Self {
        Load { write: false, sequential: false, durable: false, block_bytes: 4096, depth }
    }

    /// For a table's row: `4K random durable write`.
    pub fn name(&self) -> String {
        format!(
            "{} {}{} {}",
            format_size(self.block_bytes.into()),
            if self.sequential { "sequential" } else { "random" },
            if self.durable { " durable" } else { "" },
            if self.write { "write" } else { "read" }
        )
    }
}

/// Leadline's own queue pair and load generator, past the page cache.
///
/// # Errors
/// Where the file cannot be opened or a request fails.
pub fn leadline(path: &Path, load: Load, seconds: f64) -> Result<Run> {
    let file = std::fs::File::options().read(true).write(load.write).open(path);
    let file = file.with_context(|| path.display().to_string())?;
    let size = size_of(path)?;
    let mut options = FileOptions::new(IoEngine::IoUring, direct_alignment(&file)?);
    options.writable = load.write;
    let device = FileDevice::new(file, size, options)?;
    let queue = device.queue_pair(QueueShape::new(load.depth, load.block_bytes))?;
    let seed = process_cpu_time();
    let mut lane = Lane::new(queue, Clock::Wall, seed);
    let workload = Workload {
        read_share: f64::from(u8::from(!load.write)),
        block_bytes: load.block_bytes,
        random_fraction: f64::from(u8::from(!load.sequential)),
        spread: Spread::Uniform,
        durable: load.durable,
    };
    // The file's first mebibyte may hold a header of ours.
    let region = Region { start: 1 << 20, len: size - (1 << 20) };
    let mut stream = AddressStream::new(workload, region, seed);
    let limits = Limits::of((seconds * 1e9) as u64);
    let (mut recorder, never) = (Recorder::new(), AtomicBool::new(false));
    let before = process_cpu_time();
    let window = closed_loop(&mut lane, &mut stream, load.depth, &limits, &mut recorder, &never)?;
    let cpu = (process_cpu_time() - before) as f64;
    let (read, written) = lane.traffic();
    Ok(Run {
        iops: window.ops as f64 / (window.length as f64 / 1e9),
        cpu_us_per_op: cpu / 1e3 / ((read + written) as f64 / f64::from(load.block_bytes)),
    })
}

/// The same by fio's io_uring engine, with the same flags: registered buffers and file, direct, no map of
/// blocks done, data that does not repeat.
///
/// # Errors
/// Where fio is not to be had or fails.
pub fn fio_load(path: &Path, load: Load, seconds: f64) -> Result<Run> {
    let options = fio_options(path, load, seconds);
    // fio's own usr_cpu and sys_cpu leave out the kernel's worker threads, which the rings of both tools make
    // work; the process's account has them, and its start-up, which a run of one request tells.
    let mut one = options.clone();
    one.extend(["--number_ios=1".into(), "--time_based=0".into()]);
    let start_up = children_cpu(|| fio(&one))?.1;
    let (json, cpu) = children_cpu(|| fio(&options))?;
    let total = fio_number(&json, load, "total_ios")?;
    let cpu_us_per_op = (cpu - start_up).max(0.0) * 1e6 / total;
    Ok(Run { iops: fio_number(&json, load, "iops")?, cpu_us_per_op })
}

/// Requests per second of the same after half a second that does not count: what was done before may still
/// keep the device busy (a durable write waits for plain ones in its cache). With `same_data` what is written
/// is never changed, which takes fio as long as the write where the device is memory.
///
/// # Errors
/// As [`fio_load`].
pub fn fio_iops(path: &Path, load: Load, seconds: f64, same_data: bool) -> Result<f64> {
    let mut options = fio_options(path, load, seconds);
    options.push("--ramp_time=500ms".into());
    if same_data {
        options.push("--scramble_buffers=0".into());
    }
    fio_number(&fio(&options)?, load, "iops")
}

fn fio_number(json: &serde_json::Value, load: Load, name: &str) -> Result<f64> {
    json["jobs"][0][side(load)][name].as_f64().with_context(|| format!("fio's JSON has no {name}"))
}

fn side(load: Load) -> &'static str {
    if load.write { "write" } else { "read" }
}

fn fio_options(path: &Path, load: Load, seconds: f64) -> Vec<String> {
    let side = side(load);
    let mut options = vec![
        "--name=peer".into(),
        format!("--filename={}", path.display()),
        "--ioengine=io_uring".into(),
        "--fixedbufs".into(),
        "--registerfiles".into(),
        "--direct=1".into(),
        "--offset=1m".into(),
        format!("--rw={}{side}", if load.sequential { "" } else { "rand" }),
        format!("--bs={}", load.block_bytes),
        format!("--iodepth={}", load.depth),
        // As Leadline does, and the jobs that a profile is exported to: one system call takes all that is
        // there, and the device does not wait for data to be made anew.
        "--iodepth_batch_complete_min=1".into(),
        format!("--iodepth_batch_complete_max={}", load.depth),
        // Neighbours that are submitted together may be merged on their way.
        format!("--iodepth_batch_submit={}", if load.sequential { load.depth } else { 1 }),
        format!("--runtime={:.0}ms", seconds * 1e3),
        "--time_based".into(),
        "--norandommap".into(),
        "--randrepeat=0".into(),
        "--scramble_buffers=1".into(),
    ];
    if load.durable {
        options.push("--sync=dsync".into());
    }
    options
}

/// What a child process came to, and the processor time of it and all its threads, seconds.
///
/// # Errors
/// Those of `run`, or where the system does not tell.
pub fn children_cpu<T>(run: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let used = || -> Result<f64> {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        let seconds = |t: nix::sys::time::TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 / 1e6;
        Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
    };
    let before = used()?;
    let result = run()?;
    Ok((result, used()? - before))
}

/// Both in turn, `pairs` times; who goes first changes, so that neither always finds the disk as the other
/// left it. Ours first in each pair returned.
///
/// # Errors
/// As [`leadline`] and [`fio_load`].
pub fn pairs(path: &Path, load: Load, seconds: f64, pairs: usize) -> Result<Vec<(Run, Run)>> {
    (0..pairs)
        .map(|i| {
            let (ours, theirs);
            if i % 2 == 0 {
                ours = leadline(path, load, seconds)?;
                theirs = fio_load(path, load, seconds)?;
            } else {
                theirs = fio_load(path, load, seconds)?;
                ours = leadline(path, load, seconds)?;
            }
            eprintln!(
                "{} k = {}: {:.0} {:.0} IOPS, {:.2} {:.2} us/IO",
                load.name(),
                load.depth,
                ours.iops,
                theirs.iops,
                ours.cpu_us_per_op,
                theirs.cpu_us_per_op
            );
            Ok((ours, theirs))
        })
        .collect()
}

/// A table row of pairs: IOPS of both and their ratio, processor time of both and their ratio; medians with
/// lowest and highest.
pub fn row(name: &str, pairs: &[(Run, Run)]) -> String {
    let column = |of: &dyn Fn(&(Run, Run)) -> f64| median(&pairs.iter().map(of).collect::<Vec<_>>());
    let whole = |[m, low, high]: [f64; 3]| format!("{m:.0} ({low:.0} to {high:.0})");
    let fine = |[m, low, high]: [f64; 3]| format!("{m:.2} ({low:.2} to {high:.2})");
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} |",
        whole(column(&|p| p.0.iops)),
        whole(column(&|p| p.1.iops)),
        fine(column(&|p| p.0.iops / p.1.iops)),
        fine(column(&|p| p.0.cpu_us_per_op)),
        fine(column(&|p| p.1.cpu_us_per_op)),
        fine(column(&|p| p.0.cpu_us_per_op / p.1.cpu_us_per_op)),
    )
}

/// The head of [`row`]'s table.
pub fn head(first: &str) -> String {
    format!(
        "| {first} | Leadline IOPS | fio IOPS | IOPS ratio | Leadline CPU us/IO | fio CPU us/IO | CPU ratio |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    )
}

/// Runs fio with these options and reads its JSON.
///
/// # Errors
/// Where fio is not to be had or fails.
pub fn fio(options: &[String]) -> Result<serde_json::Value> {
    let output = Command::new("fio")
        .args(options)
        .arg("--output-format=json")
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
