//! Processor time of a process, with all of its threads.

use std::fs;

use rustix::param::clock_ticks_per_second;

/// Seconds that a process has used, user and system; 0 where it is gone.
pub(super) fn seconds(process: &str) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in parentheses, may have spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    ticks as f64 / clock_ticks_per_second() as f64
}
