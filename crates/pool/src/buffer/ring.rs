//! A ring of words from one thread to another, without a lock: the writer never waits, and drops what has no
//! room.
//!
//! `written` and `read` count words ever written and read, and only the writer changes the one, only the
//! reader the other. Why that is enough:
//!
//! - The reader sees the words below `written`, since it acquires what the writer released after storing
//!   them.
//! - A word is not overwritten before it was read: the writer acquires `read`, which the reader released
//!   after loading the words below it.
//!
//! Where several threads write to one ring, they may overwrite each other's words, and `written` may step
//! back: the reader then misses words or gets some twice, or such as were written a round earlier (zero in
//! the first), but never a mixture, as every word is one atomic.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::word::Word;

/// Room for `WORDS` words, a power of two.
#[derive(Debug)]
pub(super) struct Ring<W, const WORDS: usize> {
    written: W,
    read: W,
    words: [W; WORDS],
}

impl<W: Word, const WORDS: usize> Ring<W, WORDS> {
    /// Empty; `word` makes the atomics.
    pub(super) fn new(word: impl Fn(u64) -> W) -> Self {
        const { assert!(WORDS.is_power_of_two()) };
        Ring { written: word(0), read: word(0), words: std::array::from_fn(|_| word(0)) }
    }

    /// Writes a word, unless the ring is full. How many were waiting before, and whether this is the first
    /// word ever.
    #[inline]
    pub(super) fn push(&self, word: u64) -> (u64, bool) {
        let written = self.written.load(Relaxed);
        let waiting = written.wrapping_sub(self.read.load(Acquire));
        if waiting < WORDS as u64 {
            self.words[written as usize % WORDS].store(word, Relaxed);
            self.written.store(written + 1, Release);
        }
        (waiting, written == 0)
    }

    /// Reads all words that wait. One thread at a time. `shared`: several threads write.
    pub(super) fn drain(&self, shared: bool, mut tell: impl FnMut(u64)) {
        let (written, read) = (self.written.load(Acquire), self.read.load(Relaxed));
        let waiting = written.wrapping_sub(read);
        // Only where threads share the ring does the count step back.
        assert!(shared || waiting <= WORDS as u64, "two threads write to a ring that is one's own");
        let first = if waiting > WORDS as u64 { written } else { read };
        for at in first..written {
            tell(self.words[at as usize % WORDS].load(Relaxed));
        }
        self.read.store(written, Release);
    }
}
