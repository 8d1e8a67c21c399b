//! Random orders of the blocks of a region that can be repeated: permutations that need no memory.

/// A permutation of 0 to n - 1, by a key: a Feistel network over the next even power of two, walked until it
/// ends below n (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). Constant time and
/// space; unlike a multiplication it looks random.
#[derive(Debug, Clone)]
struct Permutation {
    n: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

/// Of the Feistel network: fewer leave patterns.
const ROUNDS: usize = 4;

impl Permutation {
    /// One of 0 to `n` - 1; `n` is at least 1.
    fn new(n: u64, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let bits = 64 - (n.max(1) - 1).leading_zeros();
        Permutation {
            n: n.max(1),
            half_bits: bits.div_ceil(2).max(1),
            keys: std::array::from_fn(|_| random.u64(..)),
        }
    }

    /// Where `i`, below n, goes.
    #[inline]
    fn place(&self, i: u64) -> u64 {
        let mut place = i;
        loop {
            place = self.network(place);
            if place < self.n {
                return place;
            }
        }
    }

    fn network(&self, value: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            let mixed = (right ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (left, right) = (right, (left ^ (mixed >> 32) ^ mixed.wrapping_shr(7)) & mask);
        }
        left << self.half_bits | right
    }
}

/// An order in which blocks are visited.
#[derive(Debug, Clone)]
pub struct Order {
    blocks: Permutation,
    /// The same blocks in another order.
    within: Option<Permutation>,
    count: u64,
}

impl Order {
    /// All of `blocks` blocks in a random order.
    pub fn new(blocks: u64, seed: u64) -> Self {
        Order { blocks: Permutation::new(blocks, seed), within: None, count: blocks.max(1) }
    }

    /// The first `count` blocks of this order, in the same order.
    pub fn first(&self, count: u64) -> Self {
        Order { count: count.clamp(1, self.count), ..self.clone() }
    }

    /// The same blocks in another random order.
    pub fn shuffled(&self, seed: u64) -> Self {
        Order { within: Some(Permutation::new(self.count, seed)), ..self.clone() }
    }

    /// How many blocks are visited.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The `i`-th block, `i` below the count.
    #[inline]
    pub fn block(&self, i: u64) -> u64 {
        self.blocks.place(self.within.as_ref().map_or(i, |within| within.place(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_visited_once_whatever_their_number() {
        for n in [1, 2, 3, 5, 16, 17, 1000, 4097] {
            for seed in 0..4 {
                let mut blocks: Vec<u64> = (0..n).map(|i| Order::new(n, seed).block(i)).collect();
                blocks.sort_unstable();
                assert_eq!(blocks, (0..n).collect::<Vec<u64>>(), "{n}");
            }
        }
    }

    #[test]
    fn a_shuffled_order_visits_the_same_blocks_in_another_order() {
        let order = Order::new(10_000, 7).first(3000);
        let other = order.shuffled(8);
        let visit = |order: &Order| (0..order.count()).map(|i| order.block(i)).collect::<Vec<u64>>();
        let (mut a, mut b) = (visit(&order), visit(&other));
        let same = a.iter().zip(&b).filter(|(a, b)| a == b).count();
        assert!(same < 20, "{same} of 3000 in the same place");
        a.sort_unstable();
        b.sort_unstable();
        assert_eq!(a, b);
    }

    #[test]
    fn neighbours_part_and_steps_are_not_regular() {
        for (n, seed) in [(1u64 << 16, 1), (50_000, 2), (1 << 18, 3)] {
            let order = Order::new(n, seed);
            let blocks: Vec<u64> = (0..n).map(|i| order.block(i)).collect();
            let near = blocks.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < 10).count();
            assert!(near < 100, "{near} neighbours of {n} visited one after the other");
            // Sixteen visits in a row fall on sixteen parts as balls into bins do: 0.63 of the parts are hit.
            // A multiplication by a step hits nearly all of them.
            let parts = |window: &[u64]| {
                let mut hit: Vec<u64> = window.iter().map(|block| block * 16 / n).collect();
                hit.sort_unstable();
                hit.dedup();
                hit.len()
            };
            let mean = blocks.chunks_exact(16).map(parts).sum::<usize>() as f64 / (n / 16) as f64 / 16.0;
            assert!((mean - 0.644).abs() < 0.01, "{mean}");
        }
    }
}
