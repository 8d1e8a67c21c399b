//! Which missed blocks are taken into the cache.

use std::collections::{HashMap, VecDeque};

use crate::cached::blocks::Mix;

/// When a block that a read did not find is taken into the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Admission {
    /// Each time.
    EveryMiss,
    /// When it was missed before, and is remembered: as many distinct blocks are as the cache has, those
    /// missed last for the first time. More would be of little use: by then a block taken in at its first
    /// miss would have left a cache that goes by age.
    SecondMiss,
}

impl Admission {
    /// Both.
    pub const ALL: [Admission; 2] = [Admission::EveryMiss, Admission::SecondMiss];

    /// Its name, as descriptions spell it.
    pub fn name(self) -> &'static str {
        match self {
            Admission::EveryMiss => "every-miss",
            Admission::SecondMiss => "second-miss",
        }
    }

    /// The one of this name.
    pub fn parse(name: &str) -> Option<Admission> {
        Admission::ALL.into_iter().find(|admission| admission.name() == name)
    }
}

/// Who decides it.
pub(super) enum Doorkeeper {
    LetsIn,
    Remembers(Remembered),
}

impl Doorkeeper {
    /// Of a cache of that many blocks.
    pub(super) fn new(admission: Admission, blocks: u32) -> Self {
        match admission {
            Admission::EveryMiss => Doorkeeper::LetsIn,
            Admission::SecondMiss => Doorkeeper::Remembers(Remembered::new(blocks as usize)),
        }
    }

    /// Whether the block that was missed now is taken in.
    pub(super) fn admits(&mut self, block: u64) -> bool {
        match self {
            Doorkeeper::LetsIn => true,
            Doorkeeper::Remembers(remembered) => remembered.missed(block),
        }
    }
}

/// Blocks that were missed once, the last that many of them.
pub(super) struct Remembered {
    most: usize,
    /// When each was missed, in misses.
    missed_at: HashMap<u64, u64, Mix>,
    /// All misses since the oldest remembered, in order; most of blocks that are still remembered.
    order: VecDeque<(u64, u64)>,
    misses: u64,
}

impl Remembered {
    fn new(most: usize) -> Self {
        Remembered { most, missed_at: HashMap::default(), order: VecDeque::new(), misses: 0 }
    }

    /// Whether it was remembered, and now is not any more; else it is from now on.
    fn missed(&mut self, block: u64) -> bool {
        if self.missed_at.remove(&block).is_some() {
            return true;
        }
        self.misses += 1;
        self.missed_at.insert(block, self.misses);
        self.order.push_back((self.misses, block));
        while self.missed_at.len() > self.most
            && let Some((at, oldest)) = self.order.pop_front()
        {
            if self.missed_at.get(&oldest) == Some(&at) {
                self.missed_at.remove(&oldest);
            }
        }
        if self.order.len() > 2 * self.most + 16 {
            let missed_at = &self.missed_at;
            self.order.retain(|(at, block)| missed_at.get(block) == Some(at));
        }
        false
    }
}
