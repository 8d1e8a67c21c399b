//! How a store is changed, and what of it follows from the device.

use crate::Options;

/// How a store is changed.
#[derive(Debug, Clone)]
pub struct UpdateOptions {
    /// Threads and reads in flight for looking up what is removed, and the cap on memory for everything.
    pub run: Options,
    /// An edge's removal, or its new weight, is for one of its parallel copies and not for all.
    pub one: bool,
    /// An edge that is there gets a parallel copy, also in a store that was imported without any.
    pub multi: bool,
    /// A removal or a new weight of what is not there is an error; it is counted otherwise.
    pub strict: bool,
    /// Bytes of changes that are kept in memory before they are written to a sorted run; readers hold them in
    /// memory, too.
    pub buffer: u64,
    /// Runs of one level that are merged into one of the next, at least 2.
    pub fanout: u32,
    /// Writes of 64 KiB in flight while a run is written: the device's k_w.
    pub writes: u32,
    /// Bytes that a compaction writes until it notes how far it is: as many are lost where it is interrupted.
    pub note_every: u64,
}

/// Of these a second's worth is written on most devices while nobody else is there.
const NOTE_EVERY: u64 = 256 << 20;

/// Writes take twice as long as reads where nothing is known of the device, as on many flash drives.
const USUAL_ALPHA: f64 = 2.0;

/// Writes in flight where nothing is known of the device.
const USUAL_WRITES: u32 = 8;

impl UpdateOptions {
    /// An eighth of the memory for changes, at most 16 MiB, 8 writes in flight and a fanout of 4, as for a
    /// device whose writes take twice as long as its reads.
    pub fn new(run: Options) -> UpdateOptions {
        let buffer = (run.memory / 8).min(16 << 20);
        UpdateOptions {
            run,
            one: false,
            multi: false,
            strict: false,
            buffer,
            fanout: fanout(USUAL_ALPHA),
            writes: USUAL_WRITES,
            note_every: NOTE_EVERY,
        }
    }

    /// For a device on which a write costs `alpha` reads, and which serves `writes` at a time (k_w).
    #[must_use]
    pub fn for_device(self, alpha: Option<f64>, writes: Option<u32>) -> UpdateOptions {
        let alpha = alpha.filter(|alpha| alpha.is_finite() && *alpha > 0.0);
        UpdateOptions {
            fanout: alpha.map_or(self.fanout, fanout),
            writes: writes.unwrap_or(self.writes).clamp(1, 64),
            ..self
        }
    }
}

/// Runs of a level to be merged at a time, for a device on which a write costs `alpha` reads. With a fanout
/// of T, a change is read and written once for each of log_T(runs) levels, and whoever reads the graph reads
/// up to T - 1 runs of each. With as many readings as merges that costs (alpha + T - 1) / ln T, of which this
/// is the minimum.
fn fanout(alpha: f64) -> u32 {
    let cost = |fanout: &u32| (alpha + f64::from(*fanout) - 1.0) / f64::from(*fanout).ln();
    (2..=16).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(4)
}

impl Default for UpdateOptions {
    /// With the default options of runs.
    fn default() -> UpdateOptions {
        UpdateOptions::new(Options::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearer_writes_are_the_more_runs_are_merged_at_a_time() {
        assert_eq!([0.5, 1.0, 2.0, 4.0, 10.0, 1e9].map(fanout), [2, 3, 4, 5, 8, 16]);
        let usual = UpdateOptions::default();
        assert_eq!((usual.fanout, usual.writes), (4, 8));
        let device = usual.clone().for_device(Some(f64::NAN), Some(0));
        assert_eq!((device.fanout, device.writes), (4, 1));
    }
}
