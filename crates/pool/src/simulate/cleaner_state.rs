//! What the background cleaner knows.

use leadline_device::Nanos;

use super::Config;
use crate::ace::Cleaner;

/// What the cleaner knows.
#[derive(Debug)]
pub(super) struct CleanerState {
    /// Most writes in flight; 0 for no cleaner.
    pub(super) depth: u32,
    /// Its writes in flight.
    pub(super) in_flight: u32,
    /// It looks again after that many evictions in all.
    pub(super) look_at: u64,
    /// Since when, without a break, it has had all the writes in flight that it may, and how many were done
    /// since.
    pub(super) full: Option<(Nanos, u32)>,
}

impl CleanerState {
    pub(super) fn new(config: &Config) -> Self {
        let depth = match config.cleaner {
            Cleaner::Off => 0,
            Cleaner::Depth(depth) => depth.min(config.frames),
            Cleaner::Auto => config.batch(),
        };
        CleanerState { depth, in_flight: 0, look_at: 0, full: None }
    }
}
