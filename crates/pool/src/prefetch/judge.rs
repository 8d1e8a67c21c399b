//! Whether a prefetcher pays.
//!
//! Let `s` be the share of its pages that are used soon, and `r` the latency of a read.
//!
//! - A page that is used saves its reader a whole `r`: it was read in the shadow of the page that missed.
//! - A page that is not used costs its share of a batch, `r / k` where the device does `k` reads at once and
//!   has other work, and a frame: the page that had to leave for it is read again with some probability `h`,
//!   at `h r`.
//!
//! So reading ahead pays while `s r > (1 - s) (1 / k + h) r`, that is `s > c / (1 + c)` with `c = 1 / k + h`.
//! On a device that does one thing at a time (`k` = 1, `h` near 0) or in a pool where every frame counts, `c`
//! = 1 and the break-even is
//! **1/2**. With the concurrency of flash (`k` of 4 and more) and a victim that is wanted again one time in
//! four, `c` is at most 1/2 and the break-even **1/3**. A prefetcher is silenced below 1/3, where it pays
//! nowhere; and it is listened to again at 1/2, where it pays everywhere.
//!
//! "Used soon" and not "used": in a pool that holds half of what is asked for at random, half of all pages
//! read ahead are used some day, and so would the pages have been that left for them. That says nothing for
//! the guess.

use super::PrefetcherStats;

/// Pages after which one that is listened to is judged. Some hundred pages may be on their way to being used
/// (several streams, several clients); a window must be larger than that.
const WINDOW: u32 = 512;

/// Probes after which a silent one is judged.
const PROBES: u32 = 8;

/// A silent one has one page read at every that many opportunities.
const OPPORTUNITIES_A_PROBE: u32 = 64;

/// Counts what a prefetcher issued and what of it was used, over a sliding window.
#[derive(Debug)]
pub(super) struct Judge {
    on: bool,
    /// Over the window: halved, both, at its end, so that the past fades.
    issued: u32,
    used: u32,
    /// Opportunities since the last probe.
    passed_over: u32,
    issued_ever: u64,
    used_ever: u64,
}

impl Default for Judge {
    fn default() -> Self {
        Judge { on: true, issued: 0, used: 0, passed_over: 0, issued_ever: 0, used_ever: 0 }
    }
}

impl Judge {
    /// Of `room` pages, how many it may propose.
    pub(super) fn most(&self, room: usize) -> usize {
        if self.on { room } else { room.min(1) }
    }

    /// It has pages to propose; whether they may be read. A probe is due until one is.
    pub(super) fn allows(&mut self) -> bool {
        self.passed_over = self.passed_over.saturating_add(1);
        self.on || self.passed_over >= OPPORTUNITIES_A_PROBE
    }

    /// One of its pages is read. At the end of a window, judges.
    pub(super) fn issued(&mut self) {
        self.judge();
        self.passed_over = 0;
        self.issued += 1;
        self.issued_ever += 1;
    }

    /// One of its pages was used soon after it was read.
    pub(super) fn used(&mut self) {
        self.used += 1;
        self.used_ever += 1;
    }

    /// Before a new page is issued, so that the last had time to be used.
    fn judge(&mut self) {
        if self.issued < if self.on { WINDOW } else { PROBES } {
            return;
        }
        let pays = if self.on { self.used * 3 >= self.issued } else { self.used * 2 >= self.issued };
        if pays == self.on {
            self.issued /= 2;
            self.used /= 2;
        } else {
            *self = Judge { on: pays, issued: 0, used: 0, ..*self };
        }
    }

    pub(super) fn stats(&self, name: &'static str) -> PrefetcherStats {
        PrefetcherStats { name, issued: self.issued_ever, used_soon: self.used_ever, on: self.on }
    }
}
