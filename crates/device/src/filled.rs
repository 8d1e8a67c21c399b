//! A device that takes as long as another one, and whose bytes are in memory: a simulated device has none of
//! its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    Clock, Completion, Device, DeviceError, Geometry, Nanos, Op, QueuePair, QueueShape, Request,
    RequestError, Wear,
};

/// A device with bytes, for tests and benchmarks in virtual time.
pub struct Filled {
    device: Box<dyn Device>,
    contents: Contents,
    now: Arc<AtomicU64>,
    wear: Arc<Mutex<Wear>>,
}

#[derive(Clone)]
enum Contents {
    Fixed(Arc<Vec<u8>>),
    Written(Arc<Mutex<Vec<u8>>>),
}

impl Contents {
    /// What a request that completed does.
    fn carry_out(&self, request: &Request, buffer: &mut [u8]) {
        let (from, len) = (request.offset as usize, request.len as usize);
        match (self, request.op) {
            (Contents::Fixed(bytes), _) => buffer[..len].copy_from_slice(&bytes[from..from + len]),
            (Contents::Written(bytes), op) => {
                let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                match op {
                    Op::Read => buffer[..len].copy_from_slice(&bytes[from..from + len]),
                    Op::Write => bytes[from..from + len].copy_from_slice(&buffer[..len]),
                    Op::Trim => bytes[from..from + len].fill(0),
                    Op::Flush => {}
                }
            }
        }
    }
}

impl Filled {
    /// Takes the time from `device`, and the bytes from `contents`, of which there must be as many as are
    /// read. It must not be written to.
    pub fn new(device: Box<dyn Device>, contents: Arc<Vec<u8>>) -> Filled {
        Filled { device, contents: Contents::Fixed(contents), now: Arc::default(), wear: Arc::default() }
    }

    /// Takes the time from `device`, and keeps what is written; zeros at first.
    pub fn zeros(device: Box<dyn Device>) -> Filled {
        let zeros = vec![0; device.geometry().capacity_bytes as usize];
        let contents = Contents::Written(Arc::new(Mutex::new(zeros)));
        Filled { device, contents, now: Arc::default(), wear: Arc::default() }
    }

    /// The device's wear when it last answered; zeros where it does not know.
    pub fn wear(&self) -> Wear {
        *self.wear.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device's time when it last answered, in nanoseconds, whichever queue pair was asked.
    pub fn time(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.now)
    }
}

struct FilledPair {
    pair: Box<dyn QueuePair>,
    contents: Contents,
    now: Arc<AtomicU64>,
    wear: Arc<Mutex<Wear>>,
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
            contents: self.contents.clone(),
            now: Arc::clone(&self.now),
            wear: Arc::clone(&self.wear),
            buffers: (0..shape.all_slots()).map(|slot| vec![0; shape.bytes_of(slot) as usize]).collect(),
            asked: vec![None; shape.all_slots() as usize],
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
            self.contents.carry_out(&asked, &mut self.buffers[answer.slot as usize]);
        }
        self.now.store(self.pair.now(), Ordering::Relaxed);
        if let Some(wear) = self.pair.wear() {
            *self.wear.lock().unwrap_or_else(PoisonError::into_inner) = wear;
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.pair.now()
    }

    fn in_flight(&self) -> u32 {
        self.pair.in_flight()
    }

    fn wear(&self) -> Option<Wear> {
        self.pair.wear()
    }
}
