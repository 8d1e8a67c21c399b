//! Whether a disk is fast enough for a log of small durable appends.

use leadline_profile::{Fsync, FsyncPoint, LogKind};

use super::Program;
use crate::{Drive, Unmeasured};

/// What etcd's documentation asks of the 99th percentile of `wal_fsync_duration_seconds`: the FAQ on "failed
/// to send out heartbeat on time".
pub(super) const LIMIT_MS: f64 = 10.0;

/// Durable appends per second, one at a time, that etcd's page on hardware asks for, and under load.
const LEAST_APPENDS: f64 = 50.0;
const UNDER_LOAD: f64 = 500.0;

/// Bytes of the appends by which etcd's documentation checks disks (fio --bs=2300).
const DOCUMENTED_BYTES: u32 = 2300;

/// The appends of one writer, which is what etcd, k3s and Consul have.
pub(super) fn alone<'a>(drive: &Drive<'a>) -> Result<(&'a Fsync, &'a FsyncPoint), Unmeasured> {
    let missing = || Unmeasured::experiment("fsync", "the latency of small durable appends");
    let found = drive.profile().experiments.fsync.as_ref().ok_or_else(missing)?;
    let alone = found.points.iter().find(|point| point.writers == 1).ok_or_else(missing)?;
    Ok((found, alone))
}

/// The 99th percentile, milliseconds.
pub(super) fn p99_ms(point: &FsyncPoint) -> f64 {
    point.latency_us.p99 / 1e3
}

/// The longest that was seen, or what of the percentiles comes next to it, milliseconds.
pub(super) fn slowest_ms(point: &FsyncPoint) -> f64 {
    let latency = &point.latency_us;
    [latency.p99, latency.p99_9, latency.p99_99].into_iter().fold(0.0, f64::max) / 1e3
}

/// The verdict, and what else is to be said of the disk.
pub(super) fn notes(drive: &Drive, program: Program) -> Vec<String> {
    let Ok((found, alone)) = alone(drive) else { return Vec::new() };
    let p99 = p99_ms(alone);
    let (verdict, against) = match p99 < LIMIT_MS {
        true => ("fast enough", "less than"),
        false => ("too slow", "not less than"),
    };
    let whose = if program == Program::Consul { "etcd's limit, Consul has none" } else { "etcd's limit" };
    let mut notes = vec![format!(
        "verdict: {verdict}. The 99th percentile of fdatasync, one writer, is {p99:.2} ms, {against} \
         {LIMIT_MS} ms ({whose}); {:.0} appends per second become durable, where {LEAST_APPENDS} are needed \
         and {UNDER_LOAD} under load",
        alone.commits_per_second
    )];
    if p99 >= LIMIT_MS {
        notes.push(
            "longer timeouts keep a slow disk from causing elections; each write still waits as long, so a \
             faster disk is the remedy"
                .to_owned(),
        );
    }
    if found.log == LogKind::Device {
        notes.push(
            "measured on the device itself; a file system adds its own writes to each append".to_owned(),
        );
    }
    if !(DOCUMENTED_BYTES / 2..=2 * DOCUMENTED_BYTES).contains(&found.append_bytes) {
        notes.push(format!(
            "appends of {} bytes were measured; etcd's documentation takes {DOCUMENTED_BYTES}",
            found.append_bytes
        ));
    }
    notes
}
