//! Commits to a device without files: each a write of whole blocks, and when it is done a flush.

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{DeviceError, Nanos, QueueShape, Request};

use super::commit_log::{APPEND_BYTES, CommitLog, Committed, SliceEnd};
use super::context::ExperimentContext;
use crate::MeasureError;
use crate::load::{AddressStream, Lane, Recorder, Spread, Workload};

/// A device that completes nothing for this long is given up, nanoseconds.
const WATCHDOG: u64 = 10_000_000_000;

/// A log over the region, from its beginning again when it is full.
pub(super) struct DeviceCommits {
    lane: Lane,
    stream: AddressStream,
}

impl DeviceCommits {
    /// For up to `writers` of them.
    ///
    /// # Errors
    /// [`MeasureError::Device`] where a queue pair cannot be had.
    pub(super) fn open(context: &mut ExperimentContext, writers: u32) -> Result<Self, MeasureError> {
        let block_bytes = APPEND_BYTES.next_multiple_of(context.device.geometry().block_bytes);
        let queue = context.device.queue_pair(QueueShape::new(writers, block_bytes))?;
        let workload = Workload {
            read_share: 0.0,
            block_bytes,
            random_fraction: 0.0,
            spread: Spread::Uniform,
            durable: false,
        };
        let mut stream = AddressStream::new(workload, context.plan.region, context.plan.seed);
        stream.rewind();
        Ok(DeviceCommits { lane: Lane::new(queue, context.device.clock(), context.plan.seed), stream })
    }
}

impl CommitLog for DeviceCommits {
    fn commit(
        &mut self,
        writers: u32,
        end: SliceEnd,
        latencies: &mut Recorder,
        cancel: &AtomicBool,
    ) -> Result<Committed, MeasureError> {
        let DeviceCommits { lane, stream } = self;
        let began = lane.queue.now();
        let until = began.saturating_add(end.duration);
        // Of each writer: when its write was sent, and whether it waits for its flush.
        let mut waits: Vec<(Nanos, bool)> = vec![(began, false); writers as usize];
        let mut sent = 0;
        while sent < end.most_commits.min(u64::from(writers)) {
            lane.send(stream, sent as u32, began)?;
            sent += 1;
        }
        let mut committed = Committed::default();
        let (mut ended, mut give_up) = (began, began.saturating_add(WATCHDOG));
        while committed.commits < sent {
            if !lane.wait(1, give_up)? {
                if lane.queue.now() >= give_up {
                    return Err(lane.stalled(WATCHDOG));
                }
                continue; // a signal; what is under way is waited for all the same
            }
            for i in 0..lane.completions.len() {
                let done = lane.completions[i];
                let (write_sent, flushing) = &mut waits[done.slot as usize];
                if !*flushing {
                    if done.result != stream.block_bytes() as i32 {
                        return Err(lane.failed(stream, done));
                    }
                    *flushing = true;
                    lane.queue.submit(Request::flush(done.slot)).map_err(DeviceError::from)?;
                    continue;
                }
                if done.result < 0 {
                    return Err(MeasureError::flush(done.result));
                }
                latencies.record(done.at.saturating_sub(*write_sent));
                committed.commits += 1;
                ended = done.at;
                let more = done.at < until && sent < end.most_commits && !cancel.load(Ordering::Relaxed);
                if more {
                    (*write_sent, *flushing) = (done.at, false);
                    lane.send(stream, done.slot, done.at)?;
                    sent += 1;
                }
            }
            give_up = lane.queue.now().saturating_add(WATCHDOG);
        }
        committed.seconds = (ended - began) as f64 / 1e9;
        Ok(committed)
    }

    fn sent_bytes(&self) -> u32 {
        self.stream.block_bytes()
    }

    fn written(&self) -> u64 {
        self.lane.traffic().1
    }

    fn now(&self) -> Nanos {
        self.lane.queue.now()
    }
}
