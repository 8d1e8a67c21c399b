//! How many pages per second InnoDB may flush on a device.

use leadline_model::Estimate;
use leadline_profile::{DurableWrites, DurableWritesPoint};

/// Bytes of a page.
pub(super) const PAGE_BYTES: f64 = 16384.0;

/// What is left of `writes` when each page is written to the doublewrite area as well, in sequence: a page
/// takes one random durable write and its length of the sequential bandwidth. Where that is not known, the
/// page counts twice.
pub(super) fn with_doublewrite(writes: Estimate, sequential_bandwidth: Option<f64>) -> Estimate {
    let pages = |rate: f64| match sequential_bandwidth {
        Some(bandwidth) => 1.0 / (1.0 / rate + PAGE_BYTES / bandwidth),
        None => rate / 2.0,
    };
    Estimate { value: pages(writes.value), ci: writes.ci.map(pages) }
}

/// The 99th percentile of reads that nothing disturbs, microseconds.
pub(super) fn p99_at_rest(found: &DurableWrites) -> Option<f64> {
    found.points.first().filter(|point| point.write_share == 0.0).map(|point| point.latency_us.p99)
}

/// All that the device can make durable.
pub(super) fn capacity(found: &DurableWrites) -> Estimate {
    let value = found.capacity_writes_per_second;
    Estimate::of(value, found.capacity_ci.unwrap_or([value; 2]))
}

/// Durable writes per second up to which the 99th percentile of reads stays within a limit: where the
/// logarithm of the percentile, drawn as a straight line from the last rate at which it did to the first at
/// which it did not, crosses the limit. Those two are the interval. `None` where reads alone exceed it.
pub(super) fn beside_reads(found: &DurableWrites, limit_us: f64) -> Option<Estimate> {
    let within = |p: &DurableWritesPoint| p.latency_us.p99 <= limit_us && !p.fell_behind;
    let last = found.points.iter().take_while(|p| within(p)).count().checked_sub(1)?;
    let last = &found.points[last];
    let low = last.writes_per_second;
    let Some(beyond) = found.points.iter().find(|p| !within(p)) else {
        return Some(Estimate::of(low, [low, found.capacity_writes_per_second]));
    };
    let high = beyond.writes_per_second.max(low);
    let [from, to, at] = [last.latency_us.p99, beyond.latency_us.p99, limit_us].map(f64::ln);
    // Where the device fell behind, its percentile does not say how far it would have got.
    let share =
        if beyond.fell_behind || to <= from { 0.0 } else { ((at - from) / (to - from)).clamp(0.0, 1.0) };
    Some(Estimate::of(low + share * (high - low), [low, high]))
}

#[cfg(test)]
mod tests {
    use leadline_profile::Latency;

    use super::*;

    /// Reads take 100 us, and twice that with every quarter of the capacity that is written.
    fn found() -> DurableWrites {
        let point = |quarters: u32| DurableWritesPoint {
            write_share: f64::from(quarters) / 4.0,
            writes_per_second: f64::from(quarters) * 1000.0,
            ops: 1000,
            latency_us: Latency { p99: 100.0 * f64::from(1 << quarters), ..Latency::default() },
            ..DurableWritesPoint::default()
        };
        DurableWrites {
            block_bytes: 16384,
            capacity_concurrency: 16,
            capacity_writes_per_second: 4000.0,
            capacity_ci: Some([3900.0, 4100.0]),
            points: (0..=3).map(point).collect(),
            ..DurableWrites::default()
        }
    }

    #[test]
    fn the_limit_is_crossed_between_two_rates() {
        let at = |limit| beside_reads(&found(), limit);
        let rate = |value, low, high| Some(Estimate { value, ci: [low, high] });
        assert_eq!(at(200.0), rate(1000.0, 1000.0, 2000.0), "as measured");
        let half_way = at(200.0 * 2_f64.sqrt()).unwrap();
        assert!((half_way.value - 1500.0).abs() < 1e-9, "{half_way:?}");
        assert_eq!(at(1e6), rate(3000.0, 3000.0, 4000.0), "never exceeded");
        assert_eq!(at(99.0), None, "reads alone take longer");
    }

    #[test]
    fn a_device_that_falls_behind_is_not_taken_to_that_rate() {
        let mut found = found();
        found.points[2].fell_behind = true;
        assert_eq!(beside_reads(&found, 1e6).unwrap().value, 1000.0);
    }

    #[test]
    fn a_page_is_written_twice() {
        let rate = Estimate::of(1000.0, [900.0, 1100.0]);
        let slow = with_doublewrite(rate, Some(16384.0 * 1000.0));
        assert!((slow.value - 500.0).abs() < 1e-9, "{slow:?}");
        assert!(with_doublewrite(rate, Some(1e12)).value > 999.0);
        assert_eq!(with_doublewrite(rate, None).ci[1], 550.0);
    }

    #[test]
    fn at_rest_is_the_point_without_writes() {
        assert_eq!(p99_at_rest(&found()), Some(100.0));
        let mut without = found();
        without.points.remove(0);
        assert_eq!(p99_at_rest(&without), None);
    }
}
