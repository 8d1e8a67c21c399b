//! What `channels` shows: how many there are, busy channels and the laws, and the curves of both.

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{block, count, percent, range, significant, with_interval};
use leadline_model::channels::{Channels as Law, Placement};
use leadline_profile::{ChannelPlacement, Channels, ChannelsFit, ChannelsPoint};
use serde::Serialize;

use crate::experiment::figures::{Curve, Line, Measured, said, table};

/// Share of the channels that is worth keeping busy.
const BUSY: f64 = 0.95;

/// With a larger error than this no number of channels explains what was measured.
const EXPLAINS: f64 = 0.15;

/// The other way to place requests is told where its error is larger by more than this.
const TOLD: f64 = 0.02;

/// No stream that is asked about has more requests in flight.
const MOST_IN_FLIGHT: u32 = 65_536;

/// How many channels explain what was measured, how well, and what it takes to keep them busy.
pub(super) fn sentences(found: &Channels) -> Vec<String> {
    let Some(fit) = &found.fit else {
        return vec!["Too little was measured to tell how many channels there are.".to_owned()];
    };
    let ends = fit
        .channels_ci
        .map_or(String::new(), |ends| format!(" ({})", range(ends, |channels| format!("{channels:.0}"))));
    let [how, other] = match fit.placement {
        ChannelPlacement::Hashed => ["to which reads go by their address", "any free one would take a read"],
        ChannelPlacement::Any => {
            ["any free one of which takes a read", "reads went to them by their address"]
        }
    };
    let n = if fit.channels == 1 { "one channel".to_owned() } else { format!("{} channels", fit.channels) };
    let errors = [fit.error, fit.other_error].map(percent);
    if fit.error > EXPLAINS {
        return vec![format!(
            "No number of channels explains both curves: the best, {n}{ends}, misses them by {} on average.",
            errors[0]
        )];
    }
    if fit.lower_bound {
        return vec![format!(
            "The drive behaves like {n} or more: many more would explain the measurement as well, because \
             something else (software, a link, a cap) ends both curves. At once no more than {} were busy, \
             and throughput did not rise beyond {} times the throughput of one read at a time.",
            significant(fit.highest_busy),
            significant(fit.highest_speedup)
        )];
    }
    // Many channels that something else limits are as good as a few of which any is.
    let told = fit.other_error > fit.error + TOLD;
    let other = if told { format!(", and {} if {other}", errors[1]) } else { String::new() };
    let mut said = vec![format!(
        "The drive behaves like {n}{ends}, {how}: that is within {} of both curves on average{other}.",
        errors[0]
    )];
    said.push(needed(fit));
    if fit.service_share < 0.975 {
        said.push(format!(
            "Of the latency of one read, {} is work of a channel; the rest passes elsewhere, where nothing \
             queues.",
            percent(fit.service_share)
        ));
    }
    said
}

/// How many reads keep the channels busy, at once and in a stream.
fn needed(fit: &ChannelsFit) -> String {
    let n = fit.channels;
    match fit.placement {
        ChannelPlacement::Any => format!("{n} reads in flight keep all of them busy."),
        ChannelPlacement::Hashed => {
            let once = (1..=MOST_IN_FLIGHT)
                .find(|&m| law(fit).busy_at_once(m) >= BUSY * f64::from(n))
                .map_or("more than can be counted".to_owned(), |m| times(m, n));
            let stream = Law { service_share: 1.0, ..law(fit) }.needed(BUSY, MOST_IN_FLIGHT);
            let stream = stream.map_or("more than can be counted".to_owned(), |k| times(k, n));
            format!(
                "To give 95 % of them something to do takes {once} reads thrown at once (Papon and \
                 Athanassoulis, 2021, appendix A); to keep 95 % of them busy takes about {stream} at the \
                 channels all the time, since reads pile up on some while others run dry."
            )
        }
    }
}

/// `48 (3.0 n)`.
fn times(requests: u32, n: u32) -> String {
    format!("{requests} ({} n)", significant(f64::from(requests) / f64::from(n)))
}

/// The law that was fitted.
fn law(fit: &ChannelsFit) -> Law {
    Law {
        channels: fit.channels,
        placement: match fit.placement {
            ChannelPlacement::Hashed => Placement::Hashed,
            ChannelPlacement::Any => Placement::Any,
        },
        service_share: fit.service_share,
        variation: fit.variation,
    }
}

/// What the fit says of that many requests.
struct Laws {
    law: Law,
    /// With 1, 2, ... in a stream, as far as channels alone limit it.
    speedups: Vec<f64>,
    /// The highest that was measured, at once and in a stream.
    limits: [f64; 2],
}

impl Laws {
    /// For 1 to `most` requests.
    fn new(fit: &ChannelsFit, most: u32) -> Laws {
        Laws {
            law: law(fit),
            speedups: law(fit).speedups(most),
            limits: [fit.highest_busy, fit.highest_speedup],
        }
    }

    /// Channels busy when that many are thrown at once, up to the most that were seen busy.
    fn at_once(&self, requests: u32) -> f64 {
        self.at_once_unlimited(requests).min(self.limits[0])
    }

    /// The same if all reads got to the drive at the same moment.
    fn at_once_unlimited(&self, requests: u32) -> f64 {
        self.law.busy_at_once(requests)
    }

    /// Throughput with that many in a stream as a multiple of one's, up to the highest that was measured.
    fn in_a_stream(&self, requests: u32) -> f64 {
        self.unlimited(requests).min(self.limits[1])
    }

    /// The same if nothing but channels limited it.
    fn unlimited(&self, requests: u32) -> f64 {
        let last = self.speedups.len().saturating_sub(1);
        let at = (requests as usize).saturating_sub(1).min(last);
        self.speedups.get(at).copied().unwrap_or(0.0)
    }
}

pub(super) fn text(found: &Channels) -> Vec<Part> {
    let mut out: Vec<Part> = sentences(found).into_iter().map(said).collect();
    let laws = found.fit.as_ref().map(|fit| Laws::new(fit, found.most_requests()));
    let row = |point: &ChannelsPoint| -> Line {
        let law = |of: fn(&Laws, u32) -> f64| laws.as_ref().map(|laws| significant(of(laws, point.requests)));
        let cells = vec![
            Some(with_interval(point.busy_at_once, point.busy_at_once_ci, significant)),
            law(Laws::at_once),
            Some(count(point.iops)),
            Some(with_interval(point.speedup, point.speedup_ci, significant)),
            law(Laws::in_a_stream),
        ];
        (point.requests.to_string(), cells)
    };
    let title = format!(
        "Random reads of {}: channels busy with k reads sent at once, and throughput in a stream of k \
         reads, as a multiple of one's",
        block(found.block_bytes)
    );
    let head = ["busy at once", "law", "IOPS", "stream", "law"].map(str::to_owned).to_vec();
    out.push(table(&title, head, found.points.iter().map(row).collect()));
    out
}

/// Busy channels over requests, at once and in a stream, and the laws of both.
#[derive(Debug, Serialize)]
pub(super) struct ChannelsChart {
    /// `[requests, busy channels, low, high]`
    once: Vec<Measured>,
    /// `[requests, multiple of the throughput of one, low, high]`
    stream: Vec<Measured>,
    /// Channels of the fit.
    n: Option<u32>,
    /// The laws, up to what was measured.
    once_law: Curve,
    stream_law: Curve,
    /// And as far as channels alone limit them.
    once_unlimited: Curve,
    stream_unlimited: Curve,
}

impl ChannelsChart {
    /// `None` where there is nothing to draw.
    pub(super) fn new(found: &Channels) -> Option<ChannelsChart> {
        let most = found.most_requests();
        if most == 0 {
            return None;
        }
        let measured = |of: fn(&ChannelsPoint) -> (f64, Option<[f64; 2]>)| {
            let point = |point: &ChannelsPoint| {
                let (value, ends) = of(point);
                let (low, high) = ends.map(|[low, high]| (round(low), round(high))).unzip();
                (f64::from(point.requests), round(value), low, high)
            };
            found.points.iter().map(point).filter(|point| point.1 > 0.0).collect()
        };
        let laws = found.fit.as_ref().map(|fit| Laws::new(fit, most));
        let line = |of: fn(&Laws, u32) -> f64| -> Curve {
            let Some(laws) = &laws else { return Curve::new() };
            steps(most).into_iter().map(|m| (f64::from(m), round(of(laws, m)))).collect()
        };
        Some(ChannelsChart {
            once: measured(|point| (point.busy_at_once, point.busy_at_once_ci)),
            stream: measured(|point| (point.speedup, point.speedup_ci)),
            n: found.fit.as_ref().map(|fit| fit.channels),
            once_law: line(Laws::at_once),
            stream_law: line(Laws::in_a_stream),
            once_unlimited: line(Laws::at_once_unlimited),
            stream_unlimited: line(Laws::unlimited),
        })
    }
}

/// Numbers from 1 to `most`, denser than a chart shows.
fn steps(most: u32) -> Vec<u32> {
    let mut steps: Vec<u32> = (0..=80)
        .map(|i| f64::from(most).powf(f64::from(i) / 80.0).round() as u32)
        .map(|m| m.clamp(1, most))
        .collect();
    steps.dedup();
    steps
}
