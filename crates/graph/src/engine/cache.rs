//! The cache of blocks, shared by all threads without a lock.
//!
//! A sweep asks for each block at most once, so the order of requests within it says nothing about the next;
//! what does is whether a block was wanted by this sweep or the one before. Only frames that were not are
//! given to other blocks. An endless scan of more than fits thus keeps what it has (and hits that share of
//! the time, the best there is for a scan), while a frontier that moves on gives up what it left behind.
//!
//! That rule is also what makes it safe to share between threads: `get` hands out a frame's bytes only once
//! the frame belongs to this sweep, `admit` writes only to frames that do not and that it alone has marked as
//! changing, and a sweep begins under `&mut self`.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_files::{MapOptions, Mapping};

use crate::{GraphError, InputOption};

/// No frame, no block.
const NONE: u32 = u32::MAX;

/// The sweep number of a frame that is being given to another block.
const CHANGING: u32 = u32::MAX;

/// Frames of a block each.
#[derive(Debug)]
pub(crate) struct Cache {
    memory: Mapping,
    block_bytes: usize,
    /// By block: its frame.
    frame_of: Box<[AtomicU32]>,
    frames: Box<[Frame]>,
    /// Frames below have been handed out.
    used: AtomicU32,
    /// Where the search for a frame goes on.
    hand: AtomicU32,
    /// Frames looked at in this sweep.
    looked: AtomicU32,
    sweep: u32,
}

#[derive(Debug)]
struct Frame {
    block: AtomicU32,
    /// The sweep that used it last, or [`CHANGING`].
    sweep: AtomicU32,
}

impl Cache {
    /// Bytes in memory for each block of the graph, cached or not.
    pub(crate) const BYTES_A_BLOCK: u64 = 4;

    /// Bytes in memory for a frame.
    pub(crate) fn bytes_a_frame(block_bytes: u32) -> u64 {
        u64::from(block_bytes) + size_of::<Frame>() as u64
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
        let frame = || Frame { block: AtomicU32::new(NONE), sweep: AtomicU32::new(0) };
        Ok(Cache {
            memory,
            block_bytes: block_bytes as usize,
            frame_of: (0..blocks).map(|_| AtomicU32::new(NONE)).collect(),
            frames: (0..frames).map(|_| frame()).collect(),
            used: AtomicU32::new(0),
            hand: AtomicU32::new(0),
            looked: AtomicU32::new(0),
            sweep: 2,
        })
    }

    /// Bytes in memory of all of it.
    pub(crate) fn bytes(&self) -> u64 {
        let block_bytes = self.block_bytes as u32;
        self.frames.len() as u64 * Cache::bytes_a_frame(block_bytes)
            + self.frame_of.len() as u64 * Cache::BYTES_A_BLOCK
    }

    /// Frames in all.
    pub(crate) fn frames(&self) -> u32 {
        self.frames.len() as u32
    }

    /// Frames that no block has had yet.
    pub(crate) fn unused(&self) -> u32 {
        self.frames().saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// Whether a block is here.
    pub(crate) fn holds(&self, block: u32) -> bool {
        self.frame_of[block as usize].load(Ordering::Relaxed) != NONE
    }

    /// A new sweep begins: nothing of the last one is looked at any more.
    pub(crate) fn begin_sweep(&mut self) {
        self.sweep += 1;
        if self.sweep == CHANGING {
            // After 2^32 sweeps: all frames are as old as can be, and none is lost.
            self.sweep = 2;
            self.frames.iter_mut().for_each(|frame| *frame.sweep.get_mut() = 0);
        }
        *self.looked.get_mut() = 0;
    }

    /// A block's bytes, if it is here; they stay until the sweep ends.
    #[inline]
    pub(crate) fn get(&self, block: u32) -> Option<&[u8]> {
        let at = self.frame_of[block as usize].load(Ordering::Acquire);
        let frame = self.frames.get(at as usize)?;
        let before = frame.sweep.load(Ordering::Acquire);
        if before != self.sweep {
            if before == CHANGING {
                return None;
            }
            let (ours, failed) = (Ordering::AcqRel, Ordering::Acquire);
            match frame.sweep.compare_exchange(before, self.sweep, ours, failed) {
                Err(now) if now != self.sweep => return None,
                _ => {}
            }
        }
        // The frame is of this sweep now and does not change; but it may have changed before it became so.
        if frame.block.load(Ordering::Acquire) != block {
            return None;
        }
        // SAFETY: at < frames, so the frame lies in the mapping; it is of this sweep, so nobody writes to it
        // until
        // `begin_sweep`, which takes `&mut self` and so ends the borrow.
        Some(unsafe { std::slice::from_raw_parts(self.place(at), self.block_bytes) })
    }

    /// Keeps a copy of a block that is not here, if there is a frame to spare.
    #[inline]
    pub(crate) fn admit(&self, block: u32, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.block_bytes);
        let Some(at) = self.frame() else { return };
        let frame = &self.frames[at as usize];
        let old = frame.block.swap(NONE, Ordering::AcqRel);
        if old != NONE {
            self.frame_of[old as usize].store(NONE, Ordering::Release);
        }
        // SAFETY: the frame lies in the mapping and is marked as changing by this thread alone: nobody reads
        // it, nobody else writes it. `bytes` is outside of the mapping's changing frames and as long as a
        // frame.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.place(at), self.block_bytes) };
        frame.block.store(block, Ordering::Release);
        frame.sweep.store(self.sweep, Ordering::Release);
        self.frame_of[block as usize].store(at, Ordering::Release);
    }

    /// A frame marked as changing: a new one, or one that neither this sweep nor the one before used.
    fn frame(&self) -> Option<u32> {
        let count = self.frames();
        if self.used.load(Ordering::Relaxed) < count {
            let fresh = self.used.fetch_add(1, Ordering::Relaxed);
            if fresh < count {
                self.frames[fresh as usize].sweep.store(CHANGING, Ordering::Relaxed);
                return Some(fresh);
            }
            self.used.store(count, Ordering::Relaxed);
        }
        // Once round is enough: a frame that was young stays so.
        while self.looked.load(Ordering::Relaxed) < count {
            self.looked.fetch_add(1, Ordering::Relaxed);
            let at = self.hand.fetch_add(1, Ordering::Relaxed) % count;
            let frame = &self.frames[at as usize];
            let before = frame.sweep.load(Ordering::Acquire);
            let old = before != CHANGING && before + 1 < self.sweep;
            let (ours, failed) = (Ordering::AcqRel, Ordering::Relaxed);
            if old && frame.sweep.compare_exchange(before, CHANGING, ours, failed).is_ok() {
                return Some(at);
            }
        }
        None
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
