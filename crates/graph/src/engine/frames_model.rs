//! The frames' words under every interleaving and every order of memory that two or three threads can meet
//! (loom).
//!
//! A frame's bytes are two relaxed atomics that whoever fills the frame makes equal. Where two fill one frame
//! at once, or a reader is let in too early or lacks the order that its hold promises, the two differ or are
//! another block's.

use std::sync::atomic::Ordering::Relaxed;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, AtomicU64};
use loom::thread;

use super::frames::Frames;

/// A cache whose blocks are their own number, twice.
struct Cache {
    frames: Frames<AtomicU32, AtomicU64>,
    bytes: Vec<[AtomicU32; 2]>,
}

impl Cache {
    /// In its first sweep.
    fn new(frames: u32, blocks: u32) -> Cache {
        let bytes = (0..frames).map(|_| [AtomicU32::new(99), AtomicU32::new(99)]).collect();
        let mut frames = Frames::new(frames, blocks);
        frames.begin_sweep();
        Cache { frames, bytes }
    }

    /// With these blocks in frames that any block may have.
    fn with_old(frames: u32, blocks: u32, old: &[u32]) -> Arc<Cache> {
        let mut cache = Cache::new(frames, blocks);
        assert!(old.iter().all(|block| cache.admit(*block)));
        cache.frames.begin_sweep();
        cache.frames.begin_sweep();
        Arc::new(cache)
    }

    /// Whether a block is there, which is then read.
    fn reads(&self, block: u32) -> bool {
        let Some(at) = self.frames.get(block) else { return false };
        let [a, b] = [0, 1].map(|i| self.bytes[at as usize][i].load(Relaxed));
        assert_eq!([a, b], [block; 2], "the frame of block {block} was filled with others");
        true
    }

    /// Whether there was a frame for a block that is not there.
    fn admit(&self, block: u32) -> bool {
        let Some(claimed) = self.frames.claim() else { return false };
        self.bytes[claimed.frame() as usize].iter().for_each(|byte| byte.store(block, Relaxed));
        self.frames.publish(claimed, block);
        true
    }

    /// As a thread of a sweep does; whether the block is there from then on.
    fn visit(&self, block: u32) -> bool {
        self.reads(block) || self.admit(block) && self.reads(block)
    }
}

/// Runs `each` on two threads, of which the caller is one.
fn two(cache: &Arc<Cache>, each: impl Fn(&Cache, u32) -> bool + Copy + Send + 'static) -> [bool; 2] {
    let other = Arc::clone(cache);
    let other = thread::spawn(move || each(&other, 1));
    let here = each(cache, 0);
    [here, other.join().unwrap()]
}

/// What one thread has left to others in this sweep, alone in the next.
fn next_sweep(cache: &mut Arc<Cache>) -> &Cache {
    let cache = Arc::get_mut(cache).expect("the other threads have ended");
    cache.frames.begin_sweep();
    cache
}

#[test]
fn two_threads_never_fill_one_fresh_frame() {
    loom::model(|| {
        let mut cache = Arc::new(Cache::new(1, 2));
        let kept = two(&cache, |cache, thread| cache.visit(thread));
        assert!(kept[0] != kept[1], "one frame, for one of them");
        let after = next_sweep(&mut cache);
        assert_eq!([0, 1].map(|block| after.reads(block)), kept);
    });
}

#[test]
fn two_threads_never_fill_one_old_frame() {
    loom::model(|| {
        let mut cache = Cache::with_old(1, 3, &[2]);
        let kept = two(&cache, |cache, thread| cache.visit(thread));
        assert!(kept[0] != kept[1], "one frame, for one of them");
        let after = next_sweep(&mut cache);
        assert_eq!([0, 1].map(|block| after.reads(block)), kept);
        assert!(!after.reads(2), "its frame is another's");
    });
}

#[test]
fn fresh_and_old_frames_are_enough_for_as_many_threads() {
    loom::model(|| {
        let mut cache = Cache::with_old(2, 3, &[2]);
        assert_eq!(two(&cache, |cache, thread| cache.visit(thread)), [true; 2]);
        let after = next_sweep(&mut cache);
        assert_eq!([0, 1, 2].map(|block| after.reads(block)), [true, true, false]);
    });
}

#[test]
fn what_a_reader_has_is_not_given_away() {
    loom::model(|| {
        let cache = Cache::with_old(1, 2, &[0]);
        let [read, given] = two(&cache, |cache, thread| match thread {
            // Read twice: it must still be there.
            0 => cache.reads(0) && cache.reads(0),
            _ => cache.admit(1) && cache.reads(1),
        });
        assert!(read != given, "one frame, for one of them");
    });
}

#[test]
fn a_block_is_read_while_it_is_published() {
    loom::model(|| {
        let cache = Arc::new(Cache::new(1, 1));
        two(&cache, |cache, thread| match thread {
            0 => cache.admit(0),
            _ => cache.reads(0),
        });
        assert!(cache.reads(0));
    });
}

#[test]
fn a_block_published_elsewhere_while_its_frame_is_claimed_is_found() {
    loom::model(|| {
        let mut cache = Cache::with_old(2, 3, &[0, 2]);
        // Block 0 is visited while the frame that it is in may go to block 1.
        let kept = two(&cache, |cache, thread| cache.visit(thread));
        let after = next_sweep(&mut cache);
        assert_eq!([0, 1].map(|block| after.reads(block)), kept, "what is kept is found");
    });
}

#[test]
fn a_block_that_two_threads_publish_outlives_the_loss_of_one_frame() {
    loom::model(|| {
        let mut cache = Arc::new(Cache::new(2, 3));
        assert_eq!(two(&cache, |cache, _| cache.admit(2)), [true; 2]);
        assert!(next_sweep(&mut cache).reads(2));
        // The frame that is not used any more goes to another block, whichever it is.
        let after = next_sweep(&mut cache);
        assert!(after.visit(0) && after.reads(2));
    });
}

#[test]
fn three_threads_share_two_frames() {
    // All interleavings of three threads would take more than a minute.
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let mut cache = Cache::with_old(2, 4, &[3]);
        let (a, b) = (Arc::clone(&cache), Arc::clone(&cache));
        let (a, b) = (thread::spawn(move || a.visit(0)), thread::spawn(move || b.visit(1)));
        let kept = [cache.visit(2), a.join().unwrap(), b.join().unwrap()];
        assert_eq!(kept.iter().filter(|kept| **kept).count(), 2, "each frame has a block");
        let after = next_sweep(&mut cache);
        assert_eq!([2, 0, 1].map(|block| after.reads(block)), kept);
    });
}
