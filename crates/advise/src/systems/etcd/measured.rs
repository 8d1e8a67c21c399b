//! What a running etcd measured of its disk, against what the profile says of it.

use super::verdict::{LIMIT_MS, alone, p99_ms};
use crate::lint::finding;
use crate::{Config, Drive, Finding, Value, Verdict};

/// The 99th percentile of the histogram that etcd's metrics have, as [`crate::containers`] reads it.
const KEY: &str = "etcd_disk_wal_fsync_duration_seconds p99";

/// Buckets of the histogram double in size, so a percentile is known within this factor.
const BUCKET: f64 = 2.0;

/// Whether etcd's own measurement keeps its limit; `None` where the configuration is none.
pub(super) fn found(config: &Config, drive: &Drive) -> Option<Finding> {
    let entry = config.last(KEY)?;
    let ms: f64 = entry.value.strip_suffix(" ms")?.parse().ok()?;
    let limit = format!("etcd's limit is {LIMIT_MS} ms");
    let against = match alone(drive) {
        Ok((_, point)) => against(ms, p99_ms(point)),
        Err(_) => "the profile has no experiment fsync to compare it with".to_owned(),
    };
    let verdict = if ms < LIMIT_MS { Verdict::Fits } else { Verdict::TooHigh };
    Some(Finding {
        advised: Some(Value::Seconds(LIMIT_MS / 1e3)),
        times: Some((ms / LIMIT_MS).max(1.0)),
        ..finding(entry, verdict, format!("{limit}; {against}"))
    })
}

fn against(ms: f64, predicted: f64) -> String {
    let times = ms / predicted;
    if times > BUCKET {
        format!(
            "the profile predicts {predicted:.2} ms for one writer, {times:.1} times less: other programs \
             use the disk, or it is not the one that was profiled"
        )
    } else if times < 1.0 / BUCKET {
        format!(
            "the profile predicts {predicted:.2} ms for one writer, {:.1} times more: the disk is faster \
             than the one that was profiled",
            1.0 / times
        )
    } else {
        format!("the profile predicts {predicted:.2} ms for one writer, which is about that")
    }
}
