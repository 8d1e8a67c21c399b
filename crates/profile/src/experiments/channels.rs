//! What `channels` found: how many channels are busy with that many requests, thrown at once and in a stream.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, NOT_NEGATIVE, PAIR, POSITIVE, ascending, check, first,
    impossible_procedure, named, not_negative, positive, under,
};
use crate::Procedure;

/// Random reads, that many at once and that many in a stream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Channels {
    /// How they were measured.
    pub procedure: Procedure,
    /// Bytes per read.
    pub block_bytes: u32,
    /// Median latency of one read alone, microseconds.
    pub alone_us: f64,
    /// Time in which completions of a burst are counted, microseconds: in less of it than this hardly any
    /// channel serves two reads.
    pub window_us: f64,
    /// Variance of the latency of one read alone / its mean squared.
    pub variation: f64,
    /// Ascending in `requests`; empty where no read alone was done within the window.
    pub points: Vec<ChannelsPoint>,
    /// The channels that explain both curves best; absent where too little was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<ChannelsFit>,
}

/// That many requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelsPoint {
    /// Thrown at once, or kept in flight.
    pub requests: u32,
    /// Bursts of that many at once.
    pub bursts: u64,
    /// Channels that worked on the first reads of a burst: reads done within the window / reads done in a
    /// burst of one.
    pub busy_at_once: f64,
    /// Its 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub busy_at_once_ci: Option<[f64; 2]>,
    /// Throughput with that many in flight all the time, reads per second.
    pub iops: f64,
    /// The same as a multiple of that with one.
    pub speedup: f64,
    /// Its 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub speedup_ci: Option<[f64; 2]>,
}

/// How requests find a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelPlacement {
    /// Each goes to the channel that its address has, as good as at random.
    Hashed,
    /// Each goes to any channel that is free.
    Any,
}

/// A number of channels, and how well it explains what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelsFit {
    /// How many.
    pub channels: u32,
    /// The 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub channels_ci: Option<[f64; 2]>,
    /// How requests find one: the better of the two.
    pub placement: ChannelPlacement,
    /// Share of the latency of one read that is service by a channel, above 0 and at most 1.
    pub service_share: f64,
    /// Variance of the service time / its mean squared.
    pub variation: f64,
    /// Root of the mean squared error of the logarithms of both curves.
    pub error: f64,
    /// The same of the other placement's best number of channels.
    pub other_error: f64,
    /// Whether many more channels would explain both curves as well: something else ends them.
    #[serde(default)]
    pub lower_bound: bool,
    /// Most channels that were seen busy at once; the law of bursts ends there, whatever limits it.
    pub highest_busy: f64,
    /// Highest speed-up that was measured; the stream's law ends there, whatever limits it.
    pub highest_speedup: f64,
}

impl Channels {
    /// The most requests of any point; 0 without points.
    pub fn most_requests(&self) -> u32 {
        self.points.iter().map(|point| point.requests).max().unwrap_or(0)
    }
}

impl Record for Channels {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| named(check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
            .or_else(|| named(check(positive(self.alone_us), "alone_us", POSITIVE)))
            .or_else(|| named(check(positive(self.window_us), "window_us", POSITIVE)))
            .or_else(|| named(check(not_negative(self.variation), "variation", NOT_NEGATIVE)))
            .or_else(|| first("points", &self.points, |point| named(point.bad())))
            .or_else(|| under("fit", named(self.fit.as_ref().and_then(ChannelsFit::bad))))
    }
}

impl ChannelsPoint {
    fn bad(&self) -> Option<BadField> {
        check(self.requests > 0, "requests", AT_LEAST_ONE)
            .or_else(|| check(not_negative(self.busy_at_once), "busy_at_once", NOT_NEGATIVE))
            .or_else(|| check(self.busy_at_once_ci.is_none_or(ascending), "busy_at_once_ci", PAIR))
            .or_else(|| check(positive(self.iops), "iops", POSITIVE))
            .or_else(|| check(positive(self.speedup), "speedup", POSITIVE))
            .or_else(|| check(self.speedup_ci.is_none_or(ascending), "speedup_ci", PAIR))
    }
}

impl ChannelsFit {
    fn bad(&self) -> Option<BadField> {
        let share = positive(self.service_share) && self.service_share <= 1.0;
        check(self.channels > 0, "channels", AT_LEAST_ONE)
            .or_else(|| check(self.channels_ci.is_none_or(ascending), "channels_ci", PAIR))
            .or_else(|| check(share, "service_share", "must be above 0 and at most 1"))
            .or_else(|| check(not_negative(self.variation), "variation", NOT_NEGATIVE))
            .or_else(|| check(not_negative(self.error), "error", NOT_NEGATIVE))
            .or_else(|| check(not_negative(self.other_error), "other_error", NOT_NEGATIVE))
            .or_else(|| check(positive(self.highest_busy), "highest_busy", POSITIVE))
            .or_else(|| check(positive(self.highest_speedup), "highest_speedup", POSITIVE))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    fn sample() -> DeviceProfile {
        let point = |requests| ChannelsPoint {
            requests,
            bursts: 100,
            busy_at_once: 1.0,
            busy_at_once_ci: Some([0.9, 1.1]),
            iops: 1e4,
            speedup: 1.0,
            speedup_ci: None,
        };
        let channels = Channels {
            block_bytes: 4096,
            alone_us: 80.0,
            window_us: 100.0,
            variation: 0.01,
            points: vec![point(1), point(2)],
            fit: Some(ChannelsFit {
                channels: 16,
                channels_ci: Some([15.0, 17.0]),
                placement: ChannelPlacement::Hashed,
                service_share: 0.9,
                variation: 0.01,
                error: 0.02,
                other_error: 0.3,
                lower_bound: false,
                highest_busy: 16.0,
                highest_speedup: 16.0,
            }),
            ..Channels::default()
        };
        let experiments = Experiments { channels: Some(channels), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        assert_refused(
            &sample(),
            [
                ("channels/window_us", json!(0.0), "channels.window_us"),
                ("channels/points/1/requests", json!(0), "channels.points[1].requests"),
                (
                    "channels/points/0/busy_at_once_ci",
                    json!([2.0, 1.0]),
                    "channels.points[0].busy_at_once_ci",
                ),
                ("channels/points/1/speedup", json!(0.0), "channels.points[1].speedup"),
                ("channels/fit/channels", json!(0), "channels.fit.channels"),
                ("channels/fit/service_share", json!(1.1), "channels.fit.service_share"),
            ],
        );
    }
}
