//! What `buffer` found: latency of pages that were read before, over how many pages there are.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, POSITIVE, SHARE, check, first, impossible_procedure, named, positive,
    share,
};
use crate::Procedure;

const ASCENDING: &str = "must be an ascending pair of sizes or null";
const POSITIVE_OR_NULL: &str = "must be a positive number or null";
const SHARE_OR_NULL: &str = "must be from 0 to 1 or null";

/// Random reads of regions of growing size, each region read several times in the same order. A drive with a
/// read buffer answers the passes after the first from it, as long as the region fits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Buffer {
    /// How it was measured.
    pub procedure: Procedure,
    /// Bytes per request.
    pub block_bytes: u32,
    /// How often each region was read.
    pub passes: u32,
    /// Whether pages that were read before are answered faster.
    pub detected: bool,
    /// Probability of such a difference between first and later reads where there is no buffer, by exchanging
    /// first and later reads at random.
    pub p_value: f64,
    /// How far the latencies of pages that were just read are from other pages', 0 to 1: the largest
    /// difference between the shares that are shorter than some latency.
    pub distance: f64,
    /// Size of the buffer, bytes: the geometric mean of `buffer_ci`; `null` where there is none, or where it
    /// was not exceeded.
    pub buffer_bytes: Option<f64>,
    /// The largest region of which all is held from one pass to the next, and the smallest of which less than
    /// half is; bytes.
    pub buffer_ci: Option<[f64; 2]>,
    /// The largest size, where the buffer held all of it; bytes.
    pub at_least_bytes: Option<u64>,
    /// Mean latency of a page that is in the buffer; `null` where none was found.
    pub fast_us: Option<f64>,
    /// Mean latency of a page that is not in it: of all first reads.
    pub slow_us: f64,
    /// Ascending in `size_bytes`.
    pub points: Vec<BufferPoint>,
}

/// The timed reads of regions of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BufferPoint {
    /// Bytes of a region.
    pub size_bytes: u64,
    /// Reads timed, of all passes.
    pub reads: u64,
    /// 30th percentile of all passes.
    pub p30_us: f64,
    /// 40th percentile of all passes.
    pub p40_us: f64,
    /// Mean of all passes.
    pub mean_us: f64,
    /// Mean of the first pass.
    pub first_mean_us: f64,
    /// Mean of the later passes.
    pub later_mean_us: f64,
    /// Share of the region that a pass leaves in the buffer until the next; `null` where none was found.
    #[serde(default)]
    pub held_share: Option<f64>,
}

impl Buffer {
    /// Bytes that it holds at least: the buffer's size, or the largest size that was tried; 0 where there is
    /// none.
    pub fn held_bytes(&self) -> u64 {
        self.buffer_bytes.map(|bytes| bytes as u64).or(self.at_least_bytes).unwrap_or(0)
    }
}

impl Record for Buffer {
    fn impossible(&self) -> Option<Impossible> {
        let ascending = |[low, high]: [f64; 2]| 0.0 < low && low <= high && high.is_finite();
        let bad = check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)
            .or_else(|| check(self.passes > 0, "passes", AT_LEAST_ONE))
            .or_else(|| check(share(self.p_value), "p_value", SHARE))
            .or_else(|| check(share(self.distance), "distance", SHARE))
            .or_else(|| check(self.buffer_bytes.is_none_or(positive), "buffer_bytes", POSITIVE_OR_NULL))
            .or_else(|| check(self.buffer_ci.is_none_or(ascending), "buffer_ci", ASCENDING))
            .or_else(|| check(self.fast_us.is_none_or(positive), "fast_us", POSITIVE_OR_NULL))
            .or_else(|| check(positive(self.slow_us), "slow_us", POSITIVE));
        impossible_procedure(&self.procedure)
            .or_else(|| named(bad))
            .or_else(|| first("points", &self.points, |point| named(point.bad())))
    }
}

impl BufferPoint {
    fn bad(&self) -> Option<BadField> {
        check(self.size_bytes > 0, "size_bytes", AT_LEAST_ONE)
            .or_else(|| check(self.reads > 0, "reads", AT_LEAST_ONE))
            .or_else(|| check(positive(self.p30_us), "p30_us", POSITIVE))
            .or_else(|| check(positive(self.p40_us), "p40_us", POSITIVE))
            .or_else(|| check(positive(self.mean_us), "mean_us", POSITIVE))
            .or_else(|| check(positive(self.first_mean_us), "first_mean_us", POSITIVE))
            .or_else(|| check(positive(self.later_mean_us), "later_mean_us", POSITIVE))
            .or_else(|| check(self.held_share.is_none_or(share), "held_share", SHARE_OR_NULL))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    fn sample() -> DeviceProfile {
        let point = BufferPoint {
            size_bytes: 1 << 20,
            reads: 768,
            p30_us: 10.0,
            p40_us: 10.5,
            mean_us: 37.0,
            first_mean_us: 90.0,
            later_mean_us: 10.5,
            held_share: Some(1.0),
        };
        let buffer = Buffer {
            block_bytes: 4096,
            passes: 3,
            detected: true,
            p_value: 0.001,
            distance: 0.98,
            buffer_bytes: Some(1.2e6),
            buffer_ci: Some([1.1e6, 1.3e6]),
            fast_us: Some(10.5),
            slow_us: 90.0,
            points: vec![point.clone(), point],
            ..Buffer::default()
        };
        let experiments = Experiments { buffer: Some(buffer), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_it_was_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        let cases = [
            ("buffer/block_bytes", json!(0), "buffer.block_bytes"),
            ("buffer/passes", json!(0), "buffer.passes"),
            ("buffer/p_value", json!(1.5), "buffer.p_value"),
            ("buffer/distance", json!(-0.5), "buffer.distance"),
            ("buffer/buffer_bytes", json!(0.0), "buffer.buffer_bytes"),
            ("buffer/buffer_ci", json!([2.0, 1.0]), "buffer.buffer_ci"),
            ("buffer/fast_us", json!(-1.0), "buffer.fast_us"),
            ("buffer/slow_us", json!(0.0), "buffer.slow_us"),
            ("buffer/points/1/size_bytes", json!(0), "buffer.points[1].size_bytes"),
            ("buffer/points/1/reads", json!(0), "buffer.points[1].reads"),
            ("buffer/points/0/p30_us", json!(0.0), "buffer.points[0].p30_us"),
            ("buffer/points/0/p40_us", json!(0.0), "buffer.points[0].p40_us"),
            ("buffer/points/0/mean_us", json!(-1.0), "buffer.points[0].mean_us"),
            ("buffer/points/0/first_mean_us", json!(-1.0), "buffer.points[0].first_mean_us"),
            ("buffer/points/0/later_mean_us", json!(0.0), "buffer.points[0].later_mean_us"),
            ("buffer/points/0/held_share", json!(1.1), "buffer.points[0].held_share"),
            ("buffer/procedure/measured_seconds", json!(-1.0), "buffer.procedure.measured_seconds"),
        ];
        assert_refused(&sample(), cases);
    }
}
