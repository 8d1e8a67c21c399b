//! The reads of one page as the profile has them: what they say, and enough of them to be drawn.

use leadline_profile::{Detectable, DisturbSeries};

use super::period::Periodicity;
use crate::load::Recorder;
use crate::summary::latency;

/// Entries of a series that are kept.
const STRETCHES: usize = 1000;

/// Single reads that are kept: that many periods, within these bounds.
const EXCERPT_PERIODS: f64 = 8.0;
const SHORTEST_EXCERPT: usize = 240;
const LONGEST_EXCERPT: usize = 1200;

/// Latencies in the order of the reads, microseconds, and what they say; not empty.
pub(super) fn series(us: &[f64], seconds: f64, found: Periodicity) -> DisturbSeries {
    let mut recorder = Recorder::new();
    us.iter().for_each(|us| recorder.record((us * 1e3).round() as u64));
    let stretch = us.len().div_ceil(STRETCHES).max(1);
    let mean_and_longest = |of: &[f64]| {
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        (to_nanosecond(mean), of.iter().copied().fold(0.0, f64::max))
    };
    let period = found.size.map(|size| size.period);
    let first = excerpt_begin(us, period);
    let length = period.map_or(0, |period| (EXCERPT_PERIODS * period) as usize);
    let end = us.len().min(first + length.clamp(SHORTEST_EXCERPT, LONGEST_EXCERPT));
    DisturbSeries {
        reads: us.len() as u64,
        seconds,
        latency_us: latency(&recorder, recorder.mean() / 1e3),
        detected: found.size.is_some(),
        p_value: found.p_value,
        period_reads: period,
        period_ci: found.size.map(|size| size.period_ci),
        penalty_us: found.size.map(|size| size.penalty),
        penalty_ci: found.size.map(|size| size.penalty_ci),
        detection_probability: found.detection_probability,
        detectable: found
            .detectable
            .iter()
            .map(|&(period_reads, penalty_us)| Detectable { period_reads, penalty_us })
            .collect(),
        stretch_reads: stretch as u32,
        stretches: us.chunks(stretch).map(mean_and_longest).collect(),
        excerpt_first: first as u64,
        excerpt_us: us[first..end].to_vec(),
        lag_reads: found.correlation.cell as u32,
        correlation: found.correlation.values.iter().map(|r| (r * 1e5).round() / 1e5).collect(),
    }
}

/// Where the excerpt begins: right after a slow read, as the paper's figure 10 does; at first where there is
/// no period.
fn excerpt_begin(us: &[f64], period: Option<f64>) -> usize {
    let Some(period) = period else { return 0 };
    let slowest = |of: &[f64]| of.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i);
    let length = (period.ceil() as usize).min(us.len());
    slowest(&us[..length]) + 1
}

fn to_nanosecond(us: f64) -> f64 {
    (us * 1e3).round() / 1e3
}
