//! What is in the cache: which block in which frame, and which of them goes next.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::ControlFlow;

use leadline_pool::policy::{Frame, Policy, PolicyKind, Verdict, Walk};

/// A hasher of block numbers, which nobody chooses to make them collide.
#[derive(Default)]
pub(crate) struct Mixed(u64);

/// Makes them.
pub(crate) type Mix = BuildHasherDefault<Mixed>;

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        // The finalizer of SplitMix64: every bit of the number changes half of those of the hash.
        let mut mixed = self.0 ^ number;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = mixed ^ (mixed >> 31);
    }
}

/// The blocks of the cache.
pub(super) struct Blocks {
    policy: Box<dyn Policy>,
    frame_of: HashMap<u64, Frame, Mix>,
    /// The block in each frame that was ever used.
    block_in: Vec<u64>,
    frames: u32,
    /// Frames whose block was dropped.
    free: Vec<Frame>,
    /// Scratch: second chances before a victim.
    passed: Vec<Frame>,
}

impl Blocks {
    /// None yet, of at most `frames`.
    pub(super) fn new(policy: PolicyKind, frames: u32) -> Self {
        Blocks {
            policy: policy.build(frames),
            frame_of: HashMap::default(),
            block_in: Vec::new(),
            frames,
            free: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// Whether a block is there.
    pub(super) fn has(&self, block: u64) -> bool {
        self.frame_of.contains_key(&block)
    }

    /// Blocks that are there.
    pub(super) fn len(&self) -> usize {
        self.frame_of.len()
    }

    /// Uses a block: its frame, if it is there.
    pub(super) fn hit(&mut self, block: u64) -> Option<Frame> {
        let frame = *self.frame_of.get(&block)?;
        // What is written goes to the slow device too: no block is ever dirty.
        self.policy.hit(frame, false);
        Some(frame)
    }

    /// Takes in a block that is not there: its frame, and whether another block left it.
    pub(super) fn admit(&mut self, block: u64) -> (Frame, bool) {
        self.policy.missed(block);
        let (frame, evicted) = match self.free.pop() {
            Some(frame) => (frame, false),
            None if self.block_in.len() < self.frames as usize => {
                self.block_in.push(block);
                (self.block_in.len() as Frame - 1, false)
            }
            None => (self.evict(), true),
        };
        self.block_in[frame as usize] = block;
        self.frame_of.insert(block, frame);
        self.policy.insert(frame, block, false);
        (frame, evicted)
    }

    /// Gives up a block, of a cache that is full; the frame that it leaves.
    fn evict(&mut self) -> Frame {
        self.passed.clear();
        let (passed, mut victim) = (&mut self.passed, 0);
        self.policy.walk(&mut |frame, verdict| {
            if verdict == Verdict::SecondChance {
                passed.push(frame);
                return ControlFlow::Continue(());
            }
            victim = frame;
            ControlFlow::Break(())
        });
        self.policy.passed(&self.passed, Walk::Eviction);
        self.leave(victim);
        victim
    }

    fn leave(&mut self, frame: Frame) {
        let block = self.block_in[frame as usize];
        self.policy.evict(frame, block);
        self.frame_of.remove(&block);
    }

    /// Drops a block, if it is there.
    pub(super) fn drop_block(&mut self, block: u64) {
        if let Some(&frame) = self.frame_of.get(&block) {
            self.leave(frame);
            self.free.push(frame);
        }
    }

    /// Blocks that are there and fulfil a condition, in order.
    pub(super) fn filter(&self, wanted: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut blocks: Vec<u64> = self.frame_of.keys().copied().filter(|&block| wanted(block)).collect();
        blocks.sort_unstable();
        blocks
    }
}
