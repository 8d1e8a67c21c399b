//! A thread's queue pair: how it is made, and when.

use leadline_device::{Device, QueuePair, QueueShape};

use super::plan::EnginePlan;
use crate::GraphError;

/// How a thread's queue pair is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReaderShape {
    /// Reads in flight.
    pub(crate) slots: u32,
    /// Bytes of the buffer of each.
    pub(crate) request_bytes: u32,
    pub(crate) block_bytes: u32,
    /// Threads that read at the same time.
    pub(crate) threads: u32,
    /// Whether blocks will be read again: the cache has no room for all.
    pub(crate) again: bool,
}

impl ReaderShape {
    pub(crate) fn of(plan: &EnginePlan, block_bytes: u32, all_blocks: u32) -> ReaderShape {
        let EnginePlan { slots, request_bytes, threads, frames, .. } = *plan;
        ReaderShape { slots, request_bytes, block_bytes, threads: threads as u32, again: frames < all_blocks }
    }

    /// Most blocks of one request.
    pub(crate) fn most_blocks(&self) -> u32 {
        self.request_bytes / self.block_bytes
    }
}

/// A queue pair, made when it is first used: to map its buffers takes longer than many a sweep over cached
/// blocks.
pub(crate) struct LazyPair<'g> {
    device: &'g dyn Device,
    shape: ReaderShape,
    made: Option<Box<dyn QueuePair>>,
}

impl<'g> LazyPair<'g> {
    pub(crate) fn new(device: &'g dyn Device, shape: ReaderShape) -> LazyPair<'g> {
        LazyPair { device, shape, made: None }
    }

    pub(crate) fn shape(&self) -> &ReaderShape {
        &self.shape
    }

    /// Another one in its place; nothing may be in flight. The old one goes first: its buffers' memory is the
    /// new one's.
    pub(crate) fn reshape(&mut self, slots: u32, request_bytes: u32) {
        debug_assert_eq!(self.in_flight(), 0, "what is in flight belongs to the old one");
        self.made = None;
        self.shape = ReaderShape { slots, request_bytes, ..self.shape };
    }

    /// `name` is the store's, for errors.
    pub(crate) fn get(&mut self, name: &str) -> Result<&mut dyn QueuePair, GraphError> {
        let pair = match self.made.take() {
            Some(pair) => pair,
            None => {
                let pair =
                    self.device.queue_pair(QueueShape::new(self.shape.slots, self.shape.request_bytes));
                pair.map_err(|error| GraphError::device(name, error))?
            }
        };
        Ok(&mut **self.made.insert(pair))
    }

    /// The pair, if it was made.
    pub(crate) fn made(&mut self) -> Option<&mut Box<dyn QueuePair>> {
        self.made.as_mut()
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.made.as_ref().map_or(0, |pair| pair.in_flight())
    }
}
