//! Finding n when the profile is stale: the pool watches how fast its own batches go, and moves to the
//! smallest size that writes as fast as any.
//!
//! Throughput rises with the size until the device is full; beyond, it is a saw, since the last wave of a
//! batch is seldom full. So the search climbs from 1: it doubles while that pays, then goes on in smaller
//! steps.

/// Two sizes are weighed in that many turns each, alternately, so that a device that drifts favours neither.
const TURNS: u32 = 3;

/// Pages, at least, that a turn writes.
const TURN_PAGES: u64 = 64;

/// A larger batch must write this much faster to be taken: below it, longer waits of reads are not worth it.
const GAIN: f64 = 1.03;

/// Pages written between the end of a search and the next, doubled each time up to the last.
const REST: (u64, u64) = (1 << 14, 1 << 20);

/// What is being weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// `size` against twice that.
    Double { size: u32 },
    /// `size` against that many more.
    Add { size: u32, step: u32 },
    /// What was settled on before against what the search has found.
    Replace { found: u32 },
    /// Nothing, for that many pages.
    Rest { left: u64 },
}

/// Searches for the number of pages to write at once. Feed it with [`BatchSearch::wrote`], ask it with
/// [`BatchSearch::n`].
#[derive(Debug, Clone)]
pub struct BatchSearch {
    settled: u32,
    most: u32,
    phase: Phase,
    /// Pages and nanoseconds of the two sizes that are weighed.
    spent: [(u64, u64); 2],
    /// Pages of the turn under way.
    turn_pages: u64,
    turn: u32,
    rest: u64,
}

impl BatchSearch {
    /// Starts from `n`, never goes above `most`; both at least 1.
    pub fn new(n: u32, most: u32) -> Self {
        let most = most.max(1);
        BatchSearch {
            settled: n.clamp(1, most),
            most,
            phase: Phase::Double { size: 1 },
            spent: [(0, 0); 2],
            turn_pages: 0,
            turn: 0,
            rest: REST.0,
        }
    }

    /// Pages to write at once now.
    #[inline]
    pub fn n(&self) -> u32 {
        self.sizes()[(self.turn % 2) as usize]
    }

    /// What it has settled on so far.
    pub fn settled(&self) -> u32 {
        self.settled
    }

    /// The two sizes that are weighed, the one in possession first.
    #[inline]
    fn sizes(&self) -> [u32; 2] {
        match self.phase {
            Phase::Double { size } => [size, size.saturating_mul(2).min(self.most)],
            Phase::Add { size, step } => [size, size.saturating_add(step).min(self.most)],
            Phase::Replace { found } => [self.settled, found],
            Phase::Rest { .. } => [self.settled; 2],
        }
    }

    /// `pages` were written, [`BatchSearch::n`] at once, in `nanos`.
    pub fn wrote(&mut self, pages: u32, nanos: u64) {
        let pages = u64::from(pages);
        if let Phase::Rest { left } = &mut self.phase {
            *left = left.saturating_sub(pages);
            if *left == 0 {
                self.phase = Phase::Double { size: 1 };
            }
            return;
        }
        let side = &mut self.spent[(self.turn % 2) as usize];
        *side = (side.0 + pages, side.1 + nanos);
        self.turn_pages += pages;
        if self.turn_pages < TURN_PAGES.max(u64::from(self.n()) * 2) {
            return;
        }
        (self.turn, self.turn_pages) = (self.turn + 1, 0);
        if self.turn == 2 * TURNS {
            self.weigh();
            (self.spent, self.turn) = ([(0, 0); 2], 0);
        }
    }

    /// Both have had their turns: what is weighed next.
    fn weigh(&mut self) {
        let [mine, other] = self.spent.map(|(pages, nanos)| pages as f64 / nanos.max(1) as f64);
        let [size, tried] = self.sizes();
        let pays = tried > size && other > mine * GAIN;
        self.phase = match self.phase {
            Phase::Double { .. } if pays => Phase::Double { size: tried },
            Phase::Double { .. } => Phase::Add { size, step: (size / 8).max(1) },
            Phase::Add { step, .. } if pays => Phase::Add { size: tried, step },
            Phase::Add { step, .. } if step > 1 => Phase::Add { size, step: (step / 4).max(1) },
            Phase::Add { .. } if size != self.settled => Phase::Replace { found: size },
            Phase::Replace { found } if pays || found < self.settled && other * GAIN > mine => {
                self.settled = found;
                self.rest = REST.0;
                Phase::Rest { left: self.rest }
            }
            Phase::Add { .. } | Phase::Replace { .. } | Phase::Rest { .. } => {
                self.rest = (self.rest * 2).min(REST.1);
                Phase::Rest { left: self.rest }
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device of `servers` servers: a batch goes in waves.
    fn settles(servers: u32, start: u32) -> u32 {
        let mut adaptive = BatchSearch::new(start, 256);
        for _ in 0..30_000 {
            let n = adaptive.n();
            adaptive.wrote(n, u64::from(n.div_ceil(servers)) * 100_000);
        }
        adaptive.settled()
    }

    #[test]
    fn it_finds_the_servers_of_a_device_from_anywhere() {
        for servers in [1, 2, 5, 8, 9, 21, 80] {
            for start in [1, 3, 8, 12, 64, 200] {
                assert_eq!(settles(servers, start), servers, "from {start}");
            }
        }
    }

    #[test]
    fn it_follows_a_device_that_changes() {
        let mut adaptive = BatchSearch::new(8, 256);
        let mut run = |servers: u32| {
            for _ in 0..60_000 {
                let n = adaptive.n();
                adaptive.wrote(n, u64::from(n.div_ceil(servers)) * 100_000);
            }
            adaptive.settled()
        };
        assert_eq!([run(8), run(20), run(4)], [8, 20, 4]);
    }

    #[test]
    fn it_never_leaves_its_bounds() {
        let mut adaptive = BatchSearch::new(50, 4);
        for i in 0..10_000_u64 {
            assert!((1..=4).contains(&adaptive.n()));
            adaptive.wrote(adaptive.n(), i % 7);
        }
    }
}
