//! Faults on demand: what a failing, hanging or stalling device looks like, for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::buffers::InFlight;
use crate::{
    Clock, Completion, Device, DeviceError, Geometry, NEVER, Nanos, QueuePair, QueueShape, Request,
    RequestError,
};

/// What goes wrong. Requests are counted from 0 over all queue pairs of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Request `nth` and all after it complete with this (positive) errno. The device under it still does them, and
    /// they take the time they take.
    FailFrom {
        /// The first to fail.
        nth: u64,
        /// For instance 5, EIO.
        errno: i32,
    },
    /// Request `nth` alone completes with this errno.
    FailOnce {
        /// The one to fail.
        nth: u64,
        /// For instance 28, ENOSPC.
        errno: i32,
    },
    /// Request `nth` and all after it never complete, nor do they reach the device.
    HangFrom {
        /// The first to hang.
        nth: u64,
    },
    /// When request `nth` is submitted, its queue pair completes nothing for `nanos`.
    Stall {
        /// The one that starts the stall.
        nth: u64,
        /// How long it lasts, on the device's clock.
        nanos: Nanos,
    },
}

/// A device with faults. Works in wall and in virtual time.
#[derive(Debug)]
pub struct Faulty<D> {
    device: D,
    faults: Arc<[Fault]>,
    submitted: Arc<AtomicU64>,
}

impl<D: Device> Faulty<D> {
    /// The device, with these faults.
    pub fn new(device: D, faults: impl Into<Vec<Fault>>) -> Self {
        Faulty { device, faults: faults.into().into(), submitted: Arc::default() }
    }

    /// Requests submitted so far, over all queue pairs.
    pub fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Relaxed)
    }
}

impl<D: Device> Device for Faulty<D> {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn clock(&self) -> Clock {
        self.device.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(FaultyPair {
            inner: self.device.queue_pair(shape)?,
            faults: Arc::clone(&self.faults),
            submitted: Arc::clone(&self.submitted),
            in_flight: InFlight::new(shape),
            fates: vec![Fate::Lives; shape.slots as usize],
            hanging: 0,
            stalled_until: 0,
            held: Vec::new(),
        }))
    }

    fn notes(&self) -> Vec<String> {
        self.device.notes()
    }
}

/// What becomes of the request in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Lives,
    Fails(i32),
    Hangs,
}

struct FaultyPair {
    inner: Box<dyn QueuePair>,
    faults: Arc<[Fault]>,
    submitted: Arc<AtomicU64>,
    in_flight: InFlight,
    /// Of the request in each slot.
    fates: Vec<Fate>,
    hanging: u32,
    stalled_until: Nanos,
    /// Completed below, but held back by a stall.
    held: Vec<Completion>,
}

impl FaultyPair {
    /// What becomes of the `nth` request; starts a stall where one is due.
    fn fate(&mut self, nth: u64) -> Fate {
        let mut fate = Fate::Lives;
        for fault in Arc::clone(&self.faults).iter() {
            match *fault {
                Fault::FailFrom { nth: first, errno } if nth >= first => fate = Fate::Fails(errno),
                Fault::FailOnce { nth: one, errno } if nth == one => fate = Fate::Fails(errno),
                Fault::HangFrom { nth: first } if nth >= first => return Fate::Hangs,
                Fault::Stall { nth: one, nanos } if nth == one => {
                    self.stalled_until = self.inner.now().saturating_add(nanos);
                }
                _ => {}
            }
        }
        fate
    }

    /// Lets time pass below until the stall is over; false if the deadline comes first.
    fn outlast_stall(&mut self, deadline: Nanos) -> Result<bool, DeviceError> {
        loop {
            let everything = self.inner.in_flight().max(1);
            let until = self.stalled_until.min(deadline);
            self.inner.reap(everything, until, &mut self.held)?;
            let now = self.inner.now();
            if now >= self.stalled_until {
                return Ok(true);
            }
            if now >= deadline {
                return Ok(false);
            }
        }
    }

    /// Hands out what is held, with its fate, not before the stall's end.
    fn release(&mut self, completions: &mut Vec<Completion>) {
        for mut completion in self.held.drain(..) {
            if let Fate::Fails(errno) = self.fates[completion.slot as usize] {
                completion.result = -errno;
            }
            self.in_flight.complete(completion.slot);
            completion.at = completion.at.max(self.stalled_until);
            completions.push(completion);
        }
    }
}

impl QueuePair for FaultyPair {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.inner.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.in_flight.assert_idle(slot);
        self.inner.buffer(slot)
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.in_flight.admit(&request, &self.inner.geometry(), &self.inner.shape())?;
        let fate = self.fate(self.submitted.fetch_add(1, Ordering::Relaxed));
        if fate == Fate::Hangs {
            self.hanging += 1;
        } else if let Err(refused) = self.inner.submit(request) {
            self.in_flight.complete(request.slot);
            return Err(refused);
        }
        self.fates[request.slot as usize] = fate;
        Ok(())
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        if self.inner.now() < self.stalled_until && !self.outlast_stall(deadline)? {
            return Ok(());
        }
        let alive = self.in_flight.count() - self.hanging;
        if self.hanging > 0 && deadline == NEVER && min > alive {
            // Waiting would be true to life, and end no test.
            return Err(DeviceError::Unsupported("a hanging request was awaited without a deadline".into()));
        }
        let missing = min.saturating_sub(self.held.len() as u32);
        if self.inner.in_flight() > 0 || self.held.is_empty() && self.hanging == 0 {
            self.inner.reap(missing.min(self.inner.in_flight()), deadline, &mut self.held)?;
        }
        if self.hanging > 0 && (self.held.len() as u32) < min && self.inner.in_flight() == 0 {
            // Only hanging requests are left: the deadline alone ends the wait.
            self.inner.reap(0, deadline, &mut self.held)?;
        }
        self.release(completions);
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.inner.now()
    }

    fn in_flight(&self) -> u32 {
        self.in_flight.count()
    }
}
