//! What to ask for next: operation and offset.

use leadline_device::Op;
use leadline_trace::{Scatter, Zipf};

use super::Order;

/// A stretch of the device that load may touch, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub start: u64,
    /// Length.
    pub len: u64,
}

impl Region {
    /// Part `i` of `n` equal parts, for threads that must not share a cursor; each a multiple of `align`
    /// long.
    pub fn part(&self, i: u32, n: u32, align: u64) -> Region {
        let len = self.len / u64::from(n) / align * align;
        Region { start: self.start + u64::from(i) * len, len }
    }
}

/// How random offsets are spread over the region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spread {
    /// Every block alike.
    Uniform,
    /// Block of rank i with weight 1 / i^theta; ranks are scattered over the region. theta from 0 to 2, not 1
    /// ± 1e-9.
    Zipf(f64),
    /// Two kinds of blocks, scattered over the region: `blocks` (a share between 0 and 1) of them get `jumps`
    /// (a share from 0 to 1) of the requests.
    Zones {
        /// Share of the blocks that are of the first kind.
        blocks: f64,
        /// Share of the requests that go to them.
        jumps: f64,
    },
}

/// What a stream of requests looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workload {
    /// Share of reads, 0 to 1.
    pub read_share: f64,
    /// Bytes a request; offsets are multiples of it, from the region's start.
    pub block_bytes: u32,
    /// Random fraction r: the share of requests that jump, 0 to 1; the rest follow the previous request.
    pub random_fraction: f64,
    /// Where the random ones jump to.
    pub spread: Spread,
    /// Whether writes are durable when they complete.
    pub durable: bool,
}

/// An endless stream of requests; it keeps its place from slice to slice.
#[derive(Debug, Clone)]
pub struct AddressStream {
    workload: Workload,
    region: Region,
    blocks: u64,
    cursor: u64,
    jumps: Jumps,
    /// In which order blocks follow one another; ascending without one.
    order: Option<Order>,
    random: fastrand::Rng,
}

/// Where random requests go.
#[derive(Debug, Clone)]
enum Jumps {
    Uniform,
    Zipf(Zipf, Scatter),
    /// Blocks of the first kind, and the share of the requests that go to them.
    Zones(u64, f64, Scatter),
}

impl AddressStream {
    /// A stream over `region`. A sequential one starts at a random block, so that two do not march in step.
    ///
    /// # Panics
    /// If the region does not hold one block.
    pub fn new(workload: Workload, region: Region, seed: u64) -> Self {
        let blocks = region.len / u64::from(workload.block_bytes);
        assert!(blocks > 0, "the region holds no block of {} bytes", workload.block_bytes);
        let mut random = fastrand::Rng::with_seed(seed);
        let jumps = match workload.spread {
            Spread::Zipf(theta) => Jumps::Zipf(Zipf::new(blocks, theta), Scatter::new(blocks)),
            Spread::Zones { blocks: share, jumps } if blocks > 1 => {
                let first = (share * blocks as f64).round() as u64;
                Jumps::Zones(first.clamp(1, blocks - 1), jumps, Scatter::new(blocks))
            }
            Spread::Uniform | Spread::Zones { .. } => Jumps::Uniform,
        };
        AddressStream { workload, region, blocks, cursor: random.u64(..blocks), jumps, order: None, random }
    }

    /// A stream that visits the blocks of `region` in this order, over and over, from its first one on.
    ///
    /// # Panics
    /// If the region does not hold one block.
    pub fn in_order(workload: Workload, region: Region, order: Order) -> Self {
        let workload = Workload { random_fraction: 0.0, ..workload };
        let stream = AddressStream::new(workload, region, 0);
        AddressStream { blocks: order.count(), cursor: 0, order: Some(order), ..stream }
    }

    /// Moves a sequential stream to the region's first block.
    pub fn rewind(&mut self) {
        self.cursor = 0;
    }

    /// Bytes a request.
    #[inline]
    pub fn block_bytes(&self) -> u32 {
        self.workload.block_bytes
    }

    /// Whether writes are durable.
    #[inline]
    pub fn durable(&self) -> bool {
        self.workload.durable
    }

    /// Whether any of its requests are writes.
    #[inline]
    pub fn writes(&self) -> bool {
        self.workload.read_share < 1.0
    }

    /// Its operations, in words.
    pub(crate) fn operation(&self) -> &'static str {
        match self.workload {
            Workload { read_share: 1.0, .. } => "read",
            Workload { read_share: 0.0, durable: true, .. } => "durable write",
            Workload { read_share: 0.0, .. } => "write",
            _ => "read or write",
        }
    }

    /// The next operation and its offset.
    #[inline]
    #[allow(clippy::should_implement_trait)] // endless: an Option at every request would say nothing
    pub fn next(&mut self) -> (Op, u64) {
        let op = if self.is(self.workload.read_share) { Op::Read } else { Op::Write };
        let block = if self.is(self.workload.random_fraction) { self.jump() } else { self.cursor };
        self.cursor = if block + 1 == self.blocks { 0 } else { block + 1 };
        let block = self.order.as_ref().map_or(block, |order| order.block(block));
        (op, self.region.start + block * u64::from(self.workload.block_bytes))
    }

    /// The block of a random request.
    #[inline]
    fn jump(&mut self) -> u64 {
        match &self.jumps {
            Jumps::Uniform => self.random.u64(..self.blocks),
            Jumps::Zipf(zipf, scatter) => scatter.place(zipf.sample(&mut self.random)),
            Jumps::Zones(first, share, scatter) => {
                let rank = if self.random.f64() < *share {
                    self.random.u64(..*first)
                } else {
                    self.random.u64(*first..self.blocks)
                };
                scatter.place(rank)
            }
        }
    }

    /// True with probability `p`; draws nothing where `p` is 0 or 1.
    #[inline]
    fn is(&mut self, p: f64) -> bool {
        p >= 1.0 || (p > 0.0 && self.random.f64() < p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload() -> Workload {
        Workload {
            read_share: 1.0,
            block_bytes: 4096,
            random_fraction: 1.0,
            spread: Spread::Uniform,
            durable: false,
        }
    }

    const REGION: Region = Region { start: 1 << 20, len: 4096 * 1000 };

    #[test]
    fn a_sequential_stream_visits_every_block_once_and_wraps() {
        let mut stream = AddressStream::new(Workload { random_fraction: 0.0, ..workload() }, REGION, 7);
        stream.rewind();
        for i in 0..2500u64 {
            assert_eq!(stream.next(), (Op::Read, REGION.start + i % 1000 * 4096));
        }
    }

    #[test]
    fn a_random_stream_stays_inside_and_reaches_everything() {
        let mut stream = AddressStream::new(workload(), REGION, 7);
        let mut seen = vec![0u32; 1000];
        for _ in 0..100_000 {
            let (_, offset) = stream.next();
            assert!(offset >= REGION.start && offset + 4096 <= REGION.start + REGION.len);
            seen[((offset - REGION.start) / 4096) as usize] += 1;
        }
        // 100 each on average; five standard deviations are 50.
        assert!(seen.iter().all(|&n| (50..150).contains(&n)), "{seen:?}");
    }

    #[test]
    fn an_order_is_kept_and_repeated() {
        let order = Order::new(1000, 3).first(400);
        let mut stream = AddressStream::in_order(workload(), REGION, order.clone());
        for i in 0..1000 {
            assert_eq!(stream.next(), (Op::Read, REGION.start + order.block(i % 400) * 4096));
        }
    }

    #[test]
    fn zones_get_their_share_of_the_requests_and_are_scattered() {
        let spread = Spread::Zones { blocks: 0.1, jumps: 0.9 };
        let mut stream = AddressStream::new(Workload { spread, ..workload() }, REGION, 7);
        let mut seen = vec![0u32; 1000];
        for _ in 0..100_000 {
            seen[((stream.next().1 - REGION.start) / 4096) as usize] += 1;
        }
        // 900 each of the first kind, 11 each of the other.
        let first: Vec<usize> = (0..1000).filter(|&block| seen[block] > 200).collect();
        assert_eq!(first.len(), 100);
        let requests: u32 = first.iter().map(|&block| seen[block]).sum();
        assert!((89_400..90_600).contains(&requests), "{requests}");
        assert!(first.iter().all(|&block| (700..1100).contains(&seen[block])));
        assert!(seen.iter().all(|&n| n > 0), "all blocks are reached");
        assert!((0..10).all(|tenth| first.iter().any(|block| block / 100 == tenth)), "{first:?}");
    }

    #[test]
    fn mixes_hold_their_shares() {
        let mix = Workload { read_share: 0.7, random_fraction: 0.2, ..workload() };
        let mut stream = AddressStream::new(mix, REGION, 7);
        let (mut reads, mut jumps, mut last) = (0, 0, u64::MAX - 4096);
        for _ in 0..100_000 {
            let (op, offset) = stream.next();
            reads += u32::from(op == Op::Read);
            let follows = offset == last + 4096 || (offset == REGION.start && last != u64::MAX - 4096);
            jumps += u32::from(!follows);
            last = offset;
        }
        assert!((69_000..71_000).contains(&reads), "{reads}");
        assert!((19_000..21_000).contains(&jumps), "{jumps}");
    }

    #[test]
    fn parts_do_not_overlap() {
        let parts: Vec<Region> = (0..3).map(|i| REGION.part(i, 3, 8192)).collect();
        for pair in parts.windows(2) {
            assert_eq!(pair[0].start + pair[0].len, pair[1].start);
            assert_eq!(pair[0].len % 8192, 0);
        }
        assert!(parts[2].start + parts[2].len <= REGION.start + REGION.len);
    }
}
