//! A device that takes as long as another one, and answers reads with bytes that are in memory: a simulated
//! device has none of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    Clock, Completion, Device, DeviceError, Geometry, Nanos, QueuePair, QueueShape, Request, RequestError,
};

/// A device with the bytes of a file, for tests and benchmarks in virtual time. It is only read.
pub struct Filled {
    device: Box<dyn Device>,
    contents: Arc<Vec<u8>>,
    now: Arc<AtomicU64>,
}

impl Filled {
    /// Takes the time from `device`, and the bytes from `contents`, of which there must be as many as are
    /// read.
    pub fn new(device: Box<dyn Device>, contents: Arc<Vec<u8>>) -> Filled {
        Filled { device, contents, now: Arc::default() }
    }

    /// The device's time when it last answered, in nanoseconds, whichever queue pair was asked.
    pub fn time(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.now)
    }
}

struct FilledPair {
    pair: Box<dyn QueuePair>,
    contents: Arc<Vec<u8>>,
    now: Arc<AtomicU64>,
    buffers: Vec<Vec<u8>>,
    asked: Vec<Option<Request>>,
}

impl Device for Filled {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn clock(&self) -> Clock {
        self.device.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(FilledPair {
            pair: self.device.queue_pair(shape)?,
            contents: Arc::clone(&self.contents),
            now: Arc::clone(&self.now),
            buffers: vec![vec![0; shape.buffer_bytes as usize]; shape.slots as usize],
            asked: vec![None; shape.slots as usize],
        }))
    }
}

impl QueuePair for FilledPair {
    fn geometry(&self) -> Geometry {
        self.pair.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.pair.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        &mut self.buffers[slot as usize]
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.pair.submit(request)?;
        self.asked[request.slot as usize] = Some(request);
        Ok(())
    }

    fn reap(&mut self, min: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        let before = done.len();
        self.pair.reap(min, deadline, done)?;
        for answer in &done[before..] {
            let Some(asked) = self.asked[answer.slot as usize].take() else { continue };
            let (from, len) = (asked.offset as usize, asked.len as usize);
            self.buffers[answer.slot as usize][..len].copy_from_slice(&self.contents[from..from + len]);
        }
        self.now.store(self.pair.now(), Ordering::Relaxed);
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.pair.now()
    }

    fn in_flight(&self) -> u32 {
        self.pair.in_flight()
    }
}
