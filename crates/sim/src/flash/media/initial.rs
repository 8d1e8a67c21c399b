//! What the drive holds at the start: computed when it is asked for, so that a drive of any size starts at once
//! and takes no memory for what was never touched.

use crate::flash::layout::Layout;
use crate::flash::spec::InitialState;
use crate::scramble::scramble;

/// Where each logical unit is, and what each physical unit holds.
#[derive(Debug, Clone)]
pub(in crate::flash) struct Initial {
    state: InitialState,
    seed: u64,
    /// The pages before each block of a lane: valid units in the blocks before it. One entry more than blocks
    /// that hold something; all lanes are alike.
    before: Vec<u32>,
    program_units: u32,
    lanes: u32,
    block_units: u32,
    lane_blocks: u32,
    lane_logical: u32,
    /// Multiplier that orders the units of a block, and its inverse.
    stride: (u32, u32),
}

impl Initial {
    pub(in crate::flash) fn new(state: InitialState, layout: &Layout, seed: u64) -> Self {
        let valid = match state {
            InitialState::Fresh => Vec::new(),
            InitialState::Filled => {
                let full = (layout.lane_logical / layout.block_units) as usize;
                let mut valid = vec![layout.block_units; full];
                valid.extend(Some(layout.lane_logical % layout.block_units).filter(|&rest| rest > 0));
                valid
            }
            InitialState::Steady => steady_counts(layout),
        };
        let mut before = vec![0];
        before.extend(valid.iter().scan(0, |sum, &count| {
            *sum += count;
            Some(*sum)
        }));
        Initial {
            state,
            seed,
            before,
            program_units: layout.program_units,
            lanes: layout.lanes,
            block_units: layout.block_units,
            lane_blocks: layout.lane_blocks(),
            lane_logical: layout.lane_logical,
            stride: stride(layout.block_units),
        }
    }

    /// Valid units of each block of a lane that holds something, oldest first.
    pub(in crate::flash) fn valid_counts(&self) -> impl Iterator<Item = u32> + '_ {
        self.before.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// Where a logical unit is.
    pub(in crate::flash) fn place(&self, unit: u32) -> Option<u32> {
        if self.state == InitialState::Fresh {
            return None;
        }
        let program = unit / self.program_units;
        let lane = program % self.lanes;
        let index = program / self.lanes * self.program_units + unit % self.program_units;
        let (block, offset) = match self.state {
            InitialState::Filled => (index / self.block_units, index % self.block_units),
            _ => {
                let nth = self.shuffle(lane, index);
                let block = self.before.partition_point(|&before| before <= nth) as u32 - 1;
                let rank = nth - self.before[block as usize];
                (block, self.nth_of_block(lane, block, rank))
            }
        };
        Some((lane * self.lane_blocks + block) * self.block_units + offset)
    }

    /// What a physical unit of a block that holds something holds; `None` where it has been superseded.
    pub(in crate::flash) fn content(&self, at: u32) -> Option<u32> {
        let (block, offset) = (at / self.block_units, at % self.block_units);
        let (lane, block) = (block / self.lane_blocks, block % self.lane_blocks);
        let index = match self.state {
            InitialState::Fresh => return None,
            InitialState::Filled => block * self.block_units + offset,
            InitialState::Steady => {
                let (&before, &after) =
                    (self.before.get(block as usize)?, self.before.get(block as usize + 1)?);
                let rank = self.rank_in_block(lane, block, offset);
                if rank >= after - before {
                    return None;
                }
                self.unshuffle(lane, before + rank)
            }
        };
        if index >= self.lane_logical {
            return None;
        }
        let program = index / self.program_units * self.lanes + lane;
        Some(program * self.program_units + index % self.program_units)
    }

    /// Where the `rank`-th unit of a block is: the valid ones are the first, scattered.
    fn nth_of_block(&self, lane: u32, block: u32, rank: u32) -> u32 {
        let units = u64::from(self.block_units);
        ((u64::from(rank) * u64::from(self.stride.0) + self.offset(lane, block)) % units) as u32
    }

    fn rank_in_block(&self, lane: u32, block: u32, offset: u32) -> u32 {
        let units = u64::from(self.block_units);
        ((u64::from(offset) + units - self.offset(lane, block)) % units * u64::from(self.stride.1) % units)
            as u32
    }

    fn offset(&self, lane: u32, block: u32) -> u64 {
        scramble(self.seed ^ (u64::from(lane) << 32 | u64::from(block))) % u64::from(self.block_units)
    }

    /// A permutation of a lane's logical units.
    fn shuffle(&self, lane: u32, index: u32) -> u32 {
        let mut x = index;
        loop {
            x = self.feistel(lane, x, [0, 1, 2, 3]);
            if x < self.lane_logical {
                return x;
            }
        }
    }

    fn unshuffle(&self, lane: u32, nth: u32) -> u32 {
        let swap = |x: u32| x >> self.half_bits() | (x & self.half_mask()) << self.half_bits();
        let mut x = nth;
        loop {
            // The rounds backwards undo themselves, with the halves swapped before and after.
            x = swap(self.feistel(lane, swap(x), [3, 2, 1, 0]));
            if x < self.lane_logical {
                return x;
            }
        }
    }

    fn half_bits(&self) -> u32 {
        (32 - (self.lane_logical - 1).leading_zeros()).div_ceil(2).max(1)
    }

    fn half_mask(&self) -> u32 {
        (1 << self.half_bits()) - 1
    }

    /// A Feistel network on twice [`Initial::half_bits`] bits: at most four times as many numbers as there are
    /// units, of which those beyond the last are walked through (Black and Rogaway 2002).
    fn feistel(&self, lane: u32, x: u32, rounds: [u64; 4]) -> u32 {
        let (bits, mask) = (self.half_bits(), self.half_mask());
        let (mut left, mut right) = (x >> bits & mask, x & mask);
        for round in rounds {
            let key = self.seed ^ (u64::from(lane) << 40 | round << 36 | u64::from(right));
            let mixed = scramble(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)) as u32 & mask;
            (left, right) = (right, left ^ mixed);
        }
        left << bits | right
    }
}

/// Valid units of each closed block of a lane after random writes for ever under greedy collection: a block is
/// written full and loses units in proportion to those it still has, until it has the fewest and is collected.
/// With `v` units in a victim of `n`, the number of blocks with `i` units is in proportion to 1/i for i from v
/// to n, and `n (H(n) - H(v)) / (n - v)` is physical over logical units; for large blocks that is
/// v/n = exp(-a (1 - v/n)) (Xiang and Kurkoski 2011; Desnoyers 2012). H(i), the harmonic number, is
/// ln(i + 1/2) and a constant.
fn steady_counts(layout: &Layout) -> Vec<u32> {
    let (blocks, units) = (layout.lane_closed as usize, f64::from(layout.block_units));
    let least = victim_units(units, layout.spare_factor());
    let range = ((units + 0.5) / (least + 0.5)).ln();
    // The sum comes out exactly: what rounding leaves goes from block to block.
    let (mut rest, mut left) = (0.0, layout.lane_logical);
    let mut counts: Vec<u32> = (0..blocks)
        .map(|rank| {
            let share = (rank as f64 + 0.5) / blocks as f64;
            let exact = ((least + 0.5) * (range * share).exp()).min(units) + rest;
            let count = (exact.round().clamp(0.0, units) as u32).min(left);
            rest = exact - f64::from(count);
            left -= count;
            count
        })
        .collect();
    for count in counts.iter_mut().rev() {
        let more = left.min(layout.block_units - *count);
        *count += more;
        left -= more;
    }
    counts
}

/// Valid units of a victim of greedy collection with `units` in a block and that many physical per logical
/// unit.
fn victim_units(units: f64, spare_factor: f64) -> f64 {
    let factor = |v: f64| units * ((units + 0.5) / (v + 0.5)).ln() / (units - v);
    let (mut low, mut high) = (0.0, units * (1.0 - 1e-9));
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        // The fewer are left in a victim, the more room there was.
        if factor(middle) > spare_factor { low = middle } else { high = middle }
    }
    low
}

/// A multiplier near the golden ratio of `units` that has an inverse modulo `units`, and that inverse.
fn stride(units: u32) -> (u32, u32) {
    let units = i64::from(units);
    let mut stride = ((units as f64 * 0.618_033_988_7) as i64).max(1);
    loop {
        // Extended Euclid: the coefficient of `stride`.
        let (mut r, mut t) = ((units, stride), (0i64, 1i64));
        while r.1 != 0 {
            let quotient = r.0 / r.1;
            r = (r.1, r.0 - quotient * r.1);
            t = (t.1, t.0 - quotient * t.1);
        }
        if r.0 == 1 {
            return (stride as u32, t.0.rem_euclid(units) as u32);
        }
        stride += 1;
    }
}
