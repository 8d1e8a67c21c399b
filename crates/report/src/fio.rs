//! One fio job file per point, so that every number can be checked with another tool.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use leadline_device::scratch::DATA_START;
use leadline_profile::{DeviceKind, DeviceProfile, EngineKind, OpKind, Pattern, Point};

use crate::sentences::{is_published, is_simulated};
use crate::{ReportError, format};

/// Writes one fio job per point into `folder`, which is created if necessary, and returns the paths in the
/// points' order.
///
/// A job names no file: it reads the environment variable `LEADLINE_FILE`, and fio refuses to start where
/// that is not set. Files are written whole or not at all. A job that is there already, byte for byte, is
/// left alone.
///
/// # Errors
/// [`ReportError::Simulated`] for a simulated device, [`ReportError::Published`] for published numbers,
/// [`ReportError::Exists`] where a file of that name holds something else (then nothing at all is written),
/// [`ReportError::Io`] and [`ReportError::Write`] where the operating system refuses.
pub fn fio_jobs(profile: &DeviceProfile, folder: impl AsRef<Path>) -> Result<Vec<PathBuf>, ReportError> {
    let folder = folder.as_ref();
    if is_simulated(profile) {
        return Err(ReportError::Simulated { target: profile.device.target.clone() });
    }
    if is_published(profile) {
        return Err(ReportError::Published { target: profile.device.target.clone() });
    }
    let io = |path: &Path, source| ReportError::Io { path: path.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(|e| io(folder, e))?;
    let mut jobs: Vec<(PathBuf, String, bool)> = Vec::with_capacity(profile.points.len());
    for point in &profile.points {
        let path = folder.join(format!("{}.fio", job_name(point)));
        let text = job(profile, point);
        let there = match leadline_files::read_document(&path, text.len() as u64) {
            Ok(found) if found == text.as_bytes() => true,
            Ok(_) => return Err(ReportError::Exists { path }),
            Err(e) if e.kind() == std::io::ErrorKind::FileTooLarge => {
                return Err(ReportError::Exists { path });
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => false,
            Err(e) => return Err(io(&path, e)),
        };
        jobs.push((path, text, there));
    }
    for (path, text, _) in jobs.iter().filter(|(.., there)| !there) {
        leadline_files::replace(path, text)?;
    }
    Ok(jobs.into_iter().map(|(path, ..)| path).collect())
}

/// `read-random-4096-k8`, `write-durable-random-4096-k8`.
fn job_name(point: &Point) -> String {
    let op = match (point.op, point.durable) {
        (OpKind::Read, _) => "read",
        (OpKind::Write, false) => "write",
        (OpKind::Write, true) => "write-durable",
    };
    format!("{op}-{}-{}-k{}", format::pattern(point.pattern), point.block_bytes, point.concurrency)
}

fn job(profile: &DeviceProfile, point: &Point) -> String {
    let mut text = header(profile, point);
    let mut line = |option: &str| {
        text.push_str(option);
        text.push('\n');
    };
    line("[global]");
    line("filename=${LEADLINE_FILE}");
    line("allow_mounted_write=0");
    line(&format!("direct={}", u8::from(profile.method.direct)));
    line(&format!("rw={}", access(point)));
    line(&format!("bs={}", point.block_bytes));
    line("randrepeat=0");
    line(&format!("randseed={}", profile.method.seed));
    if point.pattern == Pattern::Random {
        line("norandommap=1");
    }
    if point.op == OpKind::Write {
        // Blocks that do not compress and are not alike. refill_buffers would make them anew for each write,
        // which keeps the device waiting: with 8 writes in flight a quarter of its throughput.
        line("scramble_buffers=1");
        line("overwrite=1");
    }
    if point.durable {
        line("sync=dsync");
    }
    line("time_based=1");
    // What was done before may still keep the device busy: a durable write waits for plain ones in its cache.
    line("ramp_time=500ms");
    line(&format!("runtime={}", runtime_seconds(point)));
    line("group_reporting=1");
    line("percentile_list=50:90:99:99.5:99.9:99.95:99.99");
    for option in engine(profile, point) {
        line(&option);
    }
    line("");
    line(&format!("[{}]", job_name(point)));
    text
}

fn header(profile: &DeviceProfile, point: &Point) -> String {
    let (device, latency) = (&profile.device, &point.latency_us);
    let name = one_line(device.model.as_deref().unwrap_or(&device.name));
    let mut text = String::new();
    let mut say = |what: std::fmt::Arguments| writeln!(text, "; {what}").expect("a String takes all");
    say(format_args!("leadline {}: {name}, {}", one_line(&profile.leadline), one_line(&device.target)));
    say(format_args!(
        "{}, {} in flight ({})",
        job_name(point),
        point.concurrency,
        one_line(&profile.method.concurrency_is)
    ));
    let interval = point.iops_ci.map(|[low, high]| format!(" (95 % interval {low:.0} to {high:.0})"));
    let interval = interval.unwrap_or_default();
    say(format_args!(
        "measured: {:.0} IOPS{interval}, {}",
        point.iops,
        format::bandwidth(point.bandwidth_bytes)
    ));
    say(format_args!(
        "latency: mean {}, p50 {}, p99 {}, p99.9 {}",
        format::micros(latency.mean),
        format::micros(latency.p50),
        format::micros(latency.p99),
        format::micros(latency.p99_9)
    ));
    if point.cpu_bound {
        say(format_args!("the processor, not the device, set the pace at this point"));
    }
    if !profile.method.cpus.is_empty() {
        let cpus: Vec<String> = profile.method.cpus.iter().map(u32::to_string).collect();
        say(format_args!(
            "the submitting threads were pinned; to do the same: cpus_allowed={}",
            cpus.join(",")
        ));
    }
    let does =
        if point.op == OpKind::Write { "OVERWRITES that file" } else { "makes that file if there is none" };
    say(format_args!("run: LEADLINE_FILE=/path/to/scratch-file fio THIS; it {does}"));
    text
}

fn access(point: &Point) -> &'static str {
    match (point.op, point.pattern) {
        (OpKind::Read, Pattern::Random) => "randread",
        (OpKind::Read, Pattern::Sequential) => "read",
        (OpKind::Write, Pattern::Random) => "randwrite",
        (OpKind::Write, Pattern::Sequential) => "write",
    }
}

/// Concurrency as it was made: depth on a ring, or one blocking thread per request.
fn engine(profile: &DeviceProfile, point: &Point) -> Vec<String> {
    let k = point.concurrency;
    let uring = profile.method.engine != EngineKind::Psync;
    let jobs = if uring { profile.method.threads.clamp(1, k) } else { k };
    let mut options = if uring {
        let depth = k.div_ceil(jobs);
        vec![
            "ioengine=io_uring".to_owned(),
            format!("iodepth={depth}"),
            // All that is there is taken with one system call, as Leadline does: one call for each makes fio,
            // not the device, the limit.
            "iodepth_batch_complete_min=1".to_owned(),
            format!("iodepth_batch_complete_max={depth}"),
            // Neighbours that are submitted together may be merged on their way.
            format!("iodepth_batch_submit={}", if point.pattern == Pattern::Sequential { depth } else { 1 }),
            "registerfiles=1".to_owned(),
            "fixedbufs=1".to_owned(),
        ]
    } else {
        vec!["ioengine=psync".to_owned()]
    };
    if profile.device.kind == DeviceKind::Directory {
        // What was measured begins behind the header of the scratch file, which says that it is Leadline's.
        options.push(format!("offset={DATA_START}"));
    }
    let footprint = profile.method.footprint_bytes.max(u64::from(point.block_bytes));
    if jobs == 1 {
        options.push(format!("size={footprint}"));
        return options;
    }
    options.push(format!("numjobs={jobs}"));
    options.push("thread=1".to_owned());
    if point.pattern == Pattern::Random {
        options.push(format!("size={footprint}"));
        return options;
    }
    // Threads that all read from the start would read the same blocks: each has a stripe of its own.
    let block = u64::from(point.block_bytes);
    let stripe = (footprint / u64::from(jobs) / block * block).max(block);
    options.push(format!("size={stripe}"));
    options.push(format!("offset_increment={stripe}"));
    options
}

/// As long as all slices together, at least one second.
fn runtime_seconds(point: &Point) -> u64 {
    let measured: f64 = point.slices.iter().map(|slice| slice.seconds).sum();
    measured.ceil().clamp(1.0, 86_400.0) as u64
}

/// A line break in a model string would end the comment and start an option.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{reads_only, sample_profile};

    #[test]
    fn a_job_says_what_was_measured() {
        let profile = sample_profile();
        let point = profile.points.iter().find(|p| p.durable && p.concurrency == 8).expect("a durable point");
        assert_eq!(job_name(point), "write-durable-random-4096-k8");
        let text = job(&profile, point);
        for line in [
            "rw=randwrite",
            "bs=4096",
            "offset=1048576",
            "iodepth=8",
            "iodepth_batch_complete_max=8",
            "iodepth_batch_submit=1",
            "ramp_time=500ms",
            "sync=dsync",
            "scramble_buffers=1",
            "direct=1",
            "runtime=2",
            "size=8589934592",
            "ioengine=io_uring",
            "filename=${LEADLINE_FILE}",
            "norandommap=1",
            "randrepeat=0",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is missing from\n{text}");
        }
        assert!(!text.contains("numjobs"), "{text}");
    }

    #[test]
    fn blocking_threads_become_jobs_with_stripes_of_their_own() {
        let mut profile = sample_profile();
        profile.method.engine = "psync".into();
        let sequential =
            |p: &&Point| p.pattern == Pattern::Sequential && p.concurrency == 12 && p.op == OpKind::Read;
        let text = job(&profile, profile.points.iter().find(sequential).expect("a point"));
        assert!(
            text.contains(
                "ioengine=psync\noffset=1048576\nnumjobs=12\nthread=1\nsize=715825152\noffset_increment=715825152\n"
            )
        );
        assert!(!text.contains("norandommap") && !text.contains("iodepth"), "{text}");
    }

    #[test]
    fn a_model_string_cannot_smuggle_an_option_in() {
        let mut profile = reads_only();
        profile.device.model = Some("x\nexec_prerun=reboot".into());
        let text = job(&profile, &profile.points[0]);
        assert!(text.lines().all(|l| !l.starts_with("exec_prerun")), "{text}");
    }

    #[test]
    fn what_is_there_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let profile = reads_only();
        let first = fio_jobs(&profile, folder.path()).expect("written");
        assert_eq!(first.len(), profile.points.len());
        assert_eq!(fio_jobs(&profile, folder.path()).expect("the same again"), first);
        std::fs::write(&first[3], "mine").expect("a foreign file");
        std::fs::remove_file(&first[0]).expect("one less");
        assert!(
            matches!(fio_jobs(&profile, folder.path()), Err(ReportError::Exists { path }) if path == first[3])
        );
        assert_eq!(std::fs::read_to_string(&first[3]).expect("read"), "mine");
        assert!(!first[0].exists(), "nothing is written when one is in the way");
    }

    #[test]
    fn a_simulated_device_has_no_job() {
        let mut profile = reads_only();
        profile.device.kind = "simulated".into();
        let folder = tempfile::tempdir().expect("a folder");
        assert!(matches!(fio_jobs(&profile, folder.path()), Err(ReportError::Simulated { .. })));
    }
}
