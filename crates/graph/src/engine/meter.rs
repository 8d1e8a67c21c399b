//! How far a run is, for whoever looks meanwhile: the engine only counts, and nobody is called.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How far the run on a graph is.
///
/// All is relaxed: numbers of two moments make at worst one picture that is a little wrong.
#[derive(Debug, Default)]
pub struct Meter {
    /// Passes that the run has begun.
    passes: AtomicU64,
    /// Blocks that threads have taken of this one, and how many there are to take.
    taken: AtomicU32,
    blocks: AtomicU32,
    /// What share of the run was done before the passes of now and will be after them, as bits of doubles;
    /// not a number where the algorithm does not know.
    from: AtomicU64,
    to: AtomicU64,
    /// The most of a pass that was shown for this share, as bits of a double, so that several of them do not
    /// go back and forth.
    most: AtomicU64,
}

/// What a meter shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeterReading {
    /// Passes that the run has begun.
    pub passes: u64,
    /// The share that is done, 0 to 1: of the run where its algorithm can say, of the pass else.
    pub share: f64,
    /// Whether it is of the run.
    pub of_run: bool,
}

impl fmt::Display for MeterReading {
    /// `pass 12, 34 % of the run`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.of_run { "of the run" } else { "of it" };
        write!(f, "pass {}, {:.0} % {of}", self.passes, 100.0 * self.share)
    }
}

impl Meter {
    /// What it shows now.
    pub fn read(&self) -> MeterReading {
        let (taken, blocks) = (self.taken.load(Ordering::Relaxed), self.blocks.load(Ordering::Relaxed));
        let pass = if blocks == 0 { 0.0 } else { f64::from(taken.min(blocks)) / f64::from(blocks) };
        let [from, to] = [&self.from, &self.to].map(|end| f64::from_bits(end.load(Ordering::Relaxed)));
        let of_run = !to.is_nan();
        let share = if of_run {
            let most = self.most.fetch_max(pass.to_bits(), Ordering::Relaxed).max(pass.to_bits());
            from + (to - from) * f64::from_bits(most)
        } else {
            pass
        };
        MeterReading { passes: self.passes.load(Ordering::Relaxed), share: share.clamp(0.0, 1.0), of_run }
    }

    /// A run begins.
    pub(super) fn begin(&self) {
        self.begin_pass(0);
        self.passes.store(0, Ordering::Relaxed);
        self.expect(f64::NAN..f64::NAN);
    }

    /// A pass over that many blocks begins.
    pub(super) fn begin_pass(&self, blocks: u32) {
        self.taken.store(0, Ordering::Relaxed);
        self.blocks.store(blocks, Ordering::Relaxed);
        self.passes.fetch_add(1, Ordering::Relaxed);
    }

    /// A thread takes blocks.
    #[inline]
    pub(crate) fn take(&self, blocks: u32) {
        self.taken.fetch_add(blocks, Ordering::Relaxed);
    }

    /// The passes until the next call make this share of the run.
    pub(super) fn expect(&self, share: Range<f64>) {
        self.taken.store(0, Ordering::Relaxed);
        self.most.store(0, Ordering::Relaxed);
        self.from.store(share.start.to_bits(), Ordering::Relaxed);
        self.to.store(share.end.to_bits(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(meter: &Meter) -> (u64, f64) {
        let MeterReading { passes, share, .. } = meter.read();
        (passes, share)
    }

    #[test]
    fn the_share_is_of_the_pass_until_the_algorithm_says_what_a_pass_is_of_the_run() {
        let meter = Meter::default();
        meter.begin();
        assert_eq!(shown(&meter), (0, 0.0));
        meter.begin_pass(8);
        meter.take(2);
        assert_eq!(shown(&meter), (1, 0.25));
        assert_eq!(meter.read().to_string(), "pass 1, 25 % of it");
        assert!(!meter.read().of_run);
        meter.begin_pass(8);
        assert_eq!(shown(&meter), (2, 0.0));

        meter.expect(0.0..0.0);
        assert_eq!((meter.read().share, meter.read().of_run), (0.0, true));
        meter.expect(0.5..0.75);
        meter.begin_pass(8);
        meter.take(4);
        assert_eq!(shown(&meter), (3, 0.625));
        assert_eq!(meter.read().to_string(), "pass 3, 62 % of the run");
        // Another pass of the same share does not fall back.
        meter.begin_pass(8);
        meter.take(2);
        assert_eq!(shown(&meter), (4, 0.625));
        meter.expect(0.75..1.0);
        assert_eq!(shown(&meter).1, 0.75);
        meter.begin();
        assert_eq!(shown(&meter), (0, 0.0));
    }
}
