//! `mixed`: reads and writes in one stream, at several shares and concurrencies.

use leadline_profile::{PAGE_BYTES, Work};

use super::cells;
use super::frame::Frame;
use crate::MeasureError;
use crate::outcome::Stop;

/// Shares of reads.
const READ_SHARES: [f64; 7] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0];

/// Requests in flight.
const CONCURRENCIES: [u32; 5] = [1, 4, 16, 64, 128];

pub(super) fn run(frame: &mut Frame) -> Result<(Work, Option<Stop>), MeasureError> {
    let wanted: Vec<_> = READ_SHARES
        .into_iter()
        .flat_map(|share| CONCURRENCIES.map(|k| (Frame::workload(share, PAGE_BYTES), k)))
        .collect();
    cells::measure(frame, &wanted, Vec::new())
}
