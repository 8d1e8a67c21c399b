//! A cache of objects that have sizes: it holds that many bytes, and evicts until the next object fits.
//!
//! No time passes, and there is one client. An object comes in with the size that its request has; a read of
//! one that is there leaves its size as it is, a write sets it. What is larger than the cache never comes in.

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_trace::{Access, Pages, Trace};

use super::frames::{DIRTY, Frames};
use super::object_outcome::ObjectOutcome;
use super::outcome::Outcome;
use super::{Config, SimulateError};
use crate::evict::Buffers as _;
use crate::policy::{Frame, Page, Policy};
use crate::select::{Selector, Victim};

/// Operations between two looks at whether to stop.
const CANCEL_EVERY: u64 = 1 << 16;

/// Frames to begin with.
const FIRST_FRAMES: u32 = 1 << 10;

/// Runs a trace of objects through a cache of `cache_bytes`.
///
/// # Errors
/// The trace's own; [`SimulateError::NoSizes`] where it has no sizes.
pub(super) fn simulate_objects(
    policy: impl Policy,
    trace: &mut dyn Trace,
    config: &Config,
    cache_bytes: u64,
    cancel: &AtomicBool,
) -> Result<Outcome, SimulateError> {
    if trace.object_bytes().is_none() {
        return Err(SimulateError::NoSizes);
    }
    let outcome = Outcome { format: trace.recognition().cloned(), ..Outcome::new(config) };
    let mut trace = Pages::new(trace, config.page_bytes);
    let mut cache = ObjectCache::new(policy, cache_bytes, outcome);
    while let Some(access) = trace.next()? {
        cache.access(access, trace.object_bytes().unwrap_or(0));
        if cache.outcome.operations.is_multiple_of(CANCEL_EVERY) && cancel.load(Ordering::Relaxed) {
            return Err(SimulateError::Cancelled);
        }
    }
    cache.outcome.skipped = trace.skipped().cloned().unwrap_or_default();
    Ok(cache.finish())
}

struct ObjectCache<P> {
    policy: P,
    selector: Selector,
    frames: Frames,
    /// Of the object in each frame.
    bytes: Vec<u32>,
    capacity: u64,
    used: u64,
    objects: u32,
    outcome: Outcome,
    sizes: ObjectOutcome,
}

impl<P: Policy> ObjectCache<P> {
    fn new(mut policy: P, capacity: u64, outcome: Outcome) -> ObjectCache<P> {
        policy.grow(FIRST_FRAMES);
        ObjectCache {
            policy,
            selector: Selector::default(),
            frames: Frames::new(FIRST_FRAMES, Page::MAX),
            bytes: vec![0; FIRST_FRAMES as usize],
            capacity,
            used: 0,
            objects: 0,
            outcome: Outcome { frames: 0, ..outcome },
            sizes: ObjectOutcome::new(Some(capacity)),
        }
    }

    fn access(&mut self, access: Access, request_bytes: u32) {
        self.outcome.operations += 1;
        self.outcome.operations_writing += u64::from(access.write);
        self.sizes.requested_bytes += u64::from(request_bytes);
        // Of an object without any bytes there could be any number.
        let bytes = request_bytes.max(1);
        match self.frames.find(access.page) {
            Some(frame) => self.hit(frame, access, bytes),
            None => {
                self.outcome.misses += 1;
                self.sizes.missed_bytes += u64::from(request_bytes);
                self.miss(access, bytes);
            }
        }
    }

    fn hit(&mut self, frame: Frame, access: Access, bytes: u32) {
        self.policy.hit(frame, access.write);
        if !access.write {
            return;
        }
        if u64::from(bytes) > self.capacity {
            // The new value goes past the cache, and the old one is no longer true.
            self.take_out(frame);
            self.sizes.too_large += 1;
            self.outcome.writes += 1;
            return;
        }
        self.frames.info[frame as usize].flags |= DIRTY;
        let before = std::mem::replace(&mut self.bytes[frame as usize], bytes);
        self.used = self.used - u64::from(before) + u64::from(bytes);
        while self.used > self.capacity {
            self.evict();
        }
    }

    fn miss(&mut self, access: Access, bytes: u32) {
        self.policy.missed(access.page);
        if u64::from(bytes) > self.capacity {
            self.sizes.too_large += 1;
            self.outcome.writes += u64::from(access.write);
            return;
        }
        while self.used + u64::from(bytes) > self.capacity {
            self.evict();
        }
        let frame = self.free_frame();
        self.policy.insert(frame, access.page, access.write);
        self.frames.put(frame, access.page, if access.write { DIRTY } else { 0 });
        self.bytes[frame as usize] = bytes;
        self.used += u64::from(bytes);
        self.objects += 1;
        self.outcome.frames = self.outcome.frames.max(self.objects);
    }

    /// A frame that holds nothing; there are twice as many from now on where all hold something.
    fn free_frame(&mut self) -> Frame {
        loop {
            if let Some(frame) = self.frames.take_free() {
                return frame;
            }
            let frames = self.frames.len() * 2;
            self.policy.grow(frames);
            self.frames.grow(frames);
            self.bytes.resize(frames as usize, 0);
        }
    }

    /// The object that goes next goes; one that was changed is written.
    fn evict(&mut self) {
        let frames = &self.frames;
        let victim = self.selector.victim(&mut self.policy, |frame| frames.state(frame));
        let (Victim::Clean(frame) | Victim::Dirty(frame)) = victim else { return };
        if let Victim::Dirty(_) = victim {
            self.outcome.writes += 1;
            self.outcome.batches += 1;
        }
        self.take_out(frame);
    }

    fn take_out(&mut self, frame: Frame) {
        if let Some(evicted) = self.frames.take_out(frame) {
            self.policy.evict(frame, evicted.page);
            self.frames.give_back(evicted.free);
            self.used -= u64::from(self.bytes[frame as usize]);
            self.objects -= 1;
        }
    }

    fn finish(mut self) -> Outcome {
        self.sizes.finish(self.outcome.misses, self.outcome.operations);
        self.outcome.objects = Some(self.sizes);
        self.outcome
    }
}
