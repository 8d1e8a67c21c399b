//! What the charts of `buffer` and `read-disturb` draw, with the paper's numbers.

use leadline_profile::{Buffer, BufferPoint, DisturbSeries, ReadDisturb};
use serde::Serialize;

use super::chart_numbers::round;
use super::reference;
use crate::format::bytes;

/// `[bytes, p30, p40, mean, mean of the first pass]`, microseconds.
type SizeRow = (u64, f64, f64, f64, f64);

/// Latency over the size of what is read.
#[derive(Debug, Serialize)]
pub(super) struct BufferChart {
    points: Vec<SizeRow>,
    /// Size of the buffer and its ends, bytes.
    buffer: Option<(f64, f64, f64)>,
    reference: Vec<(&'static str, &'static str, f64)>,
}

/// The reads of one page, with nothing and with others between.
#[derive(Debug, Serialize)]
pub(super) struct DisturbChart {
    series: Vec<SeriesChart>,
    reference: Vec<(&'static str, f64, f64)>,
}

#[derive(Debug, Serialize)]
struct SeriesChart {
    /// What is read between.
    between: String,
    reads: u64,
    stretch: u32,
    /// `[mean, longest]` of so many reads each, microseconds.
    stretches: Vec<(f64, f64)>,
    /// Number of the first of the single reads, and their latencies.
    first: u64,
    excerpt: Vec<f64>,
    /// Reads between two lags.
    lag: u32,
    correlation: Vec<f64>,
    /// Reads, with the ends of the interval.
    period: Option<(f64, Option<f64>, Option<f64>)>,
    penalty: Option<f64>,
}

impl BufferChart {
    pub(super) fn new(found: &Buffer) -> BufferChart {
        let row = |p: &BufferPoint| {
            (p.size_bytes, round(p.p30_us), round(p.p40_us), round(p.mean_us), round(p.first_mean_us))
        };
        let ends = found.buffer_bytes.zip(found.buffer_ci);
        BufferChart {
            points: found.points.iter().map(row).collect(),
            buffer: ends.map(|(size, [low, high])| (round(size), round(low), round(high))),
            reference: reference::buffer(),
        }
    }
}

impl DisturbChart {
    pub(super) fn new(found: &ReadDisturb) -> DisturbChart {
        let mut series = vec![SeriesChart::new("nothing".to_owned(), &found.repeating)];
        let others = format!("{} of others", bytes(found.evicted_bytes));
        series.extend(found.evicting.iter().map(|evicting| SeriesChart::new(others.clone(), evicting)));
        DisturbChart { series, reference: reference::disturb() }
    }
}

impl SeriesChart {
    fn new(between: String, series: &DisturbSeries) -> SeriesChart {
        let stretch = |&(mean, longest): &(f64, f64)| (round(mean), round(longest));
        let (low, high) = series.period_ci.map(|[low, high]| (round(low), round(high))).unzip();
        SeriesChart {
            between,
            reads: series.reads,
            stretch: series.stretch_reads,
            stretches: series.stretches.iter().map(stretch).collect(),
            first: series.excerpt_first,
            excerpt: series.excerpt_us.iter().map(|&us| round(us)).collect(),
            lag: series.lag_reads,
            correlation: series.correlation.clone(),
            period: series.period_reads.map(|period| (round(period), low, high)),
            penalty: series.penalty_us.map(round),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tried_profile;

    #[test]
    fn a_page_has_both_series_and_the_size_with_its_ends() {
        let profile = tried_profile();
        let buffer = BufferChart::new(profile.experiments.buffer.as_ref().expect("measured"));
        let (size, low, high) = buffer.buffer.expect("found");
        assert!(low < size && size < high && buffer.points.is_sorted_by_key(|point| point.0));
        let disturb = DisturbChart::new(profile.experiments.read_disturb.as_ref().expect("measured"));
        let between: Vec<&str> = disturb.series.iter().map(|series| series.between.as_str()).collect();
        assert_eq!(between, ["nothing", "20.0 MiB of others"]);
        assert_eq!(disturb.series[0].period.map(|period| period.0), Some(30.0));
        assert_eq!(disturb.series[1].period, None);
    }
}
