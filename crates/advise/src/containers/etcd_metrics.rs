//! What etcd's `/metrics` say: how long its disk took to make appends durable.

use leadline_profile::Histogram;

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
    match p99(source.text) {
        Some((line, ms)) => found.put(KEY, &format!("{ms:.3} ms"), line),
        None => found.note(at + 1, &format!("there is no histogram {HISTOGRAM}, so nothing was measured")),
    }
    Ok(Some(vec![found]))
}

/// The 99th percentile, milliseconds, and the line of the first bucket.
fn p99(text: &str) -> Option<(usize, f64)> {
    let first = format!("{HISTOGRAM}_bucket");
    let at = text.lines().position(|line| line.starts_with(&first))?;
    Some((at + 1, Histogram::read(text, HISTOGRAM)?.quantile(0.99)?.ms))
}
