//! etcd's `/metrics`: how long the syncs of its log took.

use std::path::Path;

use leadline_figures::number::micros;
use leadline_files::TextError;
use leadline_profile::{Histogram, Latency};

use crate::flush::Flush;
use crate::found::Found;
use crate::interval::usable;

const SYNCS: &str = "etcd_disk_wal_fsync_duration_seconds";
const BYTES: &str = "etcd_disk_wal_write_bytes_total";
const VERSION: &str = "etcd_server_version{server_version=\"";

/// Bytes of an append where etcd does not count them: those of its documentation's check of disks.
const DOCUMENTED_BYTES: u32 = 2300;

/// Syncs below which percentiles say nothing.
const LEAST_SYNCS: u64 = 100;

pub(crate) fn read(text: &str, path: &Path) -> Result<Found, TextError> {
    let first = text.lines().position(|line| line.starts_with(SYNCS)).map_or(1, |at| at + 1);
    let histogram = Histogram::read(text, SYNCS).ok_or_else(|| {
        let reason = format!(
            "the buckets of {SYNCS} are not whole, or have labels other than le; give the /metrics of one \
             member as it serves them"
        );
        TextError::line(path, first, reason)
    })?;
    let version = text.lines().find_map(|line| line.strip_prefix(VERSION)?.split('"').next());
    let mut found = Found::by("etcd", version.map(str::to_owned));
    let syncs = histogram.total();
    let sum = value(text, &format!("{SYNCS}_sum")).filter(|seconds| usable(*seconds));
    let Some(seconds) = sum else {
        return Err(TextError::line(path, first, format!("{SYNCS}_sum is missing, or no positive number")));
    };
    if syncs < LEAST_SYNCS {
        found.skip(format!("{syncs} syncs of the log: fewer than {LEAST_SYNCS}, too few for percentiles"));
        return Ok(found);
    }
    let Some(latency) = latency(&histogram, seconds / syncs as f64) else {
        return Err(TextError::line(path, first, "the bounds of the buckets are no times"));
    };
    bucket_of_p99(&histogram, &mut found);
    let append_bytes = match value(text, BYTES).map(|bytes| bytes / syncs as f64) {
        Some(bytes) if (1.0..=1e9).contains(&bytes) => bytes.round() as u32,
        _ => {
            found.assume(format!(
                "an append has {DOCUMENTED_BYTES} bytes, as in etcd's documentation: {BYTES} is not there"
            ));
            DOCUMENTED_BYTES
        }
    };
    let flush = Flush {
        append_bytes,
        commits: syncs,
        seconds,
        spread: None,
        latency,
        notes: vec![
            "imported from etcd: syncs of its log since it started, together with all other load on the disk"
                .to_owned(),
            "appends per second are one over the mean time of a sync".to_owned(),
        ],
    };
    found.read(flush.words());
    found.flushes.push(flush);
    Ok(found)
}

/// The percentiles by the buckets, and the mean; `None` where they are no times.
fn latency(histogram: &Histogram, mean_seconds: f64) -> Option<Latency> {
    let at = |q: f64| histogram.quantile(q).map(|found| 1e3 * found.ms).filter(|us| usable(*us));
    Some(Latency {
        mean: 1e6 * mean_seconds,
        p50: at(0.5)?,
        p90: at(0.9)?,
        p99: at(0.99)?,
        p99_5: at(0.995)?,
        p99_9: at(0.999)?,
        p99_95: at(0.9995)?,
        p99_99: at(0.9999)?,
        max: 0.0,
    })
}

/// Says between which times the 99th percentile is, which is all that is known for certain.
fn bucket_of_p99(histogram: &Histogram, found: &mut Found) {
    let Some(p99) = histogram.quantile(0.99) else { return };
    let low = micros(1e3 * p99.bucket_ms.0);
    found.assume(match p99.bucket_ms.1 {
        Some(high) => format!(
            "times are spread evenly over a bucket: the 99th percentile, {}, is between {low} and {}",
            micros(1e3 * p99.ms),
            micros(1e3 * high)
        ),
        None => format!("the 99th percentile is {low}: it is longer, and the histogram ends there"),
    });
}

/// The number behind a name without labels.
fn value(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# TYPE etcd_disk_wal_fsync_duration_seconds histogram\n\
        etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.001\"} 200\n\
        etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.002\"} 900\n\
        etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.004\"} 1000\n\
        etcd_disk_wal_fsync_duration_seconds_bucket{le=\"+Inf\"} 1000\n\
        etcd_disk_wal_fsync_duration_seconds_sum 1.5\n\
        etcd_disk_wal_fsync_duration_seconds_count 1000\n\
        etcd_disk_wal_write_bytes_total 500000\n\
        etcd_server_version{server_version=\"3.4.23\"} 1\n";

    #[test]
    fn syncs_are_flushes_of_one_writer() {
        let found = read(TEXT, Path::new("m")).unwrap();
        let flush = &found.flushes[0];
        assert_eq!((flush.append_bytes, flush.commits, flush.seconds), (500, 1000, 1.5));
        assert!((flush.latency.mean - 1500.0).abs() < 1e-9);
        assert!((flush.latency.p99 - 3800.0).abs() < 1e-6);
        assert_eq!(found.file.version.as_deref(), Some("3.4.23"));
        assert!(found.file.assumed[0].ends_with("3.80 ms, is between 2.00 ms and 4.00 ms"));
    }

    #[test]
    fn what_is_not_told_is_assumed_aloud_skipped_or_refused() {
        let old = TEXT.replace("etcd_disk_wal_write_bytes_total", "etcd_other");
        let found = read(&old, Path::new("m")).unwrap();
        assert_eq!(found.flushes[0].append_bytes, 2300);
        assert!(found.file.assumed[1].starts_with("an append has 2300 bytes"));
        let few = TEXT.replace("200", "2").replace("900", "9").replace("1000", "10");
        assert!(read(&few, Path::new("m")).unwrap().file.skipped[0].starts_with("10 syncs"));
        let said = |text: &str| read(text, Path::new("m")).unwrap_err().to_string();
        assert!(said(&TEXT.replace("{le", "{member=\"a\",le")).contains("line 2: the buckets"));
        assert!(said(&TEXT.replace("_sum 1.5", "_sum 0")).contains("_sum is missing"));
    }
}
