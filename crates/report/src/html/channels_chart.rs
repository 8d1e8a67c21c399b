//! What the chart of busy channels draws.

use leadline_profile::{Channels, ChannelsPoint};
use serde::Serialize;

use super::chart_numbers::{Line, Measured, round};
use crate::channels::Laws;

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
    once_law: Line,
    stream_law: Line,
    /// And as far as channels alone limit them.
    once_unlimited: Line,
    stream_unlimited: Line,
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
        let line = |of: fn(&Laws, u32) -> f64| -> Line {
            let Some(laws) = &laws else { return Line::new() };
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
