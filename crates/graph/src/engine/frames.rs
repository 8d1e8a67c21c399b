//! Which frame of the cache has which block: a word for each frame, and every way it may change.
//!
//! ```text
//!                claim                    publish
//!   old (block) ───────> CHANGING (none) ─────────> this sweep (block)
//!        │                                                ^
//!        └──────────────────────── get ───────────────────┘
//! ```
//!
//! A word is the last sweep that used the frame, and its block. It is old if neither this sweep nor the one
//! before used it; a frame that no block has had yet is as old as can be. One compare-and-exchange of the
//! word is the only way to come by a frame: `get` makes it one of this sweep, which nobody may claim until
//! `begin_sweep`, and `claim` makes it the caller's alone, until the caller publishes a block in it. Which
//! frame a block was put in (`frame_of`) only says where to look: the word says whether it is still there.
//!
//! `begin_sweep` takes `&mut self`, so nobody still reads what an earlier sweep used. Orderings: `publish`
//! releases the frame's bytes, `get` and `claim` acquire them. The word says all, so `frame_of` and the hand
//! are relaxed.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::word::Word;

/// No frame, no block.
const NONE: u32 = u32::MAX;

/// The sweep number of a frame that is being given to another block.
const CHANGING: u32 = u32::MAX;

/// The first sweep's number is one more: frames that no block has had, of sweep 0, are old then.
const BEFORE_ALL: u32 = 2;

/// A frame's word: the sweep that used it last, or [`CHANGING`], and its block.
const fn word(sweep: u32, block: u32) -> u64 {
    (sweep as u64) << 32 | block as u64
}

const fn sweep_of(word: u64) -> u32 {
    (word >> 32) as u32
}

const fn block_of(word: u64) -> u32 {
    word as u32
}

/// Without a block, and old to every sweep.
const FRESH: u64 = word(0, NONE);

/// In nobody's sight but that of the thread that claimed it.
const CLAIMED: u64 = word(CHANGING, NONE);

/// A frame that is the caller's alone until it is published; a frame that never is takes no block again.
#[derive(Debug)]
#[must_use]
pub(super) struct Claimed(u32);

impl Claimed {
    /// The frame's number.
    #[inline]
    pub(super) fn frame(&self) -> u32 {
        self.0
    }
}

/// The frames' words and where each block is.
#[derive(Debug)]
pub(super) struct Frames<S = AtomicU32, L = AtomicU64> {
    /// By block: the frame that it was last published in, which may have been given away since.
    frame_of: Box<[S]>,
    words: Box<[L]>,
    /// Frames looked at for one that is old, in all sweeps: where the next search goes on, round and round.
    hand: L,
    /// Where the hand was once round in this sweep.
    round: u64,
    sweep: u32,
}

impl Frames {
    /// Bytes in memory for each block, in a frame or not.
    pub(super) const BYTES_PER_BLOCK: u64 = 4;

    /// Bytes in memory for a frame, without its block.
    pub(super) const BYTES_PER_FRAME: u64 = 8;
}

impl<S: Word<u32>, L: Word<u64>> Frames<S, L> {
    /// `frames` frames for `blocks` blocks.
    pub(super) fn new(frames: u32, blocks: u32) -> Frames<S, L> {
        Frames {
            frame_of: (0..blocks).map(|_| S::new(NONE)).collect(),
            words: (0..frames).map(|_| L::new(FRESH)).collect(),
            hand: L::new(0),
            round: u64::from(frames),
            sweep: BEFORE_ALL,
        }
    }

    /// Blocks that may be in a frame.
    pub(super) fn blocks(&self) -> u32 {
        self.frame_of.len() as u32
    }

    /// Frames in all.
    pub(super) fn count(&self) -> u32 {
        self.words.len() as u32
    }

    /// Frames that no block has had yet: the hand has not come by them.
    pub(super) fn unused(&self) -> u32 {
        u64::from(self.count()).saturating_sub(self.hand.load(Relaxed)) as u32
    }

    /// Whether a block is in a frame.
    pub(super) fn holds(&self, block: u32) -> bool {
        let at = self.frame_of[block as usize].load(Relaxed);
        self.words.get(at as usize).is_some_and(|frame| block_of(frame.load(Relaxed)) == block)
    }

    /// A new sweep begins: nothing of the last one is looked at any more.
    pub(super) fn begin_sweep(&mut self) {
        self.sweep += 1;
        if self.sweep == CHANGING {
            // After 2^32 sweeps: all frames are as old as can be, and none is lost.
            self.sweep = BEFORE_ALL;
            self.words.iter().for_each(|of| of.store(word(0, block_of(of.load(Relaxed))), Relaxed));
        }
        self.round = self.hand.load(Relaxed) + u64::from(self.count());
    }

    /// The frame a block is in, if any; its bytes are the block's until the sweep ends.
    #[inline]
    pub(super) fn get(&self, block: u32) -> Option<u32> {
        let at = self.frame_of[block as usize].load(Relaxed);
        let frame = self.words.get(at as usize)?;
        let (before, ours) = (frame.load(Acquire), word(self.sweep, block));
        if before != ours {
            // Given to another block since, or just now.
            if block_of(before) != block {
                return None;
            }
            match frame.compare_exchange(before, ours, Acquire, Acquire) {
                Err(now) if now != ours => return None,
                _ => {}
            }
        }
        Some(at)
    }

    /// A frame that neither this sweep nor the one before used, for a block that is to be published in it.
    #[inline]
    pub(super) fn claim(&self) -> Option<Claimed> {
        // Once round is enough: a frame that was young stays so.
        while self.hand.load(Relaxed) < self.round {
            let at = (self.hand.fetch_add(1, Relaxed) % self.words.len() as u64) as u32;
            let frame = &self.words[at as usize];
            let before = frame.load(Relaxed);
            let old = sweep_of(before) != CHANGING && sweep_of(before) + 1 < self.sweep;
            if old && frame.compare_exchange(before, CLAIMED, Acquire, Relaxed).is_ok() {
                return Some(Claimed(at));
            }
        }
        None
    }

    /// Lets all threads see that a claimed frame has a block, whose bytes the caller has put there.
    #[inline]
    pub(super) fn publish(&self, claimed: Claimed, block: u32) {
        let Claimed(at) = claimed;
        let frame = &self.words[at as usize];
        debug_assert_eq!(frame.load(Relaxed), CLAIMED, "only who claimed a frame changes its word");
        frame.store(word(self.sweep, block), Release);
        self.frame_of[block as usize].store(at, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_numbers_of_sweeps_begin_anew_blocks_are_kept_and_frames_given_as_before() {
        let mut frames: Frames = Frames::new(2, 3);
        frames.sweep = CHANGING - 3;
        frames.begin_sweep();
        for block in [0, 1] {
            frames.publish(frames.claim().unwrap(), block);
        }
        frames.begin_sweep();
        assert_eq!(frames.sweep, CHANGING - 1);
        assert!(frames.claim().is_none(), "both were used by the sweep before");
        frames.begin_sweep();
        assert_eq!((frames.sweep, frames.get(1)), (BEFORE_ALL, Some(1)));
        let claimed = frames.claim().unwrap();
        assert_eq!(claimed.frame(), 0);
        frames.publish(claimed, 2);
        assert_eq!([0, 1, 2].map(|block| frames.get(block)), [None, Some(1), Some(0)]);
    }
}
