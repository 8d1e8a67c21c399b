//! The cache of blocks, shared by all threads without a lock.
//!
//! A sweep asks for each block at most once, so the order of requests within it says nothing about the next;
//! what does is whether a block was wanted by this sweep or the one before. Only frames that were not are
//! given to other blocks. An endless scan of more than fits thus keeps what it has (and hits that share of
//! the time, the best there is for a scan), while a frontier that moves on gives up what it left behind.
//!
//! That rule is also what makes it safe to share between threads: `get` hands out a frame's bytes only once
//! the frame belongs to this sweep, `admit` writes only to a frame that it has claimed, which never belongs
//! to this sweep, and a sweep begins under `&mut self`. `frames.rs` has the words that say so.
#![allow(unsafe_code)]

use leadline_files::{MapOptions, Mapping};

use super::frames::Frames;
use crate::{GraphError, InputOption};

/// Frames of a block each.
#[derive(Debug)]
pub(crate) struct Cache {
    memory: Mapping,
    block_bytes: usize,
    frames: Frames,
}

impl Cache {
    /// Bytes in memory for each block of the graph, cached or not.
    pub(crate) const BYTES_PER_BLOCK: u64 = Frames::BYTES_PER_BLOCK;

    /// Bytes in memory for a frame.
    pub(crate) fn bytes_per_frame(block_bytes: u32) -> u64 {
        u64::from(block_bytes) + Frames::BYTES_PER_FRAME
    }

    /// `frames` frames for a graph of `blocks`.
    ///
    /// # Errors
    /// [`GraphError::Option`] where the system has no such memory.
    pub(crate) fn new(frames: u32, blocks: u32, block_bytes: u32) -> Result<Cache, GraphError> {
        let bytes = (frames as usize * block_bytes as usize).max(4096);
        let memory = MapOptions::new().unreserved(true).huge_pages(true).map(bytes).map_err(|_| {
            let text = format!("a cache of {bytes} bytes cannot be mapped; allow less memory");
            GraphError::Option { text, option: InputOption::Memory }
        })?;
        Ok(Cache { memory, block_bytes: block_bytes as usize, frames: Frames::new(frames, blocks) })
    }

    /// Bytes in memory of all of it.
    pub(crate) fn bytes(&self) -> u64 {
        let block_bytes = self.block_bytes as u32;
        u64::from(self.frames.count()) * Cache::bytes_per_frame(block_bytes)
            + u64::from(self.frames.blocks()) * Cache::BYTES_PER_BLOCK
    }

    /// Frames in all.
    pub(crate) fn frames(&self) -> u32 {
        self.frames.count()
    }

    /// Frames that no block has had yet.
    pub(crate) fn unused(&self) -> u32 {
        self.frames.unused()
    }

    /// Whether a block is here.
    pub(crate) fn holds(&self, block: u32) -> bool {
        self.frames.holds(block)
    }

    /// A new sweep begins: nothing of the last one is looked at any more.
    pub(crate) fn begin_sweep(&mut self) {
        self.frames.begin_sweep();
    }

    /// A block's bytes, if it is here; they stay until the sweep ends.
    #[inline]
    pub(crate) fn get(&self, block: u32) -> Option<&[u8]> {
        let at = self.frames.get(block)?;
        // SAFETY: the frame exists, so it lies in the mapping; it is of this sweep, so nobody writes to it
        // until `begin_sweep`, which takes `&mut self` and so ends the borrow.
        Some(unsafe { std::slice::from_raw_parts(self.place(at), self.block_bytes) })
    }

    /// Keeps a copy of a block that is not here, if there is a frame to spare.
    #[inline]
    pub(crate) fn admit(&self, block: u32, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.block_bytes);
        let Some(claimed) = self.frames.claim() else { return };
        // SAFETY: the frame exists, so it lies in the mapping; it is claimed by this thread alone: nobody
        // reads it, nobody else writes it. `bytes` is thus not of it, and is as long as a frame.
        unsafe {
            let place = self.place(claimed.frame());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, self.block_bytes);
        }
        self.frames.publish(claimed, block);
    }

    fn place(&self, frame: u32) -> *mut u8 {
        // SAFETY: callers pass a frame that exists, so the place is inside of the mapping.
        unsafe { self.memory.base().as_ptr().add(frame as usize * self.block_bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u32 = 4096;

    fn visit(cache: &Cache, block: u32) -> bool {
        match cache.get(block) {
            Some(bytes) => {
                assert!(bytes.iter().all(|byte| *byte == block as u8));
                true
            }
            None => {
                cache.admit(block, &[block as u8; BYTES as usize]);
                false
            }
        }
    }

    fn sweep(cache: &mut Cache, blocks: impl Iterator<Item = u32>) -> usize {
        cache.begin_sweep();
        blocks.filter(|block| visit(cache, *block)).count()
    }

    #[test]
    fn a_scan_of_more_than_fits_hits_as_much_as_fits() {
        let mut cache = Cache::new(10, 40, BYTES).unwrap();
        sweep(&mut cache, 0..40);
        for _ in 0..5 {
            assert_eq!(sweep(&mut cache, 0..40), 10);
        }
    }

    #[test]
    fn a_frontier_that_moves_on_gives_up_what_it_left_behind() {
        let mut cache = Cache::new(10, 100, BYTES).unwrap();
        for start in 0..95 {
            let hits = sweep(&mut cache, start..start + 4);
            assert_eq!(hits, if start == 0 { 0 } else { 3 }, "at {start}");
        }
    }

    #[test]
    fn without_frames_it_keeps_nothing() {
        let mut cache = Cache::new(0, 3, BYTES).unwrap();
        for _ in 0..3 {
            assert_eq!(sweep(&mut cache, 0..3), 0);
        }
    }

    #[test]
    fn threads_see_whole_blocks_only() {
        let mut cache = Cache::new(50, 200, BYTES).unwrap();
        for round in 0..200u32 {
            cache.begin_sweep();
            let cache = &cache;
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || {
                        for i in 0..40 {
                            visit(cache, (round * 3 + i * 4 + thread) % 200);
                        }
                    });
                }
            });
        }
    }
}
