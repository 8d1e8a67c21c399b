//! What etcd's `/metrics` say: how long its disk took to make appends durable.

use super::found::Found;
use super::source::Source;
use crate::{AdviseError, System};

const HISTOGRAM: &str = "etcd_disk_wal_fsync_duration_seconds";

/// The key under which the rules of etcd find the 99th percentile, milliseconds.
pub(super) const KEY: &str = "etcd_disk_wal_fsync_duration_seconds p99";

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let at =
        source.text.lines().position(|line| line.starts_with(HISTOGRAM) || line.starts_with("etcd_server_"));
    let Some(at) = at else { return Ok(None) };
    let evidence = format!("metrics of etcd, line {}", at + 1);
    let mut found = Found::new(System::Etcd, source.path, evidence);
    let version =
        source.text.lines().find_map(|line| line.strip_prefix("etcd_server_version{server_version=\""));
    found.config.version = version.and_then(|rest| rest.split('"').next()).map(str::to_owned);
    match quantile(source.text, 0.99) {
        Some((line, ms)) => found.put(KEY, &format!("{ms:.3} ms"), line),
        None => found.note(at + 1, &format!("there is no histogram {HISTOGRAM}, so nothing was measured")),
    }
    Ok(Some(vec![found]))
}

/// The quantile `q`, milliseconds, as Prometheus computes it, and the line of the first bucket.
fn quantile(text: &str, q: f64) -> Option<(usize, f64)> {
    let mut buckets: Vec<(usize, f64, f64)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Some(rest) = line.strip_prefix(HISTOGRAM).and_then(|rest| rest.strip_prefix("_bucket{")) else {
            continue;
        };
        let (labels, count) = rest.split_once('}')?;
        let bound = labels.split_once("le=\"")?.1.split('"').next()?;
        let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().ok()? };
        // A time may stand behind the count.
        buckets.push((at + 1, 1e3 * bound, count.split_whitespace().next()?.parse().ok()?));
    }
    let total = buckets.last().filter(|(_, bound, total)| bound.is_infinite() && *total > 0.0)?.2;
    let rank = q * total;
    let at = buckets.iter().position(|(_, _, count)| *count >= rank)?;
    let (_, bound, count) = buckets[at];
    let (low, before) = at.checked_sub(1).map_or((0.0, 0.0), |at| (buckets[at].1, buckets[at].2));
    let ms = match bound.is_finite() {
        true => {
            low + (bound - low) * ((rank - before) / (count - before).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
        }
        false => low,
    };
    Some((buckets[0].0, ms))
}
