//! What iotune has been seen to write: rates of the wrong requests, and rates that do not last.

use leadline_profile::{OpKind, Pattern};

use super::file::memory_size;
use crate::lint::finding;
use crate::{Advice, Config, Drive, Entry, Finding, Value, Verdict};

/// The length of the requests that iotune once took for random ones of 4K (scylla-machine-image, pull request
/// 961: three kinds of machines, whose true rates were 60 times as high).
const MISTAKEN_BYTES: f64 = 262_144.0;

/// How near a rate must be to a known bad one.
const NEAR: f64 = 0.02;

/// By how much a rate must differ from what is true to be said to be wrong.
const APART: f64 = 1.25;

const SMALL: u32 = 4096;

pub(super) fn findings(config: &Config, advice: &Advice, drive: &Drive) -> Vec<Finding> {
    let mut findings = Vec::new();
    for entry in &config.entries {
        findings.extend(wrong_requests(config, advice, drive, entry));
        findings.extend(burst(advice, drive, entry));
        findings.extend(zero(entry));
        findings.extend(shared(advice, entry));
    }
    findings
}

/// `read_iops` or `write_iops` that is the bandwidth in requests of 256 KiB, on a disk that does more small
/// ones.
fn wrong_requests(config: &Config, advice: &Advice, drive: &Drive, entry: &Entry) -> Option<Finding> {
    let (op, other) = match entry.key.as_str() {
        "read_iops" => (OpKind::Read, "read_bandwidth"),
        "write_iops" => (OpKind::Write, "write_bandwidth"),
        _ => return None,
    };
    let is_other = |one: &&Entry| one.section == entry.section && one.key == other;
    let iops = memory_size(&entry.value)? as f64;
    let bandwidth = memory_size(&config.entries.iter().find(is_other)?.value)? as f64;
    let is_mistaken = (iops * MISTAKEN_BYTES / bandwidth - 1.0).abs() < NEAR;
    // A slow disk may really be like that.
    let measured = drive.plateau(op, Pattern::Random, SMALL).ok().map(|most| most.value);
    let advised = advice.setting(&entry.key).and_then(|setting| setting.value.number());
    let does_more = measured.or(advised).is_none_or(|most| most > 2.0 * iops);
    (is_mistaken && does_more).then(|| {
        let reason = format!(
            "is {other} / 262144: requests of 256 KiB were taken for small ones; run iotune with \
             --random-write-io-buffer-size and --random-read-io-buffer-size 4096, or take the rates advised"
        );
        Finding {
            advised: advice.setting(&entry.key).map(|setting| setting.value.clone()),
            ..finding(entry, Verdict::Meaningless, reason)
        }
    })
}

/// A rate that the device has only at first. One that fits is none, though it is more than lasts: of two
/// costs that add up, each alone may be less than what is measured.
fn burst(advice: &Advice, drive: &Drive, entry: &Entry) -> Option<Finding> {
    let found = memory_size(&entry.value)? as f64;
    if advice.setting(&entry.key).is_some_and(|setting| setting.fits.has(&Value::Number(found))) {
        return None;
    }
    let experiments = &drive.profile().experiments;
    let reason = match entry.key.as_str() {
        "read_iops" | "write_iops" => {
            let burst = experiments.burst.as_ref()?;
            let lasting = burst.baseline_iops?;
            (found > APART * lasting).then(|| {
                format!(
                    "the volume does {:.0} per second on credit, and {lasting:.0} when that is spent: the \
                     rate does not last",
                    burst.peak_iops
                )
            })?
        }
        "write_bandwidth" => {
            let load = experiments.sustained.as_ref()?.load(Pattern::Sequential)?;
            let (first, lasting) = (load.burst_bytes_per_second, load.sustained_bytes_per_second);
            (first > APART * lasting && found > APART * lasting).then(|| {
                format!(
                    "the drive writes {:.0} MB/s at first and sustains {:.0} MB/s: the rate is a burst",
                    first / 1e6,
                    lasting / 1e6
                )
            })?
        }
        _ => return None,
    };
    Some(finding(entry, Verdict::TooHigh, reason))
}

/// A rate with which Seastar does not start.
fn zero(entry: &Entry) -> Option<Finding> {
    let is_rate = entry.key.ends_with("_iops") || entry.key.ends_with("_bandwidth");
    (is_rate && memory_size(&entry.value) == Some(0))
        .then(|| finding(entry, Verdict::Invalid, "no rate may be zero: Seastar does not start with it"))
}

/// `duplex: true` on a disk that reads and writes share.
fn shared(advice: &Advice, entry: &Entry) -> Option<Finding> {
    let says_duplex = entry.key == "duplex" && entry.value.eq_ignore_ascii_case("true");
    let is_known = advice.setting("read_iops").is_some();
    (says_duplex && is_known && advice.setting("duplex").is_none()).then(|| {
        let reason =
            "reads and writes share this disk: with a budget each, twice as much is sent as it completes";
        finding(entry, Verdict::Wrong, reason)
    })
}
