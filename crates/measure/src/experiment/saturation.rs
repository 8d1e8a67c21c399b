//! What a device can do of one stream: a closed loop, and the requests in flight that saturate it.

use leadline_device::Nanos;

use super::context::{ExperimentContext, SHORTEST_SLICE};
use super::kind::MOST_IN_FLIGHT;
use crate::load::{AddressStream, Lane, Limits, Recorder, closed_loop};
use crate::outcome::Stop;

/// Where the search begins.
pub(super) const FIRST_K: u32 = 8;

/// A doubling of k that gains less is the last.
const GAIN: f64 = 1.05;

/// Share of the budget of one slice of the search: four streams and five concurrencies take a tenth.
const SEARCH_SLICE: f64 = 0.005;

/// Doubles the requests in flight until that gains no more; the k that did best, and its requests per second.
pub(super) fn saturate(
    context: &mut ExperimentContext,
    lane: &mut Lane,
    stream: &mut AddressStream,
    recorder: &mut Recorder,
) -> Result<(u32, f64), Stop> {
    let seconds = (SEARCH_SLICE * context.plan.seconds).max(SHORTEST_SLICE);
    let (mut best, mut k) = ((FIRST_K, 0.0), FIRST_K);
    while k <= MOST_IN_FLIGHT {
        let (ops, seconds) = closed(context, lane, stream, k, seconds, recorder)?;
        let rate = ops as f64 / seconds;
        let gained = rate >= GAIN * best.1;
        if rate > best.1 {
            best = (k, rate);
        }
        if !gained {
            break;
        }
        k *= 2;
    }
    Ok(best)
}

/// Requests and seconds of a closed loop, within what may still be written.
pub(super) fn closed(
    context: &mut ExperimentContext,
    lane: &mut Lane,
    stream: &mut AddressStream,
    k: u32,
    seconds: f64,
    recorder: &mut Recorder,
) -> Result<(u64, f64), Stop> {
    let mut limits = Limits {
        min_ops: 4 * u64::from(k),
        max_ops: context.plan.max_ops_per_slice,
        ..Limits::of((seconds * 1e9) as Nanos)
    };
    if stream.writes() {
        let least = 8 * u64::from(k) * u64::from(stream.block_bytes());
        limits.max_bytes = context.bytes_allowed(lane.traffic().1, least)?;
    }
    let window = closed_loop(lane, stream, k, &limits, recorder, context.cancel).map_err(Stop::Failed)?;
    context.cancelled()?;
    if !window.complete || window.length == 0 {
        return Err(Stop::WritesSpent);
    }
    Ok((window.ops, window.length as f64 / 1e9))
}
