//! Reads of a [`DirectFile`].

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use leadline_device::{Completion, NEVER, QueuePair, Request};

use super::DirectFile;
use crate::GraphError;
use crate::format::ALIGNMENT;

/// Reads in flight, which are asked for ahead and taken in the same order.
pub struct ReadQueue {
    file: Arc<DirectFile>,
    pair: Box<dyn QueuePair>,
    /// Places and bytes of reads that wait for a buffer.
    wanted: VecDeque<(u64, u32)>,
    /// Buffers of the reads in flight, the one that was asked for first in front.
    asked: VecDeque<u32>,
    free: Vec<u32>,
    /// By buffer: whether its bytes are there.
    ready: Vec<bool>,
    lengths: Vec<u32>,
    done: Vec<Completion>,
}

impl std::fmt::Debug for ReadQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadQueue").field("file", &self.file).finish_non_exhaustive()
    }
}

impl ReadQueue {
    /// With that many buffers for reads of at most that many bytes.
    ///
    /// # Errors
    /// [`GraphError::Device`].
    pub fn new(file: &Arc<DirectFile>, depth: usize, bytes: usize) -> Result<ReadQueue, GraphError> {
        // Behind the bytes of a read there are always some more: see `ReadQueue::next`.
        let pair = file.queue_pair(depth, bytes + ALIGNMENT as usize)?;
        Ok(ReadQueue {
            file: Arc::clone(file),
            pair,
            wanted: VecDeque::new(),
            asked: VecDeque::new(),
            free: (0..depth as u32).collect(),
            ready: vec![false; depth],
            lengths: vec![0; depth],
            done: Vec::new(),
        })
    }

    /// Asks for bytes from a multiple of [`ALIGNMENT`] on.
    ///
    /// # Errors
    /// [`GraphError::Read`], [`GraphError::Device`], also of what was asked for before.
    pub fn want(&mut self, at: u64, bytes: usize) -> Result<(), GraphError> {
        self.wanted.push_back((at, bytes.next_multiple_of(ALIGNMENT as usize) as u32));
        self.send()
    }

    /// Waits until the bytes are there that were asked for first and not taken yet.
    ///
    /// # Errors
    /// As [`ReadQueue::want`].
    ///
    /// # Panics
    /// Where all that was asked for is taken.
    pub(crate) fn wait(&mut self) -> Result<(), GraphError> {
        let Some(&slot) = self.asked.front() else { panic!("nothing is taken that was not asked for") };
        while !self.ready[slot as usize] {
            self.reap(1)?;
        }
        Ok(())
    }

    /// Hands over the bytes that were asked for first and not taken yet, with at least 16 more behind them.
    ///
    /// # Errors
    /// As [`ReadQueue::want`].
    ///
    /// # Panics
    /// Where all that was asked for is taken.
    pub fn next<T>(&mut self, take: impl FnOnce(&[u8]) -> T) -> Result<T, GraphError> {
        self.wait()?;
        let Some(slot) = self.asked.pop_front() else { unreachable!("it was waited for") };
        let taken = take(self.pair.buffer(slot));
        self.free.push(slot);
        self.send()?;
        Ok(taken)
    }

    /// Starts what there are buffers for.
    fn send(&mut self) -> Result<(), GraphError> {
        let mut sent = false;
        while let (Some(&slot), Some(&(at, bytes))) = (self.free.last(), self.wanted.front()) {
            let request = Request::read(slot, at, bytes);
            self.pair.submit(request).map_err(|error| self.file.read_error(io::Error::other(error)))?;
            self.free.pop();
            self.wanted.pop_front();
            self.asked.push_back(slot);
            (self.ready[slot as usize], self.lengths[slot as usize]) = (false, bytes);
            sent = true;
        }
        if sent { self.reap(0) } else { Ok(()) }
    }

    fn reap(&mut self, least: u32) -> Result<(), GraphError> {
        let deadline = if least == 0 { 0 } else { NEVER };
        self.pair.reap(least, deadline, &mut self.done).map_err(|error| self.file.device_error(error))?;
        for Completion { slot, result, .. } in self.done.drain(..) {
            let failed = match u32::try_from(result) {
                Ok(read) if read == self.lengths[slot as usize] => {
                    self.ready[slot as usize] = true;
                    continue;
                }
                Ok(_) => io::ErrorKind::UnexpectedEof.into(),
                Err(_) => io::Error::from_raw_os_error(-result),
            };
            return Err(self.file.read_error(failed));
        }
        Ok(())
    }
}
