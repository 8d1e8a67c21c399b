//! What the drive holds at the start: computed when it is asked for, so that a drive of any size starts at
//! once and takes no memory for what was never touched.

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
    /// The block that holds the first of each 2^`guide_bits` valid units of a lane: where a search begins.
    guide: Vec<u32>,
    guide_bits: u32,
    /// All that are at some place, those of the mapping included.
    units: u32,
    program_units: u32,
    lanes: u32,
    block_units: u32,
    lane_blocks: u32,
    /// Of a lane's logical units.
    order: Permutation,
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
        let guide_bits = layout.block_units.ilog2();
        let guide = (0..=before.last().copied().unwrap_or(0) >> guide_bits)
            .map(|part| before.partition_point(|&before| before <= part << guide_bits) as u32 - 1)
            .collect();
        Initial {
            state,
            seed,
            before,
            guide,
            guide_bits,
            order: Permutation::new(layout.lane_logical),
            units: layout.lane_logical * layout.lanes,
            program_units: layout.program_units,
            lanes: layout.lanes,
            block_units: layout.block_units,
            lane_blocks: layout.lane_blocks(),
            stride: stride(layout.block_units),
        }
    }

    /// Valid units of each block of a lane that holds something, oldest first.
    pub(in crate::flash) fn valid_counts(&self) -> impl Iterator<Item = u32> + '_ {
        self.before.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// Where a logical unit is.
    pub(in crate::flash) fn place(&self, unit: u32) -> Option<u32> {
        // After the units of the drive come parts that are mapped apart: there are none yet.
        if self.state == InitialState::Fresh || unit >= self.units {
            return None;
        }
        let program = unit / self.program_units;
        let lane = program % self.lanes;
        let index = program / self.lanes * self.program_units + unit % self.program_units;
        let (block, offset) = match self.state {
            InitialState::Filled => (index / self.block_units, index % self.block_units),
            _ => {
                let nth = self.order.forth(self.key(lane), index);
                let mut block = self.guide[(nth >> self.guide_bits) as usize];
                while self.before[block as usize + 1] <= nth {
                    block += 1;
                }
                let rank = nth - self.before[block as usize];
                (block, self.nth_of_block(lane, block, rank))
            }
        };
        Some((lane * self.lane_blocks + block) * self.block_units + offset)
    }

    /// What a physical unit of a block that holds something holds; `None` where it has been superseded.
    pub(in crate::flash) fn content(&self, at: u32) -> Option<u32> {
        self.contents(at / self.block_units, at % self.block_units).next()?
    }

    /// What the units of a block hold, from the one at `offset` on.
    pub(in crate::flash) fn contents(&self, block: u32, offset: u32) -> Contents<'_> {
        let (lane, block) = (block / self.lane_blocks, block % self.lane_blocks);
        let bounds = self.before.get(block as usize).zip(self.before.get(block as usize + 1));
        let (before, valid) = bounds.map_or((0, 0), |(&before, &after)| (before, after - before));
        let rank = match self.state {
            InitialState::Steady => self.rank_in_block(lane, block, offset),
            InitialState::Filled | InitialState::Fresh => offset,
        };
        Contents { initial: self, lane, before, valid, rank }
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

    fn key(&self, lane: u32) -> u64 {
        scramble(self.seed ^ u64::from(lane) << 32)
    }
}

/// What the units of a block hold, one after the other; `None` where it has been superseded.
pub(in crate::flash) struct Contents<'a> {
    initial: &'a Initial,
    lane: u32,
    /// Valid units in the blocks before, and in this one.
    before: u32,
    valid: u32,
    /// Of the next unit: those below `valid` are valid.
    rank: u32,
}

impl Iterator for Contents<'_> {
    type Item = Option<u32>;

    #[inline]
    fn next(&mut self) -> Option<Option<u32>> {
        let (initial, rank) = (self.initial, self.rank);
        let step = if initial.state == InitialState::Steady { initial.stride.1 } else { 1 };
        self.rank += step;
        if self.rank >= initial.block_units {
            self.rank -= initial.block_units;
        }
        if rank >= self.valid {
            return Some(None);
        }
        let index = match initial.state {
            InitialState::Steady => initial.order.back(initial.key(self.lane), self.before + rank),
            InitialState::Filled | InitialState::Fresh => self.before + rank,
        };
        let program = index / initial.program_units * initial.lanes + self.lane;
        Some(Some(program * initial.program_units + index % initial.program_units))
    }
}

/// Permutations of the numbers below `len`, one for each key: a Feistel network on `columns` times a power of
/// two, at most a little more than `len`; numbers beyond are walked through (Black and Rogaway 2002).
#[derive(Debug, Clone)]
struct Permutation {
    len: u32,
    columns: u32,
    row_bits: u32,
}

impl Permutation {
    fn new(len: u32) -> Self {
        let row_bits = len.max(1).ilog2() / 2;
        Permutation { len, columns: len.div_ceil(1 << row_bits).max(1), row_bits }
    }

    fn forth(&self, key: u64, index: u32) -> u32 {
        let mut x = index;
        loop {
            let (mut column, mut row) = (x >> self.row_bits, x & self.row_mask());
            for round in 0..2 {
                column += self.column_shift(key, round, row);
                column -= if column >= self.columns { self.columns } else { 0 };
                row ^= self.row_mix(key, round, column);
            }
            x = column << self.row_bits | row;
            if x < self.len {
                return x;
            }
        }
    }

    fn back(&self, key: u64, nth: u32) -> u32 {
        let mut x = nth;
        loop {
            let (mut column, mut row) = (x >> self.row_bits, x & self.row_mask());
            for round in [1, 0] {
                row ^= self.row_mix(key, round, column);
                let shift = self.column_shift(key, round, row);
                column = if column < shift { column + self.columns - shift } else { column - shift };
            }
            x = column << self.row_bits | row;
            if x < self.len {
                return x;
            }
        }
    }

    fn row_mask(&self) -> u32 {
        (1 << self.row_bits) - 1
    }

    fn column_shift(&self, key: u64, round: u64, row: u32) -> u32 {
        ((mix(key ^ round << 62, row) * u64::from(self.columns)) >> 32) as u32
    }

    fn row_mix(&self, key: u64, round: u64, column: u32) -> u32 {
        mix(key ^ (round << 62 | 1 << 61), column) as u32 & self.row_mask()
    }
}

/// 32 bits that depend on all of the key and the number.
#[inline]
fn mix(key: u64, x: u32) -> u64 {
    let x = (key ^ u64::from(x)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

/// Valid units of each closed block of a lane after random writes for ever under greedy collection: a block
/// is written full and loses units in proportion to those it still has, until it has the fewest and is
/// collected. With `v` units in a victim of `n`, the number of blocks with `i` units is in proportion to 1/i
/// for i from v to n, and `n (H(n) - H(v)) / (n - v)` is physical over logical units; for large blocks that
/// is v/n = exp(-a (1 - v/n)) (Xiang and Kurkoski 2011; Desnoyers 2012). H(i), the harmonic number, is ln(i +
/// 1/2) and a constant.
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
