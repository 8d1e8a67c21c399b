//! What a run of the emulator leaves: how much was asked of the drive, and how honest the answers were.

use std::collections::BTreeMap;
use std::path::Path;

use leadline_device::format_size;
use leadline_files::FileError;
use leadline_sim::CacheCounters;
use leadline_trace::capture::CaptureSummary;
use serde::{Deserialize, Serialize};

use crate::counters::{Overshoot, Traffic};
use crate::survivors::PowerCut;

/// Late answers of this share or more mean that the machine could not keep up, unless they are few.
pub const MOST_LATE: f64 = 0.05;

/// So few late answers say nothing.
pub(crate) const FEW_LATE: u64 = 10;

/// Processors that the programs may keep busy before a slowed device's ratios are in doubt.
pub const MOST_CPU: f64 = 0.10;

/// The state of an emulated drive, and at its end the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// `leadline.emulate/1`.
    pub schema: String,
    /// As it was named.
    pub device: String,
    /// How many times as long everything takes.
    pub slowdown: f64,
    /// Since the mount.
    pub seconds: f64,
    /// Requests that were answered: reads, writes and syncs.
    pub requests: u64,
    /// Those later than 20 us and than a twentieth of the device's time.
    pub late: u64,
    /// `late` of `requests`, 0 to 1.
    pub late_share: f64,
    /// Whether fewer than 5 % were late, or no more than 10.
    pub kept_up: bool,
    /// How late they were sent, in percentiles.
    pub overshoot_us: Overshoot,
    /// Upper bounds in microseconds, and the answers up to each.
    pub overshoot_histogram: Vec<(f64, u64)>,
    /// What the kernel and FUSE take before the drive has a request; taken off.
    pub way_in_us: f64,
    /// The same after a pause, when threads and processors sleep.
    pub way_in_after_pause_us: f64,
    /// What they take until the program has the answer; taken off.
    pub way_out_us: f64,
    /// The same after a pause.
    pub way_out_after_pause_us: f64,
    /// Processors that the programs kept busy, 1 being one all of the time; absent before it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Reads, writes, syncs and bytes.
    #[serde(flatten)]
    pub traffic: Traffic,
    /// What the block cache of a cached device has done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheCounters>,
    /// What is on the fast part of a placed device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fast_part: Option<FastPart>,
    /// How often each kind of fault has happened.
    pub faults: BTreeMap<String, u64>,
    /// Power cuts, in order.
    pub power_cuts: Vec<CutRecord>,
    /// The trace that was being recorded when the drive was unmounted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<CaptureSummary>,
}

/// The fast part of a placed device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FastPart {
    /// Bytes that it has.
    pub bytes: u64,
    /// Bytes that files have there.
    pub used_bytes: u64,
    /// Bytes that files were given on the slow part for want of room, although they belong on the fast one.
    pub spilled_bytes: u64,
}

/// A power cut, and when it was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CutRecord {
    /// Seconds since the mount.
    pub at_s: f64,
    /// What it did.
    #[serde(flatten)]
    pub cut: PowerCut,
}

impl Report {
    /// The present version of the schema.
    pub const SCHEMA: &'static str = "leadline.emulate/1";

    /// As indented JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Writes it as JSON; the file appears whole or not at all.
    ///
    /// # Errors
    /// [`FileError`] names the file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        leadline_files::replace(path.as_ref(), self.to_json().as_bytes())
    }

    /// The run in a few lines; the first says whether to believe it.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let late = format!(
            "{} of {} answers were late ({:.2} %)",
            self.late,
            self.requests,
            100.0 * self.late_share
        );
        lines.push(if self.kept_up {
            format!("kept up: {late}")
        } else {
            format!(
                "did NOT keep up: {late}; times on the mount are this machine's, not the device's; use \
                 a slowdown, fewer requests at once, or a faster backing disk"
            )
        });
        let Overshoot { p50, p99, p99_9, .. } = self.overshoot_us;
        lines.push(format!(
            "answers after their time: median {p50:.0} us, p99 {p99:.0} us, p99.9 {p99_9:.0} us; taken off for \
             kernel and FUSE: {:.1} us, after a pause {:.1} us",
            self.way_in_us + self.way_out_us,
            self.way_in_after_pause_us + self.way_out_after_pause_us
        ));
        if let Some(share) = self.cpu_share {
            let doubt = if self.slowdown > 1.0 && share > MOST_CPU {
                "; a slowdown does not stretch that, so ratios to the device's time differ from a run \
                 without it"
            } else {
                ""
            };
            lines.push(format!("programs on the mount: {:.0} % of a processor{doubt}", 100.0 * share));
        }
        if let Some(cache) = self.cache
            && let Some(hits) = cache.hit_share()
        {
            lines.push(format!(
                "block cache: {:.1} % of {} blocks read were in it; {} were taken in, {} made room",
                100.0 * hits,
                cache.hits + cache.misses,
                cache.admissions,
                cache.evictions
            ));
        }
        if let Some(FastPart { bytes, used_bytes, spilled_bytes }) = self.fast_part {
            let spilled = match spilled_bytes {
                0 => String::new(),
                bytes => format!("; {} that belong there had no room", format_size(bytes)),
            };
            let (used, all) = (format_size(used_bytes), format_size(bytes));
            lines.push(format!("fast device: files have {used} of {all}{spilled}"));
        }
        if !self.faults.is_empty() {
            let faults: Vec<String> =
                self.faults.iter().map(|(kind, times)| format!("{times} x {kind}")).collect();
            lines.push(format!("faults: {}", faults.join(", ")));
        }
        if let Some(trace) = self.trace {
            lines.push(format!(
                "trace: {} requests to {} files, {} bytes",
                trace.events, trace.files, trace.bytes
            ));
        }
        lines
    }
}
