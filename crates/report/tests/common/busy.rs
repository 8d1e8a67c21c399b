//! Channels of a made-up drive.

use leadline_model::channels::{Channels as Law, Placement};

use super::*;

/// Of a drive of 16 channels, whose link ends the stream's curve at 14 times the throughput of one.
pub(super) fn channels() -> Channels {
    let law = Law { channels: 16, placement: Placement::Hashed, service_share: 0.9, variation: 0.05 };
    let speedups = law.speedups(256);
    let around = |value: f64| Some([value * 0.97, value * 1.03]);
    let point = |requests: u32| {
        let noise = 1.0 + 0.02 * (f64::from(requests % 5) - 2.0);
        let speedup = speedups[requests as usize - 1].min(14.0) * if requests > 1 { noise } else { 1.0 };
        let busy_at_once = law.busy_at_once(requests) * if requests > 1 { noise } else { 1.0 };
        ChannelsPoint {
            requests,
            bursts: 1000,
            busy_at_once,
            busy_at_once_ci: around(busy_at_once),
            iops: 12_000.0 * speedup,
            speedup,
            speedup_ci: around(speedup),
        }
    };
    Channels {
        procedure: Procedure { engine: "io_uring".into(), direct: true, epochs: 6, ..Procedure::default() },
        block_bytes: 4096,
        alone_us: 82.0,
        window_us: 120.0,
        variation: 0.04,
        points: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256].map(point).to_vec(),
        fit: Some(ChannelsFit {
            channels: 16,
            channels_ci: Some([15.0, 17.0]),
            placement: ChannelPlacement::Hashed,
            service_share: 0.9,
            variation: 0.05,
            error: 0.03,
            other_error: 0.31,
            lower_bound: false,
            highest_busy: 16.0,
            highest_speedup: 14.56,
        }),
    }
}
