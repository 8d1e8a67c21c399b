//! Clients that use a tree, each with one operation at a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leadline_lsm::btree::Operation;

use crate::{Grown, ValidateError};

/// What clients do, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// [`Operation::Point`] or [`Operation::Range`].
    pub operation: Operation,
    /// Pairs in a range.
    pub range_pairs: u32,
    /// Clients.
    pub clients: u32,
    /// Time before counting begins, in which the upper levels come into memory.
    pub ramp: Duration,
    /// Time in which operations are counted.
    pub counted: Duration,
    /// Of the keys.
    pub seed: u64,
}

/// What a slice came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Operations per second, of all clients.
    pub per_second: f64,
    /// Nodes read from the device per operation, those of the ramp included.
    pub reads: f64,
}

/// Has clients look up random keys, or read ranges from random keys on.
///
/// # Errors
/// [`ValidateError`]: the first client's that failed, or [`ValidateError::Interrupted`].
pub fn measure(grown: &Grown, slice: &Slice, cancel: &AtomicBool) -> Result<Measured, ValidateError> {
    let before = grown.node_reads();
    let (begin, failed) = (Instant::now() + slice.ramp, AtomicBool::new(false));
    let end = begin + slice.counted;
    let counts = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..slice.clients)
            .map(|client| {
                let failed = &failed;
                scope.spawn(move || {
                    let done = one_client(grown, slice, client, begin..end, |now| {
                        now >= end || failed.load(Ordering::Relaxed) || cancel.load(Ordering::Relaxed)
                    });
                    failed.fetch_or(done.is_err(), Ordering::Relaxed);
                    done
                })
            })
            .collect();
        let joined = clients.into_iter().map(|c| c.join().map_err(|_| ValidateError::Panicked));
        joined.map(|result| result.and_then(|done| done)).collect::<Result<Vec<_>, _>>()
    })?;
    if cancel.load(Ordering::Relaxed) {
        return Err(ValidateError::Interrupted);
    }
    let (all, counted) = counts.iter().fold((0, 0), |(all, counted), c| (all + c.0, counted + c.1));
    Ok(Measured {
        per_second: counted as f64 / slice.counted.as_secs_f64(),
        reads: (grown.node_reads() - before) as f64 / all.max(1) as f64,
    })
}

/// All operations of one client, and those that ended in `counted`.
fn one_client(
    grown: &Grown,
    slice: &Slice,
    client: u32,
    counted: std::ops::Range<Instant>,
    is_over: impl Fn(Instant) -> bool,
) -> Result<(u64, u64), ValidateError> {
    let mut random = fastrand::Rng::with_seed(slice.seed ^ (u64::from(client) << 32));
    let (mut all, mut within) = (0, 0);
    loop {
        match slice.operation {
            Operation::Range => {
                let firsts = grown.pairs.saturating_sub(slice.range_pairs) + 1;
                grown.range(random.u32(..firsts), slice.range_pairs.min(grown.pairs))?;
            }
            _ => grown.point(random.u32(..grown.pairs))?,
        }
        let now = Instant::now();
        all += 1;
        within += u64::from(counted.contains(&now));
        if is_over(now) {
            return Ok((all, within));
        }
    }
}
